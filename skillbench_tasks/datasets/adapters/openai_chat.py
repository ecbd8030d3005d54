"""Fine-tuning chat files with tools: JSON Lines of `messages` and `tools`, as OpenAI takes them.

Also read as Hugging Face trainers take them (arguments as an object, tools as a JSON string, calls
and answers without ids) and in Anthropic's form (`system` beside the messages, blocks `tool_use`
and `tool_result`). Nothing is copied; what cannot be read is an error with line and field, and what
is left alone is told in `notes`, by field.
`docs/conversation-format.md` says what becomes of what.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

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

LEFT_ALONE: Final = "field left alone:"
_READ_OF_A_LINE: Final = frozenset({"messages", "tools", "functions", "system"})
_READ: Final = frozenset(
    {"role", "content", "tool_calls", "tool_call_id", "refusal", "weight", "function_call", "audio"}
)
"""Fields of a message that are read, or refused."""

_TOOL_FIELDS: Final = ("name", "description", "input_schema")
_REASONING: Final = ("thinking", "redacted_thinking", "reasoning")
_THOUGHTS: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)

Weight: TypeAlias = Literal[0, 1]


def open_data(path: Path, *, skip: bool = False) -> LineConversations:
    """Open a chat file.

    Args:
        path: The file; gzipped where its name ends in `.gz`.
        skip: Whether broken lines are left out, and told in the source's `notes`.

    Raises:
        DataError: The file is missing, or a line of it is broken.
    """
    return _ChatFile(path, skip=skip)


class _ChatFile(LineConversations):
    """The conversations of a file; they have no ids of their own, so the line number is one."""

    def __init__(self, path: Path, *, skip: bool) -> None:
        self._stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
        self._left: dict[str, set[int]] = {}
        super().__init__(path, self._conversation, skip=skip)
        left = sorted(self._left.items())
        self.notes = (*self.notes, *(f"{what}: {_lines(numbers)}" for what, numbers in left))

    def _conversation(self, line: Line) -> Conversation:
        messages = line.data.get("messages")
        if not isinstance(messages, list) or not messages:
            problem = "missing" if messages is None else "not a list of messages"
            raise line.fault("messages", problem, "give the list of messages")
        tools = _tools(line)
        talk = _Talk(line, frozenset(tool.name for tool in tools))
        talk.left |= {f"{LEFT_ALONE} {name}" for name in line.data.keys() - _READ_OF_A_LINE}
        if line.data.get("system"):
            talk.policy.append(talk.text(line.data["system"], "system"))
        for index, message in enumerate(messages):
            talk.add(index, message)
        for what in talk.left:
            self._left.setdefault(what, set()).add(line.number)
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
    if isinstance(entry, dict) and "input_schema" in entry and "function" not in entry:
        return {name: entry[name] for name in _TOOL_FIELDS if name in entry}
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
    weight: Weight
    with_previous: bool
    result: JsonValue = None
    is_answered: bool = False

    def step(self) -> CalledTool:
        return CalledTool(
            tool=self.name,
            arguments=self.arguments,
            result=self.result,
            weight=self.weight,
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
        self.left: set[str] = set()
        """What of the line was left alone or read in a way that the user should know."""
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
        self.left |= {f"{LEFT_ALONE} messages.{name}" for name in message.keys() - _READ}
        if role == "tool":
            self._answer(message, place)
            return
        if role == "user" and isinstance(message.get("content"), list):
            message = self._answers_apart(message, place)
            if not message["content"]:
                return
        self._close()
        match role:
            case "system" | "developer":
                if self._done:
                    mend = "put it before all other messages"
                    raise self.line.fault(f"{place}.role", f"{role} in the middle", mend)
                self.policy.append(self.text(message.get("content"), f"{place}.content"))
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
        text = self.text(message.get("content"), f"{place}.content")
        if role == "assistant":
            text = self._without_thoughts(text)
        if not text.strip():
            raise self.line.fault(f"{place}.content", "the message is blank", "take it out")
        who: Literal["user", "assistant"] = "user" if role == "user" else "assistant"
        self._done.append(Said(role=who, text=text, weight=self._weight(message, place)))

    def _weight(self, message: dict[str, Any], place: str) -> Weight:
        """Return 0 for an assistant's message that is history only."""
        weight = message.get("weight")
        if weight not in (None, 0, 1):
            raise self.line.fault(f"{place}.weight", f"{weight!r} is no weight", "write 0 or 1")
        if weight == 0 and message.get("role") == "assistant":
            self.left.add("messages of weight 0 are history and no decisions")
            return 0
        return 1

    def _without_thoughts(self, text: str) -> str:
        """Return a text without the reasoning that a model wrote before it."""
        said = _THOUGHTS.sub("", text)
        if said != text:
            self.left.add("reasoning (<think>) is left out of the assistant's messages")
        return said.strip() if said != text else text

    def _act(self, message: dict[str, Any], place: str) -> None:
        """Take an assistant's message: its text first, then its calls."""
        for name in ("function_call", "audio"):
            if message.get(name):
                mend = "write it as tool_calls" if name == "function_call" else "write its text"
                raise self.line.fault(f"{place}.{name}", "not read", mend)
        message, used = self._calls_apart(message)
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            raise self.line.fault(f"{place}.tool_calls", "not a list", "give a list of calls")
        calls = [*calls, *used]
        if calls and isinstance(message.get("content"), str):
            message = {**message, "content": self._without_thoughts(message["content"])}
        has_text = message.get("content") not in (None, "", [])
        if has_text or message.get("refusal"):
            named = message if has_text else {"content": message["refusal"]}
            self._say("assistant", named, place)
        elif not calls:
            raise self.line.fault(f"{place}.content", "neither text nor calls", "take it out")
        for index, call in enumerate(calls):
            self._call(call, f"{place}.tool_calls.{index}", self._weight(message, place))

    def _calls_apart(self, message: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """Return a message with its blocks `tool_use` taken out, and these as calls."""
        content = message.get("content")
        if not isinstance(content, list):
            return message, []
        used = [part for part in content if _kind(part) == "tool_use"]
        thought = {_kind(part) for part in content} & set(_REASONING)
        self.left |= {f"parts of type {kind} are left out" for kind in thought}
        rest = [part for part in content if _kind(part) not in ("tool_use", *_REASONING)]
        calls = [
            {"id": p.get("id"), "function": {"name": p.get("name"), "arguments": p.get("input")}}
            for p in used
        ]
        return {**message, "content": rest}, calls

    def _answers_apart(self, message: dict[str, Any], place: str) -> dict[str, Any]:
        """Take the blocks `tool_result` of a user's message as answers; return the rest of it."""
        rest = []
        for index, part in enumerate(message["content"]):
            if _kind(part) == "tool_result":
                answer = {"tool_call_id": part.get("tool_use_id"), "content": part.get("content")}
                self._answer(answer, f"{place}.content.{index}")
            else:
                rest.append(part)
        return {**message, "content": rest}

    def _call(self, call: object, place: str, weight: Weight) -> None:
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
        is_next = bool(self._open)
        made = _Call(place, identity, str(name), arguments, weight, with_previous=is_next)
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
        answer = self.text(message.get("content"), f"{place}.content")
        call.result, call.is_answered = _result(answer), True

    def text(self, content: object, place: str) -> str:
        """Return a text, or those of a list of parts, each on a line where no blank parts them.

        Raises:
            DataError: It is neither.
        """
        if isinstance(content, str):
            return content
        if not isinstance(content, list):
            raise self.line.fault(place, "no text", "give a text or a list of parts")
        made = ""
        for part in self._parts(content, place):
            is_parted = not made or made[-1].isspace() or part[:1].isspace()
            made += part if is_parted else f"\n{part}"
        return made

    def _parts(self, content: list[Any], place: str) -> Iterator[str]:
        for index, part in enumerate(content):
            kind = _kind(part)
            text = part.get(kind) if kind in ("text", "refusal") else None
            if not isinstance(text, str):
                mend = "only text is read: take the part out"
                raise self.line.fault(f"{place}.{index}", f"a part of type {kind!r}", mend)
            yield text


def _kind(part: object) -> object:
    return part.get("type") if isinstance(part, dict) else None


def _lines(numbers: set[int]) -> str:
    first = min(numbers)
    return f"line {first}" if len(numbers) == 1 else f"{len(numbers)} lines, the first is {first}"


def _result(text: str) -> JsonValue:
    """Return what a tool answered: the value of a JSON text, else the text."""
    try:
        value: JsonValue = json_value(text)
    except ValueError:
        return text
    return value
