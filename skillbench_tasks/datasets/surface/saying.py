"""A value as a user writes it."""

from __future__ import annotations

import re
from datetime import date

from pydantic import JsonValue

from skillbench_tasks.datasets.surface.expressing import address_parts

__all__ = ["say_value"]

_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d))?.*)?")
_WINDOW = re.compile(r"([01]?\d|2[0-4]):([0-5]\d) ?[-–] ?([01]?\d|2[0-4]):([0-5]\d)")
_TIME = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)")
_ENUM = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
_US_PHONE = re.compile(r"\+?1?(\d{3})(\d{3})(\d{4})")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def say_value(value: JsonValue, kind: str) -> str:
    """Return a natural written form of `value`; `expresses` finds the value in it.

    Args:
        value: The value of a slot.
        kind: The slot's type (`SlotSpec.type`). A moment is written as one whatever the type.
    """
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return _amount(value) if kind == "money" else _number(value)
        case list():
            said = [say_value(element, kind) for element in value]
            return " and ".join([*([", ".join(said[:-1])] if said[1:] else []), *said[-1:]])
        case dict():
            return _address(value)
        case str():
            return _string(value, kind)


def _string(value: str, kind: str) -> str:
    if m := _DATE.fullmatch(value):
        return _day(m[1]) + (f" at {_clock(*m[2].split(':'))}" if m[2] else "")
    if m := _WINDOW.fullmatch(value):
        return f"{_clock(m[1], m[2])} to {_clock(m[3], m[4])}"
    if m := _TIME.fullmatch(value):
        return _clock(m[1], m[2])
    if kind == "phone" and (m := _US_PHONE.fullmatch(value)):
        return "-".join(m.groups())
    if kind == "money" and re.fullmatch(r"\d+(?:\.\d+)?", value):
        return _amount(float(value))
    return value.replace("_", " ") if _ENUM.fullmatch(value) and kind != "id" else value


def _day(iso: str) -> str:
    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def _clock(hour_text: str, minute: str) -> str:
    hour = int(hour_text)
    if minute == "00" and hour in (0, 12, 24):
        return "noon" if hour == 12 else "midnight"
    minutes = "" if minute == "00" else f":{minute}"
    return f"{hour % 12 or 12}{minutes} {'am' if hour % 24 < 12 else 'pm'}"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else str(value)


def _amount(value: float) -> str:
    sign = "-" if value < 0 else ""
    size = abs(value)
    return f"{sign}${size:,.0f}" if float(size).is_integer() else f"{sign}${size:,.2f}"


def _address(value: dict[str, JsonValue]) -> str:
    parts = address_parts(value)
    if parts is None:
        return ", ".join(say_value(element, "text") for element in value.values())
    street, places = parts
    other = [v for k in ("line2", "unit", "apartment") if isinstance(v := value.get(k), str) and v]
    return ", ".join([street, *other, *reversed(places)])
