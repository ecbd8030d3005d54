"""The second interpreter against hand-derived results and traces, section by section."""

from __future__ import annotations

import random
from typing import Any

import pytest

from skillbench_tasks.errors import WorkflowError
from tests.second_interpreter.fixed import assign, backend, ev, give, rule, run, same
from tests.second_interpreter.generator import (
    NOW,
    ScriptedRespondent,
    fake_tools,
    generate_limits,
    generate_program,
    scripted_backend,
)
from tests.second_interpreter.interpreter import Result, interpret
from tests.second_interpreter.table_programs import PROGRAMS
from tests.second_interpreter.table_rules import EXPRESSIONS, FAULTS, ITEM, RULES


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    steps, status, value, trace = PROGRAMS[name]
    result = run(steps)
    seen = [{**event} for event in result.trace]
    for event in seen:
        event.pop("message", None)
    assert same((result.status, result.value, seen), (status, value, trace))


@pytest.mark.parametrize("row", range(len(RULES)))
def test_rules(row: int) -> None:
    source, value = RULES[row]
    assert same(rule(source), value)


@pytest.mark.parametrize("row", range(len(FAULTS)))
def test_evaluation_errors(row: int) -> None:
    result = run([give({"$": FAULTS[row]})])
    assert (result.status, result.value) == ("invalid", None)
    assert [set(event) for event in result.trace] == [{"event", "message"}]


@pytest.mark.parametrize("row", range(len(EXPRESSIONS)))
def test_expressions(row: int) -> None:
    source, value = EXPRESSIONS[row]
    assert same(run([give(source)]).value, value)


@pytest.mark.parametrize(
    "source",
    ["a${inputs.none}", "a${inputs.xs}", "${inputs.xs.9}", "${inputs.long} ${inputs.long}"],
)
def test_expressions_at_fault(source: str) -> None:
    assert run([give(source)]).status == "invalid"


@pytest.mark.parametrize(
    ("limit", "status", "events"),
    [
        (0, "exhausted", []),
        (1, "exhausted", ["loop"]),
        (2, "exhausted", ["loop", "iteration"]),
        (3, "exhausted", ["loop", "iteration", "set"]),
        (4, "exhausted", ["loop", "iteration", "set", "iteration"]),
        (5, "completed", ["loop", "iteration", "set", "iteration", "set"]),
    ],
)
def test_nodes_are_bounded(limit: int, status: str, events: list[str]) -> None:
    loop = {"kind": "for_each", "items": [1, 2], "as": "x", "do": [assign("y", 1)]}
    result = run([loop], max_nodes=limit)
    assert result.status == status
    end = ["exhausted"] if status == "exhausted" else []
    assert [event["event"] for event in result.trace] == events + end


@pytest.mark.parametrize(
    ("source", "operators"),
    [
        ([1, "a"], 0),
        ({"+": [1, {"+": [1, 1]}]}, 2),
        ({"and": [False, {"!": True}]}, 1),
        ({"if": [True, {"!": True}, {"!": [{"!": True}]}]}, 2),
        ({"map": [[1, 2, 3], {"+": [ITEM, 1]}]}, 7),
        ({"var": ["inputs.n", {"+": [1, 1]}]}, 1),
        ({"some": [[1, 2, 3], {"==": [1, 1]}]}, 2),
    ],
)
def test_operators_are_bounded(source: Any, operators: int) -> None:
    steps = [{"kind": "try", "do": [give({"$": source})], "catch": []}]
    assert run(steps, max_operators=operators).status == "returned"
    if operators:
        result = run(steps, max_operators=operators - 1)
        assert (result.status, result.trace) == ("exhausted", [ev("exhausted")])


def test_output_schema() -> None:
    schema = {"type": "integer"}
    assert run([give(1)], output=schema).status == "returned"
    assert run([], output=schema).status == "completed"
    result = run([give("a")], output=schema)
    assert result.status == "invalid"
    assert [event["event"] for event in result.trace] == ["return", "invalid"]


def test_the_callers_faults() -> None:
    program = {"version": 1, "inputs": {"a": {}}, "steps": []}
    with pytest.raises(WorkflowError):
        interpret(program, {}, NOW, backend)
    spoken = [{"kind": "if", "condition": False, "then": [{"kind": "say", "act": "a"}]}]
    with pytest.raises(WorkflowError):
        interpret({"version": 1, "steps": spoken}, {}, NOW, backend)


def test_integers_stay_bounded_and_deep_values_do_not_break_the_walk() -> None:
    loop = {"kind": "for_each", "items": list(range(1_200)), "as": "x", "do": []}
    square = {**loop, "do": [assign("v", {"$": {"*": [{"var": "v"}, {"var": "v"}]}})]}
    assert run([assign("v", 2), square]).status == "invalid"
    deeper = {**loop, "do": [assign("v", ["${v}"])]}
    same_again = give({"$": {"==": [{"var": "v"}, {"var": "v"}]}})
    assert run([assign("v", 2), deeper, same_again], max_work=10**9).value is True


def _generated(seed: int) -> tuple[dict[str, Any], Result]:
    rng = random.Random(seed)
    program, inputs = generate_program(rng)
    user = ScriptedRespondent(seed)
    limits = generate_limits(rng)
    return program, interpret(program, inputs, NOW, scripted_backend(seed), user, **limits)


def test_generated_programs_run_the_same_twice_and_end_in_every_way() -> None:
    statuses: set[str] = set()
    for seed in range(150):
        program, result = _generated(seed)
        assert _generated(seed) == (program, result)
        statuses.add(result.status)
        tools = {event["tool"] for event in result.trace if event["event"] == "call"}
        assert tools <= set(fake_tools())
    assert len(statuses) == 7
