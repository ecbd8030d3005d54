"""R5: what graders read is read in linear time."""

from __future__ import annotations

import time

import pytest
from pydantic import JsonValue

from skillbench_tasks.datasets.surface import expresses, unknown_values, values_in

CHARACTERS = 30_000
SECONDS_MAX = 2.0
UNITS = (
    "12 Green ",
    "Green Street ",
    "+1 ",
    "\n",
    "$1,000 ",
    "1 ",
    "(",
    "a@",
    "twenty-",
    "Ann ",
    "-",
)
VALUES: tuple[JsonValue, ...] = (
    "12 Green Street, Springfield",
    "white desk lamp",
    "Ann Lee",
    "+14045550114",
    "AB-12",
    "2026-03-03",
    "a@example.com",
    42.5,
)


@pytest.mark.parametrize("unit", UNITS)
def test_long_text_r5_is_read_in_linear_time(unit: str) -> None:
    text = unit * (CHARACTERS // len(unit))
    begun = time.process_time()
    for value in VALUES:
        assert not expresses(text, value) or unit in ("Ann ",)
    unknown_values(text, ["Ann"])
    values_in(text)
    assert time.process_time() - begun < SECONDS_MAX


@pytest.mark.parametrize("filler", ["Green Street ", "12 ", "Green "])
def test_value_behind_much_text_r5_is_found(filler: str) -> None:
    text = filler * 3_000 + "It is 12 Green Street, Springfield."
    assert expresses(text, "12 Green Street, Springfield")
    assert not expresses(
        filler * 3_000 + "12 Greens Streeton, Spring", "12 Green Street, Springfield"
    )
