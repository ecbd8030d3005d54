"""What a workflow may use up, and the errors that say it used too much or went wrong.

Source: docs/workflow-language.md, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

__all__ = [
    "MAX_BLOCK_NESTING",
    "MAX_FINDINGS",
    "MAX_JSON_NESTING",
    "MAX_PROGRAM_NODES",
    "Budget",
    "BudgetExhausted",
    "EvaluationError",
    "Limits",
]

MAX_BLOCK_NESTING = 32
MAX_FINDINGS = 100
MAX_JSON_NESTING = 32
MAX_PROGRAM_NODES = 1_000


class EvaluationError(Exception):
    """A fault of the program: missing path, wrong type, division by zero, value too large."""


class BudgetExhausted(EvaluationError):
    """The run would have started one node, iteration or operator more than it may."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run.

    Args:
        nodes: Nodes and loop iterations that may start.
        operators: Operators that may be evaluated.
        characters: Length of a string made by a template, ``cat`` or ``lower``.
        parts: Scalars, lists and objects in one value.
        nesting: Lists and objects inside one another in one value.
    """

    nodes: int = 10_000
    operators: int = 100_000
    characters: int = 100_000
    parts: int = 10_000
    nesting: int = 64


class Budget:
    """Counts what a run has used of its limits.

    Args:
        limits: The bounds; the defaults of the language when left out.
    """

    __slots__ = ("limits", "nodes", "operators")

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.nodes = 0
        self.operators = 0

    def start_node(self) -> None:
        """Count a node or an iteration, or raise `BudgetExhausted` before it starts."""
        if self.nodes >= self.limits.nodes:
            raise BudgetExhausted(f"more than {self.limits.nodes} nodes")
        self.nodes += 1

    def start_operator(self) -> None:
        """Count an operator, or raise `BudgetExhausted` before it starts."""
        if self.operators >= self.limits.operators:
            raise BudgetExhausted(f"more than {self.limits.operators} operators")
        self.operators += 1

    def fit(self, value: JsonValue) -> JsonValue:
        """Return the value, or raise `EvaluationError` where it has too many parts."""
        if type(value) is list or type(value) is dict:
            _check_size(value, self.limits)
        return value


def _check_size(value: JsonValue, limits: Limits) -> None:
    """Count level by level: stops early, and needs no recursion for a deep value."""
    level: list[JsonValue] = [value]
    parts, nesting = 1, 0
    while level:
        nesting += 1
        if nesting > limits.nesting:
            raise EvaluationError(f"value nested deeper than {limits.nesting}")
        below: list[JsonValue] = []
        for container in level:
            if isinstance(container, (list, dict)):
                parts += len(container)
                if parts > limits.parts:
                    raise EvaluationError(f"value of more than {limits.parts} parts")
                children = container.values() if isinstance(container, dict) else container
                below += [child for child in children if isinstance(child, (list, dict))]
        level = below
