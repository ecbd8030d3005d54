"""Running a compiled SELECT over a world's tables in SQLite, walled in and bounded.

The database is in memory, holds the touched tables alone, and lives as long as the call. SQLite
refuses by its authorizer whatever is not reading, whatever the checks before it let through.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.models import Record
from skillbench_tasks.tools.connectors.sql.compiling import Compiled
from skillbench_tasks.tools.connectors.sql.dates import Scalar
from skillbench_tasks.tools.connectors.sql.faults import FunctionFault, SqlFault
from skillbench_tasks.tools.connectors.sql.functions import FUNCTIONS, ListAggregate
from skillbench_tasks.tools.connectors.sql.tables import Table, collection_of, tables
from skillbench_tasks.tools.workflow.bounds import charge
from skillbench_tasks.tools.world import World

__all__ = ["MAX_ROWS", "MAX_STEPS", "Row", "run_select"]

MAX_ROWS: Final = 500
"""Rows that a query may return."""

MAX_STEPS: Final = 2_000_000
"""Instructions of SQLite's machine that one statement may take: some tenths of a second."""

_STEPS_BETWEEN_LOOKS: Final = 10_000
_STEPS_PER_WORK: Final = 50
"""Instructions that count as one unit of work of the workflow that asks."""

_LONGEST_VALUE: Final = 100_000

Row: TypeAlias = tuple[Scalar, ...]

_READING: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_SQL_TYPES: Final = {
    "text": "TEXT",
    "date": "TEXT",
    "timestamp": "TEXT",
    "number": "NUMERIC",
    "boolean": "INTEGER",
}


def run_select(
    compiled: Compiled,
    world: World,
    parameters: Mapping[str, JsonValue],
    max_rows: int = MAX_ROWS,
) -> list[Row]:
    """Run a compiled statement.

    Args:
        compiled: The statement.
        world: Its tables are read; nothing is written.
        parameters: Values of the names marked with a colon.
        max_rows: Rows that it may give.

    Raises:
        SqlFault: A value cannot be computed, a parameter is missing, or it gives or does too much.
    """
    missing = sorted(compiled.parameters - parameters.keys())
    if missing:
        raise SqlFault("invalid_sql", f"The parameter :{missing[0]} is not given.")
    session = _Session(world.now)
    try:
        for name in compiled.tables:
            session.load(name, tables()[name], list(world.records(collection_of(name))))
        given = {name: parameters[name] for name in compiled.parameters}
        return session.rows(compiled, given, max_rows)
    finally:
        session.close()


class _Session:
    def __init__(self, now: str) -> None:
        self._now = now
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        self._connection.execute("PRAGMA case_sensitive_like = ON")
        self._fault: FunctionFault | None = None
        self._looks = 0

    def close(self) -> None:
        charge(self._looks * _STEPS_BETWEEN_LOOKS // _STEPS_PER_WORK)
        self._connection.close()

    def load(self, name: str, table: Table, records: Sequence[Record]) -> None:
        """Make a table of records, in the order of their keys."""
        columns = [f'"{c}" {_SQL_TYPES[spec.type]}' for c, spec in table.columns.items()]
        self._connection.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
        marks = ", ".join("?" * len(columns))
        names, key = list(table.columns), table.key
        rows = [[r.get(c) for c in names] for r in sorted(records, key=lambda r: str(r[key]))]
        self._connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)

    def rows(self, compiled: Compiled, given: Mapping[str, JsonValue], most: int) -> list[Row]:
        self._define(compiled.functions)
        self._connection.set_progress_handler(self._look, _STEPS_BETWEEN_LOOKS)
        self._connection.set_authorizer(_authorise)
        try:
            cursor = self._connection.execute(compiled.sql, given)
            found = cursor.fetchmany(most + 1)
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise self._read(error) from error
        if len(found) > most:
            message = f"More than {most} rows; add a LIMIT, a condition or an aggregate."
            raise SqlFault("limit_exceeded", message)
        return found

    def _define(self, names: frozenset[str]) -> None:
        for name in names:
            if name == "sb_today":
                self._connection.create_function(name, 0, lambda: self._now[:10])
            elif name == "sb_now":
                self._connection.create_function(name, 0, lambda: self._now[:19])
            elif name == "sb_list_aggregate":
                self._connection.create_aggregate(name, 2, ListAggregate)  # type: ignore[arg-type]
            else:
                count, function = FUNCTIONS[name]
                guarded = self._guarded(function)
                self._connection.create_function(name, count, guarded, deterministic=True)

    def _guarded(self, function: Callable[..., Scalar]) -> Callable[..., Scalar]:
        """Keep the fault that SQLite would replace by a message of its own."""

        def run(*values: Scalar) -> Scalar:
            try:
                return function(*values)
            except FunctionFault as fault:
                self._fault = fault
                raise

        return run

    def _look(self) -> int:
        self._looks += 1
        return int(self._looks * _STEPS_BETWEEN_LOOKS > MAX_STEPS)

    def _read(self, error: Exception) -> SqlFault:
        """Return what an error of SQLite means to whoever wrote the statement."""
        text = str(error)
        if self._fault is not None:
            return SqlFault("runtime_error", f"A value cannot be computed: {self._fault}.")
        if "interrupted" in text:
            message = "The statement does too much work; join on keys and bound recursion."
            return SqlFault("limit_exceeded", message)
        if isinstance(error, UnicodeError):
            return SqlFault("invalid_sql", "A text holds half a character.")
        if any(sign in text for sign in ("too big", "too many", "too large", "stack overflow")):
            return SqlFault("limit_exceeded", f"The statement is too large: {text}.")
        if "user-defined" in text:
            return SqlFault("runtime_error", "A value cannot be computed.")
        return SqlFault("invalid_sql", f"The statement cannot be run: {text[:200]}.")


def _authorise(action: int, *details: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY
