"""The simulated customer on every wire: it sees what an agent says, and nothing else."""

from __future__ import annotations

import json

import pytest

from tests.wire.marked import GOLD_MARK, NOTE_END
from tests.wire.plays import AGENT_THOUGHT, USER_THOUGHT
from tests.wire.server import WIRES, Seen
from tests.wire.suite import Played, episode_of

every_wire = pytest.mark.parametrize("wire", WIRES)


def _requests(played: Played, wire: str) -> list[Seen]:
    """Return the customer's requests, without Inspect's probe of the responses API."""
    found = [one for one in played.seen(wire, "user") if "hello, world" not in one.text]
    assert len(found) == sum(turn.role == "agent" for turn in played.case.gold.turns)
    return found


@every_wire
def test_user_request_holds_no_tool_and_no_result(played: Played, wire: str) -> None:
    known = [call.result for call in episode_of(played.log(wire)).calls if call.result]
    for one in _requests(played, wire):
        assert not one.body.get("tools")
        assert {message.role for message in one.asked.messages} == {"system", "user", "agent"}
        assert not any(m.calls or m.results for m in one.asked.messages)
        for secret in ("CUS-1", "VIS-1", "ATL-EAST", "reschedule_visit", NOTE_END, GOLD_MARK):
            assert secret not in one.text
        assert not any(json.dumps(result) in one.text for result in known)


@every_wire
def test_user_request_holds_nothing_of_the_agents_reasoning(played: Played, wire: str) -> None:
    assert not [one for one in _requests(played, wire) if AGENT_THOUGHT in one.text]
    assert not [one for one in played.seen(wire, "agent") if USER_THOUGHT in one.text]


@every_wire
def test_user_sees_the_conversation_with_the_roles_turned_round(played: Played, wire: str) -> None:
    lines = [(line.role, line.text) for line in episode_of(played.log(wire)).lines]
    turned = {"user": "user", "agent": "agent"}
    last = _requests(played, wire)[-1].asked
    system, opened, *talk = last.messages
    assert system.role == "system" and played.case.scenario.goal in system.text
    assert opened.role == "user" and opened.text.startswith("(The chat is open")
    heard = [({"user": "agent", "agent": "user"}[m.role], m.text.strip()) for m in talk]
    assert [(turned[role], text) for role, text in heard] == lines[: len(heard)]
    assert "###RESOLVED###" in system.text


@every_wire
def test_user_on_a_wire_is_named_and_makes_the_run_published(played: Played, wire: str) -> None:
    episode = episode_of(played.log(wire))
    assert (episode.profile, episode.user) == ("published", WIRES[wire].name("user"))
    assert not any("###" in line.text for line in episode.lines)
