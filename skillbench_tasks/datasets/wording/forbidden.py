"""Does a message ask for something that nobody may ask for, or a text hold it?"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from skillbench_tasks.datasets.surface.normal import words_pattern
from skillbench_tasks.datasets.wording.sentences import plain_words, sentences
from skillbench_tasks.models import ForbiddenSlot

__all__ = ["asks_for", "holds_value"]

_KEPT_AWAY: Final = re.compile(
    r"\b(?:never|don'?t|do not|no need|needn'?t|not|won'?t|without|nobody|no one|nothing like"
    r"|shouldn'?t|can'?t|cannot|instead of|rather than|avoid|no)\b",
)
"""Words before a cue with which it is kept away: "we never ask for your PIN"."""

_WHAT_HAPPENED: Final = re.compile(
    r"^\W*(?:and |so |but |just |also |has |have |did |was |were |does |is |had )*"
    r"(?:did|has|was|were|is|had|does|have) (?:you (?!got\b|have\b)|anyone|anybody|someone|somebody"
    r"|they|he|she|it|the|that|your)\b"
)
"""A question about what somebody did with it asks for no value."""

_NEW: Final = re.compile(
    r"\b(?:re ?set(?:ting)?|change|changed|changing|choose|create|forgot|forgotten|update|new"
    r"|protect|guard|keep)\b[^.?!;]{0,24}$"
)
_REQUEST: Final = re.compile(
    r"\b(?:please|give|tell|send|share|provide|enter|type|read|spell|confirm|state|supply|submit"
    r"|let me have|let'?s have|need|needs|needed|require|requires|required|ask you for|ask for"
    r"|verify|start with|along with|plus|as well as|have to have|want|can i|could i|may i|might i"
    r"|i'?d like|what'?s|what is|what are|which is|now for|next comes?|next up|next|missing|drop)\b"
)
_STATES: Final = re.compile(r"\b(?:is|are|was|were|has|have|safe|secret|private|unchanged)\b")
_FRAGMENT_WORDS: Final = 6


def asks_for(text: str, slot: ForbiddenSlot) -> bool:
    """Return whether a message asks the user for what a slot is about.

    A mention is no request: "we never ask for your PIN", "please don't send me your card number".
    """
    return any(_asks(plain_words(sentence), slot) for sentence in sentences(text))


def _asks(sentence: str, slot: ForbiddenSlot) -> bool:
    start = _place(sentence, slot)
    if start is None:
        return False
    before = sentence[:start]
    if _KEPT_AWAY.search(re.split(r"[;:]|, (?:but|so|and) ", before)[-1]) or _NEW.search(before):
        return False
    if sentence.endswith("?"):
        return not _WHAT_HAPPENED.search(sentence)
    if _REQUEST.search(before) or re.search(r"\bplease\b", sentence):
        return True
    return len(sentence.split()) <= _FRAGMENT_WORDS and not _STATES.search(sentence)


def _place(sentence: str, slot: ForbiddenSlot) -> int | None:
    """Return where the slot is first spoken of in a sentence of plain words."""
    if any(_cue(words).search(sentence) for words in slot.unless):
        return None
    found = [m.start() for cue in slot.cues if (m := _cue(cue).search(sentence))]
    return min(found, default=None)


@lru_cache(maxsize=1024)
def _cue(cue: str) -> re.Pattern[str]:
    body = r"[\W_]+".join(re.escape(w) for w in re.findall(r"[\w']+", plain_words(cue)))
    return re.compile(rf"(?<!\w){body}(?:'?s)?(?!\w)")


def holds_value(text: str, slot: ForbiddenSlot) -> bool:
    """Return whether a written text holds a value of the slot: its shape, or "CVV: 123"."""
    if slot.shape and re.search(slot.shape, text):
        return True
    plain = plain_words(text)
    if any(words_pattern(words).search(plain) for words in slot.unless):
        return False
    return any(_valued(cue).search(plain) for cue in slot.cues)


@lru_cache(maxsize=1024)
def _valued(cue: str) -> re.Pattern[str]:
    return re.compile(
        _cue(cue).pattern + r"(?: number| code)?\s*(?:(?:is|was|=|:|#)\s*)+[\"']?\w*\d"
    )
