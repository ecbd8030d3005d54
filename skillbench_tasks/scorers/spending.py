"""What a sample cost, by role: the scorer `spend`, read from Inspect's transcript.

Every model call stands there, those through Inspect's bridge too. It is no grade: it stands beside
the grades so that the log carries it, and sums over the run with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspect_ai.event import Event, ModelEvent, ScoreEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.log import transcript
from inspect_ai.model import ModelUsage, model_roles
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from skillbench_tasks.models import ModelCall, Payer, RoleSpend, Tokens
from skillbench_tasks.scorers.spend import (
    add_up,
    per_sample,
    percentile,
    run_totals,
    sample_values,
    turn_seconds,
)

__all__ = ["agent_answers", "role_means", "role_totals", "spend", "turn_latency"]

_JUDGE_ROLE: Final = "judge"
_SCORERS: Final = "scorers"
"""Name of the span in which Inspect runs scorers."""
_AGENT: Final = "agent"
"""Type of the span of an agent's run: one turn."""
_OTHERS: Final = {"user": Payer.USER, "mock": Payer.MOCK}
"""Model roles that are not the agent's, whatever roles of its own an agent has."""


@metric(scores="unreduced")
def role_totals() -> Metric:
    """Tokens by class, calls, retries, seconds and cost of each role and judge, over all runs.

    An epochs' reducer has no say: tokens are no passes. Costs are dollars, left out where no price
    is known, `NaN` where some are.
    """

    def totals(scores: list[SampleScore]) -> dict[str, float]:
        return run_totals(_rows(scores))

    return totals


@metric(scores="unreduced")
def role_means() -> Metric:
    """Tokens, calls, seconds and cost of each role and judge for one run of one sample."""

    def means(scores: list[SampleScore]) -> dict[str, float]:
        return per_sample(run_totals(_rows(scores)), len(scores))

    return means


@metric(scores="unreduced")
def turn_latency() -> Metric:
    """Median and 95th percentile of an agent turn in seconds, with the count of turns."""

    def percentiles(scores: list[SampleScore]) -> dict[str, float]:
        turns = [seconds for s in scores for seconds in _metadata(s)["agent_turn_seconds"]]
        return {
            "agent_turns": float(len(turns)),
            "agent_turn_seconds_median": percentile(turns, 0.5),
            "agent_turn_seconds_p95": percentile(turns, 0.95),
        }

    return percentiles


@scorer(metrics=[turn_latency(), role_means(), role_totals()])
def spend() -> Scorer:
    """Tokens, calls and seconds of agent, user, mocks and judges; stands behind the judges.

    The value holds `<role>_tokens`, `<role>_calls` and `<role>_seconds` for each role, and for each
    judge (`judge_tokens:<model>`). The metadata hold token classes, retries and cost by role and
    model, and the seconds of each agent turn. Judges that a finished log keeps count together with
    those that judge it anew.
    """

    async def score(state: TaskState, target: Target) -> Score:
        calls = list(_calls(_events(state)))
        rows = add_up(calls)
        return Score(
            value=dict(sample_values(rows, _judges())),
            explanation="\n".join(_line(row) for row in rows) or "no model was called",
            metadata={
                "by_model": [row.model_dump(mode="json") for row in rows],
                "agent_turn_seconds": list(turn_seconds(calls)),
            },
        )

    return score


def agent_answers(state: TaskState) -> Iterator[ModelUsage]:
    """Yield the usage of every answer in a sample that is no judge's, cached ones too.

    Args:
        state: The sample; its task has no user and no mocks.
    """
    scoring = False
    for event in _events(state):
        if isinstance(event, SpanBeginEvent) and event.type == _SCORERS:
            scoring = True
        elif isinstance(event, ModelEvent) and not (event.pending or event.error or scoring):
            yield event.output.usage or ModelUsage()


def _events(state: TaskState) -> Sequence[Event]:
    """Return the transcript without what an earlier judging left, if this one overwrites it."""
    events = list(transcript().events)
    begins = [
        index
        for index, event in enumerate(events)
        if isinstance(event, SpanBeginEvent) and event.name == event.type == _SCORERS
    ]
    if len(begins) < 2:
        return events
    given = {event.scorer for event in events[begins[-1] :] if isinstance(event, ScoreEvent)}
    appended = bool(set(state.scores or {}) - given)
    return events if appended else [*events[: begins[0]], *events[begins[-1] :]]


def _calls(events: Sequence[Event]) -> Iterator[ModelCall]:
    """Read model calls; each carries the agent turn in which it was made.

    Where no agent runs (single decisions, replays), each call of the model is a turn.
    """
    turn, turn_span, scoring = -1, None, False
    has_agent = any(isinstance(e, SpanBeginEvent) and e.type == _AGENT for e in events)
    for event in events:
        match event:
            case SpanBeginEvent(type="scorers"):
                scoring = True
            case SpanBeginEvent(type="agent") if turn_span is None and not scoring:
                turn, turn_span = turn + 1, event.id
            case SpanEndEvent() if event.id == turn_span:
                turn_span = None
            case ModelEvent() if not event.pending:
                payer = Payer.JUDGE if scoring else _OTHERS.get(event.role or "", Payer.AGENT)
                if payer is Payer.AGENT and not has_agent and event.error is None:
                    turn += 1
                in_turn = turn_span is not None or not has_agent
                yield _call(event, payer, max(turn, 0) if in_turn else None)
            case _:
                pass


def _call(event: ModelEvent, payer: Payer, turn: int | None) -> ModelCall:
    usage = None if event.cache == "read" else event.output.usage
    seconds = event.working_time or event.output.time or 0.0
    return ModelCall(
        payer=payer,
        model=event.model,
        turn=turn,
        cached=event.cache == "read",
        failed=event.error is not None,
        retries=event.retries or 0,
        seconds=0.0 if event.cache == "read" else seconds,
        tokens=_tokens(usage or ModelUsage()),
        cost=usage.total_cost if usage else None,
    )


def _tokens(usage: ModelUsage) -> Tokens:
    return Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        total=usage.total_tokens,
        cache_read=usage.input_tokens_cache_read or 0,
        cache_write=usage.input_tokens_cache_write or 0,
        reasoning=usage.reasoning_tokens or 0,
    )


def _judges() -> set[str]:
    role = model_roles().get(_JUDGE_ROLE, [])
    return {str(model) for model in (role if isinstance(role, list) else [role])}


def _line(row: RoleSpend) -> str:
    cost = "" if row.cost is None else f", ${row.cost:.4f}"
    return (
        f"{row.payer} {row.model}: {row.calls} calls, {row.tokens.total} tokens, "
        f"{row.seconds:.1f} s{cost}"
    )


def _rows(scores: Sequence[SampleScore]) -> list[RoleSpend]:
    return [RoleSpend.model_validate(row) for s in scores for row in _metadata(s)["by_model"]]


def _metadata(score: SampleScore) -> dict[str, Any]:
    return score.score.metadata or {"by_model": [], "agent_turn_seconds": []}
