"""The operators of rules: how many operands each takes, and what the strict ones compute.

Operators that evaluate their operands only when needed (``if``, ``and``, ``map`` …) are in
`rules`. Source: docs/workflow-language.md, section 4.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import NamedTuple

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.bounds import EvaluationError
from skillbench_tasks.tools.workflow.values import equal_values, kind_of

__all__ = ["LAMBDAS", "OPERANDS", "STRICT", "Operands", "boolean", "listed", "number"]

Number = int | float
Strict = Callable[[Sequence[JsonValue]], JsonValue]


class Operands(NamedTuple):
    """How many operands an operator takes."""

    least: int
    most: int | None
    odd: bool = False

    def accept(self, count: int) -> bool:
        """Tell whether `count` operands are right."""
        small_enough = self.most is None or count <= self.most
        return count >= self.least and small_enough and (count % 2 == 1 or not self.odd)

    def __str__(self) -> str:
        if self.odd:
            return f"{self.least}, {self.least + 2}, {self.least + 4} …"
        if self.most is None:
            return f"at least {self.least}"
        return str(self.least) if self.least == self.most else f"{self.least} or {self.most}"


_ONE, _TWO, _THREE, _SOME = Operands(1, 1), Operands(2, 2), Operands(3, 3), Operands(1, None)

OPERANDS: dict[str, Operands] = {
    **dict.fromkeys(("exists", "!", "sum", "lower", "length"), _ONE),
    **dict.fromkeys(("var", "-"), Operands(1, 2)),
    **dict.fromkeys(("==", "===", "!=", "!==", "<", "<=", ">", ">=", "/", "%"), _TWO),
    **dict.fromkeys(("round", "in", "get", "days_between", "add_days"), _TWO),
    **dict.fromkeys(("map", "filter", "all", "some", "none"), _TWO),
    **dict.fromkeys(("and", "or", "+", "*", "min", "max", "cat", "merge"), _SOME),
    "if": Operands(3, None, odd=True),
    "reduce": _THREE,
}
"""Operator → number of operands."""

LAMBDAS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("map", "filter", "all", "some", "none"), ("item",)),
    "reduce": ("item", "accumulator"),
}
"""Operator whose second operand is a rule for each element → the names that rule sees."""

_LARGEST = int(sys.float_info.max)
_DECIMALS = 6
# Wide enough for any finite double written out in full.
_WIDE = Context(prec=800, rounding=ROUND_HALF_EVEN)
_ISO_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?"
)


def boolean(value: JsonValue) -> bool:
    """Return the boolean, or raise `EvaluationError`: nothing else is truthy."""
    if isinstance(value, bool):
        return value
    raise EvaluationError(f"expected a boolean, got {kind_of(value)}")


def listed(value: JsonValue) -> list[JsonValue]:
    """Return the list, or raise `EvaluationError`."""
    if isinstance(value, list):
        return value
    raise EvaluationError(f"expected a list, got {kind_of(value)}")


def number(value: JsonValue) -> Number:
    """Return the number, as `int` where its value is integral; else raise `EvaluationError`."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise EvaluationError(f"expected a number, got {kind_of(value)}")
    if isinstance(value, int):
        return value
    if not math.isfinite(value):
        raise EvaluationError("expected a finite number")
    return int(value) if value.is_integer() else value


def _integer(value: JsonValue) -> int:
    result = number(value)
    if isinstance(result, int):
        return result
    raise EvaluationError("expected an integer, got a number with a fraction")


def _text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    raise EvaluationError(f"expected a string, got {kind_of(value)}")


def _settle(result: Number) -> Number:
    """Bring a result of arithmetic into range and to its decimals."""
    if isinstance(result, int):
        if abs(result) > _LARGEST:
            raise EvaluationError("the result is too large")
        return result
    if not math.isfinite(result):
        raise EvaluationError("the result is not finite")
    return round(result, _DECIMALS) + 0.0  # no negative zero


def _combine(step: Callable[[Number, Number], Number], values: Sequence[JsonValue]) -> Number:
    total = number(values[0])
    for value in values[1:]:
        try:
            total = step(total, number(value))
        except OverflowError:
            raise EvaluationError("the result is too large") from None
        if isinstance(total, int) and abs(total) > _LARGEST:
            raise EvaluationError("the result is too large")
    return _settle(total)


def _add(values: Sequence[JsonValue]) -> JsonValue:
    return _combine(lambda a, b: a + b, values)


def _multiply(values: Sequence[JsonValue]) -> JsonValue:
    return _combine(lambda a, b: a * b, values)


def _subtract(values: Sequence[JsonValue]) -> JsonValue:
    if len(values) == 1:
        return _settle(-number(values[0]))
    return _combine(lambda a, b: a - b, values)


def _divide(values: Sequence[JsonValue]) -> JsonValue:
    a, b = number(values[0]), number(values[1])
    if b == 0:
        raise EvaluationError("division by zero")
    if isinstance(a, int) and isinstance(b, int) and a % b == 0:
        return _settle(a // b)
    try:
        return _settle(a / b)
    except OverflowError:
        raise EvaluationError("the result is too large") from None


def _remainder(values: Sequence[JsonValue]) -> JsonValue:
    a, b = _integer(values[0]), _integer(values[1])
    if b == 0:
        raise EvaluationError("remainder by zero")
    return a % b


def _sum(values: Sequence[JsonValue]) -> JsonValue:
    return _add([0, *listed(values[0])])


def _smallest(values: Sequence[JsonValue]) -> JsonValue:
    return min(values, key=number)


def _largest(values: Sequence[JsonValue]) -> JsonValue:
    return max(values, key=number)


def _round(values: Sequence[JsonValue]) -> JsonValue:
    value, digits = number(values[0]), _integer(values[1])
    if not 0 <= digits <= _DECIMALS:
        raise EvaluationError(f"`round` takes 0 to {_DECIMALS} digits")
    if isinstance(value, int):
        return value
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), context=_WIDE)
    return int(rounded) if digits == 0 else float(rounded) + 0.0


def _equal(values: Sequence[JsonValue]) -> JsonValue:
    return equal_values(values[0], values[1])


def _unequal(values: Sequence[JsonValue]) -> JsonValue:
    return not equal_values(values[0], values[1])


def _order(values: Sequence[JsonValue]) -> int:
    """Return -1, 0 or 1."""
    a, b = values
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b)
    if isinstance(a, str) or isinstance(b, str):
        raise EvaluationError(f"cannot order {kind_of(a)} and {kind_of(b)}")
    x, y = number(a), number(b)
    return (x > y) - (x < y)


def _in(values: Sequence[JsonValue]) -> JsonValue:
    needle, haystack = values
    if isinstance(haystack, str):
        return _text(needle) in haystack
    return any(equal_values(needle, element) for element in listed(haystack))


def _length(values: Sequence[JsonValue]) -> JsonValue:
    value = values[0]
    if isinstance(value, (str, list, dict)):
        return len(value)
    raise EvaluationError(f"{kind_of(value)} has no length")


def _get(values: Sequence[JsonValue]) -> JsonValue:
    container, key = values
    if isinstance(container, list):
        index = _integer(key)
        if 0 <= index < len(container):
            return container[index]
        raise EvaluationError("the index is out of range")
    if not isinstance(container, dict):
        raise EvaluationError(f"cannot get an element of {kind_of(container)}")
    name = _text(key)
    if name not in container:
        raise EvaluationError("the object has no such key")
    return container[name]


def _merge(values: Sequence[JsonValue]) -> JsonValue:
    merged: list[JsonValue] = []
    for value in values:
        if isinstance(value, list):
            merged += value
        else:
            merged.append(value)
    return merged


def _date(value: JsonValue) -> date:
    match = _ISO_DATE.fullmatch(_text(value))
    if match is None:
        raise EvaluationError("expected an ISO date or date-time")
    try:
        return date.fromisoformat(match.group(1))
    except ValueError:
        raise EvaluationError("no such date") from None


def _days_between(values: Sequence[JsonValue]) -> JsonValue:
    return (_date(values[1]) - _date(values[0])).days


def _add_days(values: Sequence[JsonValue]) -> JsonValue:
    start, days = _date(values[0]), _integer(values[1])
    try:
        return (start + timedelta(days=days)).isoformat()
    except OverflowError:
        raise EvaluationError("the date is out of range") from None


STRICT: dict[str, Strict] = {
    **dict.fromkeys(("==", "==="), _equal),
    **dict.fromkeys(("!=", "!=="), _unequal),
    "<": lambda values: _order(values) < 0,
    "<=": lambda values: _order(values) <= 0,
    ">": lambda values: _order(values) > 0,
    ">=": lambda values: _order(values) >= 0,
    "!": lambda values: not boolean(values[0]),
    "+": _add,
    "*": _multiply,
    "-": _subtract,
    "/": _divide,
    "%": _remainder,
    "min": _smallest,
    "max": _largest,
    "sum": _sum,
    "round": _round,
    "in": _in,
    "length": _length,
    "get": _get,
    "merge": _merge,
    "days_between": _days_between,
    "add_days": _add_days,
}
"""Operators that evaluate all their operands, as functions of the values."""
