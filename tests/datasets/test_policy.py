"""Every sentence of a policy is numbered and accounted for (A7, A9, A10)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbench_tasks.datasets.loaders import cases_of, load_skills
from skillbench_tasks.datasets.policy import policy_sentences
from skillbench_tasks.models import Case
from skillbench_tasks.reports.cases import case_page
from skillbench_tasks.reports.checking import check_skills
from skillbench_tasks.reports.policy import policy_draft, policy_page
from tests.conftest import ROOT

EXAMPLE = ROOT / "examples" / "skills" / "repair-report"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A copy of the example skill, with its policy map."""
    shutil.copytree(EXAMPLE, tmp_path / EXAMPLE.name)
    return tmp_path / EXAMPLE.name


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def _cases(desk: Path) -> list[Case]:
    (skill,) = load_skills(desk.parent)
    return cases_of(skill)


def test_page_is_split_into_paragraph_item_and_row_sentences() -> None:
    page = (
        "# Capability\n\nOne thing (e.g. A tap). Another, by 5 p.m. today!\n\n"
        "| wish | place |\n| --- | --- |\n| a bill | billing. Not us |\n\n"
        "# Workflow\n\n**1. Look.** Ask for 24. Then look.\n   - a nested item\n\n2. Act\n"
    )
    assert [(s.key.partition("-")[0], s.text) for s in policy_sentences(page)] == [
        ("C.1", "One thing (e.g. A tap)."),
        ("C.2", "Another, by 5 p.m. today!"),
        ("C.3", "a bill | billing. Not us"),
        ("W.1", "Ask for 24."),
        ("W.2", "Then look."),
        ("W.3", "a nested item"),
        ("W.4", "Act"),
    ]


def test_every_word_of_a_shipped_page_stands_in_a_sentence() -> None:
    for skill in load_skills():
        kept = " ".join(s.text for s in policy_sentences(skill.instructions)).split()
        titles = skill.instructions.replace("*", " ").replace("|", " ").split()
        assert len(kept) >= 0.9 * len([word for word in titles if word.strip("-#")])


def test_example_skill_is_mapped_whole(desk: Path) -> None:
    assert check_skills(desk.parent)[1] == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        pytest.param(
            lambda d: _edit(d / "policy.yaml", "W.13-3fb4:", "# W.13-3fb4:"),
            "W.13-3fb4: unmapped sentence 'Tell the number of the ticket",
            id="sentence-without-entry",
        ),
        pytest.param(
            lambda d: _edit(d / "SKILL.md", "Change nothing, also", "Change nothing at all, also"),
            "W.9-e066: no sentence of SKILL.md has this key",
            id="sentence-that-was-changed",
        ),
        pytest.param(
            lambda d: _edit(d / "policy.yaml", "order.list_tickets.create_ticket", "order.x.y"),
            "W.7-72d2: rule order.x.y: no case of the skill checks this",
            id="rule-that-is-not-declared",
        ),
        pytest.param(
            lambda d: _edit(d / "policy.yaml", "told: [ticket_id, days]}\nS.1", "told: when}\nS.1"),
            "W.13-3fb4: told when: no case of the skill checks this",
            id="fact-that-nobody-must-tell",
        ),
        pytest.param(
            lambda d: _edit(d / "policy.yaml", "rule: never.set_priority, ", ""),
            "rule never.set_priority: no sentence of the page is mapped to it",
            id="rule-without-a-sentence",
        ),
        pytest.param(
            lambda d: (d / "policy.yaml").unlink(),
            "the file is missing: `skillbench policy repair-report --draft`",
            id="no-map",
        ),
    ],
)
def test_map_with_a_hole_is_a_fault(desk: Path, change: Callable[[Path], None], fault: str) -> None:
    change(desk)
    _, faults = check_skills(desk.parent)
    assert any(fault in line for line in faults), faults


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("{judges: task_completion}", "say why no check does it"),
        ("{background: it says so, rule: claims}", "give `background` alone"),
        ("{}", "name what grades the sentence"),
        ("{judges: tone, because: x}", "judges"),
        ("claims", "not a mapping"),
    ],
)
def test_entry_that_says_nothing_is_refused_in_one_line(
    desk: Path, entry: str, problem: str
) -> None:
    _edit(desk / "policy.yaml", "{rule: claims}", entry)
    with pytest.raises(Exception, match=problem) as raised:
        load_skills(desk.parent)
    assert "policy.yaml" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_required_tools_are_what_the_policy_requires_a9(desk: Path) -> None:
    before = {case.id: case.checks.required_tools for case in _cases(desk)}
    _edit(desk / "policy.yaml", "requires: mcp.ticketing:list_tickets, ", "")
    after = {case.id: case.checks for case in _cases(desk)}
    assert all("mcp.ticketing:list_tickets" in tools for tools in before.values())
    for checks in after.values():
        assert "mcp.ticketing:list_tickets" not in checks.required_tools
        assert "mcp.ticketing:list_tickets" not in checks.succeeding_tools


def test_scenario_takes_a_required_tool_out_a9(desk: Path) -> None:
    place = "  - id: repair-report.against_policy\n"
    tool = "    optional_tools: [mcp.ticketing:list_tickets]\n"
    _edit(desk / "scenarios.yaml", place, place + tool)
    required = {c.id: "mcp.ticketing:list_tickets" in c.checks.required_tools for c in _cases(desk)}
    assert required["repair-report.straightforward"]
    assert not required["repair-report.against_policy"]


def test_skill_without_a_map_requires_its_writes_and_its_identity_check(desk: Path) -> None:
    (desk / "policy.yaml").unlink()
    case = next(c for c in _cases(desk) if c.id == "repair-report.straightforward")
    assert case.checks.required_tools == (
        "mcp.identity:verify_customer",
        "mcp.ticketing:create_ticket",
    )


def test_page_of_a_case_shows_map_and_checks_whole_a10(desk: Path) -> None:
    page = case_page(next(c for c in _cases(desk) if c.id == "repair-report.straightforward"))
    assert "…" not in page
    assert "W.12-3f8f  Call `create_ticket` once" in page
    assert "✓ told ticket_id: in this case" in page
    assert 'tells: days = "3 working days"' in page  # the words that are heard, not the name


def test_map_counts_its_sentences_and_a_draft_keeps_entries(desk: Path) -> None:
    cases = _cases(desk)
    assert policy_page(cases[0].skill, cases).startswith("repair-report: 26 sentences; ")
    _edit(desk / "SKILL.md", "You are the repair line", "Welcome. You are the repair line")
    (skill,) = load_skills(desk.parent)
    draft = policy_draft(skill)
    assert 'C.4-f694: {"judges":["workflow_adherence"]' in draft  # moved by one, entry kept
    assert "# Welcome.\nC.1-" in draft
