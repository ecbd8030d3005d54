"""The nodes of a workflow, and the parser that turns JSON into them.

Source: docs/workflow-language.md, sections 1, 2 and 8 (layer 1).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)
from pydantic_core import PydanticCustomError

from skillbench_tasks.tools.workflow.messages import name_like, quoted
from skillbench_tasks.tools.workflow.paths import is_name
from skillbench_tasks.tools.workflow.schemas import JsonSchema, schema_problem

__all__ = [
    "DIALOGUE_KINDS",
    "RESERVED_NAMES",
    "AskNode",
    "Block",
    "CallNode",
    "DeclineNode",
    "Finding",
    "ForEachNode",
    "HandOverNode",
    "IfNode",
    "Node",
    "Program",
    "ReturnNode",
    "SayNode",
    "SetNode",
    "TryNode",
]

RESERVED_NAMES = frozenset({"inputs", "context", "item", "accumulator", "args", "now"})
DIALOGUE_KINDS = frozenset({"say", "ask", "hand_over", "decline"})


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Finding(_Model):
    """One fault that the static validation found.

    Args:
        layer: The layer of the validation.
        path: Where it is, such as ``steps[2].then[0].arguments.order_id``.
        code: Short machine-readable reason.
        message: One sentence that a model can act on.
    """

    layer: Literal["shape", "schema", "references"]
    path: str
    code: str
    message: str


def _check_name(text: str) -> str:
    if not is_name(text):
        rule = "a name is a lower-case letter, then lower-case letters, digits and _, 64 at most"
        message = f"{quoted(text)} is no name: {rule}; write `{name_like(text)}`"
        raise PydanticCustomError("bad_name", "{message}", {"message": message})
    return text


def _check_tool_name(text: str) -> str:
    server, colon, tool = text.partition(":")
    if not (colon and tool and server.startswith("mcp.") and server != "mcp."):
        message = f"{quoted(text)} is no tool name: it is mcp.<server>:<tool>"
        raise PydanticCustomError("bad_tool_name", "{message}", {"message": message})
    return text


def _check_schema(schema: JsonValue) -> JsonValue:
    problem = schema_problem(schema)
    if problem is not None:
        raise PydanticCustomError("bad_schema", "{problem}", {"problem": problem})
    return schema


def _check_version(version: object) -> object:
    if isinstance(version, bool) or version != 1:
        raise PydanticCustomError("bad_version", "the version is the integer 1")
    return 1


Name = Annotated[str, AfterValidator(_check_name)]
ToolName = Annotated[str, AfterValidator(_check_tool_name)]
Schema = Annotated[JsonSchema, BeforeValidator(_check_schema)]
Expressions = dict[str, JsonValue]
# The data of a program are lists; strictness would ask for tuples.
Names = Annotated[tuple[Name, ...], Field(strict=False)]
ToolNames = Annotated[tuple[ToolName, ...], Field(strict=False)]
Texts = Annotated[tuple[str, ...], Field(strict=False)]
Block = Annotated[tuple["Node", ...], Field(strict=False)]


class _Node(_Model):
    note: str | None = None


class CallNode(_Node):
    """Calls a tool and binds its result."""

    kind: Literal["call"]
    tool: ToolName
    arguments: Expressions = {}
    id: Name | None = None


class IfNode(_Node):
    """Runs one of two blocks."""

    kind: Literal["if"]
    condition: JsonValue
    then: Block
    otherwise: Block = Field(default=(), alias="else")


class ForEachNode(_Node):
    """Runs a block once for each element of a list."""

    kind: Literal["for_each"]
    items: JsonValue
    bind: Name = Field(alias="as")
    do: Block


class TryNode(_Node):
    """Runs a block; a tool error in it runs another one."""

    kind: Literal["try"]
    do: Block
    catch: Block
    bind: Name | None = Field(default=None, alias="as")


class SetNode(_Node):
    """Assigns a variable."""

    kind: Literal["set"]
    name: Name
    value: JsonValue


class ReturnNode(_Node):
    """Ends the program with a value."""

    kind: Literal["return"]
    value: JsonValue = None


class SayNode(_Node):
    """The agent tells something."""

    kind: Literal["say"]
    act: str
    facts: Expressions = {}
    claims: ToolNames = ()
    must: Texts = ()


class AskNode(_Node):
    """The agent asks for slots, or for a yes."""

    kind: Literal["ask"]
    id: Name | None = None
    slots: Names = ()
    confirm: Name | None = None
    again: bool = False
    facts: Expressions = {}

    @model_validator(mode="after")
    def _check_one_question(self) -> AskNode:
        if bool(self.slots) == (self.confirm is not None):
            raise PydanticCustomError("bad_ask", "an ask needs slots or confirm, not both")
        return self


class HandOverNode(_Node):
    """Transfers to a person; ends the program."""

    kind: Literal["hand_over"]
    reason: str
    facts: Expressions = {}
    must: Texts = ()


class DeclineNode(_Node):
    """The request is not done here; ends the program."""

    kind: Literal["decline"]
    reason: str
    facts: Expressions = {}
    must: Texts = ()


Node = Annotated[
    CallNode
    | IfNode
    | ForEachNode
    | TryNode
    | SetNode
    | ReturnNode
    | SayNode
    | AskNode
    | HandOverNode
    | DeclineNode,
    Field(discriminator="kind"),
]


class Program(_Model):
    """A whole workflow, well-formed but not yet checked against tools and scopes."""

    version: Annotated[Literal[1], BeforeValidator(_check_version)]
    inputs: dict[Name, Schema] = {}
    output: Schema | None = None
    steps: Block
