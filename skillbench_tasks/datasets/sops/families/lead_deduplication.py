"""Leads that stand twice: one is kept, the others are marked, what cannot be is checked by hand."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.ledger import ledger_of
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

HEAD = Resource(
    name="Head of Sales", kind="person", id="marta.okonjo@example.com", detail="e-mail address"
)
CHECK = Template(
    name="check subject", text="Check by hand whether {id of the lead} doubles {id of the other}"
)

_OLDER = {"<=": [{"var": "first.fields.created_at"}, {"var": "second.fields.created_at"}]}
_ONE, _OTHER = {"var": "inputs.first_id"}, {"var": "inputs.second_id"}


def _names(choice: Choice) -> tuple[str, str]:
    """Return the inputs of a run over a pair: the lead to mark first, where that is given."""
    given = choice["survivor"] == "given"
    return ("duplicate_id", "original_id") if given else ("first_id", "second_id")


def _by_hand(choice: Choice, lead: str, other: str, detail: str) -> list[NodeData]:
    """Return what is done about a lead that is not marked."""
    if choice["unfit"] == "task":
        subject = f"Check by hand whether {lead} doubles {other}"
        fields = {"subject": subject, "owner_email": HEAD.id}
        return [call("task", "sales:create_record", object="task", fields=fields)]
    if choice["unfit"] == "log":
        more = {"outcome": "skipped", "subject": lead, "detail": detail}
        return [call("log", "automation:log_run", procedure="lead-deduplication", **more)]
    return []


def _pair(choice: Choice) -> dict[str, Any]:
    one, other = _names(choice)
    marked, kept = f"${{inputs.{one}}}", f"${{inputs.{other}}}"
    do: list[NodeData] = []
    if choice["survivor"] == "oldest" or choice["inherit"] == "score":
        do += [call("first", "sales:get_record", record_id=marked)]
        do += [call("second", "sales:get_record", record_id=kept)]
    if choice["survivor"] == "oldest":
        do += [put("kept", "kept_id", rule({"if": [_OLDER, _ONE, _OTHER]}))]
        do += [put("dropped", "dropped_id", rule({"if": [_OLDER, _OTHER, _ONE]}))]
        marked, kept = "${dropped_id}", "${kept_id}"
    fields = {"status": "duplicate", "duplicate_of": kept}
    do.append(call("mark", "sales:update_record", record_id=marked, fields=fields))
    if choice["inherit"] == "score":
        best = rule({"max": [{"var": "first.fields.score"}, {"var": "second.fields.score"}]})
        do.append(call("raise", "sales:update_record", record_id=kept, fields={"score": best}))
    do.append(result("marked", outcome="marked", reason="none"))
    by_hand = _by_hand(choice, f"${{inputs.{one}}}", f"${{inputs.{other}}}", "${problem.code}")
    failed = result("failed", outcome="not_marked", reason="${problem.code}")
    inputs = {
        name: {"type": "string", "description": "Id of a lead in the CRM."} for name in (one, other)
    }
    output = {"outcome": {"type": "string"}, "reason": {"type": "string"}}
    return program(inputs, [attempt("marking", do, [*by_hand, failed], "problem")], output)


def _search(choice: Choice) -> str:
    same = (
        "email = '${lead.fields.email}'"
        if choice["find"] == "email"
        else "company = '${lead.fields.company}' AND region = '${lead.fields.region}'"
    )
    fields = "lead_id, status, score" if choice["inherit"] == "score" else "lead_id, status"
    but = " AND lead_id != '${inputs.lead_id}'" if choice["survivor"] == "given" else ""
    return (
        f"SELECT {fields} FROM lead WHERE {same} AND status != 'duplicate'{but} ORDER BY created_at"
    )


def _sweep(choice: Choice) -> dict[str, Any]:
    is_given = choice["survivor"] == "given"
    kept = "${inputs.lead_id}" if is_given else "${found.records.0.lead_id}"
    first = {"var": "found.records.0.lead_id"}
    others = rule({"filter": [{"var": "found.records"}, {"!=": [{"var": "item.lead_id"}, first]}]})
    fields = {"status": "duplicate", "duplicate_of": kept}
    marking = [
        call("mark", "sales:update_record", record_id="${other.lead_id}", fields=fields),
        put("count", "marked", rule({"+": [{"var": "marked"}, 1]})),
    ]
    is_open = {"in": [{"var": "other.status"}, ["new", "working"]]}
    by_hand = _by_hand(choice, "${other.lead_id}", kept, "${other.status}")
    steps = [
        put("start", "marked", 0),
        call("lead", "sales:get_record", record_id="${inputs.lead_id}"),
        call("found", "sales:query", query=_search(choice)),
        each(
            "sweep",
            "${found.records}" if is_given else others,
            "other",
            [when("open", is_open, marking, by_hand)],
        ),
    ]
    if choice["inherit"] == "score":
        best = {"max": [{"var": "accumulator"}, {"var": "item.score"}]}
        own = {"var": "lead.fields.score"}
        score = rule({"reduce": [{"var": "found.records"}, best, own]})
        steps.append(call("raise", "sales:update_record", record_id=kept, fields={"score": score}))
    return program(
        {"lead_id": {"type": "string", "description": "Id of a lead in the CRM."}},
        [*steps, result("end", marked="${marked}")],
        {"marked": {"type": "integer"}},
    )


def _pair_reading(choice: Choice, orders: set[str]) -> list[Sentence]:
    one, other = _names(choice)
    found: list[Sentence] = []
    if "order:first<second" in orders:
        text = (
            f"The CRM records of both leads are opened by their ids: first that of `{one}`, after "
            f"it that of `{other}`, both before anything is changed."
        )
        covers = ("call:first", "call:second", *sorted(orders - {"order:mark<raise"}))
        found.append(Sentence(text, covers))
    if choice["survivor"] == "oldest":
        found.append(
            Sentence(
                "Of the two leads the one that was created earlier is kept; if both were created "
                f"at the same time, `{one}` is. The remaining one is the duplicate.",
                ("set:kept", "set:dropped"),
            )
        )
    if choice["inherit"] == "score":
        found.append(
            Sentence(
                "When the duplicate has been marked, the score of the lead that is kept is set to "
                "the higher one of the scores of the two, even if that is the score it has.",
                ("call:raise", "order:mark<raise"),
            )
        )
    return found


def _by_hand_sentence(choice: Choice, lead: str, other: str, detail: str) -> list[Sentence]:
    if choice["unfit"] == "task":
        text = (
            "A check by hand is asked for with one CRM task: its subject is the check subject, "
            f"which names first {lead} and second {other}; the Head of Sales is its owner; no "
            "other field is filled in."
        )
        return [Sentence(text, ("call:task",))]
    if choice["unfit"] == "log":
        text = (
            "A line in the automation platform's run log names the procedure “lead-deduplication”, "
            f"the outcome “skipped”, {lead} as its subject, and {detail} as its detail."
        )
        return [Sentence(text, ("call:log",))]
    return []


_ASIDE = {
    "task": "a check by hand is asked for",
    "log": "a line is written into the run log",
    "leave": "nothing else is done",
}


def _pair_sentences(choice: Choice, orders: set[str]) -> tuple[Sentence, ...]:
    one, other = _names(choice)
    given = choice["survivor"] == "given"
    opening = (
        "The run is given two leads by their ids: `duplicate_id` is the duplicate, `original_id` "
        "the lead that is kept."
        if given
        else "The run is given two leads by their ids, `first_id` and `second_id`."
    )
    reads = "order:first<second" in orders
    what = "opening the records or changing a lead" if reads else "changing the duplicate"
    return (
        Sentence(opening, (f"input:{one}", f"input:{other}")),
        *_pair_reading(choice, orders),
        Sentence(
            "Marking is one change of the duplicate in the CRM: its status becomes “duplicate” and "
            "its field duplicate_of the id of the lead that is kept."
            + ("" if reads else " Neither lead is read or checked before."),
            ("call:mark",),
        ),
        Sentence(
            f"If {what} in the CRM fails, whatever the reason, {'the rest is left out, ' * reads}"
            f"{_ASIDE[choice['unfit']]}, and the run ends without another attempt.",
            ("try:marking",),
        ),
        *_by_hand_sentence(choice, f"`{one}`", f"`{other}`", "the code of the error"),
        Sentence(
            "A run without a failure returns `outcome` “marked” and `reason` “none”.",
            ("return:marked",),
        ),
        Sentence(
            "A run with a failure returns `outcome` “not_marked”, and as `reason` the code of the "
            "error.",
            ("return:failed",),
        ),
    )


def _finding(choice: Choice) -> list[Sentence]:
    by_email = choice["find"] == "email"
    same = "e-mail address" if by_email else "company and the same region"
    but = " without" if choice["survivor"] == "given" else " including"
    fields = "`lead_id`, `status` and `score`" if choice["inherit"] == "score" else ""
    kept = (
        "The lead given as `lead_id` is the one that is kept; every lead that the search finds is "
        "taken up, one after the other in the order of the search."
        if choice["survivor"] == "given"
        else "The first lead that the search finds is the one that is kept, whether or not it is "
        "the one given; every further lead found is taken up, one after the other in the order of "
        "the search."
    )
    return [
        Sentence(
            "The run is given one lead as `lead_id`; its CRM record is opened by that id, to learn "
            f"its {same.replace(' and the same', ' and its')}.",
            ("input:lead_id", "call:lead"),
        ),
        Sentence(
            f"One query in the CRM finds all leads with the same {same},{but} the lead given and "
            "leaving out those whose status is “duplicate”. It returns "
            f"{fields or '`lead_id` and `status`'} of each, sorted by the time of creation, oldest "
            "first.",
            ("call:found",),
            {_search(choice): f"finds all leads with the same {same}"},
        ),
        Sentence(kept, ("each:sweep",)),
    ]


def _sweep_sentences(choice: Choice) -> tuple[Sentence, ...]:
    found = [
        *_finding(choice),
        Sentence(
            "A lead that is taken up is marked when its status is “new” or “working”. In any other "
            f"status it is not changed; for it {_ASIDE[choice['unfit']]}.",
            ("if:open",),
        ),
        Sentence(
            "Marking is one change of the lead in the CRM: its status becomes “duplicate” and its "
            "field duplicate_of the id of the lead that is kept.",
            ("call:mark",),
        ),
        *_by_hand_sentence(
            choice, "the id of the lead taken up", "that of the lead kept", "that lead's status"
        ),
        Sentence(
            "The run returns as `marked` how many leads it has marked, 0 if there were none.",
            ("return:end", "set:count"),
        ),
    ]
    if choice["inherit"] == "score":
        found.append(
            Sentence(
                "After all leads have been dealt with, the score of the lead that is kept is set, "
                "in every run, to the highest score among the given lead and all leads that the "
                "query found, even if that is the score it has.",
                ("call:raise", "order:sweep<raise"),
            )
        )
    return tuple(found)


def _lead(number: int, name: str, status: str, created_on: str, **more: Any) -> Record:
    return {
        "lead_id": f"LEA-86{number}",
        "name": name,
        "company": "Larkspur Optics",
        "email": "buying@larkspur.example.net",
        "source": "web",
        "score": number,
        "region": "emea",
        "status": status,
        "owner_email": None,
        "duplicate_of": None,
        "converted_account_id": None,
        "created_at": f"{created_on}T11:00:00",
        **more,
    }


_ELSEWHERE = {"company": "Larkspur Optical", "email": "sales@larkspur.example.net"}
_CONVERTED = {"converted_account_id": "ACC-406", "owner_email": "mei.tanabe@example.com"}


def _pair_variants(choice: Choice) -> tuple[VariantDraft, ...]:
    one, other = _names(choice)
    old = _lead(21, "Sofia Reyes", "working", "2026-01-12")
    new = _lead(22, "S. Reyes", "new", "2026-03-10")
    again = _lead(23, "Sofia R.", "duplicate", "2026-03-11", duplicate_of="LEA-441")
    done = _lead(24, "Sofia Reyes", "qualified", "2026-03-12", **_CONVERTED)
    sold = _lead(25, "Hugo Stein", "qualified", "2025-11-04", **_CONVERTED)

    def variant(a: str, b: str, *faults: Fault) -> VariantDraft:
        return VariantDraft(
            {one: a, other: b}, {"sales_leads": (old, new, again, done, sold)}, faults
        )

    refused = Fault(tool="mcp.sales:update_record", kind=FaultKind.PERMANENT, occurrences=(1,))
    return (
        variant("LEA-8622", "LEA-8621"),
        variant("LEA-8623", "LEA-8621"),
        variant("LEA-8622", "LEA-8699"),
        variant("LEA-8624", "LEA-8621"),
        variant("LEA-8623", "LEA-8625"),
        variant("LEA-8623", "LEA-8622", refused),
    )


def _sweep_variants(choice: Choice) -> tuple[VariantDraft, ...]:
    # a converted lead takes no new score
    sold = {} if choice["inherit"] == "score" else _CONVERTED

    def variant(given: Record, *others: Record) -> VariantDraft:
        return VariantDraft({"lead_id": given["lead_id"]}, {"sales_leads": (given, *others)})

    near = _lead(39, "Sofia Reyes", "new", "2026-01-02", **_ELSEWHERE)
    seen = _lead(38, "Sofia Reyes", "duplicate", "2025-12-02", duplicate_of="LEA-8639")
    fresh = _lead(31, "Sofia Reyes", "new", "2026-03-13")
    return (
        variant(fresh, near, seen),
        variant(fresh, _lead(32, "S. Reyes", "working", "2026-02-03"), near),
        variant(
            _lead(33, "Sofia Reyes", "working", "2026-02-10"),
            _lead(34, "Nils Adler", "qualified", "2026-01-20", **sold),
            _lead(35, "Sofia Reyes", "new", "2026-03-14"),
            _lead(36, "Reyes", "disqualified", "2026-03-02"),
        ),
        variant(
            _lead(37, "Ola Finn", "working", "2025-10-05"),
            _lead(40, "Ola Finn", "disqualified", "2026-03-09", score=88),
            seen,
            near,
        ),
        variant(
            _lead(41, "Sofia Reyes", "qualified", "2026-02-24", **sold),
            _lead(42, "Sofia Reyes", "new", "2026-03-05"),
            _lead(43, "Sofia Reyes", "working", "2026-01-30"),
        ),
    )


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_pair = choice["find"] == "pair"
    made = _pair(choice) if is_pair else _sweep(choice)
    orders = {item.id for item in ledger_of(made) if item.kind == "order"}
    context = ["The lead given is not marked as a duplicate itself."]
    if choice["inherit"] == "score":
        context.append("The lead that is kept has not been converted.")
    has_task = choice["unfit"] == "task"
    return Draft(
        title="Mark one lead as a duplicate" if is_pair else "Sweep up the duplicates of a lead",
        purpose="Marketing operations runs this when two leads turn out to be the same person, so "
        "that nobody is called twice."
        if is_pair
        else "Marketing operations runs this for a lead that may have come in more than once, so "
        "that one of its records is worked on and the others are out of the way.",
        program=made,
        sentences=_pair_sentences(choice, orders) if is_pair else _sweep_sentences(choice),
        context=() if is_pair else tuple(context),
        resources=(HEAD,) if has_task else (),
        templates=(CHECK,) if has_task else (),
        variants=_pair_variants(choice) if is_pair else _sweep_variants(choice),
    )


FAMILY = Family(
    name="lead-deduplication",
    axes={
        "find": ("pair", "email", "company"),
        "survivor": ("given", "oldest"),
        "unfit": ("task", "leave", "log"),
        "inherit": ("none", "score"),
    },
    build=build,
    picks=(
        {"find": "email", "survivor": "oldest", "unfit": "task", "inherit": "none"},
        {"find": "pair", "survivor": "given", "unfit": "task", "inherit": "none"},
    ),
)
