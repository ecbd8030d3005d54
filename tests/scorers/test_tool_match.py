"""Strict tool correctness: a table computed by hand, lists of calls, decisions, properties."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.tool import ToolCall
from pydantic import JsonValue

from skillbench_tasks.models.conversation import CalledTool, Said
from skillbench_tasks.scorers.tool_match import (
    ToolMatch,
    argument_f1,
    match_call,
    match_calls,
    match_prediction,
    total,
)
from skillbench_tasks.tools.call_forms import CallForms
from skillbench_tasks.tools.prediction import PredictedCall, Prediction, read_prediction

SCHEMAS: dict[str, dict[str, Any]] = {
    "orders__refund": {
        "type": "object",
        "properties": {
            "order_id": {"type": "string"},
            "amount": {"type": "number"},
            "urgent": {"type": "boolean"},
            "note": {"type": "string"},
            "state": {"type": ["string", "null"]},
            "lines": {"type": "array"},
            "tags": {"type": "array", "uniqueItems": True},
            "to": {
                "type": "object",
                "properties": {
                    "street": {"type": "string"},
                    "city": {"type": "string"},
                    "floor": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                    "mode": {"type": "string", "default": "post"},
                },
            },
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        },
        "required": ["order_id"],
        "$defs": {
            "item": {
                "type": "object",
                "properties": {"sku": {"type": "string"}, "gift": {"type": "string"}},
                "required": ["sku"],
            }
        },
    },
    "orders__cancel": {"type": "object", "properties": {"order_id": {"type": "string"}}},
    "visits__list": {
        "type": "object",
        "properties": {"area": {"type": "string"}, "most": {"type": "integer", "default": 10}},
    },
    "desk__ping": {"type": "object", "properties": {}},
}
FORMS = CallForms(SCHEMAS)

A1: dict[str, JsonValue] = {"order_id": "A1"}


def _call(tool: str, arguments: Mapping[str, JsonValue] | None) -> PredictedCall:
    return PredictedCall(tool=tool, arguments=None if arguments is None else dict(arguments))


def _refund(**arguments: JsonValue) -> PredictedCall:
    return _call("orders__refund", {**A1, **arguments})


# Predicted, reference, F1 as `2 * shared / (predicted leaves + reference leaves)`.
@pytest.mark.parametrize(
    ("predicted", "reference", "f1"),
    [
        pytest.param(_refund(amount=12), _refund(amount=12), 1, id="same"),
        pytest.param(
            _call("orders__refund", {"order_id": "A1", "amount": 12}),
            _call("orders__refund", {"amount": 12, "order_id": "A1"}),
            1,
            id="key_order",
        ),
        pytest.param(_refund(amount=12), _refund(amount=12.0), 1, id="12_is_12.0"),
        pytest.param(_refund(lines=[12]), _refund(lines=[12.0]), 1, id="list_of_12_is_of_12.0"),
        pytest.param(_refund(urgent=True), _refund(urgent=1), 2 * 1 / 4, id="true_is_not_1"),
        pytest.param(_refund(urgent=False), _refund(urgent=0), 2 * 1 / 4, id="false_is_not_0"),
        pytest.param(_refund(lines=[True]), _refund(lines=[1]), 2 * 1 / 4, id="true_in_a_list"),
        pytest.param(_refund(tags=[True]), _refund(tags=[1]), 2 * 1 / 4, id="true_in_a_set"),
        pytest.param(_refund(amount="12"), _refund(amount=12), 2 * 1 / 4, id="text_is_no_number"),
        pytest.param(_refund(note=None), _refund(), 1, id="null_is_absent"),
        pytest.param(_refund(note=None), _refund(note=""), 2 * 1 / 3, id="null_is_not_blank"),
        pytest.param(_refund(note=""), _refund(), 2 * 1 / 3, id="blank_is_not_absent"),
        pytest.param(_refund(state=None), _refund(), 2 * 1 / 3, id="null_that_is_a_value"),
        pytest.param(
            _call("orders__refund", {"order_id": None, "amount": 5}),
            _refund(amount=5),
            2 * 1 / 4,
            id="null_for_what_is_required",
        ),
        pytest.param(_refund(other=None), _refund(), 2 * 1 / 3, id="null_for_what_is_unknown"),
        pytest.param(
            _call("orders__refund", {"order_id": "B2", "amount": 5}),
            _refund(amount=5),
            2 * 1 / 4,
            id="wrong_id_right_keys",
        ),
        pytest.param(
            _call("orders__refund", {"order_id": "a1"}), _refund(), 0, id="letters_case_matters"
        ),
        pytest.param(_refund(), _refund(amount=5), 2 * 1 / 3, id="missing_key"),
        pytest.param(
            _refund(amount=5, note="x"), _refund(amount=5), 2 * 2 / 5, id="extra_key"
        ),
        pytest.param(_call("orders__refund", {}), _refund(amount=5), 0, id="no_arguments"),
        pytest.param(_call("desk__ping", {}), _call("desk__ping", {}), 1, id="none_needed"),
        pytest.param(
            _call("desk__ping", {"x": 1}), _call("desk__ping", {}), 0, id="none_needed_one_given"
        ),
        pytest.param(
            _refund(to={"street": "1 Elm", "city": "Troy", "mode": "van"}),
            _refund(to={"city": "Rome", "mode": "van", "street": "1 Elm"}),
            2 * 3 / 8,
            id="nested_value",
        ),
        pytest.param(
            _refund(to={"street": "1 Elm", "mode": "van"}),
            _refund(to={"street": "1 Elm", "city": "Troy", "mode": "van"}),
            2 * 3 / 7,
            id="nested_missing_key",
        ),
        pytest.param(
            _refund(to={"street": "1 Elm", "floor": None}),
            _refund(to={"street": "1 Elm", "mode": "post"}),
            1,
            id="nested_null_and_default",
        ),
        pytest.param(
            _refund(items=[{"sku": "S1", "gift": None}]),
            _refund(items=[{"sku": "S1"}]),
            1,
            id="null_behind_a_reference",
        ),
        pytest.param(
            _refund(items=[{"sku": "S1"}, {"sku": "S9"}]),
            _refund(items=[{"sku": "S1"}, {"sku": "S2"}]),
            2 * 2 / 6,
            id="objects_in_a_list",
        ),
        pytest.param(_refund(lines=["a", "b"]), _refund(lines=["b", "a"]), 2 * 1 / 6, id="list_order"),
        pytest.param(_refund(lines=["a"]), _refund(lines=["a", "b"]), 2 * 2 / 5, id="list_too_short"),
        pytest.param(_refund(lines=["a", "a"]), _refund(lines=["a"]), 2 * 2 / 5, id="list_repeats"),
        pytest.param(_refund(lines=[]), _refund(), 2 * 1 / 3, id="empty_list_is_not_absent"),
        pytest.param(_refund(lines=[[1, 2]]), _refund(lines=[[1], 2]), 2 * 2 / 6, id="list_in_list"),
        pytest.param(_refund(tags=["b", "a"]), _refund(tags=["a", "b"]), 1, id="set_order"),
        pytest.param(_refund(tags=["a", "b", "a"]), _refund(tags=["a", "b"]), 1, id="set_repeats"),
        pytest.param(_refund(tags=["a", "b"]), _refund(tags=["a", "c"]), 2 * 2 / 6, id="set_value"),
        pytest.param(
            _call("visits__list", {"area": "N", "most": 10.0}),
            _call("visits__list", {"area": "N"}),
            1,
            id="default_filled_in",
        ),
        pytest.param(
            _call("visits__list", {"area": "N", "most": 5}),
            _call("visits__list", {"area": "N"}),
            2 * 1 / 4,
            id="other_than_default",
        ),
        pytest.param(_call("orders__refund", None), _refund(), 0, id="unreadable"),
        pytest.param(_call("desk__ping", None), _call("desk__ping", {}), 0, id="unreadable_for_none"),
    ],
)  # fmt: skip
def test_match_of_one_call_is_as_computed_by_hand(
    predicted: PredictedCall, reference: PredictedCall, f1: float
) -> None:
    match = match_call(FORMS, predicted, reference)
    assert match.function_name
    assert match.argument_f1 == pytest.approx(f1)
    assert match.exact is (f1 == 1)
    assert bool(match.reason) is not match.exact
    assert match_call(FORMS, reference, predicted).argument_f1 == match.argument_f1


def test_wrong_function_with_right_arguments_earns_nothing() -> None:
    match = match_call(FORMS, _call("orders__cancel", A1), _refund())
    assert (match.exact, match.function_name, match.argument_f1) == (False, False, 0.0)
    assert match.reason == "orders__cancel instead of orders__refund"


def test_reason_names_the_arguments_that_differ() -> None:
    predicted = _refund(to={"city": "Troy"}, tags=["a"])
    match = match_call(FORMS, predicted, _refund(to={"city": "Rome"}, note="x", tags=["b"]))
    assert match.reason == "arguments differ: note, tags.*, to.city"


def test_tool_without_a_schema_is_compared_as_it_is() -> None:
    one, other = _call("star__query", {"a": None, "b": [12]}), _call("star__query", {"b": [12.0]})
    assert match_call(FORMS, one, other).argument_f1 == pytest.approx(2 * 1 / 3)


A, B, C = _refund(), _refund(amount=5), _call("orders__cancel", A1)
PING = _call("desk__ping", {})
D = _refund(note="x")
X = _call("orders__refund", {"note": "x"})


@pytest.mark.parametrize(
    ("made", "expected", "verdict", "call_f1", "name_f1", "f1"),
    [
        pytest.param([A], [A, A], "partial", 2 / 3, 2 / 3, 2 / 3, id="1_of_2"),
        pytest.param([A, A], [A, A], "right", 1, 1, 1, id="2_of_2"),
        pytest.param([A, A, A], [A, A], "over", 4 / 5, 4 / 5, 4 / 5, id="3_of_2"),
        pytest.param([], [A], "partial", 0, 0, 0, id="none_made"),
        pytest.param([A], [], "over", 0, 0, 0, id="none_expected"),
        pytest.param([PING, PING], [PING], "over", 2 / 3, 2 / 3, 2 / 3, id="without_arguments"),
        pytest.param([B, C, A], [A, B, C], "right", 1, 1, 1, id="order_means_nothing"),
        pytest.param([C], [A], "wrong", 0, 0, 0, id="other_function"),
        pytest.param([B, A], [A, C], "wrong", 1 / 2, 1 / 2, 1 / 2, id="one_right_one_not"),
        # B and A: one leaf shared, two and one there: 2 * (2 * 1 / 3) / (1 + 1)
        pytest.param([B], [A], "wrong", 0, 1, 2 / 3, id="near"),
        # D pairs with its equal; what is left has nothing in common: 2 * (1 + 0) / 4. (D with X
        # and A with D would give 2 * (2/3 + 2/3) / 4.)
        pytest.param([D, A], [X, D], "wrong", 1 / 2, 1, 1 / 2, id="equals_pair_first"),
    ],
)
def test_match_of_lists_counts_duplicates(
    made: Sequence[PredictedCall],
    expected: Sequence[PredictedCall],
    verdict: str,
    call_f1: float,
    name_f1: float,
    f1: float,
) -> None:
    match = match_calls(FORMS, made, expected)
    assert match is not None
    assert (match.verdict, match.exact) == (verdict, verdict == "right")
    assert match.call_f1 == pytest.approx(call_f1)
    assert match.name_f1 == pytest.approx(name_f1)
    assert match.argument_f1 == pytest.approx(f1)


def test_match_of_lists_pairs_what_is_left_for_the_greatest_sum() -> None:
    # Taken in turn, the first would take its best partner from the second: 4/5 + 0 < 2/3 + 4/5.
    made = [_refund(amount=5, note="x"), _refund(note="y")]
    expected = [_refund(note="x"), _refund(amount=5, note="y")]
    match = match_calls(FORMS, made, expected)
    assert match is not None
    assert match.argument_f1 == pytest.approx(2 * (2 * 2 / 5 + 2 * 2 / 5) / 4)


def test_match_of_no_calls_with_none_expected_has_no_value() -> None:
    assert match_calls(FORMS, [], []) is None


def _tool_call(function: str, **arguments: object) -> ToolCall:
    return ToolCall(id="1", function=function, arguments=arguments)


REFUND = CalledTool(tool="orders__refund", arguments={"order_id": "A1"})
SAID = Said(role="assistant", text="Done.")
RIGHT = _tool_call("orders__refund", order_id="A1")


@pytest.mark.parametrize(
    ("text", "calls", "values", "reason"),
    [
        pytest.param("", [RIGHT], (True, True, 1.0, True), "", id="one_call"),
        pytest.param("One moment.", [RIGHT], (True, True, 1.0, True), "", id="text_and_call"),
        pytest.param("", [RIGHT, RIGHT], (False, True, 1.0, True), "2 calls instead of one", id="two"),
        pytest.param(
            "",
            [_tool_call("desk__ping"), RIGHT],
            (False, False, 0.0, True),
            "desk__ping instead of orders__refund",
            id="first_of_two_is_compared",
        ),
        pytest.param("Done.", [], (False, False, 0.0, False), "no call: text", id="text"),
        pytest.param("", [], (False, False, 0.0, False), "no call: nothing", id="empty"),
        pytest.param(
            '{"name": "orders__refund", "arguments": {"order_id": "A1"}}',
            [],
            (False, False, 0.0, False),
            "no call: one written as text",
            id="call_as_text",
        ),
        pytest.param(
            "",
            [ToolCall(id="1", function="orders__refund", arguments={}, parse_error="no JSON")],
            (False, True, 0.0, True),
            "the arguments cannot be read",
            id="malformed",
        ),
    ],
)  # fmt: skip
def test_decision_with_a_call_as_reference_has_a_value_for_every_prediction(
    text: str, calls: Sequence[ToolCall], values: tuple[object, ...], reason: str
) -> None:
    match = match_prediction(FORMS, read_prediction(text, calls), REFUND)
    assert match is not None
    assert (match.exact, match.function_name, match.argument_f1, match.has_call) == values
    assert match.reason == reason


@pytest.mark.parametrize("calls", [[], [RIGHT]], ids=["text", "call"])
def test_decision_with_a_text_as_reference_has_no_value(calls: Sequence[ToolCall]) -> None:
    assert match_prediction(FORMS, read_prediction("Done.", calls), SAID) is None


def test_total_counts_decisions_without_a_call_apart() -> None:
    predictions = [
        match_prediction(FORMS, read_prediction("", [RIGHT]), REFUND),
        match_prediction(FORMS, read_prediction("Done."), REFUND),
        match_prediction(FORMS, read_prediction("Done."), SAID),
    ]
    totals = total(predictions)
    assert (totals.tool_decisions, totals.text_decisions, totals.without_call) == (2, 1, 1)
    assert (totals.exact, totals.function_name, totals.argument_f1) == (0.5, 0.5, 0.5)


def test_total_over_text_decisions_alone_is_undefined() -> None:
    totals = total([None, None])
    assert (totals.exact, totals.function_name, totals.argument_f1) == (None, None, None)


_SCALARS = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([1.0, 0.5, "a", "b", ""])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["sku", "city", "floor", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)
_ARGUMENTS = st.dictionaries(
    st.sampled_from([*SCHEMAS["orders__refund"]["properties"], "x"]), _VALUES
)
_CALLS = st.builds(_call, st.sampled_from(["orders__refund", "orders__cancel"]), _ARGUMENTS)


@settings(max_examples=50)
@given(_CALLS, _CALLS)
def test_match_is_bounded_symmetric_and_exact_where_f1_is_1(
    one: PredictedCall, other: PredictedCall
) -> None:
    there, back = match_call(FORMS, one, other), match_call(FORMS, other, one)
    assert 0.0 <= there.argument_f1 <= 1.0
    assert there.argument_f1 == back.argument_f1
    assert there.exact is (there.function_name and there.argument_f1 == 1.0)
    assert there.exact is FORMS.same(one, other)


def _rewritten(value: JsonValue, shuffle: random.Random) -> JsonValue:
    """The same value with keys in another order and other ways to write its numbers."""
    if isinstance(value, dict):
        names = list(value)
        shuffle.shuffle(names)
        return {name: _rewritten(value[name], shuffle) for name in names}
    if isinstance(value, list):
        return [_rewritten(part, shuffle) for part in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and value == int(value):
        return float(value)
    return value


@settings(max_examples=50)
@given(_CALLS, st.randoms(use_true_random=False))
def test_match_of_the_same_call_written_otherwise_is_exact(
    call: PredictedCall, shuffle: random.Random
) -> None:
    arguments = _rewritten(dict(call.arguments or {}), shuffle)
    assert isinstance(arguments, dict)
    match = match_call(FORMS, _call(call.tool, arguments), call)
    assert match == ToolMatch(exact=True, function_name=True, argument_f1=1.0)


@settings(max_examples=40)
@given(
    st.lists(_CALLS, max_size=4), st.lists(_CALLS, max_size=4), st.randoms(use_true_random=False)
)
def test_match_of_lists_is_bounded_symmetric_and_blind_to_order(
    made: list[PredictedCall], expected: list[PredictedCall], shuffle: random.Random
) -> None:
    match, back = match_calls(FORMS, made, expected), match_calls(FORMS, expected, made)
    if match is None or back is None:
        assert not made and not expected
        return
    assert 0 <= match.call_f1 <= match.argument_f1 <= 1 + 1e-9
    assert match.argument_f1 <= match.name_f1 + 1e-9
    assert match.argument_f1 == pytest.approx(back.argument_f1)
    assert match.exact is (match.call_f1 == 1)
    mixed = shuffle.sample(made, len(made))
    again = match_calls(FORMS, mixed, expected)
    assert again is not None
    assert again.argument_f1 == pytest.approx(match.argument_f1)
    assert again.model_dump(exclude={"argument_f1"}) == match.model_dump(exclude={"argument_f1"})


def test_argument_f1_of_nothing_and_nothing_is_1() -> None:
    assert argument_f1(frozenset(), frozenset()) == 1.0


SET = (_refund(amount=1), _refund(amount=2))


@pytest.mark.parametrize(
    ("made", "exact", "name", "f1"),
    [
        pytest.param(SET, True, True, 1, id="as-they-stand"),
        pytest.param(SET[::-1], True, True, 1, id="other-order"),
        pytest.param(SET[:1], False, False, 2 * 1 / 3, id="partial"),
        pytest.param((*SET, SET[0]), False, False, 2 * 2 / 5, id="over"),
        pytest.param((SET[0], _refund(amount=3)), False, True, 2 * 1.5 / 4, id="one-wrong"),
        pytest.param((), False, False, 0, id="none"),
    ],
)
def test_decision_set_is_compared_whole(
    made: tuple[PredictedCall, ...], exact: bool, name: bool, f1: float
) -> None:
    """B4: one message with two gold calls, reproduced exactly, was exact 0 and 0."""
    first, *beside = (CalledTool(tool=one.tool, arguments=one.arguments or {}) for one in SET)
    prediction = Prediction(action="call" if made else "nothing", calls=made)
    found = match_prediction(FORMS, prediction, first, beside)
    assert found is not None
    assert (found.exact, found.function_name) == (exact, name)
    assert found.argument_f1 == pytest.approx(f1)


def test_free_wording_has_rows_of_its_own() -> None:
    """B3: `exact` stays strict; the second reading compares free texts by presence."""
    text = {"type": "string", "x-free-text": True}
    forms = CallForms({"t": {"type": "object", "properties": {"note": text, "id": {}}}})
    one, other = (_call("t", {"id": 1, "note": note}) for note in ("As asked.", "Done so."))
    assert not match_call(forms, one, other).exact
    assert match_call(forms, one, other).argument_f1 == 0.5
    loose = forms.with_any_wording()
    assert match_call(loose, one, other).exact
    assert not match_call(loose, one, _call("t", {"id": 1, "note": " "})).exact
    assert not match_call(loose, one, _call("t", {"id": 1})).exact
