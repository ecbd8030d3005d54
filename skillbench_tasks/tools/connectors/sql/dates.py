"""Functions on dates that statements call inside SQLite.

Dates are texts `YYYY-MM-DD`, timestamps `YYYY-MM-DDThh:mm:ss`; NULL gives NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Final, TypeAlias

from skillbench_tasks.tools.connectors.sql.faults import FunctionFault

__all__ = [
    "PARTS",
    "UNITS",
    "Scalar",
    "date_add",
    "date_diff",
    "date_part",
    "date_trunc",
    "format_date",
    "last_day",
    "to_date",
    "to_timestamp",
]

Scalar: TypeAlias = str | int | float | None

_DATE_LENGTH: Final = 10


def _moment(value: Scalar) -> date | datetime:
    """Return the date or the timestamp (a `datetime`) that a text stands for."""
    text = str(value).strip()
    try:
        if len(text) == _DATE_LENGTH:
            return date.fromisoformat(text)
        parsed = datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is not None or not text[:4].isdigit():
        raise FunctionFault(f"{text[:40]!r} is no date")
    return parsed.replace(microsecond=0)


def _text(moment: date | datetime) -> str:
    return moment.isoformat()


def _start(moment: date | datetime) -> datetime:
    if isinstance(moment, datetime):
        return moment
    return datetime(moment.year, moment.month, moment.day)


def to_date(value: Scalar) -> Scalar:
    """Return the day of a date or timestamp."""
    return None if value is None else _text(_start(_moment(value)).date())


def to_timestamp(value: Scalar) -> Scalar:
    """Return a timestamp; a date becomes its midnight."""
    return None if value is None else _text(_start(_moment(value)))


def date_add(unit: Scalar, count: Scalar, value: Scalar) -> Scalar:
    """Return a moment moved by a number of units; a day past the end of its month is the last."""
    if count is None or value is None:
        return None
    moment, number = _moment(value), _count(count)
    try:
        if unit in _SECONDS:
            return _text(_start(moment) + timedelta(seconds=number * _SECONDS[str(unit)]))
        if unit in _DAYS:
            return _text(moment + timedelta(days=number * _DAYS[str(unit)]))
        return _text(_add_months(moment, number * _MONTHS[str(unit)]))
    except (OverflowError, ValueError):
        raise FunctionFault("the date is out of range") from None


def _count(value: Scalar) -> int:
    try:
        return int(float(value or 0))
    except (ValueError, OverflowError):
        raise FunctionFault(f"{str(value)[:40]!r} is no number") from None


_SECONDS: Final = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_DAYS: Final = {"DAY": 1, "WEEK": 7}
_MONTHS: Final = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


def _add_months(moment: date | datetime, months: int) -> date | datetime:
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    last = _last_day(date(year, month + 1, 1)).day
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def _last_day(day: date) -> date:
    following = date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return following - timedelta(days=1)


def date_diff(unit: Scalar, first: Scalar, last: Scalar) -> Scalar:
    """Return the number of unit boundaries that lie between two moments."""
    if first is None or last is None:
        return None
    a, b = _start(_moment(first)), _start(_moment(last))
    if unit == "YEAR":
        return b.year - a.year
    if unit in _MONTHS:
        size = _MONTHS[str(unit)]
        return (b.year * 12 + b.month - 1) // size - (a.year * 12 + a.month - 1) // size
    span = _truncated(str(unit), b) - _truncated(str(unit), a)
    seconds = span.days * 86400 + span.seconds
    return seconds // (_SECONDS.get(str(unit)) or _DAYS[str(unit)] * 86400)


def _truncated(unit: str, moment: datetime) -> datetime:
    midnight = datetime(moment.year, moment.month, moment.day)
    match unit:
        case "SECOND":
            return moment
        case "MINUTE":
            return moment.replace(second=0)
        case "HOUR":
            return moment.replace(minute=0, second=0)
        case "DAY":
            return midnight
        case "WEEK":
            return midnight - timedelta(days=midnight.weekday())
        case "MONTH":
            return midnight.replace(day=1)
        case "QUARTER":
            return midnight.replace(day=1, month=(moment.month - 1) // 3 * 3 + 1)
        case _:
            return midnight.replace(day=1, month=1)


def date_trunc(unit: Scalar, value: Scalar) -> Scalar:
    """Return the start of the unit that a moment lies in; a date stays a date."""
    if value is None:
        return None
    moment = _moment(value)
    start = _truncated(str(unit), _start(moment))
    return _text(start if isinstance(moment, datetime) else start.date())


def date_part(part: Scalar, value: Scalar) -> Scalar:
    """Return a part of a moment as an integer; weeks are ISO weeks, Sunday is day 0 of a week."""
    if value is None:
        return None
    return _PARTS[str(part)](_start(_moment(value)))


_PARTS: Final[dict[str, Callable[[datetime], int]]] = {
    "YEAR": lambda m: m.year,
    "QUARTER": lambda m: (m.month - 1) // 3 + 1,
    "MONTH": lambda m: m.month,
    "WEEK": lambda m: m.isocalendar().week,
    "DAY": lambda m: m.day,
    "HOUR": lambda m: m.hour,
    "MINUTE": lambda m: m.minute,
    "SECOND": lambda m: m.second,
    "DAYOFWEEK": lambda m: m.isoweekday() % 7,
    "DAYOFWEEKISO": lambda m: m.isoweekday(),
    "DAYOFYEAR": lambda m: m.timetuple().tm_yday,
}

PARTS: Final = frozenset(_PARTS)
"""Parts of a moment that can be asked for."""

UNITS: Final = frozenset({*_SECONDS, *_DAYS, *_MONTHS})
"""Units that a moment can be moved by, cut to and counted in."""


def last_day(value: Scalar) -> Scalar:
    """Return the last day of the month of a moment."""
    return None if value is None else _text(_last_day(_start(_moment(value)).date()))


def format_date(value: Scalar, pattern: Scalar) -> Scalar:
    """Return a moment in a format of YYYY, MM, DD, HH24, MI and SS, as written or as parsed."""
    if value is None or pattern is None:
        return None
    moment = _start(_moment(value))
    text = str(pattern)
    for mark, width, part in _MARKS:
        text = text.replace(mark, f"{_PARTS[part](moment):0{width}d}")
    return text


_MARKS: Final = (
    ("YYYY", 4, "YEAR"),
    ("HH24", 2, "HOUR"),
    ("MM", 2, "MONTH"),
    ("DD", 2, "DAY"),
    ("MI", 2, "MINUTE"),
    ("SS", 2, "SECOND"),
    ("%Y", 4, "YEAR"),
    ("%m", 2, "MONTH"),
    ("%d", 2, "DAY"),
    ("%H", 2, "HOUR"),
    ("%M", 2, "MINUTE"),
    ("%S", 2, "SECOND"),
)
