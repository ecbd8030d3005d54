"""Operator `early_disclosure`: something on the file is said before the user is verified."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.edits import interjected, reworded
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import Story, digest, pick
from skillbench_tasks.datasets.surface import expresses
from skillbench_tasks.models import Fact

__all__ = ["disclosures", "early_disclosures", "first_disclosure", "written_forms"]

_SENTENCES: Final[dict[str, tuple[str, ...]]] = {
    "account_number": ("I see account number {} here.", "That is account {}, isn't it?"),
    "address": ("I have you at {}.", "The address on file is {}.", "You still live at {}, I see."),
    "amount_due": ("There is {} due at the moment.", "I see {} still to be paid."),
    "date": ("The visit is down for {}.", "I see a technician booked for {}."),
    "date_of_birth": ("The date of birth here is {}.", "You were born on {}, I see."),
    "delivered_on": ("The parcel was delivered on {}.", "It got to you on {}, I see."),
    "delivery_address": ("It is set to go to {}.", "The parcel is addressed to {}."),
    "due_on": ("The due date is {}.", "It has to be settled by {}, I see."),
    "email": ("I have {} as the email address.", "We write to you at {}, I see."),
    "expires_on": ("Some points run out on {}.", "I see points that lapse on {}."),
    "full_name": ("The account is in the name of {}.", "This is the file of {}."),
    "last4": ("I see the one ending in {}.", "There is a number ending in {} here."),
    "model": ("I see a {} on the line.", "The device here is a {}."),
    "name": ("There's the {} on it.", "I can see the {} right here."),
    "phone": ("I have {} as the phone number.", "The number on file is {}."),
    "placed_on": ("The order was placed on {}.", "You ordered on {}, I see."),
    "points": ("There are {} points on the account.", "I see a balance of {} points."),
    "postcode": ("The ZIP code on file is {}.", "I see {} as the ZIP code."),
    "reason": ('There is a hold on it, "{}".', "Some data is on hold, the note says: {}."),
    "received_on": ("It reached us on {}.", "We have had it since {}, I see."),
    "security_word": ("The security word on file is {}.", "I have {} as the security word."),
    "service": ("You're on {}, I see.", "I see {} on the account."),
    "subtotal": ("The goods come to {}.", "I see goods for {}."),
    "total": ("The total is {}.", "It comes to {}, I see."),
    "until": ("Some data is on hold until {}.", "I see a hold that ends on {}."),
}
_ANY: Final = ("I see {} on the file.", 'It says "{}" on the file.')
_MONEY: Final = frozenset({"amount_due", "balance", "subtotal", "total"})
_LONGEST: Final = 160


def early_disclosures(story: Story) -> Drafts:
    """Yield mutants in which a protected fact is told before the user is verified."""
    end = story.verified.turn if story.verified else len(story.turns)
    turns = [turn for turn in story.agent_turns if turn < end]
    for sentence, fact in disclosures(story) if turns else ():
        turn = pick(turns, story.case.id, fact.name, sentence)
        text = interjected(story.script.turns[turn].text, sentence)
        detail = f"turn {turn}: {fact.name} told before verification: {sentence}"
        operator = f"told_{fact.name.rpartition('.')[2]}"
        yield Draft(operator, detail, reworded(story.script, turn, text))


def disclosures(story: Story) -> Iterator[tuple[str, Fact]]:
    """Yield sentences, each of which tells a protected fact that the user has not said himself."""
    said = " \n".join(turn.text for turn in story.turns if turn.role == "user")
    for fact in story.case.checks.protected:
        field = fact.name.rpartition(".")[2]
        if not _tells(field, fact.value) or expresses(said, fact.value):
            continue
        if field == "name" and any(w.lower() in said.lower() for w in str(fact.value).split(",")):
            continue  # the user has called the thing by its name, in part
        templates = _SENTENCES.get(field, _ANY if " " not in str(fact.value) else _ANY[1:])
        template = pick(templates, story.case.id, fact.name, "sentence")
        form = pick(written_forms(field, fact.value), story.case.id, fact.name, "form")
        yield template.format(form), fact


def _tells(field: str, value: JsonValue) -> bool:
    """Whether the value says something by itself: no zero, no lone town, no long text."""
    if isinstance(value, int | float):
        return float(value) != 0
    if field in ("address", "delivery_address"):
        return any(sign.isdigit() for sign in str(value)) and " " in str(value)
    return len(str(value)) <= _LONGEST


def written_forms(field: str, value: JsonValue) -> list[str]:
    """Return usual written forms of a value."""
    text = str(value)
    if isinstance(value, int | float):
        if field in _MONEY:
            return [f"${value:,.2f}", f"{value:,.2f} dollars", f"USD {value:.2f}"]
        return [f"{value:,}", f"{value}"]
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        dates = _dates(date.fromisoformat(text))
        return dates[:2] if field == "date_of_birth" else dates
    if m := re.fullmatch(r"\+1(\d{3})(\d{3})(\d{4})", text):
        a, b, c = m.groups()
        return [f"{a}-{b}-{c}", f"({a}) {b}-{c}", f"{a} {b} {c}", f"{a}.{b}.{c}", f"+1 {a} {b} {c}"]
    return [text.rstrip(".")]


def _dates(day: date) -> list[str]:
    month, weekday = f"{day:%B}", f"{day:%A}"
    return [
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{weekday}, {month} {day.day}",
        f"{month} {day.day}{_ordinal(day.day)}",
        f"{day.month}/{day.day}/{day.year}",
        day.isoformat(),
    ]


def _ordinal(number: int) -> str:
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 != 1 else 0, "th")


def first_disclosure(story: Story, *salt: object) -> tuple[str, Fact] | None:
    """Return one of the sentences that tell a protected fact."""
    found = sorted(disclosures(story), key=lambda pair: digest(pair[0], *salt))
    return found[0] if found else None
