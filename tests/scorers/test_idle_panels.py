"""A task made in Python without a judge has no judge's rows, and none named `*` (D5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log

from skillbench_tasks import closed_loop, gold_history, zero_shot
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS

PLAYS["no-verdict"] = lambda messages, tools: "I would rather not say."

TASKS: dict[str, Any] = {
    "zero_shot": lambda: zero_shot(
        skills=str(MOCK_SKILLS), kind="straightforward", agent="reference"
    ),
    "gold_history": lambda: gold_history(dataset=str(MOCK_SKILLS), predictor="reference"),
    "closed_loop": lambda: closed_loop(dataset=str(MOCK_SKILLS), predictor="reference"),
}


@pytest.mark.parametrize("name", TASKS)
def test_task_without_a_judge_has_no_row_of_one_d5(tmp_path: Path, name: str) -> None:
    log = inspect_eval(
        TASKS[name](), model="none/none", log_dir=str(tmp_path), display="none", limit=2
    )[0]
    for one in (log, read_eval_log(log.location)):
        assert one.status == "success"
        assert one.results is not None
        names = {row.name for row in one.results.scores} | {r.scorer for r in one.results.scores}
        assert names
        assert "*" not in names
        assert not any("judge" in row or row == "replayed_texts" for row in names)


def test_task_with_a_judge_keeps_its_rows(tmp_path: Path) -> None:
    log = inspect_eval(
        TASKS["zero_shot"](),
        model="none/none",
        model_roles={"judge": "scripted/no-verdict"},
        log_dir=str(tmp_path),
        display="none",
    )[0]
    assert log.results is not None
    assert any(row.scorer == "judge_panel" for row in log.results.scores)
