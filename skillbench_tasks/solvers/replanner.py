"""Replan: a global workflow, revised from what its executions, or its validation, showed."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from skillbench_tasks.models.plan_record import PlanRound, Protocol
from skillbench_tasks.models.sop import Variant
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

__all__ = ["replan_rounds"]


@solver
def replan_rounds(
    rounds: int = 3,
    feedback: str = Feedback.ALL,
    seed: int = 0,
    planner: str = MODEL,
    structured: bool = False,
) -> Solver:
    """Ask for a workflow, run it, feed back what happened, and so on.

    Round 0 is the global workflow. A valid plan is fed back by its executions; one that is refused
    by its findings. With `validation` a valid plan is left as it is. Rounds that did not take
    place, for that reason or since a limit struck, count as the last one that did.

    Args:
        rounds: Revisions.
        feedback: Executions of `all` variants, of `two`, or `validation` findings alone.
        seed: Which two.
        planner: Who plans: `model`, or one of `PLANNERS`.
        structured: Whether answers are asked for by structured output.
    """
    require_planner(planner)
    kind = Feedback(feedback)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sop, variants, _ = variants_of(state)
        shown = shown_variants(variants, kind, seed)
        ids = [one.id for one in shown]
        state.messages = [
            ChatMessageSystem(content=plan_prompt()),
            ChatMessageUser(content=request_prompt(sop)),
        ]
        done: list[PlanRound] = []
        calls = 0
        try:
            while True:
                state.output = await ask_for_plan(state.messages, sop, planner, structured)
                calls += planner == MODEL
                state.messages.append(message_of(state.output))
                plan = read_plan(state.output, sop)
                done.append(run_plan(plan, variants, ids))
                if len(done) > rounds or (kind is Feedback.VALIDATION and plan.program):
                    break
                state.messages.append(ChatMessageUser(content=_request(plan, done[-1], shown)))
        finally:  # a limit breaks off here, and the rounds that are done are graded
            done = done or [run_plan(BROKEN_OFF, variants, ids)]
            done += [done[-1]] * (rounds + 1 - len(done))
            keep(state, sop, Protocol.REPLAN, done)
        return state

    return solve


def _request(plan: Plan, done: PlanRound, shown: Sequence[Variant]) -> str:
    if plan.program is None:
        return replan_prompt("not run, since it is not valid", "\n".join(finding_lines(plan)))
    count = sum(run.is_fed_back for run in done.runs)
    what = f"run {count} times" if count != 1 else "run once"
    return replan_prompt(what, "\n".join(execution_lines(done, shown)))
