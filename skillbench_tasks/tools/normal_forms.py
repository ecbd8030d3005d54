"""What counts as the same value written otherwise: one table for tools, matchers and worlds.

A tool declares for an argument which notations are one (`x-normal: digits` beside its schema), a
collection for a field (`phone: digits`), a `find` operation by the name of its test. All three are
looked up here. What declares nothing is the same to the letter.

| form | the same are |
| --- | --- |
| `digits` | texts with the same digits, the last ten where both have at least ten: phone numbers |
| `email` | texts but for their case and blanks around them: e-mail addresses |
| `caseless` | texts with the same words in order, whatever their case and punctuation |
| `words` | texts with the same words in any order: a name, a search |
| `date` | notations of one day or moment: ISO forms, `4 March 2026`, `March 4, 2026` |
| `set` | lists with the same elements, whatever their order; so are those with `uniqueItems` |
| `list` | nothing else: of `uniqueItems` whose order means something |

A form is sound where equal forms give equal results: so a test may compare more loosely than its
form (`words` of a `find` also takes part of a name), never more strictly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

__all__ = [
    "FORMS",
    "FREE_TEXT",
    "NORMAL",
    "SET",
    "digits_form",
    "is_free_text",
    "is_set",
    "normal_form",
    "notation_fault",
    "plain_words",
    "without_notations",
]

NORMAL: Final = "x-normal"
"""Keyword of an argument's schema that names its form."""

FREE_TEXT: Final = "x-free-text"
"""Keyword of an argument whose wording is the caller's own."""

SET: Final = "set"
LIST: Final = "list"

_FULL_NUMBER_DIGITS: Final = 10
"""From this many digits on, a leading country code is no difference between phone numbers."""

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAY_FIRST: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?,? (\d{4})")
_MONTH_FIRST: Final = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")


@lru_cache(maxsize=16384)
def plain_words(text: str) -> str:
    """Return lower-case words divided by single blanks; apostrophes join."""
    return " ".join(re.findall(r"\w+", text.casefold().replace("'", "").replace("’", "")))


@lru_cache(maxsize=16384)
def digits_form(text: str) -> str:
    """Return the digits of a text, the last ten of them where it has so many."""
    return re.sub(r"\D", "", text)[-_FULL_NUMBER_DIGITS:]


def _words(text: str) -> Hashable:
    return frozenset(plain_words(text).split()) or None


def _date(text: str) -> Hashable:
    """Return the moment that a text names; an hour that is not said is midnight."""
    plain = " ".join(text.casefold().split())
    try:
        return datetime.fromisoformat(plain.upper()).isoformat()
    except ValueError:
        pass
    if found := _DAY_FIRST.fullmatch(plain):
        day, month, year = found.groups()
    elif found := _MONTH_FIRST.fullmatch(plain):
        month, day, year = found.groups()
    else:
        return None
    number = next((n for n, name in enumerate(_MONTHS, 1) if name.startswith(month)), 0)
    try:
        return datetime(int(year), number, int(day)).isoformat()
    except ValueError:
        return None


FORMS: Final[Mapping[str, Callable[[str], Hashable]]] = {
    "digits": lambda text: digits_form(text) or None,
    "email": lambda text: text.strip().casefold() or None,
    "caseless": lambda text: plain_words(text) or None,
    "words": _words,
    "date": _date,
}
"""Name of a form → what equal texts have in common; `None`: the text is nothing of the sort."""


def normal_form(name: str | None, value: Any) -> Hashable | None:
    """Return what a value has in common with those that are the same under a form.

    Returns:
        `None` where the form says nothing of the value: it is the same as itself alone.
    """
    form = FORMS.get(name or "")
    return form(value) if form is not None and isinstance(value, str) else None


def is_set(schema: Mapping[str, Any]) -> bool:
    """Return whether the order of a list under a schema means nothing."""
    form = schema.get(NORMAL, SET if schema.get("uniqueItems") is True else LIST)
    return bool(form == SET)


def is_free_text(schema: Mapping[str, Any]) -> bool:
    """Return whether the wording of a text under a schema is the caller's own."""
    return schema.get(FREE_TEXT) is True


def notation_fault(schema: Any) -> str:
    """Return what is wrong with the notations that a schema declares, or nothing."""
    if isinstance(schema, list):
        return next((fault for part in schema if (fault := notation_fault(part))), "")
    if not isinstance(schema, Mapping):
        return ""
    form = schema.get(NORMAL)
    if NORMAL in schema and form not in (*FORMS, SET, LIST):
        return f"{NORMAL}: {form!r} is no form; there are {', '.join((*FORMS, SET, LIST))}"
    if FREE_TEXT in schema and not isinstance(schema[FREE_TEXT], bool):
        return f"{FREE_TEXT} is neither true nor false"
    return notation_fault(list(schema.values()))


def without_notations(schema: Any) -> Any:
    """Return a schema without what it declares for us alone, as others are shown it."""
    if isinstance(schema, list):
        return [without_notations(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        name: without_notations(part)
        for name, part in schema.items()
        if name not in (NORMAL, FREE_TEXT)
    }
