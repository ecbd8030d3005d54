"""Models of gold conversations: a computed skeleton with authored words."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models.base import Model, Record
from skillbench_tasks.models.skill import Outcome

__all__ = [
    "Act",
    "AskedUser",
    "CallError",
    "Change",
    "Fact",
    "GoldCall",
    "GoldConversation",
    "GoldTurn",
    "MustSay",
]


class CallError(Model):
    """Why a tool call failed, as the agent saw it."""

    code: str
    message: str
    retryable: bool

    @classmethod
    def of(cls, failure: ToolFailure) -> CallError:
        """Return a failure as the agent sees it."""
        return cls(code=failure.code, message=failure.message, retryable=failure.retryable)

    @property
    def is_refusal(self) -> bool:
        """Whether the call was refused as it stood, so that nothing ran: no such tool, misfit."""
        return self.code in ("invalid_arguments", "unknown_tool")


class Fact(Model):
    """A value that a message expresses; with `forms`, any of those wordings will do."""

    name: str
    value: JsonValue
    forms: tuple[str, ...] = ()


class ToldFirst(Fact):
    """A fact that the agent has told before a call of the tool `before`."""

    before: str


class MustSay(Fact):
    """A fact that any right agent tells the user.

    With `after`, only once a call of one of these tools has been carried out: it tells of their
    effect.
    """

    after: tuple[str, ...] = ()


class GoldCall(Model):
    """A call of the reference flow with what the world answered."""

    tool: str
    arguments: dict[str, JsonValue]
    result: JsonValue = None
    error: CallError | None = None


class Act(Model):
    """One thing that an agent message does, and the facts it must express."""

    kind: Literal["say", "ask", "confirm", "hand_over", "decline"]
    act: str
    facts: tuple[Fact, ...] = ()
    slots: tuple[str, ...] = ()
    claims: tuple[int, ...] = ()
    must: tuple[str, ...] = ()


class AskedUser(Model):
    """What a user turn gives: told slots, an answer to a confirmation, changed slots."""

    tells: dict[str, JsonValue] = Field(default_factory=dict)
    unable: tuple[str, ...] = ()
    confirmed: bool | None = None
    changes: dict[str, JsonValue] = Field(default_factory=dict)


class GoldTurn(Model):
    """A turn of a gold conversation: computed skeleton, authored text (empty until written)."""

    role: Literal["user", "agent"]
    text: str = ""
    user: AskedUser | None = None
    calls: tuple[GoldCall, ...] = ()
    acts: tuple[Act, ...] = ()


class Change(Model):
    """A record that differs between the start and the end of a run (`None`: not there)."""

    collection: str
    key: str
    before: Record | None
    after: Record | None


class GoldConversation(Model):
    """The reference run of a scenario: turns, end and target world (as changes)."""

    scenario: str
    skeleton: str
    turns: tuple[GoldTurn, ...]
    outcome: Outcome
    changes: tuple[Change, ...]
