"""One declaration of what is the same written otherwise, for tools, matchers and worlds (B3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.datasets.replay_state import states_before
from skillbench_tasks.models import Change, CollectionSpec, FieldKind
from skillbench_tasks.models.conversation import CalledTool
from skillbench_tasks.tools import catalogue
from skillbench_tasks.tools.call_forms import CallForms
from skillbench_tasks.tools.catalogue.checks import behaviour_faults
from skillbench_tasks.tools.compare import diff
from skillbench_tasks.tools.free_text import free_texts, reworded, with_any_wording
from skillbench_tasks.tools.matching import test_of as find_test
from skillbench_tasks.tools.normal_forms import (
    FREE_TEXT,
    NORMAL,
    is_free_text,
    is_set,
    normal_form,
    notation_fault,
    without_notations,
)
from skillbench_tasks.tools.toolbox import Toolbox

SAME = {
    "digits": ("+14045550114", "(404) 555-0114"),
    "email": ("Dee.Pike@Mail.example", " dee.pike@mail.example"),
    "caseless": ("Blue heron", "BLUE-HERON!"),
    "words": ("Dolores Pike", "PIKE, dolores"),
    "date": ("2026-03-04", "4th of March 2026", "March 4, 2026", "20260304", "2026-03-04T00:00"),
}
OTHER = {
    "digits": ("+14045550114", "+14045550115"),
    "email": ("dee.pike@mail.example", "dee-pike@mail.example"),
    "caseless": ("Blue heron", "heron blue"),
    "words": ("Dolores Pike", "Dolores"),
    "date": ("2026-03-04", "2026-04-03", "March 5, 2026", "soon", "31 February 2026"),
}
SWAPPED = {"digits": lambda text: f"{text[:-4]}-{text[-4:]}", "caseless": str.upper}
"""Form → another notation of a text; what is not declared is written in capitals."""


@pytest.mark.parametrize("form", SAME)
def test_form_is_the_same_for_other_notations_and_for_nothing_else(form: str) -> None:
    forms = {normal_form(form, text) for text in SAME[form]}
    assert len(forms) == 1
    assert forms != {None}
    others = [normal_form(form, text) for text in OTHER[form][1:]]
    assert not forms & set(others)


@pytest.mark.parametrize("form", SAME)
def test_form_means_the_same_to_find_matcher_and_world(form: str) -> None:
    """B3: `find_customer` with 404-555-0114 against +14045550114 was wrong though the tool agrees."""
    schema = {"type": "object", "properties": {"a": {"type": "string", NORMAL: form}}}
    forms = CallForms({"find": schema})
    spec = CollectionSpec(key="k", prefix="K", fields={"a": FieldKind(form)})
    name = {"caseless": "equals_ignoring_case"}.get(form, form)
    first = SAME[form][0]
    for text, is_same in [*((t, True) for t in SAME[form]), *((t, False) for t in OTHER[form][1:])]:
        calls = [CalledTool(tool="find", arguments={"a": one}) for one in (first, text)]
        changes = [
            (Change(collection="c", key="1", before={"k": "1"}, after={"k": "1", "a": one}),)
            for one in (first, text)
        ]
        assert forms.same(*calls) is is_same, text
        assert (not diff(changes[0], changes[1], {"c": spec})) is is_same, text
        if form != "words":  # part of a name is found too: looser than the form, never stricter
            assert find_test({name: text})(first) is is_same, text


def _arguments() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for name, tool in sorted(catalogue.tools().items()):
        for argument, schema in tool.spec.input_schema["properties"].items():
            yield name, argument, schema


def test_catalogue_declares_what_it_compares_leniently() -> None:
    """B3: every argument of the 101 tools was gone through."""
    declared = {(n.rpartition(":")[2], a): s[NORMAL] for n, a, s in _arguments() if NORMAL in s}
    assert declared == {
        ("find_customer", "phone"): "digits",
        ("find_customer", "email"): "email",
        ("find_customer", "account_number"): "digits",
        ("find_customer", "full_name"): "words",
        ("verify_customer", "full_name"): "words",
        ("verify_customer", "security_word"): "caseless",
        ("verify_customer", "email"): "email",
        ("search_articles", "query"): "words",
        ("check_offer", "code"): "caseless",
    }
    assert {a for _, a, s in _arguments() if is_free_text(s)} == {
        *("body", "summary", "details", "notes", "message", "subject", "description"),
    }
    assert {a for _, a, s in _arguments() if is_set(s)} == {"item_ids", "topics"}


@pytest.fixture(scope="module")
def uses() -> Mapping[tuple[str, str], tuple[Toolbox, CalledTool]]:
    """Argument → a gold call that gives it, and the state before it."""
    source = open_conversations()
    found: dict[tuple[str, str], tuple[Toolbox, CalledTool]] = {}
    for one in source.conversations():
        wanted = [
            (decision, step, name)
            for decision in one.decisions
            for step in one.calls(decision)
            for name, value in step.arguments.items()
            if (step.tool, name) not in found
            if isinstance(value, str | list) and step.error is None
        ]
        if not wanted:
            continue
        assert one.case is not None
        assert source.case_source is not None
        states = states_before(source.case_source.case(one.case), source.case_source)
        for decision, step, name in wanted:
            found.setdefault((step.tool, name), (states[decision.number], step))
    return found


def _written_otherwise(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return value[::-1]
    if schema.get(NORMAL) == "words":
        return " ".join(reversed(value.upper().split()))
    return SWAPPED.get(schema.get(NORMAL, ""), str.upper)(value)


def test_other_notation_counts_exactly_where_it_is_declared(
    uses: Mapping[tuple[str, str], tuple[Toolbox, CalledTool]],
) -> None:
    """B3: the same result, exact and no world difference for what is declared; for nothing else."""
    schemas = {t.spec.function_name: t.spec.input_schema for t in catalogue.tools().values()}
    names = {t.spec.function_name: n for n, t in catalogue.tools().items()}
    forms, tried = CallForms(schemas), set()
    for (tool, argument), (state, step) in uses.items():
        schema = schemas[tool]["properties"][argument]
        value = _written_otherwise(step.arguments[argument], schema)
        if value == step.arguments[argument] or is_free_text(schema):
            continue
        other = step.model_copy(update={"arguments": {**step.arguments, argument: value}})
        twins = [state.copy(faults=False), state.copy(faults=False)]
        done = [
            twin.attempt(names[tool], one.arguments)
            for twin, one in zip(twins, (step, other), strict=True)
        ]
        changes = [twin.world.changes_since(state.world) for twin in twins]
        is_declared = NORMAL in schema or is_set(schema)
        is_same_world = not diff(changes[0], changes[1], state.world.specs)
        is_same_result = done[0].error == done[1].error and (
            is_set(schema) or done[0].result == done[1].result
        )
        assert forms.same(step, other) is is_declared, (tool, argument)
        assert (is_same_world and is_same_result) is is_declared, (tool, argument)
        tried.add((tool, argument))
    assert len(tried) > 40
    assert {(t, a) for t, a in tried if NORMAL in schemas[t]["properties"][a]} >= {
        ("crm__find_customer", "phone"),
        ("identity__verify_customer", "full_name"),
    }


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({NORMAL: "phone"}, "no form"),
        ({"items": [{NORMAL: []}]}, "no form"),
        ({FREE_TEXT: "yes"}, "neither true nor false"),
        ({NORMAL: "digits", FREE_TEXT: False}, ""),
    ],
)
def test_declaration_that_is_none_is_named(schema: dict[str, Any], told: str) -> None:
    fault = notation_fault({"properties": {"a": schema}})
    assert (told in fault) if told else not fault


@pytest.mark.parametrize(
    ("argument", "operation", "told"),
    [
        (
            {},
            {"op": "find", "where": {"p": {"digits": "${args.a}"}}, "as": "x"},
            "x-normal: digits",
        ),
        ({}, {"op": "send", "record": {"note": "${args.a}"}}, "x-free-text: true where"),
        (
            {FREE_TEXT: True},
            {"op": "send", "record": {"p": "${args.a}"}},
            "x-free-text: true where",
        ),
        ({NORMAL: "digits"}, {"op": "send", "record": {"q": "${args.a}"}}, "the field as digits"),
        ({NORMAL: "digits"}, {"op": "send", "record": {"p": "${args.a}"}}, ""),
        ({NORMAL: "set"}, {"op": "send", "record": {"q": "${args.a}"}}, "both or neither"),
    ],
)
def test_tool_that_compares_otherwise_than_it_declares_is_refused(
    argument: dict[str, Any], operation: dict[str, Any], told: str
) -> None:
    base = next(iter(catalogue.tools().values())).spec
    spec = base.model_copy(
        update={
            "access": "read" if operation["op"] == "find" else "write",
            "input_schema": {"type": "object", "properties": {"a": argument}},
            "behaviour": ({"collection": "c", **operation},),
            "returns": None,
        }
    )
    fields = {"p": FieldKind.DIGITS, "note": FieldKind.TEXT}
    faults = behaviour_faults(spec, {"c": CollectionSpec(key="k", prefix="K", fields=fields)})
    assert any(told in fault for fault in faults) if told else not faults


def test_free_texts_are_found_reworded_and_masked_wherever_they_stand() -> None:
    text = {"type": "string", FREE_TEXT: True, "maxLength": 12}
    schema = {
        "type": "object",
        "properties": {"a": text, "b": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
        "$defs": {"n": {"type": "object", "properties": {"t": text, "u": {"type": "string"}}}},
    }
    given: dict[str, Any] = {"a": "said in othe", "b": [{"t": " ", "u": "x"}]}
    assert free_texts(given, schema) == ["said in othe", " "]
    other = reworded(given, schema)
    assert other["a"] != given["a"]
    assert len(str(other["a"])) <= 12
    assert other["b"][0]["u"] == "x"  # type: ignore[index, call-overload]
    assert with_any_wording(given, schema) == {"a": "<text>", "b": [{"t": "", "u": "x"}]}


def test_declarations_are_for_us_alone() -> None:
    schema = {"properties": {"x": {NORMAL: "digits", FREE_TEXT: True, "type": "string"}}}
    assert without_notations(schema) == {"properties": {"x": {"type": "string"}}}
