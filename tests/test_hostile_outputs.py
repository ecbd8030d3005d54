"""R3: hostile outputs of a model leave one sample's score, never a lost run, in any task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

from skillbench_tasks.closed_loop import closed_loop
from skillbench_tasks.global_orchestration import global_orchestration
from skillbench_tasks.gold_history import gold_history
from skillbench_tasks.local_construction import local_construction
from skillbench_tasks.replan import replan
from skillbench_tasks.step_by_step import step_by_step
from skillbench_tasks.zero_shot import zero_shot
from tests.hostile_outputs import HOSTILE, hostile
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS, Reply

MOCK = str(MOCK_SKILLS)
SOPS = "overdue-invoice-chase.1"
TASKS: dict[str, Callable[[], Task]] = {
    "zero_shot": lambda: zero_shot(skills=MOCK, turns=2),
    "gold_history": lambda: gold_history(dataset=MOCK),
    "closed_loop": lambda: closed_loop(dataset=MOCK, retries=1),
    "global_orchestration": lambda: global_orchestration(sop=SOPS),
    "step_by_step": lambda: step_by_step(sop=SOPS, steps=2),
    "local_construction": lambda: local_construction(sop=SOPS, steps=2),
    "replan": lambda: replan(sop=SOPS, rounds=1),
}
"""Name of the task → the task with few steps."""


SHARE = 4
"""The default tests give each task every fourth output, and all tasks together all of them."""


def _each_in_turn(name: str, outputs: Sequence[str]) -> str:
    """Register a model that gives one hostile output after the other, one in each conversation."""
    begun = -1

    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
        nonlocal begun
        begun += not any(message.role == "assistant" for message in messages)
        return hostile(outputs[begun % len(outputs)], tools)

    PLAYS[name] = play
    return f"scripted/{name}"


def _run(task: Task, folder: Path, outputs: Sequence[str], **options: Any) -> EvalLog:
    task.dataset = task.dataset[:1]
    log = inspect_eval(
        task,
        log_dir=str(folder),
        display="none",
        epochs=len(outputs),
        max_samples=1,
        log_realtime=False,
        **options,
    )[0]
    # Verdicts that stay missing end a run by a line of ours, after all samples are kept.
    assert log.status == "success" or "judge verdicts are missing" in str(log.error)
    assert log.samples
    assert len(log.samples) == len(outputs)
    assert all(sample.error is None and sample.scores for sample in log.samples)
    return log


def _check_file(log: EvalLog, task: Task) -> None:
    """The file is read and graded again to the same scores."""
    kept = read_eval_log(log.location)
    again = inspect_score(kept, task.scorer or [], action="overwrite", display="none")
    assert again.status == "success"
    for one, other in zip(kept.samples or [], again.samples or [], strict=True):
        for name, score in (one.scores or {}).items():
            assert repr(score.value) == repr((other.scores or {})[name].value)


@pytest.mark.parametrize("name", TASKS)
def test_hostile_output_r3_leaves_one_score(name: str, tmp_path: Path) -> None:
    outputs = HOSTILE[list(TASKS).index(name) % SHARE :: SHARE]
    task = TASKS[name]()
    log = _run(task, tmp_path, outputs, model=_each_in_turn(f"hostile-{name}", outputs))
    _check_file(log, task)


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_every_hostile_output_r3_leaves_one_score(name: str, tmp_path: Path) -> None:
    task = TASKS[name]()
    log = _run(task, tmp_path, HOSTILE, model=_each_in_turn(f"all-hostile-{name}", HOSTILE))
    _check_file(log, task)


@pytest.mark.parametrize("name", ["zero_shot", "gold_history", "closed_loop"])
def test_hostile_judge_r3_leaves_unscored_rows(name: str, tmp_path: Path) -> None:
    outputs = HOSTILE[1::SHARE]
    roles = {"judge": _each_in_turn(f"hostile-judge-{name}", outputs)}
    PLAYS["plain"] = lambda messages, tools: "Hello."
    _run(TASKS[name](), tmp_path, outputs, model="scripted/plain", model_roles=roles)


def test_hostile_user_r3_leaves_one_score(tmp_path: Path) -> None:
    outputs = HOSTILE[::SHARE]
    roles = {"user": _each_in_turn("hostile-user", outputs)}
    PLAYS["plain"] = lambda messages, tools: "Hello."
    _run(TASKS["zero_shot"](), tmp_path, outputs, model="scripted/plain", model_roles=roles)
