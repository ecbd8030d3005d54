"""Cells of the tables of `skillbench gap`: shares in percent, differences in points."""

from __future__ import annotations

from collections.abc import Collection
from statistics import fmean
from typing import Final

from skillbench_tasks.scorers.orchestration_totals import Gap
from skillbench_tasks.scorers.statistic import Statistic, Undefined

__all__ = ["NONE", "mean_percent", "percent", "points", "span"]

NONE: Final = "–"
"""Stands where a figure is not defined."""


def percent(value: Statistic) -> str:
    """Return a share in percent."""
    return NONE if isinstance(value, Undefined) else f"{100 * value:.1f} %"


def mean_percent(values: Collection[float]) -> str:
    """Return the mean of shares in percent."""
    return percent(fmean(values)) if values else NONE


def points(value: Statistic) -> str:
    """Return a difference that is in points, with its sign."""
    return NONE if isinstance(value, Undefined) else f"{value:+.2f}"


def span(found: Gap) -> str:
    """Return the interval of a gap."""
    if isinstance(found.interval, Undefined):
        return NONE
    return f"{found.interval.lower:+.1f} … {found.interval.upper:+.1f}"
