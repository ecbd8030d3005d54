"""Random rules and expressions, of a wanted type where that is possible."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from .fakes import DATES, WORDS

# The shape of a name: a type, or an object whose keys have shapes. Types are
# int num str bool date any, and lists: ints strs recs parts anys.
Shape = str | dict[str, Any]
PART: dict[str, Any] = {"sku": "str", "qty": "int", "price": "num"}
RECORD: dict[str, Any] = {
    **{"id": "str", "name": "str", "day": "date", "price": "num", "count": "int"},
    **{"active": "bool", "note": "str", "tags": "strs", "levels": "ints", "parts": "parts"},
}
ELEMENT: dict[str, Shape] = {
    **{"ints": "int", "strs": "str", "recs": RECORD, "parts": PART, "anys": "any"},
}
TYPES = ["int", "num", "str", "bool", "date", "ints", "strs", "parts", "any"]
FITTING = {
    **{"num": ("num", "int"), "any": ("any", "int", "str", "bool", "strs", "recs")},
    **{"str": ("str", "str", "date"), "anys": ("anys", "ints", "strs", "parts", "recs")},
}
COMPARE = ["==", "!=", "===", "!=="]
ORDER = ["<", "<=", ">", ">="]
Scopes = list[dict[str, Shape]]


def paths(scopes: Scopes) -> Iterator[tuple[str, Shape]]:
    """Give every path of a known shape that is visible."""
    visible: dict[str, Shape] = {}
    for scope in scopes:
        visible.update(scope)
    todo = list(visible.items())
    while todo:
        path, shape = todo.pop()
        yield path, shape
        if isinstance(shape, dict):
            todo.extend((f"{path}.{key}", inner) for key, inner in shape.items())


class RuleMaker:
    """Makes rules and expressions over the scopes of a program that is being made."""

    def __init__(self, rng: random.Random, hazard: float) -> None:
        self.rng = rng
        self.hazard = hazard
        self.scopes: Scopes = []

    def path(self, kind: str) -> str | None:
        """Give a visible path of the type, if there is one."""
        kinds = FITTING.get(kind, (kind,))
        found = [path for path, shape in paths(self.scopes) if shape in kinds]
        return self.rng.choice(found) if found else None

    def literal(self, kind: str) -> Any:
        """Give a literal rule of the type."""
        rng = self.rng
        if kind in ("int", "any"):
            return rng.randint(-3, 9)
        if kind == "num":
            return rng.choice([0, 1, 2.5, -0.125, 25.0, 3, 0.1, 1e-7, 1234.5678])
        if kind == "bool":
            return rng.random() < 0.5
        if kind in ("str", "date"):
            return rng.choice(WORDS if kind == "str" else DATES)
        if kind in ("parts", "recs"):
            return []
        inner = {"ints": "int", "strs": "str"}.get(kind, "any")
        return [self.literal(inner) for _ in range(rng.randint(0, 4))]

    def leaf(self, kind: str) -> Any:
        """Give a rule that is a path or a literal."""
        path = self.path(kind) if self.rng.random() < 0.75 else None
        if path is None:
            return self.literal(kind)
        if self.rng.random() < 0.15:
            return {"var": [path, self.literal(kind)]}
        return {"var": [path] if self.rng.random() < 0.3 else path}

    def broken(self) -> Any:
        """Give a rule that most likely ends in an evaluation error."""
        doubling = {"reduce": [list(range(18)), {"cat": [{"var": "accumulator"}] * 2}, "long"]}
        growing = {"reduce": [list(range(14)), {"merge": [{"var": "accumulator"}] * 2}, [0]]}
        huge = {"reduce": [[9] * 400, {"*": [{"var": "accumulator"}, 1e9]}, 9]}
        return self.rng.choice(
            [
                {"var": "inputs.options.nothing"},
                {"var": "inputs.levels.77"},
                {"var": "inputs.count.deeper"},
                {"/": [self.leaf("num"), 0]},
                {"%": [self.leaf("int"), self.rng.choice([0, 2.5])]},
                {"+": ["1", self.leaf("num")]},
                {"<": [self.leaf("int"), "x"]},
                {"!": [0]},
                {"and": [self.leaf("int"), True]},
                {"if": [None, 1, 2]},
                {"get": [{"var": "inputs.levels"}, -1]},
                {"get": [{"var": "inputs.options"}, self.rng.choice(["absent", 0])]},
                {"add_days": ["2024-02-30", 1]},
                {"days_between": ["soon", "2024-01-01"]},
                {"cat": ["x", {"var": "inputs.levels"}]},
                {"in": [1, "text"]},
                {"sum": [["a"]]},
                {"length": 5},
                {"lower": True},
                {"map": ["text", 1]},
                {"filter": [[1], {"var": "item"}]},
                doubling,
                growing,
                huge,
            ]
        )

    def rule(self, kind: str, depth: int) -> Any:
        """Give a rule of the type."""
        if self.rng.random() < self.hazard:
            return self.broken()
        if depth <= 0 or self.rng.random() < 0.2:
            return self.leaf(kind)
        if self.rng.random() < 0.1:
            return self.choice_of(kind, depth - 1)
        if kind == "num" and self.rng.random() < 0.4:
            kind = "int"
        if kind == "any":
            kind = self.rng.choice(TYPES[:-1])
        make = {"int": self.whole, "num": self.number, "bool": self.truth, "str": self.text}
        if kind == "date":
            return self.date(depth - 1)
        return make[kind](depth - 1) if kind in make else self.listing(depth - 1, kind)

    def choice_of(self, kind: str, depth: int) -> Any:
        """Give an ``if`` or a ``reduce`` that keeps the last value."""
        operands: list[Any] = []
        for _ in range(self.rng.randint(1, 2)):
            operands += [self.rule("bool", depth), self.rule(kind, depth)]
        return {"if": [*operands, self.rule(kind, depth)]}

    def some_of(self, kind: str, depth: int, low: int = 1, high: int = 3) -> list[Any]:
        """Give several rules of a type."""
        return [self.rule(kind, depth) for _ in range(self.rng.randint(low, high))]

    def inside(self, names: dict[str, Shape], kind: str, depth: int) -> Any:
        """Give a rule that also sees further names."""
        self.scopes.append(names)
        made = self.rule(kind, depth)
        self.scopes.pop()
        return made

    def over(self, kind: str, depth: int) -> list[Any]:
        """Give a list rule and a rule of the type over its elements."""
        listed = self.rng.choice(["ints", "strs", "parts", "recs"])
        body = self.inside({"item": ELEMENT[listed]}, kind, depth)
        return [self.rule(listed, min(depth, 1)), body]

    def whole(self, depth: int) -> Any:
        """Give a rule for an integer."""
        rng = self.rng
        operator = rng.choice(
            ["+", "-", "*", "%", "min", "max", "sum", "length", "days_between", "reduce", "round"]
        )
        if operator == "%":
            divisor = rng.choice([2, 3, -4, 7])
            return {"%": [self.rule("int", depth), divisor]}
        if operator == "round":
            return {"round": [self.rule("num", depth), 0]}
        if operator == "sum":
            return {"sum": [self.rule("ints", depth)]}
        if operator == "length":
            kind = rng.choice(["str", "strs", "ints", "parts"])
            made = self.rule(kind, depth)
            return {"length": [made] if isinstance(made, list) or rng.random() < 0.5 else made}
        if operator == "days_between":
            return {"days_between": [self.rule("date", depth), self.rule("date", depth)]}
        if operator == "reduce":
            return self.reduction("int", depth)
        return self.arithmetic(operator, "int", depth)

    def arithmetic(self, operator: str, kind: str, depth: int) -> Any:
        """Give an operator that takes several numbers."""
        high = 2 if operator == "-" else 3
        return {operator: self.some_of(kind, depth, 1, high)}

    def reduction(self, kind: str, depth: int) -> Any:
        """Give a ``reduce``."""
        listed = self.rng.choice(["ints", "strs", "parts"])
        names: dict[str, Shape] = {"item": ELEMENT[listed], "accumulator": kind}
        body = self.inside(names, kind, depth)
        return {"reduce": [self.rule(listed, min(depth, 1)), body, self.rule(kind, 0)]}

    def number(self, depth: int) -> Any:
        """Give a rule for a number."""
        operator = self.rng.choice(["+", "-", "*", "/", "min", "max", "round", "sum", "reduce"])
        if operator == "/":
            divisor = self.rng.choice([2, 3, 4.0, 0.7, -8])
            return {"/": [self.rule("num", depth), divisor]}
        if operator == "round":
            return {"round": [self.rule("num", depth), self.rng.randint(0, 6)]}
        if operator == "sum":
            return {"sum": [self.some_of("num", depth, 0, 3)]}
        if operator == "reduce":
            return self.reduction("num", depth)
        return self.arithmetic(operator, "num", depth)

    def truth(self, depth: int) -> Any:
        """Give a rule for a boolean."""
        rng = self.rng
        operator = rng.choice(["same", "order", "!", "and", "or", "in", "exists", "over"])
        if operator == "same":
            kind = rng.choice(TYPES)
            other = kind if rng.random() < 0.8 else rng.choice(TYPES)
            return {rng.choice(COMPARE): [self.rule(kind, depth), self.rule(other, depth)]}
        if operator == "order":
            kind = rng.choice(["int", "num", "str", "date"])
            return {rng.choice(ORDER): self.some_of(kind, depth, 2, 2)}
        if operator == "!":
            made = self.rule("bool", depth)
            return {"!": made if rng.random() < 0.5 else [made]}
        if operator in ("and", "or"):
            return {operator: self.some_of("bool", depth)}
        if operator == "in":
            kind, held = rng.choice([("str", "str"), ("str", "strs"), ("int", "ints")])
            return {"in": [self.rule(kind, depth), self.rule(held, depth)]}
        if operator == "exists":
            path, shape = rng.choice(list(paths(self.scopes)))
            loose = shape == "any" or path == "inputs.options"
            return {"exists": f"{path}.sku" if loose else path}
        return {rng.choice(["all", "some", "none"]): self.over("bool", depth)}

    def text(self, depth: int) -> Any:
        """Give a rule for a string."""
        operator = self.rng.choice(["cat", "lower", "get", "date"])
        if operator == "cat":
            kinds = self.rng.choices(["str", "int", "num", "bool", "date"], k=3)
            return {"cat": [self.rule(kind, depth) for kind in kinds[: self.rng.randint(1, 3)]]}
        if operator == "lower":
            return {"lower": self.rule("str", depth)}
        if operator == "get":
            key = self.rng.choice(["sku", {"lower": "SKU"}, {"cat": ["s", "ku"]}])
            return {"get": [{"var": "inputs.options"}, key]}
        return self.date(depth)

    def date(self, depth: int) -> Any:
        """Give a rule for a date."""
        return {"add_days": [self.rule("date", depth), self.rule("int", min(depth, 1))]}

    def listing(self, depth: int, kind: str) -> Any:
        """Give a rule for a list."""
        operator = self.rng.choice(["map", "filter", "merge", "list", "get"])
        inner = {"ints": "int", "strs": "str"}.get(kind)
        if operator == "filter" or inner is None:
            body = self.inside({"item": ELEMENT[kind]}, "bool", depth)
            return {"filter": [self.leaf(kind), body]}
        if operator == "map":
            return {"map": self.over(inner, depth)}
        if operator == "merge":
            return {"merge": [*self.some_of(kind, depth, 1, 2), self.rule(inner, depth)]}
        if operator == "get":
            held = [self.leaf(kind), self.leaf(kind)]
            return {"get": [held, {"%": [self.rule("int", depth), 2]}]}
        return self.some_of(inner, depth, 0, 4)

    # Expressions

    def expression(self, kind: str, depth: int = 3) -> Any:
        """Give an expression of the type; a literal in it always has that type."""
        rng = self.rng
        style = rng.choice(["path", "path", "rule", "rule", "literal", "template"])
        if style == "rule":
            return {"$": self.rule(kind, depth)}
        if style == "template" and kind == "str":
            return self.template()
        path = self.path(kind) if style != "literal" else None
        if path is not None:
            return f"${{{path}}}"
        if kind == "any" and rng.random() < 0.7:
            return self.structure(depth)
        return self.literal(kind)

    def structure(self, depth: int) -> Any:
        """Give an object or a list of expressions."""
        kinds = self.rng.choices(["int", "str", "bool", "num", "strs", "any"], k=2)
        parts = [self.expression(kind, depth - 2) if depth > 0 else None for kind in kinds]
        if self.rng.random() < 0.5:
            return parts
        return {"first": parts[0], "${not a path}": [parts[1], "costs $5"], "$$": None}

    def template(self) -> str:
        """Give a template."""
        pieces = []
        for _ in range(self.rng.randint(1, 3)):
            path = self.path(self.rng.choice(["str", "int", "num", "bool", "date"]))
            pieces.append(self.rng.choice(["n ", "$", "", "$${", "} ", "é: ", "$$${x}"]))
            pieces.append("" if path is None else f"-${{{path}}}")
        return "".join(pieces) + "."
