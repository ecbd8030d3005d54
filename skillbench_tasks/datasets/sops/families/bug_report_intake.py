"""A bug report that came by mail: file it, answer the sender, mark the mail."""

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
    when,
)
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

PROJECT = Resource(name="Customer Success", kind="issue tracker project", id="CUS")
TABLE = Resource(
    name="issue_project",
    kind="lookup table of the automation platform",
    id="issue_project",
    detail="kind of report → key of the project",
)
RECEIPT = Template(name="receipt", text="Thank you for your report. We follow it under {issue id}.")
AGAIN = Template(name="repeat note", text="Reported again in mail {mail id}: {body}")
UNANSWERED = "The sender could not be answered."


def _project(choice: Choice) -> str:
    return "${route.value}" if choice["destination"] == "lookup" else PROJECT.id


def _filing(choice: Choice) -> list[NodeData]:
    has_fallback = choice["failure"] == "fallback"
    fields: dict[str, Any] = {
        "project": _project(choice),
        "issue_type": "bug",
        "summary": "${inputs.subject}",
        "description": "${inputs.body}",
    }
    made = call("made", "tracker:create_issue", **fields, labels=["from_mail"])
    if not has_fallback:
        return [made] if choice["known"] == "none" else [made, _put("named", "made")]
    made["arguments"]["assignee"] = "${inputs.engineer}"
    labels = ["from_mail", "needs_owner"]
    plain = call("plain", "tracker:create_issue", **fields, labels=labels)
    return [attempt("filing", [made, _put("named", "made")], [plain, _put("renamed", "plain")])]


def _put(label: str, source: str) -> NodeData:
    return put(label, "issue_id", f"${{{source}.issue_id}}")


def _known(choice: Choice) -> list[NodeData]:
    return [
        call(
            "found",
            "tracker:find_issues",
            project=_project(choice),
            issue_type="bug",
            is_open=True,
            text="${inputs.subject}",
        ),
        when(
            "known",
            {">": [{"var": "found.count"}, 0]},
            [
                call(
                    "repeat",
                    "tracker:add_comment",
                    issue_id="${found.issues.0.issue_id}",
                    text="Reported again in mail ${inputs.mail_id}: ${inputs.body}",
                ),
                _put("old", "found.issues.0"),
            ],
            _filing(choice),
        ),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    inputs: dict[str, Any] = {
        "mail_id": {"type": "string", "description": "The mail with the report."},
        "subject": {"type": "string", "description": "Its subject."},
        "body": {"type": "string", "description": "Its text."},
    }
    steps: list[NodeData] = []
    is_simple = choice["failure"] == "none" and choice["known"] == "none"
    if not is_simple:
        steps.append(put("blank", "issue_id", ""))
    if choice["destination"] == "lookup":
        kinds = ["bug", "access", "billing"]
        inputs["kind"] = {"type": "string", "enum": kinds, "description": "What it is about."}
        steps.append(call("route", "automation:lookup_entry", table=TABLE.id, key="${inputs.kind}"))
    if choice["failure"] == "fallback":
        inputs["engineer"] = {"type": "string", "description": "Whom the issue is meant for."}
    steps += _filing(choice) if choice["known"] == "none" else _known(choice)
    issue = "${made.issue_id}" if is_simple else "${issue_id}"
    body = f"Thank you for your report. We follow it under {issue}."
    reply = call("reply", "mail:reply_to_mail", mail_id="${inputs.mail_id}", body=body)
    if choice["answer"] == "guarded":
        tell = call("silent", "tracker:add_comment", issue_id=issue, text=UNANSWERED)
        reply = attempt("answer", [reply], [tell])
    mark = call("mark", "mail:label_mail", mail_id="${inputs.mail_id}", mark_read=True)
    mark["arguments"]["label"] = "filed"  # `call` has a parameter of that name
    steps += [reply, mark, result("end", issue_id=issue)]
    return program(inputs, steps, {"issue_id": {"type": "string"}})


def _filing_sentences(choice: Choice) -> list[Sentence]:
    if choice["destination"] == "lookup":
        place = "the project that belongs to the kind"
        found = [
            Sentence(
                "The kind of report is given as `kind`; the key of the project that belongs to it "
                "is looked up in the table issue_project of the automation platform.",
                ("input:kind", "call:route"),
            )
        ]
    else:
        place, found = "the project Customer Success (CUS)", []
    if choice["failure"] == "none":
        when_ = "Every report" if choice["known"] == "none" else "A report that is new"
        found.append(
            Sentence(
                f"{when_} becomes an issue of its own in {place}: of the type “bug”, with the "
                "subject of the mail as its summary, the text of the mail as its description, and "
                "the one label “from_mail”.",
                ("call:made",),
            )
        )
        return found
    which = "a report" if choice["known"] == "none" else "a new report"
    return [
        *found,
        Sentence(
            f"The issue for {which} is opened in {place}: of the type “bug”, with the subject of "
            "the mail as its summary, the text of the mail as its description, the one label "
            "“from_mail”, and the person given as `engineer` as its assignee.",
            ("call:made", "input:engineer"),
        ),
        Sentence(
            "If the issue cannot be opened with its assignee, whatever the reason, it is opened "
            "without one instead; this is tried once.",
            ("try:filing",),
        ),
        Sentence(
            f"An issue that is opened without assignee lies in {place} too, is of the type “bug” "
            "as well, and has the same summary and description; its labels are “from_mail” and "
            "“needs_owner”, in this order.",
            ("call:plain",),
        ),
    ]


def _known_sentences(choice: Choice) -> list[Sentence]:
    place = (
        "the project that belongs to the kind"
        if choice["destination"] == "lookup"
        else "the project Customer Success (CUS)"
    )
    return [
        Sentence(
            f"A report is known when {place} holds an issue of the type “bug”, neither done nor "
            "cancelled, whose summary contains the subject of the mail, upper and lower case "
            "alike.",
            ("call:found",),
        ),
        Sentence(
            "No issue is opened for a report that is known: the known issue gets a comment "
            "instead. A report that is not known is new.",
            ("if:known",),
        ),
        Sentence(
            "The comment on a known issue is the repeat note; where several issues fit, only the "
            "first in the order of the issue tracker gets it, and it is the one that the "
            "report is followed under.",
            ("call:repeat",),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    before = "answer" if choice["answer"] == "guarded" else "reply"
    late = " This happens after the issue was opened or got its comment."
    late = "" if choice["known"] == "none" else late
    tried = ", or the failed attempt has been noted" if before == "answer" else ""
    found = [
        Sentence(
            "The mail is given by its id as `mail_id`, its subject as `subject` and its text as "
            "`body`; it is not looked up in the mailbox.",
            ("input:mail_id", "input:subject", "input:body"),
        ),
        *_filing_sentences(choice),
        Sentence(
            "The mail is answered with a reply whose text is the receipt, with the id of the "
            f"issue under which the report is followed.{late}",
            ("call:reply",),
        ),
        Sentence(
            f"When the mail has been answered{tried}, the mail gets the label “filed” and is "
            "marked as read.",
            ("call:mark", f"order:{before}<mark"),
        ),
        Sentence(
            "The run returns `issue_id`, the id of the issue under which the report is followed.",
            ("return:end",),
        ),
    ]
    if choice["known"] != "none":
        found += _known_sentences(choice)
    if choice["answer"] == "guarded":
        found += [
            Sentence(
                "If the reply cannot be sent, whatever the reason, this is noted on the issue; "
                "the reply is not tried again.",
                ("try:answer",),
            ),
            Sentence(
                f"What is noted about a missing reply is the comment “{UNANSWERED}” on the issue "
                "under which the report is followed.",
                ("call:silent",),
            ),
        ]
    return tuple(found)


def _mail(number: int, subject: str, body: str, **more: Any) -> Record:
    return {
        "mail_id": f"EML-85{number}",
        "mailbox": "support@example.com",
        "direction": "received",
        "sender": f"user{number}@veldt.example.org",
        "to": ["support@example.com"],
        "cc": [],
        "subject": subject,
        "body": body,
        "labels": [],
        "is_read": False,
        "in_reply_to": None,
        "attachment_id": None,
        "sent_at": "2026-03-16T07:30:00",
        **more,
    }


def _issue(number: int, summary: str, **more: Any) -> Record:
    return {
        "issue_id": f"ISS-65{number}",
        "project": "CUS",
        "issue_type": "bug",
        "summary": summary,
        "description": "Seen on two machines.",
        "status": "open",
        "priority": "medium",
        "reporter": "hana.kowal@example.com",
        "assignee": None,
        "labels": [],
        "due_on": None,
        "parent_id": None,
        "resolution": None,
        "created_at": "2026-03-12T10:00:00",
        "updated_at": "2026-03-12T10:00:00",
        **more,
    }


class _Variants:
    """Runs of one choice: only those inputs are given that its workflow has."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice

    def one(
        self,
        mail: Record,
        *issues: Record,
        kind: str = "bug",
        engineer: str = "ivo.petrov@example.com",
        faults: Sequence[Fault] = (),
    ) -> VariantDraft:
        inputs = {name: mail[name] for name in ("mail_id", "subject", "body")}
        if self._choice["destination"] == "lookup":
            inputs["kind"] = kind
        if self._choice["failure"] == "fallback":
            inputs["engineer"] = engineer
        return VariantDraft(inputs, {"mails": (mail,), "tracker_issues": issues}, tuple(faults))


def _fault(tool: str, kind: FaultKind, **where: Any) -> Fault:
    return Fault(tool=f"mcp.{tool}", kind=kind, where=where)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    one = _Variants(choice).one
    left, guest = "paula.dietz@example.com", "helper@ashby.example.net"
    sent = {"direction": "sent", "sender": "support@example.com", "is_read": True}
    found = [
        one(
            _mail(11, "Totals are wrong", "The sum of page 2 is off by one."),
            _issue(11, "Totals are wrong in the summary"),
            _issue(12, "totals are wrong"),
        ),
        one(
            _mail(12, "Cannot sign in", "My code is refused.", is_read=True),
            _issue(13, "Cannot sign in", project="SEC", status="done", resolution="fixed"),
            kind="access",
            engineer=left,
        ),
        one(
            _mail(13, "Invoice shows old address", "We moved in May.", labels=["vip"]),
            _issue(14, "Invoice shows old address", project="FIN", issue_type="request"),
            kind="billing",
        ),
        one(_mail(14, "Colours", "", sender="Ann.Lee@Northgate.example.net"), kind="bug"),
        one(
            _mail(15, "Search", "No hits since Friday."),
            _issue(15, "Search", project="OPS"),
            _issue(16, "Search finds nothing", project="FIN", status="blocked"),
            kind="billing",
        ),
    ]
    if choice["failure"] == "fallback":
        found = found[:3]
    if choice["answer"] == "guarded":
        slow = _fault("mail:reply_to_mail", FaultKind.RATE_LIMIT, mail_id="EML-8522")
        found += [
            one(_mail(21, "Export hangs", "Passed on by phone.", **sent)),
            one(_mail(22, "Filter is lost", "After each reload."), faults=[slow]),
        ]
    if choice["failure"] == "fallback":
        who = "elin.vasquez@example.com"
        down = _fault("tracker:create_issue", FaultKind.PERMANENT, assignee=who)
        found += [
            one(_mail(31, "Tables overlap", "On the print view."), engineer=guest),
            one(_mail(32, "Menu flickers", "In dark mode."), engineer=who, faults=[down]),
        ]
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_lookup = choice["destination"] == "lookup"
    return Draft(
        title="Take in a bug report from the support mailbox",
        purpose="Support runs this for each mail that reports a bug, so that every report can be "
        "followed up and every sender knows under which number.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("The mail gateway starts the run once the mail lies in the mailbox.",),
        resources=(TABLE if is_lookup else PROJECT,),
        templates=(RECEIPT, AGAIN) if choice["known"] != "none" else (RECEIPT,),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="bug-report-intake",
    axes={
        "destination": ("fixed", "lookup"),
        "failure": ("none", "fallback"),
        "answer": ("plain", "guarded"),
        "known": ("none", "comment"),
    },
    build=build,
    picks=(
        {"destination": "lookup", "failure": "none", "answer": "plain", "known": "none"},
        {"destination": "fixed", "failure": "fallback", "answer": "guarded", "known": "none"},
        {"destination": "lookup", "failure": "none", "answer": "guarded", "known": "comment"},
    ),
)
