"""Those who wait for a service are told of its state: incident closed, changed, or a notice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    attempt,
    call,
    program,
    put,
    result,
)
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

INCIDENTS = Resource(name="#incidents", kind="chat channel", id="CHN-306")
REPORTS = Resource(name="reports", kind="bucket of the object storage", id="reports")
CAUSE = Template(name="closing note", text="Closed. Cause: {cause}")
STATUS = {
    "resolved": Template(
        name="status text", text="{service name}: incident resolved ({incident title})."
    ),
    "severity": Template(
        name="status text", text="{service name}: incident is now {severity} ({incident title})."
    ),
    "notice": Template(name="status text", text="Status of {service}: {state}."),
}
TEXTS = {
    "resolved": "${service.name}: incident resolved (${change.title}).",
    "severity": "${service.name}: incident is now ${change.severity} (${change.title}).",
    "notice": "Status of ${inputs.service}: ${inputs.state}.",
}
CHANNEL = {
    "resolved": "${service.channel_id}",
    "severity": "${service.channel_id}",
    "notice": "${inputs.channel_id}",
}


def _opening(choice: Choice) -> list[NodeData]:
    """Change the incident and find out whom it concerns; a notice changes nothing."""
    if choice["trigger"] == "notice":
        return []
    number = "${inputs.incident_id}"
    tool = "incidents:update_incident"
    change = call("change", tool, incident_id=number, severity="${inputs.severity}")
    if choice["trigger"] == "resolved":
        note = "Closed. Cause: ${inputs.cause}"
        change = call("change", tool, incident_id=number, status="resolved", note=note)
    return [change, call("service", "incidents:get_service", service_id="${change.service_id}")]


def _posting(choice: Choice) -> list[NodeData]:
    text = TEXTS[choice["trigger"]]
    channel = CHANNEL[choice["trigger"]]
    post = call("post", "chat:post_message", channel_id=channel, text=text)
    if choice["fallback"] == "none":
        return [post, put("place", "place", "${post.channel_id}")]
    instead = call("instead", "chat:post_message", channel_id=INCIDENTS.id, text=text)
    return [
        put("start", "place", ""),
        attempt(
            "guard",
            [post, put("place", "place", "${post.channel_id}")],
            [instead, put("other_place", "place", "${instead.channel_id}")],
        ),
    ]


def _recording(choice: Choice) -> list[NodeData]:
    is_notice = choice["trigger"] == "notice"
    if choice["record"] == "log":
        subject = "${inputs.service}" if is_notice else "${inputs.incident_id}"
        return [
            call(
                "record",
                "automation:log_run",
                procedure="status-page",
                outcome="completed",
                subject=subject,
            )
        ]
    if choice["record"] == "page":
        key = "status/${place}.txt" if is_notice else "status/${service.service_id}.txt"
        content = TEXTS[choice["trigger"]]
        return [
            call(
                "record",
                "storage:put_object",
                bucket=REPORTS.id,
                key=key,
                content=content,
                overwrite=True,
            )
        ]
    return []


def _program(choice: Choice) -> dict[str, Any]:
    inputs: dict[str, Any] = {
        "incident_id": {"type": "string", "description": "The incident."},
    }
    if choice["trigger"] == "resolved":
        inputs["cause"] = {"type": "string", "description": "What the cause was."}
    elif choice["trigger"] == "severity":
        levels = ["sev1", "sev2", "sev3", "sev4"]
        inputs["severity"] = {"type": "string", "enum": levels, "description": "New severity."}
    else:
        inputs = {
            "channel_id": {"type": "string", "description": "The chat channel."},
            "service": {"type": "string", "description": "Name of the service."},
            "state": {"type": "string", "description": "Its state in a few words."},
        }
    steps = [*_opening(choice), *_posting(choice), *_recording(choice)]
    ending = result("end", posted_in="${place}")
    return program(inputs, [*steps, ending], {"posted_in": {"type": "string"}})


def _change_sentences(choice: Choice) -> list[Sentence]:
    if choice["trigger"] == "notice":
        return []
    read = Sentence(
        "The service that the incident belongs to, which the answer to the change names, is read "
        "from the incident desk for its name and its chat channel, after the incident was changed.",
        ("call:service",),
    )
    if choice["trigger"] == "severity":
        return [
            read,
            Sentence(
                "First of all, the incident given as `incident_id` gets the severity given as "
                "`severity` at the incident desk, and no note.",
                ("input:incident_id", "input:severity", "call:change"),
            ),
        ]
    return [
        read,
        Sentence(
            "First of all, the incident given as `incident_id` is set to “resolved” at the "
            "incident desk; the same change carries the closing note as its note.",
            ("input:incident_id", "call:change"),
        ),
        Sentence("The cause in the closing note is the text given as `cause`.", ("input:cause",)),
    ]


def _post_sentences(choice: Choice) -> list[Sentence]:
    if choice["trigger"] == "notice":
        found = [
            Sentence(
                "The status text is posted once, in the chat channel given as `channel_id`; the "
                "channel is not looked up before.",
                ("input:channel_id", "call:post"),
            ),
            Sentence(
                "The status text takes the name of the service from `service` and the state from "
                "`state`, as they are given.",
                ("input:service", "input:state"),
            ),
        ]
    else:
        found = [
            Sentence(
                "The status text is posted once, as a new message in the chat channel of the "
                "service that the incident belongs to.",
                ("call:post",),
            )
        ]
    if choice["fallback"] != "none":
        found.append(
            Sentence(
                "If the status text cannot be posted in its channel, for whatever reason, the same "
                "text is posted in #incidents instead, without a second attempt at the first "
                "channel.",
                ("try:guard", "call:instead"),
            )
        )
    return found


def _record_sentences(choice: Choice) -> list[Sentence]:
    before = "post" if choice["fallback"] == "none" else "guard"
    is_notice = choice["trigger"] == "notice"
    order = (f"order:{before}<record",)
    if choice["record"] == "log":
        subject = "the service as it is given" if is_notice else "the id of the incident"
        return [
            Sentence(
                "After the status text has been posted, a line goes into the run log of the "
                "automation platform: procedure “status-page”, outcome “completed”, with "
                f"{subject} as its subject and no detail.",
                ("call:record", *order),
            )
        ]
    if choice["record"] == "none":
        return []
    name = "the id of the channel in which the text was posted" if is_notice else "the service's id"
    key = "status/${place}.txt" if is_notice else "status/${service.service_id}.txt"
    return [
        Sentence(
            "After the status text has been posted, the status page is written: the object "
            f"“status/<id>.txt” in the bucket reports of the object storage, where <id> is {name}, "
            "holds the status text as plain text, and an older one is overwritten.",
            ("call:record", *(() if is_notice else order)),
            {key: "status/<id>.txt"},
        )
    ]


def _ending_sentence() -> Sentence:
    text = "The run returns `posted_in`: the id of the channel in which the text was posted."
    return Sentence(text, ("return:end",))


def _incident(number: int, service: str, title: str, **more: Any) -> Record:
    return {
        "incident_id": f"INC-85{number}",
        "service_id": service,
        "title": title,
        "severity": "sev3",
        "status": "acknowledged",
        "details": "Raised by a probe.",
        "responder": "kofi.brandao@example.com",
        "notes": [],
        "opened_at": "2026-03-16T07:10:00",
        "updated_at": "2026-03-16T07:30:00",
        "resolved_at": None,
        **more,
    }


ARCHIVED: Record = {
    "service_id": "SVC-855",
    "name": "Launch pages",
    "tier": 3,
    "owner_team": "Engineering",
    "primary_on_call": "ivo.petrov@example.com",
    "secondary_on_call": "elin.vasquez@example.com",
    "channel_id": "CHN-311",
}


def _incident_variants(choice: Choice) -> list[VariantDraft]:
    is_closing = choice["trigger"] == "resolved"

    def run(
        record: Record,
        text: str,
        severity: str,
        faults: Sequence[Fault] = (),
        **others: tuple[Record, ...],
    ) -> VariantDraft:
        inputs = {"incident_id": record["incident_id"]}
        inputs |= {"cause": text} if is_closing else {"severity": severity}
        return VariantDraft(inputs, {"incidents": (record,), **others}, tuple(faults))

    old = _incident(13, "SVC-953", "Payments are late", notes=["Queue is full."])
    page: Record = {
        "path": "reports/status/SVC-951.txt",
        "bucket": "reports",
        "key": "status/SVC-951.txt",
        "content": "Customer portal: all well.",
        "content_type": "text/plain",
        "size": 26,
        "modified_at": "2026-03-12T17:45:00",
    }
    found = [
        run(
            _incident(11, "SVC-951", "Login fails"), "expired key", "sev1", storage_objects=(page,)
        ),
        run(_incident(12, "SVC-952", "Export hangs", status="triggered"), "full disk", "sev2"),
        run(old, "stuck queue", "sev4"),
        run(_incident(14, "SVC-954", "Load stopped", responder=None), "wrong password", "sev3"),
        run(_incident(15, "SVC-951", "Pages are slow", severity="sev1"), "cold cache", "sev2"),
    ]
    if choice["fallback"] != "none":
        busy = Fault(tool="mcp.chat:post_message", kind=FaultKind.RATE_LIMIT, occurrences=(1,))
        found += [
            run(_incident(16, "SVC-855", "Page missing"), "bad link", "sev2", services=(ARCHIVED,)),
            run(_incident(17, "SVC-954", "Load doubled"), "two runs", "sev1", [busy]),
        ]
    return found


def _notice_variants(choice: Choice) -> list[VariantDraft]:
    def run(channel: str, service: str, state: str, *faults: Fault) -> VariantDraft:
        inputs = {"channel_id": channel, "service": service, "state": state}
        return VariantDraft(inputs, {}, tuple(faults))

    found = [
        run("CHN-307", "Customer portal", "maintenance from 20:00 to 21:00"),
        run("CHN-301", "Report export", "back to normal"),
        run("CHN-309", "Warehouse load", "delayed by two hours"),
        run("CHN-306", "Billing sync", "under watch"),
        run("CHN-302", "Billing sync", "switched off until noon"),
    ]
    if choice["fallback"] != "none":
        down = Fault(
            tool="mcp.chat:post_message",
            kind=FaultKind.PERMANENT,
            where={"channel_id": "CHN-307"},
        )
        found[3:] = [
            run("CHN-311", "Launch pages", "moved to the archive"),
            run("CHN-399", "Billing sync", "switched off until noon"),
            run("CHN-307", "Customer portal", "slow in Europe", down),
        ]
    return found


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_notice = choice["trigger"] == "notice"
    resources = [INCIDENTS] if choice["fallback"] != "none" else []
    resources += [REPORTS] if choice["record"] == "page" else []
    closing = [CAUSE] if choice["trigger"] == "resolved" else []
    variants = _notice_variants(choice) if is_notice else _incident_variants(choice)
    context = "An incident that is given is not resolved yet."
    if is_notice:
        context = "A channel id that is given may belong to a channel that has been closed."
    occasions = {
        "resolved": "when an incident is over",
        "severity": "when an incident turns out graver or milder than it was thought",
        "notice": "whenever the state of a service has changed",
    }
    titles = {
        "resolved": "Close an incident and say so",
        "severity": "Change an incident and say so",
        "notice": "Post a notice on the state of a service",
    }
    return Draft(
        title=titles[choice["trigger"]],
        purpose="Those who rely on a service should learn of its state from the company itself, "
        f"and not by trying. The incident desk runs this {occasions[choice['trigger']]}.",
        program=_program(choice),
        sentences=(
            *_change_sentences(choice),
            *_post_sentences(choice),
            *_record_sentences(choice),
            _ending_sentence(),
        ),
        context=(context,),
        resources=tuple(resources),
        templates=(*closing, STATUS[choice["trigger"]]),
        variants=tuple(variants),
    )


FAMILY = Family(
    name="status-page-update",
    axes={
        "trigger": ("resolved", "severity", "notice"),
        "record": ("none", "log", "page"),
        "fallback": ("none", "incidents"),
    },
    build=build,
    picks=(
        {"trigger": "resolved", "record": "log", "fallback": "none"},
        {"trigger": "notice", "record": "none", "fallback": "incidents"},
    ),
)
