"""Speed of SOPs: reference workflows executed over all variants, and the memory that this takes."""

from __future__ import annotations

import gc
import json
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skillbench_tasks.datasets.sops.ledger import nodes_of
from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed, run_on
from skillbench_tasks.models.sop import Sop, Variant
from skillbench_tasks.scorers.orchestration import grade_run
from skillbench_tasks.tools.workflow import Program

__all__ = ["orchestration_speed"]

_SQL = "mcp.warehouse:"
_Runs = Sequence[tuple[Program, Variant]]


def orchestration_speed(seconds: float = 3.0) -> dict[str, Any]:
    """Return variant executions and gradings in a second of one core, and the growth of memory.

    Workflows are parsed and compiled before; statements of SQL are compiled in the first round,
    which is not counted.

    Args:
        seconds: How long to measure each set.
    """
    sops = load_sops()
    without = _runs([sop for sop in sops if not _has_sql(sop)])
    with_sql = _runs([sop for sop in sops if _has_sql(sop)])
    return {
        "sops": len(sops),
        "variants_without_sql": len(without),
        "variants_with_sql": len(with_sql),
        "executions_per_s_without_sql": _rate(without, seconds),
        "executions_per_s_with_sql": _rate(with_sql, seconds),
        "executions_per_s_all": _rate([*without, *with_sql], seconds),
        "gradings_per_s": _grading_rate(sops),
        **_memory([*without, *with_sql]),
    }


def _has_sql(sop: Sop) -> bool:
    return any(
        str(node.get("tool", "")).startswith(_SQL) for node in nodes_of(sop.program["steps"])
    )


def _runs(sops: Sequence[Sop]) -> _Runs:
    return [(program, v) for sop in sops for program in [parsed(sop.program)] for v in sop.variants]


def _once(runs: _Runs) -> None:
    for program, variant in runs:
        run_on(program, variant)


def _rate(runs: _Runs, seconds: float) -> int:
    """Count CPU time: the machine may be busy with something else."""
    _once(runs)
    done, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        _once(runs)
        done += len(runs)
    return round(done / (time.process_time() - start))


def _grading_rate(sops: Sequence[Sop]) -> int:
    """Return reference runs that are graded in a second."""
    cases = [(reference_case(sop).runs, parsed(sop.program)) for sop in sops]
    start = time.process_time()
    for runs, program in cases:
        for run in runs:
            grade_run(run, run.executed, program)
    return round(sum(len(runs) for runs, _ in cases) / (time.process_time() - start))


def _memory(runs: _Runs) -> dict[str, float]:
    """Return resident memory after two rounds over all variants, and after twenty."""
    for _ in range(2):
        _once(runs)
    before = _resident_megabytes()
    for _ in range(18):
        _once(runs)
    return {"rss_mb_after_2": before, "rss_mb_after_20": _resident_megabytes()}


def _resident_megabytes() -> float:
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:  # no Linux: the highest so far
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    return round(pages * resource.getpagesize() / 2**20, 1)


if __name__ == "__main__":
    print(json.dumps(orchestration_speed(), indent=2))
