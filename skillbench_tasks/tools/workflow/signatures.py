"""What the validator needs to know of a tool.

Source: docs/workflow-language.md, section 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

__all__ = ["ToolSignature", "subschema", "unlisted_segment"]


@dataclass(frozen=True, slots=True)
class ToolSignature:
    """Schemas of a tool.

    Args:
        input_schema: JSON Schema of the arguments object.
        output_schema: JSON Schema of the result, where the tool declares one.
    """

    input_schema: dict[str, JsonValue]
    output_schema: dict[str, JsonValue] | None = None


def subschema(schema: JsonValue, segment: str | None) -> JsonValue:
    """Return what a schema says of one key, index, or (None) any element; None if nothing."""
    if not isinstance(schema, dict):
        return None
    properties = schema.get("properties")
    if segment is not None and isinstance(properties, dict) and segment in properties:
        return properties[segment]
    if segment is None or (segment.isascii() and segment.isdigit()):
        return None if "prefixItems" in schema else schema.get("items")
    return None


def unlisted_segment(
    schema: JsonValue, segments: Sequence[str]
) -> tuple[str, tuple[str, ...]] | None:
    """Return the first segment that a closed schema does not list, and those that it does.

    None when all may resolve.
    """
    for segment in segments:
        if isinstance(schema, dict) and schema.get("additionalProperties") is False:
            properties = schema.get("properties", {})
            known = properties if isinstance(properties, dict) else {}
            if segment not in known and "patternProperties" not in schema and not _is_list(schema):
                return segment, tuple(known)
        schema = subschema(schema, segment)
    return None


def _is_list(schema: dict[str, JsonValue]) -> bool:
    kind = schema.get("type")
    return kind == "array" or (isinstance(kind, list) and "array" in kind)
