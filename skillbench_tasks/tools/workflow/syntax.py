"""Faults in the form of expressions and rules, found without running them.

Source: docs/workflow-language.md, sections 3 to 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.bounds import MAX_JSON_NESTING
from skillbench_tasks.tools.workflow.messages import allowed_names, listing, quoted
from skillbench_tasks.tools.workflow.operators import OPERANDS
from skillbench_tasks.tools.workflow.paths import broken_reference, parse_path, parse_template
from skillbench_tasks.tools.workflow.values import kind_of, nested_deeper

__all__ = ["RULE_KEY", "Fault", "expression_faults", "operation", "rule_faults"]

RULE_KEY = "$"

_OTHER_WORDS: Final = {
    **dict.fromkeys(("eq", "equals", "equal", "="), "=="),
    **dict.fromkeys(("ne", "neq", "not_equals", "<>"), "!="),
    **dict.fromkeys(("gt", "greater", "greater_than"), ">"),
    **dict.fromkeys(("gte", "ge", "=>"), ">="),
    **dict.fromkeys(("lt", "less", "less_than"), "<"),
    **dict.fromkeys(("lte", "le", "=<"), "<="),
    **dict.fromkeys(("ref", "reference", "path", "variable", "$ref"), "var"),
    **dict.fromkeys(("not", "!!"), "!"),
    **dict.fromkeys(("all_of", "&&"), "and"),
    **dict.fromkeys(("any_of", "||"), "or"),
    **dict.fromkeys(("add", "plus"), "+"),
    **dict.fromkeys(("subtract", "sub", "minus"), "-"),
    **dict.fromkeys(("multiply", "times"), "*"),
    **dict.fromkeys(("divide", "div"), "/"),
    **dict.fromkeys(("mod", "modulo"), "%"),
    **dict.fromkeys(("concat", "join", "format"), "cat"),
    **dict.fromkeys(("len", "size", "count"), "length"),
    **dict.fromkeys(("contains", "includes"), "in"),
    **dict.fromkeys(("any", "exists_in"), "some"),
    **dict.fromkeys(("every",), "all"),
    **dict.fromkeys(("downcase", "lowercase"), "lower"),
    **dict.fromkeys(("date_diff", "datediff"), "days_between"),
    **dict.fromkeys(("date_add", "dateadd"), "add_days"),
    **dict.fromkeys(("?:", "cond", "ternary"), "if"),
}
"""What other languages call an operator → what it is called here; for messages only."""


class Fault(NamedTuple):
    """What is wrong with the form of a document, and where."""

    path: str
    code: str
    message: str


def operation(rule: dict[str, JsonValue]) -> tuple[str, list[JsonValue]]:
    """Return operator and operands of a well-formed rule object."""
    ((operator, operands),) = rule.items()
    return operator, operands if isinstance(operands, list) else [operands]


def expression_faults(expression: JsonValue, path: str) -> Iterator[Fault]:
    """Yield every fault in an expression; `path` says where it stands."""
    if nested_deeper(expression, MAX_JSON_NESTING):
        yield _too_deep(path)
    else:
        yield from _expression(expression, path)


def rule_faults(rule: JsonValue, path: str) -> Iterator[Fault]:
    """Yield every fault in a rule; `path` says where it stands."""
    if nested_deeper(rule, MAX_JSON_NESTING):
        yield _too_deep(path)
    else:
        yield from _rule(rule, path)


def _too_deep(path: str) -> Fault:
    return Fault(path, "too_deep", f"nested deeper than {MAX_JSON_NESTING} lists and objects")


def _expression(expression: JsonValue, path: str) -> Iterator[Fault]:
    if isinstance(expression, str):
        if parse_template(expression) is None:
            message = f"{broken_reference(expression)}; a literal `${{` is written `$${{`"
            yield Fault(path, "bad_template", message)
    elif isinstance(expression, list):
        for index, part in enumerate(expression):
            yield from _expression(part, f"{path}[{index}]")
    elif isinstance(expression, dict):
        if RULE_KEY not in expression:
            for key, part in expression.items():
                yield from _expression(part, f"{path}.{key}")
        elif len(expression) == 1:
            yield from _rule(expression[RULE_KEY], f"{path}.{RULE_KEY}")
        else:
            others = listing([key for key in expression if key != RULE_KEY][:10])
            message = f"the key `$` stands alone in its object; remove it, or {others}"
            yield Fault(path, "bad_expression", message)


def _rule(rule: JsonValue, path: str) -> Iterator[Fault]:
    if isinstance(rule, list):
        for index, part in enumerate(rule):
            yield from _rule(part, f"{path}[{index}]")
    elif isinstance(rule, dict):
        if len(rule) != 1:
            message = (
                f"a rule object has one key, its operator; this one has {len(rule)}: "
                f"{listing(list(rule)[:10]) or 'none'}"
            )
            yield Fault(path, "bad_rule", message)
        else:
            yield from _operation(rule, path)


def _operation(rule: dict[str, JsonValue], path: str) -> Iterator[Fault]:
    operator, operands = operation(rule)
    path = f"{path}.{operator}"
    allowed = OPERANDS.get(operator)
    if allowed is None:
        meant = _OTHER_WORDS.get(operator.lower(), operator)
        message = f"there is no operator {quoted(operator)}; {allowed_names(meant, OPERANDS)}"
        yield Fault(path, "unknown_operator", message)
        return
    if not allowed.accept(len(operands)):
        message = f"`{operator}` takes {allowed} operands, got {len(operands)}"
        yield Fault(path, "operand_count", message)
    if operator in ("var", "exists"):
        if operands:
            yield from _literal_path(operands[0], path)
        operands = operands[1:]
    if isinstance(rule[operator], list):
        start = 1 if operator in ("var", "exists") else 0
        for index, operand in enumerate(operands, start):
            yield from _rule(operand, f"{path}[{index}]")
    else:
        for operand in operands:
            yield from _rule(operand, path)


def _literal_path(operand: JsonValue, path: str) -> Iterator[Fault]:
    if not isinstance(operand, str):
        yield Fault(path, "bad_path", f"the path is a literal string, got {kind_of(operand)}")
    elif parse_path(operand) is None:
        message = f"{quoted(operand)} is no path: a name and keys, divided by dots"
        yield Fault(path, "bad_path", message)
