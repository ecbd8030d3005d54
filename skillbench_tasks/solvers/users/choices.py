"""Which slots a choice that an agent offers is about."""

from __future__ import annotations

import re
from collections.abc import Iterable

from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.literals import stated_types, times_stated
from skillbench_tasks.solvers.users.memory import IDENTITY, THINGS, Memory
from skillbench_tasks.solvers.users.proposals import options_in
from skillbench_tasks.solvers.users.sentences import sentences
from skillbench_tasks.solvers.users.understanding import Part
from skillbench_tasks.solvers.users.values import Match

__all__ = ["listed_after", "picked"]

_COUNTED = ("date", "time_window")
# "Kitchen, bedding, lighting?" after a question lists its answers.
_LIST = re.compile(
    r"\s*((?!(?:and|then|also|please|could|can|would|what|which|tell)\b)[^.?!:]{3,160}\?)", re.I
)


def picked(memory: Memory, part: Part, text: str) -> list[str]:
    """Return the slots of which a choice offers the user's answer, or which it asks for."""
    named = [s for group in part.groups for m in group for s in m.slots if memory.has(s)]
    goals = memory.goal_slots()
    of_type = [s for s in goals if memory.kind(s) in ("choice", *_COUNTED)]
    candidates = list(dict.fromkeys([*named, *of_type]))
    raw = part.sentence.raw
    counted = {kind for kind in _COUNTED if times_stated(raw, kind) > 1}
    kinds = counted if counted else stated_types(raw) & {*_COUNTED}
    if not kinds and _has_many(text):
        kinds = {kind for kind in _COUNTED if times_stated(text, kind) > 1}
    kinds = {memory.kind(s) for s in candidates} & kinds
    open_ones = [s for s in candidates if not kinds or memory.kind(s) in kinds or s in named]
    if counted:  # of a date that all options share none is to be chosen
        open_ones = [s for s in open_ones if memory.kind(s) not in {*_COUNTED} - counted]
    bullets, wide = _bullets(text), [*named, *goals]
    for offer in dict.fromkeys((raw, bullets, text)):
        found = _untold(memory, [s for s in open_ones if memory.offered(s, offer)])
        if any(s in named for s in found):  # "the mesh point by parcel or by technician?"
            found = [s for s in found if s in named or memory.kind(s) in _COUNTED]
        if found:
            return list(dict.fromkeys(found))
        slots = wide if offer == bullets else named or goals
        if offer != raw and (listed := _offered(memory, slots, offer)):
            return listed
    found = _offered(memory, named or goals, part.context)
    found = found or [s for s in goals if memory.lists_options(s, raw.lower())]
    return found or _last_resort(memory, part, text, (named, candidates, counted))


def _last_resort(
    memory: Memory, part: Part, text: str, known: tuple[list[str], list[str], set[str]]
) -> list[str]:
    """Return what a choice is about where it offers no answer of the user's in his words."""
    named, candidates, counted = known
    types = counted or stated_types(text)
    found = [s for s in candidates if s in named or memory.kind(s) in types]
    found = [s for s in found if s not in IDENTITY]
    found += options_in(part.sentence.text, memory.facts())
    goals = list(memory.goal_slots())
    found = found or options_in(f"{text.lower()} or", _untold(memory, goals))
    if not found and p.WHICH_ONE.search(part.sentence.text):
        things = [s for s in goals if s in THINGS]
        found = [s for s in things if memory.match(s, text.lower()) is not Match.UNCLEAR]
    return list(dict.fromkeys(found))


def listed_after(memory: Memory, part: Part, message: str) -> list[str]:
    """Return the slots of which the answers are listed after a question: "For what? Bed, bath?"."""
    _, _, rest = message.partition(part.sentence.raw)
    found = _LIST.match(rest)
    if found is None or found[1].count(",") + len(re.findall(r"\bor\b", found[1])) < 2:
        return []
    listed = [s for s in memory.goal_slots() if memory.kind(s) in ("choice", "text")]
    return [s for s in listed if memory.offered(s, found[1])]


def _has_many(text: str) -> bool:
    return any(times_stated(text, kind) > 1 for kind in _COUNTED)


def _bullets(text: str) -> str:
    return "\n".join(clause.raw for clause in sentences(text) if clause.is_bullet)


def _untold(memory: Memory, slots: list[str]) -> list[str]:
    """Return the slots not told yet, or all where each is told."""
    return [slot for slot in slots if not memory.is_told(slot)] or slots


def _offered(memory: Memory, slots: Iterable[str], text: str) -> list[str]:
    """Return the slots, free text before ids, of which a text offers an answer."""
    for kind in ("text", "id"):
        fitting = [slot for slot in slots if memory.kind(slot) == kind]
        found = [slot for slot in fitting if memory.offered(slot, text)]
        if found:
            return _untold(memory, found)
    return []
