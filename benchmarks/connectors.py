"""Speed of the connector tools: calls in a second by kind, and SQL in a second."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.connectors.sql.compiling import compile_query
from skillbench_tasks.tools.toolbox import Toolbox

__all__ = ["connector_calls_per_second"]

_CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "get": ("mcp.tracker:get_issue", {"issue_id": "ISS-601"}),
    "find": ("mcp.finance:find_invoices", {"status": "overdue", "due_to": "2026-03-15"}),
    "update": ("mcp.finance:update_invoice", {"invoice_id": "INV-803", "reminder_level": 2}),
    "send": ("mcp.chat:post_message", {"channel_id": "CHN-306", "text": "Hello."}),
    "object_query": (
        "mcp.sales:query",
        {
            "query": "SELECT name, amount, account.name FROM opportunity "
            "WHERE stage != 'closed_won' AND amount >= 10000 ORDER BY amount DESC LIMIT 5"
        },
    ),
    "sql_one_table": (
        "mcp.warehouse:run_query",
        {"sql": "SELECT sku, on_hand FROM inventory WHERE on_hand <= reorder_point"},
    ),
    "sql_join": (
        "mcp.warehouse:run_query",
        {
            "sql": "SELECT c.name, SUM(i.quantity * i.unit_price) AS total FROM orders o "
            "JOIN order_items i ON i.order_id = o.order_id "
            "JOIN customers c ON c.account_id = o.account_id "
            "WHERE o.ordered_on >= DATEADD(day, -14, CURRENT_DATE) GROUP BY 1 ORDER BY total DESC"
        },
    ),
    "sql_update": (
        "mcp.warehouse:run_statement",
        {"sql": "UPDATE inventory SET on_hand = on_hand + 1 WHERE sku = 'SKU-A1'"},
    ),
}


def connector_calls_per_second(seconds: float = 1.0) -> dict[str, int]:
    """Return calls in a second on one core by kind of call, each call on a fresh toolbox.

    The statements are compiled before; `sql_compile` counts statements that are met for the first
    time. `toolbox` makes a toolbox and calls nothing.

    Args:
        seconds: How long to measure each kind.
    """
    tools = list(connectors.tools().values())
    found: dict[str, int] = {}
    for kind, (tool, arguments) in _CALLS.items():
        found[kind] = _rate(_one_call(tool, arguments), seconds)
    found["toolbox"] = _rate(lambda: Toolbox(tools, base_world()), seconds)
    found["sql_compile"] = _rate(_compile_anew(), seconds)
    return found


def _one_call(tool: str, arguments: dict[str, Any]) -> Callable[[], object]:
    tools = list(connectors.tools().values())
    return lambda: Toolbox(tools, base_world()).call(tool, arguments)


def _compile_anew() -> Callable[[], object]:
    sql = str(_CALLS["sql_join"][1]["sql"])
    met = iter(range(10**9))
    return lambda: compile_query(f"{sql} LIMIT {next(met) + 1}")


def _rate(call: Callable[[], object], seconds: float) -> int:
    call()
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        call()
        done += 1
    return round(done / (time.perf_counter() - start))


if __name__ == "__main__":
    print(json.dumps(connector_calls_per_second(), indent=2))
