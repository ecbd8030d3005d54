"""Scorer of a whole replay (protocol B iv): was the workflow completed, and how errors spread."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    mean,
    metric,
    scorer,
)
from inspect_ai.solver import TaskState

from skillbench_tasks.errors import EpisodeError
from skillbench_tasks.models.replay_record import (
    REPLAY_KEY,
    CallStatus,
    Outcome,
    ReplayedCall,
    ReplayRecord,
)
from skillbench_tasks.scorers.group_metrics import group_means
from skillbench_tasks.scorers.replay_score import replay_score
from skillbench_tasks.scorers.shells import stderr_by_skill
from skillbench_tasks.scorers.stored import has_erred, stored_value
from skillbench_tasks.versions import GRADER_VERSION

__all__ = ["error_propagation", "read_replay", "workflow"]

_MARKS: Final = {
    CallStatus.MATCHED: "✓",
    CallStatus.EQUIVALENT: "≈",
    CallStatus.EXTRA_READ: "·",
    CallStatus.REJECTED: "✗",
}
_METRICS: Final[list[Metric]] = [
    mean(),
    stderr_by_skill(),
    group_means(["needs", "novelty"]),
]


@metric(scores="unreduced")
def error_propagation() -> Metric:
    """How first errors spread, over all replays: where they come, and what fails behind them.

    Shares are over decisions, not means over replays; a row whose share has no decisions is left
    out. `tool decisions failed` is over all tool decisions: what the share behind an error is to be
    compared with.
    """

    def rows(scores: list[SampleScore]) -> dict[str, float]:
        told = [s.score.metadata for s in scores if s.score.metadata]
        return dict(_propagation_rows(told))

    return rows


def _propagation_rows(told: Sequence[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    with_error = [one for one in told if one["first_error"] is not None]
    yield "replays", float(len(told))
    yield "replays with an error", float(len(with_error))
    if with_error:
        first = [one["first_error"] for one in with_error]
        yield "first error at decision", sum(first) / len(first)
        corrected = sum(one["first_error_corrected"] for one in with_error)
        yield "first error corrected", corrected / len(with_error)
    for label, failed, of in (
        ("tool decisions failed", "tool_failed", "tool_decisions"),
        ("later decisions failed", "later_failed", "later_decisions"),
        ("later tool decisions failed", "later_tool_failed", "later_tool_decisions"),
    ):
        total = sum(one[of] for one in told)
        yield f"{label} n", float(total)
        if total:
            yield label, sum(one[failed] for one in told) / total


@scorer(metrics=[error_propagation(), {"*": _METRICS}])
def workflow() -> Scorer:
    """Completion of the workflow: no unresolved error (`completion`), no rejected call at all."""

    async def score(state: TaskState, target: Target) -> Score | None:
        record = read_replay(state)
        if record is None:
            return None
        found = replay_score(record)
        return Score(
            value={
                "completion": float(found.completion),
                "completion_first_try": float(found.completion_first_try),
                "completion_any_wording": float(found.completion_any_wording),
            },
            answer="completed" if found.completion else "not completed",
            explanation="\n\n".join(("; ".join(found.reasons) or "completed", _page(record))),
            metadata={
                **found.propagation.model_dump(mode="json"),
                "tool_decisions": found.tool_decisions,
                "tool_failed": found.tool_failed,
                "match": str(record.match),
                "grader_version": GRADER_VERSION,
            },
        )

    return score


def read_replay(state: TaskState) -> ReplayRecord | None:
    """Return the replay of a sample, or `None` where an error broke it off: it says nothing.

    A replay that a limit broke off is one.
    """
    stored = stored_value(state, REPLAY_KEY)
    if stored is None:
        if has_erred():
            return None
        problem = "the log holds no replay; run the task's own solver"
        raise EpisodeError(str(state.sample_id), problem)
    record = ReplayRecord.model_validate(stored)
    is_whole = all(one.outcome is not Outcome.NOT_REACHED for one in record.decisions)
    return record if is_whole or not has_erred() else None


def _page(record: ReplayRecord) -> str:
    """Return the replay for a reader: a line for each event, calls with what became of them."""
    return "\n\n".join(
        _call(event) if isinstance(event, ReplayedCall) else f"**{event.role}**: {event.text}"
        for event in record.events
    )


def _call(event: ReplayedCall) -> str:
    arguments = json.dumps(event.arguments, ensure_ascii=False)
    place = "" if event.decision is None else f" at decision {event.decision + 1}"
    reason = f": {event.reason}" if event.reason else ""
    return f"{_MARKS[event.status]} `{event.tool}({arguments})` {event.status}{place}{reason}"
