"""Expressions, templates and paths: section 3 of the language reference."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from skillbench_tasks.tools.workflow import (
    Budget,
    EvaluationError,
    Limits,
    compile_expression,
    evaluate_expression,
)

NAMES: dict[str, JsonValue] = {
    "order": {"id": "ORD-1", "total": 25.0, "ratio": 0.1, "paid": False, "note": None},
    "items": [{"sku-x": 1}, [5]],
    "n": 3,
}

VALUES: list[tuple[str, JsonValue, JsonValue]] = [
    ("null", None, None),
    ("plain", "text", "text"),
    ("dollar", "5 $ and $x", "5 $ and $x"),
    ("typed_reference", "${n}", 3),
    ("object_reference", "${items.1}", [5]),
    ("key_with_dash", "${items.0.sku-x}", 1),
    ("null_reference", "${order.note}", None),
    ("template", "Order ${order.id}: ${n} at ${order.total}", "Order ORD-1: 3 at 25"),
    ("two_references", "${n}${n}", "33"),
    ("template_scalars", "${order.ratio}/${order.paid}", "0.1/false"),
    ("escape", "$${n}", "${n}"),
    ("escape_beside_reference", "$${a} ${n}", "${a} 3"),
    ("escape_after_dollar", "$$${n}", "$${n}"),
    ("escape_alone", "$${", "${"),
    ("parts", {"a": ["${n}", {"b": "${order.id}"}]}, {"a": [3, {"b": "ORD-1"}]}),
    ("literal_keys", {"${n}": 1}, {"${n}": 1}),
    ("rule", {"$": {"+": [{"var": "n"}, 1]}}, 4),
    ("rule_inside", [{"x": {"$": {"exists": "order.note"}}}], [{"x": False}]),
]


@pytest.mark.parametrize(
    ("expression", "expected"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES]
)
def test_expression_gives_value(expression: JsonValue, expected: JsonValue) -> None:
    assert evaluate_expression(expression, NAMES) == expected


ERRORS: list[tuple[str, JsonValue]] = [
    ("invisible", "${unknown}"),
    ("missing", "${order.missing}"),
    ("index_out_of_range", "${items.2}"),
    ("into_scalar", "${n.x}"),
    ("key_on_list", "${items.sku}"),
    ("template_null", "note: ${order.note}"),
    ("template_list", "items: ${items}"),
    ("template_object", "order: ${order}"),
    ("unclosed", "${n"),
    ("no_path", "${}"),
    ("spaces", "${ n }"),
    ("code", "${n + 1}"),
    ("empty_segment", "${order..id}"),
    ("dollar_key_beside_others", {"$": 1, "x": 2}),
]


@pytest.mark.parametrize("expression", [row[1] for row in ERRORS], ids=[row[0] for row in ERRORS])
def test_expression_that_is_wrong_is_evaluation_error(expression: JsonValue) -> None:
    with pytest.raises(EvaluationError):
        evaluate_expression(expression, NAMES)


def test_template_at_character_limit_passes_and_one_more_fails() -> None:
    template = compile_expression("${t}!")
    assert template({"t": "abc"}, Budget(Limits(characters=4))) == "abc!"
    with pytest.raises(EvaluationError):
        template({"t": "abcd"}, Budget(Limits(characters=4)))


@pytest.mark.parametrize(
    ("limits", "fits"),
    [
        (Limits(parts=5, nesting=2), True),
        (Limits(parts=4), False),
        (Limits(nesting=1), False),
    ],
    ids=["at_both_limits", "parts_beyond", "nesting_beyond"],
)
def test_size_of_value_at_limit_passes_and_beyond_fails(limits: Limits, fits: bool) -> None:
    expression = compile_expression({"a": "${xs}", "b": 1})
    names: dict[str, JsonValue] = {"xs": [1, 2]}
    if fits:
        assert expression(names, Budget(limits)) == {"a": [1, 2], "b": 1}
    else:
        with pytest.raises(EvaluationError):
            expression(names, Budget(limits))


@pytest.mark.parametrize(("depth", "fits"), [(32, True), (33, False)], ids=["at", "beyond"])
def test_nesting_of_expression_at_limit_passes_and_beyond_fails(depth: int, fits: bool) -> None:
    expression: JsonValue = 1
    for _ in range(depth):
        expression = [expression]
    if fits:
        assert evaluate_expression(expression, {}) == expression
    else:
        with pytest.raises(EvaluationError):
            evaluate_expression(expression, {})


def test_compiled_literal_object_is_new_on_each_run() -> None:
    expression = compile_expression({"a": []})
    assert expression({}, Budget()) is not expression({}, Budget())
