"""A gold conversation in blocks: what the user says, then what the assistant does in answer."""

from __future__ import annotations

from collections.abc import Iterator

from skillbench_tasks.models import Model
from skillbench_tasks.models.conversation import CalledTool, Conversation, Said

__all__ = ["Block", "Due", "blocks_of"]


class Due(Model):
    """A decision that the gold conversation makes, by its number."""

    number: int
    step: Said | CalledTool

    @property
    def is_call(self) -> bool:
        """Whether it is a tool call."""
        return isinstance(self.step, CalledTool)


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
    number = 0
    for step in conversation.steps:
        if isinstance(step, Said) and step.role == "user":
            if due:
                yield Block(said=tuple(said), decisions=tuple(due))
                said, due = [], []
            said.append(step.text)
        else:
            due.append(Due(number=number, step=step))
            number += 1
    if due:
        yield Block(said=tuple(said), decisions=tuple(due))
