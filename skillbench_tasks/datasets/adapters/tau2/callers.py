"""The user of a task: what he knows, what he wants, and how he says it without a model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.adapters.tau2.reading import Task
from skillbench_tasks.models import SlotSpec

__all__ = ["OPENING", "SLOTS", "facts_of", "goal_of", "lacks", "request_of"]

OPENING: Final = "Hello!"
"""First message of every user: the tasks have none, and what they want is for the user to tell."""

SLOTS: Final[Mapping[str, SlotSpec]] = {
    "customer_id": SlotSpec(
        label="user id",
        type="id",
        cues=("user id", "username", "user name", "customer id", "account id", "login name"),
        say="my user id is {value}",
    ),
}
"""Slots that read differently here than in the skills that ship."""

_USER_ID: Final = re.compile(r"\b[a-z]+_[a-z]+_\d+\b")
_EMAIL: Final = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_ZIP: Final = re.compile(r"(?<![\w#-])\d{5}(?!\w)")
_ORDER_ID: Final = re.compile(r"(?<!\w)#?W\d{5,}\b")
_NAME: Final = re.compile(
    r"\b(?:[Yy]ou(?:r)? name is|[Yy]ou are|[Yy]ou're|called)\s+"
    r"(?:user\s+)?([A-Z][a-z]+(?: [A-Z][a-z]+)*)"
)

_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+")
_BRACKETS: Final = re.compile(r"\s*\([^()]*\)")
_DIRECTION: Final = re.compile(
    r"\b(?:agent|reveal|mention|if|when|unless|make sure|be sure|insist|pretend|first try|"
    r"confirmation|hesitate|say)\b",
    re.IGNORECASE,
)
"""Words of a sentence that says how to play, and not what is wanted."""

_PERSONS: Final = (
    (r"\byou name is\b", "my name is"),
    (r"\byourself\b", "myself"),
    (r"\byours\b", "mine"),
    (r"\byour\b", "my"),
    (r"\byou('re| are)\b", "I am"),
    (r"\byou were\b", "I was"),
    (
        r"\b(for|to|with|from|give|tell|help|send|show|let|cost|costs|refund|charge|offers?) you\b",
        r"\1 me",
    ),
    (r"\byou\b", "I"),
)


def goal_of(task: Task) -> str:
    """Return what a model that plays the user is told, in the task's own words."""
    told = task.user_scenario.instructions
    parts = [
        told.reason_for_call,
        _part("About you: ", told.known_info),
        _part("What you do not know: ", told.unknown_info),
        _part("How you behave: ", task.user_scenario.persona),
        _part("How you behave: ", told.task_instructions),
    ]
    return "\n\n".join(part.strip() for part in parts if part)


def facts_of(task: Task) -> dict[str, JsonValue]:
    """Return what the scripted user can say, as far as the task's wording gives it away."""
    told = task.user_scenario.instructions
    known, reason = told.known_info or "", told.reason_for_call
    facts: dict[str, JsonValue] = {}
    ids, emails = _USER_ID.findall(known), _EMAIL.findall(known)
    zips = _ZIP.findall(_EMAIL.sub(" ", known))
    name = _NAME.search(known)
    if name is not None and (" " in name[1] or not ids):
        facts["full_name"] = name[1]
    elif ids:
        facts["full_name"] = " ".join(part.capitalize() for part in ids[0].split("_")[:2])
    for slot, found in (("customer_id", ids), ("email", emails), ("postcode", zips)):
        if found:
            facts[slot] = found[0] if len(found) == 1 else list(found)
    orders = list(dict.fromkeys(_ORDER_ID.findall(f"{known} {reason}")))
    if orders:
        facts["order_id"] = orders[0] if len(orders) == 1 else list(orders)
    return facts


def lacks(task: Task, facts: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Return the slots of which the task says that the user does not have them."""
    unknown = (task.user_scenario.instructions.unknown_info or "").lower()
    named = {"email": "email", "order_id": "order"}
    return tuple(slot for slot, word in named.items() if word in unknown and slot not in facts)


def request_of(task: Task) -> str:
    """Return what the user wants as he himself tells it: in the first person.

    Directions for the player (what to do if the agent asks, what not to reveal) are left out.
    """
    reason = task.user_scenario.instructions.reason_for_call
    sentences = _SENTENCE.split(" ".join(reason.split()).lstrip(" ."))
    wanted = [s for s in sentences if not _DIRECTION.search(_BRACKETS.sub("", s))]
    text = " ".join(_plain(sentence) for sentence in wanted or sentences[:1])
    for pattern, words in _PERSONS:
        text = re.sub(pattern, words, text, flags=re.IGNORECASE)
    return re.sub(r"(?:^|(?<=[.?!] ))[a-z]", lambda match: match[0].upper(), text)


def _plain(sentence: str) -> str:
    """Return a sentence without brackets that hold directions."""
    return _BRACKETS.sub(lambda m: "" if _DIRECTION.search(m[0]) else m[0], sentence)


def _part(label: str, text: str | None) -> str:
    plain = (text or "").strip()
    return f"{label}{plain}" if plain.strip(".") else ""
