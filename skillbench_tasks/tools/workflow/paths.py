"""Paths such as ``order.items.0.sku``, and the templates they stand in.

Source: docs/workflow-language.md, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.bounds import EvaluationError

__all__ = [
    "MISSING",
    "Missing",
    "Path",
    "broken_reference",
    "is_name",
    "look_up",
    "parse_path",
    "parse_template",
]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
_PATH = re.compile(r"[a-z][a-z0-9_]{0,63}(?:\.[A-Za-z0-9_-]+)*")
_DIGITS = re.compile(r"[0-9]+")
_MARK = re.compile(r"\$?\$\{")
# No list is that long; it keeps the conversion of a hostile segment cheap.
_MAX_INDEX_DIGITS = 12


class _Sentinel(Enum):
    MISSING = "missing"


Missing = Literal[_Sentinel.MISSING]
MISSING: Final = _Sentinel.MISSING


class Path(NamedTuple):
    """A parsed path: the name it starts from, and keys with the list index each may mean."""

    name: str
    segments: tuple[tuple[str, int | None], ...]

    def __str__(self) -> str:
        return ".".join((self.name, *(key for key, _ in self.segments)))


def is_name(text: str) -> bool:
    """Tell whether a text has the form of a name."""
    return _NAME.fullmatch(text) is not None


@lru_cache(maxsize=8192)
def parse_path(text: str) -> Path | None:
    """Return the parsed path, or None where the text is no path."""
    name, *keys = text.split(".")
    if not is_name(name) or not all(_SEGMENT.fullmatch(key) for key in keys):
        return None
    return Path(name, tuple((key, _index(key)) for key in keys))


def _index(key: str) -> int | None:
    digits = key.lstrip("0") or "0"
    if _DIGITS.fullmatch(key) is None or len(digits) > _MAX_INDEX_DIGITS:
        return None
    return int(digits)


@lru_cache(maxsize=8192)
def parse_template(text: str) -> tuple[str | Path, ...] | None:
    """Split a string at its ``${path}`` references.

    Returns:
        Literal texts and paths in order, without empty texts; None where a reference is broken.
    """
    parts: list[str | Path] = []
    literal, position = "", 0
    while mark := _MARK.search(text, position):
        literal += text[position : mark.start()]
        position = mark.end()
        if mark.group() == "$${":
            literal += "${"
            continue
        end = text.find("}", position)
        path = parse_path(text[position:end]) if end >= 0 else None
        if path is None:
            return None
        parts += [literal, path] if literal else [path]
        literal, position = "", end + 1
    literal += text[position:]
    return (*parts, literal) if literal else tuple(parts)


def broken_reference(text: str) -> str:
    """Say what is wrong with a string that `parse_template` refuses: its first bad reference."""
    position = 0
    while mark := _MARK.search(text, position):
        position = mark.end()
        if mark.group() == "$${":
            continue
        end = text.find("}", position)
        if end < 0 or parse_path(text[position:end]) is None:
            path, following = _PATH.match(text, position), text.find("${", position)
            if path is not None and (end < 0 or 0 <= following < end):
                return f"`${{{path.group()[:80]}` has no closing `}}` behind its path"
            inside = text[position : end if end >= 0 else None][:80]
            known = f"`${{{path.group()[:80]}}}`" if path is not None else "a path"
            return (
                f"`{inside}` between `${{` and `}}` is no path (a name and keys, divided by dots): "
                f"write {known}, or compute the value by a rule under `$`"
            )
        position = end + 1
    return "every `${` needs a path and a closing `}`"


def look_up(names: Mapping[str, JsonValue], path: Path) -> JsonValue | Missing:
    """Follow a path.

    Returns:
        The value, or `MISSING` where a segment after the first does not resolve.

    Raises:
        EvaluationError: The first segment is no visible name.
    """
    try:
        value = names[path.name]
    except KeyError:
        raise EvaluationError(f"`{path.name}` is not visible") from None
    for key, index in path.segments:
        if isinstance(value, dict):
            if key not in value:
                return MISSING
            value = value[key]
        elif isinstance(value, list) and index is not None and index < len(value):
            value = value[index]
        else:
            return MISSING
    return value
