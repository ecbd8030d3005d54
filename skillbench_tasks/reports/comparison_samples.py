"""What the samples of logs are and have scored, from their summaries."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspect_ai.log import EvalLog, EvalSampleSummary
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score

from skillbench_tasks.errors import DataError
from skillbench_tasks.reports.comparison import MEASUREMENTS, Case, SideScores
from skillbench_tasks.reports.error_spread import ErrorTrace, error_trace
from skillbench_tasks.scorers.panel_metrics import PASS_PREFIX

__all__ = ["BlockSamples", "block_samples"]

_GROUPS: Final = ("skill", "kind", "novelty", "action", "needs")
_JUDGED: Final = frozenset({"turn_judge", "holistic_judge"})
_LETTERS: Final = {CORRECT: 1.0, INCORRECT: 0.0, PARTIAL: 0.5, NOANSWER: 0.0}
_TRACED: Final = "workflow"


@dataclass(frozen=True)
class BlockSamples:
    """The samples of one side, task and setting.

    Args:
        cases: Id → what the sample asks; those that no run has reached are absent.
        scores: What was planned, and the values over epochs.
        measured: Scorers that the logs hold.
        graders: Scorer → versions of the grader that gave its values.
        judgings: Judged scorer → who judged and how; one where all samples were judged alike.
        traces: The errors of each replay.
    """

    cases: Mapping[str, Case]
    scores: SideScores
    measured: frozenset[str]
    graders: Mapping[str, frozenset[str]]
    judgings: Mapping[str, frozenset[str]]
    traces: tuple[ErrorTrace, ...]


def block_samples(
    task: str,
    planned: frozenset[str],
    logs: Sequence[tuple[str, EvalLog, Sequence[EvalSampleSummary]]],
) -> BlockSamples:
    """Return the samples of logs of one task and setting.

    A run that an error broke off counts as unscored, as in every table of ours.

    Args:
        task: The task.
        planned: Ids of the samples that the runs ask for.
        logs: Each log's file, head and summaries.

    Raises:
        DataError: A score's value is no number.
    """
    wanted = frozenset(m.scorer for m in MEASUREMENTS if m.task == task)
    cases: dict[str, Case] = {}
    values: dict[str, dict[str, list[float]]] = {}
    graders: dict[str, set[str]] = {}
    judgings: dict[str, set[str]] = {}
    measured: set[str] = set()
    traces: list[ErrorTrace] = []
    for file, head, run in _in_order(logs):
        case = cases.setdefault(str(run.id), _case(run))
        for scorer, score in (run.scores or {}).items() if run.error is None else ():
            if scorer not in wanted:
                continue
            measured.add(scorer)
            found = dict(_numbers(file, scorer, score))
            for name, value in found.items():
                values.setdefault(name, {}).setdefault(case.id, []).append(value)
            if found:
                graders.setdefault(scorer, set()).add(_grader(head, score))
            if scorer in _JUDGED and isinstance(score.value, Mapping):
                judgings.setdefault(scorer, set()).add(_judging(score))
            if scorer == _TRACED:
                needs = case.groups.get("needs", "")
                trace = error_trace(case.conversation, needs, score.metadata or {})
                traces += [trace] if trace else []
    return BlockSamples(
        cases=cases,
        scores=SideScores(planned, {name: _means(found) for name, found in values.items()}),
        measured=frozenset(measured),
        graders={scorer: frozenset(found) for scorer, found in graders.items()},
        judgings={scorer: frozenset(found) for scorer, found in judgings.items()},
        traces=tuple(traces),
    )


def _in_order(
    logs: Sequence[tuple[str, EvalLog, Sequence[EvalSampleSummary]]],
) -> Iterator[tuple[str, EvalLog, EvalSampleSummary]]:
    """Yield the runs by sample and epoch, in whatever order they ended."""
    listed = [(file, head, run) for file, head, runs in logs for run in runs]
    yield from sorted(listed, key=lambda one: (str(one[2].id), one[2].epoch))


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {one: math.fsum(found) / len(found) for one, found in values.items()}


def _case(run: EvalSampleSummary) -> Case:
    asked = run.input if isinstance(run.input, str) else [(m.role, m.text) for m in run.input]
    content = [asked, run.target, run.metadata]
    return Case(
        id=str(run.id),
        conversation=str(run.metadata.get("conversation", run.id)),
        groups={key: str(run.metadata[key]) for key in _GROUPS if key in run.metadata},
        content=json.dumps(content, sort_keys=True, ensure_ascii=False, default=str),
    )


def _numbers(file: str, scorer: str, score: Score) -> Iterator[tuple[str, float]]:
    """Yield the values of a score by their names; unscored ones are left out."""
    is_mapping = isinstance(score.value, Mapping)
    parts: Mapping[Any, Any] = (
        score.value if isinstance(score.value, Mapping) else {"": score.value}
    )
    for key, value in parts.items():
        name = f"{scorer}/{key}" if is_mapping else scorer
        if value is None:
            continue
        number = _LETTERS.get(value) if isinstance(value, str) else value
        if not isinstance(number, int | float):
            raise DataError(file, name, f"{value!r} is no number", "score the log again")
        if math.isfinite(number):
            yield name, float(number)


def _grader(head: EvalLog, score: Score) -> str:
    """Return the grader's version: the score's own, for a log may have been scored again."""
    own = (score.metadata or {}).get("grader_version")
    return str(own or (head.eval.metadata or {}).get("grader", "unknown"))


def _judging(score: Score) -> str:
    """Return who judged and by what: judges with their rubric's version, and how votes count."""
    keys = score.value if isinstance(score.value, Mapping) else {}
    judges = sorted(
        str(key).removeprefix(PASS_PREFIX) for key in keys if str(key).startswith(PASS_PREFIX)
    )
    stored = score.metadata or {}
    rubric = stored.get("rubric")
    told = {
        "rubric": rubric.get("sha256") if isinstance(rubric, Mapping) else None,
        "answers": stored.get("samples"),
        "tie": stored.get("tie"),
    }
    settings = ", ".join(f"{k} {str(v)[:8]}" for k, v in told.items() if v is not None)
    return (", ".join(judges) or "unnamed judges") + (f" ({settings})" if settings else "")
