"""A new employee: sign-in, groups, equipment and a manager who knows."""

from __future__ import annotations

from typing import Any, Final

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

ALL_STAFF = Resource(name="all-staff", kind="access group", id="GRP-976")
TEAM_TABLE = Resource(
    name="department_group",
    kind="lookup table of the automation platform",
    id="department_group",
    detail="department name → id of the department's access group",
)
SUPPLY = Resource(name="Yuki Harmon", kind="procurement", id="yuki.harmon@example.com")
OPERATIONS = Resource(name="Operations", kind="issue tracker project", id="OPS")
PEOPLE = Resource(name="People", kind="issue tracker project", id="PEO")

EQUIPMENT = Template(name="equipment summary", text="Equipment for {name}")
FIRST_WEEK = Template(name="first week summary", text="Plan the first week of {name}")
WELCOME = Template(
    name="manager notice", text="{name} starts on {first day} in {place}. The sign-in is ready."
)


def _guarded(choice: Choice) -> bool:
    """Return whether a run may end early, so that its output says how it ended."""
    return choice["guard"] == "status" or choice["identity"] == "recover"


def _identity(choice: Choice) -> list[NodeData]:
    account = call(
        "account",
        "access:create_identity",
        email="${person.email}",
        display_name="${person.name}",
    )
    if choice["identity"] == "new":
        return [account, put("opened", "identity", "${account}")]
    closed = {"==": [{"var": "old.status"}, "deactivated"]}
    asleep = {"==": [{"var": "old.status"}, "suspended"]}
    wake = call(
        "wake", "access:set_identity_status", identity_id="${old.identity_id}", status="active"
    )
    keep = [
        call("old", "access:get_identity", email="${person.email}"),
        when("closed", closed, [result("end_closed", outcome="identity_closed", identity_id=None)]),
        when("asleep", asleep, [wake]),
        put("kept", "identity", "${old}"),
    ]
    return [
        put("nobody", "identity", None),
        attempt("opening", [account, put("opened", "identity", "${account}")], keep),
    ]


def _member(label: str, group: str, choice: Choice) -> NodeData:
    join = call(
        label,
        "access:set_membership",
        identity_id="${identity.identity_id}",
        group_id=group,
        action="add",
    )
    if choice["identity"] == "new":
        return join
    member = {"var": group[2:-1]} if group.startswith("${") else group
    outside = {"!": [{"in": [member, {"var": "identity.group_ids"}]}]}
    return when(f"{label}_needed", outside, [join])


def _groups(choice: Choice) -> list[NodeData]:
    staff = _member("staff", ALL_STAFF.id, choice)
    if choice["groups"] == "staff":
        return [staff]
    team = call("team", "automation:lookup_entry", table=TEAM_TABLE.id, key="${person.department}")
    join = _member("team_join", "${team.value}", choice)
    return [staff, team, join]


def _equipment(choice: Choice) -> list[NodeData]:
    if choice["equipment"] == "none":
        return []
    order = call(
        "equip",
        "tracker:create_issue",
        project=OPERATIONS.id,
        issue_type="task",
        summary="Equipment for ${person.name}",
        assignee=SUPPLY.id,
        due_on=rule({"add_days": [{"var": "person.start_date"}, -5]}),
    )
    return [order]


def _notice(choice: Choice) -> list[NodeData]:
    manager = call("manager", "people:get_employee", employee_id="${person.manager_id}")
    text = "${person.name} starts on ${person.start_date} in ${person.location}. "
    text += "The sign-in is ready."
    if choice["notice"] == "mail":
        to, subject = ["${manager.email}"], "New in your team"
        return [manager, call("tell", "mail:send_mail", to=to, subject=subject, body=text)]
    plan = call(
        "plan",
        "tracker:create_issue",
        project=PEOPLE.id,
        issue_type="task",
        summary="Plan the first week of ${person.name}",
        assignee="${manager.email}",
        due_on="${person.start_date}",
    )
    return [manager, plan]


def _program(choice: Choice) -> dict[str, Any]:
    steps = [call("person", "people:get_employee", employee_id="${inputs.employee_id}")]
    if choice["guard"] == "status":
        other = {"!=": [{"var": "person.status"}, "onboarding"]}
        stop = result("end_other", outcome="not_onboarding", identity_id=None)
        steps.append(when("other", other, [stop]))
    steps += [*_identity(choice), *_groups(choice), *_equipment(choice), *_notice(choice)]
    fields: dict[str, Any] = {"outcome": "ready"} if _guarded(choice) else {}
    fields["identity_id"] = "${identity.identity_id}"
    output: dict[str, Any] = {"outcome": {"type": "string"}} if _guarded(choice) else {}
    output["identity_id"] = {"type": ["string", "null"]} if _guarded(choice) else {"type": "string"}
    return program(
        {"employee_id": {"type": "string", "description": "The new employee's number."}},
        [*steps, result("end", **fields)],
        output,
    )


def _person_sentences(choice: Choice) -> list[Sentence]:
    fields = "Name, e-mail address, "
    fields += "department, " if choice["groups"] != "staff" else ""
    fields += "place, " if choice["notice"] == "mail" else ""
    found = [
        Sentence(
            "The run concerns one person: the record in the HR directory with the number given as "
            f"`employee_id`. {fields}first day and manager are taken from that record.",
            ("input:employee_id", "call:person"),
        )
    ]
    if choice["guard"] == "status":
        found.append(
            Sentence(
                "Only somebody in the status “onboarding” is set up. For anybody else nothing is "
                "made or sent, and the run ends with “not_onboarding” as `outcome` and "
                "null as `identity_id`.",
                ("if:other", "return:end_other"),
            )
        )
    return found


def _identity_sentences(choice: Choice) -> list[Sentence]:
    make = (
        "Access management gets a new sign-in identity for the person's e-mail address, with the "
        "person's name as display name."
    )
    if choice["identity"] == "new":
        return [Sentence(make, ("call:account",))]
    return [
        Sentence(
            f"{make} This is tried for everybody who is set up, without looking first whether "
            "there is one.",
            ("call:account",),
        ),
        Sentence(
            "If making the identity fails, for whatever reason, the identity that access "
            "management has for the person's e-mail address is looked up and used in place of a "
            "new one.",
            ("try:opening", "call:old"),
        ),
        Sentence(
            "An old identity that is “suspended” is switched back to “active”; one that is active "
            "already is left as it is.",
            ("if:asleep", "call:wake"),
        ),
        Sentence(
            "When the old identity turns out to be “deactivated”, the run ends at once, with "
            "“identity_closed” as `outcome` and null as `identity_id`.",
            ("if:closed", "return:end_closed"),
        ),
    ]


def _group_sentences(choice: Choice) -> list[Sentence]:
    again = choice["identity"] == "recover"
    text = "The person's identity is put into the group all-staff"
    text += ", unless it is in that group already." if again else "."
    covers = ("if:staff_needed", "call:staff") if again else ("call:staff",)
    means = {"add": "put into the group"}
    found = [Sentence(text, covers, means)]
    if choice["groups"] == "staff":
        return found
    before = "staff_needed" if again else "staff"
    first = "it is settled that the identity is in" if again else "the identity has been put into"
    text = f"Once {first} all-staff, the access group of the person's department is read from the "
    text += "lookup table `department_group`, where the key is the department's name."
    found.append(Sentence(text, ("call:team", f"order:{before}<team")))
    text = "The identity is put into the group of the person's department as well"
    text += ", unless it is in that group already." if again else "."
    covers = ("if:team_join_needed", "call:team_join") if again else ("call:team_join",)
    found.append(Sentence(text, covers, {"add": "put into the group"}))
    return found


def _last_group(choice: Choice) -> str:
    """Return the label of the node before the equipment or the notice."""
    label = "staff" if choice["groups"] == "staff" else "team_join"
    return f"{label}_needed" if choice["identity"] == "recover" else label


def _settled(choice: Choice) -> str:
    """Return in words that the groups have been dealt with."""
    which = "the group" if choice["groups"] == "staff" else "the groups"
    again = choice["identity"] == "recover"
    added = "it is settled that the person is in" if again else "the person has been added to"
    return f"{added} {which}"


def _equipment_sentences(choice: Choice) -> list[Sentence]:
    if choice["equipment"] == "none":
        return []
    return [
        Sentence(
            f"Once {_settled(choice)}, an issue is opened for the equipment: of the type “task” in "
            "the tracker project Operations, with the equipment summary as its summary, assigned "
            "to Yuki Harmon and due 5 days before the first day.",
            ("call:equip", f"order:{_last_group(choice)}<equip"),
            {"-5": "5 days before"},
        )
    ]


def _notice_sentences(choice: Choice) -> list[Sentence]:
    before, after = _last_group(choice), _settled(choice)
    if choice["equipment"] != "none":
        before, after = "equip", "the issue for the equipment is open"
    read = Sentence(
        f"The manager's own record is read from the HR directory only after {after}.",
        ("call:manager", f"order:{before}<manager"),
    )
    plan = Sentence(
        "The manager gets an issue of the type “task” in the tracker project People, with the "
        "first week summary as its summary, assigned to the manager's e-mail address and due on "
        "the person's first day.",
        ("call:plan",),
    )
    tell = Sentence(
        "The manager, and nobody else, is told by e-mail: the subject is “New in your team”, the "
        "body is the manager notice.",
        ("call:tell",),
    )
    return [read, tell if choice["notice"] == "mail" else plan]


def _end_sentence(choice: Choice) -> Sentence:
    text = "The run returns at its very end the id of the person's identity as `identity_id`"
    text += ", whether it is a new or an old one" if choice["identity"] == "recover" else ""
    text += ", with “ready” as `outcome`" if _guarded(choice) else ""
    return Sentence(f"{text}.", ("return:end",))


def _person(number: int, name: str, department: str, **more: Any) -> Record:
    return {
        "employee_id": f"EMP-{number}",
        "name": name,
        "email": f"{name.lower().replace(' ', '.')}@example.com",
        "title": "Specialist",
        "department": department,
        "manager_id": "EMP-106",
        "location": "Lisbon",
        "status": "onboarding",
        "start_date": "2026-04-01",
        "end_date": None,
        **more,
    }


def _identity_of(person: Record, status: str, *groups: str) -> Record:
    return {
        "identity_id": f"IDN-{str(person['employee_id'])[4:]}",
        "email": person["email"],
        "display_name": person["name"],
        "status": status,
        "has_mfa": False,
        "group_ids": list(groups),
    }


def _run(person: Record, *faults: Fault, **records: tuple[Record, ...]) -> VariantDraft:
    return VariantDraft(
        {"employee_id": person["employee_id"]}, {"employees": (person,), **records}, faults
    )


SALES: Final = _person(831, "Nadia Fenwick", "Sales", manager_id="EMP-102", location="Denver")
BOOKS: Final = _person(832, "Emil Torres", "Finance", manager_id="EMP-115", start_date="2026-04-07")
CODE: Final = _person(833, "Ada Rahm", "Engineering", manager_id="EMP-117", location="Singapore")
DESK: Final = _person(834, "Sunniva Achterberg", "Operations", start_date="2026-05-04")


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    entry: Record = {"entry": "department_group/Operations", "table": TEAM_TABLE.id}
    entry |= {"key": "Operations", "value": "GRP-974"}
    namesake = _person(835, "Emil Torres", "Finance", email="emil.torres2@example.com")
    found = [
        VariantDraft({"employee_id": "EMP-124"}),
        _run(SALES),
        _run(BOOKS, identities=(_identity_of(namesake, "active", ALL_STAFF.id),)),
        _run(CODE),
        _run(DESK, lookup_entries=(entry,)),
    ]
    if choice["guard"] == "status":
        found[3] = _run({**CODE, "status": "active"})
    if choice["identity"] == "recover":
        found = [found[0], found[3], *_recoveries()]
    return tuple(found)


def _recoveries() -> list[VariantDraft]:
    lost = Fault(tool="mcp.access:create_identity", kind=FaultKind.TIMEOUT_AFTER_COMMIT)
    back = {**SALES, "location": "Lisbon", "start_date": "2026-03-30"}
    return [
        _run(back, identities=(_identity_of(back, "suspended", ALL_STAFF.id, "GRP-972"),)),
        _run(BOOKS, identities=(_identity_of(BOOKS, "deactivated"),)),
        _run({**BOOKS, "location": "Denver"}, identities=(_identity_of(BOOKS, "active"),)),
        _run({**CODE, "start_date": "2026-04-13"}, lost),
    ]


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    templates = [EQUIPMENT] if choice["equipment"] != "none" else []
    templates.append(FIRST_WEEK if choice["notice"] == "issue" else WELCOME)
    resources = [ALL_STAFF]
    resources += [TEAM_TABLE] if choice["groups"] != "staff" else []
    resources += [OPERATIONS, SUPPLY] if choice["equipment"] != "none" else []
    resources += [PEOPLE] if choice["notice"] == "issue" else []
    context = ["Every new employee has a manager, who is active."]
    if choice["groups"] == "department":
        context.append("The table `department_group` names a group for the person's department.")
    if choice["identity"] == "new":
        context.append("A new employee has no identity before the run.")
    if choice["equipment"] != "none" or choice["notice"] == "issue":
        context.append("Fields of an issue that no requirement names stay at their defaults.")
    return Draft(
        title="Set up a new employee",
        purpose="The people team runs this for each new employee some days before the first day, "
        "so that the person can sign in and the manager is prepared.",
        program=_program(choice),
        sentences=(
            *_person_sentences(choice),
            *_identity_sentences(choice),
            *_group_sentences(choice),
            *_equipment_sentences(choice),
            *_notice_sentences(choice),
            _end_sentence(choice),
        ),
        context=tuple(context),
        resources=tuple(resources),
        templates=tuple(templates),
        variants=_variants(choice),
    )


AXES: Final = {
    "guard": ("none", "status"),
    "identity": ("new", "recover"),
    "groups": ("staff", "department"),
    "equipment": ("none", "issue"),
    "notice": ("issue", "mail"),
}

FAMILY = Family(
    name="employee-onboarding",
    axes=AXES,
    build=build,
    picks=(
        dict(zip(AXES, ("none", "new", "department", "issue", "issue"), strict=True)),
        dict(zip(AXES, ("status", "recover", "staff", "none", "mail"), strict=True)),
    ),
)
