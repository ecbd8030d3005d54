"""Toolboxes served to foreign MCP clients: over stdio, or over HTTP on this machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final

import anyio
import uvicorn
from mcp.server.stdio import stdio_server

from skillbench_tasks.errors import OptionError
from skillbench_tasks.tools.loopback import address_of, listen
from skillbench_tasks.tools.mcp_server import PATH, Sessions, toolbox_server
from skillbench_tasks.tools.toolbox import Toolbox

__all__ = ["serve_http", "serve_stdio"]

_IDLE_SECONDS: Final = 24 * 3600
"""A session that its client forgot to close keeps its world for a day."""


def serve_stdio(new_toolbox: Callable[[], Toolbox]) -> None:
    """Serve one toolbox over standard input and output, until the input ends.

    Args:
        new_toolbox: Makes the toolbox.
    """
    server = toolbox_server(new_toolbox())

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(
    new_toolbox: Callable[[], Toolbox], port: int, announce: Callable[[str], None]
) -> None:
    """Serve a toolbox for each session over HTTP on 127.0.0.1, until the process is told to end.

    Args:
        new_toolbox: Makes the toolbox of a new session.
        port: Where to listen; 0 takes any free port.
        announce: Is told the URL once it is open.

    Raises:
        OptionError: The port is not to be had.
    """
    try:
        listening = listen(port)
    except OSError as error:
        problem = f"{port} is not to be had ({error.strerror})"
        raise OptionError("--port", problem, "give another, or 0 for any free one") from error
    sessions = Sessions(lambda: toolbox_server(new_toolbox()), _IDLE_SECONDS)
    config = uvicorn.Config(sessions.app, lifespan="off", ws="none", log_level="warning")

    async def serve() -> None:
        async with sessions.running():
            announce(address_of(listening) + PATH)
            await uvicorn.Server(config).serve(sockets=[listening])

    with suppress(KeyboardInterrupt):
        anyio.run(serve)
