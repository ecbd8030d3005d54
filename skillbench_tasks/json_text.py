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

__all__ = ["DEPTH_MAX", "find_json_objects", "strings_of"]

DEPTH_MAX: Final = 100
"""Levels of nesting above which an object is refused: writers of JSON recurse, and would fail."""

_SPACE = re.compile(r"[ \t\n\r]*+")
_MARK = re.compile(r"[{}\[\],:]")
# Line breaks and tabs may stand in a string as they are: models write them so, and they are clear.
_STRING_BODY = re.compile(r'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")
_WORD = re.compile(r"true|false|null|NaN|-?Infinity")
_WORDS: Final[dict[str, JsonValue]] = {"true": True, "false": False, "null": None}
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DIGITS_MAX: Final = 300


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
        if reader.read() and not reader.is_refused:
            yield reader.outermost
        at = text.find("{", reader.at)


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
    """Reads one object from its brace on; `at` is where reading stopped."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at + 1
        self.is_refused = False
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
        return self._string() if mark == '"' else self._number_or_word()

    def _mark(self, mark: str) -> bool:
        inner = self._open[-1]
        expected = inner.expected
        is_object = isinstance(inner.value, dict)
        if mark in "{[":
            return self._value({} if mark == "{" else [])
        if mark in "}]":
            fits = is_object == (mark == "}")
            if fits and expected in (_Expected.FIRST, _Expected.SEPARATOR):
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
        value: str = json.loads(self._text[start : self.at], strict=False)
        self.is_refused |= _LONE_SURROGATE.search(value) is not None
        inner = self._open[-1]
        if isinstance(inner.value, list) or inner.expected is _Expected.VALUE:
            return self._value(value)
        if inner.expected not in (_Expected.FIRST, _Expected.NEXT):
            return False
        self.is_refused |= value in inner.value
        inner.key, inner.expected = value, _Expected.COLON
        return True

    def _number_or_word(self) -> bool:
        found = _NUMBER.match(self._text, self.at) or _WORD.match(self._text, self.at)
        if found is None:
            return False
        self.at = found.end()
        written = found[0]
        return self._value(_WORDS[written] if written in _WORDS else self._number(written))

    def _number(self, written: str) -> float | int:
        is_whole = written.lstrip("-").isdigit()
        if is_whole and len(written) <= _DIGITS_MAX:
            return int(written)
        value = float(written) if len(written) <= _DIGITS_MAX else math.inf
        self.is_refused |= not math.isfinite(value)
        return value

    def _value(self, value: JsonValue) -> bool:
        """Put a value where one may stand; a container stays open."""
        inner = self._open[-1]
        if isinstance(inner.value, dict):
            if inner.expected is not _Expected.VALUE:
                return False
            inner.value[inner.key] = value
        else:
            if inner.expected not in (_Expected.FIRST, _Expected.NEXT):
                return False
            inner.value.append(value)
        inner.expected = _Expected.SEPARATOR
        if isinstance(value, dict | list):
            self._open.append(_Open(value))
            self.is_refused |= len(self._open) > DEPTH_MAX
        return True

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self.at)
        assert found is not None  # both patterns match nothing, or are tried at their first sign
        self.at = found.end()
