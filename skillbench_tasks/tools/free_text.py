"""Arguments whose wording is the caller's own: where they are, and what stands in their stead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.tools.arguments import item_schema, property_schema, resolved_schema
from skillbench_tasks.tools.normal_forms import is_free_text

__all__ = ["free_texts", "reworded", "with_any_wording"]

_ANY_TEXT: Final = "<text>"
_OTHER_WORDS: Final = "said in other words"


def free_texts(arguments: Mapping[str, JsonValue], schema: Mapping[str, Any]) -> list[str]:
    """Return the free texts that arguments hold, in the order in which they stand."""
    found: list[str] = []

    def keep(text: str, declared: Mapping[str, Any]) -> str:
        found.append(text)
        return text

    _changed(dict(arguments), resolved_schema(schema, schema), schema, keep)
    return found


def with_any_wording(
    arguments: Mapping[str, JsonValue], schema: Mapping[str, Any]
) -> dict[str, JsonValue]:
    """Return arguments in which every free text that is not blank is the same one.

    Free texts are then compared by presence, as worlds compare them.
    """

    def mark(text: str, declared: Mapping[str, Any]) -> str:
        return _ANY_TEXT if text.strip() else ""

    made = _changed(dict(arguments), resolved_schema(schema, schema), schema, mark)
    assert isinstance(made, dict)
    return made


def reworded(arguments: Mapping[str, JsonValue], schema: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return arguments with every free text in other words, of a length that the schema allows."""
    made = _changed(dict(arguments), resolved_schema(schema, schema), schema, _other_words)
    assert isinstance(made, dict)
    return made


def _other_words(text: str, declared: Mapping[str, Any]) -> str:
    longest = declared.get("maxLength", len(text) + len(_OTHER_WORDS) + 2)
    other = f"{_OTHER_WORDS}: {text}"[:longest]
    return other if other != text else f"{other[:-1]}~"


def _changed(
    value: JsonValue,
    schema: Mapping[str, Any],
    root: Mapping[str, Any],
    change: Callable[[str, Mapping[str, Any]], str],
) -> JsonValue:
    if isinstance(value, dict):
        return {
            name: _changed(part, property_schema(schema, name, root), root, change)
            for name, part in value.items()
        }
    if isinstance(value, list):
        items = item_schema(schema, root)
        return [_changed(part, items, root, change) for part in value]
    return change(value, schema) if isinstance(value, str) and is_free_text(schema) else value
