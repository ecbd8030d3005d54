"""Every node kind, scoping, errors, endings, budgets and the trace."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pydantic import JsonValue

from skillbench_tasks.errors import WorkflowError
from skillbench_tasks.tools.workflow import (
    Event,
    Execution,
    Limits,
    Program,
    parse_program,
    run_workflow,
)

RunSteps = Callable[..., Execution]
Node = dict[str, JsonValue]

NOT_FOUND: JsonValue = {
    "code": "not_found",
    "message": "No such item.",
    "retryable": False,
    "tool": "mcp.t:fail",
}


def call(tool: str = "echo", name: str | None = None, **arguments: JsonValue) -> Node:
    node: Node = {"kind": "call", "tool": f"mcp.t:{tool}", "arguments": arguments}
    return node if name is None else {**node, "id": name}


def assign(name: str, value: JsonValue) -> Node:
    return {"kind": "set", "name": name, "value": value}


def give(value: JsonValue = None) -> Node:
    return {"kind": "return", "value": value}


def branch(condition: JsonValue, then: list[JsonValue], *otherwise: JsonValue) -> Node:
    return {"kind": "if", "condition": condition, "then": then, "else": list(otherwise)}


def loop(items: JsonValue, *do: JsonValue, name: str = "x") -> Node:
    return {"kind": "for_each", "items": items, "as": name, "do": list(do)}


def attempt(do: list[JsonValue], *catch: JsonValue, name: str | None = None) -> Node:
    node: Node = {"kind": "try", "do": do, "catch": list(catch)}
    return node if name is None else {**node, "as": name}


def program(steps: list[JsonValue], **keys: JsonValue) -> Program:
    parsed = parse_program({"version": 1, "steps": steps, **keys})
    assert isinstance(parsed, Program), parsed
    return parsed


def events(execution: Execution) -> list[JsonValue]:
    return [event["event"] for event in execution.trace]


def nothing(tool: str, arguments: dict[str, JsonValue]) -> JsonValue:
    return None


def test_call_binds_result_and_traces_arguments(run_steps: RunSteps) -> None:
    execution = run_steps([call("echo", "r", a="${inputs.a}", b=[1]), give("${r}")], {"a": "A"})
    assert execution == Execution(
        "returned",
        {"a": "A", "b": [1]},
        [
            {
                "event": "call",
                "path": "steps[0]",
                "tool": "mcp.t:echo",
                "arguments": {"a": "A", "b": [1]},
                "result": {"a": "A", "b": [1]},
            },
            {"event": "return", "path": "steps[1]", "value": {"a": "A", "b": [1]}},
        ],
        2,
    )


def test_empty_program_is_completed(run_steps: RunSteps) -> None:
    assert run_steps([]) == Execution("completed", None, [], 0)


@pytest.mark.parametrize(("holds", "taken"), [(True, "then"), (False, "else")])
def test_if_takes_one_branch(run_steps: RunSteps, holds: bool, taken: str) -> None:
    execution = run_steps([branch(holds, [give("then")], give("else"))])
    assert execution.value == taken
    assert execution.trace == [
        {"event": "branch", "path": "steps[0]", "taken": taken},
        {"event": "return", "path": f"steps[0].{taken}[0]", "value": taken},
    ]


def test_if_without_else_goes_on(run_steps: RunSteps) -> None:
    node = {"kind": "if", "condition": False, "then": [give(1)]}
    assert run_steps([node, give(2)]).value == 2


@pytest.mark.parametrize("value", ["false", "true", 0, 1, [], None, ""], ids=repr)
def test_if_on_no_boolean_is_invalid(run_steps: RunSteps, value: JsonValue) -> None:
    execution = run_steps([branch({"var": "inputs.v"}, [])], {"v": value})
    assert (execution.status, events(execution)) == ("invalid", ["invalid"])


def test_for_each_binds_each_element_in_order(run_steps: RunSteps) -> None:
    execution = run_steps(
        [assign("t", ""), loop(["a", "b"], assign("t", "${t}${x}")), give("${t}")]
    )
    assert execution.value == "ab"
    assert execution.trace[1:5] == [
        {"event": "loop", "path": "steps[1]", "count": 2},
        {"event": "iteration", "path": "steps[1]", "index": 0},
        {"event": "set", "path": "steps[1].do[0]", "name": "t", "value": "a"},
        {"event": "iteration", "path": "steps[1]", "index": 1},
    ]


def test_for_each_on_empty_list_runs_nothing(run_steps: RunSteps) -> None:
    execution = run_steps([loop([], give(1))])
    assert (execution.status, execution.nodes_run) == ("completed", 1)
    assert execution.trace == [{"event": "loop", "path": "steps[0]", "count": 0}]


def test_for_each_on_no_list_is_invalid(run_steps: RunSteps) -> None:
    assert run_steps([loop("ab")]).status == "invalid"


def test_loop_over_variable_that_is_set_inside_keeps_its_list(run_steps: RunSteps) -> None:
    execution = run_steps(
        [
            assign("xs", [1, 2]),
            loop("${xs}", assign("xs", {"$": {"merge": [{"var": "xs"}, 9]}})),
            give("${xs}"),
        ]
    )
    assert execution.value == [1, 2, 9, 9]


def test_try_without_error_skips_catch(run_steps: RunSteps) -> None:
    execution = run_steps([attempt([call()], give("caught")), give("after")])
    assert (execution.value, events(execution)) == ("after", ["call", "return"])


def test_try_with_error_ends_do_and_binds_error(run_steps: RunSteps) -> None:
    execution = run_steps(
        [attempt([call("fail"), give("not reached")], give("${e.code}"), name="e")]
    )
    assert execution.value == "not_found"
    assert execution.trace[:2] == [
        {
            "event": "call",
            "path": "steps[0].do[0]",
            "tool": "mcp.t:fail",
            "arguments": {},
            "error": NOT_FOUND,
        },
        {"event": "caught", "path": "steps[0]", "error": NOT_FOUND},
    ]


def test_error_in_catch_goes_to_the_outer_try(run_steps: RunSteps) -> None:
    inner = attempt([call("fail")], call("fail"), give("not reached"))
    execution = run_steps([attempt([inner], give("outer"))])
    caught = [event["path"] for event in execution.trace if event["event"] == "caught"]
    assert (execution.value, caught) == ("outer", ["steps[0].do[0]", "steps[0]"])


def test_error_in_catch_without_outer_try_fails(run_steps: RunSteps) -> None:
    execution = run_steps([attempt([call("fail")], call("fail"))])
    assert execution.status == "failed"
    assert execution.trace[-1] == {"event": "uncaught", "error": NOT_FOUND}


def test_evaluation_error_is_not_caught(run_steps: RunSteps) -> None:
    execution = run_steps([attempt([assign("a", {"$": {"/": [1, 0]}})], give("caught"))])
    assert execution.status == "invalid"


ITEMS: list[JsonValue] = ["a", "b", "bad", "d", "e"]
ADD = assign("done", {"$": {"merge": [{"var": "done"}, {"var": "x"}]}})


def test_third_item_of_five_fails_without_try_ends_program(run_steps: RunSteps) -> None:
    execution = run_steps([assign("done", []), loop(ITEMS, call("fail", item="${x}"), ADD)])
    assert execution.status == "failed"
    assert events(execution).count("call") == 3
    assert [e["value"] for e in execution.trace if e["event"] == "set"][-1] == ["a", "b"]


def test_third_item_of_five_fails_with_try_inside_goes_on(run_steps: RunSteps) -> None:
    execution = run_steps(
        [
            assign("done", []),
            loop(ITEMS, attempt([call("fail", item="${x}"), ADD])),
            give("${done}"),
        ]
    )
    assert execution.value == ["a", "b", "d", "e"]


def test_third_item_of_five_fails_with_try_outside_ends_loop(run_steps: RunSteps) -> None:
    execution = run_steps(
        [
            assign("done", []),
            attempt([loop(ITEMS, call("fail", item="${x}"), ADD)]),
            give("${done}"),
        ]
    )
    assert (execution.value, events(execution).count("call")) == (["a", "b"], 3)


def test_scopes_after_error_in_loop_are_closed(run_steps: RunSteps) -> None:
    execution = run_steps(
        [
            attempt([loop(ITEMS, call("fail", "r", item="${x}"), assign("v", 1))]),
            loop([1], call("echo", "r"), assign("v", 2), give("${v}")),
        ]
    )
    assert execution.value == 2


def test_return_within_loop_within_try_ends_program(run_steps: RunSteps) -> None:
    execution = run_steps([attempt([loop([1, 2], give("${x}"))], give("caught")), give("after")])
    assert (execution.status, execution.value) == ("returned", 1)
    assert events(execution) == ["loop", "iteration", "return"]


def test_return_without_value_gives_null(run_steps: RunSteps) -> None:
    assert run_steps([{"kind": "return"}]).value is None


SCOPES: list[tuple[str, list[JsonValue], str]] = [
    (
        "set_before_block_leaves_it",
        [assign("v", 0), branch(True, [assign("v", 1)]), give("${v}")],
        "returned",
    ),
    ("set_in_block_stays_inside", [branch(True, [assign("v", 1)]), give("${v}")], "invalid"),
    ("call_in_block_stays_inside", [branch(True, [call("echo", "r")]), give("${r}")], "invalid"),
    ("iteration_opens_scope", [loop([1, 2], call("echo", "r"))], "completed"),
    (
        "variable_of_iteration_is_gone",
        [loop([1, 2], branch({"==": [{"var": "x"}, 2]}, [give("${v}")]), assign("v", "${x}"))],
        "invalid",
    ),
    ("loop_name_is_gone", [loop([1]), give("${x}")], "invalid"),
    (
        "siblings_share_name",
        [branch(True, [call("echo", "r")]), branch(True, [call("echo", "r")])],
        "completed",
    ),
    (
        "do_is_not_visible_in_catch",
        [attempt([call("echo", "r"), call("fail")], give("${r}"))],
        "invalid",
    ),
    ("double_binding", [call("echo", "r"), call("echo", "r")], "invalid"),
    ("set_on_call", [call("echo", "r"), assign("r", 1)], "invalid"),
    ("set_on_loop_name", [loop([1], assign("x", 1))], "invalid"),
    ("set_on_inputs", [assign("inputs", 1)], "invalid"),
    ("undefined", [give("${nowhere}")], "invalid"),
]


@pytest.mark.parametrize(
    ("steps", "status"), [row[1:] for row in SCOPES], ids=[row[0] for row in SCOPES]
)
def test_scope_rule_holds_at_run_time(
    run_steps: RunSteps, steps: list[JsonValue], status: str
) -> None:
    assert run_steps(steps).status == status


def test_context_holds_the_clock(run_steps: RunSteps) -> None:
    assert run_steps([give("${context.now}")]).value == "2026-03-12T09:30:00"


def test_missing_input_is_callers_error() -> None:
    with pytest.raises(WorkflowError, match="order_id"):
        run_workflow(program([], inputs={"order_id": {}}), {}, now="2026-01-01", backend=nothing)


def test_left_out_input_takes_default_of_its_schema() -> None:
    flow = program([give("${inputs.n}")], inputs={"n": {"type": "integer", "default": 4}})
    assert run_workflow(flow, {}, now="2026-01-01", backend=nothing).value == 4


@pytest.mark.parametrize(
    ("value", "status"), [({"a": 1}, "returned"), ({"a": "1"}, "invalid"), (None, "invalid")]
)
def test_output_schema_decides_status_of_return(value: JsonValue, status: str) -> None:
    output: JsonValue = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
    }
    flow = program([give(value)], output=output)
    execution = run_workflow(flow, {}, now="2026-01-01", backend=nothing)
    assert (execution.status, execution.value) == (status, value)
    assert events(execution) == ["return", "invalid"][: 1 if status == "returned" else 2]


def test_output_schema_with_endless_reference_is_invalid_not_a_crash() -> None:
    flow = program([give(1)], output={"$ref": "#"})
    assert run_workflow(flow, {}, now="2026-01-01", backend=nothing).status == "invalid"


def test_output_schema_does_not_apply_without_return() -> None:
    flow = program([], output={"type": "object"})
    assert run_workflow(flow, {}, now="2026-01-01", backend=nothing).status == "completed"


@pytest.mark.parametrize(
    ("nodes", "status", "kinds"),
    [
        (6, "returned", ["loop", "iteration", "set", "iteration", "set", "return"]),
        (5, "exhausted", ["loop", "iteration", "set", "iteration", "set", "exhausted"]),
        (4, "exhausted", ["loop", "iteration", "set", "iteration", "exhausted"]),
        (3, "exhausted", ["loop", "iteration", "set", "exhausted"]),
        (0, "exhausted", ["exhausted"]),
    ],
)
def test_node_budget_is_exact(
    run_steps: RunSteps, nodes: int, status: str, kinds: list[str]
) -> None:
    execution = run_steps([loop([1, 2], assign("v", "${x}")), give(1)], nodes=nodes)
    assert (execution.status, events(execution)) == (status, kinds)
    assert execution.nodes_run == min(nodes, 6)


def test_default_node_budget_is_ten_thousand(run_steps: RunSteps) -> None:
    steps: list[JsonValue] = [assign("xs", list(range(4_999))), loop("${xs}", assign("v", 1))]
    assert run_steps(steps).nodes_run == 10_000
    assert run_steps([*steps, give(1)]).status == "exhausted"


@pytest.mark.parametrize(("operators", "status"), [(3, "returned"), (2, "exhausted")])
def test_operator_budget_is_exact(run_steps: RunSteps, operators: int, status: str) -> None:
    steps = [assign("v", {"$": {"+": [1, 2]}}), give({"$": {"!": [{"==": [1, 2]}]}})]
    assert run_steps(steps, operators=operators).status == status


def test_exhausted_budget_is_not_caught(run_steps: RunSteps) -> None:
    assert run_steps([attempt([loop([1, 2, 3])], give(1))], nodes=4).status == "exhausted"


DOUBLINGS: dict[str, JsonValue] = {
    "list": ["${v}", "${v}"],
    "object": {"a": "${v}", "b": "${v}"},
    "merge": {"$": {"merge": [{"var": "v"}, {"var": "v"}]}},
    "template": "${v}${v}",
    "cat": {"$": {"cat": [{"var": "v"}, {"var": "v"}]}},
    "nesting": ["${v}"],
}


@pytest.mark.parametrize("name", DOUBLINGS)
def test_growth_by_set_is_cut_off_quickly(run_steps: RunSteps, name: str) -> None:
    start: JsonValue = "x" if name in ("template", "cat") else ["x"]
    began = time.perf_counter()
    execution = run_steps(
        [assign("v", start), loop(list(range(1_000)), assign("v", DOUBLINGS[name]))]
    )
    assert execution.status == ("exhausted" if name == "merge" else "invalid")
    assert time.perf_counter() - began < 1.0


def test_squaring_by_set_is_cut_off(run_steps: RunSteps) -> None:
    square = assign("v", {"$": {"*": [{"var": "v"}, {"var": "v"}]}})
    assert run_steps([assign("v", 10), loop(list(range(1_000)), square)]).status == "invalid"


def test_bound_values_do_not_change_with_the_world() -> None:
    world: dict[str, JsonValue] = {"state": ["open"]}

    def backend(tool: str, arguments: dict[str, JsonValue]) -> JsonValue:
        if tool == "mcp.t:close":
            world["state"] = ["closed"]
            given = arguments["given"]
            assert isinstance(given, list)
            given.append("changed by the backend")
        return world

    flow = program(
        [
            call("get", "before"),
            assign("mine", ["kept"]),
            call("close", given="${mine}"),
            call("close", given="${before.state}"),
            call("get", "after"),
            give(["${before.state}", "${mine}", "${after.state}"]),
        ]
    )
    first = run_workflow(flow, {}, now="2026-01-01", backend=backend)
    assert first.value == [["open"], ["kept"], ["closed"]]
    assert first.trace[2]["arguments"] == {"given": ["kept"]}


def test_inputs_and_program_do_not_change_with_results() -> None:
    flow = program([give(["${inputs.xs}", {"k": []}])], inputs={"xs": {}})
    inputs: dict[str, JsonValue] = {"xs": [1]}
    first = run_workflow(flow, inputs, now="2026-01-01", backend=nothing)
    assert isinstance(first.value, list)
    first.value.append("changed")
    for part in first.value[:2]:
        assert isinstance(part, (list, dict))
        part.clear()
    assert inputs == {"xs": [1]}
    second = run_workflow(flow, inputs, now="2026-01-01", backend=nothing)
    assert second.value == [[1], {"k": []}]


def test_program_does_not_change_with_its_data() -> None:
    literal: list[JsonValue] = [1]
    flow = program([give(literal)])
    literal.append(2)
    assert run_workflow(flow, {}, now="2026-01-01", backend=nothing).value == [1]


def test_executor_runs_twenty_thousand_nodes_a_second(run_steps: RunSteps) -> None:
    steps: list[JsonValue] = [
        assign("n", 0),
        loop(
            "${inputs.xs}",
            call("echo", "r", id="${x}", text="item ${x}"),
            branch({">": [{"var": "r.id"}, 10]}, [assign("n", {"$": {"+": [{"var": "n"}, 1]}})]),
        ),
    ]
    inputs: dict[str, JsonValue] = {"xs": list(range(2_400))}
    seconds = min(_seconds(lambda: run_steps(steps, inputs, work=10**9)) for _ in range(3))
    nodes = run_steps(steps, inputs, work=10**9).nodes_run
    assert nodes > 9_000
    assert nodes / seconds > 20_000


def _seconds(run: Callable[[], Execution]) -> float:
    began = time.perf_counter()
    assert run().status == "completed"
    return time.perf_counter() - began


def test_execution_trace_of_same_run_is_equal() -> None:
    flow = program([call("a", "r"), give("${r}")])
    traces: list[list[Event]] = [
        run_workflow(flow, {}, now="2026-01-01", backend=nothing, limits=Limits()).trace
        for _ in range(2)
    ]
    assert traces[0] == traces[1]
