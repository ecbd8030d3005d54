"""Triage of one new issue: close a duplicate, send back a bare one, set the priority, alarm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import NodeData, call, program, put, result, rule, when
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

INCIDENTS = Resource(name="#incidents", kind="chat channel", id="CHN-306")
DUPLICATE = Template(
    name="duplicate note", text="This is a duplicate of {issue id}. Please follow that issue."
)
ALARM = Template(name="outage alarm", text="{issue id} reports an outage: {summary}")
TRIAGED = Template(name="triage note", text="Triaged with priority {priority}.")
_BARE = "Please describe what happens and what you expected."


def _duplicates() -> list[NodeData]:
    is_earlier = {"<": [{"var": "item.created_at"}, {"var": "issue.created_at"}]}
    return [
        call(
            "same",
            "tracker:find_issues",
            project="${issue.project}",
            is_open=True,
            text="${issue.summary}",
        ),
        put("older", "earlier", rule({"filter": [{"var": "same.issues"}, is_earlier]})),
        when(
            "doubled",
            {">": [{"length": {"var": "earlier"}}, 0]},
            [
                call(
                    "point",
                    "tracker:add_comment",
                    issue_id="${issue.issue_id}",
                    text="This is a duplicate of ${earlier.0.issue_id}. Please follow that issue.",
                ),
                call(
                    "drop",
                    "tracker:move_issue",
                    issue_id="${issue.issue_id}",
                    status="cancelled",
                    resolution="duplicate",
                ),
                result("doubling", outcome="duplicate", priority="${issue.priority}"),
            ],
        ),
    ]


def _bare() -> NodeData:
    ask = call("ask", "tracker:add_comment", issue_id="${issue.issue_id}", text=_BARE)
    park = call("park", "tracker:move_issue", issue_id="${issue.issue_id}", status="blocked")
    end = result("waiting", outcome="sent back", priority="${issue.priority}")
    return when("bare", {"==": [{"var": "issue.description"}, ""]}, [ask, park, end])


def _alarm() -> NodeData:
    words = "${issue.issue_id} reports an outage: ${issue.summary}"
    return when(
        "alarm",
        {"==": [{"var": "priority"}, "urgent"]},
        [
            call("duty", "chat:find_user", email="${inputs.duty_email}"),
            when(
                "reachable",
                {"var": "duty.is_active"},
                [call("wake", "chat:send_direct_message", user_id="${duty.user_id}", text=words)],
                [call("shout", "chat:post_message", channel_id=INCIDENTS.id, text=words)],
            ),
        ],
    )


def _program(choice: Choice) -> dict[str, Any]:
    inputs = {"issue_id": {"type": "string", "description": "The new issue."}}
    steps = [
        call("issue", "tracker:get_issue", issue_id="${inputs.issue_id}"),
        when(
            "fresh",
            {"!=": [{"var": "issue.status"}, "open"]},
            [result("left", outcome="left alone", priority="${issue.priority}")],
        ),
        *(_duplicates() if choice["duplicates"] == "close" else ()),
        *((_bare(),) if choice["bare"] == "send_back" else ()),
        put("usual", "priority", "medium"),
        when(
            "outage",
            {"in": ["outage", {"var": "issue.labels"}]},
            [put("top", "priority", "urgent")],
            [
                when(
                    "defect",
                    {"==": [{"var": "issue.issue_type"}, "bug"]},
                    [put("upper", "priority", "high")],
                )
            ],
        ),
        call(
            "rank",
            "tracker:update_issue",
            issue_id="${issue.issue_id}",
            priority="${priority}",
        ),
    ]
    if choice["outage"] == "alarm":
        steps.append(_alarm())
        inputs["duty_email"] = {"type": "string", "description": "Who is on duty."}
    if choice["note"] == "comment":
        text = "Triaged with priority ${priority}."
        steps.append(call("note", "tracker:add_comment", issue_id="${issue.issue_id}", text=text))
    steps.append(result("end", outcome="triaged", priority="${priority}"))
    return program(inputs, steps, {"outcome": {"type": "string"}, "priority": {"type": "string"}})


def _duplicate_sentences() -> list[Sentence]:
    return [
        Sentence(
            "An open issue is a duplicate when the same project holds an issue that is neither "
            "done nor cancelled, was opened at an earlier date and time, and has the whole "
            "summary of the issue somewhere in its own summary, upper and lower case alike.",
            ("call:same", "set:older"),
        ),
        Sentence(
            "A duplicate is commented on and closed, and its priority is not touched; an open "
            "issue that is no duplicate goes on through the triage.",
            ("if:doubled",),
        ),
        Sentence(
            "The comment on a duplicate is the duplicate note, in which the issue id is that of "
            "the earlier issue; where there are several, it is the first in the order in which "
            "the issue tracker lists them.",
            ("call:point",),
        ),
        Sentence(
            "A duplicate is closed as “cancelled” with the resolution “duplicate”, after the "
            "comment on it.",
            ("call:drop", "order:point<drop"),
        ),
        Sentence(
            "For a duplicate the run returns the `outcome` “duplicate” and, as `priority`, the "
            "one that the issue had.",
            ("return:doubling",),
        ),
    ]


def _bare_sentences(choice: Choice) -> list[Sentence]:
    first = choice["duplicates"] == "close"
    return [
        Sentence(
            "An open issue whose description is empty is sent back and gets no new priority. "
            + (
                "Whether it is a duplicate is settled before that: a duplicate is treated as a "
                "duplicate even when its description is empty."
                if first
                else "Any other one goes on through the triage."
            ),
            ("if:bare", *(("order:doubled<bare",) if first else ())),
        ),
        Sentence(
            f"Sending back begins with the comment “{_BARE}” on the issue.",
            ("call:ask",),
        ),
        Sentence(
            "The status of an issue that is sent back becomes “blocked”, once the comment stands.",
            ("call:park", "order:ask<park"),
        ),
        Sentence(
            "For an issue that is sent back the run returns the `outcome` “sent back” and, as "
            "`priority`, the one that the issue had.",
            ("return:waiting",),
        ),
    ]


def _alarm_sentences() -> list[Sentence]:
    return [
        Sentence(
            "When the new priority is “urgent”, an alarm is raised in chat, and only after the "
            "priority of the issue has been set; for any other priority nobody is alarmed.",
            ("if:alarm", "order:rank<alarm"),
        ),
        Sentence(
            "The address of the person on duty is given as `duty_email`; for an alarm this "
            "person's user account is looked up in chat.",
            ("input:duty_email", "call:duty"),
        ),
        Sentence(
            "An alarm goes to one place only: to the person on duty if the chat account is "
            "active, otherwise to #incidents.",
            ("if:reachable",),
        ),
        Sentence(
            "What the person on duty gets is a direct message: the outage alarm, with the id and "
            "the summary of the issue.",
            ("call:wake",),
        ),
        Sentence(
            "What is posted in #incidents is the outage alarm, with the issue's id and summary.",
            ("call:shout",),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    gate = {"send_back": "bare", "none": "doubled"}[choice["bare"]]
    is_gated = choice["bare"] != "none" or choice["duplicates"] == "close"
    found = [
        Sentence(
            "The run is given one issue as `issue_id` and reads it in the issue tracker.",
            ("input:issue_id", "call:issue"),
        ),
        Sentence(
            "Only an issue in the status “open” is triaged. Any other one stays as it is: nothing "
            "is done about it, and the run returns the `outcome` “left alone” with the "
            "`priority` that the issue has.",
            ("if:fresh", "return:left"),
        ),
        Sentence(
            "The new priority is “urgent” for an issue that carries the label “outage”, whatever "
            "its type; “high” for any other issue of the type “bug”; and “medium” for the rest.",
            ("set:usual", "if:outage", "set:top", "if:defect", "set:upper"),
        ),
        Sentence(
            "The new priority is written into the issue, even where the issue has that priority "
            "already."
            + (" This happens only after the issue has passed the checks." if is_gated else ""),
            ("call:rank", *((f"order:{gate}<rank",) if is_gated else ())),
        ),
        Sentence(
            "After a completed triage the run returns the `outcome` “triaged” and the new "
            "priority as `priority`.",
            ("return:end",),
        ),
    ]
    if choice["duplicates"] == "close":
        found += _duplicate_sentences()
    if choice["bare"] == "send_back":
        found += _bare_sentences(choice)
    if choice["outage"] == "alarm":
        found += _alarm_sentences()
    if choice["note"] == "comment":
        before = "alarm" if choice["outage"] == "alarm" else "rank"
        last = "the alarm, if there is one" if before == "alarm" else "the priority has been set"
        found.append(
            Sentence(
                f"The triage note is put on the issue as a comment with the new priority, after "
                f"{last}.",
                ("call:note", f"order:{before}<note"),
            )
        )
    return tuple(found)


SUMMARIES = {
    11: "Orders of yesterday are missing in the portal",
    12: "The portal cannot be reached",
    15: "Another address for our deliveries",
    16: "The order page does not load",
    31: "Nothing works since this morning",
}


def _issue(number: int, **more: Any) -> Record:
    return {
        "issue_id": f"ISS-64{number}",
        "project": "CUS",
        "issue_type": "request",
        "summary": SUMMARIES.get(number, "Question about an order"),
        "description": "All details are in the attachment.",
        "status": "open",
        "priority": "low",
        "reporter": "hana.kowal@example.com",
        "assignee": None,
        "labels": [],
        "due_on": None,
        "parent_id": None,
        "resolution": None,
        "created_at": "2026-03-16T08:10:00",
        "updated_at": "2026-03-16T08:10:00",
        **more,
    }


def _variant(choice: Choice, *issues: Record, duty: str = "kofi.brandao") -> VariantDraft:
    """Return a run on the first of the issues."""
    inputs: Mapping[str, Any] = {"issue_id": issues[0]["issue_id"]}
    if choice["outage"] == "alarm":
        inputs = {**inputs, "duty_email": f"{duty}@example.com"}
    return VariantDraft(inputs, {"tracker_issues": issues})


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    login = {"summary": "Login page is blank", "issue_type": "bug"}
    early, late = "2026-03-16T07:55:00", "2026-03-16T08:40:00"
    found = [
        _variant(choice, _issue(11, status="in_progress", labels=["outage"], priority="medium")),
        _variant(choice, _issue(12, labels=["portal", "outage"], priority="urgent")),
        _variant(
            choice,
            _issue(13, **login, labels=["outage_review"]),
            _issue(14, **login, created_at=late, labels=["outage"]),
        ),
        _variant(choice, _issue(15, priority="urgent", due_on="2026-03-20")),
        _variant(choice, _issue(16, issue_type="bug", labels=["outage"]), duty="paula.dietz"),
    ]
    if choice["duplicates"] == "close":
        again = {"summary": "LOGIN page is blank on tablets", "created_at": early}
        found += [
            _variant(
                choice,
                _issue(21, **login, project="OPS"),
                _issue(22, **again, project="OPS"),
                _issue(23, **again, project="OPS"),
            ),
            _variant(
                choice,
                _issue(24, **login, labels=["outage"], description="", priority="high"),
                _issue(25, **again, status="done", resolution="fixed"),
                _issue(26, **again, project="OPS"),
                _issue(27, **again, status="blocked"),
            ),
        ]
    if choice["bare"] == "send_back":
        found.append(_variant(choice, _issue(31, description="", labels=["outage"])))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    has_alarm = choice["outage"] == "alarm"
    templates = (
        *((DUPLICATE,) if choice["duplicates"] == "close" else ()),
        *((ALARM,) if has_alarm else ()),
        *((TRIAGED,) if choice["note"] == "comment" else ()),
    )
    context = ["The service desk starts the run with an issue that exists."]
    if has_alarm:
        context.append(
            "Whoever is on duty has a chat account; it can be switched off, which chat shows."
        )
    return Draft(
        title="Triage a new issue",
        purpose="The service desk runs this for each issue that comes in, so that the right ones "
        "are worked on first.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=tuple(context),
        resources=(INCIDENTS,) if has_alarm else (),
        templates=templates,
        variants=_variants(choice),
    )


FAMILY = Family(
    name="ticket-triage",
    axes={
        "duplicates": ("none", "close"),
        "bare": ("none", "send_back"),
        "outage": ("none", "alarm"),
        "note": ("none", "comment"),
    },
    build=build,
    picks=(
        {"duplicates": "none", "bare": "none", "outage": "none", "note": "none"},
        {"duplicates": "close", "bare": "send_back", "outage": "alarm", "note": "none"},
    ),
)
