"""The tools of recorded conversations: checked once, shared by all that offer the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import ValidationError

from skillbench_tasks.datasets.conversation_lines import FORMAT_PAGE, Line
from skillbench_tasks.errors import DataError
from skillbench_tasks.models.conversation import ConversationTool
from skillbench_tasks.tools.normal_forms import notation_fault
from skillbench_tasks.tools.shown_schema import shown_schema
from skillbench_tasks.tools.workflow.schemas import schema_problem

__all__ = ["explained", "tools_from"]

_TAGS = frozenset({"said", "called"})


def tools_from(
    entries: object, line: Line, field: str = "tools", names: Mapping[str, str] | None = None
) -> tuple[ConversationTool, ...]:
    """Return the tools of a line; equal ones on several lines are one object.

    Args:
        entries: A list of objects with the fields of `ConversationTool`.
        line: Where they stand.
        field: Where in the line the list stands.
        names: What the line calls a field of ours, where it differs.

    Raises:
        DataError: One is no tool, a name stands twice, or a schema is none of an object.
    """
    try:
        return _tools(json.dumps(entries, ensure_ascii=False))
    except _ToolFault as fault:
        place, problem, mend = fault.args
        called = [(names or {}).get(str(part), part) for part in place]
        raise line.fault([field, *called], problem, mend) from None


def explained(error: ValidationError) -> tuple[list[object], str, str]:
    """Return place, problem and mend of a model's first fault."""
    first = error.errors()[0]
    place: list[object] = [part for part in first["loc"] if part not in _TAGS]
    match first["type"]:
        case "extra_forbidden":
            return place, "no such field", "take it out"
        case "missing":
            return place, "missing", "add it"
        case "union_tag_not_found" | "union_tag_invalid":
            return [*place, "step"], 'neither "said" nor "called"', "write one of the two"
    message = first["msg"]
    return place, f"{message[0].lower()}{message[1:]}", FORMAT_PAGE


class _ToolFault(Exception):
    """Place in the list of tools, problem and mend."""


@lru_cache(maxsize=256)
def _tools(text: str) -> tuple[ConversationTool, ...]:
    entries = json.loads(text)
    if not isinstance(entries, list):
        raise _ToolFault([], "not a list", "give a list of tools")
    made: list[ConversationTool] = []
    for index, entry in enumerate(entries):
        tool = _tool(entry, index)
        if any(tool.name == other.name for other in made):
            raise _ToolFault([index, "name"], f"{tool.name!r} stands twice", "keep one")
        made.append(tool)
    return tuple(made)


def _check_for_models(tool: ConversationTool, index: int) -> None:
    """Refuse a schema that a model cannot be shown."""
    from inspect_ai.tool import ToolParams  # heavy: reading data does without it

    try:
        ToolParams.model_validate(shown_schema(tool.input_schema))
    except DataError as error:
        raise _ToolFault([index, "input_schema"], error.problem, error.mend) from None
    except ValidationError as error:
        first = error.errors()[0]
        place = [index, "input_schema", *first["loc"]]
        raise _ToolFault(place, "no schema for a model", "write it more simply") from None


def _tool(entry: object, index: int) -> ConversationTool:
    try:
        tool = ConversationTool.model_validate(entry)
        Draft202012Validator.check_schema(tool.input_schema)
        if (problem := schema_problem(tool.input_schema)) is not None:
            raise _ToolFault([index, "input_schema"], problem, "write it more simply")
    except ValidationError as error:
        place, problem, mend = explained(error)
        raise _ToolFault([index, *place], problem, mend) from None
    except SchemaError as error:
        place = [index, "input_schema", *error.absolute_path]
        raise _ToolFault(place, f"no JSON Schema: {error.message}", FORMAT_PAGE) from None
    if fault := notation_fault(tool.input_schema):
        raise _ToolFault([index, "input_schema"], fault, FORMAT_PAGE)
    if tool.input_schema.get("type") != "object":
        mend = 'write {"type": "object", "properties": …}'
        raise _ToolFault([index, "input_schema"], "not the schema of an object", mend)
    _check_for_models(tool, index)
    return tool
