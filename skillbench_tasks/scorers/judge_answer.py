"""From a judge's answer to what it says, or to the reason why that cannot be had.

The same for every form of verdict. A judge is told a key that nobody else knows; the object that
carries it is the verdict, whatever else the answer quotes. Where none carries it, an answer is read
that holds one verdict. What says two things is never read by the place at which it says them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import JsonValue

from skillbench_tasks.json_text import (
    REPEATED_KEY,
    FoundObject,
    find_written_objects,
    object_around,
)
from skillbench_tasks.models.base import Model
from skillbench_tasks.models.judgement import Unscored, UnscoredReason
from skillbench_tasks.scorers.judged_texts import NOTHING_JUDGED, JudgedTexts, objects_in

__all__ = ["Shape", "invalid", "read_answer"]

_SHOWN_CHARACTERS: Final = 100
_REASONING: Final = re.compile(
    r"\s*<(?P<tag>think|thinking|reasoning)\b[^>]*>.*?(?:</(?P=tag)>|\Z)", re.DOTALL
)
"""Thoughts at the head of an answer, as servers leave them that do not take them apart."""
_REASONING_END: Final = "</think>"
"""Where they end, if a chat template has put their beginning into the prompt."""

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
        return 2 * sum(name in found for name in self.grades) > len(self.grades)

    def verdict_of(self, found: Mapping[str, JsonValue]) -> V | Unscored:
        """Return the verdict that an object holds, or what is wrong with it."""
        missing = [name for name in self.fields if name not in found]
        if missing:
            return _unusable(f"fields are missing: {', '.join(missing)}")
        return self.validated(found)

    def read(self, found: _Candidate) -> V | Unscored:
        """Return the verdict that a candidate is, or why it is none."""
        if not found.refusal:
            return self.verdict_of(found.value)
        if found.refusal == REPEATED_KEY:
            return Unscored(reason=UnscoredReason.CONTRADICTORY, detail=found.refusal)
        detail = f"there is no JSON object in the answer that can be read: {found.refusal}"
        return Unscored(reason=UnscoredReason.NO_JSON, detail=detail)

    def grades_of(self, found: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the grades that an object holds, as they stand there."""
        return {name: found[name] for name in self.grades if name in found}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An object of a verdict's shape, and why its value may be none."""

    value: Mapping[str, JsonValue]
    refusal: str


def read_answer(
    answer: str, shape: Shape[V], judged: JudgedTexts = NOTHING_JUDGED, key: str | None = None
) -> V | Unscored:
    """Read a judge's answer.

    What it only thought is no answer. Objects that carry the key are the judge's, and what stands
    in the answer besides is quoted. Without the key, an answer counts that holds one verdict which
    is no copy from the texts, said once or several times. Two different ones are none.

    Args:
        answer: The text.
        shape: The form of a verdict.
        judged: What the judge read.
        key: The key that it was told.
    """
    answer = _without_thoughts(answer, judged)
    if not answer.strip():
        return Unscored(reason=UnscoredReason.EMPTY, detail="the answer is empty")
    if key is not None and key in answer:
        keyed = _keyed(answer, key, shape)
        if keyed:
            return _only(keyed, shape)
    found = list(find_written_objects(answer))
    shaped = [one for outer in found for one in _candidates(outer, shape)]
    if shaped:
        return _judges_own(shaped, shape, judged)
    refused = next((one.refusal for one in found if one.refusal), "")
    if not found or refused:
        detail = "there is no JSON object in the answer"
        detail += f" that can be read: {refused}" if refused else ""
        return Unscored(reason=UnscoredReason.NO_JSON, detail=detail)
    return shape.verdict_of(found[-1].value)


def invalid(field: str, value: JsonValue, expected: str) -> Unscored:
    """Return that a field has a value that it cannot have; of a long one the head is shown.

    Args:
        field: Its name.
        value: What stands there.
        expected: What must stand there.
    """
    text = json.dumps(value, ensure_ascii=False)
    shown = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
    return _unusable(f"{field} is {shown}: {expected}")


def _without_thoughts(answer: str, judged: JudgedTexts) -> str:
    thought = _REASONING.match(answer)
    if thought:
        return answer[thought.end() :]
    if any(_REASONING_END in text for text in judged.evidence):  # the judge may quote it
        return answer
    return answer.rpartition(_REASONING_END)[2]


def _keyed(answer: str, key: str, shape: Shape[V]) -> list[_Candidate]:
    """Return the verdicts that carry the key; where there is none, what carries it in their place.

    Read from the key outward, so that a quotation with open quotes or braces cannot hide them.
    """
    verdicts: list[_Candidate] = []
    others: list[_Candidate] = []
    at, read_to = answer.find(key), 0
    while at != -1:
        around = list(object_around(answer, read_to, at))
        whole = [one for one in around if one.is_whole]
        for one in whole:
            carrying = list(_candidates(one, shape))
            if carrying:
                verdicts += carrying
                read_to = one.end
                break
        else:
            if around:
                breaks = "" if whole else "the object that carries the key breaks off"
                outer = (whole or around)[0]
                others.append(_Candidate(outer.value, outer.refusal or breaks))
        at = answer.find(key, max(at + len(key), read_to))
    return verdicts or others


def _candidates(found: FoundObject, shape: Shape[V]) -> Iterator[_Candidate]:
    """Yield what has a verdict's shape: an object, else those that it wraps."""
    waiting: list[Mapping[str, JsonValue]] = [found.value]
    while waiting:
        value = waiting.pop(0)
        if shape.is_shaped(value):
            yield _Candidate(value, found.refusal)
        else:
            waiting += [inner for part in value.values() for inner in objects_in(part)]


def _judges_own(shaped: Sequence[_Candidate], shape: Shape[V], judged: JudgedTexts) -> V | Unscored:
    """Return what an answer says whose verdicts carry no key."""
    own = [one for one in shaped if not _is_copy(one, shape, judged)]
    if not own:
        detail = "the only verdict in the answer is copied from the transcript"
        return Unscored(reason=UnscoredReason.COPIED, detail=detail)
    read: V | Unscored = _only(own, shape)
    if not isinstance(read, Unscored):
        return read
    new = [one for one in own if not judged.says(shape.grades_of(one.value))]
    if new:
        return _only(new, shape)
    return read


def _is_copy(found: _Candidate, shape: Shape[V], judged: JudgedTexts) -> bool:
    """Return whether reasons and grades stand in what was judged."""
    if judged.holds(found.value):
        return True
    reasons = found.value.get(shape.fields[0])
    is_said = isinstance(reasons, str) and judged.speaks(reasons)
    return is_said and judged.says(shape.grades_of(found.value))


def _only(found: Sequence[_Candidate], shape: Shape[V]) -> V | Unscored:
    """Return the one verdict that all these are, or why there is none."""
    read = [shape.read(one) for one in found]
    given = [one for one in read if not isinstance(one, Unscored)]
    if len({_grades(one, shape) for one in given}) > 1:
        detail = "it holds two different verdicts"
        return Unscored(reason=UnscoredReason.CONTRADICTORY, detail=detail)
    broken = [one for one in read if isinstance(one, Unscored)]
    if broken and given:
        return _unusable(f"beside a verdict stands one that cannot be used: {broken[-1].detail}")
    return read[-1]


def _unusable(detail: str) -> Unscored:
    return Unscored(reason=UnscoredReason.INVALID, detail=detail)


def _grades(verdict: Model, shape: Shape[V]) -> tuple[object, ...]:
    return tuple(getattr(verdict, name) for name in shape.grades)
