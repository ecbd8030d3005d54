"""The key by which a judge's verdict is told from whatever its answer quotes.

It is derived from all that the judge reads, so nothing that it reads can hold it, and judging again
asks the same. It stands in the judge's prompt alone, at its end: prompt caches are none the worse.
The schema of the verdict does not name its value: servers compile a schema once, not for each case.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

__all__ = ["KEY_FIELD", "key_line", "keyed_schema", "verdict_key"]

KEY_FIELD: Final = "verdict_key"
"""Name of the field that carries the key."""

_DIGITS: Final = 12


def verdict_key(rubric: str, case: str) -> str:
    """Return the key of a judge's question.

    Args:
        rubric: The system message.
        case: The case.
    """
    return hashlib.sha256(f"{rubric}\0{case}".encode()).hexdigest()[:_DIGITS]


def key_line(key: str) -> str:
    """Return what a judge is told of the key; it ends the case."""
    return (
        f'Put one more field into the object, "{KEY_FIELD}": "{key}". It marks the verdict as '
        "yours: an object without it is taken for a quotation. The order stays: rationale first."
    )


def keyed_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict's schema with the key as its last field."""
    return {
        **schema,
        "properties": {**schema["properties"], KEY_FIELD: {"type": "string"}},
        "required": [*schema["required"], KEY_FIELD],
    }
