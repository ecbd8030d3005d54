"""Coverage obligations of a workflow, and which of them its variants meet.

Source: protocol C. Both outcomes of every conditional; every loop with zero, one and many
iterations; every try with and without an error that it catches. Coverage is a target: what was
reached is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from skillbench_tasks.datasets.sops.ledger import nodes_of
from skillbench_tasks.models.sop import Executed

__all__ = ["obligations_of", "reached"]

_OUTCOMES: Final = {
    "if": ("then", "else"),
    "for_each": ("zero", "one", "many"),
    "try": ("clean", "caught"),
}
_MANY: Final = 2


def obligations_of(program: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the obligations of a labelled workflow as `<label> <outcome>`, in program order."""
    return tuple(
        f"{node['note']} {outcome}"
        for node in nodes_of(program["steps"])
        for outcome in _OUTCOMES.get(node["kind"], ())
    )


def reached(program: Mapping[str, Any], executed: Executed) -> tuple[str, ...]:
    """Return the obligations that one execution of the reference meets, in program order.

    Args:
        program: The labelled workflow.
        executed: What it left behind.
    """
    labels = dict(_places(program["steps"], "steps"))
    met = set(_met(executed.control, labels))
    caught = {one.partition(" ")[0] for one in met if one.endswith(" caught")}
    met |= {f"{label} clean" for label in _entered(program, executed, labels) - caught}
    return tuple(one for one in obligations_of(program) if one in met)


def _places(block: Iterable[Mapping[str, Any]], path: str) -> Iterator[tuple[str, str]]:
    """Yield path and label of each node."""
    for index, node in enumerate(block):
        place = f"{path}[{index}]"
        yield place, str(node["note"])
        for name in ("then", "else", "do", "catch"):
            yield from _places(node.get(name, ()), f"{place}.{name}")


def _met(control: Iterable[Mapping[str, Any]], labels: Mapping[str, str]) -> Iterator[str]:
    for event in control:
        label = labels.get(str(event.get("path")), "")
        match event["event"]:
            case "branch":
                yield f"{label} {event['taken']}"
            case "loop":
                count = int(event["count"])
                yield f"{label} {'many' if count >= _MANY else ('zero', 'one')[count]}"
            case "caught":
                yield f"{label} caught"


def _entered(program: Mapping[str, Any], executed: Executed, labels: Mapping[str, str]) -> set[str]:
    """Return the labels of the tries whose `do` made a call."""
    tries = {path for path, label in labels.items() if label in _tries(program)}
    calls = [call.path or "" for call in executed.calls]
    return {labels[path] for path in tries if any(one.startswith(f"{path}.do[") for one in calls)}


def _tries(program: Mapping[str, Any]) -> set[str]:
    return {str(node["note"]) for node in nodes_of(program["steps"]) if node["kind"] == "try"}
