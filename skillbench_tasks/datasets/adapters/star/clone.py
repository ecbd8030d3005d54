"""A dialogue as STAR publishes it (`dialogues/<n>.json`), in the form that is read here.

The published file is a list of events: what was said, which ready answer was picked, what was asked
of an API and what came back, what the user was told to do. Only the first four are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["INCOMPLETE", "is_published", "record_of"]

INCOMPLETE: Final = "not completed"

_OPERATOR: Final = re.compile(r"\s*api\.(\w+)\((.*)\)\s*", re.DOTALL)
_LITERALS: Final = {"True": True, "False": False}


def is_published(data: Mapping[str, Any]) -> bool:
    """Return whether an object is a dialogue in the published form."""
    return "Events" in data and "Scenario" in data


def record_of(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a published dialogue in the form that is read here; none for one not completed.

    Raises:
        KeyError: A field is missing; its name is the error's argument.
    """
    if data.get("CompletionLevel", "Complete") != "Complete":
        return None
    scenario = data["Scenario"]
    tasks = [one["Task"] for one in scenario["WizardCapabilities"]]
    return {
        "id": f"star-{data['DialogueID']}",
        "intent": None if scenario["MultiTask"] else tasks[0],
        "tasks": tasks,
        "happy_path": scenario["Happy"],
        "user_instructions": scenario["UserTask"],
        "agent_instructions": scenario["WizardTask"],
        "turns": list(_turns(data["Events"])),
    }


def _turns(events: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    asked = answered = 0
    for event in events:
        match event["Agent"], event["Action"]:
            case "User", "utter":
                yield {"role": "user", "text": event["Text"]}
            case "Wizard", "utter" | "pick_suggestion":
                yield {"role": "agent", "text": event["Text"]}
            case "Wizard", "query":
                asked += 1
                yield {
                    "role": "tool_call",
                    "call_id": f"c{asked}",
                    "name": event["APIName"],
                    "arguments": _arguments(event["Constraints"]),
                }
            case "KnowledgeBase", "return_item" if answered < asked:
                answered += 1
                yield {
                    "role": "tool_result",
                    "call_id": f"c{answered}",
                    "result": event.get("Item"),
                    "total_items": event["TotalItems"],
                }


def _arguments(constraints: list[dict[str, Any]]) -> dict[str, Any]:
    """Return slot → its constraint, or a list of them where the form was filled more than once."""
    made: dict[str, list[dict[str, Any]]] = {}
    for constraint in constraints:
        for slot, written in constraint.items():
            made.setdefault(slot, []).append(_constraint(str(written)))
    return {slot: given if len(given) > 1 else given[0] for slot, given in made.items()}


def _constraint(written: str) -> dict[str, Any]:
    found = _OPERATOR.fullmatch(written)
    operator, value = (found[1], found[2]) if found else ("is_equal_to", written)
    return {"op": operator, "value": _value(value.strip())}


def _value(written: str) -> Any:
    """Return what a constraint names; a text that is no literal stands for itself."""
    if written in _LITERALS:
        return _LITERALS[written]
    try:
        value = json.loads(written)
    except json.JSONDecodeError:
        return written
    return "null" if value is None else value
