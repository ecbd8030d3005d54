"""A run in which too many verdicts are missing is marked failed; its samples and results stay.

Inspect counts a task without sample errors as a success whatever its judges did. Importing this
module registers a hook that looks at the panels' rows `valid` when a task ends; a panel imports it
when a run has one, so that runs without judges are left alone.
"""

from __future__ import annotations

from anyio import to_thread
from inspect_ai.hooks import Hooks, TaskEnd, hooks
from inspect_ai.log import EvalError, EvalLog, read_eval_log, write_eval_log

from skillbench_tasks.scorers.panel_metrics import VALID

__all__ = ["PANELS", "JudgeBound", "missing_verdicts"]

PANELS = ("judge_panel", "turn_judge", "holistic_judge", "replayed_texts")
"""How the names of judges' scorers begin."""


def missing_verdicts(log: EvalLog) -> str | None:
    """Return what is missing when a panel's coverage is below the run's bound, else `None`.

    Args:
        log: A log with results; its samples are not looked at.
    """
    for score in log.results.scores if log.results else []:
        if (
            not score.scorer.startswith(PANELS)
            or VALID not in score.metrics
            or score.metrics[VALID].value
        ):
            continue
        planned = int(score.metrics["planned"].value)
        counts = {
            name.removeprefix("unscored: "): int(metric.value)
            for name, metric in score.metrics.items()
            if name.startswith("unscored: ") and metric.value
        }
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        return (
            f"judge verdicts are missing beyond the bound of {score.scorer}: {told} of {planned}; "
            "mend the judges and judge this log again with `inspect score`"
        )
    return None


@hooks(name="judge_bound", description="marks a run failed when too many verdicts are missing")
class JudgeBound(Hooks):
    """Marks the log of a task as failed."""

    async def on_task_end(self, data: TaskEnd) -> None:
        """Look at a task's results and mark its log, on disk and in hand."""
        problem = missing_verdicts(data.log)
        if problem is None or data.log.status != "success":
            return
        error = EvalError(message=problem, traceback="", traceback_ansi="")
        await to_thread.run_sync(_mark, data.log.location, error)  # other tasks go on meanwhile
        if data.eval_set_id is None:  # an eval set would run it again and again, to no avail
            data.log.status, data.log.error = "error", error


def _mark(location: str, error: EvalError) -> None:
    stored = read_eval_log(location)
    stored.status, stored.error = "error", error
    write_eval_log(stored, location)
