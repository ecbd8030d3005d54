"""Every finding of the three layers: section 8 of the language reference."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from skillbench_tasks.tools.workflow import Program, ToolSignature, parse_program, validate

ORDER: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sku": {"type": "string"}},
                "additionalProperties": False,
            },
        },
        "extra": {"type": "object"},
    },
    "additionalProperties": False,
}
TOOLS = {
    "mcp.o:get": ToolSignature(
        {
            "type": "object",
            "properties": {"id": {"type": "string", "pattern": "^ORD-[0-9]+$"}},
            "required": ["id"],
            "additionalProperties": False,
        },
        ORDER,
    ),
    "mcp.o:put": ToolSignature(
        {
            "type": "object",
            "properties": {
                "n": {"type": "integer"},
                "kind": {"enum": ["a", "b"]},
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
                "record": {
                    "type": "object",
                    "properties": {"x": {"type": "integer"}, "y": {"type": "string"}},
                    "required": ["x"],
                    "additionalProperties": False,
                },
            },
        }
    ),
    "mcp.o:open": ToolSignature({"type": "object", "properties": {}, "additionalProperties": True}),
}

GET: dict[str, JsonValue] = {
    "kind": "call",
    "tool": "mcp.o:get",
    "arguments": {"id": "ORD-1"},
    "id": "order",
}


def put(**arguments: JsonValue) -> JsonValue:
    return {"kind": "call", "tool": "mcp.o:put", "arguments": arguments}


def give(value: JsonValue) -> JsonValue:
    return {"kind": "return", "value": value}


def rule(value: JsonValue) -> JsonValue:
    return give({"$": value})


def branch(*then: JsonValue) -> JsonValue:
    return {"kind": "if", "condition": True, "then": list(then)}


def assign(name: str, value: JsonValue = 1) -> JsonValue:
    return {"kind": "set", "name": name, "value": value}


def loop(items: JsonValue, *do: JsonValue) -> JsonValue:
    return {"kind": "for_each", "items": items, "as": "x", "do": list(do)}


def nested(depth: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(depth):
        value = [value]
    return value


def blocks(depth: int) -> list[JsonValue]:
    block: list[JsonValue] = []
    for _ in range(depth - 1):
        block = [branch(*block)]
    return block


def found(data: JsonValue, *, dialogue: bool = True) -> list[tuple[str, str, str]]:
    return [(f.layer, f.path, f.code) for f in validate(data, TOOLS, dialogue=dialogue)]


def program(*steps: JsonValue, **keys: JsonValue) -> JsonValue:
    return {"version": 1, "inputs": {"a": {"type": "string"}}, "steps": list(steps), **keys}


DOCUMENTS: list[tuple[str, JsonValue, str, str]] = [
    ("no_object", [], "", "wrong_type"),
    ("no_version", {"steps": []}, "version", "missing_key"),
    ("version_2", {"version": 2, "steps": []}, "version", "bad_version"),
    ("version_true", {"version": True, "steps": []}, "version", "bad_version"),
    ("no_steps", {"version": 1}, "steps", "missing_key"),
    ("steps_no_list", {"version": 1, "steps": {}}, "steps", "wrong_type"),
    ("unknown_key", {"version": 1, "steps": [], "name": "x"}, "name", "unknown_key"),
    ("input_name", program(inputs={"A": {}}), "inputs.A", "bad_name"),
    ("input_schema", program(inputs={"a": {"type": "text"}}), "inputs.a", "bad_schema"),
    ("input_pattern", program(inputs={"a": {"pattern": "("}}), "inputs.a", "bad_schema"),
    ("output_schema", program(output=[]), "output", "bad_schema"),
    ("output_null", program(output=None), "output", "wrong_type"),
    ("not_finite", program(give(float("inf"))), "steps[0].value", "not_json"),
    ("integer_too_large", program(give(10**400)), "steps[0].value", "not_json"),
    ("too_many_nodes", program(*[assign("v")] * 1_001), "steps", "too_many_nodes"),
    ("blocks_too_deep", program(*blocks(33)), "steps[0]" + ".then[0]" * 31 + ".then", "too_deep"),
]


@pytest.mark.parametrize(
    ("data", "path", "code"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_document_of_wrong_shape_has_finding(data: JsonValue, path: str, code: str) -> None:
    assert ("shape", path, code) in found(data)


SHAPES: list[tuple[str, JsonValue, str, str]] = [
    ("no_object", 3, "", "wrong_type"),
    ("no_kind", {"tool": "mcp.o:get"}, ".kind", "missing_key"),
    ("unknown_kind", {"kind": "while"}, ".kind", "unknown_kind"),
    ("kind_no_string", {"kind": []}, ".kind", "unknown_kind"),
    ("missing_key", {"kind": "set", "name": "v"}, ".value", "missing_key"),
    ("unknown_key", {"kind": "return", "result": 1}, ".result", "unknown_key"),
    ("wrong_type", {"kind": "if", "condition": True, "then": {}}, ".then", "wrong_type"),
    ("note", {"kind": "return", "note": 3}, ".note", "wrong_type"),
    ("null_id", {**GET, "id": None}, ".id", "wrong_type"),
    ("id", {**GET, "id": "Order"}, ".id", "bad_name"),
    ("name_too_long", assign("v" * 65), ".name", "bad_name"),
    ("tool_name", {"kind": "call", "tool": "get_order"}, ".tool", "bad_tool_name"),
    (
        "arguments",
        {"kind": "call", "tool": "mcp.o:get", "arguments": []},
        ".arguments",
        "wrong_type",
    ),
    ("inner_block", branch({"kind": "set"}), ".then[0].name", "missing_key"),
    ("template_unclosed", give("${a"), ".value", "bad_template"),
    ("template_no_path", put(n=["${a b}"]), ".arguments.n[0]", "bad_template"),
    ("dollar_beside_keys", give({"$": 1, "b": 2}), ".value", "bad_expression"),
    ("rule_two_keys", rule({"+": [1], "-": [1]}), ".value.$", "bad_rule"),
    (
        "rule_no_key",
        {**dict(GET), "kind": "if", "condition": {}, "then": []},
        ".condition",
        "bad_rule",
    ),
    ("unknown_operator", rule({"!": {"not": True}}), ".value.$.!.not", "unknown_operator"),
    ("operand_count", rule({"if": [True, 1]}), ".value.$.if", "operand_count"),
    ("no_operands", rule({"var": []}), ".value.$.var", "operand_count"),
    ("bad_path", rule({"var": "a..b"}), ".value.$.var", "bad_path"),
    ("computed_path", rule({"exists": [{"cat": ["a"]}]}), ".value.$.exists", "bad_path"),
    ("inner_rule", rule({"+": [1, {"var": 3}]}), ".value.$.+[1].var", "bad_path"),
    ("default_rule", rule({"var": ["a", {"nop": 1}]}), ".value.$.var[1].nop", "unknown_operator"),
    ("expression_too_deep", give(nested(33)), ".value", "too_deep"),
    (
        "rule_too_deep",
        {"kind": "if", "condition": nested(33), "then": []},
        ".condition",
        "too_deep",
    ),
    (
        "document_too_deep",
        {"kind": "if", "condition": True, "then": [], "x": nested(300)},
        ".x" + "[0]" * 103,
        "too_deep",
    ),
    ("ask_nothing", {"kind": "ask"}, "", "bad_ask"),
    ("ask_both", {"kind": "ask", "slots": ["a"], "confirm": "b"}, "", "bad_ask"),
    ("ask_slot_name", {"kind": "ask", "slots": ["A b"]}, ".slots[0]", "bad_name"),
    (
        "claim_tool_name",
        {"kind": "say", "act": "x", "claims": ["r"]},
        ".claims[0]",
        "bad_tool_name",
    ),
    ("say_no_act", {"kind": "say"}, ".act", "missing_key"),
    ("say_fact", {"kind": "say", "act": "x", "facts": {"f": "${"}}, ".facts.f", "bad_template"),
]


@pytest.mark.parametrize(
    ("node", "path", "code"), [row[1:] for row in SHAPES], ids=[row[0] for row in SHAPES]
)
def test_node_of_wrong_shape_has_finding(node: JsonValue, path: str, code: str) -> None:
    assert ("shape", f"steps[0]{path}", code) in found(program(node))


@pytest.mark.parametrize("kind", ["say", "ask", "hand_over", "decline"])
def test_dialogue_node_without_dialogue_is_refused(kind: str) -> None:
    keys: dict[str, JsonValue] = {
        "say": {"act": "x"},
        "ask": {"slots": ["s"]},
        "hand_over": {"reason": "x"},
        "decline": {"reason": "x"},
    }
    given = keys[kind]
    assert isinstance(given, dict)
    data = program(branch({"kind": kind, **given}))
    assert found(data, dialogue=True) == []
    expected = [("shape", "steps[0].then[0].kind", "dialogue_not_allowed")]
    assert found(data, dialogue=False) == expected


SCHEMAS: list[tuple[str, JsonValue, str, str]] = [
    ("unknown_tool", {"kind": "call", "tool": "mcp.o:drop"}, ".tool", "unknown_tool"),
    ("missing_argument", {**GET, "arguments": {}}, ".arguments", "missing_argument"),
    (
        "unknown_argument",
        {**GET, "arguments": {"id": "ORD-1", "z": 1}},
        ".arguments.z",
        "unknown_argument",
    ),
    ("unknown_in_open_schema", put(z="${inputs.a}"), ".arguments.z", "unknown_argument"),
    ("pattern", {**GET, "arguments": {"id": "1"}}, ".arguments.id", "bad_argument"),
    ("type", put(n="3"), ".arguments.n", "bad_argument"),
    ("boolean_is_no_integer", put(n=True), ".arguments.n", "bad_argument"),
    ("enum", put(kind="c"), ".arguments.kind", "bad_argument"),
    ("escaped_text_is_literal", put(kind="$${a}"), ".arguments.kind", "bad_argument"),
    ("literal_element", put(tags=["${inputs.a}", 3]), ".arguments.tags[1]", "bad_argument"),
    ("count_of_elements", put(tags=["${inputs.a}", "b", "c"]), ".arguments.tags", "bad_argument"),
    (
        "literal_part",
        put(record={"x": "${inputs.a}", "y": 2}),
        ".arguments.record.y",
        "bad_argument",
    ),
    ("missing_part", put(record={"y": "${inputs.a}"}), ".arguments.record", "bad_argument"),
    ("unknown_part", put(record={"x": 1, "z": "${inputs.a}"}), ".arguments.record", "bad_argument"),
    ("list_for_object", put(record=["${inputs.a}"]), ".arguments.record", "bad_argument"),
]


@pytest.mark.parametrize(
    ("node", "path", "code"), [row[1:] for row in SCHEMAS], ids=[row[0] for row in SCHEMAS]
)
def test_call_against_schema_has_finding(node: JsonValue, path: str, code: str) -> None:
    assert found(program(node)) == [("schema", f"steps[0]{path}", code)]


def test_input_default_against_its_schema_has_finding() -> None:
    data = program(inputs={"a": {"type": "string", "default": 3}})
    assert found(data) == [("schema", "inputs.a.default", "bad_default")]


COMPUTED: list[tuple[str, JsonValue]] = [
    ("reference", put(n="${inputs.a}")),
    ("rule", put(n={"$": "three"}, kind={"$": {"cat": ["c"]}})),
    ("template", put(kind="c${inputs.a}")),
    ("partly", put(record={"x": "${inputs.a}", "y": "b"}, tags=["${inputs.a}", "b"])),
    ("integral_float", put(n=3.0)),
    ("open_schema", {"kind": "call", "tool": "mcp.o:open", "arguments": {"anything": 1}}),
]


@pytest.mark.parametrize("node", [row[1] for row in COMPUTED], ids=[row[0] for row in COMPUTED])
def test_computed_argument_has_no_finding(node: JsonValue) -> None:
    assert found(program(node)) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"properties": {"p": {"const": 1}}}, {"properties": {"p": {"const": 2}}}]},
        {"if": {"properties": {"p": {"const": 1}}}, "then": {"required": ["q"]}},
        {"properties": {"p": {"not": {"type": "string"}}}},
        {"properties": {"p": {"uniqueItems": True, "contains": {"const": 1}}}},
    ],
    ids=["any_of", "if_then", "not", "unique_contains"],
)
def test_schema_that_depends_on_computed_part_has_no_finding(schema: dict[str, JsonValue]) -> None:
    tools = {"mcp.x:y": ToolSignature({"additionalProperties": True, **schema})}
    values: list[JsonValue] = ["${inputs.a}", ["${inputs.a}", "${inputs.a}"]]
    for value in values:
        node: JsonValue = {"kind": "call", "tool": "mcp.x:y", "arguments": {"p": value}}
        assert validate(program(node), tools, dialogue=False) == []


@pytest.mark.parametrize(
    "schema",
    [{"$ref": "#"}, {"$ref": "http://example.invalid/schema"}, {"type": 3}, {"pattern": "("}],
    ids=["endless", "elsewhere", "broken", "broken_pattern"],
)
def test_unusable_tool_schema_is_finding_and_no_crash(schema: dict[str, JsonValue]) -> None:
    tools = {"mcp.x:y": ToolSignature({"properties": {"p": schema}})}
    node: JsonValue = {"kind": "call", "tool": "mcp.x:y", "arguments": {"p": "literal"}}
    findings = validate(program(node), tools, dialogue=False)
    assert [finding.code for finding in findings] in ([], ["bad_argument"])


REFERENCES: list[tuple[str, list[JsonValue], str, str]] = [
    ("unknown_name", [give("${nowhere}")], "[0].value", "unknown_name"),
    ("unknown_in_template", [give(["a ${nowhere} b"])], "[0].value[0]", "unknown_name"),
    (
        "unknown_in_rule",
        [rule({"+": [1, {"var": ["nowhere.x", 1]}]})],
        "[0].value.$.+[1].var",
        "unknown_name",
    ),
    (
        "unknown_in_condition",
        [{"kind": "if", "condition": {"exists": "nowhere"}, "then": []}],
        "[0].condition.exists",
        "unknown_name",
    ),
    (
        "unknown_in_default",
        [rule({"var": ["inputs.a", {"var": "nowhere"}]})],
        "[0].value.$.var[1].var",
        "unknown_name",
    ),
    ("undeclared_input", [give("${inputs.b}")], "[0].value", "undeclared_input"),
    (
        "later",
        [put(n="${order.id}"), GET],
        "[0].arguments.n",
        "used_before_bound",
    ),
    (
        "itself",
        [{**GET, "arguments": {"id": "${order.id}"}}],
        "[0].arguments.id",
        "used_before_bound",
    ),
    ("untaken_branch", [branch(GET), give("${order.id}")], "[1].value", "out_of_scope"),
    (
        "else_from_then",
        [{"kind": "if", "condition": True, "then": [GET], "else": [give("${order.id}")]}],
        "[0].else[0].value",
        "out_of_scope",
    ),
    ("loop_name_after_loop", [loop([1]), give("${x}")], "[1].value", "out_of_scope"),
    ("loop_value_after_loop", [loop([1], assign("v")), give("${v}")], "[1].value", "out_of_scope"),
    (
        "do_in_catch",
        [{"kind": "try", "do": [GET], "catch": [give("${order.id}")]}],
        "[0].catch[0].value",
        "out_of_scope",
    ),
    (
        "error_after_try",
        [{"kind": "try", "do": [], "catch": [], "as": "e"}, give("${e.code}")],
        "[1].value",
        "out_of_scope",
    ),
    ("double_binding", [GET, GET], "[1].id", "name_taken"),
    ("shadowing", [GET, branch(GET)], "[1].then[0].id", "name_taken"),
    ("loop_shadows", [assign("x"), loop([1])], "[1].as", "name_taken"),
    ("call_on_variable", [assign("order"), GET], "[1].id", "name_taken"),
    ("reserved_call", [{**GET, "id": "inputs"}], "[0].id", "reserved_name"),
    ("reserved_set", [assign("item")], "[0].name", "reserved_name"),
    ("set_on_call", [GET, assign("order")], "[1].name", "set_on_bound"),
    ("set_on_loop_name", [loop([1], assign("x"))], "[0].do[0].name", "set_on_bound"),
    ("item_outside", [rule({"var": "item"})], "[0].value.$.var", "unknown_name"),
    (
        "item_in_list_of_map",
        [rule({"map": [{"var": "item"}, 1]})],
        "[0].value.$.map[0].var",
        "unknown_name",
    ),
    (
        "accumulator_in_map",
        [rule({"map": [[1], {"var": "accumulator"}]})],
        "[0].value.$.map[1].var",
        "unknown_name",
    ),
    (
        "item_in_start",
        [rule({"reduce": [[], 1, {"var": "item"}]})],
        "[0].value.$.reduce[2].var",
        "unknown_name",
    ),
    ("unlisted_segment", [GET, give("${order.total}")], "[1].value", "unknown_segment"),
    ("unlisted_deep", [GET, give("${order.lines.0.price}")], "[1].value", "unknown_segment"),
    (
        "unlisted_exists",
        [GET, rule({"exists": "order.total"})],
        "[1].value.$.exists",
        "unknown_segment",
    ),
    (
        "unlisted_in_loop",
        [GET, loop("${order.lines}", give("${x.price}"))],
        "[1].do[0].value",
        "unknown_segment",
    ),
    ("unreachable", [give(1), GET], "[1]", "unreachable"),
    (
        "unreachable_after_hand_over",
        [{"kind": "hand_over", "reason": "x"}, GET],
        "[1]",
        "unreachable",
    ),
    (
        "claim_unknown",
        [{"kind": "say", "act": "x", "claims": ["mcp.no:such"]}],
        "[0].claims[0]",
        "unknown_claim",
    ),
    (
        "must_no_fact",
        [{"kind": "decline", "reason": "x", "facts": {"a": 1}, "must": ["a", "b"]}],
        "[0].must[1]",
        "unknown_must",
    ),
]


@pytest.mark.parametrize(
    ("steps", "path", "code"), [row[1:] for row in REFERENCES], ids=[row[0] for row in REFERENCES]
)
def test_reference_that_breaks_scoping_has_finding(
    steps: list[JsonValue], path: str, code: str
) -> None:
    assert found(program(*steps)) == [("references", f"steps{path}", code)]


VALID: list[tuple[str, list[JsonValue]]] = [
    ("empty", []),
    ("whole_inputs_and_context", [give(["${inputs}", "${context.now}"])]),
    ("set_before_branch", [assign("v"), branch(assign("v", 2)), give("${v}")]),
    ("siblings", [branch(GET), branch(GET), GET]),
    ("set_in_two_siblings", [branch(assign("v")), branch(assign("v"))]),
    ("variable_of_its_own_value", [assign("v"), assign("v", "${v}")]),
    ("open_segment", [GET, give("${order.extra.anything.0}")]),
    ("listed_segment", [GET, give("${order.lines.0.sku}")]),
    ("loop_over_lines", [GET, loop("${order.lines}", put(tags=["${x.sku}"]))]),
    ("nested_item", [rule({"map": [[[1]], {"map": [{"var": "item"}, {"var": "item"}]}]})]),
    ("item_in_reduce", [rule({"reduce": [[1], {"map": [[1], {"var": "accumulator"}]}, 0]})]),
    ("claim", [GET, {"kind": "say", "act": "x", "claims": ["mcp.o:get"]}]),
    (
        "return_in_both_branches",
        [{"kind": "if", "condition": True, "then": [give(1)], "else": [give(2)]}, give(3)],
    ),
    ("error_name", [{"kind": "try", "do": [GET], "catch": [give("${e.code}")], "as": "e"}]),
    ("deepest_blocks", blocks(32)),
    ("deepest_expression", [give(nested(32))]),
    ("most_nodes", [assign("v")] * 1_000),
]


@pytest.mark.parametrize("steps", [row[1] for row in VALID], ids=[row[0] for row in VALID])
def test_valid_program_has_no_finding(steps: list[JsonValue]) -> None:
    assert found(program(*steps)) == []


def test_later_layer_waits_for_earlier_one() -> None:
    steps: list[JsonValue] = [give("${nowhere}"), {"kind": "call", "tool": "mcp.o:drop"}]
    assert {layer for layer, _, _ in found(program(*steps))} == {"schema"}
    assert {layer for layer, _, _ in found(program(*steps, {}))} == {"shape"}


def test_all_findings_of_a_layer_are_reported() -> None:
    codes = {code for _, _, code in found(program({"kind": "x"}, give("${"), rule({"nop": 1})))}
    assert codes == {"unknown_kind", "bad_template", "unknown_operator"}


def test_message_names_what_is_wrong_and_what_to_do() -> None:
    (finding,) = validate(program(branch(GET), give("${order.id}")), TOOLS, dialogue=False)
    assert "`order`" in finding.message
    assert "`set` a variable before that block" in finding.message


def test_parsed_program_dumps_to_its_own_data() -> None:
    data = program(GET, branch(assign("v")), loop([1], put(n=2)))
    parsed = parse_program(data)
    assert isinstance(parsed, Program)
    assert parsed.model_dump(mode="json", by_alias=True, exclude_unset=True) == data
