"""Runs whose tools stand behind a real MCP wire are the same as in process, and leave nothing behind."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolError, ToolInfo
from inspect_ai.util import LimitExceededError
from pydantic import JsonValue

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models import EPISODE_KEY, Episode, State
from skillbench_tasks.solvers.baselines import BASELINES
from skillbench_tasks.tools.mcp_transport import mcp_tools
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.transport import Transport, tool_session
from skillbench_tasks.zero_shot import zero_shot
from tests.mock import MOCK_SKILLS, mock_case
from tests.scripted_model import PLAYS, called

FIND = "crm__find_customer"
CALLER: ContextVar[str] = ContextVar("CALLER", default="nobody")


class _Waiting(Toolbox):
    """Answers after as many seconds as it is told, and notes who called and what was taken back."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.callers: list[str] = []
        self.taken_back = 0

    async def call_async(self, tool: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        self.callers.append(CALLER.get())
        try:
            await anyio.sleep(float(str(arguments.get("seconds", 0))))
        except asyncio.CancelledError:
            self.taken_back += 1
            raise
        match arguments.get("end"):
            case "limit":
                raise LimitExceededError("token", value=2, limit=1)
            case "fault":
                raise ZeroDivisionError
        return "x" * int(str(arguments.get("size", 1)))


def _toolbox(made: type[Toolbox] = Toolbox) -> Any:
    source, case = open_source(str(MOCK_SKILLS)), mock_case("straightforward")
    return made(source.tools(case), source.world(case), case.scenario.faults)


def _run(
    tmp_path: Path, transport: str, agent: str, model: str = "none/none", **options: Any
) -> EvalLog:
    asked = {k: options.pop(k) for k in ("sample_id", "time_limit", "message_limit", "max_samples", "epochs") if k in options}  # fmt: skip
    task = zero_shot(agent=agent, transport=transport, **{"skills": str(MOCK_SKILLS), **options})
    return inspect_eval(
        task, model=model, log_dir=str(tmp_path), display="none", score=False, **asked
    )[0]


def _episodes(log: EvalLog) -> dict[str, str]:
    assert log.status == "success", log.error
    return {str(s.id): json.dumps(s.store[EPISODE_KEY]) for s in log.samples or []}


# The same run


@pytest.mark.parametrize("agent", BASELINES)
def test_episodes_are_byte_identical_in_both_transports(tmp_path: Path, agent: str) -> None:
    episodes = [_episodes(_run(tmp_path, transport, agent)) for transport in Transport]
    assert len(episodes[0]) == 6
    assert episodes[0] == episodes[1]


def test_22_model_sees_errors_and_results_alike_in_both_transports(tmp_path: Path) -> None:
    seen: list[str] = []

    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> Any:
        shown = [m.model_dump(exclude={"id", "metadata", "model"}) for m in messages]
        seen.append(json.dumps([shown, [tool.model_dump() for tool in tools]], default=str))
        steps = [
            called(FIND, {"phone": 7}),
            called(FIND, {"phone": "+14045550101"}),
            called("calendar__get_visit", {"visit_id": "VIS-99"}),
            called("nosuch__tool", {}),
            called("calendar__list_slots", {"area": "ATL-EAST", "visit_type": "repair", "from_date": "2026-03-17", "to_date": "2026-03-17"}),
        ]  # fmt: skip
        done = sum(message.role == "tool" for message in messages)
        return steps[done] if done < len(steps) else "I can't do that."

    PLAYS["errors"] = play
    for transport in Transport:
        _run(
            tmp_path,
            transport,
            "desk_agent",
            "scripted/errors",
            turns=1,
            sample_id="visit-desk.permanent_failure",
        )
    half = len(seen) // 2
    assert half == 6
    assert seen[:half] == seen[half:]
    for shown in (
        "is not of type",
        "Ada Penn",
        "not_found",
        "nosuch__tool",
        "service_error",
        "retryable",
    ):
        assert shown in seen[-1]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"phone": math.nan}, id="not a number"),
        pytest.param({"phone": 10**400}, id="too large"),
        pytest.param({"phone": "\ud800"}, id="half a character"),
        pytest.param({"phone": "+14045550101", "n": [1.0, 1e300, None, {"k": "Ünï"}]}, id="odd but sayable"),
    ],
)  # fmt: skip
def test_odd_arguments_are_answered_and_written_down_as_in_process(
    arguments: dict[str, Any],
) -> None:
    async def outcome(transport: Transport) -> tuple[str, str]:
        toolbox: Toolbox = _toolbox()
        async with tool_session(toolbox, transport) as tools:
            tool = next(tool for tool in tools if tool.name == FIND)
            try:
                said = str(await tool.tool(**arguments))
            except ToolError as error:
                said = error.message
        return said, repr(toolbox.ledger)

    async def check() -> None:
        assert await outcome(Transport.MCP) == await outcome(Transport.IN_PROCESS)

    asyncio.run(check())


def test_call_runs_in_the_context_of_its_caller() -> None:
    """A tool that a model mocks finds its sample's roles, limits and transcript there."""

    async def sample(name: str) -> list[str]:
        CALLER.set(name)
        toolbox: _Waiting = _toolbox(_Waiting)
        async with tool_session(toolbox, Transport.MCP) as tools:
            await tools[0].tool()
            CALLER.set(f"{name}, later")
            await tools[0].tool()
        return toolbox.callers

    async def check() -> None:
        both = list(await asyncio.gather(sample("a"), sample("b")))
        assert both == [["a", "a, later"], ["b", "b, later"]]

    asyncio.run(check())


def test_result_of_megabytes_is_not_cut() -> None:
    async def check() -> None:
        async with tool_session(_toolbox(_Waiting), Transport.MCP) as tools:
            assert len(str(await tools[0].tool(size=3_000_000))) == 3_000_002

    asyncio.run(check())


def test_call_is_not_held_up_by_the_network_stack() -> None:
    """Small packets that wait for an acknowledgement take 40 ms each."""

    async def check() -> None:
        taken = []
        async with tool_session(_toolbox(_Waiting), Transport.MCP) as tools:
            for _ in range(10):
                start = time.perf_counter()
                await tools[0].tool()
                taken.append(time.perf_counter() - start)
        assert min(taken) < 0.03

    asyncio.run(check())


def test_session_goes_by_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY")  # HTTP_PROXY leads nowhere

    async def check() -> None:
        async with tool_session(_toolbox(), Transport.MCP) as tools:
            assert len(tools) == 7

    asyncio.run(check())


def test_unknown_transport_is_one_line_that_names_the_choices() -> None:
    with pytest.raises(Exception, match="use in_process, mcp") as caught:
        zero_shot(transport="pigeon")
    assert "\n" not in str(caught.value)


# Nothing is left behind


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        pytest.param("limit", LimitExceededError, id="limit"),
        pytest.param("fault", ZeroDivisionError, id="fault of ours"),
    ],
)
def test_what_breaks_in_a_call_reaches_its_caller_as_it_is(
    end: str, expected: type[Exception]
) -> None:
    async def check() -> None:
        with pytest.raises(expected):
            async with tool_session(_toolbox(_Waiting), Transport.MCP) as tools:
                await tools[0].tool(end=end)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(check())


def test_exception_of_the_body_leaves_the_session_as_it_is() -> None:
    async def check() -> None:
        with pytest.raises(KeyError, match="body"):
            async with tool_session(_toolbox(), Transport.MCP):
                raise KeyError("body")
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(check())


def test_cancelled_call_is_taken_back_and_the_session_goes_on() -> None:
    async def check() -> None:
        toolbox: _Waiting = _toolbox(_Waiting)
        async with tool_session(toolbox, Transport.MCP) as tools:
            with anyio.move_on_after(0.1):
                await tools[0].tool(seconds=60)
            assert await tools[0].tool() == '"x"'
            assert toolbox.taken_back == 1
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(check())


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.1])
def test_sessions_cancelled_at_any_moment_leave_no_task(seconds: float) -> None:
    boxes: list[_Waiting] = [_toolbox(_Waiting) for _ in range(10)]

    async def hold(toolbox: _Waiting) -> None:
        async with tool_session(toolbox, Transport.MCP) as tools:
            await tools[0].tool(seconds=60)

    async def check() -> None:
        with anyio.move_on_after(seconds):
            async with anyio.create_task_group() as tasks:
                for toolbox in boxes:
                    tasks.start_soon(hold, toolbox)
        await anyio.sleep(0.01)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(check())
    assert [len(box.callers) for box in boxes] == [box.taken_back for box in boxes]


def test_other_event_loop_is_refused_in_one_line() -> None:
    async def check() -> None:
        async with mcp_tools(_toolbox()):
            pass

    with pytest.raises(OptionError, match="asyncio only"):
        check().send(None)  # no event loop of asyncio runs


def _endless(messages: list[ChatMessage], tools: list[ToolInfo]) -> Any:
    time.sleep(0.1)  # so that the user's patience outlasts the time limit
    return called(FIND, {"phone": "+14045550101"})


@pytest.mark.parametrize(
    ("limit", "name"), [({"message_limit": 9}, "message"), ({"time_limit": 2}, "time")]
)
def test_sample_that_a_limit_ends_keeps_its_episode_and_ends_in_peace(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, limit: dict[str, int], name: str
) -> None:
    PLAYS["endless"] = _endless
    one = {"sample_id": "visit-desk.straightforward", **limit}
    ways = ["mcp"] if name == "time" else list(Transport)
    logs = [_run(tmp_path, way, "desk_agent", "scripted/endless", **one) for way in ways]
    for log in logs:
        (sample,) = log.samples or []
        assert sample.limit is not None
        assert sample.limit.type == name
        episode = Episode.model_validate(sample.store[EPISODE_KEY])
        assert (episode.termination.state, episode.termination.detail) == (State.LIMIT, name)
        assert len(episode.calls) >= 2
    assert _episodes(logs[0]) == _episodes(logs[-1])
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_24_samples_of_the_reference_side_by_side_give_the_episodes_of_one_by_one(
    tmp_path: Path,
) -> None:
    alone = _run(tmp_path, "in_process", "reference", max_samples=1)
    crowd = _run(tmp_path, "mcp", "reference", max_samples=24, epochs=4)
    assert len(crowd.samples or []) == 24
    expected = _episodes(alone)
    for sample in crowd.samples or []:
        assert json.dumps(sample.store[EPISODE_KEY]) == expected[str(sample.id)]


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["reference", "spam"])
def test_16_shipped_scenarios_give_byte_identical_episodes(tmp_path: Path, agent: str) -> None:
    taken: dict[str, list[str]] = {}
    for case in load_cases():
        taken.setdefault(case.skill.name, []).append(case.id)
    wanted = [case for cases in taken.values() for case in cases[:: len(cases) // 2][:2]]
    episodes = [
        _episodes(_run(tmp_path, transport, agent, skills=None, sample_id=wanted))
        for transport in Transport
    ]
    assert len(episodes[0]) == 16
    assert episodes[0] == episodes[1]
