"""What a model said, made fit to be kept: the one place where a model's output enters.

A model, or what reads its answer, gives what no JSON file can hold: half of a surrogate pair where
it was cut off in an emoji, numbers of thousands of digits, NaN, values of endless depth. Inspect
ends the whole run when it has to write one down. Texts are mended; calls with arguments that cannot
be written down are calls that cannot be read, as Inspect calls them, and the model is told so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, Final

from inspect_ai.model import ChatMessage, ChatMessageAssistant, Model, ModelOutput
from inspect_ai.tool import ToolCall

__all__ = ["ask", "guarded", "mended_message", "mended_output", "mended_text"]

_LEVELS_MAX: Final = 100
_PARTS_MAX: Final = 200_000
_LARGEST: Final = 10**300


async def ask(model: Model, messages: Sequence[ChatMessage], **options: Any) -> ModelOutput:
    """Ask a model; its answer is mended before anything else sees it.

    Args:
        model: The model.
        messages: What it is asked.
        **options: As for `Model.generate`.
    """
    return await guarded(model).generate(list(messages), **options)


def guarded(model: Model) -> Model:
    """Let a model's answers be mended as its provider gives them; return the model.

    Inspect copies an answer and writes it down before it hands it on, which fails with a bad one;
    an agent of somebody else asks the model by itself. So answers are mended at the provider.
    """
    provider: Any = model.api
    if getattr(provider.generate, "is_guarded", False):
        return model
    generate = provider.generate

    @wraps(generate)
    async def mended(*given: Any, **options: Any) -> Any:
        return _mended_answer(await generate(*given, **options))

    mended.__dict__["is_guarded"] = True
    provider.generate = mended
    return model


def _mended_answer(answer: Any) -> Any:
    """Mend what a provider gives: an output, alone or with the raw call behind it."""
    output, *calls = answer if isinstance(answer, tuple) else (answer,)
    for call in calls:
        if call is not None and call.response is not None:
            call.response = _mended(call.response) if _problem(call.response) is None else None
    if isinstance(output, ModelOutput):
        mended_output(output)
    return (output, *calls) if isinstance(answer, tuple) else output


def mended_output(output: ModelOutput) -> ModelOutput:
    """Mend an output in place and return it."""
    for choice in output.choices:
        choice.message = mended_message(choice.message)
    output.completion = mended_text(output.completion)
    output.error = output.error and mended_text(output.error)
    if output.metadata is not None:
        output.metadata = _mended(output.metadata) if _problem(output.metadata) is None else None
    return output


def mended_text(text: str) -> str:
    r"""Return a text with each half of a surrogate pair replaced by `\N{REPLACEMENT CHARACTER}`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def mended_message(message: ChatMessageAssistant) -> ChatMessageAssistant:
    """Return a model's message with its texts and calls mended; the same one if none is broken."""
    calls = [_mended_call(call) for call in message.tool_calls or []]
    content: Any = message.content
    if isinstance(content, str):
        content = mended_text(content)
    else:
        content = [_mended_part(part) for part in content]
    if content == message.content and calls == (message.tool_calls or []):
        return message
    return message.model_copy(update={"content": content, "tool_calls": calls or None})


def _mended_part(part: Any) -> Any:
    """Return a part of a message (text, reasoning, …) with its texts mended."""
    changes = {
        name: mended_text(value)
        for name, value in part.__dict__.items()
        if isinstance(value, str) and mended_text(value) != value
    }
    return part.model_copy(update=changes) if changes else part


def _mended_call(call: ToolCall) -> ToolCall:
    arguments, error = call.arguments, call.parse_error
    problem = _problem(arguments)
    if problem is not None:
        arguments, error = {}, f"the arguments hold {problem}"
    return replace(
        call,
        id=mended_text(call.id),
        function=mended_text(call.function),
        arguments=_mended(arguments),
        parse_error=error and mended_text(error),
    )


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return mended_text(value)
    if isinstance(value, dict):
        return {_mended(name): _mended(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_mended(part) for part in value]
    return value


def _problem(value: Any) -> str | None:
    """Return what of a value no file of JSON can hold, texts left aside."""
    pending, parts = [(value, 1)], 0
    while pending:
        part, level = pending.pop()
        parts += 1
        if isinstance(part, dict | list):
            if level > _LEVELS_MAX:
                return f"more than {_LEVELS_MAX} levels"
            parts += len(part)
            inner = part.values() if isinstance(part, dict) else part
            pending.extend((one, level + 1) for one in inner)
        elif isinstance(part, float) and not math.isfinite(part):
            return "a number that is not finite"
        elif isinstance(part, int) and abs(part) > _LARGEST:
            return "a number of more than 300 digits"
        if parts > _PARTS_MAX:
            return f"more than {_PARTS_MAX} values"
    return None
