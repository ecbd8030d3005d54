"""Functions that statements call inside SQLite: conversions and what SQLite does otherwise.

NULL gives NULL, except where a function is said to do otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from skillbench_tasks.tools.connectors.sql.dates import (
    Scalar,
    date_add,
    date_diff,
    date_part,
    date_trunc,
    format_date,
    last_day,
    to_date,
    to_timestamp,
)
from skillbench_tasks.tools.connectors.sql.faults import FunctionFault

__all__ = ["FUNCTIONS", "ListAggregate", "to_boolean", "to_number", "to_text"]

_LARGEST: Final = 1e15


def _number(value: Scalar) -> int | float:
    if isinstance(value, int | float):
        return value
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or abs(number) > _LARGEST:
        raise FunctionFault(f"{str(value)[:40]!r} is no number")
    return int(number) if number.is_integer() else number


def to_number(value: Scalar, digits: Scalar) -> Scalar:
    """Return a number rounded to digits, halves away from zero; no digits given: as it is."""
    if value is None:
        return None
    number = _number(value)
    return number if digits is None else rounded(number, digits)


def to_text(value: Scalar) -> Scalar:
    """Return the text of a value; numbers without a needless fraction."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(round(value, 6))
    return None if value is None else str(value)


def boolean_text(value: Scalar) -> Scalar:
    """Return the text of a boolean."""
    return None if value is None else ("true" if value else "false")


def to_boolean(value: Scalar) -> Scalar:
    """Return 1 or 0 for a boolean, a number or one of the usual words."""
    if value is None or isinstance(value, int | float):
        return None if value is None else int(bool(value))
    word = value.strip().lower()
    if word not in _WORDS:
        raise FunctionFault(f"{value[:40]!r} is no boolean")
    return _WORDS[word]


_WORDS: Final = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), 1),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), 0),
}


def divided(a: Scalar, b: Scalar) -> Scalar:
    """Return a quotient; a division by zero is a fault."""
    if a is None or b is None:
        return None
    if _number(b) == 0:
        raise FunctionFault("division by zero")
    return _number(a) / _number(b)


def remainder(a: Scalar, b: Scalar) -> Scalar:
    """Return a remainder with the sign of the dividend; by zero is a fault."""
    if a is None or b is None:
        return None
    if _number(b) == 0:
        raise FunctionFault("division by zero")
    return math.fmod(_number(a), _number(b))


def rounded(value: Scalar, digits: Scalar) -> Scalar:
    """Return a number rounded to digits of its decimal text, halves away from zero."""
    if value is None or digits is None:
        return None
    places = max(-15, min(15, int(_number(digits))))
    exact = Decimal(repr(_number(value)))
    return float(exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP))


def floored(value: Scalar) -> Scalar:
    """Return the greatest integer that is not above a number."""
    return None if value is None else math.floor(_number(value))


def ceiled(value: Scalar) -> Scalar:
    """Return the least integer that is not below a number."""
    return None if value is None else math.ceil(_number(value))


def sign(value: Scalar) -> Scalar:
    """Return -1, 0 or 1."""
    if value is None:
        return None
    number = _number(value)
    return (number > 0) - (number < 0)


def left(value: Scalar, count: Scalar) -> Scalar:
    """Return the first characters of a text."""
    if value is None or count is None:
        return None
    return str(to_text(value))[: max(0, int(_number(count)))]


def right(value: Scalar, count: Scalar) -> Scalar:
    """Return the last characters of a text."""
    if value is None or count is None:
        return None
    number, text = max(0, int(_number(count))), str(to_text(value))
    return text[max(0, len(text) - number) :]


def split_part(value: Scalar, divider: Scalar, index: Scalar) -> Scalar:
    """Return the part of a text between dividers, counted from 1, or from the end when negative."""
    if value is None or divider is None or index is None:
        return None
    parts = str(value).split(str(divider)) if divider else [str(value)]
    number = int(_number(index)) or 1
    at = number - 1 if number > 0 else len(parts) + number
    return parts[at] if 0 <= at < len(parts) else ""


def contains(value: Scalar, part: Scalar) -> Scalar:
    """Return whether a text holds another, 1 or 0."""
    return None if value is None or part is None else int(str(part) in str(value))


def starts_with(value: Scalar, part: Scalar) -> Scalar:
    """Return whether a text starts with another, 1 or 0."""
    return None if value is None or part is None else int(str(value).startswith(str(part)))


def ends_with(value: Scalar, part: Scalar) -> Scalar:
    """Return whether a text ends with another, 1 or 0."""
    return None if value is None or part is None else int(str(value).endswith(str(part)))


def greatest(*values: Scalar) -> Scalar:
    """Return the greatest value; NULL where one is NULL."""
    return None if None in values else max(values, key=_order)


def least(*values: Scalar) -> Scalar:
    """Return the least value; NULL where one is NULL."""
    return None if None in values else min(values, key=_order)


def _order(value: Scalar) -> tuple[int, float, str]:
    return (1, 0.0, value) if isinstance(value, str) else (0, float(value or 0), "")


class ListAggregate:
    """LISTAGG: the values that are not NULL, sorted, with a divider between them."""

    def __init__(self) -> None:
        self._values: list[Scalar] = []
        self._divider = ""

    def step(self, value: Scalar, divider: Scalar) -> None:
        """Take a value."""
        if value is not None:
            self._values.append(value)
        self._divider = "" if divider is None else str(divider)

    def finalize(self) -> Scalar:
        """Return the list."""
        return self._divider.join(str(to_text(v)) for v in sorted(self._values, key=_order))


def _forgiving(function: Callable[..., Scalar]) -> Callable[..., Scalar]:
    def run(*values: Scalar) -> Scalar:
        try:
            return function(*values)
        except FunctionFault:
            return None

    return run


_CONVERSIONS: Final[dict[str, tuple[int, Callable[..., Scalar]]]] = {
    "to_date": (1, to_date),
    "to_timestamp": (1, to_timestamp),
    "to_number": (2, to_number),
    "to_text": (1, to_text),
    "boolean_text": (1, boolean_text),
    "to_boolean": (1, to_boolean),
}

FUNCTIONS: Final[dict[str, tuple[int, Callable[..., Scalar]]]] = {
    **{f"sb_{name}": entry for name, entry in _CONVERSIONS.items()},
    **{f"sb_try_{name}": (count, _forgiving(f)) for name, (count, f) in _CONVERSIONS.items()},
    "sb_date_add": (3, date_add),
    "sb_date_diff": (3, date_diff),
    "sb_date_trunc": (2, date_trunc),
    "sb_date_part": (2, date_part),
    "sb_last_day": (1, last_day),
    "sb_format_date": (2, format_date),
    "sb_divided": (2, divided),
    "sb_remainder": (2, remainder),
    "sb_rounded": (2, rounded),
    "sb_floored": (1, floored),
    "sb_ceiled": (1, ceiled),
    "sb_sign": (1, sign),
    "sb_left": (2, left),
    "sb_right": (2, right),
    "sb_split_part": (3, split_part),
    "sb_contains": (2, contains),
    "sb_starts_with": (2, starts_with),
    "sb_ends_with": (2, ends_with),
    "sb_greatest": (-1, greatest),
    "sb_least": (-1, least),
}
"""Name inside SQLite → number of arguments (-1: any), function."""
