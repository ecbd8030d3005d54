"""How scorers hear what an agent or a user says: yes, no, questions, stated values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["is_affirmative", "is_negative"]

_YES: Final = re.compile(
    r"\b(yes|yep|yeah|yup|sure|ok|okay|correct|right|exactly|absolutely|definitely|certainly|"
    r"confirmed?|agreed?|fine|perfect|sounds good|works for me|that works|go ahead|go for it|"
    r"please do|do it|do that|proceed|of course|by all means|happy with that|all good|"
    r"looks (?:good|right)|that'?s (?:it|right|correct|fine|good)|let'?s do)\b",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"\b(no|nope|nah|don'?t|do not|stop|wait|hold on|not today|cancel that|never ?mind|"
    r"not (?:yet|that|right|"
    r"correct|quite)|wrong|incorrect|instead|rather not|changed my mind|actually|"
    r"think (?:about|on) it|think it over|"
    r"not sure|unsure|maybe later|get back to you|let me (?:check|ask|see|think)|hesitate|"
    r"need (?:some |more )?time|sleep on it|in two minds|undecided|hang on|later)\b",
    re.IGNORECASE,
)
_HARMLESS_NO: Final = re.compile(
    r"\b(no (?:problem|worries|rush|need to|trouble|issue)|why not|don'?t (?:worry|mind)|"
    r"can'?t wait|no,? that'?s (?:all|fine|it))\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(if|unless|provided|as long as|only when|but (?:only|not|first|what|how|when|is|does|can|"
    r"could|would|will|why|who|isn'?t))\b",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")


def is_affirmative(text: str, acts: Sequence[str] = ()) -> bool:
    """Return whether a user message says yes.

    A yes stands in a statement without a condition: "Right, and can I change it later?" and "Sure,
    if it is free" are none.

    Args:
        text: The message.
        acts: What a scripted user knows that it did; decides where given.
    """
    if acts:
        return any(act.startswith("confirm:") for act in acts)
    if is_negative(text):
        return False
    return any(_is_plain_yes(sentence) for sentence in _SENTENCE.findall(text))


def _is_plain_yes(sentence: str) -> bool:
    is_question = sentence.rstrip().endswith("?")
    return bool(_YES.search(sentence)) and not is_question and not _CONDITION.search(sentence)


def is_negative(text: str, acts: Sequence[str] = ()) -> bool:
    """Return whether a user message says no, or takes something back."""
    if acts:
        return any(act.startswith(("refuse:", "change:")) for act in acts)
    return bool(_NO.search(_HARMLESS_NO.sub(" ", text)))
