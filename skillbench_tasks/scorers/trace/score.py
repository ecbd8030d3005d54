"""The score of one execution of a variant (definitions: `docs/orchestration-scoring.md`).

Five bits of the trace, side effect, terminal output, and what is made of them:

- trace = mean of the five; orchestration = (trace + side effect) / 2;
- final = side effect and terminal output;
- mean = mean of orchestration, final, side effect, trace and terminal output.

An execution that broke off is scored on what it did until then. Where there is nothing to score,
everything is 0 and the error has a class.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from pydantic import Field

from skillbench_tasks.errors import SkillbenchError
from skillbench_tasks.models import Model
from skillbench_tasks.models.sop import Executed
from skillbench_tasks.scorers.trace.comparison import Comparison
from skillbench_tasks.scorers.trace.context import ScoringContext
from skillbench_tasks.scorers.trace.control import control_fault
from skillbench_tasks.scorers.workflow_nodes import prescribes_output
from skillbench_tasks.tools.compare import Difference, diff
from skillbench_tasks.tools.error_class import ErrorClass, error_class
from skillbench_tasks.tools.workflow.language import Program
from skillbench_tasks.tools.workflow.values import equal_values

__all__ = ["METRICS", "Metric", "TraceScore", "VariantScore", "trace_score", "variant_score"]

_REFERENCE_ENDS: Final = ("returned", "completed", "failed")


class Metric(StrEnum):
    """The published metrics, then the components of the trace."""

    ORCHESTRATION = "orchestration"
    FINAL = "final"
    SIDE_EFFECT = "side_effect"
    TRACE = "trace"
    TERMINAL_OUTPUT = "terminal_output"
    MEAN = "mean"
    SELECTION = "selection"
    ORDER = "order"
    EXECUTION = "execution"
    ARGUMENTS = "arguments"
    CONTROL_PATH = "control_path"


METRICS: Final = tuple(Metric)


class TraceScore(Model):
    """The five components of the execution trace; `reasons` says why one is not reached."""

    selection: bool
    order: bool
    execution: bool
    arguments: bool
    control_path: bool
    reasons: dict[str, str] = Field(default_factory=dict)

    @property
    def bits(self) -> tuple[bool, bool, bool, bool, bool]:
        """Selection, order, execution, arguments, control path."""
        return self.selection, self.order, self.execution, self.arguments, self.control_path

    @property
    def value(self) -> float:
        """Mean of the five, from 0 to 1."""
        return sum(self.bits) / len(self.bits)


class VariantScore(Model):
    """The score of one execution of a variant."""

    trace: TraceScore
    side_effect: bool
    terminal_output: bool
    has_output: bool
    """Whether the SOP prescribes an output; where it does not, any is right."""
    differences: tuple[Difference, ...] = ()
    error: ErrorClass | None = None

    @property
    def orchestration(self) -> float:
        """Mean of trace and side effect: the primary metric."""
        return (self.trace.value + self.side_effect) / 2

    @property
    def final(self) -> bool:
        """Side effect and terminal output."""
        return self.side_effect and self.terminal_output

    @property
    def mean(self) -> float:
        """Mean of the five published metrics."""
        bits = self.final + self.side_effect + self.terminal_output
        return (self.orchestration + self.trace.value + bits) / 5

    @property
    def first_fault(self) -> str:
        """The first component that is not reached, with the reason; empty: all are."""
        if self.error is not None:
            return f"{self.error.value}: nothing to score"
        if self.trace.reasons:
            name, reason = next(iter(self.trace.reasons.items()))
            return f"{name}: {reason}"
        if self.differences:
            first = self.differences[0]
            return f"side_effect: {first.kind} {first.collection} {first.key}: {first.detail}"
        return "" if self.terminal_output else "terminal_output: another value"

    def values(self) -> dict[Metric, float]:
        """Return every metric, from 0 to 1."""
        trace = self.trace
        return {
            Metric.ORCHESTRATION: self.orchestration,
            Metric.FINAL: float(self.final),
            Metric.SIDE_EFFECT: float(self.side_effect),
            Metric.TRACE: trace.value,
            Metric.TERMINAL_OUTPUT: float(self.terminal_output),
            Metric.MEAN: self.mean,
            Metric.SELECTION: float(trace.selection),
            Metric.ORDER: float(trace.order),
            Metric.EXECUTION: float(trace.execution),
            Metric.ARGUMENTS: float(trace.arguments),
            Metric.CONTROL_PATH: float(trace.control_path),
        }


def trace_score(
    program: Program, reference: Executed, candidate: Executed, context: ScoringContext
) -> TraceScore:
    """Score the trace of an execution.

    Args:
        program: The reference workflow.
        reference: Its run on the variant.
        candidate: The run that is graded, of whatever protocol.
        context: Schemas, collections, clock and queries.

    Raises:
        SkillbenchError: The reference did not run to its end.
    """
    _check_reference(reference)
    if candidate.status == "nothing":
        return _nothing(candidate.problem)
    return _scored(program, Comparison(reference, candidate, context))


def variant_score(
    program: Program, reference: Executed, candidate: Executed, context: ScoringContext
) -> VariantScore:
    """Score an execution: trace, side effect, terminal output.

    Args:
        program: The reference workflow.
        reference: Its run on the variant.
        candidate: The run that is graded, of whatever protocol.
        context: Schemas, collections, clock and queries.

    Raises:
        SkillbenchError: The reference did not run to its end.
    """
    _check_reference(reference)
    has_output = prescribes_output(program)
    if candidate.status == "nothing":
        return VariantScore(
            trace=_nothing(candidate.problem),
            side_effect=False,
            terminal_output=False,
            has_output=has_output,
            error=error_class(candidate),
        )
    runs = Comparison(reference, candidate, context)
    differences = diff(reference.changes, candidate.changes, context.specs)
    return VariantScore(
        trace=_scored(program, runs),
        side_effect=not differences,
        terminal_output=not has_output or equal_values(*runs.named_outputs()),
        has_output=has_output,
        differences=differences,
    )


def _check_reference(reference: Executed) -> None:
    if reference.status not in _REFERENCE_ENDS:
        raise SkillbenchError(f"a reference run ended as {reference.status}; mend the SOP")


def _nothing(problem: str) -> TraceScore:
    reason = problem or "nothing was executed"
    return TraceScore(
        selection=False,
        order=False,
        execution=False,
        arguments=False,
        control_path=False,
        reasons={"selection": reason},
    )


def _scored(program: Program, runs: Comparison) -> TraceScore:
    reasons = {
        Metric.SELECTION: _selection_fault(runs),
        Metric.ORDER: "" if runs.has_equal_order else "the tools are called in another order",
        Metric.EXECUTION: _execution_fault(runs),
        Metric.ARGUMENTS: runs.wrong_arguments(),
        Metric.CONTROL_PATH: control_fault(program, runs),
    }
    return TraceScore(
        selection=not reasons[Metric.SELECTION],
        order=not reasons[Metric.ORDER],
        execution=not reasons[Metric.EXECUTION],
        arguments=not reasons[Metric.ARGUMENTS],
        control_path=not reasons[Metric.CONTROL_PATH],
        reasons={metric.value: reason for metric, reason in reasons.items() if reason},
    )


def _selection_fault(runs: Comparison) -> str:
    for tool in sorted(runs.expected.keys() | runs.actual.keys()):
        if runs.actual[tool] != runs.expected[tool]:
            return f"{tool} is called {runs.actual[tool]} times instead of {runs.expected[tool]}"
    return ""


def _execution_fault(runs: Comparison) -> str:
    if not runs.has_equal_order:
        return "other calls, or another order"
    for expected, actual in zip(runs.reference.calls, runs.candidate.calls, strict=True):
        if actual.error is not None:
            is_expected = expected.error is not None and expected.error.code == actual.error.code
            if not is_expected:
                return f"{actual.tool} fails: {actual.error.code}"
    return ""
