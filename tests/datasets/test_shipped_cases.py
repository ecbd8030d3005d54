"""What ships: sizes, kinds, words, and a gold run that passes every scorer."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from skillbench_tasks.datasets.loaders import cases_of, load_cases, load_skills
from skillbench_tasks.datasets.wording import opening_overlaps, repeated_sentences
from skillbench_tasks.datasets.world_files import base_world, load_world, world_path
from skillbench_tasks.models import ScenarioKind
from skillbench_tasks.reports.checking import check_cases, check_skills
from skillbench_tasks.tools import catalogue

CATEGORIES = {
    "account management",
    "billing questions",
    "compliance",
    "refunds",
    "technical support",
    "marketing enquiries",
    "appointment scheduling",
    "order processing",
}
KINDS = set(ScenarioKind) - {ScenarioKind.UNCLASSIFIED}  # that one is for foreign data
SKILLS = [skill.name for skill in load_skills()]


def test_every_category_of_the_protocol_has_a_skill_in_three_industries() -> None:
    cases = load_cases()
    assert {case.skill.category for case in cases} == CATEGORIES
    assert len({case.skill.industry for case in cases}) == 3
    assert len(cases) >= 64


def test_files_and_policy_maps_of_all_skills_have_no_faults() -> None:
    cases, faults = check_skills()
    assert cases >= 64
    assert faults == []


def test_every_skill_has_every_kind() -> None:
    kinds = defaultdict(set)
    for case in load_cases():
        kinds[case.skill.name].add(case.scenario.kind)
    assert {name: KINDS - found for name, found in kinds.items()} == {
        name: set() for name in SKILLS
    }


@pytest.mark.parametrize("name", SKILLS)
def test_world_of_a_skill_has_forty_customers_and_namesakes(name: str) -> None:
    (skill,) = load_skills(only=name)
    customers = list(base_world(world_path(skill)).records("customers"))
    surnames = Counter(str(c["full_name"]).split()[-1] for c in customers)
    assert len(customers) >= 40
    assert max(surnames.values()) >= 2


@pytest.mark.parametrize("name", SKILLS)
def test_world_of_a_skill_has_unique_keys_and_no_dangling_reference(name: str) -> None:
    (skill,) = load_skills(only=name)
    load_world(world_path(skill), catalogue.collections())


@pytest.mark.parametrize("name", SKILLS)
def test_skill_has_no_fault_in_files_words_or_gold_runs(name: str) -> None:
    (skill,) = load_skills(only=name)
    assert check_cases(cases_of(skill)) == []


def test_openings_differ_and_no_agent_sentence_is_a_stock_phrase() -> None:
    cases = load_cases()
    openings = {case.id: case.scenario.opening for case in cases}
    assert opening_overlaps(openings, bound=0.8) == []
    spoken = {c.id: [t.text for t in c.gold.turns if t.role == "agent"] for c in cases}
    assert repeated_sentences(spoken, share=0.05) == []


def test_case_ids_are_unique() -> None:
    ids = [case.id for case in load_cases()]
    assert len(set(ids)) == len(ids)
