"""Checks of a case whose tools a model plays, all of them: what can still be graded."""

from __future__ import annotations

from collections.abc import Sequence

from skillbench_tasks.datasets.mocked_gates import leaves, only_mocked
from skillbench_tasks.datasets.sources import Source
from skillbench_tasks.models import Case

__all__ = ["played_cases"]


def played_cases(cases: Sequence[Case], source: Source) -> list[Case]:
    """Return cases with the checks that hold whatever a model answers in the tools' stead.

    No state is kept, so `final_state` is unscored by name and `verified` with it. A fact must still
    be told where the customer, the page or the records hold it; one that only a tool's answer
    brings (the number of a new ticket) is another one in every run.

    Args:
        cases: The cases.
        source: Where they come from.
    """
    return [_played(case, source) for case in cases]


def _played(case: Case, source: Source) -> Case:
    calls = [call for turn in case.gold.turns for call in turn.calls]
    world = source.world(case)
    records = {
        leaf for name in world.specs for record in world.records(name) for leaf in leaves(record)
    }
    brought = only_mocked(case.scenario, calls, {call.tool for call in calls}) - records
    kept = [f for f in case.checks.must_say if not brought.intersection(leaves(f.value))]
    update = {"is_played": True, "must_say": tuple(kept), "text_checks": ()}
    return case.model_copy(update={"checks": case.checks.model_copy(update=update)})
