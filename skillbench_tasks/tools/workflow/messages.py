"""Words for findings: what was given, what is allowed, and which allowed name is nearest to it.

A message names all that a reader needs to mend the fault without another look at the reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final

__all__ = ["allowed_names", "listing", "name_like", "nearest", "quoted", "wanted"]

_NAMES_MAX: Final = 80
"""More names than that are not listed: only the nearest are."""

_LENGTH_MAX: Final = 100
"""A longer text is near to nothing; comparing it would cost time without bound."""

_COMPARED_MAX: Final = 200
"""Names with which a text is compared at most."""

_SHOWN_MAX: Final = 80


def quoted(value: object) -> str:
    """Return a value as messages show it: JSON between backticks, cut where it is long."""
    if isinstance(value, str):
        return f"`{_cut(value)}`"
    try:
        return f"`{_cut(json.dumps(value, ensure_ascii=False))}`"
    except (TypeError, ValueError):
        return f"`{_cut(repr(value))}`"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def nearest(text: str, names: Collection[str], count: int = 3) -> list[str]:
    """Return the names that a text was probably meant to be, the likeliest first."""
    if len(text) > _LENGTH_MAX:
        return []
    short = list(islice((name for name in names if len(name) <= _LENGTH_MAX), _COMPARED_MAX))
    near = get_close_matches(text, short, count)
    # A swap in a name of two letters leaves nothing that `difflib` would call close.
    return near or [name for name in short if sorted(name) == sorted(text)][:count]


def listing(names: Iterable[str]) -> str:
    """Return names between backticks, divided by commas."""
    return ", ".join(f"`{name}`" for name in names)


def allowed_names(text: str, names: Collection[str], what: str = "allowed") -> str:
    """Return the end of a message that tells which names there are.

    Args:
        text: The name that was given.
        names: Those that there are.
        what: What they are called.
    """
    near = nearest(text, names)
    parts = [f"nearest: {listing(near)}"] if near else []
    if len(names) <= _NAMES_MAX:
        parts.append(f"{what}: {listing(names) or 'none'}")
    elif not near:
        parts.append(f"{what}: {len(names)}, none of them near")
    return "; ".join(parts)


def name_like(text: str) -> str:
    """Return the name that a text turns into by the smallest change of its letters."""
    lowered = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text[:200]).lower())
    return re.sub(r"^[^a-z]+", "", lowered).strip("_")[:64] or "value"


def wanted(schema: Any) -> str:
    """Return what a JSON Schema asks for, in a few words."""
    if not isinstance(schema, Mapping):
        return "any value"
    if "const" in schema:
        return quoted(schema["const"])
    if isinstance(values := schema.get("enum"), list):
        return f"one of {', '.join(map(quoted, values[:_NAMES_MAX]))}"
    for choice in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(choice), list):
            return " or ".join(wanted(option) for option in options[:5])
    return "".join((_kind(schema), *(_bounds(schema))))


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "any value")
    name = " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    if name == "array" and isinstance(schema.get("items"), Mapping):
        return f"array of {_cut(wanted(schema['items']))}"
    if name == "object" and isinstance(keys := schema.get("required"), list) and keys:
        return f"object with {listing(map(str, keys))}"
    return name


_BOUNDS: Final = {
    "pattern": "like {}",
    "format": "in the format {}",
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "of {} characters or more",
    "maxLength": "of {} characters or fewer",
    "minItems": "of {} elements or more",
    "maxItems": "of {} elements or fewer",
}


def _bounds(schema: Mapping[str, Any]) -> Iterable[str]:
    return (
        f", {words.format(_cut(str(schema[keyword])))}"
        for keyword, words in _BOUNDS.items()
        if keyword in schema
    )
