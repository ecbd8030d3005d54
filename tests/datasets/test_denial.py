"""A6: a value under a negation or contrast is not told."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from skillbench_tasks.datasets.surface import tells

DAY = "2026-03-24"
DENIED: list[tuple[str, JsonValue, bool]] = [
    ("Your refund is not $89.00.", 89, False),
    ("You get not $89.00 but $98.00.", 89, False),
    ("It's $98.00, not $89.00.", 89, False),
    ("The new date isn't the 24th.", DAY, False),
    ("It isn't going to be March 24.", DAY, False),
    ("You're down for the 26th rather than the 24th.", DAY, False),
    ("The visit is on the 26th instead of on March 24.", DAY, False),
    ("The visit is no longer on March 24.", DAY, False),
    ("March 24 is no longer your date.", DAY, False),
    ("March 24 was wrong, I'm afraid.", DAY, False),
    ("It won't be $89.00 after all.", 89, False),
    ("It was never $89.00.", 89, False),
    ("We did not refund $89.00.", 89, True),
    ("I haven't moved your visit to March 24.", DAY, True),
    ("Your refund of $89.00 was not sent.", 89, True),
    ("I couldn't move it to March 24.", DAY, True),
]
TOLD: list[tuple[str, JsonValue, bool]] = [
    ("You get not only $89.00 but the postage as well.", 89, True),
    ("That's $89.00, not $98.00.", 89, True),
    ("Not $98.00 but $89.00.", 89, True),
    ("It isn't $98.00, it's $89.00.", 89, True),
    ("It's not March 26: March 24 it is.", DAY, True),
    ("Not a problem, your refund is $89.00.", 89, True),
    ("It can't go out until March 24.", DAY, False),
    ("That's possible no later than March 24.", DAY, False),
    ("I can't take more than $89.00 off.", 89, False),
    ("Never mind the wait, it's March 24 now.", DAY, True),
    ("I couldn't do the 26th, so it's March 24 now.", DAY, True),
    ("It wasn't easy, but your visit is on March 24.", DAY, True),
    ("Instead of the 26th it's now the 24th.", DAY, True),
    ("We don't charge for that. Your refund of $89.00 is on its way.", 89, True),
    ("It isn't much, I know; still, $89.00 are back on your card.", 89, True),
    ("Nothing else changes, and $89.00 were refunded.", 89, True),
    ("You won't have to pay a fee and you'll get $89.00.", 89, True),
]


@pytest.mark.parametrize(("text", "value", "is_effect"), DENIED)
def test_denied_value_is_not_told_a6(text: str, value: JsonValue, is_effect: bool) -> None:
    assert not tells(text, value, is_effect=is_effect)


@pytest.mark.parametrize(("text", "value", "is_effect"), TOLD)
def test_value_beside_a_denial_is_told_a6(text: str, value: JsonValue, is_effect: bool) -> None:
    assert tells(text, value, is_effect=is_effect)


def test_value_denied_once_and_told_once_is_told_a6() -> None:
    assert tells("It's not $89.00 yet. Done: $89.00 refunded.", 89, is_effect=True)


@pytest.mark.parametrize(
    ("text", "form", "told"),
    [
        ("A withdrawn request cannot be revived.", "cannot be revived", True),
        ("It can't be moved: 30 days have passed.", "30 days", True),
        ("We don't take anything back after 30 days.", "30 days", True),
        ("A cancelled order can't be revived.", "revived", True),
        ("They won't be able to undo it.", "undo", True),
        ("Please ask the lending team, not the billing team.", "billing", False),
        ("It's 14 days and not 30 days.", "30 days", False),
    ],
)
def test_reason_that_is_itself_negative_is_told_a6(text: str, form: str, told: bool) -> None:
    assert tells(text, "reason", (form,)) is told


def test_a_tag_question_denies_nothing_of_what_follows() -> None:
    said = "What a week, isn't it? Your number is now 757-555-0124. We do, don't we! It is done."
    assert tells(said, "+17575550124", is_effect=True)
    assert not tells("Your number isn't 757-555-0124.", "+17575550124", is_effect=True)
