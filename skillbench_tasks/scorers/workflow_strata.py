"""The strata in which the gap between the protocols is shown, of a SOP's workflow and a variant.

Tool-call nodes are counted as they are written, all branches together. The depth of a workflow
without control flow is 1, and each `if`, `for_each` and `try` inside another adds 1.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from skillbench_tasks.models import Model
from skillbench_tasks.models.sop import Variant
from skillbench_tasks.scorers.workflow_nodes import placed_nodes
from skillbench_tasks.tools.connectors import RUNTIME_SERVERS
from skillbench_tasks.tools.workflow.language import (
    CallNode,
    ForEachNode,
    IfNode,
    Program,
    TryNode,
)

__all__ = ["Composition", "Strata", "strata"]

Composition = Literal["linear", "branch only", "loop only", "error handling only", "multiple"]

_COMPOSITIONS: dict[str, Composition] = {
    "if": "branch only",
    "for_each": "loop only",
    "try": "error handling only",
}


class Strata(Model):
    """In which stratum of each kind a variant stands."""

    size: Literal["0", "1–2", "3–5", "≥6"]
    """Tool-call nodes in the reference."""
    families: Literal["0", "1", "2", "3+"]
    """Application families, the platform's own helpers not counted."""
    has_conditional: bool
    has_loop: bool
    has_try: bool
    composition: Composition
    depth: Literal["1", "2", "3+"]
    has_fault: bool


def strata(
    program: Program, variant: Variant, runtime_helpers: Collection[str] = RUNTIME_SERVERS
) -> Strata:
    """Return the strata of a variant.

    Args:
        program: The reference workflow.
        variant: The variant.
        runtime_helpers: Servers of the automation platform itself: they are no application family.
            Any other server is one.
    """
    placed = list(placed_nodes(program))
    tools = [one.node.tool for one in placed if isinstance(one.node, CallNode)]
    servers = {tool.removeprefix("mcp.").partition(":")[0] for tool in tools}
    control = [one for one in placed if isinstance(one.node, IfNode | ForEachNode | TryNode)]
    kinds = {one.node.kind for one in control}
    levels = 1 + max((1 + len(one.blocks) for one in control), default=0)
    return Strata(
        size=_size(len(tools)),
        families=_families(len(servers - set(runtime_helpers))),
        has_conditional="if" in kinds,
        has_loop="for_each" in kinds,
        has_try="try" in kinds,
        composition=_composition(kinds),
        depth="1" if levels == 1 else "2" if levels == 2 else "3+",
        has_fault=bool(variant.faults),
    )


def _size(calls: int) -> Literal["0", "1–2", "3–5", "≥6"]:
    if calls <= 2:
        return "1–2" if calls else "0"
    return "3–5" if calls <= 5 else "≥6"


def _families(count: int) -> Literal["0", "1", "2", "3+"]:
    if count <= 1:
        return "1" if count else "0"
    return "2" if count == 2 else "3+"


def _composition(kinds: Collection[str]) -> Composition:
    if not kinds:
        return "linear"
    return "multiple" if len(kinds) > 1 else _COMPOSITIONS[next(iter(kinds))]
