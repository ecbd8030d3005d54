"""From a judge's answer to what it says, or to the reason why that cannot be had.

The same for every form of verdict: thoughts are cut off, objects are found whatever stands around
them, and what the judged texts hold of verdicts is not taken for the judge's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import JsonValue

from skillbench_tasks.json_text import find_json_objects
from skillbench_tasks.models.base import Model
from skillbench_tasks.models.judgement import Unscored, UnscoredReason

__all__ = ["NOTHING_PLANTED", "Planted", "Shape", "invalid", "planted_in", "read_answer"]

_SHOWN_CHARACTERS: Final = 100
_REASONING: Final = re.compile(r"\s*<think\b[^>]*>.*?(?:</think>|\Z)", re.DOTALL)
"""Thoughts at the head of an answer, as servers leave them that do not take them apart."""

V = TypeVar("V", bound=Model)


@dataclass(frozen=True, slots=True)
class Shape(Generic[V]):
    """The form of a verdict.

    Args:
        fields: Its keys in the order in which judges give them: the reasons, then the grades.
        validated: From values that stand under all these keys to a verdict, or to what is wrong.
    """

    fields: tuple[str, ...]
    validated: Callable[[Mapping[str, JsonValue]], V | Unscored]

    @property
    def grades(self) -> tuple[str, ...]:
        """What tells verdicts apart: all but the reasons."""
        return self.fields[1:]

    def is_shaped(self, found: Mapping[str, JsonValue]) -> bool:
        """Return whether an object has most of the grades."""
        return self._is_most(name in found for name in self.grades)

    def is_named(self, texts: Collection[str]) -> bool:
        """Return whether texts name most of the grades."""
        return self._is_most(any(name in text for text in texts) for name in self.grades)

    def verdict_of(self, found: Mapping[str, JsonValue]) -> V | Unscored:
        """Return the verdict that an object holds, or what is wrong with it."""
        missing = [name for name in self.fields if name not in found]
        if missing:
            detail = f"fields are missing: {', '.join(missing)}"
            return Unscored(reason=UnscoredReason.INVALID, detail=detail)
        return self.validated(found)

    def _is_most(self, marks: Iterator[bool]) -> bool:
        return sum(marks) > len(self.grades) // 2


@dataclass(frozen=True, slots=True)
class Planted:
    """What judged texts hold of verdicts: words planted for a judge.

    Args:
        shapes: The objects of a verdict's shape, at any depth.
        is_named: Whether they name most of a verdict's fields, in whatever form.
    """

    shapes: tuple[Mapping[str, JsonValue], ...] = ()
    is_named: bool = False


NOTHING_PLANTED: Final = Planted()
"""Texts that hold nothing of verdicts."""


def planted_in(texts: Collection[str], shape: Shape[V]) -> Planted:
    """Return what texts hold of verdicts.

    Args:
        texts: Every text that a judge reads as evidence.
        shape: The form of a verdict.
    """
    found = (one for text in texts for outer in find_json_objects(text) for one in _objects(outer))
    return Planted(tuple(filter(shape.is_shaped, found)), shape.is_named(texts))


def read_answer(answer: str, shape: Shape[V], quoted: Planted = NOTHING_PLANTED) -> V | Unscored:
    """Read a judge's answer.

    The last object that has a verdict's shape counts: a judge may repeat the rubric's pattern
    before it answers. What it only thought is no answer. Objects that stand word for word in the
    transcript are the transcript's. Where the transcript speaks of verdicts, an answer with two
    that differ is refused: either may be a quotation with other words in it.

    Args:
        answer: The text.
        shape: The form of a verdict.
        quoted: What the transcript holds of verdicts.
    """
    thought = _REASONING.match(answer)
    answer = answer[thought.end() :] if thought else answer
    if not answer.strip():
        return Unscored(reason=UnscoredReason.EMPTY, detail="the answer is empty")
    found = list(find_json_objects(answer))
    if not found:
        detail = "there is no JSON object in the answer"
        return Unscored(reason=UnscoredReason.NO_JSON, detail=detail)
    shaped = [one for one in found if shape.is_shaped(one)]
    own = [one for one in shaped if one not in quoted.shapes]
    if shaped and not own:
        detail = "the only verdict in the answer is copied from the transcript"
        return Unscored(reason=UnscoredReason.COPIED, detail=detail)
    read = [shape.verdict_of(one) for one in own or found[-1:]]
    given = {_grades(one, shape) for one in read if not isinstance(one, Unscored)}
    if quoted.is_named and len(given) > 1:
        detail = "it holds verdicts that differ, and the transcript speaks of verdicts"
        return Unscored(reason=UnscoredReason.INVALID, detail=detail)
    return read[-1]


def invalid(field: str, value: JsonValue, expected: str) -> Unscored:
    """Return that a field has a value that it cannot have; of a long one the head is shown.

    Args:
        field: Its name.
        value: What stands there.
        expected: What must stand there.
    """
    text = json.dumps(value, ensure_ascii=False)
    shown = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
    return Unscored(reason=UnscoredReason.INVALID, detail=f"{field} is {shown}: {expected}")


def _objects(value: dict[str, JsonValue] | list[JsonValue]) -> Iterator[dict[str, JsonValue]]:
    """Yield the objects in a value, itself included."""
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, dict | list):
            yield from _objects(one)


def _grades(verdict: Model, shape: Shape[V]) -> tuple[object, ...]:
    return tuple(getattr(verdict, name) for name in shape.grades)
