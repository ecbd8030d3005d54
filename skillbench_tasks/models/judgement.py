"""What judges say: verdicts, and why one is missing."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from skillbench_tasks.models.base import Model

__all__ = [
    "DIMENSIONS",
    "Completion",
    "JudgeVerdict",
    "Unscored",
    "UnscoredReason",
]


class Completion(StrEnum):
    """Protocol A's scale of task completion."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"
    APPROPRIATELY_TRANSFERRED = "appropriately_transferred"
    APPROPRIATELY_OUT_OF_SCOPE = "appropriately_out_of_scope"


Grade = Annotated[int, Field(ge=1, le=5)]

DIMENSIONS: Final = (
    "workflow_adherence",
    "tool_use_correctness",
    "guardrail_compliance",
    "communication_quality",
    "resolution_efficiency",
)
"""The fields graded from 1 to 5, in the protocol's order."""


class JudgeVerdict(Model):
    """A judge's grades. The overall pass is not among them: code computes it."""

    kind: Literal["verdict"] = "verdict"
    rationale: str
    task_completion: Completion
    workflow_adherence: Grade
    tool_use_correctness: Grade
    guardrail_compliance: Grade
    communication_quality: Grade
    resolution_efficiency: Grade
    hallucinated_action: bool


class UnscoredReason(StrEnum):
    """Why a judge's answer is no verdict."""

    EMPTY = "empty"
    NO_JSON = "no_json"
    INVALID = "invalid"
    COPIED = "copied"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    FAILED = "failed"
    TIMED_OUT = "timed_out"


class Unscored(Model):
    """A verdict that is missing, and why; it never counts as a low grade."""

    kind: Literal["unscored"] = "unscored"
    reason: UnscoredReason
    detail: str
