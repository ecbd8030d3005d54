"""A tool's schema as a model is shown it: nothing that grades a call is lost on the way.

Inspect passes on the keywords of `CARRIED`. All others that validation knows are brought into that
form (references written out, `const` as an enumeration of one, `oneOf` as `anyOf`, `allOf` joined)
and, where that does not say the same, said in words in the description of their place; those of
the arguments object itself in the tool's. What has no words of its own is quoted as JSON Schema.
Annotations that no validator looks at are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from skillbench_tasks.errors import DataError
from skillbench_tasks.tools.normal_forms import without_notations

__all__ = ["CARRIED", "ShownTool", "shown_schema", "shown_tool"]

CARRIED: Final = frozenset(
    {
        *("type", "format", "description", "default", "enum", "items", "properties"),
        *("additionalProperties", "anyOf", "required", "pattern", "minLength", "maxLength"),
        *("minimum", "maximum", "examples"),
    }
)
"""Keywords that Inspect's `JSONSchema` has, and providers are sent."""

_ANNOTATIONS: Final = frozenset(
    {
        *("$schema", "$id", "$comment", "$anchor", "$defs", "definitions", "$vocabulary"),
        *("title", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"),
    }
)
"""Keywords that say nothing of what is valid."""

_OF_ARGUMENTS: Final = ("properties", "required", "additionalProperties")
"""What Inspect passes on of the arguments object itself."""

_PARTNERS: Final[Mapping[str, str]] = {
    "then": "if",
    "else": "if",
    "minContains": "contains",
    "maxContains": "contains",
}
"""Keyword → the one without which it says nothing."""


def _count(value: Any, one: str, many: str) -> str:
    return f"{value} {one if value == 1 else many}"


_WORDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "minItems": lambda n: f"at least {_count(n, 'item', 'items')}",
    "maxItems": lambda n: f"at most {_count(n, 'item', 'items')}",
    "uniqueItems": lambda held: "no item twice" if held is True else "",
    "minProperties": lambda n: f"at least {_count(n, 'field', 'fields')} given",
    "maxProperties": lambda n: f"at most {_count(n, 'field', 'fields')} given",
    "multipleOf": lambda n: f"a multiple of {_json(n)}",
    "exclusiveMinimum": lambda n: f"more than {_json(n)}",
    "exclusiveMaximum": lambda n: f"less than {_json(n)}",
}
"""Keyword → how it is said; nothing where it forbids nothing."""


@dataclass(frozen=True)
class ShownTool:
    """A tool as a model is shown it.

    Args:
        description: What it reads about the tool, what the schema cannot carry included.
        parameters: Schema of the arguments object: `properties`, `required` and
            `additionalProperties`, of carried keywords alone.
    """

    description: str
    parameters: dict[str, Any]


def shown_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with carried keywords alone; what they cannot say stands in descriptions.

    Raises:
        DataError: It refers to something outside itself.
    """
    declared = without_notations(schema)
    return _Shown(declared).of(declared, ())


def shown_tool(description: str, input_schema: Mapping[str, Any]) -> ShownTool:
    """Return a tool as a model is shown it.

    Args:
        description: Description of the tool.
        input_schema: JSON Schema of the arguments object.

    Raises:
        DataError: The schema refers to something outside itself.
    """
    shown = shown_schema(input_schema)
    said = shown.pop("description", "")
    parameters = {"additionalProperties": True}
    parameters |= {name: shown.pop(name) for name in _OF_ARGUMENTS if name in shown}
    shown.pop("type", None)
    more = _sentence([_quoted(shown)]) if shown else ""
    return ShownTool(_joined(description, said, more), parameters)


class _Shown:
    """Rewrites the parts of one schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def of(self, schema: Any, opened: tuple[str, ...]) -> dict[str, Any]:
        """Return a part of the schema; `opened` are the references that led here."""
        if schema is False:
            return {"description": "Nothing is valid here: leave it out."}
        if not isinstance(schema, Mapping):
            return {}
        if "$ref" in schema:
            return self._referred(schema, opened)
        if isinstance(schema.get("allOf"), list):
            return self._all(schema, opened)
        made: dict[str, Any] = {}
        said: list[str] = []
        for name in schema:
            if name not in _ANNOTATIONS:
                self._keyword(name, schema, made, said, opened)
        if said:
            made["description"] = _joined(made.get("description", ""), _sentence(said))
        return made

    def _keyword(
        self,
        name: str,
        schema: Mapping[str, Any],
        made: dict[str, Any],
        said: list[str],
        opened: tuple[str, ...],
    ) -> None:
        """Carry one keyword of a schema over, or say it."""
        value = schema[name]
        match name:
            case "properties":
                made[name] = {key: self.of(part, opened) for key, part in value.items()}
            case "items" | "additionalProperties" if isinstance(value, Mapping):
                made[name] = self.of(value, opened)
            case "anyOf" | "oneOf" if "anyOf" not in made:
                made["anyOf"] = [self.of(part, opened) for part in value]
                if name == "oneOf" and not _exclude_each_other(made["anyOf"]):
                    said.append("exactly one of the alternatives holds")
            case "const" if "enum" not in schema:
                made["enum"] = [value]
            case "default" if value is None:
                said.append("null where it is not given")
            case _ if name in CARRIED and name != "items":
                made[name] = value
            case _ if name in _WORDS:
                said += filter(None, [_WORDS[name](value)])
            case _ if name not in _PARTNERS:
                partners = [one for one, of in _PARTNERS.items() if of == name and one in schema]
                said.append(_quoted({one: self._whole(schema[one]) for one in (name, *partners)}))

    def _whole(self, value: Any, opened: tuple[str, ...] = ()) -> Any:
        """Return a part to be quoted, with its references written out where they end."""
        if isinstance(value, list):
            return [self._whole(part, opened) for part in value]
        if not isinstance(value, Mapping):
            return value
        place = value.get("$ref")
        if place is not None and place not in opened:
            return self._whole(self._look_up(place), (*opened, place))
        return {name: self._whole(part, opened) for name, part in value.items()}

    def _referred(self, schema: Mapping[str, Any], opened: tuple[str, ...]) -> dict[str, Any]:
        """Write out what a reference says; one that leads into itself is named."""
        place = schema["$ref"]
        if place in opened:
            name = place.rpartition("/")[2] or "the whole"
            rest = {"description": f"Of the same form as the {name} that it stands in."}
        else:
            rest = self.of(self._look_up(place), (*opened, place))
        beside = {name: part for name, part in schema.items() if name != "$ref"}
        return _both(rest, self.of(beside, opened)) if beside else rest

    def _look_up(self, place: Any) -> Any:
        found: Any = self._root
        if not isinstance(place, str) or not place.startswith("#"):
            raise _outside(place)
        for part in place.removeprefix("#").strip("/").split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            if name:
                if not isinstance(found, Mapping) or name not in found:
                    raise _outside(place)
                found = found[name]
        return found

    def _all(self, schema: Mapping[str, Any], opened: tuple[str, ...]) -> dict[str, Any]:
        """Join what holds at once."""
        rest = {name: part for name, part in schema.items() if name != "allOf"}
        made = self.of(rest, opened)
        for part in schema["allOf"]:
            made = _both(made, self.of(part, opened))
        return made


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that says what two say; what cannot be joined is quoted."""
    made, said = dict(one), []
    for name, value in other.items():
        if name not in made or made[name] == value:
            made[name] = value
        elif name == "description":
            made[name] = _joined(made[name], value)
        elif name == "properties":
            shared = {key: _both(made[name].get(key, {}), part) for key, part in value.items()}
            made[name] = {**made[name], **shared}
        elif name == "required":
            made[name] = [*made[name], *(key for key in value if key not in made[name])]
        elif name in ("minimum", "minLength"):
            made[name] = max(made[name], value)
        elif name in ("maximum", "maxLength"):
            made[name] = min(made[name], value)
        elif name == "enum":
            made[name] = [member for member in made[name] if member in value]
        elif name == "items":
            made[name] = _both(made[name], value)
        else:
            said.append(_quoted({name: value}))
    if said:
        made["description"] = _joined(made.get("description", ""), _sentence(said))
    return made


def _exclude_each_other(alternatives: list[dict[str, Any]]) -> bool:
    """Return whether no value fits two alternatives: by their types, or their members."""
    seen: list[Any] = []
    for one in alternatives:
        kinds = one.get("type")
        named = one.get("enum") or ([kinds] if isinstance(kinds, str) else None)
        if named is None or any(member in seen for member in named):
            return False
        if {"integer", "number"} <= {kind for kind in (*seen, *named) if isinstance(kind, str)}:
            return False
        seen += named
    return all("enum" in one for one in alternatives) or all(
        "enum" not in one for one in alternatives
    )


def _quoted(schema: Mapping[str, Any]) -> str:
    return f"it has to fit the JSON Schema {_json(schema)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _sentence(said: list[str]) -> str:
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}."


def _joined(*texts: str) -> str:
    return " ".join(text for text in texts if text)


def _outside(place: Any) -> DataError:
    mend = "write out what it refers to"
    return DataError("tools", "input_schema", f"refers to {place!r}, outside itself", mend)
