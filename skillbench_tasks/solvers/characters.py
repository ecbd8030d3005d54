"""Texts that no file can hold: a model that is cut off in an emoji leaves half a surrogate pair."""

from __future__ import annotations

from inspect_ai.model import ChatMessageAssistant, ContentText

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
    """Return a model's message with its texts mended; the same one where nothing is broken."""
    if mended_text(message.text) == message.text:
        return message
    if isinstance(message.content, str):
        return message.model_copy(update={"content": mended_text(message.content)})
    parts = [
        part.model_copy(update={"text": mended_text(part.text)})
        if isinstance(part, ContentText)
        else part
        for part in message.content
    ]
    return message.model_copy(update={"content": parts})
