"""Spend: token classes, calls, seconds and cost by role; equal to what Inspect itself counts. Known faults, row 19."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import Epochs, Task, score, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import AgentState, agent, agent_bridge
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ModelAPI,
    ModelCost,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    get_model,
    model_roles,
    modelapi,
    set_model_info,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolDef, ToolInfo
from inspect_ai.util import registry_info
from tenacity.wait import wait_base, wait_none

import skillbench_tasks._registry as registry
from skillbench_tasks.models import ModelCall, Payer, RoleSpend, Tokens
from skillbench_tasks.scorers.spend import (
    add_up,
    per_sample,
    percentile,
    run_totals,
    sample_values,
    turn_seconds,
)
from skillbench_tasks.scorers.spending import role_means, role_totals, spend, turn_latency
from skillbench_tasks.zero_shot import zero_shot
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS, ScriptedModel, called

USAGE = ModelUsage(
    input_tokens=10,
    output_tokens=5,
    total_tokens=42,
    input_tokens_cache_read=20,
    input_tokens_cache_write=7,
    reasoning_tokens=2,
)
TOKENS = Tokens(input=10, output=5, total=42, cache_read=20, cache_write=7, reasoning=2)


def _said(text: str, usage: ModelUsage = USAGE) -> ModelOutput:
    output = ModelOutput.from_content("scripted", text)
    output.usage = usage
    return output


def _used(message: ChatMessageAssistant) -> ModelOutput:
    output = ModelOutput.from_message(message)
    output.usage = USAGE
    return output


@scorer(metrics=[mean()])
def asking_judges() -> Scorer:
    """Ask every judge once: stands in for the panel."""

    async def grade(state: TaskState, target: Target) -> Score:
        role = model_roles().get("judge", [])
        for judge in role if isinstance(role, list) else [role]:
            await judge.generate("Grade this.")
        return Score(value=1)

    return grade


def _task(**options: Any) -> Task:
    task = zero_shot(skills=str(MOCK_SKILLS), **{"turns": 2, "kind": "straightforward", **options})
    return task_with(task, scorer=[asking_judges(), spend()])


ROLES: dict[str, Any] = {"user": "scripted/customer", "judge": ["scripted/j1", "scripted/j2"]}


def _run(
    tmp_path: Path, task: Task, *, roles: Mapping[str, Any] = ROLES, **options: Any
) -> EvalLog:
    PLAYS["customer"] = lambda messages, tools: f"I said so {len(messages)} times."
    PLAYS["j1"] = lambda messages, tools: _said("pass", ModelUsage(total_tokens=100))
    PLAYS["j2"] = lambda messages, tools: _said("fail", ModelUsage(total_tokens=7))
    log = inspect_eval(
        task,
        model=options.pop("model", "scripted/agent"),
        model_roles=dict(roles),
        log_dir=str(tmp_path),
        display="none",
        **options,
    )[0]
    assert log.status == "success", log.error
    return log


def _looks_first(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
    if messages[-1].role == "user":
        return _used(called("crm__find_customer", {"phone": "+14045550101"}))
    return _said("What is your phone number?")


def _spent(sample: EvalSample, name: str = "spend") -> Score:
    assert sample.scores is not None
    return sample.scores[name]


def _rows(sample: EvalSample, name: str = "spend") -> list[RoleSpend]:
    metadata = _spent(sample, name).metadata or {}
    return [RoleSpend.model_validate(row) for row in metadata["by_model"]]


def _figures(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    (row,) = [s for s in log.results.scores if s.scorer == "spend"]
    return {name: float(metric.value) for name, metric in row.metrics.items()}


def _as_tokens(usage: ModelUsage) -> Tokens:
    return Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        total=usage.total_tokens,
        cache_read=usage.input_tokens_cache_read or 0,
        cache_write=usage.input_tokens_cache_write or 0,
        reasoning=usage.reasoning_tokens or 0,
    )


def _sum(rows: list[RoleSpend]) -> Tokens:
    return sum((row.tokens for row in rows), Tokens())


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """Six scenarios, twice each, with a model as user and two judges."""
    PLAYS["agent"] = _looks_first
    task = _task(kind=None)
    epochs = Epochs(2, ["mean", "pass_k_2"])
    return _run(tmp_path_factory.mktemp("spend"), task, epochs=epochs)


def test_19_spend_equals_what_inspect_counts_by_model_and_role(log: EvalLog) -> None:
    assert log.samples is not None and len(log.samples) == 12
    everything: list[RoleSpend] = []
    for sample in log.samples:
        rows = _rows(sample)
        everything += rows
        for model, usage in sample.model_usage.items():
            assert _sum([row for row in rows if row.model == model]) == _as_tokens(usage)
        for role in ("user", "judge"):
            own = [row for row in rows if row.payer == role]
            assert _sum(own) == _as_tokens(sample.role_usage[role])
    for model, usage in log.stats.model_usage.items():
        assert _sum([row for row in everything if row.model == model]) == _as_tokens(usage)
    assert {row.model for row in everything} == set(log.stats.model_usage)
    for role in ("user", "judge"):
        own = [row for row in everything if row.payer == role]
        assert _sum(own) == _as_tokens(log.stats.role_usage[role])


def test_19_judges_and_user_stand_apart_from_the_agent(log: EvalLog) -> None:
    assert log.samples is not None
    value = _spent(log.samples[0]).value
    assert isinstance(value, dict)
    counts = {key: number for key, number in value.items() if "seconds" not in key}
    assert counts == {
        "agent_tokens": 4 * 42,
        "agent_calls": 4,
        "user_tokens": 2 * 2,
        "user_calls": 2,
        "mock_tokens": 0,
        "mock_calls": 0,
        "judge_tokens": 107,
        "judge_calls": 2,
        "judge_tokens:scripted/j1": 100,
        "judge_calls:scripted/j1": 1,
        "judge_tokens:scripted/j2": 7,
        "judge_calls:scripted/j2": 1,
    }
    assert _rows(log.samples[0])[0].tokens == TOKENS + TOKENS + TOKENS + TOKENS


def test_totals_and_means_count_every_run_whatever_reduces_epochs(log: EvalLog) -> None:
    figures = _figures(log)
    assert figures["agent_tokens"] == 12 * 4 * 42
    assert figures["agent_tokens_per_sample"] == 4 * 42
    assert figures["agent_cache_read_tokens"] == 12 * 4 * 20
    assert figures["judge_tokens:scripted/j1"] == 12 * 100
    assert figures["judge_calls_per_sample"] == 2
    assert figures["agent_turns"] == 12 * 2
    assert 0 < figures["agent_turn_seconds_median"] <= figures["agent_turn_seconds_p95"]
    assert not [name for name in figures if name.startswith("mock") or "cost" in name]


def test_every_sample_carries_the_same_keys(log: EvalLog) -> None:
    values = [_spent(sample).value for sample in log.samples or []]
    assert len({tuple(value) for value in values if isinstance(value, dict)}) == 1


def test_turn_seconds_are_those_of_the_agents_calls_only(tmp_path: Path) -> None:
    async def slow(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        await anyio.sleep(0.02)
        return _looks_first(messages, tools)

    async def slower(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
        await anyio.sleep(0.2)
        return f"Hm, {len(messages)}."

    PLAYS["slow"] = slow
    task = _task()
    PLAYS["slow_customer"] = slower
    log = _run(tmp_path, task, model="scripted/slow", roles={"user": "scripted/slow_customer"})
    assert log.samples is not None
    turns = (_spent(log.samples[0]).metadata or {})["agent_turn_seconds"]
    assert len(turns) == 2
    assert all(0.04 <= seconds < 0.2 for seconds in turns)


def test_agent_without_a_model_spends_nothing(tmp_path: Path) -> None:
    log = _run(tmp_path, _task(agent="reference"), model="none/none", roles={})
    assert log.samples is not None
    value = _spent(log.samples[0]).value
    assert isinstance(value, dict) and set(value.values()) == {0.0}
    figures = _figures(log)
    assert figures.pop("agent_turns") == 0.0
    assert all(math.isnan(figure) for figure in figures.values())


def test_19_answer_from_the_cache_costs_nothing(tmp_path: Path) -> None:
    PLAYS["cached"] = _looks_first

    @agent
    def caching() -> Any:
        async def execute(state: AgentState, tools: list[ToolDef]) -> AgentState:
            state.output = await get_model().generate(state.messages[:2], cache=True)
            state.messages.append(state.output.message)
            return state

        return execute

    runs = [
        _run(tmp_path / name, _task(agent="caching"), model="scripted/cached", roles={})
        for name in ("first", "second")
    ]
    for number, log in enumerate(runs):
        assert log.samples is not None
        (row,) = _rows(log.samples[0])
        assert (row.calls, row.cached_calls) == ((1, 1) if number == 0 else (0, 2))
        assert row.tokens == (TOKENS if number == 0 else Tokens())
        assert _figures(log)["agent_turns"] == 1 - number  # a cached answer tells no latency
        usage = sum(u.total_tokens for u in log.stats.model_usage.values())
        assert usage == row.tokens.total


@modelapi(name="impatient")
def impatient() -> type[ModelAPI]:
    """Register the provider `impatient/<play>`: it repeats a failed request at once."""

    class Impatient(ScriptedModel):
        def should_retry(self, ex: BaseException) -> bool:
            return True

        def retry_wait(self) -> wait_base:
            return wait_none()

    return Impatient


def test_19_retried_call_counts_once_and_its_retries_are_told(tmp_path: Path) -> None:
    asked = 0

    def flaky(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        nonlocal asked
        asked += 1
        if asked in (1, 2, 4):
            raise RuntimeError("429 slow down")
        return _said(f"One moment, {asked}.")

    PLAYS["flaky"] = flaky
    log = _run(tmp_path, _task(), model="impatient/flaky", roles={})
    assert log.samples is not None
    (row,) = _rows(log.samples[0])
    assert (row.calls, row.retries, row.tokens) == (2, 3, TOKENS + TOKENS)
    assert row.tokens == _as_tokens(log.stats.model_usage["impatient/flaky"])


def test_bridged_agent_is_the_agent(tmp_path: Path) -> None:
    PLAYS["bridged"] = lambda messages, tools: _said("What is your phone number?")

    @agent
    def foreign() -> Any:
        async def execute(state: AgentState, tools: list[ToolDef]) -> AgentState:
            from openai import AsyncOpenAI

            async with agent_bridge(state) as bridge:
                async with AsyncOpenAI(api_key="no-key-at-all") as client:
                    await client.chat.completions.create(
                        model="inspect", messages=[{"role": "user", "content": "Hello"}]
                    )
                return bridge.state

        return execute

    log = _run(tmp_path, _task(agent="foreign", turns=1), model="scripted/bridged")
    assert log.samples is not None
    row = _rows(log.samples[0])[0]
    assert (row.payer, row.model, row.calls, row.tokens.total) == (
        Payer.AGENT,
        "scripted/bridged",
        1,
        42,
    )
    assert _figures(log)["agent_turns"] == 1


def test_cost_is_carried_where_prices_are_known(tmp_path: Path) -> None:
    PLAYS["priced"] = _looks_first
    price = ModelCost(input=1.0, output=2.0, input_cache_write=0.0, input_cache_read=0.0)
    set_model_info("scripted/priced", ModelInfo(model="priced", cost=price))
    log = _run(tmp_path, _task(), model="scripted/priced")
    assert log.samples is not None
    agent_row, user_row = _rows(log.samples[0])[:2]
    expected = 4 * (10 * 1.0 + 5 * 2.0) / 1_000_000
    assert agent_row.cost == pytest.approx(expected)
    assert user_row.cost is None
    figures = _figures(log)
    assert figures["agent_cost"] == pytest.approx(expected)
    assert "user_cost" not in figures
    assert log.samples[0].model_usage["scripted/priced"].total_cost == pytest.approx(expected)


@pytest.mark.parametrize(
    ("action", "judge_calls"), [("append", 3), ("overwrite", 1)], ids=["kept", "replaced"]
)
def test_judged_anew_counts_the_judges_that_the_log_keeps(
    log: EvalLog, action: Any, judge_calls: int
) -> None:
    judge = get_model("scripted/j2")
    again = score(
        log,
        [asking_judges(), spend()],
        action=action,
        model_roles={"judge": judge},
        display="none",
    )
    assert again.samples is not None and log.samples is not None
    name = "spend1" if action == "append" else "spend"
    for before, after in zip(log.samples, again.samples, strict=True):
        assert _rows(after, name)[:2] == _rows(before)[:2]
        judged = [row for row in _rows(after, name) if row.payer is Payer.JUDGE]
        assert sum(row.calls for row in judged) == judge_calls


def _call(payer: Payer = Payer.AGENT, **fields: Any) -> ModelCall:
    return ModelCall(payer=payer, model=fields.pop("model", "m"), **fields)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        pytest.param([], {}, id="no call"),
        pytest.param([_call(cost=1.0), _call(cost=2.0)], {"agent_cost": 3.0}, id="all known"),
        pytest.param([_call(), _call()], {}, id="none known"),
        pytest.param([_call(cost=1.0), _call()], {}, id="one call of a model not known"),
        pytest.param(
            [_call(cost=1.0), _call(model="other")], {"agent_cost": math.nan}, id="one model not"
        ),
        pytest.param([_call(cached=True), _call(cost=1.0)], {"agent_cost": 1.0}, id="cached"),
        pytest.param([_call(failed=True), _call(cost=1.0)], {"agent_cost": 1.0}, id="failed"),
        pytest.param([_call(cached=True)], {}, id="only cached"),
    ],
)
def test_unknown_price_is_never_nothing(calls: list[ModelCall], expected: dict[str, float]) -> None:
    totals = run_totals(add_up(calls))
    costs = {key: value for key, value in totals.items() if "cost" in key}
    assert repr(costs) == repr(expected)


def test_attempt_without_an_answer_is_a_retry_not_a_call() -> None:
    (row,) = add_up([_call(failed=True), _call(retries=2, tokens=TOKENS, seconds=1.5)])
    assert (row.calls, row.retries, row.seconds, row.tokens) == (1, 3, 1.5, TOKENS)


def test_rows_stand_in_a_fixed_order() -> None:
    calls = [_call(Payer.JUDGE, model="b"), _call(Payer.JUDGE, model="a"), _call(Payer.AGENT)]
    assert add_up(calls) == add_up(calls[::-1])
    assert [(row.payer, row.model) for row in add_up(calls)] == [
        (Payer.AGENT, "m"),
        (Payer.JUDGE, "a"),
        (Payer.JUDGE, "b"),
    ]


def test_turn_is_as_long_as_its_calls_together() -> None:
    calls = [
        _call(turn=0, seconds=1.0),
        _call(turn=0, seconds=2.0),
        _call(Payer.MOCK, turn=0, seconds=50.0),
        _call(Payer.USER, seconds=70.0),
        _call(turn=1, seconds=4.0),
        _call(turn=2, cached=True),
        _call(turn=2, seconds=9.0),
    ]
    assert turn_seconds(calls) == (3.0, 4.0)


def test_judge_without_a_call_has_its_keys() -> None:
    values = sample_values((), ["b", "a"])
    assert [key for key in values if ":" in key][:3] == [
        "judge_tokens:a",
        "judge_calls:a",
        "judge_seconds:a",
    ]
    assert set(values.values()) == {0.0}


def test_means_are_totals_over_samples() -> None:
    totals = {"agent_tokens": 10.0, "agent_input_tokens": 4.0, "judge_calls:x/judge_calls": 6.0}
    assert per_sample(totals, 2) == {
        "agent_tokens_per_sample": 5.0,
        "judge_calls_per_sample:x/judge_calls": 3.0,
    }
    assert per_sample(totals, 0) == {}


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([3.0], 0.95, 3.0),
        ([4.0, 1.0, 3.0, 2.0], 0.5, 2.5),
        (list(map(float, range(101))), 0.95, 95.0),
        ([1.0, 2.0], 1.0, 2.0),
    ],
)
def test_percentile_lies_between_its_neighbours(
    values: list[float], share: float, expected: float
) -> None:
    assert percentile(values, share) == pytest.approx(expected)


def test_percentile_of_nothing_is_nan() -> None:
    assert math.isnan(percentile([], 0.5))


def test_scorer_and_metrics_are_registered_under_the_packages_prefix() -> None:
    made = [role_means, role_totals, spend, turn_latency]
    names = [registry_info(one).name for one in made]
    assert names == [
        f"skillbench_tasks/{name}"
        for name in ("role_means", "role_totals", "spend", "turn_latency")
    ]
    assert made == [getattr(registry, name.partition("/")[2]) for name in names]
