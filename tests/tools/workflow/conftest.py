"""A small tool backend and shorthand for programs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import JsonValue

from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.tools.workflow import Execution, Limits, Program, parse_program, run_workflow

RunSteps = Callable[..., Execution]


def run_steps(
    steps: list[JsonValue], inputs: dict[str, JsonValue] | None = None, **limits: int
) -> Execution:
    """Run steps over `mcp.t:echo` (gives its arguments) and `mcp.t:fail` (fails on `bad`)."""
    given = inputs or {}
    program = parse_program({"version": 1, "inputs": {name: {} for name in given}, "steps": steps})
    assert isinstance(program, Program), program
    return run_workflow(
        program, given, now="2026-03-12T09:30:00", backend=call_tool, limits=Limits(**limits)
    )


def call_tool(tool: str, arguments: dict[str, JsonValue]) -> JsonValue:
    """Answer a call as the test backend does."""
    if tool == "mcp.t:fail" and arguments.get("item", "bad") == "bad":
        raise ToolFailure("not_found", "No such item.", False, tool)
    return {**arguments}


@pytest.fixture(name="run_steps")
def run_steps_fixture() -> RunSteps:
    return run_steps
