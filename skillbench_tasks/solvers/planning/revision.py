"""What an answer to a request for a revision does to the workflow: replaces it, or keeps it.

| answer | the workflow | counted as |
| --- | --- | --- |
| a workflow that can be read, valid or not | replaced | `written` |
| the same workflow again, or the object `{"unchanged": true}` | kept | `unchanged` |
| a workflow that cannot be read: broken, cut off, without `steps` | replaced by none | `written` |
| no workflow: prose, another object, nothing, a refusal | kept | `no_revision` |

Of several objects the last counts. Whether a workflow was meant is told by its form (an object with
a key that the language requires, or the written member `"steps":`), never by what prose says.
"""

from __future__ import annotations

import re
from typing import Final

from inspect_ai.model import ModelOutput
from pydantic import JsonValue

from skillbench_tasks.json_text import find_json_objects
from skillbench_tasks.models.plan_record import Origin
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.solvers.planning.plans import Plan, answer_problem, read_plan
from skillbench_tasks.tools.prediction import read_prediction
from skillbench_tasks.tools.workflow.language import Program

__all__ = ["UNCHANGED_KEY", "revised"]

UNCHANGED_KEY: Final = "unchanged"
"""Key of the object by which a model declares that its workflow stays."""

_REQUIRED: Final = frozenset(
    name for name, field in Program.model_fields.items() if field.is_required()
)
_CHARACTERS_MAX: Final = 200_000
"""Longer answers are no word that all stays: they are read as a plan, whatever comes of it."""
_STEPS_MEMBER: Final = re.compile(r"""(["'])steps\1\s*:""")


def revised(output: ModelOutput, current: Plan, sop: Sop) -> tuple[Plan, Origin]:
    """Return the workflow after an answer, and how it came about.

    Args:
        output: The answer.
        current: The workflow before it.
        sop: The SOP.
    """
    if answer_problem(output):
        return current, Origin.NO_REVISION
    if len(output.completion) > _CHARACTERS_MAX:
        return read_plan(output, sop), Origin.WRITTEN
    text = read_prediction(output.completion).text
    found = list(find_json_objects(text))
    told = [one for one in found if "steps" in one or _declares_unchanged(one)]
    if told and "steps" not in told[-1]:
        return current, Origin.UNCHANGED
    if not told and not _means_workflow(text, found):
        return current, Origin.NO_REVISION
    plan = read_plan(output, sop)
    if plan.data is not None and plan.digest == current.digest:
        return current, Origin.UNCHANGED
    return plan, Origin.WRITTEN


def _declares_unchanged(value: dict[str, JsonValue]) -> bool:
    return value.get(UNCHANGED_KEY) is True


def _means_workflow(text: str, found: list[dict[str, JsonValue]]) -> bool:
    if any(not _REQUIRED.isdisjoint(one) for one in found):
        return True
    return "{" in text and _STEPS_MEMBER.search(text) is not None
