"""A customer has signed: the account, its contact, a place for its files, and a first word."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.ledger import ledger_of
from skillbench_tasks.datasets.sops.nodes import NodeData, call, program, result, rule
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

FOLDER = Resource(name="Customers", kind="drive folder", id="FIL-507")
CHANNEL = Resource(name="#customer-success", kind="chat channel", id="CHN-307")
HEAD = Resource(
    name="Head of Customer Success",
    kind="person",
    id="davit.kiran@example.com",
    detail="e-mail address",
)
PLAN = Template(name="plan name", text="Account plan {account's name}")
PLAN_TEXT = Template(
    name="plan text",
    text="Owner: {account owner's e-mail address}. Yearly value: {annual_value}. "
    "Start: {starts_on}.",
)
WELCOME = Template(
    name="welcome text",
    text="Dear {contact_name}, welcome to Quillmere Systems. Please turn to {account owner's "
    "e-mail address} with any question.",
)
CALL = Template(name="call subject", text="Call {account's name} about the start")
MEETING = Template(name="kick-off title", text="Kick-off {account's name}")
NEWS = Template(
    name="customer news",
    text="New customer: {account's name}, looked after by {account owner's e-mail address}.",
)

_NAME, _OWNER = "${account.fields.name}", "${account.fields.owner_email}"


def _account(choice: Choice) -> NodeData:
    fields = {
        "status": "active",
        "annual_value": "${inputs.annual_value}",
        "renewal_on": rule({"add_days": [{"var": "inputs.starts_on"}, 365]}),
    }
    if choice["start"] == "won":
        tool, record_id = "sales:update_record", "${inputs.account_id}"
        return call("account", tool, record_id=record_id, fields=fields)
    given = {name: f"${{inputs.{name}}}" for name in ("name", "region", "owner_email")}
    return call("account", "sales:create_record", object="account", fields={**given, **fields})


def _contact() -> NodeData:
    fields = {
        "account_id": "${account.record_id}",
        "name": "${inputs.contact_name}",
        "email": "${inputs.contact_email}",
        "is_primary": True,
    }
    return call("contact", "sales:create_record", object="contact", fields=fields)


def _files(choice: Choice) -> list[NodeData]:
    if choice["folder"] == "none":
        return []
    steps = [call("folder", "drive:create_folder", name=_NAME, parent_id=FOLDER.id)]
    if choice["folder"] == "plan":
        value, start = "${inputs.annual_value}", "${inputs.starts_on}"
        more = {
            "folder_id": "${folder.file_id}",
            "content": f"Owner: {_OWNER}. Yearly value: {value}. Start: {start}.",
        }
        steps.append(call("plan", "drive:create_document", name=f"Account plan {_NAME}", **more))
    share = {"file_id": "${folder.file_id}", "email": _OWNER, "role": "editor"}
    return [*steps, call("share", "drive:share_file", **share)]


def _welcome() -> NodeData:
    mail: dict[str, Any] = {
        "to": ["${inputs.contact_email}"],
        "cc": [_OWNER],
        "subject": "Welcome to Quillmere Systems",
        "body": "Dear ${inputs.contact_name}, welcome to Quillmere Systems. Please turn to "
        f"{_OWNER} with any question.",
    }
    return call("welcome", "mail:send_mail", **mail)


def _kickoff(choice: Choice) -> list[NodeData]:
    if choice["kickoff"] == "meeting":
        event: dict[str, Any] = {
            "title": f"Kick-off {_NAME}",
            "organizer": _OWNER,
            "attendees": [_OWNER, HEAD.id],
            "starts_at": "${inputs.kickoff_on}T10:00:00",
            "ends_at": "${inputs.kickoff_on}T11:00:00",
        }
        return [call("kickoff", "planner:create_event", **event)]
    if choice["kickoff"] == "task":
        fields = {
            "subject": f"Call {_NAME} about the start",
            "owner_email": _OWNER,
            "due_on": "${inputs.starts_on}",
            "priority": "high",
            "account_id": "${account.record_id}",
        }
        return [call("kickoff", "sales:create_record", object="task", fields=fields)]
    if choice["kickoff"] == "chat":
        text = f"New customer: {_NAME}, looked after by {_OWNER}."
        return [call("kickoff", "chat:post_message", channel_id=CHANNEL.id, text=text)]
    return []


def _inputs(choice: Choice) -> dict[str, Any]:
    names = ["account_id"] if choice["start"] == "won" else ["name", "region", "owner_email"]
    names += ["annual_value", "starts_on"]
    if choice["contact"] == "primary" or choice["welcome"] == "mail":
        names += ["contact_name", "contact_email"]
    if choice["kickoff"] == "meeting":
        names.append("kickoff_on")
    return {name: _SCHEMAS.get(name, {"type": "string"}) for name in names}


_DAY = "Day, YYYY-MM-DD."
_SCHEMAS: dict[str, Any] = {
    "annual_value": {"type": "number", "description": "Yearly contract value."},
    "starts_on": {"type": "string", "description": _DAY},
    "kickoff_on": {"type": "string", "description": _DAY},
    "region": {"type": "string", "enum": ["americas", "emea", "apac"]},
}


def _program(choice: Choice) -> dict[str, Any]:
    found = {"account_id": "${account.record_id}"}
    if choice["folder"] != "none":
        found["folder_id"] = "${folder.file_id}"
    steps = [
        _account(choice),
        *([_contact()] if choice["contact"] == "primary" else []),
        *_files(choice),
        *([_welcome()] if choice["welcome"] == "mail" else []),
        *_kickoff(choice),
        result("end", **found),
    ]
    return program(_inputs(choice), steps, {name: {"type": "string"} for name in found})


def _account_sentences(choice: Choice, inputs: list[str]) -> list[Sentence]:
    year = "a renewal day 365 days after `starts_on`"
    if choice["start"] == "won":
        text = (
            "The customer who has signed is an account that is in the CRM already, given as "
            "`account_id`. In one change its record gets the status “active”, `annual_value` as "
            f"its annual value and {year}. The record is not opened in addition: what the CRM "
            "answers to the change tells the account's name and owner."
        )
    else:
        text = (
            "A new account is made in the CRM for the customer who has signed, without a search "
            "for one of the same name: with `name` as its name, `region` as its region, "
            "`owner_email` as its owner, the status “active”, `annual_value` as its annual value "
            f"and {year}. Its other fields are not filled in."
        )
    own = [f"input:{one}" for one in inputs if not one.startswith(("contact", "kickoff"))]
    return [Sentence(text, ("call:account", *own))]


def _contact_sentences(choice: Choice) -> list[Sentence]:
    inputs = ("input:contact_name", "input:contact_email")
    has_contact = choice["contact"] == "primary"
    found = []
    if has_contact:
        found.append(
            Sentence(
                "The account gets a new contact in the CRM, with the name `contact_name` and the "
                "address `contact_email`, marked as primary; no other field of the contact is "
                "filled in.",
                ("call:contact", *inputs),
            )
        )
    if choice["welcome"] == "mail":
        who = "" if has_contact else ", whose name is `contact_name`"
        found.append(
            Sentence(
                f"One welcome e-mail goes to `contact_email`{who}, with a copy (cc) to the "
                "account's owner, the subject “Welcome to Quillmere Systems”, the welcome text as "
                "its body and nothing attached.",
                ("call:welcome", *(() if has_contact else inputs)),
            )
        )
    return found


def _file_sentences(choice: Choice) -> list[Sentence]:
    if choice["folder"] == "none":
        return []
    found = [
        Sentence(
            "The account gets a folder of its own in the drive, inside the folder Customers and "
            "with the account's name as its name.",
            ("call:folder",),
        ),
        Sentence(
            "The account's owner gets access to the account's folder, in the role “editor”; "
            "nothing else is shared.",
            ("call:share",),
        ),
    ]
    if choice["folder"] == "plan":
        found.append(
            Sentence(
                "The account's folder holds a new document with the plan name as its name and the "
                "plan text as its content.",
                ("call:plan",),
            )
        )
    return found


def _kickoff_sentences(choice: Choice) -> list[Sentence]:
    if choice["kickoff"] == "meeting":
        text = (
            "A kick-off is put into the calendar on the day `kickoff_on`, from 10:00 to 11:00: "
            "with the kick-off title, the account's owner as organizer, and as attendees the "
            "account's owner and the Head of Customer Success, in this order. Whether they are "
            "free is not checked, and place and description stay empty."
        )
        covers = ("call:kickoff", "input:kickoff_on")
        means = {f"${{inputs.kickoff_on}}T{hour}:00:00": f"{hour}:00" for hour in (10, 11)}
        return [Sentence(text, covers, means)]
    texts = {
        "task": "In the CRM a task is made for the account's owner: with the call subject as its "
        "subject, due on the day `starts_on`, with the priority “high” and linked to the account; "
        "no other field is filled in.",
        "chat": "The customer news is posted in the chat channel #customer-success.",
    }
    return [Sentence(texts[choice["kickoff"]], ("call:kickoff",))] if _kickoff(choice) else []


def _order(choice: Choice, made: dict[str, Any]) -> list[Sentence]:
    orders = [item.id for item in ledger_of(made) if item.kind == "order"]
    steps = {
        "account": "the account",
        "contact": "the contact",
        "folder": "the folder",
        "plan": "the document in it",
        "share": "the access to the folder",
        "welcome": "the welcome e-mail",
        "kickoff": {"meeting": "the kick-off", "task": "the task", "chat": "the message"}.get(
            choice["kickoff"], ""
        ),
    }
    done = [steps[node["note"]] for node in made["steps"] if node["kind"] == "call"]
    text = f"Everything is done once, in this order: {', '.join(done)}."
    return [Sentence(text, tuple(orders))] if orders else []


def _sentences(choice: Choice, made: dict[str, Any]) -> tuple[Sentence, ...]:
    end = "The run returns the id of the account as `account_id`"
    folder = "" if choice["folder"] == "none" else " and that of its folder as `folder_id`"
    return (
        *_account_sentences(choice, list(made["inputs"])),
        *_contact_sentences(choice),
        *_file_sentences(choice),
        *_kickoff_sentences(choice),
        *_order(choice, made),
        Sentence(f"{end}{folder}.", ("return:end",)),
    )


def _like(collection: str, key: str, **more: Any) -> Record:
    """Return a record of the workspace with other values."""
    found = base_world().get(collection, key)
    assert found is not None
    return {**found, **more}


def _won(number: int, name: str, **more: Any) -> Record:
    return _like("sales_accounts", "ACC-405", account_id=f"ACC-46{number}", name=name, **more)


def _folder(number: int, name: str, folder_id: str) -> Record:
    own = {"file_id": f"FIL-56{number}", "name": name, "folder_id": folder_id}
    return _like("drive_files", FOLDER.id, **own)


_SIGNED = (
    _won(1, "Basalt Kitchens"),
    _won(2, "Basalt Kitchens", region="apac", owner_email="mei.tanabe@example.com"),
    _won(3, "Dovecote Press", status="churned", health="red", annual_value=4000),
    _won(4, "Elmira Sails", status="active", annual_value=7200, renewal_on="2026-04-30"),
    _won(5, "Glasshouse Seeds", segment="enterprise", owner_email="oskar.bell@example.com"),
)
_AROUND = (
    _folder(1, "Dovecote Press", "FIL-503"),
    _folder(2, "Elmira Sails (old)", FOLDER.id),
)
_OLD_CONTACT = _like(
    "sales_contacts",
    "CON-424",
    contact_id="CON-461",
    account_id="ACC-464",
    name="Wanda Pryce",
    email="wanda@elmira.example.net",
)
_RUNS = (
    ("emea", 24000, "2026-04-01", "Ruben Falk", "ruben.falk@basalt.example.org", "2026-03-23"),
    ("apac", 9500.5, "2026-03-16", "Lien Ho", "lien.ho@basalt.example.net", "2026-03-16"),
    ("americas", 6100, "2025-12-31", "Carl Osei", "carl@dovecote.example.org", "2026-03-20"),
    ("emea", 0, "2026-05-15", "Wanda Pryce", "wanda@elmira.example.net", "2026-05-18"),
    ("americas", 310000, "2028-02-29", "Ana Lobo", "ana.lobo@glasshouse.example.org", "2028-02-28"),
)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    names = ("region", "annual_value", "starts_on", "contact_name", "contact_email", "kickoff_on")
    needed = _inputs(choice)
    records = {
        "sales_accounts": _SIGNED,
        "drive_files": _AROUND,
        "sales_contacts": (_OLD_CONTACT,),
    }
    found = []
    for account, run in zip(_SIGNED, _RUNS, strict=True):
        values = {**account, **dict(zip(names, run, strict=True))}
        given = {name: values[name] for name in needed}
        found.append(VariantDraft(given, records))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    made = _program(choice)
    kickoff, has_plan = choice["kickoff"], choice["folder"] == "plan"
    things = (
        (FOLDER, choice["folder"] != "none"),
        (CHANNEL, kickoff == "chat"),
        (HEAD, kickoff == "meeting"),
    )
    texts = (
        (PLAN, has_plan),
        (PLAN_TEXT, has_plan),
        (WELCOME, choice["welcome"] == "mail"),
        (CALL, kickoff == "task"),
        (MEETING, kickoff == "meeting"),
        (NEWS, kickoff == "chat"),
    )
    return Draft(
        title="Set up a new customer",
        purpose="Sales operations runs this on the day on which a contract has been signed, so "
        "that the customer is known everywhere before the work begins.",
        program=made,
        sentences=_sentences(choice, made),
        context=("The drive's folder Customers holds no folder of the customer's name yet.",)
        if choice["folder"] != "none"
        else (),
        resources=tuple(one for one, is_used in things if is_used),
        templates=tuple(one for one, is_used in texts if is_used),
        variants=_variants(choice),
    )


def _choice(*values: str) -> Choice:
    return dict(zip(_AXES, values, strict=True))


_AXES = {
    "start": ("won", "new"),
    "contact": ("none", "primary"),
    "folder": ("none", "folder", "plan"),
    "welcome": ("none", "mail"),
    "kickoff": ("none", "meeting", "task", "chat"),
}

FAMILY = Family(
    name="new-account-setup",
    axes=_AXES,
    build=build,
    picks=(
        _choice("won", "none", "plan", "none", "none"),
        _choice("new", "primary", "none", "none", "none"),
        _choice("new", "primary", "folder", "mail", "task"),
    ),
)
