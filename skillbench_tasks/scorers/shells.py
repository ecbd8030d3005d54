"""The deterministic scorers as Inspect sees them: thin shells over pure functions.

Each reads the case's checks from the sample's metadata and the episode from its store, so that
`inspect score` grades a finished log again without a model, to the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    grouped,
    mean,
    metric,
    scorer,
    stderr,
    value_to_float,
)
from inspect_ai.solver import TaskState

from skillbench_tasks.models import Checks, Episode, Verdict
from skillbench_tasks.scorers.constraints import constraints_verdict
from skillbench_tasks.scorers.outcome import outcome_verdict
from skillbench_tasks.scorers.rules import rules_verdict
from skillbench_tasks.scorers.state import final_state_verdict
from skillbench_tasks.scorers.stored import read_case
from skillbench_tasks.scorers.verified import user_fault_rate, verified_verdict
from skillbench_tasks.versions import GRADER_VERSION

__all__ = [
    "GROUPS",
    "constraints",
    "deterministic_scorers",
    "final_state",
    "mean_without_user_faults",
    "outcome",
    "rules",
    "scored",
    "stderr_by",
    "stderr_by_skill",
    "unscored",
    "user_faults",
    "verified",
]

CLUSTER: Final = "skill"
"""Scenarios of one skill share flow and tools, so intervals are clustered by skill."""


NOTHING_TO_CHECK: Final = "nothing_to_check"
"""Reason of a score without a value: the case has nothing that could be passed."""

GROUPS: Final = ("industry", "category", "kind")
"""Sample metadata by which results are grouped."""


@metric
def scored() -> Metric:
    """Count the samples that have a value."""

    def count(scores: list[SampleScore]) -> float:
        return float(sum(not _is_nan(score) for score in scores))

    return count


@metric
def unscored() -> Metric:
    """Count the samples whose value is missing (`NaN`)."""

    def count(scores: list[SampleScore]) -> float:
        return float(sum(_is_nan(score) for score in scores))

    return count


@metric(scores="unreduced")
def mean_without_user_faults() -> Metric:
    """Mean over the runs whose simulated user kept its role; `NaN` where there is none.

    Each epoch counts for itself: of one reduced score Inspect keeps the first epoch's metadata.
    """
    to_float = value_to_float()

    def clean_mean(scores: list[SampleScore]) -> float:
        kept = [s for s in scores if not (s.score.metadata or {}).get("user_fault_rate")]
        values = [to_float(s.score.value) for s in kept if not _is_nan(s)]
        return sum(values) / len(values) if values else float("nan")

    return clean_mean


@metric(name="mean", scores="unreduced")
def mean_over_runs() -> Metric:
    """Mean over all runs: what the mean without user faults is compared with."""
    to_float = value_to_float()

    def mean_of(scores: list[SampleScore]) -> float:
        values = [to_float(score.score.value) for score in scores if not _is_nan(score)]
        return sum(values) / len(values) if values else float("nan")

    return mean_of


@metric(name="stderr")
def stderr_by(cluster: str = CLUSTER) -> Metric:
    """Standard error of the mean, clustered where there are at least two clusters.

    One cluster has no spread, and Inspect's error of 0 would look like certainty.

    Args:
        cluster: Key of the samples' metadata whose values make the clusters.
    """
    clustered = cast(Callable[[list[SampleScore]], Value], stderr(cluster=cluster))
    plain = cast(Callable[[list[SampleScore]], Value], stderr())

    def error(scores: list[SampleScore]) -> Value:
        found = {(score.sample_metadata or {}).get(cluster) for score in scores}
        return (clustered if len(found) > 1 else plain)(scores)

    return error


def stderr_by_skill() -> Metric:
    """Return the standard error of the mean, clustered by skill."""
    return stderr_by(CLUSTER)


# Inspect takes samples without a value away before metrics see them and counts them itself
# (`unscored_samples`): a metric `unscored` among these would always say 0.
_OVERALL: Final[list[Metric]] = [mean(), stderr_by_skill(), scored()]
_GROUPS: Final[list[Metric]] = [
    grouped(mean(), key, all=False, name_template=f"{key}={{group_name}}") for key in GROUPS
]


@scorer(metrics=_OVERALL)
def rules() -> Scorer:
    """Protocol A's three deterministic checks: coverage, toolkit, termination."""
    return _shell(rules_verdict)


@scorer(metrics=_OVERALL)
def final_state() -> Scorer:
    """The world after the run against the target world; the explanation holds the diff."""
    return _shell(final_state_verdict)


@scorer(metrics=_OVERALL)
def constraints() -> Scorer:
    """Ordering and prohibition constraints of the skill."""
    return _shell(constraints_verdict)


@scorer(metrics=_OVERALL)
def outcome() -> Scorer:
    """How the conversation ended, with what the user had to be told."""
    return _shell(outcome_verdict)


@scorer(metrics=[*_OVERALL, mean_over_runs(), mean_without_user_faults(), *_GROUPS])
def verified() -> Scorer:
    """All deterministic scorers at once."""
    return _shell(verified_verdict)


@scorer(metrics=[mean(), scored()])
def user_faults() -> Scorer:
    """Share of the simulated user's messages that break its role, from 0 to 1."""

    async def score(state: TaskState, target: Target) -> Score:
        _checks, episode = read_case(state)
        faults = [f"turn {x.turn}: {', '.join(x.faults)}" for x in episode.lines if x.faults]
        explanation = "\n".join(faults) or "none"
        return Score(value=user_fault_rate(episode), explanation=explanation)

    return score


def _shell(verdict_of: Callable[[Checks, Episode], Verdict]) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        checks, episode = read_case(state)
        verdict = verdict_of(checks, episode)
        answer = f"{episode.termination.state} by {episode.termination.by}"
        explanation = "\n".join(verdict.reasons) or "passed"
        metadata = _metadata(verdict, episode)
        if verdict.passed is None:
            return Score.unscored(
                reason=NOTHING_TO_CHECK, answer=answer, explanation=explanation, metadata=metadata
            )
        value = CORRECT if verdict.passed else INCORRECT
        return Score(value=value, answer=answer, explanation=explanation, metadata=metadata)

    return score


def _metadata(verdict: Verdict, episode: Episode) -> dict[str, Any]:
    return {
        "parts": verdict.parts,
        "user_fault_rate": user_fault_rate(episode),
        "grader_version": GRADER_VERSION,
    }


def _is_nan(score: SampleScore) -> bool:
    return isinstance(score.score.value, float) and score.score.value != score.score.value


def deterministic_scorers() -> list[Scorer]:
    """Return the scorers that grade every run of a skill, the headline first."""
    return [verified(), rules(), final_state(), constraints(), outcome(), user_faults()]
