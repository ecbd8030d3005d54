"""The agent slot: any registered Inspect agent, one customer-facing turn for each call."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import execute_tools, get_model
from inspect_ai.tool import ToolDef
from inspect_ai.util import registry_create

from skillbench_tasks.errors import OptionError
from skillbench_tasks.model_output import ask
from skillbench_tasks.solvers.messages import message_of

__all__ = ["AgentSlot", "desk_agent"]

DEFAULT_AGENT: Final = "skillbench_tasks/desk_agent"
"""Inspect's own generate loop over the tools, bounded."""


@agent
def desk_agent(max_steps: int = 12) -> Agent:
    """Generate and run tools until the model writes a message without a tool call.

    Args:
        max_steps: Model calls in one turn at most; a turn that uses them up ends without a message.
    """

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one customer-facing turn."""
        for _ in range(max_steps):
            state.output = await ask(get_model(), state.messages, tools=tools)
            said = message_of(state.output)
            state.messages.append(said)
            if not said.tool_calls:
                break
            replies, _output = await execute_tools(state.messages, tools)
            state.messages.extend(replies)
        return state

    return execute


class AgentSlot:
    """An agent by name, made ready to be called with a sample's tools.

    Args:
        name: Registered name; those of this package and of Inspect may be given without prefix.
            `FILE.py@name` takes it from a file.

    Raises:
        OptionError: No such agent.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._registered = _registered_name(name)

    def with_tools(self, tools: Sequence[ToolDef]) -> tuple[Agent, dict[str, Any]]:
        """Return the agent and the keyword arguments to run it with.

        Tools go to the agent's call where it takes them, else to its factory (as for Inspect's
        `react`, which then ends its turn without a submit tool).
        """
        offered = list(tools)
        made = self._create()
        if _takes_tools(made):
            return made, {"tools": offered}
        for options in ({"tools": offered, "submit": False}, {"tools": offered}):
            try:
                return self._create(**options), {}
            except TypeError:
                continue
        return made, {}

    def _create(self, **options: Any) -> Agent:
        return registry_create("agent", self._registered, **options)


def _takes_tools(made: Agent) -> bool:
    parameters = inspect.signature(made).parameters.values()
    return any(p.name == "tools" or p.kind is p.VAR_KEYWORD for p in parameters)


def _registered_name(name: str) -> str:
    file, at, name = name.rpartition("@")
    if at:
        _import_file(Path(file))
    for candidate in (name, f"skillbench_tasks/{name}", f"inspect_ai/{name}"):
        try:
            registry_create("agent", candidate)
        except (LookupError, ValueError):
            continue
        except TypeError as error:
            mend = "give its parameters defaults"
            raise OptionError("agent", f"{candidate} cannot be made: {error}", mend) from error
        return candidate
    mend = "give a registered agent: desk_agent, reference, <package>/<name> or FILE.py@<name>"
    raise OptionError("agent", f"no agent {name!r} is registered", mend)


def _import_file(path: Path) -> None:
    """Import a file of one's own, so that its agents register."""
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.exists():
        raise OptionError("agent", f"no Python file {path}", "give FILE.py@<name>")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
