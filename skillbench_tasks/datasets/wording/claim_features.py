"""What the reader of claims sees of a sentence: words and letters in a row, and its grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from zlib import crc32

from skillbench_tasks.datasets.wording.clauses import is_conditional, is_denied, is_hedged
from skillbench_tasks.datasets.wording.effects import effects_in
from skillbench_tasks.datasets.wording.sentences import sentences

__all__ = ["BUCKETS", "buckets_of", "is_no_claim"]

BUCKETS: Final = 1 << 17
"""Places of the table of weights; a feature's is its CRC-32, modulo their number."""

_TOKEN: Final = re.compile(r"[\w']+|[?!.,;:—–-]")
_PLAIN: Final = (
    (re.compile(r"[\w.+-]+@[\w.-]+"), "EMAIL"),
    (re.compile(r"[$£€]\s?\d[\d.,]*|\d[\d.,]*\s?(?:euros?|dollars|pounds)\b"), "MONEY"),
    (re.compile(r"\b[a-z]{2,4}-?\d[\d-]*\b"), "CODE"),
    (re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"), "DAY"),
    (
        re.compile(
            r"\b(?:january|february|march|april|june|july|august|september|october|november"
            r"|december)\b"
        ),
        "MONTH",
    ),
    (re.compile(r"\d[\d.,:/]*\w*"), "NUM"),
)
_WORDS_MAX: Final = 4
_LETTERS: Final = (3, 4, 5)


def buckets_of(text: str) -> dict[int, float]:
    """Return the features of a sentence: bucket → value.

    Words in a row (1 to 4), words with one between, and letters in a row (3 to 5) of a word share
    one unit of length each; the marks of grammar weigh a third.
    """
    plain = text.lower().replace("’", "'")
    for pattern, name in _PLAIN:
        plain = pattern.sub(name, plain)
    words = ["BOS", *_TOKEN.findall(plain), "EOS"]
    found: dict[int, float] = {}
    for kind, value in (
        (set(_rows(words)), 1.0),
        (set(_letters(words)), 1.0),
        (set(_grammar(text)), 0.0),
    ):
        weight = value / len(kind) ** 0.5 if value and kind else 0.35
        for name in kind:
            bucket = crc32(name.encode()) % BUCKETS
            found[bucket] = found.get(bucket, 0.0) + weight
    return found


def _rows(words: list[str]) -> Iterator[str]:
    for size in range(1, _WORDS_MAX + 1):
        yield from ("w" + " ".join(words[i : i + size]) for i in range(len(words) - size + 1))
    yield from (f"s{a} {b}" for a, b in zip(words, words[2:], strict=False))


def _letters(words: list[str]) -> Iterator[str]:
    for word in {f" {word} " for word in words}:
        for size in _LETTERS:
            yield from ("c" + word[i : i + size] for i in range(len(word) - size + 1))


def _grammar(text: str) -> Iterator[str]:
    kinds: list[str] = [claim.kind for claim in effects_in(text)]
    yield from (f"g {kind}" for kind in kinds or ["none"])
    moods = [_mood(sentence) for sentence in sentences(text)] or ["empty"]
    yield from (f"m {mood}" for mood in moods)
    yield f"l {moods[-1]}"
    if len(set(moods)) == 1:
        yield f"o {moods[0]}"


def _mood(sentence: str) -> str:
    if sentence.endswith("?"):
        return "question"
    if is_conditional(sentence):
        return "condition"
    if is_denied(sentence):
        return "denial"
    return "hedge" if is_hedged(sentence) else "plain"


def is_no_claim(sentence: str) -> bool:
    """Return whether a sentence asks, supposes, or denies all that it says."""
    return sentence.endswith("?") or is_conditional(sentence) or is_denied(sentence, whole=True)
