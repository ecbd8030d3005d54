"""Customers whose usage falls off: their health in the CRM, and an alert to whoever can act."""

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
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL = Resource(name="#customer-success", kind="chat channel", id="CHN-307")
PROJECT = Resource(name="CUS", kind="issue tracker project", id="CUS", detail="Customer Success")


def _table(name: str, columns: str) -> Resource:
    return Resource(name=name, kind="warehouse table", id=name, detail=columns)


USAGE_TABLE = _table(
    "usage_daily", "a row for an account and a day: account_id, day, active_users, api_calls"
)
CUSTOMER_TABLE = _table(
    "customers", "a row for each customer: account_id, name, segment, region, contract_value"
)
TICKET_TABLE = _table(
    "support_tickets", "a row for each ticket: ticket_id, account_id, priority, status, opened_at"
)
ALERT = Template(
    name="alert text",
    text="{account's name}: {recent} active users in the last seven days, {previous} in the seven "
    "days before.",
)

_SUMS = (
    "COALESCE(SUM(CASE WHEN u.day >= CURRENT_DATE - 7 THEN u.active_users END), 0) AS recent, "
    "COALESCE(SUM(CASE WHEN u.day < CURRENT_DATE - 7 THEN u.active_users END), 0) AS previous"
)
_SPAN = "u.day >= CURRENT_DATE - 14 AND u.day < CURRENT_DATE"
ONE = f"SELECT {_SUMS} FROM usage_daily u WHERE u.account_id = :account AND {_SPAN}"
REGION = (
    f"SELECT u.account_id, {_SUMS} FROM usage_daily u JOIN customers c ON "
    f"c.account_id = u.account_id WHERE c.region = :region AND {_SPAN} "
    "GROUP BY u.account_id ORDER BY u.account_id"
)
TICKETS = (
    "SELECT COUNT(*) AS open_tickets FROM support_tickets "
    "WHERE account_id = :account AND status = 'open'"
)


def _usage(choice: Choice) -> str:
    return "usage.rows.0" if choice["scope"] == "one" else "row"


def _alert(choice: Choice) -> list[NodeData]:
    usage = _usage(choice)
    text = (
        f"${{account.fields.name}}: ${{{usage}.recent}} active users in the last seven days, "
        f"${{{usage}.previous}} in the seven days before."
    )
    if choice["alert"] == "chat":
        told = call("alert", "chat:post_message", channel_id=CHANNEL.id, text=text)
    elif choice["alert"] == "issue":
        more = {"issue_type": "task", "priority": "high", "summary": text}
        told = call("alert", "tracker:create_issue", project=PROJECT.id, **more)
    else:
        fields: dict[str, Any] = {
            "subject": text,
            "owner_email": "${account.fields.owner_email}",
            "priority": "high",
            "account_id": "${account.record_id}",
        }
        told = call("alert", "sales:create_record", object="task", fields=fields)
    return [_health("red"), told, put("count", "alerts", rule({"+": [{"var": "alerts"}, 1]}))]


def _health(colour: str) -> NodeData:
    fields = {"health": colour}
    return call(colour, "sales:update_record", record_id="${account.record_id}", fields=fields)


def _judging(choice: Choice) -> list[NodeData]:
    usage = _usage(choice)
    recent, previous = {"var": f"{usage}.recent"}, {"var": f"{usage}.previous"}
    health = {"var": "account.fields.health"}
    grown = {"and": [{">=": [recent, previous]}, {"!=": [health, "green"]}]}
    rest = [when("grown", grown, [_health("green")])] if choice["recovery"] == "green" else []
    halved = {"and": [{"<": [recent, {"*": [previous, 0.5]}]}, {"!=": [health, "red"]}]}
    if choice["signal"] == "tickets":
        parameters = {"account": "${account.record_id}"}
        tickets = call("tickets", "warehouse:run_query", sql=TICKETS, parameters=parameters)
        has_open = {">=": [{"var": "tickets.rows.0.open_tickets"}, 1]}
        mild = [_health("yellow")] if choice["grades"] == "two" else []
        asking = when("has_open", has_open, _alert(choice), mild)
        return [when("halved", halved, [tickets, asking], rest)]
    if choice["grades"] == "two":
        less = {"and": [{"<": [recent, {"*": [previous, 0.8]}]}, {"==": [health, "green"]}]}
        rest = [when("less", less, [_health("yellow")], rest)]
    return [when("halved", halved, _alert(choice), rest)]


def _program(choice: Choice) -> dict[str, Any]:
    is_one = choice["scope"] == "one"
    account = "${inputs.account_id}" if is_one else "${row.account_id}"
    body = [call("account", "sales:get_record", record_id=account), *_judging(choice)]
    start, end = put("start", "alerts", 0), result("end", alerts="${alerts}")
    output, tool = {"alerts": {"type": "integer"}}, "warehouse:run_query"
    if is_one:
        usage = call("usage", tool, sql=ONE, parameters={"account": account})
        inputs: dict[str, Any] = {"account_id": {"type": "string"}}
        return program(inputs, [start, usage, *body, end], output)
    usage = call("usage", tool, sql=REGION, parameters={"region": "${inputs.region}"})
    inputs = {"region": {"type": "string", "enum": ["americas", "emea", "apac"]}}
    sweep = each("sweep", "${usage.rows}", "row", body)
    return program(inputs, [start, usage, sweep, end], output)


def _sums(rows: str, last: str) -> str:
    return (
        f"The usage comes from the warehouse with one query, which returns {rows}: `recent` is the "
        "total of active_users in the table usage_daily over the last seven days, `previous` that "
        "over the seven days before those, and each is 0 where there is no usage. Today does not "
        f"count: the last seven days end with yesterday.{last}"
    )


def _scope(choice: Choice) -> list[Sentence]:
    if choice["scope"] == "one":
        return [
            Sentence(
                "A run deals with the one account whose id is given as `account_id`. "
                + _sums("one row with the columns `recent` and `previous`", ""),
                ("input:account_id", "call:usage"),
                {ONE: "over the last seven days"},
            ),
            Sentence(
                "In every run the account's CRM record is opened by its id after the usage query.",
                ("call:account", "order:usage<account"),
            ),
        ]
    rows = (
        "a row with the columns `account_id`, `recent` and `previous` for each account that the "
        "table customers has in the region given as `region` and that has any row in usage_daily "
        "for these fourteen days"
    )
    return [
        Sentence(
            _sums(rows, " The rows are sorted by `account_id`."),
            ("input:region", "call:usage"),
            {REGION: "for each account that the table customers has in the region"},
        ),
        Sentence(
            "The accounts that the usage query returns are dealt with one by one, in its order; "
            "work on one is finished before the next.",
            ("each:sweep",),
        ),
        Sentence(
            "For every account that is dealt with, its record is opened in the CRM by its id, "
            "before anything else is done for the account.",
            ("call:account",),
        ),
    ]


def _tickets(choice: Choice) -> list[Sentence]:
    is_mild = choice["grades"] == "two"
    otherwise = "With none, nothing more is done for it."
    if is_mild:
        otherwise = "With none, it is not alerted; instead its health in the CRM is set to "
        otherwise += "“yellow”, even if it is “yellow” already."
    return [
        Sentence(
            "For an account that has dropped, and for no other, a warehouse query of its own "
            "counts the tickets in the table support_tickets that the account has in the status "
            "“open”; it returns one row with the one column `open_tickets`.",
            ("call:tickets",),
            {TICKETS: "counts the tickets in the table support_tickets"},
        ),
        Sentence(
            "An account that has dropped is alerted when it has at least 1 open ticket. "
            f"{otherwise}",
            ("if:has_open", *(["call:yellow"] if is_mild else [])),
        ),
    ]


def _grades(choice: Choice) -> list[Sentence]:
    half = "`recent` is less than 50 % of `previous`"
    dropped = f"An account has dropped when {half} and its health in the CRM is not “red” yet"
    has_more = choice["recovery"] == "green"
    slips = choice["signal"] == "drop" and choice["grades"] == "two"
    act = "For one that has dropped, its open tickets decide"
    act = act if choice["signal"] == "tickets" else "One that has dropped is alerted"
    other = "is judged further" if slips or has_more else "is left as it is"
    found = [Sentence(f"{dropped}. {act}; one that has not {other}.", ("if:halved",))]
    if slips:
        tail = "asked whether it has recovered" if has_more else "left as it is"
        found.append(
            Sentence(
                "An account that has not dropped slips when `recent` is less than 80 % of "
                "`previous` and its health in the CRM is “green”. The health of one that slips is "
                f"set to “yellow”; one that has neither dropped nor slipped is {tail}.",
                ("if:less", "call:yellow"),
            )
        )
    if has_more:
        before = "neither dropped nor slipped" if slips else "not dropped"
        found.append(
            Sentence(
                f"An account that has {before} has recovered when `recent` is at least `previous` "
                "and its health in the CRM is not “green”. The health of one that has recovered is "
                f"set to “green”; one that has {before} and has not recovered is left as it is.",
                ("if:grown", "call:green"),
            )
        )
    return found


_ALERTING = {
    "chat": "posting the alert text in the chat channel #customer-success.",
    "issue": "opening an issue in the issue tracker: in the project CUS, of the type “task”, with "
    "the priority “high” and the alert text as its summary; nothing else of it is filled in.",
    "task": "making a task in the CRM: with the alert text as its subject, owned by the account's "
    "owner, with the priority “high” and linked to the account; nothing else of the task is filled "
    "in.",
}


def _alert_sentences(choice: Choice) -> list[Sentence]:
    number = "as `alerts` how many accounts it has alerted"
    if choice["scope"] == "one":
        number = "1 as `alerts` if the account was alerted, else 0"
    first = "Alerting an account means setting its health in the CRM to “red”, and after that"
    return [
        Sentence(
            f"{first} {_ALERTING[choice['alert']]}", ("call:red", "call:alert", "order:red<alert")
        ),
        Sentence(
            f"The run returns {number}.",
            ("return:end", "set:count"),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    asked = _tickets(choice) if choice["signal"] == "tickets" else []
    return (*_scope(choice), *_grades(choice), *asked, *_alert_sentences(choice))


def _like(collection: str, key: str, **more: Any) -> Record:
    """Return a record of the workspace with other values."""
    found = base_world().get(collection, key)
    assert found is not None
    return {**found, **more}


def _account(number: int, name: str, health: str, **more: Any) -> Record:
    own = {"account_id": f"ACC-47{number}", "name": name, "health": health, **more}
    return _like("sales_accounts", "ACC-401", **own)


def _customer(account: Record) -> Record:
    fields = {name: account[name] for name in ("account_id", "name", "region")}
    return _like("wh_customers", "ACC-401", **fields)


def _days(account: Record, *days: tuple[str, int]) -> tuple[Record, ...]:
    """Return usage of an account: days of this March with their active users."""
    name = account["account_id"]
    return tuple(
        {
            "usage_id": f"{name}/2026-03-{day}",
            "account_id": name,
            "day": f"2026-03-{day}",
            "active_users": users,
            "api_calls": 10 * users,
        }
        for day, users in days
    )


def _ticket(number: int, account: Record, status: str) -> Record:
    own = {"ticket_id": f"TIC-7{number}", "account_id": account["account_id"], "status": status}
    return _like("wh_support_tickets", "TIC-1", **own)


_HALF = _account(11, "Ashgrove Books", "green")
_BELOW = _account(12, "Merrow Tiles", "yellow", owner_email="mei.tanabe@example.com")
_RED = _account(13, "Thistle Labs", "red")
_BACK = _account(14, "Umber Coffee", "yellow")
_DIP = _account(15, "Wexley Parts", "green")
_SILENT = _account(16, "Yarrow Homes", "green")
_EDGE = _account(17, "Zephyr Kites", "green")
_ALL = (_HALF, _BELOW, _RED, _BACK, _DIP, _SILENT, _EDGE)

_DAYS = (
    *_days(_HALF, ("08", 20), ("02", 20), ("09", 10), ("15", 10), ("01", 500)),
    *_days(_BELOW, ("04", 50), ("11", 24), ("16", 90)),
    *_days(_RED, ("05", 80), ("12", 12)),
    *_days(_BACK, ("06", 30), ("13", 30)),
    *_days(_DIP, ("03", 40), ("10", 28)),
    *_days(_SILENT, ("07", 15)),
    *_days(_EDGE, ("06", 50), ("13", 40)),
)
_TICKETS = (
    _ticket(1, _BELOW, "solved"),
    _ticket(2, _BELOW, "open"),
    _ticket(3, _SILENT, "solved"),
    _ticket(4, _RED, "open"),
)


def _records(*accounts: Record, region: str = "emea") -> dict[str, tuple[Record, ...]]:
    """Return records of accounts, all in one region."""
    names = {one["account_id"] for one in accounts}
    moved = tuple({**one, "region": region} for one in accounts)
    return {
        "sales_accounts": moved,
        "wh_customers": tuple(_customer(one) for one in moved),
        "wh_usage_daily": tuple(day for day in _DAYS if day["account_id"] in names),
        "wh_support_tickets": tuple(one for one in _TICKETS if one["account_id"] in names),
    }


def _one_variants(choice: Choice) -> tuple[VariantDraft, ...]:
    more, names = _records(*_ALL), [one["account_id"] for one in _ALL]
    shown = names if choice["grades"] == "two" else names[:-1]
    return tuple(VariantDraft({"account_id": name}, more) for name in shown)


def _region_variants() -> tuple[VariantDraft, ...]:
    gone = {"wh_customers": (_like("wh_customers", "ACC-406", region="emea"),)}
    return (
        VariantDraft({"region": "apac"}, gone),
        VariantDraft({"region": "apac"}),
        VariantDraft({"region": "apac"}, _records(_HALF, _BELOW, _RED, _BACK, region="apac")),
        VariantDraft({"region": "emea"}, _records(_DIP, _SILENT, _EDGE)),
        VariantDraft({"region": "americas"}, _records(_BACK, _BELOW, region="americas")),
        VariantDraft({"region": "apac"}, _records(_EDGE, _SILENT, _BACK, region="apac")),
    )


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_one, has_tickets = choice["scope"] == "one", choice["signal"] == "tickets"
    things = (
        (USAGE_TABLE, True),
        (CUSTOMER_TABLE, not is_one),
        (TICKET_TABLE, has_tickets),
        (CHANNEL, choice["alert"] == "chat"),
        (PROJECT, choice["alert"] == "issue"),
    )
    return Draft(
        title=f"Watch the usage of {'one customer' if is_one else 'the customers of a region'}",
        purpose="Customer success runs this every Monday for "
        f"{'a customer on the watch list' if is_one else 'one region at a time'}, so that a "
        "customer who is about to leave is noticed while there is time to talk.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("Every account in the warehouse has a record of the same id in the CRM.",),
        resources=tuple(one for one, is_used in things if is_used),
        templates=(ALERT,),
        variants=_one_variants(choice) if is_one else _region_variants(),
    )


FAMILY = Family(
    name="customer-health-alert",
    axes={
        "scope": ("one", "region"),
        "signal": ("drop", "tickets"),
        "alert": ("task", "chat", "issue"),
        "grades": ("one", "two"),
        "recovery": ("none", "green"),
    },
    build=build,
    picks=(
        {"scope": "one", "signal": "drop", "alert": "task", "grades": "one", "recovery": "none"},
        {
            "scope": "region",
            "signal": "tickets",
            "alert": "task",
            "grades": "two",
            "recovery": "green",
        },
    ),
)
