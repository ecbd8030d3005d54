"""What a workflow may use up, and the errors that say it used too much or went wrong.

Source: docs/workflow-language.md, section 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

__all__ = [
    "CALL_WORK",
    "MAX_BLOCK_NESTING",
    "MAX_FINDINGS",
    "MAX_JSON_NESTING",
    "MAX_KEY_LENGTH",
    "MAX_PROGRAM_NODES",
    "MAX_PROGRAM_PARTS",
    "MAX_PROGRAM_TEXT",
    "MAX_SCHEMA_PARTS",
    "Budget",
    "BudgetExhausted",
    "EvaluationError",
    "Limits",
    "charge",
    "charging",
    "size_of",
]

MAX_BLOCK_NESTING = 32
MAX_FINDINGS = 100
MAX_JSON_NESTING = 32
MAX_KEY_LENGTH = 256
MAX_PROGRAM_NODES = 1_000
MAX_PROGRAM_PARTS = 10_000
MAX_PROGRAM_TEXT = 200_000
MAX_SCHEMA_PARTS = 1_000


CALL_WORK: Final = 200
"""Work that a tool call counts for beside its arguments and its result."""

_CHARACTERS_PER_PART: Final = 10


class EvaluationError(Exception):
    """A fault of the program: missing path, wrong type, division by zero, value too large."""


class BudgetExhausted(EvaluationError):
    """The run would have started a node, iteration or operator, or done work, beyond its bounds."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run.

    Args:
        nodes: Nodes and loop iterations that may start.
        operators: Operators that may be evaluated.
        work: Size of all values that expressions and rules may give, and of what calls take.
        characters: Length of a string made by a template, ``cat`` or ``lower``.
        parts: Scalars, lists and objects in one value.
        nesting: Lists and objects inside one another in one value.
    """

    nodes: int = 10_000
    operators: int = 100_000
    work: int = 50_000
    characters: int = 100_000
    parts: int = 10_000
    nesting: int = 64


_running: ContextVar[Budget | None] = ContextVar("_running", default=None)
"""The budget of the run whose tool call is under way."""


def charge(work: int) -> None:
    """Count what a tool does beyond a look-up as work of the run that called it, if one did."""
    if (budget := _running.get()) is not None:
        budget.work += work


@contextmanager
def charging(budget: Budget) -> Iterator[None]:
    """Let `charge` count for a budget while a tool is called."""
    token = _running.set(budget)
    try:
        yield
    finally:
        _running.reset(token)


class Budget:
    """Counts what a run has used of its limits.

    Args:
        limits: The bounds; the defaults of the language when left out.
    """

    __slots__ = ("limits", "nodes", "operators", "work")

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.nodes = 0
        self.operators = 0
        self.work = 0

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

    def take(self, value: JsonValue) -> JsonValue:
        """Count the size of a value as work and return the value.

        Raises:
            EvaluationError: The value has too many parts, or is nested too deep.
            BudgetExhausted: It is too much work.
        """
        if type(value) is list or type(value) is dict:
            self.do(_bounded_size(value, self.limits))
        else:
            self.do(_scalar_size(value))
        return value

    def do(self, work: int) -> None:
        """Count work, or raise `BudgetExhausted`."""
        self.work += work
        if self.work > self.limits.work:
            raise BudgetExhausted(f"more than {self.limits.work} units of work")


def _scalar_size(value: JsonValue) -> int:
    return 1 + len(value) // _CHARACTERS_PER_PART if type(value) is str else 1


def _bounded_size(value: JsonValue, limits: Limits) -> int:
    """Count level by level: stops early, and needs no recursion for a deep value."""
    level: list[JsonValue] = [value]
    parts, nesting, texts = 1, 0, 0
    while level:
        nesting += 1
        if nesting > limits.nesting:
            raise EvaluationError(f"value nested deeper than {limits.nesting}")
        below: list[JsonValue] = []
        for container in level:
            if not isinstance(container, (list, dict)):
                continue
            parts += len(container)
            if parts > limits.parts:
                raise EvaluationError(f"value of more than {limits.parts} parts")
            children = container
            if isinstance(container, dict):
                texts += sum(len(key) // _CHARACTERS_PER_PART for key in container)
                children = list(container.values())
            for child in children:
                if type(child) is str:
                    texts += len(child) // _CHARACTERS_PER_PART
                elif type(child) is list or type(child) is dict:
                    below.append(child)
        level = below
    return parts + texts


def size_of(value: JsonValue) -> int:
    """Return the size of a value of any size: its parts, and its texts by their tens."""
    pending, size = [value], 0
    while pending:
        part = pending.pop()
        size += _scalar_size(part)
        if isinstance(part, dict):
            size += sum(len(key) // _CHARACTERS_PER_PART for key in part)
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return size
