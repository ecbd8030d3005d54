"""MCP: toolboxes as real servers, met by the SDK's own client, and `skillbench serve`.

Row 22 of the known faults: an error arrives as such, with its text and its structured content; `test_transport` shows
that the model sees both.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent
from pydantic import JsonValue

import skillbench_tasks.cli as cli
from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models import ToolSpec
from skillbench_tasks.tools.loopback import mounted
from skillbench_tasks.tools.mcp_server import PATH, Sessions, toolbox_server
from skillbench_tasks.tools.normal_forms import without_notations
from skillbench_tasks.tools.serving import serve_http
from skillbench_tasks.tools.toolbox import Tool, Toolbox
from skillbench_tasks.tools.world import World
from tests.mock import MOCK_SKILLS, mock_case

SKILLBENCH = str(Path(sys.executable).with_name("skillbench"))
MOCK = ["--skills", str(MOCK_SKILLS)]
FIND = ("crm__find_customer", {"phone": "+14045550101"})
MOVE = (
    "calendar__reschedule_visit",
    {"visit_id": "VIS-1", "date": "2026-03-17", "window": "12:00-16:00"},
)


def _toolbox(kind: str = "straightforward", made: type[Toolbox] = Toolbox) -> Toolbox:
    source, case = open_source(str(MOCK_SKILLS)), mock_case(kind)
    return made(source.tools(case), source.world(case), case.scenario.faults)


def _text(result: CallToolResult) -> str:
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


@asynccontextmanager
async def _served(new_toolbox: Callable[[], Toolbox]) -> AsyncIterator[tuple[str, Sessions]]:
    sessions = Sessions(lambda: toolbox_server(new_toolbox()))
    async with sessions.running(), mounted(sessions.app, PATH) as url:
        yield url, sessions


# The server, met by the SDK's client


def test_listed_tools_carry_the_definitions_verbatim() -> None:
    toolbox = _toolbox()

    async def check() -> None:
        async with _served(lambda: toolbox) as (url, _), Client(url) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(listed) == [tool.spec.function_name for tool in toolbox.tools.values()]
        for spec in (tool.spec for tool in toolbox.tools.values()):
            tool = listed[spec.function_name]
            assert (tool.title, tool.description) == (spec.title, spec.description)
            assert tool.input_schema == without_notations(spec.input_schema)
            assert (tool.output_schema is None) == (spec.output_schema is None)
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is (spec.access == "read")

    asyncio.run(check())


def test_results_arrive_as_text_and_as_structured_content() -> None:
    toolbox = _toolbox()

    async def check() -> None:
        async with _served(lambda: toolbox) as (url, _), Client(url) as client:
            result = await client.call_tool(*FIND)
        assert result.is_error is False
        assert json.loads(_text(result)) == result.structured_content == toolbox.ledger[0].result
        assert "Ada Penn" in _text(result)

    asyncio.run(check())


@pytest.mark.parametrize(
    ("kind", "call", "code", "retryable"),
    [
        pytest.param("lost_reply", MOVE, "timeout", True, id="declared fault"),
        pytest.param("straightforward", (FIND[0], {"phone": 7}), "invalid_arguments", False, id="type"),
        pytest.param("straightforward", (FIND[0], {}), "invalid_arguments", False, id="missing"),
        pytest.param("straightforward", (FIND[0], {**FIND[1], "x": None}), "invalid_arguments", False, id="extra"),
        pytest.param("straightforward", ("crm__no_such", {"a": [1]}), "unknown_tool", False, id="unknown"),
        pytest.param("straightforward", ("nosuch", {}), "unknown_tool", False, id="no server"),
    ],
)  # fmt: skip
def test_failed_call_is_an_error_with_text_and_structured_content(
    kind: str, call: tuple[str, dict[str, Any]], code: str, retryable: bool
) -> None:
    toolbox = _toolbox(kind)

    async def check() -> None:
        async with _served(lambda: toolbox) as (url, _), Client(url) as client:
            result = await client.call_tool(*call)
        assert result.is_error is True
        assert result.structured_content == json.loads(_text(result))
        error = result.structured_content["error"]
        assert (error["code"], error["retryable"]) == (code, retryable)
        (entry,) = toolbox.ledger
        assert entry.arguments == call[1]
        assert entry.error is not None
        assert error == entry.error.model_dump()

    asyncio.run(check())


def test_parallel_calls_of_one_session_are_all_answered() -> None:
    toolbox = _toolbox()

    async def check() -> None:
        async with _served(lambda: toolbox) as (url, _), Client(url) as client:
            calls = [client.call_tool("crm__find_customer", {"phone": f"+1404555{n:04}"}) for n in range(25)]  # fmt: skip
            results = await asyncio.gather(*calls)
        found = [n for n, result in enumerate(results) if "CUS-" in _text(result)]
        assert (len(results), found) == (25, [])
        assert len({entry.arguments["phone"] for entry in toolbox.ledger}) == 25

    asyncio.run(check())


def test_sessions_never_see_each_others_world() -> None:
    made: list[Toolbox] = []

    def new() -> Toolbox:
        made.append(_toolbox())
        return made[-1]

    async def visit(client: Client) -> Any:
        return (
            await client.call_tool("calendar__get_visit", {"visit_id": "VIS-1"})
        ).structured_content

    async def check() -> None:
        async with _served(new) as (url, sessions):
            async with Client(url) as one, Client(url) as other:
                before = await visit(other)
                assert (await one.call_tool(*MOVE)).is_error is False
                assert (await visit(one))["date"] == "2026-03-17" != before["date"]
                assert await visit(other) == before
                assert len(sessions.open) == 2
            async with Client(url) as third:
                assert await visit(third) == before
            assert sessions.open == {}
        assert [len(toolbox.ledger) for toolbox in made] == [2, 2, 1]

    asyncio.run(check())


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.mark.parametrize(
    ("headers", "path", "status"),
    [
        pytest.param({}, PATH, 200, id="this machine"),
        pytest.param({"host": "evil.example:80"}, PATH, 421, id="name bound to this machine"),
        pytest.param({"origin": "http://evil.example"}, PATH, 403, id="foreign page"),
        pytest.param({"mcp-session-id": "0" * 32}, PATH, 404, id="guessed session"),
        pytest.param({"mcp-protocol-version": "2026-07-28"}, PATH, 400, id="version without sessions"),
        pytest.param({}, "/other", 404, id="other path"),
    ],
)  # fmt: skip
def test_only_requests_of_this_machine_open_sessions(
    headers: dict[str, str], path: str, status: int
) -> None:
    async def check() -> None:
        async with _served(_toolbox) as (url, sessions), httpx2.AsyncClient() as http:
            reply = await http.post(
                url.removesuffix(PATH) + path, json=INITIALIZE, headers={**ACCEPT, **headers}
            )
            assert (reply.status_code, len(sessions.open)) == (status, int(status == 200))
            assert (
                await http.post(url.replace(PATH, "x" + PATH), json=INITIALIZE)
            ).status_code == 404

    asyncio.run(check())


def test_session_that_opens_with_anything_but_initialize_is_not_kept() -> None:
    openings: list[Any] = [{**INITIALIZE, "method": "tools/list", "params": {}}, [], "no object"]

    async def check() -> None:
        async with _served(_toolbox) as (url, sessions), httpx2.AsyncClient() as http:
            for message in openings:
                reply = await http.post(url, json=message, headers=ACCEPT)
                assert (reply.status_code, sessions.open) == (400, {})

    asyncio.run(check())


def test_listener_answers_while_an_app_is_mounted_and_no_longer() -> None:
    async def check() -> None:
        async with httpx2.AsyncClient() as http:
            async with _served(_toolbox) as (one, _):
                async with _served(_toolbox) as (other, _):
                    assert (await http.get(other)).status_code == 405
                assert (await http.get(other)).status_code == 404
                assert (await http.get(one)).status_code == 405
            with pytest.raises(httpx2.ConnectError):
                await http.get(one)

    asyncio.run(check())


def test_client_of_a_version_without_sessions_is_told_which_have_them() -> None:
    async def check() -> None:
        async with _served(_toolbox) as (url, _), Client(url, mode="2026-07-28") as client:
            with pytest.raises(MCPError, match="use a version that has sessions") as caught:
                await client.list_tools()
        assert "2025-11-25" in caught.value.error.data["supported"]

    asyncio.run(check())


class _Broken(Toolbox):
    def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        raise RuntimeError("the harness broke")


def test_session_that_breaks_leaves_the_others_alone() -> None:
    boxes = iter((_toolbox(made=_Broken), _toolbox()))

    async def check() -> None:
        async with (
            _served(lambda: next(boxes)) as (url, _),
            Client(url) as broken,
            Client(url) as well,
        ):
            with pytest.raises(MCPError):
                await broken.call_tool(*FIND)
            assert (await well.call_tool(*FIND)).is_error is False

    asyncio.run(check())


@pytest.mark.parametrize(
    ("output_schema", "result", "structured"),
    [
        pytest.param(None, {"a": None}, {"a": None}, id="object, nothing declared"),
        pytest.param(None, ["a"], {"result": ["a"]}, id="list, nothing declared"),
        pytest.param(None, None, {"result": None}, id="null, nothing declared"),
        pytest.param({"type": "object"}, {"a": 1}, {"a": 1}, id="object"),
        pytest.param({"type": "array"}, [1, 2], {"result": [1, 2]}, id="list"),
        pytest.param({"type": ["object", "null"]}, {"a": 1}, {"result": {"a": 1}}, id="object or null"),
        pytest.param({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}, [3], {"result": [3]}, id="with definitions"),
    ],
)  # fmt: skip
def test_structured_content_is_an_object_that_fits_the_listed_schema(
    output_schema: dict[str, Any] | None, result: JsonValue, structured: dict[str, Any]
) -> None:
    declared = {
        "server": "s",
        "name": "t",
        "title": "T",
        "description": "Does.",
        "access": "read",
        "input_schema": {"type": "object"},
        "output_schema": output_schema,
        "behaviour": [],
        "returns": result,
    }
    tool = Tool.of(ToolSpec.model_validate(declared))
    toolbox = Toolbox([tool], World({}, {}, "2026-01-01T00:00:00"))

    async def check() -> None:
        async with Client(toolbox_server(toolbox), mode="legacy") as client:
            answer = await client.call_tool("s__t", {})  # holds the content against the schema
        assert (_text(answer), answer.structured_content) == (json.dumps(result), structured)

    asyncio.run(check())


def test_every_listed_schema_of_a_result_admits_an_error() -> None:
    error = {"error": {"code": "timeout", "message": "No reply.", "retryable": True}}

    async def check() -> None:
        async with Client(toolbox_server(_toolbox()), mode="legacy") as client:
            listed = (await client.list_tools()).tools
        schemas = [tool.output_schema for tool in listed if tool.output_schema is not None]
        assert len(schemas) >= 3
        for schema in schemas:
            assert schema["type"] == "object"
            assert Draft202012Validator(schema).is_valid(error)
            assert not Draft202012Validator(schema).is_valid({"nothing": "of it"})

    asyncio.run(check())


# `skillbench serve`


def test_serve_over_stdio_is_a_server_for_the_sdks_client() -> None:
    command = StdioServerParameters(
        command=SKILLBENCH, args=["serve", "visit-desk.lost_reply", *MOCK]
    )

    async def check() -> None:
        async with Client(command) as client:
            assert len((await client.list_tools()).tools) == 7
            lost, found = await client.call_tool(*MOVE), await client.call_tool(*FIND)
            again = await client.call_tool("calendar__get_visit", {"visit_id": "VIS-1"})
        assert (lost.is_error, found.is_error) == (True, False)
        assert again.structured_content["date"] == "2026-03-17"  # the lost reply was carried out

    asyncio.run(check())


def test_serve_over_stdio_says_nothing_but_protocol_and_ends_with_its_input() -> None:
    call = {"name": FIND[0], "arguments": FIND[1]}
    messages = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    with subprocess.Popen(
        [SKILLBENCH, "serve", "visit-desk.straightforward", *MOCK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
        server.stdin.flush()
        replies = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        assert (server.wait(timeout=10), server.stdout.read()) == (0, "")
    assert [reply["id"] for reply in replies] == [1, 2]
    assert replies[1]["result"]["structuredContent"]["customers"]


def test_serve_over_http_prints_its_url_and_ends_in_peace() -> None:
    with subprocess.Popen(
        [SKILLBENCH, "serve", "visit-desk.straightforward", *MOCK, "--http"],
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()

        async def check() -> None:
            async with Client(url) as client:
                assert (await client.call_tool(*FIND)).is_error is False
                server.send_signal(signal.SIGINT)

        asyncio.run(check())
        assert (server.wait(timeout=10), server.stdout.read()) == (0, "")
    assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/mcp", url)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["visit-desk.nosuch", *MOCK], "nosuch", id="no such scenario"),
        pytest.param(["x", "--dataset", "nosuch:here"], "names no known format", id="no such format"),
        pytest.param(["x", *MOCK, "--dataset", "tau2:here"], "give one of them", id="two places"),
    ],
)  # fmt: skip
def test_serve_of_what_is_not_there_is_one_line(
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["skillbench", "serve", *arguments])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    shown = capsys.readouterr()
    assert (caught.value.code, shown.out, shown.err.count("\n")) == (2, "", 1)
    assert said in shown.err


def test_serve_on_a_port_that_is_taken_is_an_option_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OptionError, match=f"--port: {port} is not to be had"):
            serve_http(_toolbox, port, print)
