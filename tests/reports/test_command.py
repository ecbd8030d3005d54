"""The command: each verb answers, faults are one line, bounds set the exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import skillbench_tasks.cli as cli
from skillbench_tasks.cli import skillbench
from tests.mock import MOCK_SKILLS

SKILLS = ["--skills", str(MOCK_SKILLS)]


def _run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(skillbench, list(arguments))
    return result.exit_code, result.output


def test_list_names_every_case() -> None:
    code, output = _run("list", *SKILLS)
    assert (code, output.count("visit-desk.")) == (0, 6)


def test_show_prints_policy_user_dialogue_and_checks() -> None:
    code, output = _run("show", "visit-desk.lost_reply", *SKILLS)
    assert code == 0
    for part in ("== Policy", "== User ==", "✗ timeout", "ends as: resolved", "tool fault"):
        assert part in output


def test_check_of_the_mock_skill_is_silent() -> None:
    assert _run("check", *SKILLS) == (0, "6 cases, 0 faults\n")


def test_check_of_a_broken_skill_names_it_and_goes_on(tmp_path: Path) -> None:
    shutil.copytree(MOCK_SKILLS, tmp_path / "skills")
    broken = shutil.copytree(tmp_path / "skills" / "visit-desk", tmp_path / "skills" / "broken")
    page = Path(broken) / "SKILL.md"
    page.write_text(page.read_text("utf-8").replace("name: visit-desk", "name: broken"), "utf-8")
    code, output = _run("check", "--skills", str(tmp_path / "skills"))
    assert code == 1
    assert "broken/scenarios.yaml" in output
    assert "6 cases, 1 faults" in output


def test_stats_are_json_and_count_decisions() -> None:
    code, output = _run("stats", "--json", *SKILLS)
    stats = json.loads(output)
    assert (code, stats["scenarios"], stats["gold"]["text_decisions"]) == (0, 6, 24)


def test_baselines_table_passes_on_the_mock_skill(tmp_path: Path) -> None:
    code, output = _run("baselines", "--log-dir", str(tmp_path), *SKILLS)
    assert code == 0, output
    assert output.count("100.0 %") >= 5


def test_mutants_of_the_mock_skill_are_counted() -> None:
    _code, output = _run("mutants", "--json", *SKILLS)
    report = json.loads(output)
    assert report["total"] > 50
    assert report["failing_share"] >= 0.95


def test_unknown_case_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["skillbench", "show", "nosuch", *SKILLS])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
