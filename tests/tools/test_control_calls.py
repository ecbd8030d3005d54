"""Control calls: other values of the same kind, exactly where they are asked for."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import JsonValue

from skillbench_tasks.tools.call_forms import ANYWHERE, Path
from skillbench_tasks.tools.control_calls import control_arguments

SCHEMA: dict[str, Any] = {
    "properties": {
        "state": {"type": "string", "enum": ["open", "late", "shut"]},
        "only": {"enum": ["one"]},
        "tags": {"type": "array", "uniqueItems": True},
        "note": {"type": "string"},
        "most": {"type": "integer", "default": 10},
    }
}


@pytest.mark.parametrize(
    ("arguments", "path", "others"),
    [
        pytest.param({"a": "2026-03-12"}, ("a",), ["7571-58-67", "0000-00-00"], id="date"),
        pytest.param({"a": "ORD-90001"}, ("a",), ["ORD-45556", "ORD-00000"], id="id"),
        pytest.param({"a": "Ann Lee"}, ("a",), ["Naa Yrr", "qqq qqq"], id="letters"),
        pytest.param({"a": "订单"}, ("a",), ["订单x"], id="other_script"),
        pytest.param({"a": 5}, ("a",), [6, 4], id="number"),
        pytest.param({"a": True}, ("a",), [False, False], id="boolean"),
        pytest.param({"a": None}, ("a",), [], id="null"),
        pytest.param({"state": "late"}, ("state",), ["open", "shut"], id="enumeration"),
        pytest.param({"only": "one"}, ("only",), [], id="enumeration_of_one"),
        pytest.param({"a": "x"}, ("b",), [], id="another_path"),
    ],
)
def test_control_has_another_value_of_the_same_kind(
    arguments: dict[str, JsonValue], path: Path, others: list[JsonValue]
) -> None:
    (name,) = arguments
    made = list(control_arguments(arguments, {path}, SCHEMA))
    assert [one[name] for one in made] == others
    assert all({**one, name: arguments[name]} == {**arguments, "most": 10} for one in made)


def test_control_reaches_into_objects_lists_and_sets() -> None:
    arguments: dict[str, JsonValue] = {"to": {"x": [1, 2]}, "tags": ["a", "b"], "note": None}
    paths: list[Path] = [("to", "x", 1), ("tags", ANYWHERE)]
    first, _ = control_arguments(arguments, paths, SCHEMA)
    assert first == {"to": {"x": [1, 3]}, "tags": ["n", "o"], "most": 10}
