"""Two sides put beside each other: what is comparable as rows, what is not with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

from skillbench_tasks.errors import OptionError
from skillbench_tasks.models.base import Model
from skillbench_tasks.reports.comparison import (
    MEASUREMENTS,
    Case,
    ComparedRow,
    Measurement,
    compared_row,
)
from skillbench_tasks.reports.comparison_logs import LogBlock, LogFile, LogSide, read_side
from skillbench_tasks.reports.comparison_settings import Setting, setting_label
from skillbench_tasks.reports.error_spread import ErrorSpread, ErrorTrace, error_spread

__all__ = [
    "By",
    "ComparedBlock",
    "ComparisonReport",
    "MissingScorer",
    "RefusedScorer",
    "SideHead",
    "SpreadPair",
    "compare_logs",
]

By: TypeAlias = Literal["novelty", "kind", "skill"]
"""Metadata by which rows can be divided."""

_TASK_ORDER: Final = tuple(dict.fromkeys(measurement.task for measurement in MEASUREMENTS))
_SCORED_AGAIN: Final = "score the older log again with `inspect score`"
_OF_CONVERSATION: Final = ("needs", "novelty")


class SideHead(Model):
    """What a side is."""

    name: str
    model: str
    files: tuple[LogFile, ...]


class MissingScorer(Model):
    """A scorer that a side lacks: its rows are not 0, they are not measured."""

    scorer: str
    lacks: tuple[str, ...]


class RefusedScorer(Model):
    """A scorer that both sides have, and why its values must not be compared."""

    scorer: str
    reason: str


class SpreadPair(Model):
    """Errors of the replays that both sides have, for workflows with and without tools apart."""

    needs: str
    a: ErrorSpread
    b: ErrorSpread


class ComparedBlock(Model):
    """One task and setting on both sides.

    Args:
        task: The task.
        setting: Its options.
        label: Both, as tables show them.
        samples: Samples that both sides ask alike.
        only_a, only_b: Samples that one side alone asks.
        changed: Samples with one id that ask something else on either side; they are left out.
        rows: The measurements.
        missing: Scorers that a side lacks.
        refused: Scorers that are not compared.
        errors: How errors spread in replays.
    """

    task: str
    setting: dict[str, str]
    label: str
    samples: int
    only_a: int
    only_b: int
    changed: tuple[str, ...]
    rows: tuple[ComparedRow, ...]
    missing: tuple[MissingScorer, ...]
    refused: tuple[RefusedScorer, ...]
    errors: tuple[SpreadPair, ...]


class ComparisonReport(Model):
    """Both sides, what is compared of them, and what the reader must know, one line each."""

    a: SideHead
    b: SideHead
    by: By | None
    notes: tuple[str, ...]
    blocks: tuple[ComparedBlock, ...]


def compare_logs(place_a: Path, place_b: Path, by: By | None = None) -> ComparisonReport:
    """Compare the logs of two models on the same cases.

    Args:
        place_a: A log or a folder of logs of the first (before).
        place_b: The same of the second (after).
        by: Divide each row by that metadata too.

    Raises:
        OptionError: A place has no logs, or the sides have no task and setting in common.
        DataError: A log cannot be read, or two of one side do not go together.
    """
    a, b = read_side("A", place_a), read_side("B", place_b)
    common = sorted(
        a.blocks.keys() & b.blocks.keys(), key=lambda key: (_TASK_ORDER.index(key[0]), key)
    )
    if not common:
        told = "; ".join(f"{side.name}: {', '.join(_labels(side))}" for side in (a, b))
        mend = "run both with the same task and options"
        raise OptionError("LOGS_A and LOGS_B", f"nothing in common ({told})", mend)
    replayed = _replayed([(a.blocks[key], b.blocks[key]) for key in common])
    blocks = tuple(_compared(a.blocks[key], b.blocks[key], by, replayed) for key in common)
    sampled = (_sampling_note(a.blocks[key], b.blocks[key]) for key in common)
    notes = (*a.notes, *b.notes, *_lone_blocks(a, b), *(note for note in sampled if note))
    return ComparisonReport(a=_head(a), b=_head(b), by=by, notes=notes, blocks=blocks)


def _head(side: LogSide) -> SideHead:
    return SideHead(name=side.name, model=side.model, files=side.files)


def _labels(side: LogSide) -> list[str]:
    return [setting_label(*key) for key in side.blocks]


def _lone_blocks(a: LogSide, b: LogSide) -> Iterator[str]:
    for side, other in ((a, b), (b, a)):
        for key in side.blocks:
            if key in other.blocks:
                continue
            near = [setting_label(*one) for one in other.blocks if one[0] == key[0]]
            told = f"{other.name} has {', '.join(near)}" if near else f"{other.name} has none"
            yield f"only in {side.name}, not compared: {setting_label(*key)} ({told})"


def _sampling_note(a: LogBlock, b: LogBlock) -> str:
    names = sorted(
        n for n in {**a.sampling, **b.sampling} if a.sampling.get(n) != b.sampling.get(n)
    )
    told = ", ".join(
        f"{n} A {a.sampling.get(n, 'default')} B {b.sampling.get(n, 'default')}" for n in names
    )
    return f"{setting_label(a.task, a.setting)}: sampled differently: {told}" if names else ""


def _replayed(
    blocks: Iterable[tuple[LogBlock, LogBlock]],
) -> Mapping[tuple[str, str], Mapping[str, str]]:
    """Return what the logs of conversations say of scenarios: (dataset, id) → groups."""
    known: dict[tuple[str, str], dict[str, str]] = {}
    for pair in blocks:
        if pair[0].task == "zero_shot":
            continue
        for case in (case for block in pair for case in block.samples.cases.values()):
            groups = known.setdefault(
                (_dataset(pair[0].setting), case.conversation), {"replayed": "yes"}
            )
            groups |= {key: case.groups[key] for key in _OF_CONVERSATION if key in case.groups}
    return known


def _dataset(setting: Setting) -> str:
    return dict(setting).get("dataset", "")


def _compared(
    a: LogBlock,
    b: LogBlock,
    by: By | None,
    replayed: Mapping[tuple[str, str], Mapping[str, str]],
) -> ComparedBlock:
    cases_a, cases_b = a.samples.cases, b.samples.cases
    changed = sorted(i for i in cases_a.keys() & cases_b.keys() if cases_a[i] != cases_b[i])
    found = {i: case for i, case in {**cases_a, **cases_b}.items() if i not in changed}
    if a.task == "zero_shot":
        place = _dataset(a.setting)
        found = {i: _with_groups(c, replayed.get((place, i), {})) for i, c in found.items()}
    planned_a, planned_b = a.samples.scores.planned, b.samples.scores.planned
    missing, refused = _missing(a, b), _refused(a, b)
    left_out = {one.scorer for one in missing} | {one.scorer for one in refused}
    cases = [found[i] for i in sorted(found)]
    rows = [
        row for m in _measurements(a.task, cases, left_out) for row in _rows(m, cases, a, b, by)
    ]
    return ComparedBlock(
        task=a.task,
        setting=dict(a.setting),
        label=setting_label(a.task, a.setting),
        samples=len((planned_a & planned_b) - set(changed)),
        only_a=len(planned_a - planned_b),
        only_b=len(planned_b - planned_a),
        changed=tuple(changed),
        rows=tuple(rows),
        missing=tuple(missing),
        refused=tuple(refused),
        errors=() if "workflow" in left_out else tuple(_spreads(a, b, set(changed))),
    )


def _with_groups(case: Case, groups: Mapping[str, str]) -> Case:
    return replace(case, groups={**groups, **case.groups})


def _measurements(task: str, cases: Sequence[Case], left_out: set[str]) -> Iterator[Measurement]:
    """Yield the rows of a task; that over all scenarios only where it says something more."""
    is_all_replayed = all(case.groups.get("replayed") for case in cases)
    for one in MEASUREMENTS:
        is_repeated = task == "zero_shot" and not one.where and is_all_replayed
        if one.task == task and one.scorer not in left_out and not is_repeated:
            yield one


def _rows(
    measurement: Measurement, cases: Sequence[Case], a: LogBlock, b: LogBlock, by: By | None
) -> Iterator[ComparedRow]:
    sides = a.samples.scores, b.samples.scores
    values = sorted({case.groups.get(by, "") for case in cases}) if by else []
    for group in (None, *((str(by), value) for value in values)):
        row = compared_row(measurement, cases, *sides, group)
        if row is not None:
            yield row


def _scorers(task: str) -> list[str]:
    return list(dict.fromkeys(one.scorer for one in MEASUREMENTS if one.task == task))


def _missing(a: LogBlock, b: LogBlock) -> list[MissingScorer]:
    found = []
    for scorer in _scorers(a.task):
        sides = (("A", a), ("B", b))
        lacks = tuple(name for name, block in sides if scorer not in block.samples.measured)
        if lacks:
            found.append(MissingScorer(scorer=scorer, lacks=lacks))
    return found


def _refused(a: LogBlock, b: LogBlock) -> list[RefusedScorer]:
    """Return what must not be compared: other versions of task, data or grader, other judges."""
    both = [s for s in _scorers(a.task) if s in a.samples.measured & b.samples.measured]
    reasons = {scorer: _reason(scorer, a, b) for scorer in both}
    return [RefusedScorer(scorer=s, reason=reason) for s, reason in reasons.items() if reason]


def _reason(scorer: str, a: LogBlock, b: LogBlock) -> str:
    for name in ("task", "data"):
        one, other = a.versions[name], b.versions[name]
        if one != other:
            return f"other version of the {name} (A {one}, B {other}); run the older one again"
    for what, mend, found_a, found_b in (
        ("graded by other versions", _SCORED_AGAIN, a.samples.graders, b.samples.graders),
        ("judged otherwise", "judge both alike", a.samples.judgings, b.samples.judgings),
    ):
        one_side, other_side = found_a.get(scorer), found_b.get(scorer)
        is_known = one_side and other_side
        if is_known and (one_side != other_side or len(one_side or ()) > 1):
            told = f"A {_either(one_side)}, B {_either(other_side)}"
            return f"{what} ({told}); {mend}"
    return ""


def _either(found: Iterable[str] | None) -> str:
    return " and ".join(sorted(found or ()))


def _spreads(a: LogBlock, b: LogBlock, changed: set[str]) -> Iterator[SpreadPair]:
    """Yield the errors of the conversations that both sides have replayed."""
    traced = [{trace.conversation for trace in side.samples.traces} for side in (a, b)]
    common = (traced[0] & traced[1]) - changed
    kept_a, kept_b = (
        [trace for trace in side.samples.traces if trace.conversation in common] for side in (a, b)
    )
    for needs in sorted({trace.needs for trace in (*kept_a, *kept_b)}, reverse=True):
        spread_a, spread_b = (error_spread(_of(kept, needs)) for kept in (kept_a, kept_b))
        yield SpreadPair(needs=needs, a=spread_a, b=spread_b)


def _of(traces: Iterable[ErrorTrace], needs: str) -> list[ErrorTrace]:
    return [trace for trace in traces if trace.needs == needs]
