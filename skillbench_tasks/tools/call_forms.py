"""The form in which tool calls are compared: what is written otherwise and means the same is one.

A call is a function name and a set of *leaves*. Its arguments are brought to normal form under the
tool's schema (`skillbench_tasks.tools.arguments`: defaults filled in, `null` for what is optional
left out); every scalar in them is then one leaf, with the path that leads to it:

- an object's key is a step of the path, so key order means nothing;
- a list's position is a step, so order matters; where the schema says `uniqueItems` or
  `x-normal: set`, each distinct element is one leaf without a position;
- a text whose schema names a form (`x-normal`, `skillbench_tasks.tools.normal_forms`) is the same
  as any other text of that form; on request, so is every text declared as free (`x-free-text`);
- an object or list without content is a leaf, unless it is the arguments themselves: a call without
  arguments has no leaf;
- numbers are the same by value (`12` = `12.0`), booleans are no numbers, texts are the same to the
  letter.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Final, Protocol, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.models.conversation import ConversationTool
from skillbench_tasks.tools.arguments import (
    item_schema,
    normal_arguments,
    property_schema,
    resolved_schema,
)
from skillbench_tasks.tools.free_text import with_any_wording
from skillbench_tasks.tools.normal_forms import NORMAL, is_set, normal_form

__all__ = ["ANYWHERE", "CallForms", "Leaf", "Leaves", "Path", "ToolUse", "leaves_of"]

Path: TypeAlias = tuple[str | int, ...]
"""Keys of objects and positions in lists that lead to a value."""

Leaf: TypeAlias = tuple[Path, Hashable]
"""Where a value stands, and the value."""

Leaves: TypeAlias = frozenset[Leaf]

ANYWHERE: Final = -1
"""The step into a list whose order means nothing."""

_ANY: Final[Mapping[str, Any]] = {}

_UNREADABLE: Final[Leaves] = frozenset({((), "unreadable")})


class ToolUse(Protocol):
    """Anything that says which tool is called with what."""

    @property
    def tool(self) -> str:
        """Name of the tool."""

    @property
    def arguments(self) -> Mapping[str, JsonValue] | None:
        """The arguments as the caller gave them; `None`: they could not be read."""


class CallForms:
    """The forms of calls of the tools that a conversation offers.

    Args:
        schemas: Function name → JSON Schema of the arguments. Calls of other tools are compared as
            they are.
        any_wording: Whether free texts are compared by presence alone, as worlds compare them.
    """

    def __init__(
        self, schemas: Mapping[str, Mapping[str, Any]], *, any_wording: bool = False
    ) -> None:
        self._schemas, self._any_wording = schemas, any_wording

    @classmethod
    def of(cls, tools: Iterable[ConversationTool], *, any_wording: bool = False) -> CallForms:
        """Return the forms for a conversation's tools."""
        schemas = {tool.name: tool.input_schema for tool in tools}
        return cls(schemas, any_wording=any_wording)

    def with_any_wording(self) -> CallForms:
        """Return the same forms with free texts compared by presence alone."""
        return CallForms(self._schemas, any_wording=True)

    def leaves(self, call: ToolUse) -> Leaves:
        """Return the leaves of a call's arguments."""
        schema = self._schemas.get(call.tool, _ANY)
        arguments = call.arguments
        if self._any_wording and arguments is not None:
            arguments = with_any_wording(arguments, schema)
        return leaves_of(arguments, schema)

    def form(self, call: ToolUse) -> tuple[str, Leaves]:
        """Return what is the same for two calls exactly when they are the same call."""
        return call.tool, self.leaves(call)

    def same(self, one: ToolUse, other: ToolUse) -> bool:
        """Return whether two calls are the same: function and arguments in normal form."""
        return one.tool == other.tool and self.leaves(one) == self.leaves(other)


def leaves_of(arguments: Mapping[str, JsonValue] | None, schema: Mapping[str, Any]) -> Leaves:
    """Return the leaves of arguments under a tool's schema.

    Arguments that could not be read have one leaf, which no others have.
    """
    if arguments is None:
        return _UNREADABLE
    normal = normal_arguments(arguments, schema)
    leaves = _leaves(normal, resolved_schema(schema, schema), schema, ())
    return frozenset(leaf for leaf in leaves if leaf[0])


def _leaves(
    value: JsonValue, schema: Mapping[str, Any], root: Mapping[str, Any], path: Path
) -> Iterator[Leaf]:
    if isinstance(value, dict) and value:
        for name, part in value.items():
            yield from _leaves(part, property_schema(schema, name, root), root, (*path, name))
    elif isinstance(value, list) and value:
        items = item_schema(schema, root)
        if is_set(schema):
            yield from (((*path, ANYWHERE), _form(part, items, root)) for part in value)
        else:
            for place, part in enumerate(value):
                yield from _leaves(part, items, root, (*path, place))
    else:
        yield path, _form(value, schema, root)


def _form(value: JsonValue, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Hashable:
    """Return a value that is equal for equal values, and for no others."""
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, float) and math.isnan(value):
        return "nan", None
    if isinstance(value, dict):
        forms = (
            (n, _form(part, property_schema(schema, n, root), root)) for n, part in value.items()
        )
        return "object", frozenset(forms)
    if isinstance(value, list):
        items = item_schema(schema, root)
        parts = [_form(part, items, root) for part in value]
        return ("set", frozenset(parts)) if is_set(schema) else ("list", tuple(parts))
    form = schema.get(NORMAL)
    same = normal_form(form, value)
    return value if same is None else (form, same)
