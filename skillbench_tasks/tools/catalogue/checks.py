"""Static checks of declared tool behaviours: keys, collections, names, arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.models import CollectionSpec, FieldKind, ToolSpec
from skillbench_tasks.tools.behaviours import HANDLERS, READERS
from skillbench_tasks.tools.matching import FORM_OF_TEST
from skillbench_tasks.tools.normal_forms import (
    FORMS,
    FREE_TEXT,
    NORMAL,
    is_free_text,
    is_set,
    notation_fault,
)
from skillbench_tasks.tools.workflow.schemas import known_part, misfits
from skillbench_tasks.tools.workflow.syntax import expression_faults, rule_faults

__all__ = ["behaviour_faults", "written_by"]

_KEYS: Final[dict[str, tuple[set[str], set[str]]]] = {
    "get": ({"collection", "key", "as"}, {"code", "message"}),
    "find": ({"collection", "as"}, {"where", "sort", "descending", "limit", "fields"}),
    "compute": ({"value", "as"}, set()),
    "require": ({"rule", "code", "message"}, {"retryable"}),
    "create": ({"collection", "record"}, {"as"}),
    "send": ({"record"}, {"collection", "as"}),
    "update": ({"collection", "key", "set"}, {"as", "code", "message"}),
    "transition": (
        {"collection", "key", "field", "from", "to"},
        {"set", "as", "code", "message"},
    ),
    "append": ({"collection", "key", "field", "item"}, {"as", "code", "message"}),
    "delete": ({"collection", "key"}, {"as", "code", "message"}),
    "when": ({"rule", "do"}, set()),
    "handler": ({"name"}, {"as"}),
}
"""Operation → required keys, optional keys."""

_WRITES: Final = frozenset(
    {"create", "send", "update", "transition", "append", "delete", "handler"}
)
_REFERENCE = re.compile(r"\$\{([a-z][a-z0-9_]*)(?:\.([A-Za-z0-9_-]+))?")
_VARIABLE = re.compile(r'"(?:var|exists)": (?:\[)?"([a-z][a-z0-9_]*)(?:\.([A-Za-z0-9_-]+))?')
_LOCAL: Final = frozenset({"item", "accumulator"})


def behaviour_faults(tool: ToolSpec, specs: Mapping[str, CollectionSpec]) -> list[str]:
    """Return what is wrong with a tool's behaviour (or its example), one line each."""
    if tool.behaviour is None:
        return list(_example_faults(tool))
    faults = list(_operations(tool, tool.behaviour, {"args", "now"}, specs, "behaviour"))
    if tool.example is not None:
        faults.append("an example is for a tool without a behaviour")
    writes = any(_writes(operation) for operation in tool.behaviour)
    faults += filter(None, [notation_fault(tool.input_schema)])
    faults += _notation_faults(tool, tool.behaviour, specs)
    if writes and tool.access == "read":
        faults.append("access is read, but the behaviour writes")
    if not writes and tool.access == "write":
        faults.append("access is write, but the behaviour writes nothing")
    return faults


def written_by(operations: Sequence[Mapping[str, JsonValue]]) -> set[str]:
    """Return the collections that operations can change; a handler may change any."""
    found: set[str] = set()
    for operation in operations:
        if operation["op"] in _WRITES and operation["op"] != "handler":
            found.add(str(operation.get("collection", "outbox")))
        inner = operation.get("do")
        if isinstance(inner, list):
            found |= written_by([part for part in inner if isinstance(part, dict)])
    return found


def _notation_faults(
    tool: ToolSpec, operations: Sequence[Mapping[str, Any]], specs: Mapping[str, CollectionSpec]
) -> Iterator[str]:
    """Yield where a behaviour and what its arguments declare as the same part ways.

    An argument is compared, and kept in a field, under the form that its schema declares.
    """
    properties = tool.input_schema.get("properties", {})
    for operation in operations:
        yield from _notation_faults(tool, operation.get("do", ()), specs)
        for tests in operation.get("where", {}).values():
            for test, form in FORM_OF_TEST.items():
                if isinstance(tests, dict) and test in tests:
                    for name in _arguments_of(tests[test], properties):
                        if properties[name].get(NORMAL) != form:
                            yield f"{name} is compared by {test}: declare {NORMAL}: {form}"
        spec = specs.get(str(operation.get("collection", "outbox")))
        kinds = spec.fields if spec else {}
        for field, source in {**operation.get("record", {}), **operation.get("set", {})}.items():
            for name in [n for n in properties if source == f"${{args.{n}}}"]:
                yield from _kept_otherwise(name, properties[name], field, kinds.get(field))


def _kept_otherwise(
    name: str, schema: Mapping[str, Any], field: str, kind: FieldKind | None
) -> Iterator[str]:
    """Yield how an argument's declaration differs from the kind of the field that keeps it."""
    if kind is FieldKind.IGNORED:
        return
    if is_free_text(schema) != (kind is FieldKind.TEXT):
        yield f"{name} is kept in {field}: declare {FREE_TEXT}: true where that field is text"
    elif is_set(schema) != (kind is FieldKind.SET):
        yield f"{name} is kept in {field}: both or neither are a set"
    elif (form := schema.get(NORMAL)) in FORMS and form != kind:
        yield f"{name} is kept in {field}: declare the field as {form}"


def _arguments_of(source: JsonValue, properties: Mapping[str, Any]) -> list[str]:
    text = json.dumps(source)
    named = {name for pattern in (_REFERENCE, _VARIABLE) for _, name in pattern.findall(text)}
    return sorted(named & properties.keys())


def _example_faults(tool: ToolSpec) -> Iterator[str]:
    if tool.returns is not None:
        yield "returns needs a behaviour; what a reference run goes by is the example"
    yield from (f"example: {fault.message}" for fault in expression_faults(tool.example, ""))
    yield from (f"example: {f}" for f in _references(tool, tool.example, {"args", "now"}))
    if tool.output_schema is not None and tool.example is not None:
        for misfit in misfits(tool.output_schema, known_part(tool.example)):
            yield f"example: does not fit the output schema: {misfit.message}"


def _writes(operation: Mapping[str, JsonValue]) -> bool:
    inner = operation.get("do")
    nested = isinstance(inner, list) and any(isinstance(i, dict) and _writes(i) for i in inner)
    reads = operation.get("op") == "handler" and operation.get("name") in READERS
    return nested or (operation.get("op") in _WRITES and not reads)


def _operations(
    tool: ToolSpec,
    operations: Sequence[JsonValue],
    names: set[str],
    specs: Mapping[str, CollectionSpec],
    place: str,
) -> Iterator[str]:
    visible = set(names)
    for index, operation in enumerate(operations):
        at = f"{place}[{index}]"
        if not isinstance(operation, dict) or operation.get("op") not in _KEYS:
            yield f"{at}: unknown op; use one of {', '.join(_KEYS)}"
            continue
        yield from (f"{at}: {fault}" for fault in _shape(operation, specs))
        yield from (f"{at}: {fault}" for fault in _references(tool, operation, visible))
        inner = operation.get("do")
        if isinstance(inner, list):
            yield from _operations(tool, inner, visible, specs, f"{at}.do")
        if "as" in operation:
            visible.add(str(operation["as"]))
    if place == "behaviour":
        yield from (f"returns: {fault.message}" for fault in expression_faults(tool.returns, ""))
        yield from (f"returns: {fault}" for fault in _references(tool, tool.returns, visible))


def _shape(
    operation: Mapping[str, JsonValue], specs: Mapping[str, CollectionSpec]
) -> Iterator[str]:
    required, optional = _KEYS[str(operation["op"])]
    keys = set(operation) - {"op"}
    if required - keys:
        yield f"needs {', '.join(sorted(required - keys))}"
    if keys - required - optional:
        yield f"does not know {', '.join(sorted(keys - required - optional))}"
    collection = operation.get("collection", "outbox" if operation["op"] == "send" else None)
    if collection is not None and collection not in specs:
        yield f"no collection {collection}"
    if "rule" in operation:
        yield from (fault.message for fault in rule_faults(operation["rule"], "rule"))
    if operation["op"] == "handler" and operation.get("name") not in {*HANDLERS, *READERS}:
        yield f"no handler {operation.get('name')}"


def _references(tool: ToolSpec, source: JsonValue, visible: set[str]) -> Iterator[str]:
    known = set(tool.input_schema.get("properties", {}))
    shown = {k: v for k, v in source.items() if k != "do"} if isinstance(source, dict) else source
    text = json.dumps(shown)
    for pattern in (_REFERENCE, _VARIABLE):
        for name, segment in pattern.findall(text):
            if name not in visible and name not in _LOCAL:
                yield f"{name} is not bound here"
            elif name == "args" and segment not in known:
                yield f"there is no argument {segment}"
