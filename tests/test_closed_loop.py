"""The closed-loop task end to end: models with a known truth, without a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ChatMessageTool
from inspect_ai.tool import ToolInfo

import skillbench_tasks._registry as registry
from skillbench_tasks.closed_loop import closed_loop
from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.gold_history import gold_history
from skillbench_tasks.models.conversation import CalledTool
from skillbench_tasks.models.replay_record import REPLAY_KEY, ReplayRecord
from skillbench_tasks.scorers.workflow import workflow
from skillbench_tasks.solvers.replaying import replay_loop
from tests.conftest import ROOT
from tests.label_plays import labelled
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS, Reply, called

SOURCE = open_conversations(str(MOCK_SKILLS))
NEED_TOOLS = sum(any(isinstance(s, CalledTool) for s in c.steps) for c in SOURCE.conversations())
ALL = len(SOURCE.ids())


def _run(
    tmp_path: Path, model: str = "none/none", limit: int | None = None, **options: Any
) -> EvalLog:
    task = closed_loop(**{"dataset": str(MOCK_SKILLS), **options})
    log = inspect_eval(
        task, model=model, log_dir=str(tmp_path), display="plain", max_samples=50, limit=limit
    )[0]
    assert log.status == "success", log.error
    return log


def _metrics(log: EvalLog, row: str) -> dict[str, float]:
    assert log.results is not None
    found = next(s for s in log.results.scores if s.name == row and s.metrics)
    return {name.split("group_means_")[-1]: metric.value for name, metric in found.metrics.items()}


def _samples(log: EvalLog) -> list[EvalSample]:
    assert log.samples
    return log.samples


@pytest.mark.parametrize("match", ["strict", "equivalent"])
def test_reference_completes_every_workflow(tmp_path: Path, match: str) -> None:
    log = _run(tmp_path, predictor="reference", match=match)
    for row in ("completion", "completion_first_try"):
        metrics = _metrics(log, row)
        assert metrics["mean"] == 1.0
        assert {metrics[f"needs={kind}"] for kind in ("tools", "no_tools")} == {1.0}
    assert _metrics(log, "workflow") == {
        "replays": ALL,
        "replays with an error": 0,
        "tool decisions failed n": sum(
            isinstance(s, CalledTool) for c in SOURCE.conversations() for s in c.steps
        ),
        "tool decisions failed": 0.0,
        "later decisions failed n": 0,
        "later tool decisions failed n": 0,
    }


@pytest.mark.parametrize("predictor", ["silent", "echo", "repeat_last_call", "most_frequent_call"])
@pytest.mark.parametrize("match", ["strict", "equivalent"])
def test_baseline_completes_no_workflow_that_needs_tools(
    tmp_path: Path, predictor: str, match: str
) -> None:
    metrics = _metrics(_run(tmp_path, predictor=predictor, match=match), "completion")
    assert metrics["needs=tools"] == 0.0
    assert metrics["needs=no_tools"] == (1.0 if predictor == "echo" else 0.0)


def test_model_sees_its_own_history_and_the_gold_user(tmp_path: Path) -> None:
    histories: list[list[ChatMessage]] = []

    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
        histories.append(list(messages))
        assert tools
        return f"Own words {len(messages)}."

    PLAYS["own-words"] = play
    log = _run(tmp_path, "scripted/own-words")
    gold = {
        step.text
        for conversation in SOURCE.conversations()
        for step in conversation.steps
        if not isinstance(step, CalledTool) and step.role == "assistant"
    }
    for history in histories:
        own = [message.text for message in history if message.role == "assistant"]
        assert all(text.startswith("Own words") for text in own)
        assert not any(text in message.text for text in gold for message in history[1:])
    for sample in _samples(log):
        said = [m.text for m in sample.messages if m.role == "user"]
        conversation = SOURCE.conversation(str(sample.id))
        assert said == [
            s.text for s in conversation.steps if not isinstance(s, CalledTool) and s.role == "user"
        ]


def test_rejected_call_is_an_error_to_the_model_and_marked_in_the_log(tmp_path: Path) -> None:
    PLAYS["always-find"] = lambda messages, tools: called(
        "crm__find_customer", {"phone": "+10000000000"}
    )
    log = _run(tmp_path, "scripted/always-find")
    sample = _samples(log)[0]
    answers = [m for m in sample.messages if isinstance(m, ChatMessageTool)]
    assert all(answer.error is not None for answer in answers)
    assert sample.scores is not None
    assert "✗ `crm__find_customer" in str(sample.scores["workflow"].explanation)
    record = ReplayRecord.model_validate(sample.store[REPLAY_KEY])
    assert {one.rejections for one in record.decisions} <= {0, 3}


def test_replay_that_a_limit_breaks_off_is_graded_as_unfinished(tmp_path: Path) -> None:
    PLAYS["talker"] = lambda messages, tools: "Well."
    task = closed_loop(dataset=str(MOCK_SKILLS))
    task.token_limit = 3  # each answer is counted as two
    log = inspect_eval(task, model="scripted/talker", log_dir=str(tmp_path), display="plain")[0]
    sample = next(s for s in _samples(log) if s.limit is not None)
    assert sample.scores is not None
    value = sample.scores["workflow"].value
    assert isinstance(value, dict)
    assert value["completion"] == 0.0
    assert "not_reached" in str(sample.scores["workflow"].explanation)


@pytest.mark.parametrize("task", [gold_history, closed_loop], ids=["gold_history", "closed_loop"])
def test_half_of_a_surrogate_pair_does_not_end_the_run(tmp_path: Path, task: Any) -> None:
    PLAYS["half-a-pair"] = lambda messages, tools: called(
        "crm__find_customer", {"phone": ["\ud83d"], "\ud83d": 1}, text="Hello \ud83d"
    )
    PLAYS["half-judged"] = lambda messages, tools: labelled("fail", "other")
    log = inspect_eval(
        task(dataset=str(MOCK_SKILLS)),
        model="scripted/half-a-pair",
        model_roles={"judge": "scripted/half-judged"},
        log_dir=str(tmp_path),
        display="plain",
        limit=3,
    )[0]
    assert (log.status, log.error) == ("success", None)
    assert all(sample.error is None for sample in _samples(log))


def test_finished_log_is_graded_again_to_the_same_scores(tmp_path: Path) -> None:
    log = _run(tmp_path, predictor="perturbed:0.3")
    again = inspect_score(log, workflow(), action="overwrite", display="plain")
    for one, other in zip(_samples(log), _samples(again), strict=True):
        assert one.scores is not None
        assert other.scores is not None
        assert one.scores["workflow"].model_dump(exclude={"history"}) == other.scores[
            "workflow"
        ].model_dump(exclude={"history"})


def test_order_of_samples_moves_nothing(tmp_path: Path) -> None:
    def records(**options: Any) -> dict[str, str]:
        task = closed_loop(dataset=str(MOCK_SKILLS), predictor="perturbed:0.3")
        log = inspect_eval(
            task, model="none/none", log_dir=str(tmp_path), display="plain", **options
        )[0]
        return {str(s.id): json.dumps(s.store[REPLAY_KEY], sort_keys=True) for s in _samples(log)}

    assert records(max_samples=1) == records(max_samples=50, sample_shuffle=7)


def test_own_file_with_a_text_before_a_call_is_asked_to_go_on(tmp_path: Path) -> None:
    line = {
        "id": "mine-1",
        "workflow": "lamp",
        "kind": "plain",
        "user": "ann",
        "policy": "You switch lamps.",
        "tools": [{"name": "switch", "input_schema": {"type": "object", "properties": {}}}],
        "steps": [
            {"step": "said", "role": "user", "text": "Light, please."},
            {"step": "said", "role": "assistant", "text": "One moment."},
            {"step": "called", "tool": "switch", "arguments": {}, "result": {"on": True}},
            {"step": "said", "role": "assistant", "text": "It is on."},
        ],
    }
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(line) + "\n", "utf-8")
    log = _run(tmp_path / "logs", dataset=str(path), predictor="reference")
    assert _metrics(log, "completion")["mean"] == 1.0
    sample = _samples(log)[0]
    assert [m.role for m in sample.messages] == [
        "system", "user", "assistant", "user", "assistant", "tool", "assistant",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({"match": "loose"}, "strict, equivalent", id="match"),
        pytest.param({"retries": -1}, "0 or more", id="retries"),
        pytest.param({"predictor": "oracle"}, "reference", id="predictor"),
        pytest.param({"matches": "strict"}, "no such option", id="unknown"),
    ],
)
def test_bad_option_is_one_line(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PrerequisiteError, match=told) as caught:
        closed_loop(**options)
    assert "\n" not in str(caught.value.message)


def test_match_equivalent_without_worlds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    said = {"step": "said", "role": "assistant", "text": "Hello."}
    line = {"id": "m", "workflow": "w", "kind": "k", "user": "u", "policy": "", "steps": [said]}
    path.write_text(json.dumps(line) + "\n", "utf-8")
    with pytest.raises(PrerequisiteError, match="give match=strict"):
        closed_loop(dataset=str(path), match="equivalent")


def test_task_is_registered_and_runs_the_evaluation_split_by_default() -> None:
    assert len(closed_loop().dataset) == 55
    assert registry.closed_loop is closed_loop
    assert registry.replay_loop is replay_loop
    assert registry.workflow is workflow


@pytest.mark.slow
@pytest.mark.shared_data
def test_reference_completes_200_star_dialogues(tmp_path: Path) -> None:
    place = f"star:{ROOT.parent / 'shared' / 'data' / 'star'}"
    log = _run(tmp_path, dataset=place, predictor="reference", limit=200)
    assert log.results is not None
    assert log.results.completed_samples == 200
    assert _metrics(log, "completion_first_try")["mean"] == 1.0
    source = open_conversations(place)
    decisions = sum(len(source.conversation(one).decisions) for one in source.ids()[:200])
    turns = inspect_eval(
        gold_history(dataset=place, predictor="reference"),
        model="none/none",
        log_dir=str(tmp_path),
        display="plain",
        limit=decisions,
    )[0]
    assert turns.status == "success"
    for row in ("rouge_1", "exact", "argument_f1", "function_name"):
        assert _metrics(turns, row)["mean"] == 1.0
