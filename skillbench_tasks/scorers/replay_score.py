"""What a closed-loop replay says: completion, and how a first error spreads. Pure.

Source: protocol B iv. A workflow is completed when every decision was reached and no error is left
unresolved. The stricter reading, `completion_first_try`, allows no rejected call at all. The looser
one, `completion_any_wording`, forgives a gold call that was tried and rejected for the words of its
free texts alone. A call that the workflow can do without is never missed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from skillbench_tasks.models import Model
from skillbench_tasks.models.replay_record import (
    CallStatus,
    DecisionOutcome,
    Outcome,
    ReplayedCall,
    ReplayRecord,
)

__all__ = ["Propagation", "ReplayScore", "propagation", "replay_score"]


class Propagation(Model):
    """How the first error of a replay spreads.

    `first_error` is its decision, counted from 1 (`None`: there is none); `later` counts the
    decisions behind it that were reached, `later_failed` those of them left unresolved, and the
    next two the same for tool decisions alone.
    """

    first_error: int | None = None
    first_error_corrected: bool | None = None
    later_decisions: int = 0
    later_failed: int = 0
    later_tool_decisions: int = 0
    later_tool_failed: int = 0


class ReplayScore(Model):
    """The grades of one replay, each with what breaks it (empty: it holds).

    `tool_errors` are the decisions at which calls were rejected and nothing put that right: a call
    that was merely missed is none.
    """

    completion: bool
    completion_first_try: bool
    completion_any_wording: bool
    reasons: tuple[str, ...]
    tool_errors: tuple[str, ...]
    rejected_calls: int
    propagation: Propagation
    tool_decisions: int
    tool_failed: int


def replay_score(record: ReplayRecord) -> ReplayScore:
    """Return the grades of a replay.

    Args:
        record: The replay.
    """
    unresolved = [one for one in record.decisions if one.is_unresolved]
    rejected = [
        event
        for event in record.events
        if isinstance(event, ReplayedCall) and event.status is CallStatus.REJECTED
    ]
    tool = [
        one
        for one in record.decisions
        if one.action == "tool" and one.outcome is not Outcome.LEFT_OUT
    ]
    return ReplayScore(
        completion=not unresolved,
        completion_first_try=not unresolved and not rejected,
        completion_any_wording=all(one.other_wording for one in unresolved),
        reasons=tuple(
            f"decision {one.number + 1} ({one.action}): {one.outcome}" for one in unresolved
        ),
        tool_errors=tuple(
            f"decision {one.number + 1} ({one.action}): {one.rejections} rejected, none put right"
            for one in unresolved
            if one.rejections or one.outcome is Outcome.REJECTED
        ),
        rejected_calls=len(rejected),
        propagation=propagation(record.decisions),
        tool_decisions=len(tool),
        tool_failed=sum(one.is_unresolved for one in tool),
    )


def propagation(
    decisions: Sequence[DecisionOutcome], failed_texts: Collection[int] = ()
) -> Propagation:
    """Return how the first error spreads over the decisions behind it.

    Args:
        decisions: All decisions of the conversation, in order.
        failed_texts: Numbers of texts that judges do not accept: errors that stand.
    """

    def stands(one: DecisionOutcome) -> bool:
        return one.is_unresolved or one.number in failed_texts

    errors = (at for at, one in enumerate(decisions) if one.has_error or stands(one))
    place = next(errors, None)
    if place is None:
        return Propagation()
    later = [
        one
        for one in decisions[place + 1 :]
        if one.outcome not in (Outcome.NOT_REACHED, Outcome.PASSED_OVER, Outcome.LEFT_OUT)
    ]
    tool = [one for one in later if one.action == "tool"]
    return Propagation(
        first_error=place + 1,
        first_error_corrected=not stands(decisions[place]),
        later_decisions=len(later),
        later_failed=sum(map(stands, later)),
        later_tool_decisions=len(tool),
        later_tool_failed=sum(map(stands, tool)),
    )
