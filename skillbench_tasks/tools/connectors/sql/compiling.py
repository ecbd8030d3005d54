"""Compiling a statement: text → syntax tree → checked → bound to the tables → SQL of SQLite."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import OptimizeError, ParseError, TokenError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from skillbench_tasks.tools.connectors.sql.allowed import check_nodes, touched_tables
from skillbench_tasks.tools.connectors.sql.faults import SqlFault
from skillbench_tasks.tools.connectors.sql.grouping import check_grouping
from skillbench_tasks.tools.connectors.sql.rewriting import rewrite
from skillbench_tasks.tools.connectors.sql.tables import tables

__all__ = ["DIALECT", "Compiled", "compile_query", "compile_select", "parse_statement"]

DIALECT: Final = "snowflake"
"""The dialect of sqlglot that statements are written in."""

MAX_LENGTH: Final = 10_000
"""Characters of a statement."""

MAX_NESTING: Final = 40
"""Parentheses inside one another."""

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # warnings there are faults to us

_TYPES: Final = {
    "text": "VARCHAR",
    "number": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
    "boolean": "BOOLEAN",
}
_TOO_DEEP: Final = "The statement is nested too deep."
_POSITION: Final = re.compile(r"Line: (\d+), Col: (\d+)")
_COLUMN: Final = re.compile(r"'([^']+)'|unknown column: (\w+)")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A SELECT for SQLite.

    `columns` are the names of the result, `booleans` tells which of them hold booleans,
    `functions` are the functions of ours that it calls.
    """

    sql: str
    tables: tuple[str, ...]
    columns: tuple[str, ...]
    booleans: tuple[bool, ...]
    parameters: frozenset[str]
    functions: frozenset[str]


def compile_query(sql: str) -> Compiled:
    """Compile a statement that has to be one SELECT.

    Raises:
        SqlFault: It is something else, cannot be read, or names what is not there.
    """
    found = _compiled_or_fault(sql)
    if isinstance(found, SqlFault):
        raise SqlFault(found.code, found.message)
    return found


@lru_cache(maxsize=4096)
def _compiled_or_fault(sql: str) -> Compiled | SqlFault:
    """Remember faults too: a statement that cannot be read costs as much as one that can."""
    try:
        return _compiled(sql)
    except SqlFault as fault:
        return fault.with_traceback(None)


def _compiled(sql: str) -> Compiled:
    statement = parse_statement(sql)
    query = statement.unnest() if isinstance(statement, exp.Subquery) else statement
    if not isinstance(query, exp.Select | exp.SetOperation):
        kind = type(statement).__name__.upper()
        message = f"{kind} is not allowed here: run_query takes one SELECT, with WITH or without."
        raise SqlFault("not_allowed", message)
    check_nodes(query)
    _check_names(query)
    compiled = compile_select(query)
    for name in compiled.columns:
        if compiled.columns.count(name) > 1:
            raise SqlFault("invalid_sql", f"Two columns are named {name}; give one an alias.")
    return compiled


def parse_statement(sql: str) -> exp.Expr:
    """Return the syntax tree of the one statement in a text.

    Raises:
        SqlFault: It cannot be read, or there is none or more than one.
    """
    if len(sql) > MAX_LENGTH:
        raise SqlFault("limit_exceeded", f"A statement may have {MAX_LENGTH} characters.")
    if _nesting(sql) > MAX_NESTING:
        raise SqlFault("limit_exceeded", f"Parentheses are nested deeper than {MAX_NESTING}.")
    try:
        found = [statement for statement in sqlglot.parse(sql, dialect=DIALECT) if statement]
    except ParseError as error:
        raise SqlFault("invalid_sql", _parse_message(error)) from error
    except TokenError as error:
        message = "The statement cannot be read: a quote or comment is not closed."
        raise SqlFault("invalid_sql", message) from error
    except RecursionError as error:
        raise SqlFault("limit_exceeded", _TOO_DEEP) from error
    except Exception as error:  # hostile text raises anything in the parser
        message = f"The statement cannot be read ({type(error).__name__})."
        raise SqlFault("invalid_sql", message) from error
    if len(found) != 1:
        code = "not_allowed" if found else "invalid_sql"
        raise SqlFault(code, f"One statement is expected, {len(found)} are given.")
    statement = found[0]
    assert isinstance(statement, exp.Expr)
    return statement


def compile_select(query: exp.Query) -> Compiled:
    """Bind a checked SELECT to the tables and write it in the SQL of SQLite.

    Raises:
        SqlFault: It names a table or column that is not there, or cannot be bound.
    """
    touched = touched_tables(query)
    for identifier in query.find_all(exp.Identifier):
        identifier.set("quoted", False)
    try:
        bound = qualify(query, dialect=DIALECT, schema=_schema(), quote_identifiers=False)
        bound = annotate_types(bound, dialect=DIALECT, schema=_schema())
        assert isinstance(bound, exp.Query)
        check_grouping(bound)
        columns = tuple(str(select.alias_or_name).lower() for select in bound.selects)
        booleans = tuple(s.is_type(exp.DataType.Type.BOOLEAN) for s in bound.selects)
        rewrite(bound)
        _settle_order(bound)
        sql = bound.sql("sqlite", identify=True, comments=False)
    except OptimizeError as error:
        raise _binding_fault(error, touched) from error
    except SqlFault:
        raise
    except RecursionError as error:
        raise SqlFault("limit_exceeded", _TOO_DEEP) from error
    except Exception as error:  # hostile trees raise anything in the binder
        message = f"The statement cannot be bound ({type(error).__name__})."
        raise SqlFault("invalid_sql", message) from error
    parameters = frozenset(str(node.this) for node in bound.find_all(exp.Placeholder))
    called = {str(node.this) for node in bound.find_all(exp.Anonymous)}
    return Compiled(sql, touched, columns, booleans, parameters, frozenset(called))


@lru_cache(maxsize=1)
def _schema() -> MappingSchema:
    columns: dict[str, object] = {
        name: {column: _TYPES[spec.type] for column, spec in table.columns.items()}
        for name, table in tables().items()
    }
    return MappingSchema(columns, dialect=DIALECT)


def _nesting(sql: str) -> int:
    """Return how deep parentheses go; those in texts count too, which does no harm."""
    deepest = depth = 0
    for character in sql:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest


def _check_names(query: exp.Query) -> None:
    """Refuse columns without a name: no path could lead to them."""
    for select in query.selects:
        if not select.is_star and not isinstance(select, exp.Column | exp.Alias):
            text = select.sql(DIALECT)[:60]
            raise SqlFault("invalid_sql", f"Give the column an alias: {text} AS …")


def _settle_order(query: exp.Query) -> None:
    """Sort rows that the statement leaves unsorted by their columns, so that runs are the same.

    The same holds for whatever a LIMIT inside cuts off.
    """
    for node in query.find_all(exp.Select, exp.SetOperation):
        if node is not query and not node.args.get("limit"):
            continue
        order = node.args.get("order") or exp.Order(expressions=[])
        columns = range(1, len(node.selects) + 1)
        keys = [exp.Ordered(this=exp.Literal.number(index)) for index in columns]
        order.set("expressions", [*order.expressions, *keys])
        node.set("order", order)


def _parse_message(error: ParseError) -> str:
    if not error.errors:
        return "The statement cannot be read."
    first = error.errors[0]
    place = f"line {first.get('line')}, column {first.get('col')}"
    near = str(first.get("highlight") or "")[:40]
    reason = str(first.get("description") or "it cannot be read").rstrip(".")
    if reason.startswith("Required keyword"):
        reason = "something is missing here"
    return f"At {place}, near {near!r}: {reason[:1].lower()}{reason[1:]}."


def _binding_fault(error: OptimizeError, touched: tuple[str, ...]) -> SqlFault:
    text = str(error)
    place = _POSITION.search(text)
    where = f"At line {place[1]}, column {place[2]}: " if place else ""
    reason = _POSITION.sub("", text).strip().rstrip(".").split("\n")[0].lower()
    if "could not be resolved" not in reason and "unknown column" not in reason:
        return SqlFault("invalid_sql", f"{where}{reason}.")
    named = _COLUMN.search(reason)
    column = named[1] or named[2] if named else ""
    owners = [name for name in touched if column in tables()[name].columns]
    if len(owners) > 1:
        message = f"{column} stands in {' and '.join(owners)}; name the table before it."
        return SqlFault("invalid_sql", f"{where}{message}")
    listed = [f"{name} has {', '.join(tables()[name].columns)}" for name in touched[:3]]
    return SqlFault("not_found", ". ".join([f"{where}{reason}", *listed]) + ".")
