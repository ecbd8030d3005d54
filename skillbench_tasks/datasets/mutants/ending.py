"""Operator `wrong_ending`: the conversation ends in another way than is right."""

from __future__ import annotations

from typing import Final

from skillbench_tasks.datasets.mutants.edits import (
    added,
    agent,
    call_of,
    cut,
    dropped,
    reworded,
    user,
    with_end,
)
from skillbench_tasks.datasets.mutants.making import transfer
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import HAND_OVER, Story, pick
from skillbench_tasks.datasets.script import ScriptCall, ScriptTurn
from skillbench_tasks.models import Outcome, State

__all__ = ["HANDED_OVER", "wrong_endings"]

HANDED_OVER: Final = (
    "I'm passing you on to a colleague who will take it from here.",
    "A colleague of mine takes over now and will help you further.",
    "Let me hand this to one of my colleagues, who will be with you shortly.",
)
_SUMMARY: Final = "Customer has a request; it was passed on without having been dealt with."
_REFUSED: Final = (
    "I'm sorry, but that is nothing that we can do at this desk.",
    "I'm afraid this lies outside of what I can help with here.",
    "Unfortunately that isn't something this desk takes care of.",
)
_BYE: Final = (
    "That's all I can do for you here today, I'm afraid. Have a good day.",
    "I'm sorry, I can't take this any further. Goodbye, and take care.",
)
_GIVES_UP: Final = (
    "Never mind, this takes too long. I'll leave it.",
    "Forget it, I don't have the time for this.",
    "You know what, let's just drop it. Bye.",
)
_STALLS: Final = (
    ("One moment please, I'm still looking into it.", "Okay."),
    ("Thank you for waiting, I'm on it.", "Still there?"),
    ("It takes a little longer today, please bear with me.", "Fine, I'm waiting."),
)


def wrong_endings(story: Story) -> Drafts:
    """Yield mutants that end in a state that is not right for the case."""
    yield from _not_finished(story)
    if Outcome.TRANSFERRED not in story.right_ends:
        yield from _transferred(story)
    if Outcome.OUT_OF_SCOPE not in story.right_ends:
        yield from _refused(story)
    if Outcome.RESOLVED not in story.right_ends:
        yield from _closed(story)


def _turning_point(story: Story) -> int:
    """The agent turn with the first act that counts: write or hand-over, else the last turn."""
    acts = [p.turn for p in story.writes]
    acts += [p.turn for p in story.places if p.call.tool == HAND_OVER]
    return min(acts, default=story.last)


def _done_before(story: Story, turn: int) -> list[ScriptCall]:
    """The calls of a turn that come before its first act that counts."""
    calls: list[ScriptCall] = []
    for place in story.places:
        if place.turn == turn:
            if place in story.writes or place.call.tool == HAND_OVER:
                break
            calls.append(call_of(place))
    return calls


def _not_finished(story: Story) -> Drafts:
    at = _turning_point(story)
    leaves = user(pick(_GIVES_UP, story.case.id))
    waits = agent(_STALLS[0][0])
    gave_up = cut(story.script, at, State.GAVE_UP, waits, leaves)
    yield Draft("gave_up", f"turn {at}: the user leaves with nothing done", gave_up)
    stalls: list[ScriptTurn] = []
    for said, answer in _STALLS:
        stalls += [agent(said), user(answer)]
    stalled = cut(story.script, at, State.TURN_BUDGET, *stalls)
    yield Draft("stalled", f"turn {at}: the agent stalls until the budget is used up", stalled)


def _transferred(story: Story) -> Drafts:
    at, text = _turning_point(story), pick(HANDED_OVER, story.case.id)
    call = transfer(story, "technical_escalation", "general_support", _SUMMARY)
    if HAND_OVER not in story.case.checks.toolkit:
        return
    done = _done_before(story, at)
    early = cut(story.script, at, State.TRANSFERRED, agent(text, *done, call))
    yield Draft("handed_over_instead", f"turn {at}: handed over, not dealt with", early)
    late = added(story.script, user("Okay, thank you."), agent(text, call))
    detail = "handed over though all was done"
    yield Draft("handed_over_after_all", detail, with_end(late, State.TRANSFERRED))


def _refused(story: Story) -> Drafts:
    at, text = _turning_point(story), pick(_REFUSED, story.case.id)
    done = _done_before(story, at)
    script = cut(story.script, at, State.OUT_OF_SCOPE, agent(text, *done))
    yield Draft("refused", f"turn {at}: refused as none of the desk's business", script)


def _closed(story: Story) -> Drafts:
    """Resolved where a person had to take over."""
    calls = [p for p in story.places if p.call.tool == HAND_OVER]
    if not calls:
        return
    kept = with_end(dropped(story.script, *calls), State.RESOLVED)
    if all(act.kind == "hand_over" for act in story.turns[story.last].acts):
        kept = reworded(kept, story.last, pick(_BYE, story.case.id))
    yield Draft("closed_not_handed_over", f"turn {story.last}: closed, no hand-over", kept)
