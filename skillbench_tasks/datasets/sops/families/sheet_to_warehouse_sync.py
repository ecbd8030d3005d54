"""What people keep in a sheet, carried over into the system that everything else reads."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    attempt,
    call,
    each,
    program,
    put,
    result,
    rule,
    when,
)
from skillbench_tasks.datasets.sops.tables import table_resource
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource

__all__ = ["FAMILY"]

INTAKE = Resource(
    name="KPI intake",
    kind="spreadsheet",
    id="SHT-781",
    detail="columns metric, period_start, value, state (draft, ready, synced or failed)",
)
RENEWALS = Resource(
    name="Renewals",
    kind="spreadsheet",
    id="SHT-703",
    detail="columns account_id, owner, renewal_on, state (open, draft, synced or failed)",
)
SNAPSHOTS = table_resource("kpi_snapshots")

WRITE_SQL = (
    "MERGE INTO kpi_snapshots AS t "
    "USING (SELECT CONCAT(:metric, '/', :period) AS snapshot_id) AS s "
    "ON t.snapshot_id = s.snapshot_id "
    "WHEN MATCHED THEN UPDATE SET metric = :metric, period_start = :period, value = :value, "
    "source = 'sheet' "
    "WHEN NOT MATCHED THEN INSERT (snapshot_id, metric, period_start, value, source) "
    "VALUES (s.snapshot_id, :metric, :period, :value, 'sheet')"
)
LOOK_SQL = "SELECT value FROM kpi_snapshots WHERE snapshot_id = CONCAT(:metric, '/', :period)"
NAMES = {"metric": "${row.values.metric}", "period": "${row.values.period_start}"}


def _is_crm(choice: Choice) -> bool:
    return choice["target"] == "crm"


def _sheet(choice: Choice) -> Resource:
    return RENEWALS if _is_crm(choice) else INTAKE


def _carrying(choice: Choice) -> list[NodeData]:
    """Return how one row gets into the target."""
    if _is_crm(choice):
        account, day = "${row.values.account_id}", "${row.values.renewal_on}"
        look = call("look", "sales:get_record", record_id=account)
        fields = {"renewal_on": day}
        write = call("write", "sales:update_record", record_id=account, fields=fields)
        is_new: dict[str, Any] = {
            "!=": [{"var": "look.fields.renewal_on"}, {"var": "row.values.renewal_on"}]
        }
    else:
        look = call("look", "warehouse:run_query", sql=LOOK_SQL, parameters=NAMES)
        values = {**NAMES, "value": "${row.values.value}"}
        write = call("write", "warehouse:run_statement", sql=WRITE_SQL, parameters=values)
        differs = {"!=": [{"var": "look.rows.0.value"}, {"var": "row.values.value"}]}
        is_new = {"or": [{"==": [{"var": "look.row_count"}, 0]}, differs]}
    return [look, when("changed", is_new, [write])] if choice["check"] == "compare" else [write]


def _marking(choice: Choice, label: str, state: str) -> NodeData:
    place = {"sheet_id": _sheet(choice).id, "row_id": "${row.row_id}"}
    if choice["after"] == "delete" and state == "synced":
        return call(label, "sheets:delete_row", **place)
    return call(label, "sheets:update_row", **place, values={"state": state})


def _program(choice: Choice) -> dict[str, Any]:
    dealing = [
        *_carrying(choice),
        _marking(choice, "mark", "synced"),
        put("count", "synced", rule({"+": [{"var": "synced"}, 1]})),
    ]
    if choice["guard"] == "mark":
        dealing = [attempt("guard", dealing, [_marking(choice, "bad", "failed")])]
    sheet = _sheet(choice)
    wanted = {"column": "state", "equals": "open" if _is_crm(choice) else "ready"}
    log = {"procedure": "sheet-sync", "outcome": "completed", "subject": sheet.name}
    steps = [
        put("start", "synced", 0),
        call("find", "sheets:find_rows", sheet_id=sheet.id, **wanted),
        each("each", "${find.rows}", "row", dealing),
        call("log", "automation:log_run", **log),
        result("end", rows="${find.count}", synced="${synced}"),
    ]
    return program({}, steps, {"rows": {"type": "integer"}, "synced": {"type": "integer"}})


def _crm_sentences(choice: Choice) -> list[Sentence]:
    if choice["check"] == "none":
        return [
            Sentence(
                "The renewal date of the row becomes the renewal date of the account in the CRM "
                "whose id stands in the row; nothing else of the account changes, and the account "
                "is updated without being read first.",
                ("call:write",),
            )
        ]
    return [
        Sentence(
            "For each row the account whose id stands in it is read from the CRM first.",
            ("call:look",),
        ),
        Sentence(
            "When the account's renewal date differs from the one in the row, the account gets the "
            "row's renewal date and nothing else; when they are the same, the account is not "
            "written.",
            ("if:changed", "call:write"),
        ),
    ]


def _warehouse_sentences(choice: Choice) -> list[Sentence]:
    row = (
        "with one statement for the row: id `<metric>/<period start>`, metric, period start and "
        "value as in the row, source “sheet”; a snapshot of that id that is there already is "
        "brought up to date, otherwise it is added."
    )
    means = {WRITE_SQL: "<metric>/<period start>"}
    if choice["check"] == "none":
        text = f"A row of the sheet is written to kpi_snapshots {row}"
        return [Sentence(text, ("call:write",), means)]
    return [
        Sentence(
            "For each row a query on kpi_snapshots looks for the snapshot with the id "
            "`<metric>/<period start>` first and gives `value` as its only column.",
            ("call:look",),
            {LOOK_SQL: "<metric>/<period start>"},
        ),
        Sentence(
            "A row counts as changed when there is no such snapshot or its value differs from the "
            "one in the row; an unchanged row is not written.",
            ("if:changed",),
        ),
        Sentence(f"A changed row is written to kpi_snapshots {row}", ("call:write",), means),
    ]


def _marking_sentences(choice: Choice) -> list[Sentence]:
    sheet = _sheet(choice).name
    first = "changed" if choice["check"] == "compare" else "write"
    done = "is removed from" if choice["after"] == "delete" else "gets the state “synced” in"
    also = ", whether or not it had to be written," if choice["check"] == "compare" else ""
    target = "the CRM" if _is_crm(choice) else "kpi_snapshots"
    found = [
        Sentence(
            f"A row{also} {done} the sheet {sheet} only after {target} has been brought into line "
            "with it.",
            ("call:mark", f"order:{first}<mark"),
        )
    ]
    if choice["guard"] == "mark":
        found.append(
            Sentence(
                "If any step for a row fails, for whatever reason, its other steps are left out, "
                f"the row gets the state “failed” in the sheet {sheet} instead, and the run goes "
                "on with the next row.",
                ("try:guard", "call:bad"),
            )
        )
    return found


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    sheet, state = _sheet(choice).name, "open" if _is_crm(choice) else "ready"
    target = "the CRM" if _is_crm(choice) else "the warehouse"
    carrying = _crm_sentences(choice) if _is_crm(choice) else _warehouse_sentences(choice)
    return (
        Sentence(
            f"The sheet {sheet} is read once, for the rows whose column state is “{state}”; rows "
            "in other states are left alone.",
            ("call:find",),
        ),
        Sentence(
            f"The rows that were read are carried over into {target} one by one, in the order of "
            "the sheet, each finished before the next.",
            ("each:each",),
        ),
        *carrying,
        *_marking_sentences(choice),
        Sentence(
            "After the last row, the run log gets one line for the procedure “sheet-sync”, with "
            f"the outcome “completed” and the subject “{sheet}”, also when there were no rows.",
            ("call:log", "order:each<log"),
        ),
        Sentence(
            "The run returns how many rows were read as `rows`, and as `synced` how many of them "
            "went through all their steps.",
            ("return:end", "set:count"),
        ),
    )


def _row(number: int, sheet: Resource, **values: Any) -> Record:
    return {"row_id": f"ROW-{number}", "sheet_id": sheet.id, "values": values}


def _kpi(number: int, metric: str, period: str, value: Any, state: str = "ready") -> Record:
    cells = {"metric": metric, "period_start": period, "value": value, "state": state}
    return _row(number, INTAKE, **cells)


def _renewal(number: int, account: str, day: str, state: str = "open") -> Record:
    cells = {"account_id": account, "owner": "lucia.brandt@example.com"}
    return _row(number, RENEWALS, **cells, renewal_on=day, state=state)


def _warehouse_runs(is_guarded: bool) -> list[tuple[tuple[Record, ...], tuple[Fault, ...]]]:
    found: list[tuple[tuple[Record, ...], tuple[Fault, ...]]] = [
        ((_kpi(781, "signups", "2026-03-09", 29, "draft"),), ()),
        ((_kpi(781, "churn", "2026-03-02", 0.031),), ()),
        (
            (
                _kpi(781, "revenue", "2026-03-02", 8100),
                _kpi(782, "revenue", "2026-03-09", 9000, "synced"),
            ),
            (),
        ),
        (
            (
                _kpi(781, "nps", "2026-03-09", 41),
                _kpi(782, "signups", "2026-03-09", 12, "draft"),
                _kpi(783, "nps", "2026-03-09", 43),
                _kpi(784, "signups", "2026-03-02", 14),
            ),
            (),
        ),
        (
            (
                _kpi(781, "revenue", "2026-03-02", 8400.5),
                _kpi(782, "revenue", "2026-02-23", 1800),
            ),
            (),
        ),
    ]
    if is_guarded:
        tool = "mcp.warehouse:run_statement"
        busy = Fault(tool=tool, kind=FaultKind.RATE_LIMIT, occurrences=(1,))
        lost = Fault(tool=tool, kind=FaultKind.PERMANENT, occurrences=(2,))
        fresh = _kpi(781, "nps", "2026-02-23", 38), _kpi(782, "churn", "2026-03-09", 0.02)
        found += [(fresh, (lost,)), ((found[3][0][0], found[3][0][3]), (busy,))]
    return found


def _crm_runs(is_guarded: bool) -> list[tuple[tuple[Record, ...], tuple[Fault, ...]]]:
    done = _renewal(726, "ACC-402", "2026-04-15", "synced")
    draft = _renewal(727, "ACC-404", "2026-05-31", "draft")
    twice = _renewal(786, "ACC-403", "2026-09-01"), _renewal(787, "ACC-403", "2026-12-01")
    found: list[tuple[tuple[Record, ...], tuple[Fault, ...]]] = [
        ((done, draft), ()),
        ((done, _renewal(727, "ACC-404", "2027-05-31")), ()),
        ((draft, _renewal(726, "ACC-402", "2026-10-15")), ()),
        (twice, ()),
    ]
    if not is_guarded:
        return [*found, ((), ())]
    lost = Fault(
        tool="mcp.sales:update_record",
        kind=FaultKind.PERMANENT,
        where={"record_id": "ACC-403"},
    )
    unknown = _renewal(785, "ACC-499", "2026-08-01")
    worded = _renewal(788, "ACC-406", "next summer")
    found.append(((draft, unknown, twice[0], worded), ()))
    found.append(((_renewal(785, "ACC-403", "2026-07-01"), draft), (lost,)))
    return found


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    is_guarded = choice["guard"] == "mark"
    if _is_crm(choice):
        return tuple(
            VariantDraft({}, {"sheet_rows": rows} if rows else {}, faults)
            for rows, faults in _crm_runs(is_guarded)
        )
    sheet: Record = {
        "sheet_id": INTAKE.id,
        "title": INTAKE.name,
        "columns": ["metric", "period_start", "value", "state"],
        "created_at": "2026-01-12T09:00:00",
    }
    return tuple(
        VariantDraft({}, {"sheets": (sheet,), "sheet_rows": rows}, faults)
        for rows, faults in _warehouse_runs(is_guarded)
    )


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_crm = _is_crm(choice)
    told = "The automation may write every table of the warehouse."
    few = "The sheet never has more than 200 rows."
    return Draft(
        title="Renewal dates from the sheet" if is_crm else "Figures from the sheet",
        purpose="Account managers plan renewals in a sheet; this carries the dates that they have "
        "settled over into the CRM."
        if is_crm
        else "Teams whose figures come from no system enter them in a sheet; this carries them "
        "over into the warehouse, where the reports read them.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("The automation may change every account." if is_crm else told, few),
        resources=(RENEWALS,) if is_crm else (INTAKE, SNAPSHOTS),
        templates=(),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="sheet-to-warehouse-sync",
    axes={
        "target": ("warehouse", "crm"),
        "guard": ("none", "mark"),
        "after": ("mark", "delete"),
        "check": ("none", "compare"),
    },
    build=build,
    picks=(
        {"target": "warehouse", "guard": "none", "after": "mark", "check": "none"},
        {"target": "crm", "guard": "mark", "after": "mark", "check": "none"},
    ),
)
