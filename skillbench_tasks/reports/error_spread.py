"""How an early error spreads in closed-loop replays: where the first is, and what follows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias, TypeGuard

from skillbench_tasks.models.base import Model
from skillbench_tasks.reports.comparison import Estimate
from skillbench_tasks.scorers.bootstrap import ratio_interval
from skillbench_tasks.scorers.statistic import Interval, Statistic, Undefined, ratio

__all__ = ["ErrorSpread", "ErrorTrace", "FailedShare", "error_spread", "error_trace"]

_Counts: TypeAlias = tuple[int, int]
"""Decisions that failed, and all of that sort."""


@dataclass(frozen=True)
class ErrorTrace:
    """The errors of one replay; `None` is what the log does not say.

    Args:
        conversation: Its conversation.
        needs: `tools` or `no_tools`; empty where the log does not say.
        first_error: Number of the first decision with an error, from 1; none without an error.
        is_corrected: Whether the first error was put right.
        later: Decisions after it.
        later_tool: Tool decisions after it.
        tool: All tool decisions of the replay.
    """

    conversation: str
    needs: str
    first_error: int | None
    is_corrected: bool | None = None
    later: _Counts | None = None
    later_tool: _Counts | None = None
    tool: _Counts | None = None


class FailedShare(Model):
    """Decisions, those of them that fail, and their ratio with its interval by conversation."""

    failed: int
    decisions: int
    share: Estimate


class ErrorSpread(Model):
    """The errors of one side's replays; each is counted for itself, epochs too.

    Args:
        replays: All replays.
        with_error: Those with an error, put right or not.
        first_error_median: Median number of the decision with the first error, from 1.
        first_errors: That number → how many replays.
        corrected: Replays whose first error was put right.
        standing: Replays whose first error was not.
        later: Decisions after the first error.
        later_after_corrected: The same where it was put right.
        later_after_standing: The same where it was not.
        later_tool: Tool decisions after the first error.
        tool: All tool decisions, what the former is to be compared with.
    """

    replays: int
    with_error: int
    first_error_median: Statistic
    first_errors: dict[int, int]
    corrected: int
    standing: int
    later: FailedShare
    later_after_corrected: FailedShare
    later_after_standing: FailedShare
    later_tool: FailedShare
    tool: FailedShare


def error_trace(conversation: str, needs: str, metadata: Mapping[str, Any]) -> ErrorTrace | None:
    """Read the trace from a score's metadata; none where they hold none."""
    if "first_error" not in metadata:
        return None
    corrected = metadata.get("first_error_corrected")
    first = metadata["first_error"]
    return ErrorTrace(
        conversation=conversation,
        needs=needs,
        first_error=first if _is_count(first) else None,
        is_corrected=corrected if isinstance(corrected, bool) else None,
        later=_counts(metadata, "later_failed", "later_decisions"),
        later_tool=_counts(metadata, "later_tool_failed", "later_tool_decisions"),
        tool=_counts(metadata, "tool_failed", "tool_decisions"),
    )


def error_spread(traces: Sequence[ErrorTrace]) -> ErrorSpread:
    """Return how errors spread over these replays, whatever their order."""
    erring = [trace for trace in traces if trace.first_error is not None]
    firsts = sorted(trace.first_error for trace in erring if trace.first_error is not None)
    corrected = [trace for trace in erring if trace.is_corrected is True]
    standing = [trace for trace in erring if trace.is_corrected is False]
    return ErrorSpread(
        replays=len(traces),
        with_error=len(firsts),
        first_error_median=float(median(firsts)) if firsts else Undefined(reason="no scores"),
        first_errors=dict(sorted(Counter(firsts).items())),
        corrected=len(corrected),
        standing=len(standing),
        later=_share((t.conversation, t.later) for t in erring),
        later_after_corrected=_share((t.conversation, t.later) for t in corrected),
        later_after_standing=_share((t.conversation, t.later) for t in standing),
        later_tool=_share((t.conversation, t.later_tool) for t in erring),
        tool=_share((t.conversation, t.tool) for t in traces),
    )


def _share(counts: Iterable[tuple[str, _Counts | None]]) -> FailedShare:
    failed: Counter[str] = Counter()
    decisions: Counter[str] = Counter()
    for conversation, found in counts:
        if found is not None:
            failed[conversation] += found[0]
            decisions[conversation] += found[1]
    names = sorted(decisions)
    share = ratio(failed.total(), decisions.total(), "no scores")
    interval: Interval | Undefined = (
        share
        if isinstance(share, Undefined)
        else ratio_interval([failed[name] for name in names], [decisions[name] for name in names])
    )
    return FailedShare(
        failed=failed.total(),
        decisions=decisions.total(),
        share=Estimate(value=share, interval=interval),
    )


def _counts(metadata: Mapping[str, Any], failed: str, of: str) -> _Counts | None:
    part, whole = metadata.get(failed), metadata.get(of)
    return (part, whole) if _is_count(part) and _is_count(whole) else None


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
