"""Word n-grams that texts share: how much of an evaluation's wording a training set has seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from skillbench_tasks.datasets.surface.normal import word_text
from skillbench_tasks.models.conversation import Conversation

__all__ = ["NGRAM_WORDS", "Ngram", "agent_texts", "overlapping", "word_ngrams"]

NGRAM_WORDS: Final = 8
"""Words of an n-gram that counts as overlap (protocol B's split)."""

Ngram: TypeAlias = tuple[str, ...]
"""Words in a row."""

_WORD = re.compile(r"[^\W_]+")


def word_ngrams(text: str, size: int = NGRAM_WORDS) -> frozenset[Ngram]:
    """Return the n-grams of a text: lower case, without punctuation, numbers as they stand.

    A text of fewer words is one n-gram as a whole, so that short texts that are equal overlap too.
    """
    words = tuple(_WORD.findall(word_text(text)))
    if len(words) <= size:
        return frozenset({words}) if words else frozenset()
    return frozenset(words[at : at + size] for at in range(len(words) - size + 1))


def agent_texts(conversations: Iterable[Conversation]) -> dict[str, str]:
    """Return the assistant's messages: id of the decision → text."""
    found: dict[str, str] = {}
    for conversation in conversations:
        for decision in conversation.decisions:
            step = conversation.steps[decision.step]
            if step.step == "said":
                found[decision.id] = step.text
    return found


def overlapping(evaluation: Mapping[str, str], training: Iterable[str]) -> dict[str, list[Ngram]]:
    """Return the evaluation texts that share an n-gram with a training text.

    Args:
        evaluation: Name → text.
        training: Texts.

    Returns:
        Name → the n-grams shared, in alphabetical order; names without any are left out.
    """
    seen: set[Ngram] = set()
    for text in training:
        seen |= word_ngrams(text)
    shared = {name: sorted(word_ngrams(text) & seen) for name, text in evaluation.items()}
    return {name: found for name, found in shared.items() if found}
