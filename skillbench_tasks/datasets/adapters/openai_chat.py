"""Fine-tuning chat files with tools: JSON Lines of `messages` and `tools`, as OpenAI takes them.

Also read as Hugging Face trainers take them: arguments as an object, tools as a JSON string, calls
and answers without ids. Nothing is copied; what cannot be read is an error with line and field.
`docs/conversation-format.md` says what becomes of what.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.datasets.conversation_lines import Line, LineConversations, json_value
from skillbench_tasks.datasets.conversation_tools import tools_from
from skillbench_tasks.models import ScenarioKind
from skillbench_tasks.models.conversation import (
    CalledTool,
    Conversation,
    ConversationTool,
    Said,
    Step,
)

__all__ = ["open_data"]

_FIELDS: Final = {"name": "function.name", "input_schema": "function.parameters"}
"""Fields of a tool of ours → where they stand in the file."""

_NO_PARAMETERS: Final[dict[str, Any]] = {"type": "object", "properties": {}}
_MEND: Final = "see docs/conversation-format.md"


def open_data(path: Path) -> LineConversations:
    """Open a chat file.

    Args:
        path: The file; gzipped where its name ends in `.gz`.

    Raises:
        DataError: The file is missing, or a line of it is broken.
    """
    return _ChatFile(path)


class _ChatFile(LineConversations):
    """The conversations of a file; they have no ids of their own, so the line number is one."""

    def __init__(self, path: Path) -> None:
        self._stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
        self._unweighted: set[int] = set()
        super().__init__(path, self._conversation)
        if self._unweighted:
            self.notes = (
                "messages of weight 0 count as decisions like all others: lines with such "
                f"messages: {len(self._unweighted)}, the first is line {min(self._unweighted)}",
            )

    def _conversation(self, line: Line) -> Conversation:
        messages = line.data.get("messages")
        if not isinstance(messages, list) or not messages:
            problem = "missing" if messages is None else "not a list of messages"
            raise line.fault("messages", problem, "give the list of messages")
        if any(isinstance(one, dict) and one.get("weight") == 0 for one in messages):
            self._unweighted.add(line.number)
        tools = _tools(line)
        talk = _Talk(line, frozenset(tool.name for tool in tools))
        for index, message in enumerate(messages):
            talk.add(index, message)
        name = f"{self._stem}-{line.number}"
        return Conversation(
            id=name,
            workflow=self._stem,
            kind=str(ScenarioKind.UNCLASSIFIED),
            user=name,
            policy=sys.intern("\n\n".join(talk.policy)),
            tools=tools,
            steps=talk.steps(),
        )


def _tools(line: Line) -> tuple[ConversationTool, ...]:
    if line.data.get("functions"):
        raise line.fault("functions", "no longer read", "write them as tools")
    entries = line.data.get("tools")
    if isinstance(entries, str):  # as trainers keep them in tables
        try:
            entries = json_value(entries)
        except ValueError as error:
            raise line.fault("tools", str(error), "mend the JSON") from None
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise line.fault("tools", "not a list", "give a list of tools")
    found = [_tool(entry, line, f"tools.{index}") for index, entry in enumerate(entries)]
    return tools_from(found, line, names=_FIELDS)


def _tool(entry: object, line: Line, place: str) -> dict[str, Any]:
    if not isinstance(entry, dict) or entry.get("type", "function") != "function":
        raise line.fault(place, "not a function", "take it out: only functions are read")
    function = entry.get("function")
    if not isinstance(function, dict):
        raise line.fault(f"{place}.function", "not an object", "give name and parameters")
    if "name" not in function:
        raise line.fault(f"{place}.function.name", "missing", "add it")
    schema = function.get("parameters") or _NO_PARAMETERS
    description = function.get("description") or ""
    return {"name": function["name"], "description": description, "input_schema": schema}


@dataclass
class _Call:
    """A call whose answer may be still to come."""

    place: str
    identity: str | None
    name: str
    arguments: dict[str, JsonValue]
    with_previous: bool
    result: JsonValue = None
    is_answered: bool = False

    def step(self) -> CalledTool:
        return CalledTool(
            tool=self.name,
            arguments=self.arguments,
            result=self.result,
            with_previous=self.with_previous,
        )


class _Talk:
    """The steps of one line's messages.

    Args:
        line: The line.
        offered: Names of its tools.
    """

    def __init__(self, line: Line, offered: frozenset[str]) -> None:
        self.line, self.offered = line, offered
        self.policy: list[str] = []
        self._done: list[Step | _Call] = []
        self._open: list[_Call] = []

    def add(self, index: int, message: object) -> None:
        """Take the next message.

        Raises:
            DataError: It cannot be read.
        """
        place = f"messages.{index}"
        if not isinstance(message, dict):
            raise self.line.fault(place, "not an object", _MEND)
        role = message.get("role")
        if role == "tool":
            self._answer(message, place)
            return
        self._close()
        match role:
            case "system" | "developer":
                if self._done:
                    mend = "put it before all other messages"
                    raise self.line.fault(f"{place}.role", f"{role} in the middle", mend)
                self.policy.append(self._text(message, place))
            case "user":
                self._say("user", message, place)
            case "assistant":
                self._act(message, place)
            case _:
                mend = "write system, developer, user, assistant or tool"
                raise self.line.fault(f"{place}.role", f"{role!r} is no role", mend)

    def steps(self) -> tuple[Step, ...]:
        """Return all steps; calls at the very end may be without an answer.

        Raises:
            DataError: Nothing is the assistant's.
        """
        made = tuple(one.step() if isinstance(one, _Call) else one for one in self._done)
        if all(isinstance(step, Said) and step.role == "user" for step in made):
            raise self.line.fault("messages", "no message is the assistant's", "take the line out")
        return made

    def _close(self) -> None:
        """Refuse a call of the message before whose answer is missing."""
        for call in self._open:
            if not call.is_answered:
                mend = "add a tool message with its id right after the calls"
                raise self.line.fault(call.place, "the call has no answer", mend)
        self._open = []

    def _say(self, role: str, message: dict[str, Any], place: str) -> None:
        text = self._text(message, place)
        if not text.strip():
            raise self.line.fault(f"{place}.content", "the message is blank", "take it out")
        self._done.append(Said(role="user" if role == "user" else "assistant", text=text))

    def _act(self, message: dict[str, Any], place: str) -> None:
        """Take an assistant's message: its text first, then its calls."""
        for name in ("function_call", "audio"):
            if message.get(name):
                mend = "write it as tool_calls" if name == "function_call" else "write its text"
                raise self.line.fault(f"{place}.{name}", "not read", mend)
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            raise self.line.fault(f"{place}.tool_calls", "not a list", "give a list of calls")
        has_text = message.get("content") not in (None, "", [])
        if has_text or message.get("refusal"):
            named = message if has_text else {"content": message["refusal"]}
            self._say("assistant", named, place)
        elif not calls:
            raise self.line.fault(f"{place}.content", "neither text nor calls", "take it out")
        for index, call in enumerate(calls):
            self._call(call, f"{place}.tool_calls.{index}")

    def _call(self, call: object, place: str) -> None:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(function, dict):
            mend = 'write {"id": …, "type": "function", "function": {"name": …, "arguments": …}}'
            raise self.line.fault(place, "not a call of a function", mend)
        name = function.get("name")
        if name not in self.offered:
            mend = "add it to the line's tools, or mend the name"
            problem = f"{name!r} is not among the tools"
            raise self.line.fault(f"{place}.function.name", problem, mend)
        identity = call.get("id")
        if identity is not None and any(identity == other.identity for other in self._open):
            raise self.line.fault(f"{place}.id", f"{identity!r} stands twice", "keep one")
        arguments = self._arguments(function.get("arguments"), f"{place}.function.arguments")
        made = _Call(place, identity, str(name), arguments, with_previous=bool(self._open))
        self._done.append(made)
        self._open.append(made)

    def _arguments(self, given: object, place: str) -> dict[str, JsonValue]:
        if isinstance(given, str):
            try:
                given = json_value(given)
            except ValueError as error:
                raise self.line.fault(place, str(error), "write a JSON object") from None
        if not isinstance(given, dict):
            raise self.line.fault(place, "not an object", "write a JSON object, {} for none")
        return given

    def _answer(self, message: dict[str, Any], place: str) -> None:
        identity = message.get("tool_call_id")
        call = next((c for c in self._open if not c.is_answered and c.identity == identity), None)
        if call is None and identity is None:
            call = next((c for c in self._open if not c.is_answered), None)
        if call is None:
            problem = f"{identity!r} is no open call of the message before"
            raise self.line.fault(f"{place}.tool_call_id", problem, "mend the id or the order")
        call.result, call.is_answered = _result(self._text(message, place)), True

    def _text(self, message: dict[str, Any], place: str) -> str:
        content = message.get("content")
        if isinstance(content, str):
            return content
        if content is None or not isinstance(content, list):
            raise self.line.fault(f"{place}.content", "no text", "give a text or a list of parts")
        return "".join(self._parts(content, f"{place}.content"))

    def _parts(self, content: list[Any], place: str) -> Iterator[str]:
        for index, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else None
            text = part.get(kind) if kind in ("text", "refusal") else None
            if not isinstance(text, str):
                mend = "only text is read: take the part out"
                raise self.line.fault(f"{place}.{index}", f"a part of type {kind!r}", mend)
            yield text


def _result(text: str) -> JsonValue:
    """Return what a tool answered: the value of a JSON text, else the text."""
    try:
        value: JsonValue = json_value(text)
    except ValueError:
        return text
    return value
