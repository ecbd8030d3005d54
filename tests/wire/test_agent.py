"""The model under test on every wire: a whole scenario by the gold script, stumbles included."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from skillbench_tasks.datasets.loaders import skill_tools
from skillbench_tasks.tools.shown_schema import shown_tool
from tests.wire.marked import GOLD_MARK, UNSAID
from tests.wire.plays import USER_THOUGHT
from tests.wire.server import WIRES
from tests.wire.suite import Played, episode_of, events_of, sample_of

SCORERS = ("verified", "rules", "final_state", "constraints", "outcome")
every_wire = pytest.mark.parametrize("wire", WIRES)


@every_wire
def test_scenario_on_a_wire_is_the_same_as_in_process(played: Played, wire: str) -> None:
    log, expected = played.log(wire), played.log(WIRES[wire].on_broken)
    assert (log.status, log.error) == ("success", None)
    ours, theirs = sample_of(log).scores, sample_of(expected).scores
    assert ours is not None and theirs is not None
    assert {name: ours[name].value for name in SCORERS} == dict.fromkeys(SCORERS, "C")
    assert {name: ours[name].explanation for name in SCORERS} == {
        name: theirs[name].explanation for name in SCORERS
    }
    episode, model = episode_of(log), episode_of(expected)
    assert events_of(episode) == events_of(model)
    assert (episode.changes, episode.termination) == (model.changes, model.termination)


@every_wire
def test_rate_limit_is_waited_out_with_the_same_request(played: Played, wire: str) -> None:
    seen = played.stub.seen(WIRES[wire].bare("agent"))
    assert [one.status for one in seen].count(429) == 1
    refused = [one.status for one in seen].index(429)
    assert seen[refused].body == seen[refused + 1].body


@every_wire
def test_malformed_call_is_answered_with_an_error_and_made_again(played: Played, wire: str) -> None:
    calls = [c for c in episode_of(played.log(wire)).calls if "reschedule" in c.tool]
    codes = [call.error.code if call.error else None for call in calls]
    if WIRES[wire].on_broken == "nothing":  # the provider's client asked again by itself
        assert codes == [None]
        assert [one.asked.has_stumbled for one in played.seen(wire, "agent")].count(True) == 1
        return
    assert codes == ["invalid_arguments", None]
    shown = [m for m in played.seen(wire, "agent")[-1].asked.messages if m.role == "tool"]
    assert "error" in shown[-2].results[0].text.lower()


@every_wire
def test_agent_request_holds_nothing_gold(played: Played, wire: str) -> None:
    case = played.case
    hidden = {
        GOLD_MARK, UNSAID.strip(" ."), case.id, case.scenario.title, str(case.scenario.kind),
        *case.scenario.success_criteria, case.scenario.goal,
        "must_say", "success_criteria", '"checks"', '"target"', USER_THOUGHT, "###",
    }  # fmt: skip
    own = [turn.text.removesuffix(UNSAID) for turn in case.gold.turns if turn.role == "agent"]
    seen = played.seen(wire, "agent")
    assert seen
    for one in seen:
        said = sum(message.role == "user" for message in one.asked.messages) - 1
        unsaid = own[max(said, 0) :]
        found = [text for text in (*hidden, *unsaid) if text in one.text]
        assert not found


@every_wire
def test_tools_are_sent_as_the_toolkit_describes_them(played: Played, wire: str) -> None:
    specs = {tool.spec.function_name: tool.spec for tool in skill_tools(played.case.skill)}
    asked = [one.asked for one in played.seen(wire, "agent") if not _is_probe(one.text)]
    assert len(asked) == len(played.seen(wire, "agent")) - (wire == "openai_responses")
    keeps = wire not in ("vllm", "openai_api")
    for request in asked:
        assert [tool.name for tool in request.tools] == list(specs)
    for tool in asked[-1].tools:
        spec = specs[tool.name]
        shown = shown_tool(spec.description, spec.input_schema)
        assert tool.description == shown.description
        assert _plain(tool.parameters, keeps=keeps) == _plain(
            {"type": "object", **shown.parameters}, keeps=keeps
        )


@every_wire
def test_parallel_results_come_back_in_one_turn_in_order(played: Played, wire: str) -> None:
    messages = played.seen(wire, "agent")[-1].asked.messages
    pairs = [(a, b) for a, b in pairwise(messages) if len(a.calls) == 2]
    assert [[call.name for call in asking.calls] for asking, _ in pairs] == [
        ["calendar__list_visits", "calendar__list_slots"]
    ]
    ((asking, answers),) = pairs
    assert answers.role == "tool"
    assert [one.call for one in answers.results] == [call.id for call in asking.calls]
    assert ["VIS-1" in one.text for one in answers.results] == [True, False]
    assert ["SLT-2" in one.text for one in answers.results] == [False, True]


@every_wire
def test_every_call_is_answered_in_the_next_message(played: Played, wire: str) -> None:
    for one in played.seen(wire, "agent"):
        for asking, answers in pairwise(one.asked.messages):
            results = [result.call for result in answers.results]
            assert results == [call.id for call in asking.calls]


@every_wire
def test_reasoning_comes_back_as_the_provider_wants_it(played: Played, wire: str) -> None:
    for one in played.seen(wire, "agent"):
        own = [message.proof for message in one.asked.messages if message.role == "agent"]
        assert own == [WIRES[wire].proof.format(number) for number in range(len(own))]


def test_vllm_is_asked_for_its_models_first(played: Played) -> None:
    asked = [path for path in played.stub.paths if path.startswith("/vllm/")]
    assert asked[0] == "/vllm/v1/models"
    assert set(asked) == {"/vllm/v1/models", "/vllm/v1/chat/completions"}


def test_stub_understood_every_request(played: Played) -> None:
    assert played.stub.faults == []


def _is_probe(text: str) -> bool:
    """Whether Inspect only asks whether the account may have summaries of reasoning."""
    return "hello, world" in text


# Inspect does not send these to services that may not know them.
_LIMITS = frozenset({"pattern", "minLength", "maxLength", "minItems", "maxItems", "format"})


def _plain(schema: Any, *, keeps: bool) -> Any:
    """Return a schema in one form for all wires.

    Args:
        schema: A schema or a part of one.
        keeps: Whether limits of values are sent on the wire.
    """
    if isinstance(schema, list):
        return [_plain(part, keeps=keeps) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: _plain(value, keeps=keeps)
        for key, value in schema.items()
        if (keeps or key not in _LIMITS)
        and key != "minProperties"  # Inspect's tool parameters have no place for it
        and not (key == "required" and not value)
    }
