"""Executing a workflow on a variant: its own world, the SOP's tools, the variant's faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final
from zlib import crc32

from skillbench_tasks.datasets.sops.fault_places import by_itself, placed_fault
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.errors import DataError
from skillbench_tasks.models import CallError, Fault
from skillbench_tasks.models.sop import Executed, ExecutedCall, Variant
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.workflow import Execution, Program, parse_program, run_workflow
from skillbench_tasks.tools.workflow.signatures import ToolSignature
from skillbench_tasks.tools.world import World

__all__ = ["executed", "parsed", "placed_on", "run_on", "signatures", "start_world", "toolbox_of"]

_IDS_APART: Final = 900
"""Made ids of two variants begin within so many numbers of each other."""


@cache
def signatures() -> Mapping[str, ToolSignature]:
    """Return what the validator knows of the 64 tools, by full name."""
    return {
        name: ToolSignature(tool.spec.input_schema, tool.spec.output_schema)
        for name, tool in connectors.tools().items()
    }


def start_world(variant: Variant) -> World:
    """Return the world in which a variant starts: the workspace with the variant's records.

    Ids that are made in it begin at a number of the variant's own, so that no workflow can know
    them beforehand. Fields and references of the records are checked where SOPs are checked, not at
    every run.
    """
    world = base_world().copy()
    world.begin_ids_after(crc32(variant.id.encode()) % _IDS_APART)
    for name, records in variant.records.items():
        for record in records:
            world.put(name, record)
    return world


def toolbox_of(variant: Variant) -> Toolbox:
    """Return the tools over a variant's own world, with its faults."""
    faults = [by_itself(fault) for fault in variant.faults]
    return Toolbox(list(connectors.tools().values()), start_world(variant), faults)


def run_on(program: Program, variant: Variant) -> Executed:
    """Execute a valid workflow on a variant.

    Args:
        program: The workflow.
        variant: Inputs, state and faults.
    """
    toolbox = toolbox_of(variant)
    inputs = {name: variant.inputs[name] for name in program.inputs if name in variant.inputs}
    execution = run_workflow(
        program, inputs, now=toolbox.world.now, backend=toolbox.call, keep_values=False
    )
    return executed(execution, toolbox)


def placed_on(program: Program, variant: Variant) -> Variant:
    """Return a variant whose faults have their places in the reference run.

    Args:
        program: The reference workflow.
        variant: Inputs, state and faults.
    """
    placed: list[Fault] = []
    for number, fault in enumerate(variant.faults):
        others = (*variant.faults[:number], *variant.faults[number + 1 :])
        calm = run_on(program, variant.model_copy(update={"faults": others}))
        made = [call.arguments for call in calm.calls if call.tool == fault.tool]
        placed.append(placed_fault(fault, made))
    return variant.model_copy(update={"faults": tuple(placed)})


def executed(execution: Execution, toolbox: Toolbox) -> Executed:
    """Return what an execution left behind.

    Args:
        execution: The run.
        toolbox: What it ran on.
    """
    status = execution.status
    assert status != "handed_over" and status != "declined", "SOPs hold no dialogue"  # noqa: PT018
    problem = next((e["message"] for e in execution.trace if e["event"] == "invalid"), "")
    return Executed(
        status=status,
        value=execution.value,
        calls=tuple(_call(event) for event in execution.trace if event["event"] == "call"),
        control=tuple(_control(execution.trace)),
        changes=toolbox.world.changes_since(toolbox.start),
        problem=str(problem),
    )


def _control(trace: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the events other than calls, each with how many calls were made before it."""
    calls = 0
    for event in trace:
        if event["event"] == "call":
            calls += 1
        else:
            yield {**event, "after_calls": calls}


def _call(event: Mapping[str, Any]) -> ExecutedCall:
    error = event.get("error")
    return ExecutedCall(
        tool=event["tool"],
        arguments=event["arguments"],
        result=event.get("result"),
        error=None
        if error is None
        else CallError(code=error["code"], message=error["message"], retryable=error["retryable"]),
        path=event["path"],
    )


def parsed(program: Mapping[str, Any]) -> Program:
    """Return a reference workflow, parsed.

    Raises:
        DataError: It has faults.
    """
    found = parse_program(program)
    if isinstance(found, Program):
        return found
    raise DataError("sop", found[0].path, found[0].message, "mend the family")
