"""Aggregation over variants: totals, gaps, validity, and what a revision gained.

A sample may hold all variants of a SOP, or one: so every sample gives sums and counts, and means
are taken over variants. Intervals are clustered by SOP. Shares and scores are from 0 to 1; a
difference of two scores is in points (100 × the difference).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from skillbench_tasks.models import Model
from skillbench_tasks.scorers.bootstrap import mean_interval
from skillbench_tasks.scorers.statistic import Interval, Statistic, Undefined
from skillbench_tasks.scorers.trace import METRICS, Metric, VariantScore
from skillbench_tasks.tools.error_class import (
    FAILED_VALIDATION,
    INVALID_PLAN,
    ErrorClass,
    SourceClass,
    source_class,
)

__all__ = [
    "Attempt",
    "Gap",
    "Revision",
    "Totals",
    "VariantKey",
    "gap",
    "gap_above_floor",
    "mean_delta",
    "recovery",
    "revision",
    "shrunk_by",
]


class VariantKey(NamedTuple):
    """A variant of a SOP; where runs of several epochs are kept apart, in which one it ran."""

    sop: str
    variant: str
    epoch: int = 1


class Totals(Model):
    """Sums over variants; the totals of several samples add up.

    `errors` counts the variants with nothing to score by class; they are in `variants`, with 0 in
    every sum. `valid` counts those that had something to execute.
    """

    variants: int = 0
    sums: dict[Metric, float] = Field(default_factory=dict)
    errors: dict[ErrorClass, int] = Field(default_factory=dict)

    @classmethod
    def of(cls, scores: Iterable[VariantScore]) -> Totals:
        """Return the totals of scored executions, one for each variant."""
        listed = list(scores)
        values = [score.values() for score in listed]
        classes = [score.error for score in listed if score.error is not None]
        return cls(
            variants=len(listed),
            sums={metric: math.fsum(one[metric] for one in values) for metric in METRICS},
            errors={kind: classes.count(kind) for kind in ErrorClass if kind in classes},
        )

    @classmethod
    def added(cls, parts: Iterable[Totals]) -> Totals:
        """Return the totals of several samples together; their order means nothing."""
        listed = list(parts)
        errors = {kind: sum(p.errors.get(kind, 0) for p in listed) for kind in ErrorClass}
        return cls(
            variants=sum(part.variants for part in listed),
            sums={m: math.fsum(part.sums.get(m, 0.0) for part in listed) for m in METRICS},
            errors={kind: count for kind, count in errors.items() if count},
        )

    @property
    def infrastructure(self) -> int:
        """Variants lost to infrastructure."""
        return self.errors.get(ErrorClass.INFRASTRUCTURE, 0)

    def by_source_class(self) -> dict[SourceClass, int]:
        """Return the variants with nothing to score by the source's classes, all of them named."""
        found = dict.fromkeys(SourceClass, 0)
        for kind, count in self.errors.items():
            found[source_class(kind)] += count
        return found

    @property
    def valid(self) -> int:
        """Variants with something to score."""
        return self.variants - sum(self.errors.values())

    def mean(self, metric: Metric, *, with_infrastructure: bool = True) -> Statistic:
        """Return the mean over variants, as published: what was lost to infrastructure is 0.

        Args:
            metric: The metric.
            with_infrastructure: Whether variants lost to infrastructure are counted.
        """
        counted = self.variants - (0 if with_infrastructure else self.infrastructure)
        return _share(self.sums.get(metric, 0.0), counted)

    def error_rate(self, *, with_infrastructure: bool = True) -> Statistic:
        """Return the share of variants with nothing to score.

        Args:
            with_infrastructure: Whether variants lost to infrastructure are counted, above and
                below the line.
        """
        lost = 0 if with_infrastructure else self.infrastructure
        return _share(self.variants - self.valid - lost, self.variants - lost)

    def validity(self) -> Statistic:
        """Return the share of variants with something to score: 1 - error rate."""
        return _share(self.valid, self.variants)

    def mean_given_validity(self, metric: Metric) -> Statistic:
        """Return the mean over the valid variants: times `validity` it is the mean."""
        return _share(self.sums.get(metric, 0.0), self.valid)

    def invalid_plans(self) -> int:
        """Return how many variants had a plan that the validator refused."""
        return sum(count for kind, count in self.errors.items() if kind in INVALID_PLAN)


class Gap(Model):
    """A mean difference in points over the variants that both sides have."""

    points: Statistic
    interval: Interval | Undefined
    variants: int
    sops: int


def gap(higher: Mapping[VariantKey, float], lower: Mapping[VariantKey, float]) -> Gap:
    """Return by how much the first side is above the second, over the variants of both.

    Args:
        higher: Variant → score, such as step-by-step; epochs are one.
        lower: Variant → score, such as global.
    """
    common = sorted(higher.keys() & lower.keys())
    differences = {"\0".join(key[:2]): 100 * (higher[key] - lower[key]) for key in common}
    clusters = {"\0".join(key[:2]): key.sop for key in common}
    return Gap(
        points=_share(math.fsum(differences.values()), len(common)),
        interval=mean_interval(differences, clusters),
        variants=len(common),
        sops=len({key.sop for key in common}),
    )


def gap_above_floor(
    higher: Mapping[VariantKey, float],
    lower: Mapping[VariantKey, float],
    floor_of_higher: Mapping[VariantKey, float],
    floor_of_lower: Mapping[VariantKey, float],
) -> Gap:
    """Return the gap of what both sides do better than doing nothing.

    On each variant a side counts as `max(score - floor, 0)`: a run that does nothing and a plan
    that is invalid are the same, though the first scores above 0 where nothing was to be changed.

    Args:
        higher: Variant → score.
        lower: Variant → score.
        floor_of_higher: Variant → score of a run that stops at once.
        floor_of_lower: Variant → score of an empty plan.
    """
    return gap(_above(higher, floor_of_higher), _above(lower, floor_of_lower))


def mean_delta(deltas: Sequence[float]) -> Statistic:
    """Return the mean of the models' deltas, in points; every model counts the same."""
    return _share(math.fsum(deltas), len(deltas))


def shrunk_by(before: float, after: float) -> Statistic:
    """Return by what share a gap shrank (0.79: by 79 %; below 0: it grew)."""
    return _share(before - after, before)


class Attempt(Model):
    """What a variant scored in one round, and why there was nothing to execute, if so."""

    score: float
    error: ErrorClass | None = None

    @property
    def valid(self) -> bool:
        """Whether there was something to execute."""
        return self.error is None


class Revision(Model):
    """What a revision changed between two rounds, over the variants of both; gains in points.

    `gain` = `from_repair` + `on_valid`: the part of variants whose plan was invalid before and the
    part of the others. `share_of_repair` = `from_repair` / `gain`. `validation_only` is the gain of
    a revision from validation errors alone on the same variants, and `recovery` its share of
    `gain`. `repaired` and `broken` count variants, `repaired_workflows` workflows that became
    valid, by what was wrong with them before.
    """

    variants: int
    up: int
    down: int
    gain: Statistic
    from_repair: Statistic
    on_valid: Statistic
    share_of_repair: Statistic
    repaired: int
    broken: int
    repaired_workflows: dict[ErrorClass, int]
    validation_only: Statistic
    recovery: Statistic

    @property
    def failed_validation(self) -> Statistic:
        """Share of the repaired workflows that had parsed: schemas, types, references failed."""
        late = sum(self.repaired_workflows.get(kind, 0) for kind in FAILED_VALIDATION)
        return _share(late, sum(self.repaired_workflows.values()))


def revision(
    before: Mapping[VariantKey, Attempt],
    after: Mapping[VariantKey, Attempt],
    validation_only: Mapping[VariantKey, Attempt] | None = None,
) -> Revision:
    """Compare two rounds of a plan.

    Args:
        before: Variant → the earlier round.
        after: Variant → the later round.
        validation_only: Variant → a revision of the earlier round from validation errors alone;
            only what it has too is compared then.
    """
    common = sorted(before.keys() & after.keys() & (validation_only or before).keys())
    gained = {key: after[key].score - before[key].score for key in common}
    invalid = [key for key in common if not before[key].valid]
    repair = math.fsum(gained[key] for key in invalid)
    valid = math.fsum(gained[key] for key in common if before[key].valid)
    alone = validation_only or {}
    delta = math.fsum(alone[key].score - before[key].score for key in common if key in alone)
    mended = [key for key in invalid if after[key].valid]
    classes = {(key.sop, key.epoch): before[key].error for key in mended}
    counts = {kind: list(classes.values()).count(kind) for kind in ErrorClass}
    none = Undefined(reason="no scores")
    return Revision(
        variants=len(common),
        up=sum(change > 0 for change in gained.values()),
        down=sum(change < 0 for change in gained.values()),
        gain=_share(100 * math.fsum(gained.values()), len(common)),
        from_repair=_share(100 * repair, len(common)),
        on_valid=_share(100 * valid, len(common)),
        share_of_repair=_share_of_gain(repair, repair + valid),
        repaired=len(mended),
        broken=sum(before[key].valid and not after[key].valid for key in common),
        repaired_workflows={kind: count for kind, count in counts.items() if count},
        validation_only=none if validation_only is None else _share(100 * delta, len(common)),
        recovery=none if validation_only is None else recovery(delta, repair, valid),
    )


def recovery(validation_only: float, repair: float, valid: float) -> Statistic:
    """Return which share of a replan's gain a revision from validation errors alone recovers.

    Args:
        validation_only: What it gains.
        repair: What the replan gains on variants whose plan was invalid in round 0.
        valid: What it gains on the others. All three in one unit, from the same round 0.
    """
    return _share_of_gain(validation_only, repair + valid)


def _share_of_gain(part: float, gain: float) -> Statistic:
    return part / gain if gain > 0 else Undefined(reason="no gain")


def _above(
    scores: Mapping[VariantKey, float], floor: Mapping[VariantKey, float]
) -> Mapping[VariantKey, float]:
    return {key: max(scores[key] - floor[key], 0.0) for key in scores.keys() & floor.keys()}


def _share(part: float, whole: float) -> Statistic:
    return part / whole if whole else Undefined(reason="no scores")
