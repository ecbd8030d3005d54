"""Before and after: tables worked by hand, logs that do not go together, and a run end to end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolInfo

from skillbench_tasks.cli import skillbench
from skillbench_tasks.errors import DataError, OptionError, SkillbenchError
from skillbench_tasks.gold_history import gold_history
from skillbench_tasks.reports.comparison import (
    MEASUREMENTS,
    Case,
    ComparedRow,
    Measurement,
    SideScores,
    compared_row,
    paired_means,
)
from skillbench_tasks.reports.comparison_report import ComparedBlock, ComparisonReport, compare_logs
from skillbench_tasks.reports.comparison_settings import versions_of
from skillbench_tasks.reports.comparison_table import comparison_page
from skillbench_tasks.reports.error_spread import error_spread, error_trace
from skillbench_tasks.scorers.statistic import Interval, Undefined
from tests.conftest import ROOT
from tests.eval_logs import MadeSample, unscored, write_log
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS, Reply, called

# The pure core


def test_paired_means_are_those_of_a_table_worked_by_hand() -> None:
    """Two conversations; `only` and `unpaired` are on one side and count nowhere."""
    a = {"x1": 0.0, "x2": 1.0, "y1": 0.5, "only": 1.0}
    b = {"x1": 1.0, "x2": 1.0, "y1": 0.0, "unpaired": 0.0}
    found = paired_means(a, b, {one: one[0] for one in a | b})
    assert (found.pairs, found.conversations) == (3, 2)
    assert found.mean_a.value == pytest.approx(0.5)
    assert found.mean_b.value == pytest.approx(2 / 3)
    assert found.difference.value == pytest.approx(1 / 6)
    assert found.difference.interval == Interval(
        lower=-0.5, upper=0.5, method="cluster bootstrap"
    )  # y alone, x alone


def test_exchanged_sides_give_the_negative_difference() -> None:
    a = {f"{c}{d}": (c * d) % 3 / 2 for c in range(9) for d in range(4)}
    b = {one: (i % 4) / 3 for i, one in enumerate(a)}
    clusters = {one: one[0] for one in a}
    there, back = paired_means(a, b, clusters), paired_means(b, a, clusters)
    assert isinstance(there.difference.interval, Interval)
    assert isinstance(back.difference.interval, Interval)
    assert isinstance(there.difference.value, float)
    assert back.difference.value == -there.difference.value
    assert back.difference.interval.lower == pytest.approx(-there.difference.interval.upper)
    assert back.mean_a == there.mean_b


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        pytest.param({}, {"x1": 1.0}, "no common scores", id="none"),
        pytest.param({"x1": 0.0, "x2": 1.0}, {"x1": 1.0, "x2": 0.0}, "fewer than two", id="one"),
        pytest.param({"x1": 0.5, "y1": 0.0}, {"x1": 0.5, "y1": 0.0}, "no sampling", id="same"),
        pytest.param({"x1": 0.0, "y1": 0.0}, {"x1": 1.0, "y1": 1.0}, "no sampling", id="constant"),
    ],
)
def test_difference_without_spread_has_no_interval(
    a: Mapping[str, float], b: Mapping[str, float], reason: str
) -> None:
    found = paired_means(a, b, {one: one[0] for one in (*a, *b)})
    assert isinstance(found.difference.interval, Undefined)
    assert found.difference.interval.reason.startswith(reason)


def test_row_counts_planned_scored_and_unscored_of_each_side() -> None:
    row = Measurement("gold_history", "i", "ROUGE-1", "rouge_1", None, {"action": "text"})
    cases = [Case(f"c{i}", f"c{i}", {"action": "text", "kind": f"k{i % 2}"}) for i in range(5)]
    cases.append(Case("t", "t", {"action": "tool", "kind": "k0"}))
    everything = frozenset(case.id for case in cases)
    a = SideScores(everything, {"rouge_1": {"c0": 0.1, "c1": 0.2, "c2": 0.3, "t": 0.9}})
    b = SideScores(everything - {"c4"}, {"rouge_1": {"c1": 0.4, "c3": 0.6}})
    found = compared_row(row, cases, a, b)
    assert found is not None
    assert (found.a.planned, found.a.scored, found.a.unscored) == (5, 3, 2)
    assert (found.b.planned, found.b.scored, found.b.unscored) == (4, 2, 2)
    assert (found.means.pairs, found.only_a, found.only_b) == (1, 2, 1)
    part = compared_row(row, cases, a, b, ("kind", "k1"))
    assert part is not None
    assert (part.group, part.a.planned, part.means.pairs) == ("kind=k1", 2, 1)
    assert compared_row(row, cases, a, b, ("kind", "other")) is None


def test_error_spread_is_that_of_a_table_worked_by_hand() -> None:
    told: list[tuple[str, dict[str, Any]]] = [
        ("a", _errors(None, None, (0, 9), (0, 9), (0, 3))),
        ("b", _errors(1, False, (3, 4), (1, 1), (2, 2))),
        ("c", _errors(3, True, (0, 2), (0, 1), (0, 3))),
        ("c", _errors(2, True, (1, 3), (1, 2), (1, 3))),
        ("d", {"first_error": 2}),  # a log that says no more
        ("e", {"match": "strict"}),  # nor this one
    ]
    traces = [error_trace(conversation, "tools", one) for conversation, one in told]
    found = error_spread([trace for trace in traces if trace])
    assert (found.replays, found.with_error, found.first_error_median) == (5, 4, 2.0)
    assert found.first_errors == {1: 1, 2: 2, 3: 1}
    assert (found.corrected, found.standing) == (2, 1)
    assert (found.later.failed, found.later.decisions) == (4, 9)
    assert found.later.share.value == pytest.approx(4 / 9)
    assert isinstance(found.later.share.interval, Interval)
    assert (found.later_after_corrected.failed, found.later_after_corrected.decisions) == (1, 5)
    assert (found.later_after_standing.failed, found.later_after_standing.decisions) == (3, 4)
    assert (found.later_tool.failed, found.later_tool.decisions) == (2, 4)
    assert (found.tool.failed, found.tool.decisions) == (3, 11)
    assert isinstance(error_spread([]).later.share.value, Undefined)


def _errors(
    first: int | None,
    corrected: bool | None,
    later: tuple[int, int],
    tool: tuple[int, int],
    all_: tuple[int, int],
) -> dict[str, Any]:
    return {
        "first_error": first,
        "first_error_corrected": corrected,
        "later_failed": later[0],
        "later_decisions": later[1],
        "later_tool_failed": tool[0],
        "later_tool_decisions": tool[1],
        "tool_failed": all_[0],
        "tool_decisions": all_[1],
    }


# Logs


def _text(conversation: str, number: int, rouge: float | None, **more: Any) -> MadeSample:
    scores = {"rouge_1": unscored() if rouge is None else rouge, "strict_tool": unscored()}
    return _decision(conversation, number, "text", scores, **more)


def _tool(conversation: str, number: int, exact: float, **more: Any) -> MadeSample:
    value = {"exact": exact, "function_name": 1.0, "argument_f1": exact, "equivalent": float("nan")}
    scores = {"rouge_1": unscored(), "strict_tool": value, **more.pop("scores", {})}
    return _decision(conversation, number, "tool", scores, **more)


def _decision(
    conversation: str, number: int, action: str, scores: Mapping[str, Any], **more: Any
) -> MadeSample:
    metadata = {
        "conversation": conversation,
        "skill": "lamp",
        "kind": "plain",
        "novelty": "seen_skill" if conversation < "c" else "unseen_skill",
        "action": action,
        "number": number,
        "decision": {"json": "x" * 2000},
    }
    return MadeSample(f"{conversation}#{number}", metadata, scores, **more)


def _replay(name: str, needs: str, done: float, first_error: int | None = None) -> MadeSample:
    metadata = {"conversation": name, "skill": "lamp", "kind": "plain", "needs": needs}
    told = _errors(first_error, done == 1, (1, 2), (1, 1), (2, 3)) if first_error else {}
    score = Score(
        value={"completion": done, "completion_first_try": 0.0},
        metadata={"first_error": first_error, "grader_version": "1", **told},
    )
    return MadeSample(name, metadata, {"workflow": score})


BEFORE = [_text("a", 0, 0.2), _text("b", 0, 0.3), _tool("a", 1, 1.0), _tool("c", 0, 1.0)]
AFTER = [_text("a", 0, 0.6), _text("b", 0, 0.5), _tool("a", 1, 0.0), _tool("c", 0, 1.0)]


def _both(
    tmp_path: Path,
    before: Sequence[MadeSample] = BEFORE,
    after: Sequence[MadeSample] = AFTER,
    task: str = "gold_history",
    a: Mapping[str, Any] | None = None,
    b: Mapping[str, Any] | None = None,
) -> ComparisonReport:
    write_log(tmp_path / "a" / "one.eval", task, before, **(a or {}))
    write_log(tmp_path / "b" / "two.eval", task, after, **{"model": "made/after", **(b or {})})
    return compare_logs(tmp_path / "a", tmp_path / "b")


def _rows(block: ComparedBlock) -> dict[str, ComparedRow]:
    return {row.label + (f" {row.group}" if row.group else ""): row for row in block.rows}


def test_model_whose_calls_fall_while_its_texts_rise_shows_both_signs(tmp_path: Path) -> None:
    (block,) = _both(tmp_path).blocks
    rows = _rows(block)
    assert rows["ROUGE-1, texts"].means.difference.value == pytest.approx(0.3)
    assert rows["exact call"].means.difference.value == pytest.approx(-0.5)
    assert rows["exact call"].a.planned == 2
    empty = rows["equivalent call"]
    assert (empty.means.pairs, empty.a.unscored) == (0, 2)
    assert isinstance(empty.means.difference.value, Undefined)


def test_scorer_that_no_log_has_is_told_as_not_measured(tmp_path: Path) -> None:
    judged = {"turn_judge": {"turn_success": 1.0, "tool_turn_success": 1.0, "pass:m/x@1": 1.0}}
    before = [_tool("a", 1, 1.0, scores=judged), _tool("b", 0, 1.0, scores=judged)]
    report = _both(tmp_path, before=before, after=[_tool("a", 1, 0.0), _tool("b", 0, 0.0)])
    (block,) = report.blocks
    assert {(one.scorer, one.lacks) for one in block.missing} == {("turn_judge", ("B",))}
    assert "judged success, calls" not in _rows(block)
    assert "NOT MEASURED turn_judge: B has none" in comparison_page(report)


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        pytest.param({"pass:m/x@1": 1.0}, {"pass:m/y@1": 1.0}, "A m/x@1, B m/y@1", id="judge"),
        pytest.param({"pass:m/x@1": 1.0}, {"pass:m/x@2": 1.0}, "A m/x@1, B m/x@2", id="rubric"),
        pytest.param({"pass:m/x@1": 1.0}, {"pass:m/x@1": 0.0}, "", id="same"),
    ],
)
def test_rows_of_other_judges_are_refused(
    tmp_path: Path, a: dict[str, float], b: dict[str, float], told: str
) -> None:
    def side(keys: dict[str, float]) -> list[MadeSample]:
        judged = {"turn_judge": {"turn_success": 1.0, "tool_turn_success": 1.0, **keys}}
        return [_tool(name, 0, 1.0, scores=judged) for name in ("a", "b")]

    (block,) = _both(tmp_path, before=side(a), after=side(b)).blocks
    assert ("judged success, calls" in _rows(block)) == (not told)
    assert [told in one.reason and one.scorer == "turn_judge" for one in block.refused] == (
        [True] if told else []
    )
    assert "exact call" in _rows(block)


def test_rows_that_several_judges_gave_in_parts_are_refused(tmp_path: Path) -> None:
    judged: list[dict[str, Any]] = [
        {"turn_judge": {"turn_success": 1.0, f"pass:{j}@1": 1.0}} for j in "xy"
    ]
    samples = [_tool("a", 0, 1.0, scores=judged[0]), _tool("b", 0, 1.0, scores=judged[1])]
    (block,) = _both(tmp_path, before=samples, after=samples).blocks
    assert "A x@1 and y@1, B x@1 and y@1" in block.refused[0].reason


@pytest.mark.parametrize("name", ["task", "data"])
def test_other_versions_of_the_cases_are_refused(tmp_path: Path, name: str) -> None:
    (block,) = _both(tmp_path, b={"metadata": {name: "0"}}).blocks
    assert block.rows == ()
    assert {one.scorer for one in block.refused} == {"rouge_1", "strict_tool"}
    assert f"other version of the {name}" in block.refused[0].reason


def test_task_version_that_inspect_recorded_differs_from_the_metadata_d8(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.eval", "gold_history", [_text("a", 0, 0.5)])
    log = read_eval_log(str(path))
    said = "7"
    log.eval.metadata = {"task": said, "data": "1"}
    same = log.model_copy(update={"eval": log.eval.model_copy(update={"task_version": said})})
    other = log.model_copy(update={"eval": log.eval.model_copy(update={"task_version": "0"})})
    assert versions_of(same)["task"] == said
    assert versions_of(other)["task"] == f"{said} (recorded by Inspect as 0)"


def test_grader_is_that_of_the_score_and_only_its_rows_are_refused(tmp_path: Path) -> None:
    """The head of B names an older grader, but its texts were scored again by that of A."""
    again = [
        _decision("a", 0, "text", {"rouge_1": Score(value=0.6, metadata={"grader_version": "1"})}),
        _tool("a", 1, 0.0),
    ]
    (block,) = _both(tmp_path, after=again, b={"metadata": {"grader": "0"}}).blocks
    assert list(_rows(block)) == ["ROUGE-1, texts"]
    assert [one.scorer for one in block.refused] == ["strict_tool"]
    assert "(A 1, B 0); score the older log again" in block.refused[0].reason


def test_epochs_are_averaged_within_their_sample_first(tmp_path: Path) -> None:
    before = [_text("a", 0, 0.0), _text("a", 0, 1.0, epoch=2), _text("b", 0, 0.0)]
    before.append(_text("b", 0, None, epoch=2))
    (block,) = _both(tmp_path, before=before).blocks
    row = _rows(block)["ROUGE-1, texts"]
    assert (row.means.mean_a.value, row.means.pairs) == (0.25, 2)


def test_broken_run_is_unscored_and_unfinished_log_is_used_and_told(tmp_path: Path) -> None:
    after = [_text("a", 0, 0.6), _text("b", 0, 0.9, error="provider down")]
    status: dict[str, Any] = {"status": "error", "error": "judge verdicts are missing\nmore"}
    planned = {"planned": ["a#0", "b#0", "a#1", "c#0", "unknown#0"]}
    report = _both(tmp_path, after=after, b={**status, **planned})
    row = _rows(report.blocks[0])["ROUGE-1, texts"]
    assert (row.b.planned, row.b.scored, row.b.unscored, row.means.pairs) == (2, 1, 1, 1)
    note = "two.eval ended as error (judge verdicts are missing); 2 of 5 samples are there and used"
    assert note in report.notes[0]
    assert f"NOTE B: {tmp_path}" in comparison_page(report)


def test_log_of_a_run_that_was_killed_is_used(tmp_path: Path) -> None:
    report = _both(tmp_path, a={"status": "started", "planned": ["a#0", "b#0", "a#1", "c#0"]})
    assert "one.eval ended as started; 4 of 4" in report.notes[0]
    assert len(report.blocks[0].rows) == 7


def test_samples_that_ask_something_else_under_one_id_are_left_out(tmp_path: Path) -> None:
    after = [_text("a", 0, 0.6, input="Good night."), *AFTER[1:]]
    report = _both(tmp_path, after=after)
    assert report.blocks[0].changed == ("a#0",)
    assert _rows(report.blocks[0])["ROUGE-1, texts"].means.pairs == 1
    assert "1 LEFT OUT" in comparison_page(report)


def test_interval_over_few_conversations_is_marked(tmp_path: Path) -> None:
    sides = [[_text(f"c{i}", 0, (i + side) % 3 / 2) for i in range(20)] for side in (0, 1)]
    few = _both(tmp_path / "few", before=sides[0][1:], after=sides[1][1:])
    many = _both(tmp_path / "many", before=sides[0], after=sides[1])
    marks = ["*  19 in 19" in comparison_page(few), "*  20 in 20" in comparison_page(many)]
    assert marks == [True, False]


def test_workflows_with_and_without_tools_are_never_in_one_row(tmp_path: Path) -> None:
    before = [_replay("a", "tools", 0.0, 2), _replay("b", "tools", 0.0, 4)]
    before += [_replay("c", "no_tools", 1.0), _replay("d", "no_tools", 1.0)]
    before.append(_replay("only", "tools", 0.0, 1))
    after = [_replay("a", "tools", 1.0, 1), _replay("b", "tools", 0.0, 5)]
    after += [_replay("c", "no_tools", 0.0), _replay("d", "no_tools", 1.0)]
    report = _both(tmp_path, before, after, task="closed_loop")
    (block,) = report.blocks
    rows = _rows(block)
    assert rows["completion, workflows with tools"].means.difference.value == 0.5
    assert rows["completion, workflows without"].means.difference.value == -0.5
    assert [one.lacks for one in block.missing] == [("A", "B")]
    assert [(one.needs, one.a.with_error, one.b.corrected) for one in block.errors] == [
        ("tools", 2, 1),
        ("no_tools", 0, 0),
    ]
    page = comparison_page(report)
    assert "NOT MEASURED holistic_judge: A and B have none" in page
    assert "first error at decision (median)" in page


def test_zero_shot_loop_is_shown_on_the_replayed_scenarios(tmp_path: Path) -> None:
    for side, model, value in (("a", "made/before", "C"), ("b", "made/after", "I")):
        shots = [MadeSample(one, {"kind": "plain"}, {"verified": value}) for one in "abcd"]
        replays = [_replay("a", "tools", 1.0), _replay("b", "no_tools", 1.0)]
        write_log(tmp_path / side / "shots.eval", "zero_shot", shots, model=model)
        write_log(tmp_path / side / "replays.eval", "closed_loop", replays, model=model)
    report = compare_logs(tmp_path / "a", tmp_path / "b")
    rows = _rows(report.blocks[1])
    assert {label: row.means.pairs for label, row in rows.items()} == {
        "verified, the replayed scenarios": 2,
        "verified, of these with tools": 1,
        "verified, of these without tools": 1,
        "verified, all scenarios": 4,
    }
    assert rows["verified, all scenarios"].means.difference.value == -1.0
    assert "undefined (no sampling variation)" in comparison_page(report)


def test_rows_are_divided_by_metadata(tmp_path: Path) -> None:
    _both(tmp_path)
    report = compare_logs(tmp_path / "a", tmp_path / "b", by="novelty")
    rows = _rows(report.blocks[0])
    assert rows["exact call novelty=seen_skill"].means.mean_b.value == 0.0
    assert rows["exact call novelty=unseen_skill"].means.mean_b.value == 1.0
    assert rows["exact call"].means.mean_b.value == 0.5


@pytest.mark.parametrize(
    ("task", "a", "b", "told"),
    [
        pytest.param(
            "closed_loop", {"match": "strict"}, {"match": "equivalent"}, "match", id="match"
        ),
        pytest.param("gold_history", {}, {"split": "train"}, "split=train", id="split"),
        pytest.param("gold_history", {}, {"dataset": "x.jsonl"}, "dataset=skills", id="dataset"),
        pytest.param("zero_shot", {"turns": 20}, {"turns": 5}, "turns=5", id="budget"),
    ],
)
def test_other_settings_are_never_compared(
    tmp_path: Path, task: str, a: dict[str, Any], b: dict[str, Any], told: str
) -> None:
    with pytest.raises(OptionError, match="nothing in common") as caught:
        _both(tmp_path, task=task, a={"args": a}, b={"args": b})
    assert told in str(caught.value)


def test_other_users_are_never_compared_and_free_options_are(tmp_path: Path) -> None:
    shots = [MadeSample("a", {}, {"verified": "C"})]
    with pytest.raises(OptionError, match=r"user=scripted.*user=made/user"):
        _both(tmp_path, shots, shots, "zero_shot", b={"roles": {"user": "made/user"}})
    free = {"args": {"agent": "reference", "transport": "mcp", "kind": "plain", "judge_samples": 3}}
    report = _both(tmp_path, shots, shots, "zero_shot", b=free)
    assert report.b.model == "made/after, agent reference"


def test_default_that_is_spelt_out_is_no_other_setting(tmp_path: Path) -> None:
    args = {"split": "evaluation", "dataset": None, "predictor": "model"}
    assert _both(tmp_path, b={"args": args}).blocks[0].label == "gold_history"


def test_other_sampling_is_told(tmp_path: Path) -> None:
    report = _both(tmp_path, b={"config": GenerateConfig(temperature=0.7, max_connections=3)})
    assert report.notes == ("gold_history: sampled differently: temperature A default B 0.7",)


def test_parts_of_one_run_are_put_together(tmp_path: Path) -> None:
    write_log(tmp_path / "a" / "x" / "part1.eval", "gold_history", BEFORE[:2])
    write_log(tmp_path / "a" / "part2.eval", "gold_history", BEFORE[2:])
    whole = write_log(tmp_path / "whole.eval", "gold_history", BEFORE)
    after = write_log(tmp_path / "b.eval", "gold_history", AFTER)
    assert compare_logs(tmp_path / "a", after).blocks == compare_logs(whole, after).blocks


def test_newest_try_of_a_run_counts(tmp_path: Path) -> None:
    late = "2026-03-02T10:00:00+00:00"
    write_log(tmp_path / "a" / "y.eval", "gold_history", BEFORE[:1], task_id="t", status="error")
    write_log(tmp_path / "a" / "x.eval", "gold_history", BEFORE, task_id="t", created=late)
    after = write_log(tmp_path / "b.eval", "gold_history", AFTER)
    report = compare_logs(tmp_path / "a", after)
    assert [Path(one.file).name for one in report.a.files] == ["x.eval"]
    assert "is an earlier try of" in report.notes[0]


def test_same_log_on_both_sides_differs_by_nothing(tmp_path: Path) -> None:
    one = write_log(tmp_path / "one.eval", "gold_history", BEFORE)
    row = _rows(compare_logs(one, one).blocks[0])["ROUGE-1, texts"]
    assert row.means.difference.value == 0
    assert row.means.difference.interval == Undefined(reason="no sampling variation")


def test_order_of_files_and_samples_moves_no_byte(tmp_path: Path) -> None:
    first = _both(tmp_path / "x").model_dump(exclude={"a", "b"})
    again = _both(tmp_path / "x", BEFORE[::-1], AFTER[::-1]).model_dump(exclude={"a", "b"})
    assert json.dumps(first) == json.dumps(again)


# Faults


def _overlapping(folder: Path) -> None:
    write_log(folder / "one.eval", "gold_history", BEFORE)
    write_log(folder / "two.eval", "gold_history", AFTER[:1])


def _two_models(folder: Path) -> None:
    write_log(folder / "one.eval", "gold_history", BEFORE)
    write_log(folder / "two.eval", "closed_loop", [_replay("a", "tools", 1.0)], model="made/other")


def _two_predictors(folder: Path) -> None:
    write_log(folder / "one.eval", "gold_history", BEFORE, args={"predictor": "silent"})
    replays = [_replay("a", "tools", 1.0)]
    write_log(folder / "two.eval", "closed_loop", replays, args={"predictor": "model"})


def _scored_twice(folder: Path) -> None:
    write_log(folder / "one.eval", "gold_history", BEFORE, task_id="t")
    write_log(folder / "two.eval", "gold_history", BEFORE, task_id="t")


def _versions(folder: Path) -> None:
    write_log(folder / "one.eval", "gold_history", BEFORE[:1])
    write_log(folder / "two.eval", "gold_history", BEFORE[1:], metadata={"data": "0"})


def _corrupt(folder: Path) -> None:
    path = write_log(folder / "two.eval", "gold_history", BEFORE)
    path.write_bytes(path.read_bytes()[:700])


def _strange_value(folder: Path) -> None:
    sample = _decision("a", 0, "text", {"rouge_1": "good"})
    write_log(folder / "two.eval", "gold_history", [sample])


def _other_task(folder: Path) -> None:
    write_log(folder / "one.eval", "judge_calibration", [])


@pytest.mark.parametrize(
    ("make", "told"),
    [
        pytest.param(_overlapping, "one.eval: gold_history: asks the same samples as", id="twice"),
        pytest.param(_two_models, "model made/before here, made/other in", id="models"),
        pytest.param(_two_predictors, "predictor silent here, default in", id="predictors"),
        pytest.param(_scored_twice, "two.eval: the same run as", id="scored-twice"),
        pytest.param(_versions, "other versions than", id="versions"),
        pytest.param(_corrupt, "two.eval: no Inspect log that can be read", id="corrupt"),
        pytest.param(_strange_value, "two.eval: rouge_1: 'good' is no number", id="value"),
        pytest.param(_other_task, "has no log of closed_loop, gold_history, zero_shot", id="task"),
        pytest.param(lambda folder: folder.mkdir(), "has no log of", id="empty"),
        pytest.param(lambda folder: None, "no such file or folder", id="missing"),
    ],
)
def test_logs_that_cannot_be_compared_are_one_line(tmp_path: Path, make: Any, told: str) -> None:
    make(tmp_path / "a")
    good = write_log(tmp_path / "good.eval", "gold_history", BEFORE)
    with pytest.raises((DataError, OptionError)) as caught:
        compare_logs(tmp_path / "a", good)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    if told.startswith(("one.eval", "two.eval")):
        assert "two.eval" in str(caught.value)


def test_json_files_of_others_in_a_log_folder_are_no_logs(tmp_path: Path) -> None:
    write_log(tmp_path / "a" / "2026-03-01T10-00-00_gold_x.json", "gold_history", BEFORE)
    (tmp_path / "a" / "eval-set.json").write_text("{}", "utf-8")
    after = write_log(tmp_path / "b.eval", "gold_history", AFTER)
    assert compare_logs(tmp_path / "a", after).blocks[0].samples == 4


# The command


def _command(*arguments: str | Path) -> str:
    result = CliRunner().invoke(skillbench, ["compare", *map(str, arguments)])
    assert result.exit_code == 0, result
    return result.output


def test_command_prints_tables_or_json(tmp_path: Path) -> None:
    _both(tmp_path)
    page = _command(tmp_path / "a", tmp_path / "b", "--by", "kind")
    assert page.startswith("A: made/before\n")
    assert "kind=plain" in page
    told = json.loads(_command(tmp_path / "a", tmp_path / "b", "--json"))
    (row,) = [one for one in told["blocks"][0]["rows"] if one["key"] == "exact"]
    assert row["means"]["difference"]["value"] == -0.5
    assert row["a"] == {"planned": 2, "scored": 2, "unscored": 0}


def test_missing_folder_is_no_traceback(tmp_path: Path) -> None:
    result = CliRunner().invoke(skillbench, ["compare", str(tmp_path / "x"), str(tmp_path)])
    assert isinstance(result.exception, SkillbenchError)


def test_every_measurement_has_a_name_of_its_own() -> None:
    assert len({(m.task, m.label) for m in MEASUREMENTS}) == len(MEASUREMENTS) == 28


@pytest.mark.slow
def test_hash_seed_moves_no_byte(tmp_path: Path) -> None:
    _both(tmp_path)
    shots = [MadeSample(one, {}, {"verified": "C"}) for one in "abc"]
    for turns in (5, 6):
        name = tmp_path / "a" / f"{turns}.eval"
        write_log(name, "zero_shot", shots, args={"turns": turns})
    code = "from skillbench_tasks.cli import main; main()"
    command = [sys.executable, "-c", code, "compare", str(tmp_path / "a"), str(tmp_path / "b")]
    pages = {
        subprocess.run(
            [*command, "--by", "kind"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(pages) == 1


# End to end


def _caller(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    return called(tools[0].name, {})


def test_two_models_on_the_mock_skill_are_compared_end_to_end(tmp_path: Path) -> None:
    PLAYS["compare-talks"] = lambda messages, tools: "Let me look at your visit."
    PLAYS["compare-calls"] = _caller
    logs = inspect_eval(
        gold_history(dataset=str(MOCK_SKILLS)),
        model=["scripted/compare-talks", "scripted/compare-calls"],
        log_dir=str(tmp_path),
        display="none",
        log_realtime=False,
        max_samples=50,
        limit=24,
    )
    talks, calls = (Path(urlsplit(log.location).path) for log in logs)
    report = compare_logs(talks, calls)
    rows = _rows(report.blocks[0])
    texts, names = rows["ROUGE-1, texts"].means, rows["function name"].means
    assert (report.a.model, report.b.model) == ("scripted/compare-talks", "scripted/compare-calls")
    assert isinstance(texts.difference.interval, Interval)
    assert isinstance(names.difference.interval, Interval)
    assert texts.difference.interval.upper < 0 < names.difference.interval.lower
    assert (texts.pairs, texts.conversations) == (11, 3)
    assert report.notes == ()
