"""A request for leave that rules can decide: limit of days, cover, notice."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import NodeData, call, program, put, result, rule, when
from skillbench_tasks.models import Record

__all__ = ["FAMILY"]

AXES: Final = {
    "request": ("single", "first"),
    "rule": ("short", "balance", "notice"),
    "cover": ("none", "meetings", "team"),
    "refusal": ("leave", "reject"),
}

NOTES: Final = {
    "short": "Please split this into requests of at most three days.",
    "balance": "You ask for more days than you have left.",
    "notice": "Please ask at least seven days ahead.",
    "meetings": "You hold meetings in that time. Hand them over and ask again.",
    "team": "Too many of your team are away on your first day.",
}
GRANTED: Final = "Enjoy your time off."

REFUSED: Final[dict[str, dict[str, Any]]] = {
    "short": {">": [{"var": "request.days"}, 3]},
    "balance": {">": [{"var": "request.days"}, {"var": "inputs.days_left"}]},
    "notice": {
        "<": [{"days_between": [{"var": "context.now"}, {"var": "request.from_date"}]}, 7],
    },
}
"""Rule → when a request breaks it."""


def _refusal(choice: Choice, reason: str) -> list[NodeData]:
    undecided = result(f"end_{reason}", decision="undecided")
    if choice["refusal"] == "leave":
        return [undecided]
    reject = call(
        f"reject_{reason}",
        "people:decide_leave",
        leave_id="${request.leave_id}",
        decision="rejected",
        note=NOTES[reason],
    )
    return [reject, result(f"end_{reason}", decision="rejected")]


def _meetings(choice: Choice) -> list[NodeData]:
    events = call(
        "events",
        "planner:find_events",
        organizer="${inputs.email}",
        starts_from="${request.from_date}",
        starts_before=rule({"add_days": [{"var": "request.to_date"}, 1]}),
    )
    ahead = {"days_between": [{"var": "context.now"}, {"var": "request.from_date"}]}
    soon = when("soon", {"<": [ahead, 14]}, _refusal(choice, "meetings"))
    return [events, when("holds", {">": [{"var": "events.count"}, 0]}, [soon])]


def _team(choice: Choice) -> list[NodeData]:
    ids = {"map": [{"var": "team.employees"}, {"var": "item.employee_id"}]}
    mates = {"filter": [{"var": "away.leave"}, {"in": [{"var": "item.employee_id"}, ids]}]}
    return [
        call("team", "people:find_employees", manager_id="${inputs.manager_id}"),
        call("away", "people:find_leave", status="approved", on_date="${request.from_date}"),
        when("thin", {">=": [{"length": [mates]}, 2]}, _refusal(choice, "team")),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    inputs: dict[str, Any] = {
        "employee_id": {"type": "string", "description": "Who asks for leave."}
    }
    if choice["rule"] == "balance":
        inputs["days_left"] = {"type": "number", "description": "Days of leave still to be had."}
    if choice["cover"] == "meetings":
        inputs["email"] = {"type": "string", "description": "E-mail address of who asks."}
    if choice["cover"] == "team":
        inputs["manager_id"] = {"type": "string", "description": "Number of the manager."}
    none = {"!=" if choice["request"] == "single" else "<": [{"var": "open.count"}, 1]}
    steps = [
        call("open", "people:find_leave", employee_id="${inputs.employee_id}", status="submitted"),
        when("none_open", none, [result("end_none", decision="none")]),
        put("picked", "request", "${open.leave.0}"),
        when("breaks", REFUSED[choice["rule"]], _refusal(choice, choice["rule"])),
    ]
    steps += {"none": [], "meetings": _meetings(choice), "team": _team(choice)}[choice["cover"]]
    approve = call(
        "approve",
        "people:decide_leave",
        leave_id="${request.leave_id}",
        decision="approved",
        note=GRANTED,
    )
    steps += [approve, result("end", decision="approved")]
    return program(inputs, steps, {"decision": {"type": "string"}})


def _refused(choice: Choice, reason: str) -> tuple[str, tuple[str, ...]]:
    """Return in words what a refusal does, and what of the workflow that covers."""
    if choice["refusal"] == "leave":
        return (
            "is left as it is, and the run ends with “undecided” as `decision`",
            (f"return:end_{reason}",),
        )
    return (
        f"is “rejected” with the note “{NOTES[reason]}”, and the run ends with “rejected” as "
        "`decision`",
        (f"call:reject_{reason}", f"return:end_{reason}"),
    )


def _order(choice: Choice, label: str) -> tuple[str, ...]:
    """Return the items of order that a call has with what comes before it."""
    is_reject = choice["refusal"] == "reject"
    before = {
        "events": "breaks" if is_reject else "",
        "team": "breaks" if is_reject else "open",
        "approve": {
            "none": ("", "breaks"),
            "meetings": ("events", "holds"),
            "team": ("away", "thin"),
        }[choice["cover"]][is_reject],
    }[label]
    return (f"order:{before}<{label}",) if before else ()


RULE_WORDS: Final = {
    "short": "A request for more than 3 working days",
    "balance": "A request for more working days than `days_left`, the number that the employee may "
    "still take,",
    "notice": "A request whose first day is fewer than 7 days after today",
}


def _rule_sentence(choice: Choice) -> Sentence:
    outcome, covers = _refused(choice, choice["rule"])
    extra = ("input:days_left",) if choice["rule"] == "balance" else ()
    more = "" if choice["cover"] == "none" else ", before anything else is looked at"
    text = f"{RULE_WORDS[choice['rule']]} {outcome}{more}."
    return Sentence(text, ("if:breaks", *covers, *extra))


def _cover_sentences(choice: Choice) -> list[Sentence]:
    if choice["cover"] == "none":
        return []
    outcome, covers = _refused(choice, choice["cover"])
    topic = "notice" if choice["rule"] == "notice" else "days"
    if choice["cover"] == "meetings":
        return [
            Sentence(
                f"For a request that is not turned away for its {topic}, the calendar is asked "
                "for the meetings whose organizer has the address given as `email` and that start "
                "on a day of the leave; its first and its last day belong to it.",
                ("call:events", "input:email", *_order(choice, "events")),
            ),
            Sentence(
                "If the employee organizes at least one meeting during the leave, a request whose "
                f"first day is fewer than 14 days after today {outcome}. With 14 days or more, or "
                "without such a meeting, meetings stand in nobody's way.",
                ("if:holds", "if:soon", *covers),
            ),
        ]
    return [
        Sentence(
            "The team is everybody in the HR directory who reports to the employee number given as "
            f"`manager_id`; it is looked up for a request that is not turned away for its {topic}.",
            ("call:team", "input:manager_id", *_order(choice, "team")),
        ),
        Sentence(
            "Once the team is known, all leave with the status “approved” that covers the first "
            "day of the request is looked up, in one query for the whole company.",
            ("call:away", "order:team<away"),
        ),
        Sentence(
            "When at least two of the approved leaves on the first day belong to people of the "
            f"team, the request {outcome}.",
            ("if:thin", *covers),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    if choice["request"] == "single":
        which = "A decision is made only when exactly one such request is there: with none, or with"
        which += " more than one, the run ends at once with “none” as `decision`."
    else:
        which = "Of several such requests only the one that the HR directory lists first is dealt "
        which += "with; when there is none, the run ends at once with “none” as `decision`."
    return (
        Sentence(
            "All requests for leave that are in the status “submitted” and belong to the employee "
            f"with the number given as `employee_id` are looked up in the HR directory. {which}",
            ("input:employee_id", "call:open", "if:none_open", "return:end_none"),
        ),
        _rule_sentence(choice),
        *_cover_sentences(choice),
        Sentence(
            "A request that no other requirement stops is, as the last step of the run, “approved” "
            f"with the note “{GRANTED}”; the run returns “approved” as `decision`.",
            ("call:approve", "return:end", *_order(choice, "approve")),
        ),
    )


def _leave(number: int, days: int, first: str, last: str, **more: Any) -> Record:
    return {
        "leave_id": f"LVE-{number}",
        "employee_id": "EMP-117",
        "kind": "holiday",
        "from_date": first,
        "to_date": last,
        "days": days,
        "status": "submitted",
        "note": None,
        "decided_at": None,
        **more,
    }


def _away(number: int, employee_id: str, day: str) -> Record:
    decided = "2026-02-02T09:00:00"
    return _leave(
        number, 1, day, day, employee_id=employee_id, status="approved", decided_at=decided
    )


def _event(number: int, day: str, **more: Any) -> Record:
    return {
        "event_id": f"EVT-{number}",
        "title": "Build review",
        "organizer": "ivo.petrov@example.com",
        "attendees": ["ivo.petrov@example.com", "kofi.brandao@example.com"],
        "starts_at": f"{day}T15:00:00",
        "ends_at": f"{day}T16:00:00",
        "location": None,
        "description": None,
        "status": "confirmed",
        "cancel_reason": None,
        **more,
    }


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    attended = _event(956, "2026-04-10", organizer="tomas.ferreira@example.com")
    called_off = _event(957, "2026-04-13", status="cancelled", cancel_reason="No topic")
    runs: tuple[tuple[float, tuple[Record, ...], tuple[Record, ...]], ...] = (
        (8, (_away(161, "EMP-117", "2026-03-20"),), ()),
        (
            3,
            (_leave(162, 3, "2026-03-23", "2026-03-25"), _away(163, "EMP-119", "2026-03-23")),
            (_event(951, "2026-03-25"), _event(952, "2026-03-26")),
        ),
        (4, (_leave(164, 5, "2026-03-18", "2026-03-24"),), (_event(953, "2026-03-25"),)),
        (
            10,
            (_leave(165, 2, "2026-03-30", "2026-03-31"), _away(166, "EMP-119", "2026-03-30")),
            (_event(954, "2026-03-30"),),
        ),
        (
            2.5,
            (_leave(167, 2, "2026-04-10", "2026-04-13"), _away(168, "EMP-109", "2026-04-10")),
            (attended, called_off, _event(955, "2026-04-14")),
        ),
        (
            6,
            (
                _leave(169, 3, "2026-05-04", "2026-05-06"),
                _leave(170, 7, "2026-03-17", "2026-03-25"),
            ),
            (_event(958, "2026-05-03"),),
        ),
    )
    return tuple(_run(choice, *one) for one in runs)


def _run(
    choice: Choice, days_left: float, leave: tuple[Record, ...], events: tuple[Record, ...]
) -> VariantDraft:
    inputs: dict[str, Any] = {"employee_id": "EMP-117"}
    records = {"leave_requests": leave}
    if choice["rule"] == "balance":
        inputs["days_left"] = days_left
    if choice["cover"] == "meetings":
        inputs["email"] = "ivo.petrov@example.com"
        records["planner_events"] = events
    if choice["cover"] == "team":
        inputs["manager_id"] = "EMP-105"
    return VariantDraft(inputs, records)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    return Draft(
        title="Decide a request for leave",
        purpose="The people team runs this when an employee asks for leave, so that plain requests "
        "are answered at once and only the others wait for a person.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("A request carries its number of working days, its first and its last day.",),
        resources=(),
        templates=(),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="leave-request-decision",
    axes=AXES,
    build=build,
    picks=(
        dict(zip(AXES, ("single", "short", "none", "leave"), strict=True)),
        dict(zip(AXES, ("first", "balance", "meetings", "reject"), strict=True)),
    ),
)
