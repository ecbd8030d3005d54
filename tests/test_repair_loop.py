"""The validator's messages can be acted on: a loop that only follows them mends planted faults.

`tests/plan_mutants.py` plants one fault in a reference plan, `tests/plan_repair.py` mends plans by
path, code and message alone.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from skillbench_tasks.datasets.sops.loading import load_sops, sop_by_id
from skillbench_tasks.datasets.sops.references import unlabelled
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.solvers.planning.plans import plan_of
from skillbench_tasks.tools.workflow import Finding
from tests.plan_mutants import MUTATORS, mutant_of
from tests.plan_repair import repaired

FEW = ("overdue-invoice-chase.2", "incident-escalation.2", "employee-offboarding.1")
SHARE_MIN = 0.99


def _findings(plan: Any, sop: Sop) -> list[Finding]:
    return list(plan_of(plan, sop).findings)


def _mutants(sops: Sequence[Sop], seeds: range) -> Iterator[tuple[Sop, Any, str, Any]]:
    """Yield SOP, plan, kind of fault and mutant; changes that are no fault are left out."""
    for sop in sops:
        plan: Any = unlabelled(sop.program)
        for kind in MUTATORS:
            for seed in seeds:
                mutant = mutant_of(plan, kind, f"{sop.id} {seed}")
                if mutant is not None and _findings(mutant, sop):
                    yield sop, plan, kind, mutant


def _shares(sops: Sequence[Sop], seeds: range) -> dict[str, tuple[int, int, int]]:
    """Return for each kind: mutants, how many become valid, how many the original again."""
    all_, valid, equal = Counter[str](), Counter[str](), Counter[str]()
    for sop, plan, kind, mutant in _mutants(sops, seeds):
        mended, left = repaired(mutant, lambda one, sop=sop: _findings(one, sop))  # type: ignore[misc]
        all_[kind] += 1
        valid[kind] += not left
        equal[kind] += mended == plan
    return {kind: (all_[kind], valid[kind], equal[kind]) for kind in MUTATORS}


def test_repair_by_messages_alone_mends_planted_faults() -> None:
    found = _shares([sop_by_id(one) for one in FEW], range(1))
    assert sum(count > 0 for count, _, _ in found.values()) >= 35
    assert sum(v for _, v, _ in found.values()) >= SHARE_MIN * sum(c for c, _, _ in found.values())


@pytest.mark.slow
def test_repair_by_messages_alone_mends_faults_of_every_kind_in_every_sop() -> None:
    found = _shares(load_sops(), range(100, 103))
    lines = [
        f"{kind:24} {count:5} {valid / count:7.1%} {equal / count:7.1%}"
        for kind, (count, valid, equal) in found.items()
    ]
    count, valid, equal = (sum(row[i] for row in found.values()) for i in range(3))
    print("\n".join([*lines, f"{'all':24} {count:5} {valid / count:7.1%} {equal / count:7.1%}"]))
    assert valid >= SHARE_MIN * count
    for kind, (number, mended, _) in found.items():
        assert mended >= SHARE_MIN * number, kind


def test_repair_without_words_of_messages_mends_little() -> None:
    sops = [sop_by_id(one) for one in FEW]
    mended = Counter[bool]()
    for sop, _, _, mutant in _mutants(sops[:1], range(1)):

        def wordless(plan: Any, sop: Sop = sop) -> list[Finding]:
            return [f.model_copy(update={"message": "wrong"}) for f in _findings(plan, sop)]

        mended[not repaired(mutant, wordless)[1]] += 1
    assert mended[True] < mended[False]


STEPS: list[Any] = [
    {
        "kind": "call",
        "id": "found",
        "tool": "mcp.finance:find_invoices",
        "arguments": {"account_id": "${inputs.account_id}", "status": "overdue"},
    },
    {"kind": "set", "name": "count", "value": 0},
    {
        "kind": "for_each",
        "items": "${found.invoices}",
        "as": "one",
        "do": [
            {
                "kind": "call",
                "tool": "mcp.finance:update_invoice",
                "arguments": {"invoice_id": "${one.invoice_id}", "note": "Seen."},
            }
        ],
    },
    {"kind": "return", "value": {"reminders_sent": {"$": {"+": [{"var": "count"}, 1]}}}},
]
"""A valid plan of `overdue-invoice-chase.1`."""

MESSAGES: list[tuple[str, tuple[Any, ...], Any, str, list[str]]] = [
    ("kind", (0, "kind"), "cal", "steps[0].kind", ["`cal`", "nearest: `call`", "`for_each`"]),
    (
        "kind_of_nothing",
        (0, "kind"),
        3,
        "steps[0].kind",
        ["`3`", "it is `call`", "allowed: `call`"],
    ),
    ("key", (1, "valu"), 1, "steps[1].valu", ["`valu`", "nearest: `value`", "allowed: `kind`"]),
    ("missing", (1, "value"), None, "steps[1].value", ["`set` node", "`value`: an expression"]),
    ("block", (2, "do"), {}, "steps[2].do", ["expected a list", "got object"]),
    ("name", (0, "id"), "Found-It", "steps[0].id", ["`Found-It`", "lower-case", "`found_it`"]),
    ("tool_form", (0, "tool"), "find", "steps[0].tool", ["`find`", "mcp.<server>:<tool>"]),
    (
        "operator",
        (3, "value"),
        {"$": {"concat": ["a"]}},
        "steps[3].value.$.concat",
        ["`concat`", "nearest: `cat`", "allowed:", "`merge`"],
    ),
    (
        "operator_swapped",
        (3, "value"),
        {"$": {"ni": [1, [1]]}},
        "steps[3].value.$.ni",
        ["`ni`", "nearest: `in`"],
    ),
    (
        "operands",
        (3, "value"),
        {"$": {"==": [1]}},
        "steps[3].value.$.==",
        ["`==` takes 2 operands", "got 1"],
    ),
    (
        "unclosed",
        (2, "items"),
        "${found.invoices",
        "steps[2].items",
        ["`${found.invoices`", "closing `}`"],
    ),
    (
        "no_path",
        (2, "items"),
        "${found.invoices[0]}",
        "steps[2].items",
        ["`found.invoices[0]`", "no path", "write `${found.invoices}`"],
    ),
    (
        "tool",
        (0, "tool"),
        "mcp.finance:find_invoice",
        "steps[0].tool",
        ["`mcp.finance:find_invoice`", "nearest: `mcp.finance:find_invoices`"],
    ),
    (
        "tool_far",
        (0, "tool"),
        "mcp.x:y",
        "steps[0].tool",
        ["allowed:", "`mcp.chat:post_message`", "`mcp.warehouse:run_query`"],
    ),
    (
        "argument",
        (0, "arguments", "acount_id"),
        "x",
        "steps[0].arguments.acount_id",
        ["`acount_id`", "nearest: `account_id`", "allowed:"],
    ),
    (
        "missing_argument",
        (2, "do", 0, "arguments"),
        {"note": "Seen."},
        "steps[2].do[0].arguments",
        ["requires the argument `invoice_id`: string", "like ^INV-[0-9]+$"],
    ),
    (
        "enum",
        (0, "arguments", "status"),
        "late",
        "steps[0].arguments.status",
        ["one of", "`overdue`", "got `late`"],
    ),
    (
        "unknown_name",
        (2, "items"),
        "${fund.invoices}",
        "steps[2].items",
        ["`fund`", "nearest: `found`", "visible: `found`, `count`"],
    ),
    (
        "segment",
        (2, "items"),
        "${found.invoice}",
        "steps[2].items",
        ["`invoice`", "nearest: `invoices`"],
    ),
    (
        "input",
        (0, "arguments", "account_id"),
        "${inputs.account}",
        "steps[0].arguments.account_id",
        ["`account`", "declared: `account_id`"],
    ),
    ("taken", (2, "as"), "found", "steps[2].as", ["the call at steps[0]", "other than `found`"]),
    (
        "assigned",
        (1, "name"),
        "found",
        "steps[1].name",
        ["cannot be assigned", "the call at steps[0]", "`found`"],
    ),
    (
        "later",
        (1, "value"),
        "${one.note}",
        "steps[1].value",
        ["`one` is bound only later, by steps[2]", "move that node"],
    ),
    (
        "itself",
        (1,),
        {"kind": "set", "name": "n", "value": {"$": {"var": "n"}}},
        "steps[1].value.$.var",
        ["by steps[1], in which this stands", "`set` it to a first value before"],
    ),
    (
        "scope",
        (3, "value"),
        "${one.note}",
        "steps[3].value",
        ["bound by steps[2]", "`set` a variable"],
    ),
    (
        "unreachable",
        (1,),
        {"kind": "return"},
        "steps[2]",
        ["steps[1] ends the program", "move it to the end"],
    ),
]


@pytest.mark.parametrize(
    ("place", "value", "path", "words"), [row[1:] for row in MESSAGES], ids=[r[0] for r in MESSAGES]
)
def test_message_names_path_reason_and_what_is_allowed(
    place: tuple[Any, ...], value: Any, path: str, words: list[str]
) -> None:
    sop = sop_by_id("overdue-invoice-chase.1")
    plan = {"version": 1, "inputs": sop.inputs, "steps": copy.deepcopy(STEPS)}
    assert not _findings(plan, sop)
    here: Any = plan["steps"]
    for key in place[:-1]:
        here = here[key]
    if value is None:
        del here[place[-1]]
    else:
        here[place[-1]] = value
    told = [f"{one.path}: {one.message}" for one in _findings(plan, sop)]
    found = [line for line in told if line.startswith(f"{path}: ")]
    assert found, told
    assert any(all(word in line for word in words) for line in found), found


def test_findings_of_a_plan_with_thousands_of_faults_are_bounded() -> None:
    sop = sop_by_id("overdue-invoice-chase.1")
    names = [f"${{missing_{n}.x}}" for n in range(5_000)]
    plan = {"version": 1, "steps": [{"kind": "return", "value": names}]}
    assert len(_findings(plan, sop)) == 100
    assert len(_findings({"version": 1, "steps": [{"kind": "x"}] * 900}, sop)) == 100
