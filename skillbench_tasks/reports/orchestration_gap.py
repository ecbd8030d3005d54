"""The gap between step-by-step and global orchestration, in all and by stratum (protocol C)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean

from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed
from skillbench_tasks.models.plan_record import Protocol
from skillbench_tasks.models.sop import Executed
from skillbench_tasks.reports.orchestration_runs import ProtocolRuns, read_runs
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.orchestration import grade_run
from skillbench_tasks.scorers.orchestration_cost import Cost
from skillbench_tasks.scorers.orchestration_totals import (
    Attempt,
    Gap,
    VariantKey,
    gap,
    gap_above_floor,
    revision,
)
from skillbench_tasks.scorers.statistic import Statistic, Undefined
from skillbench_tasks.scorers.workflow_strata import strata

__all__ = ["gap_page"]


def gap_page(place: Path) -> str:
    """Return the tables over one model's logs: protocols, gaps, strata, revisions.

    Args:
        place: A folder of logs, or one log.

    Raises:
        OptionError: The logs do not belong together.
    """
    runs = {one.protocol: one for one in read_runs(place)}
    floor = _floors({key for one in runs.values() for key in one.rounds[-1]})
    parts = [f"model: {next(iter(runs.values())).model}", _protocols(runs, floor)]
    parts += _gaps(runs, floor)
    if (replan := runs.get(Protocol.REPLAN)) is not None:
        parts.append(_revisions(replan))
    return "\n\n".join(parts)


def _floors(wanted: set[VariantKey]) -> dict[VariantKey, float]:
    """Return what doing nothing earns on each variant."""
    nothing = Executed(status="completed")
    found = {}
    for sop in load_sops():
        if not any(key.sop == sop.id for key in wanted):
            continue
        program = parsed(sop.program)
        for run in reference_case(sop).runs:
            score = grade_run(run, nothing, program)
            found[VariantKey(sop.id, run.variant.id)] = score.orchestration
    return found


def _protocols(runs: Mapping[str, ProtocolRuns], floor: Mapping[VariantKey, float]) -> str:
    rows = []
    for name, one in runs.items():
        last = one.rounds[-1]
        valid = [attempt.score for attempt in last.values() if attempt.valid]
        rows.append(
            (
                name,
                f"{one.scored}/{one.planned}",
                str(len(last)),
                _percent(_mean([attempt.score for attempt in last.values()])),
                _percent(_mean([floor[key] for key in last])),
                _percent(_mean(list(one.finals.values()))),
                _percent(_mean([float(attempt.valid) for attempt in last.values()])),
                _percent(_mean(valid)),
                _cost(one.cost, "model calls per variant"),
                _cost(one.cost, "completion tokens per variant"),
            )
        )
    head = (
        "protocol",
        "scored samples",
        "variants",
        "orchestration",
        "floor",
        "final",
        "valid",
        "given validity",
        "calls/variant",
        "tokens/variant",
    )
    return text_table(head, rows)


def _cost(cost: Cost, name: str) -> str:
    value = dict(cost.rows()).get(name)
    return "–" if value is None else f"{value:.2f}"


def _ratio(runs: Mapping[str, ProtocolRuns]) -> str:
    """Return how many times the calls and tokens of global step-by-step takes."""
    found = dict(runs[Protocol.STEP].cost.ratios(runs[Protocol.GLOBAL].cost))
    shown = ", ".join(f"{name} × {value:.2f}" for name, value in found.items())
    return f"step : global: {shown or 'nothing to divide'}"


def _gaps(runs: Mapping[str, ProtocolRuns], floor: Mapping[VariantKey, float]) -> Iterator[str]:
    plan = runs.get(Protocol.GLOBAL)
    if plan is None:
        return
    low = _scores(plan.rounds[-1])
    rows = []
    for name in (Protocol.STEP, Protocol.LOCAL, Protocol.INPUT_CONDITIONED):
        if name in runs:
            high = _scores(runs[name].rounds[-1])
            rows.append(_row(f"{name} − global", gap(high, low)))
            rows.append(_row("  above the floor", gap_above_floor(high, low, floor, floor)))
    if rows:
        yield text_table(("gap in points", "points", "95 % interval", "variants", "sops"), rows)
    if Protocol.STEP in runs:
        yield _ratio(runs)
        yield _by_stratum(_scores(runs[Protocol.STEP].rounds[-1]), low)


def _by_stratum(high: Mapping[VariantKey, float], low: Mapping[VariantKey, float]) -> str:
    groups: dict[tuple[str, str], set[VariantKey]] = {}
    for sop in load_sops():
        program = parsed(sop.program)
        for variant in sop.variants:
            key = VariantKey(sop.id, variant.id)
            for name, value in strata(program, variant).model_dump().items():
                groups.setdefault((name, str(value)), set()).add(key)
    rows = []
    for (name, value), keys in sorted(groups.items()):
        found = gap(
            {key: score for key, score in high.items() if key in keys},
            {key: score for key, score in low.items() if key in keys},
        )
        if found.variants:
            rows.append(_row(f"{name}: {value}", found))
    return text_table(("step − global", "points", "95 % interval", "variants", "sops"), rows)


def _revisions(replan: ProtocolRuns) -> str:
    rows = []
    for number in range(1, len(replan.rounds)):
        for label, keys in (("all", set(replan.rounds[0])), ("held out", set(replan.held_out))):
            if label == "held out" and len(keys) == len(replan.rounds[0]):
                continue
            before = _only(replan.rounds[0], keys)
            found = revision(before, _only(replan.rounds[number], keys))
            rows.append(
                (
                    f"round {number}, {label}",
                    str(found.variants),
                    _number(found.gain),
                    _number(found.from_repair),
                    _number(found.on_valid),
                    str(found.up),
                    str(found.down),
                    str(found.repaired),
                )
            )
    head = ("replan against round 0", "variants", "gain", "by repair", "on valid", "up", "down")
    return text_table((*head, "repaired"), rows)


def _only(
    attempts: Mapping[VariantKey, Attempt], keys: set[VariantKey]
) -> dict[VariantKey, Attempt]:
    return {key: one for key, one in attempts.items() if key in keys}


def _scores(attempts: Mapping[VariantKey, Attempt]) -> dict[VariantKey, float]:
    return {key: one.score for key, one in attempts.items()}


def _row(name: str, found: Gap) -> tuple[str, ...]:
    interval = found.interval
    shown = (
        str(interval)
        if isinstance(interval, Undefined)
        else f"{interval.lower:+.1f} … {interval.upper:+.1f}"
    )
    return (name, _number(found.points), shown, str(found.variants), str(found.sops))


def _number(value: Statistic) -> str:
    return str(value) if isinstance(value, Undefined) else f"{value:+.2f}"


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
