"""Deterministic fakes around a generated program: tools, their backend, the user."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from skillbench_tasks.errors import ToolFailure

JSON = dict[str, Any]
LOOKUP, SEARCH, STORE = "mcp.fake:lookup", "mcp.fake:search", "mcp.fake:store"
CHARGE, FLAKY, PING = "mcp.fake:charge", "mcp.shaky:flaky", "mcp.shaky:ping"
CURRENCIES = ["eur", "usd"]
WORDS = ["apple", "Berg", "carrot", "Delta", "échelle", "fox", "", "grand total"]
DATES = ["2024-02-28", "2024-03-01T09:30:00Z", "2023-12-31T23:59:59+02:00", "2024-02-29"]
SLOTS = ["order_number", "email", "reason_text", "amount_wanted"]


def _object(properties: JSON, required: list[str], closed: bool = True) -> JSON:
    schema: JSON = {"type": "object", "properties": properties, "required": required}
    return {**schema, "additionalProperties": False} if closed else schema


def fake_tools() -> dict[str, tuple[JSON, JSON | None]]:
    """Give the tools by name, each with its input schema and its output schema, if any."""
    text, whole, number = {"type": "string"}, {"type": "integer"}, {"type": "number"}
    record = {
        "id": text,
        "name": text,
        "day": text,
        "price": number,
        "count": whole,
        "active": {"type": "boolean"},
        "note": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": text},
        "levels": {"type": "array", "items": whole},
        "parts": {"type": "array", "items": {"type": "object"}},
    }
    receipt = {"receipt": text, "amount": number}
    return {
        LOOKUP: (_object({"id": text}, ["id"]), _object(record, list(record))),
        SEARCH: (_object({"query": text, "limit": whole}, ["query"]), None),
        STORE: (_object({"key": text, "value": {}}, ["key", "value"]), None),
        CHARGE: (
            _object({"amount": number, "currency": {"enum": CURRENCIES}}, ["amount"]),
            _object(receipt, list(receipt), closed=False),
        ),
        FLAKY: (_object({"n": whole}, ["n"]), None),
        PING: (_object({}, []), None),
    }


def _part(rng: random.Random) -> JSON:
    price = rng.choice([0.1, 2.5, 3, 19.99, 25.0, 1e-7])
    return {"sku": rng.choice(WORDS), "qty": rng.randint(0, 5), "price": price}


def _record(rng: random.Random, identity: str) -> JSON:
    return {
        "id": identity,
        "name": rng.choice(WORDS),
        "day": rng.choice(DATES),
        "price": rng.choice([0, 9.99, 10.0, 0.333333, -4.25, 1234567.125]),
        "count": rng.randint(-2, 12),
        "active": rng.random() < 0.5,
        "note": rng.choice([None, "fragile", "call first"]),
        "tags": rng.sample(WORDS, rng.randint(0, 3)),
        "levels": [rng.randint(-3, 9) for _ in range(rng.randint(0, 4))],
        "parts": [_part(rng) for _ in range(rng.randint(0, 3))],
    }


def _need(condition: bool, tool: str, code: str, retryable: bool = False) -> None:
    if not condition:
        raise ToolFailure(code, f"{tool} says {code}", retryable, tool)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _lookup(rng: random.Random, arguments: JSON, ordinal: int) -> Any:
    identity = arguments["id"]
    _need(isinstance(identity, str), LOOKUP, "invalid_arguments")
    _need(identity != "" and rng.random() < 0.85, LOOKUP, "not_found")
    return _record(rng, identity)


def _search(rng: random.Random, arguments: JSON, ordinal: int) -> Any:
    query, limit = arguments["query"], arguments.get("limit", 3)
    _need(isinstance(query, str) and _whole(limit), SEARCH, "invalid_arguments")
    _need(limit >= 0, SEARCH, "bad_limit")
    items = [_record(rng, f"{query}-{n}") for n in range(min(limit, rng.randint(0, 4)))]
    return {"items": items, "total": len(items), "score": 0.5, "next": None}


def _store(rng: random.Random, arguments: JSON, ordinal: int) -> Any:
    _need(isinstance(arguments["key"], str), STORE, "invalid_arguments")
    _need(ordinal % 5 != 4, STORE, "conflict", retryable=True)
    return {"ok": True, "version": ordinal, "saved": arguments["value"]}


def _charge(rng: random.Random, arguments: JSON, ordinal: int) -> Any:
    amount = arguments["amount"]
    _need(_whole(amount) or isinstance(amount, float), CHARGE, "invalid_arguments")
    _need(arguments.get("currency", "eur") in CURRENCIES, CHARGE, "invalid_arguments")
    _need(0 <= amount < 1000, CHARGE, "amount_refused")
    return {"receipt": f"r{ordinal}", "amount": amount}


def _flaky(rng: random.Random, arguments: JSON, ordinal: int) -> Any:
    _need(_whole(arguments["n"]), FLAKY, "invalid_arguments")
    _need(rng.random() < 0.5, FLAKY, "unavailable", retryable=True)
    return rng.choice([arguments["n"], [], [1, 2.5, "x"], {"deep": {"list": [{"x": 1.5}]}}])


def _ping(rng: random.Random, arguments: JSON, ordinal: int) -> Any:
    return rng.choice([None, True, 0, 2.0, "pong", [], {}, [[], {"a": None}]])


_TOOLS: dict[str, Callable[[random.Random, JSON, int], Any]] = {
    LOOKUP: _lookup,
    SEARCH: _search,
    STORE: _store,
    CHARGE: _charge,
    FLAKY: _flaky,
    PING: _ping,
}


def scripted_backend(seed: int) -> Callable[[str, JSON], Any]:
    """Give a fresh backend; what it answers depends on the seed, the ordinal and the call."""
    calls = 0

    def backend(tool: str, arguments: JSON) -> Any:
        nonlocal calls
        calls += 1
        return _TOOLS[tool](random.Random(f"{seed}/{calls}/{tool}"), arguments, calls)

    return backend


class ScriptedRespondent:
    """A user who has told some slots at the start, and tells what is asked, or cannot.

    Answered slots and changes become told; a slot answered with ``null`` does not.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._asked = 0
        rng = random.Random(f"{seed}/told")
        self._told = {slot: f"early {slot}" for slot in SLOTS if rng.random() < 0.3}

    def told(self, slot: str) -> bool:
        """Tell whether the slot was told already."""
        return slot in self._told

    def told_value(self, slot: str) -> Any:
        """Give the value of a told slot."""
        return self._told[slot]

    def answer(self, slots: list[str], confirm: str | None, again: bool) -> JSON:
        """Answer a question for slots or for a confirmation."""
        self._asked += 1
        rng = random.Random(f"{self._seed}/{self._asked}/{confirm}/{again}")
        if confirm is not None:
            changed = [slot for slot in SLOTS if rng.random() < 0.15]
            changes = {slot: f"changed {slot} {self._asked}" for slot in changed}
            self._told.update(changes)
            return {"confirmed": rng.random() < 0.6, "changes": changes}
        given: JSON = {}
        for slot in slots:
            given[slot] = f"{slot} {self._asked}" if rng.random() < 0.85 else None
        self._told.update({slot: value for slot, value in given.items() if value is not None})
        return given
