"""What the user knows, what he has told, and in which words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import expresses, say_value
from skillbench_tasks.models import Scenario, SlotSpec
from skillbench_tasks.solvers.users.cues import Mention
from skillbench_tasks.solvers.users.literals import name_after
from skillbench_tasks.solvers.users.values import (
    Match,
    has_option,
    option_match,
    options_said,
    request_match,
    thing_match,
)

__all__ = ["IDENTITY", "THINGS", "Memory"]

IDENTITY = frozenset(
    (
        "full_name",
        "phone",
        "email",
        "postcode",
        "address",
        "date_of_birth",
        "year_of_birth",
        "security_word",
        "security_pin",
        "verification_code",
        "account_number",
        "member_number",
        "customer_id",
        "username",
        "card_last4",
        "ssn_last4",
        "ssn",
        "card_number",
        "password",
        "order_id",
    )
)
"""Slots that say who the user is or which record he means, not what he wants."""


REQUESTS = frozenset({"request_type"})
THINGS = frozenset({"item", "label_item", "new_item"})
"""Slots for a piece of goods, of which agents say some words."""


# "8 AM-12 PM" is read as a window only with room around its dash.
_TIGHT_DASH = re.compile(r"(?<=[ap]m)\s*[-–]\s*(?=\d)", re.I)
_YEAR = re.compile(r", \d{4}$")
_EMAIL = re.compile(r"\S+@\S+")


class Memory:
    """The facts of a scenario with a pointer to the successive answer given last."""

    def __init__(self, scenario: Scenario, slots: Mapping[str, SlotSpec]) -> None:
        self._slots = slots
        self._facts: dict[str, list[JsonValue]] = {}
        self._words: dict[str, list[str]] = {}
        self._given: dict[str, int] = {}
        self._unknown = frozenset(scenario.unknown)
        for slot, value in scenario.facts.items():
            self._facts[slot] = value if isinstance(value, list) else [value]
        for slot, words in scenario.says.items():
            self._words[slot] = [words] if isinstance(words, str) else list(words)
        for slot in scenario.tells:
            self.give(slot)

    def has(self, slot: str) -> bool:
        """Return whether the user can answer a question for the slot."""
        return slot in self._facts and slot not in self._unknown

    def answers(self, slot: str) -> bool:
        """Return whether a question for the slot has an answer, be it that he does not have it."""
        return self.has(slot) or slot in self._unknown

    def is_told(self, slot: str) -> bool:
        """Return whether the user has told the slot."""
        return slot in self._given

    def kind(self, slot: str) -> str:
        """Return the slot's value type."""
        return self._slots[slot].type if slot in self._slots else "text"

    def give(self, slot: str) -> str:
        """Advance to the slot's next answer (the last one repeats) and return its words."""
        self._given[slot] = self._given.get(slot, -1) + 1
        return self.words(slot)

    def change(self, slot: str, value: JsonValue) -> str:
        """Replace the slot's answers by a new one and return its words."""
        self._facts[slot], self._given[slot] = [value], 0
        self._words.pop(slot, None)
        return self.words(slot)

    def words(self, slot: str) -> str:
        """Return how the user puts the answer that he gave last (or gives first)."""
        words = self._words.get(slot)
        at = self._given.get(slot, 0)
        if words:
            return words[min(at, len(words) - 1)]
        values = self._facts.get(slot, [""])
        said = say_value(values[min(at, len(values) - 1)], self.kind(slot))
        is_coming = self.kind(slot) == "date" and slot not in IDENTITY
        return _YEAR.sub("", said) if is_coming else said

    def goal_slots(self) -> tuple[str, ...]:
        """Return the slots that bear the goal, in the scenario's order."""
        return tuple(slot for slot in self._facts if slot not in IDENTITY and self.has(slot))

    def facts(self) -> tuple[str, ...]:
        """Return all slots that the user can answer for."""
        return tuple(slot for slot in self._facts if self.has(slot))

    def stated(self, slot: str, text: str) -> bool:
        """Return whether a text states an answer that the user has given or gives next.

        Answers that he gives later stay his secret: a wrong guess of them is corrected.
        """
        values = self._facts.get(slot, [])
        text = _TIGHT_DASH.sub(" - ", text)
        if self.kind(slot) == "name":
            text = _EMAIL.sub(" ", text)
        reach = min(self._given.get(slot, 0) + 1, len(values))
        wanted = values if slot not in IDENTITY else values[:reach]
        if any(_is_said(value, text) for value in wanted):
            return True
        if self.kind(slot) == "name" and _is_surname(name_after(text), wanted):
            return True
        if self.kind(slot) == "time_window" and any(_is_loosely_said(v, text) for v in wanted):
            return True
        words = self._words.get(slot, [])
        return any(len(said) > 3 and said.lower() in text.lower() for said in words)

    def match(self, slot: str, text: str, before: str = "") -> Match:
        """Return how a lower-case text stands to the answer of a choice or of a thing."""
        values = self._facts.get(slot, [])
        if not values:
            return Match.UNCLEAR
        value = str(values[min(self._given.get(slot, 0), len(values) - 1)])
        if slot in THINGS:
            return thing_match(value, text, before)
        if slot in REQUESTS:
            return request_match(value, text)
        if self.kind(slot) != "choice":
            return Match.UNCLEAR
        return option_match(slot, value, self._slots[slot].cues, text)

    def names_option(self, slot: str, text: str) -> bool:
        """Return whether a lower-case text names an option of a choice, be it not the user's."""
        if self.kind(slot) != "choice" or slot not in self._slots or not self.has(slot):
            return False
        value = str(self._facts[slot][0])
        return has_option(slot, value, self._slots[slot].cues, text)

    def lists_options(self, slot: str, text: str) -> bool:
        """Return whether a lower-case text names several options of a choice."""
        if self.kind(slot) != "choice" or slot not in self._slots:
            return False
        return len(options_said(self._slots[slot].cues, text)) > 1

    def has_next(self, slot: str, text: str) -> bool:
        """Return whether a text states the answer that comes after the one given last."""
        values = self._facts.get(slot, [])
        at = self._given.get(slot, -1) + 1
        return at < len(values) and _is_said(values[at], text)

    def offered(self, slot: str, text: str) -> bool:
        """Move to the answer, from the present one on, that a text offers; `False`: none is."""
        values = self._facts.get(slot, [])
        text = _TIGHT_DASH.sub(" - ", text)
        start = min(self._given.get(slot, 0), max(len(values) - 1, 0))
        is_window = self.kind(slot) == "time_window"
        for i in (*range(start, len(values)), *range(start)):
            if _is_said(values[i], text) or (is_window and _is_loosely_said(values[i], text)):
                self._given[slot] = i
                return True
        return False

    def resolves(self, mentions: Iterable[Mention]) -> bool:
        """Return whether a question means a slot that the user can answer for."""
        slot = self.resolve(mentions)
        return slot is not None and self.answers(slot)

    def pair(self, mentions: Iterable[Mention]) -> list[str]:
        """Return both ends of a span that a question asks for at once: "which dates"."""
        for mention in mentions:
            known = [slot for slot in mention.slots if self.has(slot)]
            ends = {slot.rpartition("_")[2] for slot in known}
            if ends in ({"from", "to"}, {"start", "end"}):
                return known
        return []

    def lacked(self, mentions: Iterable[Mention]) -> list[str]:
        """Return of alternatives the slots that the scenario says the user does not know."""
        slots = [self._meant(m.slots) for m in mentions]
        return [slot for slot in slots if slot is not None and slot in self._unknown]

    def span(self, slot: str) -> list[str]:
        """Return the first and the last day of the span that a slot belongs to or stands for.

        `travel_to` belongs to `travel_from` and `travel_to`; a `date_range` stands for any span.
        """
        name = slot.rpartition("_")[0]
        for start, end in (("from", "to"), ("start", "end")):
            for first in self._facts:
                stem, _, mark = first.rpartition("_")
                is_meant = stem == name or slot == "date_range"
                if is_meant and mark == start and self.has(f"{stem}_{end}"):
                    return [first, f"{stem}_{end}"]
        return [slot]

    def is_open(self, mentions: Iterable[Mention]) -> bool:
        """Return whether a question means a slot that the user has and has not told."""
        slot = self.resolve(mentions)
        return slot is not None and self.has(slot) and not self.is_told(slot)

    def resolve(self, mentions: Iterable[Mention]) -> str | None:
        """Choose the slot that a question means; of alternatives one that the user can answer.

        Returns:
            The slot, or `None` where several would do and nothing tells them apart.
        """
        chosen = [slot for mention in mentions if (slot := self._meant(mention.slots))]
        if not chosen:
            return None
        known = [slot for slot in chosen if self.has(slot)]
        fresh = [slot for slot in known if not self.is_told(slot)]
        return (fresh or known or chosen)[0]

    def _meant(self, slots: Sequence[str]) -> str | None:
        if len(slots) == 1:
            (slot,) = slots
            return new if not self.answers(slot) and self.has(new := f"new_{slot}") else slot
        known = [slot for slot in slots if self.has(slot)]
        fresh = [slot for slot in known if not self.is_told(slot)]
        if len(fresh) == 1 or len(known) == 1:
            return (fresh or known)[0]
        if known:
            return _closest(fresh or known, slots)
        listed = [slot for slot in slots if slot in self._unknown]
        return (listed or list(slots))[0]


def _closest(known: Sequence[str], slots: Sequence[str]) -> str | None:
    # A cue of a slot and of its new value ("date and time" names two slots of different kinds).
    return known[0] if known[0] == slots[0] else None


def _is_said(value: JsonValue, text: str) -> bool:
    """Whether a text, or a line of it, states a value; truth values have no form to find."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return False
    lines = text.splitlines()
    return expresses(text, value) or (len(lines) > 1 and any(expresses(s, value) for s in lines))


def _is_surname(said: str | None, names: Sequence[JsonValue]) -> bool:
    """Whether a name said is part of a name, with its end: "Ms. Lindqvist"."""
    words = re.findall(r"[\w'-]+", said or "")
    return bool(words) and any(
        str(name).endswith(words[-1]) and {*words} <= {*str(name).split()} for name in names
    )


def _is_loosely_said(value: JsonValue, text: str) -> bool:
    """Whether a text names a window by bare hours, or just the half of the day it lies in."""
    times = re.match(r"(\d\d):\d\d-(\d\d):\d\d$", str(value))
    if times:
        start, end = ({hour, hour % 12 or 12} for hour in (int(times[1]), int(times[2])))
        for said in re.finditer(
            r"(?<![\d/])(\d{1,2})\s*(?:-|to|and|until|till)\s*(\d{1,2})(?![\d:/])", text
        ):
            if int(said[1]) in start and int(said[2]) in end:
                return True
    if not times or re.search(r"\d(?::\d\d)?\s*(?:am|pm)\b|\d:\d\d", text, re.I):
        return False
    part = "morning" if int(times[2]) <= 12 else "afternoon" if int(times[1]) >= 12 else "evening"
    return part in text.lower()
