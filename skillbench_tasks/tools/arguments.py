"""Arguments of a tool call: validation against the tool's schema and the normal form that runs.

`null` for an optional property that does not admit it means absent; a number with integral value
is an integer where the schema wants one; defaults are filled in. Nothing else is converted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from pydantic import JsonValue

__all__ = ["ArgumentChecker", "describe"]


_LARGEST: Final = 10**15


class ArgumentChecker:
    """Validator of one tool's arguments; made once, safe to share.

    Args:
        schema: JSON Schema of the arguments object.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._properties: dict[str, dict[str, Any]] = dict(schema.get("properties", {}))
        self._required = frozenset(schema.get("required", ()))
        self._validator = Draft202012Validator(schema)

    def normalise(self, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the arguments in normal form; unknown ones are kept for validation to refuse."""
        normal = {
            name: _integral(value, self._properties.get(name, {}))
            for name, value in arguments.items()
            if not (value is None and self._null_means_absent(name))
        }
        for name, schema in self._properties.items():
            if name not in normal and "default" in schema:
                normal[name] = schema["default"]
        return normal

    def problems(self, arguments: Mapping[str, JsonValue]) -> list[str]:
        """Return what is wrong with arguments in normal form, one line each."""
        if not _is_json(dict(arguments)):
            return ["a number is not finite, or too large"]
        errors = sorted(self._validator.iter_errors(dict(arguments)), key=_place)
        return [describe(error) for error in errors]

    def _null_means_absent(self, name: str) -> bool:
        if name not in self._properties or name in self._required:
            return False
        kinds = self._properties[name].get("type", [])
        return "null" not in (kinds if isinstance(kinds, list) else [kinds])


def describe(error: ValidationError) -> str:
    """Return a validation error as `field: reason`."""
    place = ".".join(str(part) for part in error.absolute_path)
    return f"{place}: {error.message}" if place else error.message


def _place(error: ValidationError) -> tuple[str, str]:
    return ".".join(str(part) for part in error.absolute_path), error.message


def _integral(value: JsonValue, schema: Mapping[str, Any]) -> JsonValue:
    if isinstance(value, float) and value.is_integer() and schema.get("type") == "integer":
        return int(value)
    return value


def _is_json(value: JsonValue) -> bool:
    """Return whether all numbers are finite and of a size that JSON readers agree on."""
    if isinstance(value, dict):
        return all(_is_json(part) for part in value.values())
    if isinstance(value, list):
        return all(_is_json(part) for part in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < _LARGEST
