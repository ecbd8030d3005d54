"""Run all measurements and print them as JSON: `python -m benchmarks [--rounds N]`."""

from __future__ import annotations

import argparse
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

from benchmarks.connectors import connector_calls_per_second
from benchmarks.instant import bare_task
from benchmarks.next_turn import memory_megabytes, next_turn_overhead
from benchmarks.orchestration import orchestration_speed
from benchmarks.panel import agreement_seconds, panel_overhead, side_by_side
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.script import gold_script, perform
from skillbench_tasks.models import Checks, Episode
from skillbench_tasks.scorers.verified import verified_verdict
from skillbench_tasks.tools.workflow import Limits, Program, parse_program, run_workflow
from skillbench_tasks.zero_shot import zero_shot

SETTINGS: dict[str, Any] = {
    "display": "plain",  # "none" draws every table of results
    "max_samples": 20,
    "log_realtime": False,
    "score_display": False,
}
"""Settings of both runs of the overhead measurement."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="benchmarks")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each side (median)")
    parser.add_argument("--star", help="folder of STAR dialogues: gold history on them too")
    given = parser.parse_args()
    rounds: int = given.rounds
    figures = {
        "python": sys.version.split()[0],
        "import": import_seconds(rounds),
        "load_all_cases_s": load_seconds(rounds),
        "grading": grading(),
        "executor_nodes_per_s": round(executor_nodes_per_second()),
        "overhead": overhead(rounds),
        "panel_overhead": panel_overhead(rounds, SETTINGS),
        "panel_side_by_side": side_by_side(SETTINGS),
        "next_turn_overhead": next_turn_overhead(rounds, SETTINGS, None),
        "next_turn_memory_mb": memory_megabytes(f"star:{given.star}") if given.star else None,
        "agreement_10000x5_s": agreement_seconds(),
        "connectors": connector_calls_per_second(),
        "orchestration": orchestration_speed(),
    }
    print(json.dumps(figures, indent=2))


def _zero_shot() -> Task:
    return zero_shot()


def overhead(rounds: int) -> dict[str, Any]:
    """Return wall of zero_shot ÷ wall of a bare loop with the same calls, alternating."""
    ours, bare = [], []
    _timed(_zero_shot, "warm-up")
    _timed(bare_task, "warm-up")
    for _ in range(rounds):
        ours.append(_timed(_zero_shot, "instant/gold"))
        bare.append(_timed(bare_task, "instant/gold"))
    ratios = [a / b for a, b in zip(ours, bare, strict=True)]
    return {
        "samples": len(load_cases()),
        "zero_shot_s": [round(value, 2) for value in ours],
        "bare_s": [round(value, 2) for value in bare],
        "ratio_median": round(statistics.median(ratios), 3),
        "ratio_of_medians": round(statistics.median(ours) / statistics.median(bare), 3),
    }


def _timed(task: Callable[[], Task], label: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        made = task()
        start = time.perf_counter()
        log = inspect_eval(made, model="instant/gold", log_dir=folder, **SETTINGS)[0]
        wall = time.perf_counter() - start
    if log.status != "success":
        raise SystemExit(f"{label}: the run ended as {log.status}: {log.error}")
    return wall


def grading() -> dict[str, float]:
    """Return milliseconds to grade one finished episode with all deterministic scorers."""
    stored = [
        (
            case.checks.model_dump(mode="json"),
            perform(case, gold_script(case)).model_dump(mode="json"),
        )
        for case in load_cases()
    ]
    figures = {}
    for name in ("first_ms", "again_ms"):
        start = time.perf_counter()
        for checks, episode in stored:
            verified_verdict(Checks.model_validate(checks), Episode.model_validate(episode))
        figures[name] = round(1000 * (time.perf_counter() - start) / len(stored), 3)
    return figures


def load_seconds(rounds: int) -> float:
    """Return the median over fresh processes of loading all cases, imports not counted."""
    code = (
        "import time; from skillbench_tasks.datasets.loaders import load_cases; "
        "t = time.perf_counter(); load_cases(); print(time.perf_counter() - t)"
    )
    return round(statistics.median(_in_fresh_process(code) for _ in range(rounds)), 3)


def import_seconds(rounds: int) -> dict[str, float]:
    """Return medians over fresh processes: the package alone, and all of it over Inspect."""
    inspect = "import inspect_ai, inspect_ai.agent, inspect_ai.scorer, inspect_ai.model"
    clock = "import time; {0}; t = time.perf_counter(); import {1}; print(time.perf_counter() - t)"
    alone = clock.format("pass", "skillbench_tasks")
    registry = clock.format(inspect, "skillbench_tasks._registry")
    return {
        "skillbench_tasks_s": round(
            statistics.median(_in_fresh_process(alone) for _ in range(rounds)), 4
        ),
        "registry_over_inspect_s": round(
            statistics.median(_in_fresh_process(registry) for _ in range(rounds)), 3
        ),
    }


def executor_nodes_per_second() -> float:
    """Return workflow nodes (iterations counted) run in a second on one core."""
    nodes = 120_000
    program = parse_program(
        {
            "version": 1,
            "inputs": {"items": {"type": "array"}},
            "steps": [
                {"kind": "set", "name": "total", "value": 0},
                {
                    "kind": "for_each",
                    "items": "${inputs.items}",
                    "as": "n",
                    "do": [
                        {
                            "kind": "call",
                            "id": "row",
                            "tool": "mcp.t:a",
                            "arguments": {"n": "${n}"},
                        },
                        {
                            "kind": "if",
                            "condition": {">": [{"var": "row.value"}, 5]},
                            "then": [
                                {
                                    "kind": "set",
                                    "name": "total",
                                    "value": {"$": {"+": [{"var": "total"}, {"var": "row.value"}]}},
                                }
                            ],
                        },
                    ],
                },
            ],
        }
    )
    assert isinstance(program, Program)
    inputs: dict[str, Any] = {"items": [index % 10 for index in range(9_000)]}
    limits = Limits(nodes=10 * nodes, operators=10 * nodes)
    done, start = 0, time.perf_counter()
    while done < nodes:
        run = run_workflow(
            program,
            inputs,
            now="2026-01-01T00:00:00",
            backend=lambda tool, arguments: {"value": arguments["n"]},
            limits=limits,
        )
        done += run.nodes_run
    return done / (time.perf_counter() - start)


def _in_fresh_process(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


if __name__ == "__main__":
    main()
