"""The parser of object queries: recursive descent over tokens, no more than a few levels deep."""

from __future__ import annotations

import math
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal

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
    OrderKey,
    Pattern,
    Query,
    QueryFault,
    Value,
)
from skillbench_tasks.tools.connectors.object_query.tokens import (
    PLAIN_WILDCARDS,
    Token,
    TokenKind,
    tokens_of,
)

__all__ = ["MAX_NESTING", "parse_query"]

MAX_NESTING: Final = 32
"""Parentheses and NOTs inside one another."""

_MAX_DAYS: Final = 10_000
_KEY_WORDS: Final = frozenset(
    {"select", "from", "where", "and", "or", "not", "like", "in", "order", "by", "asc", "desc"}
    | {"nulls", "first", "last", "limit", "offset", "true", "false", "null"}
)
_WORD_VALUES: Final = {"true": True, "false": False, "null": None}
_DAYS: Final = {"today": Days(0, 0), "yesterday": Days(-1, -1), "tomorrow": Days(1, 1)}
_DATE_LENGTH: Final = 10


@lru_cache(maxsize=4096)
def parse_query(text: str) -> Query:
    """Return the syntax tree of a query.

    Raises:
        QueryFault: It cannot be read; the message says where.
    """
    return _Parser(tokens_of(text)).query()


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._at, self._nesting = tokens, 0, 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def query(self) -> Query:
        self._require("select")
        fields = self._fields()
        self._require("from")
        position = self._next.position
        name = self._name("the name of an object")
        condition = self._either() if self._accept("where") else None
        order = self._order() if self._accept("order") else ()
        limit = self._count("LIMIT") if self._accept("limit") else None
        offset = self._count("OFFSET") if self._accept("offset") else 0
        if self._next.kind is not TokenKind.END:
            raise self._fault("the end of the query")
        return Query(fields, name, position, condition, order, limit, offset or 0)

    def _fields(self) -> tuple[FieldName, ...]:
        if self._is_word("count") and self._tokens[self._at + 1].text == "(":
            self._at += 2
            self._mark(")")
            return ()
        fields = [self._field()]
        while self._accept_mark(","):
            fields.append(self._field())
        return tuple(fields)

    def _field(self) -> FieldName:
        position = self._next.position
        name = self._name("the name of a field")
        if not self._accept_mark("."):
            return FieldName(None, name, position)
        inner = self._name("the name of a field")
        if self._next.text == ".":
            message = "only fields of the object and of its direct parents can be named"
            raise QueryFault("invalid_query", message, self._next.position)
        return FieldName(name, inner, position)

    def _either(self) -> Condition:
        parts = [self._both()]
        while self._accept("or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _both(self) -> Condition:
        parts = [self._condition()]
        while self._accept("and"):
            parts.append(self._condition())
        return parts[0] if len(parts) == 1 else Both(tuple(parts))

    def _condition(self) -> Condition:
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            message = f"nested deeper than {MAX_NESTING}"
            raise QueryFault("limit_exceeded", message, self._next.position)
        try:
            if self._accept("not"):
                return Negation(self._condition())
            if self._accept_mark("("):
                inner = self._either()
                self._mark(")")
                return inner
            return self._test(self._field())
        finally:
            self._nesting -= 1

    def _test(self, field: FieldName) -> Condition:
        is_negated = self._accept("not")
        made: Condition
        if self._accept("like"):
            made = Pattern(field, self._string())
        elif self._accept("in"):
            made = Membership(field, self._list())
        elif is_negated or self._next.kind is not TokenKind.OPERATOR:
            raise self._fault("LIKE or IN" if is_negated else "an operator such as =, LIKE or IN")
        else:
            return Comparison(field, self._operator(), self._value())
        return Negation(made) if is_negated else made

    def _operator(self) -> Literal["=", "!=", "<", "<=", ">", ">="]:
        text = self._take().text
        match text:
            case "=" | "<" | "<=" | ">" | ">=":
                return text
            case _:
                return "!="

    def _list(self) -> tuple[Value, ...]:
        self._mark("(")
        values = [self._value()]
        while self._accept_mark(","):
            values.append(self._value())
        self._mark(")")
        return tuple(values)

    def _string(self) -> Value:
        if self._next.kind is not TokenKind.STRING:
            raise self._fault("a pattern in single quotes")
        token = self._take()
        return Value(token.text, token.position)

    def _value(self) -> Value:
        token = self._next
        match token.kind:
            case TokenKind.STRING:
                content: str = _plain(token.text)
                return Value(content, self._take().position)
            case TokenKind.NUMBER:
                return Value(_number(self._take()), token.position)
            case TokenKind.MOMENT:
                return Value(_moment(self._take()), token.position)
            case TokenKind.WORD:
                return self._word_value()
            case _:
                raise self._fault("a value")

    def _word_value(self) -> Value:
        token = self._next
        word = token.text.lower()
        if word in _WORD_VALUES:
            return Value(_WORD_VALUES[word], self._take().position)
        if word in _DAYS:
            return Value(_DAYS[word], self._take().position)
        if word not in ("last_n_days", "next_n_days"):
            message = f"{token.text} is no value; text stands in single quotes"
            raise QueryFault("invalid_query", message, token.position)
        self._take()
        self._mark(":")
        count = self._count(word.upper())
        days = Days(-count, 0) if word == "last_n_days" else Days(1, count)
        return Value(days, token.position)

    def _order(self) -> tuple[OrderKey, ...]:
        self._require("by")
        keys = [self._order_key()]
        while self._accept_mark(","):
            keys.append(self._order_key())
        return tuple(keys)

    def _order_key(self) -> OrderKey:
        field = self._field()
        descending = self._accept("desc")
        if not descending:
            self._accept("asc")
        nulls_first = not descending
        if self._accept("nulls"):
            nulls_first = self._accept("first")
            if not nulls_first:
                self._require("last")
        return OrderKey(field, descending, nulls_first)

    def _count(self, what: str) -> int:
        token = self._next
        is_number = token.kind is TokenKind.NUMBER and token.text.isdigit()
        if not is_number or len(token.text) > 6 or int(token.text) > _MAX_DAYS:
            raise self._fault(f"a whole number up to {_MAX_DAYS} for {what}")
        return int(self._take().text)

    def _name(self, what: str) -> str:
        token = self._next
        if token.kind is not TokenKind.WORD or token.text.lower() in _KEY_WORDS:
            raise self._fault(what)
        return self._take().text.lower()

    def _take(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _is_word(self, word: str) -> bool:
        return self._next.kind is TokenKind.WORD and self._next.text.lower() == word

    def _accept(self, word: str) -> bool:
        if self._is_word(word):
            self._at += 1
            return True
        return False

    def _require(self, word: str) -> None:
        if not self._accept(word):
            raise self._fault(word.upper())

    def _accept_mark(self, mark: str) -> bool:
        if self._next.kind is TokenKind.MARK and self._next.text == mark:
            self._at += 1
            return True
        return False

    def _mark(self, mark: str) -> None:
        if not self._accept_mark(mark):
            raise self._fault(mark)

    def _fault(self, wanted: str) -> QueryFault:
        token = self._next
        found = "the end" if token.kind is TokenKind.END else token.text[:40]
        return QueryFault("invalid_query", f"expected {wanted}, found {found}", token.position)


def _plain(text: str) -> str:
    """Return what a string says outside LIKE: escaped wildcards are plain characters."""
    for wildcard, marker in PLAIN_WILDCARDS.items():
        text = text.replace(marker, wildcard)
    return text


def _number(token: Token) -> int | float:
    try:
        number = float(token.text) if set(token.text) & set(".eE") else int(token.text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or abs(number) > 1e15 or not token.text.isascii():
        message = f"{token.text[:40]} is no number and no date"
        raise QueryFault("invalid_query", message, token.position)
    return number


def _moment(token: Token) -> Moment:
    text = token.text.removesuffix("Z")
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is not None:
        message = f"{token.text[:40]} is no date; write 2026-03-16 or 2026-03-16T09:00:00"
        raise QueryFault("invalid_query", message, token.position)
    if len(text) == _DATE_LENGTH:
        return Moment(parsed.date().isoformat())
    return Moment(parsed.isoformat(timespec="seconds"))
