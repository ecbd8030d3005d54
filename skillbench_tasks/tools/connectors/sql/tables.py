"""The tables of the warehouse: their columns, and the collections that hold their rows.

Source: `schemas/warehouse.yaml`. A table's rows are the records of the collection `wh_<table>`, so
that a world's copies, changes and comparisons hold for them as for everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.files import model_from, read_yaml
from skillbench_tasks.models import Model
from skillbench_tasks.tools.world import World

__all__ = ["Column", "Table", "collection_of", "describe_table", "no_table", "tables"]

_FILE = Path(__file__).parent.parent / "schemas" / "warehouse.yaml"


class Column(Model):
    """A column; one that is required is never NULL."""

    type: Literal["text", "number", "date", "timestamp", "boolean"]
    description: str
    required: bool = False


class Table(Model):
    """A table; its first column is the key."""

    description: str
    columns: dict[str, Column] = Field(min_length=1)

    @property
    def key(self) -> str:
        """Name of the key column."""
        return next(iter(self.columns))


class _File(Model):
    tables: dict[str, Table]


@cache
def tables() -> dict[str, Table]:
    """Return the tables by name."""
    return model_from(_File, read_yaml(_FILE), _FILE).tables


def collection_of(table: str) -> str:
    """Return the collection that holds a table's rows."""
    return f"wh_{table}"


def no_table(name: str) -> str:
    """Return the message that there is no such table."""
    return f"There is no table {name}; there are {', '.join(sorted(tables()))}."


def describe_table(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return a table's description, key, columns and number of rows.

    Raises:
        ToolFailure: There is no such table.
    """
    name = str(arguments["table"]).lower()
    table = tables().get(name)
    if table is None:
        raise ToolFailure("not_found", no_table(name), False, "mcp.warehouse:describe_table")
    columns: list[JsonValue] = [
        {
            "name": column,
            "type": spec.type,
            "nullable": not spec.required,
            "description": spec.description,
        }
        for column, spec in table.columns.items()
    ]
    return {
        "table": name,
        "description": table.description,
        "key": table.key,
        "columns": columns,
        "row_count": len(list(world.records(collection_of(name)))),
    }
