"""Numbers in digits and in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["DIGIT_WORDS", "NUMBER_WORDS", "number_in_words", "number_of_words", "word_numbers"]

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {w: n for n, w in enumerate(_ONES)} | {w: 10 * n for n, w in enumerate(_TENS, 2)}

_UNIT = "|".join(sorted(_ONES[1:], key=len, reverse=True))
_DIGIT = "|".join(_ONES[1:10])
_BELOW_100 = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{_DIGIT})\b)?|{_UNIT}|zero)\b"
_BELOW_10_000 = (
    rf"(?:(?:{_BELOW_100}|an?)[ -](?:hundred|thousand)\b(?:,? (?:and )?{_BELOW_100}"
    rf"(?: hundred\b(?: (?:and )?{_BELOW_100})?)?)?|{_BELOW_100})"
)
NUMBER_WORDS = re.compile(
    rf"(?<![\w-])(?P<whole>{_BELOW_10_000})"
    rf"(?:(?: dollars?| pounds?| euros?)?(?: and)? (?P<part>{_BELOW_100})(?P<cents> cents?\b)?)?",
    re.I,
)
"""A number in words, perhaps followed by a second one ("forty-nine ninety")."""

DIGIT_WORDS = re.compile(rf"\b(?:(?:{_DIGIT}|zero|oh)[ ,-]+){{2,}}(?:{_DIGIT}|zero|oh)\b", re.I)
"""Digits spelled one by one: "four four one seven"."""

_WORD = re.compile(r"[a-z]+")


def number_of_words(words: str) -> int:
    """Return the number that `words` name ("one hundred and twenty" → 120)."""
    total = part = 0
    for word in _WORD.findall(words.lower()):
        if word == "hundred":
            part = max(part, 1) * 100
        elif word == "thousand":
            total, part = total + max(part, 1) * 1000, 0
        elif word in ("a", "an"):
            part = 1
        else:
            part += _VALUES.get(word, 0)
    return total + part


@lru_cache(maxsize=1024)
def number_in_words(number: int) -> str:
    """Return the words of a number from 0 to 100 ("forty-nine")."""
    if number == 100:
        return "one hundred"
    if number < 20:
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")


def word_numbers(match: re.Match[str]) -> Iterator[float]:
    """Yield what a match of `NUMBER_WORDS` may mean."""
    whole = number_of_words(match["whole"])
    if match["part"] is None:
        yield float(whole)
        return
    part = number_of_words(match["part"])
    between = match[0][len(match["whole"]) : match.start("part") - match.start()]
    if match["cents"] or part >= 10:
        yield round(whole + part / 100, 2)
    if " and" in between or not between.strip():
        yield float(whole)
        yield float(part)
