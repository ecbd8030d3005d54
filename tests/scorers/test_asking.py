"""How many things a message asks for: two at most, and none where a wish is refused at once."""

from __future__ import annotations

import pytest

from skillbench_tasks.datasets.loaders import case_by_id, load_cases
from skillbench_tasks.datasets.mutants.edits import interjected, reworded
from skillbench_tasks.datasets.script import gold_script, perform
from skillbench_tasks.datasets.wording.asking import things_asked
from skillbench_tasks.models import Case
from skillbench_tasks.scorers.verified import verified_verdict

CUES = case_by_id("data-request.transient_failure").checks.asked_words

THINGS = {
    "full_name": "your full name",
    "phone": "your phone number",
    "postcode": "your ZIP code",
    "email": "your e-mail address",
    "order_id": "your order number",
}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("I need the ZIP code, your security word and your date of birth.", 3),
        ("What's your full name? And your phone number? And the ZIP code on file?", 3),
        ("Full name and the phone number on file, please.", 2),
        ("Could I have your ZIP code and security word?", 2),
        ("ZIP code and security word, please; if you don't have one, your date of birth.", 2),
        ("What is your phone number or your account number?", 1),
        ("Your phone number, please. The phone number on file, I mean.", 1),
        ("Take your time. So that I can find your file: what's your full name?", 1),
        ("Shall I change your phone number, your ZIP code and your full name?", 0),
        ("Please ask the card desk about your phone number, ZIP code and full name.", 0),
        ("Please go to shop.example/track and enter your full name and phone number.", 0),
        ("Is there anything else?", 0),
        ("Please take all the time you need.", 0),
    ],
)
def test_things_asked(text: str, number: int) -> None:
    assert len(things_asked(text, CUES)) == number


def _reasons(case: Case, turn: int, text: str) -> str:
    script = reworded(gold_script(case), turn, text)
    return " ".join(verified_verdict(case.checks, perform(case, script)).reasons)


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.id)
def test_three_things_in_one_message_fail(case: Case) -> None:
    script = gold_script(case)
    texts = [t.text for t in script.turns if t.role == "agent"]
    assert all(len(things_asked(text, case.checks.asked_words)) <= 2 for text in texts)
    turn = next(i for i, t in enumerate(script.turns) if t.role == "agent")
    known = [THINGS[slot] for slot in THINGS if slot in case.checks.asked_words]
    asked = f"Please give me {', '.join(known[:3])}."
    most = f"at most {case.checks.most_asked} allowed"
    assert most in _reasons(case, turn, interjected(script.turns[turn].text, asked))


@pytest.mark.parametrize(
    "case", ["data-request.out_of_scope", "contact-details.out_of_scope"], ids=str
)
def test_a_refusal_at_once_asks_for_nothing(case: str) -> None:
    known = case_by_id(case)
    text = gold_script(known).turns[1].text
    assert known.checks.most_asked == 0
    assert "asks for 1 thing" in _reasons(known, 1, f"{text} May I have your full name?")
    assert not _reasons(known, 1, f"{text} Is there anything else I can do for you?")


def test_nobody_is_verified_where_a_wish_is_refused_without_it() -> None:
    case = case_by_id("offers-and-preferences.social_engineering")
    text = gold_script(case).turns[3].text
    reasons = _reasons(case, 3, f"{text} What are her ZIP code and her security word?")
    assert "asks for the security_word, and nobody is to be verified" in reasons
