"""The description of a SOP: a purpose, then the requirements in an order that is not causal."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from skillbench_tasks.datasets.sops.drafts import Draft, Sentence
from skillbench_tasks.datasets.sops.ledger import nodes_of

__all__ = ["description_of", "shuffled"]


def description_of(sop_id: str, draft: Draft) -> str:
    """Return the text that a model reads.

    Args:
        sop_id: Decides the order of the requirements.
        draft: The SOP.
    """
    lines = [f"- {sentence.text}" for sentence in shuffled(sop_id, draft)]
    return "\n".join([draft.purpose, "", "Requirements, in no particular order:", *lines])


def shuffled(sop_id: str, draft: Draft) -> tuple[Sentence, ...]:
    """Return the requirements in an order that hangs on the id and is not that of the workflow.

    Args:
        sop_id: Id of the SOP.
        draft: The SOP.
    """
    for attempt in range(100):
        mixed = sorted(draft.sentences, key=lambda one: _draw(sop_id, attempt, one.text))
        if not is_causal(mixed, draft):
            return tuple(mixed)
    return tuple(mixed)  # one or two requirements have no other order


def is_causal(sentences: Sequence[Sentence], draft: Draft) -> bool:
    """Return whether requirements stand in the order in which the workflow meets them."""
    labels = [str(node["note"]) for node in nodes_of(draft.program["steps"])]
    places = [place for one in sentences if (place := _place(one, labels)) is not None]
    return len(places) > 1 and places == sorted(places)


def _place(sentence: Sentence, labels: Sequence[str]) -> int | None:
    named = [one.partition(":")[2].partition(".")[0] for one in sentence.covers]
    return min((labels.index(name) for name in named if name in labels), default=None)


def _draw(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()
