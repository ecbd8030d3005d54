"""Answers to object queries: names bound to the data dictionary, records filtered and sorted."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Record
from skillbench_tasks.tools.connectors.object_query.conditions import (
    BoundField,
    Test,
    bind_condition,
    comparable,
)
from skillbench_tasks.tools.connectors.object_query.parsing import parse_query
from skillbench_tasks.tools.connectors.object_query.syntax import FieldName, Query, QueryFault
from skillbench_tasks.tools.connectors.objects import ObjectSpec, objects
from skillbench_tasks.tools.world import World

__all__ = ["MAX_RECORDS", "TOOL", "run_object_query"]

MAX_RECORDS: Final = 500
"""Records that one query may return."""

TOOL: Final = "mcp.sales:query"


def run_object_query(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Answer a query.

    Args:
        world: The world; it is only read.
        arguments: `query`, the text.

    Returns:
        `records`, a list of objects with the fields asked for (a parent's nested), and `count`.

    Raises:
        ToolFailure: The query cannot be read, names something unknown, or gives too much.
    """
    try:
        plan = _plan(arguments["query"])
        return _answer(plan, world)
    except QueryFault as fault:
        message = f"{fault.message[:1].upper()}{fault.message[1:]}."
        raise ToolFailure(fault.code, message, False, TOOL) from fault


@dataclass(frozen=True, slots=True)
class _Plan:
    query: Query
    spec: ObjectSpec
    fields: tuple[BoundField, ...]
    order: tuple[BoundField, ...]
    condition: Test | None


@lru_cache(maxsize=4096)
def _plan(text: str) -> _Plan:
    query = parse_query(text)
    spec = objects().get(query.object)
    if spec is None:
        message = f"there is no object {query.object}; there are {', '.join(objects())}"
        raise QueryFault("not_found", message, query.object_position)

    def read(name: FieldName) -> BoundField:
        return _bound(name, query.object, spec)

    condition = bind_condition(query.condition, read) if query.condition is not None else None
    fields = tuple(read(name) for name in query.fields)
    return _Plan(query, spec, fields, tuple(read(key.field) for key in query.order), condition)


def _bound(name: FieldName, object_name: str, spec: ObjectSpec) -> BoundField:
    if name.parent is None:
        if name.name not in spec.fields:
            raise _unknown(name, name.name, object_name, spec.fields)
        return BoundField(name, spec.fields[name.name])
    if name.parent not in spec.parents:
        parents = ", ".join(spec.parents) or "none"
        message = f"{object_name} has no parent {name.parent}; its parents: {parents}"
        raise QueryFault("not_found", message, name.position)
    parent = objects()[name.parent]
    if name.name not in parent.fields:
        raise _unknown(name, name.name, name.parent, parent.fields)
    key = spec.parents[name.parent]
    return BoundField(name, parent.fields[name.name], key, parent.collection)


def _unknown(name: FieldName, field: str, owner: str, fields: Iterable[str]) -> QueryFault:
    known = list(fields)
    near = difflib.get_close_matches(field, known, n=1)
    hint = f"did you mean {near[0]}" if near else f"it has {', '.join(known)}"
    return QueryFault("not_found", f"{owner} has no field {field}; {hint}", name.position)


class _Row:
    """One record and the way to its parents' values."""

    def __init__(self, world: World, record: Record) -> None:
        self._world, self._record = world, record

    def value(self, field: BoundField) -> JsonValue:
        if field.parent_key is None or field.parent_collection is None:
            return self._record.get(field.name.name)
        key = self._record.get(field.parent_key)
        parent = self._world.get(field.parent_collection, str(key)) if key is not None else None
        return None if parent is None else parent.get(field.name.name)


def _answer(plan: _Plan, world: World) -> JsonValue:
    today = date.fromisoformat(world.now[:10])
    key = plan.spec.key
    records = sorted(world.records(plan.spec.collection), key=lambda r: str(r[key]))
    rows = [_Row(world, record) for record in records]
    if plan.condition is not None:
        rows = [row for row in rows if plan.condition(row.value, today)]
    _sort(plan, rows)
    query = plan.query
    rows = rows[query.offset :]
    if query.limit is not None:
        rows = rows[: query.limit]
    if not query.fields:
        return {"records": [], "count": len(rows)}
    if len(rows) > MAX_RECORDS:
        message = f"{len(rows)} records fit, {MAX_RECORDS} can be returned; add a LIMIT"
        raise QueryFault("limit_exceeded", message)
    return {"records": [_shown(plan, row) for row in rows], "count": len(rows)}


def _sort(plan: _Plan, rows: list[_Row]) -> None:
    """Sort by all keys, ties by id: stable sorts from the last key to the first."""
    for key, field in reversed(list(zip(plan.query.order, plan.order, strict=True))):
        filled = [row for row in rows if row.value(field) is not None]
        empty = [row for row in rows if row.value(field) is None]
        filled.sort(key=lambda row, f=field: comparable(row.value(f)), reverse=key.descending)  # type: ignore[misc, arg-type]
        rows[:] = [*empty, *filled] if key.nulls_first else [*filled, *empty]


def _shown(plan: _Plan, row: _Row) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {}
    for field in plan.fields:
        if field.name.parent is None:
            shown[field.name.name] = row.value(field)
            continue
        parent = shown.setdefault(field.name.parent, {})
        assert isinstance(parent, dict)
        parent[field.name.name] = row.value(field)
    return shown
