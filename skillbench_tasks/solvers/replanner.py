"""Replan: a global workflow, revised from what its executions, or its validation, showed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeAlias

from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from skillbench_tasks.models.plan_record import (
    START_KEY,
    Origin,
    PlanRound,
    PlanStart,
    Protocol,
)
from skillbench_tasks.models.sop import Sop, Variant
from skillbench_tasks.solvers.messages import message_of
from skillbench_tasks.solvers.planner import (
    MODEL,
    ask_for_plan,
    keep,
    require_planner,
    variants_of,
)
from skillbench_tasks.solvers.planning.feedback import (
    Feedback,
    execution_lines,
    finding_lines,
    shown_variants,
)
from skillbench_tasks.solvers.planning.plans import (
    BROKEN_OFF,
    Plan,
    read_plan,
    run_plan,
)
from skillbench_tasks.solvers.planning.prompts import plan_prompt, replan_prompt, request_prompt
from skillbench_tasks.solvers.planning.revision import revised
from skillbench_tasks.solvers.planning.start_log import StartLog, read_start

__all__ = ["replan_rounds"]

_Ask: TypeAlias = Callable[[list[ChatMessage]], Awaitable[ModelOutput]]
"""What returns the answer to some messages."""


@solver
def replan_rounds(
    rounds: int = 3,
    feedback: str = Feedback.ALL,
    seed: int = 0,
    planner: str = MODEL,
    structured: bool = False,
    start: str | None = None,
) -> Solver:
    """Ask for a workflow, run it, feed back what happened, and so on.

    Round 0 is the global workflow. A valid plan is fed back by its executions; one that is refused
    by its findings. With `validation` a valid plan is left as it is. Each request stands alone:
    specification, workflow, what came of it. Rounds that did not take place, for that reason or
    since a limit struck, count as the last one that did.

    Args:
        rounds: Revisions.
        feedback: Executions of `all` variants, of `two`, or `validation` findings alone.
        seed: Which two.
        planner: Who plans: `model`, or one of `PLANNERS`.
        structured: Whether answers are asked for by structured output.
        start: A log of `global_orchestration` whose workflows are round 0.
    """
    require_planner(planner)
    kind = Feedback(feedback)
    log = None if start is None else read_start(start)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sop, variants, _ = variants_of(state)
        shown = shown_variants(variants, kind, seed)
        ids = [one.id for one in shown]
        ask = partial(ask_for_plan, sop=sop, planner=planner, structured=structured)
        done: list[PlanRound] = []
        start_of: PlanStart | None = None
        try:
            plan, start_of = await _first(state, sop, log, ask)
            origin = Origin.FROM_LOG if start_of else Origin.WRITTEN
            done.append(_with(run_plan(plan, variants, ids), origin))
            while len(done) <= rounds and not (kind is Feedback.VALIDATION and plan.program):
                request = _request(sop, plan, done[-1], shown)
                plan, origin = revised(await _answer(state, request, ask), plan, sop)
                is_new = origin is Origin.WRITTEN
                done.append(_with(run_plan(plan, variants, ids) if is_new else done[-1], origin))
        finally:  # a limit breaks off here, and the rounds that are done are graded
            done = done or [run_plan(BROKEN_OFF, variants, ids)]
            done += [_with(done[-1], Origin.NOT_ASKED)] * (rounds + 1 - len(done))
            keep(state, sop, Protocol.REPLAN, done, start_of)
        return state

    return solve


async def _first(
    state: TaskState, sop: Sop, log: StartLog | None, ask: _Ask
) -> tuple[Plan, PlanStart | None]:
    """Return the plan of round 0, and where it is from if no model was asked."""
    state.messages = [
        ChatMessageSystem(content=plan_prompt()),
        ChatMessageUser(content=request_prompt(sop)),
    ]
    if log is None:
        state.output = await ask(state.messages)
        plan, start = read_plan(state.output, sop), None
    else:
        plan, state.output, start = log.first(sop, state.epoch)
        state.metadata[START_KEY] = start.model_dump(mode="json")
    state.messages.append(message_of(state.output))
    return plan, start


async def _answer(state: TaskState, request: str, ask: _Ask) -> ModelOutput:
    """Return the answer to a request, which is all that the model is shown."""
    system, asked = state.messages[0], ChatMessageUser(content=request)
    state.messages.append(asked)
    state.output = await ask([system, asked])
    state.messages.append(message_of(state.output))
    return state.output


def _with(made: PlanRound, origin: Origin) -> PlanRound:
    return made.model_copy(update={"origin": origin})


def _request(sop: Sop, plan: Plan, done: PlanRound, shown: Sequence[Variant]) -> str:
    if plan.program is None:
        what, lines = "not run, since it is not valid", finding_lines(plan)
    else:
        count = sum(run.is_fed_back for run in done.runs)
        what = f"run {count} times" if count != 1 else "run once"
        lines = execution_lines(done, shown)
    return replan_prompt(sop, plan.text or "(no answer)", what, "\n".join(lines))
