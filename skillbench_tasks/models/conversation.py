"""Models of recorded conversations and of the decisions in them (`docs/conversation-format.md`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from skillbench_tasks.models.base import Model
from skillbench_tasks.models.gold import CallError

__all__ = ["CalledTool", "Conversation", "ConversationTool", "Decision", "Said", "Step"]


class ConversationTool(Model):
    """A tool as it was offered: name as a model calls it, description, JSON Schema of the input."""

    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    description: str = ""
    access: Literal["read", "write"] | None = None
    input_schema: dict[str, Any]


class Said(Model):
    """A message of one side; one of the assistant's with weight 0 is history and no decision."""

    step: Literal["said"] = "said"
    role: Literal["user", "assistant"]
    text: str = Field(min_length=1)
    weight: Literal[0, 1] = 1


class CalledTool(Model):
    """A tool call of the assistant with what came back: a result or an error; `weight` as above."""

    step: Literal["called"] = "called"
    tool: str
    arguments: dict[str, JsonValue]
    result: JsonValue = None
    error: CallError | None = None
    weight: Literal[0, 1] = 1


Step = Annotated[Said | CalledTool, Field(discriminator="step")]
"""One thing that happened. What the assistant did is a decision, unless its weight is 0."""


class Conversation(Model):
    """A recorded conversation: what the assistant knew, and what happened, in order.

    `workflow` names the procedure it follows; splits never part what shares a conversation or an
    instantiated user (`user`). `case` is the id of our own case where its world can be started.
    """

    id: str
    workflow: str
    kind: str
    user: str
    policy: str
    tools: tuple[ConversationTool, ...] = ()
    steps: tuple[Step, ...] = Field(min_length=1)
    case: str | None = None

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The assistant's actions that count, in order; numbers go over all its actions."""
        acted = [
            index
            for index, step in enumerate(self.steps)
            if isinstance(step, CalledTool) or step.role == "assistant"
        ]
        return tuple(
            Decision(conversation=self.id, number=number, step=index)
            for number, index in enumerate(acted)
            if self.steps[index].weight
        )


class Decision(Model):
    """One assistant action: its place in the conversation. History is what stands before `step`.

    The history is not copied: it is `conversation.steps[:step]`.
    """

    conversation: str
    number: int
    step: int

    @property
    def id(self) -> str:
        """`<conversation>#<number>`, numbers from 0."""
        return f"{self.conversation}#{self.number}"
