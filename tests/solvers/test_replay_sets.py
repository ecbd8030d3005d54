"""The closed loop: decision sets (B4), optional calls (B2), free wording (B3), order of writes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from skillbench_tasks.models.conversation import CalledTool, Conversation, ConversationTool, Said
from skillbench_tasks.models.replay_record import Outcome, ReplayRecord
from skillbench_tasks.scorers.replay_score import replay_score
from skillbench_tasks.solvers.replay import Replay, StrictMatcher
from skillbench_tasks.tools.normal_forms import FREE_TEXT
from skillbench_tasks.tools.prediction import PredictedCall, Prediction

SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "note": {"type": "string", FREE_TEXT: True}},
    "additionalProperties": False,
}
TOOLS = tuple(ConversationTool(name=name, input_schema=SCHEMA) for name in ("get", "look", "put"))


def call(tool: str, *, beside: bool = False, **arguments: object) -> CalledTool:
    return CalledTool.model_validate(
        {"tool": tool, "arguments": arguments, "result": arguments, "with_previous": beside}
    )


def talk(*steps: CalledTool | str, optional: tuple[str, ...] = ()) -> Conversation:
    said = [Said(role="assistant", text=one) if isinstance(one, str) else one for one in steps]
    return Conversation(
        id="talk",
        workflow="talk",
        kind="plain",
        user="ann",
        policy="",
        tools=TOOLS,
        steps=(Said(role="user", text="Please."), *said),
        optional_tools=optional,
    )


def do(*calls: CalledTool) -> Prediction:
    made = tuple(PredictedCall(tool=one.tool, arguments=one.arguments) for one in calls)
    return Prediction(action="call", calls=made)


SAY = Prediction(action="text", text="Well.")
GET_1, GET_2, GET_3 = (call("get", id=number) for number in (1, 2, 3))
PUT, LOOK = call("put", id=1), call("look", id=1)
SET = talk(GET_1, call("get", beside=True, id=2), "Done.")


def played(conversation: Conversation, outputs: Sequence[Prediction]) -> ReplayRecord:
    replay = Replay(conversation, StrictMatcher(conversation))
    for output in outputs:
        replay.take(output)
    return replay.record()


@pytest.mark.parametrize(
    ("outputs", "outcome"),
    [
        pytest.param([do(GET_1, GET_2), SAY], "done", id="as-it-stands"),
        pytest.param([do(GET_2, GET_1), SAY], "done", id="other-order"),
        pytest.param([do(GET_2), do(GET_1), SAY], "done", id="one-by-one"),
        pytest.param([do(GET_1), SAY], "missed", id="partial"),
        pytest.param([do(GET_1, GET_1), SAY], "missed", id="twice-the-same"),
        pytest.param([do(GET_3, GET_1), do(GET_2), SAY], "corrected", id="corrected"),
        pytest.param([do(GET_3), do(GET_3), do(GET_3), do(GET_2), SAY], "rejected", id="rejected"),
        pytest.param([], "not_reached", id="not-reached"),
    ],
)
def test_set_of_two_calls_is_one_decision(outputs: list[Prediction], outcome: str) -> None:
    """B4: one message with two gold calls, in any order; the record says it is a set."""
    decision = played(SET, outputs).decisions[0]
    assert (decision.outcome, decision.calls) == (outcome, 2)
    assert [one.number for one in SET.decisions] == [0, 1]


def test_each_call_of_a_set_gets_its_own_result() -> None:
    replay = Replay(SET, StrictMatcher(SET))
    assert [one.result for one in replay.take(do(GET_2, GET_1)).answers] == [{"id": 2}, {"id": 1}]


@pytest.mark.parametrize(
    ("made", "outcome"), [(1, Outcome.MISSED), (2, Outcome.DONE), (3, Outcome.DONE)]
)
def test_two_identical_legitimate_calls_count_as_two(made: int, outcome: Outcome) -> None:
    """Known fault 9: made 1, 2, 3 of 2; the third is a rejected call where a text is due."""
    twice = talk(GET_1, call("get", beside=True, id=1), "Done.")
    record = played(twice, [do(*[GET_1] * made), SAY])
    assert record.decisions[0].outcome is outcome
    assert replay_score(record).completion is (made >= 2)
    assert replay_score(record).completion_first_try is (made == 2)


OPTIONAL = talk(LOOK, PUT, LOOK, "Done.", optional=("look",))


@pytest.mark.parametrize(
    ("outputs", "outcomes"),
    [
        pytest.param([do(PUT), SAY], ["left_out", "done", "left_out", "done"], id="left-out"),
        pytest.param(
            [do(LOOK), do(PUT), do(LOOK), SAY], ["done", "done", "done", "done"], id="made"
        ),
        pytest.param(
            [do(call("look", id=9))] * 3 + [do(PUT), SAY],
            ["left_out", "done", "left_out", "done"],
            id="tried-in-vain",
        ),
        pytest.param(
            [SAY], ["left_out", "missed", "left_out", "done"], id="what-is-required-is-missed"
        ),
    ],
)
def test_optional_calls_never_count_as_missed(
    outputs: list[Prediction], outcomes: list[str]
) -> None:
    """B2: left out, they fail nothing; made, they are right."""
    record = played(OPTIONAL, outputs)
    assert [one.outcome for one in record.decisions] == outcomes
    score = replay_score(record)
    assert score.completion is ("missed" not in outcomes)
    assert score.tool_decisions == sum(one in ("done", "missed") for one in outcomes[:3])


def test_optional_call_at_the_end_of_a_block_may_still_be_made() -> None:
    replay = Replay(made := talk(PUT, LOOK, optional=("look",)), StrictMatcher(made))
    replay.take(do(PUT))
    assert replay.due is not None
    assert replay.take(do(LOOK)).answers[0].error is None
    assert replay.due is None


NOTED = talk(call("put", id=1, note="as asked"), "Done.")


@pytest.mark.parametrize(
    ("note", "number", "any_wording"),
    [("in my words", 1, True), ("in my words", 2, False), (" ", 1, False)],
)
def test_other_wording_is_forgiven_in_its_own_row(
    note: str, number: int, any_wording: bool
) -> None:
    """B3: strictly the call is wrong; `completion_any_wording` leaves its free text out."""
    record = played(NOTED, [do(call("put", id=number, note=note))] * 3 + [SAY])
    score = replay_score(record)
    assert not score.completion
    assert score.completion_any_wording is any_wording
    assert record.decisions[0].other_wording is any_wording
