"""A workflow while it runs, and what is left of it afterwards.

Source: docs/workflow-language.md, sections 2, 6 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import JsonValue

from skillbench_tasks.tools.workflow.bounds import Budget, EvaluationError, Limits
from skillbench_tasks.tools.workflow.expressions import compile_expression
from skillbench_tasks.tools.workflow.rules import Compiled

__all__ = [
    "Backend",
    "Ended",
    "Event",
    "Execution",
    "Respondent",
    "Run",
    "Status",
    "Step",
    "compile_object",
]

Status = Literal[
    "returned", "completed", "failed", "invalid", "exhausted", "handed_over", "declined"
]
Event = dict[str, JsonValue]
Backend = Callable[[str, dict[str, JsonValue]], JsonValue]
"""Runs a tool by name and arguments; raises `ToolFailure` where the tool answers an error."""


class Respondent(Protocol):
    """The user's side of a flow."""

    def told(self, slot: str) -> bool:
        """Tell whether the user has already told the slot."""

    def told_value(self, slot: str) -> JsonValue:
        """Return the value of a slot that was told."""

    def answer(self, slots: list[str], confirm: str | None, again: bool) -> Mapping[str, JsonValue]:
        """Answer an `ask`.

        Args:
            slots: Slots that are asked for; empty when `confirm` is given.
            confirm: Name of what is to be confirmed.
            again: Whether slots told already are asked for once more.

        Returns:
            Slot → value; for `confirm` an object with ``confirmed`` and ``changes``.
        """


@dataclass(frozen=True, slots=True)
class Execution:
    """What a run left behind; its values are shared, so treat them as immutable.

    Args:
        status: How the program ended.
        value: What ``return`` gave, else None.
        trace: Events in the order in which they happened.
        nodes_run: Nodes and iterations that started.
    """

    status: Status
    value: JsonValue
    trace: list[Event]
    nodes_run: int


class Ended(Exception):
    """A node ended the whole program."""

    def __init__(self, status: Status, value: JsonValue = None) -> None:
        self.status: Status = status
        self.value = value
        super().__init__(status)


class Run:
    """Names, trace and budget of one run."""

    __slots__ = (
        "_bound",
        "_variables",
        "backend",
        "budget",
        "keeps_values",
        "names",
        "respondent",
        "trace",
    )

    def __init__(
        self,
        names: dict[str, JsonValue],
        backend: Backend,
        respondent: Respondent | None,
        limits: Limits,
        keeps_values: bool = True,
    ) -> None:
        self.keeps_values = keeps_values
        self.names, self.backend, self.respondent = names, backend, respondent
        self.budget = Budget(limits)
        self.trace: list[Event] = []
        self._bound: list[str] = []
        self._variables: set[str] = set()

    def bind(self, name: str, value: JsonValue) -> None:
        """Bind a new name in the present scope."""
        if name in self.names:
            raise EvaluationError(f"`{name}` is bound already")
        self.names[name] = value
        self._bound.append(name)

    def assign(self, name: str, value: JsonValue) -> None:
        """Assign a variable; make it in the present scope where it is not visible."""
        if name in self._variables:
            self.names[name] = value
        else:
            self.bind(name, value)
            self._variables.add(name)

    def open_scope(self) -> int:
        """Open a scope; the result closes it."""
        return len(self._bound)

    def close_scope(self, mark: int) -> None:
        """Forget the names that were bound since the scope was opened."""
        while len(self._bound) > mark:
            name = self._bound.pop()
            del self.names[name]
            self._variables.discard(name)


Step = Callable[[Run], None]
"""A compiled node."""


def compile_object(expressions: dict[str, JsonValue]) -> Callable[[Run], dict[str, JsonValue]]:
    """Compile an object of expressions, such as the arguments of a call."""
    parts: list[tuple[str, Compiled]] = [
        (key, compile_expression(expression)) for key, expression in expressions.items()
    ]
    return lambda run: {key: part(run.names, run.budget) for key, part in parts}
