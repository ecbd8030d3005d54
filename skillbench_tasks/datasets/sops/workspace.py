"""The base workspace of the SOPs: one company's records in all applications, small and shared.

A variant adds records to it, or puts others in the place of records with the same key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import model_from, read_json
from skillbench_tasks.models import Record, WorldFile
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.world import World

__all__ = ["base_world", "company", "record_faults", "world_with"]

_FILE: Final = Path(__file__).parent / "workspace.json"

_WAREHOUSE: Final = "wh_"
"""Prefix of the warehouse's collections: rows there may refer to nothing, for checks to find."""

_ID: Final = re.compile(r"[A-Z]{2,5}-[0-9]+")

_REFERENCES: Final[Mapping[str, str]] = {
    "account_id": "sales_accounts",
    "attachment_id": "drive_files",
    "bucket": "storage_buckets",
    "channel_id": "chat_channels",
    "converted_account_id": "sales_accounts",
    "duplicate_of": "sales_leads",
    "employee_id": "employees",
    "file_id": "drive_files",
    "folder_id": "drive_files",
    "group_ids": "groups",
    "in_reply_to": "mails",
    "invoice_id": "invoices",
    "issue_id": "tracker_issues",
    "lead_id": "sales_leads",
    "manager_id": "employees",
    "member_ids": "chat_users",
    "opportunity_id": "sales_opportunities",
    "parent_id": "tracker_issues",
    "payment_id": "payments",
    "project": "tracker_projects",
    "refund_of": "payments",
    "service_id": "services",
    "sheet_id": "sheets",
    "thread_id": "chat_messages",
    "user_id": "chat_users",
}
"""Field → the collection in which the records lie that it names."""

_STAFF: Final = frozenset(
    {"assignee", "lead_email", "organizer", "owner_email", "primary_on_call", "responder"}
    | {"secondary_on_call"}
)
"""Fields that hold the e-mail address of an employee."""


@cache
def _file() -> WorldFile:
    return model_from(WorldFile, read_json(_FILE), _FILE)


@cache
def base_world() -> World:
    """Return the base workspace, frozen; callers work on copies. The tests have checked it."""
    return World.from_file(connectors.collections(), _file()).freeze()


def company() -> str:
    """Return the name of the company whose workspace it is."""
    return _file().company


def world_with(records: Mapping[str, Sequence[Record]], place: str) -> World:
    """Return a copy of the base workspace with records added, or put in place of others.

    Args:
        records: Collection → records.
        place: What the records belong to, for messages.

    Raises:
        DataError: A record is of no collection, lacks a field, or names what is not there.
    """
    world = base_world().copy()
    for name, listed in records.items():
        spec = world.specs.get(name)
        if spec is None:
            raise DataError(place, f"records.{name}", "no such collection", "name one")
        for record in listed:
            if not isinstance(record.get(spec.key), str):
                raise DataError(place, f"records.{name}", f"no {spec.key}", "give it")
            world.put(name, record)
    for name, listed in records.items():
        for index, record in enumerate(listed):
            for fault in record_faults(world, name, record):
                field = f"records.{name}.{index}"
                raise DataError(place, field, fault, "see the base workspace")
    return world


def record_faults(world: World, collection: str, record: Record) -> Iterator[str]:
    """Yield what is wrong with a record: fields, and references that lead nowhere.

    Args:
        world: Where it lies.
        collection: The collection; a record has the fields of its records in the workspace.
        record: The record.
    """
    expected = next(iter(base_world().records(collection))).keys()
    if missing := sorted(expected - record.keys()):
        yield f"no {', '.join(missing)}"
    if unknown := sorted(record.keys() - expected):
        yield f"unknown field {', '.join(unknown)}"
    if collection.startswith(_WAREHOUSE):
        return
    for field, value in record.items():
        for name in value if isinstance(value, list) else [value]:
            if not _resolves(world, field, name):
                yield f"{field} names {name}, which is not there"


def _resolves(world: World, field: str, name: JsonValue) -> bool:
    if not isinstance(name, str):
        return True
    if field in _STAFF:
        return any(person["email"] == name for person in world.records("employees"))
    target = _REFERENCES.get(field)
    is_reference = field in ("bucket", "project") or _ID.fullmatch(name) is not None
    return target is None or not is_reference or world.get(target, name) is not None
