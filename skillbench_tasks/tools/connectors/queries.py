"""Queries compared by what they give or do, not by their text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Change
from skillbench_tasks.tools.behaviours import run_behaviour
from skillbench_tasks.tools.compare import equal
from skillbench_tasks.tools.connectors import tools
from skillbench_tasks.tools.workflow.values import equal_values
from skillbench_tasks.tools.world import World

__all__ = ["QUERY_ARGUMENTS", "equal_queries"]

QUERY_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "mcp.sales:query": ("query",),
    "mcp.warehouse:run_query": ("sql", "parameters"),
    "mcp.warehouse:run_statement": ("sql", "parameters"),
}
"""Tool → its arguments that are a query together: they are compared by `equal_queries`."""


def equal_queries(
    tool: str,
    arguments_a: Mapping[str, JsonValue],
    arguments_b: Mapping[str, JsonValue],
    world: World,
) -> bool:
    """Return whether two calls of a query tool mean the same in a world.

    Reads are equal when they give equal results: the same rows in the same order, under the same
    names. Writes are equal when they leave equal worlds. Two that fail are equal when their errors
    have the same code. Equal arguments are always equal.

    Args:
        tool: Full name, one of `QUERY_ARGUMENTS`.
        arguments_a: Arguments of the one call; what is no query among them is not looked at.
        arguments_b: Arguments of the other.
        world: The state in which both are carried out; it is not changed.
    """
    a, b = _query(tool, arguments_a), _query(tool, arguments_b)
    if equal_values(a, b):
        return True
    left, right = _outcome(tool, a, world), _outcome(tool, b, world)
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    if tools()[tool].spec.access == "read":
        return equal_values(left[0], right[0])
    return equal(left[1], right[1], world.specs)


def _query(tool: str, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    given = {name: arguments[name] for name in QUERY_ARGUMENTS[tool] if name in arguments}
    return tools()[tool].checker.normalise(given)


def _outcome(
    tool: str, arguments: Mapping[str, JsonValue], world: World
) -> tuple[JsonValue, tuple[Change, ...]] | str:
    """Return the result and the changes of a call, or the code of its error."""
    known = tools()[tool]
    if known.checker.problems(arguments):
        return "invalid_arguments"
    try:
        result, after = run_behaviour(known.spec, arguments, world)
    except ToolFailure as failure:
        return failure.code
    return result, after.changes_since(world)
