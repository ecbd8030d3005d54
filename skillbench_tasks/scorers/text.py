"""How scorers hear a user's yes and no where nobody recorded what he did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["is_affirmative", "is_negative", "is_withdrawn"]

_STRONG: Final = re.compile(
    r"\b(?:yes|yep|yeah|yup|yea|sure|absolutely|definitely|certainly|of course|by all means|"
    r"go ahead|go for it|please do|do (?:it|that|so)|proceed|approved?|agreed?|confirm(?:ed)?|"
    r"sounds (?:good|great|fine|perfect|right)|works for me|that works|let'?s do|"
    r"i'?d (?:like|love|appreciate) that|happy with that)\b|\U0001f44d",
    re.IGNORECASE,
)
"""A yes even where more is asked in the same breath."""

_WEAK: Final = re.compile(
    r"^\W*(?:(?:oh|ah|um+|uh+|hmm+|well|then|so|and|that'?s|that is|it'?s|all|sounds|looks|"
    r"yeah)\W+)*"
    r"(?:ok|okay|alright|right|correct|exactly|fine|perfect|great|lovely|"
    r"wonderful|excellent|brilliant|good|that would be|i guess|i suppose|kk?|mm?-?hm+|uh-?huh|"
    r"works)\b"
    r"|\b(?:that'?s|looks|all|is|be|everything'?s) (?:it|right|correct|fine|good|perfect|"
    r"great)\W*$",
    re.IGNORECASE,
)
"""A yes where it opens a statement or is all of it: "I hope this is right: 23601" is none."""

_COMMAND: Final = re.compile(
    r"^\W*(?:(?:ok|okay|then|and|so|just|please|well|fine|great|good)\W+)*"
    r"(?!(?:don'?t|do|never|forget|leave|keep|skip|drop|stop|scrap|hold|pass|is|was|does|has|can|"
    r"could|would|should|will|of|for|with|about|let|see|but|not|like|tell|check)\b)"
    r"[a-z]{3,}(?: (?:up|in|off|on|out))? (?:it|them|both|away)\b",
    re.IGNORECASE,
)
"""The deed itself as a command: "Book it."."""

_WITHDRAWN: Final = re.compile(
    r"\b(?:wait(?! (?:any|much|for|until|till|to)\b)|hold on|hold off|hang on|"
    r"stop(?! by\b)|changed my mind|rather not|never ?mind|forget (?:it|that|about)|scrap that|"
    r"drop it|cancel that(?! (?:one|order|visit|request)\b)|then don'?t|no way|"
    r"(?:please|no,?) don'?t|"
    r"(?:absolutely|definitely|certainly|of course|surely|please) not|"
    r"(?:don'?t|do not|can'?t|cannot|won'?t) (?:agree|approve|consent|accept)|disagree|"
    r"(?:don'?t|do not) (?:do|go|book|send|change|cancel|proceed|make|move|issue|order|save|"
    r"refund|want (?:that|this|it)|touch|switch|submit|place)|"
    r"not (?:yet|now|today|that|quite|right|correct|so fast|sure|okay|ok|what i)|unsure|hesitate|"
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
    r"\b(if(?! (?:that|this|it)(?:'?s| is) (?:really |all )?(?:ok|okay|alright|right|fine|possible|"
    r"not too)\b)|unless|provided|as long as|only when|"
    r"but (?:only|not|first|what|how|when|is|does|can|could|would|will|why|who|isn'?t))\b",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
_CLAUSE: Final = re.compile(r"[^,;]+")


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
    said = text.replace("’", "'")
    if is_negative(said):
        return False
    return any(_is_plain_yes(sentence) for sentence in _SENTENCE.findall(said))


def is_negative(text: str, acts: Sequence[str] = ()) -> bool:
    """Return whether a user message says no to what it answers, or takes something back.

    A "no" in passing ("yes, no other changes", "I don't have one") is none.
    """
    if acts:
        return any(act.startswith(("refuse:", "change:")) for act in acts)
    if is_withdrawn(text):
        return True
    return bool(_NO_FIRST.search(text)) and not _ALL_DONE.search(text)


def is_withdrawn(text: str) -> bool:
    """Return whether a message takes something back in so many words, whatever was asked."""
    return bool(_WITHDRAWN.search(text.replace("’", "'")))


def _is_plain_yes(sentence: str) -> bool:
    if _CONDITION.search(sentence):
        return False
    if sentence.rstrip().endswith("?"):
        first = _CLAUSE.findall(sentence)
        return len(first) > 1 and len(first[0].split()) <= 3 and bool(_STRONG.search(first[0]))
    return bool(_STRONG.search(sentence) or _WEAK.search(sentence) or _COMMAND.search(sentence))
