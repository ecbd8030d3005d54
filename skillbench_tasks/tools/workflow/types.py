"""What is known of the type of a computed value before a workflow runs.

A type is a JSON Schema, of which only the kinds of values and the way to their parts are looked at;
an empty one says nothing. A name that several nodes bind has every type that one of them gives it.
Source: docs/workflow-language.md, section 8, layer 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.language import (
    Block,
    CallNode,
    ForEachNode,
    IfNode,
    Node,
    Program,
    SetNode,
    TryNode,
)
from skillbench_tasks.tools.workflow.operators import LAMBDAS
from skillbench_tasks.tools.workflow.paths import Path, parse_path, parse_template
from skillbench_tasks.tools.workflow.signatures import ToolSignature
from skillbench_tasks.tools.workflow.syntax import RULE_KEY, operation
from skillbench_tasks.tools.workflow.values import kind_of

__all__ = ["Kinds", "Types", "kinds_of", "overlap"]

Type: TypeAlias = Mapping[str, Any]
Kinds: TypeAlias = frozenset[str]
"""JSON types as schemas name them; `integer` is not part of `number` here."""

_ANY: Final[Type] = {}
_ERROR: Final[Type] = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "retryable": {"type": "boolean"},
    },
}
_STATED: Final = frozenset({"$ref", "$dynamicRef", "allOf", "not", "if"})
"""Keywords that may say more of the kind than is read here."""

_NULL: Final[Kinds] = frozenset({"null"})
_OPTIONS_MAX: Final = 16
_DEPTH_MAX: Final = 24
_SCHEMA_KINDS: Final = {"list": "array", "number": "number"}

_RESULTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("==", "===", "!=", "!==", "<", "<=", ">", ">=", "!", "exists"), "boolean"),
    **dict.fromkeys(("and", "or", "in", "all", "some", "none"), "boolean"),
    **dict.fromkeys(("+", "-", "*", "/", "min", "max", "sum", "round"), "number"),
    **dict.fromkeys(("length", "%", "days_between"), "integer"),
    **dict.fromkeys(("cat", "lower", "add_days"), "string"),
    "merge": "array",
}
"""Operator → kind of its result, whatever its operands are."""


def kinds_of(schema: object) -> Kinds | None:
    """Return the JSON types that a schema may allow; None: any, or nothing is known."""
    if not isinstance(schema, Mapping):
        return None
    if "type" in schema:
        named = schema["type"]
        return frozenset([named] if isinstance(named, str) else named)
    if "const" in schema:
        return frozenset({_kind(schema["const"])})
    if isinstance(values := schema.get("enum"), list):
        return frozenset(map(_kind, values))
    if not _STATED.isdisjoint(schema):
        return None
    for choice in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(choice), list):
            found = [kinds_of(option) for option in options]
            known = [kinds for kinds in found if kinds is not None]
            return frozenset().union(*known) if len(known) == len(found) else None
    return None


def overlap(given: Kinds | None, wanted: Kinds | None) -> bool:
    """Return whether a value of the one may be one of the other; numbers may be integral."""
    if given is None or wanted is None:
        return True
    is_number = {"integer", "number"}
    return not given.isdisjoint(wanted) or bool(given & is_number and wanted & is_number)


def _kind(value: JsonValue) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return "integer"
    return _SCHEMA_KINDS.get(kind_of(value), kind_of(value))


class Types:
    """Types of the names and expressions of a program.

    Args:
        program: The program.
        tools: Tools on offer, by full name.
    """

    def __init__(self, program: Program, tools: Mapping[str, ToolSignature]) -> None:
        self._inputs, self._tools = program.inputs, tools
        self._binders: dict[str, list[Node]] = {}
        for name, node in _binders(program.steps):
            self._binders.setdefault(name, []).append(node)
        self._known: dict[str, Type] = {}
        self._depth = 0

    def expression(self, expression: JsonValue) -> Type:
        """Return the type of an expression."""
        if isinstance(expression, str):
            match parse_template(expression):
                case (Path() as path,):
                    return self.path(path, {})
                case _:
                    return {"type": "string"}
        if isinstance(expression, dict):
            if RULE_KEY in expression:
                return self.rule(expression[RULE_KEY], {})
            parts = {key: self.expression(part) for key, part in expression.items()}
            return {"type": "object", "properties": parts}
        if isinstance(expression, list):
            return {"type": "array", "items": _union(map(self.expression, expression))}
        return {"type": _kind(expression)}

    def path(self, path: Path, local: Mapping[str, Type]) -> Type:
        """Return the type of what a path leads to.

        Args:
            path: The path.
            local: Types of the names of rules that it sees.
        """
        keys = [key for key, _ in path.segments]
        if path.name in local:
            found = local[path.name]
        elif path.name == "inputs" and keys:
            given = self._inputs.get(keys.pop(0))
            found = _mapping(given)
        else:
            found = self._name(path.name)
        for key in keys:
            found = _part(found, key)
        return found

    def rule(self, rule: JsonValue, local: Mapping[str, Type]) -> Type:
        """Return the type of what a rule gives.

        Args:
            rule: The rule.
            local: Types of the names of rules around it.
        """
        if isinstance(rule, list):
            return {"type": "array", "items": _union(self.rule(part, local) for part in rule)}
        if not isinstance(rule, dict):
            return {"type": _kind(rule)}
        operator, operands = operation(rule)
        if operator in _RESULTS:
            return {"type": _RESULTS[operator]}
        match operator:
            case "var":
                path = parse_path(operands[0]) if isinstance(operands[0], str) else None
                found = self.path(path, local) if path is not None else _ANY
                return _union([found, *(self.rule(one, local) for one in operands[1:])])
            case "if":
                return _union(self.rule(one, local) for one in [*operands[1::2], operands[-1]])
            case "filter":
                return {"type": "array", "items": _part(self.rule(operands[0], local), None)}
            case "map":
                element = _part(self.rule(operands[0], local), None)
                inner = {**local, LAMBDAS["map"][0]: element}
                return {"type": "array", "items": self.rule(operands[1], inner)}
            case _:
                return _ANY

    def _name(self, name: str) -> Type:
        if name not in self._known:
            if self._depth >= _DEPTH_MAX:
                return _ANY
            self._known[name] = _ANY  # what a name says of itself is nothing
            self._depth += 1
            nodes = self._binders.get(name, [])
            self._known[name] = _union(map(self._bound, nodes)) if nodes else _ANY
            self._depth -= 1
        return self._known[name]

    def _bound(self, node: Node) -> Type:
        match node:
            case CallNode():
                signature = self._tools.get(node.tool)
                return (signature.output_schema if signature else None) or _ANY
            case ForEachNode():
                return _part(self.expression(node.items), None)
            case TryNode():
                return _ERROR
            case SetNode():
                return self.expression(node.value)
            case _:
                return _ANY


def _part(schema: Type, key: str | None) -> Type:
    """Return the type of one key, index, or (None) any element of a value."""
    if not _STATED.isdisjoint(schema):
        return _ANY
    for choice in ("anyOf", "oneOf"):
        if isinstance(options := schema.get(choice), list):
            return _union(_part(_mapping(one), key) for one in options if kinds_of(one) != _NULL)
    kinds = kinds_of(schema)
    is_index = key is None or (key.isascii() and key.isdigit())
    found: object = None
    if kinds is not None and "object" in kinds and "array" not in kinds and key is not None:
        properties = schema.get("properties")
        found = properties.get(key) if isinstance(properties, Mapping) else None
    elif kinds is not None and "array" in kinds and "object" not in kinds and is_index:
        found = None if "prefixItems" in schema else schema.get("items")
    return _mapping(found)


def _mapping(schema: object) -> Type:
    return schema if isinstance(schema, Mapping) else _ANY


def _union(types: Iterable[Type]) -> Type:
    options: list[Type] = []
    for one in types:
        inner = one.get("anyOf") if set(one) == {"anyOf"} else None
        for option in inner if isinstance(inner, list) else [one]:
            if option not in options:
                options.append(option)
        if len(options) > _OPTIONS_MAX or _ANY in options:
            return _ANY
    return options[0] if len(options) == 1 else {"anyOf": options} if options else _ANY


def _binders(block: Block) -> Iterator[tuple[str, Node]]:
    for node in block:
        match node:
            case SetNode():
                yield node.name, node
            case ForEachNode():
                yield node.bind, node
                yield from _binders(node.do)
            case IfNode():
                yield from _binders(node.then)
                yield from _binders(node.otherwise)
            case TryNode():
                if node.bind is not None:
                    yield node.bind, node
                yield from _binders(node.do)
                yield from _binders(node.catch)
            case _:
                name = getattr(node, "id", None)
                if name is not None:
                    yield name, node
