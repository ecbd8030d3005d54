"""Expressions (§3) and rules (§4): a plain walk over the JSON as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from .values import (
    EvaluationError,
    MissingError,
    bounded,
    date_of,
    equal,
    expect,
    is_integer,
    is_number,
    joined,
    moved,
    rounded,
    settled,
    size,
    step,
    text_of,
)

Names = dict[str, Any]
_HOLE = re.compile(r"\$\$\{|\$\{([^}]*)\}")


class ExhaustedError(Exception):
    """The budget is used up."""


class RuleWalker:
    """Evaluates expressions and rules against a list of scopes, innermost last."""

    def __init__(self, scopes: list[Names], max_operators: int, max_work: int) -> None:
        self.scopes = scopes
        self.max_operators = max_operators
        self.max_work = max_work
        self.operators = 0
        self.work = 0

    def measured(self, value: Any) -> Any:
        """Give the value back, within the bounds of values and of work."""
        self.toil(size(bounded(value)))
        return value

    def toil(self, work: int) -> None:
        """Count work, or stop."""
        self.work += work
        if self.work > self.max_work:
            raise ExhaustedError

    # Expressions

    def expression(self, source: Any) -> Any:
        """Evaluate an expression."""
        return self._expression(source)

    def facts(self, source: dict[str, Any]) -> dict[str, Any]:
        """Evaluate an object of expressions."""
        return {name: self.expression(inner) for name, inner in source.items()}

    def _expression(self, source: Any) -> Any:
        if isinstance(source, str):
            return self._template(source)
        if isinstance(source, list):
            return self.measured([self._expression(inner) for inner in source])
        if isinstance(source, dict):
            if list(source) == ["$"]:
                return self.rule(source["$"])
            parts = {key: self._expression(inner) for key, inner in source.items()}
            return self.measured(parts)
        return self.measured(source)

    def _template(self, source: str) -> Any:
        whole = _HOLE.fullmatch(source)
        if whole and whole.group(1) is not None:
            return self.measured(self.look_up(whole.group(1)))
        if not _HOLE.search(source):
            return self.measured(source)
        pieces, position = [], 0
        for hole in _HOLE.finditer(source):
            pieces.append(source[position : hole.start()])
            path = hole.group(1)
            pieces.append("${" if path is None else text_of(self.measured(self.look_up(path))))
            position = hole.end()
        return self.measured(joined([*pieces, source[position:]]))

    def look_up(self, path: str) -> Any:
        """Follow a path from the innermost scope that binds its first segment."""
        first, *rest = path.split(".")
        value = self.scope_of(first)[first]
        for segment in rest:
            value = step(value, segment)
        return value

    def scope_of(self, name: str) -> Names:
        """Give the innermost scope that binds the name."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope
        raise AssertionError(f"a valid program binds {name} before it uses it")

    # Rules

    def rule(self, source: Any) -> Any:
        """Evaluate a rule."""
        if isinstance(source, list):
            return self.measured([self.rule(inner) for inner in source])
        if not isinstance(source, dict):
            return self.measured(source)
        ((operator, operands),) = source.items()
        self.count(operator)
        if not isinstance(operands, list):
            operands = [operands]
        return self.measured(self.apply(operator, operands))

    def count(self, operator: str) -> None:
        """Count one operator, or stop before it."""
        del operator
        if self.operators >= self.max_operators:
            raise ExhaustedError
        self.operators += 1

    def apply(self, operator: str, operands: list[Any]) -> Any:
        """Apply an operator to operands that are not evaluated yet."""
        if operator in ("var", "exists", "and", "or", "if"):
            return getattr(self, f"_{operator}")(*operands)
        if operator in ("map", "filter", "all", "some", "none"):
            return getattr(self, f"_{operator}")(self._elements(operands[0]), operands[1])
        if operator == "reduce":
            return self._reduce(*operands)
        return EAGER[operator](*[self.rule(operand) for operand in operands])

    def _var(self, path: str, *default: Any) -> Any:
        try:
            return self.look_up(path)
        except MissingError:
            if not default:
                raise
        return self.rule(default[0])

    def _exists(self, path: str) -> bool:
        try:
            return self.look_up(path) is not None
        except MissingError:
            return False

    def boolean(self, source: Any) -> bool:
        """Evaluate a rule that has to give a boolean."""
        value = self.rule(source)
        expect(isinstance(value, bool), "a boolean is needed")
        return cast(bool, value)

    def _and(self, *operands: Any) -> bool:
        return all(self.boolean(operand) for operand in operands)

    def _or(self, *operands: Any) -> bool:
        return any(self.boolean(operand) for operand in operands)

    def _if(self, *operands: Any) -> Any:
        *pairs, otherwise = operands
        for condition, value in zip(pairs[::2], pairs[1::2], strict=True):
            if self.boolean(condition):
                return self.rule(value)
        return self.rule(otherwise)

    def _elements(self, source: Any) -> list[Any]:
        value = self.rule(source)
        expect(isinstance(value, list), "a list is needed")
        return cast("list[Any]", value)

    def _with(self, names: Names, evaluate: Callable[[Any], Any], source: Any) -> Any:
        self.scopes.append(names)
        try:
            return evaluate(source)
        finally:
            self.scopes.pop()

    def _map(self, elements: list[Any], body: Any) -> list[Any]:
        return [self._with({"item": element}, self.rule, body) for element in elements]

    def _holds(self, element: Any, body: Any) -> bool:
        return cast(bool, self._with({"item": element}, self.boolean, body))

    def _filter(self, elements: list[Any], body: Any) -> list[Any]:
        return [element for element in elements if self._holds(element, body)]

    def _all(self, elements: list[Any], body: Any) -> bool:
        return all(self._holds(element, body) for element in elements)

    def _some(self, elements: list[Any], body: Any) -> bool:
        return any(self._holds(element, body) for element in elements)

    def _none(self, elements: list[Any], body: Any) -> bool:
        return not self._some(elements, body)

    def _reduce(self, source: Any, body: Any, start: Any) -> Any:
        elements = self._elements(source)
        accumulator = self.rule(start)
        for element in elements:
            names = {"item": element, "accumulator": accumulator}
            accumulator = self._with(names, self.rule, body)
        return accumulator


# Operators whose operands are all evaluated first, left to right.


def _numbers(*values: Any) -> None:
    expect(all(is_number(value) for value in values), "numbers are needed")


def _order(left: Any, right: Any) -> int:
    strings = isinstance(left, str) and isinstance(right, str)
    expect(strings or (is_number(left) and is_number(right)), "two numbers or two strings")
    return int(left > right) - int(left < right)


def _not(value: Any) -> bool:
    expect(isinstance(value, bool), "a boolean is needed")
    return not value


def _plus(*values: Any) -> Any:
    _numbers(*values)
    total = values[0] if values else 0
    try:
        for value in values[1:]:
            total = total + value
    except OverflowError as error:
        raise EvaluationError("a result that is not finite") from error
    return settled(total)


def _times(*values: Any) -> Any:
    _numbers(*values)
    product = values[0]
    try:
        for value in values[1:]:
            product = product * value
    except OverflowError as error:
        raise EvaluationError("a result that is not finite") from error
    return settled(product)


def _minus(*values: Any) -> Any:
    _numbers(*values)
    if len(values) == 1:
        return settled(-values[0])
    return _plus(values[0], -values[1])


def _divide(left: Any, right: Any) -> Any:
    _numbers(left, right)
    expect(right != 0, "division by zero")
    if is_integer(left) and is_integer(right) and left % right == 0:
        return settled(left // right)
    try:
        return settled(left / right)
    except OverflowError as error:
        raise EvaluationError("a result that is not finite") from error


def _modulo(left: Any, right: Any) -> Any:
    expect(is_integer(left) and is_integer(right), "two integers are needed")
    expect(right != 0, "remainder by zero")
    return left % right


def _minimum(*values: Any) -> Any:
    _numbers(*values)
    return min(values)


def _maximum(*values: Any) -> Any:
    _numbers(*values)
    return max(values)


def _sum(values: Any) -> Any:
    expect(isinstance(values, list), "a list is needed")
    return _plus(*values)


def _round(number: Any, digits: Any) -> Any:
    _numbers(number)
    expect(is_integer(digits) and 0 <= digits <= 6, "digits from 0 to 6")
    return rounded(number, digits)


def _in(needle: Any, haystack: Any) -> bool:
    if isinstance(haystack, list):
        return any(equal(needle, element) for element in haystack)
    expect(isinstance(haystack, str) and isinstance(needle, str), "a string or a list")
    return needle in haystack


def _lower(value: Any) -> str:
    expect(isinstance(value, str), "a string is needed")
    return joined([value.lower()])


def _length(value: Any) -> int:
    expect(isinstance(value, str | list | dict), "a string, list or object is needed")
    return len(value)


def _get(container: Any, key: Any) -> Any:
    if isinstance(container, list):
        expect(is_integer(key) and 0 <= key < len(container), "no such element")
    else:
        expect(isinstance(container, dict), "a list or an object is needed")
        expect(isinstance(key, str) and key in container, "no such key")
    return container[key]


def _merge(*values: Any) -> list[Any]:
    merged: list[Any] = []
    for value in values:
        merged.extend(value if isinstance(value, list) else [value])
    return merged


def _add_days(start: Any, days: Any) -> str:
    date = date_of(start)
    expect(is_integer(days), "an integer number of days is needed")
    return moved(date, days)


EAGER: dict[str, Callable[..., Any]] = {
    "==": equal,
    "===": equal,
    "!=": lambda left, right: not equal(left, right),
    "!==": lambda left, right: not equal(left, right),
    "<": lambda left, right: _order(left, right) < 0,
    "<=": lambda left, right: _order(left, right) <= 0,
    ">": lambda left, right: _order(left, right) > 0,
    ">=": lambda left, right: _order(left, right) >= 0,
    "!": _not,
    "+": _plus,
    "*": _times,
    "-": _minus,
    "/": _divide,
    "%": _modulo,
    "min": _minimum,
    "max": _maximum,
    "sum": _sum,
    "round": _round,
    "in": _in,
    "cat": lambda *values: joined([text_of(value) for value in values]),
    "lower": _lower,
    "length": _length,
    "get": _get,
    "merge": _merge,
    "days_between": lambda first, second: (date_of(second) - date_of(first)).days,
    "add_days": _add_days,
}
