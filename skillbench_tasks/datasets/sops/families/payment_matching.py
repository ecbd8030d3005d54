"""One incoming payment: found by its bank reference and put against an invoice."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.datasets.sops import nodes
from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL: Final = Resource(name="#finance-ops", kind="chat channel", id="CHN-302")
SETTLED: Final = Template(name="settled note", text="Settled by {payment id}.")
PART: Final = Template(
    name="part payment note", text="{payment id} covers {amount} {currency} of it."
)
TOLD: Final = Template(name="settlement message", text="{payment id} settles {invoice id}.")
NOT_SETTLED: Final = Template(
    name="failure message", text="{payment id} could not be put against {invoice id}."
)
FIELDS: Final = {"amount": "amount", "paid_amount": "paid_amount"}
COVERING: Final = Sentence(
    "The invoice is settled when the amount of the payment is at least what is owed on the "
    "invoice, `amount` less `paid_amount`. A smaller payment is a part payment.",
    ("if:covers",),
    FIELDS,
)
PAYMENT: Final = "pay.payments.0"
OWED: Final = {"-": [{"var": "item.amount"}, {"var": "item.paid_amount"}]}
PAID_IN: Final = {"var": f"{PAYMENT}.amount"}


def _settle(choice: Choice, invoice_id: str) -> list[nodes.NodeData]:
    settle = nodes.call(
        "settle",
        "finance:update_invoice",
        invoice_id=invoice_id,
        status="paid",
        note=f"Settled by ${{{PAYMENT}.payment_id}}.",
    )
    end = nodes.result("settled", outcome="settled")
    if choice["guard"] == "none":
        return [settle, end]
    text = f"${{{PAYMENT}.payment_id}} settles {invoice_id}."
    lost = f"${{{PAYMENT}.payment_id}} could not be put against {invoice_id}."
    tell = nodes.call("tell", "chat:post_message", channel_id=CHANNEL.id, text=text)
    warn = nodes.call("warn", "chat:post_message", channel_id=CHANNEL.id, text=lost)
    failed = nodes.result("failed", outcome="failed")
    return [nodes.attempt("guard", [settle, tell, end], [warn, failed])]


def _part(choice: Choice, invoice_id: str) -> list[nodes.NodeData]:
    end = nodes.result("part", outcome="part")
    if choice["shortfall"] == "leave":
        return [end]
    words = f"${{{PAYMENT}.payment_id}} covers ${{{PAYMENT}.amount}} ${{{PAYMENT}.currency}} of it."
    note = nodes.call("note", "finance:update_invoice", invoice_id=invoice_id, note=words)
    return [note, end]


def _among_open(label: str, condition: dict[str, Any]) -> nodes.NodeData:
    return nodes.put(label, label, nodes.rule({"filter": [{"var": "payable"}, condition]}))


def _is_one(name: str) -> dict[str, Any]:
    return {"==": [{"length": {"var": name}}, 1]}


def _by_amount(choice: Choice) -> list[nodes.NodeData]:
    none = [nodes.result("unmatched", outcome="no_match")]
    if choice["shortfall"] == "note":
        is_part = {"and": [{"==": [{"length": {"var": "equal"}}, 0]}, _is_one("larger")]}
        none = [
            _among_open("larger", {">": [OWED, PAID_IN]}),
            nodes.when("partly", is_part, _part(choice, "${larger.0.invoice_id}"), none),
        ]
    return [
        _among_open("equal", {"==": [OWED, PAID_IN]}),
        nodes.when("single", _is_one("equal"), _settle(choice, "${equal.0.invoice_id}"), none),
    ]


def _by_reference(choice: Choice) -> list[nodes.NodeData]:
    owed = {"-": [{"var": "named.0.amount"}, {"var": "named.0.paid_amount"}]}
    invoice_id = "${named.0.invoice_id}"
    covers = nodes.when(
        "covers", {">=": [PAID_IN, owed]}, _settle(choice, invoice_id), _part(choice, invoice_id)
    )
    is_named = {"in": [{"var": "item.invoice_id"}, {"var": f"{PAYMENT}.reference"}]}
    return [
        _among_open("named", is_named),
        nodes.when(
            "single", _is_one("named"), [covers], [nodes.result("unmatched", outcome="no_match")]
        ),
    ]


def _searched(choice: Choice) -> list[nodes.NodeData]:
    is_open = {"in": [{"var": "item.status"}, ["sent", "overdue"]]}
    account_id = f"${{{PAYMENT}.account_id}}"
    return [
        nodes.when(
            "unclear", {"!=": [{"var": "pay.count"}, 1]}, [nodes.result("left", outcome="unclear")]
        ),
        nodes.when(
            "matched",
            {"exists": f"{PAYMENT}.invoice_id"},
            [nodes.result("kept", outcome="matched_before")],
        ),
        nodes.call("inv", "finance:find_invoices", account_id=account_id),
        nodes.put("payable", "payable", nodes.rule({"filter": [{"var": "inv.invoices"}, is_open]})),
        *(_by_amount(choice) if choice["key"] == "amount" else _by_reference(choice)),
    ]


def _given(choice: Choice) -> list[nodes.NodeData]:
    invoice_id = "${inputs.invoice_id}"
    if choice["shortfall"] == "leave":
        return _settle(choice, invoice_id)
    one = "inv.invoices.0"
    owed = {"-": [{"var": f"{one}.amount"}, {"var": f"{one}.paid_amount"}]}
    covers = {">=": [PAID_IN, owed]}
    return [
        nodes.call("inv", "finance:find_invoices", invoice_id=invoice_id),
        nodes.when("covers", covers, _settle(choice, invoice_id), _part(choice, invoice_id)),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    reference = "${inputs.reference}"
    pay = nodes.call("pay", "finance:find_payments", reference=reference, kind="payment")
    inputs = {"reference": {"type": "string", "description": "Bank reference, to the letter."}}
    if choice["key"] == "given":
        inputs["invoice_id"] = {"type": "string", "description": "Invoice that it is for."}
    rest = _given(choice) if choice["key"] == "given" else _searched(choice)
    return nodes.program(inputs, [pay, *rest], {"outcome": {"type": "string"}})


def _searching() -> list[Sentence]:
    return [
        Sentence(
            "If finance has no such payment or more than one, nothing else is done and the run "
            "returns the `outcome` “unclear”.",
            ("if:unclear", "return:left"),
        ),
        Sentence(
            "A payment that names an invoice in its `invoice_id` already is left as it is: the "
            "run returns the `outcome` “matched_before” without reading any invoice.",
            ("if:matched", "return:kept"),
        ),
        Sentence(
            "The payment is compared with the invoices of its own account only; they are "
            "read from finance with one request. Only invoices in the status “sent” or “overdue” "
            "count; they are called open here.",
            ("call:inv", "set:payable"),
        ),
    ]


def _amount_sentences(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "A payment fits an open invoice when what is owed on it – `amount` less "
            "`paid_amount` – is exactly the amount of the payment. With exactly one invoice that "
            "fits, that invoice is settled; with several or none, no invoice is settled.",
            ("set:equal", "if:single"),
            FIELDS,
        )
    ]
    if choice["shortfall"] == "leave":
        text = "When no invoice is settled, the run returns the `outcome` “no_match”."
        return [*found, Sentence(text, ("return:unmatched",))]
    return [
        *found,
        Sentence(
            "When not a single open invoice fits and exactly one open invoice has more owed on it "
            "than the amount of the payment, the payment is taken as a part payment of that "
            "invoice. In every other case without an invoice to settle the run returns the "
            "`outcome` “no_match”.",
            ("set:larger", "if:partly", "return:unmatched"),
        ),
    ]


def _reference_sentences() -> list[Sentence]:
    return [
        Sentence(
            "The invoice is the open one whose `invoice_id` occurs in the text of the payment's "
            "`reference`. When that holds for no open invoice or for several, the run returns the "
            "`outcome` “no_match”.",
            ("set:named", "if:single", "return:unmatched"),
        ),
        COVERING,
    ]


def _settling(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "Settling an invoice means one change to it in finance: the status “paid” together "
            "with the settled note as its note. The run returns the `outcome` “settled” for it.",
            ("call:settle", "return:settled"),
        )
    ]
    if choice["guard"] == "none":
        return found
    return [
        *found,
        Sentence(
            "#finance-ops is told of every settled invoice with the settlement message, once the "
            "invoice is settled and not before.",
            ("call:tell", "order:settle<tell"),
        ),
        Sentence(
            "If finance does not let the invoice be settled, whatever the error is, #finance-ops "
            "gets the failure message in place of the settlement message, and the run returns "
            "the `outcome` “failed”. Nothing is tried a second time.",
            ("try:guard", "call:warn", "return:failed"),
        ),
    ]


def _parting(choice: Choice) -> list[Sentence]:
    if choice["shortfall"] == "leave" and choice["key"] != "reference":
        return []
    if choice["shortfall"] == "leave":
        text = "For a part payment nothing is changed; the run returns the `outcome` “part”."
        return [Sentence(text, ("return:part",))]
    return [
        Sentence(
            "For a part payment the invoice gets the part payment note as its note in finance and "
            "keeps its status; the amount and the currency in it are those of the payment. The "
            "run returns the `outcome` “part”.",
            ("call:note", "return:part"),
        )
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    text = "The run is given a bank reference as `reference`. Finance is searched for the booking "
    text += "of kind “payment” that has exactly this reference."
    found = [Sentence(text, ("input:reference", "call:pay"))]
    if choice["key"] == "given":
        found += _given_sentences(choice)
    else:
        is_amount = choice["key"] == "amount"
        found += _searching()
        found += _amount_sentences(choice) if is_amount else _reference_sentences()
    return (*found, *_settling(choice), *_parting(choice))


def _given_sentences(choice: Choice) -> list[Sentence]:
    if choice["shortfall"] == "leave":
        text = "The payment settles the invoice that is given as `invoice_id`, whatever the two "
        text += "amounts are; the invoice is not read before."
        return [Sentence(text, ("input:invoice_id",))]
    return [
        Sentence(
            "The invoice that the payment is for is given as `invoice_id` and is read from "
            "finance after the payment.",
            ("input:invoice_id", "call:inv", "order:pay<inv"),
        ),
        COVERING,
    ]


def _invoice(number: int, account_id: str, amount: float, **more: Any) -> Record:
    return {
        "invoice_id": f"INV-85{number}",
        "account_id": account_id,
        "billing_email": "payables@customer.example.net",
        "amount": amount,
        "paid_amount": 0,
        "currency": "USD",
        "issued_on": "2026-02-12",
        "due_on": "2026-03-14",
        "status": "overdue",
        "reminder_level": 0,
        "note": None,
        "updated_at": "2026-02-12T08:00:00",
        **more,
    }


def _payment(number: int, account_id: str, amount: float, reference: str) -> Record:
    return {
        "payment_id": f"PAY-84{number}",
        "invoice_id": None,
        "account_id": account_id,
        "kind": "payment",
        "amount": amount,
        "currency": "EUR" if account_id in ("ACC-401", "ACC-402") else "USD",
        "reference": reference,
        "refund_of": None,
        "refunded_amount": 0,
        "reason": None,
        "booked_on": "2026-03-13",
    }


def _variant(
    choice: Choice,
    invoice_id: str,
    payments: tuple[Record, ...],
    invoices: tuple[Record, ...] = (),
    *faults: Fault,
) -> VariantDraft:
    inputs = {"reference": str(payments[0]["reference"])}
    if choice["key"] == "given":
        inputs["invoice_id"] = invoice_id
    return VariantDraft(inputs, {"payments": payments, "invoices": invoices}, faults)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    twins = (
        _invoice(11, "ACC-403", 3000, note="Second half"),
        _invoice(12, "ACC-403", 5000, status="sent"),
    )
    begun = _invoice(13, "ACC-404", 2000, paid_amount=1500)
    found = [
        _variant(choice, "INV-802", (_payment(11, "ACC-401", 7000, "NORTHGATE INV-802"),)),
        _variant(choice, "INV-803", (_payment(12, "ACC-402", 2500, "PART OF INV-803"),)),
        _variant(
            choice, "INV-8511", (_payment(13, "ACC-403", 3000, "COPPERLINE INV-8511"),), twins
        ),
        _variant(
            choice, "INV-8513", (_payment(14, "ACC-404", 500, "BLUEFERN INV-8513"),), (begun,)
        ),
    ]
    return (*found, *(_given_more(choice) if choice["key"] == "given" else _more(choice)))


def _failed(choice: Choice) -> tuple[VariantDraft, ...]:
    if choice["guard"] == "none":
        return ()
    lost = Fault(tool="mcp.finance:update_invoice", kind=FaultKind.RATE_LIMIT)
    payment = _payment(19, "ACC-403", 3000, "COPPERLINE INV-804")
    return (_variant(choice, "INV-804", (payment,), (), lost),)


def _more(choice: Choice) -> tuple[VariantDraft, ...]:
    twice = "VELDT MARCH INV-803"
    payments = (_payment(15, "ACC-402", 10000, twice), _payment(16, "ACC-402", 10000, twice))
    before = {**_payment(17, "ACC-404", 3500, "BLUEFERN INV-805"), "invoice_id": "INV-805"}
    return (
        _variant(choice, "", payments),
        _variant(choice, "", (before,)),
        _variant(choice, "", (_payment(18, "ACC-406", 4250, "KESTREL INV-806"),)),
        *_failed(choice),
    )


def _given_more(choice: Choice) -> tuple[VariantDraft, ...]:
    disputed = _invoice(14, "ACC-406", 800, status="disputed")
    found = [
        _variant(choice, "INV-8514", (_payment(15, "ACC-406", 900, "KESTREL 14"),), (disputed,))
    ]
    if choice["guard"] == "none":
        return tuple(found)
    void = _variant(choice, "INV-807", (_payment(16, "ACC-407", 900, "ORRIN LATE"),))
    paid = _variant(choice, "INV-801", (_payment(17, "ACC-401", 7000, "NORTHGATE AGAIN"),))
    return (*found, void, paid, *_failed(choice))


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_given = choice["key"] == "given"
    context = ["An account has no more than 50 invoices, all in the currency of its bookings."]
    if is_given:
        context = ["Finance always has exactly one payment with the given reference."]
    is_guarded = choice["guard"] != "none"
    templates = (SETTLED, PART) if choice["shortfall"] == "note" else (SETTLED,)
    return Draft(
        title="Put a payment against its invoice" if is_given else "Match an incoming payment",
        purpose="Money that has come in is put against the invoice that it pays. Billing runs "
        "this for one bank reference at a time.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=tuple(context),
        resources=(CHANNEL,) if is_guarded else (),
        templates=(*templates, *((TOLD, NOT_SETTLED) if is_guarded else ())),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="payment-matching",
    axes={
        "key": ("amount", "reference", "given"),
        "shortfall": ("leave", "note"),
        "guard": ("none", "chat"),
    },
    build=build,
    picks=(
        {"key": "amount", "shortfall": "note", "guard": "none"},
        {"key": "given", "shortfall": "leave", "guard": "chat"},
    ),
)
