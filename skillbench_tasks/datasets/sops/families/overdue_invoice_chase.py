"""Overdue invoices of one customer: remind, or hand on what has been reminded often enough."""

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
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL = Resource(name="#finance-ops", kind="chat channel", id="CHN-302")
REMINDER = Template(
    name="payment reminder",
    text="Invoice {invoice id} over {amount of the invoice} {currency} was due on "
    "{due date}. Please pay it.",
)
HANDED_ON = Template(name="collection note", text="Invoice {invoice id} goes to collection.")
NOT_SENT = Template(name="failed reminder note", text="Reminding {invoice id} failed.")


def _reminding(choice: Choice) -> list[NodeData]:
    send = call(
        "remind",
        "mail:send_mail",
        to=["${invoice.billing_email}"],
        subject="Payment reminder",
        body="Invoice ${invoice.invoice_id} over ${invoice.amount} ${invoice.currency} was due on "
        "${invoice.due_on}. Please pay it.",
    )
    level = call(
        "level",
        "finance:update_invoice",
        invoice_id="${invoice.invoice_id}",
        reminder_level=rule({"+": [{"var": "invoice.reminder_level"}, 1]}),
    )
    count = put("count", "sent", rule({"+": [{"var": "sent"}, 1]}))
    if choice["guard"] == "none":
        return [send, level, count]
    note = call(
        "note",
        "chat:post_message",
        channel_id=CHANNEL.id,
        text="Reminding ${invoice.invoice_id} failed.",
    )
    return [attempt("guard", [send, level, count], [note])]


def _program(choice: Choice) -> dict[str, Any]:
    hand_on = [
        call(
            "collect",
            "finance:update_invoice",
            invoice_id="${invoice.invoice_id}",
            note="Handed on to collection.",
        ),
        call(
            "tell",
            "chat:post_message",
            channel_id=CHANNEL.id,
            text="Invoice ${invoice.invoice_id} goes to collection.",
        ),
    ]
    worn_out = {">=": [{"var": "invoice.reminder_level"}, 3]}
    steps = [
        put("start", "sent", 0),
        call(
            "find",
            "finance:find_invoices",
            account_id="${inputs.account_id}",
            status="overdue",
        ),
        each(
            "chase",
            "${find.invoices}",
            "invoice",
            [when("worn_out", worn_out, hand_on, _reminding(choice))],
        ),
        result("end", reminders_sent="${sent}"),
    ]
    return program(
        {"account_id": {"type": "string", "description": "The customer's account."}},
        steps,
        {"reminders_sent": {"type": "integer"}},
    )


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    found = [
        Sentence(
            "Only the account given as `account_id` is looked at: all its invoices in the status "
            "“overdue”, one after the other.",
            ("input:account_id", "call:find", "each:chase"),
        ),
        Sentence(
            "An invoice that has reached reminder level 3 gets no further reminder: it is handed "
            "on to collection. Every other one is reminded.",
            ("if:worn_out",),
        ),
        Sentence(
            "Reminding means an e-mail to the invoice's billing address, with the subject "
            "“Payment reminder” and the payment reminder as its body.",
            ("call:remind",),
        ),
        Sentence(
            "The reminder level of an invoice goes up by one, and not before the e-mail for it "
            "has been sent.",
            ("call:level", "order:remind<level"),
        ),
        Sentence(
            "Handing on means that the invoice gets the note “Handed on to collection.”",
            ("call:collect",),
        ),
        Sentence(
            "As soon as an invoice has its note, #finance-ops is told of each invoice handed on, "
            "with the collection note.",
            ("call:tell", "order:collect<tell"),
        ),
        Sentence(
            "The run returns `reminders_sent`: how many invoices were reminded with success, "
            "counted after their reminder level was raised.",
            ("return:end", "set:count"),
        ),
    ]
    if choice["guard"] != "none":
        found.append(
            Sentence(
                "If a step of reminding fails, the rest of it is left out for that invoice, "
                "#finance-ops gets the failed reminder note for it, and the run goes on with the "
                "next.",
                ("try:guard", "call:note"),
            )
        )
    return tuple(found)


def _invoice(number: int, level: int, due_on: str, **more: Any) -> Record:
    return {
        "invoice_id": f"INV-8{number}",
        "account_id": "ACC-403",
        "billing_email": f"pay{number}@copperline.example.org",
        "amount": 100 * number,
        "paid_amount": 0,
        "currency": "USD",
        "issued_on": "2026-01-05",
        "due_on": due_on,
        "status": "overdue",
        "reminder_level": level,
        "note": None,
        "updated_at": "2026-01-05T08:00:00",
        **more,
    }


def _variant(*invoices: Record, faults: Sequence[Fault] = ()) -> VariantDraft:
    account_id = invoices[0]["account_id"]
    return VariantDraft({"account_id": account_id}, {"invoices": invoices}, tuple(faults))


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    late, later = "2026-02-20", "2026-03-01"
    payer = {"account_id": "ACC-401", "billing_email": "accounts@northgate.example.net"}
    northgate = {**payer, "currency": "EUR"}
    found = [
        _variant(_invoice(21, 0, "2026-04-10", status="sent")),
        _variant(_invoice(22, 1, late)),
        _variant(_invoice(23, 3, late)),
        _variant(_invoice(24, 2, late), _invoice(25, 3, later), _invoice(26, 0, later)),
        _variant(
            _invoice(27, 3, late, **northgate),
            _invoice(28, 0, late, **northgate, status="paid"),
            _invoice(29, 1, late, **northgate),
        ),
    ]
    if choice["guard"] != "none":
        lost = Fault(
            tool="mail:send_mail", kind=FaultKind.PERMANENT, where={"subject": "Payment reminder"}
        )
        lost = lost.model_copy(update={"tool": "mcp.mail:send_mail", "occurrences": (1,)})
        found.append(_variant(_invoice(31, 0, late), _invoice(32, 2, later), faults=[lost]))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    templates = [REMINDER, HANDED_ON]
    return Draft(
        title="Chase overdue invoices of a customer",
        purpose="Accounts receivable runs this for one customer at a time, so that late payments "
        "are asked for politely and nobody is reminded for ever.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("The mailbox that e-mails go out from is set up.",),
        resources=(CHANNEL,),
        templates=tuple(templates if choice["guard"] == "none" else [*templates, NOT_SENT]),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="overdue-invoice-chase",
    axes={"guard": ("none", "note")},
    build=build,
    picks=({"guard": "none"}, {"guard": "note"}),
)
