"""A customer project starts: a folder, a channel, papers or a plan, people, a first meeting."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
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
    when,
)
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

PARENT = Resource(name="Customers", kind="drive folder", id="FIL-507")
WELCOME = Template(
    name="welcome", text="Welcome to {project name}. The papers are in the folder {folder id}."
)
NO_TIME = Template(
    name="clash note", text="There is no kick-off at {start}: please agree on another time."
)

_INPUTS: Final = {
    "project_name": {"type": "string", "description": "Name of the project."},
    "channel_name": {"type": "string", "description": "Name of its chat channel, without #."},
    "lead_email": {"type": "string", "description": "Address of the employee who leads it."},
    "customer_email": {"type": "string", "description": "Address of the customer's contact."},
    "starts_at": {"type": "string", "description": "Start of the kick-off, YYYY-MM-DDThh:mm:ss."},
    "ends_at": {"type": "string", "description": "Its end, YYYY-MM-DDThh:mm:ss."},
}
_MEMBERS: Final = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Addresses of the employees who work on it.",
}


def _folder(choice: Choice) -> list[NodeData]:
    name, lead = "${inputs.project_name}", "${inputs.lead_email}"
    make = call("folder", "drive:create_folder", name=name, parent_id=PARENT.id)
    keep = put("fresh", "folder_id", "${folder.file_id}")
    share = call("share", "drive:share_file", file_id="${folder_id}", email=lead, role="editor")
    if choice["folder"] == "new":
        return [make, keep, share]
    look = call("held", "drive:find_files", folder_id=PARENT.id, name=name, kind="folder")
    reuse = put("reused", "folder_id", "${held.files.0.file_id}")
    blank = put("blank_folder", "folder_id", "")
    return [blank, attempt("filing", [make, keep], [look, reuse]), share]


def _sheet() -> list[NodeData]:
    columns, title = ["task", "owner", "done"], "${inputs.project_name} plan"
    row = {"task": "Hold the kick-off", "owner": "${inputs.lead_email}", "done": False}
    return [
        call("sheet", "sheets:create_sheet", title=title, columns=columns),
        call("row", "sheets:append_row", sheet_id="${sheet.sheet_id}", values=row),
    ]


def _channel(choice: Choice) -> list[NodeData]:
    name, topic = "${inputs.channel_name}", "Project ${inputs.project_name}"
    members = ["${lead.user_id}"]
    make = call("channel", "chat:create_channel", name=name, topic=topic, member_ids=members)
    is_team = choice["team"] == "members"
    insiders = [put("insiders", "inside", "${channel.member_ids}")] if is_team else []
    keep = [put("opened", "channel_id", "${channel.channel_id}"), *insiders]
    lead = call("lead", "chat:find_user", email="${inputs.lead_email}")
    if choice["channel"] == "new":
        return [lead, make, *keep]
    is_out = {"!": [{"in": [{"var": "lead.user_id"}, {"var": "there.member_ids"}]}]}
    there = "${there.channel_id}"
    join = call("join", "chat:invite_user", channel_id=there, user_id=members[0])
    reuse = [
        call("there", "chat:find_channel", name=name),
        put("used", "channel_id", there),
        *([put("present", "inside", "${there.member_ids}")] if is_team else []),
        when("outside", is_out, [join]),
    ]
    nobody = [put("nobody", "inside", [])] if is_team else []
    blank = [put("blank_channel", "channel_id", ""), *nobody]
    return [lead, *blank, attempt("opening", [make, *keep], reuse)]


def _members() -> NodeData:
    is_out = {"!": [{"in": [{"var": "person.user_id"}, {"var": "inside"}]}]}
    who = {"channel_id": "${channel_id}", "user_id": "${person.user_id}"}
    invite = call("invite", "chat:invite_user", **who)
    person = call("person", "chat:find_user", email="${member}")
    missing = when("missing", {"and": [{"var": "person.is_active"}, is_out]}, [invite])
    return each("gather", "${inputs.members}", "member", [person, missing])


def _meeting(choice: Choice) -> list[NodeData]:
    title, lead = "Kick-off ${inputs.project_name}", "${inputs.lead_email}"
    span: dict[str, Any] = {name: f"${{inputs.{name}}}" for name in ("starts_at", "ends_at")}
    span["attendees"] = [lead, "${inputs.customer_email}"]
    event = call("event", "planner:create_event", title=title, organizer=lead, **span)
    ends: dict[str, Any] = {"folder_id": "${folder_id}", "channel_id": "${channel_id}"}
    if choice["meeting"] == "fixed":
        return [event, result("end", **ends)]
    text = "There is no kick-off at ${inputs.starts_at}: please agree on another time."
    refuse = call("refuse", "chat:post_message", channel_id="${channel_id}", text=text)
    free = {"var": "times.is_free"}
    return [
        call("times", "planner:check_availability", **span),
        when("free", free, [event], [refuse]),
        result("end", **ends, is_planned="${times.is_free}"),
    ]


def _program(choice: Choice) -> dict[str, Any]:
    text = "Welcome to ${inputs.project_name}. The papers are in the folder ${folder_id}."
    plan = _sheet() if choice["plan"] == "sheet" else []
    team = [_members()] if choice["team"] == "members" else []
    welcome = call("welcome", "chat:post_message", channel_id="${channel_id}", text=text)
    steps = [*_folder(choice), *plan, *_channel(choice), *team, welcome, *_meeting(choice)]
    output = {"folder_id": {"type": "string"}, "channel_id": {"type": "string"}}
    if choice["meeting"] == "if_free":
        output["is_planned"] = {"type": "boolean"}
    inputs = {**_INPUTS, **({"members": _MEMBERS} if choice["team"] == "members" else {})}
    return program(inputs, steps, output)


def _folder_sentences(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "In the drive folder Customers a folder is made that is called exactly like the "
            "project, whose name is given as `project_name`.",
            ("input:project_name", "call:folder"),
        ),
        Sentence("The project's folder is shared with the lead as “editor”.", ("call:share",)),
    ]
    if choice["folder"] == "new":
        return found
    return [
        *found,
        Sentence(
            "If the project's folder cannot be made, whatever the reason, the folder of that name "
            "is used as the project's folder instead.",
            ("try:filing",),
        ),
        Sentence(
            "The folder to be used instead is looked up in the drive: the entry of the kind "
            "“folder” right in Customers with the name of the project.",
            ("call:held",),
        ),
    ]


def _sheet_sentences() -> list[Sentence]:
    return [
        Sentence(
            "The project gets a spreadsheet of its own, with the columns “task”, “owner” and "
            "“done”, made after the folder has been shared; its title is the name of the project "
            "followed by a space and “plan”.",
            ("call:sheet", "order:share<sheet"),
            {"${inputs.project_name} plan": "followed by a space and “plan”"},
        ),
        Sentence(
            "The project's spreadsheet gets one row: the task is “Hold the kick-off”, the owner is "
            "the lead's address, and done is false.",
            ("call:row",),
        ),
    ]


def _chat_sentences(choice: Choice) -> list[Sentence]:
    before, words = "share", "the folder has been shared"
    if choice["plan"] == "sheet":
        before, words = "row", "the project's spreadsheet has its row"
    found = [
        Sentence(
            "The lead's address is given as `lead_email`; the lead's user account is looked up in "
            f"chat by that address, only after {words}.",
            ("input:lead_email", "call:lead", f"order:{before}<lead"),
        ),
        Sentence(
            "A public channel with the name given as `channel_name` is opened in chat; its topic "
            "is “Project” followed by a space and the name of the project, and the lead is its "
            "only member from the beginning.",
            ("input:channel_name", "call:channel"),
            {"Project ${inputs.project_name}": "“Project” followed by"},
        ),
    ]
    if choice["channel"] == "reuse":
        found += [
            Sentence(
                "If the channel cannot be opened, whatever the reason, the channel of that name is "
                "looked up in chat and used as the project's channel instead.",
                ("try:opening", "call:there"),
            ),
            Sentence(
                "Where an older channel is used instead of a new one, the lead is put into it "
                "before the welcome is posted, unless the lead is a member of it.",
                ("if:outside", "call:join"),
            ),
        ]
    return found


def _member_sentences(choice: Choice) -> list[Sentence]:
    start = "opened or found" if choice["channel"] == "reuse" else "opened"
    return [
        Sentence(
            "The addresses of those who work on the project are given as `members`; one after the "
            "other, each of them is looked up in chat.",
            ("input:members", "each:gather", "call:person"),
        ),
        Sentence(
            "Whoever of the `members` has an active chat account and was not in the channel when "
            f"it was {start} is put into the project's channel right after the look-up; the others "
            "are passed over.",
            ("if:missing", "call:invite"),
        ),
    ]


def _meeting_sentences(choice: Choice) -> list[Sentence]:
    is_fixed = choice["meeting"] == "fixed"
    late = " Nobody's calendar is checked for it, and it is set up after the welcome was posted."
    covers = ("input:customer_email", "input:starts_at", "input:ends_at", "call:event")
    found = [
        Sentence(
            "The kick-off meeting goes into the calendar, held by the lead: from `starts_at` to "
            "`ends_at`, with the lead and the customer's contact (`customer_email`), in this "
            "order, as its attendees. Its title is “Kick-off” followed by a space and the "
            f"name of the project; it has no location and no description.{late * is_fixed}",
            (*covers, "order:welcome<event") if is_fixed else covers,
            {"Kick-off ${inputs.project_name}": "“Kick-off” followed by"},
        ),
    ]
    if is_fixed:
        return found
    return [
        *found,
        Sentence(
            "Whether the lead and the customer's contact, in this order, are free from `starts_at` "
            "to `ends_at` is checked in the calendar after the welcome has been posted.",
            ("call:times", "order:welcome<times"),
        ),
        Sentence(
            "Only if both are free is the kick-off meeting set up; otherwise the clash note is "
            "posted in the project's channel, with the start as it was given.",
            ("if:free", "call:refuse"),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    has_members = choice["team"] == "members"
    planned = ", and `is_planned`, true when both were free and false otherwise"
    planned = "" if choice["meeting"] == "fixed" else planned
    found = [*_folder_sentences(choice), *_chat_sentences(choice), *_meeting_sentences(choice)]
    if has_members:
        found += _member_sentences(choice)
    if choice["plan"] == "sheet":
        found += _sheet_sentences()
    last = " once all members have been gone through" if has_members else ""
    found += [
        Sentence(
            f"The welcome is posted in the project's channel{last}, with the id of the project's "
            "folder.",
            ("call:welcome", *(("order:gather<welcome",) if has_members else ())),
        ),
        Sentence(
            "The run returns `folder_id`, the id of the project's folder, and `channel_id`, the id "
            f"of the project's channel{planned}.",
            ("return:end",),
        ),
    ]
    return tuple(found)


def _channel_record(name: str, *members: str) -> Record:
    return {
        "channel_id": "CHN-371",
        "name": name,
        "topic": "Talks before the start",
        "is_private": False,
        "is_archived": False,
        "member_ids": list(members),
        "created_at": "2026-03-09T10:00:00",
    }


def _folder_record(number: int, name: str, parent: str = PARENT.id) -> Record:
    return {
        "file_id": f"FIL-57{number}",
        "name": name,
        "kind": "folder",
        "folder_id": parent,
        "owner": "davit.kiran@example.com",
        "content": None,
        "created_on": "2026-03-02",
        "modified_on": "2026-03-02",
    }


def _variant(
    choice: Choice,
    name: str,
    *members: str,
    lead: str = "amara.quist",
    span: tuple[str, str] = ("13:00", "14:00"),
    faults: Sequence[Fault] = (),
    **records: Record,
) -> VariantDraft:
    """Return a run; on the day of its meeting, the contact is busy from two to three."""
    start, end = span
    inputs: dict[str, Any] = {
        "project_name": name,
        "channel_name": f"proj-{name.lower().replace(' ', '-')}",
        "lead_email": f"{lead}@example.com",
        "customer_email": "bram.okoye@veldt.example.org",
        "starts_at": f"2026-03-18T{start}:00",
        "ends_at": f"2026-03-18T{end}:00",
    }
    if choice["team"] == "members":
        inputs["members"] = [f"{member}@example.com" for member in members]
    return VariantDraft(inputs, {key: (record,) for key, record in records.items()}, tuple(faults))


def _lost(tool: str) -> tuple[Fault]:
    return (Fault(tool=f"mcp.{tool}", kind=FaultKind.TIMEOUT_AFTER_COMMIT, occurrences=(1,)),)


def _variants(choice: Choice) -> tuple[VariantDraft, ...]:
    one = partial(_variant, choice)
    near = _channel_record("proj-blue-heron-2", "USR-213")
    team = ("hana.kowal", "paula.dietz", "felix.oduya")
    found = [
        one("Aster", "hana.kowal", drive_files=_folder_record(1, "Aster", "FIL-504")),
        one("Blue Heron", *team, lead="felix.oduya", chat_channels=near),
        one("Cobalt", span=("13:30", "14:30")),
        one("Dune", "ivo.petrov", "elin.vasquez", lead="paula.dietz", span=("15:00", "16:30")),
        one("Ember", "kofi.brandao", drive_files=_folder_record(2, "Ember 2025")),
    ]
    if choice["folder"] == "reuse":
        old = _folder_record(3, "Fjord")
        found += [
            one("Fjord", "hana.kowal", lead="felix.oduya", drive_files=old),
            one("Gable", "hana.kowal", faults=_lost("drive:create_folder")),
        ]
    if choice["channel"] == "reuse":
        joined = _channel_record("proj-harbour", "USR-203", "USR-214")
        found += [
            one("Harbour", "hana.kowal", "kofi.brandao", chat_channels=joined),
            one("Isle", "hana.kowal", faults=_lost("chat:create_channel")),
        ]
    return tuple(found[:4] + found[5:] if len(found) > 5 else found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    templates = (WELCOME,) if choice["meeting"] == "fixed" else (WELCOME, NO_TIME)
    context = ["Everyone who is named has a chat account, active or not."]
    if choice["channel"] == "reuse":
        context.append("No channel that has the name of a project's channel is archived.")
    return Draft(
        title="Kick off a customer project",
        purpose="Customer Success runs this when a project is won, so that the team finds its "
        "place to work and the customer a date.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=tuple(context),
        resources=(PARENT,),
        templates=templates,
        variants=_variants(choice),
    )


_PLAIN: Final = {"folder": "new", "channel": "new", "meeting": "fixed", "plan": "sheet"}
_CAREFUL: Final = {"folder": "reuse", "channel": "reuse", "meeting": "if_free", "plan": "none"}

FAMILY = Family(
    name="project-kickoff",
    axes={
        "folder": ("new", "reuse"),
        "channel": ("new", "reuse"),
        "meeting": ("fixed", "if_free"),
        "plan": ("none", "sheet"),
        "team": ("lead", "members"),
    },
    build=build,
    picks=(
        {**_PLAIN, "team": "lead"},
        {**_CAREFUL, "team": "lead"},
        {**_PLAIN, "plan": "none", "team": "members"},
    ),
)
