"""Records of the sales server: the object, which is data, decides which fields there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Record
from skillbench_tasks.tools.connectors.objects import FieldSpec, ObjectSpec, object_of_id, objects
from skillbench_tasks.tools.world import World

__all__ = ["create_record", "get_record", "update_record"]

_CREATE: Final = "mcp.sales:create_record"
_UPDATE: Final = "mcp.sales:update_record"
_GET: Final = "mcp.sales:get_record"


def get_record(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Return a record with its object.

    Raises:
        ToolFailure: There is no such record.
    """
    name = object_of_id(arguments["record_id"])
    return _answer(name, _present(world, name, arguments["record_id"], _GET))


def create_record(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Make a record of an object from the fields given.

    Raises:
        ToolFailure: A field is missing or unknown, or a value does not fit.
    """
    name, given = arguments["object"], arguments["fields"]
    spec = objects()[name]
    _check(world, name, given, _CREATE)
    for field, declared in spec.fields.items():
        if declared.required and given.get(field) is None:
            raise _failure("missing_field", f"A new {name} needs {field}.", _CREATE)
    record: Record = {spec.key: world.next_id(spec.collection)}
    for field, declared in list(spec.fields.items())[1:]:
        record[field] = given.get(field, declared.default)
    record["created_at"] = world.now
    world.put(spec.collection, record)
    return _answer(name, record)


def update_record(world: World, arguments: Mapping[str, Any]) -> JsonValue:
    """Change the fields given of a record.

    Raises:
        ToolFailure: There is no such record, a field is unknown or would become empty, a value
            does not fit, or the lead has been converted.
    """
    name, given = object_of_id(arguments["record_id"]), arguments["fields"]
    spec = objects()[name]
    record = _present(world, name, arguments["record_id"], _UPDATE)
    if record.get("converted_account_id") is not None:
        message = f"Lead {arguments['record_id']} has been converted and cannot be changed."
        raise _failure("invalid_state", message, _UPDATE)
    _check(world, name, given, _UPDATE)
    for field, value in given.items():
        if value is None and spec.fields[field].required:
            raise _failure("missing_field", f"{field} of a {name} cannot be empty.", _UPDATE)
    changed = {**record, **given}
    world.put(spec.collection, changed)
    return _answer(name, changed)


def _present(world: World, name: str, record_id: str, tool: str) -> Record:
    record = world.get(objects()[name].collection, record_id)
    if record is None:
        raise _failure("not_found", f"There is no {name} {record_id}.", tool)
    return record


def _answer(name: str, record: Record) -> JsonValue:
    return {"record_id": record[objects()[name].key], "object": name, "fields": dict(record)}


def _check(world: World, name: str, given: Mapping[str, JsonValue], tool: str) -> None:
    spec = objects()[name]
    for field, value in given.items():
        declared = spec.fields.get(field)
        if declared is None or declared.fixed:
            open_fields = ", ".join(_open_fields(spec))
            message = f"A {name} has no field {field} to set; it has {open_fields}."
            raise _failure("unknown_field", message, tool)
        if value is not None:
            _check_value(world, f"{name}.{field}", declared, value, tool)


def _open_fields(spec: ObjectSpec) -> Iterator[str]:
    return (name for name, field in spec.fields.items() if not field.fixed)


def _check_value(world: World, place: str, field: FieldSpec, value: JsonValue, tool: str) -> None:
    if field.type == "choice" and value not in field.values:
        message = f"{place} is one of {', '.join(field.values)}, not {value}."
        raise _failure("invalid_value", message, tool)
    if field.type == "date" and not _is_date(str(value)):
        raise _failure("invalid_value", f"{place}: {value} is no date.", tool)
    if field.type == "employee" and not _is_employee(world, str(value)):
        raise _failure("not_found", f"{place}: {value} is no employee.", tool)
    if field.type == "reference" and field.to is not None:
        target = objects()[field.to].collection
        if world.get(target, str(value)) is None:
            raise _failure("not_found", f"{place}: there is no {field.to} {value}.", tool)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_employee(world: World, email: str) -> bool:
    people = world.candidates("employees", "email", email)
    return any(person["email"] == email for person in people)


def _failure(code: str, message: str, tool: str) -> ToolFailure:
    return ToolFailure(code, message, False, tool)
