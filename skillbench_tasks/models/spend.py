"""What model calls cost: who called, which model, how long, how many tokens."""

from __future__ import annotations

from enum import StrEnum

from skillbench_tasks.models.base import Model

__all__ = ["ModelCall", "Payer", "RoleSpend", "Tokens"]


class Payer(StrEnum):
    """On whose account a model call goes."""

    AGENT = "agent"
    USER = "user"
    MOCK = "mock"
    JUDGE = "judge"


class Tokens(Model):
    """Token counts by class.

    `input` leaves out what the provider's prompt cache served or stored, so that no token counts
    twice: `total` is all four classes together, as the provider counts them. `reasoning` is a part
    of `output`.
    """

    input: int = 0
    output: int = 0
    total: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            input=self.input + other.input,
            output=self.output + other.output,
            total=self.total + other.total,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            reasoning=self.reasoning + other.reasoning,
        )


class ModelCall(Model):
    """One attempt to call a model.

    Args:
        payer: Whose call it is.
        model: The model's name.
        turn: Number of the agent turn in which it was made, from 0; `None` outside of one.
        cached: Inspect's own cache gave the answer: nothing was sent.
        failed: There was no answer: an error, a time-out, a cancellation.
        retries: How often the client repeated the request on its own before the answer came.
        seconds: How long the answer took, without waiting for a free connection.
        cost: Price in dollars; `None` where the model's prices are not known.
    """

    payer: Payer
    model: str
    turn: int | None = None
    cached: bool = False
    failed: bool = False
    retries: int = 0
    seconds: float = 0.0
    tokens: Tokens = Tokens()
    cost: float | None = None


class RoleSpend(Model):
    """What one model cost in one role, over one sample.

    Args:
        calls: Answers that a provider gave.
        cached_calls: Answers out of Inspect's cache.
        retries: Attempts without an answer, and repeats by the client.
        cost: Price in dollars; `None` where that of any call is not known.
    """

    payer: Payer
    model: str
    calls: int = 0
    cached_calls: int = 0
    retries: int = 0
    seconds: float = 0.0
    tokens: Tokens = Tokens()
    cost: float | None = 0.0
