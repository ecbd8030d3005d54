"""Right runs pass: a sample by default, all of them as slow; and what the report says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbench_tasks.datasets.script import gold_script
from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.datasets.sops.references import unlabelled
from skillbench_tasks.datasets.variations import VARIATION_KINDS
from skillbench_tasks.datasets.variations.plans import PLAN_KINDS
from skillbench_tasks.errors import DataError, OptionError
from skillbench_tasks.reports.variation_grading import PLAN_TASKS, PlanTask, fault_of_plan
from skillbench_tasks.reports.variations import (
    KindCount,
    VariationReport,
    variation_report,
    variation_table,
)
from tests.mock import MOCK_SKILLS, mock_case

SOP = "overdue-invoice-chase.1"


def test_a_sample_of_right_runs_passes_under_zero_shot_and_closed_loop() -> None:
    report = variation_report(tasks=("zero_shot", "closed_loop"), sample=0.02)
    assert report.runs > 50
    assert len(report.failed) <= 0.03 * report.runs, variation_table(report)


@pytest.mark.slow
def test_right_runs_of_all_tasks_pass() -> None:
    report = variation_report()
    assert report.runs >= 1_500
    assert {one.kind for one in report.counts} == {*VARIATION_KINDS, *PLAN_KINDS}
    assert report.holds, variation_table(report)


@pytest.mark.parametrize("task", PLAN_TASKS)
def test_a_rewritten_workflow_keeps_every_metric_and_a_wrong_one_does_not(task: PlanTask) -> None:
    sop = sop_by_id(SOP)
    program = unlabelled(sop.program)
    assert fault_of_plan(sop, "names_changed", program, task) is None
    fault = fault_of_plan(sop, "names_changed", {**program, "steps": []}, task)
    assert fault is not None
    assert fault.startswith(f"{SOP}#")


def run_file(folder: Path, **changed: object) -> Path:
    gold = gold_script(mock_case("straightforward"))
    turns = [turn.model_dump(mode="json") for turn in gold.turns]
    line = {"case": mock_case("straightforward").id, "kind": "mine", "end": gold.end,
            "turns": turns, **changed}  # fmt: skip
    file = folder / "runs.jsonl"
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return file


def test_runs_of_a_file_are_graded_and_a_wrong_one_is_listed(tmp_path: Path) -> None:
    report = variation_report(skills=MOCK_SKILLS, file=run_file(tmp_path))
    assert [(one.kind, one.runs, one.passed) for one in report.counts] == [("mine", 1, 1)]
    assert report.holds
    wrong = run_file(tmp_path, turns=[{"role": "agent", "text": "All done, goodbye!"}])
    report = variation_report(skills=MOCK_SKILLS, file=wrong)
    assert not report.holds
    assert "FAILS zero_shot mine" in variation_table(report)


def test_a_run_of_an_unknown_case_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no case nobody"):
        variation_report(skills=MOCK_SKILLS, file=run_file(tmp_path, case="nobody"))


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(OptionError, match="there is no kind polite"):
        variation_report(kinds=["polite"])


def count(kind: str, runs: int, passed: int, task: str = "zero_shot") -> KindCount:
    return KindCount(task=task, kind=kind, runs=runs, passed=passed)


@pytest.mark.parametrize(
    ("counts", "holds"),
    [
        ((count("a", 1000, 995), count("b", 100, 98)), True),
        ((count("a", 1000, 985), count("b", 100, 100)), False),
        ((count("a", 1000, 1000), count("b", 100, 96)), False),
        ((count("a", 1000, 980), count("b", 9000, 9000, "replan")), False),
        ((), False),
    ],
)
def test_a_report_holds_from_99_percent_of_a_task_and_97_of_each_kind(
    counts: tuple[KindCount, ...], holds: bool
) -> None:
    assert VariationReport(counts=counts, failed=()).holds is holds
