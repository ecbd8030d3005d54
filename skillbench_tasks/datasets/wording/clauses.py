"""Clauses of a sentence, and what denies, supposes or hedges them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = [
    "CONDITION",
    "DENIED",
    "REASONS",
    "clauses",
    "is_conditional",
    "is_denied",
    "is_hedged",
    "without_denials",
    "without_gifts",
]

DENIED: Final = re.compile(
    r"\b(?:not|never|no(?! longer)|nothing|nobody|without|neither|nor|cannot|unable|instead|hardly|"
    r"none|stays?|remains?)\b|n't\b"
)
CONDITION: Final = re.compile(
    r"\b(?:once|after|when|whenever|until|till|if|unless|before|as soon as|whether|as long as|how|"
    r"in case|by the time|would|could|might|may|should|as though|why|what|which|who|must|can|"
    r"needs? to|ha(?:ve|s) to|wants?|let|let's|because|whatever|whoever|whichever|that|though|"
    r"although|like|hope|think|know|"
    r"to|seems?|looks like|apparently|according)\b|'d\b"
)
_OPENS_CONDITION: Final = re.compile(
    r"^\W*(?:(?:and|but|so|then) )*(?:once|after|when|whenever|until|if|unless|before|as soon as|"
    r"as long as|in case|by the time|should)\b"
)
_CLAUSE: Final = re.compile(
    r"\s*(?:[;:()\"]|\s[-–—]+\s|—|,(?!\d)|\band (?=(?:i|we|it|your|the|they|you|that|a|an|all|our|"
    r"there|he|she|nothing|nobody|none)\b)|\b(?:but|so|because|while|which|although|though)\b"
    r"|\bas(?= (?:this|that|the|it|they|your|our|we|you)\b))\s*"
)
REASONS: Final = frozenset({"as", "because", "which", "while", "although", "though"})
"""They open what is told beside the matter: "because the bill was paid late"."""

_FREE: Final = re.compile(r"\b(?:at )?no (?:extra |additional |further )?(?:cost|charge)\b", re.I)


def clauses(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the word or mark that opens each clause, and the clause."""
    start, opener = 0, ""
    for gap in _CLAUSE.finditer(sentence):
        yield opener, sentence[start : gap.start()]
        start, opener = gap.end(), gap[0].strip()
    yield opener, sentence[start:]


def is_conditional(sentence: str) -> bool:
    """Return whether a sentence opens with a condition ("Once you confirm, …")."""
    return bool(_OPENS_CONDITION.search(sentence.lower()))


def is_denied(sentence: str, *, whole: bool = False) -> bool:
    """Return whether some clause of a sentence denies; with `whole`, whether each does."""
    parts = [part for part in _CLAUSE.split(sentence.lower()) if part.strip(" .!")]
    denied = (bool(DENIED.search(clause)) for clause in parts)
    return bool(parts) and (all(denied) if whole else any(denied))


def without_gifts(text: str) -> str:
    """Return a text without "at no cost" and the like, which deny nothing."""
    return _FREE.sub("", text)


def without_denials(sentence: str) -> str:
    """Return what is left of a sentence without the clauses that deny."""
    parts = [part.strip() for part in _CLAUSE.split(sentence) if part.strip(" .!")]
    kept = [clause for clause in parts if not DENIED.search(clause.lower())]
    return sentence if len(kept) == len(parts) else ", ".join(kept)


def is_hedged(sentence: str) -> bool:
    """Return whether a sentence holds a word of condition, wish or thought."""
    return bool(CONDITION.search(sentence.lower()))
