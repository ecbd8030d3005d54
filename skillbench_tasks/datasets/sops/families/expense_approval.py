"""One expense claim: decided by rule where that is possible, handed on where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from skillbench_tasks.datasets.sops import nodes
from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

CHANNEL: Final = Resource(name="#finance-ops", kind="chat channel", id="CHN-302")
PROJECT: Final = Resource(name="Finance", kind="project of the issue tracker", id="FIN")
DIRECTOR: Final = Resource(name="Finance Director", kind="employee", id="pia.lindqvist@example.com")
TABLE: Final = Resource(
    name="approval_limit", kind="lookup table of the automation platform", id="approval_limit"
)
OVER: Final = Template(
    name="decision request",
    text="Expense claim {request id} over {amount} {currency} is to be decided.",
)
CONFIRM: Final = Template(
    name="confirmation note", text="Please have {manager's name} confirm this claim."
)
FIXED_LIMIT: Final = 250
TABLE_LIMIT: Final = 300
CLAIM: Final = "find.requests.0"
WITHIN: Final = "Within the limit."
ALONE: Final = "Claimant has no manager."
UNPROVEN: Final = {
    "ask": ("needs_information", "Please add the receipt."),
    "reject": ("rejected", "There is no receipt."),
}


def _decide(label: str, decision: str, note: str) -> nodes.NodeData:
    return nodes.call(
        label,
        "finance:decide_spend_request",
        request_id="${inputs.request_id}",
        decision=decision,
        note=note,
    )


def _is_small(choice: Choice) -> dict[str, Any]:
    limit = FIXED_LIMIT if choice["limit"] == "fixed" else {"var": "limit.value"}
    return {"<=": [{"var": f"{CLAIM}.amount"}, limit]}


def _limit(choice: Choice) -> list[nodes.NodeData]:
    if choice["limit"] == "fixed":
        return []
    return [nodes.call("limit", "automation:lookup_entry", table=TABLE.id, key="expense")]


def _hand_on(choice: Choice) -> nodes.NodeData:
    text = f"Expense claim ${{inputs.request_id}} over ${{{CLAIM}.amount}} "
    text += f"${{{CLAIM}.currency}} is to be decided."
    if choice["above"] == "channel":
        return nodes.call("hand", "chat:post_message", channel_id=CHANNEL.id, text=text)
    return nodes.call(
        "hand",
        "tracker:create_issue",
        project=PROJECT.id,
        issue_type="approval",
        summary=text,
        assignee=DIRECTOR.id,
    )


def _by_guards(choice: Choice) -> list[nodes.NodeData]:
    """Return the steps in which whoever can be decided at once leaves early."""
    decision, note = UNPROVEN[choice["receipt"]]
    unproven = [_decide("refuse", decision, note), nodes.result("refused", decision=decision)]
    small = [_decide("approve", "approved", WITHIN), nodes.result("passed", decision="approved")]
    return [
        nodes.when("unproven", {"!": [{"var": f"{CLAIM}.has_receipt"}]}, unproven),
        *_limit(choice),
        nodes.when("small", _is_small(choice), small),
        _hand_on(choice),
        nodes.result("open", decision="waiting"),
    ]


def _by_nesting(choice: Choice) -> list[nodes.NodeData]:
    """Return the steps that find the decision first and enter it once."""

    def found(label: str, decision: str, note: str) -> list[nodes.NodeData]:
        return [nodes.put(f"{label}a", "decision", decision), nodes.put(f"{label}b", "note", note)]

    boss = nodes.call("boss", "people:get_employee", employee_id="${person.manager_id}")
    confirm = "Please have ${boss.name} confirm this claim."
    headed = nodes.when(
        "headed",
        {"exists": "person.manager_id"},
        [boss, *found("over", "needs_information", confirm)],
        found("alone", "approved", ALONE),
    )
    employee = f"${{{CLAIM}.employee_id}}"
    person = nodes.call("person", "people:get_employee", employee_id=employee)
    small = nodes.when(
        "small", _is_small(choice), found("within", "approved", WITHIN), [person, headed]
    )
    return [
        *found("start", "", ""),
        nodes.when(
            "proven",
            {"var": f"{CLAIM}.has_receipt"},
            [*_limit(choice), small],
            found("refused", *UNPROVEN[choice["receipt"]]),
        ),
        _decide("decide", "${decision}", "${note}"),
        nodes.result("end", decision="${decision}"),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    steps = [nodes.call("find", "finance:find_spend_requests", request_id="${inputs.request_id}")]
    if choice["decided"] == "skip":
        is_settled = {"!=": [{"var": f"{CLAIM}.status"}, "submitted"]}
        left = [nodes.result("left", decision="unchanged")]
        steps.append(nodes.when("settled", is_settled, left))
    steps += _by_nesting(choice) if choice["above"] == "manager" else _by_guards(choice)
    inputs = {"request_id": {"type": "string", "description": "Id of the expense claim."}}
    return nodes.program(inputs, steps, {"decision": {"type": "string"}})


def _limit_words(choice: Choice) -> str:
    if choice["limit"] == "fixed":
        return f"at most {FIXED_LIMIT}"
    return "not above the limit"


def _above_words(choice: Choice) -> str:
    return f"above {FIXED_LIMIT}" if choice["limit"] == "fixed" else "above the limit"


def _limit_sentence(choice: Choice, covers: tuple[str, ...]) -> list[Sentence]:
    if choice["limit"] == "fixed":
        return []
    return [
        Sentence(
            "The limit is the entry `expense` of the lookup table approval_limit. It is looked up "
            "for every claim that has its receipt, and only for those.",
            ("call:limit", *covers),
        )
    ]


def _guard_sentences(choice: Choice) -> list[Sentence]:
    decision, note = UNPROVEN[choice["receipt"]]
    is_fixed = choice["limit"] == "fixed"
    hand = "is brought up in #finance-ops with the decision request"
    if choice["above"] == "ticket":
        hand = "becomes a new issue of the type “approval” in the Finance project of the issue "
        hand += "tracker, assigned to the Finance Director, with the decision request as summary"
    return [
        Sentence(
            f"A claim without a receipt, whatever its amount, gets the decision “{decision}” in "
            f"finance with the note “{note}”. The run ends there and returns that decision; only "
            "a claim with a receipt goes on.",
            (
                "if:unproven",
                "call:refuse",
                "return:refused",
                *(("order:unproven<small",) if is_fixed else ()),
            ),
        ),
        *_limit_sentence(choice, ("order:unproven<limit",)),
        Sentence(
            f"A claim with a receipt whose amount is {_limit_words(choice)} gets the decision "
            f"“approved” in finance with the note “{WITHIN}”; the run ends there and returns that "
            "decision. The amount counts as it stands, whatever its currency is.",
            ("if:small", "call:approve", "return:passed"),
        ),
        Sentence(
            f"A claim with a receipt whose amount is {_above_words(choice)} is "
            f"not decided by the automation: it {hand}, and the run returns the decision "
            "“waiting”.",
            ("call:hand", "return:open", "order:small<hand"),
        ),
    ]


def _nested_sentences(choice: Choice) -> list[Sentence]:
    decision, note = UNPROVEN[choice["receipt"]]
    return [
        Sentence(
            f"A claim without a receipt, whatever its amount, gets the decision “{decision}” with "
            f"the note “{note}”; what follows from the amount holds for claims with a receipt.",
            ("if:proven", "set:refuseda", "set:refusedb"),
        ),
        *_limit_sentence(choice, ()),
        Sentence(
            f"A claim with a receipt whose amount is {_limit_words(choice)} gets the decision "
            f"“approved” with the note “{WITHIN}”; nobody is looked up for it. The amount counts "
            "as it stands, whatever its currency is.",
            ("if:small", "set:withina", "set:withinb"),
        ),
        Sentence(
            f"For a claim with a receipt and an amount {_above_words(choice)} the claimant is "
            "looked up in the staff register; the claim names the claimant by `employee_id`.",
            ("call:person",),
        ),
        Sentence(
            "A claimant who was looked up and has a manager gets the decision "
            "“needs_information” with the confirmation note; a claimant without a manager gets "
            f"the decision “approved” with the note “{ALONE}”.",
            ("if:headed", "set:overa", "set:overb", "set:alonea", "set:aloneb"),
        ),
        Sentence(
            "The manager's name comes from the manager's own record in the staff register, which "
            "is looked up only where the confirmation note needs it.",
            ("call:boss",),
        ),
        Sentence(
            "Whatever the decision is, it is entered in finance once, together with its note, and "
            "the run returns it as `decision`.",
            ("call:decide", "return:end"),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    is_nested = choice["above"] == "manager"
    found = [
        Sentence(
            "The expense claim is named by `request_id`; everything about it is read from finance.",
            ("input:request_id", "call:find"),
        ),
        *(_nested_sentences(choice) if is_nested else _guard_sentences(choice)),
    ]
    if choice["decided"] == "skip":
        found.append(
            Sentence(
                "Only a claim in the status “submitted” is worked on. For a claim in any other "
                "status nothing is done after reading it, and the run returns the decision "
                "“unchanged”.",
                ("if:settled", "return:left"),
            )
        )
    return tuple(found)


def _claim(number: int, amount: float, **more: Any) -> Record:
    return {
        "request_id": f"SPR-87{number}",
        "kind": "expense",
        "employee_id": "EMP-109",
        "title": "Customer visit",
        "category": "travel",
        "supplier": None,
        "amount": amount,
        "currency": "USD",
        "cost_center": "CC-SALES",
        "has_receipt": True,
        "status": "submitted",
        "note": None,
        "submitted_on": "2026-03-12",
        "decided_at": None,
        **more,
    }


def _variant(claim: Record, **records: tuple[Mapping[str, Any], ...]) -> VariantDraft:
    others = {name: tuple(dict(one) for one in listed) for name, listed in records.items()}
    inputs = {"request_id": claim["request_id"]}
    return VariantDraft(inputs, {"spend_requests": (claim,), **others})


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    limit = FIXED_LIMIT if choice["limit"] == "fixed" else TABLE_LIMIT
    at_the_top = {"employee_id": "EMP-101", "cost_center": "CC-OPS"}
    low = {"entry": "approval_limit/expense", "table": TABLE.id, "key": "expense", "value": 90}
    lowered = {} if choice["limit"] == "fixed" else {"lookup_entries": (low,)}
    found = [
        _variant(_claim(1, limit)),
        _variant(_claim(2, 41.9, has_receipt=False, employee_id="EMP-113")),
        _variant(_claim(3, limit + 0.5, employee_id="EMP-118", currency="EUR")),
        _variant(_claim(4, 2 * limit, **at_the_top)),
        _variant(_claim(5, 3 * limit, has_receipt=False, **at_the_top)),
        _variant(_claim(6, 120, employee_id="EMP-112", category="meals"), **lowered),
    ]
    if choice["decided"] == "skip":
        done = {"status": "approved", "decided_at": "2026-03-13T10:00:00"}
        found[4] = _variant(_claim(7, 75, **done))
        found.append(_variant(_claim(8, 900, has_receipt=False, status="needs_information")))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    limits = (TABLE,) if choice["limit"] == "table" else ()
    places = {"channel": (CHANNEL,), "ticket": (PROJECT, DIRECTOR), "manager": ()}
    asked = {
        "channel": "bring it up in chat",
        "ticket": "open an approval for it",
        "manager": "ask for the manager's word",
    }[choice["above"]]
    context = ["`request_id` always names an expense claim that finance has."]
    if choice["decided"] == "assume":
        context.append("The claim has the status “submitted” when the run starts.")
    return Draft(
        title=f"Decide an expense claim or {asked}",
        purpose="Finance runs this for one expense claim, so that clear cases need no clerk and "
        "the rest reaches somebody who may decide.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=tuple(context),
        resources=(*places[choice["above"]], *limits),
        templates=(CONFIRM,) if choice["above"] == "manager" else (OVER,),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="expense-approval",
    axes={
        "limit": ("fixed", "table"),
        "receipt": ("ask", "reject"),
        "above": ("channel", "ticket", "manager"),
        "decided": ("skip", "assume"),
    },
    build=build,
    picks=(
        {"limit": "fixed", "receipt": "ask", "above": "channel", "decided": "skip"},
        {"limit": "table", "receipt": "reject", "above": "manager", "decided": "assume"},
    ),
)
