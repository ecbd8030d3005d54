"""Wording that conversations share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from skillbench_tasks.datasets.wording.sentences import plain_words, sentences

__all__ = ["opening_overlaps", "repeated_sentences"]


def opening_overlaps(
    openings: Mapping[str, str], bound: float = 0.8
) -> list[tuple[str, str, float]]:
    """Return the pairs of openings that share more than `bound` of their words.

    Args:
        openings: Scenario id → opening.
        bound: Jaccard index of the sets of words above which two openings are too much alike.

    Returns:
        Both ids in the mapping's order and the index, the most alike first.
    """
    words = {
        name: frozenset(re.findall(r"[\w']+", plain_words(text))) for name, text in openings.items()
    }
    pairs = []
    for (a, of_a), (b, of_b) in combinations(words.items(), 2):
        if min(len(of_a), len(of_b)) <= bound * max(len(of_a), len(of_b)) and of_a and of_b:
            continue  # too unlike in length to share that much
        index = len(of_a & of_b) / len(of_a | of_b) if of_a | of_b else 1.0
        if index > bound:
            pairs.append((a, b, index))
    return sorted(pairs, key=lambda pair: -pair[2])


def repeated_sentences(
    conversations: Mapping[str, Sequence[str]], share: float = 0.05
) -> list[tuple[str, int]]:
    """Return the agent sentences that stand in more than `share` of the conversations.

    A sentence is compared in lower case without punctuation, with every number as "#", and counts
    once for a conversation. Short ones count too, down to a single word. A sentence of one
    conversation only is never repeated, however few conversations there are.

    Args:
        conversations: Scenario id → messages of the agent.
        share: Bound, as a share of the conversations.

    Returns:
        Normalised sentence and number of conversations, the most frequent first.
    """
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for name, messages in conversations.items():
        for message in messages:
            for sentence in sentences(message):
                if normal := _normalised(sentence):
                    holders[normal].add(name)
    bound = max(share * len(conversations), 1)
    counts = [(sentence, len(names)) for sentence, names in holders.items() if len(names) > bound]
    return sorted(counts, key=lambda pair: (-pair[1], pair[0]))


def _normalised(sentence: str) -> str:
    plain = re.sub(r"\d[\d.,:]*", "#", plain_words(sentence)).replace("'", "")
    return " ".join(re.findall(r"[^\W_]+|#", plain))
