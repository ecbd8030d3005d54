"""What became of a run's samples and what they cost: tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from inspect_ai.log import EvalLog, EvalSampleSummary
from inspect_ai.scorer import value_to_float

from skillbench_tasks.models import Payer
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.spend import JUDGE_MARK

__all__ = ["RunCounts", "counts_line", "mean_with_failures_as_zero", "run_counts", "spend_tables"]

_SPEND: Final = "spend"
_COLUMNS: Final = ("calls", "tokens", "input_tokens", "output_tokens", "cache_read_tokens")


@dataclass(frozen=True)
class RunCounts:
    """How many runs (samples times epochs) there are of each fate.

    Args:
        planned: All that the task asks for.
        attempted: Those that the log holds.
        scored: Those that ended without a fault of ours or a provider's, and were graded.
        failed: Those that such a fault ended; they have no grade.
        limited: Those of the scored that a limit ended.
    """

    planned: int
    attempted: int
    scored: int
    failed: int
    limited: int


def run_counts(log: EvalLog, runs: Sequence[EvalSampleSummary]) -> RunCounts:
    """Count the runs of a log by their fate.

    Args:
        log: The log; only its head is read.
        runs: The summaries of its samples.
    """
    graded = [run for run in runs if run.error is None and run.scores]
    return RunCounts(
        planned=log.results.total_samples if log.results else _planned(log),
        attempted=len(runs),
        scored=len(graded),
        failed=sum(run.error is not None for run in runs),
        limited=sum(run.limit is not None for run in graded),
    )


def _planned(log: EvalLog) -> int:
    return len(log.eval.dataset.sample_ids or []) * (log.eval.config.epochs or 1)


def counts_line(counts: RunCounts) -> str:
    """Return the counts as one line; fates that no run had are left out."""
    parts = [
        f"{counts.planned} planned",
        f"{counts.attempted} attempted",
        f"{counts.scored} scored",
    ]
    if counts.failed:
        parts.append(f"{counts.failed} failed by a fault that is not the agent's")
    if counts.limited:
        parts.append(f"{counts.limited} ended by a limit")
    return f"runs: {', '.join(parts)}"


def mean_with_failures_as_zero(
    scorer: str, counts: RunCounts, runs: Sequence[EvalSampleSummary]
) -> float:
    """Return a scorer's mean over all planned runs, those without a grade counted as 0.

    Args:
        scorer: The scorer.
        counts: The counts of the runs.
        runs: The summaries of the log's samples. A run whose case has nothing to grade does not
            count.
    """
    to_float = value_to_float()
    scores = [(run.scores or {}).get(scorer) for run in runs]
    values = [to_float(score.value) for score in scores if score is not None]
    without = sum(math.isnan(value) for value in values)
    planned = counts.planned - without
    return sum(v for v in values if not math.isnan(v)) / planned if planned else math.nan


def spend_tables(log: EvalLog) -> list[str]:
    """Return what each role cost and how long an agent turn takes; none where no model ran."""
    rows = [score for score in (log.results.scores if log.results else []) if score.name == _SPEND]
    figures = {name: float(m.value) for row in rows for name, m in row.metrics.items()}
    roles = [(str(payer), str(payer), "") for payer in Payer]
    judges = sorted(n.partition(JUDGE_MARK)[2] for n in figures if n.startswith("judge_tokens:"))
    roles += [(f"  {judge}", str(Payer.JUDGE), f"{JUDGE_MARK}{judge}") for judge in judges]
    table = [_role_row(*role, figures) for role in roles if f"{role[1]}_calls{role[2]}" in figures]
    if not table:
        return []
    head = ("spend", "calls", "tokens", "in", "out", "cached", "seconds", "cost")
    turns = int(figures.get("agent_turns", 0))
    if not turns:
        return [text_table(head, table)]
    median, late = (figures[f"agent_turn_seconds_{name}"] for name in ("median", "p95"))
    latency = f"agent turn: median {median:.2f} s, 95th percentile {late:.2f} s (n = {turns})"
    return [text_table(head, table), latency]


def _role_row(shown: str, role: str, judge: str, figures: Mapping[str, float]) -> tuple[str, ...]:
    counts = [f"{figures.get(f'{role}_{name}{judge}', 0.0):,.0f}" for name in _COLUMNS]
    cost = figures.get(f"{role}_cost{judge}", math.nan)
    seconds = f"{figures[f'{role}_seconds{judge}']:,.1f}"
    return (shown, *counts, seconds, "unknown" if math.isnan(cost) else f"${cost:,.4f}")
