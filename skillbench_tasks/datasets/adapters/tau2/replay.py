"""Replaying a task's actions on our engine: calls, results and target world are computed.

A recording, where there is one, says which of the actions fail in the environment that they were
written for. Then the same ones must fail here, no more and no fewer. A checkout as published holds
none: what fails is told in the notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillbench_tasks.datasets.adapters.tau2.handlers import SERVER
from skillbench_tasks.datasets.adapters.tau2.reading import (
    RECORDING_FILE,
    TASKS_FILE,
    Action,
    Domain,
    Step,
    Task,
    fault_in,
)
from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Change, GoldCall
from skillbench_tasks.tools.toolbox import LedgerEntry, Tool, Toolbox
from skillbench_tasks.tools.workflow.values import equal_values
from skillbench_tasks.tools.world import World

__all__ = ["Replay", "replay"]


@dataclass(frozen=True)
class Replay:
    """What a task's actions did.

    Args:
        calls: The calls with their results and errors.
        changes: What they changed.
        writes: Full names of the tools that wrote with success, sorted.
        is_complete: Whether each write that failed was made good by a later one to its order.
        notes: What is worth knowing of the task, a line each.
    """

    calls: tuple[GoldCall, ...]
    changes: tuple[Change, ...]
    writes: tuple[str, ...]
    is_complete: bool
    notes: tuple[str, ...]


def replay(domain: Domain, index: int, tools: Sequence[Tool], world: World) -> Replay:
    """Carry out the actions of a task.

    Args:
        domain: The data.
        index: Place of the task.
        tools: The toolkit.
        world: The start; it is not changed.

    Raises:
        DataError: An action names no tool, is not the recorded one, or fails where the recording
            has a result, or the other way round.
    """
    task = domain.tasks[index]
    steps = _steps(domain, index) if domain.recording is not None else None
    toolbox = Toolbox(tools, world)
    for number, action in enumerate(task.evaluation_criteria.actions):
        _carry_out(toolbox, action)
        if steps is not None:
            _require_as_recorded(domain, index, number, toolbox.ledger[-1], steps[number])
    entries = toolbox.ledger
    wrote = {e.tool for e in entries if e.error is None and _writes(toolbox, e)}
    return Replay(
        calls=tuple(GoldCall(**dict(entry)) for entry in entries),
        changes=toolbox.world.changes_since(toolbox.start),
        writes=tuple(sorted(wrote)),
        is_complete=all(_is_made_good(toolbox, at) for at in range(len(entries))),
        notes=tuple(_notes(task, toolbox)),
    )


def _steps(domain: Domain, index: int) -> Sequence[Step]:
    task = domain.tasks[index]
    actions = task.evaluation_criteria.actions
    steps = (domain.recording or {}).get(task.id)
    if steps is None:
        problem = f"no recording of task {task.id}"
        raise fault_in(domain.folder, RECORDING_FILE, "task_id", problem, "get the file anew")
    same = len(steps) == len(actions) and all(
        step.name == action.name and equal_values(step.arguments, action.arguments)
        for step, action in zip(steps, actions, strict=True)
    )
    if not same:
        problem = f"the recording of task {task.id} is not of its actions"
        raise fault_in(domain.folder, RECORDING_FILE, "steps", problem, "get both files anew")
    return steps


def _carry_out(toolbox: Toolbox, action: Action) -> None:
    try:
        toolbox.call(f"mcp.{SERVER}:{action.name}", action.arguments)
    except ToolFailure:
        return  # it stands in the ledger


def _require_as_recorded(
    domain: Domain, index: int, number: int, entry: LedgerEntry, step: Step
) -> None:
    if (entry.error is not None) == step.error:
        return
    field = f"{index}.evaluation_criteria.actions.{number}"
    if entry.error is not None:
        problem = f"{step.name} fails ({entry.error.message}), and its recording has a result"
    else:
        problem = f"{step.name} succeeds, and its recording has an error ({step.result})"
    raise fault_in(domain.folder, TASKS_FILE, field, problem, "mend the action or the recording")


def _writes(toolbox: Toolbox, entry: LedgerEntry) -> bool:
    tool = toolbox.tools.get(entry.tool)
    return tool is not None and tool.spec.access == "write"


def _is_made_good(toolbox: Toolbox, at: int) -> bool:
    """Return whether a call did what it was for, or a later write to the same order did."""
    entry, later = toolbox.ledger[at], toolbox.ledger[at + 1 :]
    if entry.error is None or not _writes(toolbox, entry):
        return True
    order = entry.arguments.get("order_id")
    return any(
        other.error is None
        and _writes(toolbox, other)
        and order is not None
        and other.arguments.get("order_id") == order
        for other in later
    )


def _notes(task: Task, toolbox: Toolbox) -> list[str]:
    notes = []
    for at, entry in enumerate(toolbox.ledger):
        if entry.error is None:
            continue
        kind = "write" if _writes(toolbox, entry) else "read"
        good = "" if kind == "read" or _is_made_good(toolbox, at) else "; no end state is known"
        name = entry.tool.partition(":")[2]
        notes.append(f"task {task.id}: the {kind} {name} fails: {entry.error.message}{good}")
    return notes
