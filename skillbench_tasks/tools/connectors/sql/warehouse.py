"""The handlers of the warehouse: a query is answered, a statement is carried out on the world."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Record
from skillbench_tasks.tools.connectors.sql.compiling import Compiled, compile_query
from skillbench_tasks.tools.connectors.sql.dates import Scalar, to_date, to_timestamp
from skillbench_tasks.tools.connectors.sql.engine import Row, run_select
from skillbench_tasks.tools.connectors.sql.faults import FunctionFault, SqlFault
from skillbench_tasks.tools.connectors.sql.functions import to_boolean, to_number, to_text
from skillbench_tasks.tools.connectors.sql.tables import Column, Table, collection_of, tables
from skillbench_tasks.tools.connectors.sql.writing import Clause, WritePlan, compile_write
from skillbench_tasks.tools.workflow.bounds import charge
from skillbench_tasks.tools.workflow.values import equal_values
from skillbench_tasks.tools.world import World

__all__ = ["run_query", "run_statement"]

_QUERY: Final = "mcp.warehouse:run_query"
_STATEMENT: Final = "mcp.warehouse:run_statement"
_WORK_PER_CHARACTER: Final = 5
"""Work that reading a statement counts as in the workflow that asks, for each character."""

_DECIMALS: Final = 6
_WRITTEN_ROWS_MAX: Final = 5_000


def run_query(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Answer a query with its rows, objects from lower-case column name to value.

    Args:
        world: Its tables are read.
        arguments: `sql` and `parameters`.

    Raises:
        ToolFailure: The query is refused or fails.
    """
    charge(_WORK_PER_CHARACTER * len(arguments["sql"]))
    try:
        compiled = compile_query(arguments["sql"])
        rows = run_select(compiled, world, arguments["parameters"])
    except SqlFault as fault:
        raise ToolFailure(fault.code, fault.message, False, _QUERY) from fault
    return [_object(compiled, row) for row in rows]


def _object(compiled: Compiled, row: Row) -> dict[str, JsonValue]:
    shown = zip(compiled.columns, row, compiled.booleans, strict=True)
    return {name: _json(value, is_boolean) for name, value, is_boolean in shown}


def _json(value: Scalar, is_boolean: bool) -> JsonValue:
    """Return a value as JSON: numbers to six decimals, whole ones as integers."""
    if is_boolean and isinstance(value, int):
        return bool(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        number = round(value, _DECIMALS)
        return int(number) if number.is_integer() else number
    return value


def run_statement(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Carry out a writing statement and tell how many rows it wrote.

    Args:
        world: A copy to write on.
        arguments: `sql` and `parameters`.

    Raises:
        ToolFailure: The statement is refused or fails; then the copy is thrown away.
    """
    charge(_WORK_PER_CHARACTER * len(arguments["sql"]))
    try:
        plan = compile_write(arguments["sql"])
        rows = run_select(plan.select, world, arguments["parameters"], _WRITTEN_ROWS_MAX)
        affected = _Writer(world, plan).write(rows)
    except SqlFault as fault:
        raise ToolFailure(fault.code, fault.message, False, _STATEMENT) from fault
    return {"table": plan.table, "rows_affected": affected}


class _Writer:
    """Carries the rows of a plan's SELECT into the world, all of them or none."""

    def __init__(self, world: World, plan: WritePlan) -> None:
        self._world, self._plan = world, plan
        self._table: Table = tables()[plan.table]
        self._collection = collection_of(plan.table)

    def write(self, rows: Sequence[Row]) -> int:
        """Write, and return the number of rows that were inserted, updated or deleted."""
        touched: dict[str, Record | None] = {}
        made: list[Record] = []
        for clause, key, values in self._steps(rows):
            record = None if clause.kind == "delete" else self._record(clause, key, values)
            if key is None and record is not None:
                made.append(record)
            elif key is not None:
                _check_once(touched, key, record)
                touched[key] = record
        changed = [record for record in touched.values() if record is not None]
        self._apply(touched.keys(), [*changed, *made])
        return len(touched) + len(made)

    def _apply(self, gone: Iterable[str], records: Sequence[Record]) -> None:
        added: dict[str, Record] = {}
        removed = set(gone)
        for record in records:
            key = str(record[self._table.key])
            is_taken = self._world.get(self._collection, key) is not None and key not in removed
            if key in added or is_taken:
                message = (
                    f"Table {self._plan.table} has a row with {self._table.key} {key} already."
                )
                raise SqlFault("constraint_violation", message)
            added[key] = record
        for key in sorted(removed - added.keys()):
            self._world.remove(self._collection, key)
        for key, record in added.items():
            if not equal_values(self._world.get(self._collection, key), record):
                self._world.put(self._collection, record)

    def _steps(self, rows: Sequence[Row]) -> Iterator[tuple[Clause, str | None, Row]]:
        """Yield what is done: the clause, the key of the row that is there, and the values."""
        clauses, width = self._plan.clauses, self._plan.width
        for row in rows:
            if clauses[0].first == 0:
                yield clauses[0], None, row
            elif width is not None:
                for start in range(2, len(row), width):
                    yield clauses[0], None, row[start : start + width]
            elif row[0] is not None:
                clause = clauses[int(row[0])]
                values = row[clause.first : clause.first + len(clause.columns)]
                yield clause, None if row[1] is None else str(row[1]), values

    def _record(self, clause: Clause, key: str | None, values: Row) -> Record:
        present = self._world.get(self._collection, key) if key is not None else None
        record: Record = dict(present or dict.fromkeys(self._table.columns))
        for name, value in zip(clause.columns, values, strict=True):
            record[name] = _stored(f"{self._plan.table}.{name}", self._table.columns[name], value)
        for name, column in self._table.columns.items():
            if column.required and record[name] is None:
                raise SqlFault("constraint_violation", f"{self._plan.table}.{name} is never NULL.")
        return record


def _check_once(touched: Mapping[str, Record | None], key: str, record: Record | None) -> None:
    if key in touched and not equal_values(touched[key], record):
        message = f"More than one source row matches the row {key}; make the match unique."
        raise SqlFault("invalid_sql", message)


def _stored(place: str, column: Column, value: Scalar) -> JsonValue:
    """Return a value as its column holds it.

    Raises:
        SqlFault: It does not fit.
    """
    if value is None:
        return None
    try:
        return _fitted(column.type, value)
    except FunctionFault as fault:
        message = f"{place} is a {column.type}: {fault}."
        raise SqlFault("constraint_violation", message) from fault


def _fitted(kind: str, value: Scalar) -> JsonValue:
    match kind:
        case "date":
            return to_date(value)
        case "timestamp":
            return to_timestamp(value)
        case "boolean":
            return bool(to_boolean(value))
        case "number":
            return _json(to_number(value, None), False)
        case _:
            return to_text(value)
