"""Scores of executions against references: components, patterns, hand-graded runs, mutations."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbench_tasks.errors import SkillbenchError
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Executed, ExecutedCall, Variant
from skillbench_tasks.scorers.sequence_alignment import aligned_pairs, lcs_similarity
from skillbench_tasks.scorers.trace import (
    Metric,
    NoQueries,
    ScoringContext,
    VariantScore,
    trace_score,
    variant_score,
)
from skillbench_tasks.scorers.trace.generated_values import GeneratedIds, paired_ids
from skillbench_tasks.tools.error_class import (
    ErrorClass,
    error_class,
    findings_problem,
    problem_text,
)
from skillbench_tasks.tools.workflow import ToolSignature, validate
from tests.tiny_sops import (
    COMMENT,
    CONTEXT,
    CUSTOMER,
    DUNNING,
    GATE,
    INVOICES,
    NOW,
    OPEN,
    POST,
    RETRY,
    TinySop,
    call,
    parsed,
    stepped,
)

SOPS = {"retry": RETRY, "dunning": DUNNING, "gate": GATE}
CASES = [
    pytest.param(sop, variant, id=f"{name}-{variant}")
    for name, sop in SOPS.items()
    for variant in sop.variants
]
NOTHING = Executed(status="nothing", problem=problem_text(ErrorClass.MODEL, "it refused"))


def _score(sop: TinySop, variant: str, candidate: Executed) -> VariantScore:
    return variant_score(sop.program, sop.reference(variant), candidate, CONTEXT)


def _bits(score: VariantScore) -> str:
    return "".join("01"[bit] for bit in score.trace.bits)


# --- patterns -------------------------------------------------------------------------------------

# A reference of three calls: CUSTOMER, OPEN, POST; it returns {"done": true}. Candidates:
#   selection 0: without the first call       order 0: first two calls swapped
#   execution 0: the first call fails, unexpectedly (where selection and order hold)
#   arguments 0: another text                 control path 0: the run ends as `invalid`
LINEAR = TinySop(
    parsed(
        call(CUSTOMER, customer_id="CUS-1"),
        call(OPEN, "t", title="Visit", customer_id="CUS-1"),
        call(POST, channel="#desk", text="See ${t.ticket_id}."),
        {"kind": "return", "value": {"done": True}},
    ),
    RETRY.variants,
)

# Bits (selection, order, execution, arguments, control path), trace, orchestration without and with
# the side effect. Execution needs order and order needs selection: no other pattern can be.
PATTERNS = [
    ("00000", 0.0, 0.0, 0.5),
    ("00001", 0.2, 0.1, 0.6),
    ("00010", 0.2, 0.1, 0.6),
    ("00011", 0.4, 0.2, 0.7),
    ("10000", 0.2, 0.1, 0.6),
    ("10001", 0.4, 0.2, 0.7),
    ("10010", 0.4, 0.2, 0.7),
    ("10011", 0.6, 0.3, 0.8),
    ("11000", 0.4, 0.2, 0.7),
    ("11001", 0.6, 0.3, 0.8),
    ("11010", 0.6, 0.3, 0.8),
    ("11011", 0.8, 0.4, 0.9),
    ("11100", 0.6, 0.3, 0.8),
    ("11101", 0.8, 0.4, 0.9),
    ("11110", 0.8, 0.4, 0.9),
    ("11111", 1.0, 0.5, 1.0),
]
REACHABLE = {bits for bits, *_ in PATTERNS}


def _candidate(bits: str, side_effect: bool, output: bool) -> Executed:
    reference = LINEAR.reference("fine")
    first, second, third = reference.calls
    if bits[3] == "0":
        third = third.model_copy(update={"arguments": {**third.arguments, "text": "Hello."}})
    if bits[:3] == "110":
        failed = {"result": None, "error": {"code": "closed", "message": "", "retryable": False}}
        first = ExecutedCall.model_validate({**dict(first), **failed})
    calls = {"0": (second, third), "1": (first, second, third)}[bits[0]]
    if bits[:2] == "10":
        calls = (second, first, third)
    return reference.model_copy(
        update={
            "calls": calls,
            "control": (),
            "status": "returned" if bits[4] == "1" else "invalid",
            "changes": reference.changes if side_effect else (),
            "value": {"done": True} if output else {"done": 1},
        }
    )


@pytest.mark.parametrize("output", [False, True], ids=["output0", "output1"])
@pytest.mark.parametrize("side_effect", [False, True], ids=["effect0", "effect1"])
@pytest.mark.parametrize(
    ("bits", "trace", "without", "with_effect"), PATTERNS, ids=sorted(REACHABLE)
)
def test_pattern_has_its_exact_values(
    bits: str, trace: float, without: float, with_effect: float, side_effect: bool, output: bool
) -> None:
    score = _score(LINEAR, "fine", _candidate(bits, side_effect, output))
    assert _bits(score) == bits
    assert (score.side_effect, score.terminal_output) == (side_effect, output)
    assert score.trace.value == pytest.approx(trace)
    assert score.orchestration == pytest.approx(with_effect if side_effect else without)
    assert score.final is (side_effect and output)
    assert (score.first_fault == "") is (bits == "11111" and side_effect and output)


def test_patterns_that_can_be_are_sixteen_of_thirty_two() -> None:
    patterns = {"".join(bits) for bits in itertools.product("01", repeat=5)}
    allowed = {p for p in patterns if (p[1] <= p[0]) and (p[2] <= p[1])}
    assert allowed == REACHABLE


# --- twelve runs graded by hand -------------------------------------------------------------------

_OPEN = call(OPEN, "t", title="Call back", customer_id="CUS-1")
_OPENED = call(POST, channel="#desk", text="Opened TCK-90001.")
_LIST = call(INVOICES, "invoices", customer_id="${inputs.customer_id}")
_GET = call(CUSTOMER, "customer", customer_id="${inputs.customer_id}")
_WELCOME = call(OPEN, "t", title="Welcome Ada", customer_id="${inputs.customer_id}")
_CONTACT = call(COMMENT, ticket_id="${t.ticket_id}", text="First contact.")


def _remind(invoice: str) -> dict[str, Any]:
    return call(POST, channel="#dunning", text=f"Remind of {invoice}.")


def _returned(value: object) -> dict[str, Any]:
    return {"kind": "return", "value": value}


_HIGH = call(OPEN, "t", title="Call back", customer_id="CUS-1", priority="high")

# Reference calls: retry/down OPEN✗ OPEN POST; dunning/many INVOICES POST OPEN POST, /none INVOICES;
# gate/good CUSTOMER OPEN COMMENT, /blocked CUSTOMER POST. Only gate prescribes no output.
HAND_TABLE: list[tuple[str, str, str, Executed, str, tuple[float, ...]]] = [
    # Without error handling: OPEN✗ and the plan fails. One aligned call with right arguments; the
    # catch's second OPEN is missing. Nothing is done, no value.
    (
        "no handling",
        "retry",
        "down",
        RETRY.run("down", _OPEN, _OPENED),
        "00010",
        (0.1, 0, 0, 0.2, 0, 0.06),
    ),
    # Step by step, as the reference does it: everything.
    (
        "retried",
        "retry",
        "down",
        RETRY.stepped("down", _OPEN, _OPEN, _OPENED, value={"ticket": "TCK-90001"}),
        "11111",
        (1, 1, 1, 1, 1, 1),
    ),
    # A third OPEN: counts and order differ, aligned arguments are right, the error was met and
    # handled. A duplicate ticket; the value is right.
    (
        "retried twice",
        "retry",
        "down",
        RETRY.stepped("down", _OPEN, _OPEN, _OPEN, _OPENED, value={"ticket": "TCK-90001"}),
        "00011",
        (0.2, 0, 0, 0.4, 1, 0.32),
    ),
    # An optional argument that should not be there: the trace is right, the ticket is not.
    (
        "wrong priority",
        "retry",
        "fine",
        RETRY.run(
            "fine",
            _HIGH,
            call(POST, channel="#desk", text="Opened ${t.ticket_id}."),
            _returned({"ticket": "${t.ticket_id}"}),
        ),
        "11111",
        (0.5, 0, 0, 1, 1, 0.5),
    ),
    # A reminder for every invoice: INVOICES POST POST POST. The reminders for INV-1 and INV-3 align
    # and are right; OPEN of the loop is missing. One ticket missing, one message too many.
    (
        "no condition",
        "dunning",
        "many",
        DUNNING.run(
            "many",
            _LIST,
            {
                "kind": "for_each",
                "items": "${invoices}",
                "as": "invoice",
                "do": [_remind("${invoice.invoice_id}")],
            },
            _returned({"seen": {"$": {"length": {"var": "invoices"}}}}),
        ),
        "00010",
        (0.1, 0, 0, 0.2, 1, 0.26),
    ),
    # Unrolled for the variant `one`: the reminder is about another invoice, one instead of three.
    (
        "unrolled for another",
        "dunning",
        "many",
        DUNNING.run("many", _LIST, _remind("INV-4"), _returned({"seen": 1})),
        "00000",
        (0, 0, 0, 0, 0, 0),
    ),
    # A message though the loop has no items: POST was left out by the reference.
    (
        "says so",
        "dunning",
        "none",
        DUNNING.run(
            "none", _LIST, call(POST, channel="#dunning", text="Nothing."), _returned({"seen": 0.0})
        ),
        "00010",
        (0.1, 0, 0, 0.2, 1, 0.26),
    ),
    # Stops at once: nothing was to be changed, so the side effects are right; it ends too soon.
    ("stop at once", "dunning", "none", DUNNING.stepped("none"), "00000", (0.5, 0, 1, 0, 0, 0.3)),
    # The ticket before the look-up: another order; the rest is right, and no output is prescribed.
    (
        "swapped",
        "gate",
        "good",
        GATE.run("good", _WELCOME, _GET, _CONTACT),
        "10011",
        (0.8, 1, 1, 0.6, 1, 0.88),
    ),
    # No gate: CUSTOMER OPEN COMMENT instead of CUSTOMER POST.
    (
        "no gate",
        "gate",
        "blocked",
        GATE.run(
            "blocked", _GET, call(OPEN, "t", title="Welcome Bo", customer_id="CUS-2"), _CONTACT
        ),
        "00010",
        (0.1, 0, 0, 0.2, 1, 0.26),
    ),
    # All is done, then a limit breaks the run off: only the termination is wrong.
    (
        "cut off",
        "gate",
        "blocked",
        GATE.stepped(
            "blocked",
            call(CUSTOMER, customer_id="CUS-2"),
            call(POST, channel="#risk", text="Bo is blocked."),
            status="stopped",
        ),
        "11110",
        (0.9, 1, 1, 0.8, 1, 0.94),
    ),
    # The comment goes to a ticket that does not exist: it fails, and so does the plan.
    (
        "wrong ticket",
        "gate",
        "good",
        GATE.run("good", _GET, _WELCOME, call(COMMENT, ticket_id="TCK-1", text="First contact.")),
        "11000",
        (0.2, 0, 0, 0.4, 1, 0.32),
    ),
]


@pytest.mark.parametrize(
    ("sop", "variant", "candidate", "bits", "expected"),
    [row[1:] for row in HAND_TABLE],
    ids=[row[0] for row in HAND_TABLE],
)
def test_run_graded_by_hand_has_its_six_metrics(
    sop: str, variant: str, candidate: Executed, bits: str, expected: tuple[float, ...]
) -> None:
    score = _score(SOPS[sop], variant, candidate)
    assert _bits(score) == bits
    values = score.values()
    shown = ("orchestration", "final", "side_effect", "trace", "terminal_output", "mean")
    assert tuple(values[Metric(name)] for name in shown) == pytest.approx(expected)


# --- references and what means the same -----------------------------------------------------------


@pytest.mark.parametrize(("sop", "variant"), CASES)
def test_reference_against_itself_is_right_in_everything(sop: TinySop, variant: str) -> None:
    score = _score(sop, variant, sop.reference(variant))
    assert set(score.values().values()) == {1.0}
    assert score.first_fault == ""


def _edited(run: Executed, edit: Callable[[Any], Any]) -> Executed:
    return Executed.model_validate(edit(run.model_dump(mode="json")))


def _with_keys_reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_keys_reversed(value[key]) for key in reversed(value)}
    return [_with_keys_reversed(part) for part in value] if isinstance(value, list) else value


def _with_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_floats(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_floats(part) for part in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _with_ids_renumbered(value: Any) -> Any:
    """Made ids are given in the other order, and later."""
    text = re.sub(r"-(9000\d)\b", lambda found: f"-{180017 - int(found[1])}", json.dumps(value))
    return json.loads(text)


def _with_arguments(tool: str, **arguments: Any) -> Callable[[Any], Any]:
    def edit(value: Any) -> Any:
        for made in value["calls"]:
            if made["tool"] == tool:
                made["arguments"] |= arguments
        return value

    return edit


def _without_places(value: Any) -> Any:
    for made in value["calls"]:
        made["path"] = None
    return value | {"control": []}


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(_with_keys_reversed, id="key order"),
        pytest.param(_with_floats, id="12 and 12.0"),
        pytest.param(_with_ids_renumbered, id="generated ids"),
        pytest.param(_with_arguments(OPEN, priority="normal"), id="default"),
        pytest.param(_with_arguments(POST, thread=None), id="null for an optional argument"),
        pytest.param(_with_arguments(INVOICES, limit=7), id="optional argument of a read"),
        pytest.param(_without_places, id="no paths, no control events"),
        pytest.param(lambda value: value | {"status": "returned"}, id="a return at the end"),
    ],
)
@pytest.mark.parametrize(("sop", "variant"), CASES)
def test_change_that_keeps_the_meaning_keeps_every_metric(
    sop: TinySop, variant: str, edit: Callable[[Any], Any]
) -> None:
    score = _score(sop, variant, _edited(sop.reference(variant), edit))
    assert set(score.values().values()) == {1.0}, score.first_fault


# --- arguments ------------------------------------------------------------------------------------


def _linear_run(*calls: dict[str, Any]) -> Executed:
    return LINEAR.stepped("fine", *calls, value={"done": True})


_LINEAR_CALLS = (
    call(CUSTOMER, customer_id="CUS-1"),
    call(OPEN, title="Visit", customer_id="CUS-1"),
    call(POST, channel="#desk", text="See TCK-90001."),
)


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        pytest.param((), "no call is aligned with one of the reference", id="no call"),
        pytest.param(
            (call(COMMENT, ticket_id="TCK-1", text="x"),),
            "no call is aligned with one of the reference",
            id="no aligned call",
        ),
        pytest.param(_LINEAR_CALLS[:1], "", id="one of three, right"),
        pytest.param(
            (*_LINEAR_CALLS[:2], call(POST, channel="#desk", text="See TCK-90002.")),
            f"{POST}: text",
            id="another generated id",
        ),
        pytest.param(
            (_LINEAR_CALLS[0], _LINEAR_CALLS[1], call(POST, text="See TCK-90001.")),
            f"{POST}: channel",
            id="required argument missing",
        ),
        # The second ticket is the reference's, the message names it: the first is one too many.
        pytest.param(
            (
                _LINEAR_CALLS[0],
                call(OPEN, title="Other", customer_id="CUS-1"),
                _LINEAR_CALLS[1],
                call(POST, channel="#desk", text="See TCK-90002."),
            ),
            "",
            id="ids shifted by a call too many",
        ),
        pytest.param(
            (
                _LINEAR_CALLS[0],
                call(OPEN, title="Other", customer_id="CUS-1"),
                *_LINEAR_CALLS[1:],
            ),
            f"{POST}: text",
            id="the id of the call too many",
        ),
    ],
)
def test_required_arguments_of_aligned_calls_are_compared(
    calls: tuple[dict[str, Any], ...], reason: str
) -> None:
    trace = _score(LINEAR, "fine", _linear_run(*calls)).trace
    assert trace.reasons.get("arguments", "") == reason
    assert trace.arguments is (reason == "")


def test_arguments_are_right_when_nobody_calls_anything() -> None:
    empty = TinySop(parsed(), RETRY.variants)
    assert _bits(_score(empty, "fine", empty.reference("fine"))) == "11111"
    assert _bits(_score(empty, "fine", LINEAR.reference("fine"))) == "00001"


@pytest.mark.parametrize(
    ("wanted", "given", "equal"),
    [
        pytest.param(NOW, "2026-03-12T09:30:00Z", True, id="the clock with a zone"),
        pytest.param(NOW, "2026-03-12T09:30", True, id="the clock without seconds"),
        pytest.param(NOW, "2026-03-12T09:30:01", False, id="another time"),
        pytest.param(NOW, "2026-03-12T09:30:00+02:00", False, id="another instant"),
        pytest.param(12, 12.0, True, id="integral number"),
        pytest.param(1, True, False, id="a boolean is no number"),
        pytest.param([1, 2], [2, 1], False, id="list order"),
        pytest.param({"a": 1, "b": None}, {"b": None, "a": 1.0}, True, id="key order"),
        pytest.param("", None, False, id="null is not the empty text"),
        pytest.param("TCK-5", "TCK-6", False, id="ids of the base world"),
        pytest.param("XTCK-90001", "XTCK-90002", False, id="no id of a collection"),
        pytest.param("9" * 5000, "9" * 5000, True, id="long digits"),
    ],
)
def test_values_of_a_required_argument_compare(wanted: Any, given: Any, equal: bool) -> None:
    context = ScoringContext({POST: {"required": ["text"]}}, CONTEXT.specs, NOW)
    runs = [
        Executed(status="completed", calls=(ExecutedCall(tool=POST, arguments={"text": value}),))
        for value in (wanted, given)
    ]
    assert trace_score(parsed(), runs[0], runs[1], context).arguments is equal


class _SameLength:
    """Queries are equal when they are equally long."""

    def arguments(self, tool: str) -> Collection[str]:
        return ("text",) if tool == POST else ()

    def equal(self, argument: str, reference: ExecutedCall, candidate: ExecutedCall) -> bool:
        pair = [str(one.arguments.get(argument)) for one in (reference, candidate)]
        assert "TCK-90002" not in pair[1]  # the reference's id stands for the candidate's
        return len(pair[0]) == len(pair[1])


@pytest.mark.parametrize(
    ("text", "equal"),
    [
        pytest.param("ees TCK-90002?", True, id="equal"),
        pytest.param("See TCK-90002!!", False, id="unequal"),
    ],
)
def test_query_is_compared_by_what_it_does(text: str, equal: bool) -> None:
    context = ScoringContext(CONTEXT.schemas, CONTEXT.specs, NOW, _SameLength())
    other = call(OPEN, title="Other", customer_id="CUS-1")
    calls = (_LINEAR_CALLS[0], other, _LINEAR_CALLS[1], call(POST, channel="#desk", text=text))
    reference = LINEAR.reference("fine")
    assert trace_score(LINEAR.program, reference, _linear_run(*calls), context).arguments is equal


def test_no_queries_compares_nothing() -> None:
    made = ExecutedCall(tool=POST, arguments={})
    assert NoQueries().arguments(POST) == ()
    with pytest.raises(ValueError, match="no query 'text'"):
        NoQueries().equal("text", made, made)


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        pytest.param([("TCK-90001", "TCK-90004")], {"TCK-90004": "TCK-90001"}, id="pair"),
        pytest.param(
            [("TCK-90001", "TCK-90004"), ("TCK-90002", "TCK-90004"), ("TCK-90001", "TCK-90005")],
            {"TCK-90004": "TCK-90001"},
            id="one partner each",
        ),
        pytest.param([("TCK-90001", "MSG-90001")], {}, id="other collections"),
        pytest.param([("TCK-5", "TCK-90001"), ("TCK-5", "TCK-6")], {}, id="not generated"),
        pytest.param([("See TCK-90001", "See TCK-90002")], {}, id="inside a text"),
        pytest.param(
            [({"a": ["x", {"b": "TCK-90001"}]}, {"a": ["y", {"b": "TCK-90003"}], "c": 1})],
            {"TCK-90003": "TCK-90001"},
            id="same place",
        ),
        pytest.param([(["TCK-90001"], ["TCK-90002", "TCK-90001"])], {}, id="lists of other length"),
    ],
)
def test_generated_ids_pair_by_aligned_results(
    results: list[tuple[Any, Any]], expected: dict[str, str]
) -> None:
    assert paired_ids(results, GeneratedIds(CONTEXT.specs)) == expected


@pytest.mark.parametrize(
    ("keys", "execution"),
    [
        pytest.param(("CUS-9", "CUS-9"), True, id="fails as the reference does"),
        pytest.param(("CUS-9", "CUS-4"), False, id="fails by another error"),
        pytest.param(("CUS-1", "CUS-9"), False, id="fails alone"),
        pytest.param(("CUS-9", "CUS-1"), True, id="does not fail"),
    ],
)
def test_failure_is_expected_where_the_reference_fails_alike(
    keys: tuple[str, str], execution: bool
) -> None:
    shut: Record = {"customer_id": "CUS-4", "name": "Di", "state": "good", "closed": True}
    variant = Variant(id="v", inputs={}, records={"customers": (shut,)})
    runs = [stepped(variant, call(CUSTOMER, customer_id=key)) for key in keys]
    assert trace_score(parsed(), runs[0], runs[1], CONTEXT).execution is execution


# --- control path ---------------------------------------------------------------------------------

_CATCH_ALL = TinySop(
    parsed(
        {
            "kind": "try",
            "do": [_OPEN, call(POST, channel="#desk", text="Opened.")],
            "catch": [call(CUSTOMER, customer_id="CUS-1")],
        },
    ),
    RETRY.variants,
)
_FAILS = TinySop(parsed(_OPEN, call(POST, channel="#desk", text="Opened.")), RETRY.variants)
_ENDS_IN_BRANCH = TinySop(
    parsed(
        {
            "kind": "if",
            "condition": True,
            "then": [call(CUSTOMER, customer_id="CUS-1"), {"kind": "return"}],
            "else": [_OPEN, _OPEN | {"id": "u"}, call(POST, channel="#desk", text="Opened.")],
        }
    ),
    RETRY.variants,
)
_GET_1, _GET_2 = (call(CUSTOMER, customer_id=key) for key in ("CUS-1", "CUS-2"))
_POST = call(POST, channel="#risk", text="Bo is blocked.")


@pytest.mark.parametrize(
    ("sop", "variant", "candidate", "reason"),
    [
        pytest.param(
            GATE,
            "blocked",
            GATE.stepped("blocked", _GET_2, _POST, _WELCOME),
            f"{OPEN} is called where the reference leaves it out",
            id="the branch not taken",
        ),
        pytest.param(
            GATE,
            "blocked",
            GATE.stepped("blocked", _GET_2),
            f"{POST} of the branch taken is not called",
            id="the branch taken is missing",
        ),
        pytest.param(
            GATE,
            "blocked",
            GATE.stepped("blocked", _GET_2, _POST, _GET_2),
            "went on after the reference's end",
            id="on after an early return",
        ),
        pytest.param(
            GATE,
            "blocked",
            GATE.stepped("blocked", _GET_2, _GET_2, _POST),
            "",
            id="an extra look-up before it",
        ),
        pytest.param(
            GATE,
            "good",
            GATE.stepped(
                "good", _GET_1, _WELCOME, call(COMMENT, ticket_id="TCK-90001", text="x"), _GET_1
            ),
            "",
            id="on after an end that cuts nothing off",
        ),
        pytest.param(
            GATE,
            "good",
            GATE.stepped("good", _GET_1, _WELCOME),
            f"ended before {COMMENT}, the reference's last call",
            id="too soon",
        ),
        pytest.param(
            DUNNING,
            "many",
            DUNNING.stepped(
                "many", *[_remind("INV-1")] * 3, call(OPEN, title="t", customer_id="CUS-1")
            ),
            f"{POST} of a loop is called 3 times instead of 2",
            id="loop count",
        ),
        pytest.param(
            _CATCH_ALL,
            "down",
            _CATCH_ALL.stepped("down", _OPEN, _GET_1),
            "",
            id="caught and handled",
        ),
        pytest.param(
            _CATCH_ALL,
            "down",
            _CATCH_ALL.stepped("fine", _OPEN, _GET_1),
            f"the error unavailable of {OPEN} is not met",
            id="error not met",
        ),
        pytest.param(
            _CATCH_ALL,
            "down",
            _CATCH_ALL.stepped("down", _GET_1, _OPEN),
            f"{CUSTOMER} does not follow the error that it handles",
            id="handled before it happens",
        ),
        pytest.param(
            _CATCH_ALL,
            "down",
            _CATCH_ALL.run("down", _OPEN, _GET_1),
            f"{CUSTOMER} of the branch taken is not called",
            id="not caught",
        ),
        pytest.param(
            _CATCH_ALL,
            "fine",
            _CATCH_ALL.stepped("fine", _OPEN, call(POST, channel="#desk", text="Opened."), _GET_1),
            f"{CUSTOMER} is called where the reference leaves it out",
            id="handled without an error",
        ),
        pytest.param(
            _ENDS_IN_BRANCH,
            "fine",
            _ENDS_IN_BRANCH.stepped("fine", _GET_1, _GET_1),
            "",
            id="a return that cuts nothing off",
        ),
        pytest.param(_FAILS, "down", _FAILS.run("down", _OPEN), "", id="fails alike"),
        pytest.param(_FAILS, "down", _FAILS.stepped("down", _OPEN), "", id="stops at the error"),
        pytest.param(
            _FAILS,
            "down",
            _FAILS.stepped("down", _OPEN, _OPEN),
            "ended as returned instead of failed",
            id="goes on after the error",
        ),
        pytest.param(
            _FAILS,
            "down",
            _FAILS.stepped("fine", _OPEN),
            "ended as returned instead of failed",
            id="never fails",
        ),
        pytest.param(
            _FAILS,
            "fine",
            _FAILS.run("down", _OPEN, call(POST, channel="#desk", text="Opened.")),
            "ended as failed instead of completed",
            id="fails",
        ),
    ],
)
def test_control_path_is_judged_by_what_can_be_seen(
    sop: TinySop, variant: str, candidate: Executed, reason: str
) -> None:
    trace = _score(sop, variant, candidate).trace
    assert trace.reasons.get("control_path", "") == reason


@pytest.mark.parametrize("status", ["invalid", "exhausted", "stopped"])
def test_run_that_breaks_off_keeps_what_it_did(status: str) -> None:
    run = LINEAR.stepped("fine", *_LINEAR_CALLS, status=status)
    score = _score(LINEAR, "fine", run)
    assert (_bits(score), score.side_effect, score.terminal_output) == ("11110", True, False)
    assert score.error is None


def test_two_errors_of_one_try_need_not_both_be_handled_alike() -> None:
    steps = {
        "kind": "for_each",
        "items": ["CUS-9", "CUS-2"],
        "as": "key",
        "do": [
            {
                "kind": "try",
                "do": [
                    call(CUSTOMER, customer_id="${key}"),
                    call(COMMENT, ticket_id="TCK-1", text="x"),
                ],
                "as": "error",
                "catch": [
                    {
                        "kind": "if",
                        "condition": {"==": [{"var": "error.tool"}, CUSTOMER]},
                        "then": [call(INVOICES, customer_id="CUS-1")],
                        "else": [call(POST, channel="#desk", text="x")],
                    }
                ],
            }
        ],
    }
    sop = TinySop(parsed(steps), RETRY.variants)
    assert _bits(_score(sop, "fine", sop.reference("fine"))) == "11111"


# --- terminal output, nothing to score --------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "given", "right"),
    [
        pytest.param(25, 25.0, True, id="number by value"),
        pytest.param(True, 1, False, id="boolean"),
        pytest.param({"a": [1]}, {"a": [1, 2]}, False, id="list"),
        pytest.param({"id": "MSG-5"}, {"id": "MSG-6"}, False, id="base ids"),
        pytest.param("x", None, False, id="nothing returned"),
    ],
)
def test_terminal_output_compares_by_value(wanted: Any, given: Any, right: bool) -> None:
    sop = TinySop(parsed(_returned(wanted)), RETRY.variants)
    score = _score(sop, "fine", Executed(status="returned", value=given))
    assert (score.terminal_output, score.has_output, score.final) == (right, True, right)


def test_output_that_is_not_prescribed_is_right_whatever_it_is() -> None:
    score = _score(GATE, "blocked", GATE.stepped("blocked", value={"any": "thing"}))
    assert score.terminal_output and not score.has_output


def test_output_declared_is_prescribed_though_null() -> None:
    sop = TinySop(parsed({"kind": "return"}, output={"type": "null"}), RETRY.variants)
    assert not _score(sop, "fine", Executed(status="returned", value=0)).terminal_output


@pytest.mark.parametrize(("sop", "variant"), CASES)
def test_nothing_executed_scores_nothing(sop: TinySop, variant: str) -> None:
    score = _score(sop, variant, NOTHING)
    assert set(score.values().values()) == {0.0}
    assert score.error is ErrorClass.MODEL
    assert score.first_fault == "model: nothing to score"


def test_reference_that_broke_off_is_our_fault() -> None:
    broken = LINEAR.reference("fine").model_copy(update={"status": "exhausted"})
    with pytest.raises(SkillbenchError, match="ended as exhausted"):
        variant_score(LINEAR.program, broken, broken, CONTEXT)


_SIGNATURES = {OPEN: ToolSignature({"type": "object", "properties": {}})}


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        pytest.param({"steps": 1}, ErrorClass.PARSE_SHAPE, id="shape"),
        pytest.param({"version": 1, "steps": [call(POST)]}, ErrorClass.SCHEMA_TYPE, id="schema"),
        pytest.param(
            {"version": 1, "steps": [{"kind": "return", "value": "${x}"}]},
            ErrorClass.REFERENCE,
            id="references",
        ),
    ],
)
def test_refused_plan_has_the_class_of_its_layer(plan: Any, expected: ErrorClass) -> None:
    findings = validate(plan, _SIGNATURES, dialogue=False)
    stored = Executed(status="nothing", problem=findings_problem(findings))
    assert error_class(stored) is expected
    assert error_class(Executed(status="nothing"), findings) is expected


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        *(
            pytest.param(Executed(status="nothing", problem=problem_text(c, "x")), c, id=c.value)
            for c in ErrorClass
        ),
        pytest.param(Executed(status="nothing"), ErrorClass.EVALUATION, id="no reason"),
        pytest.param(Executed(status="stopped"), None, id="stopped at once"),
        pytest.param(Executed(status="invalid"), None, id="invalid at run time"),
    ],
)
def test_error_class_is_read_from_the_stored_run(
    run: Executed, expected: ErrorClass | None
) -> None:
    assert error_class(run) is expected


def test_no_findings_are_no_problem() -> None:
    with pytest.raises(ValueError, match="valid"):
        findings_problem([])


# --- alignment --------------------------------------------------------------------------------------


@given(st.text("ab", max_size=6), st.text("ab", max_size=6), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_alignment_is_longest_and_most_equal(first: str, second: str, random: Any) -> None:
    equal = {(i, j): random.random() < 0.5 for i in range(6) for j in range(6)}
    pairs = aligned_pairs(list(first), list(second), lambda i, j: equal[i, j])
    assert all(first[i] == second[j] for i, j in pairs)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(pairs))
    best = _best_alignment(first, second, equal, 0, 0)
    assert (len(pairs), sum(equal[pair] for pair in pairs)) == best
    both = len(first) + len(second)
    assert lcs_similarity(first, second) == (2 * best[0] / both if both else 1.0)


def _best_alignment(
    first: str, second: str, equal: dict[tuple[int, int], bool], i: int, j: int
) -> tuple[int, int]:
    if i == len(first) or j == len(second):
        return 0, 0
    found = [
        _best_alignment(first, second, equal, i + 1, j),
        _best_alignment(first, second, equal, i, j + 1),
    ]
    if first[i] == second[j]:
        length, same = _best_alignment(first, second, equal, i + 1, j + 1)
        found.append((length + 1, same + equal[i, j]))
    return max(found)


# --- mutations --------------------------------------------------------------------------------------

_ANY_CALL = st.sampled_from(
    [
        _GET_1,
        call(CUSTOMER, customer_id="CUS-9"),
        _OPEN,
        _HIGH,
        _POST,
        call(INVOICES, customer_id="CUS-1"),
        call(COMMENT, ticket_id="TCK-90001", text="First contact."),
        call("mcp.none:nothing"),
    ]
)


@st.composite
def _mutated(draw: st.DrawFn) -> tuple[TinySop, str, Executed]:
    """A reference's calls with up to three mutations, carried out one by one."""
    sop = draw(st.sampled_from(list(SOPS.values())))
    variant = draw(st.sampled_from(sorted(sop.variants)))
    reference = sop.reference(variant)
    calls = [_node(one.tool, one.arguments) for one in reference.calls]
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(calls)))
        kind = draw(st.sampled_from(["drop", "add", "swap", "retype", "argument", "cut"]))
        if kind == "add":
            calls.insert(place, draw(_ANY_CALL))
        elif kind == "cut":
            del calls[place:]
        elif kind == "swap" and len(calls) > 1:
            other = draw(st.integers(0, len(calls) - 1))
            place %= len(calls)
            calls[place], calls[other] = calls[other], calls[place]
        elif calls:
            place %= len(calls)
            if kind == "drop":
                del calls[place]
            elif kind == "retype":
                calls[place] = draw(_ANY_CALL)
            else:
                field = draw(st.sampled_from(["text", "customer_id", "priority", "thread"]))
                other_value = draw(st.sampled_from(["", "high", "CUS-2", 7, None]))
                given = {**calls[place]["arguments"], field: other_value}
                calls[place] = _node(calls[place]["tool"], given)
    status = draw(st.sampled_from(["returned", "returned", "completed", "failed", "stopped"]))
    value = reference.value if draw(st.booleans()) else None
    return sop, variant, sop.stepped(variant, *calls, status=status, value=value)


def _node(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": "call", "tool": tool, "arguments": dict(arguments)}


def _blocks(steps: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    yield steps
    for node in steps:
        for key in ("then", "else", "do", "catch"):
            if key in node:
                yield from _blocks(node[key])


@st.composite
def _mutated_plan(draw: st.DrawFn) -> tuple[TinySop, str, Executed]:
    """A reference workflow with up to two mutations, run as a plan."""
    sop = draw(st.sampled_from(list(SOPS.values())))
    variant = draw(st.sampled_from(sorted(sop.variants)))
    steps = sop.program.model_dump(mode="json", by_alias=True, exclude_none=True)["steps"]
    for _ in range(draw(st.integers(0, 2))):
        block = draw(st.sampled_from([b for b in _blocks(steps) if b] or [[{"kind": "set"}]]))
        place = draw(st.integers(0, len(block) - 1))
        node = block[place]
        kind = draw(st.sampled_from(["drop", "repeat", "negate", "inline", "empty", "call"]))
        if kind == "drop":
            del block[place]
        elif kind == "repeat" and node["kind"] == "call":
            block.insert(place, {key: part for key, part in node.items() if key != "id"})
        elif kind == "negate" and "condition" in node:
            node["condition"] = {"!": node["condition"]}
        elif kind == "inline" and node["kind"] == "try":
            block[place : place + 1] = node["do"]
        elif kind == "empty" and "catch" in node:
            node["catch"] = []
        elif kind == "call":
            block.insert(place, _node(OPEN, {"title": "x", "customer_id": "CUS-1"}))
    return sop, variant, sop.run(variant, *steps)


def _check_mutant(mutant: tuple[TinySop, str, Executed]) -> None:
    sop, variant, candidate = mutant
    score = _score(sop, variant, candidate)
    assert _bits(score) in REACHABLE
    values = score.values()
    assert all(0 <= value <= 1 for value in values.values())
    assert values[Metric.TRACE] == pytest.approx(sum(score.trace.bits) / 5)
    assert set(score.trace.reasons) == {
        name
        for name in ("selection", "order", "execution", "arguments", "control_path")
        if not values[Metric(name)]
    }
    assert score == _score(sop, variant, _stored(candidate))


def _stored(run: Executed) -> Executed:
    """The same run read back from JSON: what is stored is what is scored."""
    return Executed.model_validate_json(run.model_dump_json())


@given(_mutated() | _mutated_plan())
@settings(max_examples=60)
def test_mutant_has_a_pattern_that_can_be(mutant: tuple[TinySop, str, Executed]) -> None:
    _check_mutant(mutant)


@pytest.mark.slow
@given(_mutated() | _mutated_plan())
@settings(max_examples=10_000)
def test_many_mutants_have_patterns_that_can_be(mutant: tuple[TinySop, str, Executed]) -> None:
    _check_mutant(mutant)
