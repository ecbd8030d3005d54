"""Invented values: a date, a sum of money or a number of a record that nothing had shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import KnownValues, Surface, values_in
from skillbench_tasks.datasets.surface.normal import normal_text
from skillbench_tasks.models import Call, Checks, Episode, Line

__all__ = ["invented_values"]

_PERIOD: Final = re.compile(
    r"\b(\d+)(?:th)?[ -](?:calendar |working |business )?days?\b|\bday (\d+)\b", re.IGNORECASE
)
_SHORTEST_PERIOD: Final = 7
"""Shorter periods lie so close together that they would explain any date."""

_WORDS: Final = [
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]
_COUNTED: Final = {word: str(number) for number, word in enumerate(_WORDS, 1)}
_NUMBER: Final = rf"\d+|{'|'.join(_WORDS[1:])}"
_SPAN: Final = re.compile(
    rf"\b(?:within|in|takes?|take up to|up to|allow|after|another|next|for|under)(?: about| around"
    rf"| up to| the next)* (?:(?P<from>{_NUMBER})(?: to |-| or ))?(?P<to>{_NUMBER}) (?:to \w+ )?"
    r"(?:working |business |calendar )?(?P<unit>hour|day|week|month)s?\b",
    re.IGNORECASE,
)
"""A period that is promised or demanded, not one that is reckoned back ("five days late")."""

_SHOWN_SPAN: Final = re.compile(
    rf"(?:\b(?P<from>{_NUMBER}|one)(?: to |-| or ))?\b(?P<to>{_NUMBER}|one)[ -]"
    r"(?:working |business |calendar |full |clear )?(?P<unit>hour|day|week|month)s?\b"
    r"|\w*(?P<key>hour|day|week|month)s?\w*\\*\W+(?P<value>\d+)\b"
)
_SAME_SPAN: Final = {
    "hour": (),
    "day": ((24, "hour"),),
    "week": ((7, "day"),),
    "month": ((30, "day"), (4, "week")),
}

_RECKONED: Final = re.compile(r"[ -](?:ago|late|early|old|left|overdue|remain|since|past)")

_CLOCK: Final = re.compile(r"\d:\d\d|\b\d+ ?[ap]\.?m\b", re.IGNORECASE)

_EXAMPLE: Final = re.compile(r"\b(?:format|like|such as|for example|example|e\.g|looks)\b", re.I)
_CENT: Final = 0.011
_MOST_PIECES: Final = 12
_LARGEST_SUM: Final = 1e6


def invented_values(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield dates, sums and ids that the agent says and nothing had shown.

    They come from the page, the user, calls and results before them, today, and what is reckoned
    from those: a period of the page after a date, sums, differences and multiples of money.
    """
    shown: list[JsonValue] = [checks.policy, *_around(checks.now)]
    periods = {int(a or b) for a, b in _PERIOD.findall(checks.policy)}
    periods = {period for period in periods if period >= _SHORTEST_PERIOD}
    periods |= {1} if "24 hours" in checks.policy else set()
    for event in episode.events:
        if isinstance(event, Call):
            message = event.error.message if event.error else None
            shown += [event.tool, dict(event.arguments), event.result, message]
        elif event.role == "user":
            shown.append(event.text)
        else:
            yield from _invented(event, shown, periods)


def _around(now: str) -> Iterator[str]:
    """Yield the clock, yesterday and tomorrow."""
    yield now.replace("T", " ")[:16]
    for step in (-1, 0, 1):
        yield (date.fromisoformat(now[:10]) + timedelta(step)).isoformat()


def _invented(line: Line, shown: list[JsonValue], periods: set[int]) -> Iterator[str]:
    text = normal_text(line.text)
    told = list(_spans(text))
    if told:
        known_spans = _known_spans(shown)
        for number, unit in told:
            if (number, unit) not in known_spans:
                yield f"agent said {number} {unit}s, which nothing had shown"
    said = [one for one in values_in(text) if _is_exact(one, text)]
    if not said:
        return
    known = KnownValues(shown)
    sums = {number for number in known.numbers if number < _LARGEST_SUM}
    said = [one for one in said if not known.explains(one, text)]
    if any(one.kind == "date" for one in said):
        known = KnownValues([*shown, *_later(known, periods)])
    yield from (
        f"agent said {one.raw!r}, which nothing had shown"
        for one in said
        if not known.explains(one, text)
        and not (one.kind == "money" and _is_reckoned(one.numbers[0], sums))
    )


def _spans(text: str) -> Iterator[tuple[str, str]]:
    """Yield the periods that a text tells: number and unit."""
    for match in _SPAN.finditer(text):
        if not _RECKONED.match(text, match.end()):
            for number in filter(None, (match["from"], match["to"])):
                yield _COUNTED.get(number.lower(), number.lower()), match["unit"].lower()


def _is_exact(one: Surface, text: str) -> bool:
    if one.kind == "id":
        return not _EXAMPLE.search(text[max(0, one.start - 40) : one.start])
    if one.kind in ("window", "time"):
        return bool(_CLOCK.search(one.raw))
    return one.kind == "money" or (one.kind == "date" and any(d.month for d in one.days))


def _known_spans(shown: list[JsonValue]) -> set[tuple[str, str]]:
    """Return the periods that were shown, in words ("five days") or by a key of a record."""
    words = json.dumps(shown, ensure_ascii=False, default=str).lower()
    known = set()
    for match in _SHOWN_SPAN.finditer(words):
        unit = match["unit"] or match["key"]
        numbers = [match["from"], match["to"], match["value"]]
        known |= {(_COUNTED.get(number, number), unit) for number in numbers if number}
    return known | {
        (str(int(n) * times), to) for n, unit in known for times, to in _SAME_SPAN[unit]
    }


def _later(known: KnownValues, periods: set[int]) -> Iterator[str]:
    """Yield the days that lie a period of the page before or after a known one."""
    steps = {p + more for p in periods for more in ((-1, 0, 1) if p > 1 else (0,))}
    for day in known.days:
        if day.year and day.month:
            try:
                start = date(day.year, day.month, day.day)
            except ValueError:
                continue
            for step in steps:
                yield from ((start + timedelta(sign * step)).isoformat() for sign in (-1, 1))


def _is_reckoned(amount: float, numbers: set[float]) -> bool:
    """Return whether a sum is reckoned from two known numbers, or is so many times one."""
    if any(_same(n * k, amount) or _same(n / k, amount) for n in numbers for k in _COUNTS):
        return True
    return any(_same(a + b, amount) or _same(a - b, amount) for a, b in product(numbers, repeat=2))


_COUNTS: Final = range(2, _MOST_PIECES + 1)


def _same(one: float, other: float) -> bool:
    return abs(one - other) < _CENT
