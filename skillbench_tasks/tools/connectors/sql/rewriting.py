"""Rewriting of a bound statement, so that SQLite computes what the dialect means.

Dates are texts in SQLite, division is of integers, and many functions are missing or differ: calls
of our own functions stand in for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot import exp

from skillbench_tasks.tools.connectors.sql.dates import PARTS, UNITS
from skillbench_tasks.tools.connectors.sql.faults import SqlFault

__all__ = ["rewrite"]

Rewriter = Callable[[exp.Expr], exp.Expr | None]

_DATES: Final = frozenset({exp.DataType.Type.DATE, exp.DataType.Type.DATE32})
_TIMESTAMPS: Final = frozenset(
    {exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ, exp.DataType.Type.DATETIME}
    | {exp.DataType.Type.TIMESTAMPLTZ, exp.DataType.Type.TIMESTAMPTZ}
)


def rewrite(statement: exp.Query) -> None:
    """Rewrite a bound statement, in place, in terms of SQLite and of our functions.

    Raises:
        SqlFault: A unit, a format or a type is not offered.
    """
    _move_qualify(statement)
    for node in reversed(list(statement.dfs())):  # operands first: they are moved into calls
        rewriter = _REWRITERS.get(type(node))
        made = rewriter(node) if rewriter is not None else None
        if made is not None:
            made.type = node.type
            node.replace(made)


def call(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Return a call of one of our functions."""
    return exp.Anonymous(this=f"sb_{name}", expressions=list(arguments))


def _unit(node: exp.Expr, offered: frozenset[str] = UNITS) -> exp.Expr:
    unit = node.args.get("unit") or exp.Var(this="DAY")
    name = str(unit.name).upper()
    name = name if name in offered else name.removesuffix("S")
    if name not in offered:
        raise SqlFault("not_allowed", f"The unit {name[:40]} is not offered.")
    return exp.Literal.string(name)


def _simple(name: str, *keys: str) -> Rewriter:
    def call_it(node: exp.Expr) -> exp.Expr:
        return call(name, *(node.args[key] for key in ("this", *keys)))

    return call_it


def _listed(name: str) -> Rewriter:
    return lambda node: call(name, node.this, *node.expressions)


def _part(name: str) -> Rewriter:
    return lambda node: call("date_part", exp.Literal.string(name), node.this)


def _extract(node: exp.Expr) -> exp.Expr:
    part = str(node.this.name).upper()
    if part not in PARTS:
        raise SqlFault("not_allowed", f"The part {part[:40]} of a date is not offered.")
    return call("date_part", exp.Literal.string(part), node.expression)


def _date_add(node: exp.Expr) -> exp.Expr:
    return call("date_add", _unit(node), node.expression, node.this)


def _add_months(node: exp.Expr) -> exp.Expr:
    return call("date_add", exp.Literal.string("MONTH"), node.expression, node.this)


def _date_diff(node: exp.Expr) -> exp.Expr:
    return call("date_diff", _unit(node), node.expression, node.this)


def _date_trunc(node: exp.Expr) -> exp.Expr:
    return call("date_trunc", _unit(node), node.this)


def _last_day(node: exp.Expr) -> exp.Expr:
    if node.args.get("unit"):
        raise SqlFault("not_allowed", "LAST_DAY takes a date alone.")
    return call("last_day", node.this)


def _to_date(node: exp.Expr) -> exp.Expr:
    if node.args.get("format") is not None and node.args["format"].name != "%Y-%m-%d":
        raise SqlFault("not_allowed", "Dates are YYYY-MM-DD; TO_DATE takes no other format.")
    return call("to_date", node.this)


def _by_name(node: exp.Expr) -> exp.Expr:
    if len(node.expressions) != 1:
        raise SqlFault("not_allowed", f"{node.this} takes one value.")
    return call("to_timestamp", node.expressions[0])


def _to_char(node: exp.Expr) -> exp.Expr:
    if node.args.get("format") is not None:
        return call("format_date", node.this, node.args["format"])
    return _as_text(node.this)


def _as_text(value: exp.Expr) -> exp.Expr:
    is_boolean = value.is_type(exp.DataType.Type.BOOLEAN)
    return call("boolean_text" if is_boolean else "to_text", value)


def _to_number(node: exp.Expr) -> exp.Expr:
    return call("to_number", node.this, node.args.get("scale") or exp.Literal.number(0))


def _try_cast(node: exp.Expr) -> exp.Expr:
    made = _cast(node)
    made.set("this", f"sb_try_{str(made.this).removeprefix('sb_')}")
    return made


def _cast(node: exp.Expr) -> exp.Expr:
    kind = node.args["to"]
    if kind.this in _DATES:
        return call("to_date", node.this)
    if kind.this in _TIMESTAMPS:
        return call("to_timestamp", node.this)
    if kind.this is exp.DataType.Type.BOOLEAN:
        return call("to_boolean", node.this)
    if kind.this in exp.DataType.TEXT_TYPES:
        return _as_text(node.this)
    if kind.this in exp.DataType.NUMERIC_TYPES:
        return call("to_number", node.this, _scale(kind))
    raise SqlFault("not_allowed", f"The type {kind.sql('snowflake')[:40]} is not offered.")


def _scale(kind: exp.Expr) -> exp.Expr:
    """Return the digits that a numeric type keeps: none said for one that floats."""
    if kind.this in exp.DataType.FLOAT_TYPES:
        return exp.Null()
    if kind.this in exp.DataType.INTEGER_TYPES or len(kind.expressions) < 2:
        return exp.Literal.number(0)
    return exp.Literal.number(int(kind.expressions[1].name))


def _round(node: exp.Expr) -> exp.Expr:
    return call("rounded", node.this, node.args.get("decimals") or exp.Literal.number(0))


def _count_if(node: exp.Expr) -> exp.Expr:
    return exp.Count(this=exp.case().when(node.this, exp.Literal.number(1)))


def _nvl2(node: exp.Expr) -> exp.Expr:
    empty = exp.Is(this=node.this, expression=exp.Null())
    return exp.case().when(empty, node.args["false"]).else_(node.args["true"])


def _list_aggregate(node: exp.Expr) -> exp.Expr:
    value = node.this
    if isinstance(value, exp.Order):
        keys = value.expressions
        if len(keys) != 1 or keys[0].this != value.this or keys[0].args.get("desc"):
            message = "LISTAGG sorts by the listed values; WITHIN GROUP takes no other order."
            raise SqlFault("not_allowed", message)
        value = value.this
    if isinstance(value, exp.Distinct):
        raise SqlFault("not_allowed", "LISTAGG takes no DISTINCT; select distinct values first.")
    return call("list_aggregate", value, node.args.get("separator") or exp.Literal.string(""))


def _not_in(node: exp.Expr) -> exp.Expr | None:
    """Turn what NOT IN (SELECT …) is read as back into itself."""
    if not isinstance(node.expression, exp.All):
        _compared(node)
        return None
    query = node.expression.this.unnest()
    return exp.Not(this=exp.In(this=node.this, query=exp.Subquery(this=query)))


def _is_date(node: exp.Expr) -> bool:
    return node.type is not None and node.type.this in _DATES


def _is_timestamp(node: exp.Expr) -> bool:
    return node.type is not None and node.type.this in _TIMESTAMPS


def _moved(node: exp.Expr) -> exp.Expr | None:
    """Rewrite a sum or difference of dates; other sums stay."""
    left, right = node.this, node.expression
    is_minus = isinstance(node, exp.Sub)
    if isinstance(right, exp.Interval):
        count = right.this
        signed = exp.Neg(this=exp.Paren(this=count)) if is_minus else count
        return call("date_add", _unit(right), signed, left)
    if _is_date(left) and _is_date(right) and is_minus:
        return call("date_diff", exp.Literal.string("DAY"), right, left)
    if _is_date(left):
        signed = exp.Neg(this=exp.Paren(this=right)) if is_minus else right
        return call("date_add", exp.Literal.string("DAY"), signed, left)
    return None


def _compared(node: exp.Expr) -> None:
    """Bring the sides of a comparison with a date or timestamp to one form, in place."""
    keys = [key for key in ("this", "expression", "low", "high") if key in node.args]
    sides = [(key, node.args[key]) for key in keys if isinstance(node.args[key], exp.Expr)]
    listed = list(node.expressions)
    values = [*(side for _, side in sides), *listed]
    for wanted, fits in (("to_timestamp", _is_timestamp), ("to_date", _is_date)):
        if not any(fits(value) for value in values):
            continue
        for key, side in sides:
            if not fits(side) and _is_plain(side):
                node.set(key, call(wanted, side.copy()))
        if listed:
            made = [v if fits(v) or not _is_plain(v) else call(wanted, v.copy()) for v in listed]
            node.set("expressions", made)
        return


def _is_plain(node: exp.Expr) -> bool:
    return not isinstance(node, exp.Null | exp.Query | exp.All)


def _move_qualify(statement: exp.Expr) -> None:
    """Turn QUALIFY into a subquery with a WHERE around it; order and limit go outside."""
    for select in list(statement.find_all(exp.Select)):
        qualify = select.args.get("qualify")
        if qualify is None:
            continue
        inner = select.copy()
        names = [str(s.alias_or_name) for s in select.selects]
        keys = list(select.args["order"].expressions) if select.args.get("order") else []
        for gone in ("qualify", "order", "limit", "offset", "distinct", "with_"):
            inner.set(gone, None)
        inner.select(exp.alias_(qualify.this.copy(), "_keep", quoted=True), copy=False)
        for index, key in enumerate(keys):
            inner.select(exp.alias_(key.this.copy(), f"_key{index}", quoted=True), copy=False)
            key.set("this", exp.column(f"_key{index}", table="_inner", quoted=True))
        for gone in ("qualify", "joins", "where", "group", "having"):
            select.set(gone, None)
        kept = [
            _typed(exp.alias_(exp.column(n, table="_inner", quoted=True), n, quoted=True), s)
            for n, s in zip(names, select.selects, strict=True)
        ]
        select.set("expressions", kept)
        select.set("from_", exp.From(this=inner.subquery("_inner")))
        select.set("where", exp.Where(this=exp.column("_keep", table="_inner", quoted=True)))


def _typed(made: exp.Expr, like: exp.Expr) -> exp.Expr:
    made.type = like.type
    return made


_REWRITERS: Final[dict[type[exp.Expr], Rewriter]] = {
    exp.CurrentDate: lambda node: call("today"),
    exp.CurrentTimestamp: lambda node: call("now"),
    exp.DateAdd: _date_add,
    exp.AddMonths: _add_months,
    exp.DateDiff: _date_diff,
    exp.TimestampTrunc: _date_trunc,
    exp.DateTrunc: _date_trunc,
    exp.LastDay: _last_day,
    exp.Extract: _extract,
    exp.Year: _part("YEAR"),
    exp.Quarter: _part("QUARTER"),
    exp.Month: _part("MONTH"),
    exp.Week: _part("WEEK"),
    exp.Day: _part("DAY"),
    exp.Hour: _part("HOUR"),
    exp.Minute: _part("MINUTE"),
    exp.Second: _part("SECOND"),
    exp.DayOfWeek: _part("DAYOFWEEK"),
    exp.DayOfWeekIso: _part("DAYOFWEEKISO"),
    exp.DayOfYear: _part("DAYOFYEAR"),
    exp.TsOrDsToDate: _to_date,
    exp.Anonymous: _by_name,
    exp.ToChar: _to_char,
    exp.TimeToStr: _to_char,
    exp.ToNumber: _to_number,
    exp.Cast: _cast,
    exp.TryCast: _try_cast,
    exp.Div: _simple("divided", "expression"),
    exp.Mod: _simple("remainder", "expression"),
    exp.Round: _round,
    exp.Floor: _simple("floored"),
    exp.Ceil: _simple("ceiled"),
    exp.Sign: _simple("sign"),
    exp.Left: _simple("left", "expression"),
    exp.Right: _simple("right", "expression"),
    exp.SplitPart: _simple("split_part", "delimiter", "part_index"),
    exp.Contains: _simple("contains", "expression"),
    exp.StartsWith: _simple("starts_with", "expression"),
    exp.EndsWith: _simple("ends_with", "expression"),
    exp.Greatest: _listed("greatest"),
    exp.Least: _listed("least"),
    exp.CountIf: _count_if,
    exp.Nvl2: _nvl2,
    exp.GroupConcat: _list_aggregate,
    exp.Add: _moved,
    exp.Sub: _moved,
    exp.NEQ: _not_in,
    **dict.fromkeys(
        (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.NullSafeEQ), _compared
    ),
}
"""Kind of node → what stands in its place; `None`: it stays."""
