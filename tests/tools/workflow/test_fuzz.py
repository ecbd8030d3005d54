"""No JSON makes the validator or the executor raise, and what is valid runs as validated."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.tools.workflow import (
    EvaluationError,
    Limits,
    Program,
    ToolSignature,
    evaluate_rule,
    parse_program,
    run_workflow,
    validate,
)
from skillbench_tasks.tools.workflow.operators import OPERANDS

QUICK = settings(
    derandomize=True,
    deadline=None,
    max_examples=150,
    database=None,
    suppress_health_check=list(HealthCheck),
)
TOOLS = {
    "mcp.t:a": ToolSignature({"type": "object", "properties": {"p": {"type": "integer"}}}),
    "mcp.t:b": ToolSignature(
        {"type": "object", "properties": {"p": {"$ref": "#"}}, "required": ["p"]},
        {"type": "object", "properties": {"k": {}}, "additionalProperties": False},
    ),
}

NAMES = st.sampled_from(["v", "w", "x", "inputs", "item", "Bad"])
TEXTS = st.sampled_from(
    ["", "${v}", "${w.k}", "a ${x} b", "${", "$${", "${inputs.a}", "2024-01-01"]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), TEXTS, st.text(max_size=5)
)
KEYS = st.one_of(
    st.sampled_from([*OPERANDS, "$", "kind", "steps", "then", "do", "as", "version", "inputs"]),
    st.text(max_size=4),
)


def _grow(parts: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    return st.one_of(
        cast(st.SearchStrategy[JsonValue], st.lists(parts, max_size=3)),
        cast(st.SearchStrategy[JsonValue], st.dictionaries(KEYS, parts, max_size=3)),
    )


ANY = st.recursive(cast(st.SearchStrategy[JsonValue], SCALARS), _grow, max_leaves=25)
PATHS = st.sampled_from(["v", "w.k", "x.0", "item", "accumulator", "inputs.a", "context.now"])


def _rule(parts: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    operators = st.sampled_from(sorted(OPERANDS))
    return st.builds(
        lambda operator, operands: {operator: operands},
        operators,
        cast(st.SearchStrategy[JsonValue], st.lists(parts, min_size=1, max_size=3)),
    ) | PATHS.map(lambda path: cast(JsonValue, {"var": [path, 1]}))


RULES = st.recursive(cast(st.SearchStrategy[JsonValue], SCALARS), _rule, max_leaves=8)
EXPRESSIONS = st.one_of(ANY, RULES.map(lambda rule: cast(JsonValue, {"$": rule})))


def _nodes(blocks: st.SearchStrategy[list[JsonValue]]) -> st.SearchStrategy[list[JsonValue]]:
    def node(kind: str, **keys: st.SearchStrategy[object]) -> st.SearchStrategy[JsonValue]:
        fixed = {"kind": st.just(kind), **keys}
        return cast(st.SearchStrategy[JsonValue], st.fixed_dictionaries(fixed))

    tools = st.sampled_from(["mcp.t:a", "mcp.t:b", "mcp.t:c"])
    arguments = st.dictionaries(st.just("p"), EXPRESSIONS)
    return st.lists(
        st.one_of(
            node("call", tool=tools, arguments=arguments, id=NAMES),
            node("if", condition=RULES, then=blocks),
            node("for_each", items=st.just([1, [2], {"k": 3}]), do=blocks, **{"as": NAMES}),
            node("try", do=blocks, catch=blocks),
            node("set", name=NAMES, value=EXPRESSIONS),
            node("return", value=EXPRESSIONS),
            node("say", act=TEXTS, claims=st.lists(tools, max_size=1)),
        ),
        max_size=3,
    )


NO_STEPS: st.SearchStrategy[list[JsonValue]] = st.just([])
BLOCKS = st.recursive(NO_STEPS, _nodes, max_leaves=8)
PROGRAMS = BLOCKS.map(
    lambda steps: cast(JsonValue, {"version": 1, "inputs": {"a": {}}, "steps": steps})
)


def _backend(tool: str, arguments: dict[str, JsonValue]) -> JsonValue:
    if tool == "mcp.t:b":
        raise ToolFailure("not_found", "No.", False, tool)
    return {"k": arguments.get("p")}


@QUICK
@given(ANY)
def test_validator_on_any_json_gives_findings(data: JsonValue) -> None:
    assert all(finding.code for finding in validate(data, TOOLS, dialogue=False))


@QUICK
@given(ANY, ANY)
def test_validator_on_any_schema_gives_findings(schema: JsonValue, argument: JsonValue) -> None:
    data: JsonValue = {
        "version": 1,
        "inputs": {"a": schema},
        "output": schema,
        "steps": [{"kind": "call", "tool": "mcp.x:y", "arguments": {"p": argument}, "id": "v"}],
    }
    tools = {"mcp.x:y": ToolSignature({"properties": {"p": schema}}, {"items": schema})}
    assert all(finding.code for finding in validate(data, tools, dialogue=False))


@QUICK
@given(PROGRAMS)
def test_validator_and_executor_agree_on_programs(data: JsonValue) -> None:
    findings = validate(data, TOOLS, dialogue=False)
    program = parse_program(data)
    if isinstance(program, Program) and "dialogue_not_allowed" not in {f.code for f in findings}:
        execution = run_workflow(
            program,
            {"a": [1]},
            now="2026-01-01T00:00:00",
            backend=_backend,
            limits=Limits(nodes=200, operators=500),
        )
        messages = [str(event.get("message")) for event in execution.trace]
        scoping = [m for m in messages if "is not visible" in m or "is bound already" in m]
        assert findings or not scoping


@QUICK
@given(RULES)
def test_rule_raises_only_evaluation_errors(rule: JsonValue) -> None:
    names: dict[str, JsonValue] = {"v": 2, "w": {"k": [1, 2]}, "x": ["a"], "inputs": {"a": True}}
    with suppress(EvaluationError):
        evaluate_rule(rule, names)


def test_validator_on_deep_nesting_gives_finding() -> None:
    for depth in (50, 105, 106, 107, 500, 100_000):
        data: JsonValue = {}
        for level in range(depth):
            data = [data] if level % 2 else {"kind": "try", ("do", "then")[level % 4 // 2]: data}
        assert validate(data, TOOLS, dialogue=True)
