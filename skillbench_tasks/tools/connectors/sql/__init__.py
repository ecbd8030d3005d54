"""SQL of the warehouse.

Statements are parsed and bound by sqlglot, held against lists of what is offered, and run by SQLite
on a database in memory that holds the touched tables alone.
"""

from __future__ import annotations

__all__: list[str] = []
