"""Control calls: the same call with other values where it is asked whether the values matter."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.tools.arguments import (
    item_schema,
    normal_arguments,
    property_schema,
    resolved_schema,
)
from skillbench_tasks.tools.call_forms import ANYWHERE, Path

__all__ = ["control_arguments"]

_DIGIT: Final = re.compile("[0-9]")
_ASIDE: Final = str.maketrans("0123456789", "5678901234")
_ZERO: Final = str.maketrans("123456789", "000000000")


def control_arguments(
    arguments: Mapping[str, JsonValue], paths: Collection[Path], schema: Mapping[str, Any]
) -> Iterator[dict[str, JsonValue]]:
    """Yield arguments in normal form with other scalars at some paths, in two different ways.

    A text keeps its shape: other digits, or other letters where it has none (once far off and once
    low, for what compares by size); of an enumeration another member; a number one more, one less.

    Args:
        arguments: Arguments of a call.
        paths: The paths of the leaves to exchange (`skillbench_tasks.tools.call_forms`).
        schema: JSON Schema of the arguments.
    """
    normal = normal_arguments(arguments, schema)
    for way in (0, 1):
        made = _Exchange(frozenset(paths), schema, way)
        changed = made.of(normal, resolved_schema(schema, schema), ())
        assert isinstance(changed, dict)
        if changed != normal:
            yield changed


class _Exchange:
    """One way of exchanging scalars."""

    def __init__(self, paths: frozenset[Path], root: Mapping[str, Any], way: int) -> None:
        self._paths, self._root, self._way = paths, root, way

    def of(self, value: JsonValue, schema: Mapping[str, Any], path: Path) -> JsonValue:
        if isinstance(value, dict):
            return {
                name: self.of(part, property_schema(schema, name, self._root), (*path, name))
                for name, part in value.items()
            }
        if isinstance(value, list):
            items = item_schema(schema, self._root)
            is_set = schema.get("uniqueItems") is True
            steps = [ANYWHERE] * len(value) if is_set else range(len(value))
            parts = zip(value, steps, strict=True)
            return [self.of(part, items, (*path, step)) for part, step in parts]
        return self._scalar(value, schema) if path in self._paths else value

    def _scalar(self, value: JsonValue, schema: Mapping[str, Any]) -> JsonValue:
        options = schema.get("enum")
        if isinstance(options, list):
            others: list[JsonValue] = [option for option in options if option != value]
            return others[self._way % len(others)] if others else value
        if isinstance(value, bool):
            return not value
        if isinstance(value, int | float):
            return value - 1 if self._way else value + 1
        if not isinstance(value, str):
            return value
        if _DIGIT.search(value):
            return value.translate(_ZERO if self._way else _ASIDE)
        return re.sub("[a-z]", "q", value, flags=re.IGNORECASE) if self._way else _turned(value)


def _turned(text: str) -> str:
    turned = codecs.encode(text, "rot13")
    return turned if turned != text else f"{text}x"
