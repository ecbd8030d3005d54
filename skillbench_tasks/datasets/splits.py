"""The fixed splits of the shipped conversations: evaluation, validation, training.

The ids are stored in `splits.json`. `skillbench_tasks.datasets.split_building` makes them and says
by which rules.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, Literal

from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.files import model_from, read_json
from skillbench_tasks.models import Model
from skillbench_tasks.models.conversation import Conversation

__all__ = [
    "Novelty",
    "Split",
    "Splits",
    "load_splits",
    "novelty_of",
    "split_conversations",
]

_FILE: Final = Path(__file__).parent / "splits.json"

Novelty = Literal["seen_skill", "unseen_skill"]
"""Whether training has conversations of the same skill."""


class Split(StrEnum):
    """What a conversation is for."""

    EVALUATION = "evaluation"
    VALIDATION = "validation"
    TRAIN = "train"


class Splits(Model):
    """Ids of conversations by split, and the skills that only evaluation has."""

    unseen_skills: tuple[str, ...]
    evaluation: tuple[str, ...]
    validation: tuple[str, ...]
    train: tuple[str, ...]

    def ids(self, split: Split) -> tuple[str, ...]:
        """Return the ids of a split, in alphabetical order."""
        return {
            Split.EVALUATION: self.evaluation,
            Split.VALIDATION: self.validation,
            Split.TRAIN: self.train,
        }[split]

    def split_of(self, conversation_id: str) -> Split | None:
        """Return the split of a conversation; none if it is not one that ships."""
        return next((split for split in Split if conversation_id in self.ids(split)), None)


@cache
def load_splits() -> Splits:
    """Return the stored splits."""
    return model_from(Splits, read_json(_FILE), _FILE)


def split_conversations(split: Split) -> list[Conversation]:
    """Return the shipped conversations of a split, in alphabetical order of their ids."""
    source = open_conversations()
    return [source.conversation(one) for one in load_splits().ids(split)]


def novelty_of(conversation: Conversation) -> Novelty:
    """Return whether a conversation of the evaluation split is of a skill that training has."""
    unseen = conversation.workflow in load_splits().unseen_skills
    return "unseen_skill" if unseen else "seen_skill"
