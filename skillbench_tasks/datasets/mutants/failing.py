"""Operator `failure_ignored`: a tool fails and the agent goes on as if it had not."""

from __future__ import annotations

from typing import Final

from skillbench_tasks.datasets.mutants.edits import agent, call_of, cut, dropped, reworded
from skillbench_tasks.datasets.mutants.ending import HANDED_OVER
from skillbench_tasks.datasets.mutants.making import transfer
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import HAND_OVER, Place, Story, is_lost, pick
from skillbench_tasks.models import Outcome, State

__all__ = ["done_claim", "ignored_failures"]

_CLAIMS: Final = {
    "change_item_quantity": "I've changed the quantity on your order.",
    "cancel_request": "I've withdrawn your request, so nothing more is going to happen with it.",
    "create_return_label": "Your return label has been made and is on its way to you.",
    "dispute_charge": "I've opened the dispute, and you'll hear from us within 10 working days.",
    "issue_credit": "I've put the credit on your account.",
    "issue_refund": "I've refunded the money to you.",
    "open_request": "I've opened your request, and the office is working on it.",
    "order_device_swap": "I've ordered the new device for you, and it will be sent out shortly.",
    "order_replacement_card": "I've ordered your new card, and it is being made now.",
    "redeem_offer": "I've put the offer on your account.",
    "remove_item": "I've taken the article off your order.",
    "reschedule_visit": "I've moved your visit for you.",
    "update_address": "I've saved your new address.",
    "update_preferences": "I've saved your preferences just as you wanted them.",
}
_ANY_CLAIM: Final = (
    "It's all done: what you asked for has been carried out.",
    "That's taken care of, the change you wanted has been made.",
)
_SENT_AWAY: Final = (
    "I'm sorry, our system isn't working today. Please try again some other time.",
    "Something is down on our side, so I can't do it now. You're welcome to come back tomorrow.",
)
_PROMISED: Final = (
    "The system is a bit slow, but your wish is stored and goes through by itself tonight.",
    "It's in our queue now and will be carried out without any further step later today.",
)
_NOT_MADE: Final = "The system let me down, and the change could not be made."
_FAILURES: Final = frozenset(
    {"unavailable", "rate_limited", "timeout", "malformed_response", "service_error"}
)


def ignored_failures(story: Story) -> Drafts:
    """Yield mutants in which a failing tool is not retried, checked or handed over."""
    for place in story.places:
        error = place.call.error
        if error is None or error.code not in _FAILURES or story.failed_before(place):
            continue
        retries = _retries(story, place)
        if is_lost(place) and story.is_write(place.call.tool):
            yield from _lost(story, place)
        elif retries and retries[-1].call.error is None:
            yield from _passing(story, place, retries)
        else:
            yield from _lasting(story, place)


def done_claim(story: Story, tool: str) -> str:
    """Return a sentence that claims a write as done."""
    claim = _CLAIMS.get(tool.partition(":")[2])
    return claim or pick(_ANY_CLAIM, story.case.id, tool)


def _retries(story: Story, first: Place) -> list[Place]:
    return [
        p
        for p in story.places
        if p.turn == first.turn
        and p.index > first.index
        and (p.call.tool, p.call.arguments) == (first.call.tool, first.call.arguments)
    ]


def _passing(story: Story, first: Place, retries: list[Place]) -> Drafts:
    tool, where = first.call.tool, f"turn {first.turn}"
    script = dropped(story.script, *retries)
    yield Draft("not_retried", f"{where}: {tool} fails, no retry, words as before", script)
    if len(retries) > 1:
        script = dropped(story.script, retries[-1])
        yield Draft("retried_in_vain", f"{where}: {tool} fails twice, words as before", script)
    yield from _ended(story, first, retried=False)


def _lasting(story: Story, place: Place) -> Drafts:
    tool = place.call.tool
    yield from _ended(story, place, retried=True)
    if any(p.call.tool == HAND_OVER and p.turn == place.turn for p in story.places):
        text = f"{done_claim(story, tool)} {pick(HANDED_OVER, story.case.id, tool)}"
        detail = f"turn {place.turn}: {tool} fails, claimed as done, handed over"
        yield Draft("claimed_and_handed_over", detail, reworded(story.script, place.turn, text))


def _ended(story: Story, place: Place, *, retried: bool) -> Drafts:
    """The conversation ends after the failure: claimed, put off, or promised."""
    tool, turn = place.call.tool, place.turn
    upto = place.index
    if retried:
        upto = max([p.index for p in _retries(story, place)], default=place.index)
    calls = [call_of(p) for p in story.places if p.turn == turn and p.index <= upto]
    case = story.case.id
    ends = {
        "claimed_as_done": (done_claim(story, tool), State.RESOLVED),
        "sent_away": (pick(_SENT_AWAY, case), State.RESOLVED),
        "promised": (pick(_PROMISED, case), State.RESOLVED),
    }
    if Outcome.OUT_OF_SCOPE not in story.right_ends:
        ends["refused"] = (pick(_SENT_AWAY, case, "refused"), State.OUT_OF_SCOPE)
    for operator, (text, end) in ends.items():
        script = cut(story.script, turn, end, agent(text, *calls))
        yield Draft(operator, f"turn {turn}: {tool} fails; {text}", script)


def _lost(story: Story, lost: Place) -> Drafts:
    tool, turn, case = lost.call.tool, lost.turn, story.case.id
    check = story.check_of(lost)
    if check is None:
        return
    script = dropped(story.script, check)
    yield Draft("not_checked", f"turn {turn}: reply of {tool} lost, state not read", script)
    calls = [call_of(p) for p in story.places if p.turn == turn and p.index <= lost.index]
    if tool == HAND_OVER:
        text = "I wanted to pass you on, but that failed. Please come back another day."
        gone = cut(story.script, turn, State.RESOLVED, agent(text, *calls))
        yield Draft("taken_as_failed", f"turn {turn}: {tool} taken as failed", gone)
        return
    closed = f"{_NOT_MADE} Please try again tomorrow."
    gone = cut(story.script, turn, State.RESOLVED, agent(closed, *calls))
    yield Draft("taken_as_failed", f"turn {turn}: {tool} taken as failed, closed", gone)
    summary = f"{tool} timed out; the change was not made. Please do it by hand."
    call = transfer(story, "system_failure", "general_support", summary)
    text = f"{_NOT_MADE} {pick(HANDED_OVER, case, tool)}"
    over = cut(story.script, turn, State.TRANSFERRED, agent(text, *calls, call))
    yield Draft("handed_over_unchecked", f"turn {turn}: {tool} taken as failed, handed over", over)
