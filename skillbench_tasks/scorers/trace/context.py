"""What the scorers need to know beside the two runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from skillbench_tasks.models import CollectionSpec
from skillbench_tasks.models.sop import ExecutedCall

__all__ = ["NoQueries", "QueryEquality", "ScoringContext"]


class QueryEquality(Protocol):
    """Compares arguments that hold a query by what the query does."""

    def arguments(self, tool: str) -> Collection[str]:
        """Return the names of a tool's arguments that hold a query, to be compared as such."""

    def equal(self, argument: str, reference: ExecutedCall, candidate: ExecutedCall) -> bool:
        """Return whether the queries of two calls of one tool give the same result, or state.

        Args:
            argument: Name of the argument; it may be missing in either call.
            reference: Call of the reference run.
            candidate: Call aligned with it; ids that it generated are replaced by the reference's.
        """


class NoQueries:
    """No tool has an argument that holds a query."""

    def arguments(self, tool: str) -> Collection[str]:
        """Return nothing."""
        return ()

    def equal(self, argument: str, reference: ExecutedCall, candidate: ExecutedCall) -> bool:
        """Compare nothing.

        Raises:
            ValueError: Always: no argument holds a query.
        """
        raise ValueError(f"{reference.tool} has no query {argument!r}")


@dataclass(frozen=True)
class ScoringContext:
    """What runs are scored with; one serves all variants that share a world's clock.

    Args:
        schemas: Full tool name → JSON Schema of its arguments.
        specs: Declarations of the collections.
        now: The world's clock, ISO 8601; empty: times are compared as they are written.
        queries: Compares arguments that hold a query.
    """

    schemas: Mapping[str, Mapping[str, Any]]
    specs: Mapping[str, CollectionSpec]
    now: str = ""
    queries: QueryEquality = field(default_factory=NoQueries)
