"""Days, times of day and windows of time in a normal text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import product
from typing import NamedTuple

from skillbench_tasks.datasets.surface.numerals import number_of_words

__all__ = [
    "DAY_MONTH",
    "HALF_HOUR",
    "ISO",
    "MONTH",
    "MONTH_DAY",
    "NUMERIC_DAY",
    "ORDINAL",
    "TIME",
    "WEEKDAY_DAY",
    "WINDOW",
    "Day",
    "bare_hours",
    "listed_days",
    "minutes_of",
    "month_number",
    "numeric_days",
    "relative_minutes",
    "weekday_number",
    "window_of",
]

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_WEEKDAY = (
    r"(?P<weekday>(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?)\b\.?,?\s+"
)
_ORDINALS = re.findall(
    r"\S+",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first "
    "twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh "
    "twenty-eighth twenty-ninth thirtieth thirty-first",
)
_ORDINAL_WORD = "|".join(sorted((w.replace("-", "[ -]") for w in _ORDINALS), key=len, reverse=True))
_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\b"
_DAY = rf"(?P<day>{_NUMBER}|(?:{_ORDINAL_WORD})\b)"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b(?!:)"
_NOT_TIME = r"(?!:\d|[%/]|\.\d|\s*(?:am|pm|o'clock)\b)"
_JOIN = r"(?:-|\s+(?:and|or|to|through|&)\s+)"

ISO = re.compile(
    r"(?<![\w-])(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)"
    r"(?:[T ](?P<h>\d\d):(?P<m>\d\d)(?::(?P<s>\d\d)(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\w-])",
)
DAY_MONTH = re.compile(
    rf"(?<![\w/.:$-])(?:{_WEEKDAY})?(?:the\s+)?(?P<more>(?:{_NUMBER}{_JOIN}(?:the\s+)?){{0,3}})"
    rf"{_DAY}(?:\s+of)?[\s-]+(?P<month>{MONTH})\.?(?:,?\s+(?:of\s+)?{_YEAR})?",
    re.I,
)
MONTH_DAY = re.compile(
    rf"(?<!\w)(?:{_WEEKDAY}(?:the\s+)?)?(?P<month>{MONTH})\.?[\s-]+(?:the\s+)?{_DAY}{_NOT_TIME}"
    rf"(?:,?\s+(?:of\s+)?{_YEAR})?(?P<more>(?:{_JOIN}(?:the\s+)?{_NUMBER}{_NOT_TIME}){{0,3}})",
    re.I,
)
WEEKDAY_DAY = re.compile(
    rf"(?<!\w){_WEEKDAY}(?:the\s+)?(?P<day>\d{{1,2}}(?:st|nd|rd|th)\b|(?:{_ORDINAL_WORD})\b"
    rf"|{_NUMBER}{_NOT_TIME}(?!\s*-|\s+(?:to|and|till|until|in the)\b))",
    re.I,
)
ORDINAL = re.compile(
    rf"(?<![\w-])(?P<the>(?:on|by|until|till|before|after|from|since|to|than|through)\s+the\s+)?"
    rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)\b|(?<=the )(?:{_ORDINAL_WORD})\b)",
    re.I,
)
NUMERIC_DAY = re.compile(
    r"(?<![\w/.$-])(?!24/7\b)(?P<a>\d{1,2})(?:/(?P<b>\d{1,2})(?:/(?P<year>\d{4}|\d\d))?"
    r"|[.-](?P<c>\d{1,2})[.-](?P<year2>\d{4}))(?![\w/])"
)

_HOUR_WORD = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"


def _time(n: int) -> str:
    """A time of day as a pattern whose groups end in `n`."""
    return (
        rf"(?:(?P<h{n}>(?:[01]?\d|2[0-4])(?!\d)|(?:{_HOUR_WORD})\b)"
        rf"(?:[:.](?P<m{n}>[0-5]\d)(?::\d\d)?(?!\d)"
        rf"|[ -](?P<w{n}>thirty|fifteen|forty[ -]five|ten|twenty|forty|fifty)\b)?"
        rf"(?P<oclock{n}>\s*o'clock)?"
        rf"(?:\s*(?P<ap{n}>am|pm)\b|(?:\s+(?:in the|this|at|tomorrow))?\s+"
        rf"(?P<part{n}>morning|afternoon|evening|night)\b)?"
        rf"|(?P<noon{n}>(?:12\s*)?noon\b|midday\b|(?:12\s*)?midnight\b))"
    )


_LEFT = r"(?<![\w:/$£€#-])(?<!\d[.,])"
WINDOW = re.compile(
    rf"{_LEFT}(?:(?P<lead>from|between)\s+)?{_time(1)}"
    rf"\s*(?P<join>-|\b(?:to|till?|until|through|and)\b)\s*{_time(2)}"
    rf"(?![\w%]|[.:,/-]\d)(?!\s+(?:of\s+)?{MONTH})",
    re.I,
)
TIME = re.compile(rf"{_LEFT}{_time(1)}(?![\w%]|[.:/-]\d)", re.I)
HALF_HOUR = re.compile(
    rf"\b(?P<part>half|(?:a )?quarter|ten|twenty|five)\s+(?P<way>past|to|after)\s+"
    rf"(?P<h>\d{{1,2}}|{_HOUR_WORD})\b(?:\s*(?P<ap>am|pm)\b)?",
    re.I,
)
_AFTER_MONTH = re.compile(rf"\b{MONTH}\.?\s+(?:the\s+)?$", re.I)
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES.split(), 1)}
_WEEKDAYS = {name: n for n, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
_PART_MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "ten": 10, "twenty": 20, "five": 5}
_MINUTES_A_DAY = 1440


class Day(NamedTuple):
    """What a text says of a day; parts that it leaves open are `None`."""

    day: int
    month: int | None = None
    year: int | None = None
    weekday: int | None = None

    @classmethod
    def of(cls, value: date) -> Day:
        """Return a date with every part said."""
        return cls(value.day, value.month, value.year, value.weekday())

    def fits(self, other: Day) -> bool:
        """Return whether no part that both say differs."""
        return all(a is None or b is None or a == b for a, b in zip(self, other, strict=True))


def month_number(name: str) -> int:
    """Return 1 to 12 for a month's name, however short."""
    return _MONTHS[name[:3].lower()]


def weekday_number(name: str | None) -> int | None:
    """Return 0 (Monday) to 6 for a weekday's name, however short."""
    return None if name is None else _WEEKDAYS[name[:3].lower()]


def _day_number(text: str) -> int:
    digits = re.match(r"\d+", text)
    return int(digits[0]) if digits else _ORDINALS.index(text.lower().replace(" ", "-")) + 1


def listed_days(match: re.Match[str]) -> tuple[Day, ...]:
    """Return the days of a match of `DAY_MONTH`, `MONTH_DAY`, `WEEKDAY_DAY` or `ORDINAL`."""
    said = match.groupdict()
    month = month_number(said["month"]) if said.get("month") else None
    year = int(said["year"]) if said.get("year") else None
    day = Day(_day_number(said["day"]), month, year, weekday_number(said.get("weekday")))
    others = re.findall(r"\d+", said.get("more") or "")
    return (day, *(Day(int(other), month, year) for other in others))


def numeric_days(match: re.Match[str]) -> tuple[Day, ...]:
    """Return both readings of a match of `NUMERIC_DAY`, where they are days."""
    year_text = match["year"] or match["year2"]
    year = None if year_text is None else int(year_text) + (2000 if len(year_text) == 2 else 0)
    a, b = int(match["a"]), int(match["b"] or match["c"])
    return tuple(Day(d, m, year) for d, m in {(a, b), (b, a)} if 1 <= m <= 12 and 1 <= d <= 31)


def bare_hours(hour: int) -> frozenset[int]:
    """Return the minutes of the day that an hour without am or pm may mean."""
    if hour == 12:
        return frozenset({720, 0})
    return frozenset({hour * 60, hour * 60 + 720} if 0 < hour < 12 else {hour * 60 % 1440})


def _hours(text: str, half: str | None) -> frozenset[int]:
    hour = int(text) if text.isdecimal() else number_of_words(text)
    if half is None or hour > 12:
        is_exact = text.startswith("0")
        return frozenset({hour * 60}) if is_exact else bare_hours(hour)
    match half.lower():
        case "am" | "morning":
            return frozenset({hour % 12 * 60})
        case "night" if hour in (12, 1, 2, 3, 4):
            return frozenset({hour % 12 * 60})
        case _:
            return frozenset({hour % 12 * 60 + 720})


def minutes_of(match: re.Match[str], n: int) -> frozenset[int]:
    """Return the minutes of the day that the `n`-th time of a match may mean."""
    if noon := match[f"noon{n}"]:
        return frozenset({0 if "midnight" in noon.lower() else 720})
    minute_words = match[f"w{n}"]
    minute = number_of_words(minute_words) if minute_words else int(match[f"m{n}"] or 0)
    half = match[f"ap{n}"] or match[f"part{n}"]
    hours = _hours(match[f"h{n}"], half)
    if minute and half is None and match[f"h{n}"] == "12":
        hours = frozenset({720})
    return frozenset(h + minute for h in hours)


def relative_minutes(match: re.Match[str]) -> frozenset[int]:
    """Return the minutes of the day that a match of `HALF_HOUR` may mean."""
    shift = _PART_MINUTES[match["part"].lower()]
    shift = -shift if match["way"].lower() == "to" else shift
    return frozenset((h + shift) % _MINUTES_A_DAY for h in _hours(match["h"], match["ap"]))


def _is_marked(match: re.Match[str], n: int) -> bool:
    """Whether the `n`-th time cannot be a plain number."""
    half = match[f"ap{n}"] or match[f"part{n}"] or match[f"oclock{n}"] or match[f"noon{n}"]
    start = match.start(f"m{n}")
    return bool(half or (start > 0 and match.string[start - 1] == ":"))


def window_of(
    match: re.Match[str],
) -> tuple[frozenset[tuple[int, int]], tuple[float, ...]] | None:
    """Return the windows that a match of `WINDOW` may mean, and its numbers if it may be no window.

    `None`: it is none ("8 and 12" without "between", or days of a month).
    """
    is_marked = _is_marked(match, 1) or _is_marked(match, 2)
    if match["join"].lower() == "and" and match["lead"] is None:
        return None
    if not _is_marked(match, 1) and _AFTER_MONTH.search(match.string, 0, match.start()):
        return None
    if not is_marked and any(match[f"m{n}"] for n in (1, 2)):
        return None
    pairs = frozenset(_pairs(minutes_of(match, 1), minutes_of(match, 2)))
    if not pairs:
        return None
    texts = () if is_marked else (match["h1"], match["h2"])
    return pairs, tuple(float(t) if t.isdecimal() else float(number_of_words(t)) for t in texts)


def _pairs(starts: frozenset[int], ends: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Windows that end after they start; those of up to twelve hours, if there are any."""
    pairs = [(s, e or _MINUTES_A_DAY) for s, e in product(starts, ends)]
    forward = [(s, e) for s, e in pairs if s < e]
    short = [(s, e) for s, e in forward if e - s <= 720]
    yield from short or forward
