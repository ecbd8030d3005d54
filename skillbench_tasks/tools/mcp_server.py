"""A toolbox as a real MCP server, over stdio or streamable HTTP on loopback.

One world for each session: a server object is made for each session, over a toolbox of its own.
Tools are listed with their schemas verbatim, and arguments are validated by the toolbox alone, so
that its ledger holds every call. A failed call is a result with `isError`, its text and the error
as structured content.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final, TypeAlias
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from mcp.types import (
    UNSUPPORTED_PROTOCOL_VERSION,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    ListToolsResult,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ListedTool
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import JsonValue
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import ToolSpec
from skillbench_tasks.tools.normal_forms import without_notations
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.toolkit import error_text, full_name, result_text

__all__ = ["PATH", "CarryOut", "Sessions", "toolbox_server"]

CarryOut: TypeAlias = Callable[[str, dict[str, JsonValue], Mapping[str, Any]], Awaitable[JsonValue]]
"""Carries out a call: full name, arguments, the request's `_meta`. Raises `ToolFailure`."""

PATH: Final = "/mcp"
"""End of the path at which sessions are served."""

_LARGEST_REQUEST_BYTES: Final = 64 * 1024 * 1024

_ERROR_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "retryable": {"type": "boolean"},
            },
            "required": ["code", "message", "retryable"],
        }
    },
    "required": ["error"],
}

_GUARD: Final = TransportSecurityMiddleware(
    TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=["127.0.0.1:*", "localhost:*"],
        allowed_origins=["http://127.0.0.1:*", "http://localhost:*"],
    )
)

_logger = logging.getLogger(__name__)


def toolbox_server(toolbox: Toolbox, carry_out: CarryOut | None = None) -> Server[Any]:
    """Return an MCP server over one toolbox, for one session.

    Args:
        toolbox: What it offers.
        carry_out: How a call is carried out; default: by the toolbox, and without a mock.
    """
    listed = [_listed(tool.spec) for tool in toolbox.tools.values()]

    async def by_toolbox(
        tool: str, arguments: dict[str, JsonValue], meta: Mapping[str, Any]
    ) -> JsonValue:
        return toolbox.call(tool, arguments)

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
        name, arguments = full_name(params.name), params.arguments or {}
        try:
            result = await (carry_out or by_toolbox)(name, arguments, params.meta or {})
        except ToolFailure as failure:
            return _failed(failure)
        return _answered(result, toolbox.tools[name].spec)

    return Server(
        "skillbench",
        version=version("skillbench-tasks"),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _listed(spec: ToolSpec) -> ListedTool:
    return ListedTool(
        name=spec.function_name,
        title=spec.title,
        description=spec.description,
        input_schema=without_notations(spec.input_schema),
        output_schema=_output_schema(spec),
        annotations=ToolAnnotations(read_only_hint=spec.access == "read"),
    )


def _is_wrapped(spec: ToolSpec) -> bool:
    """Return whether the declared result need not be an object, which MCP demands."""
    return spec.output_schema is not None and spec.output_schema.get("type") != "object"


def _output_schema(spec: ToolSpec) -> dict[str, Any] | None:
    """Return the schema of the structured content.

    It admits the error too: some clients hold a failed call's content against it.
    """
    if spec.output_schema is None:
        return None
    schema = {key: part for key, part in spec.output_schema.items() if key != "$defs"}
    if _is_wrapped(spec):
        schema = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    shared = {key: part for key, part in spec.output_schema.items() if key == "$defs"}
    return {"type": "object", "anyOf": [schema, _ERROR_SCHEMA], **shared}


def _answered(result: JsonValue, spec: ToolSpec) -> CallToolResult:
    is_plain = isinstance(result, dict) and not _is_wrapped(spec)
    return CallToolResult(
        content=[TextContent(type="text", text=result_text(result))],
        structured_content=result if is_plain else {"result": result},
        is_error=False,
    )


def _failed(failure: ToolFailure) -> CallToolResult:
    shown = {"code": failure.code, "message": failure.message, "retryable": failure.retryable}
    return CallToolResult(
        content=[TextContent(type="text", text=error_text(failure))],
        structured_content={"error": shown},
        is_error=True,
    )


class Sessions:
    """Streamable HTTP with one server, and so one world, for each session: an ASGI app.

    Only versions of the protocol that have sessions are spoken; a client of a later one is told so
    and falls back. Requests that name another host than this machine are refused.

    Args:
        new_server: Makes the server of a new session.
        idle_seconds: A session without a request for so long is closed; default: never.
    """

    def __init__(
        self, new_server: Callable[[], Server[Any]], idle_seconds: float | None = None
    ) -> None:
        self._new_server = new_server
        self._idle_seconds = idle_seconds
        self._tasks: TaskGroup | None = None
        self.open: dict[str, StreamableHTTPServerTransport] = {}
        """The sessions that are open, by id."""
        self.app: Final = RequestBodyLimitMiddleware(self._handle, _LARGEST_REQUEST_BYTES)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep sessions open until the context ends; requests are answered inside it only."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = None
                tasks.cancel_scope.cancel()

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        refused = await _GUARD.validate_request(request, is_post=request.method == "POST")
        if refused is not None:
            await refused(scope, receive, send)
            return
        headers = request.headers
        spoken = headers.get("mcp-protocol-version")
        session = headers.get("mcp-session-id")
        if not scope["path"].endswith(PATH):
            await Response(status_code=404)(scope, receive, send)
        elif spoken is not None and spoken not in HANDSHAKE_PROTOCOL_VERSIONS:
            await _unsupported(spoken)(scope, receive, send)
        elif request.method == "GET":
            # The stream of what the server says unasked: this one has nothing to say.
            await Response(status_code=405, headers={"Allow": "POST, DELETE"})(scope, receive, send)
        elif session is None:
            await self._start(scope, receive, send)
        elif (transport := self.open.get(session)) is not None:
            await transport.handle_request(scope, receive, send)
            if transport.is_terminated:
                await self._close(transport)
        else:
            await JSONResponse({"error": "no such session"}, 404)(scope, receive, send)

    async def _start(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a session; one whose first request is refused is closed at once."""
        if self._tasks is None:
            await Response(status_code=503)(scope, receive, send)
            return
        transport = StreamableHTTPServerTransport(
            uuid4().hex,
            is_json_response_enabled=True,  # one event of a stream holds 1 MB at most
            idle_timeout=self._idle_seconds,
        )
        status = 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await self._tasks.start(self._run, transport)
        try:
            await transport.handle_request(scope, receive, watched)
        finally:
            if status >= 400:
                await self._close(transport)

    async def _run(
        self,
        transport: StreamableHTTPServerTransport,
        *,
        task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        server = self._new_server()
        session = str(transport.mcp_session_id)
        async with transport.connect() as (read, write):
            self.open[session] = transport
            task_status.started()
            try:
                with transport.idle_scope or anyio.CancelScope():
                    await server.run(read, write, server.create_initialization_options())
            except Exception:
                _logger.exception("session %s broke", session)
            finally:
                await self._close(transport)

    async def _close(self, transport: StreamableHTTPServerTransport) -> None:
        self.open.pop(str(transport.mcp_session_id), None)
        if not transport.is_terminated:
            with anyio.CancelScope(shield=True):
                await transport.terminate()


def _unsupported(spoken: str) -> Response:
    data = {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": spoken}
    message = "this server keeps a world for each session: use a version that has sessions"
    error = ErrorData(code=UNSUPPORTED_PROTOCOL_VERSION, message=message, data=data)
    body = JSONRPCError(jsonrpc="2.0", id=None, error=error)
    return JSONResponse(body.model_dump(mode="json", by_alias=True), 400)
