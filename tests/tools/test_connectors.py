"""The 64 connector tools: their definitions, one success and one failure each, the workspace."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillbench_tasks.datasets.sops.workspace import base_world, record_faults, world_with
from skillbench_tasks.errors import DataError, ToolFailure
from skillbench_tasks.tools import catalogue, connectors
from skillbench_tasks.tools.connectors.objects import objects
from skillbench_tasks.tools.connectors.sql.tables import collection_of, tables
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.toolkit import tool_defs

STAFF = "lucia.brandt@example.com"
SPAN = {"starts_at": "2026-03-18T14:30:00", "ends_at": "2026-03-18T15:30:00"}
MEETING = {"title": "Talk", "organizer": STAFF, "attendees": [STAFF], **SPAN}
INTO_EXPORTS = {"bucket": "exports", "key": "a.txt", "content": "x"}

# tool → (arguments of a success, arguments of a failure, its code)
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "access:create_identity": (
        {"email": "tessa.rowan@example.com", "display_name": "Tessa Rowan"},
        {"email": "Lucia.Brandt@example.com", "display_name": "L"},
        "already_exists",
    ),
    "access:get_group": ({"group_id": "GRP-974"}, {"group_id": "GRP-1"}, "not_found"),
    "access:get_identity": ({"email": STAFF}, {"email": "nobody@example.com"}, "not_found"),
    "access:set_identity_status": (
        {"identity_id": "IDN-125", "status": "suspended"},
        {"identity_id": "IDN-126", "status": "active"},
        "invalid_state",
    ),
    "access:set_membership": (
        {"identity_id": "IDN-120", "group_id": "GRP-974", "action": "add"},
        {"identity_id": "IDN-120", "group_id": "GRP-974", "action": "remove"},
        "not_member",
    ),
    "automation:log_run": (
        {"procedure": "p", "outcome": "completed", "subject": "s"},
        {"procedure": "p", "outcome": "done", "subject": "s"},
        "invalid_arguments",
    ),
    "automation:lookup_entry": (
        {"table": "severity_hours", "key": "sev2"},
        {"table": "severity_hours", "key": "sev9"},
        "not_found",
    ),
    "automation:make_reference": (
        {"kind": "dunning", "subject": "INV-1"},
        {"kind": "Dunning", "subject": "INV-1"},
        "invalid_arguments",
    ),
    "chat:create_channel": (
        {"name": "acct-veldt", "member_ids": ["USR-210"]},
        {"name": "launch-2024"},
        "name_taken",
    ),
    "chat:find_channel": ({"name": "incidents"}, {"name": "nowhere"}, "not_found"),
    "chat:find_user": ({"email": STAFF}, {"email": "nobody@example.com"}, "not_found"),
    "chat:invite_user": (
        {"channel_id": "CHN-302", "user_id": "USR-209"},
        {"channel_id": "CHN-302", "user_id": "USR-204"},
        "already_member",
    ),
    "chat:post_message": (
        {"channel_id": "CHN-306", "text": "Hello", "thread_id": "MSG-351"},
        {"channel_id": "CHN-311", "text": "Hello"},
        "channel_archived",
    ),
    "chat:send_direct_message": (
        {"user_id": "USR-209", "text": "Hello"},
        {"user_id": "USR-226", "text": "Hello"},
        "user_inactive",
    ),
    "drive:create_document": (
        {"name": "Notes", "folder_id": "FIL-504", "content": ""},
        {"name": "Payment terms", "folder_id": "FIL-502", "content": ""},
        "name_taken",
    ),
    "drive:create_folder": (
        {"name": "2026", "parent_id": "FIL-505"},
        {"name": "2026", "parent_id": "FIL-511"},
        "not_found",
    ),
    "drive:find_files": (
        {"folder_id": "FIL-503", "name_contains": "veldt"},
        {"folder_id": "FIL-511"},
        "not_found",
    ),
    "drive:move_file": (
        {"file_id": "FIL-513", "folder_id": "FIL-505"},
        {"file_id": "FIL-505", "folder_id": "FIL-505"},
        "invalid_target",
    ),
    "drive:share_file": (
        {"file_id": "FIL-511", "email": STAFF, "role": "reader"},
        {"file_id": "FIL-511", "email": "BRAM.OKOYE@veldt.example.org", "role": "reader"},
        "already_shared",
    ),
    "finance:decide_spend_request": (
        {"request_id": "SPR-851", "decision": "approved"},
        {"request_id": "SPR-854", "decision": "rejected"},
        "invalid_state",
    ),
    "finance:find_invoices": (
        {"status": "overdue", "due_to": "2026-03-01"},
        {"status": "late"},
        "invalid_arguments",
    ),
    "finance:find_payments": ({"kind": "refund"}, {"kind": "bonus"}, "invalid_arguments"),
    "finance:find_spend_requests": (
        {"kind": "expense", "minimum_amount": 200},
        {"minimum_amount": -1},
        "invalid_arguments",
    ),
    "finance:issue_refund": (
        {"payment_id": "PAY-822", "amount": 4130, "reason": "Returned"},
        {"payment_id": "PAY-822", "amount": 4130.01, "reason": "Returned"},
        "amount_too_high",
    ),
    "finance:update_invoice": (
        {"invoice_id": "INV-803", "status": "paid"},
        {"invoice_id": "INV-801", "status": "overdue"},
        "invalid_state",
    ),
    "incidents:get_service": ({"service_id": "SVC-952"}, {"service_id": "SVC-1"}, "not_found"),
    "incidents:open_incident": (
        {"service_id": "SVC-951", "title": "Down", "severity": "sev1"},
        {
            "service_id": "SVC-951",
            "title": "Down",
            "severity": "sev1",
            "responder": "x@example.net",
        },
        "unknown_person",
    ),
    "incidents:update_incident": (
        {"incident_id": "INC-961", "status": "resolved", "note": "Mended"},
        {"incident_id": "INC-961", "status": "triggered"},
        "invalid_state",
    ),
    "mail:find_mails": (
        {"mailbox": "billing@example.com", "is_read": False},
        {"mailbox": "nobody@example.com"},
        "not_found",
    ),
    "mail:label_mail": (
        {"mail_id": "EML-901", "label": "handled"},
        {"mail_id": "EML-1", "label": "handled"},
        "not_found",
    ),
    "mail:reply_to_mail": (
        {"mail_id": "EML-901", "body": "It is 12."},
        {"mail_id": "EML-905", "body": "It is 12."},
        "invalid_state",
    ),
    "mail:send_mail": (
        {"to": [STAFF], "subject": "Terms", "body": "See there.", "attachment_id": "FIL-515"},
        {"to": [STAFF], "subject": "Terms", "body": "See there.", "attachment_id": "FIL-1"},
        "not_found",
    ),
    "people:decide_leave": (
        {"leave_id": "LVE-152", "decision": "approved"},
        {"leave_id": "LVE-151", "decision": "approved"},
        "invalid_state",
    ),
    "people:find_employees": (
        {"department": "Finance", "status": "active"},
        {"department": "Fun"},
        "invalid_arguments",
    ),
    "people:find_leave": ({"on_date": "2026-03-23"}, {"on_date": "soon"}, "invalid_arguments"),
    "people:get_employee": ({"employee_id": "EMP-124"}, {"employee_id": "EMP-1"}, "not_found"),
    "people:update_employee": (
        {"employee_id": "EMP-125", "status": "left"},
        {"employee_id": "EMP-126", "status": "active"},
        "invalid_state",
    ),
    "planner:cancel_event": ({"event_id": "EVT-942"}, {"event_id": "EVT-945"}, "invalid_state"),
    "planner:check_availability": (
        {"attendees": [STAFF, "jonas.eberhart@example.com"], **SPAN},
        {"attendees": [STAFF], "starts_at": SPAN["ends_at"], "ends_at": SPAN["starts_at"]},
        "invalid_time",
    ),
    "planner:create_event": (
        MEETING,
        {**MEETING, "starts_at": "2026-03-16T08:59:59"},
        "invalid_time",
    ),
    "planner:find_events": (
        {"attendee": STAFF, "starts_from": "2026-03-17", "starts_before": "2026-03-18"},
        {"status": "tentative"},
        "invalid_arguments",
    ),
    "sales:convert_lead": (
        {
            "lead_id": "LEA-442",
            "account_id": "ACC-405",
            "opportunity_name": "Saltmarsh",
            "close_on": "2026-06-01",
        },
        {
            "lead_id": "LEA-441",
            "account_id": "ACC-405",
            "opportunity_name": "Saltmarsh",
            "close_on": "2026-06-01",
        },
        "invalid_state",
    ),
    "sales:create_record": (
        {"object": "task", "fields": {"subject": "Call", "owner_email": STAFF}},
        {
            "object": "task",
            "fields": {"subject": "Call", "owner_email": STAFF, "stage": "proposal"},
        },
        "unknown_field",
    ),
    "sales:get_record": ({"record_id": "OPP-461"}, {"record_id": "OPP-1"}, "not_found"),
    "sales:query": (
        {"query": "SELECT name, account.name FROM opportunity"},
        {"query": "SELECT nam FROM opportunity"},
        "not_found",
    ),
    "sales:update_record": (
        {"record_id": "ACC-402", "fields": {"health": "red"}},
        {"record_id": "ACC-402", "fields": {"owner_email": "nobody@example.com"}},
        "not_found",
    ),
    "sheets:append_row": (
        {"sheet_id": "SHT-705", "values": {"week": "2026-03-09", "orders": 3}},
        {"sheet_id": "SHT-705", "values": {"weak": 1}},
        "unknown_column",
    ),
    "sheets:create_sheet": (
        {"title": "T", "columns": ["a", "b"]},
        {"title": "T", "columns": ["a", "a"]},
        "invalid_arguments",
    ),
    "sheets:delete_row": (
        {"sheet_id": "SHT-701", "row_id": "ROW-723"},
        {"sheet_id": "SHT-702", "row_id": "ROW-723"},
        "not_found",
    ),
    "sheets:find_rows": (
        {"sheet_id": "SHT-701", "column": "limit", "equals": 5000.0},
        {"sheet_id": "SHT-701", "column": "price", "equals": 1},
        "unknown_column",
    ),
    "sheets:update_row": (
        {"sheet_id": "SHT-701", "row_id": "ROW-723", "values": {"status": "approved"}},
        {"sheet_id": "SHT-701", "row_id": "ROW-724", "values": {"status": "approved"}},
        "not_found",
    ),
    "storage:delete_object": (
        {"bucket": "exports", "key": "usage/2025-11-30.csv"},
        {"bucket": "archive-2025", "key": "contracts/orrin-2023.txt"},
        "bucket_locked",
    ),
    "storage:get_object": (
        {"bucket": "exports", "key": "orders/2026-03-09.csv"},
        {"bucket": "exports", "key": "orders"},
        "not_found",
    ),
    "storage:list_objects": (
        {"bucket": "exports", "prefix": "usage/"},
        {"bucket": "imports"},
        "not_found",
    ),
    "storage:put_object": (
        INTO_EXPORTS,
        {**INTO_EXPORTS, "key": "usage/2025-11-30.csv"},
        "already_exists",
    ),
    "tracker:add_comment": (
        {"issue_id": "ISS-606", "text": "Thanks."},
        {"issue_id": "ISS-1", "text": "Thanks."},
        "not_found",
    ),
    "tracker:create_issue": (
        {"project": "OPS", "issue_type": "task", "summary": "Order more", "parent_id": "ISS-601"},
        {"project": "OLD", "issue_type": "task", "summary": "Order more"},
        "project_archived",
    ),
    "tracker:find_issues": (
        {"is_open": True, "due_to": "2026-03-16"},
        {"priority": "hot"},
        "invalid_arguments",
    ),
    "tracker:get_issue": ({"issue_id": "ISS-604"}, {"issue_id": "ISS-1"}, "not_found"),
    "tracker:move_issue": (
        {"issue_id": "ISS-603", "status": "done", "resolution": "approved"},
        {"issue_id": "ISS-606", "status": "in_review"},
        "invalid_state",
    ),
    "tracker:update_issue": (
        {"issue_id": "ISS-605", "assignee": STAFF, "add_label": "sso"},
        {"issue_id": "ISS-606", "priority": "low"},
        "invalid_state",
    ),
    "warehouse:describe_table": ({"table": "Orders"}, {"table": "orderz"}, "not_found"),
    "warehouse:run_query": (
        {"sql": "SELECT sku FROM inventory"},
        {"sql": "DELETE FROM inventory"},
        "not_allowed",
    ),
    "warehouse:run_statement": (
        {"sql": "DELETE FROM inventory WHERE on_hand < 10"},
        {"sql": "SELECT sku FROM inventory"},
        "not_allowed",
    ),
}


def _box() -> Toolbox:
    return Toolbox(list(connectors.tools().values()), base_world())


def _call(box: Toolbox, tool: str, **arguments: Any) -> Any:
    return box.call(f"mcp.{tool}", arguments)


def _code(box: Toolbox, tool: str, **arguments: Any) -> str:
    with pytest.raises(ToolFailure) as caught:
        _call(box, tool, **arguments)
    return caught.value.code


def test_catalogue_has_exactly_64_tools_of_13_families_and_the_runtime() -> None:
    specs = [tool.spec for tool in connectors.tools().values()]
    families = {spec.server for spec in specs} - connectors.RUNTIME_SERVERS
    assert (len(specs), len(families)) == (64, 13)
    assert set(connectors.servers()) == families | connectors.RUNTIME_SERVERS


def test_no_name_is_one_of_the_support_catalogue() -> None:
    assert not set(connectors.servers()) & set(catalogue.servers())
    assert not set(connectors.tools()) & set(catalogue.tools())


def test_every_server_passes_the_checks_of_the_catalogue() -> None:
    for path in connectors.server_files():
        loaded = catalogue.load_server(path, connectors.collections())
        assert {tool.spec.server for tool in loaded} == {path.stem}


def test_every_tool_is_documented_and_closed() -> None:
    for name, tool in connectors.tools().items():
        spec = tool.spec
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", spec.function_name), name
        assert spec.description.count(".") >= 2, name
        assert "ail" in spec.description or spec.name.startswith("find_"), name
        assert spec.input_schema["additionalProperties"] is False
        assert all(p.get("description") for p in spec.input_schema["properties"].values()), name
        assert spec.output_schema is not None
        assert spec.output_schema["additionalProperties"] is False


def test_tool_defs_carry_the_schemas_to_a_model() -> None:
    box = _box()
    defs = tool_defs(box)
    assert [made.name for made in defs] == [t.spec.function_name for t in box.tools.values()]
    for made, tool in zip(defs, box.tools.values(), strict=True):
        assert list(made.parameters.properties) == list(tool.spec.input_schema["properties"])


def test_cases_name_every_tool() -> None:
    assert {f"mcp.{name}" for name in CASES} == set(connectors.tools())


@pytest.mark.parametrize("name", sorted(CASES))
def test_tool_succeeds_as_declared(name: str) -> None:
    box = _box()
    arguments = CASES[name][0]
    spec = box.tools[f"mcp.{name}"].spec
    result = _call(box, name, **arguments)
    assert spec.output_schema is not None
    Draft202012Validator(spec.output_schema).validate(result)
    changes = box.world.changes_since(box.start)
    assert bool(changes) is (spec.access == "write")
    for change in changes:
        if change.after is not None:
            assert not list(record_faults(box.world, change.collection, change.after))
    assert _call(_box(), name, **arguments) == result


@pytest.mark.parametrize("name", sorted(CASES))
def test_tool_fails_as_declared_and_changes_nothing(name: str) -> None:
    box = _box()
    _, arguments, code = CASES[name]
    assert _code(box, name, **arguments) == code
    assert not box.world.changes_since(box.start)
    assert "${" not in str(box.ledger[-1].error)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        pytest.param({"is_open": True}, ["601", "602", "603", "604", "605"], id="open"),
        pytest.param({"is_open": False}, ["606"], id="closed"),
        pytest.param({"is_open": True, "status": "done"}, [], id="open_and_done"),
        pytest.param({"due_to": "2026-03-13"}, ["602"], id="due_to_includes_the_day"),
        pytest.param({"created_before": "2026-02-24"}, ["601", "606"], id="before_excludes_it"),
        pytest.param({"label": "access", "text": "BRUNO"}, ["603"], id="label_and_text"),
        pytest.param({"limit": 2}, ["601", "602"], id="limit"),
    ],
)
def test_find_issues_narrows(arguments: dict[str, Any], found: list[str]) -> None:
    result = _call(_box(), "tracker:find_issues", **arguments)
    assert [issue["issue_id"] for issue in result["issues"]] == [f"ISS-{n}" for n in found]
    assert result["count"] == len(found)


def test_issue_reopened_loses_its_resolution() -> None:
    box = _box()
    assert _code(box, "tracker:move_issue", issue_id="ISS-606", status="done") == "invalid_state"
    issue = _call(box, "tracker:move_issue", issue_id="ISS-606", status="open")
    assert (issue["status"], issue["resolution"]) == ("open", None)


def test_availability_counts_overlaps_not_neighbours() -> None:
    box = _box()
    busy = _call(
        box, "planner:check_availability", attendees=[STAFF, "jonas.eberhart@example.com"], **SPAN
    )
    assert (busy["is_free"], busy["busy"]) == (False, ["jonas.eberhart@example.com"])
    free = _call(
        box,
        "planner:check_availability",
        attendees=["jonas.eberhart@example.com"],
        starts_at="2026-03-18T15:00:00",
        ends_at="2026-03-18T16:00:00",
    )
    assert free == {"is_free": True, "busy": [], "conflicts": []}


def test_refund_is_taken_from_the_payment_and_booked() -> None:
    box = _box()
    refund = _call(box, "finance:issue_refund", payment_id="PAY-821", amount=50.5, reason="Late")
    assert (refund["kind"], refund["refund_of"], refund["amount"]) == ("refund", "PAY-821", 50.5)
    left = _call(box, "finance:find_payments", payment_id="PAY-821")["payments"][0]
    assert left["refunded_amount"] == 50.5


def test_object_is_replaced_only_when_asked_to() -> None:
    box = _box()
    given = {"bucket": "exports", "key": "usage/2025-11-30.csv", "content": "new"}
    assert _code(box, "storage:put_object", **given) == "already_exists"
    assert _call(box, "storage:put_object", **given, overwrite=True)["size"] == 3
    listed = _call(box, "storage:list_objects", bucket="exports", prefix="usage/")
    assert [one["size"] for one in listed["objects"]] == [3]


def test_lead_that_was_converted_stays_as_it_is() -> None:
    box = _box()
    made = _call(box, "sales:convert_lead", **CASES["sales:convert_lead"][0])
    assert (
        _call(box, "sales:get_record", record_id=made["contact_id"])["fields"]["account_id"]
        == "ACC-405"
    )
    again = {"record_id": "LEA-442", "fields": {"score": 1}}
    assert _code(box, "sales:update_record", **again) == "invalid_state"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        pytest.param(
            {"object": "contact", "fields": {"name": "A", "email": "a@example.com"}},
            "missing_field",
            id="missing",
        ),
        pytest.param(
            {"object": "task", "fields": {"subject": "A", "owner_email": STAFF, "status": "new"}},
            "invalid_value",
            id="choice_of_another_object",
        ),
        pytest.param(
            {
                "object": "task",
                "fields": {"subject": "A", "owner_email": STAFF, "due_on": "2026-02-30"},
            },
            "invalid_value",
            id="no_date",
        ),
        pytest.param(
            {
                "object": "task",
                "fields": {"subject": "A", "owner_email": STAFF, "account_id": "ACC-1"},
            },
            "not_found",
            id="reference",
        ),
        pytest.param(
            {"object": "task", "fields": {"subject": "A", "owner_email": STAFF, "created_at": "x"}},
            "invalid_arguments",
            id="fixed",
        ),
        pytest.param(
            {
                "object": "account",
                "fields": {
                    "name": "A",
                    "region": "emea",
                    "owner_email": STAFF,
                    "account_id": "ACC-9",
                },
            },
            "unknown_field",
            id="fixed_here_open_elsewhere",
        ),
    ],
)
def test_record_that_does_not_fit_its_object_is_refused(given: dict[str, Any], code: str) -> None:
    assert _code(_box(), "sales:create_record", **given) == code


def test_sales_schemas_list_the_fields_of_the_objects() -> None:
    open_fields = {n for o in objects().values() for n, f in o.fields.items() if not f.fixed}
    all_fields = {name for spec in objects().values() for name in spec.fields}
    for tool in ("create_record", "update_record"):
        spec = connectors.tools()[f"mcp.sales:{tool}"].spec
        assert set(spec.input_schema["properties"]["fields"]["properties"]) == open_fields
        assert spec.output_schema is not None
        assert set(spec.output_schema["properties"]["fields"]["properties"]) == all_fields


def test_workspace_records_are_whole_and_refer_to_each_other() -> None:
    world = base_world()
    records = [(name, r) for name in world.specs for r in world.records(name)]
    assert len(records) <= 300
    assert {name for name, _ in records} == set(connectors.collections())
    faults = [f"{name}: {f}" for name, r in records for f in record_faults(world, name, r)]
    assert not faults
    for name, spec in objects().items():
        assert list(next(iter(world.records(spec.collection)))) == list(spec.fields), name
    for name, table in tables().items():
        assert list(next(iter(world.records(collection_of(name))))) == list(table.columns), name


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        pytest.param({"invoicez": [{}]}, "no such collection", id="collection"),
        pytest.param({"groups": [{"name": "x"}]}, "no group_id", id="key"),
        pytest.param({"groups": [{"group_id": "GRP-1"}]}, "no description", id="fields"),
        pytest.param(
            {
                "drive_shares": [
                    {
                        "share_id": "SHR-1",
                        "file_id": "FIL-9",
                        "email": "a@example.com",
                        "role": "reader",
                        "shared_at": "2026-01-01T08:00:00",
                    }
                ]
            },
            "file_id names FIL-9",
            id="reference",
        ),
    ],
)
def test_variant_records_that_are_wrong_are_named(records: Any, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        world_with(records, "chase.1#2")


def test_variant_records_leave_the_workspace_as_it_is() -> None:
    given = {"groups": [{**dict(base_world().get("groups", "GRP-971") or {}), "name": "eng"}]}
    world = world_with(given, "chase.1#2")
    assert (world.get("groups", "GRP-971") or {})["name"] == "eng"
    assert (base_world().get("groups", "GRP-971") or {})["name"] == "engineering"


def test_reading_handler_is_no_write(tmp_path: Path) -> None:
    text = (Path(connectors.__file__).parent / "warehouse.yaml").read_text(encoding="utf-8")
    path = tmp_path / "warehouse.yaml"
    path.write_text(text.replace("access: read", "access: write"), encoding="utf-8")
    with pytest.raises(DataError, match="the behaviour writes nothing"):
        catalogue.load_server(path, connectors.collections())
    path.write_text(text.replace("access: write", "access: read"), encoding="utf-8")
    with pytest.raises(DataError, match="access is read, but the behaviour writes"):
        catalogue.load_server(path, connectors.collections())
