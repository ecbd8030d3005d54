"""Support tickets that wait for their first answer: who is told, and when it is too late."""

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
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL = Resource(name="#customer-success", kind="chat channel", id="CHN-307")
HEAD = Resource(
    name="Davit Kiran",
    kind="chat user",
    id="USR-203",
    detail="head of customer success",
)
TICKETS = table_resource("support_tickets")
CUSTOMERS = table_resource("customers")
ALERT = Template(
    name="breach alert",
    text="Ticket {ticket id} of {customer name} should have been answered by {due_at}.",
)
URGENT = Template(name="urgent note", text="Urgent ticket {ticket id} has had no answer.")
UNREACHED = Template(
    name="fallback note", text="Nobody could be told of ticket {ticket id}; please take it over."
)

COLUMNS = (
    "SELECT t.ticket_id, c.name, t.priority, t.first_reply_at, "
    "DATEADD(hour, t.sla_hours, t.opened_at) AS due_at "
    "FROM support_tickets AS t JOIN customers AS c ON c.account_id = t.account_id "
)
TICKET_SQL = f"{COLUMNS}WHERE t.ticket_id = :ticket"
OPEN_SQL = f"{COLUMNS}WHERE t.status = 'open' AND t.first_reply_at IS NULL ORDER BY t.ticket_id"
BREACHED_SQL = (
    f"{COLUMNS}WHERE t.status = 'open' AND t.first_reply_at IS NULL "
    "AND DATEADD(hour, t.sla_hours, t.opened_at) < CURRENT_TIMESTAMP ORDER BY t.ticket_id"
)


def _sql(choice: Choice) -> str:
    if choice["scope"] == "ticket":
        return TICKET_SQL
    return OPEN_SQL if choice["check"] == "due" else BREACHED_SQL


def _row(choice: Choice) -> str:
    return "find.rows.0" if choice["scope"] == "ticket" else "ticket"


def _telling(choice: Choice) -> list[NodeData]:
    """Return what is done about one breached ticket."""
    row = _row(choice)
    text = (
        f"Ticket ${{{row}.ticket_id}} of ${{{row}.name}} should have been answered by "
        f"${{{row}.due_at}}."
    )
    alert = [call("alert", "chat:post_message", channel_id=CHANNEL.id, text=text)]
    if choice["route"] == "person":
        alert = [
            call("person", "chat:find_user", email="${inputs.agent_email}"),
            call("alert", "chat:send_direct_message", user_id="${person.user_id}", text=text),
        ]
    count = rule({"+": [{"var": "told"}, 1]}) if choice["scope"] == "sweep" else True
    steps = [*alert, put("count", "told", count)]
    if choice["guard"] == "fallback":
        steps = [attempt("guard", steps, [_fallback(choice)])]
    if choice["urgent"] == "escalate":
        direct = f"Urgent ticket ${{{row}.ticket_id}} has had no answer."
        message = call("head", "chat:send_direct_message", user_id=HEAD.id, text=direct)
        steps.append(when("urgent", {"==": [{"var": f"{row}.priority"}, "urgent"]}, [message]))
    return steps


def _fallback(choice: Choice) -> NodeData:
    text = f"Nobody could be told of ticket ${{{_row(choice)}.ticket_id}}; please take it over."
    if choice["route"] == "person":
        return call("fallback", "chat:post_message", channel_id=CHANNEL.id, text=text)
    mail = {"to": ["davit.kiran@example.com"], "subject": "Ticket without an answer"}
    return call("fallback", "mail:send_mail", **mail, body=text)


def _program(choice: Choice) -> dict[str, Any]:
    is_sweep, row = choice["scope"] == "sweep", _row(choice)
    dealing = _telling(choice)
    if choice["check"] == "due":
        late = {"<": [{"var": f"{row}.due_at"}, {"var": "context.now"}]}
        waits = {"!": [{"exists": f"{row}.first_reply_at"}]}
        dealing = [when("late", late if is_sweep else {"and": [waits, late]}, dealing)]
    given: dict[str, Any] = {} if is_sweep else {"parameters": {"ticket": "${inputs.ticket_id}"}}
    steps = [
        put("start", "told", 0 if is_sweep else False),
        call("find", "warehouse:run_query", sql=_sql(choice), **given),
    ]
    steps += [each("each", "${find.rows}", "ticket", dealing)] if is_sweep else dealing
    subject = "open tickets" if is_sweep else "${inputs.ticket_id}"
    log = {"procedure": "sla-watch", "outcome": "completed", "subject": subject}
    steps += [call("log", "automation:log_run", **log), result("end", told="${told}")]
    inputs: dict[str, Any] = {}
    if not is_sweep:
        inputs["ticket_id"] = {"type": "string", "description": "Id of the support ticket."}
    if choice["route"] == "person":
        inputs["agent_email"] = {"type": "string", "description": "Address of the agent on duty."}
    return program(inputs, steps, {"told": {"type": "integer" if is_sweep else "boolean"}})


def _finding_sentences(choice: Choice) -> list[Sentence]:
    columns = (
        "with exactly the columns `ticket_id`, `name` (the customer's name, from the table "
        "customers), `priority`, `first_reply_at` and `due_at` (when the ticket came in plus its "
        "SLA hours)"
    )
    if choice["scope"] == "ticket":
        return [
            Sentence(
                "The run is about the one support ticket given as `ticket_id`.",
                ("input:ticket_id",),
            ),
            Sentence(
                f"One query in the warehouse reads the ticket, {columns}.",
                ("call:find",),
                {TICKET_SQL: "reads the ticket"},
            ),
        ]
    which = "that have had no first reply"
    which += "" if choice["check"] == "due" else " and whose `due_at` is earlier than now"
    return [
        Sentence(
            f"One query in the warehouse gives all tickets of the status “open” {which}, "
            f"{columns}, sorted by `ticket_id`.",
            ("call:find",),
            {_sql(choice): which},
        ),
        Sentence(
            "The tickets that the query gives are dealt with one by one, in the order of their "
            "ids.",
            ("each:each",),
        ),
    ]


def _checking_sentences(choice: Choice) -> list[Sentence]:
    if choice["check"] == "none":
        return []
    if choice["scope"] == "sweep":
        text = (
            "A ticket that the query gives is breached when its `due_at` is earlier than now; one "
            "that is due at this very moment or later is not, and nothing is done about it."
        )
    else:
        text = (
            "A ticket is breached when it has had no first reply and its `due_at` is earlier than "
            "now; one that is due at this very moment is not breached. When the ticket is not "
            "breached, nobody is told."
        )
    return [Sentence(text, ("if:late",))]


def _telling_sentences(choice: Choice) -> list[Sentence]:
    is_person, is_sweep = choice["route"] == "person", choice["scope"] == "sweep"
    if not is_person:
        text = "The breach alert of a breached ticket is posted in #customer-success."
        return [Sentence(text, ("call:alert",))]
    is_plain = not is_sweep and choice["check"] == choice["guard"] == "none"
    return [
        Sentence(
            "The agent on duty is the person whose address is given as `agent_email`; the chat is "
            "asked for its user of that address"
            + (", anew for each breached ticket." if is_sweep else ", after the ticket was read."),
            ("input:agent_email", "call:person", *(("order:find<person",) if is_plain else ())),
        ),
        Sentence(
            "The agent on duty gets the breach alert of a breached ticket as a direct message in "
            "the chat.",
            ("call:alert",),
        ),
    ]


def _guard_sentences(choice: Choice) -> list[Sentence]:
    if choice["guard"] == "none":
        return []
    if choice["route"] == "person":
        text = (
            "If the agent on duty cannot be found in the chat or cannot be sent the message, for "
            "whatever reason, this is not tried again: the fallback note is posted in "
            "#customer-success instead. Whether the agent's account is active is not checked "
            "beforehand."
        )
    else:
        text = (
            "If the breach alert cannot be posted, for whatever reason, this is not tried again: "
            "the fallback note goes by e-mail to davit.kiran@example.com instead, with the subject "
            "“Ticket without an answer”."
        )
    return [Sentence(text, ("try:guard", "call:fallback"))]


def _last(choice: Choice) -> str:
    """Return the label of what a ticket's handling ends with, the alert left out."""
    return "guard" if choice["guard"] == "fallback" else "alert"


def _ending_sentences(choice: Choice) -> list[Sentence]:
    found = []
    if choice["urgent"] == "escalate":
        last = _last(choice)
        after = (
            "after the breach alert has gone out"
            if last == "alert"
            else "after the breach alert, or the fallback note in its place, has gone out"
        )
        found.append(
            Sentence(
                "For a breached ticket of the priority “urgent” Davit Kiran gets the urgent note "
                f"as a direct message in the chat as well, {after}; no other priority gets one.",
                ("if:urgent", "call:head", f"order:{last}<urgent"),
            )
        )
    subject = "the ticket's id as its subject"
    alerted = "the agent on duty was sent the breach alert"
    alerted = alerted if choice["route"] == "person" else "the breach alert was posted"
    told = f"whether {alerted}, as `told`."
    last = "urgent" if choice["urgent"] == "escalate" else _last(choice)
    last = "late" if choice["check"] == "due" else last
    if choice["scope"] == "sweep":
        subject, last = "the subject “open tickets”", "each"
        told = f"as `told` for how many tickets {alerted}."
    counts = ("set:count",) if choice["scope"] == "sweep" else ()
    return [
        *found,
        Sentence(
            "Every run ends with one line in the run log, for the procedure “sla-watch”, with the "
            f"outcome “completed” and {subject}; nothing goes out after it.",
            ("call:log", f"order:{last}<log"),
        ),
        Sentence(f"The run returns {told}", ("return:end", *counts)),
    ]


def _ticket(number: int, priority: str, opened_at: str, hours: int, **more: Any) -> Record:
    return {
        "ticket_id": f"TIC-{number}",
        "account_id": f"ACC-{401 + number % 4}",
        "priority": priority,
        "status": "open",
        "opened_at": opened_at,
        "first_reply_at": None,
        "solved_at": None,
        "sla_hours": hours,
        **more,
    }


_MORE = (
    _ticket(71, "urgent", "2026-03-16T08:00:00", 1),
    _ticket(72, "normal", "2026-03-16T00:59:00", 8),
    _ticket(73, "urgent", "2026-03-14T07:00:00", 1, first_reply_at="2026-03-15T07:00:00"),
    _ticket(74, "urgent", "2026-03-15T22:30:00", 2),
    _ticket(75, "low", "2026-03-12T10:00:00", 24, status="pending"),
)


def _ticket_runs(choice: Choice) -> list[tuple[dict[str, str], tuple[Record, ...]]]:
    names = ["TIC-2", "TIC-72", "TIC-1", "TIC-74", "TIC-75"]
    if choice["check"] == "due":
        names = ["TIC-2", "TIC-72", "TIC-71", "TIC-73", "TIC-75", "TIC-1"]
    return [({"ticket_id": name}, _MORE) for name in names]


def _sweep_runs() -> list[tuple[dict[str, str], tuple[Record, ...]]]:
    answered = tuple(
        _ticket(number, "urgent", "2026-03-13T09:00:00", 4, first_reply_at="2026-03-13T10:00:00")
        for number in (1, 2)
    )
    return [
        ({}, answered),
        ({}, (answered[0], _MORE[2])),
        ({}, (*answered, _MORE[1])),
        ({}, ()),
        ({}, _MORE),
        ({}, (*answered, _MORE[0])),
    ]


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    runs = _ticket_runs(choice) if choice["scope"] == "ticket" else _sweep_runs()
    people = ("hana.kowal", "felix.oduya", "amara.quist")
    found = []
    for index, (given, tickets) in enumerate(runs):
        agent = {"agent_email": f"{people[index % 3]}@example.com"}
        inputs = {**given, **agent} if choice["route"] == "person" else given
        found.append(VariantDraft(inputs, {"wh_support_tickets": tickets} if tickets else {}))
    if choice["guard"] == "none":
        return tuple(found)
    caught = _caught(choice, dict(runs[0][0]))
    return (*(found if choice["scope"] == "sweep" else found[: 6 - len(caught)]), *caught)


def _caught(choice: Choice, given: dict[str, str]) -> list[VariantDraft]:
    if choice["route"] == "channel":
        lost = Fault(
            tool="mcp.chat:post_message",
            kind=FaultKind.PERMANENT,
            where={"channel_id": CHANNEL.id},
            occurrences=(1,),
        )
        return [VariantDraft(given, {}, (lost,))]
    lost = Fault(
        tool="mcp.chat:send_direct_message",
        kind=FaultKind.TRANSIENT,
        where={"user_id": "USR-212"},
    )
    return [
        VariantDraft({**given, "agent_email": "paula.dietz@example.com"}),
        VariantDraft({**given, "agent_email": "frida.holm@example.com"}),
        VariantDraft({**given, "agent_email": "amara.quist@example.com"}, {}, (lost,)),
    ]


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_sweep, is_guarded = choice["scope"] == "sweep", choice["guard"] == "fallback"
    texts = [ALERT, *([UNREACHED] if is_guarded else [])]
    places = [TICKETS, CUSTOMERS]
    if (choice["route"] == "person") == is_guarded or choice["route"] == "channel":
        places.append(CHANNEL)
    if choice["urgent"] == "escalate":
        texts.append(URGENT)
        places.append(HEAD)
    context = ["Every ticket in the warehouse belongs to a customer who is in customers."]
    context.append("The SLA hours of a ticket are a whole number.")
    if not is_sweep:
        context.append("The ticket is in support_tickets.")
    if not is_sweep and choice["check"] == "none":
        context.append("The run is started only for a ticket that is breached and trusts that.")
    return Draft(
        title="Breached support tickets" if is_sweep else "Breach of one support ticket",
        purpose="Customer success wants no customer to wait for a first answer longer than "
        "was promised without somebody knowing of it.",
        program=_program(choice),
        sentences=(
            *_finding_sentences(choice),
            *_checking_sentences(choice),
            *_telling_sentences(choice),
            *_guard_sentences(choice),
            *_ending_sentences(choice),
        ),
        context=tuple(context),
        resources=tuple(places),
        templates=tuple(texts),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="sla-breach-watch",
    axes={
        "scope": ("ticket", "sweep"),
        "check": ("none", "due"),
        "route": ("channel", "person"),
        "guard": ("none", "fallback"),
        "urgent": ("none", "escalate"),
    },
    build=build,
    picks=(
        {
            "scope": "ticket",
            "check": "due",
            "route": "channel",
            "guard": "none",
            "urgent": "escalate",
        },
        {
            "scope": "ticket",
            "check": "none",
            "route": "person",
            "guard": "fallback",
            "urgent": "none",
        },
    ),
)
