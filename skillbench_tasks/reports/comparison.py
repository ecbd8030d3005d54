"""Two models on the same cases: paired means, one row for each measurement, none blended.

Pure: scored samples in, rows out. `comparison_logs` reads the samples, `comparison_report` decides
what may be compared, `comparison_table` prints.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from skillbench_tasks.models.base import Model
from skillbench_tasks.scorers.bootstrap import mean_interval
from skillbench_tasks.scorers.statistic import Interval, Reason, Statistic, Undefined

__all__ = [
    "MEASUREMENTS",
    "Case",
    "ComparedRow",
    "Estimate",
    "Measurement",
    "PairedMeans",
    "SideCounts",
    "SideScores",
    "compared_row",
    "mean_estimate",
    "paired_means",
]


@dataclass(frozen=True)
class Measurement:
    """One row of the comparison.

    Args:
        task: The task whose logs hold it.
        protocol: Its number in the protocol; `A` is the zero-shot loop.
        label: How it is shown.
        scorer: The scorer.
        key: The key in the scorer's value; none where that is one value.
        where: What the groups of a case must be for the row to apply to it.
    """

    task: str
    protocol: str
    label: str
    scorer: str
    key: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the value in a sample's scores."""
        return self.scorer if self.key is None else f"{self.scorer}/{self.key}"


def _by_needs(protocol: str, label: str, scorer: str, key: str) -> tuple[Measurement, ...]:
    groups = {"tools": "workflows with tools", "no_tools": "workflows without"}
    return tuple(
        Measurement("closed_loop", protocol, f"{label}, {told}", scorer, key, {"needs": needs})
        for needs, told in groups.items()
    )


_TEXT: Final = {"action": "text"}
_TOOL: Final = {"action": "tool"}
_REPLAYED: Final = {"replayed": "yes"}

MEASUREMENTS: Final[tuple[Measurement, ...]] = (
    Measurement("gold_history", "i", "ROUGE-1, texts", "rouge_1", None, _TEXT),
    *(
        Measurement("gold_history", "ii", f"judged success, {told}", "turn_judge", key, where)
        for told, key, where in (
            ("texts", "text_turn_success", _TEXT),
            ("calls", "tool_turn_success", _TOOL),
            ("all decisions", "turn_success", {}),
        )
    ),
    *(
        Measurement("gold_history", "iii", label, "strict_tool", key, _TOOL)
        for label, key in (
            ("exact call", "exact"),
            ("function name", "function_name"),
            ("argument F1", "argument_f1"),
            ("exact call, any wording", "exact_any_wording"),
            ("argument F1, any wording", "argument_f1_any_wording"),
            ("equivalent call", "equivalent"),
        )
    ),
    *_by_needs("iv", "completion", "workflow", "completion"),
    *_by_needs("iv", "completion, first try", "workflow", "completion_first_try"),
    *_by_needs("iv", "completion, any wording", "workflow", "completion_any_wording"),
    *_by_needs("v", "holistic label", "holistic_judge", "holistic_label"),
    *_by_needs("v", "no tool error", "holistic_judge", "no_tool_error"),
    *_by_needs("v", "holistic success", "holistic_judge", "holistic_success"),
    *_by_needs("v", "holistic, first try", "holistic_judge", "holistic_success_first_try"),
    Measurement("zero_shot", "A", "verified, the replayed scenarios", "verified", None, _REPLAYED),
    *(
        Measurement(
            "zero_shot", "A", f"verified, of these {told}", "verified", None, {**_REPLAYED, **needs}
        )
        for told, needs in (
            ("with tools", {"needs": "tools"}),
            ("without tools", {"needs": "no_tools"}),
        )
    ),
    Measurement("zero_shot", "A", "verified, all scenarios", "verified"),
)
"""All rows, in the order in which they are shown."""


@dataclass(frozen=True)
class Case:
    """What a sample asks, whoever answers: two sides are paired where all of it is equal.

    Args:
        id: The sample's id.
        conversation: Its conversation; a case without one is its own.
        groups: Metadata by which rows are chosen and divided.
        content: What else tells it from another case with the same id.
    """

    id: str
    conversation: str
    groups: Mapping[str, str]
    content: str = ""


@dataclass(frozen=True)
class SideScores:
    """One side of a comparison.

    Args:
        planned: Ids of the samples that the run asks for.
        values: Measurement's name → sample id → its value over epochs; unscored ones are absent.
    """

    planned: frozenset[str]
    values: Mapping[str, Mapping[str, float]]


class Estimate(Model):
    """A mean with its 95 % interval, clustered by conversation."""

    value: Statistic
    interval: Interval | Undefined


class PairedMeans(Model):
    """Means of two sides over the samples that both have scored, and their difference.

    Args:
        pairs: These samples.
        conversations: How many conversations they come from.
        mean_a, mean_b: The means over them.
        difference: Mean of B - A.
    """

    pairs: int
    conversations: int
    mean_a: Estimate
    mean_b: Estimate
    difference: Estimate


class SideCounts(Model):
    """Samples of one side to which a row applies; unscored ones may never have been run."""

    planned: int
    scored: int
    unscored: int


class ComparedRow(Model):
    """A measurement on both sides; `group` names the part of the cases, empty for all.

    `only_a` and `only_b` count the samples that one side alone has scored.
    """

    protocol: str
    label: str
    scorer: str
    key: str | None
    group: str = ""
    a: SideCounts
    b: SideCounts
    only_a: int
    only_b: int
    means: PairedMeans


def mean_estimate(
    values: Mapping[str, float], clusters: Mapping[str, str], when_empty: Reason = "no scores"
) -> Estimate:
    """Return a mean and its interval; the order of the values cannot move them.

    Args:
        values: Id → value.
        clusters: Id → its cluster.
        when_empty: The reason where there is no value.
    """
    if not values:
        nothing = Undefined(reason=when_empty)
        return Estimate(value=nothing, interval=nothing)
    mean = math.fsum(values.values()) / len(values)
    return Estimate(value=mean, interval=mean_interval(values, clusters))


def paired_means(
    a: Mapping[str, float], b: Mapping[str, float], clusters: Mapping[str, str]
) -> PairedMeans:
    """Compare two sides over the ids that both hold.

    Args:
        a: Id → value on side A.
        b: The same of side B.
        clusters: Id → its conversation.
    """
    common = sorted(a.keys() & b.keys())
    sides = [{one: side[one] for one in common} for side in (a, b)]
    apart = {one: b[one] - a[one] for one in common}
    mean_a, mean_b, difference = (
        mean_estimate(values, clusters, "no common scores") for values in (*sides, apart)
    )
    return PairedMeans(
        pairs=len(common),
        conversations=len({clusters[one] for one in common}),
        mean_a=mean_a,
        mean_b=mean_b,
        difference=difference,
    )


def compared_row(
    measurement: Measurement,
    cases: Iterable[Case],
    a: SideScores,
    b: SideScores,
    group: tuple[str, str] | None = None,
) -> ComparedRow | None:
    """Return a row, or none where it applies to no case.

    Args:
        measurement: Which row.
        cases: The cases of both sides; an id stands once.
        a: Side A.
        b: Side B.
        group: Only the cases whose metadata under that key have that value.
    """
    where = dict(measurement.where) | ({group[0]: group[1]} if group else {})
    fitting = {c.id: c for c in cases if all(c.groups.get(k, "") == v for k, v in where.items())}
    if not fitting:
        return None
    values_a, values_b = (
        {i: v for i, v in side.values.get(measurement.name, {}).items() if i in fitting}
        for side in (a, b)
    )
    return ComparedRow(
        protocol=measurement.protocol,
        label=measurement.label,
        scorer=measurement.scorer,
        key=measurement.key,
        group="" if group is None else f"{group[0]}={group[1] or 'not recorded'}",
        a=_counts(a, values_a, fitting),
        b=_counts(b, values_b, fitting),
        only_a=len(values_a.keys() - values_b.keys()),
        only_b=len(values_b.keys() - values_a.keys()),
        means=paired_means(values_a, values_b, {i: c.conversation for i, c in fitting.items()}),
    )


def _counts(
    side: SideScores, values: Mapping[str, float], fitting: Mapping[str, Case]
) -> SideCounts:
    planned = len(side.planned & fitting.keys())
    return SideCounts(planned=planned, scored=len(values), unscored=planned - len(values))
