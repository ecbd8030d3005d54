"""A new lead goes to the owner of its region: by score, with somebody told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    attempt,
    call,
    program,
    result,
    rule,
    when,
)
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

HEAD = Resource(
    name="Head of Sales", kind="person", id="marta.okonjo@example.com", detail="e-mail address"
)
REVIEW = Resource(name="OPS", kind="issue tracker project", id="OPS", detail="reviews of leads")
OWNERS = Resource(
    name="region_owner",
    kind="lookup table of the automation platform",
    id="region_owner",
    detail="region → e-mail address of the employee who owns its leads",
)
CHANNELS = Resource(
    name="region_channel",
    kind="lookup table of the automation platform",
    id="region_channel",
    detail="region → id of its sales channel in the chat",
)
LEAD_TEXT = "New lead for ${owner.value}: ${lead.fields.name}, ${lead.fields.company}, score "
LEAD = Template(
    name="lead message",
    text="New lead for {new owner's e-mail address}: {lead's name}, {lead's company}, score "
    "{lead's score}.",
)
CALL = Template(name="call subject", text="Call {lead's name} of {lead's company}")
UNTOLD = Template(
    name="untold body",
    text="{new owner's e-mail address} could not be told of lead {lead's id} in the chat.",
)
CHECK = Template(name="review summary", text="Review the lead {lead's name}")


def _notice(choice: Choice) -> list[NodeData]:
    text = f"{LEAD_TEXT}${{lead.fields.score}}."
    if choice["notice"] == "direct":
        told = [
            call("user", "chat:find_user", email="${owner.value}"),
            call("direct", "chat:send_direct_message", user_id="${user.user_id}", text=text),
        ]
    else:
        key, table = "${lead.fields.region}", CHANNELS.id
        told = [
            call("channel", "automation:lookup_entry", table=table, key=key),
            call("post", "chat:post_message", channel_id="${channel.value}", text=text),
        ]
    if choice["guard"] == "none":
        return told
    mail = call(
        "mail",
        "mail:send_mail",
        to=[HEAD.id],
        subject="Lead without notice",
        body="${owner.value} could not be told of lead ${inputs.lead_id} in the chat.",
    )
    return [attempt("notice", told, [mail, result("untold", outcome="handed_over_by_mail")])]


def _handing_over(choice: Choice) -> list[NodeData]:
    key, table = "${lead.fields.region}", OWNERS.id
    fields = {"owner_email": "${owner.value}", "status": "working"}
    steps = [
        call("owner", "automation:lookup_entry", table=table, key=key),
        call("assign", "sales:update_record", record_id="${inputs.lead_id}", fields=fields),
    ]
    if choice["task"] == "call":
        task = {
            "subject": "Call ${lead.fields.name} of ${lead.fields.company}",
            "owner_email": "${owner.value}",
            "due_on": rule({"add_days": [{"var": "context.now"}, 1]}),
            "priority": "high",
            "lead_id": "${inputs.lead_id}",
        }
        steps.append(call("task", "sales:create_record", object="task", fields=task))
    return [*steps, *_notice(choice), result("done", outcome="handed_over")]


def _bar(choice: Choice) -> dict[str, Any]:
    high: dict[str, Any] = {">=": [{"var": "lead.fields.score"}, 60]}
    if choice["bar"] == "score":
        return high
    referred = {"==": [{"var": "lead.fields.source"}, "referral"]}
    return {"or": [high, {"and": [referred, {">=": [{"var": "lead.fields.score"}, 40]}]}]}


def _rejecting(choice: Choice) -> list[NodeData]:
    if choice["rejected"] == "close":
        fields = {"status": "disqualified"}
        return [
            call("close", "sales:update_record", record_id="${inputs.lead_id}", fields=fields),
            result("closed", outcome="closed"),
        ]
    review = call(
        "review",
        "tracker:create_issue",
        project=REVIEW.id,
        issue_type="request",
        summary="Review the lead ${lead.fields.name}",
        assignee=HEAD.id,
    )
    return [review, result("reviewed", outcome="in_review")]


def _program(choice: Choice) -> dict[str, Any]:
    is_new = {"==": [{"var": "lead.fields.status"}, "new"]}
    if choice["rejected"] == "leave":
        deciding = when("fit", {"and": [is_new, _bar(choice)]}, _handing_over(choice))
    else:
        inner = when("good", _bar(choice), _handing_over(choice), _rejecting(choice))
        deciding = when("fresh", is_new, [inner])
    steps = [
        call("lead", "sales:get_record", record_id="${inputs.lead_id}"),
        deciding,
        result("rest", outcome="left"),
    ]
    return program(
        {"lead_id": {"type": "string", "description": "Id of the lead in the CRM."}},
        steps,
        {"outcome": {"type": "string"}},
    )


def _condition(choice: Choice) -> list[Sentence]:
    bar = "its score is at least 60"
    if choice["bar"] != "score":
        bar = "its score is at least 60, or at least 40 if its source is “referral”"
    left = (
        "is left exactly as it is: nothing else is looked up, nothing is changed or made, nobody "
        "is told, and the run returns `outcome` “left”."
    )
    if choice["rejected"] == "leave":
        text = (
            f"A lead is handed over when its status is “new” and {bar}. Any lead for which this is "
            f"not so {left}"
        )
        return [Sentence(text, ("if:fit", "return:rest"))]
    return [
        Sentence(
            f"Only a lead in the status “new” is dealt with. A lead in any other status {left}",
            ("if:fresh", "return:rest"),
        ),
        Sentence(
            f"A new lead is good enough when {bar}. A good one is handed over, a new lead that is "
            "not good enough is turned away.",
            ("if:good",),
        ),
    ]


def _rejection(choice: Choice) -> list[Sentence]:
    if choice["rejected"] == "close":
        return [
            Sentence(
                "Turning a lead away means setting its status in the CRM to “disqualified” and "
                "nothing else; the run returns `outcome` “closed”.",
                ("call:close", "return:closed"),
            )
        ]
    return [
        Sentence(
            "Turning a lead away leaves its record as it is and opens one issue in the issue "
            "tracker: in the project OPS, of the type “request”, with the review summary as its "
            "summary, assigned to the Head of Sales, without further details. The run returns "
            "`outcome` “in_review”.",
            ("call:review", "return:reviewed"),
        )
    ]


def _telling(choice: Choice) -> list[Sentence]:
    last = "the CRM task has been made" if choice["task"] == "call" else "the lead has been changed"
    node = "task" if choice["task"] == "call" else "assign"
    if choice["notice"] == "direct":
        how = (
            "The new owner of a lead that is handed over is looked up in the chat by e-mail "
            f"address only after {last}, and gets the lead message as a direct message. Whether "
            "the chat account is active is not checked beforehand."
        )
        first, covers = "user", ["call:user", "call:direct"]
    else:
        how = (
            "The hand-over is announced in the chat with the lead message, in the channel whose id "
            "the lookup table `region_channel` holds for the lead's region. That table is looked "
            f"into only after {last}."
        )
        first, covers = "channel", ["call:channel", "call:post"]
    if choice["guard"] == "none":
        return [Sentence(how, (*covers, f"order:{node}<{first}"))]
    failing = (
        "If telling the new owner in the chat fails, be it the look-up of the user or the message"
        if choice["notice"] == "direct"
        else "If announcing the hand-over fails, be it the look-up of the channel or the message"
    )
    return [
        Sentence(how, (*covers, f"order:{node}<notice")),
        Sentence(
            f"{failing}, one e-mail goes to the Head of Sales with the subject “Lead without "
            "notice” and the untold body as its text; all that was done before stays as it is, and "
            "the run returns `outcome` “handed_over_by_mail”.",
            ("try:notice", "call:mail", "return:untold"),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    found = [
        Sentence(
            "A run deals with the one lead given as `lead_id`, whose record is opened in the CRM "
            "by that id.",
            ("input:lead_id", "call:lead"),
        ),
        *_condition(choice),
        Sentence(
            "The new owner of a lead that is handed over is the person whose address the lookup "
            "table `region_owner` holds for the lead's region, whoever owned it before.",
            ("call:owner",),
        ),
        Sentence(
            "In the CRM a lead that is handed over gets, in one change, the new owner as its owner "
            "and the status “working”.",
            ("call:assign",),
        ),
        *_telling(choice),
        Sentence(
            "A run that has handed a lead over"
            f"{'' if choice['guard'] == 'none' else ' and could tell of it in the chat'} "
            "returns `outcome` “handed_over”.",
            ("return:done",),
        ),
    ]
    if choice["rejected"] != "leave":
        found += _rejection(choice)
    if choice["task"] == "call":
        found.append(
            Sentence(
                "Once a lead that is handed over has been changed in the CRM, a task is made there "
                "with the call subject as its subject, the new owner as its owner, the day after "
                "the run as its due date, the priority “high”, and the lead as its `lead_id`; no "
                "other field is filled in.",
                ("call:task", "order:assign<task"),
            )
        )
    return tuple(found)


def _lead(number: int, name: str, company: str, **more: Any) -> Record:
    person, firm = name.partition(" ")[0].lower(), company.partition(" ")[0].lower()
    return {
        "lead_id": f"LEA-85{number}",
        "name": name,
        "company": company,
        "email": f"{person}@{firm}.example.net",
        "source": "web",
        "score": 50,
        "region": "emea",
        "status": "new",
        "owner_email": None,
        "duplicate_of": None,
        "converted_account_id": None,
        "created_at": "2026-03-15T10:00:00",
        **more,
    }


def _variant(
    lead: Record, records: Mapping[str, Record] | None = None, faults: Sequence[Fault] = ()
) -> VariantDraft:
    more = {collection: (record,) for collection, record in (records or {}).items()}
    return VariantDraft({"lead_id": lead["lead_id"]}, {"sales_leads": (lead,), **more}, (*faults,))


_USER_OFF: Record = {
    "user_id": "USR-210",
    "name": "Jonas Eberhart",
    "email": "jonas.eberhart@example.com",
    "title": "Account Executive",
    "is_active": False,
}
_CHANNEL_SHUT: Record = {
    "channel_id": "CHN-304",
    "name": "sales-emea",
    "topic": "Deals in Europe, the Middle East and Africa",
    "is_private": False,
    "is_archived": True,
    "member_ids": ["USR-202", "USR-210"],
    "created_at": "2019-05-06T08:00:00",
}
_NEWCOMER: Record = {
    "entry": "region_owner/americas",
    "table": "region_owner",
    "key": "americas",
    "value": "tessa.rowan@example.com",
}


def _troubles(choice: Choice) -> list[VariantDraft]:
    tool = "send_direct_message" if choice["notice"] == "direct" else "post_message"
    down = Fault(tool=f"mcp.chat:{tool}", kind=FaultKind.PERMANENT, occurrences=(1,))
    shut = {"chat_users": _USER_OFF, "chat_channels": _CHANNEL_SHUT}
    found = [
        _variant(_lead(16, "Karim Boll", "Tidewater Glass", score=77), shut),
        _variant(_lead(17, "Elsa Maron", "Corvid Print", score=64, region="apac"), faults=[down]),
    ]
    if choice["notice"] == "direct":  # the person who has the region is no chat user
        stranger = _lead(18, "Rosa Lindt", "Amber Rail", score=91, region="americas")
        found.append(_variant(stranger, {"lookup_entries": _NEWCOMER}))
    return found


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    taken = {"status": "working", "owner_email": "oskar.bell@example.com"}
    found = [
        _variant(_lead(11, "Lina Aalto", "Birch & Vale", score=82, region="apac")),
        _variant(_lead(12, "Omar Keane", "Saddleback Wines", score=60, region="americas")),
        _variant(_lead(13, "Ines Roth", "Pale Harbor", score=59, source="partner")),
        _variant(_lead(14, "Piet Salo", "Quarry Lane", score=90, source="referral", **taken)),
        _variant(_lead(15, "Uma Brandt", "Fenwick Dairy", score=40, source="referral")),
    ]
    return tuple(found if choice["guard"] == "none" else [*found[1:], *_troubles(choice)])


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_direct, is_guarded = choice["notice"] == "direct", choice["guard"] != "none"
    is_review = choice["rejected"] == "review"
    resources = [OWNERS] if is_direct else [OWNERS, CHANNELS]
    resources += [HEAD] if is_guarded or is_review else []
    resources += [REVIEW] if is_review else []
    templates = [LEAD]
    templates += [CALL] if choice["task"] == "call" else []
    templates += [UNTOLD] if is_guarded else []
    templates += [CHECK] if is_review else []
    return Draft(
        title="Hand a new lead over to its region",
        purpose="Marketing operations runs this whenever a lead has come in and has been scored, "
        "so that promising leads reach the salesperson of their region on the same day.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=(
            "Every region that a lead can have stands in the lookup tables.",
            "A lead always has a score from 0 to 100 and a region.",
        ),
        resources=tuple(resources),
        templates=tuple(templates),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="lead-handoff",
    axes={
        "bar": ("score", "score_or_referral"),
        "notice": ("channel", "direct"),
        "rejected": ("leave", "close", "review"),
        "task": ("none", "call"),
        "guard": ("none", "mail"),
    },
    build=build,
    picks=(
        {
            "bar": "score",
            "notice": "channel",
            "rejected": "leave",
            "task": "none",
            "guard": "none",
        },
        {
            "bar": "score_or_referral",
            "notice": "direct",
            "rejected": "close",
            "task": "call",
            "guard": "mail",
        },
    ),
)
