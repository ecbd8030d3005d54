"""The suite proved on agents without a model: the reference passes all, the others nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from skillbench_tasks.errors import SkillbenchError
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.solvers.baselines import BASELINES
from skillbench_tasks.zero_shot import zero_shot

__all__ = ["EXCEPTIONS", "BaselineResult", "run_baselines"]

EXCEPTIONS: Final[Mapping[str, frozenset[str]]] = {}
"""Baseline → cases whose right outcome is that behaviour with its positive signal."""

SCORERS: Final = ("verified", "rules", "final_state", "constraints", "outcome")


@dataclass(frozen=True)
class BaselineResult:
    """The table of all baselines, and the bounds that break (empty: the suite holds)."""

    table: str
    broken: tuple[str, ...]


def run_baselines(log_dir: Path, skills: Path | None = None) -> BaselineResult:
    """Run the reference and every baseline over all cases.

    Args:
        log_dir: Where the logs go.
        skills: Folder of skills; default: those that ship.
    """
    rows, broken = [], []
    for name in ("reference", *BASELINES):
        task = zero_shot(agent=name, skills=str(skills) if skills else None)
        log = inspect_eval(task, model="none/none", log_dir=str(log_dir), display="none")[0]
        means = _means(log, name)
        rows.append((name, *(f"{100 * means[scorer]:.1f} %" for scorer in SCORERS)))
        broken += _broken(log, name, means)
    return BaselineResult(text_table(("agent", *SCORERS), rows), tuple(broken))


def _means(log: EvalLog, name: str) -> dict[str, float]:
    if log.status != "success" or log.results is None:
        reason = log.error.message if log.error else log.status
        raise SkillbenchError(f"the run of {name} failed: {reason}")
    return {
        s.name: float(s.metrics["mean"].value)
        for s in log.results.scores
        if s.scored_samples and "mean" in s.metrics
    }


def _broken(log: EvalLog, name: str, means: Mapping[str, float]) -> list[str]:
    if name == "reference":
        return [
            f"reference: {scorer} is {100 * means[scorer]:.1f} %, not 100 %"
            for scorer in SCORERS
            if means[scorer] != 1.0
        ]
    passed = {
        str(sample.id)
        for sample in log.samples or []
        if sample.scores and sample.scores["verified"].value == "C"
    }
    strange = sorted(passed - EXCEPTIONS.get(name, frozenset()))
    return [f"{name}: passes {case}" for case in strange]
