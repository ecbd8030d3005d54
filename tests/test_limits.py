"""Limits end a sample with what it has, graded; faults of a provider are nobody's zero. Known faults, row 18."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import Epochs
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ModelCost,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    set_model_info,
)
from inspect_ai.tool import ToolCall, ToolDef, ToolInfo
from inspect_ai.util import store

from skillbench_tasks.datasets.loaders import skill_tools, start_world
from skillbench_tasks.models import EPISODE_KEY, Episode, Line, State
from skillbench_tasks.reports.tables import log_table
from skillbench_tasks.solvers.baselines import reference, refuse
from skillbench_tasks.solvers.transcript import Transcript
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.zero_shot import zero_shot
from tests.judge_plays import JUDGES
from tests.mock import MOCK_SKILLS, OWN_SKILLS, mock_case
from tests.scripted_model import PLAYS, called

KIND = "straightforward"
SCORERS = {"verified", "rules", "final_state", "constraints", "outcome", "user_faults", "spend"}


def _looks_first(messages: list[ChatMessage], tools: list[ToolInfo]) -> ChatMessageAssistant | str:
    """Two model calls in a turn: one looks the customer up, one asks."""
    if messages[-1].role == "user":
        return called("crm__find_customer", {"phone": "+14045550101"}, "Let me look.")
    return f"What is your phone number? ({len(messages)})"


async def _looks_then_waits(messages: list[ChatMessage], tools: list[ToolInfo]) -> Any:
    if len(messages) >= 8:
        await anyio.sleep(60)
    return _looks_first(messages, tools)


def _run(
    tmp_path: Path,
    model: str = "scripted/looks",
    *,
    roles: dict[str, Any] | None = None,
    task: dict[str, Any] | None = None,
    **options: Any,
) -> EvalLog:
    PLAYS["looks"] = _looks_first
    PLAYS["waits"] = _looks_then_waits
    PLAYS["customer"] = lambda messages, tools: f"I have said so {len(messages)} times."
    return inspect_eval(
        zero_shot(**{"skills": str(MOCK_SKILLS), "kind": KIND, **(task or {})}),
        model=model,
        model_roles=roles or {},
        log_dir=str(tmp_path),
        display="none",
        **options,
    )[0]


def _sample(log: EvalLog) -> EvalSample:
    assert log.status == "success", log.error
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.error is None
    return sample


def _episode(sample: EvalSample) -> Episode:
    return Episode.model_validate(sample.store[EPISODE_KEY])


def _shown(episode: Episode) -> list[str]:
    return [
        f"{event.role}: {event.text.partition('(')[0].strip()}"
        if isinstance(event, Line)
        else event.tool
        for event in episode.events
    ]


FIRST_TURN = [
    "user: Hi, I need my technician visit moved to the 17th.",
    "agent: Let me look.",
    "mcp.crm:find_customer",
    "agent: What is your phone number?",
]
BEGUN = ["agent: Let me look.", "mcp.crm:find_customer"]


@pytest.mark.parametrize(
    ("limit", "model", "tail"),
    [
        # A scripted model's call takes 2 tokens and 2 millionths of a dollar.
        pytest.param({"token_limit": 7}, "looks", BEGUN, id="token"),
        pytest.param({"cost_limit": 6e-6}, "looks", BEGUN, id="cost"),
        pytest.param({"turn_limit": 3}, "looks", BEGUN, id="turn"),
        pytest.param({"message_limit": 8}, "looks", BEGUN, id="message"),
        pytest.param({"time_limit": 1}, "waits", BEGUN, id="time"),
        pytest.param({"working_limit": 1}, "waits", BEGUN, id="working"),
    ],
)
def test_limit_ends_the_sample_with_all_that_happened_graded(
    tmp_path: Path, limit: dict[str, Any], model: str, tail: list[str]
) -> None:
    price = ModelCost(input=1.0, output=1.0, input_cache_write=0.0, input_cache_read=0.0)
    set_model_info("scripted/looks", ModelInfo(model="looks", cost=price))
    sample = _sample(_run(tmp_path, f"scripted/{model}", **limit))
    (name,) = (key.removesuffix("_limit") for key in limit)
    assert sample.limit is not None and sample.limit.type == name
    episode = _episode(sample)
    ending = episode.termination
    assert (ending.state, ending.by, ending.detail) == (State.LIMIT, "limit", name)
    shown = _shown(episode)
    assert shown[:4] == FIRST_TURN and shown[5:] == tail
    assert shown[4].startswith("user: ")
    texts = [m.text.partition("(")[0].strip() for m in sample.messages if m.role == "assistant"]
    assert texts == ["Let me look.", "What is your phone number?", "Let me look."]
    assert sample.scores is not None and set(sample.scores) == SCORERS
    assert sample.scores["verified"].value == "I"
    assert sample.scores["outcome"].answer == "limit by limit"


@pytest.mark.parametrize("roles", [{}, {"user": "scripted/customer"}], ids=["scripted", "model"])
@pytest.mark.parametrize(
    ("limit", "events", "kept"),
    [(4, 3, 3), (5, 5, 5), (6, 5, 5), (7, 7, 6)],  # in the last a call ran, and its result is lost
    ids=["4", "5", "6", "7"],
)
def test_message_limit_counts_the_samples_conversation_only(
    tmp_path: Path, roles: dict[str, Any], limit: int, events: int, kept: int
) -> None:
    # System, opening, look-up, its result, question, answer: the user's own prompt does not count.
    sample = _sample(_run(tmp_path, roles=roles, message_limit=limit))
    episode = _episode(sample)
    assert episode.termination.detail == "message"
    assert len(episode.events) == events
    spoken = [m for m in sample.messages if m.role != "system"]
    assert len(spoken) == kept


def test_prompt_of_a_model_that_plays_the_user_is_no_message_of_the_sample(tmp_path: Path) -> None:
    PLAYS["asks"] = lambda messages, tools: "What is your phone number?"
    roles = {"user": "scripted/customer"}
    sample = _sample(_run(tmp_path, "scripted/asks", roles=roles, message_limit=4))
    assert [m.role for m in sample.messages] == ["system", "user", "assistant", "user"]


def test_talk_that_ended_before_the_limit_ended_as_it_did(tmp_path: Path) -> None:
    PLAYS["leaves"] = lambda messages, tools: "No, thanks, bye. ###GAVE_UP###"
    sample = _sample(_run(tmp_path, roles={"user": "scripted/leaves"}, message_limit=5))
    assert _episode(sample).termination.state is State.GAVE_UP
    assert len(sample.messages) == 6


def test_users_tokens_count_toward_the_samples_limit(tmp_path: Path) -> None:
    def wordy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        output = ModelOutput.from_content("scripted", "Well, you see…")
        output.usage = ModelUsage(output_tokens=1000, total_tokens=1000)
        return output

    PLAYS["wordy"] = wordy
    sample = _sample(_run(tmp_path, roles={"user": "scripted/wordy"}, token_limit=500))
    assert _episode(sample).termination.detail == "token"
    assert _shown(_episode(sample)) == FIRST_TURN


def test_judges_are_asked_after_a_limit_and_their_tokens_are_not_stopped_by_it(
    tmp_path: Path,
) -> None:
    PLAYS["generous"] = JUDGES["always-pass"]
    roles = {"judge": ["scripted/generous"]}
    sample = _sample(_run(tmp_path, roles=roles, token_limit=5))
    assert sample.limit is not None and sample.scores is not None
    panel = sample.scores["judge_panel"].value
    assert isinstance(panel, dict) and panel["panel_pass"] == 0.0  # the rules failed
    spent = sample.scores["spend"].value
    assert isinstance(spent, dict) and spent["judge_calls"] == 1


def test_call_that_a_limit_kept_from_running_is_no_call() -> None:
    case = mock_case(KIND)
    toolbox = Toolbox(skill_tools(case.skill), start_world(case.skill, case.scenario), ())
    calls = [
        ToolCall(id="a", function="crm__find_customer", arguments={"phone": "+14045550101"}),
        ToolCall(id="b", function="calendar__get_visit", arguments={"visit_id": "VIS-1"}),
    ]
    toolbox.call("mcp.crm:find_customer", calls[0].arguments)
    cut = Transcript(toolbox)
    cut.agent([ChatMessageAssistant(content="", tool_calls=calls)], finished=False)
    assert [getattr(event, "tool", event.event) for event in cut.events] == [
        "mcp.crm:find_customer"
    ]


def _down(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
    raise RuntimeError("the provider is down")


def _too_late(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
    raise TimeoutError


@pytest.mark.parametrize("fault", [_down, _too_late], ids=["error", "timeout"])
@pytest.mark.parametrize("role", ["agent", "user", "mock"])
def test_18_fault_of_a_provider_is_no_score(tmp_path: Path, role: str, fault: Any) -> None:
    PLAYS["down"] = fault
    model, roles, task = "scripted/looks", {}, {}
    if role == "agent":
        model = "scripted/down"
    elif role == "user":
        roles = {"user": "scripted/down"}
    else:
        model, roles = "none/none", {"mock": "scripted/down"}
        task = {"skills": str(OWN_SKILLS), "agent": "reference", "mocks": "llm"}
    log = _run(tmp_path, model, roles=roles, task=task, fail_on_error=False)
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.error is not None
    assert not sample.scores
    assert _episode(sample).termination.by == "harness"
    if fault is _too_late:
        told = "no answer in the stead of mcp.transit:get_transit: TimeoutError"
        assert (told if role == "mock" else "a call timed out") in sample.error.message
    assert "1 planned, 1 attempted, 0 scored, 1 failed" in log_table(log)


def _sometimes(passes: int) -> Any:
    """Register an agent that follows the gold conversation in the first runs of a case only."""
    runs: Counter[str] = Counter()

    @agent(name=f"passes_{passes}")
    def sometimes() -> Agent:
        gold, no = reference(), refuse()

        async def execute(state: AgentState, tools: list[ToolDef]) -> AgentState:
            case = str(store().get("skillbench:case"))
            if store().get("run") is None:
                runs[case] += 1
                store().set("run", runs[case])
            follows = store().get("run") <= passes
            return await (gold if follows else no)(state, tools=tools)

        return execute

    return sometimes


def test_18_pass_k_of_two_passes_in_four_runs_is_one_sixth(tmp_path: Path) -> None:
    _sometimes(2)
    epochs = Epochs(4, ["mean", "pass_k_2", "pass_k_4"])
    log = _run(tmp_path, "none/none", task={"agent": "passes_2"}, epochs=epochs)
    assert log.results is not None
    values = {
        score.reducer: score.metrics["mean"].value
        for score in log.results.scores
        if score.name == "verified" and score.reducer  # not the row over single runs
    }
    assert values == {
        "mean": 0.5,
        "pass_k_2": pytest.approx(1 / 6),
        "pass_k_4": 0.0,
    }


def test_18_one_passed_and_three_failed_runs_are_no_hundred_percent(tmp_path: Path) -> None:
    runs = 0

    @agent(name="breaks_three_times")
    def breaks_three_times() -> Agent:
        gold = reference()

        async def execute(state: AgentState, tools: list[ToolDef]) -> AgentState:
            nonlocal runs
            if len(state.messages) == 2:
                runs += 1
                if runs > 1:
                    raise RuntimeError("the provider is down")
            return await gold(state, tools=tools)

        return execute

    task = {
        "agent": "breaks_three_times",
        "kind": "straightforward,lost_reply,mind_change,identity_fails",
    }
    log = _run(tmp_path, "none/none", task=task, fail_on_error=False, max_samples=1)
    lines = log_table(log).splitlines()
    assert lines[0] == (
        "runs: 4 planned, 4 attempted, 1 scored, 3 failed by a fault that is not the agent's"
    )
    verified = next(line for line in lines if line.startswith("verified "))
    assert verified.split()[1:3] == ["100.0", "%"]
    assert verified.split()[-3:] == ["1/4", "25.0", "%"]


def test_18_failed_epochs_of_a_case_count_in_the_mean_with_failures(tmp_path: Path) -> None:
    runs = 0

    @agent(name="breaks_later")
    def breaks_later() -> Agent:
        gold = reference()

        async def execute(state: AgentState, tools: list[ToolDef]) -> AgentState:
            nonlocal runs
            if len(state.messages) == 2:
                runs += 1
                if runs > 1:
                    raise RuntimeError("the provider is down")
            return await gold(state, tools=tools)

        return execute

    log = _run(
        tmp_path,
        "none/none",
        task={"agent": "breaks_later"},
        fail_on_error=False,
        epochs=Epochs(4, ["mean", "pass_k_2"]),
    )
    table = log_table(log)
    assert table.startswith("runs: 4 planned, 4 attempted, 1 scored, 3 failed")
    rows = {line.split("  ")[0]: line for line in table.splitlines()}
    assert rows["verified (mean)"].split()[-3:] == ["1/1", "25.0", "%"]
    assert "nan" in rows["verified (pass_k_2)"]
