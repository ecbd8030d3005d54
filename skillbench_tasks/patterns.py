r"""Patterns that come from outside, matched in linear time: no pattern and no text costs more.

Python's own `re` backtracks: a pattern of ten characters can take years. RE2 does not, and has no
look-around and no back-references; a pattern that needs them is refused. Source of the syntax:
https://github.com/google/re2/wiki/Syntax. A character written `\uXXXX`, as patterns of JSON Schema
may, is understood too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import re2

__all__ = ["LinearPattern", "PatternFault", "linear_pattern"]

_LENGTH_MAX: Final = 2_000
"""Characters of a pattern; a longer one is refused."""

_MEMORY_MAX: Final = 1 << 18
"""Bytes of a compiled pattern: what would need more is refused, so that a search stays cheap."""

_ESCAPED: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


class PatternFault(ValueError):
    """A pattern that cannot be matched in linear time, or is none."""


class LinearPattern:
    """A pattern made ready.

    Args:
        source: The pattern.
        ignores_case: Whether upper and lower case are the same.

    Raises:
        PatternFault: It is none, too long, or needs look-around or back-references.
    """

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str, *, ignores_case: bool = False) -> None:
        self.source = source
        if len(source) > _LENGTH_MAX:
            raise PatternFault(f"longer than {_LENGTH_MAX} characters")
        options: Any = re2.Options()
        options.log_errors, options.max_mem = False, _MEMORY_MAX
        options.case_sensitive = not ignores_case
        try:
            self._compiled: Any = re2.compile(_ESCAPED.sub(_escape, source).encode(), options)
        except UnicodeEncodeError:
            raise PatternFault("half of a surrogate pair") from None
        except re2.error as error:
            raise PatternFault(_words(error)) from None

    def is_in(self, text: str) -> bool:
        """Tell whether the pattern matches anywhere in a text."""
        return self._compiled.search(_bytes(text)) is not None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield begin and end of each match, in bytes of the text's UTF-8."""
        for found in self._compiled.finditer(_bytes(text)):
            yield found.span()


@lru_cache(maxsize=1024)
def linear_pattern(source: str, *, ignores_case: bool = False) -> LinearPattern:
    """Return a pattern made ready; the same one for the same source.

    Raises:
        PatternFault: See `LinearPattern`.
    """
    return LinearPattern(source, ignores_case=ignores_case)


def _bytes(text: str) -> bytes:
    """Return a text in UTF-8; half of a surrogate pair is a question mark."""
    return text.encode("utf-8", "replace")


def _escape(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else f"\\x{{{found[1]}}}"


def _words(error: Exception) -> str:
    reason = error.args[0] if error.args else "no pattern"
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    if "invalid perl operator" in text or "invalid escape sequence" in text:
        return f"{text[:100]} (patterns have no look-around and no back-references)"
    return text[:100]
