"""Conditions of object queries, bound to the fields of an object and made ready to run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.tools.connectors.object_query.patterns import like_matcher
from skillbench_tasks.tools.connectors.object_query.syntax import (
    Both,
    Comparison,
    Condition,
    Days,
    Either,
    FieldName,
    Membership,
    Moment,
    Negation,
    Pattern,
    QueryFault,
    Scalar,
    Value,
)
from skillbench_tasks.tools.connectors.objects import FieldSpec

__all__ = ["BoundField", "Reader", "Test", "bind_condition", "comparable"]

Reader: TypeAlias = Callable[[FieldName], "BoundField"]
"""Resolves the name of a field."""

_TEXTS: Final = frozenset({"text", "choice", "employee", "reference"})
_DATE_LENGTH: Final = 10


@dataclass(frozen=True, slots=True)
class BoundField:
    """A field found in the data dictionary: its declaration and where its value comes from.

    `parent_key` is the field that refers to the parent, where the field is a parent's.
    """

    name: FieldName
    spec: FieldSpec
    parent_key: str | None = None
    parent_collection: str | None = None


Values: TypeAlias = Callable[[BoundField], JsonValue]
"""Gives the value of a field of the record at hand."""

Test: TypeAlias = Callable[[Values, date], bool]
"""A condition made ready: takes the record's values and today's date."""


def comparable(value: JsonValue) -> JsonValue:
    """Return a value in the form in which it is compared: text ignoring case."""
    return value.casefold() if isinstance(value, str) else value


def bind_condition(condition: Condition, read: Reader) -> Test:
    """Return a condition ready to run.

    Raises:
        QueryFault: A field is unknown, or a value does not fit its field.
    """
    match condition:
        case Negation(condition=inner):
            test = bind_condition(inner, read)
            return lambda values, today: not test(values, today)
        case Both(conditions=parts):
            tests = [bind_condition(part, read) for part in parts]
            return lambda values, today: all(test(values, today) for test in tests)
        case Either(conditions=parts):
            tests = [bind_condition(part, read) for part in parts]
            return lambda values, today: any(test(values, today) for test in tests)
        case Comparison(field=field, operator=operator, value=value):
            return _comparison(read(field), operator, value)
        case Pattern(field=field, pattern=pattern):
            return _pattern(read(field), pattern)
        case Membership(field=field, values=listed):
            bound = read(field)
            tests = [_comparison(bound, "=", value) for value in listed]
            return lambda values, today: any(test(values, today) for test in tests)


def _pattern(field: BoundField, pattern: Value) -> Test:
    if field.spec.type not in _TEXTS:
        message = f"LIKE needs a text field; {field.name} is a {field.spec.type}"
        raise QueryFault("invalid_query", message, field.name.position)
    fits = like_matcher(str(pattern.content))

    def test(values: Values, today: date) -> bool:
        value = values(field)
        return isinstance(value, str) and fits(value)

    return test


def _comparison(field: BoundField, operator: str, value: Value) -> Test:
    _check_value(field, operator, value)
    content = value.content
    if content is None:
        is_equal = operator == "="
        return lambda values, today: (values(field) is None) is is_equal
    if isinstance(content, Days):
        return _day_test(field, operator, content)
    if isinstance(content, Moment):
        if len(content.text) == _DATE_LENGTH:
            return _date_test(field, operator, content.text, content.text)
        return _value_test(field, operator, content.text)
    return _value_test(field, operator, content)


def _value_test(field: BoundField, operator: str, wanted: Scalar) -> Test:
    other = comparable(wanted)

    def test(values: Values, today: date) -> bool:
        value = comparable(values(field))
        return operator == "!=" if value is None else _holds(value, operator, other, other)

    return test


def _date_test(field: BoundField, operator: str, first: str, last: str) -> Test:
    def test(values: Values, today: date) -> bool:
        value = values(field)
        if not isinstance(value, str):
            return operator == "!="
        return _holds(value[:_DATE_LENGTH], operator, first, last)

    return test


def _day_test(field: BoundField, operator: str, days: Days) -> Test:
    def test(values: Values, today: date) -> bool:
        first = (today + timedelta(days=days.first)).isoformat()
        last = (today + timedelta(days=days.last)).isoformat()
        return _date_test(field, operator, first, last)(values, today)

    return test


def _holds(value: JsonValue, operator: str, first: JsonValue, last: JsonValue) -> bool:
    """Compare a value with a span (of one value, or of days); both are of one type."""
    match operator:
        case "<":
            return value < first  # type: ignore[operator]
        case "<=":
            return value <= last  # type: ignore[operator]
        case ">":
            return value > last  # type: ignore[operator]
        case ">=":
            return value >= first  # type: ignore[operator]
    inside: bool = first <= value <= last  # type: ignore[operator]
    return inside is (operator == "=")


def _check_value(field: BoundField, operator: str, value: Value) -> None:
    kind, content = field.spec.type, value.content
    if (content is None or kind == "boolean") and operator not in ("=", "!="):
        what = "NULL" if content is None else "a boolean"
        message = f"{what} can be compared with = and != only"
        raise QueryFault("invalid_query", message, value.position)
    if content is not None and not _fits(kind, content):
        message = f"{field.name} is {_WANTED[kind]}"
        raise QueryFault("invalid_query", message, value.position)
    if (
        field.spec.values
        and isinstance(content, str)
        and content.casefold() not in field.spec.values
    ):
        message = f"{field.name} is one of {', '.join(field.spec.values)}"
        raise QueryFault("invalid_query", message, value.position)


_WANTED: Final = {
    **dict.fromkeys(_TEXTS, "text: put the value in single quotes"),
    "number": "a number: write it without quotes",
    "boolean": "a boolean: write true or false",
    "date": "a date: write 2026-03-16 without quotes, or TODAY",
    "datetime": "a date-time: write 2026-03-16T09:00:00 or 2026-03-16 without quotes, or TODAY",
}


def _fits(kind: str, content: Scalar | Moment | Days) -> bool:
    if kind == "date":
        is_date = isinstance(content, Moment) and len(content.text) == _DATE_LENGTH
        return is_date or isinstance(content, Days)
    if kind == "datetime":
        return isinstance(content, Moment | Days)
    if kind == "boolean":
        return isinstance(content, bool)
    if kind == "number":
        return isinstance(content, int | float) and not isinstance(content, bool)
    return isinstance(content, str)
