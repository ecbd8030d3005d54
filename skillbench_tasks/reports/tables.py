"""Result tables of logs, for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from inspect_ai.log import EvalLog, read_eval_log_sample_summaries

from skillbench_tasks.scorers.shells import GROUPS

__all__ = ["Row", "log_table", "text_table"]

Row = Sequence[str]

_CONFIDENCE: Final = 1.96
"""Standard errors on each side of a 95 % interval."""


def text_table(head: Row, rows: Sequence[Row]) -> str:
    """Return rows under a head, columns aligned: text to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [
            cell.ljust(width) if index == 0 else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def log_table(log: EvalLog) -> str:
    """Return the scores of a log: mean, 95 % interval clustered by skill, counts; then groups.

    Every figure stands with its count of scored samples.
    """
    if log.results is None:
        return f"no results: the run ended as {log.status}"
    planned = log.results.total_samples
    sizes = _group_sizes(log)
    rows, groups = [], []
    for score in log.results.scores:
        values = {name: metric.value for name, metric in score.metrics.items()}
        mean, error = float(values["mean"]), float(values.get("stderr", 0.0))
        interval = _interval(mean, error) if "stderr" in values else ""
        scored = int(values.get("scored", planned))
        rows.append((score.name, f"{100 * mean:.1f} %", interval, f"{scored}/{planned}"))
        groups += [
            (name, f"{100 * float(value):.1f} %", str(sizes[name]))
            for name, value in values.items()
            if "=" in name
        ]
    parts = [text_table(("score", "mean", "95 % interval", "scored"), rows)]
    if groups:
        parts.append(text_table(("verified in group", "mean", "n"), groups))
    return "\n\n".join(parts)


def _group_sizes(log: EvalLog) -> Counter[str]:
    """Return how many samples of each group have scores."""
    summaries = read_eval_log_sample_summaries(log.location)
    return Counter(
        f"{key}={summary.metadata.get(key)}"
        for summary in summaries
        if summary.scores
        for key in GROUPS
    )


def _interval(mean: float, error: float) -> str:
    low, high = max(0.0, mean - _CONFIDENCE * error), min(1.0, mean + _CONFIDENCE * error)
    return f"{100 * low:.1f}–{100 * high:.1f} %"
