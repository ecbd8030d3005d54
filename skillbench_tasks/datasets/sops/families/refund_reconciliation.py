"""Refunds in finance and in the warehouse: confirm what agrees, report what does not."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.datasets.sops import nodes
from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

SHEET: Final = Resource(
    name="Refund log",
    kind="sheet",
    id="SHT-704",
    detail="columns payment_id, amount, result, checked_on",
)
REFUNDS: Final = Resource(
    name="refunds",
    kind="warehouse table",
    id="refunds",
    detail="columns refund_id, order_id, payment_id, amount, refunded_on (a date), "
    "is_reconciled (a boolean)",
)
ISSUES: Final = Resource(
    name="data_issues",
    kind="warehouse table",
    id="data_issues",
    detail="columns issue_key, table_name, row_key, problem, found_on (a date), "
    "is_open (a boolean)",
)
CHANNEL: Final = Resource(name="#finance-ops", kind="chat channel", id="CHN-302")
SUMMARY: Final = Template(
    name="refund summary",
    text="Refunds since {booked from}: {reconciled} reconciled, {reported} reported.",
)

OPEN_REFUNDS: Final = (
    "SELECT refund_id, payment_id, amount FROM refunds WHERE NOT is_reconciled "
    "AND payment_id IS NOT NULL AND refunded_on >= :booked_from ORDER BY refund_id"
)
ROW_OF_PAYMENT: Final = (
    "SELECT refund_id, amount, is_reconciled FROM refunds WHERE payment_id = :payment_id"
)
CONFIRM: Final = "UPDATE refunds SET is_reconciled = TRUE WHERE refund_id = :refund_id"
INSERT: Final = (
    "INSERT INTO data_issues (issue_key, table_name, row_key, problem, found_on, is_open) "
    "VALUES (:issue_key, 'refunds', :row_key, :problem, CURRENT_DATE, TRUE)"
)
LOST: Final = Fault(tool="mcp.warehouse:run_statement", kind=FaultKind.PERMANENT, occurrences=(1,))
COLUMNS: Final = {"result": "result", "checked_on": "checked_on"}
FAILED: Final = "could not be marked"

REASONS: Final = {
    "warehouse": {"differs": "not confirmed by finance"},
    "finance": {"missing": "missing in the warehouse", "differs": "amount differs"},
}
"""Where the refunds come from → label of a call that reports → the reason that it gives."""


def _of(choice: Choice, field: str) -> str:
    """Return an expression for a field of the refund at hand, as its source has it."""
    return f"${{{'row' if choice['source'] == 'warehouse' else 'refund'}.{field}}}"


def _key(choice: Choice) -> str:
    return "refund_id" if choice["source"] == "warehouse" else "payment_id"


def _today() -> dict[str, Any]:
    return nodes.rule({"add_days": [{"var": "context.now"}, 0]})


def _row(choice: Choice, label: str, outcome: str) -> nodes.NodeData:
    values = {"payment_id": _of(choice, "payment_id"), "amount": _of(choice, "amount")}
    checked = {"result": outcome, "checked_on": _today()}
    return nodes.call(label, "sheets:append_row", sheet_id=SHEET.id, values={**values, **checked})


def _report(choice: Choice, label: str, reason: str) -> list[nodes.NodeData]:
    count = nodes.put(f"{label}count", "reported", nodes.rule({"+": [{"var": "reported"}, 1]}))
    if choice["outcomes"] == "sheet":
        return [_row(choice, label, reason), count]
    key = _of(choice, _key(choice))
    values = {"issue_key": f"refunds/{key}", "row_key": key, "problem": reason}
    return [nodes.call(label, "warehouse:run_statement", sql=INSERT, parameters=values), count]


def _settle(choice: Choice) -> list[nodes.NodeData]:
    is_row = choice["source"] == "warehouse"
    which = {"refund_id": "${row.refund_id}" if is_row else "${booked.rows.0.refund_id}"}
    steps = [nodes.call("confirm", "warehouse:run_statement", sql=CONFIRM, parameters=which)]
    if choice["outcomes"] == "sheet":
        steps.append(_row(choice, "matched", "matched"))
    steps.append(nodes.put("good", "reconciled", nodes.rule({"+": [{"var": "reconciled"}, 1]})))
    if choice["guard"] == "none":
        return steps
    return [nodes.attempt("guard", steps, _report(choice, "failed", FAILED))]


def _from_warehouse(choice: Choice) -> list[nodes.NodeData]:
    since = {"booked_from": "${inputs.booked_from}"}
    same = {"==": [{"var": "item.amount"}, {"var": "row.amount"}]}
    return [
        nodes.call("read", "warehouse:run_query", sql=OPEN_REFUNDS, parameters=since),
        nodes.each(
            "check",
            "${read.rows}",
            "row",
            [
                nodes.call(
                    "look", "finance:find_payments", payment_id="${row.payment_id}", kind="refund"
                ),
                nodes.when(
                    "agrees",
                    {"some": [{"var": "look.payments"}, same]},
                    _settle(choice),
                    _report(choice, "differs", REASONS["warehouse"]["differs"]),
                ),
            ],
        ),
    ]


def _from_finance(choice: Choice) -> list[nodes.NodeData]:
    missing, differs = REASONS["finance"].values()
    one = {"payment_id": "${refund.payment_id}"}
    agrees = nodes.when(
        "agrees",
        {"==": [{"var": "booked.rows.0.amount"}, {"var": "refund.amount"}]},
        _settle(choice),
        _report(choice, "differs", differs),
    )
    return [
        nodes.call(
            "read", "finance:find_payments", kind="refund", booked_from="${inputs.booked_from}"
        ),
        nodes.each(
            "check",
            "${read.payments}",
            "refund",
            [
                nodes.call("booked", "warehouse:run_query", sql=ROW_OF_PAYMENT, parameters=one),
                nodes.when(
                    "absent",
                    {"==": [{"var": "booked.row_count"}, 0]},
                    _report(choice, "missing", missing),
                    [
                        nodes.when(
                            "pending", {"!": [{"var": "booked.rows.0.is_reconciled"}]}, [agrees]
                        )
                    ],
                ),
            ],
        ),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    body = _from_warehouse(choice) if choice["source"] == "warehouse" else _from_finance(choice)
    steps = [nodes.put("none_yet", "reconciled", 0), nodes.put("no_report", "reported", 0), *body]
    if choice["closing"] == "summary":
        text = "Refunds since ${inputs.booked_from}: "
        text += "${reconciled} reconciled, ${reported} reported."
        steps.append(nodes.call("summary", "chat:post_message", channel_id=CHANNEL.id, text=text))
    steps.append(nodes.result("end", reconciled="${reconciled}", reported="${reported}"))
    counts = {"reconciled": {"type": "integer"}, "reported": {"type": "integer"}}
    day = {"type": "string", "description": "First day of the period, YYYY-MM-DD."}
    return nodes.program({"booked_from": day}, steps, counts)


def _reading_warehouse() -> list[Sentence]:
    return [
        Sentence(
            "What is checked: the rows of the warehouse table `refunds` that are not "
            "reconciled, have a `payment_id` and were refunded on or after `booked_from`. One "
            "query reads exactly their `refund_id`, `payment_id` and `amount`, sorted by "
            "`refund_id`; the refunds are worked through one after the other in that order.",
            ("input:booked_from", "call:read", "each:check"),
            {OPEN_REFUNDS: "not reconciled, have a `payment_id`"},
        ),
        Sentence(
            "For every refund that is checked, finance is asked for the booking of kind "
            "“refund” whose id is the refund's `payment_id`.",
            ("call:look",),
        ),
        Sentence(
            "A refund agrees when finance has that booking with exactly the same amount; an "
            "agreeing refund is reconciled. Any other refund, also one whose booking finance "
            "does not have, is reported as “not confirmed by finance”.",
            ("if:agrees",),
        ),
    ]


def _reading_finance() -> list[Sentence]:
    return [
        Sentence(
            "What is checked: all bookings of kind “refund” that finance has booked on or after "
            "`booked_from`, one after the other in the order in which finance lists them.",
            ("input:booked_from", "call:read", "each:check"),
        ),
        Sentence(
            "For every booking that is checked, one query on the warehouse table `refunds` reads "
            "exactly the columns `refund_id`, `amount` and `is_reconciled` of the row that has "
            "its `payment_id`.",
            ("call:booked",),
            {ROW_OF_PAYMENT: "of the row that has its `payment_id`"},
        ),
        Sentence(
            "A booking without a row in the warehouse is reported as “missing in the warehouse”; "
            "where there is a row, the row decides what happens.",
            ("if:absent",),
        ),
        Sentence(
            "A booking whose row in the warehouse is reconciled already is left as it is, "
            "whatever the amounts are: it is neither changed nor reported nor counted. Only where "
            "the row is not reconciled yet are the amounts compared.",
            ("if:pending",),
        ),
        Sentence(
            "Where the amount in the warehouse row equals the amount that finance has booked, the "
            "refund is reconciled. Where the two are not equal, it is reported as “amount "
            "differs”.",
            ("if:agrees",),
        ),
    ]


def _labels(choice: Choice) -> dict[str, str]:
    """Return label → reason of the calls that report."""
    found = REASONS[choice["source"]]
    return found if choice["guard"] == "none" else {**found, "failed": FAILED}


def _reporting(choice: Choice) -> Sentence:
    labels, key = _labels(choice), _key(choice)
    *rest, last = (f"“{reason}”" for reason in labels.values())
    quoted = f"{', '.join(rest)} or {last}" if rest else last
    problem = "exactly the one of these texts that applies" if rest else "exactly that text"
    calls = tuple(f"call:{label}" for label in labels)
    if choice["outcomes"] == "sheet":
        return Sentence(
            f"Reporting a refund as {quoted} means one new row in the Refund log, with that text "
            "as `result`; a refund that was reconciled gets a row with the `result` “matched”. "
            "The row holds the refund's `payment_id`, its `amount` as "
            f"{'finance has booked it' if key == 'payment_id' else 'the warehouse has it'}, and "
            "today's date as `checked_on`.",
            (*calls, "call:matched"),
            COLUMNS,
        )
    return Sentence(
        f"Reporting a refund as {quoted} means inserting one open data issue into the warehouse "
        "table `data_issues`: `issue_key` is `refunds/` followed directly by "
        f"the `{key}`, `table_name` is `refunds`, `row_key` is the `{key}`, `problem` is "
        f"{problem}, `found_on` is today's date, `is_open` is true.",
        calls,
        {INSERT: "one open data issue", f"refunds/{_of(choice, key)}": "`refunds/`"},
    )


def _closing(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "Reconciling a refund means setting `is_reconciled` to true in its row of the "
            "warehouse table `refunds`"
            + ("; only then does its row go into the Refund log." if _is_logged(choice) else "."),
            ("call:confirm", *(("order:confirm<matched",) if _is_logged(choice) else ())),
            {CONFIRM: "setting `is_reconciled` to true"},
        )
    ]
    if choice["guard"] != "none":
        what = "marking a refund as reconciled or writing its “matched” row"
        found.append(
            Sentence(
                f"If {what if _is_logged(choice) else 'marking a refund as reconciled'} fails, "
                f"whatever the error is, that refund is reported as “{FAILED}” instead and the "
                "run goes on with the next one.",
                ("try:guard",),
            )
        )
    if choice["closing"] == "summary":
        found.append(
            Sentence(
                "After the last refund, #finance-ops gets the refund summary, also when there was "
                "nothing to check.",
                ("call:summary",),
            )
        )
    well = "" if choice["guard"] == "none" else " without an error"
    counts = ("set:good", *(f"set:{label}count" for label in _labels(choice)))
    found.append(
        Sentence(
            f"The run returns `reconciled`, the number of refunds that were reconciled{well}, and "
            "`reported`, the number of those that were reported.",
            ("return:end", *counts),
        )
    )
    return found


def _is_logged(choice: Choice) -> bool:
    return choice["outcomes"] == "sheet"


def _payment(number: int, amount: float, day: int) -> Record:
    return {
        "payment_id": f"PAY-83{number}",
        "invoice_id": "INV-801",
        "account_id": "ACC-401",
        "kind": "refund",
        "amount": amount,
        "currency": "EUR",
        "reference": "REFUND NG 801",
        "refund_of": "PAY-821",
        "refunded_amount": 0,
        "reason": "Returned goods",
        "booked_on": f"2026-03-{day:02}",
    }


def _refund(number: int, amount: float, day: int, *, is_reconciled: bool = False) -> Record:
    return {
        "refund_id": f"RFD-{number}",
        "order_id": "ORD-2001",
        "payment_id": f"PAY-83{number}",
        "amount": amount,
        "refunded_on": f"2026-03-{day:02}",
        "is_reconciled": is_reconciled,
    }


def _variant(
    since: str, payments: list[Record], refunds: list[Record], *faults: Fault
) -> VariantDraft:
    records = {"payments": tuple(payments), "wh_refunds": tuple(refunds)}
    return VariantDraft({"booked_from": since}, records, faults)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    found = [
        _variant("2026-03-10", [_payment(11, 50, 9)], [_refund(11, 50, 9)]),
        _variant("2026-03-06", [_payment(12, 75.5, 6)], [_refund(12, 75.5, 6)]),
        _variant("2026-03-05", [_payment(13, 310, 7)], [_refund(14, 310, 7)]),
        _variant(
            "2026-03-01",
            [_payment(15, 80, 3), _payment(16, 90, 4), _payment(17, 20, 8)],
            [_refund(15, 80.5, 3), _refund(16, 90, 4), _refund(17, 25, 8, is_reconciled=True)],
        ),
        _variant(
            "2026-03-09",
            [_payment(18, 640, 9), _payment(19, 640, 10), _payment(20, 15, 11)],
            [_refund(18, 640, 9), _refund(19, 64, 10), _refund(20, 15, 11), _refund(21, 15, 12)],
        ),
    ]
    if choice["guard"] != "none":
        payments = [_payment(22, 33, 10), _payment(23, 44, 12)]
        refunds = [_refund(22, 33, 10), _refund(23, 44, 12)]
        found.append(_variant("2026-03-10", payments, refunds, LOST))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_from_finance = choice["source"] == "finance"
    reading = _reading_finance() if is_from_finance else _reading_warehouse()
    places = {"sheet": SHEET, "data_issue": ISSUES}
    has_summary, few = choice["closing"] == "summary", "There are at most 50 refunds to check."
    return Draft(
        title="Reconcile refunds of finance with the warehouse"
        if is_from_finance
        else "Reconcile refunds of the warehouse with finance",
        purpose="Refunds are booked in finance and arrive in the warehouse by another way. "
        "Accounting runs this to confirm those that agree and to bring up those that do not.",
        program=_program(choice),
        sentences=(*reading, _reporting(choice), *_closing(choice)),
        context=("The warehouse has no more than one refund row for a booking in finance.", few),
        resources=(REFUNDS, places[choice["outcomes"]], *((CHANNEL,) if has_summary else ())),
        templates=(SUMMARY,) if has_summary else (),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="refund-reconciliation",
    axes={
        "source": ("warehouse", "finance"),
        "outcomes": ("data_issue", "sheet"),
        "guard": ("none", "report"),
        "closing": ("none", "summary"),
    },
    build=build,
    picks=(
        {"source": "warehouse", "outcomes": "data_issue", "guard": "none", "closing": "none"},
        {"source": "finance", "outcomes": "sheet", "guard": "report", "closing": "none"},
    ),
)
