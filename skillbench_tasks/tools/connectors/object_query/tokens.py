"""Tokens of object queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from skillbench_tasks.tools.connectors.object_query.syntax import QueryFault

__all__ = ["PLAIN_WILDCARDS", "Token", "TokenKind", "tokens_of"]

_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", "'": "'", '"': '"', "\\": "\\"}
PLAIN_WILDCARDS: Final = {"%": "\ue000", "_": "\ue001"}
"""What an escaped wildcard becomes inside a string token, so that LIKE takes it as itself."""

_OPERATORS: Final = ("<=", ">=", "!=", "<>", "=", "<", ">")
_MARKS: Final = frozenset("(),.:")
_DATE_LENGTH: Final = 10


class TokenKind(StrEnum):
    """Kinds of tokens."""

    WORD = "word"
    STRING = "string"
    NUMBER = "number"
    MOMENT = "moment"
    OPERATOR = "operator"
    MARK = "mark"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its text (of a string: what it says) and where it starts, from 1."""

    kind: TokenKind
    text: str
    position: int


def tokens_of(query: str) -> list[Token]:
    """Return the tokens of a query, one of kind END at the end.

    Raises:
        QueryFault: A string is not closed, or a character belongs to no token.
    """
    found: list[Token] = []
    at = 0
    while at < len(query):
        character = query[at]
        if character.isspace():
            at += 1
            continue
        token, at = _token(query, at)
        found.append(token)
    return [*found, Token(TokenKind.END, "", len(query) + 1)]


def _token(query: str, at: int) -> tuple[Token, int]:
    character = query[at]
    if character == "'":
        return _string(query, at)
    if character.isascii() and (character.isalpha() or character == "_"):
        end = _while(query, at, lambda c: c.isascii() and (c.isalnum() or c == "_"))
        return Token(TokenKind.WORD, query[at:end], at + 1), end
    if (character.isascii() and character.isdigit()) or character in "+-":
        return _number_or_moment(query, at)
    for operator in _OPERATORS:
        if query.startswith(operator, at):
            return Token(TokenKind.OPERATOR, operator, at + 1), at + len(operator)
    if character in _MARKS:
        return Token(TokenKind.MARK, character, at + 1), at + 1
    if character == '"':
        raise QueryFault("invalid_query", "text stands in single quotes, not double", at + 1)
    raise QueryFault("invalid_query", f"unexpected character {character!r}", at + 1)


def _while(query: str, at: int, belongs: Callable[[str], bool]) -> int:
    while at < len(query) and belongs(query[at]):
        at += 1
    return at


def _string(query: str, start: int) -> tuple[Token, int]:
    parts: list[str] = []
    at = start + 1
    while at < len(query):
        character = query[at]
        if character == "'":
            return Token(TokenKind.STRING, "".join(parts), start + 1), at + 1
        if character == "\\":
            parts.append(_escape(query, at))
            at += 2
        else:
            parts.append(character)
            at += 1
    raise QueryFault("invalid_query", "the quote that opens here is not closed", start + 1)


def _escape(query: str, at: int) -> str:
    escaped = query[at + 1 : at + 2]
    made = _ESCAPES.get(escaped) or PLAIN_WILDCARDS.get(escaped)
    if made is None:
        raise QueryFault("invalid_query", f"unknown escape \\{escaped}", at + 1)
    return made


def _number_or_moment(query: str, start: int) -> tuple[Token, int]:
    end = _while(query, start + 1, lambda c: c.isascii() and (c.isalnum() or c in ":.-+"))
    text = query[start:end]
    is_moment = text[:1].isdigit() and text[4:5] == "-" and len(text) >= _DATE_LENGTH
    kind = TokenKind.MOMENT if is_moment else TokenKind.NUMBER
    return Token(kind, text, start + 1), end
