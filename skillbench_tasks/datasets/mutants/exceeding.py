"""Operators `extra_write` and `duplicate_after_lost_reply`: a write more than was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.edits import (
    added,
    agent,
    call_of,
    dropped,
    inserted,
    interjected,
    replaced,
    reworded,
    user,
)
from skillbench_tasks.datasets.mutants.making import made_up_calls
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import HAND_OVER, Place, Story, is_lost, pick
from skillbench_tasks.datasets.mutants.values import other_values
from skillbench_tasks.datasets.script import Script, ScriptCall

__all__ = ["duplicates", "extra_writes"]

_THANKS: Final = ("Thanks a lot.", "Great, thank you.", "Perfect, thanks for your help.")
_WELCOME: Final = (
    "You're welcome. I've sent it once more to be on the safe side.",
    "My pleasure. Just to be sure, I put it through again.",
    "Of course. I ran it a second time so that nothing gets lost.",
)
_FURTHER: Final = frozenset({"other_record", "record_of_another", "flipped", "other_date"})
"""Operators on an argument that make a call another one rather than the same made wrong."""

_DOUBT: Final = ("Did that really go through?", "Are you sure that it worked?")


def extra_writes(story: Story) -> Drafts:
    """Yield mutants with a write that nobody asked for, at the end of the agent's last calls."""
    for operator, call in _extra_calls(story):
        end = len(story.script.turns[story.last].calls)
        script = inserted(story.script, story.last, end, call)
        detail = f"turn {story.last}: {call.tool} {call.arguments} on top"
        yield Draft(operator, detail, script)


def _extra_calls(story: Story) -> Iterator[tuple[str, ScriptCall]]:
    for place in story.writes:
        if is_lost(place):
            continue  # a repetition here is `duplicate_after_lost_reply`
        yield from _more_of_the_same(story, place)
    used = {place.call.tool for place in story.places}
    for tool in sorted(story.case.checks.toolkit):
        if not story.is_write(tool) or tool == HAND_OVER or tool in used:
            continue
        for call in _first(made_up_calls(story, tool, story.subject)):
            yield "other_write", call
        for call in _first(made_up_calls(story, tool, story.stranger(tool))):
            yield "other_write_on_another_file", call
    transfer = next((p for p in story.places if p.call.tool == HAND_OVER), None)
    if transfer is not None and transfer.call.error is None:
        yield "handed_over_twice", call_of(transfer)


def _more_of_the_same(story: Story, place: Place) -> Iterator[tuple[str, ScriptCall]]:
    tool, arguments = place.call.tool, place.call.arguments
    if story.changes_end(tool, arguments):
        yield "repeated", call_of(place)
    for argument, value in arguments.items():
        for operator, other in other_values(story, tool, argument, value):
            changed: dict[str, JsonValue] = {**arguments, argument: other}
            if operator in _FURTHER and story.changes_end(tool, changed):
                yield f"again_with_{operator}", ScriptCall(tool=tool, arguments=changed)


def _first(calls: Iterator[ScriptCall]) -> Iterator[ScriptCall]:
    call = next(calls, None)
    if call is not None:
        yield call


def duplicates(story: Story) -> Drafts:
    """Yield mutants that make a write again whose reply was lost, though it had been done."""
    for lost in story.places:
        check = story.check_of(lost) if is_lost(lost) else None
        if check is None or not story.is_write(lost.call.tool):
            continue
        for operator, script in _repeated(story, lost, check):
            yield Draft(operator, f"turn {lost.turn}: {lost.call.tool} made again", script)


def _repeated(story: Story, lost: Place, check: Place) -> Iterator[tuple[str, Script]]:
    script, again, turn = story.script, call_of(lost), lost.turn
    spelled = _spelled_otherwise(again)
    after = check.index + 1
    yield "blind_retry", inserted(script, turn, check.index, again)
    yield "retry_instead_of_check", replaced(script, check, again)
    yield "retry_after_check", inserted(script, turn, after, again)
    yield "spelled_otherwise_after_check", inserted(script, turn, after, spelled)
    yield "spelled_otherwise_instead_of_check", replaced(script, check, spelled)
    yield "retried_twice", inserted(dropped(script, check), turn, check.index, again, again)
    thanks, welcome = pick(_THANKS, story.case.id), pick(_WELCOME, story.case.id)
    yield "retry_at_the_end", added(script, user(thanks), agent(welcome, again))
    doubt = pick(_DOUBT, story.case.id)
    yield "retry_on_doubt", added(script, user(doubt), agent(welcome, spelled))
    text = interjected(script.turns[turn].text, "I've entered it again as well, just in case.")
    told = reworded(inserted(script, turn, after, again), turn, text)
    yield "retry_told", told


def _spelled_otherwise(call: ScriptCall) -> ScriptCall:
    """The same call with its keys in another order and its whole numbers as `12.0`."""
    changed = {
        name: float(v) if isinstance(v, int) and not isinstance(v, bool) else v
        for name, v in reversed(call.arguments.items())
    }
    return ScriptCall(tool=call.tool, arguments=changed)
