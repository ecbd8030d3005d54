"""The `calculate` tool: a bounded parser of sums; nothing is ever evaluated as code."""

from __future__ import annotations

import math
import re
from typing import Final

__all__ = ["LONGEST", "ArithmeticFault", "calculate"]

LONGEST: Final = 500
"""Characters of an expression at most."""

_DEEPEST: Final = 50
"""Levels of brackets and signs at most."""

_TOKEN: Final = re.compile(r"\s*(?:(\d+\.?\d*|\.\d+)|([-+*/()]))")


class ArithmeticFault(Exception):
    """The expression has no value; the message says why."""


def calculate(expression: str) -> str:
    """Return the value of an expression, rounded to two digits.

    Args:
        expression: Numbers, `+ - * /`, brackets and blanks.

    Raises:
        ArithmeticFault: It is none, too long, or has no finite value.
    """
    if len(expression) > LONGEST:
        raise ArithmeticFault(f"The expression is longer than {LONGEST} characters")
    parser = _Parser(_tokens(expression))
    value = parser.sum(0)
    if parser.rest:
        raise ArithmeticFault("Invalid expression")
    if not math.isfinite(value):
        raise ArithmeticFault("The value is too large")
    return str(round(value, 2))


def _tokens(expression: str) -> list[str]:
    tokens, at, text = [], 0, expression.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ArithmeticFault("Invalid characters in expression")
        tokens.append(match[1] or match[2])
        at = match.end()
    return tokens


class _Parser:
    """Recursive descent: a sum of products of signed numbers and brackets."""

    def __init__(self, tokens: list[str]) -> None:
        self.rest = tokens[::-1]

    def sum(self, depth: int) -> float:
        value = self._product(depth)
        while self._next() in ("+", "-"):
            sign = 1 if self.rest.pop() == "+" else -1
            value += sign * self._product(depth)
        return value

    def _product(self, depth: int) -> float:
        value = self._factor(depth)
        while self._next() in ("*", "/"):
            operator, other = self.rest.pop(), self._factor(depth)
            if operator == "*":
                value *= other
            elif other == 0:
                raise ArithmeticFault("Division by zero")
            else:
                value /= other
        return value

    def _factor(self, depth: int) -> float:
        if not self.rest or depth > _DEEPEST:
            raise ArithmeticFault("Invalid expression")
        token = self.rest.pop()
        if token in ("+", "-"):
            value = self._factor(depth + 1)
            return value if token == "+" else -value
        if token == "(":
            value = self.sum(depth + 1)
            if self._next() != ")":
                raise ArithmeticFault("Invalid expression")
            self.rest.pop()
            return value
        if token in ("*", "/", ")"):
            raise ArithmeticFault("Invalid expression")
        return float(token)

    def _next(self) -> str | None:
        return self.rest[-1] if self.rest else None
