"""The agent's messages with dates, times, amounts and numbers in other notations."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Final

from skillbench_tasks.datasets.mutants.edits import reworded
from skillbench_tasks.datasets.mutants.story import Story
from skillbench_tasks.datasets.variations.variation import Draft, Drafts

__all__ = ["texts_in_other_notation"]

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAY: Final = re.compile(
    rf"\b({'|'.join(_MONTHS)}) (\d{{1,2}})(?:st|nd|rd|th)?(?:, (\d{{4}}))?(?!\d)"
)
_RANGE_OF_DAYS: Final = re.compile(
    rf"\b(?:{'|'.join(_MONTHS)}) \d{{1,2}}(?: to | and |-|–)\d{{1,2}}\b"
)
_AMOUNT: Final = re.compile(r"\$(\d[\d,]*)(\.\d\d)?")
_PHONE: Final = re.compile(r"\(?\b(\d{3})\)?[-. ](\d{3})[-. ](\d{4})\b")
_CLOCK: Final = r"(?:\d{1,2}(?::\d\d)?(?: ?[ap]m)?|noon)"
_WINDOW: Final = re.compile(
    rf"(?:\b(?:between|from) )?\b({_CLOCK})(?: to | and | until |-|–)({_CLOCK})(?![\w:])"
)
_SIGNS: Final = {
    (8, 12): ("8am–12pm", "8:00 to 12:00", "08:00-12:00"),
    (12, 16): ("12pm–4pm", "12:00 to 16:00", "12:00-16:00"),
    (16, 20): ("4pm–8pm", "16:00 to 20:00", "16:00-20:00"),
}


def texts_in_other_notation(story: Story) -> Drafts:
    """Yield runs in which all messages write one kind of value otherwise."""
    year = story.world.now[:4]
    rewrites: dict[str, Callable[[str], str]] = {
        "dates as 17 March": lambda text: _days(text, year, "day_first"),
        "dates as 2026-03-17": lambda text: _days(text, year, "iso"),
        "dates as 3/17": lambda text: _days(text, year, "slashes"),
        "amounts as 89 dollars": lambda text: _AMOUNT.sub(r"\1\2 dollars", text),
        "amounts as USD 89": lambda text: _AMOUNT.sub(r"USD \1\2", text),
        "amounts as $89.00 or $89": lambda text: _AMOUNT.sub(_with_cents, text),
        "windows as 8am–12pm": lambda text: _WINDOW.sub(_window(0), text),
        "windows as 8:00 to 12:00": lambda text: _WINDOW.sub(_window(1), text),
        "windows as 08:00-12:00": lambda text: _WINDOW.sub(_window(2), text),
        "phone as 757.555.0124": lambda text: _PHONE.sub(r"\1.\2.\3", text),
        "phone as +1 757 555 0124": lambda text: _PHONE.sub(r"+1 \1 \2 \3", text),
    }
    for name, rewrite in rewrites.items():
        script = story.script
        for turn in story.agent_turns:
            script = reworded(script, turn, rewrite(story.turns[turn].text))
        yield Draft(name, script)


def _days(text: str, year: str, form: str) -> str:
    if _RANGE_OF_DAYS.search(text):
        return text

    def written(found: re.Match[str]) -> str:
        month, day = _MONTHS.index(found[1]) + 1, int(found[2])
        match form:
            case "day_first":
                return f"{day} {found[1]}" + (f" {found[3]}" if found[3] else "")
            case "iso":
                return date(int(found[3] or _year_of(year)), month, day).isoformat()
            case _:
                return f"{month}/{day}" + (f"/{found[3]}" if found[3] else "")

    return _DAY.sub(written, text)


def _year_of(year: str) -> str:
    return year


def _with_cents(found: re.Match[str]) -> str:
    if found[2] == ".00":
        return f"${found[1]}"
    return f"${found[1]}{found[2] or '.00'}"


def _window(form: int) -> Callable[[re.Match[str]], str]:
    def written(found: re.Match[str]) -> str:
        hours = _hours(found[1], found[2])
        return found[0] if hours not in _SIGNS else _SIGNS[hours][form]

    return written


def _hours(start: str, end: str) -> tuple[int, int]:
    is_late = end.endswith("pm") and end != "12 pm" and end != "12pm"
    last = 12 if end == "noon" else _hour(end)
    first = 12 if start == "noon" else _hour(start)
    if (
        first < 12
        and not start.endswith(("am", "pm"))
        and last > 12
        and is_late
        and first < last - 12
    ):
        first += 12
    return first, last


def _hour(text: str) -> int:
    found = re.match(r"\d+", text)
    assert found is not None
    hour = int(found[0])
    return hour + 12 if text.endswith("pm") and hour != 12 else hour
