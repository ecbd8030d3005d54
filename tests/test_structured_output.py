"""Asking with a schema: what a server's error says of schemas, and what it does not."""

from __future__ import annotations

import anyio
import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import JSONSchema

from skillbench_tasks.structured_output import generate_structured

SCHEMA = ResponseSchema(name="answer", json_schema=JSONSchema(type="object"))


class _ServerError(Exception):
    def __init__(self, status_code: int) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code


class _Server(ModelAPI):
    """Fails as told, call by call, and notes which calls held a schema; status 0 is no failure."""

    failures: list[tuple[int, float]]
    with_schema: list[bool]

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        self.with_schema.append(config.response_schema is not None)
        status, seconds = self.failures.pop(0) if self.failures else (0, 0)
        await anyio.sleep(seconds)
        if status:
            raise _ServerError(status)
        output = ModelOutput.from_content("server", "{}")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    def should_retry(self, ex: BaseException) -> bool:
        return isinstance(ex, _ServerError) and ex.status_code == 429


@modelapi(name="failing-server")
def _provider() -> type[ModelAPI]:
    return _Server


def _served(*failures: tuple[int, float]) -> tuple[Model, _Server]:
    model = get_model("failing-server/any", memoize=False)
    server = model.api
    assert isinstance(server, _Server)
    server.failures, server.with_schema = list(failures), []
    return model, server


async def _ask(model: Model) -> str:
    output = await generate_structured(model, [ChatMessageUser(content="Grade.")], SCHEMA)
    return output.completion


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        pytest.param(0, [True, True], id="takes-schemas"),
        pytest.param(400, [True, False, False], id="refuses-schemas"),
        pytest.param(500, [True, False, False], id="breaks-on-schemas"),
    ],
)
def test_second_request_goes_by_what_the_first_has_shown(status: int, expected: list[bool]) -> None:
    model, server = _served((status, 0))

    async def twice() -> None:
        assert [await _ask(model), await _ask(model)] == ["{}", "{}"]

    anyio.run(twice)
    assert server.with_schema == expected


def test_failure_beside_a_success_with_a_schema_does_not_give_schemas_up() -> None:
    model, server = _served((503, 0.05), (0, 0))

    async def side_by_side() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(_ask, model)
            group.start_soon(_ask, model)
        await _ask(model)

    anyio.run(side_by_side)
    assert server.with_schema == [True, True, False, True]


def test_error_without_a_schema_too_says_nothing_of_schemas() -> None:
    model, server = _served((402, 0), (402, 0))

    async def twice() -> None:
        with pytest.raises(_ServerError):
            await _ask(model)
        await _ask(model)

    anyio.run(twice)
    assert server.with_schema == [True, False, True]
