"""A person is put into a group, once the owner of the group has approved it in an issue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    attempt,
    call,
    program,
    put,
    result,
    rule,
    when,
)
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

SECURITY = Resource(name="SEC", kind="project of the issue tracker", id="SEC", detail="Security")
ASKED = Template(name="approval summary", text="Access of {e-mail address} to {group name}")
BY_HAND = Template(
    name="manual work summary", text="Give access by hand: {e-mail address} to {group name}"
)
WELCOME = Template(name="access message", text="You are now in the group {group name}.")
REFUSED = "No access given: the owner of the group has not approved it."
WEAK = "No access yet: a second factor has to be set up first."


def _membership(choice: Choice) -> NodeData:
    member = call(
        "member",
        "access:set_membership",
        identity_id="${identity.identity_id}",
        group_id="${inputs.group_id}",
        action="add",
    )
    if choice["guard"] == "none":
        return member
    by_hand = call(
        "by_hand",
        "tracker:create_issue",
        project="SEC",
        issue_type="task",
        summary="Give access by hand: ${inputs.email} to ${group.name}",
    )
    return attempt("guard", [member], [by_hand, result("end_failed", outcome="failed")])


def _granting(choice: Choice) -> list[NodeData]:
    issue_id = "${inputs.issue_id}" if choice["approval"] == "given" else "${approved.0.issue_id}"
    is_member = {"in": [{"var": "inputs.group_id"}, {"var": "identity.group_ids"}]}
    is_weak = {"and": [{"var": "group.is_privileged"}, {"!": {"var": "identity.has_mfa"}}]}
    steps = [
        call("identity", "access:get_identity", email="${inputs.email}"),
        when("inside", is_member, [result("end_inside", outcome="already_member")]),
    ]
    if choice["second_factor"] != "none":
        comment = call("weak_note", "tracker:add_comment", issue_id=issue_id, text=WEAK)
        ending = result("end_weak", outcome="second_factor_missing")
        steps.append(when("weak", is_weak, [comment, ending]))
    steps.append(_membership(choice))
    if choice["notify"] == "chat":
        steps += [
            call("user", "chat:find_user", email="${inputs.email}"),
            call(
                "welcome",
                "chat:send_direct_message",
                user_id="${user.user_id}",
                text="You are now in the group ${group.name}.",
            ),
        ]
    return [*steps, result("end_granted", outcome="granted")]


def _given(choice: Choice) -> list[NodeData]:
    """The request is an issue that the run is given."""
    is_approved = {
        "and": [
            {"==": [{"var": "issue.status"}, "done"]},
            {"==": [{"var": "issue.resolution"}, "approved"]},
            {"==": [{"var": "issue.assignee"}, {"var": "group.owner_email"}]},
        ]
    }
    refuse = call("refuse", "tracker:add_comment", issue_id="${inputs.issue_id}", text=REFUSED)
    refusal = [refuse, result("end_refused", outcome="not_approved")]
    return [
        call("issue", "tracker:get_issue", issue_id="${inputs.issue_id}"),
        call("group", "access:get_group", group_id="${inputs.group_id}"),
        when("decision", is_approved, _granting(choice), refusal),
    ]


def _searched(choice: Choice) -> list[NodeData]:
    """The run looks for the approval itself, and asks for one where there is none."""
    is_approval = {"==": [{"var": "item.resolution"}, "approved"]}
    ask = call(
        "ask",
        "tracker:create_issue",
        project="SEC",
        issue_type="approval",
        summary="Access of ${inputs.email} to ${group.name}",
        assignee="${group.owner_email}",
        labels=["${group.name}"],
    )
    search = call(
        "found",
        "tracker:find_issues",
        project="SEC",
        issue_type="approval",
        status="done",
        assignee="${group.owner_email}",
        text="${inputs.email}",
    )
    return [
        call("group", "access:get_group", group_id="${inputs.group_id}"),
        {**search, "arguments": {**search["arguments"], "label": "${group.name}"}},
        put("keep", "approved", rule({"filter": [{"var": "found.issues"}, is_approval]})),
        when(
            "decision",
            {">": [{"length": {"var": "approved"}}, 0]},
            _granting(choice),
            [ask, result("end_asked", outcome="approval_asked")],
        ),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    is_given = choice["approval"] == "given"
    inputs: dict[str, Any] = {
        "email": {"type": "string", "description": "E-mail address of the person."},
        "group_id": {"type": "string", "description": "The group that the person wants to be in."},
    }
    if is_given:
        inputs["issue_id"] = {"type": "string", "description": "The issue that asks for access."}
    steps = _given(choice) if is_given else _searched(choice)
    return program(inputs, steps, {"outcome": {"type": "string"}})


def _given_sentences() -> list[Sentence]:
    return [
        Sentence(
            "The request is the issue of the tracker given as `issue_id`. It is read first, "
            "and after it the group given as `group_id` is looked up in access management; "
            "both are needed for every request.",
            (
                "input:issue_id",
                "call:issue",
                "input:group_id",
                "call:group",
                "order:issue<group",
            ),
        ),
        Sentence(
            "Access is approved only when the issue of the request has the status “done”, has "
            "the resolution “approved” and is assigned to the owner of the group. Otherwise "
            "it is not approved, and the person gets no access.",
            ("if:decision",),
        ),
        Sentence(
            f"An issue whose access is not approved gets the comment “{REFUSED}” and stays as "
            "it is in all else.",
            ("call:refuse",),
        ),
    ]


def _searched_sentences() -> list[Sentence]:
    return [
        Sentence(
            "The group is given as `group_id` and is looked up in access management, for its name "
            "and its owner.",
            ("input:group_id", "call:group"),
        ),
        Sentence(
            "The approval is looked for in the issue tracker: among the issues of the project SEC "
            "of the type “approval” with the status “done” that are assigned to the owner of the "
            "group, carry the name of the group as a label and have the person's e-mail address "
            "in the summary.",
            ("call:found",),
        ),
        Sentence(
            "Of the issues found only those with the resolution “approved” are approvals; where "
            "there are several, the first one listed is the one that counts.",
            ("set:keep",),
        ),
        Sentence(
            "With at least one approval the person is given access; with none, access is not "
            "given and the owner is asked.",
            ("if:decision",),
        ),
        Sentence(
            "Asking the owner means a new issue in the project SEC, of the type “approval”, with "
            "the approval summary, assigned to the owner of the group and with the name of the "
            "group as its only label.",
            ("call:ask",),
        ),
    ]


def _granting_sentences(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "The person is given as `email`; the person's sign-in identity is looked up in access "
            "management, but only once access turned out to be approved.",
            ("input:email", "call:identity"),
        ),
        Sentence(
            "A person whose identity is in the group already stays as is: nothing is changed, "
            "noted or sent, whatever else is true of the identity. This is looked at before "
            "anything else about the identity.",
            ("if:inside",),
        ),
        Sentence(
            "Giving access means that the person's identity is put into the group.",
            ("call:member",),
            {"add": "put into the group"},
        ),
    ]
    if choice["second_factor"] != "none":
        order = "order:weak<member" if choice["guard"] == "none" else "order:weak<guard"
        found += [
            Sentence(
                "A privileged group takes nobody in without a second factor: before the person is "
                "put into such a group, the identity is checked, and without a second factor "
                "access is not given. Everybody else may be put in, into a group that is not "
                "privileged even without a second factor.",
                ("if:weak", order),
            ),
            Sentence(
                "Where the second factor is missing for a privileged group, the issue with the "
                f"approval gets the comment “{WEAK}”",
                ("call:weak_note",),
            ),
        ]
    return [*found, *_membership_sentences(choice)]


def _membership_sentences(choice: Choice) -> list[Sentence]:
    found = []
    if choice["guard"] != "none":
        found += [
            Sentence(
                "If the identity cannot be put into the group, for whatever reason, this is not "
                "tried again: a task for manual work is opened and the run ends there.",
                ("try:guard",),
            ),
            Sentence(
                "A task for manual work is an issue in the project SEC, of the type “task”, with "
                "the manual work summary.",
                ("call:by_hand",),
            ),
        ]
    if choice["notify"] == "chat":
        order = "order:member<user" if choice["guard"] == "none" else "order:guard<user"
        found += [
            Sentence(
                "Only after the identity has been put into the group is the person looked up in "
                "the chat, by e-mail address.",
                ("call:user", order),
            ),
            Sentence(
                "A person who has been put into the group gets the access message as a direct "
                "message in the chat.",
                ("call:welcome",),
            ),
        ]
    return found


def _result_sentence(choice: Choice) -> Sentence:
    parts = ["“granted” when the person was put in", "“already_member” when already in the group"]
    covers = ["return:end_granted", "return:end_inside"]
    if choice["second_factor"] != "none":
        parts.append("“second_factor_missing” when that held access back")
        covers.append("return:end_weak")
    if choice["guard"] != "none":
        parts.append("“failed” when the person could not be put in")
        covers.append("return:end_failed")
    if choice["approval"] == "given":
        parts.append("“not_approved” when access was not approved")
        covers.append("return:end_refused")
    else:
        parts.append("“approval_asked” when the owner was asked")
        covers.append("return:end_asked")
    return Sentence(f"The run returns `outcome`: {', '.join(parts)}.", tuple(covers))


def _issue(number: int, email: str, group: str, owner: str, **more: Any) -> Record:
    return {
        "issue_id": f"ISS-85{number}",
        "project": "SEC",
        "issue_type": "approval",
        "summary": f"Access of {email} to {group}",
        "description": "Owner of the group has to agree.",
        "status": "done",
        "priority": "medium",
        "reporter": email,
        "assignee": owner,
        "labels": [group],
        "due_on": None,
        "parent_id": None,
        "resolution": "approved",
        "created_at": "2026-03-12T09:00:00",
        "updated_at": "2026-03-13T09:00:00",
        **more,
    }


GROUPS = {
    "GRP-971": ("engineering", "tomas.ferreira@example.com"),
    "GRP-974": ("warehouse-writers", "wen.castellan@example.com"),
    "GRP-975": ("production-admins", "tomas.ferreira@example.com"),
}


def _run(
    choice: Choice,
    number: int,
    person: str,
    group_id: str,
    more: Record,
    beside: Sequence[Record] = (),
    faults: Sequence[Fault] = (),
) -> VariantDraft:
    email = f"{person}@example.com"
    group, owner = GROUPS[group_id]
    issue = _issue(number, email, group, owner, **more)
    inputs = {"email": email, "group_id": group_id}
    if choice["approval"] == "given":
        inputs["issue_id"] = str(issue["issue_id"])
    return VariantDraft(inputs, {"tracker_issues": (issue, *beside)}, tuple(faults))


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    amara, hana, security = "amara.quist", "hana.kowal", "soren.achebe@example.com"
    other = _issue(9, f"{amara}@example.com", "engineering", GROUPS["GRP-971"][1])
    again = _issue(8, f"{amara}@example.com", "warehouse-writers", GROUPS["GRP-974"][1])
    rejected: Record = {"resolution": "rejected"}
    writers = (f"{hana}@example.com", "warehouse-writers", GROUPS["GRP-974"][1])
    before, later = _issue(0, *writers, resolution="rejected"), _issue(7, *writers)
    found = [
        _run(choice, 1, amara, "GRP-974", {}, [again]),
        _run(choice, 2, amara, "GRP-974", rejected, [other]),
        _run(choice, 3, "yuki.harmon", "GRP-975", {"assignee": security}),
        _run(choice, 4, "kofi.brandao", "GRP-975", {}),
        _run(choice, 5, hana, "GRP-974", {}, [before, later]),
        _run(choice, 6, hana, "GRP-971", {}),
        _run(choice, 7, "felix.oduya", "GRP-971", {"status": "in_review", "resolution": None}),
    ]
    if choice["second_factor"] == "none":
        found.pop(5)
    if choice["guard"] != "none":
        down = Fault(tool="mcp.access:set_membership", kind=FaultKind.PERMANENT)
        found[-1] = _run(choice, 7, "paula.dietz", "GRP-971", {})
        found.append(_run(choice, 8, "bruno.adeyemi", "GRP-974", {}, faults=[down]))
    return tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    templates = [ASKED] if choice["approval"] == "searched" else []
    templates += [BY_HAND] if choice["guard"] != "none" else []
    templates += [WELCOME] if choice["notify"] == "chat" else []
    is_given = choice["approval"] == "given"
    return Draft(
        title="Give a person access to a group",
        purpose="IT runs this whenever somebody is to get the rights of a group, so that nobody "
        "gets them without the word of the group's owner.",
        program=_program(choice),
        sentences=(
            *(_given_sentences() if is_given else _searched_sentences()),
            *_granting_sentences(choice),
            _result_sentence(choice),
        ),
        context=("Every person who is asked for has a sign-in identity and a chat account.",),
        resources=() if is_given and choice["guard"] == "none" else (SECURITY,),
        templates=tuple(templates),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="access-provisioning",
    axes={
        "approval": ("given", "searched"),
        "second_factor": ("none", "privileged"),
        "guard": ("none", "task"),
        "notify": ("none", "chat"),
    },
    build=build,
    picks=(
        {"approval": "given", "second_factor": "none", "guard": "none", "notify": "none"},
        {"approval": "searched", "second_factor": "privileged", "guard": "task", "notify": "chat"},
    ),
)
