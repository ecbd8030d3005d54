"""Expressions: JSON with ``${path}`` references, templates and rules under ``$``.

Source: docs/workflow-language.md, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.bounds import (
    Budget,
    BudgetExhausted,
    EvaluationError,
    Limits,
)
from skillbench_tasks.tools.workflow.paths import MISSING, Path, look_up, parse_template
from skillbench_tasks.tools.workflow.rules import Compiled, Names, compile_rule, counted
from skillbench_tasks.tools.workflow.syntax import RULE_KEY, expression_faults
from skillbench_tasks.tools.workflow.values import equal_values, join_texts

__all__ = [
    "Budget",
    "BudgetExhausted",
    "EvaluationError",
    "Limits",
    "compile_expression",
    "equal_values",
    "evaluate_expression",
]


def evaluate_expression(
    expression: JsonValue, names: Mapping[str, JsonValue], budget: Budget | None = None
) -> JsonValue:
    """Evaluate an expression.

    Args:
        expression: The expression as JSON.
        names: Visible names and their values.
        budget: What may be used; a fresh one with the default limits when left out.

    Returns:
        A value that may share parts with the values of `names`: treat both as immutable.

    Raises:
        EvaluationError: The expression is malformed, or a value is missing, mistyped or too large.
        BudgetExhausted: Too many operators (a kind of `EvaluationError`).
    """
    return compile_expression(expression)(dict(names), budget or Budget())


def compile_expression(expression: JsonValue) -> Compiled:
    """Compile an expression; the result may be run any number of times.

    Raises:
        EvaluationError: The expression is malformed.
    """
    for fault in expression_faults(expression, "expression"):
        raise EvaluationError(f"{fault.path}: {fault.message}")
    return _compile(expression)


def _compile(expression: JsonValue) -> Compiled:
    if isinstance(expression, str):
        return _text(expression)
    if isinstance(expression, list):
        return counted(_list([_compile(part) for part in expression]))
    if isinstance(expression, dict):
        if RULE_KEY in expression:
            return compile_rule(expression[RULE_KEY])
        return counted(_object([(key, _compile(part)) for key, part in expression.items()]))
    return lambda names, budget: budget.take(expression)


def _list(parts: list[Compiled]) -> Compiled:
    return lambda names, budget: [part(names, budget) for part in parts]


def _object(parts: list[tuple[str, Compiled]]) -> Compiled:
    return lambda names, budget: {key: part(names, budget) for key, part in parts}


@lru_cache(maxsize=8192)
def _text(text: str) -> Compiled:
    if "${" not in text:
        return lambda names, budget: budget.take(text)
    match parse_template(text):
        case (Path() as path,):
            return _reference(path)
        case None:
            raise EvaluationError("the template is malformed")
        case parts:
            return counted(_template(parts))


def _reference(path: Path) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        value = look_up(names, path)
        if value is MISSING:
            raise EvaluationError(f"`{path}` does not resolve")
        return budget.take(value)

    return run


def _template(parts: tuple[str | Path, ...]) -> Compiled:
    steps = [_reference(part) if isinstance(part, Path) else part for part in parts]

    def run(names: Names, budget: Budget) -> JsonValue:
        values = (step if isinstance(step, str) else step(names, budget) for step in steps)
        return join_texts(values, budget.limits.characters)

    return run
