"""What judges say: verdicts, and why one is missing."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Generic, Literal, TypeVar

from pydantic import Field, model_validator

from skillbench_tasks.models.base import Model

__all__ = [
    "DIMENSIONS",
    "Completion",
    "FailureT",
    "JudgeVerdict",
    "Label",
    "LabelVerdict",
    "ReplayFailure",
    "TurnFailure",
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


class Label(StrEnum):
    """Protocol B's binary label."""

    PASS = "pass"
    FAIL = "fail"


class TurnFailure(StrEnum):
    """Why a next action is not acceptable; of several the one that weighs most.

    The names and their meanings (`scorers/rubrics/next_turn.md`) are ours.
    """

    NONE = "none"
    NO_ACTION = "no_action"
    POLICY_VIOLATION = "policy_violation"
    MISSING_STEP = "missing_step"
    WRONG_ACTION = "wrong_action"
    WRONG_ARGUMENTS = "wrong_arguments"
    UNGROUNDED = "ungrounded"
    PREMATURE = "premature"
    REPETITION = "repetition"
    UNCLEAR = "unclear"
    OTHER = "other"


class ReplayFailure(StrEnum):
    """Why a whole replay is no success; of several the one that weighs most.

    The names and their meanings (`scorers/rubrics/whole_replay.md`) are ours.
    """

    NONE = "none"
    STOPPED_EARLY = "stopped_early"
    TOOL_ERROR = "tool_error"
    POLICY_VIOLATION = "policy_violation"
    VERIFICATION_MISSING = "verification_missing"
    WRONG_TOOL_ACTION = "wrong_tool_action"
    UNSUPPORTED_CLAIM = "unsupported_claim"
    GOAL_NOT_COMPLETED = "goal_not_completed"
    OTHER = "other"


FailureT = TypeVar("FailureT", bound=StrEnum)


class LabelVerdict(Model, Generic[FailureT]):
    """A judge's binary label with its reasons; the category is `none` exactly when it is a pass."""

    kind: Literal["label"] = "label"
    rationale: str
    label: Label
    failure_category: FailureT

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> LabelVerdict[FailureT]:
        if (self.label is Label.PASS) != (self.failure_category == "none"):
            raise ValueError("the category is none exactly when the label is pass")
        return self


class UnscoredReason(StrEnum):
    """Why a judge's answer is no verdict."""

    EMPTY = "empty"
    NO_JSON = "no_json"
    INVALID = "invalid"
    CONTRADICTORY = "contradictory"
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
