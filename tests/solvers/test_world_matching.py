"""Equivalent calls in the closed loop: what stands for a gold call, and what lasts of it."""

from __future__ import annotations

from typing import Any

import pytest

from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.models.conversation import CalledTool
from skillbench_tasks.models.replay_record import Outcome, ReplayedCall
from skillbench_tasks.scorers.replay_score import replay_score
from skillbench_tasks.solvers.replay import Replay, WorldMatcher
from skillbench_tasks.tools.prediction import PredictedCall, Prediction
from skillbench_tasks.tools.toolbox import Toolbox
from tests.mock import MOCK_SKILLS

SOURCE = open_conversations(str(MOCK_SKILLS))
FIND = PredictedCall(tool="crm__find_customer", arguments={"phone": "+14045550101"})
VERIFY = PredictedCall(
    tool="identity__verify_customer",
    arguments={"customer_id": "CUS-1", "full_name": "Ada Penn", "postcode": "30030"},
)
LIST = PredictedCall(
    tool="calendar__list_visits", arguments={"customer_id": "CUS-1", "status": "scheduled"}
)
SLOTS = PredictedCall(
    tool="calendar__list_slots",
    arguments={
        "area": "ATL-EAST",
        "visit_type": "repair",
        "from_date": "2026-03-17",
        "to_date": "2026-03-17",
    },
)
GET = PredictedCall(tool="calendar__get_visit", arguments={"visit_id": "VIS-1"})


def _call(tool: str, **arguments: Any) -> PredictedCall:
    return PredictedCall(tool=tool, arguments=arguments)


def _do(*calls: PredictedCall) -> Prediction:
    return Prediction(action="call", calls=calls)


SAY = Prediction(action="text", text="Well.")
MOVE = _call(
    "calendar__reschedule_visit", visit_id="VIS-1", date="2026-03-17", window="12:00-16:00"
)
OTHER_DAY = _call(
    "calendar__reschedule_visit", visit_id="VIS-1", date="2026-03-19", window="08:00-12:00"
)


def _replay(case: str = "visit-desk.straightforward") -> tuple[Replay, Toolbox]:
    conversation, cases = SOURCE.conversation(case), SOURCE.case_source
    assert cases is not None
    found = cases.case(case)
    toolbox = Toolbox(cases.tools(found), cases.world(found), found.scenario.faults)
    return Replay(conversation, WorldMatcher(conversation, toolbox, found.skill.rules)), toolbox


def _statuses(replay: Replay) -> list[str]:
    return [str(one.status) for one in replay.events if isinstance(one, ReplayedCall)]


START = [SAY, _do(FIND), SAY]
"""Of the straightforward conversation, up to the turn in which the customer is verified."""


@pytest.mark.parametrize(
    ("calls", "statuses", "completion", "first_try"),
    [
        pytest.param(
            [VERIFY, LIST, SLOTS, None, MOVE, None],
            ["matched", "matched", "matched", "matched", "matched"],
            True,
            True,
            id="reference",
        ),
        pytest.param(
            [VERIFY, GET, LIST, SLOTS, None, MOVE, None],
            ["matched", "matched", "extra_read", "matched", "matched", "matched"],
            True,
            True,
            id="extra-read-costs-nothing",
        ),
        pytest.param(
            [LIST, VERIFY, LIST, SLOTS, None, MOVE, None],
            ["matched", "rejected", "matched", "matched", "matched", "matched"],
            True,
            False,
            id="read-before-the-identity-check-is-rejected",
        ),
        pytest.param(
            [VERIFY, SLOTS, LIST, None, MOVE, None],
            ["matched", "matched", "extra_read", "matched", "matched"],
            True,
            True,
            id="read-in-another-order-counts-when-it-becomes-due",
        ),
        pytest.param(
            [VERIFY, LIST, SLOTS, None, OTHER_DAY, MOVE, None],
            ["matched", "matched", "matched", "matched", "rejected", "matched"],
            True,
            False,
            id="other-write-is-rejected",
        ),
        pytest.param(
            [VERIFY, LIST, SLOTS, None, OTHER_DAY, None],
            ["matched", "matched", "matched", "matched", "rejected"],
            False,
            False,
            id="other-write-does-not-complete",
        ),
        pytest.param(
            [VERIFY, _call("calendar__get_visit", visit_id="VIS-9"), LIST, SLOTS, None, MOVE, None],
            ["matched", "matched", "rejected", "matched", "matched", "matched"],
            True,
            False,
            id="read-that-fails-is-rejected",
        ),
    ],
)
def test_matcher_takes_what_does_the_same(
    calls: list[PredictedCall | None], statuses: list[str], completion: bool, first_try: bool
) -> None:
    replay, _ = _replay()
    for output in [*START, *(SAY if call is None else _do(call) for call in calls)]:
        replay.take(output)
    assert _statuses(replay) == statuses
    score = replay_score(replay.record())
    assert (score.completion, score.completion_first_try) == (completion, first_try)


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param([_do(LIST), _do(SLOTS)], id="gold-order"),
        pytest.param([_do(SLOTS), _do(GET), _do(LIST)], id="other-order"),
    ],
)
def test_identity_check_made_a_turn_early_counts_and_proves_identity(
    rest: list[Prediction],
) -> None:
    replay, _ = _replay()
    for output in [SAY, _do(FIND), _do(VERIFY), SAY, *rest, SAY, _do(MOVE), SAY]:
        replay.take(output)
    assert "rejected" not in _statuses(replay)
    assert replay_score(replay.record()).completion_first_try


def test_rejected_write_and_extra_read_leave_the_world_alone() -> None:
    replay, toolbox = _replay()
    for output in (*START, _do(VERIFY), _do(LIST), _do(SLOTS), SAY):
        replay.take(output)
    before, calls = toolbox.world.copy(), len(toolbox.ledger)
    answers = replay.take(_do(OTHER_DAY, GET)).answers
    assert answers[0].error is not None
    assert answers[1].result is not None
    assert not toolbox.world.changes_since(before)
    assert len(toolbox.ledger) == calls
    replay.take(_do(MOVE))
    assert len(toolbox.world.changes_since(before)) > 0


def test_extra_reads_end_somewhere() -> None:
    replay, _ = _replay()
    for output in (*START, _do(VERIFY)):
        replay.take(output)
    for _ in range(200):
        if replay.due is None:
            break
        replay.take(_do(GET))
    assert replay.due is None
    assert _statuses(replay).count("extra_read") == 10


def test_other_words_in_a_write_are_equivalent() -> None:
    case = "visit-desk.permanent_failure"
    replay, _ = _replay(case)
    steps = SOURCE.conversation(case).steps
    while (due := replay.due) is not None:
        step = due.step
        if not isinstance(step, CalledTool):
            replay.take(Prediction(action="text", text=step.text))
            continue
        arguments = dict(step.arguments)
        if "summary" in arguments:
            arguments["summary"] = "The calendar is down."
        replay.take(_do(PredictedCall(tool=step.tool, arguments=arguments)))
    assert any(isinstance(step, CalledTool) and "summary" in step.arguments for step in steps)
    assert _statuses(replay)[-1] == "equivalent"
    assert all(one.outcome is Outcome.DONE for one in replay.record().decisions)
