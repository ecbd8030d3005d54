"""Logs as dataframes: values of scores as numbers, messages also without a model (D6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Epochs
from inspect_ai import eval as inspect_eval
from inspect_ai.analysis import SampleSummary, evals_df, samples_df

from skillbench_tasks import closed_loop, global_orchestration, gold_history
from skillbench_tasks.reports.dataframes import PARTS, message_table, score_columns
from tests.mock import MOCK_SKILLS

pytest.importorskip("pandas", reason="pandas is not installed: Inspect's dataframes need it")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: Inspect's dataframes need it")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of two tasks, run without a model."""
    folder = tmp_path_factory.mktemp("logs")
    for task in (
        closed_loop(dataset=str(MOCK_SKILLS), predictor="reference"),
        gold_history(dataset=str(MOCK_SKILLS), predictor="reference"),
    ):
        inspect_eval(task, model="none/none", log_dir=str(folder), display="none", limit=2)
    return folder


def test_values_of_a_score_are_columns_of_numbers_d6(logs: Path) -> None:
    columns = [*SampleSummary, *score_columns("workflow", "strict_tool")]
    table = samples_df(str(logs), columns=columns, quiet=True)
    assert set(table["workflow_completion"].dropna()) == {1.0}
    assert set(table["strict_tool_exact"].dropna()) <= {1.0}
    assert len(score_columns()) == sum(map(len, PARTS.values()))


def test_every_task_has_a_headline_d6(logs: Path) -> None:
    table = evals_df(str(logs), quiet=True)
    assert set(table["score_headline_name"]) == {"workflow", "rouge_1"}
    assert set(table["score_headline_value"]) == {1.0}


def test_messages_of_a_run_without_a_model_are_rows_d6(logs: Path) -> None:
    table = message_table(logs)
    assert set(table["role"]) == {"system", "user", "assistant", "tool"}
    one = message_table(next(logs.glob("*closed-loop*.eval")))
    assert len(one) < len(table)
    assert list(one[one["sample_id"] == one["sample_id"].iloc[0]]["order"])[:3] == [0, 1, 2]


def test_an_epochs_reducer_reaches_orchestration_d6(tmp_path: Path) -> None:
    task = global_orchestration(sop="overdue-invoice-chase.1", planner="reference")
    log = inspect_eval(
        task,
        model="none/none",
        log_dir=str(tmp_path),
        display="none",
        epochs=Epochs(2, "pass_k_2"),
    )[0]
    assert log.results is not None
    rows = [one.metrics for one in log.results.scores if one.reducer == "pass_k_2"]
    assert rows[0]["reduced_orchestration"].value == 1.0
    table = evals_df(str(tmp_path), quiet=True)
    assert set(table["score_headline_name"]) == {"orchestration"}
