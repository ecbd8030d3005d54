"""What revisions of workflows gained: by round, by what was wrong before, seen and held out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from skillbench_tasks.models.plan_record import Origin
from skillbench_tasks.reports.orchestration_cells import mean_percent, percent, points
from skillbench_tasks.reports.orchestration_runs import ProtocolRuns
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.orchestration_totals import (
    Attempt,
    Revision,
    VariantKey,
    revision,
)
from skillbench_tasks.tools.error_class import FAILED_VALIDATION, NOT_PARSED

__all__ = ["revision_tables"]

_VALIDATION: Final = "replan validation"
_ORIGINS: Final = (Origin.WRITTEN, Origin.UNCHANGED, Origin.NO_REVISION, Origin.NOT_ASKED)


def revision_tables(runs: Sequence[ProtocolRuns], first: str = "") -> Iterator[str]:
    """Yield the tables over the replan logs of one model.

    Args:
        runs: One for each kind of feedback.
        first: The global log beside them.
    """
    if not runs:
        return
    yield _by_round(runs, first)
    yield _gains(runs)
    alone = next((one for one in runs if one.label == _VALIDATION), None)
    others = [one for one in runs if one is not alone]
    if alone is not None and others:
        yield _recoveries(alone, others)
    yield _repaired(runs)


def _groups(run: ProtocolRuns) -> Iterator[tuple[str, frozenset[VariantKey]]]:
    """Yield all variants; where some were held out those and the others too."""
    everything = frozenset(run.rounds[0])
    yield _short(run), everything
    if 0 < len(run.held_out) < len(everything):
        yield f"{_short(run)}: seen", everything - run.held_out
        yield f"{_short(run)}: held out", run.held_out


def _short(run: ProtocolRuns) -> str:
    return run.label.removeprefix("replan ")


def _by_round(runs: Sequence[ProtocolRuns], first: str) -> str:
    rows = []
    for run in runs:
        for label, keys in _groups(run):
            floor = mean_percent([run.floor[key._replace(epoch=1)] for key in keys])
            for number, attempts in enumerate(run.rounds):
                found = _only(attempts, keys)
                is_whole = len(keys) == len(attempts)
                rows.append(
                    (
                        f"{label}, round {number}",
                        str(len(found)),
                        mean_percent([one.score for one in found.values()]),
                        floor,
                        mean_percent([float(one.valid) for one in found.values()]),
                        *(_origins(run, number) if is_whole else [""] * len(_ORIGINS)),
                    )
                )
    head = ("replan, by round", "variants", "orchestration", "floor", "valid", "written")
    table = text_table((*head, "unchanged", "no revision", "not asked"), rows)
    told = "workflows by answer; no revision: it held none; all but written keep the one before"
    return "\n".join([table, told, *_starts(runs, first)])


def _origins(run: ProtocolRuns, number: int) -> list[str]:
    return [str(run.origins[number].get(kind, 0)) for kind in _ORIGINS]


def _starts(runs: Sequence[ProtocolRuns], first: str) -> Iterator[str]:
    for run in runs:
        for log, model in sorted(run.starts.items()):
            line = f"{_short(run)}: round 0 is from the log {log}"
            if model != run.model:
                line += f" of {model}"
            if first:
                line += ", the global one" if log == first else ", not the global one here"
            yield line


def _gains(runs: Sequence[ProtocolRuns]) -> str:
    rows = []
    for run in runs:
        for label, keys in _groups(run):
            for number in range(1, len(run.rounds)):
                found = _revision(run, number, keys)
                rows.append(
                    (
                        f"{label}, round {number}",
                        str(found.variants),
                        points(found.gain),
                        points(found.from_repair),
                        points(found.on_valid),
                        percent(found.share_of_repair),
                        str(found.up),
                        str(found.down),
                        str(found.repaired),
                        str(found.broken),
                    )
                )
    head = ("gain over round 0, in points", "variants", "gain", "repair", "valid", "repair/gain")
    table = text_table((*head, "up", "down", "repaired", "broken"), rows)
    told = "repair: of variants whose workflow was invalid in round 0; valid: of the others"
    return f"{table}\n{told}; up, down, repaired, broken: variants"


def _recoveries(alone: ProtocolRuns, others: Sequence[ProtocolRuns]) -> str:
    rows, notes = [], []
    for run in others:
        differing, common = _differing(run, alone)
        is_paired = common > 0 and not differing
        if not is_paired:
            notes.append(
                f"unpaired: {run.label} and {alone.label} have other workflows in round 0 "
                f"({differing} of {common} differ);\n  start both from one log (-T start=LOG)"
            )
        for label, keys in _groups(run):
            for number in range(1, len(run.rounds)):
                found = _revision(run, number, keys, alone)
                own = _revision(alone, min(number, len(alone.rounds) - 1), keys)
                rows.append(
                    (
                        f"{label}, round {number}",
                        str(found.variants),
                        points(found.gain),
                        points(found.from_repair),
                        points(found.on_valid),
                        points(found.validation_only if is_paired else own.gain),
                        percent(found.recovery) if is_paired else "unpaired",
                    )
                )
    head = ("recovered by validation alone", "variants", "gain", "repair", "valid")
    table = text_table((*head, "validation-only", "recovery"), rows)
    told = "recovery: gain of validation-only / (repair + valid), over variants that both have"
    return "\n".join([table, told, *notes])


def _differing(run: ProtocolRuns, alone: ProtocolRuns) -> tuple[int, int]:
    """Return how many workflows of round 0 differ, and how many both runs have."""
    common = run.first_plans.keys() & alone.first_plans.keys()
    pairs = [(run.first_plans[key], alone.first_plans[key]) for key in common]
    return sum(one != other or not one for one, other in pairs), len(pairs)


def _repaired(runs: Sequence[ProtocolRuns]) -> str:
    rows = []
    for run in runs:
        for number in range(1, len(run.rounds)):
            found = _revision(run, number, run.rounds[0].keys())
            counts = found.repaired_workflows
            early = sum(counts.get(kind, 0) for kind in NOT_PARSED)
            late = sum(counts.get(kind, 0) for kind in FAILED_VALIDATION)
            total = sum(counts.values())
            rows.append(
                (
                    f"{_short(run)}, round {number}",
                    *(str(one) for one in (total, early, late, total - early - late)),
                    percent(found.failed_validation),
                )
            )
    head = ("repaired workflows, by what was wrong", "workflows", "parse/shape", "validator")
    return text_table((*head, "no answer", "validator, share"), rows)


def _revision(
    run: ProtocolRuns,
    number: int,
    keys: Collection[VariantKey],
    alone: ProtocolRuns | None = None,
) -> Revision:
    by_validation = None
    if alone is not None:
        by_validation = _only(alone.rounds[min(number, len(alone.rounds) - 1)], keys)
    before, after = _only(run.rounds[0], keys), _only(run.rounds[number], keys)
    return revision(before, after, by_validation)


def _only(
    attempts: Mapping[VariantKey, Attempt], keys: Collection[VariantKey]
) -> dict[VariantKey, Attempt]:
    return {key: one for key, one in attempts.items() if key in keys}
