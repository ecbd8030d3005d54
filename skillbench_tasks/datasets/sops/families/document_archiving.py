"""Old documents go to the archive: files of a drive folder, or objects of a storage bucket."""

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
    rule,
    when,
)
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

FOLDER = Resource(name="Archive", kind="drive folder", id="FIL-505")
SOURCE = Resource(name="exports", kind="bucket of the object storage", id="exports")
TARGET = Resource(name="archive", kind="bucket of the object storage", id="archive")
LOG = Resource(
    name="Archive log", kind="spreadsheet", id="SHT-761", detail="columns document, archived_on"
)
REPORTS = Resource(name="#data-reports", kind="chat channel", id="CHN-309")
SUMMARY = Template(name="archive summary", text="Documents archived: {number}.")

_NAME: Final = "document-archiving"
_TODAY: Final = {"add_days": [{"var": "context.now"}, 0]}
_LIMIT: Final = "2025-03-16"
"""The day 365 days before the clock of the workspace."""

_SHEET: Final[Record] = {
    "sheet_id": LOG.id,
    "title": LOG.name,
    "columns": ["document", "archived_on"],
    "created_at": "2025-01-07T09:00:00",
}


def _is_drive(choice: Choice) -> bool:
    return choice["place"] == "drive"


def _finding(choice: Choice) -> NodeData:
    limit: Any = "${inputs.cutoff_on}"
    if choice["cutoff"] == "age":
        limit = rule({"add_days": [{"var": "context.now"}, -365]})
    if _is_drive(choice):
        given = {"folder_id": "${inputs.folder_id}", "kind": "document", "modified_to": limit}
        return call("found", "drive:find_files", **given)
    given = {"bucket": SOURCE.id, "prefix": "${inputs.prefix}", "modified_before": limit}
    return call("found", "storage:list_objects", **given)


def _storing(choice: Choice) -> list[NodeData]:
    if _is_drive(choice):
        file_id = "${document.file_id}"
        return [call("move", "drive:move_file", file_id=file_id, folder_id=FOLDER.id)]
    return [
        call("read", "storage:get_object", bucket=SOURCE.id, key="${document.key}"),
        call(
            "copy",
            "storage:put_object",
            bucket=TARGET.id,
            key="${document.key}",
            content="${read.content}",
            content_type="${read.content_type}",
        ),
    ]


def _name(choice: Choice) -> str:
    return "document.name" if _is_drive(choice) else "document.key"


def _handling(choice: Choice) -> list[NodeData]:
    """Return what is done with one document that is old enough."""
    kept = [*_storing(choice), put("count", "archived", rule({"+": [{"var": "archived"}, 1]}))]
    if choice["trail"] == "row":
        cells = {"document": f"${{{_name(choice)}}}", "archived_on": rule(_TODAY)}
        kept.append(call("row", "sheets:append_row", sheet_id=LOG.id, values=cells))
    if choice["keep"] == "final":
        is_draft = {"in": ["draft", {"lower": [{"var": _name(choice)}]}]}
        kept = [when("final", {"!": [is_draft]}, kept)]
    if not _is_drive(choice):
        kept.append(
            call("delete", "storage:delete_object", bucket=SOURCE.id, key="${document.key}")
        )
    if choice["clash"] == "none":
        return kept
    subject = "${document.file_id}" if _is_drive(choice) else "${document.key}"
    line = call("line", "automation:log_run", procedure=_NAME, outcome="failed", subject=subject)
    return [attempt("clash", kept, [line])]


def _program(choice: Choice) -> dict[str, Any]:
    inputs = {
        "folder_id": {"type": "string", "description": "The folder that is cleared."},
        "prefix": {"type": "string", "description": "With what the keys begin."},
    }
    del inputs["prefix" if _is_drive(choice) else "folder_id"]
    if choice["cutoff"] == "given":
        inputs["cutoff_on"] = {"type": "string", "description": "A date, YYYY-MM-DD."}
    items = "${found.files}" if _is_drive(choice) else "${found.objects}"
    steps = [
        put("start", "archived", 0),
        _finding(choice),
        each("pass", items, "document", _handling(choice)),
    ]
    if choice["trail"] == "summary":
        text = "Documents archived: ${archived}."
        steps.append(call("post", "chat:post_message", channel_id=REPORTS.id, text=text))
    steps.append(result("end", archived="${archived}"))
    return program(inputs, steps, {"archived": {"type": "integer"}})


def _scope_sentences(choice: Choice) -> list[Sentence]:
    word = "on or before" if _is_drive(choice) else "before"
    day = "the date given as `cutoff_on`"
    if choice["cutoff"] == "age":
        day = "the day that lies 365 days before today"
    given = ("input:cutoff_on",) if choice["cutoff"] == "given" else ()
    covers = ("call:found", "each:pass", *given)
    means = {"-365": "365 days before"}
    if _is_drive(choice):
        text = (
            "The run goes through what lies right in the drive folder given as `folder_id`, but "
            f"only entries of the kind “document” that were last changed {word} {day}; they are "
            "taken one after the other, as the drive lists them."
        )
        return [Sentence(text, (*covers, "input:folder_id"), means)]
    text = (
        "The run goes through the objects of the bucket exports whose keys begin with the "
        f"`prefix` that is given, but only those last written {word} {day}; they are taken one "
        "after the other, as the storage lists them."
    )
    return [Sentence(text, (*covers, "input:prefix"), means)]


def _storing_sentences(choice: Choice) -> list[Sentence]:
    is_all = choice["keep"] == "all"
    if _is_drive(choice):
        scope = " Every document that the run goes through is archived." if is_all else ""
        text = f"To archive a document is to move it into the folder Archive.{scope}"
        return [Sentence(text, ("call:move",))]
    last = "final" if not is_all else "row" if choice["trail"] == "row" else "copy"
    done = "its copy is stored" + (" and its row written" if choice["trail"] == "row" else "")
    what, when_ = "Every object that the run goes through", f", but not before {done}"
    if choice["keep"] == "final":
        what += ", draft or not,"
        when_ = f"; one that is archived is deleted only after {done}"
    return [
        Sentence(
            "To archive an object is to read it from the bucket exports and store a copy in the "
            "bucket archive, under the same key, with the same content and content type."
            + (" Every object that the run goes through is archived." if is_all else ""),
            ("call:read", "call:copy"),
        ),
        Sentence(
            f"{what} is deleted from the bucket exports{when_}.",
            ("call:delete", f"order:{last}<delete"),
        ),
    ]


def _draft_sentence(choice: Choice) -> Sentence:
    what, held, fate = "A document", "name", "stays where it is"
    if not _is_drive(choice):
        what, held, fate = "An object", "key", "is not archived, only deleted"
    return Sentence(
        f"{what} whose {held} contains “draft”, upper and lower case alike, is a draft and {fate}; "
        "all others are archived.",
        ("if:final",),
    )


def _clash_sentences(choice: Choice) -> list[Sentence]:
    a, what, ident = ("a", "document", "id") if _is_drive(choice) else ("an", "object", "key")
    tried = f"a step fails for {a} {what}"
    rest = f" the remaining steps for this {what} are left out,"
    if _is_drive(choice) and choice["trail"] != "row":
        tried, rest = "a document cannot be moved", ""
    return [
        Sentence(
            f"If {tried}, whatever the reason,{rest} the failure is recorded, and the run goes on "
            "with the next one.",
            ("try:clash",),
        ),
        Sentence(
            "A failure is recorded as a line in the run log of the automation platform, for the "
            f"procedure “{_NAME}” with the outcome “failed”; the subject is the {ident} of the "
            f"{what}, and no detail is given.",
            ("call:line",),
        ),
    ]


def _trail_sentence(choice: Choice) -> Sentence:
    if choice["trail"] == "summary":
        return Sentence(
            "One message for the whole run, the archive summary with the number that the run "
            "returns as `archived`, is posted in #data-reports when all have been gone through, "
            "also when that number is 0.",
            ("call:post", "order:pass<post"),
        )
    what, held, last = ("a document", "name", "move")
    if not _is_drive(choice):
        what, held, last = ("an object", "key", "copy")
    return Sentence(
        f"As soon as {what} is archived, a row is added to the Archive log, with its {held} in the "
        "column document and today's date (YYYY-MM-DD) in the column archived_on.",
        ("call:row", f"order:{last}<row"),
    )


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    counted = "objects that were copied to the archive"
    if _is_drive(choice):
        counted = "documents that were moved to the folder Archive"
    found = [*_scope_sentences(choice), *_storing_sentences(choice)]
    if choice["keep"] == "final":
        found.append(_draft_sentence(choice))
    if choice["trail"] != "none":
        found.append(_trail_sentence(choice))
    if choice["clash"] != "none":
        found += _clash_sentences(choice)
    end = f"The run returns `archived`, the number of {counted} in this run."
    return (*found, Sentence(end, ("return:end", "set:count")))


def _file(number: int, name: str, modified_on: str, **more: Any) -> Record:
    return {
        "file_id": f"FIL-58{number}",
        "name": name,
        "kind": "document",
        "folder_id": "FIL-580",
        "owner": "bruno.adeyemi@example.com",
        "content": "Figures",
        "created_on": "2023-01-10",
        "modified_on": modified_on,
        **more,
    }


def _object(key: str, modified_at: str, content: str, kind: str = "text/plain") -> Record:
    return {
        "path": f"exports/{key}",
        "bucket": "exports",
        "key": key,
        "content": content,
        "content_type": kind,
        "size": len(content),
        "modified_at": modified_at,
    }


def _variant(
    choice: Choice, source: str, *records: Record, faults: Sequence[Fault] = ()
) -> VariantDraft:
    is_drive = _is_drive(choice)
    inputs = {"folder_id" if is_drive else "prefix": source}
    if choice["cutoff"] == "given":
        inputs["cutoff_on"] = _LIMIT
    given: dict[str, tuple[Record, ...]] = {
        "drive_files" if is_drive else "storage_objects": records
    }
    if choice["trail"] == "row":
        given["sheets"] = (_SHEET,)
    return VariantDraft(inputs, given, tuple(faults))


def _drive_variants(choice: Choice) -> list[VariantDraft]:
    old, older, day_after = "2025-01-20", "2024-02-02", "2025-03-17"
    top = _file(0, "Yearly reports", older, kind="folder", folder_id="FIL-504", content=None)
    sub = _file(9, "Old years", older, kind="folder", content=None)
    late = _file(2, "Report 12", day_after)
    here = partial(_variant, choice, "FIL-580", top)
    found = [
        here(late, sub),
        here(_file(1, "Report 11", _LIMIT), late),
        here(
            _file(1, "Report 1", old),
            _file(5, "DRAFT report 2", older),
            _file(3, "Report 2", old, kind="pdf", content=None),
            _file(4, "Report 3", _LIMIT, owner="wen.castellan@example.com"),
            sub,
        ),
        _variant(
            choice,
            "FIL-504",
            top,
            _file(5, "Redrafted plan", older, folder_id="FIL-504"),
            _file(6, "Report 9", older),
        ),
        _variant(
            choice,
            "FIL-589",
            top,
            sub,
            *(_file(n, f"Minutes {n}", older, folder_id="FIL-589") for n in (11, 12, 13)),
        ),
    ]
    if choice["clash"] != "none":
        lost = Fault(tool="mcp.drive:move_file", kind=FaultKind.PERMANENT, occurrences=(2,))
        twin = _file(21, "Report 21", old, folder_id=FOLDER.id)
        files = [_file(n, f"Report {n}", old) for n in (31, 32, 33)]
        found += [here(_file(22, "Report 21", old), twin, files[0]), here(*files, faults=[lost])]
    return found


def _storage_variants(choice: Choice) -> list[VariantDraft]:
    old, eve, day = "2024-11-05T03:00:00", "2025-03-15T23:59:59", "2025-03-16T00:00:00"
    found = [
        _variant(choice, "orders/", _object("orders/2025-03.csv", day, "a,1\n", "text/csv")),
        _variant(
            choice,
            "usage/2025",
            _object("usage/2025-03-14.csv", eve, "a,2\n", "text/csv"),
            _object("usage/2025-03-15.csv", day, "a,3\n", "text/csv"),
            _object("usage/2024-03-15.csv", old, "a,4\n", "text/csv"),
        ),
        _variant(
            choice,
            "plans/",
            _object("plans/budget.json", old, '{"total": 4}', "application/json"),
            _object("plans/budget-Draft.txt", old, "To be checked"),
            _object("plans/staff.txt", eve, "Nobody leaves."),
        ),
        _variant(choice, "notes/draft", _object("notes/draft-3.txt", old, "Three")),
        _variant(
            choice,
            "notes/",
            _object("notes/redrafted.txt", eve, "Anew"),
            _object("notes/final.txt", day, "Ready"),
            _object("notes2/final.txt", old, "Ready"),
        ),
    ]
    if choice["clash"] != "none":
        lost = Fault(
            tool="mcp.storage:delete_object", kind=FaultKind.TRANSIENT, where={"key": "logs/2.txt"}
        )
        logs = [_object(f"logs/{n}.txt", old, f"Line {n}") for n in (1, 2, 3)]
        stored = {**logs[0], "path": "archive/logs/1.txt", "bucket": "archive"}
        found += [
            _variant(choice, "logs/", logs[0], stored, logs[2]),
            _variant(choice, "logs/", *logs, faults=[lost]),
        ]
    return found


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_drive = _is_drive(choice)
    resources = [FOLDER] if is_drive else [SOURCE, TARGET]
    resources += {"none": [], "row": [LOG], "summary": [REPORTS]}[choice["trail"]]
    context = ["No more than 50 entries fit what the run looks for."]
    if choice["clash"] == "none":
        context.append("Nothing of the same name lies in the archive yet.")
    return Draft(
        title="Archive old documents" if is_drive else "Archive old exports",
        purpose="Operations runs this so that old papers are out of the way and yet can be found.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=tuple(context),
        resources=tuple(resources),
        templates=(SUMMARY,) if choice["trail"] == "summary" else (),
        variants=tuple(_drive_variants(choice) if is_drive else _storage_variants(choice)),
    )


FAMILY = Family(
    name=_NAME,
    axes={
        "place": ("drive", "storage"),
        "cutoff": ("age", "given"),
        "keep": ("all", "final"),
        "trail": ("none", "row", "summary"),
        "clash": ("none", "guarded"),
    },
    build=build,
    picks=(
        {"place": "drive", "cutoff": "age", "keep": "all", "trail": "none", "clash": "none"},
        {"place": "storage", "cutoff": "given", "keep": "final", "trail": "row", "clash": "none"},
        {
            "place": "drive",
            "cutoff": "given",
            "keep": "final",
            "trail": "summary",
            "clash": "guarded",
        },
    ),
)
