"""Models of worlds and tools (`docs/tool-format.md`)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from skillbench_tasks.models.base import Model, Record

__all__ = [
    "CollectionSpec",
    "Effects",
    "Fault",
    "FaultKind",
    "FieldKind",
    "Patch",
    "Server",
    "ToolSpec",
    "WorldFile",
]


class FieldKind(StrEnum):
    """How a field of a record compares between two worlds; undeclared fields compare as values.

    The last ones are forms of `skillbench_tasks.tools.normal_forms`.
    """

    TEXT = "text"
    SET = "set"
    LIST = "list"
    TIMESTAMP = "timestamp"
    IGNORED = "ignored"
    DIGITS = "digits"
    EMAIL = "email"
    CASELESS = "caseless"
    WORDS = "words"
    DATE = "date"


class CollectionSpec(Model):
    """A collection of records: key field, prefix of made ids, kinds of its fields.

    `start` is the first number of an id made at run time; ids at or above it count as generated.
    Field names of nested objects are dotted; a list is passed through (`notes.text`).
    """

    key: str
    prefix: str
    start: int = 90001
    fields: dict[str, FieldKind] = Field(default_factory=dict)


class Effects(Model):
    """The words in which people speak of what a write does.

    Base forms: `verbs` of the deed ("move"), `nouns` of what it is done to ("visit").
    """

    verbs: tuple[str, ...] = Field(min_length=1)
    nouns: tuple[str, ...] = Field(min_length=1)


class ToolSpec(Model):
    """An MCP-shaped tool with its declared behaviour (see `docs/tool-format.md`).

    Without a `behaviour` a model answers its calls, and reference runs go by its `example`. A tool
    that `hands_over` passes the conversation to a person: its success ends it with the turn.
    """

    server: str
    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    description: str
    access: Literal["read", "write"]
    hands_over: bool = False
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    behaviour: tuple[dict[str, JsonValue], ...] | None = None
    returns: JsonValue = None
    example: JsonValue = None
    effects: Effects | None = None

    @property
    def is_declared(self) -> bool:
        """Whether data say what the tool does; a model mocks one that is not."""
        return self.behaviour is not None

    @property
    def full_name(self) -> str:
        """`mcp.<server>:<tool>`, the name used in skills, workflows and logs."""
        return f"mcp.{self.server}:{self.name}"

    @property
    def function_name(self) -> str:
        """`<server>__<tool>`: the name a model calls, since providers allow no dots or colons."""
        return f"{self.server}__{self.name}"


class Server(Model):
    """A catalogue file: one MCP server and its tools."""

    server: str = Field(pattern=r"^[a-z](?:_?[a-z0-9])*$")
    title: str
    description: str
    tools: tuple[dict[str, Any], ...] = Field(min_length=1)


class FaultKind(StrEnum):
    """Ways in which a scenario lets a tool fail."""

    TRANSIENT = "transient"
    PERMANENT = "permanent"
    RATE_LIMIT = "rate_limit"
    TIMEOUT_AFTER_COMMIT = "timeout_after_commit"
    MALFORMED = "malformed"


class Fault(Model):
    """A declared tool failure.

    Matched by tool and `where` (literal arguments). `occurrences` counts matching calls from 1;
    none means every one.
    """

    tool: str
    kind: FaultKind
    where: dict[str, JsonValue] = Field(default_factory=dict)
    occurrences: tuple[Annotated[int, Field(ge=1)], ...] | None = None


class WorldFile(Model):
    """A base world of one industry."""

    industry: str
    company: str
    now: str
    collections: dict[str, list[Record]]


class Patch(Model):
    """One change to the base world: one of `update`, `create`, `delete` names the collection."""

    update: str | None = None
    create: str | None = None
    delete: str | None = None
    key: str | None = None
    set: dict[str, JsonValue] = Field(default_factory=dict)
    record: Record = Field(default_factory=dict)
