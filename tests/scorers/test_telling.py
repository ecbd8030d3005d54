"""What an agent tells: that somebody takes over, no codes, not which detail was wrong."""

from __future__ import annotations

import re

import pytest

from skillbench_tasks.datasets.loaders import case_by_id
from skillbench_tasks.datasets.mutants.edits import added, agent, user
from skillbench_tasks.datasets.script import gold_script, perform
from skillbench_tasks.models import Call, Case, Checks, Episode, Line, NeverSay, Rules
from skillbench_tasks.scorers.constraints import CONSTRAINTS

CASE = "technician-visit.identity_fails"


def _found(checks: Checks, episode: Episode, name: str) -> list[str]:
    return list(CONSTRAINTS[name][1](checks, episode))


def _with_last(case: Case, text: str) -> Episode:
    episode = perform(case, gold_script(case))
    last = max(i for i, e in enumerate(episode.events) if isinstance(e, Line) and e.role == "agent")
    events = list(episode.events)
    events[last] = Line(role="agent", text=text, turn=99)
    return episode.model_copy(update={"events": tuple(events)})


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("A member of our staff will carry on from here.", True),
        ("One of our human agents takes it from here.", True),
        ("I'm putting you through now; they are connecting you.", True),
        ("I've escalated this.", True),
        ("I'm sorry, that did not work. Have a good day.", False),
        ("Thank you, goodbye.", False),
    ],
)
def test_a_transfer_is_told(text: str, is_told: bool) -> None:
    case = case_by_id(CASE)
    assert bool(_found(case.checks, _with_last(case, text), "transfer_told")) is not is_told


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("I'm sorry, your ZIP code is wrong. Please try again.", True),
        ("The name matches, but the ZIP code doesn't.", True),
        ("It was the postcode that did not match.", True),
        ("The name is fine. Could you try the ZIP code again?", True),
        ("The ZIP code isn't the one we hold.", True),
        ("The details did not match. Could you give me name and ZIP code again?", False),
        ("The name or the ZIP code did not match.", False),
        ("If the ZIP code is wrong, tell me the right one.", False),
        ("That didn't match. Please check your ZIP code.", False),
    ],
)
def test_the_wrong_factor_is_not_named(text: str, is_named: bool) -> None:
    case = case_by_id(CASE)
    episode = perform(case, gold_script(case))
    rule = case.checks.rules.verification
    assert rule is not None
    at = next(
        i for i, e in enumerate(episode.events) if isinstance(e, Call) and e.tool == rule.tool
    )
    events = (*episode.events[: at + 1], Line(role="agent", text=text, turn=99))
    cut = episode.model_copy(update={"events": events})
    assert bool(_found(case.checks, cut, "factor_named")) is is_named


def test_codes_and_ids_are_not_said_unless_the_user_did() -> None:
    case = case_by_id("refund-request.straightforward")
    checks = case.checks.model_copy(
        update={"rules": case.checks.rules.model_copy(update={"unsaid_ids": ("CUS",)})}
    )
    script = added(gold_script(case), user("And?"), agent("It went back by original_method."))
    assert _found(checks, perform(case, script), "internal_codes") == ["agent said original_method"]
    script = added(gold_script(case), user("And?"), agent("You are CUS-4711 here."))
    assert _found(checks, perform(case, script), "internal_codes") == ["agent said CUS-4711"]
    script = added(gold_script(case), user("I'm CUS-4711?"), agent("Yes, CUS-4711."))
    assert _found(checks, perform(case, script), "internal_codes") == []


def test_never_say_unless_is_read_by_sentence() -> None:
    case = case_by_id(CASE)
    rules = Rules(never_say=(NeverSay(says="will arrive", unless=r"\bnot\b|n't"),))
    checks = case.checks.model_copy(update={"rules": rules})
    for text, count in [
        ("It will arrive on Friday. That is not sure.", 1),
        ("I can't say that it will arrive on Friday.", 0),
    ]:
        assert len(_found(checks, _with_last(case, text), "never_say")) == count


def test_fields_that_are_not_read_out_are_not() -> None:
    case = case_by_id("technician-visit.lost_reply")
    old = "The notes say: knock loudly, the doorbell is broken."
    assert "read out" in " ".join(_found(case.checks, _with_last(case, old), "unread"))
    own = "The carport is in the notes as well, and the earlier ones are still there."
    assert not _found(case.checks, _with_last(case, own), "unread")


@pytest.mark.parametrize(
    ("case_id", "left_out", "fact"),
    [
        ("offers-and-preferences.straightforward", r"[^.?!]*\bpoints\b[^.?!]*[.?!]", "cost"),
        ("order-change.straightforward", r",? and your new total would be \$[\d.]+", "total"),
    ],
)
def test_what_a_question_tells_is_told_before_the_write(
    case_id: str, left_out: str, fact: str
) -> None:
    case = case_by_id(case_id)
    (first, *_) = [one for one in case.checks.told_first if one.name == fact]
    episode = perform(case, gold_script(case))
    assert not _found(case.checks, episode, "told_first")
    write = next(
        i for i, e in enumerate(episode.events) if isinstance(e, Call) and e.tool == first.before
    )
    events = [
        event.model_copy(update={"text": re.sub(left_out, "", event.text)})
        if isinstance(event, Line) and event.role == "agent" and i < write
        else event
        for i, event in enumerate(episode.events)
    ]
    silent = episode.model_copy(update={"events": tuple(events)})
    found = _found(case.checks, silent, "told_first")
    assert f"{fact} was not told before {first.before}" in found
