"""`zero_shot` on τ² data: reference, idle agents, models as agent and as user."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.tool import ToolInfo

from skillbench_tasks.models import EPISODE_KEY, Episode
from skillbench_tasks.zero_shot import zero_shot
from tests.scripted_model import PLAYS, called
from tests.tau2_episodes import run, values
from tests.tau2_mini import CANARY, write_mini

CARD = "credit_card_1"


def counts(log: EvalLog, scorer: str) -> tuple[int | None, int | None]:
    assert log.results is not None
    score = next(s for s in log.results.scores if s.name == scorer)
    return score.scored_samples, score.unscored_samples


def test_reference_run_scores_what_can_be_scored_and_counts_the_rest(tmp_path: Path) -> None:
    log = run(write_mini(tmp_path / "mini"), tmp_path, agent="reference")
    assert values(log, "verified") == {
        "0": "C", "1": "C", "2": "C", "3": None, "4": None, "5": None, "6": "C",
    }  # fmt: skip
    assert (counts(log, "verified"), counts(log, "rules")) == ((4, 3), (7, 0))
    assert log.results is not None
    verified = next(s for s in log.results.scores if s.name == "verified").metrics
    assert (verified["mean"].value, verified["scored"].value) == (1.0, 4.0)
    unscored = next(s for s in log.samples or [] if str(s.id).endswith(".5"))
    assert (unscored.scores or {})["verified"].reason == "nothing_to_check"
    assert log.eval.dataset.name == "tau2_retail"


@pytest.mark.parametrize("dataset", ["tau2:", {"tau2": None}, "tau2", "tau9:data", 7])
def test_dataset_that_names_no_format_and_path_is_one_line(dataset: Any) -> None:
    # Inspect reads `-T` values as YAML, so `tau2:` arrives as a mapping.
    with pytest.raises(PrerequisiteError, match=r"-T dataset: .*give tau2:PATH"):
        zero_shot(agent="silent", dataset=dataset)


def test_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="no such folder"):
        zero_shot(agent="silent", dataset=f"tau2:{tmp_path / 'none'}")


@pytest.mark.parametrize("agent", ["silent", "always_transfer", "spam"])
def test_idle_agent_passes_nothing_and_no_state_that_needs_a_write(
    tmp_path: Path, agent: str
) -> None:
    log = run(write_mini(tmp_path / "mini"), tmp_path, agent=agent)
    assert set(values(log, "verified").values()) == {"I", None}
    assert counts(log, "verified") == (4, 3)
    passed = {name for name, value in values(log, "final_state").items() if value == "C"}
    assert passed == {"2"}  # the task that asks for no write


def _shop_agent(messages: list[ChatMessage], tools: list[ToolInfo]) -> ChatMessageAssistant | str:
    replies = [m for m in messages if m.role == "tool"]
    if len(replies) == 0:
        names = {"first_name": "Ada", "last_name": "Mock", "zip": "10001"}
        return called("retail__find_user_id_by_name_zip", names)
    if len(replies) == 1:
        exchange = {
            "order_id": "#W10002",
            "item_ids": ["11", "21"],
            "new_item_ids": ["12", "22"],
            "payment_method_id": CARD,
        }
        return called("retail__exchange_delivered_order_items", exchange)
    return "I've exchanged both: you get $0.25 back. Is there anything else I can help you with?"


@pytest.mark.parametrize("transport", ["in_process", "mcp"])
def test_model_as_agent_works_with_the_scripted_user_and_sees_nothing_gold(
    tmp_path: Path, transport: str
) -> None:
    seen: list[str] = []

    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> Any:
        seen.append(json.dumps([m.model_dump(mode="json") for m in messages]))
        seen.extend(tool.model_dump_json() for tool in tools)
        return _shop_agent(messages, tools)

    PLAYS["shop"] = play
    log = run(write_mini(tmp_path / "mini"), tmp_path, model="scripted/shop", transport=transport)
    assert values(log, "verified")["0"] == "C"
    assert values(log, "final_state")["5"] == "I"  # what nobody asked for is no pass
    assert {name for name, value in values(log, "verified").items() if value == "C"} == {"0"}
    assert seen
    assert not [text for text in seen if CANARY in text]
    assert any("Be kind." in text for text in seen)


def test_model_as_user_gets_the_tasks_instructions_through_the_role_play(tmp_path: Path) -> None:
    seen: list[str] = []

    def user(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
        seen.append(messages[0].text)
        return "###RESOLVED###"

    PLAYS["caller"] = user
    PLAYS["shop"] = _shop_agent
    log = run(
        write_mini(tmp_path / "mini"),
        tmp_path,
        model="scripted/shop",
        model_roles={"user": "scripted/caller"},
    )
    prompts = "\n".join(seen)
    for part in ("You want a red mug", "You are Ada Mock in zip code 10001.", "You are brief."):
        assert part in prompts
    assert CANARY not in prompts
    profiles = {Episode.model_validate(s.store[EPISODE_KEY]).profile for s in log.samples or []}
    assert profiles == {"published"}
    assert values(log, "verified")["0"] == "C"
