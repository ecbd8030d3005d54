"""Messages of a loop: what a model said, and what its calls are answered."""

from __future__ import annotations

from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ModelOutput
from inspect_ai.tool import ToolCall, ToolCallError

__all__ = ["message_of", "tool_reply"]


def message_of(output: ModelOutput) -> ChatMessageAssistant:
    """Return the message of an answer; an empty one where there is none."""
    return output.message if output.choices else ChatMessageAssistant(content="")


def tool_reply(call: ToolCall, text: str, *, failed: bool) -> ChatMessageTool:
    """Return the answer of a call as a message.

    Args:
        call: The call.
        text: What the model reads.
        failed: Whether it is an error.
    """
    error = ToolCallError("unknown", text) if failed else None
    return ChatMessageTool(content=text, tool_call_id=call.id, function=call.function, error=error)
