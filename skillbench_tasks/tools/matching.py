"""Tests of a `find` operation: one value of a record against what a caller asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.tools.normal_forms import normal_form, plain_words
from skillbench_tasks.tools.workflow.values import equal_values

__all__ = ["FORM_OF_TEST", "TESTS", "Test", "test_of"]

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


def _same(form: str) -> Callable[[JsonValue, JsonValue], bool]:
    """Return the test whether two values are the same under a form; of `None` nothing is."""

    def test(value: JsonValue, wanted: JsonValue) -> bool:
        want = normal_form(form, str("" if wanted is None else wanted))
        have = normal_form(form, str("" if value is None else value))
        return want is not None and have == want

    return test


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
    return plain_words(str("" if value is None else value))


TESTS: Final[dict[str, Callable[[JsonValue, JsonValue], bool]]] = {
    "equals_ignoring_case": _same("caseless"),
    "digits": _same("digits"),
    "date": _same("date"),
    "email": _same("email"),
    "contains": _contains,
    "from": _is_at_least,
    "to": _is_at_most,
    "one_of": _one_of,
    "words": _words,
}
"""Name of a test → function of the record's value and the wanted value."""

FORM_OF_TEST: Final = {
    "equals_ignoring_case": "caseless",
    "digits": "digits",
    "date": "date",
    "email": "email",
    "words": "words",
}
"""Test → form of `skillbench_tasks.tools.normal_forms` whose equal texts it takes for one."""
