"""Random valid programs with their inputs and limits.

``generate_program`` gives a program and its inputs, ``generate_limits`` the budget to run them
with: mostly the defaults, sometimes a small one, so that runs end as ``exhausted`` at any place.
"""

from __future__ import annotations

import random
from typing import Any

from .fakes import (
    CHARGE,
    CURRENCIES,
    DATES,
    FLAKY,
    LOOKUP,
    PING,
    SEARCH,
    SLOTS,
    STORE,
    WORDS,
    ScriptedRespondent,
    fake_tools,
    scripted_backend,
)
from .random_rules import ELEMENT, RECORD, TYPES, RuleMaker, Shape

__all__ = [
    "NOW",
    "ScriptedRespondent",
    "fake_tools",
    "generate_limits",
    "generate_program",
    "scripted_backend",
]

NOW = "2024-02-28T22:15:00+01:00"
NAMES = ["a", "b", "total", "found", "row", "left", "state", "x_1", "n", "seen", "mark", "last"]
NAMES += [f"v{number}" for number in range(60)]
RESULTS: dict[str, Shape] = {
    LOOKUP: RECORD,
    SEARCH: {"items": "recs", "total": "int", "score": "num", "next": "any"},
    STORE: {"ok": "bool", "version": "int", "saved": "any"},
    CHARGE: {"receipt": "str", "amount": "num"},
    FLAKY: "any",
    PING: "any",
}
ERROR: Shape = {"code": "str", "message": "str", "retryable": "bool", "tool": "str"}
DEPTH = 6
Node = dict[str, Any]


class _Maker:
    """Makes one program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rules = RuleMaker(rng, rng.choice([0, 0, 0, 0.003, 0.01, 0.04]))
        self.scopes = self.rules.scopes
        self.settable: list[set[str]] = []
        self.calls: list[set[str]] = []
        self.left = rng.choice([3, 8, 15, 25, 40, 60])
        self.dialogue = rng.random() < 0.6
        self.returned = rng.choice(["int", "num", "str", "bool", "ints", "any"])

    def inputs(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Give declarations and values, and make them visible."""
        rng = self.rng
        levels = [rng.randint(-2, 9) for _ in range(rng.randint(0, 5))]
        part = {"sku": "s-1", "qty": 2, "price": 4.75}
        rows = {
            "count": ("int", "integer", rng.randint(0, 8)),
            "price": ("num", "number", rng.choice([0.5, 12, 99.999, 7.0])),
            "title": ("str", "string", rng.choice(WORDS)),
            "day": ("date", "string", rng.choice(DATES)),
            "urgent": ("bool", "boolean", rng.random() < 0.5),
            "levels": ("ints", "array", levels),
            "words": ("strs", "array", rng.sample(WORDS, rng.randint(0, 4))),
            "lines": ("parts", "array", [part] * rng.randint(0, 3)),
            "options": ("any", "object", {"sku": rng.choice(WORDS), "7": [None, 1.5]}),
        }
        shape: Shape = {name: row[0] for name, row in rows.items()}
        self.scopes.append({"inputs": shape, "context": {"now": "date"}})
        declared = {name: {"type": row[1]} for name, row in rows.items()}
        return declared, {name: row[2] for name, row in rows.items()}

    def visible(self) -> set[str]:
        """Give all visible names."""
        return {name for scope in self.scopes for name in scope}

    def fresh(self) -> str:
        """Give a name that is not visible."""
        taken = self.visible()
        free = [name for name in NAMES if name not in taken]
        return self.rng.choice(free[:8])

    def block(
        self, depth: int, names: dict[str, Shape] | None = None, risky: bool = False
    ) -> list[Node]:
        """Give a block at the depth of nesting; a risky one starts with a call."""
        self.scopes.append(dict(names or {}))
        self.settable.append(set())
        self.calls.append(set())
        nodes: list[Node] = [self.make_call(depth)] if risky else []
        wanted = self.rng.randint(6, 14) if depth == 0 else self.rng.choice([0, 1, 1, 2, 2, 3, 4])
        while len(nodes) < wanted and self.left > 0:
            self.left -= 1
            nodes.append(self.node(depth))
            if self.rng.random() < 0.05:
                nodes[-1]["note"] = "made at random; ${not evaluated}"
        if self.rng.random() < (0.45 if depth == 0 else 0.06):
            nodes.append(self.ending())
        for stack in (self.scopes, self.settable, self.calls):
            stack.pop()
        return nodes

    def node(self, depth: int) -> Node:
        """Give a node of any kind that does not end the program."""
        nested = ["if", "if", "for_each", "for_each", "try", "try"] if depth < DEPTH else []
        spoken = ["say", "ask", "ask"] if self.dialogue else []
        kind = self.rng.choice(["call", "call", "call", "set", "set", "set", *nested, *spoken])
        made: Node = getattr(self, f"make_{kind}")(depth)
        return made

    def bind(self, node: Node, shape: Shape, call: bool = False) -> Node:
        """Bind the result of a node to a new name, mostly."""
        if self.rng.random() < 0.8:
            node["id"] = self.fresh()
            self.scopes[-1][node["id"]] = shape
            if call:
                self.calls[-1].add(node["id"])
        return node

    def make_call(self, depth: int) -> Node:
        """Give a call with fitting arguments, or a computed argument of another type."""
        rng, expression = self.rng, self.rules.expression
        tool = rng.choice([LOOKUP, LOOKUP, SEARCH, STORE, STORE, CHARGE, FLAKY, PING])
        arguments: Node = {}
        if tool == LOOKUP:
            arguments = {"id": expression("str")}
        elif tool == SEARCH:
            arguments = {"query": expression("str")}
            if rng.random() < 0.5:
                arguments["limit"] = expression("int")
        elif tool == STORE:
            arguments = {"key": expression("str"), "value": expression(rng.choice(TYPES))}
        elif tool == CHARGE:
            arguments = {"amount": expression("num")}
            if rng.random() < 0.5:
                arguments["currency"] = rng.choice([*CURRENCIES, {"$": {"lower": "EUR"}}])
        elif tool == FLAKY:
            arguments = {"n": expression("int")}
        node: Node = {"kind": "call", "tool": tool}
        if arguments or rng.random() < 0.5:
            node["arguments"] = arguments
        return self.bind(node, RESULTS[tool], call=True)

    def make_set(self, depth: int) -> Node:
        """Give an assignment to an old or to a new variable."""
        rng = self.rng
        # Only names that no inner scope of another sort hides are settable; names never shadow.
        old = sorted(name for names in self.settable for name in names)
        if old and rng.random() < 0.6:
            name = rng.choice(old)
            (kind,) = [scope[name] for scope in self.scopes if name in scope]
            assert isinstance(kind, str)
            value = self.rules.expression(kind if rng.random() < 0.97 else rng.choice(TYPES))
            return {"kind": "set", "name": name, "value": value}
        kind = rng.choice(TYPES)
        node = {"kind": "set", "name": self.fresh(), "value": self.rules.expression(kind)}
        self.scopes[-1][node["name"]] = kind
        self.settable[-1].add(node["name"])
        return node

    def make_if(self, depth: int) -> Node:
        """Give a branch."""
        node = {"kind": "if", "condition": self.rules.rule("bool", 3)}
        node["then"] = self.block(depth + 1)
        if self.rng.random() < 0.6:
            node["else"] = self.block(depth + 1)
        return node

    def make_for_each(self, depth: int) -> Node:
        """Give a loop over a list, computed or not, seldom over no list at all."""
        rng = self.rng
        listed = rng.choice(["ints", "strs", "parts", "recs", "recs"])
        items = self.rules.expression(listed)
        if rng.random() < 0.03:
            items = rng.choice([[], "${inputs.options}", ["${inputs.title}", None, [1], 2.50]])
        name = self.fresh()
        do = self.block(depth + 1, {name: ELEMENT[listed]})
        return {"kind": "for_each", "items": items, "as": name, "do": do}

    def make_try(self, depth: int) -> Node:
        """Give a ``try``."""
        node: Node = {"kind": "try", "do": self.block(depth + 1, risky=self.rng.random() < 0.5)}
        names: dict[str, Shape] = {}
        if self.rng.random() < 0.7:
            node["as"] = self.fresh()
            names = {node["as"]: ERROR}
        node["catch"] = self.block(depth + 1, names)
        return node

    def spoken(self) -> Node:
        """Give facts, and some of them that must be told; either may be left out."""
        rng = self.rng
        names = rng.sample(["price", "day", "reference", "why"], rng.randint(0, 3))
        node: Node = {"facts": {name: self.rules.expression(rng.choice(TYPES)) for name in names}}
        node["must"] = rng.sample(names, rng.randint(0, len(names)))
        return {key: value for key, value in node.items() if value or rng.random() < 0.5}

    def make_say(self, depth: int) -> Node:
        """Give something to say."""
        calls = sorted(fake_tools())
        node: Node = {"kind": "say", "act": self.rng.choice(["inform", "apologise"])}
        if self.rng.random() < 0.6:
            node["claims"] = self.rng.sample(calls, min(len(calls), self.rng.randint(0, 2)))
        return {**node, **self.spoken()}

    def make_ask(self, depth: int) -> Node:
        """Give a question."""
        rng = self.rng
        node = {"kind": "ask", **self.spoken()}
        node.pop("must", None)
        if rng.random() < 0.3:
            node["again"] = rng.random() < 0.6
        if rng.random() < 0.3:
            node["confirm"] = "order_change"
            return self.bind(node, {"confirmed": "bool", "changes": "any"})
        node["slots"] = rng.sample(SLOTS, rng.randint(1, 3))
        return self.bind(node, dict.fromkeys(node["slots"], "str"))

    def ending(self) -> Node:
        """Give a node that ends the program."""
        rng = self.rng
        if self.dialogue and rng.random() < 0.55:
            kind = rng.choice(["hand_over", "decline"])
            return {"kind": kind, "reason": "out of scope", **self.spoken()}
        node: Node = {"kind": "return"}
        if rng.random() < 0.9:
            kind = self.returned if rng.random() < 0.95 else "any"
            node["value"] = self.rules.expression(kind)
        return node

    def output(self) -> Any:
        """Give a schema that the returned value mostly fits."""
        number: Node = {"type": ["number", "null"]}
        schemas = {
            "int": number,
            "num": number,
            "str": {"type": ["string", "null"]},
            "bool": {"type": ["boolean", "null"]},
            "ints": {"type": ["array", "null"], "items": {"type": "number"}},
        }
        return schemas.get(self.returned, {})

    def flood(self) -> list[Node]:
        """Give nodes that use up a default budget, sometimes inside a ``try``."""
        wide = list(range(50))
        deep: Any = {"+": [{"var": "item"}, 1]}
        for _ in range(2):
            deep = {"length": {"map": [wide, deep]}}
        if self.rng.random() < 0.3:
            return [{"kind": "set", "name": "zz", "value": {"$": {"map": [wide, deep]}}}]
        inner = [{"kind": "for_each", "items": wide, "as": "zy", "do": []}]
        call = {"kind": "call", "tool": PING, "arguments": {}}
        loop = [{"kind": "for_each", "items": wide * 6, "as": "zz", "do": [*inner, call]}]
        return [{"kind": "try", "do": loop, "catch": []}]


def generate_program(rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give a random valid program and its inputs."""
    maker = _Maker(rng)
    declared, inputs = maker.inputs()
    program: dict[str, Any] = {"version": 1, "inputs": declared}
    steps = maker.block(0)
    if rng.random() < 0.01:
        steps = maker.flood() + steps
    if rng.random() < 0.5:
        program["output"] = maker.output()
    return {**program, "steps": steps}, inputs


def generate_limits(rng: random.Random) -> dict[str, int]:
    """Give the limits of a run: the defaults, or in a tenth of the cases a small one."""
    limits = {"max_nodes": 10_000, "max_operators": 100_000, "max_work": 50_000}
    chance = rng.random()
    if chance < 0.06:
        limits["max_nodes"] = rng.randint(0, 25)
    elif chance < 0.10:
        limits["max_operators"] = rng.randint(0, 40)
    elif chance < 0.16:
        limits["max_work"] = rng.choice((rng.randint(0, 60), rng.randint(0, 2_500)))
    return limits
