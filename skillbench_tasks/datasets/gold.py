"""Gold runs: a skill's reference flow over a scenario's world gives a conversation's skeleton.

Calls, results, order, facts, the end and the target world are computed here. The words are
authored on the skeleton (`gold.json`) and checked against it
(`skillbench_tasks.datasets.wording`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.datasets.respondent import ScenarioRespondent
from skillbench_tasks.errors import DataError, ToolFailure
from skillbench_tasks.models import (
    Act,
    AskedUser,
    Fact,
    GoldCall,
    GoldConversation,
    GoldTurn,
    Outcome,
    Scenario,
)
from skillbench_tasks.tools.faults import LOST_REPLY, FaultPlan, may_be_done
from skillbench_tasks.tools.toolbox import LedgerEntry, Tool, Toolbox
from skillbench_tasks.tools.workflow import Execution, Program, run_workflow
from skillbench_tasks.tools.world import World

__all__ = ["MAX_RETRIES", "OUTCOMES", "PatientBackend", "gold_run", "skeleton_hash"]

OUTCOMES: Final = {
    "returned": Outcome.RESOLVED,
    "handed_over": Outcome.TRANSFERRED,
    "declined": Outcome.OUT_OF_SCOPE,
}
"""Status of a flow's run → how the conversation ends."""

MAX_RETRIES: Final = 2
"""How often a failing call is tried again before the flow sees the error (house rule)."""


def gold_run(
    scenario: Scenario, program: Program, tools: Sequence[Tool], world: World, file: str
) -> GoldConversation:
    """Run the reference flow over a scenario.

    Args:
        scenario: The scenario.
        program: The skill's flow.
        tools: The skill's toolkit.
        world: The scenario's start world; it is not changed.
        file: The scenario's file, for messages.

    Raises:
        DataError: The flow does not come to a right end, a call fails that should not, a fault
            never
            strikes, or the end is not the scenario's outcome.
    """
    toolbox = Toolbox(tools, world, scenario.faults)
    backend = PatientBackend(toolbox)
    execution = run_workflow(
        program,
        {"requests": list(scenario.requests)},
        now=world.now,
        backend=backend,
        respondent=ScenarioRespondent(scenario),
    )
    _check_calls(scenario, toolbox, file)
    _check_end(scenario, execution, file)
    turns = _Skeleton(scenario, backend.attempts).turns(execution.trace)
    _check_turns(scenario, turns, file)
    return GoldConversation(
        scenario=scenario.id,
        skeleton=skeleton_hash(turns),
        turns=turns,
        outcome=OUTCOMES[execution.status],
        changes=toolbox.world.changes_since(toolbox.start),
    )


class PatientBackend:
    """Carries out the calls of a flow under the house rule for failing tools.

    An error that says "later" is tried again at most twice. After a lost reply only reads are:
    whether a write happened is for the flow to find out.
    """

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self.attempts: Final[list[list[LedgerEntry]]] = []

    def __call__(self, tool: str, arguments: dict[str, JsonValue]) -> JsonValue:
        """Carry out a call, with its retries; the last error goes to the flow."""
        arguments = self._without_absent(tool, arguments)
        start = len(self._toolbox.ledger)
        try:
            for _ in range(MAX_RETRIES):
                try:
                    return self._toolbox.call(tool, arguments)
                except ToolFailure as error:
                    if not self._tries_again(error):
                        raise
            return self._toolbox.call(tool, arguments)
        finally:
            self.attempts.append(self._toolbox.ledger[start:])

    def _without_absent(self, name: str, arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Leave out optional arguments that are null: a flow so says that it does not give them."""
        tool = self._toolbox.tools.get(name)
        required = tool.spec.input_schema.get("required", ()) if tool is not None else ()
        return {n: v for n, v in arguments.items() if v is not None or n in required}

    def _tries_again(self, error: ToolFailure) -> bool:
        if error.code in LOST_REPLY:
            tool = self._toolbox.tools.get(error.tool)
            return tool is not None and tool.spec.access == "read"
        return error.code in ("unavailable", "rate_limited")


def skeleton_hash(turns: Sequence[GoldTurn]) -> str:
    """Return a digest of a skeleton: authored words hold for one digest only."""
    data = [turn.model_dump(mode="json", exclude={"text"}) for turn in turns]
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _check_end(scenario: Scenario, execution: Execution, file: str) -> None:
    outcome = OUTCOMES.get(execution.status)
    if outcome is None:
        last = execution.trace[-1] if execution.trace else {}
        reason = json.dumps(last.get("error") or last.get("message") or last, ensure_ascii=False)
        problem = f"the flow ends as {execution.status}: {reason}"
        raise DataError(file, scenario.id, problem, "mend the flow or the scenario")
    if outcome is not scenario.outcome:
        problem = f"the flow ends as {outcome}, the scenario says {scenario.outcome}"
        raise DataError(file, f"{scenario.id}.outcome", problem, "make them agree")


def _check_calls(scenario: Scenario, toolbox: Toolbox, file: str) -> None:
    plan = FaultPlan(scenario.faults)
    for entry in toolbox.ledger:
        invalid = entry.error is not None and entry.error.code == "invalid_arguments"
        kind = None if invalid else plan.strike(entry.tool, entry.arguments)
        expected = kind is not None or (
            entry.error is not None and entry.error.code in scenario.expected_errors
        )
        if entry.error and not expected:
            problem = f"the gold call of {entry.tool} fails: {entry.error.message}"
            raise DataError(file, scenario.id, problem, "mend the flow, patch or facts")
    for index, hits in enumerate(plan.strikes):
        if hits == 0:
            problem = f"the fault of {scenario.faults[index].tool} never strikes"
            raise DataError(file, f"{scenario.id}.faults.{index}", problem, "mend its selector")


def _check_turns(scenario: Scenario, turns: Sequence[GoldTurn], file: str) -> None:
    for index, turn in enumerate(turns):
        if turn.role == "agent" and not turn.acts:
            problem = f"agent turn {index} says nothing after its calls"
            raise DataError(file, scenario.id, problem, "add a say before the end of the flow")
        if any(claim < 0 for act in turn.acts for claim in act.claims):
            problem = f"agent turn {index} claims a tool that no call has carried out before"
            raise DataError(file, scenario.id, problem, "move the claim behind the call")


class _Skeleton:
    """Turns a trace of the flow into turns of a conversation."""

    def __init__(self, scenario: Scenario, attempts: Sequence[Sequence[LedgerEntry]]) -> None:
        opening = AskedUser(tells={s: _first(scenario.facts[s]) for s in scenario.tells})
        self._turns = [GoldTurn(role="user", user=opening)]
        self._attempts = iter(attempts)
        self._done: dict[str, int] = {}
        self._count = 0
        self._calls: list[GoldCall] = []
        self._acts: list[Act] = []

    def turns(self, trace: Sequence[Mapping[str, Any]]) -> tuple[GoldTurn, ...]:
        for event in trace:
            match event["event"]:
                case "call":
                    self._call()
                case "say" | "hand_over" | "decline":
                    self._acts.append(self._act(event))
                case "ask":
                    self._acts.append(self._act(event))
                    self._close()
                    self._turns.append(GoldTurn(role="user", user=_answered(event)))
        if self._calls or self._acts:
            self._close()
        return tuple(self._turns)

    def _close(self) -> None:
        turn = GoldTurn(role="agent", calls=tuple(self._calls), acts=tuple(self._acts))
        self._turns.append(turn)
        self._calls, self._acts = [], []

    def _call(self) -> None:
        for entry in next(self._attempts):
            if may_be_done(entry.error):
                self._done[entry.tool] = self._count
            self._count += 1
            self._calls.append(GoldCall(**dict(entry)))

    def _act(self, event: Mapping[str, Any]) -> Act:
        kind = event["event"]
        if kind == "ask" and event["confirm"] is not None:
            kind = "confirm"
        name = {"say": "act", "confirm": "confirm"}.get(kind, "reason")
        return Act(
            kind=kind,
            act="ask" if kind == "ask" else event[name],
            facts=tuple(_fact(n, value) for n, value in event.get("facts", {}).items()),
            slots=tuple(event.get("slots", ())),
            claims=tuple(self._done.get(claim, -1) for claim in event.get("claims", ())),
            must=tuple(event.get("must", ())),
        )


def _first(value: JsonValue) -> JsonValue:
    return value[0] if isinstance(value, list) else value


def _answered(event: Mapping[str, Any]) -> AskedUser:
    answer: dict[str, JsonValue] = event["answer"]
    if event["confirm"] is not None:
        confirmed, changes = answer["confirmed"], answer["changes"]
        return AskedUser.model_validate({"confirmed": confirmed, "changes": changes})
    return AskedUser(
        tells={slot: value for slot, value in answer.items() if value is not None},
        unable=tuple(slot for slot, value in answer.items() if value is None),
    )


def _fact(name: str, value: JsonValue) -> Fact:
    if isinstance(value, dict) and value.keys() == {"value", "forms"}:
        forms = value["forms"]
        assert isinstance(forms, list)
        return Fact(name=name, value=value["value"], forms=tuple(str(form) for form in forms))
    return Fact(name=name, value=value)
