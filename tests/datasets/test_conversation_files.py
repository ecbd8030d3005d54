"""Our own format of conversations: reading, writing, faults, and the page that describes it."""

from __future__ import annotations

import copy
import gc
import gzip
import json
import re
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillbench_tasks.datasets.conversation_files import (
    conversation_line,
    conversation_schema,
    open_data,
    write_conversations,
)
from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.errors import DataError
from skillbench_tasks.models import CallError
from skillbench_tasks.models.conversation import (
    CalledTool,
    Conversation,
    ConversationTool,
    Said,
)
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "conversation-format.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
GOOD: dict[str, Any] = json.loads(BLOCKS[0])


def _file(folder: Path, *lines: object) -> Path:
    path = folder / "mine.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def _numbered(count: int) -> list[dict[str, Any]]:
    return [{**GOOD, "id": f"parcel-{number}"} for number in range(count)]


def test_example_of_the_page_reads_as_it_says(tmp_path: Path) -> None:
    source = open_conversations(str(_file(tmp_path, GOOD)))
    conversation = source.conversation("parcel-17")
    assert source.ids() == ("parcel-17",)
    assert json.loads(conversation_line(conversation)) == GOOD
    assert [decision.id for decision in conversation.decisions] == ["parcel-17#0", "parcel-17#1"]
    assert conversation.steps[1] == CalledTool(
        tool="find_parcel", arguments={"number": "123"}, result={"at": "depot"}
    )


def test_written_conversations_read_back_equal(tmp_path: Path) -> None:
    error = CallError(code="unavailable", message="Später, bitte.", retryable=True)
    odd = Conversation(
        id="odd",
        workflow="w",
        kind="k",
        user="u",
        policy="",
        tools=(ConversationTool(name="t", input_schema={"type": "object"}),),
        steps=(
            CalledTool(tool="t", arguments={"a": None, "b": [1, 2.5, {"c": True}]}),
            CalledTool(tool="t", arguments={}, error=error),
            CalledTool(tool="t", arguments={}, result=[]),
            Said(role="assistant", text="“Ja”\u2028\n{}"),
        ),
    )
    all_of_them = [*open_conversations().conversations(), odd]
    path = tmp_path / "written.jsonl"
    assert write_conversations(path, all_of_them) == len(all_of_them)
    assert list(open_data(path).conversations()) == all_of_them


def test_gzip_byte_order_mark_and_blank_lines_make_no_difference(tmp_path: Path) -> None:
    path = tmp_path / "packed.jsonl.gz"
    text = "\ufeff" + "\n\n".join(json.dumps(line) for line in _numbered(3)) + "\r\n \n"
    path.write_bytes(gzip.compress(text.encode()))
    source = open_data(path)
    assert (source.name, source.ids()) == ("packed", ("parcel-0", "parcel-1", "parcel-2"))


def test_conversations_share_equal_tools_and_policies(tmp_path: Path) -> None:
    first, second = open_data(_file(tmp_path, *_numbered(2))).conversations()
    assert first.tools[0] is second.tools[0]
    assert first.policy is second.policy


def test_few_conversations_of_a_large_file_are_in_memory(tmp_path: Path) -> None:
    source = open_data(_file(tmp_path, *_numbered(300)))
    seen = [weakref.ref(conversation) for conversation in source.conversations()]
    gc.collect()
    assert sum(one() is not None for one in seen) <= 64
    kept = source.conversation("parcel-7")
    assert source.conversation("parcel-7") is kept  # decisions of one conversation share it


def test_file_that_changes_after_opening_does_no_harm(tmp_path: Path) -> None:
    path = _file(tmp_path, *_numbered(2))
    source = open_data(path)
    path.write_text("gone", encoding="utf-8")
    assert source.conversation("parcel-1").id == "parcel-1"


def _with(*place: Any, value: Any = ...) -> Callable[[dict[str, Any]], None]:
    """A change of the good line: one place set, or taken out."""

    def change(line: dict[str, Any]) -> None:
        at: Any = line
        for part in place[:-1]:
            at = at[part]
        if value is ...:
            del at[place[-1]]
        else:
            at[place[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(_with("kind"), "kind: missing; add it", id="missing field"),
        pytest.param(
            _with("intent", value="x"), "intent: no such field; take it out", id="unknown field"
        ),
        pytest.param(
            _with("steps", 2, "result", value=1),
            "steps.2.result: no such field; take it out",
            id="result of a message",
        ),
        pytest.param(
            _with("steps", 0, "step"),
            'steps.0.step: neither "said" nor "called"; write one of the two',
            id="step without its kind",
        ),
        pytest.param(
            _with("steps", 0, "role", value="agent"),
            "steps.0.role: input should be 'user' or 'assistant'; see docs/conversation-format.md",
            id="role",
        ),
        pytest.param(
            _with("steps", 2, "text", value=" \n"),
            "steps.2.text: the message is blank; take the step out",
            id="blank message",
        ),
        pytest.param(
            _with("steps", 1, "tool", value="find"),
            "steps.1.tool: 'find' is not among the tools; add it to tools, or mend the name",
            id="tool not offered",
        ),
        pytest.param(
            _with("steps", 1, "arguments"), "steps.1.arguments: missing; add it", id="no arguments"
        ),
        pytest.param(
            _with("steps", 1, "arguments", value='{"number": 1}'),
            "steps.1.arguments: input should be a valid dictionary; see docs/conversation-format.md",
            id="arguments as text",
        ),
        pytest.param(
            _with("steps", 1, "error", value={"code": "c", "message": "m", "retryable": False}),
            "steps.1: a result and an error; keep one of them",
            id="result and error",
        ),
        pytest.param(
            _with("steps", value=[GOOD["steps"][0]]),
            "steps: no step is the assistant's; a conversation needs a message or a call of the "
            "assistant",
            id="no decision",
        ),
        pytest.param(
            _with("tools", value=[GOOD["tools"][0]] * 2),
            "tools.1.name: 'find_parcel' stands twice; keep one",
            id="tool twice",
        ),
        pytest.param(
            _with("tools", 0, "name", value="a.b"),
            "tools.0.name: string should match pattern '^[a-zA-Z0-9_-]{1,64}$'; "
            "see docs/conversation-format.md",
            id="name of a tool",
        ),
        pytest.param(
            _with("tools", 0, "input_schema", "type", value="array"),
            "tools.0.input_schema: not the schema of an object; "
            'write {"type": "object", "properties": …}',
            id="schema of no object",
        ),
        pytest.param(
            _with("tools", 0, "input_schema", "properties", "number", "type", value="text"),
            "tools.0.input_schema.properties.number.type: no JSON Schema: 'text' is not valid under "
            "any of the given schemas; see docs/conversation-format.md",
            id="broken schema",
        ),
        pytest.param(
            _with("tools", value={}), "tools: not a list; give a list of tools", id="tools"
        ),
        pytest.param(
            _with("id", value="parcel-0"),
            "id: 'parcel-0' stands on line 1 too; give every conversation an id of its own",
            id="id twice",
        ),
    ],
)
def test_broken_line_is_told_with_line_field_and_mend(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    line = copy.deepcopy(GOOD)
    change(line)
    path = _file(tmp_path, {**GOOD, "id": "parcel-0"}, "", line)
    with pytest.raises(DataError) as caught:
        open_data(path)
    assert str(caught.value) == (
        f"{'/'.join(path.parts[-3:])}:3: {message} "
        "(lines at fault: 1 of 2; skip: before the file's name leaves them out)"
    )


ONE_EACH = "write one JSON object on each line"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('{"id": ', f":1: no JSON: expecting value; {ONE_EACH}", id="cut off"),
        pytest.param("[\n1\n]", f":1: no JSON: expecting value; {ONE_EACH}", id="indented list"),
        pytest.param("[1]", f":1: a list, not an object; {ONE_EACH}", id="list"),
        pytest.param(
            '{"a": 1, "a": 1}', f":1: the key 'a' stands twice; {ONE_EACH}", id="key twice"
        ),
        pytest.param('{"a": NaN}', f":1: NaN is no JSON number; {ONE_EACH}", id="NaN"),
        pytest.param('{"a": 1e999}', f":1: 1e999 is too large a number; {ONE_EACH}", id="infinite"),
        pytest.param(
            '{"a": "\\ud83d"}',
            f":1: half of a surrogate pair in a text; {ONE_EACH}",
            id="half a character",
        ),
        pytest.param(
            '{"a": ' + "[" * 100_000, f":1: nested too deeply; {ONE_EACH}", id="deep nesting"
        ),
        pytest.param(
            "\n\n", ": no conversation in it; see docs/conversation-format.md", id="empty file"
        ),
        pytest.param("{}", ":1: id: missing; add it", id="empty object"),
    ],
)
def test_text_that_is_no_conversation_is_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        open_data(_file(tmp_path, text))
    assert str(caught.value).endswith(f"mine.jsonl{message}")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        pytest.param("a.jsonl", b'\n{"a": "\xff"}', "a.jsonl:2: not UTF-8: ", id="encoding"),
        pytest.param("a.jsonl.gz", b"plain", "a.jsonl.gz: cannot be read: ", id="no gzip"),
        pytest.param(
            "a.jsonl.gz", gzip.compress(b"{}" * 99)[:-9], "gz: cannot be read: ", id="cut off"
        ),
    ],
)
def test_unreadable_file_is_told(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=re.escape(message)):
        open_data(tmp_path / name)


def test_schema_of_the_page_is_the_models() -> None:
    assert json.loads(BLOCKS[1]) == conversation_schema()


def test_page_has_a_row_for_every_field_and_for_no_other() -> None:
    schema = conversation_schema()
    known = {*schema["properties"]}
    for name in ("ConversationTool", "Said", "CalledTool"):
        known |= schema["$defs"][name]["properties"].keys()
    section = PAGE.split("## One conversation on each line")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == known


def test_line_of_a_conversation_fits_the_schema_of_the_page() -> None:
    validator = Draft202012Validator(json.loads(BLOCKS[1]))
    for conversation in open_conversations().conversations():
        validator.validate(json.loads(conversation_line(conversation)))
