"""One request to buy something: sent to whoever decides, or decided from the list of vendors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from skillbench_tasks.datasets.sops import nodes
from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

SHEET: Final = Resource(
    name="Vendor list", kind="sheet", id="SHT-701", detail="columns vendor, email, status, limit"
)
PROJECTS: Final = tuple(
    Resource(name=name, kind="project of the issue tracker", id=key)
    for name, key in (("Finance", "FIN"), ("Operations", "OPS"), ("Security", "SEC"))
)
PEOPLE: Final = (
    Resource(name="Finance Director", kind="employee", id="pia.lindqvist@example.com"),
    Resource(name="Procurement Specialist", kind="employee", id="yuki.harmon@example.com"),
    Resource(name="Security Analyst", kind="employee", id="dario.menon@example.com"),
)
SUMMARY: Final = Template(name="ticket title", text="Buy: {title}")
DETAILS: Final = Template(
    name="ticket details", text="{amount} {currency}, supplier {supplier}, category {category}."
)
ROUTES: Final[Mapping[str, tuple[str, str, str]]] = {
    "finance": ("FIN", "approval", "pia.lindqvist@example.com"),
    "security": ("SEC", "request", "dario.menon@example.com"),
    "purchasing": ("OPS", "request", "yuki.harmon@example.com"),
}
"""Route → project, type of the issue, assignee."""

DECISIONS: Final[Mapping[str, tuple[str, str]]] = {
    "new": ("needs_information", "The supplier is new and has to be checked."),
    "barred": ("rejected", "The supplier is not approved."),
    "software": ("needs_information", "Security looks at software before it is bought."),
    "large": ("needs_information", "The amount is above the limit."),
    "fine": ("approved", "Within the limit."),
}
"""What was found about a request in finance → decision, note."""

LIMIT: Final = 5000
REQUEST: Final = "find.requests.0"
TEXTS: Final = ("title", "category", "supplier", "currency")
COLUMNS: Final = {"vendor": "vendor", "status": "status", "limit": "limit"}


def _is_form(choice: Choice) -> bool:
    return choice["intake"] == "form"


def _is_vetted(choice: Choice) -> bool:
    return choice["intake"] == "vetted"


def _field(choice: Choice, name: str) -> str:
    """Return the path of a field of what is to be bought."""
    return f"inputs.{name}" if _is_form(choice) else f"{REQUEST}.{name}"


def _outcome(choice: Choice, found: str) -> list[nodes.NodeData]:
    """Return the steps for what was found: a route to take, or a decision in finance."""
    if _is_form(choice):
        route = {"large": "finance", "software": "security", "fine": "purchasing"}[found]
        project, kind, assignee = ROUTES[route]
        values = {"route": route, "project": project, "type": kind, "assignee": assignee}
        return [nodes.put(f"{found}{name}", name, value) for name, value in values.items()]
    decision, note = DECISIONS[found]
    values = {"request_id": "${inputs.request_id}", "decision": decision, "note": note}
    enter = nodes.call(f"decide{found}", "finance:decide_spend_request", **values)
    return [enter, nodes.put(f"{found}route", "route", decision)]


def _by_amount(choice: Choice) -> list[nodes.NodeData]:
    limit = {"var": "vendors.rows.0.values.limit"} if _is_vetted(choice) else LIMIT
    is_large = {">": [{"var": _field(choice, "amount")}, limit]}
    is_software = {"==": [{"var": _field(choice, "category")}, "software"]}
    fine = _outcome(choice, "fine")
    if choice["split"] == "category":
        fine = [nodes.when("software", is_software, _outcome(choice, "software"), fine)]
    return [nodes.when("large", is_large, _outcome(choice, "large"), fine)]


def _by_vendor(choice: Choice) -> list[nodes.NodeData]:
    row = {"vendor": f"${{{REQUEST}.supplier}}", "status": "to check"}
    add = nodes.call("add", "sheets:append_row", sheet_id=SHEET.id, values=row)
    is_approved = {"==": [{"var": "vendors.rows.0.values.status"}, "approved"]}
    trusted = nodes.when("trusted", is_approved, _by_amount(choice), _outcome(choice, "barred"))
    unknown = {"==": [{"var": "vendors.count"}, 0]}
    return [nodes.when("unknown", unknown, [add, *_outcome(choice, "new")], [trusted])]


def _open() -> nodes.NodeData:
    return nodes.call(
        "open",
        "tracker:create_issue",
        project="${project}",
        issue_type="${type}",
        summary="Buy: ${inputs.title}",
        description="${inputs.amount} ${inputs.currency}, supplier ${inputs.supplier}, "
        "category ${inputs.category}.",
        assignee="${assignee}",
    )


def _guarded(choice: Choice, steps: list[nodes.NodeData]) -> list[nodes.NodeData]:
    if choice["guard"] == "none":
        return steps
    line = nodes.call(
        "line",
        "automation:log_run",
        procedure="purchase-routing",
        outcome="failed",
        subject="${inputs.title}" if _is_form(choice) else "${inputs.request_id}",
        detail="${problem.code}",
    )
    return [nodes.attempt("guard", steps, [line, nodes.put("lost", "route", "failed")], "problem")]


def _form_program(choice: Choice) -> dict[str, Any]:
    names = ("route", "project", "type", "assignee")
    steps = [nodes.put(f"{name}start", name, "") for name in names]
    steps += [*_by_amount(choice), *_guarded(choice, [_open()])]
    steps.append(nodes.result("end", route="${route}"))
    inputs: dict[str, Any] = {name: {"type": "string"} for name in TEXTS}
    inputs["amount"] = {"type": "number"}
    return nodes.program(inputs, steps, {"route": {"type": "string"}})


def _request_program(choice: Choice) -> dict[str, Any]:
    which = {"request_id": "${inputs.request_id}"}
    steps = [nodes.call("find", "finance:find_spend_requests", **which)]
    steps.append(nodes.put("start", "route", ""))
    if _is_vetted(choice):
        which = {"column": "vendor", "equals": f"${{{REQUEST}.supplier}}"}
        steps.append(nodes.call("vendors", "sheets:find_rows", sheet_id=SHEET.id, **which))
    block = _by_vendor(choice) if _is_vetted(choice) else _by_amount(choice)
    steps += [*_guarded(choice, block), nodes.result("end", decision="${route}")]
    inputs = {"request_id": {"type": "string", "description": "Id of the purchase request."}}
    return nodes.program(inputs, steps, {"decision": {"type": "string"}})


def _puts(found: str) -> tuple[str, ...]:
    return tuple(f"set:{found}{name}" for name in ("route", "project", "type", "assignee"))


def _form_sentences(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "A request of more than 5,000, whatever its category and currency, takes the "
            "route “finance”: an issue of the type “approval” in the Finance project, assigned to "
            "the Finance Director.",
            ("if:large", *_puts("large")),
        ),
        Sentence(
            "The request comes with its `title`, `category`, `supplier`, `amount` and `currency`. "
            "It is put into the issue tracker as exactly one issue, in the project, with the type "
            "and with the assignee of its route; the summary is the ticket title and the "
            "description is the ticket details.",
            (*(f"input:{name}" for name in (*TEXTS, "amount")), "call:open"),
        ),
    ]
    rest = (
        "the route “purchasing”: an issue of the type “request” in the Operations project, "
        "assigned to the Procurement Specialist."
    )
    if choice["split"] == "amount":
        text = f"A request of 5,000 or less takes {rest}"
        return [*found, Sentence(text, _puts("fine"))]
    return [
        *found,
        Sentence(
            "Among the requests of 5,000 or less those of the category “software” take the "
            "route “security”: an issue of the type “request” in the Security project, assigned "
            "to the Security Analyst.",
            ("if:software", *_puts("software")),
        ),
        Sentence(
            f"A request of 5,000 or less of a category other than “software” takes {rest}",
            _puts("fine"),
        ),
    ]


def _decided(found: str) -> str:
    decision, note = DECISIONS[found]
    return f"gets the decision “{decision}” in finance with the note “{note}”"


def _request_sentences(choice: Choice) -> list[Sentence]:
    has_own_limit = _is_vetted(choice)
    limit = "the supplier's limit on the Vendor list" if has_own_limit else "5,000"
    known = " from an approved supplier" if has_own_limit else ""
    found = [
        Sentence(
            "The purchase request is named by `request_id`; everything about it is read from "
            "finance.",
            ("input:request_id", "call:find"),
        ),
        Sentence(
            f"A purchase request{known} with an amount above {limit} {_decided('large')}. An "
            f"amount of exactly {limit} is not above it. The currency plays no part.",
            ("if:large", "call:decidelarge"),
            COLUMNS,
        ),
    ]
    if choice["split"] == "category":
        found.append(
            Sentence(
                f"A purchase request{known} of the category “software” with an amount not above "
                f"{limit} {_decided('software')}; one of another category with such an amount is "
                "approved.",
                ("if:software", "call:decidesoftware"),
            )
        )
    text = f"A purchase request{known} with an amount not above {limit}"
    text += " and of a category other than “software”" if choice["split"] == "category" else ""
    found.append(Sentence(f"{text} {_decided('fine')}.", ("call:decidefine",)))
    labels = ["large", "fine", *(["software"] if choice["split"] == "category" else [])]
    labels += ["new", "barred"] if has_own_limit else []
    failed = choice["guard"] != "none"
    lost = ", or “failed” where no decision was entered because of an error" if failed else ""
    covers = ("return:end", *(f"set:{one}route" for one in labels))
    found.append(
        Sentence(
            f"The run returns as `decision` the decision that was entered in finance{lost}.",
            (*covers, "set:lost") if failed else covers,
            {DECISIONS[one][0]: "the decision" for one in labels},
        )
    )
    return found


def _vendor_sentences() -> list[Sentence]:
    return [
        Sentence(
            "The supplier's row on the Vendor list is looked up by the supplier's exact name in "
            "the column `vendor`.",
            ("call:vendors",),
            COLUMNS,
        ),
        Sentence(
            "A supplier that is not on the Vendor list is entered there with a new row that holds "
            "only its name as `vendor` and “to check” as `status`; the decision on the request "
            "follows only after that.",
            ("call:add", "order:add<decidenew"),
            COLUMNS,
        ),
        Sentence(
            "A purchase request to a supplier that was not on the Vendor list "
            f"{_decided('new')}, whatever its amount. For a supplier that was on the list, its "
            "status there decides.",
            ("if:unknown", "call:decidenew"),
        ),
        Sentence(
            "A supplier on the Vendor list counts as approved only with the status “approved” "
            f"there. A purchase request to one with any other status {_decided('barred')}, "
            "whatever its amount.",
            ("if:trusted", "call:decidebarred"),
        ),
    ]


def _guard_sentence(choice: Choice) -> Sentence:
    what, subject, also = "opening the issue", "the `title` of the request", ""
    if not _is_form(choice):
        added = "entering the supplier on the Vendor list or " if _is_vetted(choice) else ""
        what, subject = f"{added}entering the decision in finance", "`request_id`"
        also = " (finance refuses, for one, what has been decided already)"
    covers = ("try:guard", "call:line", *(("set:lost",) if _is_form(choice) else ()))
    ends = " Its route is “failed” then." if _is_form(choice) else ""
    return Sentence(
        f"If {what} fails, whatever the error is{also}, nothing more is tried: the automation "
        "log gets a line for the procedure `purchase-routing` with the outcome “failed”, "
        f"{subject} as its subject and the code of the error as its detail.{ends}",
        covers,
    )


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    is_form = _is_form(choice)
    found = _form_sentences(choice) if is_form else _request_sentences(choice)
    found += _vendor_sentences() if _is_vetted(choice) else []
    found += [_guard_sentence(choice)] if choice["guard"] != "none" else []
    returned = Sentence("The run returns the `route` that the request took.", ("return:end",))
    return (*found, *((returned,) if is_form else ()))


TITLES = ("Wrenches", "Drawings", "Label editor", "Cables", "Cards", "Paper", "Clamps", "Lenses")


def _request(number: int, amount: float, supplier: str, **more: Any) -> Record:
    return {
        "request_id": f"SPR-88{number}",
        "kind": "purchase",
        "employee_id": "EMP-118",
        "title": TITLES[number - 1],
        "category": "hardware",
        "supplier": supplier,
        "amount": amount,
        "currency": "USD",
        "cost_center": "CC-ENG",
        "has_receipt": False,
        "status": "submitted",
        "note": None,
        "submitted_on": "2026-03-12",
        "decided_at": None,
        **more,
    }


def _variant(
    choice: Choice, request: Record, *faults: Fault, **records: tuple[Record, ...]
) -> VariantDraft:
    if not _is_form(choice):
        inputs = {"request_id": request["request_id"]}
        return VariantDraft(inputs, {"spend_requests": (request,), **records}, faults)
    return VariantDraft({name: request[name] for name in (*TEXTS, "amount")}, records, faults)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    limit = 12000 if _is_vetted(choice) else LIMIT
    is_plain = not _is_vetted(choice) or choice["split"] == "category"
    torvik, small = "Torvik Tools", "Torvik Tools" if is_plain else "Mellow Print"
    row: Record = {"vendor": "Quarry Cables Ltd", "email": None, "status": "approved", "limit": 300}
    near: Record = {"row_id": "ROW-761", "sheet_id": SHEET.id, "values": row}
    requests = [
        _request(1, limit, torvik),
        _request(2, limit + 0.5, torvik, category="software", currency="SGD"),
        _request(3, 89, small, category="software", currency="EUR"),
        _request(5, 20, "Mellow Print"),
        _request(6, 6000 if _is_vetted(choice) else 7000, "Ashby Paper", category="supplies"),
    ]
    unlisted = _request(4, 89, "Quarry Cables", category="office")
    found = [_variant(choice, unlisted, sheet_rows=(near,))]
    return (*(_variant(choice, one) for one in requests), *found, *_failing(choice))


def _failing(choice: Choice) -> tuple[VariantDraft, ...]:
    if choice["guard"] == "none":
        return ()
    if _is_form(choice):
        lost = Fault(tool="mcp.tracker:create_issue", kind=FaultKind.PERMANENT)
        lead = {"name": "Operations", "lead_email": "wen.castellan@example.com"}
        closed: Record = {"project": "OPS", "is_archived": True, **lead}
        small = _request(8, 60, "Torvik Tools")
        return (
            _variant(choice, _request(7, 9000, "Torvik Tools"), lost),
            _variant(choice, small, tracker_projects=(closed,)),
        )
    found = [_variant(choice, _request(7, 75, "Ashby Paper", status="approved"))]
    if _is_vetted(choice):
        lost = Fault(tool="mcp.sheets:append_row", kind=FaultKind.PERMANENT)
        found.append(_variant(choice, _request(8, 75, "Pell Glass"), lost))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_form = _is_form(choice)
    places = (*PROJECTS, *PEOPLE) if is_form else ()
    sheet = (SHEET,) if _is_vetted(choice) else ()
    context = [] if is_form else ["`request_id` names a purchase request that finance has."]
    if _is_vetted(choice):
        context.append("The Vendor list has no more than one row for a supplier.")
    goal = "so that it is decided by the same rules whoever is on duty."
    purpose = f"Purchasing runs this for one purchase request, {goal}"
    if is_form:
        purpose = "Requests to buy something come in by a form; each has to reach the people who "
        purpose += "may decide on it."
    return Draft(
        title="Route a request to buy" if is_form else "Decide a purchase request",
        purpose=purpose,
        program=_form_program(choice) if is_form else _request_program(choice),
        sentences=_sentences(choice),
        context=tuple(context),
        resources=(*places, *sheet),
        templates=(SUMMARY, DETAILS) if is_form else (),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="purchase-request-routing",
    axes={
        "intake": ("form", "request", "vetted"),
        "split": ("amount", "category"),
        "guard": ("none", "log"),
    },
    build=build,
    picks=(
        {"intake": "form", "split": "category", "guard": "none"},
        {"intake": "vetted", "split": "amount", "guard": "log"},
    ),
)
