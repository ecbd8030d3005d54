"""Single faults planted into plans: each kind changes one thing in one place.

A mutator gets a copy of a plan and a source of chance, and changes it; it returns False where the
plan has no place for its fault. Whoever uses one asks the validator whether the change is a fault.
"""

from __future__ import annotations

import copy
import itertools
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

from skillbench_tasks.datasets.sops.running import signatures

__all__ = ["MUTATORS", "blocks_of", "mutant_of"]

Mutator = Callable[[Any, random.Random], bool]

BLOCKS = ("then", "else", "do", "catch")
REFERENCE = re.compile(r"\$\{([a-z][a-z0-9_]*)((?:\.[A-Za-z0-9_-]+)*)\}")


def blocks_of(block: list[Any]) -> Iterator[list[Any]]:
    yield block
    for node in block:
        for key in BLOCKS:
            if isinstance(node, dict) and isinstance(node.get(key), list):
                yield from blocks_of(node[key])


def nodes_of(plan: Any, *kinds: str) -> list[Any]:
    found = (node for block in blocks_of(plan["steps"]) for node in block)
    return [node for node in found if not kinds or node["kind"] in kinds]


def typo(text: str, rng: random.Random) -> str:
    """Return a text with two letters exchanged, one left out, or one doubled."""
    letters = [i for i, c in enumerate(text[:-1]) if c.isalpha() and text[i + 1].isalpha()]
    if not letters:
        return text + "x"
    at = rng.choice(letters)
    match rng.randrange(3):
        case 0 if text[at] != text[at + 1]:
            return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        case 1:
            return text[:at] + text[at + 1 :]
        case _:
            return text[: at + 1] + text[at:]


def strings_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield container and key of every string of an expression."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in list(pairs):
        if isinstance(part, str):
            yield value, key
        elif isinstance(part, dict | list):
            yield from strings_in(part)


def references(plan: Any) -> list[tuple[Any, Any]]:
    """Return container and key of each string that holds a reference, `var` paths too."""
    found = []
    for node in nodes_of(plan):
        for part in ("arguments", "condition"):
            if isinstance(node.get(part), dict):
                found += [p for p in strings_in(node[part]) if _refers(*p)]
        for part in ("items", "value"):
            if part in node:
                inner = node[part]
                if isinstance(inner, str) and REFERENCE.search(inner):
                    found.append((node, part))
                elif isinstance(inner, dict | list):
                    found += [p for p in strings_in(inner) if _refers(*p)]
    return found


def _refers(container: Any, key: Any) -> bool:
    text = container[key]
    return bool(REFERENCE.search(text)) or key in ("var", "exists")


def pick(rng: random.Random, found: list[Any]) -> Any:
    return rng.choice(found) if found else None


def rules_of(plan: Any) -> list[Any]:
    """Return every rule object."""
    found: list[Any] = []

    def walk(value: Any, is_rule: bool) -> None:
        if isinstance(value, list):
            for part in value:
                walk(part, is_rule)
        elif isinstance(value, dict):
            if is_rule:
                found.append(value)
            for key, part in value.items():
                walk(part, is_rule or key == "$")

    for node in nodes_of(plan):
        walk(node.get("condition", 0), True)
        for part in ("items", "value", "arguments"):
            walk(node.get(part, 0), False)
    return found


def tool_misspelt(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "call"))
    if node:
        server, _, tool = node["tool"].partition(":")
        node["tool"] = f"{server}:{typo(tool, rng)}"
    return bool(node)


def server_misspelt(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "call"))
    if node:
        server, _, tool = node["tool"].removeprefix("mcp.").partition(":")
        node["tool"] = f"mcp.{typo(server, rng)}:{tool}"
    return bool(node)


def tool_in_other_form(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "call"))
    if node:
        bare = node["tool"].removeprefix("mcp.")
        node["tool"] = rng.choice([bare, bare.replace(":", "__"), f"mcp.{bare.replace(':', '.')}"])
    return bool(node)


def argument_misspelt(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, [n for n in nodes_of(plan, "call") if n["arguments"]])
    if node:
        name = rng.choice(sorted(node["arguments"]))
        arguments = node["arguments"]
        node["arguments"] = {(typo(k, rng) if k == name else k): v for k, v in arguments.items()}
    return bool(node)


def argument_missing(plan: Any, rng: random.Random) -> bool:
    places = [
        (node, name)
        for node in nodes_of(plan, "call")
        for name in _schema(node).get("required", ())
        if name in node["arguments"]
    ]
    if place := pick(rng, places):
        del place[0]["arguments"][place[1]]
    return bool(place)


def argument_unknown(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "call"))
    if node:
        node["arguments"][rng.choice(["verbose", "dry_run", "workspace"])] = True
    return bool(node)


def _schema(node: Any) -> dict[str, Any]:
    return signatures()[node["tool"]].input_schema


def _literals(plan: Any, keyword: str) -> list[tuple[Any, str, Any]]:
    return [
        (node["arguments"], name, schema)
        for node in nodes_of(plan, "call")
        for name, schema in _schema(node).get("properties", {}).items()
        if keyword in schema
        and name in node["arguments"]
        and not isinstance(node["arguments"][name], dict | list)
        and "${" not in str(node["arguments"][name])
    ]


def enum_wrong(plan: Any, rng: random.Random) -> bool:
    place = pick(rng, [p for p in _literals(plan, "enum") if isinstance(p[0][p[1]], str)])
    if place:
        place[0][place[1]] = rng.choice([typo(place[0][place[1]], rng), "other"])
    return bool(place)


def literal_type_wrong(plan: Any, rng: random.Random) -> bool:
    place = pick(rng, _literals(plan, "type"))
    if place:
        arguments, name, _ = place
        value = arguments[name]
        arguments[name] = [value] if isinstance(value, str) else str(value)
    return bool(place)


def list_for_scalar(plan: Any, rng: random.Random) -> bool:
    places = [
        (node["arguments"], name)
        for node in nodes_of(plan, "call")
        for name, value in node["arguments"].items()
        if isinstance(value, list) and len(value) == 1
    ]
    if place := pick(rng, places):
        arguments, name = place
        arguments[name] = "text" if isinstance(arguments[name][0], str) else 3
    return bool(place)


def key_missing(plan: Any, rng: random.Random) -> bool:
    needed = ("condition", "then", "items", "as", "do", "catch", "name", "value")
    optional = {("return", "value"), ("try", "as")}
    places = [
        (node, key)
        for node in nodes_of(plan)
        for key in needed
        if key in node and (node["kind"], key) not in optional
    ]
    if place := pick(rng, places):
        del place[0][place[1]]
    return bool(place)


def tool_missing(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "call"))
    if node:
        del node["tool"]
    return bool(node)


def kind_missing(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan))
    if node:
        del node["kind"]
    return bool(node)


def kind_unknown(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan))
    if node:
        others = {"call": "tool", "for_each": "loop", "if": "branch", "set": "assign"}
        kind = node["kind"]
        node["kind"] = rng.choice([typo(kind, rng), others.get(kind, kind.upper())])
    return bool(node)


def key_unknown(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan))
    if node:
        node[rng.choice(["description", "next", "on_error", "retry"])] = "x"
    return bool(node)


def key_misspelt(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan))
    keys = sorted(key for key in node if key != "kind")
    if not keys:
        return False
    wrong = rng.choice(keys)
    changed = {(typo(k, rng) if k == wrong else k): v for k, v in node.items()}
    node.clear()
    node.update(changed)
    return True


def workflow_key_unknown(plan: Any, rng: random.Random) -> bool:
    plan[rng.choice(["name", "description", "id", "step"])] = "x"
    return True


def input_unknown(plan: Any, rng: random.Random) -> bool:
    plan["inputs"][rng.choice(["tenant", "verbose", "run_id"])] = {"type": "string"}
    return True


def version_wrong(plan: Any, rng: random.Random) -> bool:
    plan["version"] = rng.choice([2, "1", True, None])
    return True


def version_missing(plan: Any, rng: random.Random) -> bool:
    del plan["version"]
    return True


def operator_unknown(plan: Any, rng: random.Random) -> bool:
    words = {"==": "equals", ">=": "=>", "<=": "=<", "and": "all_of", "!": "not", "var": "ref"}
    rule = pick(rng, rules_of(plan))
    if rule:
        ((operator, operands),) = rule.items()
        rule.clear()
        rule[words.get(operator, typo(operator, rng))] = operands
    return bool(rule)


def operand_count_wrong(plan: Any, rng: random.Random) -> bool:
    rule = pick(rng, [r for r in rules_of(plan) if isinstance(next(iter(r.values())), list)])
    if rule:
        ((operator, operands),) = rule.items()
        rule[operator] = operands[:-1] if rng.random() < 0.5 else [*operands, 1, 1]
    return bool(rule)


def rule_of_two_keys(plan: Any, rng: random.Random) -> bool:
    rule = pick(rng, rules_of(plan))
    if rule:
        rule["!="] = [1, 2]
    return bool(rule) and len(rule) == 2


def dollar_beside_keys(plan: Any, rng: random.Random) -> bool:
    found = [v for v in _dicts(plan["steps"]) if "$" in v]
    if value := pick(rng, found):
        value["type"] = "rule"
    return bool(found)


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _dicts(part)


def _changed_reference(
    plan: Any, rng: random.Random, change: Callable[[str, str], tuple[str, str] | None]
) -> bool:
    """Change the name or the keys of one reference."""
    places = references(plan)
    rng.shuffle(places)
    for container, key in places:
        text = container[key]
        path = text if key in ("var", "exists") else None
        found = re.fullmatch(r"([a-z][a-z0-9_]*)((?:\..+)?)", path) if path else None
        found = found or REFERENCE.search(text)
        if found and (new := change(found[1], found[2])):
            whole = "".join(new) if path else f"${{{''.join(new)}}}"
            container[key] = text[: found.start()] + whole + text[found.end() :]
            return True
    return False


def name_misspelt(plan: Any, rng: random.Random) -> bool:
    def change(name: str, keys: str) -> tuple[str, str] | None:
        return None if name in ("item", "accumulator") else (typo(name, rng), keys)

    return _changed_reference(plan, rng, change)


def input_misspelt(plan: Any, rng: random.Random) -> bool:
    def change(name: str, keys: str) -> tuple[str, str] | None:
        return (name, f".{typo(keys[1:], rng)}") if name == "inputs" and keys else None

    return _changed_reference(plan, rng, change)


def segment_misspelt(plan: Any, rng: random.Random) -> bool:
    def change(name: str, keys: str) -> tuple[str, str] | None:
        if name in ("inputs", "context", "item", "accumulator") or not keys:
            return None
        return name, f".{typo(keys[1:], rng)}"

    return _changed_reference(plan, rng, change)


def unclosed(plan: Any, rng: random.Random) -> bool:
    places = [(c, k) for c, k in references(plan) if REFERENCE.search(c[k])]
    if place := pick(rng, places):
        container, key = place
        end = REFERENCE.search(container[key])
        assert end is not None
        container[key] = container[key][: end.end() - 1] + container[key][end.end() :]
    return bool(place)


def expression_in_template(plan: Any, rng: random.Random) -> bool:
    places = [(c, k) for c, k in references(plan) if REFERENCE.search(c[k])]
    if place := pick(rng, places):
        container, key = place
        container[key] = REFERENCE.sub(r"${\1\2 + 1}", container[key], count=1)
    return bool(place)


def _binders(plan: Any) -> list[tuple[Any, str]]:
    keys = {"call": "id", "for_each": "as", "try": "as"}
    return [
        (node, keys[node["kind"]]) for node in nodes_of(plan, *keys) if keys[node["kind"]] in node
    ]


def _uses(name: Any, value: Any) -> bool:
    word = re.escape(str(name))
    return re.search(rf"\$\{{{word}\b|'var': \[?'{word}\b", repr(value)) is not None


def bound_too_late(plan: Any, rng: random.Random) -> bool:
    """Move a node behind the next one, which uses it."""
    places = []
    for block in blocks_of(plan["steps"]):
        for index, (first, second) in enumerate(itertools.pairwise(block)):
            name = first.get("id") or (first["name"] if first["kind"] == "set" else None)
            if name and _uses(name, second):
                places.append((block, index))
    if place := pick(rng, places):
        block, at = place
        block[at], block[at + 1] = block[at + 1], block[at]
    return bool(place)


def shadowed(plan: Any, rng: random.Random) -> bool:
    binders = _binders(plan)
    if len(binders) < 2:
        return False
    first, second = sorted(rng.sample(range(len(binders)), 2))
    node, key = binders[second]
    node[key] = binders[first][0][binders[first][1]]
    return True


def name_reserved(plan: Any, rng: random.Random) -> bool:
    if place := pick(rng, _binders(plan)):
        place[0][place[1]] = rng.choice(["item", "now", "inputs", "args"])
    return bool(place)


def name_in_capitals(plan: Any, rng: random.Random) -> bool:
    if place := pick(rng, _binders(plan)):
        node, key = place
        node[key] = rng.choice([node[key].title(), node[key].replace("_", "-") + "-x"])
    return bool(place)


def name_null(plan: Any, rng: random.Random) -> bool:
    nodes = [
        n for n in nodes_of(plan, "call", "try") if ("id" if n["kind"] == "call" else "as") not in n
    ]
    node = pick(rng, nodes or nodes_of(plan))
    node["note" if not nodes else "id" if node["kind"] == "call" else "as"] = None
    return True


def set_on_bound(plan: Any, rng: random.Random) -> bool:
    """Assign to what a call has bound."""
    places = [
        (block, index)
        for block in blocks_of(plan["steps"])
        for index, node in enumerate(block)
        if node["kind"] == "call" and "id" in node
    ]
    if place := pick(rng, places):
        block, index = place
        block.insert(index + 1, {"kind": "set", "name": block[index]["id"], "value": None})
    return bool(place)


def unreachable(plan: Any, rng: random.Random) -> bool:
    blocks = [block for block in blocks_of(plan["steps"]) if block]
    if block := pick(rng, blocks):
        if block[-1]["kind"] == "return" and len(block) > 1 and rng.random() < 0.5:
            block[-1], block[-2] = block[-2], block[-1]
        else:
            block.insert(rng.randrange(len(block)), {"kind": "return", "value": None})
    return bool(block)


def out_of_scope(plan: Any, rng: random.Random) -> bool:
    """Put a call whose result is used later into a `try` of its own."""
    places = []
    for block in blocks_of(plan["steps"]):
        for index, node in enumerate(block):
            used = _uses(node.get("id"), block[index + 1 :])
            if node["kind"] == "call" and used:
                places.append((block, index))
    if place := pick(rng, places):
        block, index = place
        block[index] = {"kind": "try", "do": [block[index]], "catch": []}
    return bool(place)


def block_no_list(plan: Any, rng: random.Random) -> bool:
    places = [(n, k) for n in nodes_of(plan) for k in BLOCKS if len(n.get(k, ())) == 1]
    if place := pick(rng, places):
        place[0][place[1]] = place[0][place[1]][0]
    return bool(place)


def arguments_no_object(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "call"))
    if node:
        node["arguments"] = [node["arguments"]] if rng.random() < 0.5 else None
    return bool(node)


def dialogue(plan: Any, rng: random.Random) -> bool:
    block = pick(rng, list(blocks_of(plan["steps"])))
    block.insert(0, {"kind": "say", "act": "inform"})
    return True


def whole_for_part(plan: Any, rng: random.Random) -> bool:
    """Give the whole of what a reference leads into, where a part of it is wanted."""
    places = [
        (container, key)
        for container, key in references(plan)
        if (found := REFERENCE.search(container[key])) and found[2] and found[1] != "inputs"
    ]
    if place := pick(rng, places):
        container, key = place
        container[key] = REFERENCE.sub(r"${\1}", container[key], count=1)
    return bool(place)


def argument_of_other_type(plan: Any, rng: random.Random) -> bool:
    """Compute a number or a list for an argument that wants neither."""
    node = pick(rng, [n for n in nodes_of(plan, "call") if n["arguments"]])
    if node:
        name = rng.choice(sorted(node["arguments"]))
        node["arguments"][name] = {"$": rng.choice([{"+": [1, 2]}, {"merge": [1, 2]}])}
    return bool(node)


def condition_of_other_type(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "if"))
    if node:
        node["condition"] = rng.choice(["false", "true", None, 1, {"+": [1, 2]}])
    return bool(node)


def items_of_other_type(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "for_each"))
    if node:
        items = node["items"]
        wholes = [items.rpartition(".")[0] + "}"] if isinstance(items, str) and "." in items else []
        node["items"] = rng.choice([*wholes, "items", {"$": {"length": "abc"}}])
    return bool(node)


def output_of_other_type(plan: Any, rng: random.Random) -> bool:
    node = pick(rng, nodes_of(plan, "return"))
    if node and "output" in plan:
        node["value"] = rng.choice(["done", None, {"$": {"length": "abc"}}, {}])
    return bool(node) and "output" in plan


MUTATORS: dict[str, Mutator] = {
    mutator.__name__: mutator
    for mutator in (
        tool_misspelt,
        server_misspelt,
        tool_in_other_form,
        tool_missing,
        argument_misspelt,
        argument_missing,
        argument_unknown,
        arguments_no_object,
        enum_wrong,
        literal_type_wrong,
        list_for_scalar,
        whole_for_part,
        argument_of_other_type,
        condition_of_other_type,
        items_of_other_type,
        output_of_other_type,
        key_missing,
        key_unknown,
        key_misspelt,
        kind_missing,
        kind_unknown,
        workflow_key_unknown,
        input_unknown,
        version_wrong,
        version_missing,
        operator_unknown,
        operand_count_wrong,
        rule_of_two_keys,
        dollar_beside_keys,
        name_misspelt,
        input_misspelt,
        segment_misspelt,
        unclosed,
        expression_in_template,
        bound_too_late,
        shadowed,
        name_reserved,
        name_in_capitals,
        name_null,
        set_on_bound,
        unreachable,
        out_of_scope,
        block_no_list,
        dialogue,
    )
}
"""Name of a kind of fault → what plants it."""


def mutant_of(plan: Any, kind: str, seed: int | str) -> Any:
    """Return a copy of a plan with one fault, or None where it has no place for it."""
    mutant = copy.deepcopy(plan)
    rng = random.Random(f"{kind} {seed}")
    return mutant if MUTATORS[kind](mutant, rng) and mutant != plan else None
