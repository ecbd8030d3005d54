"""Why a variant has no scoreable execution.

An execution of the status `nothing` says so in its `problem`, which begins with the class:
`reference: steps[2].items: no name …`. So the class is found again in a stored run.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from skillbench_tasks.models.sop import Executed
from skillbench_tasks.tools.workflow.language import Finding

__all__ = ["INVALID_PLAN", "ErrorClass", "error_class", "findings_problem", "problem_text"]


class ErrorClass(StrEnum):
    """Classes of failure that leave nothing to execute.

    `parse_shape`, `schema_type` and `reference` are the layers of the validator: the plan is
    invalid. `planning`: no plan came of it, whatever was said (none proposed, an editor never
    closed, the output cut off). `model`: the model gave no answer (refusal, content filter,
    context overflow). `infrastructure`: provider, network, rate limit, time-out. `evaluation`: our
    own harness failed.
    """

    PARSE_SHAPE = "parse_shape"
    SCHEMA_TYPE = "schema_type"
    REFERENCE = "reference"
    PLANNING = "planning"
    MODEL = "model"
    INFRASTRUCTURE = "infrastructure"
    EVALUATION = "evaluation"


INVALID_PLAN: Final = frozenset(
    {ErrorClass.PARSE_SHAPE, ErrorClass.SCHEMA_TYPE, ErrorClass.REFERENCE}
)
"""Classes in which there was a plan, and the validator refused it."""

_OF_LAYER: Final = {
    "shape": ErrorClass.PARSE_SHAPE,
    "schema": ErrorClass.SCHEMA_TYPE,
    "references": ErrorClass.REFERENCE,
}


def problem_text(kind: ErrorClass, detail: str) -> str:
    """Return the `problem` of an execution that has nothing to execute."""
    return f"{kind.value}: {detail}"


def findings_problem(findings: Sequence[Finding]) -> str:
    """Return the `problem` of a plan that the validator refused; it names the first finding.

    Raises:
        ValueError: There is no finding.
    """
    if not findings:
        raise ValueError("a plan without findings is valid")
    first = findings[0]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return problem_text(_OF_LAYER[first.layer], f"{first.path}: {first.message}{more}")


def error_class(candidate: Executed, findings: Sequence[Finding] = ()) -> ErrorClass | None:
    """Return why there is nothing to score, or `None`: something was executed.

    An execution that broke off (`failed`, `invalid`, `exhausted`, `stopped`) is scored on what it
    did, so it has no class. A problem that names no class is ours: `evaluation`.

    Args:
        candidate: The execution.
        findings: What the validator found in its plan, where the problem does not say it.
    """
    if candidate.status != "nothing":
        return None
    if findings:
        return _OF_LAYER[findings[0].layer]
    named, _, _ = candidate.problem.partition(":")
    return ErrorClass(named) if named in set(ErrorClass) else ErrorClass.EVALUATION
