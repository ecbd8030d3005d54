"""Fine-tuning chat files: what becomes of each kind of message, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillbench_tasks.datasets.conversations import ConversationSource, open_conversations
from skillbench_tasks.errors import DataError
from skillbench_tasks.models.conversation import CalledTool, Said, Step

TOOL = {
    "type": "function",
    "function": {
        "name": "find_parcel",
        "description": "Find a parcel.",
        "parameters": {"type": "object", "properties": {"number": {"type": "string"}}},
        "strict": True,
    },
}
CLOCK = {"type": "function", "function": {"name": "clock"}}


def _call(identity: str | None, name: str, arguments: object) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return call if identity is None else {"id": identity, **call}


def _open(folder: Path, *lines: dict[str, Any]) -> ConversationSource:
    path = folder / "chat.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return open_conversations(f"openai:{path}")


def _user(text: object) -> dict[str, Any]:
    return {"role": "user", "content": text}


def _steps(folder: Path, *messages: dict[str, Any], **more: Any) -> tuple[Step, ...]:
    source = _open(folder, {"messages": list(messages), "tools": [TOOL, CLOCK], **more})
    return source.conversation("chat-1").steps


def test_line_becomes_a_conversation(tmp_path: Path) -> None:
    line = {
        "messages": [
            {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello", "name": "ann"},
            {"role": "assistant", "content": "Hi."},
        ],
        "tools": [TOOL, CLOCK],
        "parallel_tool_calls": False,
    }
    plain = {"messages": [_user("Bye"), {"role": "assistant", "refusal": "No."}]}
    first, second = _open(tmp_path, line, plain).conversations()
    assert (first.id, first.user, first.workflow, first.kind) == (
        "chat-1",
        "chat-1",
        "chat",
        "unclassified",
    )
    assert first.policy == "Be kind.\n\nBe brief."
    assert [(tool.name, tool.description) for tool in first.tools] == [
        ("find_parcel", "Find a parcel."),
        ("clock", ""),
    ]
    assert first.tools[1].input_schema == {"type": "object", "properties": {}}
    assert first.steps == (
        Said(role="user", text="Hello"),
        Said(role="assistant", text="Hi."),
    )
    assert (second.policy, second.tools, second.steps[1]) == (
        "",
        (),
        Said(role="assistant", text="No."),
    )


def test_parallel_calls_stand_in_order_each_with_the_answer_of_its_id(tmp_path: Path) -> None:
    steps = _steps(
        tmp_path,
        _user([{"type": "text", "text": "Parcels "}, {"type": "text", "text": "1 and 2?"}]),
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                _call("a", "find_parcel", '{"number": "1"}'),
                _call("b", "find_parcel", '{"number": "2"}'),
                _call("c", "clock", "{}"),
            ],
        },
        {"role": "tool", "tool_call_id": "b", "content": '{"at": "depot"}'},
        {"role": "tool", "tool_call_id": "c", "content": "noon"},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "[1.5]"}]},
        {"role": "assistant", "content": None, "tool_calls": [_call("a", "clock", "{}")]},
    )
    assert steps == (
        Said(role="user", text="Parcels 1 and 2?"),
        Said(role="assistant", text="I look."),
        CalledTool(tool="find_parcel", arguments={"number": "1"}, result=[1.5]),
        CalledTool(
            tool="find_parcel",
            arguments={"number": "2"},
            result={"at": "depot"},
            with_previous=True,
        ),
        CalledTool(tool="clock", arguments={}, result="noon", with_previous=True),
        CalledTool(tool="clock", arguments={}),  # the id is free again; the last call may be open
    )


def test_line_as_trainers_write_it_reads_the_same(tmp_path: Path) -> None:
    steps = _steps(
        tmp_path,
        _user("Now?"),
        {"role": "assistant", "tool_calls": [_call(None, "clock", {}), _call(None, "clock", {})]},
        {"role": "tool", "name": "clock", "content": "1"},
        {"role": "tool", "name": "clock", "content": "2"},
        {"role": "assistant", "content": "One or two."},
        tools=json.dumps([CLOCK]),
    )
    assert [step.result for step in steps if isinstance(step, CalledTool)] == [1, 2]


def test_messages_of_weight_0_are_history_and_no_decisions_b6(tmp_path: Path) -> None:
    messages = [
        _user("Hello"),
        {"role": "assistant", "content": "Hm.", "weight": 0},
        _user("Hello?"),
        {"role": "assistant", "content": "Hi.", "weight": 1},
    ]
    source = _open(tmp_path, {"messages": messages[2:]}, {"messages": messages})
    conversation = source.conversation("chat-2")
    assert [(d.number, conversation.steps[d.step]) for d in conversation.decisions] == [
        (1, Said(role="assistant", text="Hi."))
    ]
    assert len(conversation.steps) == 4
    assert source.notes == ("messages of weight 0 are history and no decisions: line 2",)


def test_system_beside_the_messages_is_policy_b6(tmp_path: Path) -> None:
    line = {"system": "Be brief.", "messages": [_user("Hello"), ANSWER]}
    parts = {**line, "system": [{"type": "text", "text": "Be"}, {"type": "text", "text": "brief."}]}
    source = _open(tmp_path, line, parts)
    policies = [source.conversation(one).policy for one in source.ids()]
    assert policies == ["Be brief.", "Be\nbrief."]
    assert source.notes == ()


def test_blocks_of_anthropic_are_calls_and_results_b6(tmp_path: Path) -> None:
    tool = {"name": "clock", "description": "Now.", "input_schema": {"type": "object"}}
    use = {"type": "tool_use", "id": "t1", "name": "clock", "input": {"zone": "UTC"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [{"type": "text", "text": "9"}],
    }
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Time?"}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "Nine."}]},
    ]
    source = _open(tmp_path, {"system": "Be brief.", "tools": [tool], "messages": messages})
    assert source.conversation("chat-1").steps == (
        Said(role="user", text="Time?"),
        CalledTool(tool="clock", arguments={"zone": "UTC"}, result=9),
        Said(role="assistant", text="Nine."),
    )


@pytest.mark.parametrize(
    "text",
    ["<think>Is it? Yes.</think>\n\nHi.", "<thinking>a</thinking>Hi.", "Hi.<think>and then"],
)
def test_reasoning_in_gold_is_left_out_and_noted_b6(tmp_path: Path, text: str) -> None:
    source = _open(tmp_path, {"messages": [_user("Hello"), {"role": "assistant", "content": text}]})
    assert source.conversation("chat-1").steps[1] == Said(role="assistant", text="Hi.")
    assert source.notes == ("reasoning (<think>) is left out of the assistant's messages: line 1",)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["Two", "parts"], "Two\nparts"),
        (["Two ", "parts"], "Two parts"),
        (["Two", "\nparts"], "Two\nparts"),
        (["One"], "One"),
    ],
)
def test_parts_of_a_message_are_parted_b6(tmp_path: Path, parts: list[str], text: str) -> None:
    content = [{"type": "text", "text": part} for part in parts]
    source = _open(tmp_path, {"messages": [{"role": "user", "content": content}, ANSWER]})
    assert source.conversation("chat-1").steps[0] == Said(role="user", text=text)


def test_every_field_that_is_left_alone_is_noted_b6(tmp_path: Path) -> None:
    named = {**ANSWER, "name": "Bo", "reasoning_content": "Hm."}
    lines = [{"messages": [_user("a"), named], "source": "x"} for _ in range(3)]
    source = _open(tmp_path, {"messages": [_user("a"), ANSWER]}, *lines)
    assert source.notes == (
        "field left alone: messages.name: 3 lines, the first is 2",
        "field left alone: messages.reasoning_content: 3 lines, the first is 2",
        "field left alone: source: 3 lines, the first is 2",
    )


def test_broken_lines_are_counted_and_left_out_on_request_b6(tmp_path: Path) -> None:
    good: dict[str, Any] = {"messages": [_user("a"), ANSWER]}
    path = tmp_path / "chat.jsonl"
    lines = [json.dumps(good), "{", json.dumps({"messages": []}), json.dumps(good)]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataError, match=r"chat\.jsonl:2: .*lines at fault: 2 of 4; skip: before"):
        open_conversations(f"openai:{path}")
    source = open_conversations(f"skip:openai:{path}")
    assert source.ids() == ("chat-1", "chat-4")
    assert source.notes[0] == "lines left out because they are broken: 2 of 4"
    assert ["chat.jsonl:2" in source.notes[1], "chat.jsonl:3" in source.notes[2]] == [True, True]


ANSWER = {"role": "assistant", "content": "Hi."}
CALL = {"role": "assistant", "tool_calls": [_call("a", "clock", "{}")]}


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        pytest.param(None, "messages: missing; give the list of messages", id="no messages"),
        pytest.param("x", "messages: not a list of messages; give", id="messages of text"),
        pytest.param(["x"], "messages.0: not an object; see", id="message of text"),
        pytest.param(
            [_user("a"), {"role": "system", "content": "x"}, ANSWER],
            "messages.1.role: system in the middle; put it before all other messages",
            id="late system",
        ),
        pytest.param(
            [{"role": "function", "content": "x"}],
            "messages.0.role: 'function' is no role; write system, developer, user,",
            id="role",
        ),
        pytest.param([_user("a")], "messages: no message is the assistant's; take", id="no answer"),
        pytest.param(
            [_user(""), ANSWER], "messages.0.content: the message is blank; take", id="blank"
        ),
        pytest.param(
            [_user(None), ANSWER], "messages.0.content: no text; give a text or a", id="null"
        ),
        pytest.param(
            [_user([{"type": "image_url", "image_url": {"url": "u"}}]), ANSWER],
            "messages.0.content.0: a part of type 'image_url'; only text is read: take",
            id="picture",
        ),
        pytest.param(
            [_user("a"), {"role": "assistant", "content": None}],
            "messages.1.content: neither text nor calls; take it out",
            id="empty answer",
        ),
        pytest.param(
            [_user("a"), {"role": "assistant", "function_call": {"name": "clock"}}],
            "messages.1.function_call: not read; write it as tool_calls",
            id="function call",
        ),
        pytest.param(
            [_user("a"), {"role": "assistant", "tool_calls": [{"id": "a"}]}],
            'messages.1.tool_calls.0: not a call of a function; write {"id": …',
            id="call of nothing",
        ),
        pytest.param(
            [{"role": "assistant", "tool_calls": [_call("a", "cluck", "{}")]}],
            "messages.0.tool_calls.0.function.name: 'cluck' is not among the tools; add",
            id="tool not offered",
        ),
        pytest.param(
            [{"role": "assistant", "tool_calls": [_call("a", "clock", '{"a": ')]}],
            "messages.0.tool_calls.0.function.arguments: no JSON: expecting value; write a JSON",
            id="arguments cut off",
        ),
        pytest.param(
            [{"role": "assistant", "tool_calls": [_call("a", "clock", "[]")]}],
            "messages.0.tool_calls.0.function.arguments: not an object; write a JSON object, {}",
            id="arguments of a list",
        ),
        pytest.param(
            [{"role": "assistant", "tool_calls": [_call("a", "clock", "{}")] * 2}],
            "messages.0.tool_calls.1.id: 'a' stands twice; keep one",
            id="id twice",
        ),
        pytest.param(
            [CALL, ANSWER],
            "messages.0.tool_calls.0: the call has no answer; add a tool message with its id",
            id="no result",
        ),
        pytest.param(
            [CALL, {"role": "tool", "tool_call_id": "b", "content": "1"}],
            "messages.1.tool_call_id: 'b' is no open call of the message before; mend",
            id="result of nothing",
        ),
        pytest.param(
            [CALL, *[{"role": "tool", "tool_call_id": "a", "content": "1"}] * 2],
            "messages.2.tool_call_id: 'a' is no open call of the message before; mend",
            id="result twice",
        ),
    ],
)
def test_messages_that_cannot_be_read_are_told(
    tmp_path: Path, messages: object, message: str
) -> None:
    line: dict[str, Any] = {"tools": [CLOCK]}
    if messages is not None:
        line["messages"] = messages
    with pytest.raises(DataError) as caught:
        _open(tmp_path, {"messages": [ANSWER]}, line)
    assert f"chat.jsonl:2: {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        pytest.param(None, "messages.0.tool_calls.0.function.name: 'clock' is not", id="missing"),
        pytest.param({}, "tools: not a list; give a list of tools", id="no list"),
        pytest.param("[", "tools: no JSON: expecting value; mend the JSON", id="broken text"),
        pytest.param(
            [{"type": "web_search"}], "tools.0: not a function; take it out", id="no function"
        ),
        pytest.param(
            [{"type": "function"}], "tools.0.function: not an object; give name", id="empty"
        ),
        pytest.param(
            [{"function": {}}], "tools.0.function.name: missing; add it", id="without a name"
        ),
        pytest.param(
            [{"function": {"name": "a b"}}],
            "tools.0.function.name: string should match pattern",
            id="name",
        ),
        pytest.param(
            [{"function": {"name": "a", "parameters": {"type": "x"}}}],
            "tools.0.function.parameters.type: no JSON Schema: 'x' is not valid",
            id="schema",
        ),
        pytest.param([CLOCK, CLOCK], "tools.1.function.name: 'clock' stands twice", id="twice"),
    ],
)
def test_tools_that_cannot_be_read_are_told(tmp_path: Path, tools: object, message: str) -> None:
    line = {"messages": [CALL], **({} if tools is None else {"tools": tools})}
    with pytest.raises(DataError) as caught:
        _open(tmp_path, line)
    assert f"chat.jsonl:1: {message}" in str(caught.value)


def test_deprecated_functions_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="functions: no longer read; write them as tools"):
        _open(tmp_path, {"messages": [ANSWER], "functions": [{"name": "clock"}]})
