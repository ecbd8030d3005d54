"""Percentile bootstrap of a mean whose values come in clusters, as decisions in conversations.

Whole clusters are drawn with replacement, so that values which agree within their cluster do not
count as independent ones. The statistic is a ratio of two sums over clusters: a mean is the sum of
values over their count. Seed and order are fixed: the same data give the same bytes.

Source: Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), §13.3 (percentile interval);
Davison & Hinkley, "Bootstrap Methods and their Application" (1997), §3.8 (resampling clusters).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from skillbench_tasks.scorers.statistic import CONFIDENCE, Interval, Undefined

__all__ = ["RESAMPLES", "mean_interval", "ratio_interval"]

RESAMPLES: Final = 2000
"""How often the clusters are drawn anew."""

_SEED: Final = 0
_DRAWS_AT_ONCE: Final = 1_000_000
"""Bound on memory: about 30 MB, however many clusters there are."""
_ROUNDING: Final = 1e-12

_Floats: TypeAlias = NDArray[np.float64]


def mean_interval(values: Mapping[str, float], clusters: Mapping[str, str]) -> Interval | Undefined:
    """Return the interval of the mean of values, clustered.

    Args:
        values: Id → value.
        clusters: Id → its cluster; it may hold more ids.

    Returns:
        The interval, or why there is none: fewer than two clusters, or clusters that are all alike,
        whose resamples have no width and would look like certainty.
    """
    grouped: dict[str, list[float]] = {}
    for one, value in values.items():
        grouped.setdefault(clusters[one], []).append(value)
    names = sorted(grouped)
    return ratio_interval(
        [math.fsum(grouped[name]) for name in names], [float(len(grouped[name])) for name in names]
    )


def ratio_interval(parts: Sequence[float], wholes: Sequence[float]) -> Interval | Undefined:
    """Return the interval of `sum(parts) / sum(wholes)`.

    Args:
        parts: One for each cluster.
        wholes: As many, in the same order, none below 0. A cluster with 0 says nothing and is left
            out.

    Raises:
        ValueError: The lengths differ, or a whole is below 0.
    """
    tops, bottoms = np.asarray(parts, dtype=float), np.asarray(wholes, dtype=float)
    if tops.shape != bottoms.shape or (bottoms < 0).any():
        raise ValueError("parts and wholes are as many, and no whole is below 0")
    tops, bottoms = tops[bottoms > 0], bottoms[bottoms > 0]
    if tops.size < 2:
        return Undefined(reason="fewer than two clusters")
    if _is_alike(tops, bottoms):
        return Undefined(reason="no sampling variation")
    tail = (1 - CONFIDENCE) / 2
    lower, upper = np.quantile(_resampled(tops, bottoms), [tail, 1 - tail])
    if lower == upper:
        return Undefined(reason="no sampling variation")
    return Interval(lower=float(lower), upper=float(upper), method="cluster bootstrap")


def _is_alike(tops: _Floats, bottoms: _Floats) -> bool:
    """Whether all clusters have the same ratio, but for rounding: then no resample can differ."""
    ratios = tops / bottoms
    return bool(np.ptp(ratios) <= _ROUNDING * max(1.0, float(np.abs(ratios).max())))


def _resampled(tops: _Floats, bottoms: _Floats) -> _Floats:
    return np.concatenate(
        [tops[drawn].sum(axis=1) / bottoms[drawn].sum(axis=1) for drawn in _draws(tops.size)]
    )


def _draws(clusters: int) -> Iterator[NDArray[np.int64]]:
    """Yield indexes of clusters, resamples × clusters, in blocks that fit the memory bound."""
    generator = np.random.Generator(np.random.PCG64(_SEED))
    at_once = max(1, _DRAWS_AT_ONCE // clusters)
    for start in range(0, RESAMPLES, at_once):
        rows = min(at_once, RESAMPLES - start)
        yield generator.integers(clusters, size=(rows, clusters))
