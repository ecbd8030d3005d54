"""Third-party agents in the agent slot leave the episode that our own loop leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ContentReasoning, ContentText
from inspect_ai.tool import ToolInfo
from openai import AsyncOpenAI

from examples.openai_sdk_agent import ServiceAgent, ServiceTool
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.models import EPISODE_KEY, Call, Episode, Line
from skillbench_tasks.zero_shot import zero_shot
from tests.conftest import ROOT
from tests.counting_stub import CountingStub, running_stub
from tests.examples.gold_play import gold_play, install_gold
from tests.mock import MOCK_SKILLS, mock_case
from tests.scripted_model import PLAYS, Reply, called

OURS = "desk_agent"
SDK = f"{ROOT}/examples/openai_sdk_agent.py@openai_sdk_agent"
FRAMEWORK = f"{ROOT}/examples/pydantic_ai_agent.py@pydantic_ai_agent"
AGENTS = [
    pytest.param(SDK, id="openai_sdk"),
    pytest.param(
        FRAMEWORK,
        id="pydantic_ai",
        marks=pytest.mark.skipif(
            find_spec("pydantic_ai") is None,
            reason="pydantic-ai-slim[openai] is not installed: it is no dependency of ours",
        ),
    ),
]


def _episodes(
    agent: str, model: str, kind: str, tmp_path: Path, turns: int = 20, **options: Any
) -> dict[str, Episode]:
    """Run an agent; a sample that ends in an error has no place here."""
    log = inspect_eval(
        zero_shot(skills=str(MOCK_SKILLS), agent=agent, kind=kind, turns=turns),
        model=model,
        log_dir=str(tmp_path),
        display="none",
        **options,
    )[0]
    samples = log.samples or []
    assert samples and all(sample.error is None for sample in samples)
    return {str(s.id): Episode.model_validate(s.store[EPISODE_KEY]) for s in samples}


def _calls(episodes: Iterable[Episode]) -> list[Call]:
    return [event for one in episodes for event in one.events if isinstance(event, Call)]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    ("kinds", "calls_at_once"),
    [
        pytest.param("lost_reply,permanent_failure", False, id="one-call"),
        pytest.param("lost_reply", True, id="calls-at-once"),
    ],
)
def test_bridged_agent_leaves_the_same_episodes_as_our_loop(
    tmp_path: Path, agent: str, kinds: str, calls_at_once: bool
) -> None:
    model = install_gold(f"gold-{calls_at_once}", load_cases(MOCK_SKILLS), calls_at_once)
    found = _episodes(agent, model, kinds, tmp_path)
    assert found == _episodes(OURS, model, kinds, tmp_path)
    gold = [call.tool for t in mock_case("lost_reply").gold.turns for call in t.calls]
    assert [c.tool for c in _calls([found[mock_case("lost_reply").id]])] == gold
    assert any(call.error is not None for call in _calls(found.values()))


def _thinking(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    said = gold_play(load_cases(MOCK_SKILLS))(messages, tools)
    thought = ContentReasoning(reasoning="the customer must not read this")
    if isinstance(said, ChatMessageAssistant):
        return said.model_copy(update={"content": [thought]})
    return ChatMessageAssistant(content=[thought, ContentText(text=str(said))])


def _endless(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    return called("crm__find_customer", {"phone": "404"})


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    ("model", "options"),
    [
        pytest.param("thinking", {}, id="reasoning"),
        pytest.param("endless", {"turns": 2}, id="calls-without-end"),
        pytest.param("gold", {"token_limit": 9}, id="limit-within-a-turn"),
    ],
)
def test_bridged_agent_under_pressure_leaves_the_same_episode_as_our_loop(
    tmp_path: Path, agent: str, model: str, options: dict[str, Any]
) -> None:
    PLAYS["thinking"], PLAYS["endless"] = _thinking, _endless
    install_gold("gold", load_cases(MOCK_SKILLS))
    found, ours = (
        _episodes(one, f"scripted/{model}", "straightforward", tmp_path, **options)
        for one in (agent, OURS)
    )
    assert found == ours
    lines = [e.text for one in found.values() for e in one.events if isinstance(e, Line)]
    assert not any("must not read" in text for text in lines)


@pytest.mark.parametrize("agent", AGENTS)
def test_bridged_agent_that_calls_what_is_not_there_is_told_and_it_stands_in_the_episode(
    tmp_path: Path, agent: str
) -> None:
    def stray(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
        if messages[-1].role == "user":
            return called("crm__erase_everything", {"sure": True})
        assert "erase_everything" in messages[-1].text
        return "What is your phone number?"

    PLAYS["stray"] = stray
    (episode,) = _episodes(agent, "scripted/stray", "straightforward", tmp_path).values()
    first = _calls([episode])[0]
    assert (first.tool, first.arguments, first.offered) == (
        "mcp.crm:erase_everything",
        {"sure": True},
        False,
    )
    assert first.error is not None
    assert "erase_everything" in first.error.message


def test_sdk_agent_works_without_inspect_too() -> None:
    case = mock_case("straightforward")
    made: list[tuple[str, dict[str, Any]]] = []

    async def run(call_id: str, arguments: dict[str, Any]) -> str:
        made.append((call_id, arguments))
        return json.dumps({"customers": []})

    tool = ServiceTool(
        {"type": "function", "function": {"name": "crm__find_customer", "parameters": {}}}, run
    )

    async def reply(url: str) -> str:
        async with AsyncOpenAI(api_key="none", base_url=url, max_retries=0) as client:
            service = ServiceAgent(client, "agent", [tool])
            opening, number = case.scenario.opening, "404 555 0101"
            return await service.reply(
                [
                    {"role": "user", "content": opening},
                    {"role": "assistant", "content": "Which number?"},
                    {"role": "user", "content": number},
                ]
            )

    with running_stub(CountingStub(load_cases(MOCK_SKILLS))) as url:
        said = asyncio.run(reply(url))
    assert said == [turn.text for turn in case.gold.turns if turn.role == "agent"][1]
    assert [arguments for _id, arguments in made] == [{"phone": "+14045550101"}]
