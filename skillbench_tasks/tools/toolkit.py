"""The toolkit as a model meets it: Inspect tool definitions over one sample's toolbox."""

from __future__ import annotations

import json
from typing import Any

from inspect_ai.tool import ToolDef, ToolError, ToolParams
from inspect_ai.util import JSONSchema
from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import ToolSpec
from skillbench_tasks.tools.toolbox import Toolbox

__all__ = ["error_text", "full_name", "result_text", "tool_defs"]


def tool_defs(toolbox: Toolbox) -> list[ToolDef]:
    """Return the tools of a toolbox for a model, in their order.

    Results are JSON text, never cut off; a failed call is a `ToolError` whose text is a JSON
    object `error`.
    """
    return [_tool_def(tool.spec, toolbox) for tool in toolbox.tools.values()]


def full_name(function_name: str) -> str:
    """Return `mcp.<server>:<tool>` for the name by which a model calls a tool."""
    server, divider, tool = function_name.partition("__")
    return f"mcp.{server}:{tool}" if divider else function_name


def result_text(result: JsonValue) -> str:
    """Return a result as the text that the agent reads."""
    return json.dumps(result, ensure_ascii=False)


def error_text(failure: ToolFailure) -> str:
    """Return a failure as the text that the agent reads."""
    shown = {"code": failure.code, "message": failure.message, "retryable": failure.retryable}
    return json.dumps({"error": shown}, ensure_ascii=False)


def _tool_def(spec: ToolSpec, toolbox: Toolbox) -> ToolDef:
    async def execute(**kwargs: Any) -> str:
        try:
            return result_text(await toolbox.call_async(spec.full_name, kwargs))
        except ToolFailure as failure:
            raise ToolError(error_text(failure)) from failure

    return ToolDef(
        tool=execute,
        name=spec.function_name,
        description=spec.description,
        parameters=_parameters(spec),
        parallel=False,
        max_output=0,
    )


def _parameters(spec: ToolSpec) -> ToolParams:
    schema = spec.input_schema
    properties = {n: JSONSchema.model_validate(p) for n, p in schema.get("properties", {}).items()}
    return ToolParams(properties=properties, required=list(schema.get("required", ())))
