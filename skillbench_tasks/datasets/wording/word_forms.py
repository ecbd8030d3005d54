"""Forms of words: stems, and which words are past forms or participles of verbs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from snowballstemmer import stemmer

__all__ = ["is_participle", "is_past", "stem", "stems_in", "stems_of"]

_IRREGULAR: Final = Path(__file__).parent / "irregular_verbs.txt"
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NO_VERB: Final = frozenset(
    re.findall(
        r"\w+",
        """
    need feed seed speed indeed red hundred bed shed embed exceed proceed succeed wed led ed united
    limited interested tired sacred naked wicked advanced detailed related untouched unchanged
    unopened unused unaffected unharmed unexpected aged speckled checked striped colored
    coloured sized
    """,
    )
)
"""Words in -ed that are no participles, or that tell a quality and no deed."""


@cache
def _irregular() -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Return base forms by other form, past forms, participles."""
    bases: dict[str, str] = {}
    past: set[str] = set()
    participles: set[str] = set()
    for line in _IRREGULAR.read_text(encoding="utf-8").splitlines():
        base, was, been = line.split()
        past |= set(was.split(","))
        participles |= set(been.split(","))
        bases |= dict.fromkeys([*was.split(","), *been.split(",")], base)
    return bases, frozenset(past), frozenset(participles)


@cache
def _stemmer() -> stemmer:
    return stemmer("english")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; "sent" and "sends" have that of "send"."""
    bases, _, _ = _irregular()
    word = word.lower().replace("e-mail", "email")
    return str(_stemmer().stemWord(bases.get(word, word)))


def stems_in(text: str) -> frozenset[str]:
    """Return the stems of the words of a text."""
    return frozenset(map(stem, _WORD.findall(text.lower().replace("e-mail", "email"))))


def stems_of(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of some words."""
    return frozenset(map(stem, words))


def is_participle(word: str) -> bool:
    """Return whether a word in lower case is the past participle of some verb."""
    return word in _irregular()[2] or _is_regular(word)


def is_past(word: str) -> bool:
    """Return whether a word in lower case is the simple past of some verb."""
    return word in _irregular()[1] or _is_regular(word)


def _is_regular(word: str) -> bool:
    return len(word) > 3 and word.endswith("ed") and word not in _NO_VERB
