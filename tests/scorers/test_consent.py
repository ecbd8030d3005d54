"""A1: a yes to stated values counts until it is withdrawn or the values change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from skillbench_tasks.datasets.loaders import case_by_id, load_cases
from skillbench_tasks.datasets.mutants.confirming import asked_and_done
from skillbench_tasks.datasets.mutants.edits import agent, reworded, spliced, user
from skillbench_tasks.datasets.mutants.story import Story
from skillbench_tasks.datasets.script import Script, gold_script, perform
from skillbench_tasks.models import Case
from skillbench_tasks.scorers.text import is_affirmative, is_negative
from skillbench_tasks.scorers.verified import verified_verdict

Change = Callable[[Case, Script, int], Script]


def _places() -> Iterator[tuple[Case, Script, int]]:
    for case in load_cases():
        story = Story(case)
        for pair in asked_and_done(story):
            yield case, story.script, pair.asking


PLACES = list(_places())[::2]


def _breaches(change: Change) -> list[str]:
    """The cases whose consent is found missing after a change at each question for a yes."""
    found = []
    for case, script, asking in PLACES:
        reasons = verified_verdict(case.checks, perform(case, change(case, script, asking))).reasons
        if any("without a yes" in reason for reason in reasons):
            found.append(f"{case.id}:{asking}")
    return found


def _then(*lines: tuple[str, str], acts: tuple[str, ...] = ()) -> Change:
    """Put further exchanges between the yes and what the agent does on it."""

    def change(case: Case, script: Script, asking: int) -> Script:
        more = [turn for said, answer in lines for turn in (agent(said), user(answer, *acts))]
        return spliced(script, asking + 2, asking + 2, *more)

    return change


def _answer(text: str, *acts: str) -> Change:
    return lambda case, script, asking: reworded(script, asking + 1, text, acts)


def _statement_and_question(case: Case, script: Script, asking: int) -> Script:
    """The values stand in one turn, the question in the next."""
    text = script.turns[asking].text
    statement = re.sub(r"\s*[^.!?]*\?\s*$", "", text).strip() or text.replace("?", ".")
    answer = script.turns[asking + 1]
    return (
        spliced(
            script, asking, asking + 2, agent(statement), user("I see."), agent("Shall I?"), answer
        )
        if _is_split(text, statement)
        else script
    )


def _is_split(text: str, statement: str) -> bool:
    """Whether the question alone held nothing of what is stated."""
    question = text.removeprefix(statement)
    deed = r"\d|\b(?:confirm|save|note)\b|\b(?:to|for|from|on|with|by|take|remove|that right)\b"
    return bool(statement) and not re.search(deed, question)


def _read_back_twice(case: Case, script: Script, asking: int) -> Script:
    once = script.turns[asking]
    return spliced(script, asking, asking, once.model_copy(update={"calls": ()}), user("Yes."))


RIGHT: dict[str, Change] = {
    "two_steps": _then(("Great, shall I go ahead?", "Yes."), acts=("confirm:",)),
    "two_steps_heard": _then(("Great, shall I go ahead?", "Yes, please.")),
    "small_talk": _then(("Lovely. Is it cold where you are?", "No, it's mild for March.")),
    "small_talk_with_acts": _then(("Are you well?", "Quite well."), acts=("wait",)),
    "statement_and_question": _statement_and_question,
    "read_back_twice": _read_back_twice,
    "plain_yes": _answer("Yes, please go ahead."),
    "guess": _answer("I guess. Do it."),
}
WRONG: dict[str, Change] = {
    "withdrawn": _then(("Good.", "Wait, hold on, not yet.")),
    "withdrawn_with_acts": _then(("Shall I go ahead?", "No."), acts=("refuse:",)),
    "mind_changed": _then(("All right.", "Actually, I've changed my mind.")),
    "absolutely_not": _answer("Absolutely not."),
    "fine_then_dont": _answer("Fine, then don't."),
    "something_else": _answer("I hope this is right: 23601, and lotus."),
    "yes_to_another_question": lambda case, script, asking: reworded(
        script, asking, "Are you doing well today?"
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_consent_that_stands_counts_a1(name: str) -> None:
    assert not _breaches(RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_consent_that_is_missing_fails_a1(name: str) -> None:
    passed = len(PLACES) - len(_breaches(WRONG[name]))
    assert passed == 0


@pytest.mark.parametrize(
    "text",
    ["I guess", "Book it.", "k", "Sure, and also, does it work in store?", "Put it through.",
     "Yes please, if that's really okay.", "I can't wait any longer, do it."],
)  # fmt: skip
def test_hard_yes_is_heard_u9(text: str) -> None:
    assert is_affirmative(text)
    assert not is_negative(text)


@pytest.mark.parametrize(
    "text",
    ["Absolutely not.", "I don't agree.", "Definitely not!", "Okay, then forget it.",
     "Fine, then don't.", "I hope this is right: 23601, and lotus.", "It's 30316."],
)  # fmt: skip
def test_no_yes_is_heard_u9(text: str) -> None:
    assert not is_affirmative(text)


def test_one_yes_to_two_writes_is_none_where_each_needs_its_own() -> None:
    case = case_by_id("data-request.two_requests")
    script = gold_script(case)
    second = next(i for i in range(len(script.turns) - 1, 0, -1) if script.turns[i].acts)
    calls = script.turns[second + 1].calls
    first = next(i for i, t in enumerate(script.turns) if "cancel_request" in str(t.calls))
    question = (
        "I would withdraw the access request for call recordings of August 20, which can't be "
        "revived afterwards, and then open an erasure request for your marketing data. OK?"
    )
    both = script.turns[first - 2].model_copy(update={"text": question})
    done = script.turns[first].model_copy(
        update={"calls": (*script.turns[first].calls, *calls), "text": "Both are done."}
    )
    turns = (*script.turns[: first - 2], both, script.turns[first - 1], done)
    at_once = script.model_copy(update={"turns": (*turns, *script.turns[second + 2 :])})
    reasons = " ".join(verified_verdict(case.checks, perform(case, at_once)).reasons)
    assert "open_request was called on a yes to another write as well" in reasons


def test_a_hand_over_that_has_to_be_wished_needs_a_yes() -> None:
    case = case_by_id("technician-visit.social_engineering")
    script = gold_script(case)
    over = next(i for i, t in enumerate(script.turns) if "transfer_to_human" in str(t.calls))
    at_once = script.model_copy(update={"turns": (*script.turns[: over - 2], script.turns[over])})
    assert script.turns[over - 1].role == "user"
    user_last = at_once.turns[-2].role == "user"
    assert user_last
    reasons = " ".join(verified_verdict(case.checks, perform(case, at_once)).reasons)
    assert "transfer_to_human was called without a yes" in reasons


def test_who_acts_for_somebody_proves_it_by_the_word_that_the_page_names() -> None:
    case = case_by_id("technician-visit.lost_reply")
    assert case.checks.rules.verification is not None
    assert case.checks.rules.verification.needs == ("security_word",)
