"""Plans, steps and the editor over the SDKs: 65 tools, long prompts, refusals of the provider."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from inspect_ai import Task, task_with
from inspect_ai.log import EvalLog
from jsonschema import Draft202012Validator

from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.global_orchestration import global_orchestration
from skillbench_tasks.local_construction import local_construction
from skillbench_tasks.step_by_step import step_by_step
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.shown_schema import shown_tool
from tests.orchestration_plays import PLAIN, nodes_of, plan, rows, whole
from tests.wire.neutral import Asked, Call, Failure, Reply
from tests.wire.server import WIRES, StubServer
from tests.wire.suite import run_together

every_wire = pytest.mark.parametrize(
    "wire",
    [
        "openai_chat",
        "anthropic",
        pytest.param("openai_responses", marks=pytest.mark.slow),
        pytest.param("google", marks=pytest.mark.slow),
    ],
)
VARIANT = f"{PLAIN}#4"
PROTOCOLS = ("global", "step", "local", "overflow", "structured")

LOST = frozenset(
    {
        "dependentRequired",
        "exclusiveMinimum",
        "maxItems",
        "minItems",
        "minProperties",
        "uniqueItems",
    }
)
"""Keywords of our tools that Inspect's schemas do not hold; the tools check them at the call."""
LOST_BY_PROVIDERS = frozenset({"maximum", "maxLength", "minimum", "minLength", "pattern"})
"""Keywords that Inspect leaves out for some providers."""


def _stepping(asked: Asked) -> Reply:
    run = reference_case(sop_by_id(PLAIN)).runs[3].executed
    made = run.calls[asked.replies_so_far :][:1]
    names = [one.tool.removeprefix("mcp.").replace(":", "__") for one in made]
    calls = [Call(name, one.arguments) for name, one in zip(names, made, strict=True)]
    return Reply(calls=(*calls,) or (Call("finish", {"output": run.value}),))


def _building(asked: Asked) -> Reply:
    name, arguments = [*nodes_of(plan()["steps"]), ("finish", {})][asked.replies_so_far]
    assert isinstance(arguments, dict)
    return Reply(calls=(Call(name, arguments),))


def _overflow(asked: Asked) -> Failure:
    return "context"


def _planning(asked: Asked) -> Reply:
    return Reply(text=f"Here it is:\n```json\n{whole()}\n```")


PLAYS = dict(zip(PROTOCOLS, (_planning, _stepping, _building, _overflow, _planning), strict=True))


def _task(protocol: str) -> Task:
    match protocol:
        case "step":
            task = step_by_step(sop=PLAIN)
            task.dataset = task.dataset.filter(lambda sample: sample.id == VARIANT)
            return task
        case "local":
            return local_construction(sop=PLAIN)
        case _:
            return global_orchestration(sop=PLAIN, structured=protocol == "structured")


@pytest.fixture(scope="module")
def logs(
    stub: StubServer, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Mapping[str, EvalLog]]:
    """Wire → every protocol over the client of that provider."""

    @cache
    def on_wire(name: str) -> Mapping[str, EvalLog]:
        tasks, wire = {}, WIRES[name]
        for protocol in PROTOCOLS:
            stub.plays[wire.bare(protocol)] = PLAYS[protocol]
            tasks[protocol] = task_with(_task(protocol), model=wire.name(protocol))
        return run_together(tasks, tmp_path_factory.mktemp("orchestration"))

    return on_wire


def _asked(stub: StubServer, wire: str, protocol: str) -> list[Asked]:
    seen = stub.seen(WIRES[wire].bare(protocol))
    return [one.asked for one in seen if "hello, world" not in one.text]  # Inspect's own probe


@every_wire
@pytest.mark.parametrize("protocol", ["global", "step", "local", "structured"])
def test_reference_on_a_wire_reaches_every_component(
    logs: Callable[[str], Mapping[str, EvalLog]], wire: str, protocol: str
) -> None:
    log = logs(wire)[protocol]
    assert (log.status, log.error) == ("success", None)
    found = rows(log)
    assert (found["orchestration"], found["final"], found["error rate"]) == (1, 1, 0)
    assert found["variants"] == (1 if protocol == "step" else 5)
    calls = {"step": 8, "local": len(nodes_of(plan()["steps"])) + 1}
    assert found["model calls"] == calls.get(protocol, 1)


@every_wire
def test_context_that_is_too_long_is_the_models(
    logs: Callable[[str], Mapping[str, EvalLog]], wire: str
) -> None:
    log = logs(wire)["overflow"]
    assert (log.status, log.error) == ("success", None)
    assert (rows(log)["errors model"], rows(log)["error rate"]) == (5, 1)


@every_wire
def test_tools_are_sent_with_all_that_matters(
    logs: Callable[[str], Mapping[str, EvalLog]], stub: StubServer, wire: str
) -> None:
    assert logs(wire)
    asked = _asked(stub, wire, "step")[0]
    offered = {one.name: one for one in asked.tools}
    specs = {tool.spec.function_name: tool.spec for tool in connectors.tools().values()}
    assert set(offered) == {*specs, "finish"}
    assert all(re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}", name) for name in offered)
    for name, spec in specs.items():
        Draft202012Validator.check_schema(dict(offered[name].parameters))
        shown = shown_tool(spec.description, spec.input_schema)
        lost = set(_lost(shown.parameters, offered[name].parameters))
        assert lost <= LOST | LOST_BY_PROVIDERS, name
        assert set(offered[name].parameters["properties"]) == set(spec.input_schema["properties"])
        assert offered[name].description == shown.description


def _lost(ours: Any, sent: Any) -> Iterator[str]:
    """Yield keywords of a schema that were not sent, or not with that value."""
    for key, value in ours.items():
        if key not in sent:
            yield key
        elif key in ("properties", "$defs"):
            for name, inner in value.items():
                yield from _lost(inner, sent[key][name])
        elif isinstance(value, Mapping):
            yield from _lost(value, sent[key])
        elif isinstance(value, Sequence) and value and isinstance(value[0], Mapping):
            for one, other in zip(value, sent[key], strict=True):
                yield from _lost(one, other)
        elif value != sent[key]:
            yield key


@every_wire
def test_schema_of_the_answer_is_sent_where_it_lets_nodes_through(
    logs: Callable[[str], Mapping[str, EvalLog]], stub: StubServer, wire: str
) -> None:
    assert logs(wire)
    (seen,) = _asked(stub, wire, "structured")
    if wire == "anthropic":
        assert seen.schema is None
    else:
        assert seen.schema is not None
        assert '"additionalProperties": false' not in json.dumps(seen.schema)
        assert seen.schema["required"] == ["version", "steps"]
