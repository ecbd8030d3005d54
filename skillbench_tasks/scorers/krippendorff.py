"""Krippendorff's α over any number of judges, with missing votes.

Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). α is 1 − D_o / D_e: the
mean squared distance between two labels of one unit, over that between any two labels. Each level
of measurement is a way to lay the labels out in space, after which one formula serves all: nominal
labels are the corners of a simplex, ordinal ones lie at their mid-ranks, interval ones at their
values.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Final, Literal, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from skillbench_tasks.models.base import Model
from skillbench_tasks.scorers.statistic import (
    CONFIDENCE,
    Interval,
    Statistic,
    Undefined,
)

__all__ = ["Alpha", "Level", "krippendorff_alpha", "label_codes", "require_equal_lengths"]

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
"""What differences between labels mean."""

_Floats: TypeAlias = NDArray[np.float64]
_Codes: TypeAlias = NDArray[np.intp]

_RESAMPLES: Final = 1000
_SEED: Final = 0
_ABSENT: Final = -1


class Alpha(Model):
    """Krippendorff's α.

    Args:
        value: α, at most 1; 0 is agreement by chance.
        interval: Percentile bootstrap over units (1000 resamples, fixed seed; ordinal positions
            stay those of the sample). Undefined where resamples do not vary, as in perfect
            agreement.
        level: The level of measurement.
        units: Units with at least two labels: only these say something about agreement.
        labels: The labels of these units.
        planned: All units.
    """

    value: Statistic
    interval: Interval | Undefined
    level: Level
    units: int
    labels: int
    planned: int


def krippendorff_alpha(matrix: Sequence[Sequence[Hashable]], level: Level = "nominal") -> Alpha:
    """Return α over judges.

    Args:
        matrix: One row for each judge, one column for each unit. None is a missing label, and so is
            NaN, as which stored logs write it.
        level: `nominal` for verdicts, `ordinal` for steps of a scale, `interval` for numbers.

    Raises:
        ValueError: The rows have different lengths, or a label of an ordered level is no finite
            number.
    """
    planned = require_equal_lengths(matrix)
    ordered = level != "nominal"
    codes, labels = label_codes(matrix, ordered)
    codes = codes[:, (codes != _ABSENT).sum(axis=0) >= 2]
    present = codes[codes != _ABSENT]
    counts = np.bincount(present, minlength=len(labels))
    value, interval = _estimate(codes, _positions(labels, counts, level), counts)
    return Alpha(
        value=value,
        interval=interval,
        level=level,
        units=codes.shape[1],
        labels=present.size,
        planned=planned,
    )


def label_codes(
    matrix: Sequence[Sequence[Hashable]], ordered: bool = False
) -> tuple[_Codes, list[Hashable]]:
    """Return labels as indexes (judges × units, -1 for a missing one) and what these stand for.

    The order of judges and units does not move the indexes: labels are sorted, by value where
    ordered.

    Raises:
        ValueError: A label of an ordered level is no finite number.
    """
    # True == 1 in Python, but a verdict is no number.
    keyed = [
        [None if _is_missing(x) else (isinstance(x, bool | np.bool_), x) for x in row]
        for row in matrix
    ]
    found = {key for row in keyed for key in row if key is not None}
    keys = sorted(found, key=(lambda key: _number(key[1])) if ordered else repr)
    index = {key: place for place, key in enumerate(keys)}
    codes = [[_ABSENT if key is None else index[key] for key in row] for row in keyed]
    shape = (len(matrix), len(matrix[0]) if matrix else 0)
    return np.array(codes, dtype=np.intp).reshape(shape), [label for _, label in keys]


def require_equal_lengths(rows: Sequence[Sequence[object]]) -> int:
    """Return how many units the judges' rows have, 0 without rows.

    Raises:
        ValueError: They differ, so the votes do not stand for the same units.
    """
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise ValueError(f"judges' rows have different lengths: {lengths}; None stands for no vote")
    return lengths[0] if lengths else 0


def _is_missing(label: Hashable) -> bool:
    """None, or NaN: the one value that differs from itself."""
    return label is None or label != label


def _number(label: Hashable) -> float:
    if not isinstance(label, int | float | np.integer | np.floating) or not math.isfinite(label):
        raise ValueError(f"{label!r} is no finite number; use level='nominal' for other labels")
    return float(label)


def _positions(labels: Sequence[Hashable], counts: NDArray[np.intp], level: Level) -> _Floats:
    """Where each label lies: labels × dimensions."""
    match level:
        case "nominal":
            return np.eye(len(labels))
        case "ordinal":
            return (np.cumsum(counts) - counts / 2)[:, np.newaxis]
        case "interval":
            values = [_number(label) for label in labels]
            # Only differences count; from 0 on, large values lose no digits when they are squared.
            return np.array([[value - values[0]] for value in values])
        case _:
            assert_never(level)


def _estimate(
    codes: _Codes, positions: _Floats, counts: NDArray[np.intp]
) -> tuple[Statistic, Interval | Undefined]:
    if not codes.size:
        few = codes.shape[0] < 2
        nothing = Undefined(reason="fewer than two judges" if few else "no common verdicts")
        return nothing, nothing
    if np.count_nonzero(counts) < 2:
        return (one := Undefined(reason="one class only")), one
    # Equal units are counted, not listed: quick to resample, and their order cannot matter.
    patterns, times = np.unique(_unit_sums(codes, positions), axis=0, return_counts=True)
    value, _ = _alphas(times[np.newaxis, :], patterns)
    return float(value[0]), _bootstrap(times, patterns)


def _unit_sums(codes: _Codes, positions: _Floats) -> _Floats:
    """Return units × (disagreement, count of labels, sum of squares, sums in each dimension)."""
    present = codes != _ABSENT
    points = np.where(present[:, :, np.newaxis], positions[codes], 0.0)
    labels = present.sum(axis=0)
    apart = np.zeros(codes.shape[1])
    for one, other in combinations(range(codes.shape[0]), 2):
        distance = ((points[one] - points[other]) ** 2).sum(axis=1)
        apart += np.where(present[one] & present[other], distance, 0.0)
    squares = (points**2).sum(axis=(0, 2))
    return np.column_stack([2 * apart / (labels - 1), labels, squares, points.sum(axis=0)])


def _alphas(times: NDArray[np.int_], patterns: _Floats) -> tuple[_Floats, NDArray[np.bool_]]:
    """α for each row of `times` (samples × patterns), and whether the sample defines it."""
    apart, n, squares, *sums = (times @ patterns).T
    spread = 2 * (n * squares - np.sum(np.square(sums), axis=0))
    # Where all labels are alike the spread is 0, for interval values but for rounding.
    defined = spread > 1e-12 * n * squares
    return 1 - np.divide((n - 1) * apart, spread, where=defined, out=np.ones_like(n)), defined


def _bootstrap(times: NDArray[np.int_], patterns: _Floats) -> Interval | Undefined:
    """Percentile interval from units drawn with replacement.

    An interval over the resamples that happen to define α would not have its coverage, so more
    undefined ones than one tail holds make it undefined.
    """
    units = int(times.sum())
    # The stream of RandomState is frozen over NumPy's versions (NEP 19); that of Generator is not.
    drawn = np.random.RandomState(_SEED).multinomial(units, times / units, size=_RESAMPLES)
    alphas, defined = _alphas(drawn, patterns)
    tail = (1 - CONFIDENCE) / 2
    if np.mean(~defined) > tail:
        return Undefined(reason="one class only in resamples")
    lower, upper = np.quantile(alphas[defined], [tail, 1 - tail])
    if lower == upper:
        return Undefined(reason="no sampling variation")
    return Interval(lower=float(lower), upper=float(upper), method="bootstrap")
