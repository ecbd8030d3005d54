"""The grading proved on planted defects: mutants of gold conversations that must fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from skillbench_tasks.datasets.mutants import MUTANT_KINDS, Mutant, mutants_of
from skillbench_tasks.datasets.script import perform
from skillbench_tasks.models import Case
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.verified import verified_verdict

__all__ = ["FAILING_SHARE_MIN", "holds", "mutant_report", "mutant_table", "survivors_of"]

FAILING_SHARE_MIN: Final = 0.99
"""Least share of mutants that must fail."""


def mutant_report(cases: Sequence[Case]) -> dict[str, Any]:
    """Perform and grade every mutant.

    Returns:
        For each kind the counts of mutants and of those that fail, the overall share that fails
        (0 to 1), and the survivors with what was changed.
    """
    made = dict.fromkeys(MUTANT_KINDS, 0)
    survivors: list[Mutant] = []
    for case in cases:
        mutants = list(mutants_of(case))
        for mutant in mutants:
            made[mutant.kind] += 1
        survivors += survivors_of(case, mutants)
    alive = dict.fromkeys(MUTANT_KINDS, 0)
    for mutant in survivors:
        alive[mutant.kind] += 1
    total = sum(made.values())
    return {
        "total": total,
        "failing_share": (total - len(survivors)) / total if total else None,
        "by_kind": {k: {"mutants": made[k], "failing": made[k] - alive[k]} for k in MUTANT_KINDS},
        "survivors": [
            {"kind": m.kind, "case": m.case, "operator": m.operator, "detail": m.detail}
            for m in survivors
        ],
    }


def holds(report: Mapping[str, Any]) -> bool:
    """Return whether enough mutants fail: all but 1 %, or all but one of a small suite."""
    return report["failing_share"] >= FAILING_SHARE_MIN or len(report["survivors"]) <= 1


def survivors_of(case: Case, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Return the mutants of a case that are verified although they are wrong."""
    return [m for m in mutants if verified_verdict(case.checks, perform(case, m.script)).passed]


def mutant_table(report: Mapping[str, Any]) -> str:
    """Return the report as a table with the survivors below it."""
    rows = [
        (kind, str(counts["mutants"]), str(counts["failing"]))
        for kind, counts in report["by_kind"].items()
    ]
    rows.append(("total", str(report["total"]), f"{100 * report['failing_share']:.2f} %"))
    lines = [text_table(("kind", "mutants", "failing"), rows)]
    lines += [f"SURVIVES {s['kind']} {s['case']}: {s['detail']}" for s in report["survivors"]]
    return "\n".join(lines)
