"""Gold-history decisions against the same model calls, bare; memory by the number of decisions."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.gold_history import gold_history
from skillbench_tasks.models.conversation import CalledTool
from skillbench_tasks.solvers.next_action import gold_messages, offered_tools

__all__ = ["memory_megabytes", "next_turn_overhead"]


@solver
def bare_decision(place: str | None) -> Solver:
    """Make the model call of one decision and nothing else."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        source = open_conversations(place)
        conversation, _, number = str(state.sample_id).rpartition("#")
        decision = source.conversation(conversation).decisions[int(number)]
        steps = source.conversation(conversation).steps[: decision.step]
        count = 1 + sum(1 + isinstance(step, CalledTool) for step in steps)
        history = list(gold_messages(source, conversation)[:count])
        tools = list(offered_tools(source, conversation))
        state.output = await get_model().generate(history, tools=tools)
        state.messages = [*history, state.output.message]
        return state

    return solve


def next_turn_overhead(rounds: int, settings: dict[str, Any], place: str | None) -> dict[str, Any]:
    """Return wall of gold_history ÷ wall of a bare loop with the same calls, alternating.

    Args:
        rounds: Runs of each side.
        settings: Of both.
        place: Conversations, as `-T dataset` names them.
    """
    ours, bare = [], []

    def task() -> Task:
        return gold_history(dataset=place)

    def bare_task() -> Task:
        samples = [Sample(id=one.id, input=one.input) for one in task().dataset]
        return Task(dataset=MemoryDataset(samples), solver=bare_decision(place), name="bare")

    for made in (task, bare_task):
        _wall(made, settings)
    for _ in range(rounds):
        ours.append(_wall(task, settings))
        bare.append(_wall(bare_task, settings))
    return {
        "decisions": len(task().dataset),
        "gold_history_s": [round(value, 2) for value in ours],
        "bare_s": [round(value, 2) for value in bare],
        "ratio_median": round(statistics.median(a / b for a, b in zip(ours, bare, strict=True)), 3),
    }


def _wall(task: Callable[[], Task], settings: dict[str, Any]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        made = task()
        start = time.perf_counter()
        log = inspect_eval(made, model="instant/decision", log_dir=folder, **settings)[0]
        wall = time.perf_counter() - start
    if log.status != "success":
        raise SystemExit(f"the run ended as {log.status}: {log.error}")
    return wall


def memory_megabytes(place: str, counts: tuple[int, ...] = (540, 5400)) -> dict[str, float]:
    """Return the greatest resident memory of a fresh process by the number of decisions, in MB.

    Args:
        place: Conversations with enough decisions, as `-T dataset` names them.
        counts: Numbers of decisions.
    """
    code = """
import resource, sys, tempfile
import benchmarks.instant
from inspect_ai import eval
from skillbench_tasks.gold_history import gold_history
with tempfile.TemporaryDirectory() as folder:
    eval(gold_history(dataset=sys.argv[1]), model="instant/decision", limit=int(sys.argv[2]),
         log_dir=folder, display="plain", max_samples=20, log_realtime=False, score_display=False,
         log_samples=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
"""
    found = {}
    for count in counts:
        command = [sys.executable, "-c", code, place, str(count)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found[str(count)] = round(float(done.stderr.split()[-1]), 1)
    return found


if __name__ == "__main__":
    print(json.dumps(memory_megabytes(sys.argv[1])))
