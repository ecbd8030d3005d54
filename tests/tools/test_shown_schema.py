"""What a model sees of a tool is the schema that grades its calls (B5)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from inspect_ai.tool import ToolInfo

from skillbench_tasks.errors import DataError
from skillbench_tasks.tools import catalogue, connectors
from skillbench_tasks.tools.toolkit import tool_info
from tests.tau2_mini import write_mini

ODD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "to": {"$ref": "#/$defs/place"},
        "kind": {"const": "parcel", "description": "The kind."},
        "none": {"const": None},
        "how": {"oneOf": [{"type": "integer"}, {"type": "string", "enum": ["fast"]}]},
        "either": {"oneOf": [{"type": "integer", "minimum": 3}, {"type": "number", "maximum": 9}]},
        "both": {
            "allOf": [
                {"$ref": "#/$defs/word"},
                {"maxLength": 5, "pattern": "^a"},
                {"pattern": "z$"},
            ]
        },
        "many": {"type": "array", "items": {"multipleOf": 5}, "minItems": 1, "maxItems": 3},
        "rate": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "other": {"not": {"$ref": "#/$defs/word"}},
        "if_so": {"if": {"const": 1}, "then": {"minimum": 0}, "else": {"type": "string"}},
        "pair": {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "free": {"type": "object", "additionalProperties": True, "propertyNames": {"maxLength": 9}},
        "has": {"type": "array", "contains": {"const": 7}, "minContains": 2, "uniqueItems": True},
        "tree": {"$ref": "#/$defs/node"},
        "any": True,
        "never": False,
        "gap": {"type": ["string", "null"], "default": None, "title": "Gap", "examples": ["x"]},
        "old": {"$ref": "#/definitions/old~1one", "description": "Beside."},
    },
    "required": ["to"],
    "dependentRequired": {"kind": ["to"]},
    "minProperties": 2,
    "anyOf": [{"required": ["kind"]}, {"required": ["how"]}],
    "$defs": {
        "place": {"type": "object", "properties": {"zip": {"type": "string", "minLength": 5}}},
        "word": {"type": "string", "minLength": 2},
        "node": {
            "type": "object",
            "properties": {"size": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}},
        },
    },
    "definitions": {"old/one": {"type": "string", "format": "date"}},
}

SAID = {
    "to": ['"zip"', '"minLength": 5'],
    "kind": ["The kind.", '"enum": ["parcel"]'],
    "none": ['"enum": [null]'],
    "how": ['"anyOf"', '"integer"', '"fast"'],
    "either": ["exactly one of the alternatives", '"minimum": 3', '"maximum": 9'],
    "both": ['"minLength": 2', '"maxLength": 5', "^a", "z$"],
    "many": ["At least 1 item; at most 3 items.", "A multiple of 5."],
    "rate": ["More than 0; less than 1."],
    "other": ["not", "minLength"],
    "if_so": ["then", "else", "minimum"],
    "pair": ["prefixItems", '\\"items\\": false'],
    "map": ['"additionalProperties": {"type": "integer"}'],
    "free": ['"additionalProperties": true', "propertyNames"],
    "has": ["minContains", "No item twice"],
    "tree": ['"size"', "Of the same form as the node that it stands in."],
    "any": [],
    "never": ["leave it out"],
    "gap": ['"type": ["string", "null"]', "Null where it is not given.", '"examples": ["x"]'],
    "old": ["Beside.", '"format": "date"'],
}


def _sent(info: ToolInfo) -> dict[str, Any]:
    """What a provider sends: Inspect's own dump."""
    sent: dict[str, Any] = json.loads(info.parameters.model_dump_json(exclude_none=True))
    return sent


@pytest.mark.parametrize("name", SAID)
def test_odd_keyword_reaches_the_model(name: str) -> None:
    """B5: `$ref`, `const`, `oneOf`, `allOf`, `minItems`, `multipleOf`, `pattern` …"""
    shown = json.dumps(_sent(tool_info("t", "Send.", ODD))["properties"][name])
    for part in SAID[name]:
        assert part.casefold() in shown.casefold(), (part, shown)
    assert "$ref" not in shown.replace("\\", "")


def test_what_holds_for_the_arguments_together_stands_in_the_description() -> None:
    info = tool_info("t", "Send.", ODD)
    assert info.description.startswith("Send. ")
    for part in ("At least 2 fields given", '{"dependentRequired": {"kind": ["to"]}}', '"anyOf"'):
        assert part.casefold() in info.description.casefold()
    assert _sent(info)["required"] == ["to"]


@pytest.mark.parametrize(
    ("declared", "shown"), [({}, True), ({"additionalProperties": True}, True), (None, False)]
)
def test_unknown_arguments_are_shown_as_they_are_graded(
    declared: dict[str, Any] | None, shown: bool
) -> None:
    schema = {
        "type": "object",
        **({"additionalProperties": False} if declared is None else declared),
    }
    assert _sent(tool_info("t", "", schema))["additionalProperties"] is shown


@pytest.mark.parametrize("place", ["https://example.com/a.json", "#/$defs/gone", 7])
def test_reference_that_leads_nowhere_is_refused(place: object) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": place}}}
    with pytest.raises(DataError, match="outside itself"):
        tool_info("t", "", schema)


_SAME = frozenset({"title", "$schema", "$defs", "definitions", "x-normal", "x-free-text"})
_WORDS = {
    "minItems": "at least {} item",
    "maxItems": "at most {} item",
    "multipleOf": "a multiple of {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minProperties": "at least {} field",
    "maxProperties": "at most {} field",
    "uniqueItems": "no item twice",
}


def _lost(schema: Mapping[str, Any], shown: Any, said: str, place: str) -> Iterator[str]:
    """Yield the keywords of a schema that neither the shown one nor its description holds."""
    if not isinstance(shown, Mapping):
        yield place
        return
    text = f"{said} {shown.get('description', '')}".casefold()
    for name, value in schema.items():
        at = f"{place}/{name}"
        if name == "properties":
            for key, part in value.items():
                yield from _lost(part, shown.get(name, {}).get(key), "", f"{at}/{key}")
        elif name in ("items", "additionalProperties") and isinstance(value, Mapping):
            yield from _lost(value, shown.get(name), "", at)
        elif name == "anyOf" and name in shown:
            for index, part in enumerate(value):
                yield from _lost(part, shown[name][index], "", f"{at}/{index}")
        elif not _is_held(name, value, shown, text):
            yield at


def _is_held(name: str, value: Any, shown: Mapping[str, Any], text: str) -> bool:
    if name in _SAME or shown.get(name) == value:
        return True
    said = _WORDS.get(name, "{}").format(value)
    if name not in _WORDS and name != "description":
        said = json.dumps({name: value})[1:-1]
    return said.casefold() in text or (name == "const" and shown.get("enum") == [value])


@pytest.mark.parametrize("source", ["shipped", "connectors", "tau2"])
def test_every_keyword_of_a_tool_reaches_the_model(
    source: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """B5: every keyword that a tool uses stands in what the model sees, schema or description."""
    specs = [one.spec for one in _tools(source, tmp_path_factory)]
    assert specs
    for spec in specs:
        info = tool_info(spec.function_name, spec.description, spec.input_schema)
        lost = _lost(spec.input_schema, _sent(info), info.description, spec.full_name)
        assert not list(lost)


def _tools(source: str, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    if source == "shipped":
        return list(catalogue.tools().values())
    if source == "connectors":
        assert len(connectors.tools()) == 64
        return list(connectors.tools().values())
    from skillbench_tasks.datasets.sources import open_source

    found = open_source(f"tau2:{write_mini(tmp_path_factory.mktemp('tau2'))}")
    return list(found.tools(next(iter(found.cases()))))


def test_check_of_this_file_sees_a_lost_keyword() -> None:
    schema = {"type": "object", "properties": {"a": {"minItems": 2, "pattern": "x"}}}
    shown = {"type": "object", "properties": {"a": {"description": "At least 3 items."}}}
    assert sorted(_lost(schema, shown, "", "t")) == [
        "t/properties/a/minItems",
        "t/properties/a/pattern",
    ]
