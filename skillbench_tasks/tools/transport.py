"""How an agent's calls reach a toolbox: in this process, or through a real MCP server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import assert_never

from inspect_ai.tool import ToolDef

from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.toolkit import tool_defs

__all__ = ["Transport", "tool_session"]


class Transport(StrEnum):
    """Ways from an agent to its tools."""

    IN_PROCESS = "in_process"
    MCP = "mcp"


@asynccontextmanager
async def tool_session(
    toolbox: Toolbox, transport: Transport = Transport.IN_PROCESS
) -> AsyncIterator[list[ToolDef]]:
    """Offer a toolbox's tools to one execution, for as long as the context is open.

    A model meets the same tools by both ways, and the toolbox stays readable.

    Args:
        toolbox: The execution's own toolbox.
        transport: The way to it.
    """
    match transport:
        case Transport.IN_PROCESS:
            yield tool_defs(toolbox)
        case Transport.MCP:
            from skillbench_tasks.tools.mcp_transport import mcp_tools

            async with mcp_tools(toolbox) as tools:
                yield tools
        case _:
            assert_never(transport)
