"""A toolbox: the tools that one execution may call, over its own world, with its faults.

Pure: it knows nothing of Inspect. `skillbench_tasks.tools.toolkit` offers it to a model. A tool
without a declared behaviour is answered by a mock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

import anyio
from pydantic import JsonValue

from skillbench_tasks.errors import SkillbenchError, ToolFailure
from skillbench_tasks.models import CallError, Fault, FaultKind, Model, ToolSpec
from skillbench_tasks.tools.arguments import ArgumentChecker
from skillbench_tasks.tools.behaviours import run_behaviour
from skillbench_tasks.tools.faults import FaultPlan, commits, failure
from skillbench_tasks.tools.world import World

__all__ = ["LedgerEntry", "Mock", "Tool", "Toolbox"]


@dataclass(frozen=True)
class Tool:
    """A tool made ready to run: its definition and the checker of its arguments."""

    spec: ToolSpec
    checker: ArgumentChecker

    @classmethod
    def of(cls, spec: ToolSpec) -> Tool:
        """Make a tool ready to run."""
        return cls(spec, ArgumentChecker(spec.input_schema))


class LedgerEntry(Model):
    """A call as it was carried out: what was asked and what was answered."""

    tool: str
    arguments: dict[str, JsonValue]
    result: JsonValue = None
    error: CallError | None = None


class Mock(Protocol):
    """What answers in the stead of tools that have no declared behaviour."""

    def listen(self, said: Callable[[], list[JsonValue]]) -> None:
        """Let answers depend on the conversation."""

    async def answer(
        self, tool: ToolSpec, arguments: Mapping[str, JsonValue], toolbox: Toolbox
    ) -> JsonValue:
        """Return the result of a call whose arguments have been validated.

        Args:
            tool: The tool.
            arguments: Its arguments in normal form.
            toolbox: Where the call came in: its world, and the calls before this one.

        Raises:
            ToolFailure: The answer is an error.
        """


class Toolbox:
    """Tools over a world that belongs to this execution alone.

    Args:
        tools: The tools offered.
        world: The start; the toolbox works on a copy.
        faults: Declared failures.
        mock: What answers for tools without a declared behaviour.
    """

    def __init__(
        self,
        tools: Sequence[Tool],
        world: World,
        faults: Sequence[Fault] = (),
        mock: Mock | None = None,
    ) -> None:
        self.tools: Final = {tool.spec.full_name: tool for tool in tools}
        self.start: Final = world.copy()
        self.world = world.copy()
        self.ledger: Final[list[LedgerEntry]] = []
        self.broken: Exception | None = None
        """A fault of ours in a call: it ends the execution, even if an agent's code hid it."""
        self._faults = FaultPlan(faults)
        self._mock = mock
        self._one_at_a_time = anyio.Lock() if mock is not None else None

    def listen(self, said: Callable[[], list[JsonValue]]) -> None:
        """Let a mock's answers depend on the conversation: `said` gives it as it stands."""
        if self._mock is not None:
            self._mock.listen(said)

    @property
    def is_mocked(self) -> bool:
        """Whether a mock answers for some tool."""
        return self._mock is not None

    @property
    def has_faults(self) -> bool:
        """Whether calls can fail by declaration."""
        return bool(self._faults.strikes)

    def copy(self, *, faults: bool = True) -> Toolbox:
        """Return an isolated copy: the same world, ledger and mock, the same faults still to come.

        Args:
            faults: Whether calls of the copy can fail by declaration.
        """
        twin = Toolbox((), self.start, (), self._mock)
        twin.tools.update(self.tools)
        twin.world = self.world.copy()
        twin.ledger.extend(self.ledger)
        if faults:
            twin._faults = self._faults.copy()
        return twin

    def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Carry out a call and write it to the ledger; an example stands in for a mock.

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
            self._write_failure(tool, arguments, error)
            raise
        self.ledger.append(LedgerEntry(tool=tool, arguments=dict(arguments), result=result))
        return result

    def attempt(self, tool: str, arguments: Mapping[str, JsonValue]) -> LedgerEntry:
        """Carry out a call as `call` does and return its entry in the ledger, failed or not."""
        with suppress(ToolFailure):
            self.call(tool, arguments)
        return self.ledger[-1]

    async def call_async(self, tool: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Carry out a call as `call` does, one at a time; a mock answers where none is declared.

        Raises:
            ToolFailure: As `call`; or the mock answers with an error.
            SkillbenchError: There is no mock, or it has no usable answer.
        """
        known = self.tools.get(tool)
        is_mocked = known is not None and not known.spec.is_declared
        if self._one_at_a_time is None and not is_mocked:
            return self.call(tool, arguments)
        if self._mock is None or self._one_at_a_time is None:
            raise SkillbenchError(f"{tool} has no declared behaviour, and there is no mock")
        async with self._one_at_a_time:
            return await self._mocked(tool, arguments) if is_mocked else self.call(tool, arguments)

    async def _mocked(self, name: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        assert self._mock is not None
        try:
            tool, normal, struck = self._admit(name, arguments)
            result = await self._mock.answer(tool.spec, normal, self)
            if struck is not None:
                raise failure(struck, name)
        except ToolFailure as error:
            self._write_failure(name, arguments, error)
            raise
        except Exception as error:
            self.broken = error
            raise
        self.ledger.append(LedgerEntry(tool=name, arguments=dict(arguments), result=result))
        return result

    def _write_failure(
        self, tool: str, arguments: Mapping[str, JsonValue], error: ToolFailure
    ) -> None:
        reason = CallError.of(error)
        self.ledger.append(LedgerEntry(tool=tool, arguments=dict(arguments), error=reason))

    def _carry_out(self, name: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        tool, normal, struck = self._admit(name, arguments)
        result, self.world = run_behaviour(tool.spec, normal, self.world)
        if struck is not None:
            raise failure(struck, name)
        return result

    def _admit(
        self, name: str, arguments: Mapping[str, JsonValue]
    ) -> tuple[Tool, dict[str, JsonValue], FaultKind | None]:
        """Return the tool, its arguments in normal form, and the fault that will hide the reply."""
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
        return tool, normal, struck
