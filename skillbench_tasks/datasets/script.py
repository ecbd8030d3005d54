"""Scripts: whole conversations as data, performed on a case's world without a model.

The gold conversation is a script; so is every mutant of it. Performing one gives the episode that
a run would have left.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import JsonValue

from skillbench_tasks.datasets.loaders import skill_tools, start_world
from skillbench_tasks.models import (
    AskedUser,
    Call,
    Case,
    Episode,
    GoldTurn,
    Line,
    Model,
    Outcome,
    State,
    Termination,
)
from skillbench_tasks.tools.toolbox import Toolbox

__all__ = ["Script", "ScriptCall", "ScriptTurn", "gold_script", "perform"]

_ENDS: Final = {
    Outcome.RESOLVED: State.RESOLVED,
    Outcome.TRANSFERRED: State.TRANSFERRED,
    Outcome.OUT_OF_SCOPE: State.OUT_OF_SCOPE,
}


class ScriptCall(Model):
    """A call to be made; `beside` is what the agent says in the message that makes it."""

    tool: str
    arguments: dict[str, JsonValue]
    beside: str = ""


class ScriptTurn(Model):
    """A turn: an agent's calls, then its message; or a user's message and what it does."""

    role: str
    text: str
    calls: tuple[ScriptCall, ...] = ()
    acts: tuple[str, ...] = ()


class Script(Model):
    """A conversation and how it ends."""

    turns: tuple[ScriptTurn, ...]
    end: State


def gold_script(case: Case) -> Script:
    """Return the gold conversation of a case as a script."""
    turns = tuple(_turn(turn) for turn in case.gold.turns)
    return Script(turns=turns, end=_ENDS[case.gold.outcome])


def perform(case: Case, script: Script) -> Episode:
    """Perform a script on the case's world, with its faults, and return the episode."""
    scenario = case.scenario
    toolbox = Toolbox(skill_tools(case.skill), start_world(case.skill, scenario), scenario.faults)
    events: list[Line | Call] = []
    number = 0
    for turn in script.turns:
        if turn.role == "user":
            events.append(Line(role="user", turn=number, text=turn.text, acts=turn.acts))
            continue
        for call in turn.calls:
            if call.beside:
                events.append(Line(role="agent", turn=number, text=call.beside))
            events.append(_call(toolbox, call, number))
        events.append(Line(role="agent", turn=number, text=turn.text))
        number += 1
    return Episode(
        case=case.id,
        profile="offline",
        user="script",
        events=tuple(events),
        termination=Termination(state=script.end, by=_cause(script.end)),
        changes=toolbox.world.changes_since(toolbox.start),
    )


def _turn(turn: GoldTurn) -> ScriptTurn:
    calls = tuple(ScriptCall(tool=call.tool, arguments=call.arguments) for call in turn.calls)
    acts = _acts(turn.user) if turn.user else ()
    return ScriptTurn(role=turn.role, text=turn.text, calls=calls, acts=acts)


def _acts(user: AskedUser) -> tuple[str, ...]:
    acts = [f"inform:{slot}" for slot in user.tells]
    acts += [f"unable:{slot}" for slot in user.unable]
    if user.confirmed is not None:
        acts.append("confirm:" if user.confirmed else "refuse:")
    acts += [f"change:{slot}" for slot in user.changes]
    return tuple(acts)


def _call(toolbox: Toolbox, call: ScriptCall, turn: int) -> Call:
    offered = call.tool in toolbox.tools
    done = toolbox.attempt(call.tool, call.arguments)
    return Call(turn=turn, offered=offered, **dict(done))


def _cause(end: State) -> Literal["user", "agent", "budget", "limit", "harness"]:
    causes: dict[State, Literal["user", "agent", "budget", "limit", "harness"]] = {
        State.TRANSFERRED: "agent",
        State.TURN_BUDGET: "budget",
        State.LIMIT: "limit",
        State.UNFINISHED: "harness",
    }
    return causes.get(end, "user")
