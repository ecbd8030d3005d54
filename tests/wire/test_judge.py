"""A judge on every wire: it reads the whole transcript and learns nothing of whose it is."""

from __future__ import annotations

import json

import pytest

from skillbench_tasks.models import DIMENSIONS
from skillbench_tasks.scorers.judge_verdict import verdict_schema
from tests.wire.marked import NOTE_END, UNSAID
from tests.wire.plays import AGENT_THOUGHT, UNREADABLE, USER_THOUGHT, VERDICT
from tests.wire.server import WIRES, Seen
from tests.wire.suite import Played, episode_of, sample_of

every_wire = pytest.mark.parametrize("wire", WIRES)


def _requests(played: Played, wire: str) -> list[Seen]:
    """Return the judge's two requests, without Inspect's probe of the responses API."""
    found = [one for one in played.seen(wire, "judge") if "hello, world" not in one.text]
    assert len(found) == 2
    return found


@every_wire
def test_judge_on_a_wire_gives_its_verdict(played: Played, wire: str) -> None:
    scores = sample_of(played.log(wire)).scores
    assert scores is not None
    values = scores["judge_panel"].value
    assert isinstance(values, dict)
    assert values["panel_pass"] == 1.0
    assert {name: values[name] for name in DIMENSIONS} == {n: VERDICT[n] for n in DIMENSIONS}


@every_wire
def test_verdict_that_breaks_off_is_asked_for_again_with_the_complaint(
    played: Played, wire: str
) -> None:
    first, second = (one.asked.messages for one in _requests(played, wire))
    assert second[: len(first)] == first
    said, complaint = second[len(first) :]
    assert (said.role, said.text.strip()) == ("agent", UNREADABLE)
    assert complaint.role == "user" and "cut off (max_tokens)" in complaint.text


@every_wire
def test_judge_request_holds_the_whole_late_result(played: Played, wire: str) -> None:
    last = episode_of(played.log(wire)).calls[-1]
    result = json.dumps(last.result, ensure_ascii=False)
    assert NOTE_END in result and len(result) > 16 * 1024
    for one in _requests(played, wire):
        assert any(result in message.text for message in one.asked.messages)


@every_wire
def test_judge_request_names_no_model_and_offers_no_tool(played: Played, wire: str) -> None:
    family, agent = (WIRES[wire].bare(role).rpartition("/")[2] for role in ("", "agent"))
    for one in _requests(played, wire):
        assert not one.body.get("tools")
        assert agent not in one.text
        assert not any(family in message.text for message in one.asked.messages)


@every_wire
def test_judge_request_holds_no_thought_and_no_gold_words(played: Played, wire: str) -> None:
    hidden = (AGENT_THOUGHT, USER_THOUGHT, UNSAID.strip(" ."), played.case.id)
    for one in _requests(played, wire):
        assert not [text for text in hidden if text in one.text]


@every_wire
def test_judge_is_asked_for_the_verdicts_shape(played: Played, wire: str) -> None:
    wanted = verdict_schema()
    for one in _requests(played, wire):
        assert one.asked.schema is not None
        assert set(one.asked.schema["properties"]) == set(wanted["properties"])
        assert sorted(one.asked.schema["required"]) == sorted(wanted["required"])
