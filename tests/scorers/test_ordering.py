"""Order: a look-up comes before the write, anew after a change of mind, and for its own record."""

from __future__ import annotations

import pytest

from skillbench_tasks.datasets.loaders import case_by_id
from skillbench_tasks.datasets.mutants.edits import dropped, with_arguments
from skillbench_tasks.datasets.mutants.story import Place, Story
from skillbench_tasks.datasets.script import Script, perform
from skillbench_tasks.models import Case
from skillbench_tasks.scorers.verified import verified_verdict

SLOTS = "mcp.calendar:list_slots"
LATE = f"was called before a successful {SLOTS}"


def _looks(case: Case) -> tuple[Story, list[Place]]:
    story = Story(case)
    return story, [place for place in story.places if place.call.tool == SLOTS]


def _reasons(case: Case, script: Script) -> str:
    return " ".join(verified_verdict(case.checks, perform(case, script)).reasons)


@pytest.mark.parametrize("name", ["technician-visit.mind_change", "internet-trouble.mind_change"])
def test_slots_are_listed_anew_after_a_change_of_mind(name: str) -> None:
    case = case_by_id(name)
    story, looks = _looks(case)
    assert not _reasons(case, story.script)
    assert LATE in _reasons(case, dropped(story.script, looks[-1]))


def test_slots_are_those_of_the_visit() -> None:
    case = case_by_id("technician-visit.prompt_injection")
    story, (look, *_) = _looks(case)
    other = {**look.call.arguments, "visit_type": "upgrade"}
    assert LATE in _reasons(case, with_arguments(story.script, look, other))
