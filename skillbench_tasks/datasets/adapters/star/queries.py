"""The wizard's queries as tool calls: slots as JSON Schemas, constraints as arguments.

A query binds a slot by a comparison, `{slot: {op, value}}`; 98 % are equalities. One slot becomes
one argument, so that comparing arguments compares constraints, and equal meanings are equal values:

- equality: the value itself, as its slot has it (text trimmed, a number in a text slot as text);
- one of several: the value if it is one, else a list in the order of the API's categories;
- bounds of a number: `{"min": n}`, `{"max": n}`, where "greater than 4" is `{"min": 5}`;
- all but one, or a value that a multiple slot does not contain: `{"not": value}`;
- a value that a multiple slot contains: that value;
- empty or `null`: no argument; that is how the wizard's form says nothing;
- several constraints on one slot: the last one. The form lets a slot be filled again; where an
  answer shows which one held, it is the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from pydantic import JsonValue

from skillbench_tasks.datasets.adapters.star.reading import Api, Foreign, Slot

__all__ = ["Constraint", "arguments_of", "tool_entry"]

_EMPTY: Final = ("", "null")


class Constraint(Foreign):
    """How a query binds a slot."""

    op: Literal[
        "contains", "contains_not", "is_at_least", "is_at_most", "is_equal_to",
        "is_greater_than", "is_less_than", "is_not", "is_one_of",
    ]  # fmt: skip
    value: bool | int | str | list[str]


def tool_entry(name: str, api: Api) -> dict[str, Any]:
    """Return an API as the fields of a `ConversationTool`."""
    answers = ", ".join(dict.fromkeys(slot.ReadableName for slot in api.output))
    title = name.replace("_", " ").capitalize()
    return {
        "name": name,
        "description": f"{title}. Answers with: {answers}.",
        "input_schema": {
            "type": "object",
            "properties": {slot.Name: _schema(slot) for slot in api.input},
            "required": list(api.required),
            "additionalProperties": False,
        },
    }


def arguments_of(
    constraints: dict[str, Constraint | list[Constraint]], api: Api
) -> dict[str, JsonValue]:
    """Return the arguments of a query.

    Args:
        constraints: Slot → how the query binds it.
        api: The API that is asked.

    Raises:
        KeyError: The API has no such slot.
    """
    slots = {slot.Name: slot for slot in api.input}
    made: dict[str, JsonValue] = {}
    for name, given in constraints.items():
        slot = slots[name]
        all_of_it = given if isinstance(given, list) else [given]
        told = [one for one in all_of_it if one.value not in _EMPTY]
        if told:
            made[name] = _argument(slot, told[-1])
    return made


def _argument(slot: Slot, constraint: Constraint) -> JsonValue:
    value = constraint.value
    if isinstance(value, list):
        return _one_of(slot, value)
    if isinstance(value, int) and not isinstance(value, bool):
        match constraint.op:
            case "is_at_least":
                return {"min": value}
            case "is_at_most":
                return {"max": value}
            case "is_greater_than":
                return {"min": value + 1}
            case "is_less_than":
                return {"max": value - 1}
    if constraint.op in ("is_not", "contains_not"):
        return {"not": value}
    if isinstance(value, int) and not isinstance(value, bool) and slot.Type.endswith("String"):
        return str(value)
    return value.strip() if isinstance(value, str) else value


def _one_of(slot: Slot, values: Sequence[str]) -> JsonValue:
    distinct = set(values)
    ordered: list[JsonValue] = [value for value in slot.Categories if value in distinct]
    ordered += sorted(distinct - set(slot.Categories))
    return ordered[0] if len(ordered) == 1 else ordered


def _schema(slot: Slot) -> dict[str, Any]:
    about = {"description": slot.ReadableName}
    match slot.Type:
        case "Boolean":
            return {"type": "boolean", **about}
        case "Integer":
            return {**_range(slot), "anyOf": [{"type": "integer"}, _bounds()]}
        case "ShortString" | "LongString":
            return {"type": "string", **about}
        case "Categorical":
            several = {"type": "array", "items": _choice(slot), "description": "any of these"}
            return {**about, "anyOf": [_choice(slot), several]}
        case "CategoricalMultiple":
            return {**about, "anyOf": [_choice(slot), _all_but(_choice(slot))]}
        case "RequestType":
            return {**_choice(slot), **about}


def _choice(slot: Slot) -> dict[str, Any]:
    return {"type": "string", "enum": list(slot.Categories)}


def _all_but(value: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "description": "a value that is excluded",
        "properties": {"not": value},
        "required": ["not"],
        "additionalProperties": False,
    }


def _range(slot: Slot) -> dict[str, str]:
    known = slot.Min is not None and slot.Max is not None
    return {"description": slot.ReadableName + (f", {slot.Min} to {slot.Max}" if known else "")}


def _bounds() -> dict[str, Any]:
    number = {"type": "integer"}
    return {
        "type": "object",
        "description": "bounds instead of a value, both included; or a value that is excluded",
        "properties": {"min": number, "max": number, "not": number},
        "additionalProperties": False,
    }
