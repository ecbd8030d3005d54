"""What a text says that nothing known explains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache

from pydantic import JsonValue

from skillbench_tasks.datasets.surface.expressing import phone_digits, same_number
from skillbench_tasks.datasets.surface.mentions import Surface, scanned
from skillbench_tasks.datasets.surface.moments import Day
from skillbench_tasks.datasets.surface.normal import normal_text, squeezed, word_text

__all__ = ["KnownValues", "unknown_values"]


_AT = re.compile(
    r"(?:\b(?:at|by|from|until|till|before|after|around|about|to|between|and|or)|-)\s*$", re.I
)


_LOOK_BACK = 60
"""Characters before a mention that are looked at for what leads to it."""


def _stands_before(pattern: re.Pattern[str], text: str, start: int) -> bool:
    """Tell whether a pattern that ends in `$` matches right before a place."""
    return pattern.search(text, max(0, start - _LOOK_BACK), start) is not None


class KnownValues:
    """What known values explain, read off them as off any text.

    Attributes:
        numbers: Numbers, amounts, years of known days, sizes of known lists.
        days, minutes, windows: Moments.
        tokens: Ids, phones, postcodes, e-mails and strings of digits, squeezed.
        words: Every word.
        given_names: First words of known pairs of capitalised words.
    """

    def __init__(self, values: Iterable[JsonValue]) -> None:
        self.numbers: set[float] = set()
        self.days: set[Day] = set()
        self.minutes: set[int] = set()
        self.windows: set[tuple[int, int]] = set()
        self.tokens: set[str] = set()
        self.words: set[str] = set()
        self.given_names: set[str] = set()
        for leaf in _leaves(list(values)):
            if isinstance(leaf, str):
                self._read(leaf)
            else:
                self._count(leaf)

    def _count(self, number: float) -> None:
        try:
            size = abs(float(number))
        except OverflowError:  # an integer of hundreds of digits
            return
        self.numbers |= {size, size * 100 if size < 1 else size}

    def _read(self, text: str) -> None:
        facts = _facts_of(text)
        self.words |= facts.words
        self.given_names |= facts.given_names
        self.tokens |= facts.tokens
        for mention in facts.mentions:
            self.numbers.update(mention.numbers)
            self.days.update(map(_full, mention.days))
            self.minutes |= mention.minutes
            self.windows |= mention.windows
        self.numbers.update(float(day.year) for day in self.days if day.year)

    def explains(self, mention: Surface, text: str) -> bool:
        """Return whether a mention in `text` repeats something known."""
        match mention.kind:
            case "email" | "id" | "postcode":
                return squeezed(mention.token) in self.tokens
            case "phone":
                return self._has_phone(mention.token)
            case "url":
                return mention.token in self.tokens
            case "date" | "ordinal":
                return self._has_day(mention)
            case "window":
                return self._has_window(mention)
            case "time":
                return self._has_time(mention) or self._has_number(mention)
            case _:
                is_hour = _stands_before(_AT, text, mention.start) and self._has_time(mention)
                return is_hour or self._has_number(mention) or self._has_digits(mention.token)

    def _has_phone(self, digits: str) -> bool:
        national = phone_digits(digits)
        return any(token.isdecimal() and token.endswith(national) for token in self.tokens)

    def _has_day(self, mention: Surface) -> bool:
        is_list = len({day.day for day in mention.days}) > 1 and "/" not in mention.raw
        fits = [any(day.fits(known) for known in self.days) for day in mention.days]
        return all(fits) if is_list else any(fits)

    def _has_window(self, mention: Surface) -> bool:
        if mention.windows & self.windows:
            return True
        if any(s in self.minutes and e % 1440 in self.minutes for s, e in mention.windows):
            return len(self.windows) == 0 or bool(mention.numbers)
        return bool(mention.numbers) and all(map(self._knows, mention.numbers))

    def _has_time(self, mention: Surface) -> bool:
        return bool(mention.minutes & self.minutes)

    def _knows(self, number: float) -> bool:
        return number in self.numbers or any(same_number(number, n) for n in self.numbers)

    def _has_number(self, mention: Surface) -> bool:
        return any(map(self._knows, mention.numbers))

    def _has_digits(self, digits: str) -> bool:
        """Whether digits are a known string's, or the last ones of a known id or number."""
        return len(digits) >= 3 and any(token.endswith(digits) for token in self.tokens)


class _Facts:
    """What one known string says."""

    def __init__(self, text: str) -> None:
        self.mentions = scanned(text)
        self.words = frozenset(re.findall(r"[a-z]+", word_text(text)))
        self.given_names = frozenset(run[0].lower() for run in _capitalised(text) if len(run) > 1)
        tokens = {squeezed(m.token) for m in self.mentions if m.token}
        self.tokens = frozenset(tokens | ({squeezed(text)} if len(text) <= 40 else set()))


@lru_cache(maxsize=4096)
def _facts_of(text: str) -> _Facts:
    return _Facts(text)


def _leaves(value: JsonValue) -> Iterator[str | int | float]:
    """Strings and numbers within a value, and the sizes of its lists."""
    match value:
        case dict():
            for element in value.values():
                if isinstance(element, list) and len(element) > 1:
                    yield len(element)
                yield from _leaves(element)
        case list():
            for element in value:
                yield from _leaves(element)
        case bool() | None:
            return
        case _:
            yield value


def _full(day: Day) -> Day:
    """A day with its weekday, where the rest of it is said."""
    if day.year is None or day.month is None:
        return day
    try:
        return Day.of(date(day.year, day.month, day.day))
    except ValueError:
        return day


_LITTLE = {0.0, 1.0, 2.0}
_COUNTED = re.compile(
    r"\s*-?(?:more |other |quick |last |short )?(?:things?|ways?|options?|questions?|steps?"
    r"|details?|pieces|points|ones?|fold|of (?:them|us|these|those|the))\b",
    re.I,
)
_LIST_MARK = re.compile(r"^[^\S\n]*\(?\d\d?[.)]\s+", re.M)
_IDIOM = re.compile(r"100\s?%|100 percent|one hundred percent|911|[345]G\b|[48]K\b", re.I)


def _is_idle(mention: Surface, text: str) -> bool:
    """Whether a mention states nothing: a little number in words, a mark of a list, an ordinal."""
    if mention.kind == "ordinal":
        return True
    end = mention.start + len(mention.raw)
    if _IDIOM.match(text, mention.start):
        return True
    if mention.kind == "words":
        return set(mention.numbers) <= _LITTLE or (
            max(mention.numbers) <= 10 and bool(_COUNTED.match(text, end))
        )
    return False


def unknown_values(text: str, known: Iterable[JsonValue]) -> list[str]:
    """Return the mentions in `text` that no known value explains, in order, each once.

    Known values are read as texts are: numbers, days and ids inside a known string count, and so do
    the sizes of known lists, the last digits (three or more) of known ids and numbers, and the
    years of known days. No mention: ordinals without a weekday or a month unless a day is meant
    ("on the 17th"), numbers in words up to two, "three questions", marks of a list, "24/7".

    Names are two or more capitalised words in a row, none of which is known or a common word; or
    whose first is a known given name and whose last is not known. A word that opens a sentence is
    left out, so a name there goes unseen.

    Args:
        text: The message.
        known: Values, policy texts and messages that it may draw on.
    """
    index = KnownValues(known)
    lines = _LIST_MARK.sub("", text).replace("\n", " | ")
    normal = normal_text(lines)
    found = [
        (mention.start, mention.raw)
        for mention in scanned(lines)
        if not index.explains(mention, normal) and not _is_idle(mention, normal)
    ]
    found += _unknown_names(normal, index)
    return list(dict.fromkeys(raw for _, raw in sorted(found)))


_CAPITALISED = re.compile(r"[A-Z][a-z]+(?:['-]?[A-Z]?[a-z]+)*")
_RUN = re.compile(rf"{_CAPITALISED.pattern}(?: {_CAPITALISED.pattern})+")
_SENTENCE_END = re.compile(r"(?:^|[.!?:;|\"(-])\s*$")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december morning afternoon evening night today tomorrow
    good thank thanks you hello hi hey dear best kind warm regards yes no ok okay sorry please
    mr mrs ms miss dr team support customer service services care desk department billing account
    order orders returns refund refunds payment payments express standard shipping delivery card
    north south east west street road avenue lane drive court saint new
    """,
    )
)


def _capitalised(text: str) -> Iterator[list[str]]:
    for match in _RUN.finditer(normal_text(text)):
        yield match[0].split()


def _all_known(word: str, known: KnownValues) -> bool:
    """Return whether a word, or every part of a hyphenated one, is known."""
    return word in _COMMON or word in known.words or all(p in known.words for p in word.split("-"))


def _unknown_names(text: str, known: KnownValues) -> Iterator[tuple[int, str]]:
    for match in _RUN.finditer(text):
        words = match[0].split()
        start = match.start()
        if _stands_before(_SENTENCE_END, text, start) and words[0].lower() not in known.given_names:
            start += len(words.pop(0)) + 1
        while words and words[0].lower() in _COMMON:
            start += len(words.pop(0)) + 1
        if len(words) < 2:
            continue
        lower = [re.sub(r"'s$", "", word.lower()) for word in words]
        is_known = [_all_known(word, known) for word in lower]
        is_other_surname = lower[0] in known.given_names and not is_known[-1]
        if is_other_surname or not any(is_known):
            yield start, " ".join(words)
