"""Whole gold conversations as Inspect samples, for the closed loop."""

from __future__ import annotations

from collections.abc import Iterable

from inspect_ai.dataset import MemoryDataset, Sample

from skillbench_tasks.datasets.conversations import ConversationSource
from skillbench_tasks.datasets.splits import novelty_of
from skillbench_tasks.models.conversation import CalledTool, Conversation, Said
from skillbench_tasks.models.replay_record import GOLD_KEY

__all__ = ["replay_dataset"]


def replay_dataset(source: ConversationSource, ids: Iterable[str]) -> MemoryDataset:
    """Return one sample for each conversation; its input is what the user says first.

    The metadata hold the gold conversation, so that a finished log can be judged anew. They never
    reach the model.

    Args:
        source: Where the conversations come from.
        ids: Which of them; those in which the assistant decides nothing are left out.
    """
    found = (source.conversation(one) for one in ids)
    return MemoryDataset([_sample(one) for one in found if one.decisions], name=source.name)


def _sample(conversation: Conversation) -> Sample:
    calls = sum(isinstance(step, CalledTool) for step in conversation.steps)
    return Sample(
        id=conversation.id,
        input=_opening(conversation),
        target=f"{len(conversation.decisions)} decisions, {calls} of them calls",
        metadata={
            "conversation": conversation.id,
            "skill": conversation.workflow,
            "kind": conversation.kind,
            "novelty": novelty_of(conversation) if conversation.case else "foreign",
            "needs": "tools" if calls else "no_tools",
            GOLD_KEY: {"json": conversation.model_dump_json()},
        },
    )


def _opening(conversation: Conversation) -> str:
    first = conversation.steps[0]
    is_user = isinstance(first, Said) and first.role == "user"
    return first.text if isinstance(first, Said) and is_user else "(The assistant begins.)"
