"""Probation ends soon: who is concerned, who has been seen to, who has to be reminded."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

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
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

AXES: Final = {
    "form": ("list", "mail", "event", "issue"),
    "known": ("none", "check"),
    "window": ("ahead", "dates"),
    "absent": ("skip", "apart"),
}

PROJECT = Resource(name="People", kind="issue tracker project", id="PEO")
MAILBOX = Resource(name="automation mailbox", kind="mailbox", id="automation@example.com")
HEADING = Template(name="probation heading", text="Probation of {name of the person}")
REMINDER = Template(
    name="probation reminder",
    text="The probation of {name of the person} ends on {end of the probation}. "
    "Please hold the talk before that day.",
)
TALK = Template(name="talk title", text="Probation talk: {name of the person}")

TITLES: Final = {
    "list": "List probations that end",
    "mail": "Remind managers of probations",
    "event": "Set up probation talks",
    "issue": "Open issues for probations",
}
IDS: Final = {"type": "array", "items": {"type": "string"}}
DATE: Final = {"type": "string", "description": "YYYY-MM-DD"}


def _window(choice: Choice) -> dict[str, Any]:
    if choice["window"] == "dates":
        return {"starts_from": "${inputs.starts_from}", "starts_to": "${inputs.starts_to}"}
    shift = {"-": [{"var": "inputs.days_ahead"}, 180]}
    return {
        "starts_from": rule({"add_days": [{"var": "context.now"}, -180]}),
        "starts_to": rule({"add_days": [{"var": "context.now"}, shift]}),
    }


def _known(choice: Choice) -> NodeData:
    """Return what looks for an earlier reminder or a talk that is set."""
    match choice["form"]:
        case "mail":
            return call(
                "before",
                "mail:find_mails",
                mailbox=MAILBOX.id,
                direction="sent",
                subject_contains="Probation of ${person.name}",
            )
        case "issue":
            text = "Probation of ${person.name}"
            return call("before", "tracker:find_issues", project=PROJECT.id, text=text)
        case _:
            title = "Probation talk"
            find = "planner:find_events"
            return call("before", find, attendee="${person.email}", title_contains=title)


def _act(choice: Choice) -> list[NodeData]:
    """Return what is done about one person."""
    noted = put("noted", "due", rule({"merge": [{"var": "due"}, {"var": "person.employee_id"}]}))
    if choice["form"] == "list":
        return [noted]
    end = put("end_day", "ends_on", rule({"add_days": [{"var": "person.start_date"}, 180]}))
    manager = call("manager", "people:get_employee", employee_id="${person.manager_id}")
    name, address = "${person.name}", "${manager.email}"
    match choice["form"]:
        case "mail":
            body = f"The probation of {name} ends on ${{ends_on}}. "
            body += "Please hold the talk before that day."
            subject = f"Probation of {name}"
            act = call("act", "mail:send_mail", to=[address], subject=subject, body=body)
        case "event":
            act = call(
                "act",
                "planner:create_event",
                title=f"Probation talk: {name}",
                organizer=address,
                attendees=[address, "${person.email}"],
                starts_at="${ends_on}T10:00:00",
                ends_at="${ends_on}T10:30:00",
            )
        case _:
            act = call(
                "act",
                "tracker:create_issue",
                project=PROJECT.id,
                issue_type="task",
                summary=f"Probation of {name}",
                assignee=address,
                due_on="${ends_on}",
            )
    return [end, manager, act, noted]


def _program(choice: Choice) -> dict[str, Any]:
    inputs: dict[str, Any] = {"starts_from": DATE, "starts_to": DATE}
    if choice["window"] == "ahead":
        inputs = {"days_ahead": {"type": "integer", "description": "How far to look ahead."}}
    find = "people:find_employees"
    steps = [call("active", find, status="active", **_window(choice))]
    fields: dict[str, Any] = {"due": "${due}"}
    ids = {"map": [{"var": "active.employees"}, {"var": "item.employee_id"}]}
    if choice["absent"] == "apart":
        steps.append(call("away", find, status="on_leave", **_window(choice)))
        away = {"map": [{"var": "away.employees"}, {"var": "item.employee_id"}]}
        fields["on_leave"] = rule(away)
    if choice["form"] == "list" and choice["known"] == "none":
        fields["due"] = rule(ids)
    else:
        do = _act(choice)
        if choice["known"] == "check":
            unknown = {"==": [{"var": "before.count"}, 0]}
            do = [_known(choice), when("unknown", unknown, do)]
        steps += [put("due_none", "due", []), each("people", "${active.employees}", "person", do)]
    return program(inputs, [*steps, result("end", **fields)], dict.fromkeys(fields, IDS))


def _who_sentences(choice: Choice) -> list[Sentence]:
    names: tuple[str, ...] = ("input:starts_from", "input:starts_to")
    span = "whose first day lies from `starts_from` to `starts_to`, both included, whatever day "
    span += "their probation ends on"
    if choice["window"] == "ahead":
        names = ("input:days_ahead",)
        span = "whose probation ends on a day from today to `days_ahead` days from today, both "
        span += "included"
    found = [
        Sentence(
            "The HR directory is asked for all people of the company in the status “active” "
            f"{span}.",
            (*names, "call:active"),
        )
    ]
    if choice["absent"] == "apart":
        is_plain = _is_plain(choice)
        later = "" if is_plain else ", and before anybody is dealt with"
        found.append(
            Sentence(
                f"With a second query, after the one for active people{later}, the HR directory is "
                f"asked for the people in the status “on leave” {span}.",
                ("call:away", "order:active<away", *(() if is_plain else ("order:away<people",))),
                {"on_leave": "on leave"},
            )
        )
    return found


def _is_plain(choice: Choice) -> bool:
    """Return whether people are only listed, without looking at each of them."""
    return choice["form"] == "list" and choice["known"] == "none"


def _end_day_sentences(choice: Choice) -> list[Sentence]:
    covers = ["set:end_day"] if choice["form"] != "list" else []
    if choice["window"] == "ahead":
        labels = ("active", "away") if choice["absent"] == "apart" else ("active",)
        covers += [
            f"arg:{label}.{name}" for label in labels for name in ("starts_from", "starts_to")
        ]
    text = "The day on which somebody's probation ends is 180 days after that person's first day."
    return [Sentence(text, tuple(covers), {"-180": "180 days"})] if covers else []


SEARCHES: Final = {
    "mail": "the sent mails of the automation mailbox are searched for the probation heading, as a "
    "part of the subject",
    "issue": "the issues of the tracker project People, in whatever status, are searched for the "
    "probation heading, as a part of the summary",
    "event": "the calendar is searched, without bounds of time, for confirmed meetings which the "
    "person attends and whose title contains “Probation talk”",
}


def _known_sentences(choice: Choice) -> list[Sentence]:
    if choice["known"] == "none":
        return []
    search = SEARCHES["event" if choice["form"] == "list" else choice["form"]]
    kind = "put on the list" if choice["form"] == "list" else "dealt with"
    return [
        Sentence(
            f"The active people are gone through in the order of the HR directory. For each, "
            f"{search}. Whoever has at least one hit has been seen to, and nothing more is done; "
            f"whoever has none is {kind} before the search for the next person.",
            ("each:people", "call:before", "if:unknown"),
        )
    ]


ACTS: Final = {
    "mail": "The manager, and nobody else, gets an e-mail for each person dealt with: its subject "
    "is the probation heading, its body is the probation reminder.",
    "event": "For each person dealt with, a talk is set up in the calendar on the day on which the "
    "probation ends, from 10:00:00 to 10:30:00, with the talk title as its title, without place or "
    "description. The manager is its organizer; the attendees are, in this order, the manager and "
    "the person.",
    "issue": "For each person dealt with, an issue of the type “task” is opened in the tracker "
    "project People, with the probation heading as its summary, assigned to the manager and due on "
    "the day on which the probation ends; its other fields stay at their defaults.",
}


def _act_sentences(choice: Choice) -> list[Sentence]:
    if choice["form"] == "list":
        return []
    if choice["known"] == "check":
        text, covers = "Dealing with a person", ["call:manager"]
    else:
        text = "All active people found are dealt with one after the other, in the order of the HR "
        text += "directory. Dealing with a person"
        covers = ["call:manager", "each:people"]
    text += " starts with reading the manager's record in the HR directory, anew for every person "
    text += "even where two have the same manager."
    times = {f"${{ends_on}}T10:{minutes}:00": f"10:{minutes}:00" for minutes in ("00", "30")}
    means = times if choice["form"] == "event" else {}
    return [Sentence(text, tuple(covers)), Sentence(ACTS[choice["form"]], ("call:act",), means)]


def _end_sentence(choice: Choice) -> Sentence:
    which = "all active people found, in the order of the HR directory"
    covers = ["return:end"]
    if not _is_plain(choice):
        covers.append("set:noted")
        which = "the people who were dealt with, in the order in which that happened"
        if choice["form"] == "list":
            which = "the people who were put on the list, in the order in which that happened"
    text = f"At its end the run returns as `due` the employee numbers of {which}"
    if choice["absent"] == "apart":
        text += "; and as `on_leave` those of all people on leave that were found, in the order "
        text += "of the HR directory. Nothing else is done about the people on leave"
    return Sentence(f"{text}.", tuple(covers))


def _person(number: int, name: str, start: str, **more: Any) -> Record:
    return {
        "employee_id": f"EMP-{number}",
        "name": name,
        "email": f"{name.lower().replace(' ', '.')}@example.com",
        "title": "Specialist",
        "department": "Engineering",
        "manager_id": "EMP-105",
        "location": "Lisbon",
        "status": "active",
        "start_date": start,
        "end_date": None,
        **more,
    }


def _seen_to(number: int, person: Record, is_valid: bool = True) -> dict[str, Record]:
    """Return records that show a person as seen to, or would if they were not off the mark."""
    manager = "tomas.ferreira@example.com"
    heading = f"Probation of {person['name']}" if is_valid else "Probation of somebody else"
    event: Record = {
        "event_id": f"EVT-{number}",
        "title": f"Probation talk: {person['name']}",
        "organizer": manager,
        "attendees": [manager, person["email"]],
        "starts_at": "2026-03-18T10:00:00",
        "ends_at": "2026-03-18T10:30:00",
        "location": None,
        "description": None,
        "status": "confirmed" if is_valid else "cancelled",
        "cancel_reason": None if is_valid else "Ill",
    }
    mail: Record = {
        "mail_id": f"EML-{number}",
        "mailbox": MAILBOX.id,
        "direction": "sent",
        "sender": MAILBOX.id,
        "to": [manager],
        "cc": [],
        "subject": heading,
        "body": "Please hold the talk.",
        "labels": [],
        "is_read": True,
        "in_reply_to": None,
        "attachment_id": None,
        "sent_at": "2026-03-09T09:00:00",
    }
    issue: Record = {
        "issue_id": f"ISS-{number}",
        "project": PROJECT.id,
        "issue_type": "task",
        "summary": heading,
        "description": "",
        "status": "done",
        "priority": "medium",
        "reporter": MAILBOX.id,
        "assignee": manager,
        "labels": [],
        "due_on": None,
        "parent_id": None,
        "resolution": "completed",
        "created_at": "2026-03-02T09:00:00",
        "updated_at": "2026-03-09T09:00:00",
    }
    return {"planner_events": event, "mails": mail, "tracker_issues": issue}


def _run(choice: Choice, days: int, *people: Record, known: Any = ()) -> VariantDraft:
    """Return a run that looks `days` ahead, with earlier reminders as `_seen_to` gives them."""
    kind = {"mail": "mails", "issue": "tracker_issues"}.get(choice["form"], "planner_events")
    inputs: dict[str, Any] = {"days_ahead": days}
    if choice["window"] == "dates":
        last = (date(2025, 9, 17) + timedelta(days)).isoformat()
        inputs = {"starts_from": "2025-09-17", "starts_to": last}
    records = {"employees": people}
    if known and choice["known"] == "check":
        records[kind] = tuple(one[kind] for one in known)
    return VariantDraft(inputs, records)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    early, late = _person(831, "Ada Rahm", "2025-09-16"), _person(832, "Ben Sorley", "2025-10-02")
    cleo, dora = _person(833, "Cleo Marsh", "2025-09-17"), _person(834, "Dora Wills", "2025-09-30")
    edge = _person(835, "Emil Torres", "2025-10-01", manager_id="EMP-102", department="Sales")
    away = _person(836, "Fay Lund", "2025-09-22", status="on_leave", manager_id="EMP-106")
    going = _person(837, "Gil Okafor", "2025-09-24", status="leaving")
    hugo = _person(838, "Hugo Brandt", "2025-09-23", manager_id="EMP-117")
    return (
        _run(choice, 14, early, late),
        _run(choice, 0, early, cleo, known=[_seen_to(981, early)]),
        _run(choice, 14, cleo, dora, edge, away, late, known=[_seen_to(982, dora)]),
        _run(choice, 10, hugo, going, away, known=[_seen_to(983, hugo, is_valid=False)]),
        _run(choice, 21, edge, hugo, early, known=[_seen_to(984, edge), _seen_to(985, hugo)]),
        _run(choice, 7, away, {**hugo, "employee_id": "EMP-839", "status": "on_leave"}, edge),
    )


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    templates = {"mail": [HEADING, REMINDER], "event": [TALK], "issue": [HEADING], "list": []}
    resources = {"mail": [MAILBOX], "issue": [PROJECT]}.get(choice["form"], [])
    if choice["form"] == "mail" and choice["known"] == "none":
        resources = []
    is_list, few = choice["form"] == "list", "The company has fewer than 50 people."
    return Draft(
        title=TITLES[choice["form"]],
        purpose="The people team runs this every week, so that "
        + ("it knows whose probation ends." if is_list else "no probation ends without a talk."),
        program=_program(choice),
        sentences=(
            *_who_sentences(choice),
            *_end_day_sentences(choice),
            *_known_sentences(choice),
            *_act_sentences(choice),
            _end_sentence(choice),
        ),
        context=(few,) if is_list else ("Everybody whose probation ends has a manager.", few),
        resources=tuple(resources),
        templates=tuple(templates[choice["form"]]),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="probation-reminder",
    axes=AXES,
    build=build,
    picks=(
        dict(zip(AXES, ("mail", "none", "dates", "skip"), strict=True)),
        dict(zip(AXES, ("list", "none", "ahead", "apart"), strict=True)),
        dict(zip(AXES, ("event", "check", "ahead", "skip"), strict=True)),
    ),
)
