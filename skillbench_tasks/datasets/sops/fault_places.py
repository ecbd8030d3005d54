"""The one call that a fault of a SOP strikes: by its selector, or by the ordinal of its tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from skillbench_tasks.models import Fault
from skillbench_tasks.models.sop import PlacedFault
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.faults import FaultPlan, holds

__all__ = ["by_itself", "placed_fault"]


def placed_fault(fault: Fault, calls: Sequence[Mapping[str, JsonValue]]) -> PlacedFault:
    """Return a fault with its place among the calls of the reference.

    The selector stays where it singles out one call; where it matches none or several the ordinal
    alone decides: that of the first call that is struck by `occurrences`, or the first of
    `occurrences` where none is.

    Args:
        fault: The fault as it is declared.
        calls: Arguments of the reference's calls of its tool, when this fault does not strike.
    """
    checker = connectors.tools()[fault.tool].checker
    made = [checker.normalise(arguments) for arguments in calls]
    plan = FaultPlan((fault,))
    struck = [n for n, one in enumerate(made, 1) if plan.strike(fault.tool, one) is not None]
    is_single = sum(holds(one, fault.where) for one in made) == 1
    where = fault.where if is_single else {}
    others = ({k: one[k] for k in where if k in one} for one in made if not holds(one, where))
    return _placed(
        fault,
        where=where,
        ordinal=struck[0] if struck else _declared_ordinal(fault) or 1,
        others=tuple(one for one in others if one),
    )


def by_itself(fault: Fault) -> Fault:
    """Return a fault that has no place in a reference run, ready for an execution.

    One with a selector strikes the first call that it matches, or the call of its declared ordinal,
    if it has one, where none has matched by then; one without keeps its meaning.

    Args:
        fault: The fault.
    """
    is_counted = fault.occurrences is None or len(fault.occurrences) == 1
    if isinstance(fault, PlacedFault) or not is_counted or not fault.where:
        return fault
    return _placed(fault, where=fault.where, ordinal=_declared_ordinal(fault), others=())


def _declared_ordinal(fault: Fault) -> int | None:
    return min(fault.occurrences) if fault.occurrences else None


def _placed(
    fault: Fault,
    where: dict[str, JsonValue],
    ordinal: int | None,
    others: tuple[dict[str, JsonValue], ...],
) -> PlacedFault:
    return PlacedFault(
        tool=fault.tool,
        kind=fault.kind,
        where=where,
        occurrences=fault.occurrences,
        ordinal=ordinal,
        others=others,
    )
