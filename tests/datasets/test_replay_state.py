"""States before the decisions of gold conversations, and equivalence at each of them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from skillbench_tasks.datasets.replay_state import state_before, states_before
from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.errors import DataError, ToolFailure
from skillbench_tasks.models import Case, GoldCall
from skillbench_tasks.tools.equivalence import equivalent
from skillbench_tasks.tools.toolbox import Toolbox
from tests.mock import MOCK_SKILLS, mock_case

MOCK = open_source(str(MOCK_SKILLS))


def _decisions(case: Case) -> list[GoldCall | str]:
    """The decisions of a gold conversation as `Conversation.decisions` counts them."""
    turns = [turn for turn in case.gold.turns if turn.role == "agent"]
    parts: list[GoldCall | str] = []
    for turn in turns:
        parts += [*turn.calls, turn.text]
    return parts


def _gold_states(case: Case) -> list[tuple[GoldCall, Toolbox]]:
    states = states_before(case, open_source())
    pairs = zip(_decisions(case), states, strict=True)
    return [(decision, state) for decision, state in pairs if isinstance(decision, GoldCall)]


def test_states_of_every_shipped_case_stand_one_before_each_decision() -> None:
    source = open_source()
    for case in source.cases():
        states = states_before(case, source)
        decisions = _decisions(case)
        assert len(states) == len(decisions)
        calls = [isinstance(decision, GoldCall) for decision in decisions]
        assert [len(state.ledger) for state in states] == [
            sum(calls[:n]) for n in range(len(calls))
        ]
        assert states[0].world.changes_since(states[0].start) == ()
        assert states[-1].world.changes_since(states[-1].start) == case.gold.changes


def test_gold_call_is_equivalent_to_itself_before_every_decision_and_leaves_no_trace() -> None:
    for case in open_source().cases():
        for call, state in _gold_states(case):
            entries = len(state.ledger)
            assert equivalent(call, call, state).equivalent
            assert len(state.ledger) == entries


def test_last_call_made_again_is_seldom_what_comes_next() -> None:
    repeated, decisions = 0, 0
    for case in open_source().cases():
        calls = _gold_states(case)
        for (before, _), (call, state) in pairwise(calls):
            is_retry = (before.tool, before.arguments) == (call.tool, call.arguments)
            decisions += 1
            repeated += equivalent(call, before, state).equivalent
            assert equivalent(call, before, state).equivalent is is_retry
    assert 0 < repeated < decisions / 20


def test_state_knows_of_faults_that_have_struck_and_of_those_to_come() -> None:
    case = mock_case("lost_reply")
    number, failed = next(
        (number, decision)
        for number, decision in enumerate(_decisions(case))
        if isinstance(decision, GoldCall) and decision.error is not None
    )
    before, after = (state_before(case.id, n, MOCK) for n in (number, number + 1))
    with pytest.raises(ToolFailure, match="outcome is unknown"):
        before.copy().call(failed.tool, failed.arguments)
    assert after.copy().call(failed.tool, failed.arguments)
    assert equivalent(failed, failed, before).equivalent
    assert (before.world.changes_since(before.start), len(after.ledger)) == (
        (),
        len(before.ledger) + 1,
    )


@pytest.mark.parametrize("number", [-1, 999])
def test_state_before_a_decision_that_is_not_there_is_an_error(number: int) -> None:
    with pytest.raises(DataError, match="no such decision"):
        state_before(mock_case("straightforward").id, number, MOCK)


def test_states_of_a_conversation_that_replays_otherwise_are_refused() -> None:
    case = mock_case("straightforward")
    index, turn = next((n, turn) for n, turn in enumerate(case.gold.turns) if turn.calls)
    wrong = turn.calls[0].model_copy(update={"result": {"customers": []}})
    turns = list(case.gold.turns)
    turns[index] = turn.model_copy(update={"calls": (wrong, *turn.calls[1:])})
    gold = case.gold.model_copy(update={"turns": tuple(turns)})
    with pytest.raises(DataError, match="answered otherwise"):
        states_before(case.model_copy(update={"gold": gold}), MOCK)
