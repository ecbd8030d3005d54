"""Mails that dispute an invoice: the invoice goes on hold, the customer gets an answer."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.datasets.sops import nodes
from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

MAILBOX: Final = Resource(name="billing mailbox", kind="mailbox", id="billing@example.com")
CHANNEL: Final = Resource(name="#finance-ops", kind="chat channel", id="CHN-302")
PROJECT: Final = Resource(name="Finance", kind="project of the issue tracker", id="FIN")
CLERK: Final = Resource(name="Billing Specialist", kind="employee", id="rafael.moreau@example.com")
NOTE: Final = Template(name="dispute note", text="Disputed by mail {mail id}.")
HOLD: Final = Template(
    name="hold answer",
    text="Invoice {invoice id} over {amount} {currency} is on hold until we have looked into it.",
)
CLOSED: Final = Template(
    name="closed answer",
    text="Invoice {invoice id} is {status} in our books and cannot be put on hold.",
)
UNNAMED: Final = Template(
    name="number answer", text="Please send us the number of the one invoice that you dispute."
)
TITLE: Final = Template(name="ticket title", text="Look into the dispute of {invoice id}")
MESSAGE: Final = Template(name="dispute message", text="Invoice {invoice id} is disputed.")
DAY: Final = {"type": "string", "description": "First day of mails to look at, YYYY-MM-DD."}
OPEN: Final = ["sent", "overdue"]


def _is_inbox(choice: Choice) -> bool:
    return choice["source"] == "inbox"


def _mail_id(choice: Choice) -> str:
    return "${mail.mail_id}" if _is_inbox(choice) else "${inputs.mail_id}"


def _invoice_id(choice: Choice) -> str:
    return "${named.0.invoice_id}" if _is_inbox(choice) else "${inputs.invoice_id}"


def _answer(choice: Choice, label: str, body: str) -> list[nodes.NodeData]:
    answer = nodes.call(label, "mail:reply_to_mail", mail_id=_mail_id(choice), body=body)
    if _is_inbox(choice):
        return [answer]
    return [answer, nodes.put(f"{label}id", "answer_id", f"${{{label}.mail_id}}")]


def _hold(choice: Choice) -> list[nodes.NodeData]:
    """Return the steps for a dispute that is accepted."""
    invoice_id = _invoice_id(choice)
    note = f"Disputed by mail {_mail_id(choice)}."
    values = {"invoice_id": invoice_id, "status": "disputed", "note": note}
    steps = [nodes.call("dispute", "finance:update_invoice", **values)]
    if choice["case"] == "ticket":
        steps.append(
            nodes.call(
                "ticket",
                "tracker:create_issue",
                project=PROJECT.id,
                issue_type="task",
                summary=f"Look into the dispute of {invoice_id}",
                assignee=CLERK.id,
            )
        )
    if choice["tell"] == "channel":
        text = f"Invoice {invoice_id} is disputed."
        steps.append(nodes.call("tell", "chat:post_message", channel_id=CHANNEL.id, text=text))
    hold = "Invoice ${dispute.invoice_id} over ${dispute.amount} ${dispute.currency} is on hold "
    steps += _answer(choice, "hold", f"{hold}until we have looked into it.")
    count = nodes.put("count", "disputed", nodes.rule({"+": [{"var": "disputed"}, 1]}))
    return [*steps, count] if _is_inbox(choice) else steps


def _checked(choice: Choice) -> list[nodes.NodeData]:
    """Return the steps for one invoice, with its status looked at where that is asked for."""
    if choice["check"] == "none":
        return _hold(choice)
    one = "named.0" if _is_inbox(choice) else "inv.invoices.0"
    text = f"Invoice {_invoice_id(choice)} is ${{{one}.status}} in our books and cannot be put on "
    is_open = {"in": [{"var": f"{one}.status"}, OPEN]}
    closed = _answer(choice, "closed", f"{text}hold.")
    return [nodes.when("payable", is_open, _hold(choice), closed)]


def _mark(choice: Choice) -> nodes.NodeData:
    return nodes.call("mark", "mail:label_mail", mail_id=_mail_id(choice), label="dispute")


def _single(choice: Choice) -> dict[str, Any]:
    steps = [nodes.put("start", "answer_id", "")]
    if choice["check"] == "status":
        invoice_id = "${inputs.invoice_id}"
        steps.append(nodes.call("inv", "finance:find_invoices", invoice_id=invoice_id))
    steps += [*_checked(choice), _mark(choice), nodes.result("end", answer_id="${answer_id}")]
    inputs = {
        "mail_id": {"type": "string", "description": "The mail that came in."},
        "invoice_id": {"type": "string", "description": "The invoice that it disputes."},
    }
    return nodes.program(inputs, steps, {"answer_id": {"type": "string"}})


def _inbox(choice: Choice) -> dict[str, Any]:
    is_named: dict[str, Any] = {"in": [{"var": "item.invoice_id"}, {"var": "mail.subject"}]}
    if choice["check"] == "none":
        is_named = {"and": [{"in": [{"var": "item.status"}, OPEN]}, is_named]}
    named = nodes.rule({"filter": [{"var": "inv.invoices"}, is_named]})
    is_one = {"==": [{"length": {"var": "named"}}, 1]}
    body = [
        nodes.put("match", "named", named),
        nodes.when("single", is_one, _checked(choice), _answer(choice, "unnamed", UNNAMED.text)),
        _mark(choice),
    ]
    steps = [
        nodes.put("start", "disputed", 0),
        nodes.call(
            "mails",
            "mail:find_mails",
            mailbox=MAILBOX.id,
            direction="received",
            subject_contains="dispute",
            is_read=False,
            sent_from="${inputs.since}",
        ),
        nodes.call("inv", "finance:find_invoices"),
        nodes.each("work", "${mails.mails}", "mail", body),
        nodes.result("end", disputed="${disputed}"),
    ]
    return nodes.program({"since": DAY}, steps, {"disputed": {"type": "integer"}})


def _hold_sentences(choice: Choice) -> list[Sentence]:
    last = "dispute"
    found = [
        Sentence(
            "Putting an invoice on hold means one change to it in finance: the status “disputed” "
            "together with the dispute note as its note.",
            ("call:dispute",),
        )
    ]
    if choice["case"] == "ticket":
        found.append(
            Sentence(
                "For every invoice that was put on hold, and not before that, a new issue of the "
                "type “task” is opened in the Finance project of the issue tracker, with the "
                "ticket title as its summary and assigned to the Billing Specialist.",
                ("call:ticket", "order:dispute<ticket"),
            )
        )
        last = "ticket"
    if choice["tell"] == "channel":
        steps = {"dispute": "the invoice is on hold", "ticket": "the issue is opened"}
        found.append(
            Sentence(
                "#finance-ops gets the dispute message for every invoice that was put on hold, "
                f"after {steps[last]}.",
                ("call:tell", f"order:{last}<tell"),
            )
        )
    return found


def _answer_sentence(choice: Choice) -> Sentence:
    before = "tell" if choice["tell"] == "channel" else "ticket"
    has_order = choice["tell"] == "channel" or choice["case"] == "ticket"
    words = {"tell": " and once #finance-ops knows", "ticket": " and once the issue is opened"}
    return Sentence(
        "The customer who disputes an invoice that was put on hold gets the hold answer as the "
        "reply to the mail, with the amount and the currency of the invoice, after the invoice "
        f"was changed in finance{words[before] if has_order else ''}.",
        ("call:hold", *((f"order:{before}<hold",) if has_order else ())),
    )


def _single_sentences(choice: Choice) -> list[Sentence]:
    is_checked = choice["check"] == "status"
    found = [
        Sentence(
            "Each run deals with one mail that came in, given as `mail_id`, and the one invoice "
            "that it disputes, given as `invoice_id`"
            + ("." if is_checked else "; the invoice is put on hold without being read before."),
            ("input:mail_id", "input:invoice_id"),
        ),
        Sentence(
            "The mail is labelled “dispute”, which also marks it as read, as the last step, after "
            "the answer went out.",
            ("call:mark", "order:payable<mark" if is_checked else "order:hold<mark"),
        ),
        Sentence(
            "The run returns the id of the answer that was sent as `answer_id`.", ("return:end",)
        ),
    ]
    if not is_checked:
        return found
    return [
        *found,
        Sentence(
            "The invoice is read from finance first. In the status “sent” or “overdue” it is put "
            "on hold; in any other status nothing is changed in finance and only the sender of the "
            "mail is told.",
            ("call:inv", "if:payable"),
        ),
        Sentence(
            "When the invoice cannot be put on hold, the reply to the mail is the closed answer, "
            "with the status as finance has it.",
            ("call:closed",),
        ),
    ]


def _inbox_sentences(choice: Choice) -> list[Sentence]:
    is_checked = choice["check"] == "status"
    open_ones = "invoices" if is_checked else "invoices in the status “sent” or “overdue”"
    single = "the status of that one decides" if is_checked else "that one is put on hold"
    found = [
        Sentence(
            "The mails to work on are the unread ones that the billing mailbox received on or "
            "after `since` and whose subject contains “dispute”, in capitals or not. They are "
            "fetched once and worked through one after the other, in the order in which they came.",
            ("input:since", "call:mails", "each:work"),
        ),
        Sentence(
            "All invoices are read from finance exactly once, after the mails were fetched and "
            "before the first of them is worked on, also when there is no mail to work on. What is "
            "read there counts for every mail, even once the run has put an invoice on hold.",
            ("call:inv", "order:mails<inv"),
        ),
        Sentence(
            f"A mail is about those {open_ones} whose id occurs in its subject, written as in "
            f"finance. Where a mail is about exactly one of them, {single}; a mail about "
            "none, or about several, gets the number answer as its reply and leads to no change in "
            "finance.",
            ("set:match", "if:single", "call:unnamed"),
        ),
        Sentence(
            "Every mail that was worked on, whatever came of it, is labelled “dispute”, which also "
            "marks it as read, after it was answered and before the next mail.",
            ("call:mark", "order:single<mark"),
        ),
        Sentence(
            "The run returns `disputed`, the number of mails by which an invoice was put on hold.",
            ("return:end", "set:count"),
        ),
    ]
    if not is_checked:
        return found
    return [
        *found,
        Sentence(
            "Where a mail is about exactly one invoice, that invoice is put on hold if its status "
            "is “sent” or “overdue”. In any other status it stays as it is and the mail gets the "
            "closed answer as its reply, with that status.",
            ("if:payable", "call:closed"),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    own = _inbox_sentences(choice) if _is_inbox(choice) else _single_sentences(choice)
    return (*own, *_hold_sentences(choice), _answer_sentence(choice))


def _mail(number: int, subject: str, **more: Any) -> Record:
    return {
        "mail_id": f"EML-95{number}",
        "mailbox": MAILBOX.id,
        "direction": "received",
        "sender": f"payables{number}@customer.example.net",
        "to": [MAILBOX.id],
        "cc": [],
        "subject": subject,
        "body": "We do not agree with this invoice.",
        "labels": [],
        "is_read": False,
        "in_reply_to": None,
        "attachment_id": None,
        "sent_at": f"2026-03-14T08:{number}:00",
        **more,
    }


def _invoice(number: int, **more: Any) -> Record:
    return {
        "invoice_id": f"INV-86{number}",
        "account_id": "ACC-403",
        "billing_email": "accounts@copperline.example.net",
        "amount": 1250.5,
        "paid_amount": 0,
        "currency": "USD",
        "issued_on": "2026-02-05",
        "due_on": "2026-03-07",
        "status": "overdue",
        "reminder_level": 1,
        "note": None,
        "updated_at": "2026-02-05T08:00:00",
        **more,
    }


def _single_variants(choice: Choice) -> tuple[VariantDraft, ...]:
    read = {"labels": ["dispute"], "is_read": True}
    pairs = [
        (_mail(11, "About INV-803"), "INV-803", ()),
        (_mail(12, "Wrong price", mailbox="support@example.com"), "INV-802", ()),
        (_mail(13, "Still waiting", **read), "INV-8613", (_invoice(13, note="Asked in May"),)),
        (_mail(14, "INV-802 is fine", labels=["vip"]), "INV-8614", (_invoice(14, status="sent"),)),
        (_mail(15, "Part is paid"), "INV-8615", (_invoice(15, paid_amount=1000),)),
    ]
    if choice["check"] == "status":
        pairs += [
            (_mail(16, "Refund please"), "INV-801", ()),
            (_mail(17, "Again"), "INV-8617", (_invoice(17, status="disputed"),)),
        ]
    return tuple(
        VariantDraft({"mail_id": mail["mail_id"], "invoice_id": one}, _state(mail, *invoices))
        for mail, one, invoices in pairs
    )


def _state(mail: Record, *invoices: Record) -> dict[str, tuple[Record, ...]]:
    return {"mails": (mail,), "invoices": invoices}


def _inbox_variants() -> tuple[VariantDraft, ...]:
    def variant(since: str, *mails: Record, invoices: tuple[Record, ...] = ()) -> VariantDraft:
        return VariantDraft({"since": since}, {"mails": mails, "invoices": invoices})

    done = {"is_read": True, "labels": ["dispute"]}
    return (
        variant(
            "2026-03-14",
            _mail(21, "Dispute INV-803", sent_at="2026-03-13T23:10:00"),
            _mail(22, "Dispute INV-804", **done),
        ),
        variant("2026-03-14", _mail(23, "We dispute INV-803")),
        variant("2026-03-13", _mail(24, "Dispute of INV-801")),
        variant(
            "2026-03-10",
            _mail(25, "DISPUTE: INV-802"),
            _mail(26, "Dispute of your last invoice"),
            _mail(27, "Dispute INV-8627"),
            invoices=(_invoice(27),),
        ),
        variant(
            "2026-03-14",
            _mail(28, "Dispute of INV-802 and INV-804"),
            _mail(29, "Dispute of INV-8629", mailbox="support@example.com"),
            _mail(30, "Disputed already: INV-8630"),
            _mail(31, "INV-805, dispute"),
            invoices=(_invoice(29), _invoice(30, status="disputed")),
        ),
    )


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    inbox, is_checked = _is_inbox(choice), choice["check"] == "status"
    context = "There are no more than 50 invoices, and no invoice id is a part of another."
    if not inbox:
        state = "" if is_checked else "; the invoice is neither paid nor void"
        context = f"Mail and invoice always exist{state}."
    resources = [MAILBOX] if inbox else []
    resources += [PROJECT, CLERK] if choice["case"] == "ticket" else []
    resources += [CHANNEL] if choice["tell"] == "channel" else []
    templates = [NOTE, HOLD, *([CLOSED] if is_checked else []), *([UNNAMED] if inbox else [])]
    templates += [TITLE] if choice["case"] == "ticket" else []
    templates += [MESSAGE] if choice["tell"] == "channel" else []
    return Draft(
        title="Take in disputes from the billing mailbox" if inbox else "Take in a dispute",
        purpose="Customers dispute invoices by mail. Billing wants the invoice on hold and the "
        "customer answered before anybody sends the next reminder.",
        program=_inbox(choice) if inbox else _single(choice),
        sentences=_sentences(choice),
        context=(context,),
        resources=tuple(resources),
        templates=tuple(templates),
        variants=_inbox_variants() if inbox else _single_variants(choice),
    )


FAMILY = Family(
    name="invoice-dispute-intake",
    axes={
        "source": ("single", "inbox"),
        "case": ("none", "ticket"),
        "check": ("none", "status"),
        "tell": ("none", "channel"),
    },
    build=build,
    picks=(
        {"source": "single", "case": "none", "check": "none", "tell": "none"},
        {"source": "inbox", "case": "none", "check": "status", "tell": "none"},
    ),
)
