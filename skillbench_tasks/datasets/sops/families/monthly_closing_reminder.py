"""Reminders before the books of a month close: for open tasks, for the staff, or for the team."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.datasets.sops import nodes
from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL: Final = Resource(name="#finance-ops", kind="chat channel", id="CHN-302")
PROJECT: Final = Resource(name="Finance", kind="project of the issue tracker", id="FIN")
LIST: Final = Resource(name="finance list", kind="mailing list", id="finance-all@example.com")
TASK: Final = Template(
    name="task reminder", text="{issue id} ({summary}) is due on {due date}. Please finish it."
)
CLOSING: Final = Template(
    name="closing reminder", text="The books of {month} close on {closing day}."
)
DEADLINES: Final = Template(
    name="deadlines", text="Receipts until {receipts day}, invoices until {invoices day}."
)
SUMMARY: Final = Template(name="reminder summary", text="{count} reminders went out.")
SUBJECTS: Final = {"tasks": "Month-end task", "staff": "Month-end closing"}
TEXTS: Final = {
    "tasks": "${one.issue_id} (${one.summary}) is due on ${one.due_on}. Please finish it.",
    "staff": "The books of ${inputs.month} close on ${inputs.closing_day}.",
}
ADDRESSES: Final = {"tasks": "${one.assignee}", "staff": "${one.email}"}
MONTH: Final = {"type": "string", "description": "The month as it is written in texts."}
DAY: Final = {"type": "string", "description": "YYYY-MM-DD."}


def _find(choice: Choice) -> nodes.NodeData:
    if choice["audience"] == "staff":
        return nodes.call("find", "people:find_employees", department="Finance", status="active")
    return nodes.call(
        "find",
        "tracker:find_issues",
        project=PROJECT.id,
        label="month_end",
        is_open=True,
        due_to="${inputs.due_to}",
    )


def _remind(choice: Choice) -> list[nodes.NodeData]:
    """Return the steps for one task or one person."""
    audience = choice["audience"]
    if choice["medium"] == "mail":
        return [
            nodes.call(
                "remind",
                "mail:send_mail",
                to=[ADDRESSES[audience]],
                subject=SUBJECTS[audience],
                body=TEXTS[audience],
            )
        ]
    return [
        nodes.call("user", "chat:find_user", email=ADDRESSES[audience]),
        nodes.call(
            "remind", "chat:send_direct_message", user_id="${user.user_id}", text=TEXTS[audience]
        ),
    ]


def _each_program(choice: Choice) -> dict[str, Any]:
    count = nodes.put("count", "reminded", nodes.rule({"+": [{"var": "reminded"}, 1]}))
    items = "${find.issues}" if choice["audience"] == "tasks" else "${find.employees}"
    steps = [
        nodes.put("start", "reminded", 0),
        _find(choice),
        nodes.each("round", items, "one", [*_remind(choice), count]),
    ]
    if choice["afterwards"] == "post":
        text = "${reminded} reminders went out."
        steps.append(nodes.call("close", "chat:post_message", channel_id=CHANNEL.id, text=text))
    steps.append(nodes.result("end", reminded="${reminded}"))
    inputs = {"month": MONTH, "closing_day": DAY}
    if choice["audience"] == "tasks":
        inputs = {"due_to": DAY}
    return nodes.program(inputs, steps, {"reminded": {"type": "integer"}})


def _before(name: str, days: int) -> nodes.NodeData:
    value = nodes.rule({"add_days": [{"var": "inputs.closing_day"}, -days]})
    return nodes.put(name, f"{name}_day", value)


def _team_program(choice: Choice) -> dict[str, Any]:
    text = TEXTS["staff"]
    if choice["medium"] == "mail":
        values: dict[str, Any] = {"to": [LIST.id], "subject": SUBJECTS["staff"], "body": text}
        steps = [nodes.call("remind", "mail:send_mail", **values)]
    else:
        steps = [nodes.call("remind", "chat:post_message", channel_id=CHANNEL.id, text=text)]
    if choice["afterwards"] == "post":
        values = {
            "channel_id": CHANNEL.id,
            "text": "Receipts until ${receipts_day}, invoices until ${invoices_day}.",
        }
        if choice["medium"] == "chat":
            values["thread_id"] = "${remind.message_id}"
        late = nodes.call("late", "chat:post_message", **values)
        steps += [_before("receipts", 5), _before("invoices", 2), late]
    return nodes.program({"month": MONTH, "closing_day": DAY}, steps)


def _finding(choice: Choice) -> list[Sentence]:
    if choice["audience"] == "staff":
        return [
            Sentence(
                "The reminder goes to the employees of the department “Finance” whom the staff "
                "register has as “active”, one after the other. Anybody in another status, such "
                "as on leave, gets none.",
                ("call:find", "each:round"),
            ),
            Sentence(
                "The run is given the `month` whose books close and the `closing_day`; both stand "
                "in the closing reminder.",
                ("input:month", "input:closing_day"),
            ),
        ]
    return [
        Sentence(
            "The tasks to remind of are the issues in the Finance project of the issue tracker "
            "that carry the label “month_end”, are open, that is neither done nor cancelled, and "
            "are due on or before `due_to`. They are taken one after the other in the order in "
            "which the tracker lists them.",
            ("input:due_to", "call:find", "each:round"),
        )
    ]


def _reminding(choice: Choice) -> list[Sentence]:
    is_task = choice["audience"] == "tasks"
    text = "task reminder" if is_task else "closing reminder"
    whom = "assignee" if is_task else "employee"
    often = (
        "Each task to remind of brings its assignee a reminder of its own, also where one person "
        "has several tasks"
        if is_task
        else "Each of the employees to remind gets one reminder"
    )
    if choice["medium"] == "mail":
        subject = SUBJECTS[choice["audience"]]
        return [
            Sentence(
                f"{often}: an e-mail to nobody but that {whom}, with the subject “{subject}” and "
                f"the {text} as its body.",
                ("call:remind",),
            )
        ]
    return [
        Sentence(f"{often}: a direct message in chat with the {text}.", ("call:remind",)),
        Sentence(
            f"The chat account of the {whom} is looked up by e-mail address just before the "
            "message to that account, for every reminder anew.",
            ("call:user",),
        ),
    ]


def _each_sentences(choice: Choice) -> list[Sentence]:
    found = [*_finding(choice), *_reminding(choice)]
    if choice["afterwards"] == "post":
        found.append(
            Sentence(
                "When all reminders have gone out, #finance-ops gets the reminder summary once, "
                "also when the number in it is 0.",
                ("call:close", "order:round<close"),
            )
        )
    returned = "The run returns `reminded`, the number of reminders that went out."
    return [*found, Sentence(returned, ("return:end", "set:count"))]


def _team_sentences(choice: Choice) -> list[Sentence]:
    is_mail = choice["medium"] == "mail"
    subject = SUBJECTS["staff"]
    where = f"to the finance list, under the subject “{subject}”" if is_mail else "in #finance-ops"
    found = [
        Sentence(
            f"The finance team is reminded with one {'e-mail' if is_mail else 'chat message'} "
            f"{where}; its text is the closing reminder, with `month` and `closing_day` as they "
            "are given.",
            ("input:month", "input:closing_day", "call:remind"),
        )
    ]
    if choice["afterwards"] == "none":
        return found
    place = "as a message of their own in #finance-ops, after the e-mail has gone out"
    if not is_mail:
        place = "in #finance-ops as a reply in the thread of the reminder"
    return [
        *found,
        Sentence(
            f"The deadlines are posted {place}.",
            ("call:late", *(("order:remind<late",) if is_mail else ())),
        ),
        Sentence(
            "In the deadlines, the receipts day is five days before the closing day and the "
            "invoices day is two days before the closing day; both are written YYYY-MM-DD.",
            ("set:receipts", "set:invoices"),
            {"-5": "five days before", "-2": "two days before"},
        ),
    ]


def _task(number: int, assignee: str, due_on: str | None, **more: Any) -> Record:
    return {
        "issue_id": f"ISS-66{number}",
        "project": "FIN",
        "issue_type": "task",
        "summary": f"Check ledger {number}",
        "description": "",
        "status": "open",
        "priority": "medium",
        "reporter": "pia.lindqvist@example.com",
        "assignee": f"{assignee}@example.com",
        "labels": ["month_end"],
        "due_on": due_on,
        "parent_id": None,
        "resolution": None,
        "created_at": "2026-03-02T08:30:00",
        "updated_at": "2026-03-02T08:30:00",
        **more,
    }


def _task_variants() -> tuple[VariantDraft, ...]:
    rafael, greta, ivo = "rafael.moreau", "greta.nwosu", "ivo.petrov"
    done = {"status": "done", "resolution": "completed"}
    listed = [
        ("2026-03-12", [_task(11, greta, "2026-03-10", **done)]),
        ("2026-03-13", [_task(12, greta, "2026-03-14"), _task(13, greta, "2026-03-12", labels=[])]),
        (
            "2026-03-17",
            [
                _task(14, greta, "2026-03-17", status="blocked", labels=["tax", "month_end"]),
                _task(15, ivo, "2026-03-16", status="cancelled", resolution="wont_do"),
                _task(16, ivo, "2026-03-09", status="in_review"),
            ],
        ),
        (
            "2026-03-31",
            [
                _task(17, rafael, "2026-03-31"),
                _task(18, rafael, "2026-03-20", status="in_progress"),
                _task(19, ivo, None),
            ],
        ),
        ("2026-03-11", [_task(20, ivo, "2026-03-11"), _task(21, ivo, "2026-03-11", project="OPS")]),
    ]
    return tuple(VariantDraft({"due_to": day}, {"tracker_issues": (*t,)}) for day, t in listed)


def _employee(number: int, name: str, title: str, status: str) -> Record:
    return {
        "employee_id": f"EMP-{number}",
        "name": name,
        "email": f"{name.lower().replace(' ', '.')}@example.com",
        "title": title,
        "department": "Finance",
        "manager_id": "EMP-101" if number == 104 else "EMP-104",
        "location": "Lisbon",
        "status": status,
        "start_date": "2020-04-20",
        "end_date": None,
    }


def _staff_variants() -> tuple[VariantDraft, ...]:
    def staff(month: str, day: str, *statuses: str) -> VariantDraft:
        names = ("Pia Lindqvist", "Rafael Moreau", "Greta Nwosu")
        titles = ("Finance Director", "Billing Specialist", "Accounts Payable Clerk")
        people = zip((104, 115, 116), names, titles, statuses, strict=True)
        records = tuple(_employee(*one) for one in people)
        return VariantDraft({"month": month, "closing_day": day}, {"employees": records})

    return (
        staff("February 2026", "2026-03-20", "active", "active", "active"),
        staff("March 2026", "2026-04-08", "on_leave", "active", "on_leave"),
        staff("the first quarter", "2026-04-10", "on_leave", "on_leave", "left"),
        staff("April 2026", "2026-05-08", "active", "leaving", "active"),
        staff("May 2026", "2026-06-05", "active", "on_leave", "left"),
    )


def _team_variants() -> tuple[VariantDraft, ...]:
    days = {
        "February 2026": "2026-03-18",
        "March 2026": "2026-04-03",
        "December 2026": "2027-01-04",
        "February 2028": "2028-03-03",
        "February 2027": "2027-03-01",
    }
    return tuple(VariantDraft({"month": m, "closing_day": day}) for m, day in days.items())


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    audience, is_mail = choice["audience"], choice["medium"] == "mail"
    is_posted = choice["afterwards"] == "post"
    variants = {"tasks": _task_variants, "staff": _staff_variants, "team": _team_variants}
    contexts = {
        "tasks": "Every open month-end task has an assignee, and no more than 50 are open.",
        "staff": "Everybody in the finance department, fewer than 50 people, has a chat account "
        "and a mailbox.",
        "team": "`closing_day` is a working day.",
    }
    is_team = audience == "team"
    resources = [PROJECT] if audience == "tasks" else [LIST] if is_team and is_mail else []
    resources += [CHANNEL] if is_posted or (is_team and not is_mail) else []
    after = DEADLINES if is_team else SUMMARY
    titles = {
        "tasks": "Remind of open month-end tasks",
        "staff": "Remind the finance staff of the closing",
        "team": "Announce the closing to the finance team",
    }
    return Draft(
        title=titles[audience],
        purpose="Finance closes the books every month. This runs some days before, so that "
        "nothing is still open on the day.",
        program=_team_program(choice) if is_team else _each_program(choice),
        sentences=tuple(_team_sentences(choice) if is_team else _each_sentences(choice)),
        context=(contexts[audience],),
        resources=tuple(resources),
        templates=(TASK if audience == "tasks" else CLOSING, *((after,) if is_posted else ())),
        variants=variants[audience](),
    )


FAMILY = Family(
    name="monthly-closing-reminder",
    axes={
        "audience": ("tasks", "staff", "team"),
        "medium": ("mail", "chat"),
        "afterwards": ("none", "post"),
    },
    build=build,
    picks=(
        {"audience": "tasks", "medium": "mail", "afterwards": "none"},
        {"audience": "team", "medium": "chat", "afterwards": "post"},
    ),
)
