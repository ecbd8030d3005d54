"""The reader of values: what a text expresses, what it mentions, what nothing known explains."""

from __future__ import annotations

import time

import pytest
from pydantic import JsonValue

from skillbench_tasks.datasets.surface import (
    expresses,
    say_value,
    unknown_values,
    values_in,
)

DAY = "2026-03-17"  # a Tuesday
MAPLE: dict[str, JsonValue] = {"street": "14 Maple Street", "city": "Leeds", "postcode": "LS1 4AB"}

Row = tuple[JsonValue, str]

SAID: list[Row] = [
    (DAY, "It is on 17 March."),
    (DAY, "March 17th, 2026 works"),
    (DAY, "17/03/2026"),
    (DAY, "by 3/17 please"),
    (DAY, "03/17/26"),
    (DAY, "Tuesday the 17th"),
    (DAY, "how about the 17th?"),
    (DAY, "Mar 17"),
    (DAY, "Tues., Mar. 17"),
    (DAY, "on 2026-03-17"),
    (DAY, "next Tuesday, the 17th"),
    (DAY, "the 17th of March"),
    (DAY, "Tuesday 17 March 2026"),
    (DAY, "either Monday 16 or Tuesday 17 March"),
    (DAY, "March 17 and 18 are open"),
    (DAY, "17 or 18 March"),
    (DAY, "**Tuesday, March 17** – 8:00 to 12:00"),
    (DAY, "17.03.2026"),
    (DAY, "the seventeenth of March"),
    (DAY, "march seventeenth"),
    (DAY, "tuesday 17 at 9"),
    (DAY, "Tuesday, March 17: 8 am–noon"),
    ("2026-03-17T09:30:00Z", "March 17 at 9:30 am"),
    ("2026-03-17T09:30:00Z", "half past nine on the 17th"),
    ("2026-03-17T09:30:41Z", "placed on March 17"),
    ("2026-03-17T00:00:00Z", "on 17 March"),
    ("2026-03-17 08:00-12:00", "Tuesday the 17th, 8 to 12"),
    ("2026-03", "your March bill"),
    ("2026-03", "March 2026"),
    ("2026-03", "03/2026"),
    ("09:00", "9"),
    ("09:00", "at 9 am"),
    ("09:00", "9:00 a.m. sharp"),
    ("09:00", "nine in the morning"),
    ("09:00", "nine o'clock"),
    ("16:00", "4pm"),
    ("16:00", "at four in the afternoon"),
    ("12:00", "at noon"),
    ("00:00", "by midnight"),
    ("09:30", "half past nine"),
    ("09:45", "quarter to ten"),
    ("09:30", "nine thirty"),
    ("21:15", "9:15 p.m."),
    ("08:00-12:00", "8 to 12"),
    ("08:00-12:00", "8am–noon"),
    ("08:00-12:00", "between 8 and 12"),
    ("08:00-12:00", "8:00 AM - 12:00 PM"),
    ("08:00-12:00", "from 08:00 until 12:00"),
    ("08:00-12:00", "eight to twelve"),
    ("08:00-12:00", "the 8-12 slot"),
    ("16:00-20:00", "4 to 8 pm"),
    ("16:00-20:00", "4–8 in the evening"),
    ("16:00-20:00", "16:00-20:00"),
    ("12:00-16:00", "noon to four"),
    ("12:00-16:00", "8 to 12 or 12 to 4"),
    ("11:00-14:00", "11 to 2 pm"),
    (49.9, "$49.90"),
    (49.9, "49.90 is the total"),
    (49.9, "That's 49.90."),
    (49.9, "forty-nine ninety"),
    (49.9, "49 dollars and 90 cents"),
    (49.9, "**€49,90**"),
    (1200, "1,200"),
    (1200, "$1,200.00"),
    (1200.0, "1200 dollars"),
    (1200, "twelve hundred"),
    (1249.9, "a total of $1,249.90, today"),
    (0.5, "50 cents"),
    (0.15, "15% off"),
    (15, "fifteen percent"),
    (-12.5, "a credit of $12.50"),
    (3, "3 items"),
    (3, "three-day pass"),
    (49, "forty-nine"),
    (100, "one hundred"),
    (120, "one hundred and twenty"),
    (500, "500MB"),
    (12, "$12.00"),
    (12, "a 12-month plan"),
    (0, "no fee applies"),
    (0, "zero"),
    (5, "5-7 business days"),
    (7, "5-7 business days"),
    ("+14045550142", "404-555-0142"),
    ("+14045550142", "(404) 555-0142"),
    ("+14045550142", "404 555 0142"),
    ("+14045550142", "404.555.0142"),
    ("+14045550142", "+1 404 555 0142"),
    ("+14045550142", "4 0 4 5 5 5 0 1 4 2"),
    ("404-555-0142", "+1 (404) 555-0142"),
    ("555-0142", "call 555 0142"),
    ("+447700900123", "07700 900123"),
    ("07700 900123", "+44 7700 900 123"),
    ("ORD-10482", "order ORD-10482."),
    ("ORD-10482", "ord 10482"),
    ("ORD-10482", "#10482"),
    ("ORD-10482", "order number 10482"),
    ("TRK-9F3A", "trk 9f3a"),
    ("1Z999AA10123456784", "tracking 1z999aa10123456784"),
    ("4417", "code 4417"),
    ("4417", "4 4 1 7"),
    ("4417", "four four one seven"),
    ("0042", "it's 0042"),
    ("30316", "Atlanta, GA 30316"),
    ("3", "three"),
    ("dana.w@example.com", "It's Dana.W@Example.com."),
    ("dana.w@example.com", "dana dot w at example dot com"),
    ("LS1 4AB", "ls14ab"),
    ("Dana Whitlock", "dana whitlock here"),
    ("Dana Whitlock", "Whitlock, Dana"),
    ("Dana Whitlock", "This is Dana Whitlock's account"),
    ("José O’Neill", "jose o'neill"),
    ("Dana K. Whitlock", "Dana Whitlock"),
    (MAPLE, "14 Maple Street in Leeds"),
    (MAPLE, "14 Maple St, LS1 4AB"),
    ("14 Maple Street, Leeds, LS1 4AB", "14 Maple St., Leeds"),
    ("wrong_item", "you got the wrong item"),
    ("wrong_item", "Wrong items, again"),
    ("Fibre 500", "the fibre 500 plan"),
    ("30 days", "within thirty days"),
    ("cracked screen", "the screen is fine but a cracked screen cover"),
    ("leave parcel with neighbour", "Leave the parcel with my neighbour, please"),
    (["2026-03-17", "2026-03-18"], "the 17th or the 18th"),
    ([], "anything"),
    (None, "anything"),
    (True, "anything"),
    ({"amount": 49.9, "method": "card"}, "$49.90 back to your card"),
]

NOT_SAID: list[Row] = [
    (DAY, "March 7"),
    (DAY, "17 April"),
    (DAY, "Wednesday the 17th"),
    (DAY, "Wednesday, March 17"),
    (DAY, "March 17, 2025"),
    (DAY, "17/04/2026"),
    (DAY, "Tuesday"),
    (DAY, "17 items"),
    (DAY, "March 2026"),
    (DAY, "the 27th"),
    (DAY, "2026-03-18"),
    (DAY, "4/17"),
    (DAY, "March 16 to 8"),
    ("2026-03-17T09:30:00Z", "March 17"),
    ("2026-03-17T09:30:00Z", "March 17 at 9:45"),
    ("2026-03-17 08:00-12:00", "Tuesday the 17th, 12 to 4"),
    ("2026-03", "April 2026"),
    ("2026-03", "March 2025"),
    ("09:00", "19"),
    ("09:00", "9 pm"),
    ("09:00", "9:30"),
    ("09:00", "$9"),
    ("16:00", "4 am"),
    ("16:00", "04:00"),
    ("09:30", "half past ten"),
    ("08:00-12:00", "12 to 4"),
    ("08:00-12:00", "8 to 10"),
    ("08:00-12:00", "8 to 12 pm and 12 to 5".replace("8 to 12 pm", "9 to 12 pm")),
    ("08:00-12:00", "18:00-22:00"),
    ("08:00-12:00", "8 and 12"),
    ("08:00-12:00", "March 8 to 12"),
    ("16:00-20:00", "4 to 8 am"),
    (49.9, "149.90"),
    (49.9, "49.95"),
    (49.9, "$49"),
    (49.9, "forty-nine"),
    (49.9, "49.9.1"),
    (49.9, "1,249.90"),
    (1200, "12,00"),
    (1200, "1,200.50"),
    (1200, "11,200"),
    (12, "2012"),
    (12, "12.50"),
    (12, "March 12"),
    (12, "12:00"),
    (12, "ORD-12"),
    (12, "120"),
    (12, "the 12th"),
    (3, "30"),
    (3, "thirty-three"),
    (3, "three hundred"),
    (3, "24/3"),
    (20, "twenty-five"),
    (100, "one hundred and twenty"),
    (0, "No problem, one moment"),
    (15, "15.5%"),
    ("+14045550142", "404-555-0143"),
    ("+14045550142", "555-0142"),
    ("+14045550142", "404-555-01425"),
    ("555-0142", "555-01421"),
    ("ORD-1048", "ORD-10482"),
    ("ORD-1048", "10482"),
    ("ORD-10482", "ORD-1048"),
    ("ORD-10482", "RET-10482"),
    ("ORD-10482", "$10482"),
    ("ORD-104", "104 items"),
    ("TRK-9F3A", "TRK-9F3B"),
    ("ORD-10482-A", "ORD-10482-B"),
    ("4417", "44170"),
    ("4417", "4418"),
    ("4417", "$4417"),
    ("0042", "42"),
    ("30316", "30317"),
    ("dana.w@example.com", "dana@example.com"),
    ("ana@example.com", "dana@example.com"),
    ("dana@shop.example", "dana@shop.example.com"),
    ("LS1 4AB", "LS1 4AC"),
    ("Dana Whitlock", "Dana"),
    ("Dana Whitlock", "Dana Whitlocke"),
    ("Dana Whitlock", "Danae Whitlock"),
    (MAPLE, "14 Maple Street"),
    (MAPLE, "Leeds LS1 4AB"),
    (MAPLE, "114 Maple Street, Leeds"),
    ("14 Maple Street, Leeds, LS1 4AB", "14 Maple Road, Leeds"),
    ("wrong_item", "item wrong"),
    ("wrong_item", "the wrong box"),
    ("30 days", "130 days"),
    ("30 days", "30 hours"),
    ("Fibre 500", "Fibre 50"),
    ("cancel", "noncancelable"),
    (["2026-03-17", "2026-03-18"], "the 17th"),
    ({"amount": 49.9, "method": "card"}, "$49.90 back"),
]


def _name(row: Row) -> str:
    return f"{row[0]} | {row[1]}"


@pytest.mark.parametrize(("value", "text"), SAID, ids=map(_name, SAID))
def test_expresses_a_usual_form_is_heard(value: JsonValue, text: str) -> None:
    assert expresses(text, value)


@pytest.mark.parametrize(("value", "text"), NOT_SAID, ids=map(_name, NOT_SAID))
def test_expresses_a_near_miss_is_not_heard(value: JsonValue, text: str) -> None:
    assert not expresses(text, value)


@pytest.mark.parametrize(
    ("text", "value", "forms", "heard"),
    [
        ("It is past our 30-day limit: 30 days.", "outside_window", ["30 days"], True),
        ("THIRTY  DAYS are over", "outside_window", ["30 days", "thirty days"], True),
        ("it is outside the window", "outside_window", ["30 days"], True),
        ("it's too late", "outside_window", ["30 days"], False),
        ("within 130 days", "outside_window", ["30 days"], False),
        ("you can’t return it", "x_y", ["can't return"], True),
        ("It is verified", True, ["verified"], True),
        ("It is fine", True, ["verified"], False),
        ("It is unverified", True, ["verified"], False),
        ("e mail works", None, ["e-mail"], True),
    ],
)
def test_expresses_forms_any_of_them_will_do(
    text: str, value: JsonValue, forms: list[str], heard: bool
) -> None:
    assert expresses(text, value, forms) is heard


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        ("Dana Whitlock", "name", "Dana Whitlock"),
        (DAY, "date", "March 17, 2026"),
        ("2026-03-17T09:30:00Z", "date", "March 17, 2026 at 9:30 am"),
        ("08:00-12:00", "time_window", "8 am to noon"),
        ("16:30-24:00", "time_window", "4:30 pm to midnight"),
        (49.9, "money", "$49.90"),
        ("49.9", "money", "$49.90"),
        (1200, "money", "$1,200"),
        (3, "number", "3"),
        (2.5, "number", "2.5"),
        ("+14045550142", "phone", "404-555-0142"),
        ("+447700900123", "phone", "+447700900123"),
        ("ORD_10482", "id", "ORD_10482"),
        ("4417", "digits", "4417"),
        ("dana@example.com", "email", "dana@example.com"),
        ("LS1 4AB", "postcode", "LS1 4AB"),
        ("wrong_item", "choice", "wrong item"),
        ("a broken lid", "text", "a broken lid"),
        (MAPLE, "address", "14 Maple Street, Leeds, LS1 4AB"),
        (["blue", "red", "wide_brim"], "choice", "blue, red and wide brim"),
        ([], "choice", ""),
        (True, "choice", "yes"),
    ],
)
def test_say_value_is_natural_and_heard(value: JsonValue, kind: str, said: str) -> None:
    assert say_value(value, kind) == said
    assert expresses(said, value)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("ORD-10482 cost $49.90", ["id", "money"]),
        ("Tuesday, March 17th, 2026, 8 to 12", ["date", "window"]),
        ("mail a@example.com or call 404-555-0142", ["email", "phone"]),
        ("three at 9:30, 20% off", ["words", "time", "percent"]),
        ("see https://example.com/a1b2", ["url"]),
        ("open 24/7", []),
        ("Hello there!", []),
    ],
)
def test_values_in_text_are_found_in_order(text: str, kinds: list[str]) -> None:
    assert [mention.kind for mention in values_in(text)] == kinds


def test_values_in_mention_offers_normal_values() -> None:
    (mention,) = values_in("4 to 8 pm")
    assert (mention.raw, mention.values) == ("4 to 8 pm", ("16:00-20:00",))


KNOWN: list[JsonValue] = [
    {
        "order_id": "ORD-10482",
        "total": 49.9,
        "placed_at": "2026-03-02T14:05:00Z",
        "items": ["a"] * 4,
    },
    {"customer": {"full_name": "Dana Whitlock", "phone": "+14045550142", "email": "d@example.com"}},
    [DAY, "08:00-12:00"],
    "Returns are free within 30 days. A tool is retried twice. Call us before 6 pm.",
    "next Friday the 20th",
    MAPLE,
    "Ridgeline Mobile",
    "0042",
]

NONE: list[str] = []


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("Your order ORD-10482 was $49.90.", NONE),
        ("order 10482 for 49.90", NONE),
        ("ORD-10483", ["ORD-10483"]),
        ("order 10483", ["10483"]),
        ("$49.95", ["$49.95"]),
        ("$149.90", ["$149.90"]),
        ("within 30 days", NONE),
        ("within thirty days", NONE),
        ("within 21 days", ["21"]),
        ("within twenty-one days", ["twenty-one"]),
        ("on March 17", NONE),
        ("Tuesday the 17th", NONE),
        ("Wednesday the 17th", ["Wednesday the 17th"]),
        ("on March 18", ["March 18"]),
        ("on the 19th", ["19th"]),
        ("Friday the 20th", NONE),
        ("March 2, 2026", NONE),
        ("in 2026", NONE),
        ("in 2024", ["2024"]),
        ("8 am to noon", NONE),
        ("between 8 and 12", NONE),
        ("12 to 4", ["12 to 4"]),
        ("at 9:30", ["9:30"]),
        ("before 6 pm", NONE),
        ("at 2:05 pm", NONE),
        ("One moment, just a second.", NONE),
        ("I need two things first.", NONE),
        ("Your first order, the second item", NONE),
        ("We're here 24/7.", NONE),
        ("I'm 100% sure", NONE),
        ("You have four items", NONE),
        ("You have five items", ["five"]),
        ("within 12 days", ["12"]),
        ("at 12", NONE),
        ("I found 5. Then", ["5"]),
        ("1. Your name\n2. Your postcode", NONE),
        ("Call 404-555-0142", NONE),
        ("ending in 0142", NONE),
        ("Call 404-555-0199", ["404-555-0199"]),
        ("d@example.com", NONE),
        ("e@example.com", ["e@example.com"]),
        ("LS1 4AB", NONE),
        ("LS1 4AC", ["LS1 4AC"]),
        ("14 Maple Street", NONE),
        ("PIN 0042", NONE),
        ("Thank you, Dana Whitlock.", NONE),
        ("Hello Dana! Best Regards, Ridgeline Mobile", NONE),
        ("This is for Marcus Bell.", ["Marcus Bell"]),
        ("I have Dana Stevens here", ["Dana Stevens"]),
        ("Good Morning and Thank You", NONE),
        ("I see Customer Support on Tuesday Morning", NONE),
        ("one-time two-factor code", NONE),
        ("5G works in 4K", NONE),
        ("3 or 4 hours", ["3"]),
    ],
)
def test_unknown_values_only_the_unexplained_are_named(text: str, unknown: list[str]) -> None:
    assert unknown_values(text, KNOWN) == unknown


def test_unknown_values_nothing_known_names_every_value_once() -> None:
    assert unknown_values("$5, $5 and ORD-10482", []) == ["$5", "ORD-10482"]


def test_expresses_is_fast_enough_for_every_turn_of_a_corpus() -> None:
    texts = [
        f"Your order ORD-{n} of $49.90 comes on Tuesday, March 17, 8 to 12." for n in range(300)
    ]
    started = time.perf_counter()
    for text in texts:
        for value in ("ORD-10482", 49.9, DAY, "08:00-12:00", "Dana Whitlock"):
            expresses(text, value)
    assert time.perf_counter() - started < 1.5  # about 0.1 s on a small machine
