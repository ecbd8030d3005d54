"""The nodes of a workflow with the places where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from skillbench_tasks.tools.workflow.language import (
    Block,
    CallNode,
    ForEachNode,
    IfNode,
    Node,
    Program,
    ReturnNode,
    TryNode,
)

__all__ = ["BlockKind", "PlacedNode", "call_nodes", "placed_nodes", "prescribes_output"]

BlockKind: TypeAlias = Literal["branch", "loop", "guarded", "handler"]
"""What a block inside a node is: of an `if`, a `for_each`, the `do` of a `try`, its `catch`."""


@dataclass(frozen=True)
class PlacedNode:
    """A node, its path as the trace names it, and the blocks it stands in, outermost first."""

    path: str
    node: Node
    blocks: tuple[BlockKind, ...]


def placed_nodes(program: Program) -> Iterator[PlacedNode]:
    """Yield every node, in the order in which they are written."""
    yield from _placed(program.steps, "steps", ())


def call_nodes(program: Program) -> Iterator[tuple[CallNode, PlacedNode]]:
    """Yield every node that calls a tool, in the order in which they are written."""
    for placed in placed_nodes(program):
        if isinstance(placed.node, CallNode):
            yield placed.node, placed


def prescribes_output(program: Program) -> bool:
    """Return whether a workflow prescribes a terminal output.

    It declares one, or returns something other than a literal `null` in some place.
    """
    return program.output is not None or any(
        isinstance(placed.node, ReturnNode) and placed.node.value is not None
        for placed in placed_nodes(program)
    )


def _placed(block: Block, path: str, blocks: tuple[BlockKind, ...]) -> Iterator[PlacedNode]:
    for index, node in enumerate(block):
        here = f"{path}[{index}]"
        yield PlacedNode(here, node, blocks)
        for name, inner, kind in _inner_blocks(node):
            yield from _placed(inner, f"{here}.{name}", (*blocks, kind))


def _inner_blocks(node: Node) -> tuple[tuple[str, Block, BlockKind], ...]:
    match node:
        case IfNode():
            return (("then", node.then, "branch"), ("else", node.otherwise, "branch"))
        case ForEachNode():
            return (("do", node.do, "loop"),)
        case TryNode():
            return (("do", node.do, "guarded"), ("catch", node.catch, "handler"))
        case _:
            return ()
