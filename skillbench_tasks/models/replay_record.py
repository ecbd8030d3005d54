"""What a closed-loop run leaves of one conversation: what happened, and how each decision went."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue

from skillbench_tasks.models.base import Model
from skillbench_tasks.models.gold import CallError

__all__ = [
    "GOLD_KEY",
    "REPLAY_KEY",
    "CallStatus",
    "DecisionOutcome",
    "Match",
    "Outcome",
    "ReplayRecord",
    "ReplayedCall",
    "ReplayedText",
]

REPLAY_KEY: Final = "skillbench:replay"
"""Where a sample's store holds the replay."""

GOLD_KEY: Final = "gold"
"""Where a sample's metadata hold the gold conversation, as JSON text."""


class Match(StrEnum):
    """What a call must be to stand for the reference call."""

    STRICT = "strict"
    EQUIVALENT = "equivalent"


class Outcome(StrEnum):
    """How the model fared at one decision of the gold conversation."""

    DONE = "done"
    """At the first try."""
    CORRECTED = "corrected"
    """After a rejected try."""
    PASSED_OVER = "passed_over"
    """A text between calls that was not said: no error."""
    REJECTED = "rejected"
    """Every try was rejected: an unresolved error."""
    LEFT_OUT = "left_out"
    """A call that the workflow can do without was not made: no error."""
    MISSED = "missed"
    """The turn ended without it: an unresolved error."""
    NOT_REACHED = "not_reached"
    """A limit broke the replay off before."""


class CallStatus(StrEnum):
    """What became of a call."""

    MATCHED = "matched"
    """It is the reference call."""
    EQUIVALENT = "equivalent"
    """It does what the reference call does."""
    EXTRA_READ = "extra_read"
    """It is none of the reference, reads and changes nothing (`match=equivalent` alone)."""
    REJECTED = "rejected"


class ReplayedText(Model):
    """A message: the gold user's, or the model's with the decision that it stands for."""

    kind: Literal["said"] = "said"
    role: Literal["user", "assistant"]
    text: str
    decision: int | None = None


class ReplayedCall(Model):
    """A call of the model, what became of it and what the model was answered.

    `decision` is the gold call that was due; `reason` says why it was rejected, and is not told to
    the model. `other_wording`: it was rejected, and is a gold call that was due but for the words
    of its free texts.
    """

    kind: Literal["called"] = "called"
    tool: str
    arguments: dict[str, JsonValue] | None
    status: CallStatus
    decision: int | None = None
    reason: str = ""
    result: JsonValue = None
    error: CallError | None = None
    other_wording: bool = False


ReplayEvent = Annotated[ReplayedText | ReplayedCall, Field(discriminator="kind")]


class DecisionOutcome(Model):
    """How one decision went; numbers as in `Conversation.decisions`, `rejections` are tries.

    `calls` counts those of a decision set (1 for a single call, 0 for a text); its outcome is the
    worst of its calls'. `other_wording`: what stands unresolved was tried, right but for the words
    of free texts. `optional`: the workflow can do without it.
    """

    number: int
    action: Literal["text", "tool"]
    outcome: Outcome
    rejections: int = 0
    calls: int = 0
    other_wording: bool = False
    optional: bool = False

    @property
    def is_unresolved(self) -> bool:
        """Whether the error stands: rejected to the last try, missed, or never reached."""
        return self.outcome in (Outcome.REJECTED, Outcome.MISSED, Outcome.NOT_REACHED)

    @property
    def has_error(self) -> bool:
        """Whether there was an error, put right or not."""
        return self.is_unresolved or self.rejections > 0


class ReplayRecord(Model):
    """A closed-loop replay; `decisions` has one outcome for each decision of the conversation."""

    match: Match
    retries: int
    events: tuple[ReplayEvent, ...]
    decisions: tuple[DecisionOutcome, ...]
    versions: dict[str, str]
