"""Cells of sheets: columns are data, which declared behaviours cannot name.

Every handler only computes; what is written stands in `sheets.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Record
from skillbench_tasks.tools.workflow.values import equal_values
from skillbench_tasks.tools.world import World

__all__ = ["changed_cells", "find_rows", "new_cells"]

_ROWS: Final = "sheet_rows"


def find_rows(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return the rows of a sheet in the order of their making, those with a cell of a value."""
    rows = world.candidates(_ROWS, "sheet_id", arguments["sheet_id"])
    found = [row for row in rows if row["sheet_id"] == arguments["sheet_id"]]
    if "column" in arguments:
        column, wanted = arguments["column"], arguments["equals"]
        found = [row for row in found if equal_values(_cells(row).get(column), wanted)]
    return list(found[: arguments["limit"]])


def new_cells(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return all cells of a new row, empty where nothing is given.

    Raises:
        ToolFailure: The sheet has no such column.
    """
    columns = _checked_columns(world, arguments, "append_row")
    return {column: arguments["values"].get(column) for column in columns}


def changed_cells(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return all cells of a row after a change.

    Raises:
        ToolFailure: The sheet has no such column.
    """
    columns = _checked_columns(world, arguments, "update_row")
    row = world.get(_ROWS, arguments["row_id"])
    present = {} if row is None else _cells(row)
    return {c: arguments["values"].get(c, present.get(c)) for c in columns}


def _cells(row: Record) -> dict[str, JsonValue]:
    values = row["values"]
    assert isinstance(values, dict)
    return values


def _checked_columns(world: World, arguments: Mapping[str, Any], tool: str) -> list[str]:
    sheet = world.get("sheets", arguments["sheet_id"])
    columns = sheet["columns"] if sheet is not None else []
    assert isinstance(columns, list)
    names = [str(column) for column in columns]
    unknown = sorted(arguments["values"].keys() - set(names))
    if unknown:
        message = f"The sheet has no column {unknown[0]}; its columns are {', '.join(names)}."
        raise ToolFailure("unknown_column", message, False, f"mcp.sheets:{tool}")
    return names
