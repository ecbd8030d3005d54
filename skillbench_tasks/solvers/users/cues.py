"""Which slots a sentence names: cues matched from left to right, the longest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from skillbench_tasks.models import SlotSpec
from skillbench_tasks.solvers.users.sentences import tokens

__all__ = ["SPEAKERS", "CueIndex", "Mention", "key_words"]

# Words that stand or fall without changing what is asked.
_LIGHT = frozenset(
    (
        "a",
        "an",
        "the",
        "your",
        "my",
        "our",
        "this",
        "that",
        "these",
        "those",
        "please",
        "s",
        "exact",
        "kindly",
        "her",
        "his",
        "their",
    )
)
_TYPO_LENGTH = 5
_SAME = {"we": "i", "us": "me"}
_PAUSE = re.compile(r"[,;:()/\n]")
_CONTRACTIONS = {"i'm": "i am", "what's": "what is", "don't": "do not",
    "you'd": "you would", "item's": "item",
                 "month's": "month"}  # fmt: skip

# "What should I change your phone number to?" asks for the new one, without the word.
_NEW = re.compile(
    r"\bto what\b|\b(?:change|update|switch|replace|set|correct|move)\w* (?:it|that|this|them|"
    r"[\w' ]{3,30}?) (?:to|with)\b(?! (?:you|me|us|our|verify|your account))|"
    r"\b(?:would|do) you (?:like|want|prefer)"
    r"(?: me| us)? ?to (?:use|have|put|set|add|switch|change|update)|\bwould you "
    r"(?:prefer|rather)\b"
    r"|\bshould (?:it|this|that|they|the \w+) (?:go|be)\b|\bshould (?:i|we) (?:use|"
    r"put|update|change|set|save|add|have|send|enter|replace)"
    r"|\bgoing forward\b|\bfrom now on\b|\binstead\b|\bthe new one\b|\bwant on file\b"
    r"|\brelocat|\bmov(?:e|ed|ing) to\b|\byou(?: would|'d)? (?:like|want)\b(?! me| us)"
)
_NEW_WORD = re.compile(r"\b(?:new|updated|different|replacement|alternative|corrected) (?:\w+ )?$")
_CURRENT = re.compile(
    r"\b(?:on file|current(?:ly)?|existing|old|registered|previous|we have|linked|associated|"
    r"to verify|identity|verification|on (?:the|your) account|signed up)\b"
)
_PRESENT = re.compile(
    r"\b(?:doesn't|does not|no longer|don't|do not|won't) (?:suit|work|fit)\w*\b|\bat the moment\b|"
    r"\bcurrent(?:ly)?\b|\bexisting\b|\bits date\b|\bis (?:on|set|booked|scheduled) (?:for )?now\b|"
    r"\bvisit is (?:on|set|booked|scheduled)\b|\bis it (?:set|booked|scheduled)\b|\b(?:want|need|"
    r"like|have) "
    r"(?:to (?:be )?|it )?(?:moved?|changed?|cancell?(?:ed)?|rescheduled?)\b"
)
_YOUR_NAME = re.compile(r"\byour (?:own )?(?:full )?name$")
_OF_ACCOUNT = re.compile(r" (?:on|for|as it|under|of) ")
_EMAIL_OF = {"new_address": "new_email", "address": "email"}
_NEW_OF = {"phone": "new_phone", "email": "new_email", "address": "new_address",
           "full_name": "new_name", "size": "new_size", "colour": "new_colour",
           "quantity": "new_quantity", "plan_name": "new_plan"}  # fmt: skip


SPEAKERS = ("caller_name", "authorised_person")
"""Slots for the name of somebody who acts for the account holder."""


@dataclass(frozen=True)
class Mention:
    """A cue in a sentence: the slots it may mean, the place of its words and their number."""

    slots: tuple[str, ...]
    start: int
    end: int
    words: int = 1


class CueIndex:
    """Finds the slots that a sentence names."""

    def __init__(self, slots: Mapping[str, SlotSpec]) -> None:
        self._cues: dict[tuple[str, ...], list[str]] = {}
        for name, spec in slots.items():
            for cue in (*spec.cues, spec.label, name.replace("_", " ")):
                names = self._cues.setdefault(tuple(key_words(cue)), [])
                names += [n for n in _meant(name, cue) if n in slots and n not in names]
        self._cues.pop((), None)
        self._longest = max((len(cue) for cue in self._cues), default=0)
        self._vocabulary = {word for cue in self._cues for word in cue}
        self._near = _near_words(self._vocabulary)
        self._slots = frozenset(slots)

    def find(self, text: str) -> tuple[Mention, ...]:
        """Return the mentions of a unified text (see `Sentence.text`), in order."""
        words = [(w, m.start(), m.end()) for m in tokens(text) for w in _forms(m[0])]
        words = [(self._corrected(w), s, e) for w, s, e in words if w not in _LIGHT]
        found: list[Mention] = []
        i = 0
        while i < len(words):
            size = self._size_at(words, i, text)
            if size:
                names = self._cues[tuple(w for w, _, _ in words[i : i + size])]
                found.append(Mention(tuple(names), words[i][1], words[i + size - 1][2], size))
            i += size or 1
        return self._with_new(found, text)

    def _size_at(self, words: list[tuple[str, int, int]], i: int, text: str) -> int:
        """Return how many words the longest cue that starts at word `i` takes; none: 0."""
        best, key = 0, []
        for j in range(i, min(i + self._longest, len(words))):
            if j > i and _PAUSE.search(text, words[j - 1][2], words[j][1]):
                break
            key.append(words[j][0])
            if tuple(key) in self._cues:
                best = len(key)
        return best

    def _with_new(self, found: list[Mention], text: str) -> tuple[Mention, ...]:
        named = {slot for mention in found for slot in mention.slots}
        found = [
            Mention((f"new_{m.slots[0].removeprefix('full_')}",), m.start, m.end)
            if m.slots[0] in _NEW_OF and _NEW_WORD.search(text[: m.start])
            else m
            for m in found
        ]
        found = [_of_topic(m, text) for m in found]
        if not _NEW.search(text) or _CURRENT.search(text):
            return tuple(found)
        return tuple(
            Mention((new,), m.start, m.end)
            if (new := _NEW_OF.get(m.slots[0], "")) in self._slots
            else m
            for m in found
            if _NEW_OF.get(m.slots[0]) not in named
        )

    def _corrected(self, word: str) -> str:
        if word in self._vocabulary or len(word) < _TYPO_LENGTH or not word.isalpha():
            return word
        for form in (word, *_deletions(word)):
            for near in self._near.get(form, ()):
                if _is_typo(word, near):
                    return near
        return word


def _of_topic(mention: Mention, text: str) -> Mention:
    """Return what is meant where the topic tells: "the email: what is the new address"."""
    is_own = mention.slots == ("full_name",) and _YOUR_NAME.search(text[: mention.end])
    if is_own and not _OF_ACCOUNT.match(text, mention.end):
        return Mention((*SPEAKERS, "full_name"), mention.start, mention.end, mention.words)
    meant = _EMAIL_OF.get(mention.slots[0])
    if meant and re.search(r"\bemail\b[^,;]*:", text[: mention.start]):
        return Mention((meant,), mention.start, mention.end)
    if "new_date" in mention.slots and _PRESENT.search(text):
        return Mention(("current_date", *mention.slots), mention.start, mention.end)
    return mention


def _meant(name: str, cue: str) -> tuple[str, ...]:
    """Return the slots for a cue: who speaks need not be the account holder."""
    is_speaker = name in (*SPEAKERS, "full_name") and re.search(
        r"\b(?:own|who|whom|who's|speaking|talking)\b", cue
    )
    return (*SPEAKERS, name) if is_speaker else (name,)


def key_words(cue: str) -> Iterator[str]:
    """Yield the words of a text that tell, in their plain forms."""
    text = cue.lower().replace("e-mail", "email").replace("wi-fi", "wifi")
    text = re.sub(r"'re\b", " are", text)
    text = re.sub(r"'ve\b", " have", text)
    text = re.sub(r"\b(what|who|when|where|that|it|how)'s\b", r"\1 is", text)
    for match in tokens(text):
        for word in _forms(match[0]):
            if word not in _LIGHT:
                yield word


def _forms(word: str) -> Iterator[str]:
    for part in _CONTRACTIONS.get(word, word).split():
        yield _SAME.get(part, _stem(part))


@cache
def _stem(word: str) -> str:
    bare = word.removesuffix("'s")
    if len(bare) > 3 and bare.endswith("s") and not bare.endswith(("ss", "us", "is")):
        return bare[:-1]
    return bare


def _deletions(word: str) -> Iterator[str]:
    for i in range(1, len(word)):
        yield word[:i] + word[i + 1 :]


def _near_words(vocabulary: set[str]) -> dict[str, list[str]]:
    near: dict[str, list[str]] = {}
    for word in sorted(vocabulary):
        if len(word) >= _TYPO_LENGTH and word.isalpha():
            for form in (word, *_deletions(word)):
                near.setdefault(form, []).append(word)
    return near


def _is_typo(word: str, meant: str) -> bool:
    """Whether one letter is missing, doubled, swapped, or (in a long word) wrong."""
    if abs(len(word) - len(meant)) == 1:
        longer, shorter = (word, meant) if len(word) > len(meant) else (meant, word)
        return not longer.startswith(shorter) and any(d == shorter for d in _deletions(longer))
    if len(word) != len(meant) or word[0] != meant[0]:
        return False
    differing = [i for i, (a, b) in enumerate(zip(word, meant, strict=True)) if a != b]
    match differing:
        case [i, j] if j == i + 1:
            return word[i] == meant[j] and word[j] == meant[i]
        case [_]:
            return len(word) >= 7
        case _:
            return False
