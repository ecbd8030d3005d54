"""JSON objects in free text: what a model wrote around, before and behind them does not matter.

One pass, no recursion, no exception, whatever the text holds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from pydantic import JsonValue

__all__ = [
    "DEPTH_MAX",
    "REPEATED_KEY",
    "FoundObject",
    "find_json_objects",
    "find_written_objects",
    "object_around",
    "strings_of",
]

DEPTH_MAX: Final = 100
"""Levels of nesting above which an object is refused: writers of JSON recurse, and would fail."""

_SPACE = re.compile(r"[ \t\n\r]*+")
_MARK = re.compile(r"[{}\[\],:]")
# Line breaks and tabs may stand in a string as they are: models write them so, and they are clear.
_STRING_BODY = re.compile(r'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_QUOTED_BODY = re.compile(r"'(?:[^'\\]++|\\.)*+", re.DOTALL)
_QUOTED_MARK = re.compile(r'\\.|"', re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")
_WORD = re.compile(r"true|false|null|NaN|-?Infinity")
_WORDS: Final[dict[str, JsonValue]] = {"true": True, "false": False, "null": None}
_WRITTEN_WORD = re.compile(r"true|false|null|True|False|None|NaN|-?Infinity")
_WRITTEN_WORDS: Final = {**_WORDS, "True": True, "False": False, "None": None}
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DIGITS_MAX: Final = 300
_BRACES_MAX: Final = 200
"""Braces before a mark at which an object around it is looked for."""

REPEATED_KEY: Final = "a key stands in it twice with different values"
"""Refusal of an object that says two things."""


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object as it stands in a text.

    Args:
        value: What was read of it.
        start: Where it begins.
        end: Where it ends, or where it breaks off.
        is_whole: Whether it has an end.
        refusal: Why its value is none; empty: it is one.
    """

    value: dict[str, JsonValue]
    start: int
    end: int
    is_whole: bool
    refusal: str = ""


def find_json_objects(text: str) -> Iterator[dict[str, JsonValue]]:
    """Yield each outermost JSON object of a text, in order, in linear time; never raises.

    Fences, prose, arrays around an object and objects side by side make no difference. An object
    is refused with all that it holds when a key stands twice anywhere in it, when it holds `NaN`,
    an infinity, a number beyond a float, half of a surrogate pair, or more than `DEPTH_MAX` levels.
    Where an object breaks off, what was read of it is passed over, so that a part of a broken or
    truncated answer is never taken for the answer; the search goes on behind the break.

    Args:
        text: Anything.
    """
    at = text.find("{")
    while at != -1:
        reader = _Reader(text, at)
        if reader.read() and not reader.refusal:
            yield reader.outermost
        at = text.find("{", reader.at)


def find_written_objects(text: str) -> Iterator[FoundObject]:
    """Yield each outermost object of a text as models write them, those that are refused too.

    Beside JSON these may stand: strings in single quotes, a comma before a closing brace, the words
    `True`, `False` and `None`, and a key that stands twice with one value. Whole ones alone.

    Args:
        text: Anything.
    """
    at = text.find("{")
    while at != -1:
        found = _written(text, at)
        if found.is_whole:
            yield found
        at = text.find("{", found.end)


def object_around(text: str, start: int, at: int) -> Iterator[FoundObject]:
    """Yield the objects in which a place of a text lies, from the innermost outward.

    Those that break off behind the place are among them. What stands before them, such as a
    quotation whose quotes are never closed, cannot hide them.

    Args:
        text: Anything.
        start: Where the first may begin.
        at: The place.
    """
    brace = text.rfind("{", start, at)
    for _ in range(_BRACES_MAX):
        if brace == -1:
            return
        found = _written(text, brace)
        if found.end > at:
            yield found
        brace = text.rfind("{", start, brace)


def _written(text: str, at: int) -> FoundObject:
    reader = _Reader(text, at, as_written=True)
    is_whole = reader.read()
    return FoundObject(reader.outermost, at, reader.at, is_whole, reader.refusal)


def strings_of(value: JsonValue) -> Iterator[str]:
    """Yield every string among the values of a JSON value, in order; keys are left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings_of(part)


class _Expected(Enum):
    """What may come next in the innermost open container."""

    FIRST = auto()
    NEXT = auto()
    COLON = auto()
    VALUE = auto()
    SEPARATOR = auto()


@dataclass(slots=True)
class _Open:
    """An object or array whose end has not been read."""

    value: dict[str, JsonValue] | list[JsonValue]
    expected: _Expected = _Expected.FIRST
    key: str = ""


class _Reader:
    """Reads one object from its brace on; `at` is where reading stopped.

    Args:
        text: The text.
        at: The brace.
        as_written: Whether it may be written as `find_written_objects` says.
    """

    def __init__(self, text: str, at: int, *, as_written: bool = False) -> None:
        self._text, self._as_written = text, as_written
        self.at = at + 1
        self.refusal = ""
        self.outermost: dict[str, JsonValue] = {}
        self._open = [_Open(self.outermost)]

    def read(self) -> bool:
        """Return whether the object is whole; `at` is behind it, or where it breaks off."""
        while self._open:
            self._skip(_SPACE)
            if not self._step():
                return False
        return True

    def _step(self) -> bool:
        mark = self._text[self.at : self.at + 1]
        if _MARK.match(mark):
            is_taken = self._mark(mark)
            self.at += is_taken
            return is_taken
        if mark == "'" and self._as_written:
            return self._quoted()
        return self._string() if mark == '"' else self._number_or_word()

    def _mark(self, mark: str) -> bool:
        inner = self._open[-1]
        expected = inner.expected
        is_object = isinstance(inner.value, dict)
        if mark in "{[":
            return self._value({} if mark == "{" else [])
        if mark in "}]":
            fits = is_object == (mark == "}")
            is_end = expected in (_Expected.FIRST, _Expected.SEPARATOR)
            if fits and (is_end or (self._as_written and expected is _Expected.NEXT)):
                self._open.pop()
                return True
            return False
        if mark == ":" and expected is _Expected.COLON:
            inner.expected = _Expected.VALUE
            return True
        if mark == "," and expected is _Expected.SEPARATOR:
            inner.expected = _Expected.NEXT
            return True
        return False

    def _string(self) -> bool:
        start = self.at
        self._skip(_STRING_BODY)
        if self._text[self.at : self.at + 1] != '"':
            return False
        self.at += 1
        return self._text_value(json.loads(self._text[start : self.at], strict=False))

    def _quoted(self) -> bool:
        """Read a string in single quotes."""
        start = self.at
        self._skip(_QUOTED_BODY)
        if self._text[self.at : self.at + 1] != "'":
            return False
        body = _QUOTED_MARK.sub(_requoted, self._text[start + 1 : self.at])
        self.at += 1
        try:
            return self._text_value(json.loads(f'"{body}"', strict=False))
        except ValueError:  # an escape that JSON does not have
            return False

    def _text_value(self, value: str) -> bool:
        """Put a string where a key or a value may stand."""
        self._refuse(_LONE_SURROGATE.search(value) is not None, "it holds half a character")
        inner = self._open[-1]
        if isinstance(inner.value, list) or inner.expected is _Expected.VALUE:
            return self._value(value)
        if inner.expected not in (_Expected.FIRST, _Expected.NEXT):
            return False
        self._refuse(not self._as_written and value in inner.value, REPEATED_KEY)
        inner.key, inner.expected = value, _Expected.COLON
        return True

    def _number_or_word(self) -> bool:
        word = _WRITTEN_WORD if self._as_written else _WORD
        found = _NUMBER.match(self._text, self.at) or word.match(self._text, self.at)
        if found is None:
            return False
        self.at = found.end()
        written = found[0]
        if written in _WRITTEN_WORDS:
            return self._value(_WRITTEN_WORDS[written])
        return self._value(self._number(written))

    def _number(self, written: str) -> float | int:
        is_whole = written.lstrip("-").isdigit()
        if is_whole and len(written) <= _DIGITS_MAX:
            return int(written)
        value = float(written) if len(written) <= _DIGITS_MAX else math.inf
        self._refuse(not math.isfinite(value), f"it holds {written[:20]}, which is no number")
        return value

    def _value(self, value: JsonValue) -> bool:
        """Put a value where one may stand; a container stays open."""
        inner = self._open[-1]
        if isinstance(inner.value, dict):
            if inner.expected is not _Expected.VALUE:
                return False
            self._refuse(self._is_other(inner.value, inner.key, value), REPEATED_KEY)
            inner.value[inner.key] = value
        else:
            if inner.expected not in (_Expected.FIRST, _Expected.NEXT):
                return False
            inner.value.append(value)
        inner.expected = _Expected.SEPARATOR
        if isinstance(value, dict | list):
            self._open.append(_Open(value))
            self._refuse(len(self._open) > DEPTH_MAX, f"it is nested over {DEPTH_MAX} deep")
        return True

    @staticmethod
    def _is_other(found: dict[str, JsonValue], key: str, value: JsonValue) -> bool:
        """Return whether a key has another value already; of two containers that is not known."""
        if key not in found:
            return False
        return isinstance(value, list | dict) or repr(found[key]) != repr(value)

    def _refuse(self, is_refused: bool, reason: str) -> None:
        self.refusal = self.refusal or (reason if is_refused else "")

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self.at)
        assert found is not None  # both patterns match nothing, or are tried at their first sign
        self.at = found.end()


def _requoted(mark: re.Match[str]) -> str:
    """Return a mark within single quotes as it is within double ones."""
    return {"\\'": "'", '"': '\\"'}.get(mark[0], mark[0])
