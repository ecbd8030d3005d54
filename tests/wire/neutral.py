"""A model's conversation without its wire format: what was asked, what is answered, what fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

__all__ = [
    "Answer",
    "Asked",
    "Broken",
    "Call",
    "Failure",
    "Message",
    "Offered",
    "Play",
    "Reply",
    "Result",
    "WireFormat",
]

Failure: TypeAlias = Literal["rate_limit", "server", "payment", "auth", "context"]
"""Ways in which a provider refuses a request."""

Broken: TypeAlias = Literal["unreadable", "partial", "nothing"]
"""What a call with broken arguments becomes on its way to Inspect.

A call that Inspect reports as unreadable, one with the arguments that stand before the break, or
none at all (the provider asks again).
"""


@dataclass(frozen=True)
class Call:
    """A tool call; a broken one has arguments that are no JSON on the wire."""

    name: str
    arguments: Mapping[str, Any]
    id: str = ""
    is_broken: bool = False


@dataclass(frozen=True)
class Result:
    """A tool's answer to the call with that id."""

    call: str
    text: str


@dataclass(frozen=True)
class Message:
    """A message of a request.

    A tool message holds all results that came back in one turn. `proof` is what shows a provider
    that the reasoning is its own: a signature, encrypted content, or the reasoning itself.
    """

    role: Literal["system", "user", "agent", "tool"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()
    proof: str = ""


@dataclass(frozen=True)
class Offered:
    """A tool as it was sent."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """A request. `has_stumbled`: it asks once more after a malformed call that left no message."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Offered, ...] = ()
    schema: Mapping[str, Any] | None = None
    has_stumbled: bool = False

    @property
    def calls_so_far(self) -> int:
        """How many calls the conversation holds: the next one's number."""
        return sum(len(message.calls) for message in self.messages)

    @property
    def seat(self) -> str:
        """Who answers and how often it has, as `agent-3`: what ids are made of."""
        return f"{self.model.rpartition('-')[2]}-{self.replies_so_far}"

    @property
    def replies_so_far(self) -> int:
        """How many agent messages the conversation holds."""
        return sum(message.role == "agent" for message in self.messages)


@dataclass(frozen=True)
class Reply:
    """What the model says. `is_cut`: it ran into its own limit of output tokens."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    is_cut: bool = False


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, body: object, status: int = 200, **headers: str) -> Answer:
        """Return JSON as an answer; headers by name with `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls(json.dumps(body).encode(), status, headers=named)


Play: TypeAlias = Callable[[Asked], Reply | Failure]
"""A model: a function of the conversation."""


class WireFormat(Protocol):
    """One provider's way to write requests, answers and errors."""

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        """Return what a request asks."""
        ...

    def write(self, body: Mapping[str, Any], asked: Asked, reply: Reply) -> Answer:
        """Return the answer to a request."""
        ...

    def fail(self, failure: Failure) -> Answer:
        """Return the provider's refusal, in its own words."""
        ...
