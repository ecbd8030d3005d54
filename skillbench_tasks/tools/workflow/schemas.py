"""JSON Schema checks that never raise, never fetch, and accept values known only in part.

Source: docs/workflow-language.md, section 8, layer 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, cast

from jsonschema import ValidationError
from pydantic import JsonValue

from skillbench_tasks.patterns import PatternFault
from skillbench_tasks.tools.schema_validator import WORK_MAX, TooMuchWork, errors_of, schema_errors
from skillbench_tasks.tools.workflow.bounds import MAX_JSON_NESTING
from skillbench_tasks.tools.workflow.messages import allowed_names, listing, quoted, wanted
from skillbench_tasks.tools.workflow.paths import parse_template
from skillbench_tasks.tools.workflow.syntax import RULE_KEY
from skillbench_tasks.tools.workflow.values import nested_deeper

__all__ = ["JsonSchema", "Misfit", "check", "known_part", "misfits", "schema_problem"]

JsonSchema = dict[str, JsonValue] | bool

_KEPT_LENGTH = 2_000
"""Characters of a schema whose check is remembered."""

CHECK_WORK_MAX = 8_000
"""Work of one check against a schema that a plan brings: a plan runs on many variants."""

# What these say about a list or object holds whatever its computed parts turn out to be.
_SHAPE_KEYWORDS = frozenset(
    {
        "type",
        "required",
        "additionalProperties",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "propertyNames",
        "dependentRequired",
    }
)
# Below these, an error counts only if a computed part decides the right way.
_UNDECIDED_KEYWORDS = frozenset({"if", "then", "else", "dependentSchemas"})


class Misfit(NamedTuple):
    """A part of a value that breaks its schema."""

    location: tuple[str | int, ...]
    keyword: str
    message: str


class _Computed:
    """Stands where a value is known only at run time."""

    def __repr__(self) -> str:
        return "a computed value"


_COMPUTED = _Computed()


def schema_problem(schema: JsonValue) -> str | None:
    """Say why a JSON value is no usable JSON Schema; None when it is one."""
    if not isinstance(schema, (dict, bool)):
        return "a JSON Schema is an object"
    if nested_deeper(schema, MAX_JSON_NESTING):
        return f"nested deeper than {MAX_JSON_NESTING} lists and objects"
    text = json.dumps(schema)
    return _known_problem(text) if len(text) <= _KEPT_LENGTH else _found_problem(schema)


@lru_cache(maxsize=1024)
def _known_problem(text: str) -> str | None:
    """Return the problem of a schema; plans of one procedure declare the same ones."""
    return _found_problem(json.loads(text))


def _found_problem(schema: JsonValue) -> str | None:
    try:
        error = next(schema_errors(schema), None)
    except Exception as failure:  # noqa: BLE001 - hostile schemas raise anything
        return f"the schema cannot be checked: {_reason(failure)}"
    return None if error is None else f"{_place(error)}{error.message[:200]}"


def _reason(failure: Exception) -> str:
    if isinstance(failure, TooMuchWork):
        return "it is too much work"
    if isinstance(failure, PatternFault):
        return f"a pattern: {failure}"
    return type(failure).__name__


def _place(error: ValidationError) -> str:
    place = ".".join(str(part) for part in error.absolute_path)
    return f"{place}: " if place else ""


def check(schema: JsonSchema, value: JsonValue) -> str | None:
    """Say why a value does not fit its schema, which may come from a plan; None when it fits."""
    for misfit in misfits(schema, value, CHECK_WORK_MAX):
        place = ".".join(str(part) for part in misfit.location)
        return f"{place}: {misfit.message}" if place else misfit.message
    return None


def known_part(expression: JsonValue) -> JsonValue:
    """Return the literal value of a well-formed expression.

    Computed parts are replaced by a marker that only `misfits` understands.
    """
    if isinstance(expression, str):
        parts = parse_template(expression) or ("",)
        if len(parts) == 1 and isinstance(parts[0], str):
            return parts[0]
        return cast(JsonValue, _COMPUTED)
    if isinstance(expression, list):
        return [known_part(part) for part in expression]
    if isinstance(expression, dict):
        if RULE_KEY in expression:
            return cast(JsonValue, _COMPUTED)
        return {key: known_part(part) for key, part in expression.items()}
    return expression


def misfits(schema: JsonSchema, value: JsonValue, work_max: int = WORK_MAX) -> Iterator[Misfit]:
    """Yield what breaks the schema; what depends on a computed part is left out.

    A schema that cannot be applied (an unresolvable or endless reference) yields one misfit for
    the whole value.
    """
    partial = _has_computed(value)
    try:
        for error in errors_of(schema, value, work_max):
            if not partial or _certain(error):
                location = tuple(error.absolute_path)
                yield Misfit(location, str(error.validator), _message(error))
    except Exception as failure:  # noqa: BLE001 - hostile schemas raise anything
        yield Misfit((), "$schema", f"the schema cannot be applied: {_reason(failure)}")


# A whole schema says what fits better than one of these keywords does.
_TOLD_WHOLE = frozenset(
    {"type", "enum", "const", "pattern", "format", "minimum", "maximum", "anyOf", "oneOf"}
    | {"minLength", "maxLength", "minItems", "maxItems", "exclusiveMinimum", "exclusiveMaximum"}
)


def _message(error: ValidationError) -> str:
    """Return what was given and what fits."""
    schema, given, keyword = error.schema, cast(JsonValue, error.instance), error.validator
    if not isinstance(schema, dict):
        return error.message[:300]
    properties = schema.get("properties")
    if keyword == "additionalProperties" and isinstance(given, dict) and properties:
        unknown = [key for key in given if key not in properties]
        return f"no key {quoted(unknown[0])} here; {allowed_names(unknown[0], properties)}"
    if keyword == "required" and isinstance(given, dict):
        names = [str(name) for name in schema["required"] if name not in given]
        forms = (f"`{name}` ({wanted((properties or {}).get(name))})" for name in names)
        return f"the object lacks {', '.join(forms)}"
    if keyword == "minProperties" and isinstance(given, dict):
        keys = [key for key in properties or () if key not in given]
        allowed = f"allowed: {listing(keys)}" if properties else "any key is allowed"
        return f"expected {schema[keyword]} keys or more, got {len(given)}; {allowed}"
    if keyword in _TOLD_WHOLE:
        return f"expected {wanted(schema)}, got {quoted(given)}"
    return error.message[:300]


def _certain(error: ValidationError) -> bool:
    if not _UNDECIDED_KEYWORDS.isdisjoint(error.absolute_schema_path):
        return False
    instance = cast(JsonValue, error.instance)
    if not _has_computed(instance):
        return True
    return isinstance(instance, (list, dict)) and error.validator in _SHAPE_KEYWORDS


def _has_computed(value: JsonValue | _Computed) -> bool:
    if isinstance(value, dict):
        return any(map(_has_computed, value.values()))
    if isinstance(value, list):
        return any(map(_has_computed, value))
    return isinstance(value, _Computed)
