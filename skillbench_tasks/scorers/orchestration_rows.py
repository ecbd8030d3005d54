"""Rows of the scorer `orchestration`: means over all variants of all samples. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from skillbench_tasks.models.plan_record import Origin
from skillbench_tasks.scorers.orchestration_cost import Cost
from skillbench_tasks.scorers.orchestration_totals import Totals
from skillbench_tasks.scorers.statistic import Undefined
from skillbench_tasks.scorers.trace import Metric

__all__ = ["SHOWN", "rows_of"]

SHOWN: Final = (
    Metric.ORCHESTRATION,
    Metric.FINAL,
    Metric.SIDE_EFFECT,
    Metric.TRACE,
    Metric.TERMINAL_OUTPUT,
)
"""Metrics of a sample's value."""

_KEPT: Final = (Origin.UNCHANGED, Origin.NO_REVISION, Origin.NOT_ASKED)


def rows_of(told: Sequence[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """Yield the rows; those that divide by 0 are left out.

    Args:
        told: Metadata of the samples' scores.
    """
    total = _added(told, "totals", -1)
    for one in Metric:
        yield from _row(str(one), total.mean(one))
    yield "variants", float(total.variants)
    yield from _row("error rate", total.error_rate())
    yield from _row("error rate without infrastructure", _without(total))
    without = total.mean(Metric.ORCHESTRATION, with_infrastructure=False)
    yield from _row("orchestration without infrastructure", without)
    yield from _row("validity", total.validity())
    for one in SHOWN:
        yield from _row(f"{one} given validity", total.mean_given_validity(one))
    yield from _floor_rows(told, total)
    for kind, count in sorted(total.errors.items()):
        yield f"errors {kind}", float(count)
    yield "refused calls", float(sum(one["refused_calls"] for one in told))
    refused_left_out = math.fsum(one["without_refused"] for one in told)
    yield from _row("orchestration without refused calls", _mean(refused_left_out, total.variants))
    yield from Cost.added(Cost.model_validate(one["cost"]) for one in told).rows()
    yield from _round_rows(told)


def _without(total: Totals) -> float | Undefined:
    return total.error_rate(with_infrastructure=False)


def _floor_rows(told: Sequence[dict[str, Any]], total: Totals) -> Iterator[tuple[str, float]]:
    """Yield what doing nothing earns on the same variants, and what was earned beyond that."""
    floor = Totals.added(Totals.model_validate(one["floor"]) for one in told)
    for one in Metric:
        yield from _row(f"floor {one}", floor.mean(one))
    valid = Totals.added(Totals.model_validate(one["floor_of_valid"]) for one in told)
    for one in SHOWN:
        yield from _row(f"floor {one} given validity", valid.mean(one))
    if total.variants:
        clipped = math.fsum(one["above_floor"] for one in told)
        sums = (total.sums[Metric.ORCHESTRATION], floor.sums[Metric.ORCHESTRATION])
        yield "orchestration minus floor", (sums[0] - sums[1]) / total.variants
        yield "orchestration above floor", clipped / total.variants


def _round_rows(told: Sequence[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    rounds = max(len(one["totals"]) for one in told)
    for number in range(rounds if rounds > 1 else 0):
        total = _added(told, "totals", number)
        yield from _row(f"round {number} orchestration", total.mean(Metric.ORCHESTRATION))
        yield from _row(f"round {number} final", total.mean(Metric.FINAL))
        yield from _row(f"round {number} validity", total.validity())
        held_out = _added(told, "held_out", number)
        if held_out.variants:
            name = f"round {number} held-out orchestration"
            yield from _row(name, held_out.mean(Metric.ORCHESTRATION))
            yield f"round {number} held-out variants", float(held_out.variants)
        for origin in _KEPT if number else (Origin.FROM_LOG,):
            count = sum(one["origins"][number] == origin for one in told)
            yield f"round {number} workflows {str(origin).replace('_', ' ')}", float(count)
    held_out_floor = Totals.added(Totals.model_validate(one["floor_held_out"]) for one in told)
    yield from _row("floor held-out orchestration", held_out_floor.mean(Metric.ORCHESTRATION))


def _added(told: Sequence[dict[str, Any]], key: str, number: int) -> Totals:
    """Return totals of a round; a sample with fewer rounds counts with its last one."""
    return Totals.added(
        Totals.model_validate(one[key][min(number, len(one[key]) - 1)]) for one in told if one[key]
    )


def _mean(total: float, count: int) -> float | Undefined:
    return total / count if count else Undefined(reason="no scores")


def _row(name: str, value: float | Undefined) -> Iterator[tuple[str, float]]:
    if not isinstance(value, Undefined):
        yield name, value
