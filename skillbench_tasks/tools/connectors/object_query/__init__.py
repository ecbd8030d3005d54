"""The query language of the sales server: tokens → syntax tree → evaluation over records."""

from __future__ import annotations

from skillbench_tasks.tools.connectors.object_query.answering import run_object_query
from skillbench_tasks.tools.connectors.object_query.parsing import parse_query
from skillbench_tasks.tools.connectors.object_query.syntax import QueryFault

__all__ = ["QueryFault", "parse_query", "run_object_query"]
