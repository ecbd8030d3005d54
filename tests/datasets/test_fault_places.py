"""The call that a fault of a SOP strikes, the same under every protocol (row C3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from skillbench_tasks.datasets.sops.fault_places import by_itself, placed_fault
from skillbench_tasks.datasets.sops.loading import load_sops, sop_by_id
from skillbench_tasks.datasets.sops.running import parsed, placed_on, run_on
from skillbench_tasks.models import Fault, FaultKind
from skillbench_tasks.models.sop import Executed, PlacedFault, Variant
from skillbench_tasks.tools.faults import FaultPlan
from tests.orchestration_replays import by_editor, executions, reference_plan, stepped

MAIL = "mcp.mail:send_mail"
SOP = "overdue-invoice-chase.2"

A, B, C, X = ({"key": key, "kind": "task"} for key in "abcx")


def _fault(where: dict[str, Any] | None = None, occurrences: Sequence[int] | None = None) -> Fault:
    listed = tuple(occurrences) if occurrences else None
    return Fault(tool=MAIL, kind=FaultKind.PERMANENT, where=where or {}, occurrences=listed)


def _struck(fault: Fault, calls: Sequence[dict[str, Any]]) -> list[int]:
    plan = FaultPlan((fault,))
    return [n for n, one in enumerate(calls, 1) if plan.strike(fault.tool, one) is not None]


# Selector and occurrences of the fault; the calls of a run; the ordinals of the calls struck. The
# reference calls a, b, c; `selected` singles out b, `several` matches all, `missing` matches none.
SELECTED, SEVERAL, MISSING = {"key": "b"}, {"kind": "task"}, {"key": "z"}
TABLE = [
    pytest.param(SELECTED, None, (A, B, C), [2], id="selected"),
    pytest.param(SELECTED, None, (C, A, B), [3], id="selected_in_another_order"),
    pytest.param(SELECTED, None, (B, B, B), [1], id="selected_retried"),
    pytest.param(SELECTED, None, (A, X, C), [2], id="selected_mistyped"),
    pytest.param(SELECTED, None, (X, A, C), [], id="mistyped_too_soon_to_be_told"),
    pytest.param(SELECTED, None, (A, C, X), [3], id="selected_mistyped_in_another_order"),
    pytest.param(SELECTED, None, (A, C), [], id="selected_left_out"),
    pytest.param(SELECTED, None, (A,), [], id="ended_before"),
    pytest.param(SEVERAL, None, (A, B, C), [1], id="several_the_first"),
    pytest.param(SEVERAL, (2,), (A, B, C), [2], id="several_the_second"),
    pytest.param(SEVERAL, (2,), (X, X, X), [2], id="several_other_arguments"),
    pytest.param(SEVERAL, (3,), (A, B), [], id="several_beyond"),
    pytest.param(MISSING, None, (A, B, C), [1], id="missing_the_first"),
    pytest.param(MISSING, (3,), (A, B, C), [3], id="missing_the_third"),
    pytest.param(None, None, (A, B, C), [1], id="absent_the_first"),
    pytest.param(None, (2,), (A, B, C), [2], id="absent_the_second"),
]


@pytest.mark.parametrize(("where", "occurrences", "calls", "struck"), TABLE)
def test_placed_fault_strikes_one_call_c3(
    where: dict[str, Any] | None,
    occurrences: Sequence[int] | None,
    calls: Sequence[dict[str, Any]],
    struck: list[int],
) -> None:
    placed = placed_fault(_fault(where, occurrences), (A, B, C))
    assert _struck(placed, calls) == struck


def test_fault_without_a_reference_strikes_its_first_match_or_its_ordinal_c3() -> None:
    assert _struck(by_itself(_fault(SEVERAL)), (A, B, C)) == [1]
    assert _struck(by_itself(_fault(MISSING, (2,))), (A, B, C)) == [2]
    assert _struck(by_itself(_fault(MISSING)), (A, B, C)) == []
    assert _struck(by_itself(_fault(None, (1, 3))), (A, B, C)) == [1, 3]


def test_every_shipped_fault_has_its_place_and_strikes_the_reference_once_c3() -> None:
    for sop in load_sops():
        for variant in sop.variants:
            assert all(isinstance(fault, PlacedFault) for fault in variant.faults)
            again = type(variant).model_validate_json(variant.model_dump_json())
            assert again.faults == variant.faults


def _with(where: dict[str, Any], occurrences: tuple[int, ...] | None) -> tuple[Any, Variant]:
    sop = sop_by_id(SOP)
    variant = next(one for one in sop.variants if one.id == f"{SOP}#4")
    declared = variant.model_copy(update={"faults": (_fault(where, occurrences),)})
    return sop, placed_on(parsed(sop.program), declared)


def _errors(run: Executed) -> list[str | None]:
    return [c.error.code if c.error else None for c in run.calls if c.tool == MAIL]


@pytest.mark.parametrize(
    ("where", "occurrences", "struck"),
    [
        pytest.param({"subject": "Payment reminder"}, None, 0, id="several"),
        pytest.param({"subject": "Payment reminder"}, (2,), 1, id="several_second"),
        pytest.param({"subject": "Nothing like it"}, None, 0, id="missing"),
        pytest.param({"subject": "Nothing like it"}, (2,), 1, id="missing_second"),
        pytest.param({}, (2,), 1, id="absent_second"),
    ],
)
def test_fault_strikes_the_same_call_under_every_protocol_c3(
    where: dict[str, Any], occurrences: tuple[int, ...] | None, struck: int
) -> None:
    sop, variant = _with(where, occurrences)
    (run,) = executions(reference_plan(sop), [variant])
    (local,) = executions(by_editor(sop), [variant])
    step = stepped(variant, run.calls, run.value)
    for one in (run, local, step, run_on(parsed(sop.program), variant)):
        assert [n for n, code in enumerate(_errors(one)) if code] == [struck]
