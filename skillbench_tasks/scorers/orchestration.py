"""Scorer of the protocols of orchestration: every execution of a sample against the reference.

Means are over variants, not over samples: a sample may hold all variants of a SOP, or one
(`docs/orchestration-scoring.md`). Everything is scored from the stored record.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from skillbench_tasks.datasets.sops.running import start_world
from skillbench_tasks.errors import EpisodeError, SkillbenchError
from skillbench_tasks.models.plan_record import (
    PLAN_KEY,
    REFERENCE_KEY,
    OrchestrationRecord,
    Origin,
    PlanRound,
    Protocol,
    ReferenceCase,
    ReferenceRun,
    VariantRun,
)
from skillbench_tasks.models.sop import Executed, ExecutedCall, Variant
from skillbench_tasks.scorers.orchestration_cost import Cost
from skillbench_tasks.scorers.orchestration_rows import SHOWN, rows_of
from skillbench_tasks.scorers.orchestration_totals import Totals
from skillbench_tasks.scorers.spending import agent_answers
from skillbench_tasks.scorers.stored import has_erred, stored_value
from skillbench_tasks.scorers.trace import Metric, ScoringContext, VariantScore, variant_score
from skillbench_tasks.scorers.workflow_strata import strata
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.connectors.queries import QUERY_ARGUMENTS, equal_queries
from skillbench_tasks.tools.workflow import Program, parse_program
from skillbench_tasks.versions import GRADER_VERSION

__all__ = ["grade_run", "orchestration", "orchestration_rows"]

_FLOOR: Final = Executed(status="completed")
"""A run that does nothing: an empty plan, or stopping at once."""

_HEADS: Final = (
    "variant",
    "orchestration",
    "selection",
    "order",
    "execution",
    "arguments",
    "control",
    "side effect",
    "output",
    "first fault",
)
Graded: TypeAlias = tuple[VariantRun, VariantScore]
"""An execution with its score."""

_LIMIT: Final = "model: a limit broke the sample off before there was a plan"


class _Queries:
    """Queries of one variant, compared by result or state on its start world."""

    def __init__(self, variant: Variant) -> None:
        self._world = start_world(variant)

    def arguments(self, tool: str) -> tuple[str, ...]:
        """Return the arguments of a tool that are a query."""
        return QUERY_ARGUMENTS.get(tool, ())

    def equal(self, argument: str, reference: ExecutedCall, candidate: ExecutedCall) -> bool:
        """Return whether two queries give the same result, or leave the same state."""
        return equal_queries(reference.tool, reference.arguments, candidate.arguments, self._world)


@metric(scores="unreduced")
def orchestration_rows() -> InspectMetric:
    """Means over all variants of all samples: the metrics, errors, validity, floor, rounds.

    `… given validity` is over the variants that had something to execute; `floor …` is what doing
    nothing earns on the same variants, `orchestration minus floor` the mean difference and
    `… above floor` the mean of what is more than that. Rows of rounds are there where a plan was
    revised. With epochs an execution counts anew.
    """

    def rows(scores: list[SampleScore]) -> dict[str, float]:
        told = [s.score.metadata for s in scores if s.score.metadata]
        return dict(rows_of(told)) if told else {}

    return rows


@metric
def reduced_orchestration() -> InspectMetric:
    """Mean of the samples' orchestration after the epochs' reducer (`pass_k_2`, `at_least_2` …).

    The rows above are over all variants of all epochs, whatever the reducer.
    """

    def mean_of(scores: list[SampleScore]) -> float:
        values = [one.score.value for one in scores]
        told = [v[str(Metric.ORCHESTRATION)] for v in values if isinstance(v, Mapping)]
        return math.fsum(float(v) for v in told if isinstance(v, int | float)) / max(len(told), 1)

    return mean_of


@scorer(metrics=[orchestration_rows(), reduced_orchestration()])
def orchestration() -> Scorer:
    """Trace, side effect, terminal output and what is made of them, of every execution.

    The value holds the five published metrics as means over the sample's variants, in the last
    round; the metadata hold every variant of every round.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        if REFERENCE_KEY not in state.metadata:
            problem = "the sample's metadata holds no reference; use our dataset"
            raise EpisodeError(str(state.sample_id), problem)
        case = ReferenceCase.model_validate_json(state.metadata[REFERENCE_KEY]["json"])
        record = _record(state, case)
        if record is None:
            return None
        return _score(case, record, list(agent_answers(state)))

    return score


def _record(state: TaskState, case: ReferenceCase) -> OrchestrationRecord | None:
    """Return what the sample left; none where an error broke it off."""
    if has_erred():
        return None
    stored = stored_value(state, PLAN_KEY)
    if stored is not None:
        return OrchestrationRecord.model_validate(stored)
    nothing = Executed(status="nothing", problem=_LIMIT)
    runs = tuple(VariantRun(variant=run.variant.id, executed=nothing) for run in case.runs)
    rounds = (PlanRound(problem=_LIMIT, runs=runs),)
    return OrchestrationRecord(sop=case.sop, protocol=Protocol.GLOBAL, rounds=rounds, versions={})


def _score(
    case: ReferenceCase, record: OrchestrationRecord, answers: Sequence[ModelUsage]
) -> Score:
    program = _program(case)
    references = {run.variant.id: run for run in case.runs}
    rounds = [_graded(one, references, program) for one in record.rounds]
    last = rounds[-1]
    floors = {name: grade_run(one, _FLOOR, program) for name, one in references.items()}
    above = (score.orchestration - floors[run.variant].orchestration for run, score in last)
    values = [score.values() for _, score in last]
    variants = [
        {
            **_told(run, score, references[run.variant], program),
            "round": number,
            "floor": floors[run.variant].orchestration,
        }
        for number, graded in enumerate(rounds)
        for run, score in graded
    ]
    of_last = variants[-len(last) :]
    return Score(
        value={str(one): sum(v[one] for v in values) / len(values) for one in SHOWN},
        answer=_answer(record.rounds[-1]),
        explanation=_page(rounds, record),
        metadata={
            "protocol": str(record.protocol),
            "start": None if record.start is None else record.start.model_dump(mode="json"),
            "first_plan": record.rounds[0].digest,
            "origins": [str(one.origin) for one in record.rounds],
            "cost": _cost(record, answers).model_dump(mode="json"),
            "totals": [_stored(score for _, score in graded) for graded in rounds],
            "held_out": [_stored(_held_out(graded)) for graded in rounds]
            if _is_split(last)
            else [],
            "floor": _stored(floors.values()),
            "floor_of_valid": _stored(
                floors[run.variant] for run, score in last if score.error is None
            ),
            "floor_held_out": _stored(
                floors[run.variant] for run, _ in last if _is_split(last) and not run.is_fed_back
            ),
            "above_floor": sum(max(one, 0.0) for one in above),
            "refused_calls": sum(one["refused_calls"] for one in of_last),
            "without_refused": math.fsum(one["without_refused"] for one in of_last),
            "variants": variants,
            "grader_version": GRADER_VERSION,
        },
    )


def _cost(record: OrchestrationRecord, answers: Sequence[ModelUsage]) -> Cost:
    return Cost(
        variants=len(record.rounds[-1].runs),
        calls=len(answers),
        completion_tokens=sum(one.output_tokens for one in answers),
        calls_not_made=sum(one.origin is Origin.FROM_LOG for one in record.rounds),
    )


def _stored(scores: Iterable[VariantScore]) -> dict[str, Any]:
    return Totals.of(scores).model_dump(mode="json")


def _held_out(graded: Sequence[Graded]) -> Iterator[VariantScore]:
    return (score for run, score in graded if not run.is_fed_back)


def _is_split(graded: Sequence[Graded]) -> bool:
    return 0 < sum(run.is_fed_back for run, _ in graded) < len(graded)


def _graded(one: PlanRound, references: dict[str, ReferenceRun], program: Program) -> list[Graded]:
    return [(run, grade_run(references[run.variant], run.executed, program)) for run in one.runs]


def grade_run(reference: ReferenceRun, candidate: Executed, program: Program) -> VariantScore:
    """Score one execution of a variant.

    Args:
        reference: The variant with the run of the reference on it.
        candidate: The execution.
        program: The reference workflow.
    """
    context = ScoringContext(
        _schemas(), connectors.collections(), _now(), _Queries(reference.variant)
    )
    return variant_score(program, reference.executed, candidate, context)


@lru_cache(maxsize=1)
def _schemas() -> dict[str, Any]:
    return {name: tool.spec.input_schema for name, tool in connectors.tools().items()}


@lru_cache(maxsize=1)
def _now() -> str:
    from skillbench_tasks.datasets.sops.workspace import base_world

    return base_world().now


def _program(case: ReferenceCase) -> Program:
    program = parse_program(case.program)
    if not isinstance(program, Program):
        raise SkillbenchError(f"sop {case.sop}: the stored reference is no workflow")
    return program


def _told(
    run: VariantRun, score: VariantScore, reference: ReferenceRun, program: Program
) -> dict[str, Any]:
    return {
        "variant": run.variant,
        "is_fed_back": run.is_fed_back,
        "values": {str(name): value for name, value in score.values().items()},
        "error": None if score.error is None else str(score.error),
        "first_fault": score.first_fault,
        **_without_refused(run.executed, score, reference, program),
        "strata": strata(program, reference.variant).model_dump(mode="json"),
    }


def _without_refused(
    run: Executed, score: VariantScore, reference: ReferenceRun, program: Program
) -> dict[str, Any]:
    """Return how many calls were refused, and the score of the run without them.

    A refusal that the reference meets too is due, as often as it does.
    """
    due = Counter(_refusal(call) for call in reference.executed.calls)
    kept = []
    for call in run.calls:
        refusal = _refusal(call)
        if refusal is None or due[refusal] > 0:
            kept.append(call)
        due[refusal] -= 1
    count = len(run.calls) - len(kept)
    if count:
        score = grade_run(reference, run.model_copy(update={"calls": tuple(kept)}), program)
    return {"refused_calls": count, "without_refused": score.orchestration}


def _refusal(call: ExecutedCall) -> tuple[str, str] | None:
    """Return tool and code of a call that was refused as it stood, so that nothing ran."""
    if call.error is None or not call.error.is_refusal:
        return None
    return call.tool, call.error.code


def _page(rounds: Sequence[Sequence[Graded]], record: OrchestrationRecord) -> str:
    """Return a table for a reader: each variant with its metrics and what failed first."""
    problem = record.rounds[-1].problem
    lines = [f"No valid plan: {problem}", ""] if problem else []
    if len(rounds) > 1:
        pairs = zip(rounds, record.rounds, strict=True)
        means = (_round_mean(graded, one.origin) for graded, one in pairs)
        lines += [f"Orchestration by round: {' → '.join(means)}", ""]
    if all(score.error is not None for _, score in rounds[-1]):
        return "\n".join([*lines, "Nothing was executed."])
    lines += [_line(_HEADS), _line("---" for _ in _HEADS)]
    for run, score in rounds[-1]:
        bits = (*score.trace.bits, score.side_effect, score.terminal_output)
        fault = score.first_fault.replace("|", "\\|").replace("\n", " ")
        name = f"#{run.variant.rpartition('#')[2]}"
        marks = ("✓" if bit else "✗" for bit in bits)
        lines.append(_line((name, f"{score.orchestration:.2f}", *marks, fault)))
    return "\n".join(lines)


def _round_mean(graded: Sequence[Graded], origin: Origin) -> str:
    mean = sum(score.orchestration for _, score in graded) / len(graded)
    told = "" if origin is Origin.WRITTEN else f" ({str(origin).replace('_', ' ')})"
    return f"{mean:.2f}{told}"


def _answer(last: PlanRound) -> str:
    return last.problem.partition(":")[0] or f"executed on {len(last.runs)}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
