"""What a statement may be made of: every node of its syntax tree has to be of a listed kind.

A list of what is allowed fails safe: what a new version of the parser learns to read stays refused.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp

from skillbench_tasks.tools.connectors.sql.faults import SqlFault
from skillbench_tasks.tools.connectors.sql.tables import no_table, tables

__all__ = ["check_nodes", "touched_tables"]

_QUERIES: Final = frozenset(
    {exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Subquery, exp.With, exp.CTE, exp.From}
    | {exp.Join, exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit}
    | {exp.Fetch, exp.LimitOptions, exp.Offset, exp.Distinct, exp.Window, exp.WindowSpec}
    | {exp.Table, exp.TableAlias, exp.Column, exp.Identifier, exp.Alias, exp.Star, exp.Values}
)
_WRITES: Final = frozenset(
    {exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Whens, exp.When, exp.Schema}
)
_VALUES: Final = frozenset(
    {exp.Literal, exp.Boolean, exp.Null, exp.Placeholder, exp.Paren, exp.Tuple, exp.Var}
    | {exp.Interval, exp.DataType, exp.DataTypeParam, exp.Cast, exp.TryCast, exp.Case, exp.If}
)
_OPERATORS: Final = frozenset(
    {exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is}
    | {exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.ILike, exp.Escape, exp.Between, exp.In}
    | {exp.Exists, exp.All, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.DPipe}
)
_FUNCTIONS: Final = frozenset(
    {exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.GroupConcat}
    | {exp.RowNumber, exp.Rank, exp.DenseRank, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue}
    | {exp.Ntile, exp.Coalesce, exp.Nullif, exp.Nvl2, exp.Greatest, exp.Least}
    | {exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Sign}
    | {exp.Upper, exp.Lower, exp.Trim, exp.Length, exp.Substring, exp.Left, exp.Right}
    | {exp.Replace, exp.Concat, exp.SplitPart, exp.Contains, exp.StartsWith, exp.EndsWith}
    | {exp.CurrentDate, exp.CurrentTimestamp, exp.DateAdd, exp.AddMonths, exp.DateDiff}
    | {exp.TimestampTrunc, exp.DateTrunc, exp.Extract, exp.LastDay, exp.TsOrDsToDate}
    | {exp.Year, exp.Quarter, exp.Month, exp.Week, exp.Day, exp.Hour, exp.Minute, exp.Second}
    | {exp.DayOfWeek, exp.DayOfWeekIso, exp.DayOfYear, exp.ToChar, exp.TimeToStr, exp.ToNumber}
)
_BY_NAME: Final = frozenset({"TO_TIMESTAMP", "TO_TIMESTAMP_NTZ"})
"""Functions that the parser knows no kind of node for."""

_ALLOWED: Final[frozenset[type[exp.Expr]]] = _QUERIES | _WRITES | _VALUES | _OPERATORS | _FUNCTIONS
_JOIN_METHODS: Final = frozenset({"", "NATURAL"})
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STARS_MAX: Final = 4
_SELECTS_MAX: Final = 32
_NODES_MAX: Final = 4000
_DEPTH_MAX: Final = 250


def check_nodes(statement: exp.Expr) -> None:
    """Refuse a statement that holds anything that is not offered.

    Raises:
        SqlFault: What is refused.
    """
    stars = selects = count = 0
    level: list[exp.Expr] = [statement]
    depth = 0
    while level and depth <= _DEPTH_MAX and count <= _NODES_MAX:
        depth, count = depth + 1, count + len(level)
        for node in level:
            _check_node(node)
            selects += isinstance(node, exp.Select)
            stars += isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count)
        level = [child for node in level for child in node.iter_expressions()]
    if level or stars > _STARS_MAX or selects > _SELECTS_MAX:
        bounds = f"{_SELECTS_MAX} SELECTs, {_STARS_MAX} stars and {_NODES_MAX} parts"
        raise SqlFault("limit_exceeded", f"A statement may have {bounds}, {_DEPTH_MAX} deep.")


def _check_node(node: exp.Expr) -> None:
    kind = type(node)
    if kind is exp.Anonymous and str(node.this).upper() in _BY_NAME:
        return
    if kind not in _ALLOWED:
        raise SqlFault("not_allowed", _refusal(node))
    if kind is exp.Identifier and not _NAME.fullmatch(str(node.this)):
        message = f"The name {node.this} may have letters, digits and _ only."
        raise SqlFault("invalid_sql", message)
    if kind is exp.Table and not isinstance(node.this, exp.Identifier):
        raise SqlFault("not_allowed", "FROM takes tables and subqueries, no functions.")
    if kind is exp.Table and (node.args.get("db") or node.args.get("catalog")):
        raise SqlFault("not_found", f"Tables have no prefix; write {node.name}.")
    if kind is exp.Values and not isinstance(node.parent, exp.Insert):
        raise SqlFault("not_allowed", "FROM takes no VALUES; write SELECT … UNION ALL SELECT ….")
    if kind is exp.TableAlias and node.args.get("columns") and isinstance(node.parent, exp.Table):
        raise SqlFault("not_allowed", "The columns of a table cannot be renamed by its alias.")
    if kind is exp.Placeholder and not node.this:
        raise SqlFault("invalid_sql", "A parameter is marked with a colon and a name: :account_id.")
    if kind is exp.Join and str(node.args.get("method") or "").upper() not in _JOIN_METHODS:
        raise SqlFault("not_allowed", f"A {node.args['method']} join is not offered.")
    if kind is exp.Group and {k for k, v in node.args.items() if v} - {"expressions"}:
        raise SqlFault("not_allowed", "GROUP BY takes a list of columns and expressions.")


def _refusal(node: exp.Expr) -> str:
    if isinstance(node, exp.Func):
        name = str(node.this) if isinstance(node, exp.Anonymous) else node.sql_name()
        return f"The function {name[:60]} is not offered."
    return f"{type(node).__name__} is not offered in a statement."


def touched_tables(statement: exp.Expr) -> tuple[str, ...]:
    """Return the tables of the warehouse that a statement names, sorted.

    Raises:
        SqlFault: It names one that does not exist.
    """
    own = {cte.alias.lower() for cte in statement.find_all(exp.CTE)}
    found: set[str] = set()
    for table in statement.find_all(exp.Table):
        name = table.name.lower()
        if name in tables():
            found.add(name)
        elif name not in own:
            raise SqlFault("not_found", no_table(name))
    return tuple(sorted(found))
