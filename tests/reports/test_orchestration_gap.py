"""The gap between protocols, over logs of small runs with a known truth."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.tool import ToolInfo

from skillbench_tasks.cli import skillbench
from skillbench_tasks.errors import OptionError
from skillbench_tasks.global_orchestration import global_orchestration
from skillbench_tasks.models.plan_record import Protocol
from skillbench_tasks.replan import replan
from skillbench_tasks.reports.orchestration_gap import gap_page
from skillbench_tasks.reports.orchestration_runs import read_runs
from skillbench_tasks.scorers.trace import Metric
from skillbench_tasks.step_by_step import step_by_step
from tests.orchestration_plays import (
    GUARDED,
    PLAIN,
    SHOWN_WORKFLOW,
    answer,
    calls,
    changed,
    run,
    samples,
    whole,
)
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
    # variants, orchestration, floor, − floor, final, its floor, valid: C11, the floor is beside it
    assert _row(page, "accuracy", "global")[1:8] == [
        "5", "0.0 %", "10.0 %", "-10.00", "0.0 %", "0.0 %", "0.0 %",
    ]  # fmt: skip
    assert _row(page, "scored of planned", "global")[1:5] == ["1/1", "5/5", "0", "0"]
    assert _row(page, "nothing to score", "global")[1:4] == ["5", "5", "0"]  # C9: response parsing
    assert _row(page, "gain over round 0", "validation, round 1")[1:3] == ["5", "+0.00"]
    runs = {one.protocol: one for one in read_runs(tmp_path)}
    assert [one.valid for one in runs[Protocol.GLOBAL].rounds[0].values()] == [False] * 5
    assert max(len(line) for line in page.splitlines()) <= 120
    assert CliRunner().invoke(skillbench, ["gap", str(tmp_path)]).output.strip() == page


def _row(page: str, head: str, label: str) -> list[str]:
    """Return the cells of a row in the table with that head."""
    table = next(part for part in page.split("\n\n") if part.startswith(head))
    return [cell.strip() for cell in _cells(table, label)]


INVALID = changed("find_invoices", "find_bills")
HALF = changed('"Payment reminder"', '"Reminder"')
"""0.64 over the five variants of the one SOP; of the other `GUARDED_HALF` has the same defect."""
GUARDED_HALF = changed('"Payment reminder"', '"Reminder"', GUARDED)


def _plays(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
    """Write an invalid and a half right workflow; validation alone mends the one by half."""
    text = messages[-1].text
    is_guarded = "failed reminder note" in text
    if SHOWN_WORKFLOW not in text:
        return answer(GUARDED_HALF if is_guarded else INVALID)
    if is_guarded:
        return answer(whole(GUARDED))
    return answer(HALF if "not valid" in text else whole())


@pytest.fixture(scope="module")
def replans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a global log and three replans that start from it."""
    folder = tmp_path_factory.mktemp("replans")
    PLAYS["by-halves"] = _plays
    model, sops = "scripted/by-halves", [PLAIN, GUARDED]
    first = run(global_orchestration(sop=sops), model, folder)
    for kind in ("all", "two", "validation"):
        run(replan(sop=sops, rounds=2, feedback=kind, start=first.location), model, folder)
    return folder


def test_decomposition_of_several_replans(replans: Path) -> None:
    """C2: repair, valid, share, validation-only and recovery, by round, seen and held out."""
    page = gap_page(replans)
    runs = {one.label: one for one in read_runs(replans)}
    assert list(runs) == ["global", "replan all", "replan two", "replan validation"]
    half = runs["global"].totals.sums[Metric.ORCHESTRATION]  # of GUARDED's six variants
    valid = 100 * (6 - half) / 11
    for number, repair in ((1, 100 * 3.2 / 11), (2, 100 * 5 / 11)):
        shown = _row(page, "gain over round 0", f"all, round {number}")
        gain = repair + valid
        assert shown[1:5] == ["11", f"{gain:+.2f}", f"{repair:+.2f}", f"{valid:+.2f}"]
        assert shown[5:] == [f"{100 * repair / gain:.1f} %", "9", "0", "5", "0"]
        told = _row(page, "recovered by validation", f"all, round {number}")
        alone = 100 * 3.2 / 11  # validation leaves the valid workflow, and the half right one
        assert told[-2:] == [f"{alone:+.2f}", f"{100 * alone / gain:.1f} %"]
    assert "validation, round 1" not in page.partition("recovered by")[2].partition("repaired")[0]
    classes = _row(page, "repaired workflows", "validation, round 1")
    assert classes[1:] == ["1", "0", "1", "0", "100.0 %"]
    by_round = _row(page, "replan, by round", "validation, round 2")
    assert by_round[-4:] == ["0", "0", "0", "2"]  # written, unchanged, no revision, not asked
    for label, count in (("seen", "4"), ("held out", "7")):
        for head in ("replan, by round", "gain over round 0", "recovered by validation"):
            assert _row(page, head, f"two: {label}, round 2")[1] == count
    assert f"all: round 0 is from the log {runs['global'].log}, the global one" in page
    assert "2 workflows of round 0 are from a log" in page
    assert "unpaired" not in page
    assert max(len(line) for line in page.splitlines()) <= 120


def test_recovery_is_not_given_where_round_0_differs(replans: Path, tmp_path: Path) -> None:
    for log in replans.iterdir():
        if read_eval_log(str(log), header_only=True).eval.task_args.get("feedback") != "validation":
            shutil.copy(log, tmp_path)
    PLAYS["by-halves"] = lambda messages, tools: answer(
        HALF if "failed reminder note" not in messages[-1].text else GUARDED_HALF
    )
    run(replan(sop=[PLAIN, GUARDED], feedback="validation"), "scripted/by-halves", tmp_path)
    PLAYS["by-halves"] = _plays
    page = gap_page(tmp_path)
    told = _row(page, "recovered by validation", "all, round 2")
    assert told[-1] == "unpaired"
    assert told[-2] == "+0.00"
    assert (
        "unpaired: replan all and replan validation have other workflows in round 0 (1 of 2" in page
    )


def test_variants_lost_to_infrastructure_stand_in_both_figures(tmp_path: Path) -> None:
    """C9: as published a lost variant is 0; beside it the figures without it."""

    def broken(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        if tools:
            return calls(("finish", {"output": {"reminders_sent": 0}}))
        if "failed reminder note" in messages[-1].text:
            raise ConnectionError("no route")
        return answer(whole())

    PLAYS["breaks"] = broken
    task = global_orchestration(sop=[PLAIN, GUARDED])
    run(task, "scripted/breaks", tmp_path, fail_on_error=False)
    run(step_by_step(sop=[PLAIN, GUARDED]), "scripted/breaks", tmp_path, limit=8)
    page = gap_page(tmp_path)
    assert _row(page, "scored of planned", "global")[1:] == [
        "1/2", "5/11", "6", "0", "100.0 %", "45.5 %", "0.0 %", "54.5 %",
    ]  # fmt: skip
    assert _row(page, "scored of planned", "step")[1:5] == ["8/8", "8/8", "0", "0"]
    assert _row(page, "nothing to score", "global")[1:] == ["11", "0", "0", "0", "6", "0", "0/0/0"]
    # Five variants are on both sides, 10 % against 100 %. As published three more, which global
    # lost: stopping at once earns 50 % of the first of them, 0 % of the others.
    assert _row(page, "gap in points", "step − global")[1] == "-90.00"
    lost = _row(page, "gap in points", "lost as 0")
    assert (lost[1], lost[-2]) == ("-50.00", "8")


def test_log_of_which_samples_are_missing_says_so(tmp_path: Path) -> None:
    log = run(step_by_step(sop=PLAIN, stepper="stop_at_once"), "none/none", tmp_path)
    log.samples = samples(log)[:3]
    write_eval_log(log, log.location)
    page = gap_page(tmp_path)
    assert _row(page, "scored of planned", "step")[1:5] == ["3/5", "3/5", "0", "2"]


def test_log_in_which_nothing_was_scored_is_shown(tmp_path: Path) -> None:
    def broken(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        raise ConnectionError("no route")

    PLAYS["all-lost"] = broken
    run(global_orchestration(sop=PLAIN), "scripted/all-lost", tmp_path, fail_on_error=False)
    run(replan(sop=PLAIN), "scripted/all-lost", tmp_path, fail_on_error=False)
    page = gap_page(tmp_path)
    for label in ("global", "replan all"):
        assert _row(page, "scored of planned", label)[1:] == [
            "0/1", "0/5", "5", "0", "–", "0.0 %", "–", "100.0 %",
        ]  # fmt: skip


def test_log_of_an_earlier_grader_is_refused_in_one_line(tmp_path: Path) -> None:
    log = run(step_by_step(sop=PLAIN, stepper="stop_at_once"), "none/none", tmp_path)
    for sample in samples(log):
        assert sample.scores is not None
        told = sample.scores["orchestration"].metadata or {}
        del told["without_refused"]
    write_eval_log(log, log.location)
    with pytest.raises(OptionError, match="graded by an earlier version; grade it again") as caught:
        gap_page(tmp_path)
    assert "\n" not in str(caught.value)


def test_refused_calls_stand_beside_the_score_without_them(tmp_path: Path) -> None:
    """C7."""
    PLAYS["refused"] = lambda messages, tools: (
        calls(("mail__sent", {}))
        if len(messages) == 2
        else calls(("finish", {"output": {"reminders_sent": 0}}))
    )
    run(step_by_step(sop=PLAIN), "scripted/refused", tmp_path)
    assert _row(gap_page(tmp_path), "cost", "step")[-3:] == ["5", "10.0 %", "10.0 %"]


@pytest.mark.parametrize("kind", ["twice", "models", "none", "missing"])
def test_logs_that_do_not_belong_together_are_refused(tmp_path: Path, kind: str) -> None:
    told = {"twice": "two logs of global", "models": "several models", "none": "no such logs"}
    if kind in ("twice", "models"):
        _run(tmp_path, global_orchestration(sop=SOP, planner="empty"))
        other = "empty" if kind == "twice" else "first_tool"
        _run(tmp_path, global_orchestration(sop=SOP, planner=other))
    place = tmp_path / "away" if kind == "missing" else tmp_path
    with pytest.raises(OptionError, match=told.get(kind, "no such file")) as caught:
        gap_page(place)
    assert "\n" not in str(caught.value)
