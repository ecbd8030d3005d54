"""Single decisions and replays on the wire: what providers refuse, and what a model must not read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from inspect_ai import task_with
from inspect_ai.log import EvalLog

from skillbench_tasks.closed_loop import closed_loop
from skillbench_tasks.gold_history import gold_history
from tests.wire.neutral import Asked, Call, Play, Reply
from tests.wire.server import WIRES, Seen, StubServer
from tests.wire.suite import run_together

KIND = "out_of_scope"
SCHEMA = {"type": "object", "properties": {"room": {"type": "string"}}}
ODD: Mapping[
    str, Any
] = {  # the assistant begins, speaks twice, goes on after a text, ends by a call
    "id": f"a-lamp-that-is-nobodys-business.{KIND}.ü",
    "workflow": "lamp",
    "kind": KIND,
    "user": "ann",
    "policy": "",
    "tools": [{"name": name, "input_schema": SCHEMA} for name in ("look", "switch")],
    "steps": [
        {"step": "said", "role": "assistant", "text": "Welcome."},
        {"step": "said", "role": "assistant", "text": "How can I help?"},
        {"step": "said", "role": "user", "text": "Light, please. \U0001f4a1"},
        {"step": "said", "role": "user", "text": "Quick!"},
        {"step": "said", "role": "assistant", "text": "One moment."},
        {"step": "called", "tool": "look", "arguments": {}, "result": None},
        {"step": "called", "tool": "switch", "arguments": {}, "result": {"on": True}},
        {"step": "said", "role": "assistant", "text": "It is on."},
        {"step": "said", "role": "user", "text": "And off."},
        {"step": "called", "tool": "switch", "arguments": {}, "result": {"on": False}},
    ],
}
REPLIES = (
    Reply(text="Hello!"), Reply(text="Let me see."), Reply(calls=(Call("look", {}),)),
    Reply(calls=(Call("switch", {}),)), Reply(text="Lit."), Reply(calls=(Call("switch", {}),)),
)  # fmt: skip
SDKS = ("openai_chat", "anthropic", "google")
every_wire = pytest.mark.parametrize("wire", SDKS)


def _agent(asked: Asked) -> Reply:
    return REPLIES[asked.replies_so_far % len(REPLIES)]


@pytest.fixture(scope="module")
def logs(stub: StubServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, EvalLog]:
    """Both tasks over three SDKs."""
    folder = tmp_path_factory.mktemp("next-turn")
    file = folder / "odd.jsonl"
    file.write_text(json.dumps(ODD) + "\n", "utf-8")
    tasks = {}
    for name in SDKS:
        wire = WIRES[name]
        for task in (gold_history, closed_loop):
            role = task.__name__.replace("_", "-")
            play: Play = _agent
            stub.plays[wire.bare(role)] = play
            made = task(dataset=str(file))
            tasks[f"{name} {role}"] = task_with(made, model=wire.name(role))
    return run_together(tasks, folder / "logs")


def _seen(stub: StubServer, wire: str) -> list[Seen]:
    return [
        one
        for role in ("gold-history", "closed-loop")
        for one in stub.seen(WIRES[wire].bare(role))
        if "hello, world" not in one.text  # Inspect's own probe
    ]


@every_wire
def test_odd_conversation_runs_and_is_completed(logs: dict[str, EvalLog], wire: str) -> None:
    turns, replay = logs[f"{wire} gold-history"], logs[f"{wire} closed-loop"]
    assert [(one.status, one.error) for one in (turns, replay)] == [("success", None)] * 2
    assert replay.samples is not None and replay.samples[0].scores is not None
    assert replay.samples[0].scores["workflow"].value == {
        "completion": 1.0,
        "completion_first_try": 1.0,
        "completion_any_wording": 1.0,
    }


@every_wire
def test_user_speaks_first_and_the_assistant_never_last(
    logs: dict[str, EvalLog], stub: StubServer, wire: str
) -> None:
    seen = _seen(stub, wire)
    assert len(seen) == 7 + len(REPLIES)
    for one in seen:
        roles = [message.role for message in one.asked.messages if message.role != "system"]
        assert roles[0] == "user"
        assert roles[-1] in ("user", "tool")


@every_wire
def test_request_tells_nothing_of_the_case(
    logs: dict[str, EvalLog], stub: StubServer, wire: str
) -> None:
    for one in _seen(stub, wire):
        assert KIND not in one.text
        assert "nobodys-business" not in one.text
        assert '"ann"' not in one.text


@every_wire
def test_ids_of_calls_are_such_as_every_provider_takes(
    logs: dict[str, EvalLog], stub: StubServer, wire: str
) -> None:
    ids = [
        call.id
        for one in stub.seen(WIRES[wire].bare("gold-history"))
        for message in one.asked.messages
        for call in message.calls
    ]
    if wire != "google":  # its calls have no ids
        assert ids
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", one) for one in ids if one)
