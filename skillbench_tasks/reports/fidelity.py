"""Fidelity: recorded reference calls, made again one by one, reach every component.

The calls of each reference run are taken from its stored form, made through the backend of the
step-by-step protocol, each on a world of its own, and graded like any other run. What is below
100 % is a fault of ours: of the backend, of the recording, or of the evaluator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed
from skillbench_tasks.models import Model
from skillbench_tasks.models.plan_record import ReferenceCase, ReferenceRun
from skillbench_tasks.models.sop import Executed, Sop
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.orchestration import grade_run
from skillbench_tasks.scorers.trace import Metric
from skillbench_tasks.solvers.stepper import Episode
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.prediction import PredictedCall

__all__ = ["FIDELITY_ROWS", "Fidelity", "fidelity", "fidelity_page", "replayed"]

FIDELITY_ROWS: Final = (
    Metric.SELECTION,
    Metric.ORDER,
    Metric.EXECUTION,
    Metric.CONTROL_PATH,
    Metric.ARGUMENTS,
    Metric.TRACE,
    Metric.SIDE_EFFECT,
    Metric.ORCHESTRATION,
)
"""Rows of the table, as the protocol has them."""


class Fidelity(Model):
    """Means over all variants, from 0 to 1, and what is wrong with those that are below 1."""

    variants: int
    calls: int
    means: dict[Metric, float]
    faults: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every row is 100 %."""
        return self.variants > 0 and not self.faults


def fidelity(sops: Iterable[Sop] | None = None) -> Fidelity:
    """Replay the recorded reference calls of SOPs, variant by variant.

    Args:
        sops: The SOPs; default: all that ship.
    """
    sums: Counter[Metric] = Counter()
    faults: list[str] = []
    variants = calls = 0
    for sop in load_sops() if sops is None else sops:
        case = ReferenceCase.model_validate_json(reference_case(sop).model_dump_json())
        program = parsed(case.program)
        for run in case.runs:
            score = grade_run(run, replayed(run), program)
            values = score.values()
            sums.update({row: values[row] for row in FIDELITY_ROWS})
            if any(values[row] < 1 for row in FIDELITY_ROWS):
                faults.append(f"{run.variant.id}: {score.first_fault}")
            variants, calls = variants + 1, calls + len(run.executed.calls)
    means = {row: sums[row] / variants if variants else 0.0 for row in FIDELITY_ROWS}
    return Fidelity(variants=variants, calls=calls, means=means, faults=tuple(faults))


def replayed(run: ReferenceRun) -> Executed:
    """Make the calls of a recorded run one by one, then finish with its output.

    Args:
        run: A variant with the run of the reference on it.
    """
    episode = Episode(run.variant)
    for call in run.executed.calls:
        name = connectors.tools()[call.tool].spec.function_name
        episode.call(PredictedCall(tool=name, arguments=call.arguments))
    episode.output, episode.is_finished = run.executed.value, True
    return episode.executed()


def fidelity_page(found: Fidelity) -> str:
    """Return the table, and a line for each variant below 100 %."""
    rows = [(row.value.replace("_", " "), f"{100 * found.means[row]:.2f} %") for row in found.means]
    head = f"{found.variants} variants, {found.calls} recorded calls made again one by one"
    table = text_table(("component", "reached"), rows)
    return "\n".join([head, "", table, *(f"BELOW {line}" for line in found.faults)])
