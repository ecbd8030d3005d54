"""Loading: broken input is one line that names file, field and mend; nothing passes for lack of checks."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.errors import DataError
from tests.mock import MOCK_SKILLS

SCENARIOS, FLOW, PAGE = "scenarios.yaml", "flow.yaml", "SKILL.md"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MOCK_SKILLS, tmp_path / "skills"))


BROKEN = [
    pytest.param(FLOW, "${found.customers.0", "${fond.customers.0", "unknown_name", id="dangling"),
    pytest.param(FLOW, "mcp.calendar:list_slots\", arguments", "mcp.calendar:slots\", arguments", "unknown_tool", id="unknown_tool"),
    pytest.param(FLOW, "arguments: {phone: \"${contact.phone}\"}", "arguments: {fone: x}", "fone", id="unknown_argument"),
    pytest.param(FLOW, "field: verified", "feld: verified", "rules.verification", id="unknown_key"),
    pytest.param(FLOW, "{customers: [email, phone, address]", "{custmers: [email]", "no collection custmers", id="collection"),
    pytest.param(FLOW, "must: [where]", "must: [were]", "unknown_must", id="must"),
    pytest.param(FLOW, "          must: [where]\n", "", "nothing gates the case", id="no_check"),
    pytest.param(SCENARIOS, "visit-desk.lost_reply", "visit-desk.straightforward", "stands twice", id="duplicate_id"),
    pytest.param(SCENARIOS, "persona: efficient", "persona: efficent", "no persona efficent", id="persona"),
    pytest.param(SCENARIOS, "customer: CUS-2", "customer: CUS-77", "no customer CUS-77", id="customer"),
    pytest.param(SCENARIOS, "tells: [new_date]", "tells: [new_day]", "new_day is not among the facts", id="tells"),
    pytest.param(SCENARIOS, "outcome: transferred", "outcome: resolved", "the scenario says resolved", id="outcome"),
    pytest.param(SCENARIOS, "outcome: transferred", "outcome: transfered", "outcome", id="outcome_name"),
    pytest.param(SCENARIOS, "kind: permanent}", "kind: transient, occurrences: [9]}", "never strikes", id="idle_fault"),
    pytest.param(SCENARIOS, "postcode: \"30030\", new_date: 2026-03-17}\n    outcome", "postcode: \"30030\", new_date: 2026-04-01}\n    outcome", "straightforward", id="gold_fails"),
    pytest.param(SCENARIOS, "kind: lost_reply\n", "kind: lost_reply\n    colour: red\n", "colour", id="extra_key"),
    pytest.param(SCENARIOS, "scenarios:\n", "scenarios: [\n", "syntax", id="syntax"),
    pytest.param(PAGE, "mcp.crm:find_customer", "mcp.crm:find_costumer", "no tool mcp.crm:find_costumer", id="toolkit"),
    pytest.param(PAGE, "name: visit-desk", "name: visits", "the folder 'visit-desk'", id="name"),
    pytest.param(PAGE, "---\nname", "name", "front matter", id="front_matter"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "message"), BROKEN)
def test_broken_file_is_one_line_with_file_and_mend(
    copy: Path, file: str, old: str, new: str, message: str
) -> None:
    path = copy / "visit-desk" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        load_cases(copy)
    assert "visit-desk/" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "; " in str(caught.value)


def test_fault_in_a_scenario_names_its_line(copy: Path) -> None:
    path = copy / "visit-desk" / SCENARIOS
    text = path.read_text(encoding="utf-8").replace("persona: polite", "persona: rude")
    path.write_text(text, encoding="utf-8")
    line = text[: text.index("persona: rude")].count("\n") + 1
    with pytest.raises(DataError, match=f"scenarios.yaml:{line}: "):
        load_cases(copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda g: g["turns"].pop(), "7 texts for 8 turns", id="missing_text"),
        pytest.param(lambda g: g.update(skeleton="0"), "another skeleton", id="stale"),
        pytest.param(lambda g: g.update(turns="x"), "no list of texts", id="no_list"),
    ],
)
def test_gold_words_that_do_not_fit_are_refused(copy: Path, change: object, message: str) -> None:
    path = copy / "visit-desk" / "gold.json"
    gold = json.loads(path.read_text(encoding="utf-8"))
    change(gold["visit-desk.straightforward"])  # type: ignore[operator]
    path.write_text(json.dumps(gold), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        load_cases(copy)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"customer_id": "CUS-2", "visit_type"', '"customer_id": "CUS-9", "visit_type"', "CUS-9"),
        ('"visit_id": "VIS-2"', '"visit_id": "VIS-1"', "VIS-1 stands twice"),
        ('"visits": [', '"visitz": [', "visitz"),
        ('"visit_id": "VIS-2", ', "", "no visit_id"),
    ],
    ids=["reference", "duplicate", "collection", "key"],
)
def test_broken_world_is_refused(copy: Path, old: str, new: str, message: str) -> None:
    path = copy / "world.json"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        load_cases(copy)


def test_folder_without_skills_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no SKILL\.md"):
        load_cases(tmp_path)


def test_cases_of_two_loads_are_equal(copy: Path) -> None:
    assert [c.checks for c in load_cases(copy)] == [c.checks for c in load_cases(MOCK_SKILLS)]
