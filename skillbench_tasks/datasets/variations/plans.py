"""Variations of workflows: other programs that do what a procedure's own does, and what they keep.

A rewriting gets a workflow and returns another one. Whether the world ends the same is not taken
on trust: `kept` says what must stay, and grading shows whether it does.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, get_args

from skillbench_tasks.datasets.sops.references import reference_case, unlabelled
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.tools import connectors

__all__ = ["PLAN_KINDS", "PlanKind", "kept", "rewritten"]

PlanKind = Literal[
    "names_changed",
    "defaults_written_out",
    "numbers_in_other_notation",
    "conditions_turned",
    "branches_swapped",
    "values_through_variables",
    "conditions_through_variables",
    "keys_and_notes",
    "texts_joined",
    "reads_in_other_order",
    "extra_reads",
]

PLAN_KINDS: Final[tuple[PlanKind, ...]] = get_args(PlanKind)
"""The kinds of rewritings."""

_BLOCKS: Final = ("then", "else", "do", "catch")
_HOLE: Final = re.compile(r"(?<!\$)\$\{([^}]+)\}")
_MIRROR: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

Node = dict[str, Any]


def kept(kind: PlanKind) -> frozenset[str] | None:
    """Return the metrics that a kind must keep at 1, by name; nothing: all of them.

    The trace counts calls and their order by its definition: further reads and another order of
    reads keep side effect, output and final, and what of the trace they do not touch.
    """
    ends = frozenset({"side_effect", "terminal_output", "final"})
    match kind:
        case "reads_in_other_order":
            return ends | {"selection", "control_path"}
        case "extra_reads":
            return ends
        case _:
            return None


def rewritten(sop: Sop, kind: PlanKind) -> dict[str, Any] | None:
    """Return a SOP's workflow written otherwise; nothing where it has no place for the kind."""
    program = copy.deepcopy(unlabelled(sop.program))
    before = json.dumps(program)
    _REWRITINGS[kind](program, sop)
    return None if json.dumps(program) == before else program


def _blocks(block: list[Node]) -> Iterator[list[Node]]:
    yield block
    for node in block:
        for name in _BLOCKS:
            if name in node:
                yield from _blocks(node[name])


def _nodes(program: Node, *kinds: str) -> Iterator[Node]:
    for block in _blocks(program["steps"]):
        yield from (node for node in list(block) if node["kind"] in kinds)


# Names -------------------------------------------------------------------------------------------


def _rename(program: Node, sop: Sop) -> None:
    names = {
        node[key]
        for node in _nodes(program, "call", "for_each", "try", "set")
        for key in ("id", "as", "name")
        if key in node
    }
    new = {name: f"v{number}_{name[:40]}" for number, name in enumerate(sorted(names), start=1)}
    for node in _nodes(program, "call", "for_each", "try", "set"):
        for key in ("id", "as", "name"):
            if key in node:
                node[key] = new[node[key]]
    for node in _nodes(program, "call", "for_each", "set", "return", "if"):
        for key in ("arguments", "items", "value"):
            if key in node:
                node[key] = _renamed(node[key], new)
        if "condition" in node:
            node["condition"] = _renamed_rule(node["condition"], new)


def _path(path: str, new: Mapping[str, str]) -> str:
    first, dot, rest = path.partition(".")
    return new.get(first, first) + dot + rest


def _renamed(value: Any, new: Mapping[str, str]) -> Any:
    match value:
        case str():
            return _HOLE.sub(lambda found: "${" + _path(found[1], new) + "}", value)
        case list():
            return [_renamed(part, new) for part in value]
        case {"$": rule, **rest} if not rest:
            return {"$": _renamed_rule(rule, new)}
        case dict():
            return {key: _renamed(part, new) for key, part in value.items()}
        case _:
            return value


def _renamed_rule(rule: Any, new: Mapping[str, str]) -> Any:
    match rule:
        case list():
            return [_renamed_rule(part, new) for part in rule]
        case {"var": operands}:
            return {"var": _named(operands, new)}
        case {"exists": operands}:
            return {"exists": _named(operands, new)}
        case dict():
            return {name: _renamed_rule(part, new) for name, part in rule.items()}
        case _:
            return rule


def _named(operands: Any, new: Mapping[str, str]) -> Any:
    if isinstance(operands, str):
        return _path(operands, new)
    return [_path(operands[0], new), *(_renamed_rule(part, new) for part in operands[1:])]


# Arguments ---------------------------------------------------------------------------------------


def _default(program: Node, sop: Sop) -> None:
    for node in _nodes(program, "call"):
        schema = connectors.tools()[node["tool"]].spec.input_schema
        given = node.setdefault("arguments", {})
        for name, declared in schema.get("properties", {}).items():
            if name not in given and "default" in declared:
                given[name] = declared["default"]


def _float(program: Node, sop: Sop) -> None:
    for node in _nodes(program, "call", "set", "return"):
        for key in ("arguments", "value"):
            if key in node:
                node[key] = _with_point(node[key])


def _with_point(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int():
            return float(value)
        case list():
            return [_with_point(part) for part in value]
        case {"$": _}:
            return value
        case dict():
            return {key: _with_point(part) for key, part in value.items()}
        case _:
            return value


def _join(program: Node, sop: Sop) -> None:
    """Write templates as joined texts."""
    for node in _nodes(program, "call"):
        for name, value in node.get("arguments", {}).items():
            if isinstance(value, str) and "$${" not in value and _HOLE.search(value):
                parts = _HOLE.split(value)
                if len(parts) > 1 and any(parts[::2]):
                    joined = [{"var": p} if i % 2 else p for i, p in enumerate(parts) if p]
                    node["arguments"][name] = {"$": {"cat": joined}}


# Conditions --------------------------------------------------------------------------------------


def _turn(program: Node, sop: Sop) -> None:
    for node in _nodes(program, "if"):
        node["condition"] = _turned(node["condition"])


def _turned(rule: Any) -> Any:
    match rule:
        case {"and": [*parts]} if len(parts) > 1:
            return {"!": {"or": [{"!": part} for part in parts]}}
        case {"or": [*parts]} if len(parts) > 1:
            return {"!": {"and": [{"!": part} for part in parts]}}
        case dict() if len(rule) == 1 and next(iter(rule)) in _MIRROR:
            [(name, operands)] = rule.items()
            return {_MIRROR[name]: list(reversed(operands))}
        case _:
            return {"!": {"!": rule}}


def _swap(program: Node, sop: Sop) -> None:
    for node in _nodes(program, "if"):
        then, other = node["then"], node.get("else", [])
        node.update({"condition": {"!": node["condition"]}, "then": other, "else": then})


# Variables ---------------------------------------------------------------------------------------


def _bind_values(program: Node, sop: Sop) -> None:
    number = 0
    for block in list(_blocks(program["steps"])):
        made: list[Node] = []
        for node in block:
            key = {"call": "arguments", "return": "value"}.get(node["kind"])
            if key == "arguments":
                for name in list(node.get("arguments", {})):
                    number += 1
                    made.append(_set(f"given_{number}", node["arguments"][name]))
                    node["arguments"][name] = f"${{given_{number}}}"
            elif key == "value" and "value" in node:
                number += 1
                made.append(_set(f"given_{number}", node["value"]))
                node["value"] = f"${{given_{number}}}"
            made.append(node)
        block[:] = made


def _bind_conditions(program: Node, sop: Sop) -> None:
    number = 0
    for block in list(_blocks(program["steps"])):
        made: list[Node] = []
        for node in block:
            if node["kind"] == "if":
                number += 1
                made.append(_set(f"holds_{number}", {"$": node["condition"]}))
                node["condition"] = {"var": f"holds_{number}"}
            made.append(node)
        block[:] = made


def _set(name: str, value: Any) -> Node:
    return {"kind": "set", "name": name, "value": value}


# Form and order ----------------------------------------------------------------------------------


def _turn_keys(program: Node, sop: Sop) -> None:
    for number, node in enumerate(
        _nodes(program, "call", "if", "for_each", "try", "set", "return")
    ):
        turned = dict(reversed(node.items()))
        node.clear()
        node.update({"note": f"step {number + 1}", **turned})
        if node["kind"] == "if":
            node.setdefault("else", [])


def _quiet_reads(sop: Sop) -> set[str]:
    """Tools that only read and never fail in a run of the reference."""
    struck = {fault.tool for variant in sop.variants for fault in variant.faults}
    failed = {
        call.tool
        for run in reference_case(sop).runs
        for call in run.executed.calls
        if call.error is not None
    }
    tools = connectors.tools()
    return {name for name, tool in tools.items() if tool.spec.access == "read"} - struck - failed


def _swap_reads(program: Node, sop: Sop) -> None:
    quiet = _quiet_reads(sop)
    for block in _blocks(program["steps"]):
        for index in range(len(block) - 1):
            one, other = block[index : index + 2]
            if not all(n["kind"] == "call" and n["tool"] in quiet for n in (one, other)):
                continue
            if one.get("id") and re.search(rf"\b{one['id']}\b", str(other["arguments"])):
                continue
            block[index], block[index + 1] = other, one
            return


def _read_more(program: Node, sop: Sop) -> None:
    quiet = _quiet_reads(sop)
    number = 0
    for block in list(_blocks(program["steps"])):
        made: list[Node] = []
        for node in block:
            made.append(node)
            if node["kind"] == "call" and node["tool"] in quiet:
                number += 1
                made.append({**copy.deepcopy(node), "id": f"again_{number}"})
        block[:] = made


_REWRITINGS: Final[dict[PlanKind, Callable[[Node, Sop], None]]] = {
    "names_changed": _rename,
    "defaults_written_out": _default,
    "numbers_in_other_notation": _float,
    "conditions_turned": _turn,
    "branches_swapped": _swap,
    "values_through_variables": _bind_values,
    "conditions_through_variables": _bind_conditions,
    "keys_and_notes": _turn_keys,
    "texts_joined": _join,
    "reads_in_other_order": _swap_reads,
    "extra_reads": _read_more,
}
