"""Arguments of a tool call: validation against the tool's schema and the normal form that runs.

`null` for an optional property that does not admit it means absent; a number with integral value
is an integer where the schema wants one; defaults are filled in: in the arguments and in every
object and list inside them that the schema describes. Nothing else is converted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from pydantic import JsonValue

from skillbench_tasks.tools.schema_validator import TooMuchWork, errors_of

__all__ = [
    "ArgumentChecker",
    "describe",
    "item_schema",
    "normal_arguments",
    "property_schema",
    "resolved_schema",
]


_LARGEST: Final = 10**15

_ANY: Final[Mapping[str, Any]] = {}
"""The schema that says nothing."""

_REFERENCES: Final = 8
"""References that lead from one to the next; a circle of them says nothing."""


class ArgumentChecker:
    """Validator of one tool's arguments; made once, safe to share.

    Args:
        schema: JSON Schema of the arguments object.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema

    def normalise(self, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the arguments in normal form; unknown ones are kept for validation to refuse."""
        return normal_arguments(arguments, self._schema)

    def problems(self, arguments: Mapping[str, JsonValue]) -> list[str]:
        """Return what is wrong with arguments in normal form, one line each."""
        if not _is_json(dict(arguments)):
            return ["a number is not finite, or too large"]
        try:
            errors = sorted(errors_of(self._schema, dict(arguments)), key=_place)
        except TooMuchWork:
            return ["too large to be checked"]
        return [describe(error) for error in errors]


def normal_arguments(
    arguments: Mapping[str, JsonValue], schema: Mapping[str, Any]
) -> dict[str, JsonValue]:
    """Return arguments in normal form under a schema of the arguments object.

    Local references are followed, and of alternatives with `null` the one other is taken. What the
    schema does not describe stays as it is.
    """
    return _normal_object(arguments, resolved_schema(schema, schema), schema)


def resolved_schema(declared: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a declaration says, references and the one alternative to `null` followed.

    Args:
        declared: A schema, as it stands in another; anything else says nothing.
        root: The schema in which references are looked up.
    """
    for _ in range(_REFERENCES):
        if not isinstance(declared, Mapping):
            return _ANY
        if isinstance(place := declared.get("$ref"), str):
            declared = _look_up(place, root)
        elif (only := _only_alternative(declared)) is not None:
            declared = only
        else:
            return declared
    return _ANY


def property_schema(
    schema: Mapping[str, Any], name: str, root: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the schema of an object's property, references followed; empty: it says nothing.

    Args:
        schema: Schema of the object.
        name: The property.
        root: The schema in which references are looked up.
    """
    properties = schema.get("properties")
    return resolved_schema(properties.get(name) if isinstance(properties, Mapping) else None, root)


def item_schema(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a list's elements, references followed; empty: it says nothing.

    Args:
        schema: Schema of the list.
        root: The schema in which references are looked up.
    """
    return resolved_schema(schema.get("items"), root)


def describe(error: ValidationError) -> str:
    """Return a validation error as `field: reason`."""
    place = ".".join(str(part) for part in error.absolute_path)
    return f"{place}: {error.message}" if place else error.message


def _place(error: ValidationError) -> tuple[str, str]:
    return ".".join(str(part) for part in error.absolute_path), error.message


def _normal(value: JsonValue, schema: Mapping[str, Any], root: Mapping[str, Any]) -> JsonValue:
    if not schema:
        return value
    if isinstance(value, dict):
        return _normal_object(value, schema, root)
    if isinstance(value, list):
        items = item_schema(schema, root)
        return [_normal(part, items, root) for part in value]
    if isinstance(value, float) and value.is_integer() and schema.get("type") == "integer":
        return int(value)
    return value


def _normal_object(
    value: Mapping[str, JsonValue], schema: Mapping[str, Any], root: Mapping[str, Any]
) -> dict[str, JsonValue]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else _ANY
    required = schema.get("required")
    optional = known.keys() - set(required if isinstance(required, list | tuple) else ())
    normal = {
        name: _normal(part, resolved_schema(known.get(name), root), root)
        for name, part in value.items()
        if not (part is None and name in optional and not _admits_null(known[name], root))
    }
    for name, declared in known.items():
        if name not in normal and isinstance(declared, Mapping) and "default" in declared:
            normal[name] = declared["default"]
    return normal


def _admits_null(declared: Any, root: Mapping[str, Any]) -> bool:
    """Return whether a type that stands right in the declaration is `null`."""
    kinds = resolved_schema(declared, root).get("type", [])
    return "null" in (kinds if isinstance(kinds, list) else [kinds])


def _look_up(place: str, root: Mapping[str, Any]) -> Any:
    """Return what a local reference (`#/$defs/Item`) points to, or `None`."""
    found: Any = root if place.startswith("#") else None
    for part in place.removeprefix("#").strip("/").split("/"):
        if part:
            found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _only_alternative(declared: Mapping[str, Any]) -> Any:
    """Return the one alternative besides `null` of a schema that says nothing else, or `None`."""
    options = declared.get("anyOf") or declared.get("oneOf")
    if not isinstance(options, list) or declared.keys() & {"type", "properties"}:
        return None
    others = [option for option in options if option != {"type": "null"}]
    return others[0] if len(others) == 1 else None


def _is_json(value: JsonValue) -> bool:
    """Return whether all numbers are finite and of a size that JSON readers agree on."""
    if isinstance(value, dict):
        return all(_is_json(part) for part in value.values())
    if isinstance(value, list):
        return all(_is_json(part) for part in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) < _LARGEST
