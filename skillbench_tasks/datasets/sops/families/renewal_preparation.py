"""Contracts that renew soon: an opportunity, a note of it, a brief, and somebody who knows."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.ledger import ledger_of
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
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

SHEET = Resource(
    name="Renewals",
    kind="spreadsheet",
    id="SHT-703",
    detail="columns account_id, owner, renewal_on, state",
)
FOLDER = Resource(name="Contracts", kind="drive folder", id="FIL-503")
CHANNEL = Resource(name="#customer-success", kind="chat channel", id="CHN-307")

OPPORTUNITY = Template(name="renewal name", text="{account's name} renewal")
TASK = Template(name="task subject", text="Prepare the renewal of {account's name}")
BRIEF = Template(name="brief name", text="Renewal brief {account's name}")
CONTENT = Template(
    name="brief text",
    text="{account's name} renews on {account's renewal day} at {account's annual value} a year.",
)
_MAIL_TEXT = "{account's name} renews on {account's renewal day}. Please prepare it."
MAIL = Template(name="renewal mail", text=_MAIL_TEXT)
SUMMARY = Template(
    name="renewal summary", text="Renewals prepared up to {until}: {number of accounts prepared}"
)

ACCOUNTS = (
    "SELECT account_id, name, owner_email, annual_value, renewal_on FROM account WHERE "
    "status = 'active' AND renewal_on >= TODAY AND renewal_on <= ${inputs.until} "
    "ORDER BY renewal_on"
)
OPEN = (
    "SELECT opportunity_id FROM opportunity WHERE account_id = '${account.account_id}' AND "
    "kind = 'renewal' AND stage NOT IN ('closed_won', 'closed_lost') ORDER BY close_on"
)


def _opening(choice: Choice) -> list[NodeData]:
    fields = {
        "account_id": "${account.account_id}",
        "name": "${account.name} renewal",
        "kind": "renewal",
        "amount": "${account.annual_value}",
        "close_on": "${account.renewal_on}",
        "owner_email": "${account.owner_email}",
    }
    create = call("create", "sales:create_record", object="opportunity", fields=fields)
    if choice["existing"] != "update":
        return [create]
    nudge = call(
        "nudge",
        "sales:update_record",
        record_id="${open.records.0.opportunity_id}",
        fields={"next_step": "Prepare the renewal"},
    )
    return [when("none_open", {"==": [{"var": "open.count"}, 0]}, [create], [nudge])]


def _noting(choice: Choice) -> list[NodeData]:
    values = {
        "account_id": "${account.account_id}",
        "owner": "${account.owner_email}",
        "renewal_on": "${account.renewal_on}",
        "state": "open",
    }
    fields = {
        "subject": "Prepare the renewal of ${account.name}",
        "owner_email": "${account.owner_email}",
        "due_on": "${account.renewal_on}",
        "account_id": "${account.account_id}",
    }
    row = call("row", "sheets:append_row", sheet_id=SHEET.id, values=values)
    task = call("task", "sales:create_record", object="task", fields=fields)
    return {"sheet": [row], "task": [task], "both": [row, task]}[choice["record"]]


def _telling(choice: Choice) -> list[NodeData]:
    has_brief, has_mail = choice["brief"] == "document", choice["notice"] == "owner"
    steps = []
    if has_brief:
        content = "${account.name} renews on ${account.renewal_on} at ${account.annual_value} a "
        name = "Renewal brief ${account.name}"
        more = {"folder_id": FOLDER.id, "content": f"{content}year."}
        steps.append(call("brief", "drive:create_document", name=name, **more))
    if has_mail:
        mail: dict[str, Any] = {
            "to": ["${account.owner_email}"],
            "subject": "Renewal ahead",
            "body": "${account.name} renews on ${account.renewal_on}. Please prepare it.",
        }
        attached = {"attachment_id": "${brief.file_id}"} if has_brief else {}
        steps.append(call("mail", "mail:send_mail", **mail, **attached))
    if not has_brief:
        return steps
    more = {"outcome": "failed", "subject": "${account.account_id}"}
    log = call("log", "automation:log_run", procedure="renewal-preparation", **more)
    return [attempt("briefing", steps, [log])]


def _body(choice: Choice) -> list[NodeData]:
    preparing = [*_opening(choice), *_noting(choice), *_telling(choice)]
    if choice["existing"] == "ignore":
        return preparing
    look = call("open", "sales:query", query=OPEN)
    if choice["existing"] == "update":
        return [look, *preparing]
    count = put("count", "prepared", rule({"+": [{"var": "prepared"}, 1]}))
    none_open = {"==": [{"var": "open.count"}, 0]}
    return [look, when("none_open", none_open, [*preparing, count])]


def _program(choice: Choice) -> dict[str, Any]:
    skips = choice["existing"] == "skip"
    number = "${prepared}" if skips else "${due.count}"
    steps = [
        *([put("start", "prepared", 0)] if skips else []),
        call("due", "sales:query", query=ACCOUNTS),
        each("prepare", "${due.records}", "account", _body(choice)),
    ]
    if choice["notice"] == "channel":
        text = f"Renewals prepared up to ${{inputs.until}}: {number}"
        steps.append(call("post", "chat:post_message", channel_id=CHANNEL.id, text=text))
    until = {"type": "string", "description": "Last renewal day looked at, YYYY-MM-DD."}
    steps.append(result("end", prepared=number))
    return program({"until": until}, steps, {"prepared": {"type": "integer"}})


def _open_sentences(choice: Choice) -> list[Sentence]:
    made = (
        "Opening a renewal means making a new opportunity of the account in the CRM, with the "
        "renewal name as its name, the kind “renewal”, the account's annual value as its amount, "
        "the account's renewal day as its closing day and the account's owner as its owner; its "
        "other fields are not filled in."
    )
    if choice["existing"] == "ignore":
        made += " A renewal is opened for every account that is due, even where the account has "
        return [Sentence(f"{made}an open renewal opportunity.", ("call:create",))]
    create = Sentence(made, ("call:create",))
    look = Sentence(
        "Before anything is done for an account, one CRM query of its own returns `opportunity_id` "
        "of all of the account's open renewals, earliest closing day first: opportunities of the "
        "kind “renewal” whose stage is neither “closed_won” nor “closed_lost”.",
        ("call:open",),
        {OPEN: "the account's open renewals"},
    )
    if choice["existing"] == "skip":
        skip = (
            "An account is prepared only if it has no open renewal. One that has any is passed "
            "over: nothing is done for it."
        )
        return [create, look, Sentence(skip, ("if:none_open",))]
    nudge = (
        "For an account without an open renewal a renewal is opened. For an account that has any, "
        "none is opened: instead, the one of its open renewals that closes first gets “Prepare the "
        "renewal” as its next step. The account is prepared in either case."
    )
    return [create, look, Sentence(nudge, ("if:none_open", "call:nudge"))]


def _note_sentences(choice: Choice) -> list[Sentence]:
    found = []
    if choice["record"] != "task":
        found.append(
            Sentence(
                "Each account that is prepared gets a new row in the sheet Renewals, with its id, "
                "the address of its owner, its renewal day, and the state “open”, whatever rows "
                "there are already.",
                ("call:row",),
            )
        )
    if choice["record"] != "sheet":
        found.append(
            Sentence(
                "Each account that is prepared gets a task in the CRM: linked to the account, with "
                "the task subject as its subject, owned by the account's owner, due on the "
                "account's renewal day; its other fields are not filled in.",
                ("call:task",),
            )
        )
    return found


def _tell_sentences(choice: Choice) -> list[Sentence]:
    has_brief, has_mail = choice["brief"] == "document", choice["notice"] == "owner"
    found = []
    if has_brief:
        failing = "making the brief or sending the e-mail with it" if has_mail else "making it"
        found += [
            Sentence(
                "The brief of an account is a new document in the drive folder Contracts, with the "
                "brief name as its name and the brief text as its content.",
                ("call:brief",),
            ),
            Sentence(
                f"For each account that is prepared a brief is made. If {failing} fails, "
                f"{'no e-mail goes out for the account, ' if has_mail else ''}a line is written "
                "into the run log of the automation platform (procedure “renewal-preparation”, "
                "outcome “failed”, the account's id as subject, no detail), nothing is tried "
                "again, and the run goes on with the next account.",
                ("try:briefing", "call:log"),
            ),
        ]
    if has_mail:
        attached = ", with the account's brief attached" if has_brief else ""
        found.append(
            Sentence(
                "The owner of each account that is prepared gets an e-mail about that account with "
                f"the subject “Renewal ahead” and the renewal mail as its body{attached}.",
                ("call:mail",),
            )
        )
    return found


def _order(choice: Choice, orders: set[str]) -> Sentence:
    changed = ", or the open one changed" if choice["existing"] == "update" else ""
    steps = [f"the renewal is opened{changed}"]
    steps += ["the row is added"] if choice["record"] != "task" else []
    steps += ["the task is made"] if choice["record"] != "sheet" else []
    steps += ["the brief is made"] if choice["brief"] == "document" else []
    steps += ["the e-mail is sent"] if choice["notice"] == "owner" else []
    text = "The work on one account is finished before the next, and is done in this order: "
    return Sentence(f"{text}{'; '.join(steps)}.", tuple(sorted(orders)))


def _sentences(choice: Choice, orders: set[str]) -> tuple[Sentence, ...]:
    last = {one for one in orders if one.endswith("<post")}
    skips = choice["existing"] == "skip"
    failed = ", whether or not a step failed for them" * (choice["brief"] == "document")
    number = "the number of accounts that were due, whatever became of them"
    number = f"the number of accounts that were prepared{failed}" if skips else number
    found = [
        Sentence(
            "The accounts that are due are found with one CRM query: all accounts in the status "
            "“active” whose renewal day lies between today and the day given as `until`, both days "
            "included. It returns `account_id`, `name`, `owner_email`, `annual_value` and "
            "`renewal_on`, sorted by the renewal day, earliest first.",
            ("input:until", "call:due"),
            {ACCOUNTS: "all accounts in the status “active”"},
        ),
        Sentence(
            "The accounts that are due are prepared one by one, in the order of the query."
            if not skips
            else "The accounts that are due are taken up one by one, in the order of the query.",
            ("each:prepare",),
        ),
        *_open_sentences(choice),
        *_note_sentences(choice),
        *_tell_sentences(choice),
        _order(choice, orders - last),
        Sentence(
            f"The run returns as `prepared` {number}.",
            ("return:end", *(["set:count"] if skips else [])),
        ),
    ]
    if choice["notice"] == "channel":
        found.append(
            Sentence(
                "When all accounts are done, the renewal summary is posted once in the chat "
                "channel #customer-success, also when no account was prepared.",
                ("call:post", *sorted(last)),
            )
        )
    return tuple(found)


def _account(number: int, name: str, renewal_on: str, status: str = "active") -> Record:
    return {
        "account_id": f"ACC-48{number}",
        "name": name,
        "industry": "services",
        "segment": "mid_market",
        "region": "emea",
        "status": status,
        "health": "green",
        "owner_email": "jonas.eberhart@example.com",
        "annual_value": 1000 * number,
        "renewal_on": renewal_on,
        "created_at": "2024-03-01T10:00:00",
    }


def _renewal(number: int, account_id: str, close_on: str, stage: str) -> Record:
    return {
        "opportunity_id": f"OPP-48{number}",
        "account_id": account_id,
        "name": "Renewal talks",
        "kind": "renewal",
        "stage": stage,
        "amount": 10000,
        "close_on": close_on,
        "owner_email": "jonas.eberhart@example.com",
        "next_step": None,
        "created_at": "2026-02-02T09:00:00",
    }


def _document(name: str, folder_id: str) -> Record:
    return {
        "file_id": "FIL-581",
        "name": name,
        "kind": "document",
        "folder_id": folder_id,
        "owner": "jonas.eberhart@example.com",
        "content": "Draft",
        "created_on": "2026-03-02",
        "modified_on": "2026-03-02",
    }


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    today = (_account(11, "Marsh & Teller", "2026-03-16"), _account(12, "Odell", "2026-03-15"))
    others = (
        _account(13, "Pinto Foundry", "2026-04-20", "churned"),
        _account(14, "Riverbend Labs", "2026-04-20", "prospect"),
        _account(15, "Sorrel Hotels", "2026-03-30"),
    )
    lost = _renewal(21, "ACC-4811", "2026-03-12", "closed_lost")
    nearer = _renewal(22, "ACC-402", "2026-04-01", "proposal")
    elsewhere = _document("Renewal brief Marsh & Teller", "FIL-507")
    there = _document("Renewal brief Veldt Logistics", FOLDER.id)
    found = [
        VariantDraft({"until": "2026-04-14"}),
        VariantDraft({"until": "2026-04-15"}, {"drive_files": (there,)}),
        VariantDraft({"until": "2026-06-30"}, {"sales_opportunities": (nearer,)}),
        VariantDraft(
            {"until": "2026-03-16"},
            {"sales_accounts": today, "sales_opportunities": (lost,), "drive_files": (elsewhere,)},
        ),
        VariantDraft({"until": "2026-05-31"}, {"sales_accounts": others}),
    ]
    if choice["brief"] == "document":
        tool = "mcp.mail:send_mail" if choice["notice"] == "owner" else "mcp.drive:create_document"
        down = Fault(tool=tool, kind=FaultKind.TRANSIENT, occurrences=(1,))
        found.append(VariantDraft({"until": "2026-04-30"}, {"sales_accounts": others}, (down,)))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    made = _program(choice)
    has_brief, has_channel = choice["brief"] == "document", choice["notice"] == "channel"
    has_sheet, has_task = choice["record"] != "task", choice["record"] != "sheet"
    things = ((SHEET, has_sheet), (FOLDER, has_brief), (CHANNEL, has_channel))
    texts = (
        (OPPORTUNITY, True),
        (TASK, has_task),
        (BRIEF, has_brief),
        (CONTENT, has_brief),
        (MAIL, choice["notice"] == "owner"),
        (SUMMARY, has_channel),
    )
    return Draft(
        title="Prepare the contract renewals that are due",
        purpose="Sales operations runs this at the start of a month for a stretch of days ahead, "
        "so that work on every renewal begins in time.",
        program=made,
        sentences=_sentences(choice, {i.id for i in ledger_of(made) if i.kind == "order"}),
        context=("Every active account has a renewal day, an annual value and an owner.",),
        resources=tuple(one for one, is_used in things if is_used),
        templates=tuple(one for one, is_used in texts if is_used),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="renewal-preparation",
    axes={
        "existing": ("ignore", "skip", "update"),
        "brief": ("none", "document"),
        "record": ("sheet", "task", "both"),
        "notice": ("none", "owner", "channel"),
    },
    build=build,
    picks=(
        {"existing": "ignore", "brief": "none", "record": "both", "notice": "none"},
        {"existing": "update", "brief": "document", "record": "task", "notice": "owner"},
    ),
)
