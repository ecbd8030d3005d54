"""Scorers of single decisions (protocol B, i and iii): text overlap and strict tool correctness."""

from __future__ import annotations

import json
from typing import Any, Final

from inspect_ai.scorer import Metric, Score, Scorer, Target, grouped, mean, scorer
from inspect_ai.solver import TaskState
from pydantic import TypeAdapter

from skillbench_tasks.errors import EpisodeError
from skillbench_tasks.models.conversation import CalledTool, Said, Step
from skillbench_tasks.models.prediction_record import (
    DECISION_KEY,
    PREDICTION_KEY,
    PredictionRecord,
)
from skillbench_tasks.scorers.shells import stderr_by
from skillbench_tasks.scorers.stored import has_erred, stored_value
from skillbench_tasks.scorers.text_overlap import rouge_1 as rouge_1_overlap
from skillbench_tasks.scorers.tool_match import match_prediction
from skillbench_tasks.tools.call_forms import CallForms
from skillbench_tasks.tools.prediction import Prediction
from skillbench_tasks.versions import GRADER_VERSION

__all__ = ["NOT_APPLICABLE", "NO_PREDICTION", "rouge_1", "strict_tool"]

NOT_APPLICABLE: Final = "not_applicable"
"""Reason of a score that a decision cannot have: text overlap of a call, correctness of a text."""

NO_PREDICTION: Final = "no_prediction"
"""Reason where a limit broke the decision off; what an error broke off has no score at all."""

_STEP: Final[TypeAdapter[Said | CalledTool]] = TypeAdapter(Step)
_METRICS: Final[list[Metric]] = [
    mean(),
    stderr_by("conversation"),
    grouped(mean(), "novelty", all=False, name_template="novelty={group_name}"),
]


@scorer(metrics=_METRICS)
def rouge_1() -> Scorer:
    """ROUGE-1 F1 of a text against the reference text, 0–1; only for text decisions."""

    async def score(state: TaskState, target: Target) -> Score | None:
        found = _read(state)
        if found is None:
            return _without_prediction()
        reference, _record, prediction = found
        if not isinstance(reference, Said):
            return _not_applicable("the reference is a tool call")
        overlap = rouge_1_overlap(prediction.text, reference.text)
        verdict = f"F1 {overlap.f1:.2f}" + (f" ({overlap.reason})" if overlap.reason else "")
        return Score(
            value=overlap.f1,
            answer=_shown(prediction),
            explanation=_side_by_side(_shown(prediction), reference.text, verdict),
            metadata=_metadata(prediction, precision=overlap.precision, recall=overlap.recall),
        )

    return score


@scorer(metrics={"*": _METRICS})
def strict_tool() -> Scorer:
    """Exact call, function name, argument F1 and equivalence of a call; only for tool decisions.

    `equivalent` is `NaN` where the world of the conversation cannot be started.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        found = _read(state)
        if found is None:
            return _without_prediction()
        reference, record, prediction = found
        tools = json.loads(state.metadata[DECISION_KEY]["tools"])
        schemas = {tool["name"]: tool["input_schema"] for tool in tools}
        match = match_prediction(CallForms(schemas), prediction, reference)
        if match is None or isinstance(reference, Said):
            return _not_applicable("the reference is a text")
        same = record.equivalent
        call = f"{reference.tool}({json.dumps(reference.arguments, ensure_ascii=False)})"
        return Score(
            value={
                "exact": float(match.exact),
                "function_name": float(match.function_name),
                "argument_f1": match.argument_f1,
                "equivalent": float("nan") if same is None else float(same or match.exact),
            },
            answer=_shown(prediction),
            explanation=_side_by_side(
                _shown(prediction),
                call,
                f"{match.reason or 'exact'}; {record.equivalent_reason or 'no world to try it on'}",
            ),
            metadata=_metadata(prediction, has_call=match.has_call),
        )

    return score


def _read(state: TaskState) -> tuple[Said | CalledTool, PredictionRecord, Prediction] | None:
    """Return reference and prediction, or `None` where there is no prediction."""
    sample = str(state.sample_id)
    if DECISION_KEY not in state.metadata:
        raise EpisodeError(sample, "the sample's metadata holds no decision; use our dataset")
    stored = stored_value(state, PREDICTION_KEY)
    if stored is None:
        return None
    record = PredictionRecord.model_validate(stored)
    reference = _STEP.validate_json(state.metadata[DECISION_KEY]["json"])
    return reference, record, Prediction.model_validate(record.prediction)


def _not_applicable(why: str) -> Score:
    return Score.unscored(reason=NOT_APPLICABLE, explanation=why)


def _without_prediction() -> Score | None:
    explanation = "a limit broke the decision off"
    return None if has_erred() else Score.unscored(reason=NO_PREDICTION, explanation=explanation)


def _side_by_side(prediction: str, reference: str, verdict: str) -> str:
    """Return a table for a reader; what would break its cells is written otherwise."""
    cells = [
        text.replace("|", "\\|").replace("\n", " ⏎ ") for text in (prediction, reference, verdict)
    ]
    return f"| prediction | reference |\n| --- | --- |\n| {cells[0]} | {cells[1]} |\n\n{cells[2]}"


def _shown(prediction: Prediction) -> str:
    calls = [
        f"{call.tool}({json.dumps(call.arguments, ensure_ascii=False)})"
        for call in prediction.calls
    ]
    return "\n".join([*([prediction.text] if prediction.text else []), *calls]) or "(nothing)"


def _metadata(prediction: Prediction, **more: Any) -> dict[str, Any]:
    flags = [str(flag) for flag in prediction.flags]
    return {"flags": flags, "grader_version": GRADER_VERSION, **more}
