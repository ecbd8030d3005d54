"""Judges of single next actions (protocol B, ii; `spec/next-turn.md`).

Every model in the role `judge` labels each prediction as acceptable or not, at temperature 0, with
a failure category and a rationale. A label that cannot be had is unscored, never a failure.
`inspect score` judges a finished log anew: all that is needed stands in the sample.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState
from pydantic import TypeAdapter

from skillbench_tasks.errors import EpisodeError
from skillbench_tasks.models.conversation import CalledTool, ConversationTool, Said, Step
from skillbench_tasks.models.prediction_record import (
    DECISION_KEY,
    GO_ON,
    PREDICTION_KEY,
    PredictionRecord,
)
from skillbench_tasks.scorers.group_metrics import Judged, failure_categories, group_means
from skillbench_tasks.scorers.judge_lines import CaseFile, Event, called, said
from skillbench_tasks.scorers.judges import where_judged
from skillbench_tasks.scorers.label_panel import LabelPanel
from skillbench_tasks.scorers.label_verdict import TURN_LABELS
from skillbench_tasks.scorers.panel import TieRule, vote_value
from skillbench_tasks.scorers.panel_metrics import judge_agreement
from skillbench_tasks.scorers.panel_settings import TIMEOUT_SECONDS, UNSCORED_MAX
from skillbench_tasks.scorers.rubric import NEXT_TURN_RUBRIC
from skillbench_tasks.scorers.shells import stderr_by
from skillbench_tasks.scorers.stored import stored_value
from skillbench_tasks.scorers.turn_prompt import turn_case
from skillbench_tasks.tools.prediction import Prediction

__all__ = ["TURN_SUCCESS", "history_events", "read_turn", "turn_judge", "turn_judge_of_run"]

TURN_SUCCESS: Final = "turn_success"
"""Key of the panel's label in a score's value."""

_NAN: Final = float("nan")
_STEP: Final[TypeAdapter[Said | CalledTool]] = TypeAdapter(Step)
_CALL: Final = TypeAdapter(CalledTool)
_TOOLS: Final = TypeAdapter(tuple[ConversationTool, ...])


@scorer(
    metrics=[
        judge_agreement(TURN_SUCCESS),
        failure_categories(Judged.TURNS),
        {"*": [mean(), stderr_by("conversation")], f"*{TURN_SUCCESS}": [group_means(["novelty"])]},
    ]
)
def turn_judge(
    samples: int = 1,
    tie: str = TieRule.FAIL,
    rubric: str | None = None,
    max_unscored: float = UNSCORED_MAX,
    timeout: int = TIMEOUT_SECONDS,
) -> Scorer:
    """Label a prediction by every model in the role `judge`; without that role there is no score.

    Nor is there one where an error or a limit left no prediction.

    The value holds `turn_success`, the same as `text_turn_success` or `tool_turn_success`, and
    `pass:<judge>@<rubric version>`. `NaN` is unscored, or of the other kind of decision.

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
        TURN_LABELS,
        Path(rubric) if rubric else NEXT_TURN_RUBRIC,
        samples=samples,
        tie=tie,
        max_unscored=max_unscored,
        timeout=timeout,
    )

    async def score(state: TaskState, target: Target) -> Score | None:
        judges = panel.judges()
        case = read_turn(state) if judges else None
        if case is None:
            return None
        ballot = await panel.vote(judges, case)
        found = vote_value(ballot.passed)
        kinds = {
            f"{kind}_{TURN_SUCCESS}": found if state.metadata["action"] == kind else _NAN
            for kind in ("text", "tool")
        }
        return ballot.score({TURN_SUCCESS: found, **kinds})

    return score


def turn_judge_of_run(samples: int, tie: str, rubric: str | None) -> list[Scorer]:
    """Return the judges as a task's scorer, or nothing where the run surely has none."""
    return where_judged(turn_judge(samples=samples, tie=tie, rubric=rubric))


def read_turn(state: TaskState) -> CaseFile | None:
    """Return what judges read of a sample, or `None` where it holds no prediction.

    Raises:
        EpisodeError: The sample is no decision.
    """
    stored = stored_value(state, PREDICTION_KEY)
    if stored is None:
        return None
    if DECISION_KEY not in state.metadata:
        problem = "the sample's metadata holds no decision; use our dataset"
        raise EpisodeError(str(state.sample_id), problem)
    record = PredictionRecord.model_validate(stored)
    decision = state.metadata[DECISION_KEY]
    policy, *history = state.messages[: record.history]
    return turn_case(
        policy.text,
        _TOOLS.validate_json(decision["tools"]),
        list(history_events(history)),
        _STEP.validate_json(decision["json"]),
        Prediction.model_validate(record.prediction),
        [_CALL.validate_json(one) for one in decision.get("beside", ())],
    )


def history_events(messages: Sequence[ChatMessage]) -> Iterator[Event]:
    """Yield messages as judges read them: each call with its answer; the harness's are left out.

    Args:
        messages: The messages behind the policy.
    """
    answers = {one.tool_call_id: one for one in messages if isinstance(one, ChatMessageTool)}
    for message in messages:
        if isinstance(message, ChatMessageUser) and not (message.metadata or {}).get(GO_ON):
            yield said("user", message.text)
        elif isinstance(message, ChatMessageAssistant):
            if message.text:
                yield said("assistant", message.text)
            for call in message.tool_calls or []:
                yield {**called(call.function, call.arguments), **_answer(answers.get(call.id))}


def _answer(message: ChatMessageTool | None) -> Event:
    if message is None:
        return {}
    answer = _json(message.text)
    if message.error is None:
        return {"answer": answer}
    return {"error": answer.get("error", answer) if isinstance(answer, dict) else answer}


def _json(text: str) -> Any:
    """Return the value that a text holds as JSON, or the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
