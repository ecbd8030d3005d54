"""A meeting is set up or moved: who is free, which time it gets, who hears of it."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    attempt,
    call,
    program,
    put,
    result,
    when,
)
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Template

__all__ = ["FAMILY"]

AXES: Final = {
    "task": ("new", "move"),
    "check": ("none", "one", "two"),
    "notice": ("none", "chat", "mail"),
    "failure": ("plain", "report"),
}

FIXED: Final = Template(name="meeting notice", text="{title} is set for {start}.")
MOMENT: Final = {"type": "string", "description": "YYYY-MM-DDThh:mm:ss"}
TEXT: Final = {"type": ["string", "null"]}


def _nothing(label: str, choice: Choice, problem: str | None) -> NodeData:
    more = {"problem": problem} if choice["failure"] == "report" else {}
    return result(label, event_id=None, starts_at=None, **more)


def _check(choice: Choice) -> list[NodeData]:
    """Return how a time is chosen."""
    if choice["check"] == "none":
        return []

    def ask(label: str, slot: str) -> NodeData:
        span = {name: f"${{inputs.{slot}{name}}}" for name in ("starts_at", "ends_at")}
        return call(label, "planner:check_availability", attendees="${inputs.attendees}", **span)

    busy = _nothing("end_busy", choice, None)
    taken = {"==": [{"var": "first.is_free"}, False]}
    if choice["check"] == "one":
        return [ask("first", ""), when("taken", taken, [busy])]
    other = [
        ask("second", "second_"),
        when("both_taken", {"==": [{"var": "second.is_free"}, False]}, [busy]),
        put("start_second", "starts_at", "${inputs.second_starts_at}"),
        put("end_second", "ends_at", "${inputs.second_ends_at}"),
    ]
    return [
        put("start_first", "starts_at", "${inputs.starts_at}"),
        put("end_first", "ends_at", "${inputs.ends_at}"),
        ask("first", ""),
        when("taken", taken, other),
    ]


def _booking(choice: Choice) -> list[NodeData]:
    inner = "" if choice["check"] == "two" else "inputs."
    create = call(
        "create",
        "planner:create_event",
        title="${inputs.title}",
        organizer="${inputs.organizer}",
        attendees="${inputs.attendees}",
        starts_at=f"${{{inner}starts_at}}",
        ends_at=f"${{{inner}ends_at}}",
    )
    do: list[NodeData] = [create, put("kept", "meeting", "${create}")]
    if choice["task"] == "move":
        reason = "Moved to another time."
        do.insert(
            0,
            call("cancel", "planner:cancel_event", event_id="${inputs.event_id}", reason=reason),
        )
    if choice["failure"] == "plain":
        return do
    failed = _nothing("end_failed", choice, "${problem.code}")
    return [put("no_meeting", "meeting", None), attempt("booking", do, [failed], "problem")]


def _notice(choice: Choice) -> list[NodeData]:
    text = "${meeting.title} is set for ${meeting.starts_at}."
    if choice["notice"] == "none":
        return []
    if choice["notice"] == "mail":
        to, subject = ["${meeting.organizer}"], "Meeting set"
        return [call("tell", "mail:send_mail", to=to, subject=subject, body=text)]
    return [
        call("user", "chat:find_user", email="${inputs.organizer}"),
        call("tell", "chat:send_direct_message", user_id="${user.user_id}", text=text),
    ]


def _inputs(choice: Choice) -> dict[str, Any]:
    inputs: dict[str, Any] = {
        "title": {"type": "string"},
        "organizer": {"type": "string", "description": "E-mail address of who holds it."},
        "attendees": {"type": "array", "items": {"type": "string"}},
        "starts_at": MOMENT,
        "ends_at": MOMENT,
    }
    if choice["check"] == "two":
        inputs |= {"second_starts_at": MOMENT, "second_ends_at": MOMENT}
    if choice["task"] == "move":
        inputs["event_id"] = {"type": "string", "description": "The meeting so far."}
    return inputs


def _program(choice: Choice) -> dict[str, Any]:
    fields = {"event_id": "${meeting.event_id}", "starts_at": "${meeting.starts_at}"}
    more = {"problem": None} if choice["failure"] == "report" else {}
    end = result("end", **fields, **more)
    steps = [*_check(choice), *_booking(choice), *_notice(choice), end]
    return program(_inputs(choice), steps, dict.fromkeys([*fields, *more], TEXT))


def _null(choice: Choice) -> str:
    return "null as `event_id` and as `starts_at`" + (
        " and as `problem`" if choice["failure"] == "report" else ""
    )


def _time_sentences(choice: Choice) -> list[Sentence]:
    """Return what is said of the time, and of who is free."""
    asked = "the calendar is asked whether everybody in `attendees` is free; nobody else counts, "
    asked += "not even the organizer where the list does not name the organizer"
    if choice["check"] == "none":
        text = "The meeting is to last from `starts_at` to `ends_at`; whether the people are free "
        return [Sentence(f"{text}is not checked.", ("input:starts_at", "input:ends_at"))]
    text = f"For the time from `starts_at` to `ends_at`, {asked}."
    times = ("input:starts_at", "input:ends_at")
    first = Sentence(text, (*times, "call:first"))
    if choice["check"] == "one":
        text = "Unless all of them are free then, nothing is done and the run returns "
        return [first, Sentence(f"{text}{_null(choice)}.", ("if:taken", "return:end_busy"))]
    return [
        first,
        Sentence(
            "If all of them are free from `starts_at` to `ends_at`, the meeting gets that time, "
            "and no other time is asked for. If somebody is busy, the calendar is asked about the "
            "same people from `second_starts_at` to `second_ends_at`, and the meeting gets that "
            "time if all are free.",
            ("if:taken", "call:second", "input:second_starts_at", "input:second_ends_at"),
        ),
        Sentence(
            "When somebody is busy at both times, nothing is done and the run returns "
            f"{_null(choice)}.",
            ("if:both_taken", "return:end_busy"),
        ),
    ]


def _booking_sentences(choice: Choice) -> list[Sentence]:
    is_checked, is_tried = choice["check"] != "none", choice["failure"] == "report"
    asked = {"none": "", "one": "first", "two": "taken"}[choice["check"]]
    node = "booking" if is_tried else ("cancel" if choice["task"] == "move" else "create")
    orders = (f"order:{asked}<{node}",) if is_checked else ()
    when_free = ", only after a time at which all are free has been found" if is_checked else ""
    first = "" if choice["task"] == "move" else when_free
    found = [
        Sentence(
            "The meeting is set up in the calendar with `title`, `organizer` and `attendees` as "
            f"they are given, without place or description{first}.",
            (
                "call:create",
                *(f"input:{name}" for name in ("title", "organizer", "attendees")),
                *(() if choice["task"] == "move" else orders),
            ),
        )
    ]
    if choice["task"] == "move":
        found.append(
            Sentence(
                "The meeting so far, the one with the id `event_id`, is called off with the reason "
                f"“Moved to another time.”{when_free}; the new one is set up only after the old "
                "one has been called off.",
                ("call:cancel", "input:event_id", "order:cancel<create", *orders),
            )
        )
    if is_tried:
        steps = "setting up the meeting fails"
        if choice["task"] == "move":
            steps = "calling the old meeting off or setting up the new one fails"
        found.append(
            Sentence(
                f"If {steps}, the run goes no further: it returns the code of the error as "
                "`problem` and null as `event_id` and as `starts_at`. What was done before that "
                "stays as it is.",
                ("try:booking", "return:end_failed"),
            )
        )
    return found


def _end_sentences(choice: Choice) -> list[Sentence]:
    found: list[Sentence] = []
    before = "booking" if choice["failure"] == "report" else "create"
    if choice["notice"] == "mail":
        text = "Once the meeting is set up, the organizer alone gets an e-mail with the subject "
        text += "“Meeting set” and the meeting notice as its body; the start is written there as "
        text += "the calendar has it."
        found.append(Sentence(text, ("call:tell",)))
    elif choice["notice"] == "chat":
        text = "Only when the meeting is set up, the organizer is looked up in the chat by e-mail "
        text += "address and gets the meeting notice there as a direct message; the start is "
        text += "written as the calendar has it."
        found.append(Sentence(text, ("call:user", "call:tell", f"order:{before}<user")))
    more = ", with null as `problem`" if choice["failure"] == "report" else ""
    text = (
        "For a meeting that was set up the run returns the new meeting's id as `event_id` and its "
    )
    return [*found, Sentence(f"{text}start as `starts_at`{more}.", ("return:end",))]


IVO: Final = "ivo.petrov@example.com"
KOFI: Final = "kofi.brandao@example.com"
ELIN: Final = "elin.vasquez@example.com"
TOMAS: Final = "tomas.ferreira@example.com"


def _event(number: int, who: str, start: str, end: str, **more: Any) -> Record:
    return {
        "event_id": f"EVT-{number}",
        "title": "Build review",
        "organizer": who,
        "attendees": [who, "hana.kowal@example.com"],
        "starts_at": f"2026-03-{start}:00",
        "ends_at": f"2026-03-{end}:00",
        "location": None,
        "description": None,
        "status": "confirmed",
        "cancel_reason": None,
        **more,
    }


def _run(choice: Choice, number: int, *blocks: Record, **more: Any) -> VariantDraft:
    """Return a run: blocks are other meetings; `old`, `faults` and inputs may be replaced."""
    faults = more.pop("faults", ())
    old = _event(970 + number, IVO, "26T09:00", "26T10:00", **more.pop("old", {}))
    inputs = {
        "title": f"Capacity plan {number}",
        "organizer": IVO,
        "attendees": [IVO, KOFI, ELIN],
        "starts_at": "2026-03-18T10:00:00",
        "ends_at": "2026-03-18T11:00:00",
        "second_starts_at": "2026-03-18T15:00:00",
        "second_ends_at": "2026-03-18T15:45:00",
        "event_id": old["event_id"],
        **more,
    }
    kept = {name: value for name, value in inputs.items() if name in _inputs(choice)}
    events = (*blocks, old) if choice["task"] == "move" else blocks
    return VariantDraft(kept, {"planner_events": events}, faults)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    early = _event(981, KOFI, "18T09:00", "18T10:00")
    first, late = (
        _event(982, KOFI, "18T10:30", "18T12:00"),
        _event(983, ELIN, "18T15:30", "18T16:00"),
    )
    chief = _event(984, TOMAS, "18T09:30", "18T11:30")
    off = _event(985, ELIN, "18T10:00", "18T11:00", status="cancelled", cancel_reason="No topic")
    whole = _event(986, IVO, "18T08:00", "18T15:00")
    found = [
        _run(choice, 1, early, late),
        _run(choice, 2, first, attendees=[KOFI, ELIN]),
        _run(choice, 3, chief, organizer=TOMAS),
        _run(choice, 4, first, late),
        _run(choice, 5, off, attendees=[IVO, ELIN, "bram.okoye@veldt.example.org"]),
        _run(choice, 6, whole, attendees=[IVO, KOFI]),
    ]
    if choice["failure"] == "plain":
        return tuple(found)
    clean = found[1:3] if choice["check"] == "none" else [found[0], found[1], found[3]]
    return (*clean, *_failures(choice))


def _failures(choice: Choice) -> list[VariantDraft]:
    lost = Fault(tool="mcp.planner:create_event", kind=FaultKind.PERMANENT)
    past = {"starts_at": "2026-03-16T08:00:00", "ends_at": "2026-03-16T08:30:00"}
    found = [
        _run(choice, 7, **past),
        _run(choice, 8, faults=(lost,)),
    ]
    if choice["task"] == "new":
        return [*found, _run(choice, 9, organizer="bram.okoye@veldt.example.org")]
    gone = {"status": "cancelled", "cancel_reason": "No topic"}
    begun = {"starts_at": "2026-03-16T08:45:00", "ends_at": "2026-03-16T10:00:00"}
    return [*found, _run(choice, 9, old=gone), _run(choice, 10, old=begun)]


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_new = choice["task"] == "new"
    context = ["Times have no zone: all are those of the calendar."]
    if not is_new and choice["check"] != "none":
        context.append("The meeting so far counts like any other when people are asked to be free.")
    if choice["notice"] == "chat":
        context.append("Every organizer has an active chat account.")
    reason = "nobody has to compare calendars by hand" if choice["check"] != "none" else ""
    reason = reason or (
        "no invitation has to be typed" if is_new else "nobody comes at the old time"
    )
    return Draft(
        title="Set up a meeting" if is_new else "Move a meeting",
        purpose=f"Assistants run this to {'set up' if is_new else 'move'} one meeting, so that "
        f"{reason}.",
        program=_program(choice),
        sentences=(
            *_time_sentences(choice),
            *_booking_sentences(choice),
            *_end_sentences(choice),
        ),
        context=tuple(context),
        resources=(),
        templates=(FIXED,) if choice["notice"] != "none" else (),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="meeting-scheduling",
    axes=AXES,
    build=build,
    picks=(
        dict(zip(AXES, ("new", "two", "none", "plain"), strict=True)),
        dict(zip(AXES, ("move", "none", "none", "report"), strict=True)),
    ),
)
