"""Sentences and plain words of a message."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["plain_words", "sentences"]

_SENTENCE = re.compile(r"[^.!?\n]+(?:(?<=\d)\.(?=\d)[^.!?\n]*|\.(?=\w)[^.!?\n]*)*[.!?]*")


def sentences(text: str) -> list[str]:
    """Return the sentences, each with its mark; a point within a number or name ends none."""
    return [s.strip().rstrip("\"')*") for s in _SENTENCE.findall(text) if s.strip(" .!?\"')*")]


@lru_cache(maxsize=1024)
def plain_words(text: str) -> str:
    """Return `text` in lower case, with plain apostrophes and no hyphens."""
    plain = text.lower().replace("’", "'").replace("e-mail", "email").replace("-", " ")
    return " ".join(plain.split())
