"""Edits of scripts: calls dropped, added, moved or changed; turns cut, added or reworded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.story import Place
from skillbench_tasks.datasets.script import Script, ScriptCall, ScriptTurn
from skillbench_tasks.models import State

__all__ = [
    "added",
    "agent",
    "call_of",
    "cut",
    "dropped",
    "inserted",
    "interjected",
    "moved",
    "replaced",
    "reworded",
    "spliced",
    "user",
    "with_arguments",
    "with_end",
]


def call_of(place: Place) -> ScriptCall:
    """Return a gold call as one to be made."""
    return ScriptCall(tool=place.call.tool, arguments=place.call.arguments)


def agent(text: str, *calls: ScriptCall) -> ScriptTurn:
    """Return a turn of the agent."""
    return ScriptTurn(role="agent", text=text, calls=calls)


def user(text: str, *acts: str) -> ScriptTurn:
    """Return a turn of the user."""
    return ScriptTurn(role="user", text=text, acts=acts)


def dropped(script: Script, *places: Place) -> Script:
    """Return the script without some calls."""
    gone = {(place.turn, place.index) for place in places}
    for turn in {place.turn for place in places}:
        calls = script.turns[turn].calls
        kept = tuple(call for i, call in enumerate(calls) if (turn, i) not in gone)
        script = _with_calls(script, turn, kept)
    return script


def inserted(script: Script, turn: int, index: int, *calls: ScriptCall) -> Script:
    """Return the script with calls inserted before the call at an index of a turn."""
    before = script.turns[turn].calls
    return _with_calls(script, turn, (*before[:index], *calls, *before[index:]))


def moved(script: Script, place: Place, turn: int, index: int) -> Script:
    """Return the script with a call moved before the call that stands at another place."""
    if turn == place.turn and place.index < index:
        index -= 1
    return inserted(dropped(script, place), turn, index, call_of(place))


def with_arguments(script: Script, place: Place, arguments: Mapping[str, JsonValue]) -> Script:
    """Return the script with other arguments of a call."""
    call = ScriptCall(tool=place.call.tool, arguments=dict(arguments))
    return inserted(dropped(script, place), place.turn, place.index, call)


def replaced(script: Script, place: Place, call: ScriptCall) -> Script:
    """Return the script with another call in a call's place."""
    return inserted(dropped(script, place), place.turn, place.index, call)


def reworded(script: Script, turn: int, text: str, acts: Sequence[str] | None = None) -> Script:
    """Return the script with another text of a turn."""
    update: dict[str, object] = {"text": text}
    if acts is not None:
        update["acts"] = tuple(acts)
    return spliced(script, turn, turn + 1, script.turns[turn].model_copy(update=update))


def interjected(text: str, sentence: str) -> str:
    """Return a text with a sentence put in before its last one."""
    head, last = _last_sentence(text)
    return " ".join(part for part in (head, sentence, last) if part)


def spliced(script: Script, start: int, stop: int, *turns: ScriptTurn) -> Script:
    """Return the script with the turns from `start` to before `stop` replaced."""
    rest = (*script.turns[:start], *turns, *script.turns[stop:])
    return script.model_copy(update={"turns": rest})


def cut(script: Script, length: int, end: State, *turns: ScriptTurn) -> Script:
    """Return the first turns of a script, with others after them and another end."""
    return Script(turns=(*script.turns[:length], *turns), end=end)


def added(script: Script, *turns: ScriptTurn) -> Script:
    """Return the script with turns at its end."""
    return script.model_copy(update={"turns": (*script.turns, *turns)})


def with_end(script: Script, end: State) -> Script:
    """Return the script with another end."""
    return script.model_copy(update={"end": end})


def _with_calls(script: Script, turn: int, calls: Sequence[ScriptCall]) -> Script:
    changed = script.turns[turn].model_copy(update={"calls": tuple(calls)})
    return spliced(script, turn, turn + 1, changed)


def _last_sentence(text: str) -> tuple[str, str]:
    parts = re.split(r"(?<=[.!?])\s+", text)
    return " ".join(parts[:-1]), parts[-1]
