"""The toolkit as a model meets it: Inspect tool definitions over one sample's toolbox."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspect_ai.tool import ToolDef, ToolError, ToolInfo, ToolParams
from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.tools.shown_schema import ShownTool, shown_tool
from skillbench_tasks.tools.toolbox import Toolbox

__all__ = [
    "answer_text",
    "error_text",
    "full_name",
    "function_name",
    "result_text",
    "tool_def",
    "tool_defs",
    "tool_info",
    "tool_parameters",
]


def tool_defs(toolbox: Toolbox) -> list[ToolDef]:
    """Return the tools of a toolbox for a model, in their order.

    Results are JSON text, never cut off; a failed call is a `ToolError` whose text is a JSON
    object `error`.
    """
    specs = [tool.spec for tool in toolbox.tools.values()]
    return [
        tool_def(
            spec.function_name,
            spec.description,
            spec.input_schema,
            _in_process(spec.full_name, toolbox),
        )
        for spec in specs
    ]


def tool_def(
    name: str,
    description: str,
    input_schema: Mapping[str, Any],
    execute: Callable[..., Awaitable[str]],
) -> ToolDef:
    """Return a tool as a model meets it, whatever way its calls take.

    Args:
        name: The name by which a model calls it.
        description: What a model reads about it.
        input_schema: JSON Schema of the arguments object.
        execute: Takes the arguments by keyword; gives the text that the agent reads.
    """
    shown = shown_tool(description, input_schema)
    return ToolDef(
        tool=execute,
        name=name,
        description=shown.description,
        parameters=tool_parameters(shown),
        parallel=False,
        max_output=0,
    )


async def answer_text(toolbox: Toolbox, tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """Carry out a call and return its result as the text that the agent reads.

    Args:
        toolbox: What carries it out.
        tool: Full name, `mcp.<server>:<tool>`.
        arguments: As the agent gave them.

    Raises:
        ToolError: The call fails; its text is a JSON object `error`.
    """
    try:
        return result_text(await toolbox.call_async(tool, arguments))
    except ToolFailure as failure:
        raise ToolError(error_text(failure)) from failure


def full_name(function_name: str) -> str:
    """Return `mcp.<server>:<tool>` for the name by which a model calls a tool."""
    server, divider, tool = function_name.partition("__")
    return f"mcp.{server}:{tool}" if divider else function_name


def function_name(full_name: str) -> str:
    """Return the name by which a model calls the tool `mcp.<server>:<tool>`."""
    return full_name.removeprefix("mcp.").replace(":", "__")


def tool_info(name: str, description: str, input_schema: Mapping[str, Any]) -> ToolInfo:
    """Return a tool as a model is offered it, for calls that somebody else carries out.

    Args:
        name: The name by which a model calls it.
        description: What a model reads about it.
        input_schema: JSON Schema of the arguments object.
    """
    shown = shown_tool(description, input_schema)
    parameters = tool_parameters(shown)
    return ToolInfo(name=name, description=shown.description, parameters=parameters)


def result_text(result: JsonValue) -> str:
    """Return a result as the text that the agent reads."""
    return json.dumps(result, ensure_ascii=False)


def error_text(failure: ToolFailure) -> str:
    """Return a failure as the text that the agent reads."""
    shown = {"code": failure.code, "message": failure.message, "retryable": failure.retryable}
    return json.dumps({"error": shown}, ensure_ascii=False)


def _in_process(tool: str, toolbox: Toolbox) -> Callable[..., Awaitable[str]]:
    async def execute(**kwargs: Any) -> str:
        return await answer_text(toolbox, tool, kwargs)

    return execute


def tool_parameters(shown: ShownTool) -> ToolParams:
    """Return the parameters of a tool as Inspect passes them on."""
    return ToolParams.model_validate(shown.parameters)
