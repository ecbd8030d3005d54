"""Training examples: their form, the targets, and that nothing of evaluation leaks into them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from skillbench_tasks.cli import skillbench
from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.datasets.ngrams import agent_texts, overlapping
from skillbench_tasks.datasets.sft import sft_lines
from skillbench_tasks.datasets.split_building import OVERLAP_BOUND, people_of
from skillbench_tasks.datasets.splits import Split, split_conversations
from skillbench_tasks.models.conversation import CalledTool, Conversation
from skillbench_tasks.tools.normal_forms import without_notations


def _export(*arguments: str) -> Result:
    return CliRunner().invoke(skillbench, ["export", "sft", *arguments])


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported training split."""
    path = tmp_path_factory.mktemp("sft") / "train.jsonl"
    result = _export("--out", str(path))
    decisions = sum(len(one.decisions) for one in split_conversations(Split.TRAIN))
    assert (result.exit_code, result.output) == (0, f"{decisions} examples\n")
    return path


@pytest.fixture(scope="module")
def rows(exported: Path) -> list[dict[str, Any]]:
    """The training examples."""
    return [json.loads(line) for line in exported.read_text("utf-8").splitlines()]


def test_every_decision_is_an_example_with_its_action_as_target(
    rows: list[dict[str, Any]],
) -> None:
    at = iter(rows)
    for conversation in split_conversations(Split.TRAIN):
        for decision in conversation.decisions:
            row, step = next(at), conversation.steps[decision.step]
            target = row["messages"][-1]
            assert target["role"] == "assistant"
            if isinstance(step, CalledTool):
                (call,) = target["tool_calls"]
                assert call["function"] == {"name": step.tool, "arguments": step.arguments}
                assert target["content"] == ""
            else:
                assert target == {"role": "assistant", "content": step.text}
            assert row["messages"][0] == {"role": "system", "content": conversation.policy}
            offered = [tool["function"]["name"] for tool in row["tools"]]
            assert offered == [tool.name for tool in conversation.tools]
    assert next(at, None) is None


def test_history_is_well_formed_chat(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        assert row.keys() == {"messages", "tools"}
        *history, _target = row["messages"]
        for index, message in enumerate(history):
            if message.get("tool_calls"):
                (call,) = message["tool_calls"]
                assert isinstance(call["function"]["arguments"], dict)
                answer = history[index + 1]
                assert (answer["role"], answer["tool_call_id"]) == ("tool", call["id"])
                json.loads(answer["content"])
            elif message["role"] != "tool":
                assert message.keys() == {"role", "content"}
                assert message["content"]


def test_export_reads_back_as_prefixes_of_its_conversations(tmp_path: Path) -> None:
    path = tmp_path / "validation.jsonl"
    assert _export("--split", "validation", "--out", str(path)).exit_code == 0
    back = open_conversations(f"openai:{path}").conversations()
    for conversation in split_conversations(Split.VALIDATION):
        for decision in conversation.decisions:
            assert _same(next(back), conversation, decision.step)
    assert next(back, None) is None


def _same(prefix: Conversation, whole: Conversation, last: int) -> bool:
    """Whether one is the other up to a step; an error comes back as the object that was read."""
    mine, its = prefix.steps, whole.steps
    same = [
        (a.tool, a.arguments) == (b.tool, b.arguments) and (b.error or a.result == b.result)
        if isinstance(a, CalledTool) and isinstance(b, CalledTool)
        else a == b
        for a, b in zip(mine[:-1], its[:last], strict=True)
    ]
    return (
        all(same)
        and prefix.policy == whole.policy
        and [tool.input_schema for tool in prefix.tools]
        == [without_notations(tool.input_schema) for tool in whole.tools]
    )


def test_bytes_are_the_same_each_time_and_on_standard_output(exported: Path) -> None:
    data = exported.read_bytes()
    lines = sft_lines(split_conversations(Split.TRAIN))
    assert data == "".join(f"{line}\n" for line in lines).encode()
    assert _export().stdout_bytes == data


def test_nothing_of_the_evaluation_split_is_in_the_export(
    exported: Path, rows: list[dict[str, Any]]
) -> None:
    evaluation = split_conversations(Split.EVALUATION)
    texts = agent_texts(evaluation)
    learned = {row["messages"][-1]["content"] for row in rows} - {""}
    assert learned == set(agent_texts(split_conversations(Split.TRAIN)).values())
    assert learned.isdisjoint(texts.values())
    assert len(overlapping(texts, learned)) / len(texts) <= OVERLAP_BOUND
    data = exported.read_text("utf-8")
    strangers = {word for one in evaluation for word in (one.id, *people_of(one))}
    assert [word for word in strangers if word in data] == []


def test_evaluation_split_cannot_be_exported() -> None:
    result = _export("--split", "evaluation")
    assert result.exit_code == 2
    assert "'evaluation' is not one of 'train', 'validation'" in result.output
