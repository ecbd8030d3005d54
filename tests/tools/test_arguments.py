"""Normal form of arguments below the top level, and under schemas that refer."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import JsonValue

from skillbench_tasks.tools.arguments import ArgumentChecker

ITEM = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "default": 1},
        "gift": {"type": "string"},
        "until": {"type": ["string", "null"]},
    },
}


@pytest.mark.parametrize(
    ("declared", "value", "normal"),
    [
        pytest.param(ITEM, {"count": 2.0}, {"count": 2}, id="integer"),
        pytest.param(ITEM, {"gift": None}, {"count": 1}, id="null_and_default"),
        pytest.param(ITEM, {"until": None}, {"until": None, "count": 1}, id="null_as_a_value"),
        pytest.param(
            {**ITEM, "required": ["gift"]}, {"gift": None}, {"gift": None, "count": 1}, id="required"
        ),
        pytest.param(
            {"type": "array", "items": ITEM}, [{"gift": None}, 3], [{"count": 1}, 3], id="in_a_list"
        ),
        pytest.param({"$ref": "#/$defs/item"}, {"gift": None}, {"count": 1}, id="reference"),
        pytest.param(
            {"anyOf": [{"$ref": "#/$defs/item"}, {"type": "null"}]},
            {"gift": None},
            {"count": 1},
            id="alternative_to_null",
        ),
        pytest.param({"anyOf": [ITEM, {"type": "string"}]}, {"gift": None}, {"gift": None}, id="two"),
        pytest.param({"$ref": "#/$defs/circle"}, {"gift": None}, {"gift": None}, id="circle"),
        pytest.param({"$ref": "#/$defs/none"}, {"gift": None}, {"gift": None}, id="loose_reference"),
        pytest.param({"$ref": "other.json"}, {"gift": None}, {"gift": None}, id="foreign_reference"),
        pytest.param(True, {"gift": None}, {"gift": None}, id="schema_true"),
        pytest.param({"properties": {"gift": True}}, {"gift": None}, {}, id="property_true"),
        pytest.param({**ITEM, "required": True}, {"gift": None}, {"count": 1}, id="old_required"),
    ],
)  # fmt: skip
def test_normalise_reaches_what_the_schema_describes(
    declared: Any, value: JsonValue, normal: JsonValue
) -> None:
    definitions = {"item": ITEM, "circle": {"$ref": "#/$defs/circle"}}
    schema = {"properties": {"x": declared}, "required": ["x"], "$defs": definitions}
    assert ArgumentChecker(schema).normalise({"x": value}) == {"x": normal}
