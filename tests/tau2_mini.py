"""A tiny folder in the form of τ² retail data; its shop, people and tasks are invented here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

__all__ = ["CANARY", "call", "database", "recording", "task", "tasks", "tools", "write_mini"]

CANARY = "heron-4471"
"""Stands in what the tasks expect and nowhere else."""

_CARD, _GIFT = "credit_card_1", "gift_card_1"
_HOME = {
    "address1": "1 Pier Road",
    "address2": "",
    "city": "Mockham",
    "country": "USA",
    "state": "TX",
    "zip": "10001",
}
_MOVE = {**_HOME, "address1": "2 Quay Street"}


def _variant(item_id: str, colour: str, price: float, available: bool = True) -> dict[str, Any]:
    return {
        "item_id": item_id,
        "options": {"colour": colour},
        "available": available,
        "price": price,
    }


_MUGS = {
    v["item_id"]: v
    for v in (
        _variant("11", "blue", 5.0),
        _variant("12", "red", 6.5),
        _variant("13", "gold", 40.0),
        _variant("14", "white", 5.0, available=False),
    )
}
_TRAYS = {v["item_id"]: v for v in (_variant("21", "oak", 20.1), _variant("22", "pine", 18.35))}


def _piece(item_id: str) -> dict[str, Any]:
    name, product_id, variants = ("Mug", "1", _MUGS) if item_id in _MUGS else ("Tray", "2", _TRAYS)
    variant = variants[item_id]
    return {
        "name": name,
        "product_id": product_id,
        "item_id": item_id,
        "price": variant["price"],
        "options": variant["options"],
    }


def _order(order_id: str, status: str, items: tuple[str, ...], method: str) -> dict[str, Any]:
    pieces = [_piece(item) for item in items]
    paid = round(sum(piece["price"] for piece in pieces), 2)
    payment = {"transaction_type": "payment", "amount": paid, "payment_method_id": method}
    return {
        "order_id": order_id,
        "user_id": "ada_mock_1",
        "address": _HOME,
        "items": pieces,
        "status": status,
        "fulfillments": [],
        "payment_history": [payment],
    }


def database() -> dict[str, Any]:
    """Return the database: one user, four orders, two products."""
    orders = (
        _order("#W10001", "pending", ("11", "11", "21"), _CARD),
        _order("#W10002", "delivered", ("11", "21"), _CARD),
        _order("#W10003", "processed", ("12",), _CARD),
        _order("#W10004", "pending", ("12",), _GIFT),
    )
    user = {
        "user_id": "ada_mock_1",
        "name": {"first_name": "Ada", "last_name": "Mock"},
        "address": _HOME,
        "email": "ada@example.com",
        "payment_methods": {
            _CARD: {"source": "credit_card", "id": _CARD, "brand": "visa", "last_four": "1111"},
            "paypal_1": {"source": "paypal", "id": "paypal_1"},
            _GIFT: {"source": "gift_card", "id": _GIFT, "balance": 10.0},
        },
        "orders": [order["order_id"] for order in orders],
    }
    products = {"1": ("Mug", _MUGS), "2": ("Tray", _TRAYS)}
    data: dict[str, Any] = {
        "users": {"ada_mock_1": user},
        "orders": {order["order_id"]: order for order in orders},
        "products": {
            key: {"name": name, "product_id": key, "variants": variants}
            for key, (name, variants) in products.items()
        },
    }
    copied: dict[str, Any] = json.loads(json.dumps(data))
    return copied


_PARAMETERS: dict[str, tuple[bool, tuple[str, ...]]] = {
    "find_user_id_by_email": (False, ("email",)),
    "find_user_id_by_name_zip": (False, ("first_name", "last_name", "zip")),
    "get_user_details": (False, ("user_id",)),
    "get_order_details": (False, ("order_id",)),
    "get_product_details": (False, ("product_id",)),
    "get_item_details": (False, ("item_id",)),
    "list_all_product_types": (False, ()),
    "calculate": (False, ("expression",)),
    "think": (False, ("thought",)),
    "transfer_to_human_agents": (False, ("summary",)),
    "modify_user_address": (True, ("user_id", *_HOME)),
    "modify_pending_order_address": (True, ("order_id", *_HOME)),
    "modify_pending_order_payment": (True, ("order_id", "payment_method_id")),
    "modify_pending_order_items": (
        True,
        ("order_id", "item_ids", "new_item_ids", "payment_method_id"),
    ),
    "cancel_pending_order": (True, ("order_id", "reason")),
    "return_delivered_order_items": (True, ("order_id", "item_ids", "payment_method_id")),
    "exchange_delivered_order_items": (
        True,
        ("order_id", "item_ids", "new_item_ids", "payment_method_id"),
    ),
}
"""Name of a tool → whether it writes, names of its arguments."""


def tools() -> dict[str, Any]:
    """Return the tools file."""
    text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    entries = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": f"Shop tool: {name.replace('_', ' ')}.",
                "parameters": {
                    "type": "object",
                    "properties": {a: texts if a.endswith("_ids") else text for a in arguments},
                    "required": list(arguments),
                },
            },
        }
        for name, (_writes, arguments) in _PARAMETERS.items()
    ]
    mutating = {name: writes for name, (writes, _arguments) in _PARAMETERS.items()}
    return {"agent_tools": entries, "user_tools": [], "mutating": mutating}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Return an action."""
    return {"name": name, "arguments": arguments}


def task(
    task_id: str, reason: str, *actions: dict[str, Any], told: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return a task whose user is Ada Mock."""
    return {
        "id": task_id,
        "user_scenario": {
            "persona": None,
            "instructions": {
                "domain": "retail",
                "reason_for_call": reason,
                "known_info": "You are Ada Mock in zip code 10001.",
                "unknown_info": "You do not remember your email address",
                "task_instructions": "You are brief.",
            },
        },
        "initial_state": None,
        "evaluation_criteria": {
            "actions": list(actions),
            "communicate_info": list(told),
            "nl_assertions": [f"The agent knows {CANARY}."],
            "reward_basis": ["DB"],
        },
    }


_FIND = call("find_user_id_by_name_zip", first_name="Ada", last_name="Mock", zip="10001")


def tasks() -> list[dict[str, Any]]:
    """Return the tasks: a write and a fact, two writes, a fact, and four with nothing to pass."""
    exchange = call(
        "exchange_delivered_order_items",
        order_id="#W10002",
        item_ids=["21", "11"],
        new_item_ids=["22", "12"],
        payment_method_id=_CARD,
    )
    too_dear = call(
        "exchange_delivered_order_items",
        order_id="#W10002",
        item_ids=["11"],
        new_item_ids=["13"],
        payment_method_id=_GIFT,
    )
    not_sent = {**exchange, "arguments": {**exchange["arguments"], "order_id": "#W10001"}}
    modify = call(
        "modify_pending_order_items",
        order_id="#W10001",
        item_ids=["21", "11"],
        new_item_ids=["22", "12"],
        payment_method_id=_CARD,
    )
    return [
        task("0", "You want a red mug and a pine tray.", _FIND, exchange, told=("0.25",)),
        task("1", "You want the same for your pending order.", _FIND, not_sent, modify),
        task("2", "You want to know a number.", _FIND, told=(CANARY,)),
        task("3", "You want a gold mug for your gift card.", too_dear),
        task(
            "4", "You want a person.", call("transfer_to_human_agents", summary=f"About {CANARY}.")
        ),
        task("5", "You want what the shop does not do. Do not reveal it to the agent."),
        task(
            "6",
            "You moved away and back.",
            call("modify_user_address", user_id="ada_mock_1", **_MOVE),
            call("modify_user_address", user_id="ada_mock_1", **_HOME),
            call("cancel_pending_order", order_id="#W10004", reason="no longer needed"),
        ),
    ]


_ERRORS = {
    ("1", 1): "Error: Non-delivered order cannot be exchanged",
    ("3", 0): "Error: Insufficient gift card balance to pay for the price difference",
}


def recording(of: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """Return a recording of tasks (default: all) that holds which of their calls fail."""
    return [
        {
            "task_id": entry["id"],
            "steps": [
                {
                    **action,
                    "result": _ERRORS.get((entry["id"], index), "…"),
                    "error": (entry["id"], index) in _ERRORS,
                }
                for index, action in enumerate(entry["evaluation_criteria"].get("actions", ()))
            ],
        }
        for entry in of or tasks()
    ]


def write_mini(folder: Path, *, packed: bool = False, **files: Any) -> Path:
    """Write the folder.

    Args:
        folder: Where; it is made.
        packed: Whether database and recording are gzipped.
        **files: What stands in a file's place, by its name without ending: data, the text of a
            broken file, or `None` for a missing one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = files.get("tasks") if isinstance(files.get("tasks"), list) else None
    contents = {
        "db.json": files.get("db", database()),
        "tasks.json": files.get("tasks", tasks()),
        "tools.json": files.get("tools", tools()),
        "policy.md": files.get("policy", "# Policy\n\nBe kind. Ask for a yes before a change.\n"),
        "gold_replay.jsonl": files.get("gold_replay", recording(listed)),
    }
    for name, content in contents.items():
        if content is None:
            continue
        if isinstance(content, str):
            text = content
        elif name.endswith("jsonl"):
            text = "".join(f"{json.dumps(line)}\n" for line in content)
        else:
            text = json.dumps(content)
        if packed and name != "policy.md":
            (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / name).write_text(text, encoding="utf-8")
    return folder
