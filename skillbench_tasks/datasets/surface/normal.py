"""Text in the form in which it is read: plain quotes and dashes, no accents, no markup."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["normal_text", "squeezed", "word_text", "words_pattern"]

_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d", '"'),
        **dict.fromkeys("*`", None),
    }
)
_MERIDIEM = re.compile(r"(?<=[\d\s])([ap])\.\s?m\b\.?", re.I)
_SPAN = re.compile(
    r"(?<=[ap]m)\s?-\s?(?=\d)|(?<=/\d\d)\s?-\s?(?=\d{1,2}/\d)|(?<=/\d)\s?-\s?(?=\d{1,2}/\d)"
    r"|(?<=\d)\s?-\s?(?=(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d)",
    re.I,
)
"""The dash of a span between two times or dates, for which "to" is read."""

_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=4096)
def normal_text(text: str) -> str:
    """Return `text` with plain characters, single blanks, and "am" for "a.m.". Case is kept.

    A span of times or days is written with "to": "8 AM to 12 PM".
    """
    plain = unicodedata.normalize("NFKD", text.translate(_CHARACTERS))
    if not plain.isascii():
        plain = "".join(c for c in plain if not unicodedata.combining(c))
    return _SPAN.sub(" to ", _MERIDIEM.sub(r"\1m", " ".join(plain.split())))


@lru_cache(maxsize=4096)
def word_text(text: str) -> str:
    """Return the normal text in lower case and without apostrophes."""
    return normal_text(text).lower().replace("'", "")


def squeezed(text: str) -> str:
    """Return only the letters and digits of `text`, in lower case."""
    return "".join(c for c in text.lower() if c.isalnum())


@lru_cache(maxsize=8192)
def words_pattern(words: str) -> re.Pattern[str]:
    """Return a pattern for these words in a `word_text`, whatever stands between them.

    Words match as whole words, and a number is not found inside a longer one.
    """
    tokens = _WORD.findall(word_text(words))
    body = r"[\W_]+".join(map(re.escape, tokens)) if tokens else re.escape(word_text(words))
    return re.compile(rf"(?<![^\W_])(?<!\d[.,]){body}(?![^\W_])(?![.,]\d)")
