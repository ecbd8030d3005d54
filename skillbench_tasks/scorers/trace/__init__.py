"""Scores of executions against reference executions of SOPs (protocol C)."""

from __future__ import annotations

from skillbench_tasks.scorers.trace.context import NoQueries, QueryEquality, ScoringContext
from skillbench_tasks.scorers.trace.score import (
    METRICS,
    Metric,
    TraceScore,
    VariantScore,
    trace_score,
    variant_score,
)

__all__ = [
    "METRICS",
    "Metric",
    "NoQueries",
    "QueryEquality",
    "ScoringContext",
    "TraceScore",
    "VariantScore",
    "trace_score",
    "variant_score",
]
