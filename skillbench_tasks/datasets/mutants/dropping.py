"""Operator `call_dropped`: a call is left out, the words that rest on it stay."""

from __future__ import annotations

from typing import Final

from skillbench_tasks.datasets.mutants.edits import dropped
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import HAND_OVER, Place, Story, is_lost

__all__ = ["dropped_calls"]

_EACH_COUNTS: Final = frozenset({"list_slots", "check_offer", "check_stock"})
"""Reads that the policies ask for anew for each date, offer or article."""


def dropped_calls(story: Story) -> Drafts:
    """Yield mutants without one call that the policy prescribes."""
    for place in story.places:
        operator = _operator(story, place)
        if operator is not None:
            detail = f"turn {place.turn}: no call of {place.call.tool}"
            yield Draft(operator, detail, dropped(story.script, place))


def _operator(story: Story, place: Place) -> str | None:
    call = place.call
    if call.error is not None and not is_lost(place):
        return None
    if is_lost(place) and not story.is_write(call.tool):
        return None
    if story.failed_before(place):
        return None  # a retry: `failure_ignored`
    if place in story.verifications:
        return None if story.is_repeated_fully(place) else "verification_dropped"
    if call.tool == HAND_OVER:
        return "hand_over_dropped"
    if story.is_write(call.tool):
        return "write_dropped"
    return "look_up_dropped" if _is_needed(story, place) else None


def _is_needed(story: Story, place: Place) -> bool:
    """Whether a read is prescribed and nothing else in the conversation shows the same."""
    call = place.call
    if call.tool not in story.case.checks.required_tools:
        return False
    lost = [p for p in story.places if is_lost(p) and story.is_write(p.call.tool)]
    if any(story.check_of(p) == place for p in lost):
        return False  # the check after a lost reply: `failure_ignored`
    alike = [p.call for p in story.places if p.call.tool == call.tool and p.call.error is None]
    if sum(other.arguments == call.arguments for other in alike) > 1:
        return False
    if call.tool.endswith(":find_customer"):
        return call is alike[-1]
    return len(alike) == 1 or call.tool.partition(":")[2] in _EACH_COUNTS
