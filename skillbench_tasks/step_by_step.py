"""Protocol C, step-by-step: one tool call after the other (`spec/orchestration.md`).

Source: *global orchestration versus step-by-step interaction*: for each variant the model sees the
    specification and the concrete input, emits one tool call, sees its result, and so on.

What is measured: what the run did, by the same scorer, on the same worlds and faults as a plan.

Procedure:
1. The model gets the specification, the inputs of one variant and the 64 tools.
2. It makes one call at a time and sees the result; of several calls in a message the first is
   carried out.
3. It ends the run by `finish` with the terminal output. Two answers in a row without a call, or
   `steps` answers, end it too; what was done until then is scored.

Deviations: none known.
"""

from __future__ import annotations

from typing import Any, Final

from inspect_ai import Epochs, Task, task
from inspect_ai.log import HeadlineMetric

from skillbench_tasks.datasets.samples import Filter
from skillbench_tasks.datasets.sops.samples import select_sops, variant_dataset
from skillbench_tasks.scorers.orchestration import orchestration
from skillbench_tasks.scorers.spending import spend
from skillbench_tasks.solvers.planner import MODEL
from skillbench_tasks.solvers.stepper import require_stepper, step_by_step_loop
from skillbench_tasks.task_options import (
    faults_as_one_line,
    refuse_unknown_options,
    require_positive,
    require_reachable,
)
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = ["STEPS", "step_by_step"]

STEPS: Final = 50  # answers of the model in one run


@task
def step_by_step(
    *,
    steps: int = STEPS,
    family: Filter | None = None,
    sop: Filter | None = None,
    stepper: str = MODEL,
    **unknown: Any,
) -> Task:
    """Carry a SOP out on each variant, one call at a time.

    Args:
        steps: Answers of the model at most.
        family: Keep these families (comma-separated).
        sop: Keep these SOPs.
        stepper: Who takes the steps: `model`, `reference`, or `stop_at_once`.
        **unknown: Anything else is refused.
    """
    with faults_as_one_line():
        refuse_unknown_options(step_by_step, unknown)
        require_reachable()
        require_positive("steps", steps)
        require_stepper(stepper)
        sops = select_sops(family, sop)
    return Task(
        dataset=variant_dataset(sops),
        solver=step_by_step_loop(steps=steps, stepper=stepper),
        scorer=[orchestration(), spend()],
        epochs=Epochs(1, "mean"),
        headline_metric=HeadlineMetric(scorer="orchestration", metric="orchestration"),
        version=int(TASK_VERSION),
        metadata={"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
    )
