"""The rule that a grouped SELECT may only name what is grouped or aggregated.

SQLite would take the value of any row.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from skillbench_tasks.tools.connectors.sql.faults import SqlFault

__all__ = ["check_grouping"]


def check_grouping(statement: exp.Expr) -> None:
    """Refuse a bound statement in which a grouped SELECT names a loose column.

    Raises:
        SqlFault: The column.
    """
    for select in statement.find_all(exp.Select):
        group = select.args.get("group")
        grouped = list(group.expressions) if group is not None else []
        having = select.args.get("having")
        outputs = [*select.selects, *([having.this] if having is not None else [])]
        if not grouped and not any(map(_aggregates, outputs)):
            continue
        for output in outputs:
            for column in _loose(output.unalias(), grouped):
                name = f"{column.table}.{column.name}".lower().strip(".")
                message = f"{name} is neither grouped nor aggregated."
                raise SqlFault("invalid_sql", message)


def _aggregates(node: exp.Expr) -> bool:
    """Tell whether an expression holds an aggregate of its own SELECT, not one over a window."""
    if isinstance(node, exp.Query):
        return False
    if isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window):
        return True
    return any(_aggregates(child) for child in node.iter_expressions())


def _loose(node: exp.Expr, grouped: list[exp.Expr]) -> Iterator[exp.Column]:
    if node in grouped or isinstance(node, exp.Query):
        return
    if isinstance(node, exp.AggFunc) and not isinstance(node.parent, exp.Window):
        return
    if isinstance(node, exp.Column):
        yield node
        return
    for child in node.iter_expressions():
        yield from _loose(child, grouped)
