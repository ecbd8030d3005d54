"""Plans without a model: the reference, and plans with a known defect.

| name | plan |
| --- | --- |
| `reference` | the SOP's own workflow |
| `empty` | no steps |
| `first_tool` | the first call of the reference that needs no other, alone |
| `no_error_handling` | the reference without its `try` nodes; what they tried stays |
| `one_argument_wrong` | the reference with one required argument changed |
| `unrolled` | the calls that the reference makes on the first variant, with their values |
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

from skillbench_tasks.datasets.sops.ledger import BLOCKS, nodes_of
from skillbench_tasks.datasets.sops.references import reference_case, unlabelled
from skillbench_tasks.datasets.sops.running import signatures
from skillbench_tasks.models.sop import Sop

__all__ = ["PLANNERS", "baseline_plan"]


def _reference(sop: Sop) -> Any:
    return sop.program


def _empty(sop: Sop) -> Any:
    return {**sop.program, "steps": []}


def _first_tool(sop: Sop) -> Any:
    calls = (node for node in nodes_of(sop.program["steps"]) if node["kind"] == "call")
    free = [node for node in calls if not _references(node["arguments"])]
    return {**sop.program, "steps": [copy.deepcopy(node) for node in free[:1]]}


def _references(value: Any) -> bool:
    """Return whether an expression hangs on anything but the inputs and the clock."""
    text = repr(value)
    names = text.replace("${inputs.", "").replace("${context.", "")
    return "${" in names or "'var'" in text


def _no_error_handling(sop: Sop) -> Any:
    return {**sop.program, "steps": _without_tries(sop.program["steps"])}


def _without_tries(block: Any) -> list[Any]:
    made: list[Any] = []
    for node in block:
        if node["kind"] == "try":
            made += _without_tries(node["do"])
        else:
            inner = {name: _without_tries(node[name]) for name in BLOCKS if name in node}
            made.append({**node, **inner})
    return made


def _one_argument_wrong(sop: Sop) -> Any:
    program = copy.deepcopy(sop.program)
    for node, name in _required_arguments(program):
        value = node["arguments"][name]
        node["arguments"][name] = _wrong(value)
        return program
    return program


def _required_arguments(program: Any) -> Iterator[tuple[Any, str]]:
    """Yield required text arguments of calls that run on every variant, then the others."""
    tops = [node for node in program["steps"] if node["kind"] == "call"]
    for node in [*tops, *(n for n in nodes_of(program["steps"]) if n["kind"] == "call")]:
        schema = signatures()[node["tool"]].input_schema
        required = schema.get("required", [])
        assert isinstance(required, list)
        for name in required:
            if isinstance(node["arguments"].get(str(name)), str):
                yield node, str(name)


def _wrong(value: str) -> Any:
    """Return an expression for another text; it is computed, so that no schema refuses it."""
    if value.startswith("${") and value.endswith("}") and value.count("${") == 1:
        return {"$": {"cat": [{"var": value[2:-1]}, "9"]}}
    return {"$": {"cat": ["9", "9"]}}


def _unrolled(sop: Sop) -> Any:
    run = reference_case(sop).runs[0]
    steps: list[Any] = []
    for call in run.executed.calls:
        node = {"kind": "call", "tool": call.tool, "arguments": _literal(call.arguments)}
        is_last = len(steps) == len(run.executed.calls) - 1
        is_caught = call.error is not None and not (is_last and run.executed.status == "failed")
        steps.append({"kind": "try", "do": [node], "catch": []} if is_caught else node)
    if run.executed.status == "returned":
        steps.append({"kind": "return", "value": _literal(run.executed.value)})
    return {**sop.program, "steps": steps}


def _literal(value: Any) -> Any:
    """Return an expression whose value is the value itself."""
    if isinstance(value, str):
        return value.replace("${", "$${")
    if isinstance(value, dict):
        return {name: _literal(part) for name, part in value.items()}
    return [_literal(part) for part in value] if isinstance(value, list) else value


PLANNERS: Final[dict[str, Callable[[Sop], Any]]] = {
    "reference": _reference,
    "empty": _empty,
    "first_tool": _first_tool,
    "no_error_handling": _no_error_handling,
    "one_argument_wrong": _one_argument_wrong,
    "unrolled": _unrolled,
}
"""Name → what makes the plan of a SOP."""


def baseline_plan(name: str, sop: Sop) -> Any:
    """Return the plan of a planner without a model.

    Args:
        name: One of `PLANNERS`.
        sop: The SOP.
    """
    return unlabelled(PLANNERS[name](sop))
