"""Judges of the texts in a closed-loop replay: each on the model's own history before it.

The closed loop lets any text pass, so what fails behind an error is counted too low. Here every
text that stands for a gold text is labelled by the rubric of single next actions
(`skillbench_tasks.scorers.turn_judge`), with the history in which the model wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
from inspect_ai.solver import TaskState

from skillbench_tasks.errors import EpisodeError
from skillbench_tasks.models.conversation import Conversation, Said
from skillbench_tasks.models.replay_record import GOLD_KEY, ReplayedText, ReplayRecord
from skillbench_tasks.scorers.judge_lines import CaseFile, Event, called, said
from skillbench_tasks.scorers.judges import where_judged
from skillbench_tasks.scorers.label_panel import LabelPanel
from skillbench_tasks.scorers.label_verdict import TURN_LABELS
from skillbench_tasks.scorers.panel import TieRule
from skillbench_tasks.scorers.panel_settings import TIMEOUT_SECONDS, UNSCORED_MAX
from skillbench_tasks.scorers.replay_score import propagation
from skillbench_tasks.scorers.rubric import NEXT_TURN_RUBRIC
from skillbench_tasks.scorers.shells import stderr_by_skill
from skillbench_tasks.scorers.turn_prompt import turn_case
from skillbench_tasks.scorers.turns import NOT_APPLICABLE
from skillbench_tasks.scorers.workflow import read_replay
from skillbench_tasks.tools.prediction import Prediction

__all__ = ["judged_texts", "replayed_texts", "replayed_texts_of_run", "text_cases"]


@metric(scores="unreduced")
def judged_texts() -> Metric:
    """How errors spread with texts judged, and without: shares over decisions, with their n.

    Both are over the same replays: those whose texts were all judged.
    """

    def rows(scores: list[SampleScore]) -> dict[str, float]:
        told = [one.score.metadata for one in scores if one.score.metadata]
        return dict(_rows([one for one in told if "spread" in one]))

    return rows


def _rows(told: Sequence[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    texts = [text["passed"] for one in told for text in one["texts"]]
    yield "texts judged", float(sum(passed is not None for passed in texts))
    yield "texts unscored", float(sum(passed is None for passed in texts))
    whole = [one for one in told if all(text["passed"] is not None for text in one["texts"])]
    yield "replays with all texts judged", float(len(whole))
    for label, key in (("texts judged", "spread"), ("texts not judged", "spread_without")):
        count = sum(one[key]["later_decisions"] for one in whole)
        yield f"later decisions n, {label}", float(count)
        if count:
            failed = sum(one[key]["later_failed"] for one in whole)
            yield f"later decisions failed, {label}", failed / count


@scorer(metrics=[judged_texts(), {"*": [mean(), stderr_by_skill()]}])
def replayed_texts(
    samples: int = 1,
    tie: str = TieRule.FAIL,
    rubric: str | None = None,
    max_unscored: float = UNSCORED_MAX,
    timeout: int = TIMEOUT_SECONDS,
) -> Scorer:
    """Label each text of a replay by every model in the role `judge`.

    The value is the share of its texts that are acceptable, over those that could be judged.

    Args:
        samples: Answers asked of each judge; its vote is their majority.
        tie: What an even vote says: `fail`, `pass` or `unscored`.
        rubric: A rubric file of one's own; default: that of single next actions.
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
        record = read_replay(state) if judges else None
        if record is None:
            return None
        cases = dict(text_cases(_gold(state), record))
        if not cases:
            return Score.unscored(reason=NOT_APPLICABLE, explanation="no text was due and said")
        texts = []
        for number, case in cases.items():
            ballot = await panel.vote(judges, case)
            answers = (ballot.score({}).metadata or {})["answers"]
            texts.append({"decision": number, "passed": ballot.passed, "answers": answers})
        return _score(record, texts)

    return score


def replayed_texts_of_run(samples: int, tie: str) -> list[Scorer]:
    """Return the judges as a task's scorer, or nothing where the run surely has none."""
    return where_judged(replayed_texts(samples=samples, tie=tie))


def text_cases(gold: Conversation, record: ReplayRecord) -> Iterator[tuple[int, CaseFile]]:
    """Yield each text that stands for a gold text: its decision, and what a judge reads of it.

    Args:
        gold: The gold conversation.
        record: The replay.
    """
    references = {one.number: gold.steps[one.step] for one in gold.decisions}
    history: list[Event] = []
    for event in record.events:
        if not isinstance(event, ReplayedText):
            answer = {"answer": event.result}
            if event.error is not None:
                answer = {"error": event.error.model_dump(mode="json")}
            history.append({**called(event.tool, event.arguments), **answer})
            continue
        reference = references.get(event.decision) if event.decision is not None else None
        if isinstance(reference, Said) and event.decision is not None:
            text = Prediction(action="text", text=event.text)
            case = turn_case(gold.policy, gold.tools, list(history), reference, text)
            yield event.decision, case
        history.append(said(event.role, event.text))


def _score(record: ReplayRecord, texts: list[dict[str, Any]]) -> Score:
    verdicts = [text["passed"] for text in texts if text["passed"] is not None]
    failed = {text["decision"] for text in texts if text["passed"] is False}
    value = sum(verdicts) / len(verdicts) if verdicts else float("nan")
    return Score(
        value={"replayed_text_success": value},
        answer=f"{sum(verdicts)} of {len(verdicts)} texts",
        explanation="not acceptable: decisions " + ", ".join(str(n + 1) for n in sorted(failed))
        if failed
        else "every text is acceptable",
        reason=None if verdicts else "too few judges gave a verdict",
        metadata={
            "texts": texts,
            "spread": propagation(record.decisions, failed).model_dump(mode="json"),
            "spread_without": propagation(record.decisions).model_dump(mode="json"),
        },
    )


def _gold(state: TaskState) -> Conversation:
    if GOLD_KEY not in state.metadata:
        problem = "the sample's metadata holds no gold conversation; use our dataset"
        raise EpisodeError(str(state.sample_id), problem)
    return Conversation.model_validate_json(state.metadata[GOLD_KEY]["json"])
