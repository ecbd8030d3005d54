"""Reference runs: what a SOP's own workflow does on its variants."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from skillbench_tasks.datasets.sops.ledger import BLOCKS
from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.datasets.sops.running import parsed, run_on
from skillbench_tasks.models.plan_record import ReferenceCase, ReferenceRun
from skillbench_tasks.models.sop import Sop, Variant

__all__ = ["reference_case", "unlabelled"]


@lru_cache(maxsize=64)
def _runs(sop_id: str) -> tuple[ReferenceRun, ...]:
    sop = sop_by_id(sop_id)
    program = parsed(sop.program)
    return tuple(ReferenceRun(variant=one, executed=run_on(program, one)) for one in sop.variants)


def reference_case(sop: Sop, variant: Variant | None = None) -> ReferenceCase:
    """Return what runs of a SOP are graded by.

    Args:
        sop: The SOP.
        variant: The only variant that is run; default: all.
    """
    runs = _runs(sop.id)
    if variant is not None:
        runs = tuple(run for run in runs if run.variant.id == variant.id)
    return ReferenceCase(sop=sop.id, program=sop.program, runs=runs)


def unlabelled(program: Mapping[str, Any]) -> dict[str, Any]:
    """Return a workflow without the notes of its nodes: what a model would write.

    Args:
        program: The workflow; an argument named `note` is none of a node's and stays.
    """
    return {**program, "steps": [_bare(node) for node in program["steps"]]}


def _bare(node: Mapping[str, Any]) -> dict[str, Any]:
    inner = {name: [_bare(one) for one in node[name]] for name in BLOCKS if name in node}
    return {**{name: value for name, value in node.items() if name != "note"}, **inner}
