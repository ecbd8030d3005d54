"""Protocol C, local: a workflow built node by node before it runs (`spec/orchestration.md`).

Source: *global orchestration versus step-by-step interaction*, construction with local feedback: an
    append-only editor; a validator accepts a proposed node and returns the draft, or rejects it.

What is measured: the finished workflow, as under the global protocol.

Procedure:
1. The model gets the language's reference card, the 64 tools and the specification; no inputs, no
   results.
2. It proposes one node after the other with `add_node`. One that fits is appended for good and the
   draft is shown; one that does not is refused with the validator's findings.
3. `finish` closes the editor, and the workflow is run on every variant. A draft that is not closed
   within `steps` answers is run as it stands (`is_closed` is false in its record); where it has no
   node there is no plan (class `planning`).
"""

from __future__ import annotations

from typing import Any, Final

from inspect_ai import Epochs, Task, task
from inspect_ai.log import HeadlineMetric

from skillbench_tasks.datasets.samples import Filter
from skillbench_tasks.datasets.sops.samples import select_sops, sop_dataset
from skillbench_tasks.scorers.orchestration import orchestration
from skillbench_tasks.scorers.spending import spend
from skillbench_tasks.solvers.local_editor import local_editor
from skillbench_tasks.solvers.planner import MODEL, require_planner
from skillbench_tasks.task_options import (
    faults_as_one_line,
    refuse_unknown_options,
    require_positive,
    require_reachable,
)
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = ["STEPS", "local_construction"]

STEPS: Final = 80  # answers of the model for one workflow


@task
def local_construction(
    *,
    steps: int = STEPS,
    family: Filter | None = None,
    sop: Filter | None = None,
    planner: str = MODEL,
    **unknown: Any,
) -> Task:
    """Build one workflow for a SOP in an append-only editor and run it on all of its variants.

    Args:
        steps: Answers of the model at most.
        family: Keep these families (comma-separated).
        sop: Keep these SOPs.
        planner: Who plans: `model`, or one that needs none, as under `global_orchestration`.
        **unknown: Anything else is refused.
    """
    with faults_as_one_line():
        refuse_unknown_options(local_construction, unknown)
        require_reachable()
        require_positive("steps", steps)
        require_planner(planner)
        sops = select_sops(family, sop)
    return Task(
        dataset=sop_dataset(sops),
        solver=local_editor(steps=steps, planner=planner),
        scorer=[orchestration(), spend()],
        epochs=Epochs(1, "mean"),
        headline_metric=HeadlineMetric(scorer="orchestration", metric="orchestration"),
        version=int(TASK_VERSION),
        metadata={"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
    )
