"""Every operator row of the language reference, section 4."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from skillbench_tasks.tools.workflow import (
    Budget,
    BudgetExhausted,
    EvaluationError,
    Limits,
    compile_rule,
    equal_values,
    evaluate_rule,
    text_of,
)

NAMES: dict[str, JsonValue] = {
    "n": 7,
    "text": "Straße",
    "nothing": None,
    "order": {"id": "ORD-1", "items": [{"sku": "a", "qty": 2}, {"sku": "b", "qty": 3}], "0": "z"},
    "flags": [True, False],
    "numbers": [3, 1, 2],
    "empty": [],
}


def var(path: str) -> JsonValue:
    return {"var": path}


VALUES: list[tuple[str, JsonValue, JsonValue]] = [
    ("scalar", 3, 3),
    ("string_is_no_template", "${n}", "${n}"),
    ("list_of_rules", [1, {"var": "n"}], [1, 7]),
    ("var", {"var": ["order.items.1.sku"]}, "b"),
    ("var_digits_on_object", var("order.0"), "z"),
    ("var_leading_zeros", var("order.items.01.sku"), "b"),
    ("var_null_beats_default", {"var": ["nothing", 1]}, None),
    ("var_default_later_segment", {"var": ["order.missing.deep", {"+": [1, 1]}]}, 2),
    ("var_default_index", {"var": ["numbers.3", "none"]}, "none"),
    ("var_default_into_scalar", {"var": ["n.x", "none"]}, "none"),
    ("var_default_key_on_list", {"var": ["numbers.first", "none"]}, "none"),
    ("exists", {"exists": "order.id"}, True),
    ("exists_null", {"exists": "nothing"}, False),
    ("exists_missing", {"exists": ["order.missing.x"]}, False),
    ("equal_int_float", {"==": [25, 25.0]}, True),
    ("equal_bool_number", {"==": [True, 1]}, False),
    ("equal_zero_false", {"===": [0, False]}, False),
    ("equal_deep", {"==": [[[1, "a"]], [[1.0, "a"]]]}, True),
    ("equal_types", {"==": ["1", 1]}, False),
    ("unequal", {"!=": [var("order.id"), "ORD-2"]}, True),
    ("unequal_strict", {"!==": [None, None]}, False),
    ("less", {"<": [1, 1.5]}, True),
    ("less_equal", {"<=": [2, 2.0]}, True),
    ("greater_strings_by_code_point", {">": ["a", "Z"]}, True),
    ("greater_equal", {">=": ["a", "b"]}, False),
    ("not", {"!": True}, False),
    ("not_list", {"!": [False]}, True),
    ("and", {"and": [True, True]}, True),
    ("and_short", {"and": [False, var("order.missing")]}, False),
    ("or", {"or": [False, True]}, True),
    ("or_short", {"or": [True, {"/": [1, 0]}]}, True),
    ("if_first", {"if": [True, 1, {"/": [1, 0]}]}, 1),
    ("if_second", {"if": [False, {"/": [1, 0]}, True, 2, 3]}, 2),
    ("if_otherwise", {"if": [False, 1, False, 2, 3]}, 3),
    ("add", {"+": [1, 2, 3]}, 6),
    ("add_one", {"+": 4}, 4),
    ("add_decimals", {"+": [0.1, 0.2]}, 0.3),
    ("add_rounds_to_6", {"+": [0.12345678]}, 0.123457),
    ("multiply", {"*": [2, 3, 4]}, 24),
    ("multiply_mixed", {"*": [2, 0.5]}, 1),
    ("minus_one", {"-": [5]}, -5),
    ("minus_two", {"-": [5, 7.5]}, -2.5),
    ("divide_even", {"/": [6, 3]}, 2),
    ("divide_uneven", {"/": [1, 3]}, 0.333333),
    ("remainder", {"%": [7, 3]}, 1),
    ("remainder_sign_of_divisor", {"%": [-7, 3]}, 2),
    ("remainder_negative_divisor", {"%": [7, -3]}, -2),
    ("remainder_integral_float", {"%": [7.0, 3]}, 1),
    ("min", {"min": [3, 1, 2]}, 1),
    ("max", {"max": [3, 1, 3.5]}, 3.5),
    ("sum", {"sum": var("numbers")}, 6),
    ("sum_empty", {"sum": [[]]}, 0),
    ("sum_computed", {"sum": [{"map": [var("order.items"), var("item.qty")]}]}, 5),
    ("round_half_even_text", {"round": [2.675, 2]}, 2.68),
    ("round_half_even_down", {"round": [0.125, 2]}, 0.12),
    ("round_to_integer", {"round": [2.5, 0]}, 2),
    ("round_to_integer_up", {"round": [3.5, 0]}, 4),
    ("round_huge", {"round": [1e300, 2]}, 1e300),
    ("in_text", {"in": ["raß", var("text")]}, True),
    ("in_list_by_value", {"in": [2.0, var("numbers")]}, True),
    ("in_list_bool", {"in": [True, [1]]}, False),
    ("cat", {"cat": ["a", 1, 2.0, 0.5, True]}, "a120.5true"),
    ("lower", {"lower": "ÄB"}, "äb"),
    ("length_text", {"length": var("text")}, 6),
    ("length_list", {"length": [[1, 2]]}, 2),
    ("length_object", {"length": var("order")}, 3),
    ("get_index", {"get": [var("numbers"), {"-": [var("n"), 5]}]}, 2),
    ("get_key", {"get": [var("order"), {"cat": ["i", "d"]}]}, "ORD-1"),
    ("merge", {"merge": [[1, [2]], 3, []]}, [1, [2], 3]),
    ("merge_one", {"merge": "x"}, ["x"]),
    ("map", {"map": [var("numbers"), {"*": [var("item"), var("n")]}]}, [21, 7, 14]),
    (
        "map_nested_hides",
        {"map": [[[1, 2], [3]], {"map": [var("item"), var("item")]}]},
        [[1, 2], [3]],
    ),
    ("filter", {"filter": [var("numbers"), {">": [var("item"), 1]}]}, [3, 2]),
    ("filter_empty", {"filter": [[], 1]}, []),
    ("all", {"all": [var("numbers"), {">": [var("item"), 0]}]}, True),
    ("all_empty", {"all": [var("empty"), "no boolean"]}, True),
    ("all_stops", {"all": [[1, "x"], {">": [var("item"), 5]}]}, False),
    ("some", {"some": [var("numbers"), {"==": [var("item"), 1]}]}, True),
    ("some_empty", {"some": [[], True]}, False),
    ("some_stops", {"some": [[9, "x"], {">": [var("item"), 5]}]}, True),
    ("none", {"none": [var("numbers"), {"==": [var("item"), 9]}]}, True),
    ("none_empty", {"none": [[], True]}, True),
    ("none_stops", {"none": [[9, "x"], {">": [var("item"), 5]}]}, False),
    ("reduce", {"reduce": [var("numbers"), {"+": [var("item"), var("accumulator")]}, 10]}, 16),
    ("reduce_empty", {"reduce": [[], 1, "start"]}, "start"),
    ("days_between", {"days_between": ["2024-02-28", "2024-03-01T23:59:59Z"]}, 2),
    ("days_between_negative", {"days_between": ["2024-03-01T00:00", "2024-02-28"]}, -2),
    (
        "days_between_no_zones",
        {"days_between": ["2024-03-01T23:00:00+00:00", "2024-03-02T00:00:00.5-11:00"]},
        1,
    ),
    ("add_days", {"add_days": ["2024-02-28T10:00:00", 2]}, "2024-03-01"),
    ("add_days_back", {"add_days": ["2024-03-01", -1.0]}, "2024-02-29"),
]


@pytest.mark.parametrize(
    ("rule", "expected"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES]
)
def test_rule_with_right_operands_gives_value(rule: JsonValue, expected: JsonValue) -> None:
    assert equal_values(evaluate_rule(rule, NAMES), expected)


ERRORS: list[tuple[str, JsonValue]] = [
    ("var_invisible", var("unknown")),
    ("var_invisible_with_default", {"var": ["unknown.x", 1]}),
    ("var_missing", var("order.missing")),
    ("var_no_list", {"var": 3}),
    ("exists_invisible", {"exists": "unknown"}),
    ("var_index_too_long", var("numbers." + "9" * 5000)),
    ("less_mixed", {"<": [1, "2"]}),
    ("less_booleans", {"<": [False, True]}),
    ("less_null", {">=": [None, 1]}),
    ("not_number", {"!": 0}),
    ("and_string", {"and": [True, "false"]}),
    ("and_null", {"and": [None]}),
    ("or_zero", {"or": [0]}),
    ("if_list", {"if": [[], 1, 2]}),
    ("add_string", {"+": [1, "2"]}),
    ("add_boolean", {"+": [1, True]}),
    ("multiply_overflow", {"*": [1e200, 1e200]}),
    ("multiply_float_overflow", {"*": [1.5e200, 1.5, 1e300]}),
    ("subtract_null", {"-": [1, None]}),
    ("divide_by_zero", {"/": [1, 0]}),
    ("divide_by_float_zero", {"/": [1, 0.0]}),
    ("divide_overflow", {"/": [1e300, 1e-300]}),
    ("remainder_by_zero", {"%": [1, 0]}),
    ("remainder_fraction", {"%": [1.5, 1]}),
    ("min_string", {"min": [1, "0"]}),
    ("sum_of_number", {"sum": 3}),
    ("sum_of_strings", {"sum": [["a"]]}),
    ("round_digits_7", {"round": [1.5, 7]}),
    ("round_digits_negative", {"round": [1.5, -1]}),
    ("round_digits_fraction", {"round": [1.5, 0.5]}),
    ("in_number", {"in": [1, 12]}),
    ("in_text_number", {"in": [1, "12"]}),
    ("cat_null", {"cat": ["a", None]}),
    ("cat_list", {"cat": [[1]]}),
    ("lower_number", {"lower": 3}),
    ("length_number", {"length": 3}),
    ("get_out_of_range", {"get": [var("numbers"), 3]}),
    ("get_negative", {"get": [var("numbers"), -1]}),
    ("get_boolean", {"get": [var("numbers"), True]}),
    ("get_missing_key", {"get": [var("order"), "x"]}),
    ("get_integer_on_object", {"get": [var("order"), 0]}),
    ("get_scalar", {"get": ["text", 0]}),
    ("map_no_list", {"map": ["ab", var("item")]}),
    ("filter_no_boolean", {"filter": [[1], var("item")]}),
    ("all_no_boolean", {"all": [[1], var("item")]}),
    ("some_no_boolean", {"some": [["true"], var("item")]}),
    ("none_no_boolean", {"none": [[None], var("item")]}),
    ("reduce_no_list", {"reduce": [{"var": "n"}, 1, 2]}),
    ("item_outside", var("item")),
    ("reduce_start_sees_no_item", {"reduce": [[1], 1, var("item")]}),
    ("days_no_date", {"days_between": ["yesterday", "2024-01-01"]}),
    ("days_no_such_date", {"days_between": ["2023-02-29", "2024-01-01"]}),
    ("days_basic_format", {"days_between": ["20240101", "2024-01-01"]}),
    ("days_other_digits", {"days_between": ["\u0662024-01-01", "2024-01-01"]}),
    ("add_days_out_of_range", {"add_days": ["9999-12-31", 1]}),
    ("add_days_overflow", {"add_days": ["2024-01-01", 10**20]}),
    ("add_days_fraction", {"add_days": ["2024-01-01", 0.5]}),
    ("unknown_operator", {"eval": ["1"]}),
    ("two_keys", {"==": [1, 1], "!=": [1, 1]}),
    ("no_key", {}),
    ("too_many_operands", {"length": [1, 2]}),
    ("if_even", {"if": [True, 1, False, 2]}),
    ("if_two", {"if": [True, 1]}),
    ("bad_path", var("Order.id")),
    ("computed_path", {"var": [{"cat": ["n"]}]}),
]


@pytest.mark.parametrize("rule", [row[1] for row in ERRORS], ids=[row[0] for row in ERRORS])
def test_rule_with_wrong_operands_is_evaluation_error(rule: JsonValue) -> None:
    with pytest.raises(EvaluationError):
        evaluate_rule(rule, NAMES)


def test_arithmetic_on_integers_stays_integer() -> None:
    rules: list[JsonValue] = [{"+": [1, 2.0]}, {"/": [4, 2]}, {"round": [1.4, 0]}, {"*": [2, 3]}]
    assert {type(evaluate_rule(rule, {})) for rule in rules} == {int}


def test_negation_of_tiny_number_gives_no_negative_zero() -> None:
    assert repr(evaluate_rule({"-": [0.0000001]}, {})) == "0.0"


def test_integer_product_beyond_double_is_cut_off() -> None:
    square: JsonValue = 10**300
    with pytest.raises(EvaluationError, match="too large"):
        evaluate_rule({"*": [square, square]}, {})


def test_operators_at_the_limit_pass_and_one_more_is_exhausted() -> None:
    rule = compile_rule({"map": [[1, 2, 3], {"+": [{"var": "item"}, 1]}]})
    budget = Budget(Limits(operators=7))
    assert rule({}, budget) == [2, 3, 4]
    assert budget.operators == 7
    with pytest.raises(BudgetExhausted):
        rule({}, Budget(Limits(operators=6)))


def test_skipped_operands_cost_no_operators() -> None:
    budget = Budget()
    evaluate_rule({"or": [True, {"!": [True]}]}, {}, budget)
    assert budget.operators == 1


def test_value_at_part_limit_passes_and_one_more_fails() -> None:
    rule = compile_rule({"merge": [{"var": "xs"}, 1]})
    names: dict[str, JsonValue] = {"xs": [0, 0]}
    assert rule(names, Budget(Limits(parts=4))) == [0, 0, 1]
    with pytest.raises(EvaluationError, match="parts"):
        rule(names, Budget(Limits(parts=3)))


@pytest.mark.parametrize("operator", ["cat", "lower"])
def test_text_at_character_limit_passes_and_one_more_fails(operator: str) -> None:
    rule = compile_rule({operator: [{"var": "t"}]})
    assert rule({"t": "ABCD"}, Budget(Limits(characters=4))) in ("ABCD", "abcd")
    with pytest.raises(EvaluationError, match="characters"):
        rule({"t": "ABCDE"}, Budget(Limits(characters=4)))


def test_nested_merge_that_multiplies_is_cut_off() -> None:
    rule: JsonValue = [1] * 10
    for _ in range(5):
        rule = {"merge": [{"map": [[1] * 10, rule]}]}
    with pytest.raises(EvaluationError, match=r"parts|units of work"):
        evaluate_rule(rule, {})


def test_text_of_integer_too_long_is_evaluation_error() -> None:
    with pytest.raises(EvaluationError):
        text_of(10**5000)


def test_equal_values_of_objects_ignores_key_order_and_compares_keys() -> None:
    assert equal_values({"a": 1, "b": [None]}, {"b": [None], "a": 1.0})
    assert not equal_values({"a": 1}, {"b": 1})
    assert not equal_values([1], [1, 1])
    assert not equal_values({}, [])
