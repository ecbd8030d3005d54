"""Does a text tell a value, or only to deny it?

A value is denied where a negation or contrast stands right before it ("not $89.00", "rather than
on the 24th", "isn't the 24th"), or where it is the subject of what is called wrong. What is told
of a deed is denied by any negation before it in its clause as well ("we did not refund $89.00").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.surface.expressing import expresses
from skillbench_tasks.datasets.surface.mentions import scanned
from skillbench_tasks.datasets.surface.normal import normal_text

__all__ = ["tells"]

_CUE: Final = re.compile(
    r"\b(?:not(?! (?:only|just|merely|simply|later|earlier|before|after|until|till|more|less)\b)"
    r"|never|no longer|any(?:thing)? but|rather than|instead of|as opposed to|far from|nor"
    r"|neither|hardly|cannot"
    r"|(?:is|was|are|were|wo|will|would|does|did|do|has|have|had|ca|could|should|ai)n[' ]?t)\b",
    re.IGNORECASE,
)
_LIGHT: Final = re.compile(
    r"[^\w.?!;]*(?:(?:any ?more|exactly|quite|really|actually|even|going to|gonna|supposed to|"
    r"meant to|"
    r"be|been|being|have|get|is|was|are|it|this|that|the|an?|your|our|full|whole|new|total|amount|"
    r"date|day|window|on|for|at|to|of|about|around|as|with|in|from|between|say|longer)\b"
    r"[^\w.?!;]*)*",
    re.IGNORECASE,
)
"""Words that may stand between a negation and the value that it denies."""

_ARTICLES: Final = re.compile(
    r"\s+(?:(?:to|with|by|at|for|through)\s+)?(?:the|an?|your|our)\s+"
    r"|(?<=rather than)\s+|(?<=instead of)\s+|(?<=opposed to)\s+",
    re.IGNORECASE,
)
"""The same where what is told has forms of plain words: "it can't be revived" denies no word."""

_CLAUSE_END: Final = re.compile(
    r"(?<!\d)[.,](?!\d)|(?<=\d)[.,](?=\s|$)|[;!?:\n]|\s[-–—]+\s|[()]|—"
    r"|\b(?:but|and|because|since|as|so|which|though|although|until|till|before|after|unless|it's|"
    r"it is|that's|you|we|i|only)\b",
    re.IGNORECASE,
)
_WRONG: Final = re.compile(
    r"\b(?:(?:is|was|are|were)(?: now| simply)* (?:wrong|incorrect|a mistake|an error|off the table"
    r"|no longer|not (?:right|correct|the))|(?:is|was|are|were)n't (?:right|correct|the))\b",
    re.IGNORECASE,
)
"""What is said of a value that is denied."""

_UNDONE: Final = re.compile(
    r"\b(?:(?:is|was|are|were|has|have|had|will|would|could|does|did|can)"
    r"(?:n't| not| never| no longer)|won't|cannot|can't)\b",
    re.IGNORECASE,
)
"""What is said of the value of a deed that was not done."""

_SUBJECT_WORDS: Final = 8
_LONGEST_CLAUSE: Final = 300
_LONGEST_TEXT: Final = 30_000
"""Only the end of a longer text is read."""


def tells(
    text: str, value: JsonValue, forms: Sequence[str] = (), *, is_effect: bool = False
) -> bool:
    """Return whether `text` says `value`, or one of its forms, other than to deny it.

    A form that holds a negation itself ("cannot be revived") is told as it stands.

    Args:
        text: What was said.
        value: A value of a record.
        forms: Wordings any of which will do as well.
        is_effect: Whether the value tells of a deed, which a negated verb denies too.
    """
    said = normal_text(text[-_LONGEST_TEXT:])
    if not expresses(said, value, forms):
        return False
    negated = tuple(form for form in forms if _CUE.search(normal_text(form)))
    if negated and any(expresses(said, None, (form,)) for form in negated):
        return True
    plain = tuple(form for form in forms if form not in negated)
    words = tuple(form for form in plain if not any(map(str.isdecimal, form)))
    if words and len(words) < len(plain):  # words are denied in another way than numbers
        numbers = tuple(form for form in plain if form not in words)
        return _is_told(said, None, words, is_effect) or _is_told(said, value, numbers, is_effect)
    return _is_told(said, value, plain, is_effect)


def _is_told(said: str, value: JsonValue, plain: Sequence[str], is_effect: bool) -> bool:
    if not expresses(said, value, plain):
        return False
    kept, position = [], 0
    for start, end in sorted(_denied(said, value, plain, is_effect)):
        if start >= position:
            kept.append(said[position:start])
            position = end
    kept.append(said[position:])
    return len(kept) == 1 or expresses(" … ".join(kept), value, plain)


def _denied(
    text: str, value: JsonValue, forms: Sequence[str], is_effect: bool
) -> Iterator[tuple[int, int]]:
    """Yield where the text denies the value."""
    is_plain = bool(forms) and not any(map(str.isdecimal, "".join(forms)))
    between = _ARTICLES if is_plain else _LIGHT
    for cue in _CUE.finditer(text):
        light = between.match(text, cue.end())
        if light is None:
            continue
        begun = (m.start for m in scanned(text) if cue.end() <= m.start <= light.end())
        start = min(begun, default=light.end())
        if text[start : start + 1] in {"?", "!", ";"}:
            continue  # a tag question: "isn't it?"
        end = _clause_end(text, start)
        chunk = text[start:end]
        if not expresses(chunk, value, forms):
            continue
        if (is_effect and not is_plain) or _is_first(chunk, value, forms):
            yield start, end
    for denied in () if is_plain else (_WRONG, _UNDONE) if is_effect else (_WRONG,):
        for match in denied.finditer(text):
            ends = [m.end() for m in _CLAUSE_END.finditer(text, 0, match.start())]
            subject = text[ends[-1] if ends else 0 : match.start()]
            if len(subject.split()) <= _SUBJECT_WORDS and expresses(subject, value, forms):
                yield match.start() - len(subject), match.start()


def _is_first(chunk: str, value: JsonValue, forms: Sequence[str]) -> bool:
    """Return whether the value stands at the very start of a text."""
    mention = next((m for m in scanned(chunk) if m.start == 0), None)
    if mention is not None and expresses(mention.raw, value, forms):
        return True
    return not expresses(re.sub(r"^\S+\s*", "", chunk), value, forms)


def _clause_end(text: str, start: int) -> int:
    """Return where the clause ends that goes on at a place; a mention of a value is not parted."""
    inside = [(m.start, m.start + len(m.raw)) for m in scanned(text)]
    for match in _CLAUSE_END.finditer(text, start + 1, start + _LONGEST_CLAUSE):
        if not any(first <= match.start() < last - 1 for first, last in inside):
            return match.start()
    return min(len(text), start + _LONGEST_CLAUSE)
