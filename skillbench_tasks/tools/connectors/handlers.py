"""The handlers of the connectors, by the names under which their YAML files call them.

SQL is imported by the first call that needs it: its parser is slow to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.tools.behaviours import HANDLERS, READERS, Handler
from skillbench_tasks.tools.connectors import cells, records
from skillbench_tasks.tools.connectors.object_query import run_object_query
from skillbench_tasks.tools.world import World

__all__ = ["register"]


def register() -> None:
    """Make the handlers known to the engine."""
    READERS.update(_READERS)
    HANDLERS.update(_WRITERS)


def _run_query(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    from skillbench_tasks.tools.connectors.sql.warehouse import run_query

    return run_query(world, arguments)


def _run_statement(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    from skillbench_tasks.tools.connectors.sql.warehouse import run_statement

    return run_statement(world, arguments)


def _describe_table(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    from skillbench_tasks.tools.connectors.sql.tables import describe_table

    return describe_table(world, arguments)


_READERS: Final[dict[str, Handler]] = {
    "sales_get_record": records.get_record,
    "sales_query": run_object_query,
    "sheets_changed_cells": cells.changed_cells,
    "sheets_find_rows": cells.find_rows,
    "sheets_new_cells": cells.new_cells,
    "warehouse_describe_table": _describe_table,
    "warehouse_run_query": _run_query,
}

_WRITERS: Final[dict[str, Handler]] = {
    "sales_create_record": records.create_record,
    "sales_update_record": records.update_record,
    "warehouse_run_statement": _run_statement,
}
