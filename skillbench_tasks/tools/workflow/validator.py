"""Static validation of a workflow in three layers.

Source: docs/workflow-language.md, section 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Literal

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.bounds import MAX_FINDINGS
from skillbench_tasks.tools.workflow.language import (
    DIALOGUE_KINDS,
    Block,
    CallNode,
    Finding,
    ForEachNode,
    IfNode,
    Node,
    Program,
    TryNode,
)
from skillbench_tasks.tools.workflow.messages import allowed_names, nearest, quoted, wanted
from skillbench_tasks.tools.workflow.parser import parse_program
from skillbench_tasks.tools.workflow.references import reference_faults
from skillbench_tasks.tools.workflow.schemas import Misfit, check, known_part, misfits
from skillbench_tasks.tools.workflow.signatures import ToolSignature, subschema
from skillbench_tasks.tools.workflow.syntax import Fault
from skillbench_tasks.tools.workflow.type_check import type_faults

__all__ = ["validate"]

# Reported with codes of their own.
_ARGUMENT_SET_KEYWORDS = frozenset({"required", "additionalProperties"})


def validate(
    program_data: object, tools: Mapping[str, ToolSignature], *, dialogue: bool
) -> list[Finding]:
    """Validate a workflow; a later layer runs only when the earlier ones found nothing.

    Args:
        program_data: Any JSON value; nothing in it makes this raise.
        tools: Tools on offer, by full name.
        dialogue: Whether `say`, `ask`, `hand_over` and `decline` may be used.

    Returns:
        The findings of the first layer that has any, `MAX_FINDINGS` at most; empty when the
        workflow is valid.
    """
    program = parse_program(program_data, dialogue=dialogue)
    if not isinstance(program, Program):
        return program
    if not dialogue and (found := _findings("shape", _dialogue_faults(program))):
        return found
    if found := _findings("schema", _schema_faults(program, tools)):
        return found
    found = _findings("references", reference_faults(program, tools))
    if found or dialogue:
        return found
    # Types of computed values belong to the layer of schemas, but need names that are in order.
    # A flow with dialogue is part of a skill, whose every scenario is run when it is loaded.
    return _findings("schema", type_faults(program, _nodes(program.steps, "steps"), tools))


def _findings(
    layer: Literal["shape", "schema", "references"], faults: Iterable[Fault]
) -> list[Finding]:
    return [Finding(layer=layer, **fault._asdict()) for fault in islice(faults, MAX_FINDINGS)]


def _nodes(block: Block, path: str) -> Iterator[tuple[Node, str]]:
    """Yield every node with its path, in program order."""
    for index, node in enumerate(block):
        here = f"{path}[{index}]"
        yield node, here
        match node:
            case IfNode():
                yield from _nodes(node.then, f"{here}.then")
                yield from _nodes(node.otherwise, f"{here}.else")
            case ForEachNode():
                yield from _nodes(node.do, f"{here}.do")
            case TryNode():
                yield from _nodes(node.do, f"{here}.do")
                yield from _nodes(node.catch, f"{here}.catch")


def _dialogue_faults(program: Program) -> Iterator[Fault]:
    for node, path in _nodes(program.steps, "steps"):
        if node.kind in DIALOGUE_KINDS:
            allowed = "call, if, for_each, try, set, return"
            message = f"`{node.kind}` is a dialogue node; this workflow talks to nobody: {allowed}"
            yield Fault(f"{path}.kind", "dialogue_not_allowed", message)


def _schema_faults(program: Program, tools: Mapping[str, ToolSignature]) -> Iterator[Fault]:
    for name, schema in program.inputs.items():
        if isinstance(schema, dict) and "default" in schema:
            problem = check(schema, schema["default"])
            if problem is not None:
                yield Fault(f"inputs.{name}.default", "bad_default", problem)
    for node, path in _nodes(program.steps, "steps"):
        if isinstance(node, CallNode):
            yield from _call_faults(node, path, tools)


def _call_faults(node: CallNode, path: str, tools: Mapping[str, ToolSignature]) -> Iterator[Fault]:
    signature = tools.get(node.tool)
    if signature is None:
        server = node.tool.partition(":")[0]
        same = [name for name in tools if name.startswith(f"{server}:")]
        near = nearest(node.tool, tools)
        names = [*near, *(name for name in same if name not in near)] or list(tools)
        message = f"there is no tool {quoted(node.tool)}; {allowed_names(node.tool, names)}"
        yield Fault(f"{path}.tool", "unknown_tool", message)
        return
    schema = signature.input_schema
    for name in _required(schema):
        if name not in node.arguments:
            expected = wanted(subschema(schema, name))
            message = f"`{node.tool}` requires the argument `{name}`: {expected}"
            yield Fault(f"{path}.arguments", "missing_argument", message)
    for name in node.arguments:
        if not _accepts(schema, name):
            properties = schema.get("properties")
            known_names = list(properties) if isinstance(properties, dict) else []
            message = f"`{node.tool}` has no argument {quoted(name)}: remove or rename it; "
            message += allowed_names(name, known_names)
            yield Fault(f"{path}.arguments.{name}", "unknown_argument", message)
    known = {name: known_part(expression) for name, expression in node.arguments.items()}
    for misfit in misfits(schema, known):
        if misfit.location or misfit.keyword not in _ARGUMENT_SET_KEYWORDS:
            place = f"{path}.arguments{_suffix(misfit)}"
            yield Fault(place, "bad_argument", misfit.message)


def _required(schema: dict[str, JsonValue]) -> list[str]:
    required = schema.get("required")
    return (
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    )


def _accepts(schema: dict[str, JsonValue], name: str) -> bool:
    """Tell whether a tool has the argument; a closed list of properties is the normal case."""
    properties = schema.get("properties")
    if isinstance(properties, dict) and name in properties:
        return True
    if "patternProperties" in schema:
        return True  # the schema check decides
    others = schema.get("additionalProperties", not isinstance(properties, dict))
    return others is not False


def _suffix(misfit: Misfit) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in misfit.location)
