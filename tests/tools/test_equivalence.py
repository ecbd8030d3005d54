"""Equivalent calls: the same effect and result in this world, and nothing less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import JsonValue

from skillbench_tasks.models import CollectionSpec, Fault, FieldKind, Record, ToolSpec
from skillbench_tasks.models.conversation import (
    CalledTool,
    Conversation,
    ConversationTool,
    Said,
)
from skillbench_tasks.models.skill import Rules
from skillbench_tasks.scorers.replay_score import replay_score
from skillbench_tasks.solvers.replay import Replay, WorldMatcher
from skillbench_tasks.tools.call_forms import CallForms
from skillbench_tasks.tools.equivalence import commutes, equivalent
from skillbench_tasks.tools.prediction import PredictedCall, Prediction
from skillbench_tasks.tools.toolbox import Tool, Toolbox
from skillbench_tasks.tools.world import World

SPECS = {
    "customers": CollectionSpec(key="customer_id", prefix="CUS"),
    "orders": CollectionSpec(key="order_id", prefix="ORD", fields={"at": FieldKind.TIMESTAMP}),
    "tickets": CollectionSpec(
        key="ticket_id", prefix="TCK", fields={"summary": FieldKind.TEXT, "tags": FieldKind.SET}
    ),
}
WORLD: dict[str, dict[str, Record]] = {
    "customers": {
        "CUS-1": {"customer_id": "CUS-1", "phone": "+15550100", "email": "ann@example.com"},
        "CUS-2": {"customer_id": "CUS-2", "phone": "+15550200", "email": "bo@example.com"},
    },
    "orders": {
        "ORD-1": {"order_id": "ORD-1", "customer_id": "CUS-1", "left": 50, "state": "open"},
        "ORD-2": {"order_id": "ORD-2", "customer_id": "CUS-1", "left": 50, "state": "open"},
    },
}


def _tool(name: str, access: str, arguments: Mapping[str, Any], **rest: Any) -> Tool:
    return Tool.of(
        ToolSpec.model_validate(
            {
                "server": "desk",
                "name": name,
                "title": name,
                "description": name,
                "access": access,
                "input_schema": {
                    "type": "object",
                    "properties": arguments,
                    "additionalProperties": False,
                },
                **rest,
            }
        )
    )


TEXT, NUMBER = {"type": "string"}, {"type": "number"}
FIND: dict[str, Any] = {
    "op": "find",
    "collection": "customers",
    "where": {"phone": {"digits": "${args.phone}"}, "email": "${args.email}"},
    "as": "found",
}
GET = {"op": "get", "collection": "orders", "key": "${args.order_id}", "as": "order"}
TAKE = {
    "op": "update",
    "collection": "orders",
    "key": "${args.order_id}",
    "set": {"left": {"$": {"-": [{"var": "order.left"}, {"var": "args.amount"}]}}, "at": "${now}"},
    "as": "order",
}
ENOUGH = {
    "op": "require",
    "rule": {"<=": [{"var": "args.amount"}, {"var": "order.left"}]},
    "code": "too_much",
    "message": "That is more than is left.",
}
OPEN = {
    "op": "create",
    "collection": "tickets",
    "record": {"about": "${args.about}", "summary": "${args.summary}", "tags": "${args.tags}"},
    "as": "ticket",
}
TOOLS = [
    _tool("find", "read", {"phone": TEXT, "email": TEXT}, behaviour=[FIND], returns={"found": "${found}"}),
    _tool("look", "read", {"phone": TEXT, "email": TEXT}, behaviour=[FIND], returns={"found": "${found}"}),
    _tool("is_open", "read", {"order_id": TEXT}, behaviour=[GET], returns={"state": "${order.state}"}),
    _tool(
        "quote",
        "read",
        {"order_id": TEXT, "amount": NUMBER},
        behaviour=[GET, ENOUGH],
        returns={"fee": 0, "left": "${order.left}"},
    ),
    _tool("refund", "write", {"order_id": TEXT, "amount": NUMBER}, behaviour=[GET, ENOUGH, TAKE], returns="${order}"),
    _tool("pay_back", "write", {"order_id": TEXT, "amount": NUMBER}, behaviour=[GET, TAKE], returns="${order}"),
    _tool(
        "open_ticket",
        "write",
        {"about": TEXT, "summary": TEXT, "tags": {"type": "array"}},
        behaviour=[OPEN],
        returns="${ticket}",
    ),
    _tool("part", "write", {"about": TEXT, "summary": TEXT}, behaviour=[OPEN], returns={"ticket_id": "${ticket.ticket_id}", "summary": "${ticket.summary}"}),
    _tool(
        "check",
        "read",
        {"customer_id": TEXT, "phone": TEXT, "email": TEXT},
        behaviour=[{**FIND, "where": {"customer_id": "${args.customer_id}", **FIND["where"]}}],
        returns={"verified": {"$": {"!=": [{"length": {"var": "found"}}, 0]}}},
    ),
    _tool(
        "parcels",
        "read",
        {"state": {"enum": ["open", "shut"]}, "code": {"type": "string", "enum": ["K"]}},
        behaviour=[{"op": "find", "collection": "orders", "where": {"state": "${args.state}"}, "as": "found"}],
        returns={"found": "${found}"},
    ),
    _tool("by_code", "read", {"code": {"type": "string", "pattern": "^A1$"}}, behaviour=[], returns={"a": 1}),
    _tool("ask_mock", "read", {"x": TEXT}, example={"a": 1}),
]  # fmt: skip


def _toolbox(faults: Sequence[Mapping[str, object]] = ()) -> Toolbox:
    world = World(SPECS, WORLD, "2026-01-01T08:00:00")
    return Toolbox(TOOLS, world, [Fault.model_validate(fault) for fault in faults])


def _call(name: str, **arguments: JsonValue) -> PredictedCall:
    return PredictedCall(tool=f"mcp.desk:{name}", arguments=arguments)


@pytest.mark.parametrize(
    ("reference", "predicted"),
    [
        pytest.param(_call("find", phone="+15550100"), _call("find", phone="(1) 555-0100"), id="notation"),
        pytest.param(_call("find", phone="+15550100"), _call("find", email="ann@example.com"), id="another_way"),
        pytest.param(_call("find", phone="+15550100"), _call("find", phone="15550100", email="ann@example.com"), id="one_more"),
        pytest.param(_call("find", phone="1", email=None), _call("find", phone="1"), id="exact_though_nothing_found"),
        pytest.param(_call("refund", order_id="ORD-1", amount=3), _call("refund", order_id="ORD-1", amount=3.0), id="12_12.0"),
        pytest.param(_call("refund", order_id="ORD-1", amount=3), _call("pay_back", order_id="ORD-1", amount=3), id="another_tool_same_effect"),
        pytest.param(
            _call("open_ticket", about="ORD-1", summary="Lost.", tags=["a", "b"]),
            _call("open_ticket", about="ORD-1", summary="Parcel lost", tags=["b", "a"]),
            id="free_text_and_set",
        ),
        pytest.param(_call("check", customer_id="CUS-1", email="ann@example.com"), _call("check", customer_id="CUS-1", phone="+15550100"), id="another_proof"),
        pytest.param(_call("parcels", state="open"), _call("parcels"), id="filter_that_changes_nothing_here"),
        pytest.param(_call("part", summary="Lost."), _call("part", summary="Gone."), id="part_of_a_record"),
        pytest.param(_call("ask_mock", x="a"), _call("ask_mock", x="a"), id="mock_exact"),
    ],
)  # fmt: skip
def test_call_that_does_the_same_is_equivalent(
    reference: PredictedCall, predicted: PredictedCall
) -> None:
    toolbox = _toolbox()
    assert equivalent(reference, predicted, toolbox).equivalent
    assert equivalent(predicted, reference, toolbox).equivalent
    assert toolbox.world.changes_since(toolbox.start) == ()
    assert toolbox.ledger == []


@pytest.mark.parametrize(
    ("reference", "predicted", "reason"),
    [
        pytest.param(_call("find", phone="+15550100"), _call("find", phone="+15550200"), "other result", id="other_customer"),
        pytest.param(_call("find", phone="+15550100"), _call("look", phone="+15550100"), "another tool", id="another_read"),
        pytest.param(_call("find", phone="1"), _call("find", phone="2"), "the outcome does not hang on phone", id="both_find_nothing"),
        pytest.param(_call("is_open", order_id="ORD-1"), _call("is_open", order_id="ORD-2"), "another subject: ORD-1 and ORD-2", id="wrong_id_same_answer"),
        pytest.param(_call("is_open", order_id="ORD-8"), _call("is_open", order_id="ORD-9"), "another subject", id="wrong_id_not_there"),
        pytest.param(_call("refund", order_id="ORD-1", amount=3), _call("refund", order_id="ORD-1", amount=4), "other effect: wrong orders ORD-1", id="other_effect"),
        pytest.param(_call("refund", order_id="ORD-1", amount=3), _call("is_open", order_id="ORD-1"), "other effect: missing orders ORD-1", id="read_for_write"),
        pytest.param(_call("is_open", order_id="ORD-1"), _call("refund", order_id="ORD-1", amount=3), "other effect: unintended orders ORD-1", id="write_for_read"),
        pytest.param(_call("refund", order_id="ORD-1", amount=60), _call("refund", order_id="ORD-1", amount=50), "success instead of error too_much", id="success_for_error"),
        pytest.param(_call("refund", order_id="ORD-1", amount=5), _call("refund", order_id="ORD-1", amount=60), "error too_much instead of success", id="error_for_success"),
        pytest.param(_call("refund", order_id="ORD-1", amount=60), _call("quote", order_id="ORD-1", amount=60), "another tool", id="same_error_of_another_tool"),
        pytest.param(_call("open_ticket", summary="Lost."), _call("open_ticket", summary=" "), "other effect: wrong tickets", id="no_text"),
        pytest.param(_call("open_ticket", about="a", summary="x"), _call("open_ticket", about="b", summary="x"), "other effect", id="value"),
        pytest.param(_call("refund", order_id="ORD-1", amount="3"), _call("refund", order_id="ORD-1", amount="4"), "the tool refuses it", id="both_invalid"),
        pytest.param(_call("quote", order_id="ORD-1", amount=3), _call("quote", order_id="ORD-1", amount=4), "the outcome does not hang on amount", id="same_answer"),
        pytest.param(_call("refund", order_id="ORD-1", amount=60), _call("refund", order_id="ORD-1", amount=70), "the outcome does not hang on amount", id="same_error"),
        pytest.param(_call("check", customer_id="CUS-1", email="a@example.com"), _call("check", customer_id="CUS-1", email="b@example.com"), "the outcome does not hang on email", id="both_refused"),
        pytest.param(_call("parcels", code="K"), _call("parcels"), "the outcome does not hang on code", id="argument_without_another_value"),
        pytest.param(_call("parcels", state="open"), _call("parcels", code="K"), "the outcome does not hang on code", id="argument_without_effect"),
        pytest.param(_call("by_code", code="A1"), _call("by_code"), "the outcome does not hang on code", id="control_that_is_refused"),
        pytest.param(_call("is_open", order_id="ORD-1"), _call("none", order_id="ORD-1"), "there is no tool", id="no_such_tool"),
        pytest.param(_call("is_open", order_id="ORD-1"), PredictedCall(tool="mcp.desk:is_open", arguments=None), "the arguments cannot be read", id="unreadable"),
        pytest.param(_call("ask_mock", x="a"), _call("ask_mock", x="b"), "a mock answers", id="mock"),
    ],
)  # fmt: skip
def test_call_that_does_something_else_is_not_equivalent(
    reference: PredictedCall, predicted: PredictedCall, reason: str
) -> None:
    found = equivalent(reference, predicted, _toolbox())
    assert not found.equivalent
    assert found.reason.startswith(reason)


def test_function_names_of_conversations_are_understood() -> None:
    reference = PredictedCall(tool="desk__find", arguments={"phone": "+15550100"})
    assert equivalent(reference, _call("find", email="ann@example.com"), _toolbox()).equivalent


def test_read_that_was_answered_before_is_no_substitute_for_a_new_one() -> None:
    toolbox = _toolbox()
    reference = _call("check", customer_id="CUS-1", phone="+15550100")
    predicted = _call("check", customer_id="CUS-1", email="ann@example.com")
    assert equivalent(reference, predicted, toolbox).equivalent
    toolbox.call(predicted.tool, predicted.arguments or {})
    assert equivalent(reference, predicted, toolbox).reason.startswith("it was carried out before")
    assert equivalent(predicted, reference, toolbox).equivalent
    toolbox.call(reference.tool, reference.arguments or {})
    assert equivalent(reference, predicted, toolbox).equivalent


OUTAGE = {"tool": "mcp.desk:refund", "kind": "transient", "occurrences": [1]}
LOST = {"tool": "mcp.desk:refund", "kind": "timeout_after_commit", "occurrences": [2]}
SEARCH = {"tool": "mcp.desk:find", "kind": "permanent"}


@pytest.mark.parametrize(
    ("reference", "predicted", "same"),
    [
        pytest.param(_call("refund", order_id="ORD-1", amount=3), _call("refund", order_id="ORD-1", amount=4), False, id="one_outage_strikes_both"),
        pytest.param(_call("refund", order_id="ORD-1", amount=3), _call("refund", order_id="ORD-1", amount=3.0), True, id="same_call_is_struck"),
        pytest.param(_call("find", phone="+15550100"), _call("find", email="ann@example.com"), True, id="alternative_is_struck_too"),
        pytest.param(_call("find", phone="+15550100"), _call("find", email="bo@example.com"), False, id="struck_but_of_another"),
        pytest.param(_call("refund", order_id="ORD-1", amount=3), _call("pay_back", order_id="ORD-1", amount=3), False, id="other_tool_is_not_struck"),
    ],
)  # fmt: skip
def test_faults_strike_both_calls_alike_and_make_no_calls_equivalent(
    reference: PredictedCall, predicted: PredictedCall, same: bool
) -> None:
    assert equivalent(reference, predicted, _toolbox([OUTAGE, SEARCH])).equivalent is same


def test_fault_plan_is_that_of_the_moment() -> None:
    toolbox = _toolbox([LOST])
    reference, predicted = (
        _call(name, order_id="ORD-1", amount=3) for name in ("refund", "pay_back")
    )
    assert equivalent(reference, predicted, toolbox).equivalent
    toolbox.call("mcp.desk:refund", {"order_id": "ORD-2", "amount": 1})
    assert equivalent(reference, predicted, toolbox).reason == "success instead of error timeout"
    assert equivalent(reference, reference, toolbox).equivalent


def test_copy_of_a_toolbox_goes_its_own_way() -> None:
    toolbox = _toolbox([OUTAGE])
    twin, sound = toolbox.copy(), toolbox.copy(faults=False)
    arguments: dict[str, JsonValue] = {"order_id": "ORD-1", "amount": 3}
    sound.call("mcp.desk:refund", arguments)
    assert (toolbox.ledger, twin.ledger, len(sound.ledger)) == ([], [], 1)
    assert toolbox.world.changes_since(twin.world) == ()
    assert len(sound.world.changes_since(sound.start)) == 1
    assert (toolbox.has_faults, twin.has_faults, sound.has_faults) == (True, True, False)


def test_exact_calls_are_equivalent_though_the_world_would_tell_them_apart() -> None:
    tool = _tool(
        "tag",
        "write",
        {"tags": {"type": "array", "uniqueItems": True}},
        behaviour=[{**OPEN, "record": {"words": "${args.tags}"}}],
        returns="${ticket}",
    )
    toolbox = Toolbox([tool], World(SPECS, WORLD, "2026-01-01T08:00:00"))
    one, other = _call("tag", tags=["a", "b"]), _call("tag", tags=["b", "a"])
    assert CallForms({one.tool: tool.spec.input_schema}).same(one, other)
    assert equivalent(one, other, toolbox).equivalent


def _use(tool: str, **arguments: Any) -> PredictedCall:
    return PredictedCall(tool=f"desk__{tool}", arguments=arguments)


REFUND = _use("refund", order_id="ORD-1", amount=30)


@pytest.mark.parametrize(
    ("before", "call", "is_free"),
    [
        pytest.param([REFUND], _use("refund", order_id="ORD-2", amount=5), True, id="two-orders"),
        pytest.param([REFUND], _use("refund", order_id="ORD-1", amount=5), False, id="one-order"),
        pytest.param(
            [REFUND], _use("open_ticket", about="CUS-1", summary="x"), True, id="other-record"
        ),
        pytest.param(
            [REFUND], _use("open_ticket", about="ORD-1", summary="x"), False, id="names-the-change"
        ),
        pytest.param(
            [_use("open_ticket", about="TCK-90001", summary="x")],
            _use("open_ticket", about="CUS-1", summary="x"),
            False,
            id="ids-of-one-sequence",
        ),
        pytest.param(
            [_use("refund", order_id="ORD-1", amount=60)],
            _use("refund", order_id="ORD-2", amount=5),
            False,
            id="one-fails",
        ),
    ],
)
def test_calls_commute_where_results_and_world_are_the_same(
    before: list[PredictedCall], call: PredictedCall, is_free: bool
) -> None:
    toolbox = Toolbox(TOOLS, World(SPECS, WORLD, "2026-01-01T08:00:00"))
    assert commutes(before, call, toolbox) is is_free
    assert not toolbox.world.changes_since(World(SPECS, WORLD, "2026-01-01T08:00:00"))


@pytest.mark.parametrize(("amount", "is_taken"), [(5, True), (6, False)])
def test_independent_writes_may_come_in_the_other_order(amount: int, is_taken: bool) -> None:
    """Closed loop, `match=equivalent`: two refunds of two orders, the second first."""
    conversation = Conversation(
        id="two",
        workflow="two",
        kind="plain",
        user="ann",
        policy="",
        tools=tuple(
            ConversationTool(name=one.spec.function_name, input_schema=one.spec.input_schema)
            for one in TOOLS
        ),
        steps=(
            Said(role="user", text="Both, please."),
            CalledTool(tool="desk__refund", arguments={"order_id": "ORD-1", "amount": 30}),
            CalledTool(tool="desk__refund", arguments={"order_id": "ORD-2", "amount": 5}),
            Said(role="assistant", text="Done."),
        ),
    )
    toolbox = Toolbox(TOOLS, World(SPECS, WORLD, "2026-01-01T08:00:00"))
    replay = Replay(conversation, WorldMatcher(conversation, toolbox, Rules()))
    for call in (_use("refund", order_id="ORD-2", amount=amount), REFUND):
        replay.take(Prediction(action="call", calls=(call,)))
    replay.take(Prediction(action="text", text="Done."))
    assert replay_score(replay.record()).completion is is_taken
