"""Scorer of the protocols of orchestration: every execution of a sample against the reference.

Means are over variants, not over samples: a sample may hold all variants of a SOP, or one
(`docs/orchestration-scoring.md`). Everything is scored from the stored record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
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
    PlanRound,
    Protocol,
    ReferenceCase,
    ReferenceRun,
    VariantRun,
)
from skillbench_tasks.models.sop import Executed, ExecutedCall, Variant
from skillbench_tasks.scorers.orchestration_cost import Cost
from skillbench_tasks.scorers.orchestration_totals import Totals
from skillbench_tasks.scorers.spending import agent_answers
from skillbench_tasks.scorers.statistic import Undefined
from skillbench_tasks.scorers.stored import has_erred, stored_value
from skillbench_tasks.scorers.trace import Metric, ScoringContext, VariantScore, variant_score
from skillbench_tasks.scorers.workflow_strata import strata
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.connectors.queries import QUERY_ARGUMENTS, equal_queries
from skillbench_tasks.tools.workflow import Program, parse_program
from skillbench_tasks.versions import GRADER_VERSION

__all__ = ["grade_run", "orchestration", "orchestration_rows"]

_SHOWN: Final = (
    Metric.ORCHESTRATION,
    Metric.FINAL,
    Metric.SIDE_EFFECT,
    Metric.TRACE,
    Metric.TERMINAL_OUTPUT,
)
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
    nothing earns on the same variants, `orchestration above floor` the mean of what is more than
    that. Rows of rounds are there where a plan was revised. With epochs an execution counts anew.
    """

    def rows(scores: list[SampleScore]) -> dict[str, float]:
        told = [s.score.metadata for s in scores if s.score.metadata]
        return dict(_rows(told)) if told else {}

    return rows


def _rows(told: Sequence[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    total = _added(told, "totals", -1)
    for one in Metric:
        yield from _row(str(one), total.mean(one))
    yield "variants", float(total.variants)
    yield from _row("error rate", total.error_rate())
    yield from _row("validity", total.validity())
    for one in _SHOWN:
        yield from _row(f"{one} given validity", total.mean_given_validity(one))
    floor = Totals.added(Totals.model_validate(one["floor"]) for one in told)
    for one in _SHOWN:
        yield from _row(f"floor {one}", floor.mean(one))
    if total.variants:
        yield (
            "orchestration above floor",
            math.fsum(s["above_floor"] for s in told) / total.variants,
        )
    for kind, count in sorted(total.errors.items()):
        yield f"errors {kind}", float(count)
    yield from Cost.added(Cost.model_validate(one["cost"]) for one in told).rows()
    yield from _round_rows(told)


def _round_rows(told: Sequence[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    rounds = max(len(one["totals"]) for one in told)
    for number in range(rounds if rounds > 1 else 0):
        total = _added(told, "totals", number)
        yield from _row(f"round {number} orchestration", total.mean(Metric.ORCHESTRATION))
        yield from _row(f"round {number} final", total.mean(Metric.FINAL))
        yield from _row(f"round {number} validity", total.validity())
        held_out = _added(told, "held_out", number)
        if held_out.variants:
            name = f"round {number} held-out orchestration"
            yield from _row(name, held_out.mean(Metric.ORCHESTRATION))
            yield f"round {number} held-out variants", float(held_out.variants)


def _added(told: Sequence[dict[str, Any]], key: str, number: int) -> Totals:
    """Return totals of a round; a sample with fewer rounds counts with its last one."""
    return Totals.added(
        Totals.model_validate(one[key][min(number, len(one[key]) - 1)]) for one in told if one[key]
    )


def _row(name: str, value: float | Undefined) -> Iterator[tuple[str, float]]:
    if not isinstance(value, Undefined):
        yield name, value


@scorer(metrics=[orchestration_rows()])
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
    held_out = [
        Totals.of(score for run, score in graded if not run.is_fed_back) for graded in rounds
    ]
    is_split = 0 < sum(run.is_fed_back for run, _ in rounds[-1]) < len(rounds[-1])
    totals = [Totals.of(score for _, score in graded) for graded in rounds]
    floors = {name: grade_run(one, _FLOOR, program) for name, one in references.items()}
    above = (score.orchestration - floors[run.variant].orchestration for run, score in rounds[-1])
    values = [score.values() for _, score in rounds[-1]]
    return Score(
        value={str(one): sum(v[one] for v in values) / len(values) for one in _SHOWN},
        answer=_answer(record.rounds[-1]),
        explanation=_page(rounds, record.rounds[-1].problem),
        metadata={
            "protocol": str(record.protocol),
            "cost": Cost(
                variants=len(values),
                calls=len(answers),
                completion_tokens=sum(one.output_tokens for one in answers),
            ).model_dump(mode="json"),
            "totals": [one.model_dump(mode="json") for one in totals],
            "held_out": [one.model_dump(mode="json") for one in held_out] if is_split else [],
            "floor": Totals.of(floors.values()).model_dump(mode="json"),
            "above_floor": sum(max(one, 0.0) for one in above),
            "variants": [
                _told(number, run, score, references[run.variant], program)
                for number, graded in enumerate(rounds)
                for run, score in graded
            ],
            "grader_version": GRADER_VERSION,
        },
    )


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
    number: int, run: VariantRun, score: VariantScore, reference: ReferenceRun, program: Program
) -> dict[str, Any]:
    return {
        "round": number,
        "variant": run.variant,
        "is_fed_back": run.is_fed_back,
        "values": {str(name): value for name, value in score.values().items()},
        "error": None if score.error is None else str(score.error),
        "first_fault": score.first_fault,
        "strata": strata(program, reference.variant).model_dump(mode="json"),
    }


def _page(rounds: Sequence[Sequence[Graded]], problem: str) -> str:
    """Return a table for a reader: each variant with its metrics and what failed first."""
    lines = [f"No valid plan: {problem}", ""] if problem else []
    if len(rounds) > 1:
        means = (sum(score.orchestration for _, score in one) / len(one) for one in rounds)
        lines += ["Orchestration by round: " + " → ".join(f"{one:.2f}" for one in means), ""]
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


def _answer(last: PlanRound) -> str:
    return last.problem.partition(":")[0] or f"executed on {len(last.runs)}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
