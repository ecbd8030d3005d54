"""Which slots a sentence names: cues matched from left to right, the longest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from skillbench_tasks.models import SlotSpec
from skillbench_tasks.solvers.users.sentences import tokens

__all__ = ["CueIndex", "Mention"]

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
    )
)
_TYPO_LENGTH = 5
_LOOSE_WORDS = 3
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
    r"|\bmov(?:e|ed|ing) to\b|\byou(?: would|'d)? (?:like|want)\b(?! me| us)"
)
_NEW_WORD = re.compile(r"\b(?:new|updated|different|replacement|alternative|corrected) (?:\w+ )?$")
_CURRENT = re.compile(
    r"\b(?:on file|current(?:ly)?|existing|old|registered|previous|we have|linked|associated|"
    r"to verify|identity|verification|on (?:the|your) account|signed up)\b"
)
_NEW_OF = {"phone": "new_phone", "email": "new_email", "address": "new_address",
           "full_name": "new_name", "size": "new_size", "colour": "new_colour",
           "quantity": "new_quantity", "plan_name": "new_plan"}  # fmt: skip


@dataclass(frozen=True)
class Mention:
    """A cue in a sentence: the slots it may mean and the place of its words."""

    slots: tuple[str, ...]
    start: int
    end: int


class CueIndex:
    """Finds the slots that a sentence names."""

    def __init__(self, slots: Mapping[str, SlotSpec]) -> None:
        self._cues: dict[tuple[str, ...], list[str]] = {}
        for name, spec in slots.items():
            for cue in (*spec.cues, spec.label, name.replace("_", " ")):
                names = self._cues.setdefault(tuple(_key_words(cue)), [])
                if name not in names:
                    names.append(name)
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
                found.append(Mention(tuple(names), words[i][1], words[i + size - 1][2]))
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

    def find_loose(self, text: str) -> tuple[str, ...]:
        """Return the slots of which all words of a longer cue stand in a text, in any order.

        For questions in which `find` sees nothing; the slots with the longest such cue.
        """
        words = {self._corrected(w) for m in tokens(text) for w in _forms(m[0])}
        best, slots = _LOOSE_WORDS - 1, list[str]()
        for cue, names in self._cues.items():
            if len(cue) >= max(best, _LOOSE_WORDS) and words.issuperset(cue):
                slots = [*slots, *names] if len(cue) == best else list(names)
                best = len(cue)
        return tuple(dict.fromkeys(slots))

    def _with_new(self, found: list[Mention], text: str) -> tuple[Mention, ...]:
        named = {slot for mention in found for slot in mention.slots}
        found = [
            Mention((f"new_{m.slots[0].removeprefix('full_')}",), m.start, m.end)
            if m.slots[0] in _NEW_OF and _NEW_WORD.search(text[: m.start])
            else m
            for m in found
        ]
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


def _key_words(cue: str) -> Iterator[str]:
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
