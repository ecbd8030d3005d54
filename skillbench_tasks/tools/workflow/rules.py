"""Rules: JsonLogic in form, strict about types. They are compiled once into closures.

Source: docs/workflow-language.md, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.bounds import Budget, EvaluationError
from skillbench_tasks.tools.workflow.operators import STRICT, boolean, listed
from skillbench_tasks.tools.workflow.paths import MISSING, Path, look_up, parse_path
from skillbench_tasks.tools.workflow.syntax import operation, rule_faults
from skillbench_tasks.tools.workflow.values import join_texts, kind_of

__all__ = ["Compiled", "Names", "compile_rule", "counted", "evaluate_rule"]

Names = dict[str, JsonValue]
Compiled = Callable[[Names, Budget], JsonValue]
"""A rule or expression, ready to run on the visible names; it leaves them as it found them."""


def evaluate_rule(
    rule: JsonValue, names: Mapping[str, JsonValue], budget: Budget | None = None
) -> JsonValue:
    """Evaluate a rule.

    Args:
        rule: The rule as JSON.
        names: Visible names and their values.
        budget: What may be used; a fresh one with the default limits when left out.

    Raises:
        EvaluationError: The rule is malformed, or a value is missing, mistyped or too large.
        BudgetExhausted: Too many operators (a kind of `EvaluationError`).
    """
    return compile_rule(rule)(dict(names), budget or Budget())


def compile_rule(rule: JsonValue) -> Compiled:
    """Compile a rule; the result may be run any number of times.

    Raises:
        EvaluationError: The rule is malformed.
    """
    for fault in rule_faults(rule, "rule"):
        raise EvaluationError(f"{fault.path}: {fault.message}")
    return _compile(rule)


def counted(compiled: Compiled) -> Compiled:
    """Return a rule or expression that counts the size of its value as work."""
    return lambda names, budget: budget.take(compiled(names, budget))


def _compile(rule: JsonValue) -> Compiled:
    if isinstance(rule, list):
        return counted(_list([_compile(part) for part in rule]))
    if not isinstance(rule, dict):
        return lambda names, budget: budget.take(rule)
    return counted(_operator(rule))


def _operator(rule: dict[str, JsonValue]) -> Compiled:
    operator, operands = operation(rule)
    if operator in ("var", "exists"):
        path = _path(operands[0])
        return _var(path, operands[1:]) if operator == "var" else _exists(path)
    parts = [_compile(operand) for operand in operands]
    if operator in STRICT:
        return _strict(operator, parts)
    return _LAZY[operator](parts)


def _path(operand: JsonValue) -> Path:
    path = parse_path(operand) if isinstance(operand, str) else None
    if path is None:
        raise EvaluationError("the path is malformed")
    return path


def _list(parts: list[Compiled]) -> Compiled:
    return lambda names, budget: [part(names, budget) for part in parts]


def _strict(operator: str, parts: list[Compiled]) -> Compiled:
    function = STRICT[operator]

    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        values = [part(names, budget) for part in parts]
        try:
            return function(values)
        except EvaluationError as error:
            raise EvaluationError(f"`{operator}`: {error}") from None

    return run


def _var(path: Path, default: list[JsonValue]) -> Compiled:
    otherwise = _compile(default[0]) if default else None

    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        value = look_up(names, path)
        if value is not MISSING:
            return value
        if otherwise is None:
            raise EvaluationError(f"`{path}` does not resolve")
        return otherwise(names, budget)

    return run


def _exists(path: Path) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        value = look_up(names, path)
        return value is not MISSING and value is not None

    return run


def _and(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        return all(boolean(part(names, budget)) for part in parts)

    return run


def _or(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        return any(boolean(part(names, budget)) for part in parts)

    return run


def _if(parts: list[Compiled]) -> Compiled:
    otherwise = parts[-1]
    cases = list(zip(parts[:-1:2], parts[1::2], strict=True))

    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        for condition, value in cases:
            if boolean(condition(names, budget)):
                return value(names, budget)
        return otherwise(names, budget)

    return run


def _cat(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        values = [part(names, budget) for part in parts]
        return join_texts(values, budget.limits.characters)

    return run


def _lower(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        value = parts[0](names, budget)
        if not isinstance(value, str):
            raise EvaluationError(f"`lower`: expected a string, got {kind_of(value)}")
        return join_texts([value.lower()], budget.limits.characters)

    return run


def _each(parts: list[Compiled], names: Names, budget: Budget) -> Iterator[list[JsonValue]]:
    """Yield each element with what the rule gives for it."""
    elements, rule = listed(parts[0](names, budget)), parts[1]
    for element in elements:
        yield [element, _with(names, {"item": element}, rule, budget)]


def _with(names: Names, bound: Names, rule: Compiled, budget: Budget) -> JsonValue:
    """Run a rule that sees more names; to copy all names each time would cost too much."""
    hidden = {name: names[name] for name in bound if name in names}
    names.update(bound)
    try:
        return rule(names, budget)
    finally:
        for name in bound:
            del names[name]
        names.update(hidden)


def _map(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        return [value for _, value in _each(parts, names, budget)]

    return run


def _filter(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        return [element for element, value in _each(parts, names, budget) if boolean(value)]

    return run


def _all(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        return all(boolean(value) for _, value in _each(parts, names, budget))

    return run


def _some(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        return any(boolean(value) for _, value in _each(parts, names, budget))

    return run


def _none(parts: list[Compiled]) -> Compiled:
    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        return not any(boolean(value) for _, value in _each(parts, names, budget))

    return run


def _reduce(parts: list[Compiled]) -> Compiled:
    items, rule, start = parts

    def run(names: Names, budget: Budget) -> JsonValue:
        budget.start_operator()
        elements = listed(items(names, budget))
        accumulator = start(names, budget)
        for element in elements:
            bound = {"item": element, "accumulator": accumulator}
            accumulator = _with(names, bound, rule, budget)
        return accumulator

    return run


_LAZY: dict[str, Callable[[list[Compiled]], Compiled]] = {
    "and": _and,
    "or": _or,
    "if": _if,
    "cat": _cat,
    "lower": _lower,
    "map": _map,
    "filter": _filter,
    "all": _all,
    "some": _some,
    "none": _none,
    "reduce": _reduce,
}
