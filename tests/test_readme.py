"""The README's commands exist and fit: targets, verbs, options, files."""

from __future__ import annotations

import inspect
import re

import pytest
from click.testing import CliRunner
from inspect_ai._util.registry import registry_lookup

import skillbench_tasks
from skillbench_tasks.cli import skillbench
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.reports.stats import suite_stats
from skillbench_tasks.zero_shot import zero_shot
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.split("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.strip()
]


LONG = {
    *("baselines", "mutants", "variations", "strength", "check", "serve", "export", "compare"),
    *("gap", "fidelity"),
}
"""Verbs that take long, or need a log."""


def test_readme_is_short_and_starts_with_the_two_targets() -> None:
    assert README.count("\n") <= 180
    assert [command.split()[:2] for command in COMMANDS[:2]] == [["make", "demo"], ["make", "test"]]


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("make ")])
def test_make_target_exists(command: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{command.split()[1]}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("command", [c for c in COMMANDS if "/skillbench " in c])
def test_verb_exists_and_answers(command: str) -> None:
    verb, *arguments = command.split()[1:]
    assert verb in skillbench.commands
    if verb in LONG:
        arguments = ["--help"]
    result = CliRunner().invoke(skillbench, [verb, *arguments])
    assert result.exit_code == 0, result.output
    assert result.output.strip()


@pytest.mark.parametrize("command", [c for c in COMMANDS if "inspect eval" in c])
def test_task_options_exist(command: str) -> None:
    name = command.split("skillbench_tasks/")[1].split(maxsplit=1)[0]
    known = inspect.signature(getattr(skillbench_tasks, name)).parameters
    for option, value in re.findall(r"-T (\w+)=(\S+)", command):
        assert option in known
        if option == "kind":
            zero_shot(kind=value)


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([\w./-]+)\)", README))))
def test_linked_file_exists(target: str) -> None:
    assert (ROOT / target).exists()


def test_counts_in_the_readme_are_those_of_the_suite() -> None:
    stats = suite_stats(load_cases())
    assert f"all {stats['scenarios']} scenarios" in README
    assert f"{stats['tools']['total']} tools on {stats['tools']['servers']} servers" in README
    assert f"{len(stats['by_kind'])} kinds of scenario" in README
    assert stats["skills"] == 8 and len(stats["by_industry"]) == 3


def test_page_of_runs_says_how_a_log_is_graded_again_d7() -> None:
    """Inspect's own error of a plain `inspect score` names no package."""
    page = (ROOT / "docs" / "runs.md").read_text(encoding="utf-8")
    assert "inspect score LOG --scorer skillbench_tasks/verified" in page
    assert registry_lookup("scorer", "skillbench_tasks/verified") is not None
