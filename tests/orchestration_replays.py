"""Ways to carry out a SOP on its variants without a model and without Inspect's loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillbench_tasks.datasets.sops.references import reference_case, unlabelled
from skillbench_tasks.datasets.sops.running import parsed
from skillbench_tasks.models.plan_record import ReferenceRun
from skillbench_tasks.models.sop import Executed, ExecutedCall, Sop, Variant
from skillbench_tasks.scorers.orchestration import grade_run
from skillbench_tasks.scorers.trace import VariantScore
from skillbench_tasks.solvers.planning.editor import Editor
from skillbench_tasks.solvers.planning.plans import Plan, plan_of, run_plan
from skillbench_tasks.solvers.stepper import Episode
from skillbench_tasks.tools.prediction import PredictedCall

__all__ = [
    "by_editor",
    "executions",
    "graded",
    "is_perfect",
    "reference_plan",
    "references",
    "stepped",
]

BLOCKS = ("then", "else", "do", "catch")


def executions(plan: Plan, variants: Sequence[Variant]) -> list[Executed]:
    """Run a plan on variants, as the global protocol does."""
    return [run.executed for run in run_plan(plan, variants).runs]


def stepped(variant: Variant, calls: Sequence[ExecutedCall], value: Any) -> Executed:
    """Make recorded calls one by one, as the step-by-step protocol does, then finish."""
    episode = Episode(variant)
    for call in calls:
        name = call.tool.removeprefix("mcp.").replace(":", "__")
        episode.call(PredictedCall(tool=name, arguments=call.arguments))
    episode.output, episode.is_finished = value, True
    return episode.executed()


def reference_plan(sop: Sop) -> Plan:
    """Return a SOP's own workflow as a model would have written it."""
    program: Any = unlabelled(sop.program)
    return plan_of(program, sop)


def by_editor(sop: Sop) -> Plan:
    """Build a SOP's own workflow in the editor, one node at a time."""
    editor = Editor(sop)
    program: Any = unlabelled(sop.program)
    _feed(editor, "steps", program["steps"])
    return plan_of(editor.draft, sop)


def _feed(editor: Editor, block: str, nodes: Sequence[dict[str, Any]]) -> None:
    for node in nodes:
        done = editor.add(block, {key: v for key, v in node.items() if key not in BLOCKS})
        assert not done.problems, (block, done.problems)
        for key in BLOCKS:
            _feed(editor, f"{done.place}.{key}", node.get(key, ()))


def graded(sop: Sop, runs: Sequence[Executed]) -> list[VariantScore]:
    """Score one execution for each variant of a SOP."""
    program = parsed(sop.program)
    pairs = zip(references(sop), runs, strict=True)
    return [grade_run(reference, run, program) for reference, run in pairs]


def references(sop: Sop) -> tuple[ReferenceRun, ...]:
    """Return what the SOP's own workflow does on each variant."""
    return reference_case(sop).runs


def is_perfect(score: VariantScore) -> bool:
    """Return whether every component is reached."""
    return set(score.values().values()) == {1.0} and not score.first_fault
