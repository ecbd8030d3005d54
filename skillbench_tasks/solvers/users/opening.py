"""The request in the user's own words, taken from his opening."""

from __future__ import annotations

import re

from skillbench_tasks.models import Scenario
from skillbench_tasks.solvers.users.consent import action_score

__all__ = ["own_words"]

_SENTENCE = re.compile(r"(?<=[.?!])\s+")
_WISH = re.compile(
    r"\b(?:want|need|like|help|can you|could you|please|trying|wonder|would|have to|problem|issue|"
    r"wrong|about|question|refund|cancel|change|move|update|not|why)\b",
    re.I,
)
_GREETING = re.compile(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|dear \w+)(?: there| all)?[,.! ]+", re.I
)


def own_words(scenario: Scenario, request: str = "") -> str:
    """Return what the user wants as he put it in his opening, without greeting or planted words.

    Args:
        scenario: The user's scenario.
        request: Of several requests the one meant; where no sentence fits it, all that he wishes.
    """
    opening = scenario.opening
    if scenario.injection is not None:
        opening = opening.replace(scenario.injection.text, " ")
    sentences = [_GREETING.sub("", s).strip() for s in _SENTENCE.split(opening.strip())]
    sentences = [sentence for sentence in sentences if sentence]
    if request:
        fitting = [s for s in sentences if action_score(request, s.lower()) >= 0.5]
        if fitting:
            return fitting[0]
    wishes = [sentence for sentence in sentences if _WISH.search(sentence)]
    return " ".join(wishes[:2] or sentences[:2] or [scenario.requests[0].replace("_", " ")])
