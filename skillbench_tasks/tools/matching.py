"""Tests of a `find` operation: one value of a record against what a caller asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.values import equal_values

__all__ = ["TESTS", "Test", "test_of"]

_FULL_NUMBER_DIGITS: Final = 10
"""From this many digits on, a leading country code is no difference between phone numbers."""


Test: TypeAlias = Callable[[JsonValue], bool]
"""A test made ready: takes a record's value, `None` where the record has none."""


def test_of(wanted: JsonValue) -> Test:
    """Make a test ready to be put to many records.

    Args:
        wanted: A plain value (equality) or an object of named tests, all of which must pass.
    """
    if isinstance(wanted, dict) and wanted and wanted.keys() <= TESTS.keys():
        named = [(TESTS[name], value) for name, value in wanted.items()]
        return lambda value: all(test(value, other) for test, other in named)
    if isinstance(wanted, str):
        return lambda value: value == wanted
    return lambda value: equal_values(value, wanted)


def _equal_ignoring_case(value: JsonValue, wanted: JsonValue) -> bool:
    return _plain(value) == _plain(wanted)


def _digits(value: JsonValue, wanted: JsonValue) -> bool:
    have, want = _digits_of(str(value or "")), _digits_of(str(wanted or ""))
    if min(len(have), len(want)) >= _FULL_NUMBER_DIGITS:
        have, want = have[-_FULL_NUMBER_DIGITS:], want[-_FULL_NUMBER_DIGITS:]
    return bool(want) and have == want


def _contains(value: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(value, list):
        return any(equal_values(part, wanted) for part in value)
    return str(wanted).casefold() in str(value or "").casefold()


def _is_at_least(value: JsonValue, wanted: JsonValue) -> bool:
    return _comparable(value, wanted) and value >= wanted  # type: ignore[operator]


def _is_at_most(value: JsonValue, wanted: JsonValue) -> bool:
    return _comparable(value, wanted) and value <= wanted  # type: ignore[operator]


def _comparable(value: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(value, bool) or isinstance(wanted, bool):
        return False
    numbers = isinstance(value, int | float) and isinstance(wanted, int | float)
    return numbers or (isinstance(value, str) and isinstance(wanted, str))


def _one_of(value: JsonValue, wanted: JsonValue) -> bool:
    return isinstance(wanted, list) and any(equal_values(value, one) for one in wanted)


def _words(value: JsonValue, wanted: JsonValue) -> bool:
    text = f" {_plain(value)} "
    words = _plain(wanted).split()
    return bool(words) and all(f" {word} " in text for word in words)


def _plain(value: JsonValue) -> str:
    """Return lower-case words divided by single blanks; apostrophes join."""
    return _words_of(str("" if value is None else value))


@lru_cache(maxsize=16384)
def _words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold().replace("'", "").replace("’", "")))


@lru_cache(maxsize=16384)
def _digits_of(text: str) -> str:
    return re.sub(r"\D", "", text)


TESTS: Final[dict[str, Callable[[JsonValue, JsonValue], bool]]] = {
    "equals_ignoring_case": _equal_ignoring_case,
    "digits": _digits,
    "contains": _contains,
    "from": _is_at_least,
    "to": _is_at_most,
    "one_of": _one_of,
    "words": _words,
}
"""Name of a test → function of the record's value and the wanted value."""
