"""Protocol C, replan: a workflow revised from its own executions (`spec/orchestration.md`).

Source: *global orchestration versus step-by-step interaction*, execution feedback.

What is measured: the workflow of each round, by round; apart on variants whose executions the
    model was never shown.

Procedure:
1. Round 0 is the global workflow, run on the variants; with `start` the one of a finished log.
2. The model is shown the specification, its workflow as it stands, and what came of it: calls,
   arguments, results and errors, decisions and returns of the executions; of a workflow that is
   not valid the validator's findings. Never the reference, its runs, a score, or an earlier
   round. It writes the complete workflow again, or keeps it.
3. So `rounds` times. Every round is scored.

Deviations: `feedback=two` shows two variants for each SOP, drawn by `seed`; the others are held
    out. `feedback=validation` feeds back findings alone.
"""

from __future__ import annotations

from typing import Any, Final

from inspect_ai import Epochs, Task, task
from inspect_ai.log import HeadlineMetric

from skillbench_tasks.datasets.samples import Filter
from skillbench_tasks.datasets.sops.samples import select_sops, sop_dataset
from skillbench_tasks.scorers.orchestration import orchestration
from skillbench_tasks.scorers.spending import spend
from skillbench_tasks.solvers.planner import MODEL, require_planner
from skillbench_tasks.solvers.planning.feedback import Feedback
from skillbench_tasks.solvers.planning.start_log import read_start, require_sops
from skillbench_tasks.solvers.replanner import replan_rounds
from skillbench_tasks.task_options import (
    absolute_paths,
    faults_as_one_line,
    refuse_unknown_options,
    require_choice,
    require_count,
    require_positive,
    require_reachable,
)
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = ["ROUNDS", "replan"]

ROUNDS: Final = 3  # revisions


@absolute_paths
@task
def replan(
    *,
    rounds: int = ROUNDS,
    feedback: str = Feedback.ALL,
    seed: int = 0,
    structured: bool = False,
    start: str | None = None,
    family: Filter | None = None,
    sop: Filter | None = None,
    planner: str = MODEL,
    **unknown: Any,
) -> Task:
    """Write one workflow for a SOP and revise it from what its executions showed.

    Args:
        rounds: Revisions.
        feedback: What is fed back: `all` variants, `two` of them, or `validation` alone.
        seed: Which two.
        structured: Ask for workflows by structured output, where the provider can.
        start: A finished log of `global_orchestration`, or a folder with exactly one: its workflows
            are round 0, and no model is asked for them.
        family: Keep these families (comma-separated).
        sop: Keep these SOPs.
        planner: Who plans: `model`, or one that needs none, as under `global_orchestration`.
        **unknown: Anything else is refused.
    """
    with faults_as_one_line():
        refuse_unknown_options(replan, unknown)
        require_reachable()
        require_positive("rounds", rounds)
        require_count("seed", seed)
        require_choice("feedback", feedback, Feedback)
        require_planner(planner)
        sops = select_sops(family, sop)
        if start is not None:
            require_sops(read_start(start), sops)
        solver = replan_rounds(rounds, feedback, seed, planner, structured, start)
    return Task(
        dataset=sop_dataset(sops),
        solver=solver,
        scorer=[orchestration(), spend()],
        epochs=Epochs(1, "mean"),
        headline_metric=HeadlineMetric(scorer="orchestration", metric="orchestration"),
        version=int(TASK_VERSION),
        metadata={"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
    )
