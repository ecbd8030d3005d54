"""Nodes of reference workflows, written short. Each has a label, which the ledger goes by.

A label stands in the node's `note`, which has no effect, and names the result of a call. It is
unique in its workflow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

__all__ = ["NodeData", "attempt", "call", "each", "program", "put", "result", "rule", "when"]

NodeData: TypeAlias = dict[str, Any]
"""A node as the workflow language writes it."""


def call(label: str, tool: str, /, **arguments: Any) -> NodeData:
    """Call a tool; its result is `${label}`.

    Args:
        label: The node's label.
        tool: `<server>:<tool>`.
        **arguments: Expressions.
    """
    return {
        "kind": "call",
        "id": label,
        "tool": f"mcp.{tool}",
        "arguments": arguments,
        "note": label,
    }


def when(
    label: str,
    condition: Mapping[str, Any],
    then: Sequence[NodeData],
    otherwise: Sequence[NodeData] = (),
) -> NodeData:
    """Branch on a rule.

    Args:
        label: The node's label.
        condition: A rule that gives a boolean.
        then: What is done when it holds.
        otherwise: What is done when it does not.
    """
    node = {"kind": "if", "condition": dict(condition), "then": list(then), "note": label}
    return {**node, "else": list(otherwise)} if otherwise else node


def each(label: str, items: Any, name: str, do: Sequence[NodeData]) -> NodeData:
    """Run a block for each element of a list.

    Args:
        label: The node's label.
        items: Expression that gives the list.
        name: What the element is called inside.
        do: The block.
    """
    return {"kind": "for_each", "items": items, "as": name, "do": list(do), "note": label}


def attempt(
    label: str, do: Sequence[NodeData], catch: Sequence[NodeData], name: str | None = None
) -> NodeData:
    """Run a block, and another one when a tool in it fails.

    Args:
        label: The node's label.
        do: What is tried.
        catch: What is done about an error.
        name: What the error is called in `catch`.
    """
    node = {"kind": "try", "do": list(do), "catch": list(catch), "note": label}
    return {**node, "as": name} if name else node


def put(label: str, name: str, value: Any) -> NodeData:
    """Assign a variable.

    Args:
        label: The node's label.
        name: The variable.
        value: Expression.
    """
    return {"kind": "set", "name": name, "value": value, "note": label}


def result(label: str, /, **fields: Any) -> NodeData:
    """End the workflow with an object.

    Args:
        label: The node's label.
        **fields: Its fields, as expressions.
    """
    return {"kind": "return", "value": fields, "note": label}


def rule(rule: Any) -> dict[str, Any]:
    """Return an expression whose value is that of a rule."""
    return {"$": rule}


def program(
    inputs: Mapping[str, Any], steps: Sequence[NodeData], output: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a whole workflow.

    Args:
        inputs: Input name → JSON Schema.
        steps: Its nodes.
        output: Output field → JSON Schema; none: nothing is prescribed.
    """
    made: dict[str, Any] = {"version": 1, "inputs": dict(inputs), "steps": list(steps)}
    if output is not None:
        made["output"] = {
            "type": "object",
            "properties": dict(output),
            "required": list(output),
            "additionalProperties": False,
        }
    return made
