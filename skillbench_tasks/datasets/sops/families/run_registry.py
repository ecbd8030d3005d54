"""The platform's own registry: references for pieces of work, values by key, lines in its log."""

from __future__ import annotations

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
)
from skillbench_tasks.models import Fault, FaultKind, Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

HOURS = Resource(
    name="severity_hours",
    kind="lookup table of the automation platform",
    id="severity_hours",
    detail="from a severity, such as sev1, to the hours within which it is worked on",
)
ASKED = Template(name="request detail", text="Asked for by {requester}.")
DEFAULT_USED = Template(name="default detail", text="No hours for {severity}; 72 are used.")
KIND = "contract-review"
DEFAULT_HOURS = 72


def _name(choice: Choice) -> str:
    """Return where the one thing stands that is registered or resolved."""
    if choice["many"] == "batch":
        return "one"
    return "inputs.contract_id" if choice["purpose"] == "register" else "inputs.severity"


def _registering(choice: Choice) -> list[NodeData]:
    subject = f"${{{_name(choice)}}}"
    if choice["guard"] == "trusted":
        make = call("make", "automation:make_reference", kind=KIND, subject=subject)
        steps = [make, put("made", "reference", "${make.reference}")]
    else:
        make = call("make", "automation:make_reference", kind="${inputs.kind}", subject=subject)
        other = call("other", "automation:make_reference", kind="other", subject=subject)
        steps = [
            put("empty", "reference", ""),
            attempt(
                "guard",
                [make, put("made", "reference", "${make.reference}")],
                [other, put("instead", "reference", "${other.reference}")],
            ),
        ]
    if choice["log"] == "run":
        log = {"procedure": KIND, "outcome": "completed", "subject": "${reference}"}
        detail = "Asked for by ${inputs.requester}."
        steps.append(call("log", "automation:log_run", **log, detail=detail))
    return steps


def _resolving(choice: Choice) -> list[NodeData]:
    name = f"${{{_name(choice)}}}"
    look = call("look", "automation:lookup_entry", table=HOURS.id, key=name)
    found = put("found", "hours", "${look.value}")
    log = {"procedure": "severity-hours", "subject": name}
    if choice["guard"] == "trusted":
        line = call("log", "automation:log_run", **log, outcome="completed")
        return [look, found, *([line] if choice["log"] == "run" else [])]
    detail = f"No hours for {name}; 72 are used."
    line = call("log", "automation:log_run", **log, outcome="skipped", detail=detail)
    default = put("default", "hours", DEFAULT_HOURS)
    caught = [default, *([line] if choice["log"] == "run" else [])]
    return [put("zero", "hours", 0), attempt("guard", [look, found], caught)]


def _program(choice: Choice) -> dict[str, Any]:
    is_register, is_batch = choice["purpose"] == "register", choice["many"] == "batch"
    value, many = ("reference", "references") if is_register else ("hours", "hours_list")
    steps = _registering(choice) if is_register else _resolving(choice)
    field: dict[str, Any] = {"type": "string" if is_register else "number"}
    fields = {value: f"${{{value}}}"}
    output = {value: field}
    if is_batch:
        gathered = rule({"merge": [{"var": many}, {"var": value}]})
        steps = [
            put("start", many, []),
            each("each", "${inputs.batch}", "one", [*steps, put("gather", many, gathered)]),
        ]
        fields, output = {many: f"${{{many}}}"}, {many: {"type": "array", "items": field}}
    elif is_register and choice["log"] == "run":
        fields["run_id"] = "${log.run_id}"
        output["run_id"] = {"type": "string"}
    return program(_inputs(choice), [*steps, result("end", **fields)], output)


def _inputs(choice: Choice) -> dict[str, Any]:
    text = {"type": "string"}
    if choice["purpose"] == "resolve":
        about = "Severities" if choice["many"] == "batch" else "Severity"
        inputs: dict[str, Any] = {"severity": {**text, "description": f"{about} to look up."}}
    else:
        inputs = {"contract_id": {**text, "description": "Id of the contract to be reviewed."}}
    if choice["many"] == "batch":
        about = "Contract ids" if choice["purpose"] == "register" else "Severities"
        inputs = {"batch": {"type": "array", "items": text, "description": f"{about}, in order."}}
    if choice["purpose"] == "register" and choice["guard"] == "default":
        inputs["kind"] = {**text, "description": "Kind of work, as the requester wrote it."}
    if choice["purpose"] == "register" and choice["log"] == "run":
        inputs["requester"] = {**text, "description": "Name of whoever asks for the reference."}
    return inputs


def _register_sentences(choice: Choice) -> list[Sentence]:
    is_batch = choice["many"] == "batch"
    given = "The contracts to be reviewed are given as the list `batch`."
    given = given if is_batch else "The contract to be reviewed is given as `contract_id`."
    each_one = "each contract of the list" if is_batch else "the contract"
    found = [
        Sentence(
            given,
            ("input:batch",) if is_batch else ("input:contract_id",),
        )
    ]
    if choice["guard"] == "trusted":
        found.append(
            Sentence(
                f"The automation platform makes the reference of {each_one}, of the kind "
                "“contract-review” and with the contract's id as its subject.",
                ("call:make",),
            )
        )
    else:
        found += [
            Sentence(
                f"The automation platform makes the reference of {each_one}, of the kind given as "
                "`kind` and with the contract's id as its subject; the kind is passed on exactly "
                "as it is given.",
                ("call:make", "input:kind"),
            ),
            Sentence(
                "When the platform fails to make a reference of the given kind, for whatever "
                "reason, a reference of the kind “other” is made for the same contract instead.",
                ("try:guard", "call:other"),
            ),
        ]
    if choice["log"] == "run":
        found.append(
            Sentence(
                f"The run log gets one line for {each_one}, for the procedure “contract-review”, "
                "with the outcome “completed”, the reference as its subject and the request detail "
                "as its detail; the requester is given as `requester`. A line is written also "
                "when the log holds one for the same reference already.",
                ("call:log", "input:requester"),
            )
        )
    return found


def _resolve_sentences(choice: Choice) -> list[Sentence]:
    is_batch = choice["many"] == "batch"
    each_one = "each severity of the list `batch`" if is_batch else "the severity given"
    as_input = "" if is_batch else " as `severity`"
    found = [
        Sentence(
            f"The hours of {each_one}{as_input} are looked up in the platform's lookup table "
            "severity_hours, with the severity as the key exactly as it is given.",
            ("call:look", "input:batch" if is_batch else "input:severity"),
        )
    ]
    is_logged = choice["log"] == "run"
    if choice["guard"] == "default":
        found.append(
            Sentence(
                "When looking up a severity fails, for whatever reason, 72 hours count for it"
                + (
                    " and the run log gets one line for the procedure “severity-hours”, with the "
                    "outcome “skipped”, the severity as its subject and the default detail as its "
                    "detail; a severity that was found gets no line."
                    if is_logged
                    else "."
                ),
                ("try:guard", "set:default", *(("call:log",) if is_logged else ())),
            )
        )
    elif is_logged:
        found.append(
            Sentence(
                f"After its hours have been looked up, {each_one} gets one line in the run log, "
                "for the procedure “severity-hours”, with the outcome “completed” and the "
                "severity as its subject.",
                ("call:log", "order:look<log"),
            )
        )
    return found


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    is_register, is_batch = choice["purpose"] == "register", choice["many"] == "batch"
    found = _register_sentences(choice) if is_register else _resolve_sentences(choice)
    things, field = ("references", "references") if is_register else ("hours", "hours_list")
    if is_batch:
        about = "contracts" if is_register else "severities"
        return (
            *found,
            Sentence(f"The {about} of the list are taken in the order given.", ("each:each",)),
            Sentence(
                f"The run returns the {things} of all of them as the list `{field}`, in the same "
                f"order; the list is empty when no {about} are given.",
                ("return:end", "set:gather"),
            ),
        )
    text = "The run returns the hours as `hours`."
    if is_register:
        line = " and the id of the line in the run log as `run_id`"
        text = f"The run returns the reference as `reference`{line * (choice['log'] == 'run')}."
    return (*found, Sentence(text, ("return:end",)))


def _line(number: int, subject: str) -> Record:
    return {
        "run_id": f"RUN-8{number}",
        "procedure": KIND,
        "outcome": "completed",
        "subject": subject,
        "detail": "Asked for by Nadia Ferro.",
        "logged_at": "2026-03-16T08:15:00",
    }


def _hours(severity: str, value: float) -> Record:
    entry = f"severity_hours/{severity}"
    return {"entry": entry, "table": "severity_hours", "key": severity, "value": value}


def _register_variants(choice: Choice) -> list[VariantDraft]:
    logged = _line(31, f"{KIND}/2026-03-16/CTR-118")
    earlier = _line(32, f"{KIND}/2026-03-13/CTR-204")
    runs: list[tuple[tuple[str, ...], str, str, tuple[Record, ...]]] = [
        (("CTR-101",), "Nadia Ferro", KIND, ()),
        (("CTR-118", "CTR-119"), "Ole Brandt", KIND, (logged,)),
        (("CTR-204",), "Nadia Ferro", "renewal", (earlier,)),
        (("NDA-7", "CTR-101", "NDA-7"), "Sun Yi", "nda_check", ()),
        (("CTR-330",), "Priya Anand", "Contract Review", ()),
        ((), "Ole Brandt", KIND, (logged, earlier)),
    ]
    found = []
    for contracts, requester, kind, lines in runs:
        inputs: dict[str, Any] = {"batch": list(contracts)}
        if choice["many"] == "one":
            inputs = {"contract_id": contracts[0] if contracts else "CTR-90"}
        if choice["guard"] == "default":
            inputs["kind"] = kind
        if choice["log"] == "run":
            inputs["requester"] = requester
        found.append(VariantDraft(inputs, {"run_log": lines} if lines else {}))
    return found


def _resolve_variants(choice: Choice) -> list[VariantDraft]:
    is_guarded = choice["guard"] == "default"
    lost = Fault(
        tool="mcp.automation:lookup_entry",
        kind=FaultKind.PERMANENT,
        where={"table": HOURS.id, "key": "sev1"},
    )
    more = (_hours("sev4", 48), _hours("sev2", 6))
    unknown = () if is_guarded else (_hours("sev5", 96),)
    runs: list[tuple[tuple[str, ...], tuple[Record, ...], tuple[Fault, ...]]] = [
        (("sev1",), (), ()),
        (("sev4", "sev2"), more, ()),
        (("sev3",), (_hours("sev3", 72),), ()),
        (("sev5", "sev1"), unknown, ()),
        (("sev1", "sev3", "sev2"), (), (lost,) if is_guarded else ()),
        ((), (_hours("sev6", 0.5),), ()),
    ]
    found = []
    for severities, entries, faults in runs:
        inputs: dict[str, Any] = {"batch": list(severities)}
        if choice["many"] == "one":
            inputs = {"severity": severities[0] if severities else "sev6"}
        records = {"lookup_entries": entries} if entries else {}
        found.append(VariantDraft(inputs, records, faults))
    if choice["many"] == "one" and not is_guarded:
        found[4] = VariantDraft({"severity": "sev2"}, {"lookup_entries": (_hours("sev1", 2),)})
    return found


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_register, is_logged = choice["purpose"] == "register", choice["log"] == "run"
    is_guarded = choice["guard"] == "default"
    texts = [ASKED] if is_register else [DEFAULT_USED] * is_guarded
    trust = () if is_guarded else ("The table severity_hours has every severity that is given.",)
    return Draft(
        title="Reference for a contract review" if is_register else "Hours of a severity",
        purpose="Legal asks the platform for a reference whenever a contract is to be looked at, "
        "so that everybody writes the same name for the same piece of work."
        if is_register
        else "Other procedures run this when they have to know how fast somebody has to react.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("Nothing but the automation platform itself takes part.",)
        if is_register
        else ("Nothing but the automation platform itself takes part.", *trust),
        resources=() if is_register else (HOURS,),
        templates=tuple(texts) if is_logged else (),
        variants=tuple(_register_variants(choice) if is_register else _resolve_variants(choice)),
    )


FAMILY = Family(
    name="run-registry",
    axes={
        "purpose": ("register", "resolve"),
        "many": ("one", "batch"),
        "guard": ("trusted", "default"),
        "log": ("run", "silent"),
    },
    build=build,
    picks=(
        {"purpose": "register", "many": "one", "guard": "trusted", "log": "run"},
        {"purpose": "resolve", "many": "one", "guard": "default", "log": "run"},
    ),
)
