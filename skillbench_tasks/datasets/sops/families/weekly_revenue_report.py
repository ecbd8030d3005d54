"""The revenue of one week: worked out in the warehouse, filed, compared with the week before."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    attempt,
    call,
    program,
    put,
    result,
    rule,
    when,
)
from skillbench_tasks.datasets.sops.tables import table_resource
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL = Resource(name="#data-reports", kind="chat channel", id="CHN-309")
SHEET = Resource(
    name="Weekly figures",
    kind="spreadsheet",
    id="SHT-705",
    detail="columns week, orders, revenue, signups",
)
BUCKET = Resource(name="reports", kind="object storage bucket", id="reports")
ORDERS = table_resource("orders")
SESSIONS = table_resource("web_sessions")
SNAPSHOTS = table_resource("kpi_snapshots")
REPORT = Template(
    name="weekly report",
    text="Week of {week}: {orders} orders, revenue {revenue}, {signups} sign-ups.",
)
NOT_FILED = Template(name="filing note", text="The report for {week} could not be filed.")
ALERT = Template(
    name="drop alert",
    text="Revenue fell to {revenue} in the week of {week}, after {revenue of the week before}.",
)

REPORT_TEXT = (
    "Week of ${inputs.week}: ${figures.rows.0.orders} orders, revenue ${figures.rows.0.revenue}, "
    "${signups.rows.0.signups} sign-ups."
)
KEY = "weekly/${inputs.week}.txt"
WEEK = {"week": "${inputs.week}"}
FIGURES_SQL = (
    "SELECT COUNT(*) AS orders, COALESCE(SUM(amount), 0) AS revenue FROM orders "
    "WHERE status <> 'cancelled' AND ordered_on >= :week AND ordered_on < DATEADD(day, 7, :week)"
)
SIGNUPS_SQL = (
    "SELECT COALESCE(SUM(signups), 0) AS signups FROM web_sessions "
    "WHERE day >= :week AND day < DATEADD(day, 7, :week)"
)
BEFORE_SQL = (
    "SELECT value FROM kpi_snapshots "
    "WHERE metric = 'revenue' AND period_start = DATEADD(day, -7, :week)"
)
SNAPSHOT_SQL = (
    "MERGE INTO kpi_snapshots AS t USING (SELECT CONCAT('revenue/', :week) AS snapshot_id) AS s "
    "ON t.snapshot_id = s.snapshot_id "
    "WHEN MATCHED THEN UPDATE SET metric = 'revenue', period_start = :week, value = :revenue, "
    "source = 'weekly-report' "
    "WHEN NOT MATCHED THEN INSERT (snapshot_id, metric, period_start, value, source) "
    "VALUES (s.snapshot_id, 'revenue', :week, :revenue, 'weekly-report')"
)


def _file(choice: Choice) -> NodeData:
    if choice["filing"] == "sheet":
        values = {
            "week": "${inputs.week}",
            "orders": "${figures.rows.0.orders}",
            "revenue": "${figures.rows.0.revenue}",
            "signups": "${signups.rows.0.signups}",
        }
        return call("file", "sheets:append_row", sheet_id=SHEET.id, values=values)
    if choice["filing"] == "post":
        return call("file", "chat:post_message", channel_id=CHANNEL.id, text=REPORT_TEXT)
    more = {"overwrite": True} if choice["guard"] == "none" else {}
    return call(
        "file", "storage:put_object", bucket=BUCKET.id, key=KEY, content=REPORT_TEXT, **more
    )


def _noted(choice: Choice) -> list[NodeData]:
    text = "The report for ${inputs.week} could not be filed."
    tell = call("note", "chat:post_message", channel_id=CHANNEL.id, text=text)
    if choice["filing"] == "post":
        mail = {"to": ["bruno.adeyemi@example.com"], "subject": "Weekly report not filed"}
        tell = call("note", "mail:send_mail", **mail, body=text)
    return [put("lost", "outcome", "failed"), tell]


def _comparison() -> list[NodeData]:
    least = {"*": [0.8, {"var": "before.rows.0.value"}]}
    is_below = {"<": [{"var": "figures.rows.0.revenue"}, least]}
    fell = {"and": [{">": [{"var": "before.row_count"}, 0]}, is_below]}
    alert = call(
        "alert",
        "chat:post_message",
        channel_id=CHANNEL.id,
        text="Revenue fell to ${figures.rows.0.revenue} in the week of ${inputs.week}, after "
        "${before.rows.0.value}.",
    )
    return [
        call("before", "warehouse:run_query", sql=BEFORE_SQL, parameters=WEEK),
        put("fallen", "fell", rule(fell)),
        when("drop", {"var": "fell"}, [alert]),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    is_guarded, is_compared = choice["guard"] == "note", choice["compare"] == "drop"
    steps = [
        call("figures", "warehouse:run_query", sql=FIGURES_SQL, parameters=WEEK),
        call("signups", "warehouse:run_query", sql=SIGNUPS_SQL, parameters=WEEK),
    ]
    if is_guarded:
        steps += [put("start", "outcome", "completed")]
        steps += [attempt("filing", [_file(choice)], _noted(choice))]
    else:
        steps += [_file(choice)]
    if choice["snapshot"] == "kpi":
        values = {**WEEK, "revenue": "${figures.rows.0.revenue}"}
        steps += [call("keep", "warehouse:run_statement", sql=SNAPSHOT_SQL, parameters=values)]
    if is_compared:
        steps += _comparison()
    log = {"outcome": "${outcome}" if is_guarded else "completed", "subject": "${inputs.week}"}
    steps.append(call("log", "automation:log_run", procedure="weekly-revenue", **log))
    fields: dict[str, Any] = {"revenue": "${figures.rows.0.revenue}"}
    output: dict[str, Any] = {"revenue": {"type": "number"}}
    if is_compared:
        fields["dropped"] = "${fell}"
        output["dropped"] = {"type": "boolean"}
    steps.append(result("end", **fields))
    week = {"type": "string", "description": "First day of the week, a Monday, YYYY-MM-DD."}
    return program({"week": week}, steps, output)


def _filing_sentence(choice: Choice) -> Sentence:
    again = (
        "a report that lies there already is replaced"
        if choice["guard"] == "none"
        else "a report that lies there already must not be overwritten, so filing fails"
    )
    how = {
        "sheet": "adding one row to the sheet Weekly figures, with the week's first day, its "
        "orders, its revenue and its sign-ups.",
        "post": "posting the weekly report in #data-reports.",
        "object": "writing the weekly report, as plain text, to the object `weekly/<week>.txt` of "
        f"the bucket reports in the object storage; {again}.",
    }[choice["filing"]]
    means = {KEY: "weekly/<week>.txt"}
    return Sentence(
        f"Filing the report, done once in every run, means {how}", ("call:file",), means
    )


def _guard_sentences(choice: Choice) -> list[Sentence]:
    log = "The run log gets one line for the procedure “weekly-revenue”, with the week's first "
    if choice["guard"] == "none":
        return [Sentence(log + "day as its subject and the outcome “completed”.", ("call:log",))]
    told = (
        "#data-reports gets the filing note"
        if choice["filing"] != "post"
        else "the filing note goes by e-mail to bruno.adeyemi@example.com, with the subject "
        "“Weekly report not filed”"
    )
    return [
        Sentence(
            log + "day as its subject; its outcome is “completed” where the report was filed and "
            "“failed” where it was not.",
            ("call:log", "set:start", "set:lost"),
        ),
        Sentence(
            f"Where filing fails, for whatever reason, it is not tried again: {told}, and "
            "everything else is done as usual.",
            ("try:filing", "call:note"),
        ),
    ]


def _comparison_sentences(choice: Choice) -> list[Sentence]:
    if choice["compare"] == "none":
        return []
    last = "keep" if choice["snapshot"] == "kpi" else _filing_label(choice)
    after = "the week's own snapshot has been written" if last == "keep" else "filing is over"
    return [
        Sentence(
            "The revenue of the week before stands in kpi_snapshots, in the row of the metric "
            "“revenue” whose period starts seven days before `week`; a query reads its `value`, "
            "as the only column.",
            ("call:before",),
            {BEFORE_SQL: "seven days before `week`"},
        ),
        Sentence(
            f"The snapshot of the week before is read only after {after}.",
            (f"order:{last}<before",),
        ),
        Sentence(
            "Revenue has dropped when there is a snapshot of the week before and the week's "
            "revenue is below 80 % of its value; without such a snapshot it has not dropped.",
            ("set:fallen",),
        ),
        Sentence(
            "When revenue has dropped, #data-reports gets the drop alert; otherwise no alert "
            "goes out.",
            ("if:drop", "call:alert"),
        ),
    ]


def _filing_label(choice: Choice) -> str:
    return "filing" if choice["guard"] == "note" else "file"


def _snapshot_sentences(choice: Choice) -> list[Sentence]:
    if choice["snapshot"] == "none":
        return []
    done = "has been filed, or filing it has failed and this has been told"
    done = done if choice["guard"] == "note" else "has been filed"
    return [
        Sentence(
            "The week's revenue is kept in kpi_snapshots with one statement: the row "
            "`revenue/<week>` has the metric “revenue”, the period start `week`, the revenue as "
            "its value and the source “weekly-report”; a row of that key that is there already is "
            "brought up to date.",
            ("call:keep",),
            {SNAPSHOT_SQL: "revenue/<week>"},
        ),
        Sentence(
            f"The week's own snapshot is written after the report {done}.",
            (f"order:{_filing_label(choice)}<keep",),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    last = _filing_label(choice)
    last = "keep" if choice["snapshot"] == "kpi" else last
    last = "drop" if choice["compare"] == "drop" else last
    dropped = " and whether it has dropped as `dropped`" if choice["compare"] == "drop" else ""
    return (
        Sentence(
            "A report is about the seven days that begin with the Monday given as `week`.",
            ("input:week",),
        ),
        Sentence(
            "A query on the table orders gives one row with the number of the week's orders as "
            "`orders` and the sum of their amounts as `revenue` (0 when there are none); "
            "currencies are not converted, and orders with the status “cancelled” do not count.",
            ("call:figures",),
            {FIGURES_SQL: "do not count"},
        ),
        Sentence(
            "A query of its own on the table web_sessions gives one row with the sum of the "
            "week's sign-ups over all channels as `signups` (0 when there are none).",
            ("call:signups",),
            {SIGNUPS_SQL: "over all channels"},
        ),
        Sentence(
            "The orders are queried before the sign-ups.",
            ("order:figures<signups",),
        ),
        _filing_sentence(choice),
        *_guard_sentences(choice),
        *_snapshot_sentences(choice),
        *_comparison_sentences(choice),
        *_last_sentence(last),
        Sentence(
            f"The run returns the week's revenue as `revenue`{dropped}.",
            ("return:end",),
        ),
    )


def _last_sentence(last: str) -> list[Sentence]:
    if last == "filing":  # the outcome says so already
        return []
    return [Sentence("The line in the run log is written last of all.", (f"order:{last}<log",))]


def _order(number: int, day: str, amount: float, status: str = "delivered") -> Record:
    return {
        "order_id": f"ORD-81{number}",
        "account_id": "ACC-402",
        "ordered_on": day,
        "status": status,
        "amount": amount,
        "currency": "EUR",
        "region": "emea",
        "sales_rep": "jonas.eberhart@example.com",
    }


def _visits(day: str, signups: int) -> Record:
    return {
        "session_id": f"{day}/partner",
        "day": day,
        "channel": "partner",
        "visits": 40 * signups,
        "signups": signups,
    }


def _snapshot(week: str, value: float, metric: str = "revenue") -> Record:
    return {
        "snapshot_id": f"{metric}/{week}",
        "metric": metric,
        "period_start": week,
        "value": value,
        "source": "weekly-report",
    }


def _variant(week: str, *faults: Fault, **tables: tuple[Record, ...]) -> VariantDraft:
    records = {f"wh_{name}": rows for name, rows in tables.items()}
    return VariantDraft({"week": week}, records, faults)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    tool = {"sheet": "sheets:append_row", "object": "storage:put_object"}
    found = [
        _variant("2026-03-09", web_sessions=(_visits("2026-03-15", 6), _visits("2026-03-16", 8))),
        _variant(
            "2026-02-16",
            orders=(_order(1, "2026-02-15", 300), _order(2, "2026-02-18", 90, "cancelled")),
            kpi_snapshots=(_snapshot("2026-02-09", 410, "signups"),),
        ),
        _variant(
            "2026-02-23",
            orders=(_order(3, "2026-02-23", 200.25), _order(4, "2026-03-01", 99.75)),
            web_sessions=(_visits("2026-03-01", 3),),
            kpi_snapshots=(_snapshot("2026-02-16", 2625), _snapshot("2026-02-23", 1)),
        ),
        _variant(
            "2025-12-29",
            orders=(_order(5, "2026-01-04", 799.5), _order(6, "2025-12-29", 0)),
            kpi_snapshots=(_snapshot("2025-12-22", 1000),),
        ),
        _variant("2026-03-02", web_sessions=(_visits("2026-03-08", 5),)),
    ]
    if choice["guard"] == "note":
        lost = Fault(
            tool=f"mcp.{tool.get(choice['filing'], 'chat:post_message')}",
            kind=FaultKind.PERMANENT,
            occurrences=(1,),
        )
        down = lost.model_copy(update={"kind": FaultKind.TRANSIENT})
        lower = (_snapshot("2026-02-23", 900),)
        found.append(_variant("2026-03-09", lost, kpi_snapshots=(_snapshot("2026-03-02", 9000),)))
        found.append(_variant("2026-03-02", down, kpi_snapshots=lower))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    texts = [] if choice["filing"] == "sheet" else [REPORT]
    texts += [NOT_FILED] if choice["guard"] == "note" else []
    texts += [ALERT] if choice["compare"] == "drop" else []
    is_told = choice["guard"] == "note" or choice["compare"] == "drop"
    places = {"sheet": [SHEET], "object": [BUCKET], "post": [CHANNEL]}[choice["filing"]]
    places = [CHANNEL, *places] if is_told and CHANNEL not in places else places
    snapshots = [] if choice["snapshot"] == choice["compare"] == "none" else [SNAPSHOTS]
    return Draft(
        title="Weekly revenue report",
        purpose="Operations runs this on Monday mornings, so that everybody finds the revenue of "
        "a week in the same place and worked out in the same way.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("Orders and visits of the week have all been loaded into the warehouse.",),
        resources=(*places, ORDERS, SESSIONS, *snapshots),
        templates=tuple(texts),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="weekly-revenue-report",
    axes={
        "filing": ("sheet", "object", "post"),
        "compare": ("none", "drop"),
        "guard": ("none", "note"),
        "snapshot": ("none", "kpi"),
    },
    build=build,
    picks=(
        {"filing": "sheet", "compare": "none", "guard": "none", "snapshot": "none"},
        {"filing": "object", "compare": "drop", "guard": "note", "snapshot": "kpi"},
    ),
)
