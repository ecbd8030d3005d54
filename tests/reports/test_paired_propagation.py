"""The same decision under gold history and under the model's own (B7, J10)."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from skillbench_tasks.cli import skillbench
from skillbench_tasks.closed_loop import closed_loop
from skillbench_tasks.errors import OptionError
from skillbench_tasks.gold_history import gold_history
from skillbench_tasks.reports.paired_propagation import (
    PairedDecision,
    paired,
    paired_page,
    read_pairs,
)
from tests.label_plays import labelled
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS


def _pair(replay: str, number: int, gold: bool, own: bool, action: Any = "tool") -> PairedDecision:
    return PairedDecision((replay, 1), number, action, gold, own, own_unresolved=not own)


def test_table_first_error_and_what_follows_are_counted_by_hand() -> None:
    found = paired(
        [
            _pair("a", 0, True, True),
            _pair("a", 1, True, False),  # the first error
            _pair("a", 2, True, False),
            _pair("a", 3, False, False, "text"),
            _pair("a", 9, True, True),
            _pair("b", 0, False, True),
            _pair("b", 1, False, False),  # the first error; wrong after the gold history too
        ]
    )
    assert (found.both, found.gold_only, found.own_only, found.neither) == (2, 2, 1, 2)
    assert (found.replays, found.pairs, found.text_pairs, found.with_error) == (2, 7, 1, 2)
    assert found.first_errors == {2: 2}
    assert found.first_error_gold_failed == 1
    rows = {
        one.distance: (one.decisions, one.own_failed, one.gold_failed, one.difference)
        for one in found.behind
    }
    assert rows == {
        "1": (1, 1, 0, 1.0),
        "2": (1, 1, 1, 0.0),
        "3": (0, 0, 0, None),
        "4–6": (0, 0, 0, None),
        "7+": (1, 0, 0, 0.0),
        "all": (3, 2, 1, pytest.approx(1 / 3)),
    }
    assert (found.before.decisions, found.before.own_failed, found.before.gold_failed) == (2, 0, 1)


@pytest.mark.parametrize(("spread", "low", "high"), [(0.0, -0.05, 0.05), (0.4, 0.25, 0.45)])
def test_difficult_conversations_alone_make_no_error_spread(
    spread: float, low: float, high: float
) -> None:
    """J10: without a causal spread, difficulty alone gave later 20 % against all 10 %."""
    draw = random.Random(7)
    pairs = []
    for number in range(400):
        hard, has_erred = draw.choice((0.02, 0.3)), False
        for place in range(8):
            gold = draw.random() >= hard
            own = draw.random() >= hard + (spread if has_erred else 0.0) * (1 - hard)
            pairs.append(_pair(f"c{number}", place, gold, own))
            has_erred |= not own
    found = paired(pairs)
    last = found.behind[-1]
    naive = last.own_failed / last.decisions - sum(not p.own_ok for p in pairs) / len(pairs)
    assert last.difference is not None
    assert low < last.difference < high
    assert naive > 0.05  # what the unpaired comparison would call spread
    assert "cluster" in str(last.interval)


def _run(task: Task, folder: Path, model: str = "none/none", **options: Any) -> EvalLog:
    log = inspect_eval(task, model=model, log_dir=str(folder), display="none", **options)[0]
    assert log.status == "success", log.error
    return log


def test_predictor_whose_errors_do_not_spread_fails_alike_under_both(tmp_path: Path) -> None:
    """The perturbed reference errs at the same decisions whatever stands before them."""
    options: dict[str, Any] = {"dataset": str(MOCK_SKILLS), "predictor": "perturbed:0.3"}
    _run(gold_history(**options), tmp_path)
    _run(closed_loop(**options), tmp_path)
    pairs, notes = read_pairs(tmp_path, tmp_path)
    found = paired(pairs)
    assert found.pairs > 10
    assert found.neither > 0
    assert found.gold_only == found.own_only == 0
    assert found.behind[-1].difference == 0
    assert any("texts are not paired" in note for note in notes)
    shown = CliRunner().invoke(skillbench, ["propagation", str(tmp_path), str(tmp_path)])
    assert shown.output.rstrip() == paired_page(found, notes).rstrip()


def test_judged_texts_are_paired_and_count_as_failures(tmp_path: Path) -> None:
    """B7: any text passes in the closed loop, unless its texts are judged too."""
    PLAYS["no-zzz"] = lambda messages, tools: (
        labelled("fail", "other") if "Zzz." in messages[-1].text else labelled("pass")
    )
    options: dict[str, Any] = {"dataset": str(MOCK_SKILLS), "predictor": "perturbed:0.3"}
    roles: dict[str, Any] = {"model_roles": {"judge": "scripted/no-zzz"}}
    _run(gold_history(**options), tmp_path, **roles)
    closed = _run(closed_loop(**options, judge_texts=True), tmp_path, **roles)
    assert closed.results is not None
    rows = {
        name: metric.value
        for score in closed.results.scores
        if score.scorer == "replayed_texts"
        for name, metric in score.metrics.items()
    }
    assert rows["texts judged"] > 10
    assert rows["texts unscored"] == 0
    assert (
        rows["later decisions failed, texts judged"]
        > rows["later decisions failed, texts not judged"]
    )
    found = paired(read_pairs(tmp_path, tmp_path)[0])
    assert found.text_pairs > 10
    assert found.neither > 0


def test_logs_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    options: dict[str, Any] = {"dataset": str(MOCK_SKILLS), "predictor": "silent"}
    _run(gold_history(**options), tmp_path / "a", limit=2)
    _run(closed_loop(**options), tmp_path / "b", "mockllm/model", limit=2)
    with pytest.raises(OptionError, match="another model"):
        read_pairs(tmp_path / "a", tmp_path / "b")
    with pytest.raises(OptionError, match="0 logs of closed_loop"):
        read_pairs(tmp_path / "a", tmp_path / "a")
