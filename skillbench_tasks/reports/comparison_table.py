"""A comparison as tables for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from skillbench_tasks.reports.comparison import ComparedRow, PairedMeans, SideCounts
from skillbench_tasks.reports.comparison_report import (
    ComparedBlock,
    ComparisonReport,
    SideHead,
    SpreadPair,
)
from skillbench_tasks.reports.error_spread import ErrorSpread, FailedShare
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.statistic import Statistic, Undefined

__all__ = ["comparison_page"]

_HEAD: Final = (*("measurement", "A", "B", "B − A", "95 % interval", "n", "A scored", "B scored"),)
_NOTHING: Final = frozenset({"none", "0 of 0"})
_NEEDS: Final = {"tools": "workflows with tools", "no_tools": "workflows without tools"}
_FEW: Final = 20
"""Conversations below which the interval is too narrow to be trusted."""
_LEGEND: Final = (
    "n: pairs (samples that both sides have scored, epochs averaged first) in so many "
    "conversations; all figures of\na row are over them. Differences are percentage points, "
    "intervals percentile bootstraps over conversations;\n"
    f"* over fewer than {_FEW} conversations they are too narrow (docs/comparing.md)."
)


def comparison_page(report: ComparisonReport) -> str:
    """Return what A and B are, notes, and a table for each task and setting."""
    heads = "\n".join(line for side in (report.a, report.b) for line in _head(side))
    parts = [heads, *(["\n".join(f"NOTE {note}" for note in report.notes)] if report.notes else [])]
    parts += [part for block in report.blocks for part in _block(block)]
    return "\n\n".join([*parts, _LEGEND])


def _head(side: SideHead) -> Iterator[str]:
    yield f"{side.name}: {side.model}"
    for file in side.files:
        times = f" × {file.epochs} epochs" if file.epochs > 1 else ""
        count = f"{file.planned} samples{times}"
        if file.attempted < file.planned:
            count = f"{file.attempted} of {count}"
        yield f"   {file.file}: {file.task}, {count}"


def _block(block: ComparedBlock) -> Iterator[str]:
    yield f"== {block.label} ==\n{_samples(block)}"
    if block.rows:
        yield text_table(_HEAD, [_row(row) for row in block.rows])
    told = [
        *(f"NOT MEASURED {m.scorer}: {' and '.join(m.lacks)} has none" for m in block.missing),
        *(f"NOT COMPARED {r.scorer}: {r.reason}" for r in block.refused),
    ]
    if told:
        yield "\n".join(told).replace("A and B has", "A and B have")
    if block.errors:
        rows = [row for pair in block.errors for row in _spread(pair)]
        yield text_table(("errors in replays", "A", "B"), rows)


def _samples(block: ComparedBlock) -> str:
    parts = [f"{block.samples} samples on both sides"]
    parts += [f"{block.only_a} only in A"] if block.only_a else []
    parts += [f"{block.only_b} only in B"] if block.only_b else []
    if block.changed:
        parts.append(
            f"{len(block.changed)} LEFT OUT: A and B ask something else under one id "
            f"({block.changed[0]} …)"
        )
    return ", ".join(parts)


def _row(row: ComparedRow) -> tuple[str, ...]:
    means = row.means
    label = f"  {row.group}" if row.group else f"{row.protocol:<3} {row.label}"
    return (
        label,
        _share(means.mean_a.value),
        _share(means.mean_b.value),
        _points(means.difference.value),
        _interval(means),
        f"{means.pairs} in {means.conversations}",
        _scored(row.a),
        _scored(row.b),
    )


def _scored(counts: SideCounts) -> str:
    return f"{counts.scored}/{counts.planned}"


def _share(value: Statistic) -> str:
    return "" if isinstance(value, Undefined) else f"{100 * value:.1f} %"


def _points(value: Statistic) -> str:
    if isinstance(value, Undefined):
        return ""
    told = f"{100 * value:+.1f}"
    return "0.0" if told in ("+0.0", "-0.0") else told.replace("-", "−")


def _interval(means: PairedMeans) -> str:
    interval = means.difference.interval
    if isinstance(interval, Undefined):
        return str(interval)
    mark = "*" if means.conversations < _FEW else ""
    return f"{_points(interval.lower)} … {_points(interval.upper)}{mark}"


def _spread(pair: SpreadPair) -> Iterator[tuple[str, str, str]]:
    """Yield the figures of both sides, each with what it is out of."""
    yield _NEEDS.get(pair.needs, "workflows"), "", ""
    for label, told in _FIGURES:
        figures = told(pair.a), told(pair.b)
        if not _NOTHING.issuperset(figures):
            yield f"  {label}", *figures


def _failed(share: FailedShare) -> str:
    value = _share(share.share.value) or "undefined"
    return f"{value} of {share.decisions}" if share.decisions else "none"


def _median(spread: ErrorSpread) -> str:
    value = spread.first_error_median
    return "none" if isinstance(value, Undefined) else f"{value:g}"


_FIGURES: Final[tuple[tuple[str, Callable[[ErrorSpread], str]], ...]] = (
    ("replays with an error", lambda s: f"{s.with_error} of {s.replays}"),
    ("first error at decision (median)", _median),
    ("first error put right", lambda s: f"{s.corrected} of {s.corrected + s.standing}"),
    ("later decisions that fail", lambda s: _failed(s.later)),
    ("  after one put right", lambda s: _failed(s.later_after_corrected)),
    ("  after one that stands", lambda s: _failed(s.later_after_standing)),
    ("later tool decisions that fail", lambda s: _failed(s.later_tool)),
    ("all tool decisions that fail", lambda s: _failed(s.tool)),
)
