"""The engine that runs declared tool behaviours over a world (format: `docs/tool-format.md`).

A behaviour is a list of operations run in order on a copy of the world. All succeed and the copy
replaces the world, or the call fails and nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Record, ToolSpec
from skillbench_tasks.tools.matching import Test, test_of
from skillbench_tasks.tools.workflow.bounds import Budget, EvaluationError
from skillbench_tasks.tools.workflow.expressions import compile_expression
from skillbench_tasks.tools.workflow.rules import Compiled, compile_rule
from skillbench_tasks.tools.workflow.values import equal_values
from skillbench_tasks.tools.world import World

__all__ = ["HANDLERS", "READERS", "Handler", "run_behaviour"]

Handler: TypeAlias = Callable[[World, Mapping[str, JsonValue]], JsonValue]
"""A Python behaviour: gets the world (a copy to write on) and the arguments, gives a value."""

HANDLERS: dict[str, Handler] = {}
"""Registered handlers, for what data cannot say."""

READERS: dict[str, Handler] = {}
"""Registered handlers that only read: they get the world itself and must not write on it."""

Compiler: TypeAlias = Callable[[JsonValue], Compiled]

_ARGUMENT = re.compile(r"\$\{args\.([a-z][a-z0-9_]*)\}")


def run_behaviour(
    tool: ToolSpec, arguments: Mapping[str, JsonValue], world: World
) -> tuple[JsonValue, World]:
    """Carry out a call whose arguments have been validated.

    A tool without a behaviour gives its example: reference runs go by it.

    Args:
        tool: The tool.
        arguments: Its arguments, defaults filled in.
        world: The world; it is not changed.

    Returns:
        The result and the world after the call (the same object when nothing was written).

    Raises:
        ToolFailure: The call fails by its declaration.
    """
    run = _Run(tool, arguments, world)
    try:
        run.operations(tool.behaviour or ())
        result = run.value(tool.returns if tool.is_declared else tool.example)
    except EvaluationError as error:
        message = f"The request cannot be processed: {error}."
        raise ToolFailure("unprocessable", message, False, tool.full_name) from error
    return result, run.world


_COMPILED: dict[tuple[int, Compiler], tuple[JsonValue, Compiled]] = {}
"""Compiled parts of tool definitions by identity (kept with the part, so that it stays its own)."""


def _compiled(source: JsonValue, compiler: Compiler) -> Compiled:
    if not isinstance(source, dict | list):
        return compiler(source)
    known = _COMPILED.get((id(source), compiler))
    if known is None:
        known = _COMPILED[id(source), compiler] = (source, compiler(source))
    return known[1]


class _NoBudget(Budget):
    """Declared behaviours are ours and have no loops: nothing is counted, nothing measured."""

    __slots__ = ()

    def start_operator(self) -> None:
        """Count nothing."""

    def take(self, value: JsonValue) -> JsonValue:
        """Return the value as it is."""
        return value


_NO_BUDGET: Final = _NoBudget()


class _Run:
    """One call: visible names and the world it works on."""

    def __init__(self, tool: ToolSpec, arguments: Mapping[str, JsonValue], world: World) -> None:
        self.tool = tool
        self.world = world
        self._start = world
        self.names: dict[str, JsonValue] = {"args": dict(arguments), "now": world.now}

    def operations(self, operations: Sequence[Mapping[str, JsonValue]]) -> None:
        for operation in operations:
            _OPERATIONS[str(operation["op"])](self, operation)

    def bind(self, operation: Mapping[str, JsonValue], value: JsonValue) -> None:
        if "as" in operation:
            self.names[str(operation["as"])] = value

    def value(self, expression: JsonValue) -> JsonValue:
        return _compiled(expression, compile_expression)(self.names, _NO_BUDGET)

    def holds(self, rule: JsonValue) -> bool:
        return _compiled(rule, compile_rule)(self.names, _NO_BUDGET) is True

    def fields(self, declared: JsonValue) -> dict[str, JsonValue]:
        """Evaluate fields, leaving out those that stand for an argument which was not given."""
        assert isinstance(declared, dict)
        return {n: self.value(v) for n, v in declared.items() if not self._is_left_out(v)}

    def _is_left_out(self, expression: JsonValue) -> bool:
        if isinstance(expression, dict) and len(expression) >= 1 and "$" not in expression:
            return all(self._is_left_out(part) for part in expression.values())
        match = _ARGUMENT.fullmatch(expression) if isinstance(expression, str) else None
        arguments = self.names["args"]
        return bool(match and isinstance(arguments, dict) and match[1] not in arguments)

    def record(self, operation: Mapping[str, JsonValue]) -> Record:
        collection = str(operation["collection"])
        key = self.value(operation["key"])
        record = self.world.get(collection, str(key))
        if record is None:
            code = str(operation.get("code", "not_found"))
            message = operation.get("message") or f"Nothing found under {key} in {collection}."
            raise self.failure(code, str(self.value(message)))
        return record

    def failure(self, code: str, message: str, retryable: bool = False) -> ToolFailure:
        return ToolFailure(code, message, retryable, self.tool.full_name)

    def store(self, collection: str, record: Record) -> None:
        if self.world is self._start:
            self.world = self._start.copy()
        self.world.put(collection, record)

    def erase(self, collection: str, key: str) -> None:
        if self.world is self._start:
            self.world = self._start.copy()
        self.world.remove(collection, key)

    def new_id(self, collection: str) -> str:
        if self.world is self._start:
            self.world = self._start.copy()
        return self.world.next_id(collection)


def _get(run: _Run, operation: Mapping[str, Any]) -> None:
    run.bind(operation, run.record(operation))


def _find(run: _Run, operation: Mapping[str, Any]) -> None:
    wanted = {
        name: run.fields(test) if _has_named_tests(test) else run.value(test)
        for name, test in operation.get("where", {}).items()
        if not run._is_left_out(test)
    }
    tests = [(name, test_of(value)) for name, value in wanted.items()]
    collection = operation["collection"]
    key = run.world.specs[collection].key
    found = [r for r in _candidates(run.world, collection, wanted) if _fits(r, tests)]
    found.sort(key=lambda r: str(r[key]))
    if "sort" in operation:
        found.sort(key=lambda r: _order(r.get(operation["sort"])))
    if operation.get("descending"):
        found.reverse()
    if "limit" in operation:
        found = found[: int(run.value(operation["limit"]))]  # type: ignore[arg-type]
    if "fields" in operation:
        found = [{n: r[n] for n in operation["fields"] if n in r} for r in found]
    run.bind(operation, list(found))


def _candidates(world: World, collection: str, wanted: Mapping[str, JsonValue]) -> Iterable[Record]:
    for field, value in wanted.items():
        if isinstance(value, str) and "." not in field:
            return world.candidates(collection, field, value)
    return world.records(collection)


def _has_named_tests(test: JsonValue) -> bool:
    return isinstance(test, dict) and "$" not in test


def _fits(record: Record, tests: Sequence[tuple[str, Test]]) -> bool:
    return all(test(_step(record, name)) for name, test in tests)


def _step(record: JsonValue, path: str) -> JsonValue:
    if "." not in path:
        return record.get(path) if isinstance(record, dict) else None
    for name in path.split("."):
        record = record.get(name) if isinstance(record, dict) else None
    return record


def _order(value: JsonValue) -> tuple[int, float, str]:
    if isinstance(value, int | float):
        return 0, float(value), ""
    return 1, 0.0, "" if value is None else str(value)


def _compute(run: _Run, operation: Mapping[str, Any]) -> None:
    run.bind(operation, run.value(operation["value"]))


def _require(run: _Run, operation: Mapping[str, Any]) -> None:
    if not run.holds(operation["rule"]):
        message = str(run.value(operation["message"]))
        raise run.failure(operation["code"], message, bool(operation.get("retryable", False)))


def _create(run: _Run, operation: Mapping[str, Any]) -> None:
    collection = operation.get("collection", "outbox")
    key = run.world.specs[collection].key
    record = run.fields(operation["record"])
    if key not in record:
        record = {key: run.new_id(collection), **record}
    elif run.world.get(collection, str(record[key])) is not None:
        raise run.failure("already_exists", f"{record[key]} exists already.")
    run.store(collection, record)
    run.bind(operation, record)


def _change(run: _Run, operation: Mapping[str, Any], fields: dict[str, JsonValue]) -> None:
    record = {**run.record(operation), **fields}
    run.store(operation["collection"], record)
    run.bind(operation, record)


def _update(run: _Run, operation: Mapping[str, Any]) -> None:
    run.record(operation)
    _change(run, operation, run.fields(operation["set"]))


def _transition(run: _Run, operation: Mapping[str, Any]) -> None:
    field, present = operation["field"], run.record(operation).get(operation["field"])
    target = run.value(operation["to"])
    if not any(equal_values(present, allowed) for allowed in operation["from"]):
        message = f"It is {present}; from there it cannot become {target}."
        raise run.failure(str(operation.get("code", "invalid_state")), message)
    _change(run, operation, {field: target, **run.fields(operation.get("set", {}))})


def _append(run: _Run, operation: Mapping[str, Any]) -> None:
    present = run.record(operation).get(operation["field"])
    items = list(present) if isinstance(present, list) else []
    item = operation["item"]
    value = run.fields(item) if isinstance(item, dict) and "$" not in item else run.value(item)
    _change(run, operation, {operation["field"]: [*items, value]})


def _delete(run: _Run, operation: Mapping[str, Any]) -> None:
    record = run.record(operation)
    run.erase(operation["collection"], str(run.value(operation["key"])))
    run.bind(operation, record)


def _when(run: _Run, operation: Mapping[str, Any]) -> None:
    if run.holds(operation["rule"]):
        outer = dict(run.names)
        run.operations(operation["do"])
        run.names = outer


def _handler(run: _Run, operation: Mapping[str, Any]) -> None:
    arguments = run.names["args"]
    assert isinstance(arguments, dict)
    if operation["name"] in READERS:
        run.bind(operation, READERS[operation["name"]](run.world, arguments))
        return
    twin = run.world.copy()
    value = HANDLERS[operation["name"]](twin, arguments)
    run.world = twin
    run.bind(operation, value)


_OPERATIONS: dict[str, Callable[[_Run, Mapping[str, Any]], None]] = {
    "get": _get,
    "find": _find,
    "compute": _compute,
    "require": _require,
    "create": _create,
    "send": _create,
    "update": _update,
    "transition": _transition,
    "append": _append,
    "delete": _delete,
    "when": _when,
    "handler": _handler,
}
