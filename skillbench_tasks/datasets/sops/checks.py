"""Checks of a SOP: its words against the ledger both ways, what leaks, and its reference runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from skillbench_tasks.datasets.sops.coverage import obligations_of
from skillbench_tasks.datasets.sops.drafts import Draft, Sentence
from skillbench_tasks.datasets.sops.ledger import Item, ledger_of, nodes_of
from skillbench_tasks.datasets.sops.running import run_on, signatures
from skillbench_tasks.datasets.sops.workspace import world_with
from skillbench_tasks.errors import DataError
from skillbench_tasks.json_text import strings_of
from skillbench_tasks.models.sop import Sop, Variant
from skillbench_tasks.tools.workflow import parse_program, validate
from skillbench_tasks.tools.workflow.language import Program

__all__ = ["VARIANTS_MIN", "sop_faults"]

VARIANTS_MIN: Final = 5
"""Variants that a SOP has at least."""

_REFERENCE: Final = re.compile(r"\$\{[^}]*\}")
_PLACEHOLDER: Final = re.compile(r"\{[^}]*\}")
_NUMBER: Final = re.compile(r"(?<![\w-])\d[\d,]*(?:\.\d+)?(?![\w-])")
_QUOTED: Final = re.compile(r"[“\"]([^”\"]+)[”\"]|`([^`]+)`")
_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_FAULT_WORDS: Final = re.compile(
    r"\b(timeout_after_commit|rate_limit|transient|injected|fault|variant|trace)\b", re.IGNORECASE
)
_SHORTEST_VALUE: Final = 3


def sop_faults(sop: Sop, draft: Draft) -> list[str]:
    """Return what is wrong with a SOP, one line each; empty when nothing is.

    Args:
        sop: The SOP put together.
        draft: What its family wrote.
    """
    faults = [*_program_faults(sop)]
    if faults:
        return faults
    faults += _ledger_faults(draft)
    faults += _leaks(sop)
    faults += _run_faults(sop)
    return [f"{sop.id}: {fault}" for fault in faults]


def _program_faults(sop: Sop) -> Iterator[str]:
    labels = Counter(str(node.get("note")) for node in nodes_of(sop.program["steps"]))
    yield from (f"the label {label} stands {n} times" for label, n in labels.items() if n > 1)
    for finding in validate(sop.program, signatures(), dialogue=False):
        yield f"{finding.path}: {finding.message}"


def _ledger_faults(draft: Draft) -> Iterator[str]:
    """Yield what the words leave out, state twice, or add."""
    items = {item.id: item for item in ledger_of(draft.program)}
    stated = Counter(one for sentence in draft.sentences for one in sentence.covers)
    for name, count in stated.items():
        if name not in items:
            yield f"a sentence covers {name}, which the workflow does not demand"
        elif count > 1:
            yield f"{name} is stated {count} times"
    for item in items.values():
        if item.kind != "arg" and item.id not in stated:
            yield f"nothing states {item.id}"
    for sentence in draft.sentences:
        if not sentence.covers:
            yield f"a sentence states nothing that the workflow demands: {sentence.text!r}"
    yield from _missing_terms(draft, items)
    yield from _unsupported(draft, items.values())


def _missing_terms(draft: Draft, items: Mapping[str, Item]) -> Iterator[str]:
    for item in items.values():
        place = item.id
        if item.kind == "arg" and not any(place in one.covers for one in draft.sentences):
            place = f"call:{item.id.removeprefix('arg:').rpartition('.')[0]}"
        for sentence in draft.sentences:
            if place in sentence.covers:
                yield from (
                    f"the sentence on {place} does not say {term!r}"
                    for term in item.terms
                    if not _says(sentence, term, draft)
                )


def _says(sentence: Sentence, term: str, draft: Draft) -> bool:
    text = sentence.text
    if term in sentence.means:
        return sentence.means[term].lower() in text.lower()
    has_capitals = term != term.lower()  # then they are part of it
    return any(
        form in text if has_capitals and form == term else form.lower() in text.lower()
        for form in _forms(term, draft)
    )


def _forms(term: str, draft: Draft) -> Iterator[str]:
    """Yield the wordings that stand for a literal."""
    whole = _REFERENCE.sub("{}", term)
    for template in draft.templates:
        if _PLACEHOLDER.sub("{}", template.text) == whole:
            yield template.name
    for resource in draft.resources:
        if term in (resource.id, resource.name):
            yield resource.name
            yield resource.id
    yield term
    yield term.replace("_", " ")
    if _NUMBER.fullmatch(term):
        number = float(term)
        yield f"{number:,.0f}" if number.is_integer() else f"{number:,}"
        if number.is_integer() and 0 <= number < len(_WORDS):
            yield _WORDS[int(number)]
        yield f"{100 * number:g} %"
        yield f"{100 * number:g}%"


def _unsupported(draft: Draft, items: Iterable[Item]) -> Iterator[str]:
    """Yield numbers and quotations in the words that nothing in the workflow bears out."""
    known = {form.lower() for item in items for t in item.terms for form in _forms(t, draft)}
    known |= {part.lower() for one in (*draft.resources,) for part in (one.name, one.id)}
    known |= {template.name.lower() for template in draft.templates}
    known |= {name.lower() for name in _field_names(draft.program)}
    for sentence in draft.sentences:
        own = known | {wording.lower() for wording in sentence.means.values()}
        texts = " ".join(own)
        for match in _QUOTED.finditer(sentence.text):
            words = (match[1] or match[2]).strip(" .,").lower()
            if words not in own and words not in texts:
                yield f"nothing bears out {words!r} in {sentence.text!r}"
        for match in _NUMBER.finditer(_QUOTED.sub("", sentence.text)):
            number = match[0].rstrip(",")
            if number not in texts and number.replace(",", "") not in texts and number not in "01":
                yield f"nothing bears out the number {number} in {sentence.text!r}"


def _field_names(program: Mapping[str, Any]) -> set[str]:
    names = set(program.get("inputs", {})) | set(program.get("output", {}).get("properties", {}))
    for text in strings_of(program["steps"]):
        for reference in _REFERENCE.findall(text):
            names |= set(reference[2:-1].split("."))
    for node in nodes_of(program["steps"]):
        names |= set(node.get("arguments", ()))
    return names


def _leaks(sop: Sop) -> Iterator[str]:
    """Yield input values, hidden ids, labels and words of the test bench in the words."""
    shown = " ".join((sop.description, *sop.context)).lower()
    public = _public(sop)
    for variant in sop.variants:
        hidden = [*strings_of(list(variant.inputs.values())), *_hidden(variant)]
        for value in dict.fromkeys(hidden):
            is_long = len(value) >= _SHORTEST_VALUE
            if is_long and value.lower() not in public and _stands(value.lower(), shown):
                yield f"the description tells {value!r} of {variant.id}"
    for node in nodes_of(sop.program["steps"]):
        if "_" in str(node["note"]) and _stands(str(node["note"]).lower(), shown):
            yield f"the description tells the label {node['note']!r}"
    if found := _FAULT_WORDS.search(shown):
        yield f"the description speaks of {found[0]!r}"
    if "mcp." in shown:
        yield "the description names a tool by its full name"


def _public(sop: Sop) -> str:
    """Return what may be said: literals of the workflow, resources, templates."""
    texts = [*strings_of(sop.program), *(f"{r.name} {r.id} {r.detail}" for r in sop.resources)]
    return "\n".join((*texts, *(t.text for t in sop.templates))).lower()


def _hidden(variant: Variant) -> Iterator[str]:
    for records in variant.records.values():
        for record in records:
            yield from (
                value
                for name, value in record.items()
                if isinstance(value, str) and (name.endswith("_id") or "@" in value)
            )


def _stands(value: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", text) is not None


def _run_faults(sop: Sop) -> Iterator[str]:
    program = parse_program(sop.program)
    assert isinstance(program, Program)
    if len(sop.variants) < VARIANTS_MIN:
        yield f"{len(sop.variants)} variants, {VARIANTS_MIN} are the least"
    met: set[str] = set()
    for variant in sop.variants:
        try:
            world_with(variant.records, variant.id)
        except DataError as error:
            yield str(error)
            continue
        done = run_on(program, variant)
        met |= set(variant.covers)
        if done.status not in ("returned", "completed"):
            yield f"{variant.id}: the reference ends as {done.status}: {done.problem}{_last(done)}"
        errors = [call for call in done.calls if call.error is not None]
        struck = {call.tool for call in errors}
        for fault in variant.faults:
            if fault.tool not in struck:
                yield f"{variant.id}: the fault of {fault.tool} strikes no call"
    keys = [(str(v.inputs), str(v.records), str(v.faults)) for v in sop.variants]
    if len(set(keys)) < len(keys):
        yield "two variants are the same"
    for one in obligations_of(sop.program):
        if one not in met and not one.endswith(("one", "zero", "many")):
            yield f"no variant covers {one}"
    loops = Counter(one.rpartition(" ")[0] for one in met if one.endswith(("one", "zero", "many")))
    for one in obligations_of(sop.program):
        label, _, outcome = one.rpartition(" ")
        if outcome == "many" and loops[label] < 2:
            yield f"the loop {label} is covered {loops[label]} of 3 ways"


def _last(done: Any) -> str:
    return str(done.calls[-1].error.message) if done.calls and done.calls[-1].error else ""
