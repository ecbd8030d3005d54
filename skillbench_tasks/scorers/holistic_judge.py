"""Judges of whole closed-loop replays (protocol B, v; `spec/next-turn.md`).

Every model in the role `judge` labels each replay as a success or not, with a failure category and
a rationale. Label, gate (no tool error is left) and success, which is both, are rows of their own;
agreement and categories are of the labels. A label that cannot be had is unscored, never a failure.
`inspect score` judges a finished log anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from skillbench_tasks.errors import EpisodeError
from skillbench_tasks.models.conversation import Conversation
from skillbench_tasks.models.judgement import ReplayFailure
from skillbench_tasks.models.replay_record import GOLD_KEY
from skillbench_tasks.scorers.group_metrics import Judged, failure_categories, group_means
from skillbench_tasks.scorers.judges import where_judged
from skillbench_tasks.scorers.label_panel import Ballot, LabelPanel
from skillbench_tasks.scorers.label_verdict import REPLAY_LABELS
from skillbench_tasks.scorers.panel import TieRule, vote_value
from skillbench_tasks.scorers.panel_metrics import judge_agreement
from skillbench_tasks.scorers.panel_settings import TIMEOUT_SECONDS, UNSCORED_MAX
from skillbench_tasks.scorers.replay_prompt import replay_case
from skillbench_tasks.scorers.replay_score import ReplayScore, replay_score
from skillbench_tasks.scorers.rubric import WHOLE_REPLAY_RUBRIC
from skillbench_tasks.scorers.shells import stderr_by
from skillbench_tasks.scorers.workflow import read_replay

__all__ = ["HOLISTIC_LABEL", "HOLISTIC_SUCCESS", "holistic_judge", "holistic_judge_of_run"]

HOLISTIC_LABEL: Final = "holistic_label"
"""Key of the panel's label in a score's value, as the judges gave it."""

HOLISTIC_SUCCESS: Final = "holistic_success"
"""Key of the label behind the gate."""

_FIRST_TRY: Final = f"{HOLISTIC_SUCCESS}_first_try"
_GATE: Final = "no_tool_error"
_STRICT_GATE: Final = "no_rejected_call"


@scorer(
    metrics=[
        judge_agreement(HOLISTIC_LABEL),
        failure_categories(Judged.REPLAYS),
        {"*": [mean(), stderr_by("skill"), group_means(["needs", "novelty"])]},
    ]
)
def holistic_judge(
    samples: int = 1,
    tie: str = TieRule.FAIL,
    rubric: str | None = None,
    max_unscored: float = UNSCORED_MAX,
    timeout: int = TIMEOUT_SECONDS,
) -> Scorer:
    """Label a replay by every model in the role `judge`; without that role there is no score.

    Nor is there one for a replay that an error broke off: it says nothing of the agent. One that a
    limit broke off is a failure.

    The value holds `holistic_label`; `no_tool_error` (every rejected call was put right) and
    `no_rejected_call`; `holistic_success` and `holistic_success_first_try`, the label where the one
    or the other holds; the label `pass:<judge>@<rubric version>` and the success
    `success:<judge>@…` of each judge. `NaN` is unscored.

    Args:
        samples: Answers asked of each judge; its vote is their majority.
        tie: What an even vote says: `fail`, `pass` or `unscored`.
        rubric: A rubric file of one's own; default: the protocol's.
        max_unscored: Share of verdicts that may be missing, from 0 to 1.
        timeout: Seconds after which a judge's call is given up.

    Raises:
        OptionError: An option is off its range.
        DataError: The rubric cannot be read.
    """
    panel = LabelPanel(
        REPLAY_LABELS,
        Path(rubric) if rubric else WHOLE_REPLAY_RUBRIC,
        samples=samples,
        tie=tie,
        max_unscored=max_unscored,
        timeout=timeout,
    )

    async def score(state: TaskState, target: Target) -> Score | None:
        judges = panel.judges()
        record = read_replay(state) if judges else None
        if record is None:
            return None
        ballot = await panel.vote(judges, replay_case(_gold(state), record))
        found = replay_score(record)
        values = _values(ballot, found)
        return ballot.score(values, {"tool_errors": list(found.tool_errors)})

    return score


def holistic_judge_of_run(samples: int, tie: str, rubric: str | None) -> list[Scorer]:
    """Return the judges as a task's scorer, or nothing where the run surely has none."""
    return where_judged(holistic_judge(samples=samples, tie=tie, rubric=rubric))


def _values(ballot: Ballot[ReplayFailure], found: ReplayScore) -> dict[str, float]:
    label = ballot.passed
    is_resolved, is_clean = not found.tool_errors, not found.rejected_calls
    return {
        HOLISTIC_LABEL: vote_value(label),
        _GATE: float(is_resolved),
        _STRICT_GATE: float(is_clean),
        HOLISTIC_SUCCESS: vote_value(_gated(label, is_resolved)),
        _FIRST_TRY: vote_value(_gated(label, is_resolved and is_clean)),
        **{
            f"success:{name}": vote_value(_gated(ballot.votes[name].passed, is_resolved))
            for name in sorted(ballot.votes)
        },
    }


def _gated(label: bool | None, is_open: bool) -> bool | None:
    """Return a label behind a gate; without a label nothing is known."""
    return None if label is None else label and is_open


def _gold(state: TaskState) -> Conversation:
    if GOLD_KEY not in state.metadata:
        problem = "the sample's metadata holds no gold conversation; use our dataset"
        raise EpisodeError(str(state.sample_id), problem)
    return Conversation.model_validate_json(state.metadata[GOLD_KEY]["json"])
