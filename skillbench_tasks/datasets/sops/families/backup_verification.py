"""Backups in the object storage: is there a usable one of a day, and can they be restored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

EXPORTS = Resource(name="exports", kind="bucket of the object storage", id="exports")
ARCHIVE = Resource(name="archive", kind="bucket of the object storage", id="archive")
REPORTS = Resource(name="reports", kind="bucket of the object storage", id="reports")
OPERATIONS = Resource(name="OPS", kind="project of the issue tracker", id="OPS")
CHANNEL = Resource(name="#data-reports", kind="chat channel", id="CHN-309")

ALARMS = {
    "present": Template(name="alarm text", text="No usable backup of {data set} for {day}."),
    "restore": Template(name="alarm text", text="Backup {object key} cannot be restored."),
}
ALARM_TEXTS = {
    "present": "No usable backup of ${inputs.dataset} for ${inputs.day}.",
    "restore": "Backup ${backup.key} cannot be restored.",
}
REPORT = Template(
    name="report text", text="{number} of {total} backups of {data set} can be restored."
)


def _alarm_key(choice: Choice) -> str:
    key = "${inputs.dataset}/${inputs.day}.csv" if choice["check"] == "present" else "${backup.key}"
    return f"alarms/{key}"


def _alarm(choice: Choice, label: str = "alarm") -> NodeData:
    text = ALARM_TEXTS[choice["check"]]
    if choice["alarm"] == "issue":
        more = {"issue_type": "bug", "summary": text, "priority": "high"}
        return call(label, "tracker:create_issue", project=OPERATIONS.id, **more)
    if choice["alarm"] == "chat":
        return call(label, "chat:post_message", channel_id=CHANNEL.id, text=text)
    return _noting(label, _alarm_key(choice), text)


def _noting(label: str, key: str, content: str) -> NodeData:
    more = {"key": key, "content": content, "overwrite": True}
    return call(label, "storage:put_object", bucket=REPORTS.id, **more)


def _listing() -> NodeData:
    prefix = "${inputs.dataset}/"
    return call("listed", "storage:list_objects", bucket=EXPORTS.id, prefix=prefix)


def _presence(choice: Choice) -> list[NodeData]:
    key = "${inputs.dataset}/${inputs.day}.csv"
    alarmed = [_alarm(choice), result("end_missing", verified=False)]
    if choice["depth"] == "light":
        is_usable = {
            "and": [
                {"==": [{"var": "item.key"}, {"var": "key"}]},
                {">=": [{"var": "item.size"}, {"var": "inputs.minimum_size"}]},
            ]
        }
        missing = {"none": [{"var": "listed.objects"}, is_usable]}
        return [put("name", "key", key), _listing(), when("missing", missing, alarmed)]
    is_foreign = {"!": {"in": [{"var": "inputs.header"}, {"var": "backup.content"}]}}
    read = call("backup", "storage:get_object", bucket=EXPORTS.id, key=key)
    foreign = when(
        "foreign",
        is_foreign,
        [_alarm(choice, "alarm_foreign"), result("end_foreign", verified=False)],
    )
    return [attempt("guard", [read, foreign], alarmed)]


def _rehearsal(choice: Choice) -> list[NodeData]:
    steps = [call("content", "storage:get_object", bucket=EXPORTS.id, key="${backup.key}")]
    if choice["depth"] == "deep":
        copy = "restore-test/${backup.key}"
        content = "${content.content}"
        steps += [
            call("copy", "storage:put_object", bucket=ARCHIVE.id, key=copy, content=content),
            call("clean", "storage:delete_object", bucket=ARCHIVE.id, key=copy),
        ]
    steps.append(put("count", "good", rule({"+": [{"var": "good"}, 1]})))
    return [
        put("start", "good", 0),
        _listing(),
        each("one", "${listed.objects}", "backup", [attempt("guard", steps, [_alarm(choice)])]),
    ]


def _report(choice: Choice) -> list[NodeData]:
    if choice["report"] == "none":
        return []
    if choice["check"] == "present":
        return [_noting("report", "verified/${inputs.dataset}/${inputs.day}.txt", "verified")]
    content = "${good} of ${listed.count} backups of ${inputs.dataset} can be restored."
    return [_noting("report", "restore-tests/${inputs.dataset}.txt", content)]


def _program(choice: Choice) -> dict[str, Any]:
    inputs: dict[str, Any] = {
        "dataset": {"type": "string", "description": "Name of the data set, such as sales."}
    }
    if choice["check"] == "restore":
        ending = result("end", restorable="${good}", checked="${listed.count}")
        output = {"restorable": {"type": "integer"}, "checked": {"type": "integer"}}
        return program(inputs, [*_rehearsal(choice), *_report(choice), ending], output)
    inputs["day"] = {"type": "string", "description": "The day, YYYY-MM-DD."}
    if choice["depth"] == "light":
        text = "Characters that a usable backup has at least."
        inputs["minimum_size"] = {"type": "integer", "description": text}
    else:
        text = "Text that a usable backup contains."
        inputs["header"] = {"type": "string", "description": text}
    ending = result("end", verified=True)
    steps = [*_presence(choice), *_report(choice), ending]
    return program(inputs, steps, {"verified": {"type": "boolean"}})


def _presence_sentences(choice: Choice) -> list[Sentence]:
    key = "`<dataset>/<day>.csv`"
    literals = {"${inputs.dataset}/${inputs.day}.csv": "<dataset>/<day>.csv"}
    if choice["depth"] == "light":
        found = [
            Sentence(
                "The backups of a data set are found in the list of the bucket exports, restricted "
                "to keys that start with `<dataset>/`; no backup is opened for the check.",
                ("call:listed",),
                {"${inputs.dataset}/": "<dataset>/"},
            ),
            Sentence(
                f"A backup is usable when its key is {key}, made of the data set and the day that "
                "are given as `dataset` and `day`, and its size is at least `minimum_size`. When "
                "no listed backup is usable the alarm is raised; when one is, there is no alarm.",
                ("set:name", "input:dataset", "input:day", "input:minimum_size", "if:missing"),
                literals,
            ),
        ]
        covers = ["return:end", "return:end_missing"]
    else:
        found = [
            Sentence(
                f"The backup is the object {key} in the bucket exports, made of the data set and "
                "the day that are given as `dataset` and `day`; it is read directly, without a "
                "look at the list.",
                ("input:dataset", "input:day", "call:backup"),
                literals,
            ),
            Sentence(
                "If the backup cannot be read, for whatever reason, it is not usable: the alarm "
                "is raised without a further attempt.",
                ("try:guard",),
            ),
            Sentence(
                "A backup that was read is usable when its content contains the text given as "
                "`header`. If it does not contain it, the alarm is raised; if it does, there is "
                "no alarm.",
                ("input:header", "if:foreign"),
            ),
        ]
        covers = ["return:end", "return:end_missing", "return:end_foreign"]
    text = "The run returns `verified`: true when there is a usable backup of the day, else false."
    return [*found, Sentence(text, tuple(covers))]


def _restore_sentences(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "The backups that are checked are all objects in the bucket exports whose keys start "
            "with `<dataset>/`, where <dataset> is the data set given as `dataset`.",
            ("input:dataset", "call:listed"),
            {"${inputs.dataset}/": "<dataset>/"},
        ),
        Sentence(
            "Each backup is checked in the order of the list, with all its steps before the "
            "next: first of all it is read in full from the bucket exports.",
            ("each:one", "call:content"),
        ),
        Sentence(
            "If a step of the check of a backup fails, for whatever reason, its further steps are "
            "left out, the alarm is raised for that backup, and the run goes on with the next.",
            ("try:guard",),
        ),
        Sentence(
            "A backup counts as restorable when all steps of its check went through.",
            ("set:count",),
        ),
        Sentence(
            "The run returns `restorable`, the number of restorable backups, and `checked`, the "
            "number of all backups that were listed.",
            ("return:end",),
        ),
    ]
    if choice["depth"] == "deep":
        copy = {"restore-test/${backup.key}": "restore-test/<key>"}
        found += [
            Sentence(
                "What was read of a backup is written as plain text into the bucket archive under "
                "the key `restore-test/<key>`, where <key> is the key of the backup; a copy that "
                "lies there already must not be overwritten, so that writing fails.",
                ("call:copy",),
                copy,
            ),
            Sentence(
                "The copy `restore-test/<key>` of a backup is deleted from the bucket archive "
                "after it was written by the same check.",
                ("call:clean", "order:copy<clean"),
                copy,
            ),
        ]
    return found


def _alarm_sentence(choice: Choice) -> Sentence:
    is_twofold = choice["check"] == "present" and choice["depth"] == "deep"
    covers = ["call:alarm", "call:alarm_foreign"] if is_twofold else ["call:alarm"]
    means: dict[str, str] = {}
    if choice["alarm"] == "issue":
        text = (
            "Raising the alarm means an issue in the project OPS of the issue tracker, of the "
            "type “bug”, with the alarm text as its summary and the priority “high”."
        )
    elif choice["alarm"] == "chat":
        text = "Raising the alarm means one message in #data-reports with the alarm text."
    else:
        key = "<dataset>/<day>.csv" if choice["check"] == "present" else "<key>"
        means = {_alarm_key(choice): f"alarms/{key}"}
        whose = "" if choice["check"] == "present" else ", where <key> is the key of the backup,"
        text = (
            f"Raising the alarm means that the object `alarms/{key}`{whose} is written into the "
            "bucket reports as plain text with the alarm text; one that lies there already is "
            "overwritten."
        )
    return Sentence(text, tuple(covers), means)


def _report_sentence(choice: Choice) -> Sentence:
    if choice["check"] == "present":
        key = "verified/<dataset>/<day>.txt"
        covers = ["call:report"]
        before = "missing" if choice["depth"] == "light" else "guard"
        covers.append(f"order:{before}<report")
        return Sentence(
            "Only after the check has found a usable backup is that noted: the object "
            f"`{key}` with the content “verified” is written into the bucket reports as plain "
            "text, over one that may lie there.",
            tuple(covers),
            {"verified/${inputs.dataset}/${inputs.day}.txt": key},
        )
    key = "restore-tests/<dataset>.txt"
    return Sentence(
        f"After all backups have been checked, also when there was none, the object `{key}` with "
        "the report text is written into the bucket reports as plain text, over one that may lie "
        "there; its number is that of the restorable backups and its total that of all listed.",
        ("call:report", "order:one<report"),
        {"restore-tests/${inputs.dataset}.txt": key},
    )


def _object(bucket: str, key: str, content: str, at: str = "2026-03-16T02:00:00") -> Record:
    return {
        "path": f"{bucket}/{key}",
        "bucket": bucket,
        "key": key,
        "content": content,
        "content_type": "text/csv",
        "size": len(content),
        "modified_at": at,
    }


def _broken(tool: str, kind: FaultKind, where: Mapping[str, str]) -> list[Fault]:
    return [Fault(tool=f"mcp.storage:{tool}", kind=kind, where=dict(where))]


HEADER = "entry,amount\n"


def _presence_variants(choice: Choice) -> list[VariantDraft]:
    def run(dataset: str, day: str, *objects: Record, faults: Sequence[Fault] = ()) -> VariantDraft:
        inputs: dict[str, Any] = {"dataset": dataset, "day": day}
        if choice["depth"] == "light":
            inputs["minimum_size"] = 40
        else:
            inputs["header"] = HEADER.strip()
        return VariantDraft(inputs, {"storage_objects": objects}, tuple(faults))

    full = HEADER + "E-1,1200\nE-2,340\nE-3,75\nE-4,9100\n"
    exact = (HEADER + "E-1,1200\nE-2,340\nE-3,75\nE-4")[:40]
    today, before = "2026-03-16", "2026-03-15"
    short = _object("exports", f"ledger/{today}.csv", "entry\n")
    raised = _object("reports", f"alarms/ledger/{today}.csv", "Old alarm.")
    found = [
        run("ledger", today, _object("exports", f"ledger/{today}.csv", full)),
        run("ledger", today, _object("exports", f"ledger/{before}.csv", full), raised),
        run("ledger", today, short, _object("exports", f"ledger/{before}.csv", full)),
        run("crm", before, _object("exports", f"crm/{before}.csv", exact)),
        run("crm", before, _object("exports", f"crm-old/{before}.csv", full)),
        run(
            "crm",
            today,
            _object("exports", f"crm/{today}.csv", exact[:39].replace("entry", "entri")),
        ),
    ]
    if choice["depth"] == "deep":
        down = _broken("get_object", FaultKind.PERMANENT, {"bucket": "exports"})
        backup = _object("exports", f"crm/{today}.csv", full)
        found.append(run("crm", today, backup, faults=down))
    return found


def _restore_variants(choice: Choice) -> list[VariantDraft]:
    def run(dataset: str, *objects: Record, faults: Sequence[Fault] = ()) -> VariantDraft:
        return VariantDraft({"dataset": dataset}, {"storage_objects": objects}, tuple(faults))

    def backups(dataset: str, *days: int, content: str = HEADER) -> list[Record]:
        return [
            _object("exports", f"{dataset}/2026-03-{day}.csv", f"{content}{day}\n") for day in days
        ]

    left = _object("archive", "restore-test/crm/2026-03-14.csv", "left over\n")
    report = _object("reports", "restore-tests/crm.txt", "0 of 1 backups can be restored.")
    unreadable = _broken("get_object", FaultKind.PERMANENT, {"key": "ledger/2026-03-12.csv"})
    second = {"key": "restore-test/stock/2026-03-13.csv"}
    if choice["depth"] == "deep":
        sticky = _broken("delete_object", FaultKind.RATE_LIMIT, second)
    else:
        sticky = _broken("get_object", FaultKind.RATE_LIMIT, {"key": "stock/2026-03-13.csv"})
    return [
        run("ledger", *backups("ledgers", 12)),
        run("crm", *backups("crm", 15), report),
        run("crm", *backups("crm", 13, 14, 15), left),
        run("ledger", *backups("ledger", 12, 13), faults=unreadable),
        run("stock", *backups("stock", 12, 13, 14), faults=sticky),
        run("stock", *backups("stock", 16, 15), *backups("stock-old", 14)),
    ]


def _resources(choice: Choice) -> tuple[Resource, ...]:
    found = [EXPORTS]
    if choice["check"] == "restore" and choice["depth"] == "deep":
        found.append(ARCHIVE)
    if choice["alarm"] == "object" or choice["report"] != "none":
        found.append(REPORTS)
    if choice["alarm"] == "issue":
        found.append(OPERATIONS)
    return (*found, CHANNEL) if choice["alarm"] == "chat" else tuple(found)


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_restore = choice["check"] == "restore"
    sentences = _restore_sentences(choice) if is_restore else _presence_sentences(choice)
    report = [] if choice["report"] == "none" else [_report_sentence(choice)]
    purpose = "Operations runs this once a day for each data set, to notice a missing backup."
    if is_restore:
        purpose = "Operations rehearses once a month whether backups could be brought back."
    return Draft(
        title="Rehearse restoring backups" if is_restore else "Check the backup of a day",
        purpose=purpose,
        program=_program(choice),
        sentences=(*sentences, _alarm_sentence(choice), *report),
        context=("All objects that are dealt with hold text; no data set has over 100 of them.",),
        resources=_resources(choice),
        templates=(ALARMS[choice["check"]], *((REPORT,) if is_restore and report else ())),
        variants=tuple(_restore_variants(choice) if is_restore else _presence_variants(choice)),
    )


FAMILY = Family(
    name="backup-verification",
    axes={
        "check": ("present", "restore"),
        "depth": ("light", "deep"),
        "alarm": ("object", "issue", "chat"),
        "report": ("none", "object"),
    },
    build=build,
    picks=(
        {"check": "present", "depth": "light", "alarm": "object", "report": "none"},
        {"check": "restore", "depth": "deep", "alarm": "issue", "report": "object"},
    ),
)
