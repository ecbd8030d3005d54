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
    r"\b(no|nope|nah|don'?t|do not|stop|wait|hold on|cancel that|never ?mind|not (?:yet|that|right|"
    r"correct|quite)|wrong|incorrect|instead|rather not|changed my mind|actually)\b",
    re.IGNORECASE,
)
_HARMLESS_NO: Final = re.compile(
    r"\b(no (?:problem|worries|rush|need to|trouble|issue)|why not|don'?t (?:worry|mind)|"
    r"can'?t wait|no,? that'?s (?:all|fine|it))\b",
    re.IGNORECASE,
)


def is_affirmative(text: str, acts: Sequence[str] = ()) -> bool:
    """Return whether a user message says yes.

    Args:
        text: The message.
        acts: What a scripted user knows that it did; decides where given.
    """
    if acts:
        return any(act.startswith("confirm:") for act in acts)
    return bool(_YES.search(text)) and not is_negative(text)


def is_negative(text: str, acts: Sequence[str] = ()) -> bool:
    """Return whether a user message says no, or takes something back."""
    if acts:
        return any(act.startswith(("refuse:", "change:")) for act in acts)
    return bool(_NO.search(_HARMLESS_NO.sub(" ", text)))
