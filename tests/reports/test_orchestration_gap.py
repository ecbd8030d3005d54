"""The gap between protocols, over logs of small runs with a known truth."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai import eval as inspect_eval

from skillbench_tasks.cli import skillbench
from skillbench_tasks.errors import OptionError
from skillbench_tasks.global_orchestration import global_orchestration
from skillbench_tasks.replan import replan
from skillbench_tasks.reports.orchestration_gap import gap_page
from skillbench_tasks.reports.orchestration_runs import read_runs
from skillbench_tasks.step_by_step import step_by_step
from tests.scripted_model import PLAYS, called

SOP = "overdue-invoice-chase.1"
PLAYS["finish-at-once"] = lambda messages, tools: (
    called("finish", {"output": {"reminders_sent": 0}}) if tools else "I would rather not."
)


def _run(folder: Path, task: Task, model: str = "scripted/finish-at-once") -> None:
    log = inspect_eval(task, model=model, log_dir=str(folder), display="plain", score_display=False)
    assert log[0].status == "success", log[0].error


def _cells(page: str, row: str) -> list[str]:
    line = next(line for line in page.splitlines() if line.strip().startswith(row))
    return [cell for cell in line.split("  ") if cell.strip()]


def test_gap_of_doing_nothing_over_no_plan_is_the_floor(tmp_path: Path) -> None:
    _run(tmp_path, global_orchestration(sop=SOP))
    _run(tmp_path, step_by_step(sop=SOP))
    _run(tmp_path, replan(sop=SOP, rounds=1, feedback="validation"))
    page = gap_page(tmp_path)
    # One of the five variants asks for no write: doing nothing earns its side effect, 0.5.
    assert [c.strip() for c in _cells(page, "step − global")[:2]] == ["step − global", "+10.00"]
    assert _cells(page, "above the floor")[1].strip() == "+0.00"
    assert _cells(page, "composition: multiple")[1].strip() == "+10.00"
    shown = [cell.strip() for cell in _cells(page, "global")[1:7]]
    assert shown == ["1/1", "5", "0.0 %", "10.0 %", "0.0 %", "0.0 %"]
    assert _cells(page, "round 1, all")[1].strip() == "5"
    runs = {one.protocol: one for one in read_runs(tmp_path)}
    assert [one.valid for one in runs["global"].rounds[0].values()] == [False] * 5
    assert CliRunner().invoke(skillbench, ["gap", str(tmp_path)]).output.strip() == page


@pytest.mark.parametrize("kind", ["twice", "models", "none", "missing"])
def test_logs_that_do_not_belong_together_are_refused(tmp_path: Path, kind: str) -> None:
    told = {"twice": "two logs", "models": "several models", "none": "no such logs"}
    if kind in ("twice", "models"):
        _run(tmp_path, global_orchestration(sop=SOP, planner="empty"))
        other = "empty" if kind == "twice" else "first_tool"
        _run(tmp_path, global_orchestration(sop=SOP, planner=other))
    place = tmp_path / "away" if kind == "missing" else tmp_path
    with pytest.raises(OptionError, match=told.get(kind, "no such file")) as caught:
        gap_page(place)
    assert "\n" not in str(caught.value)
