"""What data cannot say of the τ² retail tools: sums over lists, pieces counted, cards charged.

Every handler only computes; what is written stands in `tools.yaml`. No result depends on the order
in which an agent lists items.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.datasets.adapters.tau2.arithmetic import ArithmeticFault, calculate
from skillbench_tasks.datasets.adapters.tau2.reading import GIFT_CARD
from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.tools.behaviours import HANDLERS, Handler
from skillbench_tasks.tools.world import World

__all__ = ["SERVER", "register"]

SERVER: Final = "retail"
"""Server under whose name the tools are offered."""

_NOT_FOUND: Final = "not_found"


def register() -> None:
    """Make the handlers known to the engine."""
    HANDLERS.update(_HANDLERS)


def _fail(tool: str, code: str, message: str) -> ToolFailure:
    return ToolFailure(code, message, False, f"mcp.{SERVER}:{tool}")


def _product_types(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return product name → product id, by name."""
    records = world.records("products")
    return dict(sorted((str(r["name"]), r["product_id"]) for r in records))


def _calculate(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    try:
        return calculate(arguments["expression"])
    except ArithmeticFault as fault:
        raise _fail("calculate", "invalid_expression", str(fault)) from fault


def _returned_items(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return the items sorted, once they and the way of the refund are found right."""
    tool = "return_delivered_order_items"
    order = _order(world, arguments)
    method = _method(world, order, arguments, tool)
    original = order["payment_history"][0]["payment_method_id"]
    if method["source"] != GIFT_CARD and arguments["payment_method_id"] != original:
        message = "The refund goes to the original payment method or to a gift card"
        raise _fail(tool, "invalid_payment_method", message)
    _require_pieces(order, arguments["item_ids"], tool)
    return sorted(arguments["item_ids"])


def _exchanged_items(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return both lists sorted and the price difference that the customer pays."""
    tool = "exchange_delivered_order_items"
    order = _order(world, arguments)
    pairs = _pairs(world, order, arguments, tool)
    difference = round(_difference(pairs), 2)
    method = _method(world, order, arguments, tool)
    _require_balance(method, difference, "the price difference", tool)
    return {
        "items": sorted(arguments["item_ids"]),
        "new_items": sorted(arguments["new_item_ids"]),
        "difference": difference,
    }


def _other_items(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return an order's items, payments and payment methods after items were changed."""
    tool = "modify_pending_order_items"
    order = _order(world, arguments)
    pairs = _pairs(world, order, arguments, tool)
    if any(piece["item_id"] == new["item_id"] for piece, new in pairs):
        raise _fail(tool, "invalid_items", "A new item is the same as the old one")
    difference = _difference(pairs)
    method = _method(world, order, arguments, tool)
    _require_balance(method, difference, "the new item", tool)
    items = list(order["items"])
    for piece, new in pairs:
        at = next(i for i, item in enumerate(items) if item is piece)
        changed = {name: new[name] for name in ("item_id", "price", "options")}
        items[at] = {**piece, **changed}
    payment: dict[str, JsonValue] = {
        "transaction_type": "payment" if difference > 0 else "refund",
        "amount": abs(difference),
        "payment_method_id": arguments["payment_method_id"],
    }
    charges = {arguments["payment_method_id"]: difference}
    return {"items": items, **_booked(world, order, [payment], charges)}


def _other_payment(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return payments and payment methods once an order is paid in another way."""
    tool = "modify_pending_order_payment"
    order = _order(world, arguments)
    method = _method(world, order, arguments, tool)
    (first, *more), new = order["payment_history"], arguments["payment_method_id"]
    if more or first["transaction_type"] != "payment":
        raise _fail(tool, "invalid_state", "The order has been paid in more than one step")
    if first["payment_method_id"] == new:
        raise _fail(tool, "invalid_payment_method", "The order is paid in that way already")
    _require_balance(method, first["amount"], "the order", tool)
    payments = [
        {**first, "transaction_type": "payment", "payment_method_id": new},
        {**first, "transaction_type": "refund"},
    ]
    charges = {new: first["amount"], first["payment_method_id"]: -first["amount"]}
    return _booked(world, order, payments, charges)


def _refund(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return payments and payment methods once all that was paid has been given back.

    What has been given back already (the payment was changed before) is not given back twice.
    """
    order = _order(world, arguments)
    paid: dict[str, float] = {}
    for entry in order["payment_history"]:
        sign = 1 if entry["transaction_type"] == "payment" else -1
        method = entry["payment_method_id"]
        paid[method] = round(paid.get(method, 0.0) + sign * entry["amount"], 2)
    refunds: list[dict[str, JsonValue]] = [
        {"transaction_type": "refund", "amount": amount, "payment_method_id": method}
        for method, amount in paid.items()
        if amount > 0
    ]
    return _booked(world, order, refunds, {method: -amount for method, amount in paid.items()})


def _order(world: World, arguments: Mapping[str, Any]) -> dict[str, Any]:
    order = world.get("orders", arguments["order_id"])
    assert order is not None  # the behaviour has looked before
    return order


def _method(
    world: World, order: Mapping[str, Any], arguments: Mapping[str, Any], tool: str
) -> Mapping[str, Any]:
    """Return the payment method named, which must be one of the order's customer."""
    methods: Any = (world.get("users", order["user_id"]) or {})["payment_methods"]
    name = arguments["payment_method_id"]
    if name not in methods:
        raise _fail(tool, _NOT_FOUND, "Payment method not found")
    found: Mapping[str, Any] = methods[name]
    return found


def _require_balance(method: Mapping[str, Any], amount: float, what: str, tool: str) -> None:
    if method["source"] == GIFT_CARD and method["balance"] < amount:
        message = f"Insufficient gift card balance to pay for {what}"
        raise _fail(tool, "insufficient_balance", message)


def _require_pieces(order: Mapping[str, Any], item_ids: Sequence[str], tool: str) -> None:
    held = Counter(item["item_id"] for item in order["items"])
    for name, count in sorted(Counter(item_ids).items()):
        if count > held[name]:
            message = f"The order holds {held[name]} of item {name}, not {count}"
            raise _fail(tool, _NOT_FOUND, message)


def _pairs(
    world: World, order: Mapping[str, Any], arguments: Mapping[str, Any], tool: str
) -> list[tuple[dict[str, Any], Mapping[str, Any]]]:
    """Return each piece of the order that shall go with the item that comes for it.

    Pairs are taken in the order of their ids, pieces of one id in the order in which the order
    holds them: the same result whatever order the caller lists them in.
    """
    old, new = arguments["item_ids"], arguments["new_item_ids"]
    _require_pieces(order, old, tool)
    if len(old) != len(new):
        message = "There must be one new item for each old one"
        raise _fail(tool, "invalid_items", message)
    left: list[dict[str, Any]] = list(order["items"])
    pairs = []
    for old_id, new_id in sorted(zip(old, new, strict=True)):
        at = next(i for i, item in enumerate(left) if item["item_id"] == old_id)
        piece = left.pop(at)
        pairs.append((piece, _variant(world, piece["product_id"], new_id, tool)))
    return pairs


def _variant(world: World, product_id: str, item_id: str, tool: str) -> Mapping[str, Any]:
    variants: Any = (world.get("products", product_id) or {})["variants"]
    if item_id not in variants:
        message = f"Item {item_id} is no variant of product {product_id}"
        raise _fail(tool, _NOT_FOUND, message)
    found: Mapping[str, Any] = variants[item_id]
    if not found["available"]:
        raise _fail(tool, "not_available", f"Item {item_id} is not available")
    return found


def _difference(pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> float:
    """Return what the new pieces cost more, to the last bit the same in every order."""
    return math.fsum(part for old, new in pairs for part in (new["price"], -old["price"]))


def _booked(
    world: World,
    order: Mapping[str, Any],
    entries: Sequence[Mapping[str, JsonValue]],
    charges: Mapping[str, float],
) -> dict[str, JsonValue]:
    """Return payment history and payment methods with new entries; gift cards are charged."""
    held: Any = (world.get("users", order["user_id"]) or {})["payment_methods"]
    methods: dict[str, Any] = dict(held)
    for name, amount in charges.items():
        method = methods.get(name)
        if method is not None and method["source"] == GIFT_CARD:
            methods[name] = {**method, "balance": round(method["balance"] - amount, 2)}
    history = [*order["payment_history"], *(dict(entry) for entry in entries)]
    return {"payment_history": history, "payment_methods": methods}


_HANDLERS: Final[dict[str, Handler]] = {
    "tau2_product_types": _product_types,
    "tau2_calculate": _calculate,
    "tau2_returned_items": _returned_items,
    "tau2_exchanged_items": _exchanged_items,
    "tau2_other_items": _other_items,
    "tau2_other_payment": _other_payment,
    "tau2_refund": _refund,
}
"""Name in `tools.yaml` → handler."""
