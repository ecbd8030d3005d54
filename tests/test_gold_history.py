"""The gold-history task end to end: predictors with a known truth, without a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.tool import ToolCall, ToolInfo

import skillbench_tasks._registry as registry
from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.gold_history import gold_history
from skillbench_tasks.models.conversation import CalledTool
from skillbench_tasks.scorers.turns import NO_PREDICTION, NOT_APPLICABLE, rouge_1, strict_tool
from skillbench_tasks.solvers.next_action import gold_messages, next_action
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS, Reply

SOURCE = open_conversations(str(MOCK_SKILLS))
DECISIONS = [(c, d) for c in SOURCE.conversations() for d in c.decisions]
TOOL = sum(isinstance(c.steps[d.step], CalledTool) for c, d in DECISIONS)
TEXT = len(DECISIONS) - TOOL


def _reference_to(messages: list[ChatMessage]) -> Reply:
    """Return what stands in the gold conversation behind this history."""
    for conversation in SOURCE.conversations():
        gold = gold_messages(SOURCE, conversation.id)
        if [m.text for m in gold[: len(messages)]] == [m.text for m in messages]:
            after = gold[len(messages)]
            assert isinstance(after, ChatMessageAssistant)
            return ChatMessageAssistant(content=after.text, tool_calls=after.tool_calls)
    raise AssertionError("no gold conversation begins like this")


PLAYS["gold"] = lambda messages, tools: _reference_to(messages)
PLAYS["mute"] = lambda messages, tools: ""
PLAYS["echo"] = lambda messages, tools: next(
    (m.text for m in reversed(messages) if m.role == "user"), ""
)


def _wrong(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    said = _reference_to(messages)
    assert isinstance(said, ChatMessageAssistant)
    if not said.tool_calls:
        return "Something else entirely."
    call = said.tool_calls[0]
    return ChatMessageAssistant(
        content="", tool_calls=[ToolCall(id="x", function=call.function, arguments={"nonsense": 1})]
    )


PLAYS["wrong"] = _wrong


def _run(tmp_path: Path, model: str, **options: Any) -> EvalLog:
    task = gold_history(dataset=str(MOCK_SKILLS), **options)
    return inspect_eval(
        task, model=f"scripted/{model}", log_dir=str(tmp_path), display="plain", max_samples=50
    )[0]


def _rows(log: EvalLog) -> dict[str, tuple[float, int]]:
    assert log.status == "success", log.error
    assert log.results is not None
    return {
        s.name: (s.metrics["mean"].value, s.scored_samples or 0)
        for s in log.results.scores
        if "mean" in s.metrics and s.scorer != "turn_judge"
    }


def test_reference_predictor_has_every_score(tmp_path: Path) -> None:
    log = _run(tmp_path, "gold")
    assert _rows(log) == {
        "rouge_1": (1.0, TEXT),
        "exact": (1.0, TOOL),
        "function_name": (1.0, TOOL),
        "argument_f1": (1.0, TOOL),
        "exact_any_wording": (1.0, TOOL),
        "argument_f1_any_wording": (1.0, TOOL),
        "equivalent": (1.0, TOOL),
    }
    assert log.results is not None
    assert log.results.total_samples == len(DECISIONS)


@pytest.mark.parametrize("model", ["mute", "echo"])
def test_predictor_without_calls_scores_no_tool_decision(tmp_path: Path, model: str) -> None:
    rows = _rows(_run(tmp_path, model))
    assert {rows[name] for name in ("exact", "function_name", "argument_f1", "equivalent")} == {
        (0.0, TOOL)
    }
    assert rows["rouge_1"][0] < (0.4 if model == "echo" else 1e-9)


def test_predictor_with_wrong_arguments_has_the_name_alone(tmp_path: Path) -> None:
    rows = _rows(_run(tmp_path, "wrong"))
    assert rows["function_name"] == (1.0, TOOL)
    assert rows["exact"] == rows["equivalent"] == (0.0, TOOL)


def test_score_that_does_not_apply_is_unscored_with_its_reason(tmp_path: Path) -> None:
    log = _run(tmp_path, "gold")
    for sample in log.samples or []:
        assert sample.scores is not None
        other = "rouge_1" if sample.metadata["action"] == "tool" else "strict_tool"
        assert sample.scores[other].reason == NOT_APPLICABLE


def test_model_sees_the_gold_history_and_nothing_behind_it(tmp_path: Path) -> None:
    seen: list[list[ChatMessage]] = []

    def spy(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
        seen.append(messages)
        assert tools
        return _reference_to(messages)

    PLAYS["spy-history"] = spy
    _run(tmp_path, "spy-history")
    assert len(seen) == len(DECISIONS)
    for conversation, decision in DECISIONS:
        texts = [
            s.text for s in conversation.steps[: decision.step] if not isinstance(s, CalledTool)
        ]
        assert any(
            [m.text for m in messages if m.role in ("user", "assistant") and m.text] == texts
            and messages[0].text == conversation.policy
            for messages in seen
        )


def test_histories_of_a_conversation_share_their_messages() -> None:
    one = SOURCE.ids()[0]
    assert gold_messages(SOURCE, one) is gold_messages(SOURCE, one)


def test_finished_log_is_graded_again_to_the_same_scores(tmp_path: Path) -> None:
    log = _run(tmp_path, "wrong")
    again = inspect_score(log, strict_tool(), action="overwrite", display="plain")
    for name in ("exact", "function_name", "argument_f1", "equivalent"):
        assert _rows(again)[name] == _rows(log)[name]


def test_decision_that_a_limit_or_an_error_breaks_off_has_no_value(tmp_path: Path) -> None:
    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
        if len(messages) == 4:
            raise ValueError("outage")
        return "Well. " * len(messages)

    PLAYS["breaks"] = play
    task = gold_history(dataset=str(MOCK_SKILLS))
    log = inspect_eval(
        task,
        model="scripted/breaks",
        log_dir=str(tmp_path),
        display="plain",
        limit=5,
        message_limit=5,
        fail_on_error=False,
    )[0]
    assert (log.status, log.error) == ("success", None)
    again = inspect_score(log, [rouge_1(), strict_tool()], action="overwrite", display="plain")
    for graded in (log, again):
        found = {s.id: s for s in graded.samples or []}
        scores = [found[f"visit-desk.straightforward#{number}"].scores for number in range(5)]
        kept = [
            [one[n].reason for n in ("rouge_1", "strict_tool") if n in one] if one else []
            for one in scores
        ]
        applies = [[None, NOT_APPLICABLE], []]
        broken_off = [[NO_PREDICTION] * 2] * 3
        assert kept == [*applies, *broken_off]
        assert not any(s.error for s in found.values() if "#1" not in str(s.id))


def test_own_file_of_conversations_is_run(tmp_path: Path) -> None:
    line = {
        "id": "mine-1",
        "workflow": "lamp",
        "kind": "plain",
        "user": "ann",
        "policy": "You switch lamps.",
        "tools": [{"name": "switch", "input_schema": {"type": "object", "properties": {}}}],
        "steps": [
            {"step": "said", "role": "user", "text": "Light, please."},
            {"step": "called", "tool": "switch", "arguments": {}, "result": {"on": True}},
            {"step": "said", "role": "assistant", "text": "It is on."},
        ],
    }
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(line) + "\n", "utf-8")
    PLAYS["lamp"] = lambda messages, tools: (
        "It is on."
        if messages[-1].role == "tool"
        else ChatMessageAssistant(
            content="", tool_calls=[ToolCall(id="1", function="switch", arguments={})]
        )
    )
    log = inspect_eval(
        gold_history(dataset=str(path)),
        model="scripted/lamp",
        log_dir=str(tmp_path / "logs"),
        display="plain",
    )[0]
    rows = _rows(log)
    assert rows["exact"] == rows["rouge_1"] == (1.0, 1)
    assert rows["equivalent"][1] == 0  # there is no world to try it on


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({"splits": "all"}, "no such option", id="unknown"),
        pytest.param({"split": "test"}, "evaluation", id="split"),
        pytest.param({"dataset": "no/such.jsonl"}, "such.jsonl", id="no-file"),
        pytest.param({"dataset": str(MOCK_SKILLS), "split": "train"}, "leave it out", id="foreign"),
    ],
)
def test_bad_option_is_one_line(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PrerequisiteError, match=told) as caught:
        gold_history(**options)
    assert "\n" not in str(caught.value.message)


def test_default_is_the_evaluation_split_and_all_is_registered() -> None:
    assert len(gold_history().dataset) == 541
    assert registry.gold_history is gold_history
    assert registry.next_action is next_action
