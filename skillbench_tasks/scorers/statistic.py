"""A statistic that the data may not define, its interval, and a mean that keeps its n."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist
from typing import Final, Literal, TypeAlias

from pydantic import FiniteFloat

from skillbench_tasks.models.base import Model

__all__ = [
    "CONFIDENCE",
    "Interval",
    "Mean",
    "Reason",
    "Statistic",
    "Undefined",
    "Z",
    "mean_of",
    "ratio",
    "wilson_interval",
]

CONFIDENCE: Final = 0.95
"""Coverage of every interval."""

Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Normal quantile of a two-sided interval of that coverage."""

Reason: TypeAlias = Literal[
    "no common verdicts",
    "no scored votes",
    "no pass verdicts",
    "no fail verdicts",
    "one class only",
    "no sampling variation",
    "one class only in resamples",
    "fewer than two judges",
    "fewer than two models",
    "one judge ties all models",
    "undefined for every pair",
    "no common scores",
    "no scores",
    "no gain",
    "round 0 differs",
    "fewer than two clusters",
]
"""Why a statistic has no value."""


class Undefined(Model):
    """Stands where the data define no value; never NaN, 0, 1 or a crash in its place."""

    reason: Reason

    def __str__(self) -> str:
        return f"undefined ({self.reason})"


Statistic: TypeAlias = FiniteFloat | Undefined
"""A finite value, or why there is none."""


class Interval(Model):
    """A 95 % confidence interval, in the units of its statistic."""

    lower: FiniteFloat
    upper: FiniteFloat
    method: Literal["wilson", "asymptotic", "bootstrap", "cluster bootstrap"]


class Mean(Model):
    """A mean over those of `of` values that are defined; `defined` says how many these are."""

    value: Statistic
    defined: int
    of: int


def mean_of(values: Iterable[Statistic], when_empty: Reason) -> Mean:
    """Return the mean of the defined values; the order of the values cannot move it.

    Args:
        values: The values, undefined ones among them.
        when_empty: The reason where there is no value at all.
    """
    listed = list(values)
    defined = [value for value in listed if not isinstance(value, Undefined)]
    value: Statistic
    if defined:
        value = math.fsum(defined) / len(defined)
    else:
        value = Undefined(reason="undefined for every pair" if listed else when_empty)
    return Mean(value=value, defined=len(defined), of=len(listed))


def ratio(part: int, whole: int, when_empty: Reason) -> Statistic:
    """Return `part / whole`, undefined for that reason where the whole is 0."""
    return part / whole if whole else Undefined(reason=when_empty)


def wilson_interval(
    successes: int, n: int, when_empty: Reason = "no common verdicts"
) -> Interval | Undefined:
    """Return the score interval of a proportion (Wilson 1927), honest at 0, at n and at small n."""
    if not n:
        return Undefined(reason=when_empty)
    centre = (successes + Z**2 / 2) / (n + Z**2)
    half = Z / (n + Z**2) * math.sqrt(successes * (n - successes) / n + Z**2 / 4)
    # At the ends the formula gives 0 and 1 but for the last bit.
    return Interval(
        lower=max(0.0, centre - half) if successes else 0.0,
        upper=min(1.0, centre + half) if successes < n else 1.0,
        method="wilson",
    )
