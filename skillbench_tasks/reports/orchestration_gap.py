"""The gap between step-by-step and global orchestration, in all and by stratum (protocol C)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from skillbench_tasks.models.plan_record import Protocol
from skillbench_tasks.reports.orchestration_cells import NONE, mean_percent, percent, points, span
from skillbench_tasks.reports.orchestration_revisions import revision_tables
from skillbench_tasks.reports.orchestration_runs import ProtocolRuns, read_runs
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.orchestration_cost import Cost
from skillbench_tasks.scorers.orchestration_totals import (
    Gap,
    VariantKey,
    gap,
    gap_above_floor,
)
from skillbench_tasks.scorers.statistic import Undefined
from skillbench_tasks.scorers.trace import Metric
from skillbench_tasks.tools.error_class import ErrorClass, SourceClass

__all__ = ["gap_page"]

_FLOOR: Final = "floor: what an empty plan, or stopping at once, earns on the same variants"
_LOST: Final = (
    "lost: an error of a provider, or of ours, left the sample without a score; published as 0"
)
_LAYERS: Final = (ErrorClass.PARSE_SHAPE, ErrorClass.SCHEMA_TYPE, ErrorClass.REFERENCE)
_LEFT_OUT: Final = (
    "w/o refused: without the calls that were refused as they stood; cost is of scored samples"
)


def gap_page(place: Path) -> str:
    """Return the tables over one model's logs: protocols, gaps, strata, revisions.

    Args:
        place: A folder of logs, or one log.

    Raises:
        OptionError: The logs do not belong together.
    """
    runs = read_runs(place)
    parts = [f"model: {runs[0].model}"]
    parts += [_accuracy(runs), _coverage(runs), _failures(runs), _costs(runs)]
    single: dict[Protocol, ProtocolRuns] = {}
    single |= {one.protocol: one for one in runs if one.protocol is not Protocol.REPLAN}
    parts += _gaps(single)
    first = single[Protocol.GLOBAL].log if Protocol.GLOBAL in single else ""
    parts += revision_tables([one for one in runs if one.protocol is Protocol.REPLAN], first)
    return "\n\n".join(parts)


def _accuracy(runs: Sequence[ProtocolRuns]) -> str:
    rows = []
    for one in runs:
        total, floor = one.totals, one.floors
        orchestration, least = total.mean(Metric.ORCHESTRATION), floor.mean(Metric.ORCHESTRATION)
        rows.append(
            (
                one.label,
                str(total.variants),
                percent(orchestration),
                percent(least),
                _minus(orchestration, least),
                percent(total.mean(Metric.FINAL)),
                percent(floor.mean(Metric.FINAL)),
                percent(total.validity()),
                percent(total.mean_given_validity(Metric.ORCHESTRATION)),
                percent(one.floors_of_valid.mean(Metric.ORCHESTRATION)),
            )
        )
    head = ("accuracy", "variants", "orchestration", "floor", "− floor", "final", "floor")
    table = text_table((*head, "valid", "if valid", "floor"), rows)
    return f"{table}\n{_FLOOR}; − floor in points"


def _minus(value: float | Undefined, least: float | Undefined) -> str:
    if isinstance(value, Undefined) or isinstance(least, Undefined):
        return NONE
    return points(100 * (value - least))


def _coverage(runs: Sequence[ProtocolRuns]) -> str:
    rows = [
        (
            one.label,
            f"{one.planned.scored_samples}/{one.planned.samples}",
            f"{one.planned.scored_variants}/{one.planned.variants}",
            str(one.planned.lost),
            str(one.planned.not_run),
            percent(one.totals.mean(Metric.ORCHESTRATION)),
            percent(one.published.mean(Metric.ORCHESTRATION)),
            percent(one.totals.error_rate()),
            percent(one.published.error_rate()),
        )
        for one in runs
    ]
    head = ("scored of planned", "samples", "variants", "lost", "not run", "orchestration")
    table = text_table((*head, "lost as 0", "error rate", "with lost"), rows)
    return f"{table}\n{_LOST}"


def _failures(runs: Sequence[ProtocolRuns]) -> str:
    rows = []
    for one in runs:
        counts = one.published.by_source_class().values()
        layers = "/".join(str(one.totals.errors.get(kind, 0)) for kind in _LAYERS)
        row = (one.label, str(one.published.variants), *(str(count) for count in counts), layers)
        rows.append(row)
    head = ("nothing to score", "variants", *(str(kind) for kind in SourceClass), "layers")
    told = f"layers, of the validator: {', '.join(_LAYERS)}"
    return f"{text_table(head, rows)}\n{told}"


def _costs(runs: Sequence[ProtocolRuns]) -> str:
    rows = []
    for one in runs:
        figures = dict(one.cost.rows())
        variants = one.totals.variants
        rows.append(
            (
                one.label,
                f"{one.cost.calls}",
                _figure(figures, "model calls per variant"),
                f"{one.cost.completion_tokens}",
                _figure(figures, "completion tokens per variant"),
                _figure(figures, "completion tokens per call"),
                f"{one.refused_calls}",
                percent(one.totals.mean(Metric.ORCHESTRATION)),
                percent(one.without_refused / variants) if variants else NONE,
            )
        )
    head = ("cost", "calls", "/variant", "tokens", "/variant", "/call", "refused")
    parts = [text_table((*head, "orchestration", "w/o refused"), rows), _LEFT_OUT]
    for one in runs:
        if one.cost.calls_not_made:
            parts.append(
                f"{one.label}: {one.cost.calls_not_made} workflows of round 0 are from a log; "
                "what they cost is not counted here"
            )
    return "\n".join(parts)


def _figure(figures: Mapping[str, float], name: str) -> str:
    return f"{figures[name]:.2f}" if name in figures else NONE


def _ratio(step: Cost, plan: Cost) -> str:
    """Return how many times the calls and tokens of global step-by-step takes."""
    shown = ", ".join(f"{name} × {value:.2f}" for name, value in step.ratios(plan))
    return f"step : global: {shown or 'nothing to divide'}"


def _gaps(runs: Mapping[Protocol, ProtocolRuns]) -> Iterator[str]:
    plan = runs.get(Protocol.GLOBAL)
    if plan is None:
        return
    rows: list[tuple[str, ...]] = []
    for name in (Protocol.STEP, Protocol.LOCAL, Protocol.INPUT_CONDITIONED):
        if (other := runs.get(name)) is not None:
            rows += _rows_of(f"{name} − global", other, plan)
    if rows:
        yield _gap_table("gap in points", rows)
    if (step := runs.get(Protocol.STEP)) is not None:
        yield _ratio(step.cost, plan.cost)
        yield _by_stratum(step, plan)


def _rows_of(name: str, other: ProtocolRuns, plan: ProtocolRuns) -> Iterator[tuple[str, ...]]:
    floor = {**plan.floor, **other.floor}
    high, low = other.scores(), plan.scores()
    yield _row(name, high, low, floor)
    clipped = gap_above_floor(high, low, floor, floor)
    yield ("  above the floor", points(clipped.points), span(clipped), *[""] * 3, *_sizes(clipped))
    if other.lost or plan.lost:
        with_lost = (other.scores_with_lost(), plan.scores_with_lost())
        yield _row("  lost as 0", *with_lost, floor)


def _by_stratum(step: ProtocolRuns, plan: ProtocolRuns) -> str:
    high, low, floor = step.scores(), plan.scores(), {**plan.floor, **step.floor}
    groups: dict[tuple[str, str], set[VariantKey]] = {}
    for key, found in {**plan.strata, **step.strata}.items():
        for name, value in found.items():
            groups.setdefault((name, value), set()).add(key)
    rows = []
    for (name, value), keys in sorted(groups.items()):
        if keys & high.keys() & low.keys():
            label = f"{name.removeprefix('has_')}: {value}"
            rows.append(_row(label, _only(high, keys), _only(low, keys), floor))
    return _gap_table("step − global", rows)


def _only(scores: Mapping[VariantKey, float], keys: set[VariantKey]) -> dict[VariantKey, float]:
    return {key: score for key, score in scores.items() if key in keys}


def _row(
    name: str,
    high: Mapping[VariantKey, float],
    low: Mapping[VariantKey, float],
    floor: Mapping[VariantKey, float],
) -> tuple[str, ...]:
    found, common = gap(high, low), high.keys() & low.keys()
    return (
        name,
        points(found.points),
        span(found),
        mean_percent([high[key] for key in common]),
        mean_percent([low[key] for key in common]),
        mean_percent([floor[key] for key in common if key in floor]),
        *_sizes(found),
    )


def _sizes(found: Gap) -> tuple[str, str]:
    return str(found.variants), str(found.sops)


def _gap_table(name: str, rows: Sequence[Sequence[str]]) -> str:
    head = (name, "points", "95 % interval", "score", "global", "floor", "variants", "sops")
    table = text_table(head, rows)
    if any(row[2] == NONE for row in rows):
        table += f"\n{NONE}: no interval, of fewer than two SOPs"
    return table
