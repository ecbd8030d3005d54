"""What the examples' README and the page on judging say is so: files, commands, options, names."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillbench_tasks.cli import skillbench
from skillbench_tasks.models import DIMENSIONS, Completion, UnscoredReason
from skillbench_tasks.scorers.agreement import panel_agreement
from skillbench_tasks.scorers.judge_panel import UNSCORED_MAX, judge_panel
from skillbench_tasks.scorers.judge_verdict import FIELDS
from skillbench_tasks.scorers.panel_metrics import agreement_rows, coverage_rows
from skillbench_tasks.zero_shot import zero_shot
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples" / "README.md"
JUDGING = ROOT / "docs" / "judging.md"
TEXTS = {path: path.read_text(encoding="utf-8") for path in (EXAMPLES, JUDGING)}
COMMANDS = [
    command
    for text in TEXTS.values()
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
    if (command := line.split("#")[0].strip())
]


def _section(title: str) -> str:
    return TEXTS[JUDGING].split(f"## {title}\n")[1].split("\n## ")[0]


def _table(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.startswith("|"))


def _names(cells: str) -> set[str]:
    return {name.replace("\\|", "|") for name in re.findall(r"`([^`]+)`", cells)}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_linked_file_exists(path: Path) -> None:
    targets = re.findall(r"\]\(([\w./-]+?)(?:#[\w-]+)?\)", TEXTS[path])
    assert targets
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_examples_readme_has_a_command_for_each_example() -> None:
    shown = "\n".join(COMMANDS)
    for path in EXAMPLES.parent.glob("*.py"):
        assert f"examples/{path.name}" in shown
    assert "skills=examples/skills" in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_files_and_options_of_a_command_exist(command: str) -> None:
    for file in re.findall(r"\bexamples/[\w/.-]+", command):
        assert (ROOT / file).exists()
    task = inspect.signature(zero_shot).parameters
    assert {name for name, _value in re.findall(r"-T (\w+)=(\S+)", command)} <= set(task)
    scorer = inspect.signature(judge_panel).parameters
    assert {name for name, _value in re.findall(r"-S (\w+)=(\S+)", command)} <= set(scorer)


def test_skillbench_command_of_the_examples_answers() -> None:
    (command,) = (c for c in COMMANDS if c.startswith("skillbench "))
    arguments = command.replace("examples/", f"{ROOT}/examples/").split()[1:]
    assert CliRunner().invoke(skillbench, arguments).exit_code == 0


def test_options_on_the_page_are_those_of_task_and_scorer() -> None:
    head = TEXTS[JUDGING].split("## What a judge sees")[0]
    named = _names(_table(head))
    for option in ("judge_samples", "judge_tie", "rubric"):
        assert any(name.startswith(f"-T {option}=") for name in named)
    scorer = inspect.signature(judge_panel).parameters
    for option, parameter in scorer.items():
        shown = next(name for name in named if name.startswith(f"{option}="))
        if option in ("tie", "max_unscored", "timeout"):
            assert shown == f"{option}={parameter.default}"
    assert UNSCORED_MAX == 0.1  # "a tenth"


def test_fields_and_scales_on_the_page_are_those_of_a_verdict() -> None:
    assert _names(_table(_section("The verdict"))) == {*FIELDS, *Completion}


def test_reasons_on_the_page_are_all_reasons() -> None:
    rows = [line.split("|")[1] for line in _section("Missing verdicts").splitlines() if "|" in line]
    assert _names(" ".join(rows)) == set(UnscoredReason)


def test_rows_on_the_page_are_the_rows_of_a_panel() -> None:
    lines = [line for line in _section("Rows in the log").splitlines() if line.startswith("| `")]
    named = {
        name.replace("<judge>", "A")
        for line in lines
        for cell in (re.split(r"(?<!\\)\|", line)[1], re.split(r"(?<!\\)\|", line)[3])
        for name in _names(cell)
    }
    votes = {"A": [True, True, False], "B": [True, False, False]}
    rows = {
        *coverage_rows(votes, [True, False, False], UNSCORED_MAX),
        *dict(agreement_rows(panel_agreement(votes))),
    }
    made = {name for name in rows if not name.endswith(": B")}
    values = {"panel_pass", "pass:A", "<dimension>", "<dimension>:A", "scored_samples"}
    assert named - made == {*values, "hallucinated_action", "hallucinated_action:A"}
    assert made <= named
    assert len(DIMENSIONS) == 5
