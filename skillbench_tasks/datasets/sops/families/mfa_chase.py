"""People without a second factor: reminded, given an issue, or locked out after the deadline."""

from __future__ import annotations

from typing import Any

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    call,
    each,
    program,
    put,
    result,
    rule,
    when,
)
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

SECURITY = Resource(name="SEC", kind="project of the issue tracker", id="SEC", detail="Security")
REMINDER = Template(
    name="reminder", text="Hello {chat name}, please set up a second factor by {deadline}."
)
ISSUE = Template(name="issue summary", text="Set up a second factor for {e-mail address}")
DEPARTMENTS = (
    "Sales",
    "Customer Success",
    "Finance",
    "Engineering",
    "Operations",
    "People",
    "Security",
)


def _action(choice: Choice, email: str) -> list[NodeData]:
    """Return what is done about one person; `email` is the expression of the address."""
    if choice["action"] == "suspend":
        number = "${identity.identity_id}"
        return [call("lock", "access:set_identity_status", identity_id=number, status="suspended")]
    if choice["action"] == "issue":
        return [
            call(
                "issue",
                "tracker:create_issue",
                project="SEC",
                issue_type="task",
                summary=f"Set up a second factor for {email}",
                assignee=email,
                due_on="${deadline}",
            )
        ]
    text = "Hello ${user.name}, please set up a second factor by ${deadline}."
    return [
        call("user", "chat:find_user", email=email),
        call("remind", "chat:send_direct_message", user_id="${user.user_id}", text=text),
    ]


def _checked(choice: Choice, email: str) -> list[NodeData]:
    is_open = {
        "and": [
            {"==": [{"var": "identity.status"}, "active"]},
            {"!": {"var": "identity.has_mfa"}},
        ]
    }
    count = put("count", "chased", rule({"+": [{"var": "chased"}, 1]}))
    return [
        call("identity", "access:get_identity", email=email),
        when("open", is_open, [*_action(choice, email), count]),
    ]


def _steps(choice: Choice) -> list[NodeData]:
    has_deadline = choice["action"] != "suspend"
    days = {"add_days": [{"var": "context.now"}, {"var": "inputs.days"}]}
    steps = [put("date", "deadline", rule(days))] if has_deadline else []
    if choice["scope"] == "person":
        email = "${inputs.email}"
        if choice["action"] == "suspend":
            steps.append(call("identity", "access:get_identity", email=email))
        return [*steps, *_action(choice, email)]
    steps.append(put("start", "chased", 0))
    if choice["scope"] == "person_checked":
        return [*steps, *_checked(choice, "${inputs.email}")]
    find = call(
        "staff", "people:find_employees", department="${inputs.department}", status="active"
    )
    return [
        *steps,
        find,
        each("round", "${staff.employees}", "one", _checked(choice, "${one.email}")),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    has_deadline = choice["action"] != "suspend"
    inputs: dict[str, Any] = {
        "email": {"type": "string", "description": "E-mail address of the person."}
    }
    if choice["scope"] == "department":
        names = list(DEPARTMENTS)
        inputs = {"department": {"type": "string", "enum": names, "description": "The department."}}
    if has_deadline:
        text = "How many days from today the deadline lies."
        inputs["days"] = {"type": "integer", "description": text}
    steps = _steps(choice)
    if choice["record"] == "log":
        subject = "${inputs.department}" if "department" in inputs else "${inputs.email}"
        steps.append(
            call(
                "record",
                "automation:log_run",
                procedure="second-factor",
                outcome="completed",
                subject=subject,
            )
        )
    if choice["scope"] != "person":
        steps.append(result("end", chased="${chased}"))
        return program(inputs, steps, {"chased": {"type": "integer"}})
    if has_deadline:
        steps.append(result("end", deadline="${deadline}"))
        return program(inputs, steps, {"deadline": {"type": "string"}})
    steps.append(result("end", identity_id="${identity.identity_id}"))
    return program(inputs, steps, {"identity_id": {"type": "string"}})


def _action_sentences(choice: Choice) -> list[Sentence]:
    if choice["action"] == "suspend":
        return [
            Sentence(
                "Chasing a person means that the person's sign-in identity is suspended in access "
                "management; nothing is sent about it.",
                ("call:lock",),
                {"suspended": "is suspended"},
            )
        ]
    deadline = Sentence(
        "The deadline is the date that lies as many days after today as `days` says.",
        ("input:days", "set:date"),
    )
    if choice["action"] == "issue":
        return [
            deadline,
            Sentence(
                "Chasing a person means a new issue in the project SEC of the issue tracker, of "
                "the type “task”, with the issue summary, assigned to the person's e-mail address "
                "and due on the deadline.",
                ("call:issue",),
            ),
        ]
    return [
        deadline,
        Sentence(
            "Chasing a person means that the person is looked up in the chat by e-mail address "
            "and gets the reminder as a direct message there, with the name as the chat has it "
            "and the deadline as YYYY-MM-DD.",
            ("call:user", "call:remind"),
        ),
    ]


def _scope_sentences(choice: Choice) -> list[Sentence]:
    if choice["scope"] == "person":
        chased = "The person whose e-mail address is given as `email` is chased in every run"
        chased += "; whether there is a second factor already is not checked."
        if choice["action"] != "suspend":
            return [Sentence(chased, ("input:email",))]
        return [
            Sentence(chased, ("input:email",)),
            Sentence(
                "The identity of the person is found in access management by the e-mail address.",
                ("call:identity",),
            ),
        ]
    found = [
        Sentence(
            "A person is chased only when the identity is active and has no second factor. A "
            "person with a second factor, or whose identity is not “active”, is left alone.",
            ("if:open",),
        ),
    ]
    if choice["scope"] == "person_checked":
        text = "The run is about the person whose e-mail address is given as `email`; the sign-in "
        text += "identity is read from access management by that address."
        return [*found, Sentence(text, ("input:email", "call:identity"))]
    return [
        *found,
        Sentence(
            "The sign-in identity of each person looked at is read from access management by the "
            "person's e-mail address.",
            ("call:identity",),
        ),
        Sentence(
            "The persons looked at are the employees of the department given as `department` whom "
            "the people directory has in the status “active”.",
            ("input:department", "call:staff"),
        ),
        Sentence(
            "The persons looked at are taken one by one, in the order of the directory: each is "
            "looked at and, where that is due, chased before the next.",
            ("each:round",),
        ),
    ]


def _last_action(choice: Choice) -> str:
    if choice["scope"] == "department":
        return "round"
    if choice["scope"] == "person_checked":
        return "open"
    return {"suspend": "lock", "issue": "issue", "remind": "remind"}[choice["action"]]


def _ending_sentences(choice: Choice) -> list[Sentence]:
    subject = "department" if choice["scope"] == "department" else "e-mail address"
    also = "" if choice["scope"] == "person" else ", also when nobody was chased"
    found = []
    if choice["record"] == "log":
        found.append(
            Sentence(
                "When everything else is done, one line goes into the run log of the automation "
                f"platform{also}: procedure “second-factor”, outcome "
                f"“completed”, with the {subject} as its subject and no detail.",
                ("call:record", f"order:{_last_action(choice)}<record"),
            )
        )
    text = "The run returns `chased`, the number of persons chased."
    if choice["scope"] == "person_checked":
        text = "The run returns `chased`, 1 when the person was chased, else 0."
    if choice["scope"] == "person":
        text = "The run returns `deadline`, the date that the person was given."
        if choice["action"] == "suspend":
            text = "The run returns `identity_id`, the id of the identity."
    counts = () if choice["scope"] == "person" else ("set:count",)
    return [*found, Sentence(text, ("return:end", *counts))]


def _identity(number: int, **changes: Any) -> Record:
    """Return an identity of the workspace, changed."""
    record = base_world().get("identities", f"IDN-{number}")
    assert record is not None
    return {**record, **changes}


def _employee(number: int, **changes: Any) -> Record:
    record = base_world().get("employees", f"EMP-{number}")
    assert record is not None
    return {**record, **changes}


def _chat_user(number: int, **changes: Any) -> Record:
    record = base_world().get("chat_users", f"USR-{number}")
    assert record is not None
    return {**record, **changes}


def _single_variants(choice: Choice) -> list[VariantDraft]:
    def run(person: str, days: int, **records: tuple[Record, ...]) -> VariantDraft:
        inputs: dict[str, Any] = {"email": f"{person}@example.com"}
        if choice["action"] != "suspend":
            inputs["days"] = days
        return VariantDraft(inputs, records)

    renamed = _chat_user(219, name="Elin V.")
    return [
        run("hana.kowal", 7),
        run("dario.menon", 14, identities=(_identity(123, has_mfa=False),)),
        run("elin.vasquez", 16, chat_users=(renamed,)),
        run("oskar.bell", 0, identities=(_identity(125, has_mfa=False),)),
        run("rafael.moreau", 30, identities=(_identity(115, display_name="Rafa Moreau"),)),
    ]


def _department_variants(choice: Choice) -> list[VariantDraft]:
    def run(department: str, days: int, **records: tuple[Record, ...]) -> VariantDraft:
        inputs: dict[str, Any] = {"department": department}
        if choice["action"] != "suspend":
            inputs["days"] = days
        return VariantDraft(inputs, records)

    away = _employee(123, status="on_leave")
    return [
        run("Customer Success", 7),
        run("Finance", 7),
        run(
            "Security",
            10,
            employees=(_employee(108, status="on_leave"), away),
            identities=(_identity(108, has_mfa=False),),
        ),
        run(
            "Security",
            3,
            employees=(away,),
            identities=(_identity(123, has_mfa=False), _identity(108, has_mfa=False)),
        ),
        run(
            "Engineering",
            14,
            identities=(
                _identity(105, has_mfa=False),
                _identity(117, has_mfa=False, status="suspended"),
                _identity(119, has_mfa=False),
            ),
        ),
        run("Sales", 21, identities=(_identity(125, has_mfa=False), _identity(110, has_mfa=False))),
    ]


def _context(choice: Choice) -> tuple[str, ...]:
    """Return what holds for everybody who is dealt with."""
    needs = [] if choice["scope"] == "person" else ["a sign-in identity"]
    needs += ["an active chat account"] if choice["action"] == "remind" else []
    if choice["action"] == "suspend" or not needs:
        needs = ["a sign-in identity"]
    if choice["scope"] == "department":
        many = "No department has more than 50 employees."
        return (f"Everybody who is looked at has {' and '.join(needs)}.", many)
    return (f"The person has {' and '.join(needs)}.",)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_department = choice["scope"] == "department"
    variants = _department_variants(choice) if is_department else _single_variants(choice)
    if choice["scope"] == "person_checked":
        down = {"identities": (_identity(114, status="suspended"),)}
        variants.append(VariantDraft({**variants[0].inputs}, down))
    purposes = {
        "suspend": "Security runs this when the time to set up a second factor is over.",
        "issue": "Security runs this so that a missing second factor does not get forgotten.",
        "remind": "Security runs this before the time to set up a second factor is over.",
    }
    templates = {"suspend": (), "issue": (ISSUE,), "remind": (REMINDER,)}
    return Draft(
        title="Chase people without a second factor"
        if is_department
        else "Chase one person for a second factor",
        purpose=purposes[choice["action"]],
        program=_program(choice),
        sentences=(
            *_scope_sentences(choice),
            *_action_sentences(choice),
            *_ending_sentences(choice),
        ),
        context=_context(choice),
        resources=(SECURITY,) if choice["action"] == "issue" else (),
        templates=templates[choice["action"]],
        variants=tuple(variants),
    )


FAMILY = Family(
    name="mfa-chase",
    axes={
        "scope": ("person", "person_checked", "department"),
        "action": ("remind", "issue", "suspend"),
        "record": ("none", "log"),
    },
    build=build,
    picks=(
        {"scope": "department", "action": "suspend", "record": "log"},
        {"scope": "person", "action": "remind", "record": "none"},
    ),
)
