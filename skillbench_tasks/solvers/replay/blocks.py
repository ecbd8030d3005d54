"""A gold conversation in blocks: what the user says, then what the assistant does in answer."""

from __future__ import annotations

from collections.abc import Iterator

from skillbench_tasks.models import Model
from skillbench_tasks.models.conversation import CalledTool, Conversation, Said

__all__ = ["Block", "Due", "blocks_of"]


class Due(Model):
    """A step that the gold conversation makes; the calls of a decision set share its number.

    `place` counts steps of the assistant, `number` decisions. `is_optional`: nothing is missed
    without it.
    """

    place: int
    number: int
    step: Said | CalledTool
    is_optional: bool = False

    @property
    def is_call(self) -> bool:
        """Whether it is a tool call."""
        return isinstance(self.step, CalledTool)

    @property
    def call(self) -> CalledTool:
        """The call that it is."""
        assert isinstance(self.step, CalledTool)
        return self.step


class Block(Model):
    """The user's messages (none where the assistant begins) and the decisions that follow."""

    said: tuple[str, ...]
    decisions: tuple[Due, ...]


def blocks_of(conversation: Conversation) -> Iterator[Block]:
    """Yield the blocks of a conversation; what the user says after the last decision is left out.

    Args:
        conversation: The gold conversation.
    """
    said: list[str] = []
    due: list[Due] = []
    starts = {decision.step for decision in conversation.decisions}
    number = place = -1
    for index, step in enumerate(conversation.steps):
        if isinstance(step, Said) and step.role == "user":
            if due:
                yield Block(said=tuple(said), decisions=tuple(due))
                said, due = [], []
            said.append(step.text)
        else:
            place, number = place + 1, number + (index in starts)
            can_do_without = (
                isinstance(step, CalledTool) and step.tool in conversation.optional_tools
            )
            due.append(Due(place=place, number=number, step=step, is_optional=can_do_without))
    if due:
        yield Block(said=tuple(said), decisions=tuple(due))
