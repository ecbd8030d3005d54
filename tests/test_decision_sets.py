"""One assistant message with two gold calls is one decision, in both tasks of protocol B (B4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.tool import ToolCall, ToolInfo

from skillbench_tasks.closed_loop import closed_loop
from skillbench_tasks.datasets.conversation_files import open_data, write_conversations
from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.datasets.sft import sft_examples
from skillbench_tasks.gold_history import gold_history
from tests.scripted_model import PLAYS, Reply

LINE = {
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "find",
                "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
            },
        }
    ],
    "messages": [
        {"role": "user", "content": "One and two?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": str(n), "function": {"name": "find", "arguments": json.dumps({"n": n})}}
                for n in (1, 2)
            ],
        },
        *({"role": "tool", "tool_call_id": str(n), "content": f'"at {n}"'} for n in (1, 2)),
        {"role": "assistant", "content": "At 1 and at 2."},
    ],
}


@pytest.fixture
def place(tmp_path: Path) -> str:
    (tmp_path / "sets.jsonl").write_text(json.dumps(LINE) + "\n", encoding="utf-8")
    return f"openai:{tmp_path / 'sets.jsonl'}"


def _play(numbers: tuple[int, ...], seen: list[list[ChatMessage]]) -> Any:
    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
        seen.append(list(messages))
        if any(message.role == "tool" for message in messages):
            return "At 1 and at 2."
        calls = [ToolCall(id=f"c{n}", function="find", arguments={"n": n}) for n in numbers]
        return ChatMessageAssistant(content="", tool_calls=calls)

    return play


def _samples(task: Task, tmp_path: Path, model: str) -> list[EvalSample]:
    log = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success", log.error
    assert log.samples
    return log.samples


@pytest.mark.parametrize(
    ("numbers", "exact", "f1", "completion"),
    [((1, 2), 1, 1, 1), ((2, 1), 1, 1, 1), ((1,), 0, 2 / 3, 0)],
)
def test_imported_set_is_one_decision_in_both_tasks(
    tmp_path: Path, place: str, numbers: tuple[int, ...], exact: int, f1: float, completion: int
) -> None:
    seen: list[list[ChatMessage]] = []
    name = f"sets-{len(numbers)}-{numbers[0]}"
    PLAYS[name] = _play(numbers, seen)
    turns = _samples(gold_history(dataset=place), tmp_path, f"scripted/{name}")
    assert len(turns) == 2  # the set, and the text
    scores = turns[0].scores
    assert scores is not None
    value = scores["strict_tool"].value
    assert isinstance(value, dict)
    assert (value["exact"], value["argument_f1"]) == (exact, pytest.approx(f1))
    assert (scores["strict_tool"].metadata or {})["expected_calls"] == 2
    history = max(seen, key=len)  # before the text: one message with both calls, an answer to each
    assert [message.role for message in history] == ["system", "user", "assistant", "tool", "tool"]
    (replay,) = _samples(closed_loop(dataset=place), tmp_path, f"scripted/{name}")
    assert replay.scores is not None
    done = replay.scores["workflow"].value
    assert isinstance(done, dict)
    assert done["completion"] == completion


def test_set_is_written_read_and_learned_as_one_message(tmp_path: Path, place: str) -> None:
    (conversation,) = open_conversations(place).conversations()
    write_conversations(tmp_path / "own.jsonl", [conversation])
    assert list(open_data(tmp_path / "own.jsonl").conversations()) == [conversation]
    first, last = (example["messages"] for example in sft_examples(conversation))
    assert [len(one.get("tool_calls", ())) for one in first] == [0, 2]
    assert [one["role"] for one in last] == ["user", "assistant", "tool", "tool", "assistant"]
