"""The semantic ledger: what a reference workflow demands, item by item, extracted from it.

| item | what a sentence has to state |
| --- | --- |
| `input:<name>` | that the run is given it |
| `call:<label>` | what is done, on what, with which values |
| `arg:<label>.<argument>` | a value that the sentence of the call leaves to another sentence |
| `if:<label>` | the condition, and what happens either way |
| `each:<label>` | over what is repeated |
| `try:<label>` | which failure is handled, and how |
| `set:<label>` | how a value is made |
| `return:<label>` | what the run ends with |
| `order:<a><<b>` | that a comes before b, where nothing else says so |

An `order` item arises between neighbours in a block (nodes that call tools) when the later one uses
no result of the earlier one, not even through a variable. All items but `arg` are stated exactly
once. Terms are the literals of an item: they have to stand in the words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from skillbench_tasks.json_text import strings_of
from skillbench_tasks.models import Model

__all__ = ["BLOCKS", "Item", "labels_of", "ledger_of", "nodes_of"]

BLOCKS: Final = ("then", "else", "do", "catch")
_KINDS: Final = {"if": "if", "for_each": "each", "try": "try", "return": "return"}
_REFERENCE: Final = re.compile(r"\$\{([a-z][a-z0-9_]*)")
_SCALARS: Final = (str, int, float)


class Item(Model):
    """One demand of a workflow; `terms` are the literals that belong to it."""

    id: str
    terms: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What kind of demand it is."""
        return self.id.partition(":")[0]


def nodes_of(block: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield all nodes of a block, outer before inner, in program order."""
    for node in block:
        yield node
        for name in BLOCKS:
            yield from nodes_of(node.get(name, ()))


def labels_of(block: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the labels of all calls in a block, in program order."""
    return [str(node["note"]) for node in nodes_of(block) if node["kind"] == "call"]


def ledger_of(program: Mapping[str, Any]) -> tuple[Item, ...]:
    """Return the items of a workflow whose nodes carry labels.

    Args:
        program: The workflow.
    """
    items = [Item(id=f"input:{name}") for name in program.get("inputs", {})]
    for node in nodes_of(program["steps"]):
        items += _items(node)
    return (*items, *_orders(program["steps"], _origins(program["steps"])))


def _items(node: Mapping[str, Any]) -> Iterator[Item]:
    kind, label = node["kind"], node["note"]
    if kind == "call":
        yield Item(id=f"call:{label}")
        for name, value in node["arguments"].items():
            yield Item(id=f"arg:{label}.{name}", terms=_terms(value))
    elif kind == "set":
        terms = _terms(node["value"])
        if terms or (isinstance(node["value"], dict) and node["value"]):
            yield Item(id=f"set:{label}", terms=terms)
    elif kind == "if":
        yield Item(id=f"if:{label}", terms=_rule_terms(node["condition"]))
    else:
        value = node.get("value", node.get("items", {}))
        yield Item(id=f"{_KINDS[kind]}:{label}", terms=_terms(value) if kind != "try" else ())


def _terms(value: Any) -> tuple[str, ...]:
    """Return the literals of an expression; a text with references in it is one, whole."""
    if isinstance(value, str):
        is_reference = value.startswith("${") and value.endswith("}") and value.count("${") == 1
        return () if is_reference or not value.strip() else (value,)
    if isinstance(value, dict):
        if set(value) == {"$"}:
            return _rule_terms(value["$"])
        return tuple(term for part in value.values() for term in _terms(part))
    if isinstance(value, list):
        return tuple(term for part in value for term in _terms(part))
    return _rule_terms(value)


def _rule_terms(rule: Any) -> tuple[str, ...]:
    if isinstance(rule, dict):
        found: list[str] = []
        for operator, operands in rule.items():
            parts = operands if isinstance(operands, list) else [operands]
            skip = 1 if operator in ("var", "exists") else 0
            found += [term for part in parts[skip:] for term in _rule_terms(part)]
        return tuple(found)
    if isinstance(rule, list):
        return tuple(term for part in rule for term in _rule_terms(part))
    if isinstance(rule, bool) or rule is None or not isinstance(rule, _SCALARS):
        return ()
    return (rule,) if isinstance(rule, str) and rule.strip() else _number_terms(rule)


def _number_terms(value: Any) -> tuple[str, ...]:
    return () if isinstance(value, str) or value in (0, 1) else (json.dumps(value),)


def _origins(block: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Return name → labels of the calls whose results it may hold, over all assignments.

    A name that is assigned under a condition, or in a loop, holds what those hang on too.
    """
    origins: dict[str, set[str]] = {}
    for _ in range(3):  # loops may carry a value back to an earlier name
        _gather(block, origins, frozenset())
    return origins


def _gather(
    block: Sequence[Mapping[str, Any]], origins: dict[str, set[str]], around: frozenset[str]
) -> None:
    for node in block:
        own = {name: part for name, part in node.items() if name not in BLOCKS}
        used = around | _used(own, origins)
        inner = used
        match node["kind"]:
            case "call":
                origins.setdefault(node["id"], set()).add(node["note"])
            case "set":
                origins.setdefault(node["name"], set()).update(used)
            case "for_each":
                origins.setdefault(node["as"], set()).update(used)
            case "try":
                inner = used | frozenset(labels_of(node["do"]))
                if "as" in node:
                    origins.setdefault(node["as"], set()).update(inner)
        for name in BLOCKS:
            _gather(node.get(name, ()), origins, inner if name == "catch" else used)


def _used(value: Any, origins: Mapping[str, set[str]]) -> frozenset[str]:
    """Return the labels of the calls on whose results a value hangs."""
    names = {name for text in strings_of(value) for name in _REFERENCE.findall(text)}
    names |= {path.partition(".")[0] for path in _paths(value)}
    return frozenset(label for name in names for label in origins.get(name, ()))


def _paths(value: Any) -> Iterator[str]:
    """Yield the paths that the rules in a value read."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key in ("var", "exists"):
                yield str(part[0] if isinstance(part, list) else part)
            yield from _paths(part)
    elif isinstance(value, list):
        for part in value:
            yield from _paths(part)


def _orders(block: Sequence[Mapping[str, Any]], origins: Mapping[str, set[str]]) -> Iterator[Item]:
    before: Mapping[str, Any] | None = None
    for node in block:
        for name in BLOCKS:
            yield from _orders(node.get(name, ()), origins)
        if not labels_of([node]):
            continue
        if before is not None and not _used(node, origins) & set(labels_of([before])):
            yield Item(id=f"order:{before['note']}<{node['note']}")
        before = node
