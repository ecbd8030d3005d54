"""Writing statements, compiled into a SELECT of what they write.

SQLite never writes: it computes the keys and the new values, and the rows of the world are changed
by them. So a statement is done as a whole or not at all, and every value has to fit its column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from sqlglot import exp

from skillbench_tasks.tools.connectors.sql.allowed import check_nodes
from skillbench_tasks.tools.connectors.sql.compiling import (
    Compiled,
    compile_select,
    parse_statement,
)
from skillbench_tasks.tools.connectors.sql.faults import SqlFault
from skillbench_tasks.tools.connectors.sql.tables import no_table, tables

__all__ = ["Clause", "WritePlan", "compile_write"]

_KEYS: Final[dict[type[exp.Expr], frozenset[str]]] = {
    exp.Insert: frozenset({"this", "expression"}),
    exp.Update: frozenset({"this", "expressions", "from_", "where"}),
    exp.Delete: frozenset({"this", "using", "where"}),
    exp.Merge: frozenset({"this", "using", "on", "whens"}),
}
_ROWS_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class Clause:
    """What is done with a row of the SELECT: which columns get the values from `first` on."""

    kind: Literal["insert", "update", "delete"]
    columns: tuple[str, ...]
    first: int


@dataclass(frozen=True, slots=True)
class WritePlan:
    """A compiled writing statement.

    A row of the SELECT is: the number of a clause (or NULL), the key of a row of the table (NULL
    for an insert), and values. `width`: an INSERT of VALUES gives all its rows in one, of so many
    values each.
    """

    table: str
    select: Compiled
    clauses: tuple[Clause, ...]
    width: int | None = None


@lru_cache(maxsize=4096)
def compile_write(sql: str) -> WritePlan:
    """Compile a statement that has to be one INSERT, UPDATE, DELETE or MERGE.

    Raises:
        SqlFault: It is something else, cannot be read, or names what is not there.
    """
    statement = parse_statement(sql)
    offered = _KEYS.get(type(statement))
    if offered is None:
        kind = type(statement).__name__.upper()
        message = f"{kind} is not allowed: one INSERT, UPDATE, DELETE or MERGE is expected."
        raise SqlFault("not_allowed", message)
    check_nodes(statement)
    extra = sorted(k for k, v in statement.args.items() if v and k not in offered)
    if extra:
        name = extra[0].strip("_").replace("_", " ").upper()
        raise SqlFault("not_allowed", f"{name} is not offered in such a statement.")
    match statement:
        case exp.Insert():
            return _insert(statement)
        case exp.Update():
            return _update(statement)
        case exp.Delete():
            return _delete(statement)
        case exp.Merge():
            return _merge(statement)
        case _:
            raise AssertionError(type(statement))


def _target(node: exp.Expr) -> str:
    name = node.name.lower()
    if not isinstance(node, exp.Table) or name not in tables():
        raise SqlFault("not_found", no_table(name))
    return name


def _columns(table: str, names: Sequence[exp.Expr]) -> tuple[str, ...]:
    """Return the names of columns that are written, none of them twice.

    Raises:
        SqlFault: The table has no such column.
    """
    found: list[str] = []
    for node in names:
        name = node.name.lower()
        if name not in tables()[table].columns:
            columns = ", ".join(tables()[table].columns)
            message = f"Table {table} has no column {name}; it has {columns}."
            raise SqlFault("not_found", message)
        if name in found:
            raise SqlFault("invalid_sql", f"The column {name} is written twice.")
        found.append(name)
    return tuple(found)


def _named(values: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    for index, value in enumerate(values):
        yield exp.alias_(value, f"v{index}")


def _number(index: int) -> exp.Expr:
    return exp.Literal.number(index)


def _insert(statement: exp.Insert) -> WritePlan:
    target = statement.this
    into = target.this if isinstance(target, exp.Schema) else target
    table = _target(into)
    listed = target.expressions if isinstance(target, exp.Schema) else []
    columns = _columns(table, listed) if listed else tuple(tables()[table].columns)
    clause = (Clause("insert", columns, 2),)
    source = statement.expression
    if isinstance(source, exp.Values):
        select = exp.select(*_named([_number(0), exp.Null(), *_all_values(source, columns)]))
        return WritePlan(table, compile_select(select), clause, len(columns))
    query = source.unnest() if isinstance(source, exp.Subquery) else source
    if not isinstance(query, exp.Query):
        raise SqlFault("invalid_sql", "INSERT takes VALUES or a SELECT.")
    compiled = compile_select(query)
    _check_count(len(compiled.columns), len(columns))
    return WritePlan(table, compiled, (Clause("insert", columns, 0),))


def _all_values(source: exp.Values, columns: Sequence[str]) -> Iterator[exp.Expr]:
    if len(source.expressions) > _ROWS_MAX:
        raise SqlFault("limit_exceeded", f"VALUES takes {_ROWS_MAX} rows at most.")
    for row in source.expressions:
        values = row.expressions if isinstance(row, exp.Tuple) else [row]
        _check_count(len(values), len(columns))
        yield from values


def _check_count(values: int, columns: int) -> None:
    if values != columns:
        raise SqlFault("invalid_sql", f"There are {values} values for {columns} columns.")


def _key_of(table: str, node: exp.Expr) -> exp.Expr:
    return exp.column(tables()[table].key, table=node.alias_or_name)


def _assignments(table: str, listed: Sequence[exp.Expr]) -> tuple[tuple[str, ...], list[exp.Expr]]:
    for assignment in listed:
        if not isinstance(assignment, exp.EQ) or not isinstance(assignment.this, exp.Column):
            raise SqlFault("invalid_sql", "SET takes column = value.")
    return _columns(table, [a.this for a in listed]), [a.expression for a in listed]


def _update(statement: exp.Update) -> WritePlan:
    table = _target(statement.this)
    columns, values = _assignments(table, statement.expressions)
    select = exp.select(*_named([_number(0), _key_of(table, statement.this), *values]))
    select = select.from_(statement.this)
    source = statement.args.get("from_")
    if source is not None:
        select = _joined(select, source.this)
    return WritePlan(table, _where(select, statement), (Clause("update", columns, 2),))


def _delete(statement: exp.Delete) -> WritePlan:
    table = _target(statement.this)
    select = exp.select(*_named([_number(0), _key_of(table, statement.this)]))
    select = select.from_(statement.this)
    for source in statement.args.get("using") or ():
        select = _joined(select, source)
    return WritePlan(table, _where(select, statement), (Clause("delete", (), 2),))


def _joined(select: exp.Select, source: exp.Expr) -> exp.Select:
    """Join a source and whatever is joined to it."""
    inner = source.args.get("joins") or []
    source.set("joins", None)
    made = select.join(source, join_type="cross")
    for join in inner:
        made.append("joins", join)
    return made


def _where(select: exp.Select, statement: exp.Expr) -> Compiled:
    where = statement.args.get("where")
    return compile_select(select.where(where.this) if where is not None else select)


def _merge(statement: exp.Merge) -> WritePlan:
    table = _target(statement.this)
    key = _key_of(table, statement.this)
    is_new = exp.Is(this=key.copy(), expression=exp.Null())
    picked = exp.case()
    values: list[exp.Expr] = []
    clauses: list[Clause] = []
    for index, when in enumerate(statement.args["whens"].expressions):
        if when.args.get("source"):
            raise SqlFault("not_allowed", "WHEN NOT MATCHED BY SOURCE is not offered.")
        is_matched = bool(when.args.get("matched"))
        applies: exp.Condition = exp.Not(this=is_new.copy()) if is_matched else is_new.copy()
        if when.args.get("condition") is not None:
            applies = exp.and_(applies, when.args["condition"].copy())
        picked = picked.when(applies.copy(), _number(index))
        kind, columns, given = _merge_clause(table, when.args["then"], is_matched)
        clauses.append(Clause(kind, columns, 2 + len(values)))
        values += [exp.case().when(applies.copy(), value) for value in given]
    select = exp.select(*_named([picked, key, *values])).from_(statement.args["using"])
    on = statement.args["on"]
    select = select.join(statement.this, on=on, join_type="left")
    return WritePlan(table, compile_select(select), tuple(clauses))


def _merge_clause(
    table: str, then: exp.Expr, is_matched: bool
) -> tuple[Literal["insert", "update", "delete"], tuple[str, ...], list[exp.Expr]]:
    if isinstance(then, exp.Var | exp.Delete) and is_matched:
        return "delete", (), []
    if isinstance(then, exp.Update) and is_matched:
        columns, values = _assignments(table, then.expressions)
        return "update", columns, values
    if isinstance(then, exp.Insert) and not is_matched:
        listed = then.this.expressions if isinstance(then.this, exp.Tuple) else []
        columns = _columns(table, listed) if listed else tuple(tables()[table].columns)
        source = then.expression
        given = list(source.expressions) if isinstance(source, exp.Tuple) else [source]
        _check_count(len(given), len(columns))
        return "insert", columns, given
    message = "WHEN MATCHED takes UPDATE or DELETE, WHEN NOT MATCHED takes INSERT."
    raise SqlFault("invalid_sql", message)
