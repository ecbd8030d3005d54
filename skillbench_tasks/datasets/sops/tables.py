"""Tables of the warehouse as resources of SOPs: their columns as the warehouse declares them."""

from __future__ import annotations

from skillbench_tasks.models.sop import Resource
from skillbench_tasks.tools.connectors.sql.tables import Column, tables

__all__ = ["table_resource"]


def table_resource(name: str) -> Resource:
    """Return a table of the warehouse as a resource that lists its columns.

    Args:
        name: Name of the table.
    """
    table = tables()[name]
    columns = "; ".join(
        f"{column} ({_kind(spec)}{', the key' if column == table.key else ''}): "
        f"{spec.description.removesuffix('.')}"
        for column, spec in table.columns.items()
    )
    return Resource(name=name, kind="warehouse table", id=name, detail=columns)


def _kind(column: Column) -> str:
    return column.type if column.required else f"{column.type} or NULL"
