"""The example of a skill of one's own: complete, sound, and not to be passed without doing the work."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from skillbench_tasks.cli import skillbench
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.reports.baselines import run_baselines
from skillbench_tasks.reports.mutants import holds, mutant_report
from tests.conftest import ROOT

SKILLS = ROOT / "examples" / "skills"


def test_example_skill_has_every_file_and_no_fault() -> None:
    result = CliRunner().invoke(skillbench, ["check", "--skills", str(SKILLS)])
    assert (result.exit_code, result.output) == (0, "3 cases, 0 faults\n")
    names = {path.name for path in (SKILLS / "repair-report").iterdir()}
    files = {"SKILL.md", "flow.yaml", "scenarios.yaml", "policy.yaml", "gold.json", "world.json"}
    assert names == files


def test_example_skill_stands_in_a_domain_and_a_world_of_its_own() -> None:
    shipped = {case.skill.industry for case in load_cases()}
    own = {case.skill.industry for case in load_cases(SKILLS)}
    assert own == {"housing"}
    assert not own & shipped


def test_reference_passes_the_example_skill_and_no_baseline_does(tmp_path: Path) -> None:
    assert run_baselines(tmp_path, SKILLS).broken == ()


def test_planted_defects_fail_in_the_example_skill() -> None:
    assert holds(mutant_report(load_cases(SKILLS)))
