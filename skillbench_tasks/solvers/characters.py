"""Texts that no file can hold: a model that is cut off in an emoji leaves half a surrogate pair."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from inspect_ai.model import ChatMessageAssistant, ContentText
from inspect_ai.tool import ToolCall

__all__ = ["mended_message", "mended_text"]


def mended_text(text: str) -> str:
    """Return a text with each half of a surrogate pair replaced by `\N{REPLACEMENT CHARACTER}`.

    Inspect ends a whole run when such a text becomes a model's input.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def mended_message(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """Return a model's message with its texts and calls mended; the same one if none is broken."""
    calls = [_mended_call(call) for call in message.tool_calls or []]
    if mended_text(message.text) == message.text and calls == (message.tool_calls or []):
        return message
    found: dict[str, Any] = {"tool_calls": calls} if calls else {}
    if isinstance(message.content, str):
        return message.model_copy(update={**found, "content": mended_text(message.content)})
    parts = [
        part.model_copy(update={"text": mended_text(part.text)})
        if isinstance(part, ContentText)
        else part
        for part in message.content
    ]
    return message.model_copy(update={**found, "content": parts})


def _mended_call(call: ToolCall) -> ToolCall:
    return replace(
        call,
        function=mended_text(call.function),
        arguments=_mended_value(call.arguments),
        parse_error=call.parse_error and mended_text(call.parse_error),
    )


def _mended_value(value: Any) -> Any:
    """Return JSON with its texts mended; what is nested too deeply to be read stays as it is."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return json.loads(mended_text(json.dumps(value, ensure_ascii=False, default=str)))
    except (TypeError, ValueError, RecursionError):
        return value
    return value
