"""Mails of a shared mailbox: labels by what they are about or who sent them, and an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

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
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

VENDORS = Resource(
    name="Vendor list",
    kind="spreadsheet",
    id="SHT-701",
    detail="columns vendor, email, status, limit; no address stands in it twice",
)
RECEIPT = Template(
    name="receipt", text="Thank you for your mail: {subject}. We answer within one working day."
)
HINT = Template(name="hint", text="{sender} wrote to us: {subject}. Please answer this mail.")


def _is_inbox(choice: Choice) -> bool:
    return choice["scope"] == "inbox"


def _is_linear(choice: Choice) -> bool:
    return (choice["scope"], choice["sorting"], choice["guard"]) == ("mail", "none", "none")


def _path(choice: Choice, field: str) -> str:
    return f"mail.{field}" if _is_inbox(choice) else f"inputs.{field}"


def _marking(choice: Choice, node: str, tag: str, *, is_read: bool = False) -> list[NodeData]:
    """Return the nodes that label the mail, and keep the label in mind where it is returned."""
    mail_id = f"${{{_path(choice, 'mail_id')}}}"
    mark = call(node, "mail:label_mail", mail_id=mail_id, mark_read=is_read)
    mark["arguments"]["label"] = tag  # `call` has a parameter of that name
    if _is_inbox(choice) or _is_linear(choice):
        return [mark]
    return [mark, put(f"{node}_said", "label", tag)]


def _answering(choice: Choice, tag: str) -> list[NodeData]:
    """Return what is done with a mail that is answered or passed on."""
    subject, sender = (f"${{{_path(choice, field)}}}" for field in ("subject", "sender"))
    if choice["answer"] == "reply":
        answer = call(
            "answer",
            "mail:reply_to_mail",
            mail_id=f"${{{_path(choice, 'mail_id')}}}",
            body=f"Thank you for your mail: {subject}. We answer within one working day.",
        )
    else:
        answer = call(
            "answer",
            "mail:send_mail",
            to=["${inputs.owner_email}"],
            subject=f"For you: {subject}",
            body=f"{sender} wrote to us: {subject}. Please answer this mail.",
        )
    done = [answer, *_marking(choice, "mark", tag, is_read=_is_inbox(choice))]
    if _is_inbox(choice):
        done.append(put("count", "answered", rule({"+": [{"var": "answered"}, 1]})))
    if choice["guard"] == "none":
        return done
    return [attempt("guard", done, _marking(choice, "miss", "unanswered"))]


def _sorting(choice: Choice) -> list[NodeData]:
    if choice["sorting"] == "none":
        return _answering(choice, "acknowledged")
    if choice["sorting"] == "words":
        subject = {"lower": [{"var": _path(choice, "subject")}]}
        billing = _marking(choice, "bill", "billing")
        general = _marking(choice, "rest", "general")
        about_money = when("money", {"in": ["invoice", subject]}, billing, general)
        is_urgent = {"in": ["urgent", subject]}
        return [when("pressing", is_urgent, _answering(choice, "urgent"), [about_money])]
    is_approved = {"==": [{"var": "vendor.rows.0.values.status"}, "approved"]}
    return [
        call(
            "vendor",
            "sheets:find_rows",
            sheet_id=VENDORS.id,
            column="email",
            equals=f"${{{_path(choice, 'sender')}}}",
        ),
        when(
            "listed",
            {">": [{"var": "vendor.count"}, 0]},
            [
                when(
                    "approved",
                    is_approved,
                    _answering(choice, "vendor"),
                    _marking(choice, "hold", "on_hold"),
                )
            ],
            _marking(choice, "rest", "unknown_sender"),
        ),
    ]


def _inputs(choice: Choice) -> dict[str, Any]:
    found = {"mailbox": "Address of the shared mailbox."}
    if not _is_inbox(choice):
        found = {"mail_id": "The mail.", "subject": "Its subject."}
        if choice["sorting"] == "vendors" or choice["answer"] == "forward":
            found["sender"] = "Address of its sender."
    if choice["answer"] == "forward":
        found["owner_email"] = "Who looks after the mailbox."
    return {name: {"type": "string", "description": text} for name, text in found.items()}


def _program(choice: Choice) -> dict[str, Any]:
    inputs = _inputs(choice)
    if _is_inbox(choice):
        steps = [
            put("nothing", "answered", 0),
            call("found", "mail:find_mails", mailbox="${inputs.mailbox}", is_read=False),
            each("sort", "${found.mails}", "mail", _sorting(choice)),
            result("end", answered="${answered}"),
        ]
        return program(inputs, steps, {"answered": {"type": "integer"}})
    if _is_linear(choice):
        steps = [*_sorting(choice), result("end", answer_id="${answer.mail_id}")]
        return program(inputs, steps, {"answer_id": {"type": "string"}})
    steps = [put("blank", "label", ""), *_sorting(choice), result("end", label="${label}")]
    return program(inputs, steps, {"label": {"type": "string"}})


def _scope_sentences(choice: Choice) -> list[Sentence]:
    act = "answered" if choice["answer"] == "reply" else "passed on"
    marked = "" if choice["guard"] == "none" else " and then got their label"
    if _is_inbox(choice):
        return [
            Sentence(
                "The run goes through the mails that came into the mailbox given as `mailbox` and "
                "have not been read, one after the other, in the order in which they came.",
                ("input:mailbox", "call:found", "each:sort"),
            ),
            Sentence(
                f"The run returns `answered`: how many mails were {act}{marked}; it may be 0.",
                ("return:end", "set:count"),
            ),
        ]
    names = [name for name in _inputs(choice) if name != "owner_email"]
    given = ", ".join(f"its {name} as `{name}`" for name in names[1:])
    found = [
        Sentence(
            f"One mail that lies in a shared mailbox is given: its id as `mail_id`, {given}; it is "
            "not looked up in the mailbox.",
            tuple(f"input:{name}" for name in names),
        )
    ]
    if _is_linear(choice):
        what = "the answer" if choice["answer"] == "reply" else "the mail by which it was passed on"
        end = f"The run returns `answer_id`, the id of {what}."
        return [*found, Sentence(end, ("return:end",))]
    said = Sentence(
        "The run returns the label that the mail got in this run as `label`.", ("return:end",)
    )
    return [*found, said]


def _said(choice: Choice, node: str) -> tuple[str, ...]:
    """Return what a sentence on a label covers."""
    is_kept = not (_is_inbox(choice) or _is_linear(choice))
    return (f"call:{node}", *((f"set:{node}_said",) if is_kept else ()))


def _answer_sentences(choice: Choice, tag: str) -> list[Sentence]:
    covers = ["call:answer"]
    done, act, way = "answered", "Answering a mail", "replying to it, with the receipt as the text."
    if choice["answer"] == "forward":
        covers.append("input:owner_email")
        done, act = "passed on", "Passing a mail on"
        way = (
            "sending a new mail to the person whose address is given as `owner_email`, with the "
            "hint as its text; its subject is “For you:” followed by a space and the subject of "
            "the mail."
        )
    which = "Every mail that the run goes through" if _is_inbox(choice) else "The mail"
    lead = f"{which} is {done}, which" if choice["sorting"] == "none" else act
    text = f"{lead} means {way}"
    read = "is marked as read" if _is_inbox(choice) else "is not marked as read"
    subject = f"For you: ${{{_path(choice, 'subject')}}}"
    found = [
        Sentence(text, tuple(covers), {subject: "“For you:” followed by"}),
        Sentence(
            f"After a mail has been {done}, and not before, it gets the label “{tag}”, and it "
            f"{read}.",
            (*_said(choice, "mark"), "order:answer<mark"),
        ),
    ]
    if choice["guard"] == "none":
        return found
    how = "a reply cannot be sent" if choice["answer"] == "reply" else "a mail cannot be passed on"
    on = " The run goes on with the next mail." if _is_inbox(choice) else ""
    return [
        *found,
        Sentence(
            f"If {how}, whatever the reason, the mail does not get the label “{tag}” but the label "
            f"“unanswered”, and it is not marked as read; nothing is tried again.{on}",
            ("try:guard", *_said(choice, "miss")),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    act = "answered" if choice["answer"] == "reply" else "passed on"
    tag = {"none": "acknowledged", "words": "urgent", "vendors": "vendor"}[choice["sorting"]]
    found = [*_scope_sentences(choice), *_answer_sentences(choice, tag)]
    if choice["sorting"] == "none" and (_is_inbox(choice) or choice["guard"] != "none"):
        return tuple(found)
    if choice["sorting"] == "words":
        found += [
            Sentence(
                f"A mail whose subject contains “urgent” is {act}, whatever else its subject "
                "says; a mail whose subject does not contain it is only labelled. Upper and lower "
                "case are the same.",
                ("if:pressing",),
            ),
            Sentence(
                "A mail whose subject does not contain “urgent” gets the label “billing” if its "
                "subject contains “invoice”, upper and lower case alike, and otherwise the label "
                "“general”; either way it is not marked as read.",
                ("if:money", *_said(choice, "bill"), *_said(choice, "rest")),
            ),
        ]
    return (*found, *(_vendor_sentences(choice, act) if choice["sorting"] == "vendors" else ()))


def _vendor_sentences(choice: Choice, act: str) -> tuple[Sentence, ...]:
    is_many = _is_inbox(choice)
    who = "For every mail anew, its sender" if is_many else "The sender of the mail"
    return (
        Sentence(
            f"{who} is looked up in the Vendor list: the row that holds exactly the sender's "
            "address in the column “email”.",
            ("call:vendor",),
        ),
        Sentence(
            "A sender who is in the Vendor list is a vendor; any other sender is unknown.",
            ("if:listed",),
        ),
        Sentence(
            "A mail from an unknown sender only gets the label “unknown_sender”; it is not "
            "marked as read.",
            _said(choice, "rest"),
        ),
        Sentence(
            f"A mail from a vendor whose status in the list is “approved” is {act}; with any "
            "other status it is not.",
            ("if:approved",),
        ),
        Sentence(
            "A mail from a vendor who is not approved only gets the label “on_hold”; it is not "
            "marked as read.",
            _said(choice, "hold"),
        ),
    )


def _mail(number: int, subject: str, sender: str = "kim@veldt.example.org", **more: Any) -> Record:
    return {
        "mail_id": f"EML-86{number}",
        "mailbox": "desk@example.com",
        "direction": "received",
        "sender": sender,
        "to": ["desk@example.com"],
        "cc": [],
        "subject": subject,
        "body": "See the subject.",
        "labels": [],
        "is_read": False,
        "in_reply_to": None,
        "attachment_id": None,
        "sent_at": f"2026-03-15T08:{number}:00",
        **more,
    }


_PAPER: Final = "sales@ashby.example.net"
_TOOLS: Final = "orders@torvik.example.org"
_PRINT: Final = "hello@mellow.example.net"


def _variant(choice: Choice, mails: Sequence[Record], faults: Sequence[Fault] = ()) -> VariantDraft:
    """Return a run on the mailbox, or on the first of the mails."""
    first = mails[0]
    values = {
        "mailbox": first["mailbox"],
        "mail_id": first["mail_id"],
        "subject": first["subject"],
        "sender": first["sender"],
        "owner_email": "wen.castellan@example.com",
    }
    inputs = {name: values[name] for name in _inputs(choice)}
    return VariantDraft(inputs, {"mails": tuple(mails)}, tuple(faults))


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    is_read: dict[str, Any] = {"is_read": True, "labels": ["seen"]}
    sent: dict[str, Any] = {"direction": "sent", "sender": "desk@example.com", "to": [_PAPER]}
    own = _mail(50, "URGENT: delivery", **sent)
    listed = [
        [_mail(11, "Urgent question", _PAPER, **is_read), own],
        [_mail(12, "Your invoice 77 is URGENT", _TOOLS)],
        [
            _mail(13, "Copy of the Invoice", _PRINT),
            _mail(14, "Opening hours"),
            _mail(15, "Urgently needed: keys", _PAPER, labels=["vip"]),
            own,
        ],
        [_mail(16, "Greetings", "Sales@Ashby.example.net"), _mail(17, "URGENT", **is_read)],
        [
            _mail(18, "urgent: no power", _PAPER, mailbox="office@example.com"),
            _mail(19, "Invoice", _TOOLS, mailbox="office@example.com"),
            _mail(20, "urgent: door", _TOOLS),
        ],
        [_mail(21, "Samples", _PRINT)],
    ]
    found = [_variant(choice, mails) for mails in listed]
    if choice["guard"] != "none":
        tool = "mail:reply_to_mail" if choice["answer"] == "reply" else "mail:send_mail"
        lost = Fault(tool=f"mcp.{tool}", kind=FaultKind.PERMANENT, occurrences=(1,))
        mails = [_mail(31, "Urgent: water", _PAPER), _mail(32, "Very urgent", _TOOLS)]
        found.append(_variant(choice, mails, [lost]))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_inbox = _is_inbox(choice)
    few = ("No mailbox has more than 50 mails that have not been read.",) if is_inbox else ()
    title = "Sort the mails of a shared mailbox" if is_inbox else "Take a mail in hand"
    when_ = "every hour for each shared mailbox" if is_inbox else "for a mail that was picked"
    return Draft(
        title=title,
        purpose=f"The office runs this {when_}, so that no sender waits without a word.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("A shared mailbox holds what came in and what went out from it.", *few),
        resources=(VENDORS,) if choice["sorting"] == "vendors" else (),
        templates=(RECEIPT,) if choice["answer"] == "reply" else (HINT,),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="shared-inbox-sorting",
    axes={
        "scope": ("inbox", "mail"),
        "sorting": ("none", "words", "vendors"),
        "answer": ("reply", "forward"),
        "guard": ("none", "label"),
    },
    build=build,
    picks=(
        {"scope": "inbox", "sorting": "words", "answer": "reply", "guard": "none"},
        {"scope": "mail", "sorting": "none", "answer": "reply", "guard": "none"},
        {"scope": "inbox", "sorting": "vendors", "answer": "forward", "guard": "label"},
    ),
)
