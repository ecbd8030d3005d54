"""Which of the slots that a scenario has a question means, where no cue of one stands in it.

A scenario has about a dozen slots. Among so few, single words, the kind of answer that a question
wants ("which day", "how many") and the options that it offers tell which one is meant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import cache

from skillbench_tasks.models import SlotSpec
from skillbench_tasks.solvers.users.cues import key_words
from skillbench_tasks.solvers.users.literals import times_stated
from skillbench_tasks.solvers.users.memory import IDENTITY, Memory

__all__ = ["Narrowing", "wanted_kind"]

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("number", re.compile(r"\b(?:how many|what quantity|which quantity|what number of)\b")),
    ("money", re.compile(r"\b(?:how much|what amount|which amount|what sum)\b")),
    ("email", re.compile(r"\b(?:what|which|new|your) email\b|\bemail address\b")),
    ("time_window", re.compile(r"\b(?:what|which) (?:time|window|slot|hours)\b|\bwhat part of\b")),
    (
        "date",
        re.compile(
            r"\b(?:what|which|the|another|other) (?:\w+ )?(?:day|date)\b"
            r"|^(?:(?!what|which|how|who|where).)*\bwhen\b"
        ),
    ),
    ("address", re.compile(r"\bwhere\b|\b(?:what|which|new) address\b")),
    ("name", re.compile(r"\bwhom?\b|\b(?:what|which) name\b")),
)  # fmt: skip
_WHY = re.compile(r"\b(?:why|reason|what ma(?:de|kes)|what for|how come)\b")
_WISH = re.compile(r"\b(?:would you|rather|prefer|suit|convenient|better|should|want)\b")
_ONE_OF = re.compile(r"\bwhich (?:one|of)\b|\bone of (?:the|them|these|those)\b")
_HOW = re.compile(
    r"^(?:and |so )?how (?:should|shall|would|do|can|will)\b"
    r"|\b(?:which|what) way (?:should|shall|would|do|can|will) (?:i|we|it|you want)\b"
)
_LISTED_KINDS = frozenset({"choice", "text", "id"})
_OPTIONS = re.compile(r"\bor\b|\bwhich\b|\bwhat\b|\bhow\b|\bone\b|\beither\b|\.\.\.")
_STOP = frozenset(
    re.findall(
        r"[a-z]+",
        """what which when where who whom why how is are was were be been am do does did has have
        had will would can could should shall may might i me you it to of for on in at by with
        and or not no so if as from up out about there here then now also just like want need
        get know tell give let us we they he she one any some else file account more still new
        date number full other""",
    )
)
_THRESHOLD = 2.4
_MARGIN = 1.25
_OFFERED = 3.0
_NO_REASON = 0.6
_NO_CUE = 0.6
_TOLD = 0.6


def wanted_kind(text: str) -> str | None:
    """Return the type of value that a lower-case question wants, where its words tell."""
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), None)


class Narrowing:
    """Guesses the slot of a question among those of one scenario.

    Args:
        memory: What the user knows.
        slots: What agents can ask for, by name.
        names: The slots of the scenario, with those that it says the user does not know.
    """

    def __init__(self, memory: Memory, slots: Mapping[str, SlotSpec], names: Iterable[str]) -> None:
        self._memory = memory
        self._slots = slots
        self._names = tuple(name for name in names if name in slots)

    def guess(
        self, text: str, message: str, *, is_identity: bool = True, is_sure: bool = False
    ) -> str | None:
        """Return the one slot that a question most likely means, or `None`.

        Args:
            text: The question, unified.
            message: All that the agent said, as written: it may list options.
            is_identity: Whether slots that say who the user is may be meant.
            is_sure: Whether only much likeness counts.
        """
        names = [n for n in self._names if is_identity or n not in IDENTITY]
        kind = wanted_kind(text)
        is_elsewhere = kind == "address"
        if kind is not None:
            of_kind = [n for n in names if self._memory.kind(n) == kind]
            kind = kind if of_kind else None  # "Where do you plan to use it?" wants no address
            names = of_kind or [n for n in names if self._memory.kind(n) in _LISTED_KINDS]
        elif _ONE_OF.search(text):
            names = [n for n in names if self._memory.kind(n) in _LISTED_KINDS]
        elif _WHY.search(text):
            names = [n for n in names if n.endswith("_reason")]
        scores = sorted(((self._score(n, text, message), n) for n in names), reverse=True)
        if kind is not None or _WHY.search(text):
            goals = [n for n in names if n not in IDENTITY]
            if len(goals) == 1 and (not scores[0][0] or scores[0][1] in goals):
                return goals[0]
        is_typed = kind is not None or bool(_WHY.search(text))
        is_sure |= is_elsewhere and kind is None
        needed = _THRESHOLD * (2.0 if is_sure else 0.5 if is_typed else 1.0)
        if kind is not None and (wished := self._wished(names, text)):
            return wished
        if not scores or scores[0][0] < needed:
            return self._only_choice(names) if _HOW.search(text) else None
        is_clear = len(scores) == 1 or scores[0][0] >= _MARGIN * scores[1][0]
        first, last = (scores[0][1], scores[1][1]) if not is_clear else ("", "")
        if first and first.rpartition("_")[0] == last.rpartition("_")[0]:
            return self._memory.span(first)[0]  # of a span's two ends the first
        if not is_clear and _HOW.search(text):
            return self._only_choice(names)
        return scores[0][1] if is_clear else None

    def _wished(self, names: Iterable[str], text: str) -> str | None:
        """Return the one new value that the user has still to tell where his wish is asked for."""
        new = [n for n in names if n.startswith("new_") and not self._memory.is_told(n)]
        return new[0] if len(new) == 1 and _WISH.search(text) else None

    def among(self, names: Iterable[str], text: str, message: str) -> str | None:
        """Return which of some slots a question speaks for the most; `None`: none stands out."""
        scores = sorted(((self._score(n, text, message), n) for n in names), reverse=True)
        return scores[0][1] if scores[0][0] > _MARGIN * scores[1][0] else None

    def _only_choice(self, names: Iterable[str]) -> str | None:
        """Return the one choice that the user has still to tell: "how" asks for nothing else."""
        open_ones = [
            name
            for name in names
            if self._memory.kind(name) == "choice"
            and self._memory.has(name)
            and not self._memory.is_told(name)
        ]
        return open_ones[0] if len(open_ones) == 1 else None

    def _score(self, name: str, text: str, message: str) -> float:
        weights = _weights(name, self._slots[name])
        words = {_bare(word) for word in key_words(text)}
        rarity = _rarity(self._slots)
        if name.endswith("_reason") and not _WHY.search(text):
            rarity = {word: weight * _NO_REASON for word, weight in rarity.items() if word in words}
        score = sum(weights[w] * rarity.get(w, 0.0) for w in words if w in weights)
        if name in IDENTITY:  # the cues of these are many; a mere likeness is not enough
            return score * _NO_CUE
        is_option = _OPTIONS.search(text)
        if is_option and self._memory.has(name) and self._memory.stated(name, message):
            score += _OFFERED if self._varies(name, message) else 1.0
        return score * _TOLD if self._memory.is_told(name) else score

    def _varies(self, name: str, message: str) -> bool:
        """Whether a message offers several values of a slot's type, so that one is to be chosen."""
        kind = self._memory.kind(name)
        return kind not in ("date", "time_window") or times_stated(message, kind) > 1


_SAME = {
    "begin": "start", "began": "start", "begun": "start", "beginning": "start", "come": "came",
    "finish": "end",
    "over": "end", "kept": "keep", "sent": "send", "mail": "post", "brought": "bring",
    "sort": "kind", "type": "kind", "stuff": "thing", "purchase": "buy", "quantity": "many",
}  # fmt: skip


def _bare(word: str) -> str:
    bare = re.sub(r"(?<=\w{3})(?:ing|ed)$|(?<=\w{4})(?:ly|ion|y|e|ship)$", "", word)
    return _SAME.get(word, bare)


_kept: dict[int, tuple[Mapping[str, SlotSpec], dict[str, float]]] = {}


def _rarity(slots: Mapping[str, SlotSpec]) -> Mapping[str, float]:
    """Return how much each word tells, kept for each mapping of slots."""
    kept = _kept.get(id(slots))
    if kept is None or kept[0] is not slots:
        counts: dict[str, int] = {}
        for name, spec in slots.items():
            for word in _weights(name, spec):
                counts[word] = counts.get(word, 0) + 1
        rarity = {word: math.log(len(slots) / n) for word, n in counts.items()}
        kept = _kept[id(slots)] = (slots, rarity)
    return kept[1]


def _weights(name: str, spec: SlotSpec) -> Mapping[str, float]:
    return _words_of(name, spec.label, spec.cues)


@cache
def _words_of(name: str, label: str, cues: tuple[str, ...]) -> Mapping[str, float]:
    """Return the words that speak for a slot: those of its name the most, of its cues less."""
    weights = {_bare(w): 0.7 for cue in cues for w in key_words(cue)}
    weights |= {_bare(w): 1.0 for text in (name.replace("_", " "), label) for w in key_words(text)}
    return {word: weight for word, weight in weights.items() if word not in _STOP}
