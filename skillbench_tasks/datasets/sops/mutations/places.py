"""Where things stand in a workflow: nodes, expressions, rules and references, with their paths."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from skillbench_tasks.datasets.sops.ledger import BLOCKS
from skillbench_tasks.tools.workflow.operators import LAMBDAS

__all__ = [
    "DELETED",
    "Path",
    "PlacedNode",
    "Reference",
    "Rule",
    "placed_nodes",
    "references_in",
    "replaced",
    "rules_in",
    "value_at",
]

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the program down to a place."""

DELETED: Final = object()
"""What takes the place of a part that is left out."""

_PARTS: Final = ("arguments", "condition", "items", "value")
_TEMPLATE: Final = re.compile(r"\$\{([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_-]+)*)\}")


class PlacedNode(NamedTuple):
    """A node with its path; `label` is its note."""

    path: Path
    node: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Return the label, by which a reader knows the node."""
        return str(self.node["note"])


class Rule(NamedTuple):
    """A rule object inside a node; `over` are the rules of the lists that `item` is taken from."""

    path: Path
    operator: str
    operands: Sequence[Any]
    over: tuple[Any, ...]


class Reference(NamedTuple):
    """A reference inside a node.

    Args:
        path: To the string that holds it.
        text: The path that is followed, as `issue.status`.
        span: Where it stands in the string; None: the string is the operand of `var` or `exists`.
        over: Rules of the lists that `item` is taken from, outer before inner.
    """

    path: Path
    text: str
    span: tuple[int, int] | None
    over: tuple[Any, ...]

    @property
    def key(self) -> tuple[Path, tuple[int, int] | None]:
        """Return what tells it from every other reference of its workflow."""
        return self.path, self.span


def placed_nodes(block: Sequence[Mapping[str, Any]], path: Path) -> Iterator[PlacedNode]:
    """Yield the nodes of a block with their paths, outer before inner, in program order.

    Args:
        block: The block.
        path: Its path.
    """
    for index, node in enumerate(block):
        here = (*path, index)
        yield PlacedNode(here, node)
        for name in BLOCKS:
            yield from placed_nodes(node.get(name, ()), (*here, name))


def rules_in(placed: PlacedNode) -> Iterator[Rule]:
    """Yield the rule objects of a node, outer before inner; not those of the nodes inside it."""
    for value, path, is_rule in _parts(placed):
        yield from _rules(value, path, is_rule, ())


def references_in(placed: PlacedNode) -> Iterator[Reference]:
    """Yield the references of a node; not those of the nodes inside it."""
    for value, path, is_rule in _parts(placed):
        yield from _templates(value, path, is_rule)
        for rule in _rules(value, path, is_rule, ()):
            if rule.operator in ("var", "exists"):
                operands = value_at(value, rule.path[len(path) :])[rule.operator]
                inner = (0,) if isinstance(operands, list) else ()
                place = (*rule.path, rule.operator, *inner)
                yield Reference(place, str(rule.operands[0]), None, rule.over)


def value_at(value: Any, path: Path) -> Any:
    """Return what stands at a path."""
    for key in path:
        value = value[key]
    return value


def replaced(program: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy of a program with another value at a path.

    Args:
        program: The program.
        path: The place.
        value: What stands there then: `DELETED` leaves it out, a tuple puts its elements there.
    """
    made = copy.deepcopy(dict(program))
    holder, key = value_at(made, path[:-1]), path[-1]
    if value is DELETED:
        del holder[key]
    elif isinstance(value, tuple):
        assert isinstance(key, int)
        holder[key : key + 1] = copy.deepcopy(list(value))
    else:
        holder[key] = copy.deepcopy(value)
    return made


def _parts(placed: PlacedNode) -> Iterator[tuple[Any, Path, bool]]:
    for name in _PARTS:
        if name in placed.node:
            yield placed.node[name], (*placed.path, name), name == "condition"


def _rules(value: Any, path: Path, is_rule: bool, over: tuple[Any, ...]) -> Iterator[Rule]:
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from _rules(part, (*path, index), is_rule, over)
    elif isinstance(value, dict) and not is_rule:
        for key, part in value.items():
            yield from _rules(part, (*path, key), key == "$", over)
    elif isinstance(value, dict):
        ((operator, operands),) = value.items()
        listed = operands if isinstance(operands, list) else [operands]
        yield Rule(path, operator, listed, over)
        for index, part in enumerate(listed):
            place = (*path, operator, index) if isinstance(operands, list) else (*path, operator)
            is_inner = operator in LAMBDAS and index == 1
            yield from _rules(part, place, True, (*over, listed[0]) if is_inner else over)


def _templates(value: Any, path: Path, is_rule: bool) -> Iterator[Reference]:
    if is_rule:
        return
    if isinstance(value, str):
        for match in _TEMPLATE.finditer(value):
            yield Reference(path, match[1], match.span(), ())
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _templates(part, (*path, key), key == "$")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _templates(part, (*path, index), False)
