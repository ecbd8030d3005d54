"""Kinds of fault that users of such suites reported and that no other test module shows.

The numbers are the rows of the list of known faults. Elsewhere: 1, 4 `datasets/test_loading`; 2 `test_zero_shot`,
`reports/test_command`; 6, 9 `tools/test_compare`, `tools/test_toolbox`, `scorers/test_deterministic`; 7 `test_determinism`;
8 `scorers/test_deterministic`; 10, 11 `solvers/test_role_play`, `test_zero_shot`; 12, 20 `test_zero_shot`; 21 `tools/workflow`,
`tools/test_toolbox`; 13, 14, 15 `scorers/test_judge_verdict`, `scorers/test_judge_panel`; 14, 16, 17 `scorers/test_agreement`;
18 `test_limits`; 19 `test_resume`, `scorers/test_spend`; 22 `tools/test_mcp`, `tools/test_transport`.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
from pathlib import Path

import pytest
from inspect_ai import Epochs
from inspect_ai import eval as inspect_eval
from inspect_ai._util.registry import registry_info
from inspect_ai.model import ChatMessage, get_model
from inspect_ai.scorer import SampleScore, Score, mean, pass_k
from inspect_ai.tool import ToolInfo

from skillbench_tasks.errors import OptionError
from skillbench_tasks.reports.tables import log_table
from skillbench_tasks.scorers.shells import mean_without_user_faults, scored, unscored
from skillbench_tasks.task_options import refuse_misspelt_roles, require_reachable
from skillbench_tasks.zero_shot import zero_shot
from tests.judge_plays import grades
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS

CANARY = "xylophone-canary"


def test_5_canary_planted_in_gold_never_reaches_the_agent(tmp_path: Path) -> None:
    skills = Path(shutil.copytree(MOCK_SKILLS, tmp_path / "skills"))
    folder = skills / "visit-desk"
    gold = json.loads((folder / "gold.json").read_text("utf-8"))
    for entry in gold.values():
        entry["turns"] = [f"{text} {CANARY}" for text in entry["turns"]]
    (folder / "gold.json").write_text(json.dumps(gold), "utf-8")
    scenarios = (folder / "scenarios.yaml").read_text("utf-8")
    planted = scenarios.replace("goal: You want", f"goal: {CANARY} You want").replace(
        "checklist: [", f"checklist: [{CANARY}, "
    )
    assert planted.count(CANARY) >= 12
    (folder / "scenarios.yaml").write_text(planted, "utf-8")
    seen: list[str] = []

    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
        seen.extend(message.model_dump_json() for message in messages)
        seen.extend(tool.model_dump_json() for tool in tools)
        return "What is your phone number, your full name and your ZIP code? Shall I go ahead?"

    PLAYS["canary"] = play
    task = zero_shot(skills=str(skills), turns=4)
    log = inspect_eval(task, model="scripted/canary", log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success"
    assert len(seen) > 50
    assert CANARY not in "\n".join(seen)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 1, 0, 0], 1 / 6), ([1, 1, 1, 1], 1.0), ([1, 0, 0, 0], 0.0), ([1, 1, 1, 0], 0.5)],
)
def test_18_pass_2_of_4_is_counted_without_replacement(values: list[int], expected: float) -> None:
    reduced = pass_k(2)([Score(value=value) for value in values])
    assert reduced.value == pytest.approx(expected)


def test_18_pass_k_above_the_epochs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="requires 3 epochs"):
        inspect_eval(
            zero_shot(skills=str(MOCK_SKILLS), agent="silent"),
            model="none/none",
            epochs=Epochs(2, "pass_k_3"),
            log_dir=str(tmp_path),
            display="none",
        )


def test_j7_mean_without_user_faults_looks_at_each_epoch() -> None:
    """Epoch 1: the user broke its role and the run failed; epoch 2: a clean pass."""
    runs = [
        SampleScore(score=Score(value=value, metadata={"user_fault_rate": rate}), sample_id="a")
        for value, rate in (("I", 0.5), ("C", 0.0))
    ]
    assert mean_without_user_faults()(runs) == 1.0  # type: ignore[arg-type]
    # Inspect gives a metric the runs themselves only where it says so.
    assert registry_info(mean_without_user_faults()).metadata["scores"] == "unreduced"


def test_j7_pass_k_is_not_shown_of_grades_and_rates(tmp_path: Path) -> None:
    grades_given = iter([3, 4, 2, 5])
    PLAYS["judge-varying"] = lambda messages, tools: json.dumps(grades(next(grades_given)))
    log = inspect_eval(
        zero_shot(skills=str(MOCK_SKILLS), agent="reference", kind="straightforward"),
        model="none/none",
        model_roles={"judge": "scripted/judge-varying"},
        epochs=Epochs(4, ["pass_k_2", "mean"]),
        log_dir=str(tmp_path),
        display="none",
    )[0]
    rows = [re.split(r"  +", line) for line in log_table(log).splitlines()]
    judge = next(row for row in rows if row[0] == "scripted/judge-varying@2")
    assert judge[1:3] == ["16.7 %", "3.50"]  # two passes of four; the mean of 3, 4, 2 and 5
    assert not any(row[0] == "user_faults (pass_k_2)" for row in rows)
    assert any(row[0] == "verified (pass_k_2)" for row in rows)


def test_16_18_counts_stand_beside_the_mean_and_missing_values_are_told() -> None:
    scores = [SampleScore(score=Score(value=value)) for value in (1.0, float("nan"), 0.0)]
    assert scored()(scores) == 2.0  # type: ignore[arg-type]
    assert unscored()(scores) == 1.0  # type: ignore[arg-type]
    assert mean()(scores[::2]) == 0.5  # type: ignore[arg-type]


def test_18_sample_that_breaks_in_the_harness_is_no_zero_of_the_agent(tmp_path: Path) -> None:
    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
        if "moved to the 17th" in messages[1].text:
            raise RuntimeError("the provider is down")
        return "I can't do that."

    PLAYS["breaks"] = play
    task = zero_shot(skills=str(MOCK_SKILLS))
    log = inspect_eval(
        task, model="scripted/breaks", log_dir=str(tmp_path), display="none", fail_on_error=False
    )[0]
    assert log.results is not None
    assert (log.results.total_samples, log.results.completed_samples) == (6, 5)
    verified = next(s for s in log.results.scores if s.name == "verified")
    assert verified.metrics["scored"].value == 5


def test_unreachable_server_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setenv("GONE_API_KEY", "x")
    monkeypatch.setenv("GONE_BASE_URL", f"http://127.0.0.1:{port}/v1")
    model = get_model("openai-api/gone/x", memoize=False)
    with pytest.raises(OptionError, match=f"no server answers at 127.0.0.1:{port}") as caught:
        require_reachable(model)
    assert "\n" not in str(caught.value)


def test_reachable_server_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("HERE_API_KEY", "x")
        monkeypatch.setenv("HERE_BASE_URL", f"http://127.0.0.1:{server.getsockname()[1]}/v1")
        require_reachable(get_model("openai-api/here/x", memoize=False))


@pytest.mark.parametrize("role", ["jugde", "Judge", "judges", "usr", "moc"])
def test_misspelt_role_is_refused_in_one_line(role: str) -> None:
    with pytest.raises(OptionError, match=f"--model-role {role}: no such role; write"):
        refuse_misspelt_roles(["user", role])


def test_role_of_a_plugged_in_agent_is_left_alone() -> None:
    refuse_misspelt_roles(["user", "judge", "mock", "planner", "critic"])
