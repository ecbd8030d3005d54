"""From JSON to a program, or to the faults in its shape.

Source: docs/workflow-language.md, sections 5 and 8 (layer 1).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator
from itertools import islice, repeat
from typing import Final, NamedTuple, cast, get_args

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from skillbench_tasks.tools.workflow.bounds import (
    MAX_BLOCK_NESTING,
    MAX_FINDINGS,
    MAX_JSON_NESTING,
    MAX_KEY_LENGTH,
    MAX_PROGRAM_NODES,
    MAX_PROGRAM_PARTS,
    MAX_PROGRAM_TEXT,
    MAX_SCHEMA_PARTS,
)
from skillbench_tasks.tools.workflow.language import DIALOGUE_KINDS, Finding, Node, Program
from skillbench_tasks.tools.workflow.messages import allowed_names, listing, quoted
from skillbench_tasks.tools.workflow.syntax import Fault, expression_faults, rule_faults
from skillbench_tasks.tools.workflow.values import count_parts, kind_of

__all__ = ["parse_program"]

# A block adds two levels (the node, its list); anything deeper breaks a bound somewhere.
_MAX_DOCUMENT_NESTING = 2 * MAX_BLOCK_NESTING + MAX_JSON_NESTING + 10
_LARGEST = int(sys.float_info.max)
_TOO_LARGE = (
    f"the document is too large: {MAX_PROGRAM_PARTS} scalars, lists and objects and "
    f"{MAX_PROGRAM_TEXT} characters of text at most"
)

_BLOCK_KEYS = ("then", "else", "do", "catch")
_EXPRESSION_KEYS = ("items", "value")
_EXPRESSIONS_KEYS = ("arguments", "facts")
# These may be left out, but null is no value of theirs.
_NOT_NULL_KEYS = ("note", "id", "as", "confirm")

_CODES = {
    "missing": "missing_key",
    "extra_forbidden": "unknown_key",
    "union_tag_invalid": "unknown_kind",
    "union_tag_not_found": "missing_key",
}
_EXPECTED = {
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
    "tuple_type": "a list",
    "string_type": "a string",
    "bool_type": "true or false",
}
_FORMS = {
    "version": "the integer 1",
    "inputs": "an object of JSON Schemas",
    "output": "a JSON Schema",
    "tool": "a tool name, mcp.<server>:<tool>",
    "condition": "a rule that gives a boolean",
    "items": "an expression that gives a list",
    "value": "an expression",
    "name": "a name",
    "as": "a name",
    **dict.fromkeys(("steps", "then", "do", "catch"), "a list of nodes, which may be empty"),
}
"""Key → what stands there."""
_OWN_CODES = frozenset({"bad_name", "bad_tool_name", "bad_schema", "bad_version", "bad_ask"})


def _keys_of(model: type[BaseModel]) -> tuple[str, ...]:
    fields = model.model_fields.items()
    return tuple(sorted((field.alias or name for name, field in fields), key="note".__eq__))


_KEYS: Final = {
    str(get_args(model.model_fields["kind"].annotation)[0]): _keys_of(model)
    for model in get_args(get_args(Node)[0])
}
"""Kind of node → its keys."""


def parse_program(data: object, *, dialogue: bool = True) -> Program | list[Finding]:
    """Parse a JSON document.

    Args:
        data: Any JSON value; nothing in it makes this raise.
        dialogue: Whether messages speak of dialogue nodes; they are parsed in any case.

    Returns:
        The program, or at least one finding of the layer ``shape``.
    """
    kinds = [kind for kind in _KEYS if dialogue or kind not in DIALOGUE_KINDS]
    faults = list(islice(_document_faults(data), MAX_FINDINGS)) or list(_schema_size_faults(data))
    if not faults:
        try:
            program = Program.model_validate(data)
        except ValidationError as error:
            details = error.errors(include_url=False)[:MAX_FINDINGS]
            faults += [_structure_fault(detail, kinds) for detail in details]
            program = None
        faults += islice(_program_faults(data), MAX_FINDINGS)
        if program is not None and not faults:
            return program
    return [Finding(layer="shape", **fault._asdict()) for fault in faults[:MAX_FINDINGS]]


class _Place(NamedTuple):
    """Where a value stands: written out only where there is a fault."""

    outer: _Place | None
    part: str

    def __str__(self) -> str:
        parts, place = [], cast("_Place | None", self)
        while place is not None:
            parts.append(place.part)
            place = place.outer
        return "".join(reversed(parts)).removeprefix(".")


def _document_faults(data: object) -> Iterator[Fault]:
    """Yield what is no JSON, too large, or nested too deep to look at."""
    pending: list[tuple[object, _Place | None, int]] = [(data, None, 0)]
    parts, characters = 1, 0
    while pending:
        value, place, nesting = pending.pop()
        if isinstance(value, (list, dict)):
            parts += len(value)
        elif isinstance(value, str):
            characters += len(value)
        if parts > MAX_PROGRAM_PARTS or characters > MAX_PROGRAM_TEXT:
            yield Fault("", "too_large", _TOO_LARGE)
            return
        if isinstance(value, (list, dict)) and nesting >= _MAX_DOCUMENT_NESTING:
            yield Fault(str(place or ""), "too_deep", f"nested deeper than {_MAX_DOCUMENT_NESTING}")
        elif isinstance(value, list):
            inner = (_Place(place, f"[{i}]") for i in range(len(value)))
            pending += zip(value, inner, repeat(nesting + 1), strict=False)
        elif isinstance(value, dict):
            if not all(isinstance(key, str) for key in value):
                yield Fault(str(place or ""), "not_json", "the keys of an object are strings")
            if any(len(str(key)) > MAX_KEY_LENGTH for key in value):
                message = f"a key has {MAX_KEY_LENGTH} characters at most"
                yield Fault(str(place or ""), "key_too_long", message)
                return
            inner = (_Place(place, f".{key}") for key in value)
            pending += zip(value.values(), inner, repeat(nesting + 1), strict=False)
        elif not _is_scalar(value):
            yield Fault(
                str(place or ""),
                "not_json",
                "no JSON value, or a number beyond the range of a double",
            )


def _schema_size_faults(data: object) -> Iterator[Fault]:
    """Yield that the schemas of a program are too large to be checked."""
    if isinstance(data, dict):
        inputs = data.get("inputs")
        given = inputs.values() if isinstance(inputs, dict) else [inputs]
        parts = sum(map(_schema_parts, [*given, data.get("output")]))
        if parts > MAX_SCHEMA_PARTS:
            message = f"inputs and output have {parts} parts; {MAX_SCHEMA_PARTS} at most"
            yield Fault("inputs", "too_large", message)


def _schema_parts(schema: JsonValue) -> int:
    """Count the parts of a schema; its default is a value, which is bounded by itself."""
    if isinstance(schema, dict):
        schema = {key: part for key, part in schema.items() if key != "default"}
    return count_parts(schema)


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= _LARGEST
    return value is None or isinstance(value, str)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _structure_fault(detail: ErrorDetails, kinds: Collection[str]) -> Fault:
    """Translate a fault that the models found."""
    path, tag_follows, tag = "", False, None
    for part in detail["loc"]:
        if isinstance(part, int):
            path, tag_follows = f"{path}[{part}]", _holds_nodes(path)
        elif tag_follows:
            tag_follows, tag = False, part
        elif part != "[key]":
            path = _join(path, part)
    kind = detail["type"]
    if kind.startswith("union_tag"):
        path = f"{path}.kind"
    code = kind if kind in _OWN_CODES else _CODES.get(kind, "wrong_type")
    key = str(detail["loc"][-1]) if detail["loc"] else ""
    return Fault(path, code, _message(detail, key, tag, kinds))


def _message(detail: ErrorDetails, key: str, tag: str | None, kinds: Collection[str]) -> str:
    """Return what is wrong and what is allowed.

    Args:
        detail: The fault.
        key: Its key.
        tag: Kind of the node in which it stands.
        kinds: Kinds of nodes that there are.
    """
    kind, given = detail["type"], detail["input"]
    owner = "a workflow" if tag is None else f"a `{tag}` node"
    if kind == "missing":
        return f"{owner} needs the key `{key}`: {_FORMS.get(key, 'a text')}"
    if kind == "extra_forbidden":
        keys = _keys_of(Program) if tag is None else _KEYS[tag]
        return f"{owner} has no key {quoted(key)}: remove or rename it; {allowed_names(key, keys)}"
    if kind == "union_tag_not_found":
        return f"every node needs the key `kind`{_likely(given, kinds)}; allowed: {listing(kinds)}"
    if kind == "union_tag_invalid":
        written = given.get("kind") if isinstance(given, dict) else None
        text = written if isinstance(written, str) else ""
        likely = _likely(given, kinds)
        return f"there is no kind {quoted(written)}{likely}; {allowed_names(text, kinds)}"
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}, got {kind_of(given)}"
    return detail["msg"]


def _likely(node: object, kinds: Collection[str]) -> str:
    """Return of which kind a node is by its other keys, where they fit one kind best."""
    keys = set(node) - {"kind", "note"} if isinstance(node, dict) else set()
    fitting = [kind for kind in kinds if keys and keys <= set(_KEYS[kind])]
    return f"; by its other keys it is {' or '.join(map(quoted, fitting))}" if fitting else ""


def _holds_nodes(path: str) -> bool:
    return path == "steps" or path.rpartition(".")[2] in _BLOCK_KEYS


def _program_faults(data: object) -> Iterator[Fault]:
    """Yield faults in expressions, rules and bounds; other faults of structure are ignored."""
    if isinstance(data, dict):
        if "output" in data and data["output"] is None:
            yield Fault("output", "wrong_type", "leave the key out instead of giving null")
        nodes = [0]
        yield from _block_faults(data.get("steps"), "steps", 1, nodes)
        if nodes[0] > MAX_PROGRAM_NODES:
            message = f"{nodes[0]} nodes; a program has {MAX_PROGRAM_NODES} at most"
            yield Fault("steps", "too_many_nodes", message)


def _block_faults(block: JsonValue, path: str, nesting: int, nodes: list[int]) -> Iterator[Fault]:
    if not isinstance(block, list):
        return
    if nesting > MAX_BLOCK_NESTING:
        yield Fault(path, "too_deep", f"blocks nested deeper than {MAX_BLOCK_NESTING}")
        return
    nodes[0] += len(block)
    for index, node in enumerate(block):
        if isinstance(node, dict):
            here = f"{path}[{index}]"
            yield from _node_faults(node, here)
            for key in _BLOCK_KEYS:
                yield from _block_faults(node.get(key), f"{here}.{key}", nesting + 1, nodes)


def _node_faults(node: dict[str, JsonValue], path: str) -> Iterator[Fault]:
    for key in _NOT_NULL_KEYS:
        if key in node and node[key] is None:
            yield Fault(f"{path}.{key}", "wrong_type", "leave the key out instead of giving null")
    if "condition" in node:
        yield from rule_faults(node["condition"], f"{path}.condition")
    for key in _EXPRESSION_KEYS:
        if key in node:
            yield from expression_faults(node[key], f"{path}.{key}")
    for key in _EXPRESSIONS_KEYS:
        expressions = node.get(key)
        if isinstance(expressions, dict):
            for name, expression in expressions.items():
                yield from expression_faults(expression, f"{path}.{key}.{name}")
