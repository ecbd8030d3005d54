"""Computed values of a type that cannot fit are findings; near twins that may fit are not (C5)."""

from __future__ import annotations

from typing import Any

import pytest

from skillbench_tasks.tools.workflow import ToolSignature, validate

STRING: Any = {"type": "string"}
INTEGER: Any = {"type": "integer"}
NUMBER: Any = {"type": "number"}
FOUND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": STRING, "size": INTEGER, "open": {"type": "boolean"}},
            },
        },
        "count": INTEGER,
        "total": NUMBER,
        "title": STRING,
        "owner": {"type": ["string", "null"]},
        "due": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "level": {"enum": ["low", "high"]},
        "free": {},
        "is_late": {"type": "boolean"},
    },
}
TOOLS = {
    "mcp.o:find": ToolSignature({"type": "object", "properties": {}}, FOUND),
    "mcp.o:put": ToolSignature(
        {
            "type": "object",
            "properties": {
                "text": STRING,
                "n": INTEGER,
                "x": NUMBER,
                "flag": {"type": "boolean"},
                "tags": {"type": "array", "items": STRING},
                "record": {"type": "object", "properties": {"n": INTEGER}},
                "maybe": {"type": ["string", "null"]},
            },
        }
    ),
}
FIND = {"kind": "call", "tool": "mcp.o:find", "id": "found"}
OUTPUT = {"type": "object", "properties": {"n": INTEGER}, "required": ["n"]}


def put(**arguments: Any) -> dict[str, Any]:
    return {"kind": "call", "tool": "mcp.o:put", "arguments": arguments}


def when(condition: Any) -> dict[str, Any]:
    return {"kind": "if", "condition": condition, "then": [put(text="a")]}


def loop(items: Any, *do: Any) -> dict[str, Any]:
    return {"kind": "for_each", "items": items, "as": "row", "do": [*do]}


def give(value: Any) -> dict[str, Any]:
    return {"kind": "return", "value": value}


def caught(*catch: Any) -> dict[str, Any]:
    return {"kind": "try", "do": [put(text="a")], "as": "error", "catch": [*catch]}


def assign(value: Any, name: str = "kept") -> dict[str, Any]:
    return {"kind": "set", "name": name, "value": value}


def rule(**operation: Any) -> dict[str, Any]:
    return {"$": operation}


def var(path: str) -> dict[str, Any]:
    return {"var": path}


ROWS = "${found.rows}"
MAPPED = {"map": [var("found.rows"), var("item.size")]}
NAMES = {"map": [var("found.rows"), var("item.name")]}

# What it is about; a plan that misfits; where; its near twin that fits.
TABLE: list[tuple[str, list[Any], str, list[Any]]] = [
    ("list_to_string", [put(text=ROWS)], "[1].arguments.text", [put(text="${found.title}")]),
    ("integer_to_string", [put(text="${found.count}")], "[1].arguments.text", [put(text="${found.owner}")]),
    ("string_to_integer", [put(n="${found.title}")], "[1].arguments.n", [put(n="${found.count}")]),
    ("boolean_to_integer", [put(n="${found.is_late}")], "[1].arguments.n", [put(n="${found.total}")]),
    ("enum_to_number", [put(x="${found.level}")], "[1].arguments.x", [put(x="${found.count}")]),
    ("object_to_string", [put(text="${found}")], "[1].arguments.text", [put(text="${found.free}")]),
    ("nullable_text_to_integer", [put(n="${found.owner}")], "[1].arguments.n", [put(maybe="${found.due}")]),
    ("any_of_to_boolean", [put(flag="${found.due}")], "[1].arguments.flag", [put(text="${found.due}")]),
    ("string_to_list", [put(tags="${found.title}")], "[1].arguments.tags", [put(tags=["${found.title}"])]),
    ("list_in_list", [put(tags=[ROWS])], "[1].arguments.tags[0]", [put(tags=["${found.level}"])]),
    ("part_of_object", [put(record={"n": "${found.title}"})], "[1].arguments.record.n", [put(record={"n": "${found.count}"})]),
    ("index", [put(text="${found.rows.0.size}")], "[1].arguments.text", [put(text="${found.rows.0.name}")]),
    ("loop_item", [loop(ROWS, put(text="${row}"))], "[1].do[0].arguments.text", [loop(ROWS, put(text="${row.name}"))]),
    ("loop_item_part", [loop(ROWS, put(text="${row.size}"))], "[1].do[0].arguments.text", [loop(ROWS, put(n="${row.size}"))]),
    ("loop_over_object", [loop("${found}")], "[1].items", [loop(ROWS)]),
    ("loop_over_text", [loop("${found.title}")], "[1].items", [loop("${found.free}")]),
    ("loop_over_count", [loop(rule(length=var("found.rows")))], "[1].items", [loop(rule(filter=[var("found.rows"), var("item.open")]))]),
    ("loop_over_literal", [loop("rows")], "[1].items", [loop([])]),
    ("filtered_item", [loop(rule(filter=[var("found.rows"), True]), put(text="${row.size}"))], "[1].do[0].arguments.text", [loop(rule(filter=[var("found.rows"), True]), put(text="${row.name}"))]),
    ("mapped_item", [loop({"$": MAPPED}, put(text="${row}"))], "[1].do[0].arguments.text", [loop({"$": NAMES}, put(text="${row}"))]),
    ("condition_of_text", [when("false")], "[1].condition", [when(False)]),
    ("condition_of_reference", [when(var("found.count"))], "[1].condition", [when(var("found.is_late"))]),
    ("condition_of_list", [when(var("found.rows"))], "[1].condition", [when({">": [{"length": var("found.rows")}, 0]})]),
    ("condition_of_number", [when({"+": [1, 2]})], "[1].condition", [when({"==": [1, 2]})]),
    ("condition_null", [when(None)], "[1].condition", [when(var("found.free"))]),
    ("condition_of_if", [when({"if": [True, 1, 2]})], "[1].condition", [when({"if": [True, False, True]})]),
    ("literal_output", [give("done")], "[1].value", [give({"n": 1})]),
    ("output_lacks_key", [give({})], "[1].value", [give({"n": "${found.count}"})]),
    ("output_null", [give(None)], "[1].value", [give("${found.free}")]),
    ("output_part", [give({"n": "${found.title}"})], "[1].value.n", [give({"n": rule(length=var("found.rows"))})]),
    ("output_reference", [give(ROWS)], "[1].value", [give({"n": 2.0})]),
    ("error_part", [caught(put(n="${error.message}"))], "[1].catch[0].arguments.n", [caught(put(text="${error.message}"))]),
    ("error_whole", [caught(put(text="${error}"))], "[1].catch[0].arguments.text", [caught(put(flag="${error.retryable}"))]),
    ("template_of_list", [put(text=f"Rows: {ROWS}")], "[1].arguments.text", [put(text="Rows: ${found.count}")]),
    ("template_of_object", [assign("It is ${found}.")], "[1].value", [assign("It is ${found.owner}.")]),
    ("template_to_integer", [put(n="${found.count} rows")], "[1].arguments.n", [put(text="${found.count} rows")]),
    ("variable", [assign("a"), put(n="${kept}")], "[2].arguments.n", [assign("a"), put(text="${kept}")]),
    ("variable_of_call", [assign(ROWS), put(text="${kept}")], "[2].arguments.text", [assign(ROWS), loop("${kept}")]),
    ("rule_to_string", [put(text=rule(**{"+": [1, 2]}))], "[1].arguments.text", [put(n=rule(**{"+": [1, 2]}))]),
    ("comparison_to_string", [put(text=rule(**{"==": [1, 2]}))], "[1].arguments.text", [put(flag=rule(**{"==": [1, 2]}))]),
    ("cat_to_integer", [put(n=rule(cat=["1", "2"]))], "[1].arguments.n", [put(text=rule(cat=["1", "2"]))]),
    ("default_of_var", [put(text=rule(var=["found.count", 0]))], "[1].arguments.text", [put(text=rule(var=["found.owner", "none"]))]),
]  # fmt: skip


def _found(steps: list[Any]) -> list[tuple[str, str]]:
    output = OUTPUT if any(one["kind"] == "return" for one in steps) else None
    plan = {"version": 1, "steps": [FIND, *steps]} | ({"output": output} if output else {})
    findings = validate(plan, TOOLS, dialogue=False)
    return [(one.layer, one.path) for one in findings]


@pytest.mark.parametrize(("steps", "path"), [row[1:3] for row in TABLE], ids=[r[0] for r in TABLE])
def test_value_of_a_type_that_cannot_fit_is_a_finding_c5(steps: list[Any], path: str) -> None:
    assert ("schema", f"steps{path}") in _found(steps)


@pytest.mark.parametrize("twin", [row[3] for row in TABLE], ids=[r[0] for r in TABLE])
def test_near_twin_that_may_fit_has_no_finding_c5(twin: list[Any]) -> None:
    assert _found(twin) == []


def test_variable_of_several_types_gives_no_finding_c5() -> None:
    steps = [assign("a"), {**when(True), "then": [assign(1)]}, put(n="${kept}", text="${kept}")]
    assert _found(steps) == []


def test_variable_that_grows_from_itself_has_its_operators_type_c5() -> None:
    grow = assign({"$": {"+": [var("kept"), 1]}})
    assert _found([assign(0), grow, put(n="${kept}")]) == []
    assert _found([assign(0), grow, put(text="${kept}")]) == [("schema", "steps[3].arguments.text")]


def test_long_chains_of_names_are_bounded_c5() -> None:
    chain = [assign("a", "n0"), *(assign(f"${{n{i}}}", f"n{i + 1}") for i in range(800))]
    assert _found([*chain, put(n="${n800}")]) in ([], [("schema", "steps[802].arguments.n")])
