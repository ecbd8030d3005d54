"""Result tables of logs, for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    EvalScore,
    read_eval_log_sample_summaries,
)

from skillbench_tasks.reports.panel import counts_passes, panel_tables
from skillbench_tasks.reports.runs import (
    RunCounts,
    counts_line,
    mean_with_failures_as_zero,
    run_counts,
    spend_tables,
)
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.shells import GROUPS

__all__ = ["log_table"]

_DETERMINISTIC: Final = frozenset(
    {"verified", "rules", "final_state", "constraints", "outcome", "user_faults"}
)
"""Scorers whose values are shares; the others have tables of their own."""

_RATES: Final = frozenset({"user_faults"})
"""Scorers whose values are rates within a run: no run passes or fails."""

_CONFIDENCE: Final = 1.96
"""Standard errors on each side of a 95 % interval."""


def log_table(log: EvalLog) -> str:
    """Return the scores of a log: mean, 95 % interval clustered by skill, counts; then groups.

    Every figure stands with its count of scored samples. Where a fault that is not the agent's left
    runs without a grade, the mean that counts them as 0 stands beside the mean without them.
    """
    runs = read_eval_log_sample_summaries(log.location)
    counts = run_counts(log, runs)
    if not log.results:
        return f"{counts_line(counts)}\nno results: the run ended as {log.status}"
    parts = [counts_line(counts), _score_table(log, counts, runs)]
    sizes = _group_sizes(runs)
    groups = [
        (name, f"{100 * float(metric.value):.1f} %", str(sizes[name]))
        for score in _rows(log)
        if score.reducer == _rows(log)[0].reducer
        for name, metric in score.metrics.items()
        if "=" in name
    ]
    if groups:
        parts.append(text_table(("verified in group", "mean", "n"), groups))
    return "\n\n".join([*parts, *panel_tables(log), *spend_tables(log)])


def _rows(log: EvalLog) -> list[EvalScore]:
    """Return the scores of cases; a rate has none under a reducer that counts passes."""
    scores = log.results.scores if log.results else []
    return [
        score
        for score in scores
        if score.scorer in _DETERMINISTIC
        and "scored" in score.metrics  # not the rows over single runs
        and not (score.scorer in _RATES and counts_passes(score.reducer))
    ]


def _score_table(log: EvalLog, counts: RunCounts, runs: Sequence[EvalSampleSummary]) -> str:
    """Return the table of the deterministic scorers; its counts are cases, its rows reducers'."""
    scores = _rows(log)
    cases = len({run.id for run in runs} | set(log.eval.dataset.sample_ids or []))
    is_reduced_twice = len({score.reducer for score in scores}) > 1
    head = ["score", "mean", "95 % interval", "scored"]
    if counts.scored < counts.planned:
        head.append("failed as 0")
    rows = []
    for score in scores:
        values = {name: float(metric.value) for name, metric in score.metrics.items()}
        interval = _interval(values["mean"], values["stderr"]) if "stderr" in values else ""
        name = f"{score.name} ({score.reducer})" if is_reduced_twice else score.name
        scored = score.scored_samples or 0
        row = [name, f"{100 * values['mean']:.1f} %", interval, f"{scored}/{cases}"]
        if len(head) > len(row):
            is_mean = score.reducer in (None, "mean")
            whole = mean_with_failures_as_zero(score.name, counts, runs) if is_mean else None
            row.append("" if whole is None else f"{100 * whole:.1f} %")
        rows.append(row)
    return text_table(head, rows)


def _group_sizes(runs: Sequence[EvalSampleSummary]) -> Counter[str]:
    """Return how many cases of each group have scores."""
    cases = {run.id: run for run in runs if run.scores}
    return Counter(f"{key}={run.metadata.get(key)}" for run in cases.values() for key in GROUPS)


def _interval(mean: float, error: float) -> str:
    low, high = max(0.0, mean - _CONFIDENCE * error), min(1.0, mean + _CONFIDENCE * error)
    return f"{100 * low:.1f}–{100 * high:.1f} %"
