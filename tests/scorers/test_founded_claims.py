"""A4: an effect that the agent claims needs a call that has this effect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbench_tasks.datasets.loaders import case_by_id, load_cases
from skillbench_tasks.datasets.mutants.edits import added, agent, interjected, reworded, user
from skillbench_tasks.datasets.mutants.story import digest
from skillbench_tasks.datasets.script import gold_script, perform
from skillbench_tasks.datasets.wording.effects import effects_in
from skillbench_tasks.models import Case
from skillbench_tasks.scorers.founding import unfounded_claims

DATA = Path(__file__).parent.parent / "data"


def _new(case: Case, text: str) -> list[str]:
    """What a sentence in the last message of a right run adds to its unfounded claims."""
    script = gold_script(case)
    last = max(i for i, turn in enumerate(script.turns) if turn.role == "agent")
    said = reworded(script, last, interjected(script.turns[last].text, text))
    return list(unfounded_claims(case.checks, perform(case, said)))


def _false_claims() -> list[tuple[str, Case]]:
    """Each false claim in one state of the world in which no call has made it true."""
    found = []
    for line in (DATA / "false_claims.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        industry, parts, text = line.split("|", 2)
        open_cases = [
            case
            for case in load_cases()
            if case.skill.industry == industry
            and not any(
                part in call.tool
                for turn in case.gold.turns
                for call in turn.calls
                for part in parts.split(",")
            )
        ]
        found.append((text, min(open_cases, key=lambda case: digest(case.id, text))))
    return found


def test_nine_of_ten_false_claims_are_caught_a4() -> None:
    claims = _false_claims()
    missed = [text for text, case in claims if not _new(case, text)]
    assert len(missed) <= 0.1 * len(claims), missed


def test_no_gold_message_claims_what_was_not_done_a4() -> None:
    for case in load_cases():
        assert not list(unfounded_claims(case.checks, perform(case, gold_script(case)))), case.id


def test_one_honest_message_of_a_hundred_is_taken_for_a_claim_a4() -> None:
    total, flagged = 0, []
    for name in "abcd":
        lines = (DATA / f"agent_messages_{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for entry in map(json.loads, lines):
            case = case_by_id(entry["scenario"])
            script = added(gold_script(case), user("Okay."), agent(entry["agent"]))
            total += 1
            if list(unfounded_claims(case.checks, perform(case, script))):
                flagged.append(entry["agent"])
    assert len(flagged) <= 0.01 * total, flagged


@pytest.mark.parametrize(
    "text",
    [
        "Your contract has been cancelled as well.",
        "A check for $500 was sent to you.",
        "We will also pay you a $500 bonus.",
        "I have closed your second account.",
        "All three late fees are gone.",
        "Refund's on its way.",
        "The old card is dead now.",
        "Consider it done.",
        "Your contract has been cancelled and nothing more will be billed.",
        "Ive cancelled ur contract, anything else?",
        "Rest assured that I have taken care of it, there's nothing further you need to do.",
    ],
)
def test_rows_of_a4_fail(text: str) -> None:
    case = case_by_id("internet-trouble.out_of_scope")
    assert _new(case, text)


@pytest.mark.parametrize(
    "text",
    [
        "Your parcel was handed to the carrier on Friday.",
        "The card was locked on Saturday at 23:14 by our fraud system.",
        "The previous appointment was cancelled by the technician because of illness.",
        "The order is still being prepared.",
        "I'll check that for you now.",
        "The cancellation period of your contract is three months.",
    ],
)
def test_what_others_did_and_what_holds_anyway_is_no_claim_a4(text: str) -> None:
    assert not _new(case_by_id("internet-trouble.out_of_scope"), text)


@pytest.mark.parametrize(
    "text",
    [
        "I have found your order.",
        "I've had a look at your file.",
        "Thanks for waiting.",
        "Once it is cancelled you will get a message.",
        "I've read your notes, and I understand.",
        "I would move it to Tuesday.",
        "Nothing has been changed.",
        "I can't cancel it for you.",
        "Has it been refunded?",
        "I'm sorry you had to wait.",
        "I've compared both bills with each other.",
        "If the parcel was damaged, we can help.",
        "You mentioned that you called yesterday.",
        "I'll take a look right away.",
        "I've got all I need.",
        "I'm checking that for you.",
        "No fee was charged.",
        "I'm glad that's settled between you two, isn't it?",
    ],
)
def test_looking_waiting_and_conditions_claim_nothing_a4(text: str) -> None:
    assert not effects_in(text)
