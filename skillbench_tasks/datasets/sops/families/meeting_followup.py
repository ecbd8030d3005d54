"""After a meeting with a customer: what was agreed is noted, told, and met about again."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.ledger import ledger_of
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    attempt,
    call,
    program,
    result,
    rule,
)
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Template

__all__ = ["FAMILY"]

MINUTES = Template(name="minutes", text="Thank you for meeting us on {met_on}. We agreed: {action}")
NEXT = {
    "event": Template(name="follow-up title", text="Follow-up: {title of the meeting held}"),
    "opportunity": Template(name="follow-up title", text="Follow-up: {name of the opportunity}"),
}
DATE = {
    "event": Template(
        name="date subject", text="Agree a new date after: {title of the meeting held}"
    ),
    "opportunity": Template(
        name="date subject", text="Agree a new date after: {name of the opportunity}"
    ),
}

_SUBJECT = {"event": "${held.events.0.title}", "opportunity": "${deal.fields.name}"}
_OWNER = {"event": "${inputs.owner_email}", "opportunity": "${deal.fields.owner_email}"}


def _locating(choice: Choice) -> NodeData:
    if choice["locate"] == "opportunity":
        return call("deal", "sales:get_record", record_id="${inputs.opportunity_id}")
    return call(
        "held",
        "planner:find_events",
        attendee="${inputs.owner_email}",
        title_contains="${inputs.topic}",
        starts_from="${inputs.met_on}",
        starts_before=rule({"add_days": [{"var": "inputs.met_on"}, 1]}),
    )


def _task(label: str, choice: Choice, subject: str, **more: Any) -> NodeData:
    fields = {"subject": subject, "owner_email": _OWNER[choice["locate"]], **more}
    if choice["locate"] == "opportunity":
        fields["opportunity_id"] = "${inputs.opportunity_id}"
    return call(label, "sales:create_record", object="task", fields=fields)


def _recording(choice: Choice) -> list[NodeData]:
    is_event, record = choice["locate"] == "event", choice["record"]
    if record == "next_step":
        fields = {"next_step": "${inputs.action}"}
        record_id = "${inputs.opportunity_id}"
        return [call("step", "sales:update_record", record_id=record_id, fields=fields)]
    due_on = rule({"add_days": [{"var": "context.now"}, 3]})
    task = _task("task", choice, "${inputs.action}", due_on=due_on)
    mail = call(
        "minutes",
        "mail:send_mail",
        to="${held.events.0.attendees}" if is_event else ["${inputs.customer_email}"],
        subject="Minutes of our meeting",
        body="Thank you for meeting us on ${inputs.met_on}. We agreed: ${inputs.action}",
    )
    return {"task": [task], "mail": [mail], "task_and_mail": [task, mail]}[record]


def _meeting(choice: Choice) -> list[NodeData]:
    if choice["next"] == "none":
        return []
    place = choice["locate"]
    people = ["${deal.fields.owner_email}", "${inputs.customer_email}"]
    event = call(
        "meeting",
        "planner:create_event",
        title=f"Follow-up: {_SUBJECT[place]}",
        organizer=_OWNER[place],
        attendees="${held.events.0.attendees}" if place == "event" else people,
        starts_at="${inputs.next_on}T10:00:00",
        ends_at="${inputs.next_on}T10:30:00",
    )
    if choice["next"] == "meeting":
        return [event, result("end", next_meeting="${meeting.event_id}")]
    task = _task("date", choice, f"Agree a new date after: {_SUBJECT[place]}", priority="high")
    caught = [task, result("open", next_meeting="to_be_agreed")]
    return [attempt("booking", [event], caught), result("end", next_meeting="set_up")]


def _program(choice: Choice) -> dict[str, Any]:
    is_event = choice["locate"] == "event"
    has_mail, has_next = "mail" in choice["record"], choice["next"] != "none"
    names = ["owner_email", "topic"] if is_event else ["opportunity_id"]
    names += ["opportunity_id"] if is_event and choice["record"] == "next_step" else []
    names += ["met_on"] if is_event or has_mail else []
    names += ["customer_email"] if not is_event and (has_mail or has_next) else []
    names += ["action"]
    names += ["next_on"] if has_next else []
    day = {"type": "string", "description": "Day, YYYY-MM-DD."}
    inputs = {name: day if name.endswith("_on") else {"type": "string"} for name in names}
    return program(
        inputs,
        [_locating(choice), *_recording(choice), *_meeting(choice)],
        {"next_meeting": {"type": "string"}} if has_next else None,
    )


def _location(choice: Choice, inputs: list[str]) -> list[Sentence]:
    found = [
        Sentence(
            "`action` is what was agreed with the customer; wherever it is written, it is written "
            "exactly as given.",
            ("input:action",),
        )
    ]
    if choice["locate"] == "opportunity":
        own = ["input:opportunity_id", *(["input:met_on"] if "met_on" in inputs else [])]
        if "customer_email" in inputs:
            own.append("input:customer_email")
        told = " on the day `met_on`" if "met_on" in inputs else ""
        who = " with the person whose address is `customer_email`" if len(own) > 1 else ""
        return [
            *found,
            Sentence(
                f"The meeting{told}{who if 'customer_email' in inputs else ''} was about the "
                "opportunity given as `opportunity_id`; its record is opened in the CRM by this "
                "id.",
                ("call:deal", *own),
            ),
        ]
    held = (
        "The meeting held is looked up in the calendar: the confirmed one that `owner_email` "
        "attended, that started on the day `met_on`, and that has `topic` in its title."
    )
    covers = ("call:held", "input:owner_email", "input:topic", "input:met_on")
    found.append(Sentence(held, covers))
    if choice["record"] == "next_step":
        text = "The opportunity that the meeting was about is given as `opportunity_id`."
        found.append(Sentence(text, ("input:opportunity_id",)))
    return found


_WHO = {
    "event": "owned by the person whose address is `owner_email`",
    "opportunity": "owned by the opportunity's owner, linked to the opportunity",
}


def _records(choice: Choice) -> list[Sentence]:
    who, record = _WHO[choice["locate"]], choice["record"]
    if record == "next_step":
        text = "In the CRM the opportunity's next step becomes `action`; nothing else is changed."
        return [Sentence(text, ("call:step",))]
    found = []
    if record != "mail":
        text = (
            f"For what was agreed a task is made in the CRM: {who}, with `action` as its subject, "
            "due three days after the day of the run; its other fields are not filled in."
        )
        found.append(Sentence(text, ("call:task",)))
    if record != "task":
        to = (
            "to all attendees that the calendar lists for the meeting held, the company's own "
            "people included"
            if choice["locate"] == "event"
            else "to `customer_email` and to nobody else"
        )
        text = (
            f"The minutes go out as one e-mail {to}: with the subject “Minutes of our meeting” and "
            "the minutes as its body."
        )
        found.append(Sentence(text, ("call:minutes",)))
    return found


def _next(choice: Choice) -> list[Sentence]:
    if choice["next"] == "none":
        return []
    people = {
        "event": "organized by `owner_email`, with the attendees that the calendar lists for the "
        "meeting held",
        "opportunity": "organized by the opportunity's owner, with the owner and `customer_email` "
        "as its attendees, in this order",
    }[choice["locate"]]
    times = {f"${{inputs.next_on}}T{time}:00": time for time in ("10:00", "10:30")}
    found = [
        Sentence(
            "A follow-up meeting is set up in the calendar on the day `next_on` from 10:00 to "
            f"10:30: {people}, and with the follow-up title. Nobody's free time is checked, and "
            "place and description stay empty.",
            ("call:meeting", "input:next_on"),
            times,
        )
    ]
    if choice["next"] == "meeting":
        text = "The run returns the id of the follow-up meeting as `next_meeting`."
        return [*found, Sentence(text, ("return:end",))]
    return [
        *found,
        Sentence(
            "If the follow-up meeting cannot be set up, whatever the reason, it is not tried "
            f"again: a task is made in the CRM, {_WHO[choice['locate']]}, with the date subject as "
            "its subject and the priority “high”, its other fields not filled in; and the run "
            "returns `next_meeting` “to_be_agreed”. What was noted or sent before stays.",
            ("try:booking", "call:date", "return:open"),
        ),
        Sentence(
            "If the follow-up meeting could be set up, the run returns `next_meeting` “set_up”.",
            ("return:end",),
        ),
    ]


def _order(made: dict[str, Any]) -> list[Sentence]:
    orders = [item.id for item in ledger_of(made) if item.kind == "order"]
    words = {
        "held": "the meeting held is looked up",
        "deal": "the opportunity's record is opened",
        "task": "the task for what was agreed is made",
        "minutes": "the minutes are sent",
        "step": "the next step is changed",
        "meeting": "the follow-up meeting is set up",
        "booking": "the follow-up meeting is set up, or else the task about its date is made",
    }
    done = [words[node["note"]] for node in made["steps"] if node["note"] in words]
    text = f"The order is: {'; '.join(done)}."
    return [Sentence(text, tuple(orders))] if orders else []


def _like(collection: str, key: str, **more: Any) -> Record:
    """Return a record of the workspace with other values."""
    found = base_world().get(collection, key)
    assert found is not None
    return {**found, **more}


def _event(number: int, title: str, day: str, *people: str, **more: Any) -> Record:
    own = {
        "event_id": f"EVT-84{number}",
        "title": title,
        "organizer": "lucia.brandt@example.com",
        "attendees": [f"{person}@example.com" for person in people] + ["p.ivers@elm.example.org"],
        "starts_at": f"{day}T13:00:00",
        "ends_at": f"{day}T14:00:00",
    }
    return _like("planner_events", "EVT-942", **own, **more)


_EVENTS = (
    _event(11, "Elm rollout review", "2026-03-13", "lucia.brandt"),
    _event(12, "Elm rollout review", "2026-03-09", "lucia.brandt"),
    _event(13, "Elm rollout review", "2026-03-13", "mei.tanabe", "marta.okonjo"),
    _event(14, "ELM pricing", "2026-03-12", "amara.quist", "lucia.brandt"),
    _event(15, "Elm pricing", "2026-03-12", "amara.quist", "felix.oduya", status="cancelled"),
    _event(16, "Harbor check-in", "2026-03-11", "felix.oduya", "amara.quist", "lucia.brandt"),
)
_DEALS = (
    _like("sales_opportunities", "OPP-465", opportunity_id="OPP-8411", name="Elm second line"),
    _like("sales_opportunities", "OPP-464", opportunity_id="OPP-8412", name="Elm second line"),
)
_RUNS = (
    ("lucia.brandt", "rollout review", "2026-03-13", "2026-03-20", "OPP-8411"),
    ("mei.tanabe", "Rollout", "2026-03-13", "2026-03-16", "OPP-8412"),
    ("amara.quist", "elm pricing", "2026-03-12", "2026-04-02", "OPP-463"),
    ("felix.oduya", "harbor", "2026-03-11", "2026-03-30", "OPP-462"),
    ("lucia.brandt", "Elm rollout review", "2026-03-09", "2026-03-17", "OPP-461"),
)
_ACTIONS = (
    "Send the revised plan for the second line.",
    "Check the transport costs",
    "Offer a discount of 5 % for two years",
    "Arrange a visit at the plant in May",
    "Name a contact for security questions",
)
_TROUBLES = (
    ("2026-03-13", None),
    ("2026-02-27", None),
    ("2026-03-26", FaultKind.PERMANENT),
)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    names = list(_program(choice)["inputs"])
    records = {"planner_events": _EVENTS, "sales_opportunities": _DEALS}

    def variant(index: int, next_on: str = "", kind: FaultKind | None = None) -> VariantDraft:
        person, topic, met_on, planned, deal = _RUNS[index]
        values = {
            "owner_email": f"{person}@example.com",
            "topic": topic,
            "met_on": met_on,
            "opportunity_id": deal,
            "customer_email": "p.ivers@elm.example.org",
            "action": _ACTIONS[index],
            "next_on": next_on or planned,
        }
        down = [Fault(tool="mcp.planner:create_event", kind=kind, occurrences=(1,))] if kind else []
        return VariantDraft({name: values[name] for name in names}, records, tuple(down))

    if choice["next"] != "guarded":
        return tuple(variant(index) for index in range(len(_RUNS)))
    failing = [variant(index, *trouble) for index, trouble in enumerate(_TROUBLES, 2)]
    return (*(variant(index) for index in range(3)), *failing)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    made, place = _program(choice), choice["locate"]
    texts = (
        (MINUTES, "mail" in choice["record"]),
        (NEXT[place], choice["next"] != "none"),
        (DATE[place], choice["next"] == "guarded"),
    )
    one = "Exactly one meeting in the calendar fits what is given of the meeting held."
    return Draft(
        title="Follow up a meeting with a customer",
        purpose="Salespeople start this from their notes after a meeting with a customer, so that "
        "what was agreed is not forgotten.",
        program=made,
        sentences=(
            *_location(choice, list(made["inputs"])),
            *_records(choice),
            *_next(choice),
            *_order(made),
        ),
        context=(one,) if place == "event" else ("The opportunity given exists.",),
        resources=(),
        templates=tuple(text for text, is_used in texts if is_used),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="meeting-followup",
    axes={
        "locate": ("event", "opportunity"),
        "record": ("mail", "task", "next_step", "task_and_mail"),
        "next": ("none", "meeting", "guarded"),
    },
    build=build,
    picks=(
        {"locate": "event", "record": "mail", "next": "meeting"},
        {"locate": "opportunity", "record": "task", "next": "guarded"},
    ),
)
