"""What predictors without a model score on single decisions and in the closed loop.

The baselines are the floors; the reference in other words is the ceiling, held against the one that
the data give (`skillbench_tasks.reports.next_turn_ceilings`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample

from skillbench_tasks.closed_loop import closed_loop
from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.datasets.decisions import conversations_of_split
from skillbench_tasks.errors import SkillbenchError
from skillbench_tasks.gold_history import gold_history
from skillbench_tasks.models.replay_record import Match
from skillbench_tasks.reports.baselines import BaselineResult
from skillbench_tasks.reports.next_turn_ceilings import Ceilings, ceilings
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.solvers.predictors import BASELINES, REWORDED

__all__ = ["run_floors"]

_TURN_ROWS: Final[tuple[str, ...]] = (
    "rouge_1",
    "exact",
    "argument_f1",
    "function_name",
    "exact_any_wording",
    "argument_f1_any_wording",
    "equivalent",
)
_GROUPS: Final = ("tools", "no_tools")
_ROUNDING: Final = 1e-9


def run_floors(log_dir: Path, dataset: str | None = None) -> BaselineResult:
    """Run the reference and every predictor without a model through both tasks of protocol B.

    The bounds: the reference has everything; in other words it has exactly what its ceiling says;
    nothing else completes a workflow that needs tools.

    Args:
        log_dir: Where the logs go.
        dataset: Conversations, as `-T dataset` names them; default: what ships (single decisions:
            its evaluation split, workflows: all of it).
    """
    rows, broken = [], []
    split = "all" if dataset is None else None
    ceiling = _ceiling(dataset)
    for name in ("reference", REWORDED, *BASELINES):
        turns = _means(_run(gold_history(dataset=dataset, predictor=name), log_dir, name))
        row = [f"{100 * turns[scorer]:.1f} %" for scorer in _TURN_ROWS if scorer in turns]
        for match in Match if dataset is None else (Match.STRICT,):
            task = closed_loop(dataset=dataset, split=split, predictor=name, match=match)
            log = _run(task, log_dir, name)
            done, loose = _completed(log), _completed(log, "completion_any_wording")
            row += [f"{done[group][0]}/{done[group][1]}" for group in _GROUPS]
            row.append(f"{loose['tools'][0]}/{loose['tools'][1]}")
            if name == REWORDED:
                broken += _off_ceiling(ceiling, match, turns, done, loose)
            else:
                broken += _broken(name, match, turns, done)
        rows.append((name, *row))
    header = [scorer for scorer in _TURN_ROWS if scorer in turns]
    matches = [str(match) for match in Match] if dataset is None else ["strict"]
    groups = (*_GROUPS, "tools, any wording")
    header += [f"{match}, {group}" for match in matches for group in groups]
    rows.append(("ceiling", *_ceiling_row(ceiling, len(header), list(turns))))
    return BaselineResult(text_table(("predictor", *header), rows), tuple(broken))


def _ceiling(dataset: str | None) -> Ceilings:
    source = open_conversations(dataset)
    turns = conversations_of_split(source, None, is_shipped=dataset is None)
    return ceilings(map(source.conversation, turns), source.conversations())


def _ceiling_row(ceiling: Ceilings, width: int, turns: Sequence[str]) -> list[str]:
    """Return the ceilings of the strict figures that words of one's own lower."""
    named = {"exact": ceiling.exact, "argument_f1": ceiling.argument_f1}
    shown = [name for name in _TURN_ROWS if name in turns]
    row = [f"{100 * named[name]:.1f} %" if name in named else "" for name in shown]
    row.append(f"{ceiling.completed}/{ceiling.workflows}")
    return row + [""] * (width - len(row))


def _off_ceiling(
    ceiling: Ceilings,
    match: Match,
    turns: Mapping[str, float],
    done: Mapping[str, tuple[int, int]],
    loose: Mapping[str, tuple[int, int]],
) -> list[str]:
    """Return where the reference in other words is not exactly at its ceiling."""
    want = {
        "exact": ceiling.exact,
        "argument_f1": ceiling.argument_f1,
        "exact_any_wording": 1.0,
        "argument_f1_any_wording": 1.0,
    }
    off = [f"{n} is {turns[n]}, not {v}" for n, v in want.items() if abs(turns[n] - v) > _ROUNDING]
    count = ceiling.completed if match is Match.STRICT else ceiling.workflows
    if done["tools"][0] != count:
        off.append(f"{match}: completes {done['tools'][0]}, not {count}")
    if loose["tools"][0] != ceiling.workflows:
        off.append(f"{match}, any wording: completes {loose['tools'][0]}, not {ceiling.workflows}")
    return [f"{REWORDED}: {one}" for one in off]


def _run(task: Task, log_dir: Path, name: str) -> EvalLog:
    log = inspect_eval(
        task, model="none/none", log_dir=str(log_dir), display="none", score_display=False
    )[0]
    if log.status != "success" or log.results is None:
        reason = log.error.message if log.error else log.status
        raise SkillbenchError(f"the run of {name} failed: {reason}")
    return log


def _means(log: EvalLog) -> dict[str, float]:
    return {
        score.name: float(score.metrics["mean"].value)
        for score in (log.results.scores if log.results else [])
        if score.scored_samples and "mean" in score.metrics
    }


def _completed(log: EvalLog, row: str = "completion") -> dict[str, tuple[int, int]]:
    """Return completed and all workflows, for those that need tools and those that do not."""
    samples = log.samples or []
    return {
        group: (sum(_is_completed(one, row) for one in of), len(of))
        for group in _GROUPS
        for of in [[one for one in samples if one.metadata["needs"] == group]]
    }


def _is_completed(sample: EvalSample, row: str) -> bool:
    value = sample.scores["workflow"].value if sample.scores else None
    return isinstance(value, dict) and value[row] == 1


def _broken(
    name: str, match: Match, turns: Mapping[str, float], done: Mapping[str, tuple[int, int]]
) -> list[str]:
    if name == "reference":
        low = [f"{scorer} is {value}" for scorer, value in turns.items() if value < 1]
        low += [f"{match}: {a} of {b} ({group})" for group, (a, b) in done.items() if a < b]
        return [f"reference: {one}" for one in low]
    count = done["tools"][0]
    return [f"{name}: completes {count} workflows that need tools ({match})"] if count else []
