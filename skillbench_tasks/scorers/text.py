"""How scorers hear a user's yes and no where nobody recorded what he did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["is_affirmative", "is_negative"]

_YES: Final = re.compile(
    r"\b(yes|yep|yeah|yup|sure|ok|okay|alright|all right|correct|right|exactly|absolutely|"
    r"definitely|certainly|confirm(?:ed)?|approved?|agreed?|fine|perfect|great|lovely|wonderful|"
    r"excellent|brilliant|sounds (?:good|great|fine|perfect|right)|works for me|that works|"
    r"go ahead|go for it|please do|do it|do that|proceed|of course|by all means|happy with that|"
    r"i'?d (?:like|love) that|i'?d appreciate that|that would be|all good|let'?s do|"
    r"looks (?:good|right|correct)|that'?s (?:it|right|correct|fine|good|perfect))\b|\U0001f44d",
    re.IGNORECASE,
)
_WITHDRAWN: Final = re.compile(
    r"\b(?:wait|hold on|hold off|hang on|stop|changed my mind|rather not|never ?mind|"
    r"(?:don'?t|do not) (?:do|go|book|send|change|cancel|proceed|make|move|issue|order|save|"
    r"refund|want (?:that|this|it)|touch|switch|submit|place)|"
    r"not (?:yet|now|today|that|quite|right|correct|so fast|sure|what i)|unsure|hesitate|"
    r"let me (?:check|ask|see|think)|think (?:about|on) it|think it over|get back to you|"
    r"need (?:some |more )?time|sleep on it|in two minds|undecided|maybe later|"
    r"that'?s wrong|incorrect|i'?d prefer|second thoughts?)\b",
    re.IGNORECASE,
)
_NO_FIRST: Final = re.compile(
    r"^\W*(?:(?:um+|uh+|hmm+|oh|well|sorry|ah|er)\W+)*"
    r"(?:(?:no|nope|nah)\b(?! (?:problem|worries|rush|trouble|issue|objection))|"
    r"actually\b(?!,? (?:yes|that'?s|perfect|great))|instead\b)",
    re.IGNORECASE,
)
_ALL_DONE: Final = re.compile(r"^\W*no\b,? (?:that'?s|thanks|thank you|nothing)", re.IGNORECASE)
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


def is_negative(text: str, acts: Sequence[str] = ()) -> bool:
    """Return whether a user message says no to what it answers, or takes something back.

    A "no" in passing ("yes, no other changes", "I don't have one") is none.
    """
    if acts:
        return any(act.startswith(("refuse:", "change:")) for act in acts)
    if _WITHDRAWN.search(text):
        return True
    return bool(_NO_FIRST.search(text)) and not _ALL_DONE.search(text)


def _is_plain_yes(sentence: str) -> bool:
    is_question = sentence.rstrip().endswith("?")
    return bool(_YES.search(sentence)) and not is_question and not _CONDITION.search(sentence)
