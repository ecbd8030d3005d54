"""Grading right runs: each returns why it is graded wrong, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Literal, cast, get_args

from inspect_ai.model import ModelOutput
from pydantic import JsonValue

from skillbench_tasks.datasets.loaders import skill_tools, start_world
from skillbench_tasks.datasets.script import Script, perform
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed
from skillbench_tasks.datasets.variations import Variation
from skillbench_tasks.datasets.variations.plans import PlanKind, kept
from skillbench_tasks.models import Case
from skillbench_tasks.models.conversation import Conversation
from skillbench_tasks.models.sop import Executed, Sop
from skillbench_tasks.scorers.orchestration import grade_run
from skillbench_tasks.scorers.verified import verified_verdict
from skillbench_tasks.solvers.planning.editor import Editor
from skillbench_tasks.solvers.planning.plans import Plan, plan_of, read_plan, run_plan
from skillbench_tasks.solvers.replay import Replay, WorldMatcher
from skillbench_tasks.solvers.stepper import Episode
from skillbench_tasks.tools.prediction import PredictedCall, Prediction
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.toolkit import function_name

__all__ = ["PLAN_TASKS", "PlanTask", "fault_of_plan", "fault_of_replay", "fault_of_run"]

PlanTask = Literal["global_orchestration", "step_by_step", "local_construction", "replan"]

PLAN_TASKS: Final[tuple[PlanTask, ...]] = get_args(PlanTask)
"""The orchestration tasks."""


def fault_of_run(case: Case, variation: Variation) -> str | None:
    """Return why a run of a zero-shot case is not verified; nothing where it is.

    Args:
        case: The case.
        variation: The run.
    """
    episode = perform(case, variation.script)
    episode = episode.model_copy(update={"profile": variation.profile})
    verdict = verified_verdict(case.checks, episode)
    return None if verdict.passed else "; ".join(verdict.reasons) or "not verified"


def fault_of_replay(conversation: Conversation, case: Case, variation: Variation) -> str | None:
    """Return which decision of a closed-loop replay is an unresolved error; nothing where none is.

    Calls are matched as under `match=equivalent`.

    Args:
        conversation: The gold conversation.
        case: Its case.
        variation: A run that keeps the user's turns as they are.
    """
    toolbox = Toolbox(
        skill_tools(case.skill), start_world(case.skill, case.scenario), case.scenario.faults
    )
    replay = Replay(conversation, WorldMatcher(conversation, toolbox, case.skill.rules))
    for prediction in _predictions(variation.script):
        if replay.due is None:
            break
        replay.take(prediction)
    open_ones = [one for one in replay.record().decisions if one.is_unresolved]
    if not open_ones:
        return None
    one = open_ones[0]
    return f"{len(open_ones)} decisions open; number {one.number} ({one.action}): {one.outcome}"


def _predictions(script: Script) -> list[Prediction]:
    """The agent's outputs: each call in a message of its own, then the text of the turn."""
    found = []
    for turn in script.turns:
        if turn.role != "agent":
            continue
        for call in turn.calls:
            made = PredictedCall(tool=function_name(call.tool), arguments=call.arguments)
            found.append(Prediction(action="call", text=call.beside, calls=(made,)))
        found.append(Prediction(action="text", text=turn.text))
    return found


def fault_of_plan(
    sop: Sop, kind: PlanKind, program: dict[str, JsonValue], task: PlanTask
) -> str | None:
    """Return the first metric below 1 that a rewritten workflow must keep; nothing where none is.

    Args:
        sop: The SOP.
        kind: How the workflow was rewritten.
        program: The rewritten workflow.
        task: The task under which it is carried out.
    """
    must = kept(kind)
    reference = parsed(sop.program)
    runs = _CARRYING_OUT[task](sop, program)
    for one, run in zip(reference_case(sop).runs, runs, strict=True):
        score = grade_run(one, run, reference)
        low = [
            metric.value
            for metric, value in score.values().items()
            if value < 1 and (must is None or metric.value in must)
        ]
        if low:
            return f"{one.variant.id}: {', '.join(low)} below 1: {score.first_fault}"
    return None


def _executions(plan: Plan, sop: Sop) -> list[Executed]:
    return [run.executed for run in run_plan(plan, sop.variants).runs]


def _globally(sop: Sop, program: dict[str, JsonValue]) -> list[Executed]:
    return _executions(plan_of(program, sop), sop)


def _in_words(sop: Sop, program: dict[str, JsonValue]) -> list[Executed]:
    """As an answer of a planner who says more than the workflow, in a later round."""
    workflow = json.dumps(program, indent=2)
    text = f"The last one did not fit. Here is the workflow:\n\n```json\n{workflow}\n```\n"
    return _executions(read_plan(ModelOutput.from_content("none", text), sop), sop)


def _node_by_node(sop: Sop, program: dict[str, JsonValue]) -> list[Executed]:
    editor = Editor(sop)
    _feed(editor, "steps", cast("list[dict[str, JsonValue]]", program["steps"]))
    return _executions(plan_of(editor.draft, sop), sop)


def _feed(editor: Editor, block: str, nodes: list[dict[str, JsonValue]]) -> None:
    for node in nodes:
        done = editor.add(block, {key: part for key, part in node.items() if key not in _BLOCKS})
        if done.problems:
            return
        for key in _BLOCKS:
            inner = cast("list[dict[str, JsonValue]]", node.get(key, []))
            _feed(editor, f"{done.place}.{key}", inner)


def _step_by_step(sop: Sop, program: dict[str, JsonValue]) -> list[Executed]:
    """Make the calls of the workflow's runs one by one, then finish with its output."""
    found = []
    for variant, run in zip(sop.variants, _globally(sop, program), strict=True):
        episode = Episode(variant)
        for call in run.calls:
            episode.call(PredictedCall(tool=function_name(call.tool), arguments=call.arguments))
        episode.output, episode.is_finished = run.value, True
        found.append(episode.executed())
    return found


_BLOCKS: Final = ("then", "else", "do", "catch")

_CARRYING_OUT: Final[dict[PlanTask, Callable[[Sop, dict[str, JsonValue]], list[Executed]]]] = {
    "global_orchestration": _globally,
    "step_by_step": _step_by_step,
    "local_construction": _node_by_node,
    "replan": _in_words,
}
