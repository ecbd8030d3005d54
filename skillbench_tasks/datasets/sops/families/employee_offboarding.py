"""Somebody leaves: work and privileged rights are taken over, the sign-in ends on the last day."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

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
from skillbench_tasks.models.sop import Template

__all__ = ["FAMILY"]

HANDED_OVER = Template(name="hand-over comment", text="Handed over from {name of the leaver}.")

AXES: Final = {
    "phase": ("notice", "last_day"),
    "guard": ("none", "status"),
    "work": ("none", "all", "urgent"),
    "failure": ("plain", "report"),
}


def _work(choice: Choice) -> list[NodeData]:
    manager = call("manager", "people:get_employee", employee_id="${person.manager_id}")
    issue = "${issue.issue_id}"
    text = "Handed over from ${person.name}."
    moved = [
        call("assign", "tracker:update_issue", issue_id=issue, assignee="${manager.email}"),
        call("explain", "tracker:add_comment", issue_id=issue, text=text),
        put("moved_count", "moved", rule({"+": [{"var": "moved"}, 1]})),
    ]
    do: list[NodeData] = moved
    if choice["work"] == "urgent":
        presses = {"in": [{"var": "issue.priority"}, ["high", "urgent"]]}
        mark = call("mark", "tracker:update_issue", issue_id=issue, add_label="leaver")
        do = [when("presses", presses, moved, [mark])]
    find = call("issues", "tracker:find_issues", assignee="${person.email}", is_open=True)
    return [
        put("moved_none", "moved", 0),
        manager,
        find,
        each("work", "${issues.issues}", "issue", do),
    ]


def _rights(choice: Choice) -> list[NodeData]:
    """Return how privileged rights are withdrawn during the notice."""
    member = {"identity_id": "${identity.identity_id}", "group_id": "${group.group_id}"}
    drop = call("drop", "access:set_membership", **member, action="remove")
    add = {"merge": [{"var": "withdrawn"}, {"var": "group.name"}]}
    done: list[NodeData] = [drop, put("dropped", "withdrawn", rule(add))]
    if choice["failure"] == "report":
        more = {"merge": [{"var": "failed"}, {"var": "group.name"}]}
        done = [attempt("dropping", done, [put("kept", "failed", rule(more))])]
    privileged = when("privileged", {"==": [{"var": "group.is_privileged"}, True]}, done)
    read = call("group", "access:get_group", group_id="${group_id}")
    start = [put("failed_none", "failed", [])] if choice["failure"] == "report" else []
    return [
        put("withdrawn_none", "withdrawn", []),
        *start,
        call("identity", "access:get_identity", email="${person.email}"),
        each("groups", "${identity.group_ids}", "group_id", [read, privileged]),
    ]


def _closing(choice: Choice) -> list[NodeData]:
    """Return how sign-in and record end on the last day."""
    found = call("identity", "access:get_identity", email="${person.email}")
    identity, today = "${identity.identity_id}", rule({"add_days": [{"var": "context.now"}, 0]})
    off = call("lock", "access:set_identity_status", identity_id=identity, status="deactivated")
    person = {"employee_id": "${person.employee_id}", "status": "left", "end_date": today}
    lock, close = [found, off], [call("close", "people:update_employee", **person)]
    if choice["failure"] == "plain":
        return [*lock, *close]
    return [
        put("lock_good", "sign_in", "off"),
        put("close_good", "record", "closed"),
        attempt("locking", lock, [put("lock_bad", "sign_in", "${problem.code}")], "problem"),
        attempt("closing", close, [put("close_bad", "record", "${trouble.code}")], "trouble"),
    ]


def _output(choice: Choice) -> dict[str, Any]:
    """Return output field → value at the end of a full run, in the order of the output."""
    found: dict[str, Any] = {}
    if choice["guard"] == "status":
        found["outcome"] = "done"
    if choice["work"] != "none":
        found["issues_moved"] = "${moved}"
    if choice["phase"] == "notice":
        found["withdrawn"] = "${withdrawn}"
        if choice["failure"] == "report":
            found["failed"] = "${failed}"
    elif choice["failure"] == "report":
        found |= {"sign_in": "${sign_in}", "record": "${record}"}
    return found


TEXT: Final = {"type": ["string", "null"]}
NAMES: Final = {"type": "array", "items": {"type": "string"}}
FIELDS: Final[dict[str, tuple[Any, Any]]] = {
    "outcome": ({"type": "string"}, "not_leaving"),
    "issues_moved": ({"type": "integer"}, 0),
    "withdrawn": (NAMES, []),
    "failed": (NAMES, []),
    "sign_in": (TEXT, None),
    "record": (TEXT, None),
}
"""Output field → its schema, its value where nothing was done."""


def _program(choice: Choice) -> dict[str, Any]:
    output = _output(choice)
    steps = [call("person", "people:get_employee", employee_id="${inputs.employee_id}")]
    if choice["guard"] == "status":
        other = {"!=": [{"var": "person.status"}, "leaving"]}
        stop = result("end_other", **{name: FIELDS[name][1] for name in output})
        steps.append(when("other", other, [stop]))
    steps += _work(choice) if choice["work"] != "none" else []
    steps += _rights(choice) if choice["phase"] == "notice" else _closing(choice)
    steps += [result("end", **output)] if output else []
    return program(
        {"employee_id": {"type": "string", "description": "The leaver's employee number."}},
        steps,
        {name: FIELDS[name][0] for name in output} or None,
    )


def _work_sentences(choice: Choice) -> list[Sentence]:
    if choice["work"] == "none":
        return []
    kept, covers = "", ["call:assign"]
    if choice["work"] == "urgent":
        kept = "An issue of another priority stays with the leaver and gets the label “leaver”, "
        kept += "and nothing else. "
        covers += ["if:presses", "call:mark"]
    which = "every such issue" if choice["work"] == "all" else "an issue of high or urgent priority"
    return [
        Sentence(
            "The record of the leaver's manager is read in the HR directory even when no issue is "
            "to be handed over. After that, all issues in the tracker that are assigned to the "
            "leaver's e-mail address and are neither done nor cancelled are looked up, in whatever "
            "project they lie, and gone through one after the other.",
            ("call:manager", "call:issues", "each:work", "order:manager<issues"),
        ),
        Sentence(
            f"Handing over works like this: {which} is assigned to the manager's e-mail address. "
            f"{kept}".strip(),
            tuple(covers),
        ),
        Sentence(
            "As soon as an issue has been assigned to the manager, the hand-over comment is added "
            "to that issue.",
            ("call:explain", "order:assign<explain"),
        ),
        Sentence(
            "`issues_moved` counts the issues that were assigned to the manager in this run.",
            ("set:moved_count",),
        ),
    ]


def _rights_sentences(choice: Choice) -> list[Sentence]:
    look = "The leaver's identity is looked up in access management by e-mail address"
    covers = ["call:identity", "each:groups", "call:group"]
    if choice["work"] != "none":
        look += ", not before all open issues have been gone through"
        covers.append("order:work<identity")
    found = [
        Sentence(
            f"{look}. All groups of that identity are gone through in the order in which it names "
            "them, and the record of each group is read in access management.",
            tuple(covers),
        ),
        Sentence(
            "Where a group is privileged, the identity is taken out of the group before the next "
            "one is read; in all other groups the leaver stays, and nothing is done about them.",
            ("if:privileged", "call:drop"),
            {"remove": "taken out of the group"},
        ),
        Sentence(
            "`withdrawn` lists the names of the groups that the identity has been taken out of, "
            "in the order in which that happened.",
            ("set:dropped",),
        ),
    ]
    if choice["failure"] == "report":
        found.append(
            Sentence(
                "If the identity cannot be taken out of a privileged group, the name of the group "
                "goes into the list `failed` and the run goes on with the next group.",
                ("try:dropping", "set:kept"),
            )
        )
    return found


def _closing_sentences(choice: Choice) -> list[Sentence]:
    is_tried = choice["failure"] == "report"
    look, covers = "", ["call:identity", "call:lock"]
    if choice["work"] != "none":
        look = ", not before all open issues have been gone through,"
        covers.append(f"order:work<{'locking' if is_tried else 'identity'}")
    found = [
        Sentence(
            f"The leaver's identity is looked up in access management by e-mail address{look} "
            "and gets the status “deactivated”, whatever status it has.",
            tuple(covers),
        ),
        Sentence(
            "After the sign-in has been dealt with, and not before, the leaver's record in the HR "
            "directory gets the status “left” and today's date as last day, whatever it had.",
            ("call:close", "order:locking<closing" if is_tried else "order:lock<close"),
        ),
    ]
    if is_tried:
        found += [
            Sentence(
                "`sign_in` is “off” when the identity was switched off in this run; if it cannot "
                "be found or cannot be switched off, `sign_in` is the code of that error instead, "
                "and the run goes on with the record in the HR directory.",
                ("try:locking", "set:lock_good"),
            ),
            Sentence(
                "`record` is “closed” when the record in the HR directory was changed in this "
                "run; if that fails, `record` is the code of that error instead.",
                ("try:closing", "set:close_good"),
            ),
        ]
    return found


def _frame_sentences(choice: Choice) -> list[Sentence]:
    """Return what is said of start and end."""
    output = _output(choice)
    found = [
        Sentence(
            "The leaver is the person whose record in the HR directory has the number given as "
            "`employee_id`; that record is read first.",
            ("input:employee_id", "call:person"),
        )
    ]
    fields = [name for name in output if name != "outcome"]
    if choice["guard"] == "status":
        words = {"0": "0", "None": "null", "[]": "an empty list"}
        empty = "".join(f"{words[str(FIELDS[name][1])]} as `{name}`, " for name in fields)
        found.append(
            Sentence(
                "Work is done only for somebody in the status “leaving”. For anybody else the "
                f"run ends right away and returns {empty}with “not_leaving” as `outcome`.",
                ("if:other", "return:end_other"),
            )
        )
    done = ["“done” as `outcome`"] if choice["guard"] == "status" else []
    listed = " and ".join([*(f"`{name}`" for name in fields), *done])
    text = f"A run that has done its work returns {listed}."
    return [*found, Sentence(text, ("return:end",))] if output else found


def _person(number: int, name: str, **more: Any) -> Record:
    return {
        "employee_id": f"EMP-{number}",
        "name": name,
        "email": f"{name.lower().replace(' ', '.')}@example.com",
        "title": "Engineer",
        "department": "Engineering",
        "manager_id": "EMP-105",
        "location": "Lisbon",
        "status": "leaving",
        "start_date": "2021-03-01",
        "end_date": "2026-03-31",
        **more,
    }


def _identity(person: Record, *groups: str, status: str = "active") -> Record:
    return {
        "identity_id": f"IDN-{str(person['employee_id'])[4:]}",
        "email": person["email"],
        "display_name": person["name"],
        "status": status,
        "has_mfa": True,
        "group_ids": list(groups),
    }


def _issue(number: int, person: Record, priority: str, status: str = "open") -> Record:
    return {
        "issue_id": f"ISS-{number}",
        "project": "OPS" if number % 2 else "CUS",
        "issue_type": "task",
        "summary": f"Piece of work {number}",
        "description": "",
        "status": status,
        "priority": priority,
        "reporter": "wen.castellan@example.com",
        "assignee": person["email"],
        "labels": ["docs"],
        "due_on": None,
        "parent_id": None,
        "resolution": "completed" if status == "done" else None,
        "created_at": "2026-02-02T09:00:00",
        "updated_at": "2026-02-02T09:00:00",
    }


def _run(person: Record, groups: tuple[str, ...] | None, *issues: Record) -> VariantDraft:
    """Return the run of a leaver; without groups the leaver has no identity."""
    records = {"employees": (person,), "tracker_issues": issues}
    if groups is not None:
        records["identities"] = (_identity(person, *groups),)
    return VariantDraft({"employee_id": person["employee_id"]}, records)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    ada, ben = _person(831, "Ada Rahm"), _person(832, "Ben Sorley", end_date="2026-04-10")
    cleo, dora = _person(833, "Cleo Marsh", manager_id="EMP-117"), _person(834, "Dora Wills")
    urgent = _issue(636, dora, "high", "in_progress")
    eli = _person(835, "Eli Novak", end_date="2026-03-20")
    started, waiting = _issue(633, cleo, "low", "in_review"), _issue(634, cleo, "urgent", "blocked")
    found = [
        _run(ada, (), _issue(631, ada, "urgent", "done")),
        _run(ben, ("GRP-975",), _issue(632, ben, "high")),
        _run(cleo, ("GRP-976", "GRP-974", "GRP-972", "GRP-975"), started, waiting),
        _run(dora, ("GRP-976", "GRP-972"), _issue(635, dora, "medium"), urgent),
        _run(eli, ("GRP-974",), _issue(637, eli, "low")),
    ]
    if choice["guard"] == "status":
        gone = {**eli, "status": "active", "end_date": None}
        found.append(_run(gone, ("GRP-974",), _issue(637, eli, "urgent")))
    if choice["failure"] == "plain":
        return tuple(found)
    if choice["phase"] == "notice":
        refused = Fault(
            tool="mcp.access:set_membership",
            kind=FaultKind.PERMANENT,
            where={"group_id": "GRP-974"},
        )
        return (*found, replace(found[2], faults=(refused,)))
    lost = Fault(tool="mcp.access:set_identity_status", kind=FaultKind.RATE_LIMIT)
    down = Fault(tool="mcp.people:update_employee", kind=FaultKind.TRANSIENT)
    off = {"identities": (_identity(cleo, status="deactivated"),)}
    ended = [
        found[0],
        _run(ben, None, _issue(632, ben, "high")),
        replace(found[2], records={**found[2].records, **off}),
        replace(found[3], faults=(down,)),
        replace(found[4], faults=(lost,)),
    ]
    left = {**ben, "status": "left", "end_date": "2026-02-27"}
    return (*ended, *found[5:], *([] if found[5:] else [_run(left, ("GRP-976",))]))


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_notice = choice["phase"] == "notice"
    when_run = "as soon as a leave has been announced" if is_notice else "on the last day"
    reason = "privileged rights do not wait for the last day" if is_notice else "no door stays open"
    has_work = choice["work"] != "none"
    context = ["Everybody who leaves has a manager and at most 50 open issues."] if has_work else []
    if is_notice or choice["failure"] == "plain":
        context.append("The leaver has a sign-in identity.")
    return Draft(
        title="Hand over from a leaver" if is_notice else "Close a leaver's accounts",
        purpose=f"The people team runs this for one leaver {when_run}, so that {reason}"
        + (" and work goes on." if has_work else "."),
        program=_program(choice),
        sentences=(
            *_frame_sentences(choice),
            *_work_sentences(choice),
            *(_rights_sentences(choice) if is_notice else _closing_sentences(choice)),
        ),
        context=tuple(context),
        resources=(),
        templates=(HANDED_OVER,) if has_work else (),
        variants=_variants(choice),
    )


FAMILY = Family(
    name="employee-offboarding",
    axes=AXES,
    build=build,
    picks=(
        dict(zip(AXES, ("last_day", "none", "none", "report"), strict=True)),
        dict(zip(AXES, ("notice", "status", "urgent", "plain"), strict=True)),
    ),
)
