"""Declared tool failures: which call fails, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import CallError, Fault, FaultKind
from skillbench_tasks.models.sop import PlacedFault
from skillbench_tasks.tools.workflow.values import equal_values

__all__ = [
    "INFRASTRUCTURE",
    "LOST_REPLY",
    "FaultPlan",
    "commits",
    "failure",
    "holds",
    "may_be_done",
]


LOST_REPLY: Final = ("timeout", "malformed_response")
"""Errors after which a call may have been carried out."""

INFRASTRUCTURE: Final = ("unavailable", "service_error", "rate_limited", *LOST_REPLY)
"""Errors of the service itself; every other one refuses what was asked."""


def holds(arguments: Mapping[str, JsonValue], selector: Mapping[str, JsonValue]) -> bool:
    """Return whether the arguments hold every literal of the selector.

    Numbers are compared by value, words without regard to case.
    """
    return all(
        name in arguments and _equal(arguments[name], value) for name, value in selector.items()
    )


def _equal(one: JsonValue, other: JsonValue) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.strip().casefold() == other.casefold()
    return equal_values(one, other)


def commits(kind: FaultKind) -> bool:
    """Return whether the call is carried out before its reply is lost."""
    return kind in (FaultKind.TIMEOUT_AFTER_COMMIT, FaultKind.MALFORMED)


def may_be_done(error: CallError | None) -> bool:
    """Return whether a call was carried out, or may have been: its reply was lost."""
    return error is None or error.code in LOST_REPLY


def failure(kind: FaultKind, tool: str) -> ToolFailure:
    """Return the error by which an agent sees the fault."""
    match kind:
        case FaultKind.TRANSIENT:
            return ToolFailure("unavailable", "The service is not reachable just now.", True, tool)
        case FaultKind.PERMANENT:
            message = "The service failed to process the request."
            return ToolFailure("service_error", message, False, tool)
        case FaultKind.RATE_LIMIT:
            return ToolFailure("rate_limited", "Too many requests; slow down.", True, tool)
        case FaultKind.TIMEOUT_AFTER_COMMIT:
            message = "No reply within the time limit; the outcome is unknown."
            return ToolFailure("timeout", message, True, tool)
        case FaultKind.MALFORMED:
            message = 'The reply could not be read: {"status": "acc'
            return ToolFailure("malformed_response", message, True, tool)
        case _:
            assert_never(kind)


class FaultPlan:
    """The faults of one execution; counts the calls that match each of them.

    A fault with a selector counts only the calls that it matches; one without counts all calls of
    its tool. A `PlacedFault` counts all calls of its tool, and strikes once. The first declared
    fault that strikes a call decides.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults: Final = tuple(faults)
        self._seen = [0] * len(self._faults)
        self.strikes: Final = [0] * len(self._faults)
        """How often each of the declared faults has struck."""

    def copy(self) -> FaultPlan:
        """Return a plan that has counted the same calls, and counts on by itself."""
        twin = FaultPlan(self._faults)
        twin._seen[:], twin.strikes[:] = self._seen, self.strikes
        return twin

    def strike(self, tool: str, arguments: Mapping[str, JsonValue]) -> FaultKind | None:
        """Count the call and return the kind of fault that strikes it, or `None`."""
        struck: FaultKind | None = None
        for index, fault in enumerate(self._faults):
            if fault.tool != tool:
                continue
            if self._is_struck(index, fault, arguments) and struck is None:
                struck = fault.kind
                self.strikes[index] += 1
        return struck

    def _is_struck(self, index: int, fault: Fault, arguments: Mapping[str, JsonValue]) -> bool:
        is_match = holds(arguments, fault.where)
        if not isinstance(fault, PlacedFault):
            self._seen[index] += is_match
            listed = fault.occurrences is None or self._seen[index] in fault.occurrences
            return is_match and listed
        self._seen[index] += 1
        if self.strikes[index] or not fault.where:
            return not self.strikes[index] and self._seen[index] == fault.ordinal
        is_due = fault.ordinal is not None and self._seen[index] >= fault.ordinal
        return is_match or (is_due and not any(holds(arguments, one) for one in fault.others))
