"""ASGI apps on a free port of this machine, under paths that nobody can guess."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import Context
from secrets import token_urlsafe
from typing import Final
from weakref import WeakKeyDictionary

import anyio
import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["address_of", "listen", "mounted"]

_HOST: Final = "127.0.0.1"
_KEEP_SECONDS: Final = 24 * 3600
"""How long an idle connection is kept: it is for the client to give it up, lest both do at once."""


def listen(port: int = 0) -> socket.socket:
    """Return a socket that listens on 127.0.0.1.

    Args:
        port: Where; 0 takes any free port.

    Raises:
        OSError: The port is not to be had.
    """
    listening = socket.create_server((_HOST, port))
    # Else each reply waits 40 ms: asyncio sees to it only where a socket spells its protocol out.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the URL of a listening socket, without a path."""
    return f"http://{_HOST}:{listening.getsockname()[1]}"


def mounted(app: ASGIApp, path: str) -> AbstractAsyncContextManager[str]:
    """Answer requests by an app, as long as the context is open, at the URL that it gives.

    All apps of an event loop share one server, which runs while there is one.

    Args:
        app: The app; it gets no lifespan events.
        path: What the URL's path ends with, from its slash on.
    """
    loop = asyncio.get_running_loop()
    return _LISTENERS.setdefault(loop, _Listener()).mounted(app, path)


class _Listener:
    """The server of one event loop; the first part of a path says for which app a request is."""

    def __init__(self) -> None:
        self._apps: dict[str, ASGIApp] = {}
        self._starting = asyncio.Lock()
        self._server: uvicorn.Server | None = None
        self._address = ""

    @asynccontextmanager
    async def mounted(self, app: ASGIApp, path: str) -> AsyncIterator[str]:
        secret = token_urlsafe(32)
        async with self._starting:
            if self._server is None:
                with anyio.CancelScope(shield=True):
                    # In an empty context: requests belong to no sample.
                    await asyncio.create_task(self._start(), context=Context())
            self._apps[secret] = app
        try:
            yield f"{self._address}/{secret}{path}"
        finally:
            del self._apps[secret]
            if not self._apps:
                self._stop()

    async def _start(self) -> None:
        config = uvicorn.Config(
            self._handle,
            interface="asgi3",
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            date_header=False,
            timeout_keep_alive=_KEEP_SECONDS,
        )
        config.load()
        # Not `serve`: it takes over the process's signals, and needs 0.2 seconds to end.
        server = uvicorn.Server(config)
        server.lifespan = config.lifespan_class(config)
        listening = listen()
        await server.startup(sockets=[listening])
        self._server, self._address = server, address_of(listening)

    def _stop(self) -> None:
        assert self._server is not None
        for listening in self._server.servers:
            listening.close()
        for connection in list(self._server.server_state.connections):
            connection.shutdown()
        self._server = None

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        secret = scope["path"].removeprefix("/").partition("/")[0]
        app = self._apps.get(secret, Response(status_code=404))
        await app(scope, receive, send)


_LISTENERS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Listener]] = WeakKeyDictionary()
