"""Toolboxes: validation, all-or-nothing calls, faults, the ledger."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import CollectionSpec, Fault, Record, ToolSpec
from skillbench_tasks.tools.toolbox import Tool, Toolbox
from skillbench_tasks.tools.world import World

SPECS = {
    "payments": CollectionSpec(key="payment_id", prefix="PAY"),
    "refunds": CollectionSpec(key="refund_id", prefix="RFD"),
}
REFUND = {
    "server": "pay",
    "name": "refund",
    "title": "Refund",
    "description": "Refunds.",
    "access": "write",
    "input_schema": {
        "type": "object",
        "properties": {
            "payment_id": {"type": "string"},
            "amount": {"type": "number", "minimum": 0.01},
            "note": {"type": "string"},
            "parts": {"type": "integer", "default": 1},
        },
        "required": ["payment_id", "amount"],
        "additionalProperties": False,
    },
    "behaviour": [
        {"op": "get", "collection": "payments", "key": "${args.payment_id}", "as": "payment"},
        {
            "op": "create",
            "collection": "refunds",
            "record": {
                "amount": "${args.amount}",
                "note": "${args.note}",
                "parts": "${args.parts}",
            },
            "as": "refund",
        },
        {
            "op": "require",
            "rule": {"<=": [{"var": "args.amount"}, {"var": "payment.left"}]},
            "code": "too_much",
            "message": "Only ${payment.left} is left.",
        },
        {
            "op": "update",
            "collection": "payments",
            "key": "${args.payment_id}",
            "set": {"left": {"$": {"-": [{"var": "payment.left"}, {"var": "args.amount"}]}}},
        },
    ],
    "returns": "${refund}",
}


def _toolbox(faults: Sequence[dict[str, object]] = ()) -> Toolbox:
    payments: dict[str, Record] = {"PAY-1": {"payment_id": "PAY-1", "left": 50}}
    world = World(SPECS, {"payments": payments}, "2026-01-01T08:00:00")
    tool = Tool.of(ToolSpec.model_validate(REFUND))
    return Toolbox([tool], world, [Fault.model_validate(fault) for fault in faults])


def _code(toolbox: Toolbox, **arguments: object) -> str | None:
    try:
        toolbox.call("mcp.pay:refund", arguments)  # type: ignore[arg-type]
    except ToolFailure as failure:
        return failure.code
    return None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param({"payment_id": "PAY-1", "amount": 5}, None, id="plain"),
        pytest.param({"payment_id": "PAY-1", "amount": 5.0, "parts": 2.0}, None, id="integral"),
        pytest.param({"payment_id": "PAY-1", "amount": 5, "note": None}, None, id="null_optional"),
        pytest.param({"payment_id": None, "amount": 5}, "invalid_arguments", id="null_required"),
        pytest.param({"payment_id": "PAY-1"}, "invalid_arguments", id="missing"),
        pytest.param({"payment_id": "PAY-1", "amount": "5"}, "invalid_arguments", id="text"),
        pytest.param({"payment_id": "PAY-1", "amount": True}, "invalid_arguments", id="boolean"),
        pytest.param({"payment_id": "PAY-1", "amount": 0}, "invalid_arguments", id="too_small"),
        pytest.param(
            {"payment_id": "PAY-1", "amount": 5, "x": 1}, "invalid_arguments", id="unknown"
        ),
        pytest.param({"payment_id": "PAY-9", "amount": 5}, "not_found", id="not_found"),
        pytest.param({"payment_id": "PAY-1", "amount": 51}, "too_much", id="refused"),
    ],
)
def test_call_answers_as_declared(arguments: dict[str, object], code: str | None) -> None:
    assert _code(_toolbox(), **arguments) == code


def test_failed_call_leaves_no_trace_in_the_world() -> None:
    toolbox = _toolbox()
    assert _code(toolbox, payment_id="PAY-1", amount=51) == "too_much"
    assert toolbox.world.changes_since(toolbox.start) == ()
    assert _code(toolbox, payment_id="PAY-1", amount=5) is None
    assert [c.key for c in toolbox.world.changes_since(toolbox.start)] == ["PAY-1", "RFD-90001"]


def test_optional_argument_not_given_leaves_its_field_out_and_default_fills_in() -> None:
    result = _toolbox().call("mcp.pay:refund", {"payment_id": "PAY-1", "amount": 5})
    assert result == {"refund_id": "RFD-90001", "amount": 5, "parts": 1}


def test_unknown_tool_is_a_failure_in_the_ledger() -> None:
    toolbox = _toolbox()
    with pytest.raises(ToolFailure, match="unknown_tool"):
        toolbox.call("mcp.pay:steal", {})
    assert toolbox.ledger[0].error is not None


@pytest.mark.parametrize(
    ("kind", "code", "retryable", "carried_out"),
    [
        ("transient", "unavailable", True, False),
        ("permanent", "service_error", False, False),
        ("rate_limit", "rate_limited", True, False),
        ("timeout_after_commit", "timeout", True, True),
        ("malformed", "malformed_response", True, True),
    ],
)
def test_fault_strikes_with_its_error(
    kind: str, code: str, retryable: bool, carried_out: bool
) -> None:
    toolbox = _toolbox([{"tool": "mcp.pay:refund", "kind": kind, "occurrences": [1]}])
    with pytest.raises(ToolFailure) as caught:
        toolbox.call("mcp.pay:refund", {"payment_id": "PAY-1", "amount": 5})
    assert (caught.value.code, caught.value.retryable) == (code, retryable)
    assert bool(toolbox.world.changes_since(toolbox.start)) is carried_out


@pytest.mark.parametrize(
    ("fault", "codes"),
    [
        pytest.param({"occurrences": [2]}, [None, "unavailable", None], id="ordinal"),
        pytest.param({}, ["unavailable"] * 3, id="always"),
        pytest.param({"where": {"amount": 2.0}}, [None, "unavailable", None], id="selector"),
        pytest.param(
            {"where": {"amount": 2}, "occurrences": [2]}, [None, None, None], id="selector_counts"
        ),
        pytest.param({"where": {"note": "x"}}, [None, None, None], id="selector_misses"),
    ],
)
def test_fault_is_matched_by_selector_then_ordinal(
    fault: dict[str, object], codes: list[str | None]
) -> None:
    toolbox = _toolbox([{"tool": "mcp.pay:refund", "kind": "transient", **fault}])
    assert [_code(toolbox, payment_id="PAY-1", amount=n) for n in (1, 2, 3)] == codes


def test_call_with_refused_arguments_is_not_counted_by_a_fault() -> None:
    toolbox = _toolbox([{"tool": "mcp.pay:refund", "kind": "transient", "occurrences": [1]}])
    assert _code(toolbox, payment_id="PAY-1") == "invalid_arguments"
    assert _code(toolbox, payment_id="PAY-1", amount=5) == "unavailable"


def test_repeated_write_after_lost_reply_is_a_second_effect() -> None:
    toolbox = _toolbox(
        [{"tool": "mcp.pay:refund", "kind": "timeout_after_commit", "occurrences": [1]}]
    )
    assert _code(toolbox, payment_id="PAY-1", amount=5) == "timeout"
    assert _code(toolbox, payment_id="PAY-1", amount=5) is None
    made = [c.key for c in toolbox.world.changes_since(toolbox.start) if c.before is None]
    assert made == ["RFD-90001", "RFD-90002"]
