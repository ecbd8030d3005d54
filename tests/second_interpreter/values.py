"""Facts about JSON values that the language reference fixes (§3, §4, §5)."""

from __future__ import annotations

import datetime
import decimal
import math
import re
from typing import Any

MAX_PARTS = 10_000
MAX_CHARACTERS = 100_000

_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


class EvaluationError(Exception):
    """A fault of the program that no ``try`` catches."""


class MissingError(EvaluationError):
    """A path that does not resolve."""


def is_integer(value: Any) -> bool:
    """Tell whether the value is an integer; booleans are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Tell whether the value is a number; booleans are not."""
    return is_integer(value) or isinstance(value, float)


def expect(condition: bool, message: str) -> None:
    """Raise an evaluation error unless the condition holds."""
    if not condition:
        raise EvaluationError(message)


def equal(left: Any, right: Any) -> bool:
    """Compare deeply: numbers by value, booleans never equal to numbers."""
    todo = [(left, right)]
    while todo:
        a, b = todo.pop()
        if is_number(a) and is_number(b):
            if a != b:
                return False
        elif type(a) is not type(b):
            return False
        elif isinstance(a, list):
            if len(a) != len(b):
                return False
            todo.extend(zip(a, b, strict=True))
        elif isinstance(a, dict):
            if a.keys() != b.keys():
                return False
            todo.extend((a[key], b[key]) for key in a)
        elif a != b:
            return False
    return True


def bounded(value: Any) -> Any:
    """Give the value back unless it has too many parts."""
    parts, todo = 0, [value]
    while todo:
        part = todo.pop()
        parts += 1
        if isinstance(part, dict):
            todo.extend(part.values())
        elif isinstance(part, list):
            todo.extend(part)
        expect(parts + len(todo) <= MAX_PARTS, "a value with too many parts")
    return value


def size(value: Any) -> int:
    """Give the size of a value: its parts, and the whole tens of characters of its texts."""
    total, todo = 0, [value]
    while todo:
        part = todo.pop()
        total += 1
        if isinstance(part, str):
            total += len(part) // 10
        elif isinstance(part, dict):
            total += sum(len(key) // 10 for key in part)
            todo.extend(part.values())
        elif isinstance(part, list):
            todo.extend(part)
    return total


def copied(value: Any) -> Any:
    """Copy a JSON value of any depth, so that nobody outside shares it."""
    root: list[Any] = [None]
    todo: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    while todo:
        place, key, part = todo.pop()
        if isinstance(part, dict):
            place[key] = dict.fromkeys(part)
            todo.extend((place[key], name, inner) for name, inner in part.items())
        elif isinstance(part, list):
            place[key] = [None] * len(part)
            todo.extend((place[key], index, inner) for index, inner in enumerate(part))
        else:
            place[key] = part
    return root[0]


def text_of(value: Any) -> str:
    """Give the text of a scalar in a template or in ``cat``."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    expect(is_number(value), "null, a list or an object has no text")
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    try:
        return str(int(value))
    except ValueError as error:
        raise EvaluationError("an integer with too many digits") from error


def joined(pieces: list[str]) -> str:
    """Join the pieces of a made string, within its bound."""
    expect(sum(map(len, pieces)) <= MAX_CHARACTERS, "a string with too many characters")
    return "".join(pieces)


def step(container: Any, segment: str) -> Any:
    """Follow one path segment into a value."""
    if isinstance(container, dict) and segment in container:
        return container[segment]
    if isinstance(container, list) and re.fullmatch("[0-9]+", segment):
        digits = segment.lstrip("0") or "0"
        if len(digits) < 10 and int(digits) < len(container):
            return container[int(digits)]
    raise MissingError(f"nothing at segment {segment!r}")


def settled(result: Any) -> Any:
    """Finish a result of arithmetic: finite, and a non-integer rounded to six decimals."""
    try:
        expect(math.isfinite(float(result)), "a result that is not finite")
    except OverflowError as error:
        raise EvaluationError("a result that is not finite") from error
    return round(result, 6) if isinstance(result, float) else result


def rounded(number: Any, digits: int) -> Any:
    """Round half to even on the decimal text of the number."""
    if is_integer(number):
        return number
    context = decimal.Context(prec=400, rounding=decimal.ROUND_HALF_EVEN)
    unit = decimal.Decimal(1).scaleb(-digits)
    exact = decimal.Decimal(repr(number)).quantize(unit, context=context)
    return int(exact) if digits == 0 else float(exact)


def date_of(value: Any) -> datetime.date:
    """Read the date, as written, of an ISO date or date-time."""
    expect(isinstance(value, str) and bool(_DATE.fullmatch(value)), "no ISO date or date-time")
    try:
        datetime.datetime.fromisoformat(value)
        return datetime.date.fromisoformat(value[:10])
    except ValueError as error:
        raise EvaluationError("no such date") from error


def moved(start: datetime.date, days: int) -> str:
    """Move a date by whole days."""
    try:
        return (start + datetime.timedelta(days=days)).isoformat()
    except OverflowError as error:
        raise EvaluationError("a date out of range") from error
