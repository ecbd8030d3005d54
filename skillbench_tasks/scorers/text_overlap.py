"""ROUGE-1: which words of the reference a text has, and no others (`docs/turn-metrics.md`).

With the tokens of prediction and reference as multisets, the overlap is the sum of the smaller
counts; precision is overlap / predicted tokens, recall overlap / reference tokens, and F1 their
harmonic mean. That is Google's `rouge-score` with its default, no stemmer; the published protocol
names neither, and this is what a plain call of the package gives.

Tokens of a text whose letters are all ASCII are those of `rouge-score`: lower-case runs of letters
and digits. Beyond ASCII that package drops what it reads; here:

- a word is a run of letters, digits and their marks, in any script, composed (NFC);
- scripts that leave no blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) give
  one token for each character with its marks;
- emoji and other symbols are tokens where one of the two texts holds nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from skillbench_tasks.models import Model

__all__ = ["TextOverlap", "rouge_1", "tokens"]

_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_JOINER: Final = re.compile(r"(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")
"""Joiners shape the letters around them and part no word."""

_UNSPACED: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x312F),  # radicals, kana, bopomofo
    (0x3190, 0x31FF),  # bopomofo, kana, rarer
    (0x3400, 0x9FFF),  # Han
    (0xA000, 0xA4CF),  # Yi
    (0xF900, 0xFAFF),  # Han, compatible
    (0xFF66, 0xFF9F),  # half-width kana
    (0x1B000, 0x1B16F),  # kana, older
    (0x20000, 0x3FFFF),  # Han, rarer
)

_Kind: TypeAlias = Literal["word", "single", "mark", "symbol", "gap"]


class TextOverlap(Model):
    """ROUGE-1 of a text, 0–1; `reason` says why there was nothing to compare."""

    precision: float
    recall: float
    f1: float
    reason: str = ""


def rouge_1(prediction: str, reference: str) -> TextOverlap:
    """Return the ROUGE-1 of a prediction against its reference.

    A text without any token gives 0, with a reason.
    """
    got, want = tokens(prediction), tokens(reference)
    if not got or not want:
        got, want = tokens(prediction, symbols=True), tokens(reference, symbols=True)
    if not got or not want:
        which = "prediction" if not got else "reference"
        return TextOverlap(precision=0.0, recall=0.0, f1=0.0, reason=f"the {which} has no word")
    overlap = (Counter(got) & Counter(want)).total()
    precision, recall = overlap / len(got), overlap / len(want)
    f1 = 2 * precision * recall / (precision + recall) if overlap else 0.0
    return TextOverlap(precision=precision, recall=recall, f1=f1)


def tokens(text: str, *, symbols: bool = False) -> list[str]:
    """Return the tokens of a text, in order.

    Args:
        text: The text, in any script.
        symbols: Whether emoji and other symbols are tokens too.
    """
    lowered = text.lower()
    if lowered.isascii():
        return _ASCII_WORD.findall(lowered)
    found: list[str] = []
    before: _Kind = "gap"
    for character in _JOINER.sub("", unicodedata.normalize("NFC", lowered)):
        kind = _kind(character)
        if kind == "mark":
            if before in ("word", "single"):
                found[-1] += character
            continue
        if kind == "word" and before == "word":
            found[-1] += character
        elif kind in ("word", "single") or (kind == "symbol" and symbols):
            found.append(character)
        before = kind
    return found


@lru_cache(maxsize=4096)
def _kind(character: str) -> _Kind:
    category = unicodedata.category(character)
    if category[0] == "M":
        return "mark"
    if category == "So":
        return "symbol"
    if category[0] not in "LN":
        return "gap"
    point = ord(character)
    return "single" if any(first <= point <= last for first, last in _UNSPACED) else "word"
