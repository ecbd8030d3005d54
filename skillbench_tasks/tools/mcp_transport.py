"""A toolbox's tools for an agent in this process, by way of a real MCP server on loopback.

The client is the SDK's own, not Inspect's: that one hands results on as lists of parts instead of
text, fills in descriptions, shows the model a broken connection as an error of the tool, and goes
by a proxy where one is set. So an agent meets the same tools by this way as in process.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass
from itertools import count
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any, Final, TypeVar

import anyio
import httpx2
from anyio import get_cancelled_exc_class
from inspect_ai.tool import ToolDef, ToolError
from mcp import ClientSession, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    INTERNAL_ERROR,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    TextContent,
)
from mcp.types import Tool as ListedTool
from pydantic import JsonValue

from skillbench_tasks.errors import OptionError, ToolFailure
from skillbench_tasks.tools.loopback import mounted
from skillbench_tasks.tools.mcp_server import PATH, Sessions, toolbox_server
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.toolkit import answer_text, full_name, tool_def

__all__ = ["mcp_tools"]

_CALLER: Final = "skillbench/caller"
"""Key of a request's `_meta` that says who waits for it."""

_CONNECT_SECONDS: Final = 30.0
_CLOSE_SECONDS: Final = 10.0

_logger = logging.getLogger(__name__)

_T = TypeVar("_T")


@asynccontextmanager
async def mcp_tools(toolbox: Toolbox) -> AsyncIterator[list[ToolDef]]:
    """Offer a toolbox's tools by an MCP session of its own, as long as the context is open.

    Args:
        toolbox: The execution's own toolbox; its ledger and world are readable as ever.

    Raises:
        OptionError: The event loop is not asyncio's.
    """
    _require_asyncio()
    relay = _Relay(toolbox)
    async with _in_own_task(_session(relay)) as (session, listed):
        yield [
            tool_def(
                tool.name,
                tool.description or "",
                tool.input_schema,
                _over_wire(tool.name, session, relay),
            )
            for tool in listed
        ]


def _require_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError as error:
        mend = "leave INSPECT_ASYNC_BACKEND at asyncio"
        raise OptionError("-T transport", "mcp runs on asyncio only", mend) from error


@asynccontextmanager
async def _session(relay: _Relay) -> AsyncIterator[tuple[ClientSession, list[ListedTool]]]:
    """Serve a toolbox, open a client's session with it and ask for the tools."""
    sessions = Sessions(lambda: toolbox_server(relay.toolbox, relay.carry_out))
    async with (
        sessions.running(),
        mounted(sessions.app, PATH) as url,
        _http_client() as http,
        streamable_http_client(url, http_client=http) as (read, write),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        yield session, (await session.list_tools()).tools
        if relay.was_cut_short:
            await session.send_ping()  # comes back when what was cut short has been taken back


@asynccontextmanager
async def _in_own_task(context: AbstractAsyncContextManager[_T]) -> AsyncIterator[_T]:
    """Hold a context open in a task of its own, and close it in order whatever ends the body.

    A limit that strikes the body would else tear server and client down at once, and come out of
    their task groups wrapped.
    """
    opened: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
    closing = asyncio.Event()

    async def hold() -> None:
        async with context as value:
            opened.set_result(value)
            await closing.wait()

    holder = asyncio.create_task(hold())
    try:
        await asyncio.wait((holder, opened), return_when=asyncio.FIRST_COMPLETED)
        if holder.done():
            holder.result()
        yield opened.result()
    finally:
        closing.set()
        with anyio.CancelScope(shield=True):
            await asyncio.wait((holder,), timeout=_CLOSE_SECONDS)
            if not holder.done():
                holder.cancel()
                await asyncio.wait((holder,))
        if not holder.cancelled() and (fault := holder.exception()) is not None:
            # What was done stands, and calls on a broken session have failed on their own.
            _logger.debug("a session did not close in order", exc_info=fault)


def _http_client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(_CONNECT_SECONDS, read=None),  # a tool may take its time
        trust_env=False,  # no proxy stands between this process and itself
        verify=SSLContext(PROTOCOL_TLS_CLIENT),  # plain HTTP; the default loads every authority
    )


def _over_wire(name: str, session: ClientSession, relay: _Relay) -> Callable[..., Awaitable[str]]:
    async def execute(**kwargs: Any) -> str:
        if not _is_sayable(kwargs):
            return await answer_text(relay.toolbox, full_name(name), kwargs)
        with relay.caller() as (key, caller):
            asked = {"name": name, "arguments": kwargs, "_meta": {_CALLER: key}}
            params = CallToolRequestParams.model_validate(asked)
            try:
                # Not `call_tool`: that one breaks the run where a result belies its schema.
                request = CallToolRequest(params=params)
                result = await session.send_request(request, CallToolResult)
            except MCPError as error:
                raise (caller.error or error) from None
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        if result.is_error:
            raise ToolError(text)
        return text

    return execute


def _is_sayable(arguments: Mapping[str, Any]) -> bool:
    """Return whether JSON can carry the arguments; what it cannot is refused without it."""
    try:
        json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError):
        return False
    return True


@dataclass
class _Caller:
    """Who waits for a call: where it is carried out, and what broke there."""

    context: Context
    error: Exception | None = None


class _Relay:
    """Carries out calls from the wire in the context of those who made them.

    A server's requests have a context of their own, in which a tool that a model mocks would not
    find its sample's model roles, limits and transcript.
    """

    def __init__(self, toolbox: Toolbox) -> None:
        self.toolbox: Final = toolbox
        self.was_cut_short = False
        """Whether a caller has ceased to wait for its call."""
        self._callers: dict[str, _Caller] = {}
        self._numbers = count()

    @contextmanager
    def caller(self) -> Iterator[tuple[str, _Caller]]:
        """Give the running task a key for its call."""
        key, caller = str(next(self._numbers)), _Caller(copy_context())
        self._callers[key] = caller
        try:
            yield key, caller
        except get_cancelled_exc_class():
            self.was_cut_short = True
            raise
        finally:
            del self._callers[key]

    async def carry_out(
        self, tool: str, arguments: dict[str, JsonValue], meta: Mapping[str, Any]
    ) -> JsonValue:
        """Carry out a call; what breaks, other than the call itself, is kept for its caller."""
        caller = self._callers.get(meta.get(_CALLER, ""))
        if caller is None:
            raise MCPError(INTERNAL_ERROR, "nobody waits for this call")
        call = self.toolbox.call_async(tool, arguments)
        try:
            return await asyncio.create_task(call, context=caller.context)
        except ToolFailure:
            raise
        except Exception as error:
            caller.error = error
            raise MCPError(INTERNAL_ERROR, "the call broke") from error
