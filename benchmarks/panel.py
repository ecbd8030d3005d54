"""The judge panel against its bare calls, and the agreement of many verdicts."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from functools import partial
from typing import Any

import anyio
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    model_roles,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from benchmarks.instant import JUDGE_SECONDS, bare_task
from skillbench_tasks.datasets.briefs import brief_of
from skillbench_tasks.datasets.script import gold_script, perform
from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.scorers.agreement import panel_agreement
from skillbench_tasks.scorers.judge_prompt import case_file, skill_page
from skillbench_tasks.scorers.rubric import load_rubric
from skillbench_tasks.zero_shot import zero_shot

__all__ = ["agreement_seconds", "panel_overhead", "side_by_side"]

JUDGES = 5
_FILES: dict[str, tuple[str, str]] = {}


def panel_overhead(rounds: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Return wall of zero_shot with a panel ÷ wall of the same agent and judge calls, bare."""
    source = open_source()
    for case in source.cases():
        brief, episode = brief_of(case, source), perform(case, gold_script(case))
        _FILES[case.id] = (skill_page(brief), case_file(brief, episode, []))
    ours, bare = [], []
    for task in (zero_shot, _bare_task):
        _wall(task(), settings)
    for _ in range(rounds):
        ours.append(_wall(zero_shot(), settings))
        bare.append(_wall(_bare_task(), settings))
    return {
        "judges": JUDGES,
        "samples": len(_FILES),
        "zero_shot_with_panel_s": [round(value, 2) for value in ours],
        "bare_s": [round(value, 2) for value in bare],
        "ratio_median": round(statistics.median(a / b for a, b in zip(ours, bare, strict=True)), 3),
    }


def side_by_side(settings: dict[str, Any]) -> dict[str, float]:
    """Return seconds that the judges of one sample take when each alone takes a known time."""
    with tempfile.TemporaryDirectory() as folder:
        log = inspect_eval(
            zero_shot(kind="straightforward", skill="bill-question", agent="reference"),
            model="none/none",
            model_roles=_roles("slow-judge"),
            limit=1,
            log_dir=folder,
            **settings,
        )[0]
        sample = (log.samples or [])[0]
        events = [e for e in sample.events if e.event == "model"]
        starts = [e.timestamp.timestamp() for e in events]
        ends = [e.completed.timestamp() for e in events if e.completed]
    return {
        "one_judge_s": JUDGE_SECONDS,
        "judges": float(len(events)),
        "all_judges_s": round(max(ends) - min(starts), 3),
    }


def agreement_seconds(units: int = 10_000) -> float:
    """Return seconds for the agreement of five judges over many verdicts, imports included."""
    chance = random.Random(0)
    votes = {f"judge-{j}": [chance.random() < 0.6 for _ in range(units)] for j in range(JUDGES)}
    start = time.perf_counter()
    panel_agreement(votes)
    return round(time.perf_counter() - start, 3)


@scorer(metrics=[mean()])
def bare_judges() -> Scorer:
    """Make the judges' calls and nothing else."""
    rubric = load_rubric().text

    async def score(state: TaskState, target: Target) -> Score:
        page, case = _FILES[str(state.sample_id)]
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=f"{rubric}\n\n{page}"),
            ChatMessageUser(content=case),
        ]
        judges = model_roles()["judge"]
        async with anyio.create_task_group() as group:
            for judge in judges if isinstance(judges, list) else [judges]:
                assert isinstance(judge, Model)
                group.start_soon(partial(judge.generate, messages))
        return Score(value=1)

    return score


def _bare_task() -> Task:
    task = bare_task()
    return Task(dataset=task.dataset, solver=task.solver, scorer=bare_judges(), name="bare")


def _roles(name: str) -> dict[str, Any]:
    return {"judge": [f"instant/{name}-{number}" for number in range(1, JUDGES + 1)]}


def _wall(task: Task, settings: dict[str, Any]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        log = inspect_eval(
            task, model="instant/gold", model_roles=_roles("judge"), log_dir=folder, **settings
        )[0]
        wall = time.perf_counter() - start
    if log.status != "success":
        raise SystemExit(f"the run ended as {log.status}: {log.error}")
    return wall
