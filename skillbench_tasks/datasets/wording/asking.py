"""How many things a message asks a user for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from skillbench_tasks.datasets.wording.questions import bare_words, cue_spans, requests_in

__all__ = ["things_asked"]

_INSTEAD: Final = re.compile(
    r"\bif (?:you|it|that|either|one)\b(?! (?:can |could |would )?(?:give|tell|send|share|let)\b)"
    r"|\bunless\b|\botherwise\b|\bfailing (?:that|this)\b"
    r"|\binstead\b|\bin case\b",
    re.IGNORECASE,
)
"""From here on a sentence names what does in the place of something."""

_OR: Final = re.compile(r"\bor\b|\beither\b|/", re.IGNORECASE)
_READ_BACK: Final = re.compile(
    r"\d|[\"“”@]|\b(?:shall|should|may|can|could) (?:i|we)\b(?! (?:have|get|ask|take|trouble"
    r"|please|bother|see))|\b(?:want|like) (?:me|us) to\b",
    re.IGNORECASE,
)
"""A sentence that holds values, or offers a deed, asks for a yes and not for values."""


_ASIDE: Final = re.compile(
    r"\b(?:take|at|in|this|that|next|last|first|one|same|any|each|every|some|more|all)"
    r"(?: (?:your|the|up|all|of|much|own)){0,3} time\b"
    r"|\b(?:so (?:that )?|in order )(?:i|we|to)\b[^,.;:?]*",
    re.IGNORECASE,
)
"""Words that name no thing asked for: "take your time", "so that I can see what happened"."""


_ELSEWHERE: Final = re.compile(
    r"\b(?:contact|call|visit|phone|reach|turn to|speak (?:to|with)|talk to|ask|go to|head to|try|"
    r"get in touch with|get (?:it|that|this|them) from) (?:the|our|them|any|a"
    r"|your (?:local|nearest))\b|\b\w+\.\w+/\w|\b(?:on|at|in) (?:the|that|our|your) (?:\w+ )?"
    r"(?:page|site|website|portal|app)\b",
    re.IGNORECASE,
)
"""A sentence that sends the user elsewhere asks for nothing."""


class _Place(NamedTuple):
    start: int
    end: int
    slots: frozenset[str]


def things_asked(text: str, cues: Mapping[str, tuple[str, ...]]) -> list[frozenset[str]]:
    """Return the different things that a message asks for, each as the slots that may be meant.

    Alternatives ("a or b") are one.

    Args:
        text: The message.
        cues: The words by which things are asked for, by slot.
    """
    asked: list[frozenset[str]] = []
    for sentence in requests_in(text):
        if _READ_BACK.search(sentence) or _ELSEWHERE.search(sentence):
            continue
        plain = _INSTEAD.split(_ASIDE.sub(" ", sentence))[0]
        asked += [one for one in _asked(bare_words(plain), cues) if one not in asked]
    return asked


def _asked(sentence: str, cues: Mapping[str, tuple[str, ...]]) -> list[frozenset[str]]:
    """Return the things named, each as the slots that may be meant; "a or b" is one."""
    found: list[_Place] = []
    for place in _places(sentence, cues):
        if found and _OR.search(sentence[found[-1].end : place.start]):
            found[-1] = _Place(found[-1].start, place.end, found[-1].slots | place.slots)
        else:
            found.append(place)
    distinct: list[frozenset[str]] = []
    for place in found:
        if not any(place.slots & other for other in distinct):
            distinct.append(place.slots)
    return distinct


def _places(sentence: str, cues: Mapping[str, tuple[str, ...]]) -> Iterator[_Place]:
    """Yield where things are named, from left to right, the longest cue first."""
    spans: dict[tuple[int, int], set[str]] = {}
    for slot, words in cues.items():
        for cue in words:
            for span in cue_spans(sentence, cue):
                spans.setdefault(span, set()).add(slot)
    end = -1
    for start, stop in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start > end:
            end = stop
            yield _Place(start, stop, frozenset(spans[start, stop]))
