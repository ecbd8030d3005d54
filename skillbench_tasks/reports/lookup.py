"""A plan that looks its outcome up: what memorising the runs that are fed back is worth.

The plan knows, for the inputs of every seen variant, the calls that are right on it and its output,
all as literals, and decides nothing. That is the most that feedback of executions can teach a
planner that understands nothing of the procedure. On the variants that it has seen it shows how far
they differ by inputs alone; on those held out it has to be near the floor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed
from skillbench_tasks.models import Model
from skillbench_tasks.models.plan_record import ReferenceRun
from skillbench_tasks.models.sop import Executed, Sop
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.orchestration import grade_run
from skillbench_tasks.solvers.planning.feedback import Feedback, shown_variants
from skillbench_tasks.solvers.planning.plans import plan_of, run_plan
from skillbench_tasks.tools.workflow import Program

__all__ = ["LookupScores", "lookup_page", "lookup_plan", "lookup_scores"]

_NOTHING: Final = Executed(status="completed")


class LookupScores(Model):
    """Mean orchestration accuracies over variants, from 0 to 1, of the plan and of doing nothing.

    `all_*` are over the variants when all are seen; `seen_*` and `held_out_*` when two are.
    """

    variants: int
    held_out_variants: int
    all_seen: float
    all_floor: float
    seen: float
    seen_floor: float
    held_out: float
    held_out_floor: float


def lookup_plan(sop: Sop, seen: Sequence[ReferenceRun], guesses: bool = False) -> dict[str, Any]:
    """Return a workflow that plays back the run whose inputs are those given.

    Args:
        sop: The SOP.
        seen: The variants it has seen, with the runs that are right on them.
        guesses: Whether other inputs play back the first of them; default: nothing is done.
    """
    steps = _played(seen[0].executed, "g") if guesses else []
    taken: list[Any] = []
    for number, run in reversed(list(enumerate(seen))):
        if run.variant.inputs in taken:
            continue
        taken.append(run.variant.inputs)
        equal: list[Any] = [
            {"==": [{"var": f"inputs.{name}"}, value]}
            for name, value in run.variant.inputs.items()
            if not isinstance(value, dict | list)
        ]
        node = {"kind": "if", "condition": {"and": equal or [True]}, "else": steps}
        steps = [{**node, "then": _played(run.executed, f"r{number}")}]
    return {**{k: v for k, v in sop.program.items() if k != "steps"}, "steps": steps}


def _played(executed: Executed, prefix: str) -> list[dict[str, Any]]:
    """Return the calls of a run with their arguments as literals, and its end."""
    nodes: list[dict[str, Any]] = []
    for call in executed.calls:
        node = {"kind": "call", "tool": call.tool, "arguments": _literal(call.arguments)}
        caught = {"kind": "try", "do": [node], "catch": []}
        nodes.append(node if call.error is None else caught)
    if executed.status == "returned":
        nodes.append({"kind": "return", "value": _literal(executed.value)})
    return nodes


def _literal(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("${", "$${")
    if isinstance(value, dict):
        return {key: _literal(part) for key, part in value.items()}
    return [_literal(part) for part in value] if isinstance(value, list) else value


def lookup_scores(
    sops: Iterable[Sop] | None = None, seed: int = 0, guesses: bool = False
) -> LookupScores:
    """Measure the plan on SOPs, with all variants seen and with two, as `replan` splits them.

    Args:
        sops: The SOPs; default: all that ship.
        seed: Which two.
        guesses: Whether inputs that were not seen play back a run that was.
    """
    sums = dict.fromkeys(("all_seen", "all_floor", *_SPLIT), 0.0)
    counts = dict.fromkeys(("all", "seen", "held_out"), 0)
    for sop in load_sops() if sops is None else sops:
        runs, program = reference_case(sop).runs, parsed(sop.program)
        shown = {one.id for one in shown_variants(sop.variants, Feedback.TWO, seed)}
        floors = [grade_run(run, _NOTHING, program).orchestration for run in runs]
        sums["all_seen"] += sum(_scores(sop, program, runs, runs, guesses))
        sums["all_floor"] += sum(floors)
        two = _scores(sop, program, runs, [r for r in runs if r.variant.id in shown], guesses)
        for run, score, floor in zip(runs, two, floors, strict=True):
            side = "seen" if run.variant.id in shown else "held_out"
            sums[side] += score
            sums[f"{side}_floor"] += floor
            counts[side] += 1
        counts["all"] += len(runs)
    return LookupScores(
        variants=counts["all"],
        held_out_variants=counts["held_out"],
        **{name: value / _count(counts, name) for name, value in sums.items()},
    )


_SPLIT: Final = ("seen", "seen_floor", "held_out", "held_out_floor")


def _count(counts: dict[str, int], name: str) -> int:
    kind = next(one for one in ("all", "held_out", "seen") if name.startswith(one))
    return counts[kind] or 1


def _scores(
    sop: Sop,
    program: Program,
    runs: Sequence[ReferenceRun],
    seen: Sequence[ReferenceRun],
    guesses: bool,
) -> list[float]:
    plan = plan_of(lookup_plan(sop, seen, guesses), sop)
    done = run_plan(plan, [run.variant for run in runs]).runs
    return [
        grade_run(run, one.executed, program).orchestration
        for run, one in zip(runs, done, strict=True)
    ]


def lookup_page(found: LookupScores) -> str:
    """Return the scores as a table."""
    rows = [
        ("all seen", str(found.variants), found.all_seen, found.all_floor),
        (
            "seen, of two",
            str(found.variants - found.held_out_variants),
            found.seen,
            found.seen_floor,
        ),
        ("held out", str(found.held_out_variants), found.held_out, found.held_out_floor),
    ]
    shown = [(name, count, f"{a:.3f}", f"{b:.3f}") for name, count, a, b in rows]
    return text_table(("variants", "count", "lookup", "nothing done"), shown)
