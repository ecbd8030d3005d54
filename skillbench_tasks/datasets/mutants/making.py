"""Arguments made up for writes that nobody asked for, valid in a given world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.story import HAND_OVER, Story, digest, pick
from skillbench_tasks.datasets.mutants.values import shifted
from skillbench_tasks.datasets.script import ScriptCall
from skillbench_tasks.models import Record

__all__ = ["made_up_calls", "transfer"]

_WORDS: Final = {
    "summary": "Handled at the desk on the agent's own account.",
    "details": "Opened at the desk, no reason given.",
    "body": "Customer was friendly and in a hurry.",
    "notes": "Please ring twice and wait at the side door.",
    "message": "With love from the whole family",
    "street": "77 Harbor View Road",
    "city": "Springfield",
    "state": "OH",
    "postcode": "45502",
    "country": "US",
    "phone": "+13125550148",
    "email": "new.contact@example.com",
    "to": "new.contact@example.com",
}
_NUMBERS: Final = {"amount": 5, "points": 200, "quantity": 2, "instalments": 3}
_CHANGES: Final = {
    "mcp.crm:update_contact_details": ("phone",),
    "mcp.loyalty:update_preferences": ("sms_offers", "phone_offers", "post_offers"),
}
"""Writes all of whose values are optional: what one of them may change."""

_TRIES: Final = 6


def made_up_calls(story: Story, tool: str, owner: str | None) -> Iterator[ScriptCall]:
    """Yield calls of a write on a customer's records that would take effect after the gold end."""
    seen: list[dict[str, JsonValue]] = []
    for salt in range(_TRIES):
        arguments = _arguments(story, tool, owner, salt)
        if arguments is None or arguments in seen:
            continue
        seen.append(arguments)
        if story.changes_end(tool, arguments):
            yield ScriptCall(tool=tool, arguments=arguments)


def transfer(story: Story, reason: str, queue: str, summary: str) -> ScriptCall:
    """Return a hand-over of the conversation."""
    arguments: dict[str, JsonValue] = {
        "reason_code": reason,
        "queue": queue,
        "summary": summary,
    }
    if story.verified is not None and story.subject is not None:
        arguments["customer_id"] = story.subject
    return ScriptCall(tool=HAND_OVER, arguments=arguments)


def _arguments(
    story: Story, tool: str, owner: str | None, salt: int
) -> dict[str, JsonValue] | None:
    schema: dict[str, Any] = story.tools[tool].input_schema
    names = list(schema["required"])
    if tool in _CHANGES:
        names.append(pick(_CHANGES[tool], story.case.id, salt))
    made: dict[str, JsonValue] = {}
    slot = _slot(story, schema["properties"], owner, salt)
    for name in names:
        value = slot.get(name)
        if value is None:
            value = _value(story, name, schema["properties"][name], owner, salt)
        if value is None:
            return None
        made[name] = value
    return made


def _value(
    story: Story, name: str, schema: dict[str, Any], owner: str | None, salt: int
) -> JsonValue:
    collection = story.collection_of(name)
    if collection is not None:
        owned = any("customer_id" in record for record in story.world.records(collection))
        records = story.records_of(collection, owner if owned else None)
        key = str(story.world.specs[collection].key)
        if not records:
            return None
        chosen = pick(records, story.case.id, name, salt)[key]
        return [chosen] if name == "item_ids" else chosen
    if "enum" in schema:
        code: str = pick(schema["enum"], story.case.id, name, salt)
        return code
    if schema.get("type") == "boolean":
        return _flipped(story, name, owner)
    if name in _NUMBERS:
        return _NUMBERS[name] + (salt if name == "quantity" else 0)
    if name.endswith(("_date", "_on")) or name == "date":
        days = {"to_date": 12, "from_date": 5}.get(name, 3 + digest(name, salt) % 5)
        return shifted(story.world.now[:10], days)
    return _WORDS.get(name)


def _flipped(story: Story, name: str, owner: str | None) -> JsonValue:
    record = story.end_world.get("preferences", owner or "")
    return None if record is None else not record.get(name)


def _slot(
    story: Story, properties: dict[str, Any], owner: str | None, salt: int
) -> dict[str, JsonValue]:
    """Return date, window and so on of a free slot, for tools that book one."""
    if not {"date", "window"} <= properties.keys():
        return {}
    free = [slot for slot in story.end_world.records("slots") if _is_free(story, slot, owner)]
    if not free:
        return {}
    slot = pick(sorted(free, key=lambda s: str(s["slot_id"])), story.case.id, salt)
    kinds = slot["visit_types"]
    assert isinstance(kinds, list)
    kind = "repair" if "repair" in kinds else kinds[0]
    return {n: slot[n] for n in ("area", "date", "window")} | {"visit_type": kind}


def _is_free(story: Story, slot: Record, owner: str | None) -> bool:
    homes = [*story.records_of("lines", owner), *story.records_of("visits", owner)]
    remaining = slot["remaining"]
    assert isinstance(remaining, int)
    return remaining > 0 and any(home.get("area") == slot["area"] for home in homes)
