"""How an agent's calls reach a toolbox: in this process, or through a real MCP server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum

from inspect_ai.tool import ToolDef

from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.toolkit import tool_defs

__all__ = ["Transport", "tool_session"]


class Transport(StrEnum):
    """Ways from an agent to its tools."""

    IN_PROCESS = "in_process"


@asynccontextmanager
async def tool_session(
    toolbox: Toolbox, transport: Transport = Transport.IN_PROCESS
) -> AsyncIterator[list[ToolDef]]:
    """Offer a toolbox's tools to one execution, for as long as the context is open.

    Args:
        toolbox: The execution's own toolbox.
        transport: The way to it.
    """
    yield tool_defs(toolbox)
