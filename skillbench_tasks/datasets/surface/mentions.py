"""Every number, date, time, amount, id, address and phone number that a text mentions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import moments
from skillbench_tasks.datasets.surface.moments import Day
from skillbench_tasks.datasets.surface.normal import normal_text
from skillbench_tasks.datasets.surface.numerals import (
    DIGIT_WORDS,
    NUMBER_WORDS,
    number_of_words,
    word_numbers,
)

__all__ = ["Kind", "Surface", "scanned", "values_in"]

Kind = Literal[
    "email", "url", "id", "postcode", "phone", "date", "ordinal", "window", "time", "money",
    "percent", "number", "words", "digits",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Surface:
    """A mention of something exact in a text, with all that it may mean.

    Attributes:
        kind: What it looks like. `words` is a number in words, `digits` one spelled digit by digit,
            `ordinal` a day or a place in an order ("17th").
        raw: The words of the (normal) text.
        start: Where they stand in the normal text.
        days: Days it may mean, or names (a list of days names them all).
        minutes: Minutes of the day it may mean.
        windows: Windows it may mean, as start and end minutes.
        numbers: Numbers it may mean; for a window without am or pm, both of its numbers.
        token: The letters or digits of an id, phone, postcode, e-mail or string of digits.
    """

    kind: Kind
    raw: str
    start: int
    days: tuple[Day, ...] = ()
    minutes: frozenset[int] = frozenset()
    windows: frozenset[tuple[int, int]] = frozenset()
    numbers: tuple[float, ...] = ()
    token: str = ""

    @property
    def values(self) -> tuple[JsonValue, ...]:
        """Normal forms of what it may mean: ISO dates as far as said, HH:MM, windows, numbers."""
        return (
            *(_iso(day) for day in self.days),
            *(f"{_clock(start)}-{_clock(end)}" for start, end in sorted(self.windows)),
            *(_clock(m) for m in sorted(self.minutes) if not self.windows),
            *(int(n) if n.is_integer() else n for n in self.numbers),
            *((self.token,) if self.token else ()),
        )


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _iso(day: Day) -> str:
    year = "----" if day.year is None else f"{day.year:04d}"
    month = "--" if day.month is None else f"{day.month:02d}"
    return f"{year}-{month}-{day.day:02d}"


def values_in(text: str) -> list[Surface]:
    """Return every mention of something exact in `text`, in order; none overlap."""
    return list(scanned(text))


_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_URL = re.compile(r"https?://\S*[\w/]|\bwww\.\S*[\w/]")
_CODE = re.compile(
    r"(?<![\w-])(?:[A-Z]{2,8}(?:[-_][A-Z0-9]+)*[-_]\d[A-Z0-9]*(?:[-_][A-Z0-9]+)*"
    r"|[A-Z]{1,6}-?\d{3,}[A-Z0-9]*|\d[A-Z0-9]*[A-Z][A-Z0-9]*\d[A-Z0-9]{3,}"
    r"|(?i:(?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{2,8}[-_]\d{3,})"
    r"|(?=[A-Z\d-]*\d{2})[A-Z]+\d[A-Z0-9]*\d[A-Z0-9]*)(?![\w-])"
)
_POSTCODE = re.compile(r"\b(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)\b", re.I)
_PHONE = re.compile(r"(?<![\w.,/$])(?:\+\(?|\()?\d(?:[\s().-]{0,2}\d){6,14}(?![\w/])(?!\.\d)")
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_UNITS = (
    "gb|mb|kb|tb|gbps|mbps|kbps|kwh|kw|kg|g|lbs?|oz|km|cm|mm|ml|l|ft|in|hrs?|h|mins?|min|m|sec|s|x|"
    "d|w|a"
)
_NUMBER = re.compile(
    r"(?<!\w)(?<!\d[.,:/])(?<![A-Za-z]-)(?P<currency>[$£€]\s?|\b(?:usd|eur|gbp)\s?)?"
    r"(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"(?:(?:\s(?:dollars?|pounds?|euros?))?(?:\s(?:and\s)?|,\s)(?P<cents>\d{1,2})\s(?:cents?|pence)\b"
    rf"|(?P<percent>\s?%|\s?percent\b|\sper\scent\b)|(?P<cent>\s?(?:cents?|pence)\b)|(?P<k>k\b)"
    rf"|(?P<money>\s(?:dollars?|pounds?|euros?|usd|eur|gbp)\b)|(?:{_UNITS})\b)?"
    r"(?!\w)(?!\.\d|/\d|:\d)",
    re.I,
)
_TAKEN = "\0"
_HAS_DIGIT = re.compile(r"\d")


def _token(kind: Kind) -> Callable[[re.Match[str]], Surface | None]:
    def build(match: re.Match[str]) -> Surface | None:
        token = "".join(c for c in match[0].lower() if c.isalnum())
        return Surface(kind, match[0], match.start(), token=token)

    return build


def _email(match: re.Match[str]) -> Surface:
    return Surface("email", match[0], match.start(), token=match[0].lower().rstrip("."))


def _phone(match: re.Match[str]) -> Surface | None:
    digits = "".join(c for c in match[0] if c.isdecimal())
    if _PLAIN_NUMBER.fullmatch(match[0]) and len(digits) < 10:
        return None
    return Surface("phone", match[0], match.start(), token=digits)


def _iso_moment(match: re.Match[str]) -> Surface | None:
    day = Day(int(match["day"]), int(match["month"]), int(match["year"]))
    if not (1 <= day.day <= 31 and 1 <= (day.month or 0) <= 12):
        return None
    at = frozenset({int(match["h"]) * 60 + int(match["m"])} if match["h"] else ())
    return Surface("date", match[0], match.start(), days=(day,), minutes=at)


def _window(match: re.Match[str]) -> Surface | None:
    found = moments.window_of(match)
    if found is None:
        return None
    windows, numbers = found
    minutes = frozenset(m % 1440 for window in windows for m in window)
    return Surface("window", match[0], match.start(), (), minutes, windows, numbers)


def _time(match: re.Match[str]) -> Surface | None:
    minutes = moments.minutes_of(match, 1)
    half = match["ap1"] or match["part1"]
    if half or match["oclock1"] or match["noon1"] or ":" in match[0]:
        return Surface("time", match[0], match.start(), minutes=minutes)
    if match["w1"]:  # "nine thirty" may be an amount
        hour = match["h1"]
        whole = int(hour) if hour.isdecimal() else number_of_words(hour)
        part = number_of_words(match["w1"])
        return Surface(
            "time", match[0], match.start(), minutes=minutes, numbers=(whole + part / 100,)
        )
    return None


def _half_hour(match: re.Match[str]) -> Surface:
    return Surface("time", match[0], match.start(), minutes=moments.relative_minutes(match))


def _days(match: re.Match[str]) -> Surface:
    return Surface("date", match[0], match.start(), days=moments.listed_days(match))


def _month_day(match: re.Match[str]) -> Surface:
    days = moments.listed_days(match)
    numbers = [day.day for day in days]
    if numbers != sorted(set(numbers)):  # "March 17 to 8": what follows is no day of the list
        raw = match[0][: match.start("more") - match.start()]
        return Surface("date", raw, match.start(), days=days[:1])
    is_verb = match["month"] in ("may", "march") and match["year"] is None
    bare = tuple(map(float, numbers)) if is_verb else ()
    return Surface("date", match[0], match.start(), days=days, numbers=bare)


def _numeric_day(match: re.Match[str]) -> Surface | None:
    days = moments.numeric_days(match)
    return Surface("date", match[0], match.start(), days=days) if days else None


def _ordinal(match: re.Match[str]) -> Surface | None:
    days = moments.listed_days(match)
    if not 1 <= days[0].day <= 31:
        return None
    kind: Kind = "date" if match["the"] and match["day"][0].isdecimal() else "ordinal"
    start = match.start("day")
    return Surface(kind, match["day"], start, days=days)


def _number(match: re.Match[str]) -> Surface:
    text = match["n"]
    if "," in text and re.fullmatch(r"\d+,\d{1,2}", text):
        value = float(text.replace(",", "."))
    else:
        value = float(text.replace(",", ""))
    numbers: tuple[float, ...] = (value,)
    kind: Kind = "money" if match["currency"] or match["money"] else "number"
    if match["cents"]:
        kind, numbers = "money", (round(value + int(match["cents"]) / 100, 2),)
    elif match["percent"]:
        kind, numbers = "percent", (value, value / 100)
    elif match["cent"]:
        kind, numbers = "money", (value, value / 100)
    elif match["k"]:
        numbers = (value * 1000,)
    minutes: frozenset[int] = frozenset()
    if text == match[0] and text.isdecimal() and len(text) <= 2 and value <= 24:
        minutes = moments.bare_hours(int(value))
    token = text if text.isdecimal() and kind == "number" else ""
    return Surface(kind, match[0], match.start(), minutes=minutes, numbers=numbers, token=token)


def _words(match: re.Match[str]) -> Surface:
    numbers = tuple(word_numbers(match))
    is_hour = len(numbers) == 1 and 0 < numbers[0] <= 12
    minutes = moments.bare_hours(int(numbers[0])) if is_hour else frozenset()
    return Surface("words", match[0], match.start(), minutes=minutes, numbers=numbers)


def _digit_words(match: re.Match[str]) -> Surface:
    words = re.findall(r"[a-z]+", match[0].lower())
    token = "".join("0" if w == "oh" else str(number_of_words(w)) for w in words)
    return Surface("digits", match[0], match.start(), numbers=(float(token),), token=token)


_Finder = tuple[re.Pattern[str], Callable[[re.Match[str]], Surface | None], tuple[str, ...] | None]
"""A pattern, what to make of a match, and strings one of which has to occur (`None`: a digit)."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve", "teen", "twent", "thirt", "fort", "fift", "hundred", "thousand",
         "noon", "night", "midday")  # fmt: skip
_AMOUNTS = (*"0123456789", *_NUMBERS)
_CLOCK = (":", "am", "pm", "noon", "clock", "night", "midday", "morning", "evening", "y", "teen",
          "five", "ten")  # fmt: skip
_ORDINAL_ENDS = ("st", "nd", "rd", "th")

_FINDERS: tuple[_Finder, ...] = (
    (_EMAIL, _email, ("@",)),
    (_URL, _token("url"), ("http", "www.")),
    (moments.ISO, _iso_moment, None),
    (moments.NUMERIC_DAY, _numeric_day, None),
    (_CODE, _token("id"), None),
    (_POSTCODE, _token("postcode"), None),
    (_PHONE, _phone, None),
    (DIGIT_WORDS, _digit_words, _NUMBERS),
    (moments.WINDOW, _window, _AMOUNTS),
    (moments.DAY_MONTH, _days, _MONTHS),
    (moments.MONTH_DAY, _month_day, _MONTHS),
    (moments.HALF_HOUR, _half_hour, (" past ", " after ", " to ")),
    (moments.WEEKDAY_DAY, _days, _WEEKDAYS),
    (moments.TIME, _time, _CLOCK),
    (moments.ORDINAL, _ordinal, _ORDINAL_ENDS),
    (_NUMBER, _number, None),
    (NUMBER_WORDS, _words, _NUMBERS),
)


@lru_cache(maxsize=4096)
def scanned(text: str) -> tuple[Surface, ...]:
    """Return the mentions of `text` in order. Each finder sees what the ones before it left."""
    rest = normal_text(text)
    lower = rest.lower()
    has_digit = _HAS_DIGIT.search(rest) is not None
    found: list[Surface] = []
    for pattern, build, hints in _FINDERS:
        if not (has_digit if hints is None else any(hint in lower for hint in hints)):
            continue
        new = list(_found(pattern, build, rest))
        for mention in new:
            end = mention.start + len(mention.raw)
            rest = rest[: mention.start] + _TAKEN * len(mention.raw) + rest[end:]
        found += new
    return tuple(sorted(found, key=lambda mention: mention.start))


def _found(
    pattern: re.Pattern[str], build: Callable[[re.Match[str]], Surface | None], text: str
) -> Iterator[Surface]:
    position = 0
    while match := pattern.search(text, position):
        mention = build(match)
        if mention is None:
            position = match.start() + 1
        else:
            yield mention
            position = mention.start + max(len(mention.raw), 1)
