"""Protocol B's verdict: a binary label, a failure category, and how they are read.

The parser is tolerant of form (fences, prose, case, `1` for a pass, blanks in a category) and of
nothing else: a category off its closed set, or a pass with a failure, leaves the answer unscored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic

from pydantic import JsonValue

from skillbench_tasks.models.judgement import (
    FailureT,
    Label,
    LabelVerdict,
    ReplayFailure,
    TurnFailure,
    Unscored,
    UnscoredReason,
)
from skillbench_tasks.scorers.judge_answer import Shape, invalid, read_answer
from skillbench_tasks.scorers.judged_texts import NOTHING_JUDGED, JudgedTexts
from skillbench_tasks.scorers.verdict_key import keyed_schema

__all__ = ["FIELDS", "REPLAY_LABELS", "TURN_LABELS", "Labels"]

FIELDS: Final = ("rationale", "label", "failure_category")
"""Keys of a verdict, in the order in which judges give them: reasons before the label."""

_NONE: Final = "none"
_PASS_FORMS: Final = frozenset({"pass", "1", "true"})
_FAIL_FORMS: Final = frozenset({"fail", "0", "false"})


@dataclass(frozen=True)
class Labels(Generic[FailureT]):
    """Verdicts with the failure categories of one protocol.

    Args:
        categories: The closed set, `none` among them.
        verdict: The model of a verdict.
    """

    categories: type[FailureT]
    verdict: type[LabelVerdict[FailureT]]

    @cached_property
    def shape(self) -> Shape[LabelVerdict[FailureT]]:
        """The form of a verdict."""
        return Shape(FIELDS, self._validated)

    def read(
        self, answer: str, judged: JudgedTexts = NOTHING_JUDGED, key: str | None = None
    ) -> LabelVerdict[FailureT] | Unscored:
        """Read a judge's answer, as `read_answer` does.

        Args:
            answer: The text.
            judged: What the judge read.
            key: The key that it was told.
        """
        return read_answer(answer, self.shape, judged, key)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a verdict in the subset that structured output takes."""
        categories = [str(one) for one in self.categories]
        schema = {
            "type": "object",
            "properties": {
                "rationale": {"type": "string"},
                "label": {"type": "string", "enum": [str(one) for one in Label]},
                "failure_category": {"type": "string", "enum": categories},
            },
            "required": list(FIELDS),
            "additionalProperties": False,
        }
        return keyed_schema(schema)

    def _validated(self, found: Mapping[str, JsonValue]) -> LabelVerdict[FailureT] | Unscored:
        rationale, label, category = (found[name] for name in FIELDS)
        if not isinstance(rationale, str):
            return invalid("rationale", rationale, "it must be a text")
        read = _label(label)
        if read is None:
            return invalid("label", label, "it must be pass or fail")
        named = _tidied(category)
        if named not in list(self.categories):
            expected = f"it must be one of {', '.join(self.categories)}"
            return invalid("failure_category", category, expected)
        if (read is Label.PASS) != (named == _NONE):
            detail = f"label {read} and failure_category {named} contradict: none is for a pass"
            return Unscored(reason=UnscoredReason.INVALID, detail=detail)
        return self.verdict.model_validate(
            {"rationale": rationale, "label": read, "failure_category": named}
        )


def _label(value: JsonValue) -> Label | None:
    """Return a label where only its form differs; `true` and 1 are numbers alike."""
    if isinstance(value, int | float):
        return Label.PASS if value == 1 else Label.FAIL if value == 0 else None
    text = _tidied(value)
    return Label.PASS if text in _PASS_FORMS else Label.FAIL if text in _FAIL_FORMS else None


def _tidied(value: JsonValue) -> str | None:
    return "_".join(value.lower().split()) if isinstance(value, str) else None


TURN_LABELS: Final = Labels(TurnFailure, LabelVerdict[TurnFailure])
"""Of next actions (protocol B, ii)."""

REPLAY_LABELS: Final = Labels(ReplayFailure, LabelVerdict[ReplayFailure])
"""Of whole replays (protocol B, v)."""
