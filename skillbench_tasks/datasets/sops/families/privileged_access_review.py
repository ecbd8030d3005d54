"""What a review of a group decided: memberships are withdrawn, or a seat passes on."""

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
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

APPROVALS = Resource(name="#security-approvals", kind="chat channel", id="CHN-310")
SECURITY = Resource(name="SEC", kind="project of the issue tracker", id="SEC", detail="Security")
WITHDRAWN = Template(name="review text", text="Review of {group id}: {number} withdrawn.")
PASSED = Template(
    name="review text", text="Review of {group id}: seat passed to {new holder's e-mail address}."
)


def _membership(label: str, identity: str, action: str) -> NodeData:
    return call(
        label,
        "access:set_membership",
        identity_id=f"${{{identity}.identity_id}}",
        group_id="${inputs.group_id}",
        action=action,
    )


def _appending(label: str, name: str, path: str) -> NodeData:
    return put(label, name, rule({"merge": [{"var": name}, {"var": path}]}))


def _withdrawing(choice: Choice) -> list[NodeData]:
    one = [
        call("identity", "access:get_identity", email="${email}"),
        _membership("withdraw", "identity", "remove"),
        _appending("done", "withdrawn", "identity.display_name"),
    ]
    if choice["guard"] != "none":
        one = [attempt("guard", one, [_appending("left", "not_withdrawn", "email")])]
    return [each("decided", "${inputs.emails}", "email", one)]


def _handing_over(choice: Choice) -> list[NodeData]:
    give: NodeData = _membership("give", "holder", "add")
    if choice["guard"] != "none":
        back = [_membership("back", "former", "add"), result("end_back", passed_on=False)]
        give = attempt("guard", [give], back)
    return [
        call("former", "access:get_identity", email="${inputs.from_email}"),
        call("holder", "access:get_identity", email="${inputs.to_email}"),
        _membership("take", "former", "remove"),
        give,
    ]


def _recording(choice: Choice) -> list[NodeData]:
    text = "Review of ${inputs.group_id}: ${count} withdrawn."
    if choice["task"] == "handover":
        text = "Review of ${inputs.group_id}: seat passed to ${inputs.to_email}."
    if choice["record"] == "none":
        return []
    counting = [put("counted", "count", rule({"length": {"var": "withdrawn"}}))]
    before = counting if choice["task"] == "withdraw" else []
    if choice["record"] == "chat":
        return [*before, call("record", "chat:post_message", channel_id=APPROVALS.id, text=text)]
    issue = call("record", "tracker:create_issue", project="SEC", issue_type="task", summary=text)
    return [*before, issue]


def _ending(choice: Choice, withdrawn: Any, left: Any, label: str) -> NodeData:
    if choice["task"] == "handover":
        return result(label, passed_on=label == "end")
    if choice["guard"] == "none":
        return result(label, withdrawn=withdrawn)
    return result(label, withdrawn=withdrawn, not_withdrawn=left)


def _program(choice: Choice) -> dict[str, Any]:
    address = {"type": "string"}
    names = {"type": "array", "items": {"type": "string"}}
    inputs: dict[str, Any] = {"group_id": {"type": "string", "description": "The group."}}
    output: dict[str, Any] = {"passed_on": {"type": "boolean"}}
    steps: list[NodeData] = []
    is_withdrawal = choice["task"] == "withdraw"
    if choice["groups"] == "privileged":
        is_plain = {"!": {"var": "group.is_privileged"}}
        steps = [
            call("group", "access:get_group", group_id="${inputs.group_id}"),
            when("ordinary", is_plain, [_ending(choice, [], [], "end_ordinary")]),
        ]
    if is_withdrawal:
        text = "E-mail addresses of those whose membership ends."
        inputs["emails"] = {"type": "array", "items": address, "description": text}
        output = {"withdrawn": names}
        steps.append(put("start", "withdrawn", []))
        if choice["guard"] != "none":
            output["not_withdrawn"] = names
            steps.append(put("start_left", "not_withdrawn", []))
        steps += _withdrawing(choice)
    else:
        inputs["from_email"] = {**address, "description": "Who gives the seat up."}
        inputs["to_email"] = {**address, "description": "Who gets the seat."}
        steps += _handing_over(choice)
    ending = _ending(choice, "${withdrawn}", "${not_withdrawn}", "end")
    return program(inputs, [*steps, *_recording(choice), ending], output)


def _withdrawal_sentences(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "The persons whose membership ends are given as `emails`, by their e-mail addresses; "
            "they are dealt with one after the other, in that order.",
            ("input:emails", "each:decided"),
        ),
        Sentence(
            "The sign-in identity of each such person is read from access management by e-mail "
            "address just before the membership of that person is withdrawn.",
            ("call:identity",),
        ),
        Sentence(
            "Withdrawing a membership means that the identity is taken out of the reviewed group "
            "and nothing else about the identity is changed.",
            ("call:withdraw",),
            {"remove": "taken out of"},
        ),
    ]
    text = (
        "The run returns `withdrawn`: the display names of the identities that were taken out, in "
        "the order in which that was done."
    )
    covers = ["return:end", "set:done"]
    if choice["guard"] != "none":
        text += (
            " Beside it the run returns `not_withdrawn`: the addresses, as they were given, of "
            "those for whom a step failed, in the order in which that happened."
        )
        covers.append("set:left")
        found.append(
            Sentence(
                "If a person has no identity or cannot be taken out, for whatever reason, nothing "
                "more is tried for that person and the run goes on with the next.",
                ("try:guard",),
            )
        )
    return [*found, Sentence(text, tuple(covers))]


def _handover_sentences(choice: Choice) -> list[Sentence]:
    order = "order:take<give" if choice["guard"] == "none" else "order:take<guard"
    found = [
        Sentence(
            "Both identities are read from access management: first that of the former holder, "
            "who is given by e-mail address as `from_email`, and after it that of the new holder, "
            "who is given by e-mail address as `to_email`.",
            (
                "input:from_email",
                "input:to_email",
                "call:former",
                "call:holder",
                "order:former<holder",
            ),
        ),
        Sentence(
            "The former holder's identity is taken out of the group.",
            ("call:take",),
            {"remove": "taken out of"},
        ),
        Sentence(
            "The new holder's identity is put into the group.", ("call:give",), {"add": "put into"}
        ),
        Sentence(
            "The number of seats is limited, so the order is: both identities are read; the former "
            "holder's is taken out; the new holder's is put in.",
            ("order:holder<take", order),
        ),
    ]
    if choice["guard"] == "none":
        text = "The run returns `passed_on` as true."
        return [*found, Sentence(text, ("return:end",))]
    found.append(
        Sentence(
            "If the new holder cannot be put into the group, for whatever reason, the former "
            "holder is added to it again at once, and the run ends without a second attempt.",
            ("try:guard", "call:back"),
        )
    )
    text = (
        "The run returns `passed_on`: true when the new holder was put into the group, false when "
        "the former holder had to be added again."
    )
    return [*found, Sentence(text, ("return:end", "return:end_back"))]


def _record_sentences(choice: Choice) -> list[Sentence]:
    if choice["record"] == "none":
        return []
    guarded = choice["guard"] != "none"
    order = "order:guard<record" if guarded else "order:give<record"
    covers = ["call:record", order]
    when_done = "Once the seat has passed on"
    if choice["task"] == "withdraw":
        covers = ["call:record", "set:counted"]
        when_done = "Once all persons have been dealt with, also when there was none"
    what = "the review text is posted in #security-approvals"
    if choice["record"] == "issue":
        what = "an issue of the type “task” is opened in the project SEC, with the review text as "
        what += "its summary"
    number = ""
    if choice["task"] == "withdraw":
        number = "; its number is how many memberships were withdrawn"
    return [Sentence(f"{when_done}, {what}{number}.", tuple(covers))]


def _group_sentence(choice: Choice) -> Sentence:
    if choice["groups"] == "any":
        return Sentence(
            "The reviewed group is the one given as `group_id`; it is not read itself.",
            ("input:group_id",),
        )
    nothing = "`passed_on` is false"
    order = "order:group<former"
    if choice["task"] == "withdraw":
        order = "order:group<decided"
        nothing = "`withdrawn` is an empty list"
        if choice["guard"] != "none":
            nothing = "both returned lists are empty"
    return Sentence(
        "The reviewed group is the one given as `group_id`. It is read from access management "
        "before anything else is done: only a privileged one goes on, and for a group that is not "
        f"privileged the run ends without any change and {nothing}.",
        ("input:group_id", "call:group", "if:ordinary", "return:end_ordinary", order),
    )


def _identity(number: int, **changes: Any) -> Record:
    """Return an identity of the workspace, changed."""
    record = base_world().get("identities", f"IDN-{number}")
    assert record is not None
    return {**record, **changes}


def _withdrawals(choice: Choice) -> list[VariantDraft]:
    def run(group: str, *people: str, faults: Sequence[Fault] = (), **records: Any) -> VariantDraft:
        emails = [f"{one}@example.com" for one in people]
        return VariantDraft({"group_id": group, "emails": emails}, records, tuple(faults))

    renamed = (_identity(117, display_name="Ivo K. Petrov"),)
    found = [
        run("GRP-975"),
        run("GRP-974", "wen.castellan"),
        run("GRP-975", "kofi.brandao", "ivo.petrov", identities=renamed),
        run("GRP-975", "Elin.Vasquez", "Kofi.Brandao", "ivo.petrov"),
        run("GRP-975", "ivo.petrov", identities=(_identity(117, status="suspended"),)),
    ]
    if choice["groups"] != "any":
        found.append(run("GRP-971", "ivo.petrov"))
    if choice["guard"] != "none":
        down = Fault(
            tool="mcp.access:set_membership",
            kind=FaultKind.PERMANENT,
            where={"identity_id": "IDN-118"},
        )
        found += [
            run("GRP-975", "amara.quist", "elin.vasquez", "tessa.rowan"),
            run("GRP-975", "kofi.brandao", "elin.vasquez", faults=[down]),
        ]
    return found


def _handovers(choice: Choice) -> list[VariantDraft]:
    def run(
        group: str, old: str, new: str, faults: Sequence[Fault] = (), **records: Any
    ) -> VariantDraft:
        inputs = {
            "group_id": group,
            "from_email": f"{old}@example.com",
            "to_email": f"{new}@example.com",
        }
        return VariantDraft(inputs, records, tuple(faults))

    found = [
        run("GRP-975", "ivo.petrov", "dario.menon"),
        run("GRP-974", "wen.castellan", "bruno.adeyemi"),
        run("GRP-974", "Wen.Castellan", "hana.kowal"),
        run(
            "GRP-975",
            "kofi.brandao",
            "soren.achebe",
            identities=(_identity(118, status="suspended"),),
        )
        if choice["guard"] == "none"
        else run("GRP-975", "kofi.brandao", "soren.achebe"),
        run("GRP-975", "elin.vasquez", "yuki.harmon", identities=(_identity(121, has_mfa=False),)),
    ]
    if choice["groups"] != "any":
        found.append(run("GRP-973", "greta.nwosu", "bruno.adeyemi"))
    if choice["guard"] != "none":
        down = Fault(
            tool="mcp.access:set_membership",
            kind=FaultKind.TRANSIENT,
            where={"identity_id": "IDN-108"},
        )
        found[3] = run("GRP-975", "kofi.brandao", "soren.achebe", [down])
        found += [
            run("GRP-974", "wen.castellan", "paula.dietz"),
            run("GRP-975", "ivo.petrov", "elin.vasquez"),
        ]
    return found


def _context(choice: Choice) -> str:
    if choice["task"] == "handover":
        return "Both persons have a sign-in identity, and the former holder is in the group."
    if choice["guard"] == "none":
        return "Every address in the list belongs to a sign-in identity that is in the group."
    return "The list may name persons who have left, or who never were in the group."


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_withdrawal = choice["task"] == "withdraw"
    sentences = _withdrawal_sentences(choice) if is_withdrawal else _handover_sentences(choice)
    template = WITHDRAWN if is_withdrawal else PASSED
    resources = {"none": (), "chat": (APPROVALS,), "issue": (SECURITY,)}
    title = "Withdraw memberships after a review" if is_withdrawal else "Pass on a seat in a group"
    return Draft(
        title=title,
        purpose="Security runs this after each quarterly review of a group with special rights, to "
        "carry out what its owner has decided.",
        program=_program(choice),
        sentences=(*sentences, _group_sentence(choice), *_record_sentences(choice)),
        context=(_context(choice),),
        resources=resources[choice["record"]],
        templates=() if choice["record"] == "none" else (template,),
        variants=tuple(_withdrawals(choice) if is_withdrawal else _handovers(choice)),
    )


FAMILY = Family(
    name="privileged-access-review",
    axes={
        "task": ("withdraw", "handover"),
        "guard": ("none", "handled"),
        "record": ("none", "chat", "issue"),
        "groups": ("any", "privileged"),
    },
    build=build,
    picks=(
        {"task": "withdraw", "guard": "none", "record": "none", "groups": "any"},
        {"task": "handover", "guard": "handled", "record": "none", "groups": "any"},
    ),
)
