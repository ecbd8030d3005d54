"""A task built in Python does not know its judges: rows of a panel that had none are taken out.

Such a task carries its panel, in case a run gives models in the role `judge`. Without one Inspect
still makes rows of it, one named `*`. Importing this module registers a hook that takes them out.
"""

from __future__ import annotations

from anyio import to_thread
from inspect_ai.hooks import Hooks, TaskEnd, hooks
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log

from skillbench_tasks.scorers.panel_bound import PANELS

__all__ = ["IdlePanels", "without_idle_panels"]


def without_idle_panels(log: EvalLog) -> bool:
    """Take the rows of panels that judged nothing, for want of a judge, out of a log's results.

    Args:
        log: A log with results; its samples are not looked at.

    Returns:
        Whether there was any.
    """
    if log.results is None or "judge" in (log.eval.model_roles or {}):
        return False
    kept = [
        row
        for row in log.results.scores
        if not row.scorer.startswith(PANELS) or row.scored_samples or row.unscored_samples
    ]
    is_changed = len(kept) < len(log.results.scores)
    log.results.scores = kept
    return is_changed


@hooks(name="idle_panels", description="takes out the rows of panels without a judge")
class IdlePanels(Hooks):
    """Mends the log of a task, on disk and in hand."""

    async def on_task_end(self, data: TaskEnd) -> None:
        """Look at a task's results."""
        if without_idle_panels(data.log):
            await to_thread.run_sync(_mend, data.log.location)


def _mend(location: str) -> None:
    stored = read_eval_log(location)
    without_idle_panels(stored)
    write_eval_log(stored, location)
