"""The same decision under gold history and under the model's own: what its own errors cost it.

Each decision of the closed loop is paired with itself in a gold-history run of the same model, so
that a difficult conversation makes no error look as if it spread: it is difficult under both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from skillbench_tasks.errors import OptionError
from skillbench_tasks.models.base import Model
from skillbench_tasks.models.replay_record import (
    REPLAY_KEY,
    DecisionOutcome,
    Match,
    Outcome,
    ReplayRecord,
)
from skillbench_tasks.reports.log_files import log_files, read_log
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.bootstrap import ratio_interval
from skillbench_tasks.scorers.statistic import Interval, Undefined

__all__ = ["Behind", "PairedDecision", "PairedPropagation", "paired", "paired_page", "read_pairs"]

_DISTANCES: Final = ((1, 1), (2, 2), (3, 3), (4, 6), (7, None))
_UNPAIRED: Final = (Outcome.NOT_REACHED, Outcome.PASSED_OVER, Outcome.LEFT_OUT)


@dataclass(frozen=True)
class PairedDecision:
    """One decision of one replay, under both histories.

    Args:
        replay: Conversation and epoch.
        number: The decision, from 0.
        action: What the gold conversation does.
        gold_ok: Whether the answer after the gold history is right.
        own_ok: Whether the first answer after the model's own history is.
        own_unresolved: Whether the error stands after all tries.
    """

    replay: tuple[str, int]
    number: int
    action: Literal["text", "tool"]
    gold_ok: bool
    own_ok: bool
    own_unresolved: bool


class Behind(Model):
    """Decisions behind the first error, at some distance.

    Args:
        distance: Decisions from the first error, `1`, `2`, … or a range.
        decisions: How many.
        conversations: Of how many conversations they are.
        own_failed: Those that fail on the model's own history, at the first answer.
        own_unresolved: Those of which the error stands after all tries.
        gold_failed: The same decisions that fail after the gold history.
        difference: (own_failed - gold_failed) / decisions, with its interval by conversation.
    """

    distance: str
    decisions: int
    conversations: int
    own_failed: int
    own_unresolved: int
    gold_failed: int
    difference: float | None
    interval: Interval | Undefined


class PairedPropagation(Model):
    """All paired decisions, and those behind the first error of each replay.

    Args:
        replays: Replays with a paired decision.
        conversations: Of how many conversations.
        pairs: Paired decisions.
        text_pairs: Those of them that are texts (paired where both are judged).
        both: Right under both histories.
        gold_only: Right after the gold history alone.
        own_only: Right on the model's own alone.
        neither: Wrong under both.
        with_error: Replays with an error on the model's own history.
        first_errors: Number of its decision, from 1 → how many replays.
        first_error_gold_failed: First errors at decisions that fail after the gold history too.
        behind: The decisions behind the first error, by distance; the last row is all of them.
        before: The decisions before it, and of replays without one. None fails on the model's own
            history, by definition; `gold_failed` says how difficult they are.
    """

    replays: int
    conversations: int
    pairs: int
    text_pairs: int
    both: int
    gold_only: int
    own_only: int
    neither: int
    with_error: int
    first_errors: dict[int, int]
    first_error_gold_failed: int
    behind: tuple[Behind, ...]
    before: Behind


def paired(pairs: Sequence[PairedDecision]) -> PairedPropagation:
    """Return what pairs say, whatever their order."""
    replays: dict[tuple[str, int], list[PairedDecision]] = defaultdict(list)
    for pair in sorted(pairs, key=lambda one: (one.replay, one.number)):
        replays[pair.replay].append(pair)
    firsts = {
        name: next((one for one in of if not one.own_ok), None) for name, of in replays.items()
    }
    errors = [one for one in firsts.values() if one is not None]
    later = [
        (one.number - first.number, one)
        for name, of in sorted(replays.items())
        if (first := firsts[name]) is not None
        for one in of
        if one.number > first.number
    ]
    before = [
        one
        for name, of in sorted(replays.items())
        for one in of
        if (first := firsts[name]) is None or one.number < first.number
    ]
    rows = [
        _behind(_range(low, high), [one for d, one in later if low <= d <= (high or d)])
        for low, high in _DISTANCES
    ]
    counts = [(one.gold_ok, one.own_ok) for one in pairs]
    numbers = sorted(one.number + 1 for one in errors)
    return PairedPropagation(
        replays=len(replays),
        conversations=len({name for name, _ in replays}),
        pairs=len(pairs),
        text_pairs=sum(one.action == "text" for one in pairs),
        both=counts.count((True, True)),
        gold_only=counts.count((True, False)),
        own_only=counts.count((False, True)),
        neither=counts.count((False, False)),
        with_error=len(errors),
        first_errors={number: numbers.count(number) for number in numbers},
        first_error_gold_failed=sum(not one.gold_ok for one in errors),
        behind=(*rows, _behind("all", [one for _, one in later])),
        before=_behind("before", before),
    )


def _range(low: int, high: int | None) -> str:
    return f"{low}+" if high is None else str(low) if low == high else f"{low}–{high}"


def _behind(distance: str, pairs: Sequence[PairedDecision]) -> Behind:
    lost: dict[str, int] = defaultdict(int)
    of: dict[str, int] = defaultdict(int)
    for one in pairs:
        lost[one.replay[0]] += one.gold_ok - one.own_ok
        of[one.replay[0]] += 1
    names = sorted(of)
    return Behind(
        distance=distance,
        decisions=len(pairs),
        conversations=len(names),
        own_failed=sum(not one.own_ok for one in pairs),
        own_unresolved=sum(one.own_unresolved for one in pairs),
        gold_failed=sum(not one.gold_ok for one in pairs),
        difference=sum(lost.values()) / len(pairs) if pairs else None,
        interval=ratio_interval([lost[name] for name in names], [of[name] for name in names])
        if names
        else Undefined(reason="no scores"),
    )


def read_pairs(gold_log: Path, closed_log: Path) -> tuple[list[PairedDecision], list[str]]:
    """Return the paired decisions of two logs, and notes for the reader.

    A tool decision is right after the gold history where the call is exact (or does the same, for a
    replay with `match=equivalent`). A text is paired where it was judged in both.

    Args:
        gold_log: A log of `gold_history`.
        closed_log: A log of `closed_loop`, of the same model and data.

    Raises:
        OptionError: They are none, or do not belong together.
        DataError: A log cannot be read.
    """
    gold = _one_log(gold_log, "GOLD_LOG", "gold_history")
    closed = _one_log(closed_log, "CLOSED_LOG", "closed_loop")
    _require_same(gold, closed)
    match = Match(closed.eval.task_args.get("match", Match.STRICT))
    right = {
        (sample.metadata["conversation"], sample.epoch, sample.metadata["number"]): found
        for sample in gold.samples or []
        if (found := _gold_ok(sample, match)) is not None
    }
    pairs, reached = [], 0
    for sample in closed.samples or []:
        for number, outcome, own_ok in _own(sample):
            reached += 1
            key = (sample.metadata["conversation"], sample.epoch, number)
            if own_ok is not None and key in right:
                pairs.append(
                    PairedDecision(
                        replay=key[:2],
                        number=number,
                        action=outcome.action,
                        gold_ok=right[key],
                        own_ok=own_ok,
                        own_unresolved=outcome.is_unresolved
                        or (outcome.action == "text" and not own_ok),
                    )
                )
    notes = [f"match={match}; {len(pairs)} of {reached} decisions that were reached are paired"]
    if not any(one.action == "text" for one in pairs):
        notes.append("texts are not paired: judge both runs, the closed loop with judge_texts=true")
    return pairs, notes


def _require_same(gold: EvalLog, closed: EvalLog) -> None:
    for what, one, other in (
        ("model", gold.eval.model, closed.eval.model),
        ("data", *((log.eval.metadata or {}).get("data") for log in (gold, closed))),
        ("epochs", gold.eval.config.epochs or 1, closed.eval.config.epochs or 1),
    ):
        if one != other:
            problem = f"another {what} than in GOLD_LOG: {other}, not {one}"
            raise OptionError("CLOSED_LOG", problem, "give two logs that belong together")


def _one_log(place: Path, option: str, task: str) -> EvalLog:
    heads = [
        (file, read_log(partial(read_eval_log, header_only=True), file))
        for file in log_files(place, option)
    ]
    found = [file for file, head in heads if head.eval.task.rpartition("/")[2] == task]
    if len(found) != 1:
        problem = f"{len(found)} logs of {task} in {place}"
        raise OptionError(option, problem, f"give one log of {task}")
    return read_log(read_eval_log, found[0])


def _gold_ok(sample: EvalSample, match: Match) -> bool | None:
    """Return whether a decision is right after the gold history; `None`: nobody can say."""
    scores = sample.scores or {}
    if sample.metadata["action"] == "tool":
        row = "exact" if match is Match.STRICT else "equivalent"
        return _is_one(scores.get("strict_tool"), row)
    return _is_one(scores.get("turn_judge"), "turn_success")


def _is_one(score: Any, row: str) -> bool | None:
    value = score.value.get(row) if score is not None and isinstance(score.value, dict) else None
    return bool(value) if value in (0, 1) else None


def _own(sample: EvalSample) -> Iterator[tuple[int, DecisionOutcome, bool | None]]:
    """Yield the decisions that a replay reached, and whether the first answer was right."""
    stored = sample.store.get(REPLAY_KEY)
    if stored is None:
        return
    judged = (sample.scores or {}).get("replayed_texts")
    texts: Mapping[int, bool | None] = {
        one["decision"]: one["passed"]
        for one in ((judged.metadata or {}).get("texts", ()) if judged is not None else ())
    }
    for outcome in ReplayRecord.model_validate(stored).decisions:
        if outcome.outcome in _UNPAIRED:
            continue
        if outcome.action == "tool" or outcome.is_unresolved:
            yield outcome.number, outcome, not outcome.has_error
        else:
            verdict = texts.get(outcome.number)
            yield outcome.number, outcome, verdict and not outcome.rejections


def paired_page(found: PairedPropagation, notes: Sequence[str]) -> str:
    """Return the figures as a page for a terminal."""
    table = text_table(
        ("", "own right", "own wrong"),
        [
            ("gold right", str(found.both), str(found.gold_only)),
            ("gold wrong", str(found.own_only), str(found.neither)),
        ],
    )
    numbers = ", ".join(f"{n}: {count}" for n, count in found.first_errors.items()) or "none"
    rows = [_row(one) for one in (found.before, *found.behind)]
    head = ("behind the first error", "n", "conversations", "own failed", "unresolved")
    more = ("gold failed", "own - gold", "95 %")
    return "\n\n".join(
        [
            *notes,
            f"{found.pairs} pairs ({found.text_pairs} texts), {found.replays} replays, "
            f"{found.conversations} conversations; the first answer under each history:",
            table,
            f"replays with an error: {found.with_error}; at decision: {numbers}; "
            f"wrong there after the gold history too: {found.first_error_gold_failed}",
            text_table((*head, *more), rows),
        ]
    )


def _row(one: Behind) -> tuple[str, ...]:
    def share(count: int) -> str:
        return f"{100 * count / one.decisions:.1f} %" if one.decisions else "–"

    interval = one.interval
    bounds = (
        "undefined"
        if isinstance(interval, Undefined)
        else f"{100 * interval.lower:+.1f} … {100 * interval.upper:+.1f}"
    )
    difference = "–" if one.difference is None else f"{100 * one.difference:+.1f}"
    counts = (one.own_failed, one.own_unresolved, one.gold_failed)
    return (
        one.distance,
        str(one.decisions),
        str(one.conversations),
        *map(share, counts),
        difference,
        bounds,
    )
