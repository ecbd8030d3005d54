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
    """A tool call of the assistant with what came back: a result, or an error; weight as a message.

    `with_previous` says that it was made in one message with the call before it: calls of one
    message are one decision, whatever their order.
    """

    step: Literal["called"] = "called"
    tool: str
    arguments: dict[str, JsonValue]
    result: JsonValue = None
    error: CallError | None = None
    weight: Literal[0, 1] = 1
    with_previous: bool = False


Step = Annotated[Said | CalledTool, Field(discriminator="step")]
"""One thing that happened. What the assistant did is a decision or part of one, unless its weight
is 0."""


class Conversation(Model):
    """A recorded conversation: what the assistant knew, and what happened, in order.

    `workflow` names the procedure it follows; splits never part what shares a conversation or an
    instantiated user (`user`). `case` is the id of our own case where its world can be started.
    Calls of `optional_tools` are right where the gold conversation makes them, and nothing is
    missed without them.
    """

    id: str
    workflow: str
    kind: str
    user: str
    policy: str
    tools: tuple[ConversationTool, ...] = ()
    steps: tuple[Step, ...] = Field(min_length=1)
    case: str | None = None
    optional_tools: tuple[str, ...] = ()

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The assistant's actions that count, in order; calls of one message are one.

        Numbers go over all its actions, also those of weight 0.
        """
        starts = [
            index
            for index, step in enumerate(self.steps)
            if (
                not step.with_previous if isinstance(step, CalledTool) else step.role == "assistant"
            )
        ]
        return tuple(
            Decision(conversation=self.id, number=number, step=index, size=self._size(index))
            for number, index in enumerate(starts)
            if self.steps[index].weight
        )

    def _size(self, index: int) -> int:
        """Return how many steps the decision has that begins at a step."""
        size = 1
        while index + size < len(self.steps):
            step = self.steps[index + size]
            if not isinstance(step, CalledTool) or not step.with_previous:
                break
            size += 1
        return size

    def calls(self, decision: Decision) -> tuple[CalledTool, ...]:
        """Return the calls of a decision; none where it is a text."""
        steps = self.steps[decision.step : decision.step + decision.size]
        return tuple(step for step in steps if isinstance(step, CalledTool))


class Decision(Model):
    """One assistant action: its place in the conversation. History is what stands before `step`.

    The history is not copied: it is `conversation.steps[:step]`. `size` counts its steps: more than
    one are a *decision set*, the calls of one message.
    """

    conversation: str
    number: int
    step: int
    size: int = 1

    @property
    def id(self) -> str:
        """`<conversation>#<number>`, numbers from 0."""
        return f"{self.conversation}#{self.number}"
