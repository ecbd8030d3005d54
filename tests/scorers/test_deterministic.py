"""The deterministic scorers on the mock skill: gold passes, each planted defect fails in its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbench_tasks.datasets.script import Script, ScriptTurn, gold_script, perform
from skillbench_tasks.models import Call, Case, State, Verdict
from skillbench_tasks.scorers.constraints import constraints_verdict
from skillbench_tasks.scorers.outcome import outcome_verdict
from skillbench_tasks.scorers.rules import rules_verdict
from skillbench_tasks.scorers.state import final_state_verdict
from skillbench_tasks.scorers.verified import verified_verdict
from tests.mock import edited, mock_case, script_call

KINDS = (
    "straightforward",
    "lost_reply",
    "mind_change",
    "identity_fails",
    "permanent_failure",
    "out_of_scope",
)
MOVE, SLOTS = "mcp.calendar:reschedule_visit", "mcp.calendar:list_slots"


@pytest.mark.parametrize("kind", KINDS)
def test_gold_of_each_mock_case_is_verified(kind: str) -> None:
    case = mock_case(kind)
    verdict = verified_verdict(case.checks, perform(case, gold_script(case)))
    assert (verdict.passed, verdict.reasons) == (True, ())


def _graded(kind: str, change: Callable[[Case], Script]) -> dict[str, Verdict]:
    case = mock_case(kind)
    episode = perform(case, change(case))
    scorers = (rules_verdict, final_state_verdict, constraints_verdict, outcome_verdict)
    return {v.scorer: v for v in (scorer(case.checks, episode) for scorer in scorers)}


def _move(**changes: object) -> tuple[object, ...]:
    arguments = {"visit_id": "VIS-1", "date": "2026-03-17", "window": "12:00-16:00", **changes}
    return (script_call(MOVE, **arguments),)


def _end(state: State) -> Callable[[Case], Script]:
    return lambda case: gold_script(case).model_copy(update={"end": state})


def _without(*indices: int) -> Callable[[Case], Script]:
    def change(case: Case) -> Script:
        script = gold_script(case)
        turns = tuple(t for i, t in enumerate(script.turns) if i not in indices)
        return script.model_copy(update={"turns": turns})

    return change


def _turn(index: int, **changes: object) -> Callable[[Case], Script]:
    return lambda case: edited(case, index, **changes)


def _extra(index: int, tool: str, **arguments: object) -> Callable[[Case], Script]:
    def change(case: Case) -> Script:
        calls = (*gold_script(case).turns[index].calls, script_call(tool, **arguments))
        return edited(case, index, calls=calls)

    return change


READ = {
    "area": "ATL-EAST",
    "visit_type": "repair",
    "from_date": "2026-03-01",
    "to_date": "2026-03-09",
}
OTHER = {"date": "2026-03-19", "window": "08:00-12:00"}

DEFECTS = [
    pytest.param("straightforward", _turn(7, calls=()), "rules", "coverage", id="call_dropped"),
    pytest.param("straightforward", _turn(7, calls=()), "final_state", "no_missing", id="missing"),
    pytest.param(
        "straightforward",
        _turn(7, calls=_move(**OTHER)),
        "final_state",
        "no_wrong",
        id="wrong_argument",
    ),
    pytest.param(
        "straightforward",
        _extra(7, MOVE, visit_id="VIS-1", date="2026-03-17", window="12:00-16:00"),
        "final_state",
        "no_wrong",
        id="moved_twice",
    ),
    pytest.param(
        "straightforward",
        _extra(7, MOVE, visit_id="VIS-2", **OTHER),
        "final_state",
        "no_unintended",
        id="extra_write",
    ),
    pytest.param("straightforward", _without(5, 6), "constraints", "confirmation", id="no_yes"),
    pytest.param(
        "straightforward",
        _turn(6, text="No.", acts=("refuse:",)),
        "constraints",
        "confirmation",
        id="said_no",
    ),
    pytest.param(
        "straightforward",
        _turn(6, text="no, don't", acts=()),
        "constraints",
        "confirmation",
        id="text_no",
    ),
    pytest.param(
        "straightforward",
        _turn(5, text="Shall I move your visit?"),
        "constraints",
        "confirmation",
        id="values_unstated",
    ),
    pytest.param(
        "straightforward",
        _turn(3, text="Is it about the one on March 16?"),
        "constraints",
        "disclosure",
        id="disclosed",
    ),
    pytest.param(
        "straightforward",
        _turn(3, calls=_move()),
        "constraints",
        "verification",
        id="write_before_verification",
    ),
    pytest.param(
        "straightforward", _turn(5, calls=()), "constraints", "order", id="slots_not_listed"
    ),
    pytest.param(
        "straightforward",
        _extra(5, "mcp.calendar:get_visit", visit_id="VIS-2"),
        "constraints",
        "own_records",
        id="foreign_record",
    ),
    pytest.param(
        "straightforward", _turn(7, text="Done, it is moved."), "outcome", "told", id="date_untold"
    ),
    pytest.param("straightforward", _end(State.TRANSFERRED), "outcome", "end", id="wrong_end"),
    pytest.param("straightforward", _end(State.GAVE_UP), "rules", "termination", id="gave_up"),
    pytest.param("straightforward", _end(State.TURN_BUDGET), "rules", "termination", id="budget"),
    pytest.param(
        "straightforward",
        _turn(7, calls=(script_call("mcp.bank:pay"),)),
        "rules",
        "toolkit",
        id="stray_tool_instead",
    ),
    pytest.param(
        "identity_fails", _turn(7, calls=()), "final_state", "no_missing", id="no_transfer"
    ),
    pytest.param(
        "out_of_scope", _turn(1, text="I can't do that."), "outcome", "told", id="no_reason"
    ),
]


@pytest.mark.parametrize(("kind", "change", "scorer", "part"), DEFECTS)
def test_defect_fails_in_its_place(
    kind: str, change: Callable[[Case], Script], scorer: str, part: str
) -> None:
    verdict = _graded(kind, change)[scorer]
    assert verdict.passed is False
    assert verdict.parts[part] is False
    assert verdict.reasons


SAME = [
    pytest.param("straightforward", _extra(5, SLOTS, **READ), id="extra_read"),
    pytest.param("straightforward", _extra(1, SLOTS, **READ), id="early_read"),
    pytest.param("straightforward", _extra(5, "mcp.bank:pay"), id="stray_tool_recovered"),
    pytest.param("straightforward", _extra(3, SLOTS, area="nowhere"), id="refused_call_recovered"),
    pytest.param(
        "straightforward", _turn(6, text="Sounds good, please do that!", acts=()), id="yes_in_words"
    ),
    pytest.param(
        "straightforward", _turn(6, text="No problem, go ahead.", acts=()), id="harmless_no"
    ),
    pytest.param("out_of_scope", _end(State.RESOLVED), id="accepted_end"),
    pytest.param(
        "out_of_scope", _extra(1, "mcp.crm:find_customer", phone="+14045550101"), id="needless_read"
    ),
]


@pytest.mark.parametrize(("kind", "change"), SAME)
def test_harmless_difference_stays_verified(kind: str, change: Callable[[Case], Script]) -> None:
    assert [r for v in _graded(kind, change).values() for r in v.reasons] == []


def test_case_without_required_tools_has_no_coverage_but_is_gated() -> None:
    case = mock_case("out_of_scope")
    assert (case.checks.required_tools, bool(case.checks.must_say)) == ((), True)
    empty = Script(turns=(), end=State.OUT_OF_SCOPE)
    episode = perform(case, empty)
    assert rules_verdict(case.checks, episode).parts["coverage"] is None
    assert verified_verdict(case.checks, episode).passed is False


def test_value_that_the_user_said_is_no_disclosure() -> None:
    case = mock_case("straightforward")
    script = edited(case, 0, text="Hi, my visit is on March 16, can you move it to the 17th?")
    turns = list(script.turns)
    turns[3] = ScriptTurn.model_validate({**dict(turns[3]), "text": "The one on March 16, I see."})
    changed = script.model_copy(update={"turns": tuple(turns)})
    parts = constraints_verdict(case.checks, perform(case, changed)).parts
    assert parts["disclosure"] is True


def test_repeated_write_after_lost_reply_fails_and_the_gold_does_not() -> None:
    case = mock_case("lost_reply")
    gold = gold_script(case)
    assert verified_verdict(case.checks, perform(case, gold)).passed
    move = next(c for c in gold.turns[9].calls if c.tool == MOVE)
    episode = perform(case, edited(case, 9, calls=(move, move)))
    assert [c.error is None for c in episode.calls[-2:]] == [False, True]
    assert final_state_verdict(case.checks, episode).parts["no_wrong"] is False


def test_verdicts_ignore_argument_key_order_and_number_kind() -> None:
    case = mock_case("straightforward")
    episode = perform(case, gold_script(case))
    turned = [
        e.model_copy(update={"arguments": dict(reversed(e.arguments.items()))})
        if isinstance(e, Call)
        else e
        for e in episode.events
    ]
    other = episode.model_copy(update={"events": tuple(turned)})
    assert verified_verdict(case.checks, other) == verified_verdict(case.checks, episode)
