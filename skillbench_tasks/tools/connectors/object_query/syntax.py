"""Syntax trees of object queries, and the fault that every wrong query gives.

Grammar (key words in any case)::

    query      = SELECT (COUNT "(" ")" | field {"," field}) FROM name
                 [WHERE either] [ORDER BY key {"," key}] [LIMIT integer] [OFFSET integer]
    key        = field [ASC | DESC] [NULLS (FIRST | LAST)]
    either     = both {OR both}
    both       = condition {AND condition}
    condition  = NOT condition | "(" either ")" | field test
    test       = ("=" | "!=" | "<>" | "<" | "<=" | ">" | ">=") value
               | [NOT] LIKE string | [NOT] IN "(" value {"," value} ")"
    field      = name ["." name]
    value      = string | number | date | datetime | TRUE | FALSE | NULL | day
    day        = TODAY | YESTERDAY | TOMORROW | LAST_N_DAYS ":" integer | NEXT_N_DAYS ":" integer
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = [
    "Both",
    "Comparison",
    "Condition",
    "Days",
    "Either",
    "FieldName",
    "Membership",
    "Moment",
    "Negation",
    "OrderKey",
    "Pattern",
    "Query",
    "QueryFault",
    "Scalar",
    "Value",
]


class QueryFault(Exception):
    """A query cannot be read or does not fit the objects.

    Args:
        code: `invalid_query`, `not_found` or `limit_exceeded`.
        message: What is wrong, for a reader.
        position: Where in the query, from 1; none for the query as a whole.
    """

    def __init__(self, code: str, message: str, position: int | None = None) -> None:
        self.code, self.position = code, position
        self.message = message if position is None else f"at character {position}: {message}"
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class FieldName:
    """A field of the object, or of one of its parents; lower case."""

    parent: str | None
    name: str
    position: int

    def __str__(self) -> str:
        return self.name if self.parent is None else f"{self.parent}.{self.name}"


@dataclass(frozen=True, slots=True)
class Moment:
    """A date (`2026-03-16`) or a date-time literal, as ISO text without zone."""

    text: str


@dataclass(frozen=True, slots=True)
class Days:
    """A span of whole days around today, both ends included (offsets in days)."""

    first: int
    last: int


Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Value:
    """A literal and where it stands."""

    content: Scalar | Moment | Days
    position: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`field = value` and its kin."""

    field: FieldName
    operator: Literal["=", "!=", "<", "<=", ">", ">="]
    value: Value


@dataclass(frozen=True, slots=True)
class Pattern:
    """`field LIKE 'a%'`."""

    field: FieldName
    pattern: Value


@dataclass(frozen=True, slots=True)
class Membership:
    """`field IN (…)`."""

    field: FieldName
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """`NOT condition`."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Both:
    """All of the conditions hold."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of the conditions holds."""

    conditions: tuple[Condition, ...]


Condition: TypeAlias = Comparison | Pattern | Membership | Negation | Both | Either


@dataclass(frozen=True, slots=True)
class OrderKey:
    """One key of the order; `nulls_first` is settled by the parser."""

    field: FieldName
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query; no fields: it counts."""

    fields: tuple[FieldName, ...]
    object: str
    object_position: int
    condition: Condition | None
    order: tuple[OrderKey, ...]
    limit: int | None
    offset: int
