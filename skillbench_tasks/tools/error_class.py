"""Why a variant has no scoreable execution.

An execution of the status `nothing` says so in its `problem`, which begins with the class:
`reference: steps[2].items: no name …`. So the class is found again in a stored run.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, assert_never

from skillbench_tasks.models.sop import Executed
from skillbench_tasks.tools.workflow.language import Finding

__all__ = [
    "FAILED_VALIDATION",
    "INVALID_PLAN",
    "NOT_PARSED",
    "ErrorClass",
    "SourceClass",
    "error_class",
    "findings_problem",
    "problem_text",
    "source_class",
]


class ErrorClass(StrEnum):
    """Classes of failure that leave nothing to execute.

    `response_parsing`: there was an answer, and no workflow can be read from it (prose, nothing,
    cut off, no JSON). `parse_shape`, `schema_type` and `reference` are the layers of the validator:
    the plan is invalid. `planning`: the protocol was not carried through to a plan (an editor never
    closed). `model`: the model gave no answer (refusal, content filter, context overflow).
    `infrastructure`: provider, network, rate limit, time-out. `evaluation`: our own harness failed.
    """

    RESPONSE_PARSING = "response_parsing"
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

NOT_PARSED: Final = frozenset({ErrorClass.RESPONSE_PARSING, ErrorClass.PARSE_SHAPE})
"""Of the failure classes of repaired workflows the one: no workflow in form (*parse/shape*)."""

FAILED_VALIDATION: Final = frozenset({ErrorClass.SCHEMA_TYPE, ErrorClass.REFERENCE})
"""The other: it had parsed, and its schemas, types or references failed (*validator*)."""


class SourceClass(StrEnum):
    """The source's classes of failure, in its words."""

    RESPONSE_PARSING = "response parsing"
    VALIDATION_PLANNING = "validation/planning"
    MODEL = "model"
    INFRASTRUCTURE = "infrastructure"
    EVALUATION = "evaluation"


def source_class(kind: ErrorClass) -> SourceClass:
    """Return under which of the source's classes a failure falls."""
    match kind:
        case ErrorClass.RESPONSE_PARSING:
            return SourceClass.RESPONSE_PARSING
        case (
            ErrorClass.PARSE_SHAPE
            | ErrorClass.SCHEMA_TYPE
            | ErrorClass.REFERENCE
            | ErrorClass.PLANNING
        ):
            return SourceClass.VALIDATION_PLANNING
        case ErrorClass.MODEL:
            return SourceClass.MODEL
        case ErrorClass.INFRASTRUCTURE:
            return SourceClass.INFRASTRUCTURE
        case ErrorClass.EVALUATION:
            return SourceClass.EVALUATION
        case _:
            assert_never(kind)


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
