"""JSON values: equality, copies, text and nesting.

Source: docs/workflow-language.md, sections 3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.bounds import EvaluationError

__all__ = [
    "copy_value",
    "count_parts",
    "equal_values",
    "join_texts",
    "kind_of",
    "nested_deeper",
    "text_of",
]


def kind_of(value: JsonValue) -> str:
    """Return the JSON type of a value as messages name it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, list) else "object"


def equal_values(a: JsonValue, b: JsonValue) -> bool:
    """Compare deeply: numbers by value, booleans are no numbers, key order means nothing."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict):
        return (
            isinstance(b, dict)
            and a.keys() == b.keys()
            and all(equal_values(value, b[key]) for key, value in a.items())
        )
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(equal_values, a, b))
    return a == b


def copy_value(value: JsonValue) -> JsonValue:
    """Copy the lists and objects of a value; nothing mutable is shared with the original."""
    if isinstance(value, dict):
        return {key: copy_value(part) for key, part in value.items()}
    if isinstance(value, list):
        return [copy_value(part) for part in value]
    return value


def count_parts(value: JsonValue) -> int:
    """Return how many scalars, lists and objects a value is made of, itself included."""
    pending, count = [value], 0
    while pending:
        part = pending.pop()
        count += 1
        if isinstance(part, (list, dict)):
            pending.extend(part.values() if isinstance(part, dict) else part)
    return count


def text_of(value: JsonValue) -> str:
    """Return the text that stands for a scalar in a template.

    Raises:
        EvaluationError: The value is null, a list or an object, or no finite number.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise EvaluationError("a number that is not finite has no text")
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, int):
        try:
            return str(value)
        except ValueError:
            raise EvaluationError("the integer is too long for a text") from None
    raise EvaluationError(f"{kind_of(value)} has no text")


def join_texts(values: Iterable[JsonValue], characters: int) -> str:
    """Join the texts of values.

    Raises:
        EvaluationError: A value has no text, or the result has more than `characters`.
    """
    texts: list[str] = []
    length = 0
    for value in values:
        text = text_of(value)
        length += len(text)
        if length > characters:
            raise EvaluationError(f"text of more than {characters} characters")
        texts.append(text)
    return "".join(texts)


def nested_deeper(value: JsonValue, nesting: int) -> bool:
    """Tell whether more than `nesting` lists and objects are inside one another."""
    level = [value] if isinstance(value, (list, dict)) else []
    while level:
        nesting -= 1
        if nesting < 0:
            return True
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, (list, dict))
        ]
    return False
