"""Conversations in chat format: messages and tools as chat templates and trainers take them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.models.conversation import CalledTool, ConversationTool, Step
from skillbench_tasks.models.gold import CallError
from skillbench_tasks.tools.normal_forms import without_notations

__all__ = ["CallReply", "ChatMessage", "chat_messages", "chat_tools", "reply_text"]

ChatMessage: TypeAlias = dict[str, Any]
"""A message as an object: `role`, `content`, and what goes with calls."""


def chat_messages(policy: str, steps: Iterable[Step]) -> list[ChatMessage]:
    """Return steps as messages, after a system message with the policy.

    A call is a message of its own (or one with the calls made beside it), with arguments as an
    object (as chat templates want them), and its answer the next one. Ids are `call_1`, `call_2` …
    in order.

    Args:
        policy: What the assistant is told; empty for none.
        steps: The steps, in order.
    """
    messages: list[ChatMessage] = [{"role": "system", "content": policy}] if policy else []
    calls, asking = 0, 0
    for step in steps:
        if isinstance(step, CalledTool):
            calls += 1
            asked, answered = _call(step, f"call_{calls}")
            if step.with_previous:
                messages[asking]["tool_calls"] += asked["tool_calls"]
            else:
                asking = len(messages)
                messages.append(asked)
            messages.append(answered)
        else:
            messages.append({"role": step.role, "content": step.text})
    return messages


def chat_tools(tools: Iterable[ConversationTool]) -> list[dict[str, Any]]:
    """Return tools as function definitions."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": without_notations(tool.input_schema),
            },
        }
        for tool in tools
    ]


class CallReply(Protocol):
    """What came back from a call."""

    @property
    def result(self) -> JsonValue:
        """The result."""

    @property
    def error(self) -> CallError | None:
        """The error, where it failed."""


def reply_text(step: CallReply) -> str:
    """Return what came back from a call as the text that an agent reads.

    It is the text of the zero-shot task (`skillbench_tasks.tools.toolkit`).
    """
    answer: Any = step.result
    if step.error is not None:
        answer = {"error": step.error.model_dump(mode="json")}
    return json.dumps(answer, ensure_ascii=False)


def _call(step: CalledTool, identity: str) -> tuple[ChatMessage, ChatMessage]:
    """Return the message that asks for a call, and the one that answers it."""
    function: Mapping[str, Any] = {"name": step.tool, "arguments": step.arguments}
    call = {"id": identity, "type": "function", "function": function}
    asked = {"role": "assistant", "content": "", "tool_calls": [call]}
    answered = {
        "role": "tool",
        "tool_call_id": identity,
        "name": step.tool,
        "content": reply_text(step),
    }
    return asked, answered
