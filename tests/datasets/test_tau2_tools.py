"""The τ² retail tools on our engine, worked out by hand on an invented shop."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from skillbench_tasks.datasets.adapters.tau2 import Tau2Source, open_data
from skillbench_tasks.datasets.adapters.tau2.arithmetic import (
    LONGEST,
    ArithmeticFault,
    calculate,
)
from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.tools.catalogue.checks import behaviour_faults
from skillbench_tasks.tools.compare import equal
from skillbench_tasks.tools.toolbox import Toolbox
from tests.tau2_mini import database, task, write_mini

CARD, GIFT = "credit_card_1", "gift_card_1"


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Tau2Source:
    """The invented folder, opened."""
    return open_data(write_mini(tmp_path_factory.mktemp("mini")))


def _toolbox(source: Tau2Source) -> Toolbox:
    case = source.cases()[0]
    return Toolbox(source.tools(case), source.world(case))


def _done(toolbox: Toolbox, tool: str, **arguments: Any) -> Any:
    return toolbox.call(f"mcp.retail:{tool}", arguments)


def _fails(toolbox: Toolbox, tool: str, **arguments: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        _done(toolbox, tool, **arguments)
    assert not toolbox.world.changes_since(toolbox.start)
    return caught.value


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        pytest.param("find_user_id_by_email", {"email": "ADA@example.com"}, "ada_mock_1", id="email"),
        pytest.param(
            "find_user_id_by_name_zip",
            {"first_name": "ada", "last_name": "MOCK", "zip": "10001"},
            "ada_mock_1",
            id="name and zip",
        ),
        pytest.param(
            "get_item_details",
            {"item_id": "12"},
            {"item_id": "12", "options": {"colour": "red"}, "available": True, "price": 6.5},
            id="item",
        ),
        pytest.param("list_all_product_types", {}, {"Mug": "1", "Tray": "2"}, id="types"),
        pytest.param("calculate", {"expression": "(20.1 + 5) * 2 - .2"}, "50.0", id="calculate"),
        pytest.param("think", {"thought": "Hm."}, "", id="think"),
        pytest.param(
            "transfer_to_human_agents", {"summary": "x"}, "Transfer successful", id="transfer"
        ),
    ],
)  # fmt: skip
def test_look_up_gives_what_the_database_holds(
    mini: Tau2Source, tool: str, arguments: dict[str, Any], result: Any
) -> None:
    assert _done(_toolbox(mini), tool, **arguments) == result


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        pytest.param("find_user_id_by_email", {"email": "bo@example.com"}, "User not found", id="email"),
        pytest.param(
            "find_user_id_by_name_zip",
            {"first_name": "Ada", "last_name": "Mock", "zip": "10002"},
            "User not found",
            id="zip",
        ),
        pytest.param("get_user_details", {"user_id": "bo"}, "User not found", id="user"),
        pytest.param("get_order_details", {"order_id": "W10001"}, "Order not found", id="order"),
        pytest.param("get_product_details", {"product_id": "11"}, "Product not found", id="product"),
        pytest.param("get_item_details", {"item_id": "1"}, "Item not found", id="item"),
        pytest.param("calculate", {"expression": "2 ** 9"}, "Invalid expression", id="power"),
        pytest.param(
            "cancel_pending_order",
            {"order_id": "#W10003", "reason": "no longer needed"},
            "Non-pending order cannot be cancelled",
            id="cancel what is sent",
        ),
        pytest.param(
            "cancel_pending_order",
            {"order_id": "#W10001", "reason": "too dear"},
            "neither",
            id="another reason",
        ),
        pytest.param(
            "return_delivered_order_items",
            {"order_id": "#W10001", "item_ids": ["11"], "payment_method_id": CARD},
            "Non-delivered order cannot be returned",
            id="return what is pending",
        ),
        pytest.param(
            "return_delivered_order_items",
            {"order_id": "#W10002", "item_ids": ["11", "11"], "payment_method_id": CARD},
            "holds 1 of item 11",
            id="return more than was bought",
        ),
        pytest.param(
            "return_delivered_order_items",
            {"order_id": "#W10002", "item_ids": ["11"], "payment_method_id": "paypal_1"},
            "original payment method",
            id="refund elsewhere",
        ),
        pytest.param(
            "exchange_delivered_order_items",
            {"order_id": "#W10002", "item_ids": ["11"], "new_item_ids": ["22"], "payment_method_id": CARD},
            "no variant",
            id="another product",
        ),
        pytest.param(
            "exchange_delivered_order_items",
            {"order_id": "#W10002", "item_ids": ["11"], "new_item_ids": ["14"], "payment_method_id": CARD},
            "not available",
            id="sold out",
        ),
        pytest.param(
            "exchange_delivered_order_items",
            {"order_id": "#W10002", "item_ids": ["11"], "new_item_ids": [], "payment_method_id": CARD},
            "one new item for each",
            id="lists of two lengths",
        ),
        pytest.param(
            "exchange_delivered_order_items",
            {"order_id": "#W10002", "item_ids": ["11"], "new_item_ids": ["13"], "payment_method_id": GIFT},
            "Insufficient gift card balance to pay for the price difference",
            id="gift card too small",
        ),
        pytest.param(
            "modify_pending_order_items",
            {"order_id": "#W10001", "item_ids": ["11"], "new_item_ids": ["11"], "payment_method_id": CARD},
            "same as the old",
            id="the same item",
        ),
        pytest.param(
            "modify_pending_order_items",
            {"order_id": "#W10001", "item_ids": ["11"], "new_item_ids": ["12"], "payment_method_id": "paypal_9"},
            "Payment method not found",
            id="somebody else's card",
        ),
        pytest.param(
            "modify_pending_order_payment",
            {"order_id": "#W10001", "payment_method_id": CARD},
            "paid in that way already",
            id="the same payment",
        ),
        pytest.param(
            "modify_pending_order_payment",
            {"order_id": "#W10001", "payment_method_id": GIFT},
            "Insufficient gift card balance to pay for the order",
            id="order dearer than the gift card",
        ),
        pytest.param(
            "get_order_details", {"order_id": "#W10001", "why": "x"}, "why", id="unknown argument"
        ),
    ],
)  # fmt: skip
def test_refused_call_says_why_and_changes_nothing(
    mini: Tau2Source, tool: str, arguments: dict[str, Any], message: str
) -> None:
    assert message in _fails(_toolbox(mini), tool, **arguments).message


def test_exchange_writes_sorted_lists_and_the_difference_and_happens_once(
    mini: Tau2Source,
) -> None:
    toolbox = _toolbox(mini)
    exchange = {"order_id": "#W10002", "item_ids": ["21", "11"], "payment_method_id": GIFT}
    order = _done(toolbox, "exchange_delivered_order_items", new_item_ids=["22", "12"], **exchange)
    assert order["status"] == "exchange requested"
    assert (order["exchange_items"], order["exchange_new_items"]) == (["11", "21"], ["12", "22"])
    assert (order["exchange_price_difference"], order["cancel_reason"]) == (-0.25, None)
    assert order["items"] == database()["orders"]["#W10002"]["items"]
    with pytest.raises(ToolFailure, match="Non-delivered"):
        _done(toolbox, "return_delivered_order_items", **exchange)


def test_changed_items_carry_their_own_price_and_options_and_charge_the_gift_card(
    mini: Tau2Source,
) -> None:
    toolbox = _toolbox(mini)
    order = _done(
        toolbox,
        "modify_pending_order_items",
        order_id="#W10001",
        item_ids=["21", "11"],
        new_item_ids=["22", "12"],
        payment_method_id=GIFT,
    )
    shown = [(i["name"], i["item_id"], i["price"], i["options"]["colour"]) for i in order["items"]]
    assert shown == [
        ("Mug", "12", 6.5, "red"),
        ("Mug", "11", 5.0, "blue"),
        ("Tray", "22", 18.35, "pine"),
    ]
    assert order["status"] == "pending (item modified)"
    last = order["payment_history"][-1]
    assert (last["transaction_type"], round(last["amount"], 2)) == ("refund", 0.25)
    user = _done(toolbox, "get_user_details", user_id="ada_mock_1")
    assert user["payment_methods"][GIFT]["balance"] == 10.25
    for tool, more in (
        ("cancel_pending_order", {"reason": "no longer needed"}),
        ("modify_pending_order_payment", {"payment_method_id": "paypal_1"}),
    ):
        with pytest.raises(ToolFailure):
            _done(toolbox, tool, order_id="#W10001", **more)


@pytest.mark.parametrize(
    ("tool", "order", "pairs"),
    [
        pytest.param(
            "modify_pending_order_items",
            "#W10001",
            [("11", "12"), ("11", "13"), ("21", "22")],
            id="modify, two pieces of one item",
        ),
        pytest.param(
            "exchange_delivered_order_items",
            "#W10002",
            [("11", "12"), ("21", "22")],
            id="exchange",
        ),
        pytest.param(
            "return_delivered_order_items", "#W10002", [("11", ""), ("21", "")], id="return"
        ),
    ],
)
def test_order_in_which_items_are_listed_means_nothing(
    mini: Tau2Source, tool: str, order: str, pairs: list[tuple[str, str]]
) -> None:
    ends = []
    for listed in permutations(pairs):
        toolbox = _toolbox(mini)
        arguments: dict[str, Any] = {"item_ids": [old for old, _ in listed]}
        if tool != "return_delivered_order_items":
            arguments["new_item_ids"] = [new for _, new in listed]
        _done(toolbox, tool, order_id=order, payment_method_id=CARD, **arguments)
        ends.append(toolbox.world.changes_since(toolbox.start))
    specs = mini.cases()[0].checks.collections
    assert all(equal(ends[0], other, specs) for other in ends[1:])


def test_two_pieces_of_one_item_are_not_one(mini: Tau2Source) -> None:
    ends = []
    for count in (1, 2):
        toolbox = _toolbox(mini)
        _done(
            toolbox,
            "modify_pending_order_items",
            order_id="#W10001",
            item_ids=["11"] * count,
            new_item_ids=["12"] * count,
            payment_method_id=CARD,
        )
        ends.append(toolbox.world.changes_since(toolbox.start))
    assert not equal(ends[0], ends[1], mini.cases()[0].checks.collections)


def test_what_was_paid_is_given_back_once_also_after_the_payment_was_changed(
    mini: Tau2Source,
) -> None:
    toolbox = _toolbox(mini)
    _done(
        toolbox,
        "modify_pending_order_payment",
        order_id="#W10004",
        payment_method_id="paypal_1",
    )
    order = _done(toolbox, "cancel_pending_order", order_id="#W10004", reason="ordered by mistake")
    entries = [
        (entry["transaction_type"], entry["payment_method_id"], entry["amount"])
        for entry in order["payment_history"]
    ]
    assert entries == [
        ("payment", GIFT, 6.5),
        ("payment", "paypal_1", 6.5),
        ("refund", GIFT, 6.5),
        ("refund", "paypal_1", 6.5),
    ]
    user = _done(toolbox, "get_user_details", user_id="ada_mock_1")
    assert user["payment_methods"][GIFT]["balance"] == 16.5
    assert (order["status"], order["cancel_reason"]) == ("cancelled", "ordered by mistake")


def test_gift_card_with_just_enough_pays(tmp_path: Path) -> None:
    data = database()
    data["users"]["ada_mock_1"]["payment_methods"][GIFT]["balance"] = 35.0
    order = _done(
        _toolbox(open_data(write_mini(tmp_path, db=data, tasks=[task("5", "You wait.")]))),
        "exchange_delivered_order_items",
        order_id="#W10002",
        item_ids=["11"],
        new_item_ids=["13"],
        payment_method_id=GIFT,
    )
    assert order["exchange_price_difference"] == 35.0


def test_address_may_change_after_the_items_did_and_the_users_apart(mini: Tau2Source) -> None:
    toolbox = _toolbox(mini)
    new = {
        "address1": "9 Mole",
        "address2": "",
        "city": "Mockham",
        "state": "TX",
        "country": "USA",
        "zip": "10009",
    }
    change = {"item_ids": ["11"], "new_item_ids": ["12"], "payment_method_id": CARD}
    _done(toolbox, "modify_pending_order_items", order_id="#W10001", **change)
    order = _done(toolbox, "modify_pending_order_address", order_id="#W10001", **new)
    assert order["address"] == new
    assert _done(toolbox, "get_user_details", user_id="ada_mock_1")["address"]["zip"] == "10001"
    assert _done(toolbox, "modify_user_address", user_id="ada_mock_1", **new)["address"] == new


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1+2*3", "7.0"),
        ("-(2 - 5) / 4", "0.75"),
        ("1 / 3", "0.33"),
        ("--2", "2.0"),
        ("2.", "2.0"),
        (" 0.1 + 0.2 ", "0.3"),
    ],
)
def test_calculate_gives_the_value_in_two_digits(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("", id="empty"),
        pytest.param("1 +", id="unfinished"),
        pytest.param("(1", id="open bracket"),
        pytest.param("1)", id="closed bracket"),
        pytest.param("1 2", id="two numbers"),
        pytest.param("2**99999999", id="power"),
        pytest.param("7//2", id="floor"),
        pytest.param("__import__('os')", id="code"),
        pytest.param("1/0", id="division by zero"),
        pytest.param("(" * 400, id="deep"),
        pytest.param("-" * 400 + "1", id="many signs"),
        pytest.param("9" * 400, id="too large"),
        pytest.param("1" * (LONGEST + 1), id="too long"),
        pytest.param("1e9", id="exponent"),
    ],
)
def test_calculate_refuses_what_is_no_sum(expression: str) -> None:
    with pytest.raises(ArithmeticFault):
        calculate(expression)


def test_declared_behaviours_pass_the_checks_of_the_tool_format(mini: Tau2Source) -> None:
    # A handler counts as a writer there; ours only compute, also for reads.
    world = mini.world(mini.cases()[0])
    reading = "access is read, but the behaviour writes"
    faults = {
        tool.spec.name: [f for f in behaviour_faults(tool.spec, world.specs) if f != reading]
        for tool in mini.tools(mini.cases()[0])
    }
    assert faults == {name: [] for name in faults}
    assert len(faults) == 17
