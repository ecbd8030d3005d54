"""Scripted models for the protocols of orchestration: answers in order, marked by a label."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, resolve_sample_attachments
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput, ModelUsage, StopReason
from inspect_ai.tool import ToolCall, ToolInfo

from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.datasets.sops.references import unlabelled
from tests.scripted_model import PLAYS

__all__ = [
    "GUARDED",
    "PLAIN",
    "SHOWN_WORKFLOW",
    "Made",
    "answer",
    "calls",
    "changed",
    "labels",
    "model_inputs",
    "nodes_of",
    "plan",
    "play",
    "revising",
    "rows",
    "run",
    "samples",
    "scores",
    "script",
    "whole",
]  # fmt: skip

PLAIN = "overdue-invoice-chase.1"
"""A SOP of five variants: a loop with a branch; no error handling."""

Made = tuple[str, dict[str, Any] | str]
"""Function and arguments."""

GUARDED = "overdue-invoice-chase.2"
"""The same with a `try`, and a sixth variant with a fault."""

SHOWN_WORKFLOW = "# Your workflow"
"""What stands above the workflow in a request for a revision."""

USAGE = ModelUsage(input_tokens=100, output_tokens=7, total_tokens=107)


def plan(sop: str = PLAIN) -> dict[str, Any]:
    """Return the reference of a SOP as a model would write it."""
    made: dict[str, Any] = json.loads(json.dumps(unlabelled(sop_by_id(sop).program)))
    return made


def whole(sop: str = PLAIN) -> str:
    """Return the reference as the text of an answer."""
    return json.dumps(plan(sop))


def changed(old: str, new: str, sop: str = PLAIN) -> str:
    """Return the reference as text with one thing changed wherever it stands."""
    text = whole(sop)
    assert old in text
    return text.replace(old, new)


def nodes_of(block: list[dict[str, Any]], place: str = "steps") -> list[Made]:
    """Return the calls that build a block node by node."""
    made: list[Made] = []
    for index, node in enumerate(block):
        blocks = {key: node[key] for key in ("then", "else", "do", "catch") if key in node}
        bare = {key: value for key, value in node.items() if key not in blocks}
        made.append(("add_node", {"block": place, "node": bare}))
        for name, inner in blocks.items():
            made += nodes_of(inner, f"{place}[{index}].{name}")
    return made


def answer(text: str, stop: StopReason = "stop") -> ModelOutput:
    """Return an answer of seven tokens."""
    output = ModelOutput.from_content("scripted", text, stop_reason=stop)
    output.usage = USAGE
    return output


def calls(*made: Made, text: str = "") -> ModelOutput:
    """Return an answer with calls; arguments that are a text cannot be read."""
    listed = [
        ToolCall(
            id=f"c{number}-{function}",
            function=function,
            arguments=given if isinstance(given, dict) else {},
            parse_error=None if isinstance(given, dict) else given,
        )
        for number, (function, given) in enumerate(made)
    ]
    output = ModelOutput.from_message(ChatMessageAssistant(content=text, tool_calls=listed))
    output.usage = USAGE
    return output


def play(name: str, scripts: Mapping[str, Sequence[ModelOutput]]) -> str:
    """Register a model that plays one script after the other, each in one conversation.

    An answer carries the label of its script; what goes beyond a script repeats its last answer.
    Runs one sample at a time.
    """
    order = iter(scripts.items())
    current: list[tuple[str, Sequence[ModelOutput]]] = []

    def answering(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        number = sum(message.role == "assistant" for message in messages)
        if number == 0:
            current[:] = [next(order)]
        label, script = current[0]
        output = script[min(number, len(script) - 1)].model_copy(deep=True)
        output.metadata = {"label": label}
        return output

    PLAYS[name] = answering
    return f"scripted/{name}"


def revising(name: str, scripts: Mapping[str, Sequence[ModelOutput]]) -> str:
    """Register a model that plays one script after the other, each over the rounds of one sample.

    A request that shows a workflow goes on with a script, any other begins the next. What goes
    beyond a script repeats its last answer. Runs one sample at a time.
    """
    order = iter(scripts.items())
    current: list[tuple[str, list[ModelOutput]]] = []

    def answering(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        assert [message.role for message in messages] == ["system", "user"]
        if not current or SHOWN_WORKFLOW not in messages[-1].text:
            label, answers = next(order)
            current[:] = [(label, list(answers))]
        label, left = current[0]
        output = (left.pop(0) if len(left) > 1 else left[0]).model_copy(deep=True)
        output.metadata = {"label": label}
        return output

    PLAYS[name] = answering
    return f"scripted/{name}"


def script(name: str, *answers: ModelOutput) -> str:
    """Register a model that gives the same answers in every conversation, in order."""

    def answering(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        number = sum(message.role == "assistant" for message in messages)
        return answers[min(number, len(answers) - 1)]

    PLAYS[name] = answering
    return f"scripted/{name}"


def run(task: Task, model: str, folder: Path, **options: Any) -> EvalLog:
    """Run a task, one sample at a time."""
    options = {"max_samples": 1, **options}
    (log,) = inspect_eval(
        task, model=model, log_dir=str(folder), display="plain", log_realtime=False, **options
    )
    assert log.status == "success", log.error
    return log


def rows(log: EvalLog) -> dict[str, float]:
    """Return the rows of the scorer `orchestration`."""
    assert log.results is not None
    (found,) = [
        one for one in log.results.scores if one.scorer == "orchestration" and one.reducer is None
    ]
    return {name: one.value for name, one in found.metrics.items()}


def samples(log: EvalLog) -> list[EvalSample]:
    """Return the samples of a log."""
    assert log.samples
    return log.samples


def labels(log: EvalLog) -> Iterator[tuple[str, EvalSample]]:
    """Yield the samples of a played log, each with its script's label."""
    for sample in samples(log):
        assert sample.output.metadata is not None
        yield sample.output.metadata["label"], sample


def scores(sample: EvalSample) -> list[dict[str, Any]]:
    """Return what is said of each execution of a sample."""
    assert sample.scores is not None
    metadata = sample.scores["orchestration"].metadata
    assert metadata is not None
    return list(metadata["variants"])


def model_inputs(log: EvalLog) -> str:
    """Return all that the model was sent in a log: the last request of each sample, with tools."""
    sent: list[str] = []
    for sample in samples(log):
        last = [event for event in sample.events if isinstance(event, ModelEvent)][-1:]
        (event,) = resolve_sample_attachments(
            sample.model_copy(update={"events": last}), "full"
        ).events
        assert isinstance(event, ModelEvent)
        sent += [message.text for message in event.input]
        sent += [tool.model_dump_json() for tool in event.tools]
    assert "Chase overdue invoices" in "".join(sent)
    return "\n".join(sent)
