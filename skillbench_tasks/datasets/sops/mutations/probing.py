"""What references of a workflow hold while it runs: constants and sibling fields to put there."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from skillbench_tasks.datasets.sops.ledger import BLOCKS
from skillbench_tasks.datasets.sops.mutations.places import (
    Path,
    PlacedNode,
    Reference,
    placed_nodes,
    references_in,
)
from skillbench_tasks.datasets.sops.running import parsed, toolbox_of
from skillbench_tasks.models.sop import Variant
from skillbench_tasks.tools.workflow import run_workflow

__all__ = ["Held", "held_values"]

_PREFIX: Final = "probe_"
_NOTHING: Final = "nothing here"

_Key: TypeAlias = tuple[Path, tuple[int, int] | None]


class Held:
    """What one reference holds.

    Args:
        value: Its value where it is first reached; `known` says whether there is one.
        holder: The object or list of which it names a part, there.
    """

    def __init__(self, value: Any, holder: Any) -> None:
        self.value: Final = value
        self.holder: Final = holder

    @property
    def is_known(self) -> bool:
        """Whether it was reached, outside of a list's elements, and held something."""
        return not isinstance(self.value, str) or self.value != _NOTHING


def held_values(program: Mapping[str, Any], variants: Sequence[Variant]) -> dict[_Key, Held]:
    """Return what the references hold on the first variant on which they are reached.

    Args:
        program: The workflow.
        variants: The variants, in order.

    Returns:
        Key of a reference → what it holds; one that no run reaches is left out.
    """
    wanted = [
        reference.key
        for placed in placed_nodes(program["steps"], ("steps",))
        for reference in references_in(placed)
    ]
    numbers = {key: number for number, key in enumerate(wanted)}
    probed = {**program, "steps": _probed(program["steps"], ("steps",), numbers)}
    found: dict[int, Held] = {}
    for variant in variants:
        for number, held in _run(probed, variant):
            found.setdefault(number, held)
        if len(found) == len(numbers):
            break
    return {key: found[number] for key, number in numbers.items() if number in found}


def _run(program: Mapping[str, Any], variant: Variant) -> Iterator[tuple[int, Held]]:
    toolbox = toolbox_of(variant)
    done = run_workflow(
        parsed(program), variant.inputs, now=toolbox.world.now, backend=toolbox.call
    )
    for event in done.trace:
        name = str(event.get("name", ""))
        if event["event"] == "set" and name.startswith(_PREFIX):
            value = event["value"]
            assert isinstance(value, list)
            yield int(name.removeprefix(_PREFIX)), Held(value[0], value[1])


def _probed(
    block: Sequence[Mapping[str, Any]], path: Path, numbers: Mapping[_Key, int]
) -> list[dict[str, Any]]:
    """Return a block in which every node follows assignments that record its references."""
    made = []
    for index, node in enumerate(block):
        here = (*path, index)
        placed = PlacedNode(here, node)
        for reference in references_in(placed):
            made.append(_probe(numbers[reference.key], reference))
        inner = {k: _probed(node[k], (*here, k), numbers) for k in BLOCKS if k in node}
        made.append({**copy.deepcopy(dict(node)), **inner})
    return made


def _probe(number: int, reference: Reference) -> dict[str, Any]:
    """Return the assignment that records value and holder of a reference."""
    name, _, keys = reference.text.partition(".")
    if name == "accumulator" or len(reference.over) > 1:
        rule: Any = [_NOTHING, None]
    elif name == "item":
        holder = _first(reference.over[0], keys.rpartition(".")[0])
        rule = [_NOTHING, holder]
    else:
        above = reference.text.rpartition(".")[0]
        holder = {"var": [above, None]} if above else None
        rule = [{"var": [reference.text, _NOTHING]}, holder]
    return {"kind": "set", "name": f"{_PREFIX}{number}", "value": {"$": rule}, "note": str(number)}


def _first(items: Any, keys: str) -> Any:
    """Return a rule for a part of the first element of a list; null when there is none."""
    element = {"get": [items, 0]}
    for key in keys.split(".") if keys else ():
        element = {"get": [element, key]}
    return {"if": [{">": [{"length": items}, 0]}, element, None]}
