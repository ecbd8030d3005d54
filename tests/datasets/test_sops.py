"""SOPs: what ships passes its checks, and each check finds what it is there for."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from io import BytesIO
from typing import Any

import pytest

from skillbench_tasks.datasets.sops.checks import sop_faults
from skillbench_tasks.datasets.sops.coverage import obligations_of, reached
from skillbench_tasks.datasets.sops.description import is_causal, shuffled
from skillbench_tasks.datasets.sops.drafts import Draft, Family, Sentence
from skillbench_tasks.datasets.sops.export import training_pair, write_orchestration
from skillbench_tasks.datasets.sops.families.overdue_invoice_chase import FAMILY
from skillbench_tasks.datasets.sops.ledger import ledger_of
from skillbench_tasks.datasets.sops.loading import (
    assembled,
    drafts_of,
    families,
    load_sops,
    spare_drafts,
)
from skillbench_tasks.datasets.sops.nodes import attempt, call, each, program, put, result, when
from skillbench_tasks.datasets.sops.references import unlabelled
from skillbench_tasks.datasets.sops.running import parsed, run_on
from skillbench_tasks.datasets.sops.specification import specification
from skillbench_tasks.models import Fault, FaultKind
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.reports.sops import coverage_page, sop_page, sop_table, strata_page
from skillbench_tasks.scorers.workflow_reward import workflow_reward
from skillbench_tasks.scorers.workflow_strata import strata

NAME = FAMILY.name


def _faults(draft: Draft) -> list[str]:
    return sop_faults(assembled(f"{NAME}.9", NAME, draft), draft)


@cache
def _draft() -> Draft:
    return FAMILY.build({"guard": "note"})


def test_what_ships_has_no_faults() -> None:
    found = [
        fault
        for family in families()
        for sop_id, draft in drafts_of(family)
        for fault in sop_faults(assembled(sop_id, family.name, draft), draft)
    ]
    assert not found, "\n".join(found)


def test_what_ships_is_as_much_and_as_varied_as_promised() -> None:
    sops = load_sops()
    assert len(families()) >= 30
    assert len(sops) >= 65
    assert sum(len(sop.variants) for sop in sops) >= 325
    assert len({json.dumps(unlabelled(sop.program), sort_keys=True) for sop in sops}) == len(sops)
    met = Counter(
        (name, str(value))
        for sop in sops
        for name, value in strata(parsed(sop.program), sop.variants[0]).model_dump().items()
    )
    for name, values in (
        ("size", ("1–2", "3–5", "≥6")),
        ("families", ("0", "1", "2", "3+")),
        ("composition", ("linear", "branch only", "loop only", "error handling only", "multiple")),
        ("depth", ("1", "2", "3+")),
    ):
        assert all(met[name, value] for value in values), (name, met)


def test_every_obligation_of_what_ships_is_met() -> None:
    for sop in load_sops():
        met = {one for variant in sop.variants for one in variant.covers}
        assert met == set(obligations_of(sop.program)), sop.id


def _without_sentence(draft: Draft) -> Draft:
    return replace(draft, sentences=draft.sentences[1:])


def _twice(draft: Draft) -> Draft:
    return replace(draft, sentences=(*draft.sentences, draft.sentences[2]))


def _with(text: str, *covers: str) -> Callable[[Draft], Draft]:
    def change(draft: Draft) -> Draft:
        return replace(draft, sentences=(*draft.sentences, Sentence(text, covers)))

    return change


def _worded(old: str, new: str) -> Callable[[Draft], Draft]:
    def change(draft: Draft) -> Draft:
        sentences = [replace(one, text=one.text.replace(old, new)) for one in draft.sentences]
        assert tuple(sentences) != draft.sentences
        return replace(draft, sentences=tuple(sentences))

    return change


def _reworked(change: Callable[[dict[str, Any]], None]) -> Callable[[Draft], Draft]:
    def rework(draft: Draft) -> Draft:
        made = copy.deepcopy(dict(draft.program))
        change(made)
        return replace(draft, program=made)

    return rework


def _same_twice(draft: Draft) -> Draft:
    return replace(draft, variants=(*draft.variants, draft.variants[0]))


def _idle_fault(draft: Draft) -> Draft:
    fault = Fault(tool="mcp.mail:send_mail", kind=FaultKind.PERMANENT)
    first = replace(draft.variants[0], faults=(fault,))
    return replace(draft, variants=(first, *draft.variants[1:]))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(_without_sentence, "nothing states call:find", id="missing"),
        pytest.param(_twice, "is stated 2 times", id="twice"),
        pytest.param(_with("The sky is blue."), "states nothing", id="idle-sentence"),
        pytest.param(_with("Cats too.", "call:cat"), "does not demand", id="unknown-item"),
        pytest.param(_worded("level 3", "level 4"), "does not say '3'", id="wrong-number"),
        pytest.param(_worded("level 3", "level 4"), "bears out the number 4", id="number"),
        pytest.param(
            _worded("“Payment reminder”", "“Reminder”"), "does not say 'Payment", id="wording"
        ),
        pytest.param(_worded("Reminding", "Reminding ACC-403"), "tells 'ACC-403'", id="input"),
        pytest.param(_worded("Reminding", "A fault of"), "speaks of 'fault'", id="bench-word"),
        pytest.param(_worded("Reminding", "worn_out"), "the label 'worn_out'", id="label"),
        pytest.param(_worded("Reminding", "mcp.mail"), "full name", id="tool-name"),
        pytest.param(
            lambda draft: replace(draft, variants=draft.variants[:4]), "the least", id="variants"
        ),
        pytest.param(_same_twice, "are the same", id="same-variant"),
        pytest.param(_idle_fault, "strikes no call", id="fault-that-never-strikes"),
        pytest.param(
            _reworked(lambda made: made["steps"][1].update(tool="mcp.finance:find_bills")),
            "find_bills",
            id="unknown-tool",
        ),
    ],
)
def test_check_finds_what_is_wrong(change: Callable[[Draft], Draft], told: str) -> None:
    assert any(told in fault for fault in _faults(change(_draft()))), _faults(change(_draft()))


def test_ledger_demands_an_order_only_where_nothing_else_says_it() -> None:
    made = program(
        {"name": {"type": "string"}},
        [
            call("person", "people:find_employees", email="${inputs.name}"),
            call("user", "chat:find_user", email="${person.employees.0.email}"),
            call("note", "automation:log_run", procedure="p", outcome="completed", subject="s"),
            put("kept", "kept", "${user.user_id}"),
            each(
                "all",
                "${person.employees}",
                "one",
                [call("tell", "chat:send_direct_message", user_id="${kept}", text="Hi.")],
            ),
            attempt("guard", [call("log", "automation:log_run", subject="t")], []),
            when("if", {"==": [{"var": "user.name"}, "Ada"]}, [result("end", ok=True)]),
        ],
    )
    items = {item.id: item.terms for item in ledger_of(made)}
    orders = [name for name in items if name.startswith("order:")]
    assert orders == ["order:user<note", "order:note<all", "order:all<guard"]
    assert items["arg:tell.text"] == ("Hi.",)
    assert items["if:if"] == ("Ada",)
    assert items["arg:user.email"] == ()


def test_coverage_is_read_off_the_run() -> None:
    sop = assembled(f"{NAME}.9", NAME, _draft())
    program_ = parsed(sop.program)
    last = reached(sop.program, run_on(program_, sop.variants[-1]))
    assert last == ("chase many", "worn_out else", "guard caught")
    assert sop.variants[-1].covers == last


def test_requirements_are_not_in_the_order_of_the_workflow() -> None:
    for family in families():
        for sop_id, draft in drafts_of(family):
            if len(draft.sentences) > 3:
                assert not is_causal(shuffled(sop_id, draft), draft), sop_id


def test_specification_tells_no_model_what_is_hidden() -> None:
    for sop in load_sops():
        shown = specification(sop)
        assert '"steps"' not in shown
        assert "mcp." not in shown
        for variant in sop.variants:
            for records in variant.records.values():
                for record in records:
                    assert json.dumps(record) not in shown


def test_pairs_for_training_are_of_no_sop_that_ships() -> None:
    out = BytesIO()
    count = write_orchestration(out, frozenset({"run-registry", NAME}))
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    shipped = {json.dumps(unlabelled(sop.program), sort_keys=True) for sop in load_sops()}
    assert count == len(rows) > 0
    for row in rows:
        assert json.dumps(json.loads(row["canonical"]), sort_keys=True) not in shipped
        assert len(json.loads(row["tool_cards"])) == 64
        assert '"note"' not in row["canonical"]
    rewards = workflow_reward(
        [row["completion"] for row in rows],
        canonical=[row["canonical"] for row in rows],
        tool_cards=[row["tool_cards"] for row in rows],
    )
    assert rewards == [1.0] * count


def test_pair_has_the_tools_that_its_workflow_needs() -> None:
    sop = load_sops()[0]
    names = {card["name"] for card in json.loads(training_pair(sop)["tool_cards"])}
    needed = {run.tool for v in sop.variants for run in run_on(parsed(sop.program), v).calls}
    assert needed <= names


def test_families_can_grow_tenfold() -> None:
    assert sum(1 for family in families() for _ in spare_drafts(family)) >= 570


@pytest.mark.slow
@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_every_choice_of_a_family_passes_the_checks(family: Family) -> None:
    for sop_id, draft in spare_drafts(family):
        faults = sop_faults(assembled(sop_id, family.name, draft), draft)
        assert not faults, "\n".join(faults)


def test_pages_show_what_there_is() -> None:
    sop: Sop = load_sops()[0]
    assert sop.id in sop_table()
    assert "branch only" in strata_page()
    assert "29/29" in coverage_page() or "/" in coverage_page()
    assert sop.variants[0].id in sop_page(sop)
