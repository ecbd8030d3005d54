"""Asking a model for an answer in a JSON Schema, where its server knows how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from weakref import WeakSet

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.util import LimitExceededError, message_limit

from skillbench_tasks.model_output import ask

__all__ = ["generate_structured", "shortened"]

_TAKES_SCHEMAS: Final[WeakSet[Model]] = WeakSet()
_TAKES_NO_SCHEMAS: Final[WeakSet[Model]] = WeakSet()
"""Models of which it is known whether their servers take a schema of the answer."""

_SHOWN_CHARACTERS: Final = 300
_TOO_MANY_REQUESTS: Final = 429


async def generate_structured(
    model: Model,
    messages: Sequence[ChatMessage],
    schema: ResponseSchema | None,
    scope: str | None = None,
    config: GenerateConfig | None = None,
    kept: CachePolicy | None = None,
) -> ModelOutput:
    """Ask a model; what it is asked is no part of the sample's conversation.

    A server that knows no schemas may answer a request with one by an error of its own, which
    Inspect would try again without end: so a model's first such request is tried once, and then
    without. A rate limit says nothing about schemas and is waited for.

    Args:
        model: The model.
        messages: What it is asked.
        schema: Form of the answer; none: any text.
        scope: Tells this answer from others to the same question, where Inspect's cache is on.
        config: Settings of the request; they go before the model's own.
        kept: How Inspect's cache keeps the answer where the model's own settings do not say.
    """
    plain = config or GenerateConfig()
    own = model.config.cache
    cache = _scoped(kept if own is None else own, scope)
    with message_limit(None):
        if schema is None or model in _TAKES_NO_SCHEMAS:
            return await ask(model, messages, config=plain, cache=cache)
        if model not in _TAKES_SCHEMAS:
            try:
                once = plain.merge(GenerateConfig(response_schema=schema, max_retries=0))
                output = await ask(model, messages, config=once, cache=cache)
            except LimitExceededError:
                raise
            except Exception as error:  # noqa: BLE001  # whatever a server makes of a schema
                if not _is_rate_limit(error):
                    output = await ask(model, messages, config=plain, cache=cache)
                    if model not in _TAKES_SCHEMAS:
                        _TAKES_NO_SCHEMAS.add(model)
                    return output
            else:
                _takes_schemas(model)
                return output
        shaped = plain.merge(GenerateConfig(response_schema=schema))
        output = await ask(model, messages, config=shaped, cache=cache)
        _takes_schemas(model)
        return output


def _takes_schemas(model: Model) -> None:
    """Note it for good: what failed among calls side by side had another cause."""
    _TAKES_SCHEMAS.add(model)
    _TAKES_NO_SCHEMAS.discard(model)


def _scoped(cache: bool | CachePolicy | None, scope: str | None) -> bool | CachePolicy:
    if not cache or scope is None:
        return cache or False
    policy = CachePolicy() if cache is True else cache
    return policy.model_copy(update={"scopes": {**policy.scopes, "answer": scope}})


def _is_rate_limit(error: BaseException | None) -> bool:
    """Whether an error, or what it was raised from, is a provider's rate limit."""
    while error is not None:
        codes = (getattr(error, "status_code", None), getattr(error, "code", None))
        if _TOO_MANY_REQUESTS in codes:
            return True
        error = error.__cause__
    return False


def shortened(text: str) -> str:
    """Return what a model or a server said as one line of at most 300 characters."""
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
