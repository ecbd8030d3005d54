"""How far two workflows decide, repeat and handle errors alike.

Every node inside a block, and every `if`, `for_each` and `try`, is an *element*: what it is (kind,
tool, arguments, values, condition, items) and its *context*, the blocks around it with what opens
them. Two workflows have the same control flow when

1. they have the same `if`, `for_each` and `try` nodes in the same contexts,
2. each block holds as many nodes, and
3. no node stands in another block than it does in the other workflow.

So another tool or argument inside a block is no fault of the control flow; a negated condition, an
emptied loop, swapped branches, a missing `catch` and a flattened plan are. Names that nodes bind
and notes are not compared, and neither is the order of nodes within a block.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

__all__ = ["control_agreement"]

_BLOCKS: Final = {"if": ("then", "else"), "for_each": ("do",), "try": ("do", "catch")}
_UNCOMPARED: Final = frozenset({"note", "id", "as", "then", "else", "do", "catch"})

_Context: TypeAlias = tuple[str, ...]
_Element: TypeAlias = tuple[str, _Context, bool]
"""What a node is, where it stands, and whether it is one that opens blocks."""


def control_agreement(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]
) -> float:
    """Return 1 for the same control flow; else 2 · common / all elements, below 1.

    Args:
        first: Nodes of a workflow in normal form, defaults written out.
        second: Nodes of another one.
    """
    one, two = (Counter(_elements(block, ())) for block in (first, second))
    if _is_same(one, two):
        return 1.0
    inside, other = (Counter({e: n for e, n in c.items() if e[1] or e[2]}) for c in (one, two))
    return 2 * (inside & other).total() / (inside.total() + other.total())


def _is_same(one: Counter[_Element], two: Counter[_Element]) -> bool:
    if _openers(one) != _openers(two) or _sizes(one) != _sizes(two):
        return False
    missing = {what for what, _, _ in one - two}
    return missing.isdisjoint(what for what, _, _ in two - one)


def _openers(elements: Counter[_Element]) -> dict[_Element, int]:
    return {element: count for element, count in elements.items() if element[2]}


def _sizes(elements: Counter[_Element]) -> Counter[_Context]:
    """Return how many nodes each block holds; the top level is none."""
    sizes: Counter[_Context] = Counter()
    for (_, context, _), count in elements.items():
        if context:
            sizes[context] += count
    return sizes


def _elements(block: Sequence[Mapping[str, Any]], context: _Context) -> Iterator[_Element]:
    for node in block:
        compared = {key: part for key, part in node.items() if key not in _UNCOMPARED}
        what = json.dumps(compared, sort_keys=True, ensure_ascii=False)
        blocks = _BLOCKS.get(node["kind"], ())
        yield what, context, bool(blocks)
        for name in blocks:
            yield from _elements(node[name], (*context, what, name))
