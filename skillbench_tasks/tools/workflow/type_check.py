"""Layer 2 of the static validation, beyond literals: types of computed values where they are used.

Only what cannot fit is told: a type that is not known, or may fit, gives no finding.
Source: docs/workflow-language.md, section 8.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.language import (
    CallNode,
    ForEachNode,
    IfNode,
    Node,
    Program,
    ReturnNode,
    SetNode,
)
from skillbench_tasks.tools.workflow.messages import listing, quoted, wanted
from skillbench_tasks.tools.workflow.paths import Path, parse_template
from skillbench_tasks.tools.workflow.schemas import known_part, misfits
from skillbench_tasks.tools.workflow.signatures import ToolSignature, subschema
from skillbench_tasks.tools.workflow.syntax import RULE_KEY, Fault
from skillbench_tasks.tools.workflow.types import Kinds, Types, kinds_of, overlap

__all__ = ["type_faults"]

_TEXT: Final = frozenset({"string", "boolean", "integer", "number"})
_BOOLEAN: Final = frozenset({"boolean"})
_LIST: Final = frozenset({"array"})
_WORDS: Final = {"array": "list"}


def type_faults(
    program: Program, nodes: Iterable[tuple[Node, str]], tools: Mapping[str, ToolSignature]
) -> Iterator[Fault]:
    """Yield every use of a computed value, of a condition and of an output that cannot fit.

    Args:
        program: The program.
        nodes: Its nodes with their paths.
        tools: Tools on offer, by full name.
    """
    checker = _Checker(Types(program, tools), program.output)
    for node, path in nodes:
        match node:
            case CallNode():
                schema = tools[node.tool].input_schema if node.tool in tools else {}
                for name, given in node.arguments.items():
                    place = f"{path}.arguments.{name}"
                    yield from checker.value(given, subschema(schema, name), place, "bad_argument")
            case IfNode():
                yield from checker.condition(node.condition, f"{path}.condition")
            case ForEachNode():
                yield from checker.items(node.items, f"{path}.items")
            case ReturnNode():
                yield from checker.output(node.value, f"{path}.value")
            case SetNode():
                yield from checker.value(node.value, None, f"{path}.value", "bad_template")


class _Checker:
    def __init__(self, types: Types, output: Any) -> None:
        self._types, self._output = types, output

    def value(self, given: JsonValue, schema: Any, place: str, code: str) -> Iterator[Fault]:
        """Check the computed parts of an expression against what is wanted there."""
        if isinstance(given, list):
            for index, part in enumerate(given):
                yield from self.value(part, subschema(schema, None), f"{place}[{index}]", code)
        elif isinstance(given, dict) and RULE_KEY not in given:
            for key, part in given.items():
                yield from self.value(part, subschema(schema, key), f"{place}.{key}", code)
        if isinstance(given, str):
            yield from self._template(given, place)
        if _is_computed(given):
            kinds = kinds_of(self._types.expression(given))
            if not overlap(kinds, kinds_of(schema)):
                message = f"expected {wanted(schema)}, got {_named(kinds)}, by {_written(given)}"
                yield Fault(place, code, f"{message}; refer to a part of it or another value")

    def condition(self, rule: JsonValue, place: str) -> Iterator[Fault]:
        """Check that a condition can be a boolean."""
        kinds = kinds_of(self._types.rule(rule, {}))
        if not overlap(kinds, _BOOLEAN):
            message = (
                f"expected a boolean, got {_named(kinds)}, by {_written(rule)}; write `true`, "
            )
            yield Fault(place, "bad_condition", f'{message}`false` or a rule: `{{"==": [a, b]}}`')

    def items(self, given: JsonValue, place: str) -> Iterator[Fault]:
        """Check that what a loop goes over can be a list."""
        found = self._types.expression(given)
        kinds = kinds_of(found)
        if not overlap(kinds, _LIST):
            message = f"expected a list, got {_named(kinds)}, by {_written(given)}; "
            properties = found.get("properties", {})
            lists = [key for key, one in properties.items() if kinds_of(one) == _LIST]
            inner = f"its keys that hold lists: {listing(lists)}" if lists else "write `[...]`"
            yield Fault(place, "bad_items", message + inner)

    def output(self, given: JsonValue, place: str) -> Iterator[Fault]:
        """Check what a `return` gives against the declared output."""
        if not isinstance(self._output, dict):
            yield from self.value(given, None, place, "bad_output")
            return
        for misfit in misfits(self._output, known_part(given)):
            inner = "".join(
                f"[{part}]" if isinstance(part, int) else f".{part}" for part in misfit.location
            )
            yield Fault(f"{place}{inner}", "bad_output", f"the output: {misfit.message}")
        yield from self.value(given, self._output, place, "bad_output")

    def _template(self, text: str, place: str) -> Iterator[Fault]:
        parts = parse_template(text) or ()
        for part in parts if len(parts) > 1 else ():
            kinds = kinds_of(self._types.path(part, {})) if isinstance(part, Path) else None
            if not overlap(kinds, _TEXT):
                message = f"`${{{part}}}` is {_named(kinds)}, which has no text; refer to a part "
                yield Fault(place, "bad_template", f"{message}of it, or to a text or number")


def _is_computed(given: JsonValue) -> bool:
    if isinstance(given, str):
        return "${" in given and known_part(given) is not given and not _is_literal(given)
    return isinstance(given, dict) and RULE_KEY in given


def _is_literal(text: str) -> bool:
    return all(isinstance(part, str) for part in parse_template(text) or ())


def _named(kinds: Kinds | None) -> str:
    return " or ".join(_WORDS.get(kind, kind) for kind in sorted(kinds or ()))


def _written(given: JsonValue) -> str:
    return quoted(given if isinstance(given, str) else json.loads(json.dumps(given)))
