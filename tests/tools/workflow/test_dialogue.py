"""Dialogue nodes and the respondent: section 7 of the language reference."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import JsonValue

from skillbench_tasks.errors import WorkflowError
from skillbench_tasks.tools.workflow import Execution, Program, parse_program, run_workflow


class ScriptedUser:
    """Has told some slots, answers others, and keeps what it was asked."""

    def __init__(self, told: dict[str, JsonValue], answers: dict[str, JsonValue]) -> None:
        self._told, self._answers = told, answers
        self.asked: list[tuple[list[str], str | None, bool]] = []

    def told(self, slot: str) -> bool:
        return slot in self._told

    def told_value(self, slot: str) -> JsonValue:
        return self._told[slot]

    def answer(self, slots: list[str], confirm: str | None, again: bool) -> Mapping[str, JsonValue]:
        self.asked.append((slots, confirm, again))
        return self._answers


def run(steps: list[JsonValue], user: ScriptedUser | None) -> Execution:
    program = parse_program({"version": 1, "steps": steps})
    assert isinstance(program, Program), program
    return run_workflow(
        program, {}, now="2026-01-01T00:00:00", backend=lambda tool, args: {}, respondent=user
    )


def ask(**keys: JsonValue) -> dict[str, JsonValue]:
    return {"kind": "ask", "id": "a", **keys}


GIVE: JsonValue = {"kind": "return", "value": "${a}"}


def test_ask_asks_only_for_slots_not_told() -> None:
    user = ScriptedUser({"phone": "1"}, {"name": "Ada", "extra": "ignored"})
    execution = run([ask(slots=["name", "phone", "pin"], facts={"f": 1}), GIVE], user)
    assert execution.value == {"name": "Ada", "phone": "1", "pin": None}
    assert user.asked == [(["name", "pin"], None, False)]
    assert execution.trace[0] == {
        "event": "ask",
        "path": "steps[0]",
        "slots": ["name", "pin"],
        "confirm": None,
        "facts": {"f": 1},
        "answer": {"name": "Ada", "pin": None},
    }


def test_ask_for_told_slots_is_known_and_says_nothing() -> None:
    user = ScriptedUser({"phone": "1"}, {})
    execution = run([ask(slots=["phone"]), GIVE], user)
    assert (execution.value, user.asked) == ({"phone": "1"}, [])
    assert execution.trace[0] == {"event": "known", "path": "steps[0]", "slots": ["phone"]}


def test_ask_again_asks_for_told_slots() -> None:
    user = ScriptedUser({"phone": "1"}, {"phone": "2"})
    execution = run([ask(slots=["phone"], again=True), GIVE], user)
    assert execution.value == {"phone": "2"}
    assert user.asked == [(["phone"], None, True)]


def test_ask_confirm_binds_confirmation_and_changes() -> None:
    user = ScriptedUser({}, {"confirmed": False, "changes": {"day": "Monday"}})
    execution = run([ask(confirm="reschedule"), GIVE], user)
    assert execution.value == {"confirmed": False, "changes": {"day": "Monday"}}
    assert user.asked == [([], "reschedule", False)]
    assert execution.trace[0]["confirm"] == "reschedule"
    assert execution.trace[0]["slots"] == []


def test_ask_confirm_without_boolean_is_respondents_fault() -> None:
    with pytest.raises(WorkflowError, match="reschedule"):
        run([ask(confirm="reschedule")], ScriptedUser({}, {"confirmed": "yes"}))


def test_ask_without_id_binds_nothing() -> None:
    execution = run([{"kind": "ask", "slots": ["x"]}], ScriptedUser({}, {}))
    assert execution.status == "completed"


def test_say_traces_facts_claims_and_must() -> None:
    say: JsonValue = {
        "kind": "say",
        "act": "inform",
        "facts": {"day": "${context.now}"},
        "claims": ["mcp.t:a"],
        "must": ["day"],
    }
    execution = run([{"kind": "call", "tool": "mcp.t:a", "id": "r"}, say], ScriptedUser({}, {}))
    assert execution.trace[1] == {
        "event": "say",
        "path": "steps[1]",
        "act": "inform",
        "facts": {"day": "2026-01-01T00:00:00"},
        "claims": ["mcp.t:a"],
        "must": ["day"],
    }


@pytest.mark.parametrize(
    ("kind", "status"), [("hand_over", "handed_over"), ("decline", "declined")]
)
def test_ending_node_within_loop_ends_program(kind: str, status: str) -> None:
    node: JsonValue = {"kind": kind, "reason": "policy", "facts": {"x": 1}, "must": ["x"]}
    loop: JsonValue = {"kind": "for_each", "items": [1, 2], "as": "i", "do": [node]}
    execution = run([loop], ScriptedUser({}, {}))
    assert (execution.status, execution.value) == (status, None)
    assert execution.trace[-1] == {
        "event": kind,
        "path": "steps[0].do[0]",
        "reason": "policy",
        "facts": {"x": 1},
        "must": ["x"],
    }


def test_dialogue_in_untaken_branch_without_respondent_is_refused() -> None:
    branch: JsonValue = {"kind": "if", "condition": False, "then": [{"kind": "say", "act": "hi"}]}
    with pytest.raises(WorkflowError, match="respondent"):
        run([branch], None)
