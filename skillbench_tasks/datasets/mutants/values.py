"""Other values for the arguments of calls: valid, plausible, and not what was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.story import Story, pick

__all__ = ["WORDS", "Other", "other_values", "shifted"]

WORDS: Final = frozenset({"summary", "details", "body", "subject", "description"})
"""Arguments whose wording is free."""

_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d")
_UNSURE: Final = frozenset({"other", "customer_request", "general_support", "supervisor"})
"""Codes that are vague enough to be defended."""

_CITIES: Final = {"city": ("Springfield", "Greenville"), "state": ("OH", "OR")}


class Other(NamedTuple):
    """Another value and the operator that made it."""

    operator: str
    value: JsonValue


def other_values(story: Story, tool: str, argument: str, value: JsonValue) -> Iterator[Other]:
    """Yield values that an argument of a write might have got by mistake.

    Free wording is left alone, except words that the user has agreed to (`message`, `notes`).
    """
    collection = story.collection_of(argument)
    schema = story.tools[tool].input_schema["properties"].get(argument, {})
    if argument in WORDS:
        return
    if collection is not None:
        yield from _records(story, collection, value)
    elif "enum" in schema:
        codes = [code for code in schema["enum"] if code != value and code not in _UNSURE]
        if codes:
            yield Other("other_code", pick(codes, story.case.id, tool, argument))
    else:
        yield from _plain(story, argument, value)


def shifted(day: str, days: int) -> str:
    """Return a date some days later."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _records(story: Story, collection: str, value: JsonValue) -> Iterator[Other]:
    """Yield another record of the same customer and one of another customer."""
    key = story.world.specs[collection].key
    given = value if isinstance(value, list) else [value]
    owned = any("customer_id" in record for record in story.world.records(collection))
    owner = story.subject if owned else None
    groups = {"other_record": [] if collection == "customers" else [owner]}
    if owned:
        groups["record_of_another"] = [story.stranger(collection, i) for i in range(9)]
    for operator, owners in groups.items():
        found = (
            str(record[key])
            for name in owners
            for record in story.records_of(collection, name)
            if record[key] not in given
        )
        keys = list(dict.fromkeys(found))
        if keys:
            other = pick(keys, story.case.id, operator, collection)
            yield Other(operator, [other] if isinstance(value, list) else other)


def _plain(story: Story, argument: str, value: JsonValue) -> Iterator[Other]:
    match value:
        case bool():
            yield Other("flipped", not value)
        case int():
            yield Other("other_number", value + 1 if value < 50 else value + 10)
            yield Other("other_number", value * 2)
        case float():
            yield Other("other_number", round(value + 10, 2))
            yield Other("other_number", round(value / 2, 2))
        case list():
            yield from _lists(story, value)
        case str() if _ISO.fullmatch(value):
            yield Other("other_date", shifted(value, 1))
            yield Other("other_date", shifted(value, 7))
        case str():
            yield from _texts(story, argument, value)
        case _:
            return


def _lists(story: Story, value: list[JsonValue]) -> Iterator[Other]:
    if len(value) > 1:
        yield Other("other_list", value[:-1])
    topics = [t for t in ("bedding", "decor", "furniture", "garden") if t not in value]
    yield Other("other_list", [*value, pick(topics, story.case.id)] if topics else value[1:])


def _texts(story: Story, argument: str, value: str) -> Iterator[Other]:
    match argument:
        case "message":
            yield Other("other_words", "With our very best wishes")
        case "notes":
            parts = re.split(r"(?<=[.;,])\s+", value)
            if len(parts) > 1:
                yield Other("words_lost", " ".join(parts[:-1]).rstrip(";,"))
                yield Other("words_lost", " ".join(parts[1:]))
        case "city" | "state":
            yield Other("other_place", next(v for v in _CITIES[argument] if v != value))
        case "area":
            areas = sorted({str(slot["area"]) for slot in story.world.records("slots")} - {value})
            if areas:
                yield Other("other_place", pick(areas, story.case.id))
        case "email":
            name, _, host = value.partition("@")
            yield Other("other_contact", f"{name}1@{host}")
        case "phone" | "postcode" | "street":
            yield from _digits(argument, value)
        case _:
            return


def _digits(argument: str, value: str) -> Iterator[Other]:
    """Yield the value with two neighbouring digits swapped, or its last digit changed."""
    operator = "other_contact" if argument == "phone" else "other_place"
    last = [m.start() for m in re.finditer(r"\d", value)]
    if argument == "street":
        last = [i for i in last if i < len(value.split(maxsplit=1)[0])]
    if not last:
        return
    at = last[-1]
    yield Other(operator, f"{value[:at]}{(int(value[at]) + 3) % 10}{value[at + 1 :]}")
    if len(last) > 1 and value[last[-2]] != value[at] and value[last[-2]] != "0":
        i = last[-2]
        yield Other(
            operator, f"{value[:i]}{value[at]}{value[i + 1 : at]}{value[i]}{value[at + 1 :]}"
        )
