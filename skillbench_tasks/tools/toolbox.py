"""A toolbox: the tools that one execution may call, over its own world, with its faults.

Pure: it knows nothing of Inspect. `skillbench_tasks.tools.toolkit` offers it to a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import CallError, Fault, Model, ToolSpec
from skillbench_tasks.tools.arguments import ArgumentChecker
from skillbench_tasks.tools.behaviours import run_behaviour
from skillbench_tasks.tools.faults import FaultPlan, commits, failure
from skillbench_tasks.tools.world import World

__all__ = ["TRANSFER_TOOLS", "LedgerEntry", "Tool", "Toolbox"]


@dataclass(frozen=True)
class Tool:
    """A tool made ready to run: its definition and the checker of its arguments."""

    spec: ToolSpec
    checker: ArgumentChecker

    @classmethod
    def of(cls, spec: ToolSpec) -> Tool:
        """Make a tool ready to run."""
        return cls(spec, ArgumentChecker(spec.input_schema))


TRANSFER_TOOLS: Final = frozenset({"mcp.desk:transfer_to_human"})
"""Tools that hand the conversation to a person: their success ends it with the turn."""


class LedgerEntry(Model):
    """A call as it was carried out: what was asked and what was answered."""

    tool: str
    arguments: dict[str, JsonValue]
    result: JsonValue = None
    error: CallError | None = None


class Toolbox:
    """Tools over a world that belongs to this execution alone.

    Args:
        tools: The tools offered.
        world: The start; the toolbox works on a copy.
        faults: Declared failures.
    """

    def __init__(self, tools: Sequence[Tool], world: World, faults: Sequence[Fault] = ()) -> None:
        self.tools: Final = {tool.spec.full_name: tool for tool in tools}
        self.start: Final = world.copy()
        self.world = world.copy()
        self.ledger: Final[list[LedgerEntry]] = []
        self._faults = FaultPlan(faults)

    def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Carry out a call and write it to the ledger.

        Args:
            tool: Full name, `mcp.<server>:<tool>`.
            arguments: As the caller gave them.

        Raises:
            ToolFailure: The call fails; the world is as before, unless a fault lost the reply of a
                call
                that was carried out.
        """
        try:
            result = self._carry_out(tool, arguments)
        except ToolFailure as error:
            reason = CallError(code=error.code, message=error.message, retryable=error.retryable)
            self.ledger.append(LedgerEntry(tool=tool, arguments=dict(arguments), error=reason))
            raise
        self.ledger.append(LedgerEntry(tool=tool, arguments=dict(arguments), result=result))
        return result

    async def call_async(self, tool: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Carry out a call as `call` does; a tool that a model mocks may have to wait."""
        return self.call(tool, arguments)

    def _carry_out(self, name: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        tool = self.tools.get(name)
        if tool is None:
            raise ToolFailure("unknown_tool", f"There is no tool {name}.", False, name)
        normal = tool.checker.normalise(arguments)
        problems = tool.checker.problems(normal)
        if problems:
            raise ToolFailure("invalid_arguments", "; ".join(problems), False, name)
        struck = self._faults.strike(name, normal)
        if struck is not None and not commits(struck):
            raise failure(struck, name)
        result, self.world = run_behaviour(tool.spec, normal, self.world)
        if struck is not None:
            raise failure(struck, name)
        return result
