"""All single mutations of a reference workflow that the validator lets pass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from skillbench_tasks.datasets.sops.mutations.kinds import Edit, Edits, Mutation
from skillbench_tasks.datasets.sops.mutations.places import (
    DELETED,
    PlacedNode,
    Reference,
    Rule,
    placed_nodes,
    references_in,
    replaced,
    rules_in,
    value_at,
)
from skillbench_tasks.datasets.sops.mutations.probing import Held, held_values
from skillbench_tasks.datasets.sops.running import signatures
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.tools.workflow import validate

__all__ = ["mutations_of"]

_OTHER_STRICTNESS: Final = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_COMPARISONS: Final = (*_OTHER_STRICTNESS, "==", "!=")
_SAME_CLOCK: Final = "the clock stands still at the same time in every run of the workspace"
_IS_DEFAULT: Final = "the tool declares this value as its default"


def mutations_of(sop: Sop) -> tuple[Mutation, ...]:
    """Return the single mutations of a SOP's workflow, each valid and unlike the reference.

    Constants and sibling fields are those of the first variant on which a reference is reached.

    Args:
        sop: The SOP.
    """
    made: dict[str, Mutation] = {}
    seen = {_text(sop.program)}
    for edit in _edits(sop):
        program = replaced(sop.program, edit.path, edit.value)
        name = f"{sop.id} {edit.kind} {edit.place}: {edit.detail}"
        key = f"{edit.kind} {_text(program)}"
        if name in made or key in seen or _text(program) in seen:
            continue
        if not validate(program, signatures(), dialogue=False):
            seen.add(key)
            made[name] = Mutation(edit.kind, name, program, edit.equivalent)
    return tuple(made.values())


def _text(program: Mapping[str, Any]) -> str:
    return json.dumps(program, sort_keys=True)


def _edits(sop: Sop) -> Edits:
    program = sop.program
    held = held_values(program, sop.variants)
    for placed in placed_nodes(program["steps"], ("steps",)):
        yield from _node_edits(placed)
        for rule in rules_in(placed):
            yield from _rule_edits(placed, rule)
        for reference in references_in(placed):
            if found := held.get(reference.key):
                yield from _reference_edits(program, placed, reference, found)


def _node_edits(placed: PlacedNode) -> Edits:
    node, label, path = placed.node, placed.label, placed.path
    match node["kind"]:
        case "call":
            yield Edit("call_deleted", label, "left out", path, ())
            yield from _argument_edits(placed)
        case "if":
            yield from _branch_edits(placed)
        case "for_each":
            items = node["items"]
            yield Edit("loop_emptied", label, "no items", (*path, "items"), [])
            yield Edit("loop_first_only", label, "one item", (*path, "items"), _first(items))
        case "try":
            yield Edit("catch_dropped", label, "its body alone", path, tuple(node["do"]))


def _argument_edits(placed: PlacedNode) -> Edits:
    schema: Mapping[str, Any] = signatures()[placed.node["tool"]].input_schema
    for name, value in placed.node["arguments"].items():
        if name in schema.get("required", ()):
            continue
        declared = schema["properties"][name]
        is_default = "default" in declared and declared["default"] == value
        yield Edit(
            "argument_deleted",
            f"{placed.label}.{name}",
            "left out",
            (*placed.path, "arguments", name),
            DELETED,
            _IS_DEFAULT if is_default else "",
        )


def _branch_edits(placed: PlacedNode) -> Edits:
    node, label, path = placed.node, placed.label, placed.path
    negated = {"!": node["condition"]}
    yield Edit("condition_negated", label, "negated", (*path, "condition"), negated)
    if node.get("else"):
        swapped = {**node, "then": node["else"], "else": node["then"]}
        yield Edit("branches_swapped", label, "then for else", path, swapped)
        yield Edit("else_deleted", label, "no else", (*path, "else"), DELETED)


def _first(items: Any) -> Any:
    """Return an expression for a list of the first element alone."""
    if isinstance(items, list):
        return items[:1]
    rule = items["$"] if isinstance(items, dict) else {"var": items[2:-1]}
    is_some = {">": [{"length": rule}, 0]}
    return {"$": {"if": [is_some, [{"get": [rule, 0]}], []]}}


def _rule_edits(placed: PlacedNode, rule: Rule) -> Edits:
    label, path, operands = placed.label, rule.path, rule.operands
    if rule.operator in ("and", "or") and len(operands) > 1:
        for index, operand in enumerate(operands):
            rest = [*operands[:index], *operands[index + 1 :]]
            left = {rule.operator: rest} if len(rest) > 1 else rest[0]
            yield Edit("operand_dropped", label, f"without {_shown(operand)}", path, left)
    if rule.operator == "filter":
        items, keeps = operands
        yield Edit("operand_dropped", label, f"no filter {_shown(keeps)}", path, items)
        negated = {"filter": [items, {"!": keeps}]}
        yield Edit("condition_negated", label, f"filter not {_shown(keeps)}", path, negated)
    if rule.operator in _COMPARISONS:
        yield from _comparison_edits(placed, rule)


def _comparison_edits(placed: PlacedNode, rule: Rule) -> Edits:
    label, path, operands = placed.label, rule.path, list(rule.operands)
    shown = _shown({rule.operator: operands})
    if other := _OTHER_STRICTNESS.get(rule.operator):
        yield Edit("comparison_shifted", label, f"{other} in {shown}", path, {other: operands})
    for index, operand in enumerate(operands):
        if isinstance(operand, bool) or not isinstance(operand, int | float):
            continue
        step = 1 if isinstance(operand, int) or operand.is_integer() else 0.01
        for moved in (operand - step, operand + step):
            number = round(moved, 6)
            changed = [*operands[:index], number, *operands[index + 1 :]]
            yield Edit(
                "comparison_shifted", label, f"{number} in {shown}", path, {rule.operator: changed}
            )


def _reference_edits(
    program: Mapping[str, Any], placed: PlacedNode, reference: Reference, held: Held
) -> Edits:
    text, place = reference.text, f"{placed.label}.{reference.path[-1]}"
    if held.is_known:
        yield from _constant_edits(program, placed, reference, held)
    above, _, name = text.rpartition(".")
    if not isinstance(held.holder, dict) or name not in held.holder:
        return
    own = held.holder[name]
    for sibling in sorted(held.holder):
        if sibling != name and type(held.holder[sibling]) is type(own):
            detail = f"{above}.{sibling} for {text}"
            value = _put(value_at(program, reference.path), reference, f"{above}.{sibling}")
            yield Edit("sibling_field", place, detail, reference.path, value)


def _put(string: str, reference: Reference, text: str) -> str:
    """Return the string of a reference with another path in it."""
    if reference.span is None:
        return text
    start, end = reference.span
    return f"{string[:start]}${{{text}}}{string[end:]}"


def _constant_edits(
    program: Mapping[str, Any], placed: PlacedNode, reference: Reference, held: Held
) -> Edits:
    value: Any = held.value
    path = reference.path
    if reference.span is None:
        operator = next(index for index in (-1, -2) if path[index] in ("var", "exists"))
        if path[operator] == "exists":
            return
        path = path[:operator]
    else:
        string, (start, end) = value_at(program, path), reference.span
        if (start, end) != (0, len(string)):
            if isinstance(value, dict | list) or value is None:
                return
            shown = value if isinstance(value, str) else json.dumps(value)
            value = f"{string[:start]}{shown.replace('${', '$${')}{string[end:]}"
        elif isinstance(value, str):
            value = value.replace("${", "$${")
    is_clock = reference.text.partition(".")[0] == "context"
    detail = f"{_shown(held.value)} for {reference.text}"
    yield Edit(
        "constant_for_reference",
        f"{placed.label}.{reference.path[-1]}",
        detail,
        path,
        value,
        _SAME_CLOCK if is_clock else "",
    )


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_SHOWN: Final = 60
