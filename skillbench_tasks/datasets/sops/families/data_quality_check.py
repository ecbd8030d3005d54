"""Bad data in the warehouse: found by a query, recorded once, opened again when it comes back."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    call,
    each,
    program,
    put,
    result,
    rule,
    when,
)
from skillbench_tasks.datasets.sops.tables import table_resource
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL = Resource(name="#data-reports", kind="chat channel", id="CHN-309")
PROJECT = Resource(name="Data", kind="issue tracker project", id="DAT")
ISSUES = table_resource("data_issues")
REFUNDS = table_resource("refunds")
CUSTOMERS = table_resource("customers")
USAGE = table_resource("usage_daily")
REFUND_PROBLEM = Template(
    name="problem text", text="Refund of {amount} for order {order id} has no payment."
)
REFUND_TICKET = Template(name="ticket line", text="Refund {refund id} has no payment")
REFUND_NOTE = Template(
    name="summary note", text="{number recorded} refunds without payment since {since}."
)
USAGE_PROBLEM = Template(name="problem text", text="No usage of {missing} customers.")
USAGE_TICKET = Template(name="ticket line", text="Usage of {day} is incomplete")
USAGE_NOTE = Template(name="summary note", text="Usage of {day} lacks {missing} customers.")

LOOK_SQL = "SELECT is_open FROM data_issues WHERE issue_key = :key"
REOPEN_SQL = "UPDATE data_issues SET is_open = TRUE, found_on = CURRENT_DATE WHERE issue_key = :key"
REFUNDS_SQL = (
    "SELECT refund_id, order_id, amount FROM refunds "
    "WHERE payment_id IS NULL AND refunded_on >= :since ORDER BY refund_id"
)
USAGE_SQL = (
    "SELECT COUNT(*) AS missing FROM customers AS c WHERE c.contract_value IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM usage_daily AS u "
    "WHERE u.account_id = c.account_id AND u.day = :day)"
)
REFUND_KEY = "refunds/${row.refund_id}/no_payment"
USAGE_KEY = "usage_daily/${inputs.day}/incomplete"
SHOWN_REFUND_KEY = "refunds/<refund id>/no_payment"
SHOWN_USAGE_KEY = "usage_daily/<day>/incomplete"


def _insert_sql(table: str) -> str:
    return (
        "INSERT INTO data_issues (issue_key, table_name, row_key, problem, found_on, is_open) "
        f"VALUES (:key, '{table}', :row, :problem, CURRENT_DATE, TRUE)"
    )


def _recording(choice: Choice) -> list[NodeData]:
    is_row = choice["grain"] == "row"
    table = "refunds" if is_row else "usage_daily"
    problem = "No usage of ${find.rows.0.missing} customers."
    summary = "Usage of ${inputs.day} is incomplete"
    if is_row:
        problem = "Refund of ${row.amount} for order ${row.order_id} has no payment."
        summary = "Refund ${row.refund_id} has no payment"
    values = {
        "key": REFUND_KEY if is_row else USAGE_KEY,
        "row": "${row.refund_id}" if is_row else "${inputs.day}",
        "problem": problem,
    }
    steps = [
        call("record", "warehouse:run_statement", sql=_insert_sql(table), parameters=values),
        put("count", "recorded", rule({"+": [{"var": "recorded"}, 1]}) if is_row else True),
    ]
    if choice["ticket"] == "tracker":
        fields = {"summary": summary, "assignee": "bruno.adeyemi@example.com"}
        ticket = {"project": PROJECT.id, "issue_type": "bug", **fields}
        steps.insert(1, call("ticket", "tracker:create_issue", **ticket))
    return steps


def _dealing(choice: Choice) -> list[NodeData]:
    """Return what is done about one thing that is bad."""
    if choice["known"] == "trust":
        return _recording(choice)
    key = {"key": REFUND_KEY if choice["grain"] == "row" else USAGE_KEY}
    reopen = [call("reopen", "warehouse:run_statement", sql=REOPEN_SQL, parameters=key)]
    if choice["grain"] == "row":
        reopen.append(put("again", "reopened", rule({"+": [{"var": "reopened"}, 1]})))
    closed = when("closed", {"!": [{"var": "look.rows.0.is_open"}]}, reopen)
    return [
        call("look", "warehouse:run_query", sql=LOOK_SQL, parameters=key),
        when("known", {"==": [{"var": "look.row_count"}, 0]}, _recording(choice), [closed]),
    ]


def _row_program(choice: Choice) -> dict[str, Any]:
    is_reopening = choice["known"] == "reopen"
    since = {"since": "${inputs.since}"}
    steps = [
        put("start", "recorded", 0),
        *([put("none", "reopened", 0)] if is_reopening else []),
        call("find", "warehouse:run_query", sql=REFUNDS_SQL, parameters=since),
        each("bad", "${find.rows}", "row", _dealing(choice)),
    ]
    if choice["notify"] == "chat":
        text = "${recorded} refunds without payment since ${inputs.since}."
        post = call("note", "chat:post_message", channel_id=CHANNEL.id, text=text)
        steps.append(when("any", {">": [{"var": "recorded"}, 0]}, [post]))
    log = {"procedure": "refund-check", "outcome": "completed", "subject": "${inputs.since}"}
    steps.append(call("log", "automation:log_run", **log))
    fields = {"found": "${find.row_count}", "recorded": "${recorded}"}
    if is_reopening:
        fields["reopened"] = "${reopened}"
    steps.append(result("end", **fields))
    day = {"type": "string", "description": "First day of booking to look at, YYYY-MM-DD."}
    return program({"since": day}, steps, {name: {"type": "integer"} for name in fields})


def _day_program(choice: Choice) -> dict[str, Any]:
    dealing = _dealing(choice)
    if choice["notify"] == "chat":
        text = "Usage of ${inputs.day} lacks ${find.rows.0.missing} customers."
        dealing.append(call("note", "chat:post_message", channel_id=CHANNEL.id, text=text))
    steps = [
        put("start", "recorded", False),
        call("find", "warehouse:run_query", sql=USAGE_SQL, parameters={"day": "${inputs.day}"}),
        when("bad", {">": [{"var": "find.rows.0.missing"}, 2]}, dealing),
        result("end", missing="${find.rows.0.missing}", recorded="${recorded}"),
    ]
    day = {"type": "string", "description": "Day to check, YYYY-MM-DD."}
    output = {"missing": {"type": "integer"}, "recorded": {"type": "boolean"}}
    return program({"day": day}, steps, output)


def _row_sentences(choice: Choice) -> list[Sentence]:
    means = {REFUND_KEY: SHOWN_REFUND_KEY, _insert_sql("refunds"): "one new row in data_issues"}
    is_posting = choice["notify"] == "chat"
    found = [
        Sentence(
            "The check covers the refunds that were booked on the date given as `since` or later.",
            ("input:since",),
        ),
        Sentence(
            "A refund is bad when it has no payment id. One query on the table refunds gives all "
            "bad ones, with `refund_id`, `order_id` and `amount` as the only columns, sorted by "
            "`refund_id`.",
            ("call:find",),
            {REFUNDS_SQL: "it has no payment id"},
        ),
        Sentence(
            "Bad refunds are dealt with one by one, in the order of their ids.", ("each:bad",)
        ),
        Sentence(
            "Recording a bad refund means one new row in data_issues: key "
            f"`{SHOWN_REFUND_KEY}`, table name “refunds”, the refund's id as the row key, the "
            "problem text, found today, open.",
            ("call:record",),
            means,
        ),
        Sentence(
            "The run log gets one line for the procedure “refund-check”, with the outcome "
            "“completed” and the date `since` as its subject, as the last step, also when no bad "
            "refund was found.",
            ("call:log", "order:any<log" if is_posting else "order:bad<log"),
        ),
        Sentence(
            "The run returns how many bad refunds the query gave as `found`, and how many of them "
            "were newly recorded as `recorded`.",
            ("return:end", "set:count"),
        ),
    ]
    if is_posting:
        loop = ("order:bad<any",) if choice["known"] == "trust" else ()
        found.append(
            Sentence(
                "When at least one refund was newly recorded, #data-reports gets the summary note "
                "once, after all bad refunds; otherwise nothing is posted.",
                ("if:any", "call:note", *loop),
            )
        )
    return found


def _day_sentences(choice: Choice) -> list[Sentence]:
    means = {USAGE_KEY: SHOWN_USAGE_KEY, _insert_sql("usage_daily"): "one new row in data_issues"}
    then = "recorded" if choice["known"] == "trust" else "recorded or opened again"
    found = [
        Sentence("The check is about the day given as `day`.", ("input:day",)),
        Sentence(
            "The table usage_daily should have a row of the day for each customer with a contract "
            "value (customers whose contract value is NULL do not count). One query gives, as the "
            "single value `missing`, how many such customers have no row of that day.",
            ("call:find",),
            {USAGE_SQL: "no row of that day"},
        ),
        Sentence(
            f"A day on which more than 2 customers are missing is a bad day, which is {then}. "
            "When no more than 2 are missing, nothing is written anywhere.",
            ("if:bad",),
        ),
        Sentence(
            "Recording a bad day means one new row in data_issues: key "
            f"`{SHOWN_USAGE_KEY}`, table name “usage_daily”, the day as the row key, the problem "
            "text, found today, open.",
            ("call:record",),
            means,
        ),
        Sentence(
            "The run returns the number of missing customers as `missing`, and as `recorded` "
            "whether a new issue was recorded.",
            ("return:end",),
        ),
    ]
    if choice["notify"] == "chat":
        last = "ticket" if choice["ticket"] == "tracker" else "record"
        last = last if choice["known"] == "trust" else "known"
        found.append(
            Sentence(
                "#data-reports gets the summary note for every bad day, known or not, "
                "after data_issues has been dealt with"
                + (" and any ticket opened" if choice["ticket"] == "tracker" else "")
                + ".",
                ("call:note", f"order:{last}<note"),
            )
        )
    return found


def _known_sentences(choice: Choice) -> list[Sentence]:
    thing, shown = "bad day", SHOWN_USAGE_KEY
    if choice["grain"] == "row":
        thing, shown = "bad refund", SHOWN_REFUND_KEY
    found = []
    if choice["known"] == "reopen":
        keys = {REFUND_KEY: shown, USAGE_KEY: shown}
        found += [
            Sentence(
                f"For each {thing}, before anything is written about it, a query on data_issues "
                f"looks for the issue with the key `{shown}` and gives `is_open` as its only "
                "column.",
                ("call:look",),
                {LOOK_SQL: "gives `is_open`", **keys},
            ),
            Sentence(
                f"A {thing} without an issue of its key is recorded; one that has such an issue "
                "is not recorded a second time.",
                ("if:known",),
            ),
            Sentence(
                f"If the issue `{shown}` is there but closed, it is opened again with an update "
                "that sets `is_open` to true and `found_on` to today and nothing else; an issue "
                "that is still open is left as it is.",
                ("if:closed", "call:reopen"),
                {REOPEN_SQL: "opened again", **keys},
            ),
        ]
    if choice["known"] == "reopen" and choice["grain"] == "row":
        again = "The run also returns how many issues were opened again, as `reopened`."
        found.append(Sentence(again, ("set:again",)))
    if choice["ticket"] == "tracker":
        found.append(
            Sentence(
                f"Once a {thing} has been newly recorded, an issue of the type “bug” is opened "
                "for it in the project Data of the issue tracker, with the ticket line as its "
                "summary, assigned to bruno.adeyemi@example.com.",
                ("call:ticket", "order:record<ticket"),
            )
        )
    return found


def _refund(number: int, day: str, payment: str | None = None, amount: float = 45) -> Record:
    return {
        "refund_id": f"RFD-7{number}",
        "order_id": f"ORD-200{number % 8 + 1}",
        "payment_id": payment,
        "amount": amount,
        "refunded_on": day,
        "is_reconciled": False,
    }


def _issue(key: str, is_open: bool) -> Record:
    table, row, problem = key.split("/")
    return {
        "issue_key": key,
        "table_name": table,
        "row_key": row,
        "problem": problem.replace("_", " "),
        "found_on": "2026-03-02",
        "is_open": is_open,
    }


def _row_variants(is_known: bool) -> tuple[VariantDraft, ...]:
    def one(since: str, refunds: tuple[Record, ...], *issues: Record) -> VariantDraft:
        tables = {"wh_refunds": refunds, "wh_data_issues": issues if is_known else ()}
        return VariantDraft({"since": since}, {name: rows for name, rows in tables.items() if rows})

    return (
        one("2026-03-10", (_refund(1, "2026-03-11", "PAY-824"), _refund(2, "2026-03-09"))),
        one("2026-03-01", (), _issue("refunds/RFD-2/wrong_amount", False)),
        one("2026-03-09", (), _issue("refunds/RFD-2/no_payment", False)),
        one(
            "2026-03-12",
            (_refund(3, "2026-03-12", amount=19.5), _refund(4, "2026-03-14")),
            _issue("refunds/RFD-73/no_payment", True),
        ),
        one(
            "2026-03-01",
            (_refund(5, "2026-03-01"), _refund(6, "2026-02-28"), _refund(7, "2026-03-15")),
            _issue("refunds/RFD-2/no_payment", True),
            _issue("refunds/RFD-77/no_payment", False),
            _issue("orders/RFD-75/no_payment", True),
        ),
        one("2026-03-15", (_refund(8, "2026-03-15"),), _issue("refunds/RFD-78/no_payment", True)),
    )


def _usage(account: int, day: str) -> Record:
    return {
        "usage_id": f"ACC-{account}/{day}",
        "account_id": f"ACC-{account}",
        "day": day,
        "active_users": 7,
        "api_calls": 630,
    }


def _day_variants(is_known: bool) -> tuple[VariantDraft, ...]:
    def one(day: str, accounts: tuple[int, ...], *issues: Record) -> VariantDraft:
        usage = tuple(_usage(account, day) for account in accounts)
        tables = {"wh_usage_daily": usage, "wh_data_issues": issues if is_known else ()}
        return VariantDraft({"day": day}, {name: rows for name, rows in tables.items() if rows})

    return (
        one("2026-03-13", ()),
        one("2026-03-12", (401, 402, 403)),
        one("2026-03-11", (401, 404), _issue("usage_daily/2026-03-10/incomplete", True)),
        one("2026-03-14", (401, 405, 407), _issue("usage_daily/2026-03-14/incomplete", False)),
        one("2026-03-15", (), _issue("usage_daily/2026-03-15/incomplete", True)),
        one("2026-03-06", (403,), _issue("usage_daily/2026-03-06/incomplete", True)),
    )


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_row, is_known = choice["grain"] == "row", choice["known"] != "trust"
    texts = [REFUND_PROBLEM if is_row else USAGE_PROBLEM]
    places = [REFUNDS, ISSUES] if is_row else [USAGE, CUSTOMERS, ISSUES]
    if choice["ticket"] == "tracker":
        texts.append(REFUND_TICKET if is_row else USAGE_TICKET)
        places.append(PROJECT)
    if choice["notify"] == "chat":
        texts.append(REFUND_NOTE if is_row else USAGE_NOTE)
        places.append(CHANNEL)
    own = _row_sentences(choice) if is_row else _day_sentences(choice)
    first = "The table data_issues holds no issue yet of what this run looks at."
    return Draft(
        title="Refunds without a payment" if is_row else "Completeness of a day's usage",
        purpose="The data team runs this so that refunds that nobody can match do not get lost."
        if is_row
        else "The data team runs this after the nightly load, before anybody reads the numbers.",
        program=_row_program(choice) if is_row else _day_program(choice),
        sentences=(*own, *_known_sentences(choice)),
        context=("The nightly load of the warehouse is finished.", *(() if is_known else (first,))),
        resources=tuple(places),
        templates=tuple(texts),
        variants=_row_variants(is_known) if is_row else _day_variants(is_known),
    )


FAMILY = Family(
    name="data-quality-check",
    axes={
        "grain": ("row", "day"),
        "known": ("trust", "reopen"),
        "ticket": ("none", "tracker"),
        "notify": ("none", "chat"),
    },
    build=build,
    picks=(
        {"grain": "row", "known": "reopen", "ticket": "none", "notify": "none"},
        {"grain": "day", "known": "trust", "ticket": "none", "notify": "none"},
    ),
)
