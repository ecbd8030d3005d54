"""Reading and checking what a model answers in a tool's stead."""

from __future__ import annotations

import json
from typing import Any, Final

from inspect_ai.model import ModelOutput, ResponseSchema
from inspect_ai.util import JSONSchema
from pydantic import JsonValue, ValidationError

from skillbench_tasks.json_text import find_json_objects
from skillbench_tasks.models import CallError, MockAnswer, ToolSpec
from skillbench_tasks.tools.workflow.schemas import check

__all__ = ["misfit", "read_answer", "response_schema"]

_KEYS: Final = frozenset({"result", "error"})

# fmt: off
_HARNESS_CODES: Final = frozenset({
    "invalid_arguments", "malformed_response", "rate_limited", "service_error", "timeout",
    "unavailable", "unknown_tool",
})
# fmt: on
"""Errors that only a scenario's declared faults, or the toolbox itself, give."""

_ERROR_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "retryable": {"type": "boolean"},
    },
    "required": ["code", "message", "retryable"],
    "additionalProperties": False,
}


def read_answer(output: ModelOutput, tool: ToolSpec) -> MockAnswer | str:
    """Return the answer, or what is wrong with it in words that a model can act on.

    Args:
        output: What the model gave: one JSON object with `result` or `error`, whatever stands
            around it.
        tool: The tool that was called.
    """
    if output.stop_reason in ("max_tokens", "model_length", "content_filter"):
        return f"the answer was cut short ({output.stop_reason})"
    text = output.completion
    found = [one for one in find_json_objects(text) if one.keys() and one.keys() <= _KEYS]
    if not found:
        return "there is no whole JSON object with the one key `result` or `error`"
    if any(one != found[0] for one in found):
        return "there is more than one JSON object with `result` or `error`"
    answer = _answer(found[0])
    if isinstance(answer, str):
        return answer
    return misfit(answer, tool) or answer


def misfit(answer: MockAnswer, tool: ToolSpec) -> str | None:
    """Say why an answer is none that the tool gives; `None` when it fits."""
    if answer.error is not None:
        if answer.error.code in _HARNESS_CODES:
            return f"the error {answer.error.code} is not the tool's to give: the service works"
        blank = not (answer.error.code.strip() and answer.error.message.strip())
        return "the error needs a code and a message" if blank else None
    if tool.output_schema is None:
        return None
    problem = check(tool.output_schema, answer.result)
    return f"the result does not fit the output schema: {problem}" if problem else None


def response_schema(tool: ToolSpec) -> ResponseSchema | None:
    """Return the schema for providers with structured output.

    `None` where the result is not wholly described: providers close objects that stand open, and
    the model could put nothing into them.
    """
    result = tool.output_schema
    if result is None or not _is_closed(result):
        return None
    schema = {
        "type": "object",
        "properties": {
            "result": {"anyOf": [result, {"type": "null"}]},
            "error": {"anyOf": [_ERROR_SCHEMA, {"type": "null"}]},
        },
        "required": ["result", "error"],
        "additionalProperties": False,
    }
    try:
        made = JSONSchema.model_validate(schema)
    except ValidationError:
        return None
    return ResponseSchema(name="answer", json_schema=made, strict=False)


def _answer(found: dict[str, JsonValue]) -> MockAnswer | str:
    result, error = found.get("result"), found.get("error")
    if error is None:
        no_result = "the error is null, and there is no result"
        return MockAnswer(result=result) if "result" in found else no_result
    if result is not None:
        return "there is both a result and an error"
    try:
        return MockAnswer(error=CallError.model_validate(error))
    except ValidationError as fault:
        first = fault.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"the error does not fit: {place}: {first['msg']}"


def _is_closed(schema: JsonValue) -> bool:
    """Return whether every object of a schema lists its fields and every value has a type."""
    if not isinstance(schema, dict):
        return False
    text = json.dumps(schema)
    if any(f'"{word}"' in text for word in ("patternProperties", "prefixItems", "allOf", "oneOf")):
        return False
    kind = schema.get("type")
    if kind == "object":
        parts = schema.get("properties")
        is_closed = schema.get("additionalProperties") is False and isinstance(parts, dict)
        return is_closed and isinstance(parts, dict) and all(map(_is_closed, parts.values()))
    if kind == "array":
        return _is_closed(schema.get("items"))
    options = schema.get("anyOf")
    if isinstance(options, list):
        return all(map(_is_closed, options))
    return kind is not None or "enum" in schema
