"""Incidents of a service that nobody has acknowledged in time go to the second on call."""

from __future__ import annotations

from collections.abc import Sequence
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
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Template

__all__ = ["FAMILY"]

ESCALATED = Template(
    name="escalation message",
    text="Incident {incident id} ({title}) on {service name} goes to "
    "{e-mail address of the second on call}.",
)
WAITING = Template(
    name="waiting message",
    text="Incident {incident id} ({title}) is still waiting for "
    "{e-mail address of the second on call}.",
)
STUCK = Template(
    name="stuck message", text="Incident {incident id} could not be escalated. Please call."
)
PAGED = Template(
    name="hand-over message", text="Escalated to you on {service name}: {number} incident(s)."
)
NOTE = "Not acknowledged in time: escalated to the second on call."


def _post(label: str, text: str) -> NodeData:
    return call(label, "chat:post_message", channel_id="${service.channel_id}", text=text)


def _updating(choice: Choice, one: str) -> NodeData:
    common = {
        "incident_id": f"${{{one}.incident_id}}",
        "responder": "${service.secondary_on_call}",
        "note": NOTE,
    }
    plain = call("update", "incidents:update_incident", **common)
    if choice["severity"] == "keep":
        return plain
    worst = call("worsen", "incidents:update_incident", **common, severity="sev1")
    return when("top_tier", {"==": [{"var": "service.tier"}, 1]}, [worst], [plain])


def _handling(choice: Choice, one: str) -> NodeData:
    """Deal with one waiting incident, which stands at the path `one`."""
    is_held = {"==": [{"var": f"{one}.responder"}, {"var": "service.secondary_on_call"}]}
    number, title = f"${{{one}.incident_id}}", f"${{{one}.title}}"
    second = "${service.secondary_on_call}"
    follow = _post("follow", f"Incident {number} ({title}) is still waiting for {second}.")
    escalate = [
        _updating(choice, one),
        _post("tell", f"Incident {number} ({title}) on ${{service.name}} goes to {second}."),
        put("count", "escalated", rule({"+": [{"var": "escalated"}, 1]})),
    ]
    if choice["guard"] != "none":
        stuck = _post("stuck", f"Incident {number} could not be escalated. Please call.")
        escalate = [attempt("guard", escalate, [stuck])]
    return when("held", is_held, [follow], escalate)


def _paging() -> NodeData:
    text = "Escalated to you on ${service.name}: ${escalated} incident(s)."
    page = [
        call("user", "chat:find_user", email="${service.secondary_on_call}"),
        call("page", "chat:send_direct_message", user_id="${user.user_id}", text=text),
    ]
    return when("any_escalated", {">": [{"var": "escalated"}, 0]}, page)


def _program(choice: Choice) -> dict[str, Any]:
    is_waiting = {
        "and": [
            {"==": [{"var": "item.status"}, "triggered"]},
            {"<=": [{"var": "item.opened_at"}, {"var": "inputs.cutoff"}]},
        ]
    }
    unanswered = rule({"filter": [{"var": "service.open_incidents"}, is_waiting]})
    steps = [
        put("start", "escalated", 0),
        call("service", "incidents:get_service", service_id="${inputs.service_id}"),
        put("late", "waiting", unanswered),
    ]
    if choice["scope"] == "oldest":
        has_any = {">": [{"length": {"var": "waiting"}}, 0]}
        steps.append(when("any_waiting", has_any, [_handling(choice, "waiting.0")]))
    else:
        steps.append(each("waiting", "${waiting}", "incident", [_handling(choice, "incident")]))
    if choice["page"] != "none":
        steps.append(_paging())
    count = rule({"length": {"var": "waiting"}})
    steps.append(result("end", waiting=count, escalated="${escalated}"))
    return program(
        {
            "service_id": {"type": "string", "description": "The service."},
            "cutoff": {"type": "string", "description": "Date-time, YYYY-MM-DDThh:mm:ss."},
        },
        steps,
        {"waiting": {"type": "integer"}, "escalated": {"type": "integer"}},
    )


def _scope_sentences(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "The service given as `service_id` is read from the incident desk, once.",
            ("input:service_id", "call:service"),
        ),
        Sentence(
            "A waiting incident is one of the service's open incidents that has the status "
            "“triggered” and was opened at or before the date-time given as `cutoff`.",
            ("input:cutoff", "set:late"),
        ),
    ]
    if choice["scope"] == "oldest":
        found.append(
            Sentence(
                "Only the oldest of the waiting incidents is dealt with in a run; the others "
                "stay as they are. Where no incident is waiting, nothing is done.",
                ("if:any_waiting",),
            )
        )
    else:
        found.append(
            Sentence(
                "Every waiting incident is dealt with, one after the other, the oldest first.",
                ("each:waiting",),
            )
        )
    return found


def _update_sentences(choice: Choice) -> list[Sentence]:
    if choice["severity"] == "keep":
        return [
            Sentence(
                "To escalate an incident, the second on call of the service is made its responder "
                f"at the incident desk, with the note “{NOTE}” in the same change.",
                ("call:update",),
            )
        ]
    return [
        Sentence(
            "To escalate an incident, the second on call of the service is made its responder at "
            f"the incident desk, with the note “{NOTE}” in the same change.",
            ("call:update", "arg:worsen.note"),
        ),
        Sentence(
            "For a service of tier 1 the change that escalates an incident also sets the severity "
            "to “sev1”, whatever it was; for other tiers the severity is left alone.",
            ("if:top_tier", "call:worsen", "arg:worsen.severity"),
            {NOTE: "change that escalates"},
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    first = "update" if choice["severity"] == "keep" else "top_tier"
    found = [
        *_scope_sentences(choice),
        *_update_sentences(choice),
        Sentence(
            "An incident whose responder is the second on call of the service already is not "
            "escalated again but followed up; every other one that is dealt with is escalated.",
            ("if:held",),
        ),
        Sentence(
            "Following up an incident means the waiting message in the chat channel of the "
            "service, and no change to the incident, which does not count as escalated.",
            ("call:follow",),
        ),
        Sentence(
            "Each escalated incident is announced in the chat channel of the service with the "
            "escalation message, and not before its change at the incident desk is made.",
            ("call:tell", f"order:{first}<tell"),
        ),
        Sentence(
            "An incident counts as escalated when it has been changed and announced.",
            ("set:count",),
        ),
        Sentence(
            "The run returns `waiting`, how many incidents were waiting at its start, and "
            "`escalated`, how many were escalated.",
            ("return:end",),
        ),
    ]
    if choice["guard"] != "none":
        found.append(
            Sentence(
                "If the change or the announcement of an incident fails, what is left of its "
                "escalation is dropped, the stuck message for it goes to the chat channel of the "
                "service, and the run goes on with what is left to do.",
                ("try:guard", "call:stuck"),
            )
        )
    if choice["page"] != "none":
        found += _page_sentences(choice)
    return tuple(found)


def _page_sentences(choice: Choice) -> list[Sentence]:
    before = "any_waiting" if choice["scope"] == "oldest" else "waiting"
    return [
        Sentence(
            "After all incidents of the run have been dealt with, the second on call is told in "
            "person when at least one was escalated; when none was, nobody is.",
            ("if:any_escalated", f"order:{before}<any_escalated"),
        ),
        Sentence(
            "Whoever is told in person is looked up in the chat by e-mail address just before; "
            "when nobody is told, nobody is looked up.",
            ("call:user",),
        ),
        Sentence(
            "Telling in person means one direct message in the chat for the whole run, the "
            "hand-over message with the number of escalated incidents.",
            ("call:page",),
        ),
    ]


SECOND = {"SVC-951": "elin.vasquez@example.com", "SVC-954": "elin.vasquez@example.com"}
CUTOFF = {"SVC-951": "2026-03-16T08:30:00", "SVC-954": "2026-03-16T07:40:00"}


def _incident(service: str, number: int, at: str, **more: Any) -> Record:
    return {
        "incident_id": f"INC-85{number}",
        "service_id": service,
        "title": f"Alarm {number} of the probes",
        "severity": "sev3",
        "status": "triggered",
        "details": "Raised by a probe.",
        "responder": "kofi.brandao@example.com",
        "notes": [],
        "opened_at": f"2026-03-16T{at}:00",
        "updated_at": f"2026-03-16T{at}:00",
        "resolved_at": None,
        **more,
    }


def _run(service: str, *incidents: Record, faults: Sequence[Fault] = ()) -> VariantDraft:
    inputs = {"service_id": service, "cutoff": CUTOFF[service]}
    return VariantDraft(inputs, {"incidents": incidents}, tuple(faults))


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    portal, load = "SVC-951", "SVC-954"
    held = {"responder": SECOND[portal]}
    known = {"status": "acknowledged"}
    found = [
        _run(portal, _incident(portal, 10, "08:31"), _incident(portal, 11, "07:05", **known)),
        _run(portal, _incident(portal, 12, "08:30")),
        _run(load, _incident(load, 13, "06:00", **held), _incident(portal, 14, "06:10")),
        _run(
            load,
            _incident(load, 15, "07:40"),
            _incident(load, 16, "07:10"),
            _incident(load, 17, "06:50", **known),
        ),
        _run(
            portal,
            _incident(portal, 18, "07:20", **held),
            _incident(portal, 19, "08:10", severity="sev2"),
            _incident(portal, 20, "08:55"),
        ),
    ]
    if choice["guard"] != "none":
        desk, chat = "mcp.incidents:update_incident", "mcp.chat:post_message"
        down = Fault(tool=desk, kind=FaultKind.PERMANENT, where={"incident_id": "INC-8521"})
        busy = Fault(tool=chat, kind=FaultKind.RATE_LIMIT, occurrences=(1,))
        found += [
            _run(
                portal,
                _incident(portal, 21, "06:00"),
                _incident(portal, 22, "06:30"),
                faults=[down],
            ),
            _run(load, _incident(load, 23, "07:00"), faults=[busy]),
        ]
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    templates = [ESCALATED, WAITING]
    templates += [STUCK] if choice["guard"] != "none" else []
    templates += [PAGED] if choice["page"] != "none" else []
    return Draft(
        title="Escalate incidents that nobody has acknowledged",
        purpose="The incident desk runs this for a service every quarter of an hour, so that no "
        "alarm is left lying because the first on call does not answer.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=(
            "The incident desk names persons by their e-mail address.",
            "The incident desk lists the open incidents of a service with the oldest first.",
        ),
        resources=(),
        templates=tuple(templates),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="incident-escalation",
    axes={
        "scope": ("oldest", "all"),
        "severity": ("keep", "raise"),
        "guard": ("none", "message"),
        "page": ("none", "direct"),
    },
    build=build,
    picks=(
        {"scope": "oldest", "severity": "keep", "guard": "none", "page": "none"},
        {"scope": "all", "severity": "raise", "guard": "message", "page": "direct"},
    ),
)
