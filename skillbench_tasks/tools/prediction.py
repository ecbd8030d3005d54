"""What a model's output for one decision is taken for: a text, a call, or nothing.

| output | read as | flags |
| --- | --- | --- |
| text | the text | |
| one call | the call | |
| several calls | the first, and not exact, where one was due; all where a set was | `several_calls` |
| text and a call | the call; the text counts where a text was due | `text_beside_call` |
| a call written as text | the text; nothing is carried out | `call_as_text` |
| arguments that are no JSON object | a call of that function without usable arguments | `malformed_arguments` |
| reasoning alone | nothing | `reasoning_only` |
| nothing at all, or blanks | nothing | `empty` |

Reasoning (`<think>…</think>`, with a missing begin or end too) is never part of the text.
"""  # noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, Literal, Protocol

from pydantic import JsonValue

from skillbench_tasks.json_text import DEPTH_MAX, find_json_objects
from skillbench_tasks.models import CallError, Model
from skillbench_tasks.tools.workflow.values import nested_deeper

__all__ = [
    "Flag",
    "OutputCall",
    "PredictedCall",
    "Prediction",
    "read_prediction",
    "without_thought",
]

_THOUGHT: Final = re.compile(
    r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL
)
_THOUGHT_END: Final = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)

_CALL_MARK: Final = re.compile(
    r"<(?:tool_call|function_call|tool_use|invoke|function=)|\[TOOL_CALLS\]|<\|python_tag\|>"
    r"|<\uff5ctool\u2581call",
    re.IGNORECASE,
)
"""Signs by which models set off a call when they write it out."""

_NAME_KEYS: Final = ("name", "function", "tool", "tool_name", "function_name", "action")
_ARGUMENT_KEYS: Final = ("arguments", "args", "parameters", "input", "tool_input", "action_input")


class Flag(StrEnum):
    """Something about an output that makes it other than one plain text or one plain call."""

    SEVERAL_CALLS = "several_calls"
    TEXT_BESIDE_CALL = "text_beside_call"
    MALFORMED_ARGUMENTS = "malformed_arguments"
    CALL_AS_TEXT = "call_as_text"
    REASONING_ONLY = "reasoning_only"
    EMPTY = "empty"


class OutputCall(Protocol):
    """A call as a model's output holds it; Inspect's `ToolCall` is one."""

    @property
    def function(self) -> str:
        """Name of the function."""

    @property
    def arguments(self) -> Any:
        """The arguments as they could be read."""

    @property
    def parse_error(self) -> str | None:
        """Why they could not be read."""


class PredictedCall(Model):
    """A call of a prediction; without arguments where they could not be read (`problem`)."""

    tool: str
    arguments: dict[str, JsonValue] | None
    problem: str = ""

    @property
    def refusal(self) -> CallError | None:
        """The error that answers a call whose arguments cannot be read."""
        if self.arguments is not None:
            return None
        message = f"The arguments cannot be read: {self.problem}"
        return CallError(code="invalid_arguments", message=message, retryable=False)


class Prediction(Model):
    """A model's output for one decision, as it is read."""

    action: Literal["text", "call", "nothing"]
    text: str = ""
    calls: tuple[PredictedCall, ...] = ()
    flags: tuple[Flag, ...] = ()

    @property
    def call(self) -> PredictedCall | None:
        """The call that is compared and carried out: the first."""
        return self.calls[0] if self.calls else None


def read_prediction(
    text: str,
    calls: Sequence[OutputCall] = (),
    *,
    tools: Sequence[str] = (),
    reasoned: bool = False,
) -> Prediction:
    """Read a model's output for one decision; never raises, whatever it holds.

    Args:
        text: The text of the output.
        calls: Its tool calls, in order.
        tools: Names of the functions offered: `name(key=…)` is known as a call by them.
        reasoned: Whether the output holds reasoning apart from its text.
    """
    said = without_thought(text)
    thought = said != text.strip()
    read = tuple(_call(call) for call in calls)
    flags = {
        Flag.SEVERAL_CALLS: len(read) > 1,
        Flag.TEXT_BESIDE_CALL: bool(read and said),
        Flag.MALFORMED_ARGUMENTS: any(call.arguments is None for call in read),
        Flag.CALL_AS_TEXT: not read and _holds_call(said, tuple(tools)),
        Flag.REASONING_ONLY: not read and not said and (thought or reasoned),
        Flag.EMPTY: not read and not said and not (thought or reasoned),
    }
    return Prediction(
        action="call" if read else "text" if said else "nothing",
        text=said,
        calls=read,
        flags=tuple(flag for flag, holds in flags.items() if holds),
    )


def without_thought(text: str) -> str:
    """Return a text without the reasoning in it, and without blanks around it."""
    said = _THOUGHT.sub("", text)
    ends = list(_THOUGHT_END.finditer(said))
    if ends:  # the begin stands in the prompt
        said = said[ends[-1].end() :]
    return said.strip()


def _call(call: OutputCall) -> PredictedCall:
    arguments, problem = (None, call.parse_error) if call.parse_error else _read(call.arguments)
    return PredictedCall(tool=str(call.function), arguments=arguments, problem=problem)


def _read(arguments: Any) -> tuple[dict[str, JsonValue] | None, str]:
    """Return arguments as JSON, or `None` and what is wrong with them."""
    try:  # what read them may have made a date of a text
        read: Any = json.loads(json.dumps(arguments, default=str))
    except (TypeError, ValueError, RecursionError) as error:
        return None, f"they are no JSON: {error}"
    if not isinstance(read, dict):
        return None, "they are no JSON object"
    if nested_deeper(read, DEPTH_MAX):
        return None, f"they have more than {DEPTH_MAX} levels"
    return read, ""


def _holds_call(text: str, tools: tuple[str, ...]) -> bool:
    if _CALL_MARK.search(text):
        return True
    if (written := _written_call(tools)) is not None and written.search(text):
        return True
    return any(_is_call(found, tools) for found in find_json_objects(text))


@lru_cache(maxsize=256)
def _written_call(tools: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return what finds `name(key=…)`, `name("…")`, `name({…})` and `name()` of the tools."""
    if not tools:
        return None
    names = "|".join(re.escape(name) for name in sorted(tools, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names})\(\s*+(?:\)|\w++\s*+[=:]|[\"'{{\[])")


def _is_call(value: JsonValue, tools: tuple[str, ...]) -> bool:
    """Return whether an object is a call in one of the ways in which models write them."""
    if isinstance(value, list):
        return any(_is_call(part, tools) for part in value)
    if not isinstance(value, dict):
        return False
    names = [key for key in _NAME_KEYS if isinstance(value.get(key), str)]
    if names and any(isinstance(value.get(key), dict | str) for key in _ARGUMENT_KEYS):
        return True
    if any(value[key] in tools for key in names) or (
        len(value) == 1 and next(iter(value)) in tools
    ):
        return True
    return any(_is_call(part, tools) for part in value.values())
