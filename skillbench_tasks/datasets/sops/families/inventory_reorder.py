"""Stock that has run low: ordered again, or put up for approval where it costs too much."""

from __future__ import annotations

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
from skillbench_tasks.datasets.sops.tables import table_resource
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL = Resource(name="#data-reports", kind="chat channel", id="CHN-309")
PROJECT = Resource(name="Operations", kind="issue tracker project", id="OPS")
LIMITS = Resource(
    name="approval_limit",
    kind="lookup table of the automation platform",
    id="approval_limit",
    detail="the key purchase gives the amount up to which nobody has to approve a purchase",
)
INVENTORY = table_resource("inventory")
REORDERS = table_resource("reorders")
ORDER = Template(name="order text", text="Please send {reorder quantity} of {sku} to {site}.")
TASK_LINE = Template(name="purchase line", text="Buy {reorder quantity} of {sku} for {site}")
APPROVAL_LINE = Template(name="approval line", text="Approve {sku} for {cost}")
FAILURE_LINE = Template(name="failure line", text="Reorder of {sku} failed")
SUMMARY = Template(name="stock note", text="{placed} products were ordered again for {site}.")

BUYER = "yuki.harmon@example.com"
MANAGER = "wen.castellan@example.com"
FIND_SQL = (
    "SELECT sku, reorder_quantity, supplier_email, reorder_quantity * unit_cost AS cost "
    "FROM inventory AS i WHERE site = :site AND on_hand <= reorder_point AND NOT is_discontinued "
    "AND NOT EXISTS (SELECT 1 FROM reorders AS r WHERE r.sku = i.sku "
    "AND r.status IN ('sent', 'draft')) ORDER BY sku"
)


def _insert_sql(status: str) -> str:
    return (
        "INSERT INTO reorders (reorder_id, sku, quantity, status, created_on) "
        f"VALUES (CONCAT(:sku, '/', CURRENT_DATE), :sku, :quantity, '{status}', CURRENT_DATE)"
    )


def _row(label: str, status: str) -> NodeData:
    values = {"sku": "${product.sku}", "quantity": "${product.reorder_quantity}"}
    return call(label, "warehouse:run_statement", sql=_insert_sql(status), parameters=values)


def _issue(label: str, kind: str, summary: str, assignee: str) -> NodeData:
    fields = {"project": PROJECT.id, "issue_type": kind, "summary": summary, "assignee": assignee}
    return call(label, "tracker:create_issue", **fields)


def _placing(choice: Choice) -> list[NodeData]:
    """Return what ordering one product means."""
    if choice["buying"] == "mail":
        text = "Please send ${product.reorder_quantity} of ${product.sku} to ${inputs.site}."
        tell = call(
            "tell", "mail:send_mail", to=["${product.supplier_email}"], subject="Order", body=text
        )
    else:
        line = "Buy ${product.reorder_quantity} of ${product.sku} for ${inputs.site}"
        tell = _issue("tell", "task", line, BUYER)
    count = put("count", "placed", rule({"+": [{"var": "placed"}, 1]}))
    steps = [_row("enter", "sent"), tell, count]
    if choice["guard"] == "none":
        return steps
    failed = _issue("failed", "task", "Reorder of ${product.sku} failed", MANAGER)
    return [attempt("guard", steps, [failed])]


def _program(choice: Choice) -> dict[str, Any]:
    site = {"site": "${inputs.site}"}
    steps = [put("start", "placed", 0)]
    dealing = _placing(choice)
    if choice["approval"] == "limit":
        steps.append(
            call("limit", "automation:lookup_entry", table=LIMITS.id, key="purchase"),
        )
        dear = {">": [{"var": "product.cost"}, {"var": "limit.value"}]}
        ask = _issue("ask", "approval", "Approve ${product.sku} for ${product.cost}", MANAGER)
        dealing = [when("dear", dear, [_row("wait", "draft"), ask], dealing)]
    steps += [
        call("find", "warehouse:run_query", sql=FIND_SQL, parameters=site),
        each("low", "${find.rows}", "product", dealing),
    ]
    if choice["summary"] == "chat":
        text = "${placed} products were ordered again for ${inputs.site}."
        steps.append(call("note", "chat:post_message", channel_id=CHANNEL.id, text=text))
    log = {"procedure": "inventory-reorder", "outcome": "completed", "subject": "${inputs.site}"}
    steps.append(call("log", "automation:log_run", **log))
    steps.append(result("end", low="${find.row_count}", placed="${placed}"))
    output = {"low": {"type": "integer"}, "placed": {"type": "integer"}}
    place = {"type": "string", "description": "Site whose stock is looked at."}
    return program({"site": place}, steps, output)


def _finding_sentences(choice: Choice) -> list[Sentence]:
    done = "ordered" if choice["approval"] == "none" else "dealt with"
    return [
        Sentence(
            "Only the stock of the site given as `site` is looked at. A product is low when it is "
            "not discontinued, its stock on hand is at or below its reorder point, and reorders "
            "has no row of its SKU with the status “sent” or “draft”.",
            ("input:site",),
        ),
        Sentence(
            "One query gives the low products, with exactly the columns `sku`, "
            "`reorder_quantity`, `supplier_email` and `cost` (reorder quantity times unit cost), "
            "sorted by `sku`.",
            ("call:find",),
            {FIND_SQL: "gives the low products"},
        ),
        Sentence(
            f"Each low product is {done} by itself, one after the other, in the order of the SKUs.",
            ("each:low",),
        ),
    ]


def _placing_sentences(choice: Choice) -> list[Sentence]:
    told = (
        "an e-mail to its supplier's address, with the subject “Order” and the order text as its "
        "body"
        if choice["buying"] == "mail"
        else "an issue of the type “task” in the project Operations of the issue tracker, with "
        f"the purchase line as its summary, assigned to {BUYER}"
    )
    sent = "e-mail for a product goes out"
    if choice["buying"] != "mail":
        sent = "purchase issue for a product is opened"
    found = [
        Sentence(
            "Ordering a product takes two things: a row in reorders with the status “sent”, "
            f"and {told}.",
            ("call:enter", "call:tell"),
            {_insert_sql("sent"): "a row in reorders"},
        ),
        Sentence(
            "Every new row in reorders has the SKU and today's date, with a slash between them, as "
            "its id, the product's reorder quantity as its quantity, and today as its day of "
            "creation.",
            ("arg:enter.parameters",),
        ),
        Sentence(
            f"The {sent} only after its row in reorders has been written.",
            ("order:enter<tell",),
        ),
    ]
    if choice["guard"] == "caught":
        found.append(
            Sentence(
                "If either part of ordering a product fails, the rest of it is left out and what "
                "has been done stays as it is; instead an issue of the type “task” is opened in "
                "the project Operations, with the failure line as its summary, assigned to "
                f"{MANAGER}, and the run goes on with the next product.",
                ("try:guard", "call:failed"),
            )
        )
    return found


def _approval_sentences(choice: Choice) -> list[Sentence]:
    if choice["approval"] == "none":
        return []
    return [
        Sentence(
            "The approval limit is the entry “purchase” of the lookup table approval_limit; it is "
            "looked up once, at the start, before the stock is queried.",
            ("call:limit", "order:limit<find"),
        ),
        Sentence(
            "A low product whose cost is above the approval limit is put up for approval and not "
            "ordered; one that costs exactly the limit or less is ordered.",
            ("if:dear",),
        ),
        Sentence(
            "Putting a product up for approval means a row in reorders with the status “draft”, "
            "and after it an issue of the type “approval” in the project Operations of the issue "
            f"tracker, with the approval line as its summary, assigned to {MANAGER}.",
            ("call:wait", "call:ask", "order:wait<ask"),
            {_insert_sql("draft"): "a row in reorders"},
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    is_posting = choice["summary"] == "chat"
    well = "" if choice["guard"] == "none" else " without a failure"
    found = [*_finding_sentences(choice), *_placing_sentences(choice), *_approval_sentences(choice)]
    if is_posting:
        found.append(
            Sentence(
                "#data-reports gets the stock note once, after all low products have been dealt "
                "with, also when nothing was ordered; its number is that of the products ordered"
                f"{well}.",
                ("call:note", "order:low<note"),
            )
        )
    last = "note" if is_posting else "low"
    after = "the stock note has been posted" if is_posting else "all low products are dealt with"
    found += [
        Sentence(
            f"Once {after}, the run log gets one line for the procedure “inventory-reorder”, with "
            "the outcome “completed” and the site as its subject.",
            ("call:log", f"order:{last}<log"),
        ),
        Sentence(
            "The run returns how many products were low as `low`, and as `placed` how many of "
            f"them were ordered{well}.",
            ("return:end", "set:count"),
        ),
    ]
    return tuple(found)


def _stock(sku: str, site: str, numbers: tuple[float, float, float, float]) -> Record:
    """Return a row of inventory; the numbers are stock, reorder point, quantity and unit cost."""
    on_hand, point, quantity, cost = numbers
    return {
        "sku": sku,
        "product_name": f"Part {sku[-2:]}",
        "site": site,
        "on_hand": on_hand,
        "reorder_point": point,
        "reorder_quantity": quantity,
        "supplier_email": "sales@ashby.example.net",
        "unit_cost": cost,
        "is_discontinued": False,
    }


def _reorder(sku: str, day: str, status: str) -> Record:
    return {
        "reorder_id": f"{sku}/{day}",
        "sku": sku,
        "quantity": 5,
        "status": status,
        "created_on": day,
    }


def _variant(
    site: str, stock: tuple[Record, ...], reorders: tuple[Record, ...] = (), *faults: Fault
) -> VariantDraft:
    tables = {"wh_inventory": stock, "wh_reorders": reorders}
    return VariantDraft({"site": site}, {k: rows for k, rows in tables.items() if rows}, faults)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    is_guarded = choice["guard"] == "caught"
    cheap = (
        _stock("SKU-K1", "Lisbon", (0, 5, 10, 12.5)),
        _stock("SKU-K2", "Lisbon", (4, 5, 8, 30)),
    )
    found = [
        _variant("Lisbon", ()),
        _variant("Denver", (_stock("SKU-F5", "Denver", (16, 15, 10, 3)),)),
        _variant(
            "Lisbon",
            (
                _stock("SKU-F6", "Lisbon", (2, 8, 40, 50)),
                _stock("SKU-F7", "Lisbon", (1, 8, 10, 4)),
                _stock("SKU-F8", "Denver", (0, 8, 10, 4)),
            ),
            (_reorder("SKU-F7", "2026-03-13", "draft"),),
        ),
        _variant(
            "Singapore",
            (
                _stock("SKU-G7", "Singapore", (6, 6, 12, 20)),
                _stock("SKU-H8", "Singapore", (5, 9, 30, 66.75)),
                _stock("SKU-H9", "Singapore", (5, 9, 30, 2)),
            ),
            (
                _reorder("SKU-H8", "2026-02-02", "received"),
                _reorder("SKU-H9", "2026-03-10", "sent"),
            ),
        ),
        _variant(
            "Denver",
            (
                _stock("SKU-J9", "Denver", (1, 3, 10, 9)),
                _stock("SKU-L2", "Denver", (1, 3, 20, 7.5)),
            ),
            (_reorder("SKU-J9", "2026-03-12", "received"),),
        ),
    ]
    if is_guarded:
        tool, where = "mcp.mail:send_mail", {"subject": "Order"}
        if choice["buying"] == "issue":
            tool, where = "mcp.tracker:create_issue", {"issue_type": "task", "assignee": BUYER}
        lost = Fault(tool=tool, kind=FaultKind.PERMANENT, where=dict(where), occurrences=(1,))
        busy = Fault(
            tool="mcp.warehouse:run_statement", kind=FaultKind.RATE_LIMIT, occurrences=(2,)
        )
        found += [_variant("Lisbon", cheap, (), lost), _variant("Lisbon", cheap, (), busy)]
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_by_mail, is_limited = choice["buying"] == "mail", choice["approval"] == "limit"
    texts = [ORDER if is_by_mail else TASK_LINE]
    texts += [APPROVAL_LINE] if is_limited else []
    texts += [FAILURE_LINE] if choice["guard"] == "caught" else []
    texts += [SUMMARY] if choice["summary"] == "chat" else []
    uses_tracker = not is_by_mail or is_limited or choice["guard"] == "caught"
    places = [INVENTORY, REORDERS]
    places += [LIMITS] if is_limited else []
    places += [PROJECT] if uses_tracker else []
    places += [CHANNEL] if choice["summary"] == "chat" else []
    return Draft(
        title="Order stock again",
        purpose="Procurement runs this for one site at a time, so that nothing that is still sold "
        "runs out, and nothing is ordered twice.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("Stock and reorders in the warehouse are up to date.",),
        resources=tuple(places),
        templates=tuple(texts),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="inventory-reorder",
    axes={
        "buying": ("mail", "issue"),
        "approval": ("none", "limit"),
        "guard": ("none", "caught"),
        "summary": ("none", "chat"),
    },
    build=build,
    picks=(
        {"buying": "mail", "approval": "none", "guard": "none", "summary": "none"},
        {"buying": "issue", "approval": "limit", "guard": "caught", "summary": "none"},
    ),
)
