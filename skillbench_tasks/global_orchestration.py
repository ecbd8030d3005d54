"""Protocol C, global: one workflow from the specification alone (`spec/orchestration.md`).

Source: *global orchestration versus step-by-step interaction*: the model writes one complete
    executable workflow, which is run on every runtime variant with no further model call.

What is measured: trace, side effects and terminal output of each execution against the reference
    workflow's, as means over variants (`orchestration`); validity apart from accuracy.

Procedure:
1. The model gets the language's reference card, its JSON Schema, the 64 tools and the SOP's
   specification; no inputs, no results.
2. Its answer is read as one workflow and checked: form, tools and arguments, references.
3. A valid workflow is run on every variant, each in its own world with the variant's faults.
4. What it did is compared with what the reference does there.

Deviations: `input_conditioned=true` shows the inputs of one variant and asks for a workflow for it.
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.log import HeadlineMetric

from skillbench_tasks.datasets.samples import Filter
from skillbench_tasks.datasets.sops.samples import select_sops, sop_dataset, variant_dataset
from skillbench_tasks.scorers.orchestration import orchestration
from skillbench_tasks.scorers.spending import spend
from skillbench_tasks.solvers.planner import MODEL, global_plan, require_planner
from skillbench_tasks.task_options import (
    faults_as_one_line,
    refuse_unknown_options,
    require_reachable,
)
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = ["global_orchestration"]


@task
def global_orchestration(
    *,
    input_conditioned: bool = False,
    structured: bool = False,
    family: Filter | None = None,
    sop: Filter | None = None,
    planner: str = MODEL,
    **unknown: Any,
) -> Task:
    """Write one workflow for a SOP and run it on all of its variants.

    Args:
        input_conditioned: One sample for each variant, whose inputs the model sees.
        structured: Ask for the workflow by structured output, where the provider can.
        family: Keep these families (comma-separated).
        sop: Keep these SOPs.
        planner: Who plans: `model`, or one that needs none (`reference`, `empty`, `first_tool`,
            `no_error_handling`, `one_argument_wrong`, `unrolled`).
        **unknown: Anything else is refused.
    """
    with faults_as_one_line():
        refuse_unknown_options(global_orchestration, unknown)
        require_reachable()
        require_planner(planner)
        sops = select_sops(family, sop)
    return Task(
        dataset=variant_dataset(sops) if input_conditioned else sop_dataset(sops),
        solver=global_plan(planner=planner, structured=structured),
        scorer=[orchestration(), spend()],
        epochs=Epochs(1, "mean"),
        headline_metric=HeadlineMetric(scorer="orchestration", metric="orchestration"),
        version=int(TASK_VERSION),
        metadata={"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
    )
