"""A5: a free text that the agent writes is no junk, and holds what the policy asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skillbench_tasks.datasets.loaders import case_by_id, load_cases
from skillbench_tasks.datasets.mutants.edits import with_arguments
from skillbench_tasks.datasets.mutants.story import Place, Story
from skillbench_tasks.datasets.script import perform
from skillbench_tasks.models import Case
from skillbench_tasks.scorers.verified import verified_verdict

OVER = "mcp.desk:transfer_to_human"


def _written() -> Iterator[tuple[Case, Story, Place, str]]:
    for case in load_cases():
        story = Story(case)
        for place in story.places:
            for name in case.checks.free_texts.get(place.call.tool, ()):
                if isinstance(place.call.arguments.get(name), str):
                    yield case, story, place, name


def _reasons(case: Case, story: Story, place: Place, name: str, text: str) -> str:
    script = with_arguments(story.script, place, {**place.call.arguments, name: text})
    return " ".join(verified_verdict(case.checks, perform(case, script)).reasons)


@pytest.mark.parametrize(
    "text",
    [
        "xxxxxxxxxx",
        "1234567890 1234567890",
        "asdf qwer zxcv uiop",
        "customer customer customer customer",
    ],
)
def test_junk_in_free_text_fails_a5(text: str) -> None:
    for case, story, place, name in _written():
        assert "free_text: " in _reasons(case, story, place, name, text), (case.id, name)


def test_pasted_page_in_free_text_fails_a5() -> None:
    for case, story, place, name in _written():
        page = case.skill.instructions[:900]
        assert _reasons(case, story, place, name, page), (case.id, name)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("A tool keeps failing, nothing was changed.", "what is wanted (reschedule)"),
        ("Customer wants the visit moved to the 25th. Nothing was changed.", "what is left open"),
        ("Customer wants the visit moved; the calendar is down.", "what was done"),
        (
            "Wants to reschedule to the 25th. Identity verified; slots could not be listed, system error.",
            "",
        ),
        (
            "Caller asked to move his visit to 3/25. Could not, the scheduling tool failed 3 times.",
            "",
        ),
    ],
)
def test_hand_over_tells_wanted_done_and_open_a5(text: str, missing: str) -> None:
    case = case_by_id("technician-visit.permanent_failure")
    story = Story(case)
    [place] = [place for place in story.places if place.call.tool == OVER]
    reasons = _reasons(case, story, place, "summary", text)
    assert missing in reasons if missing else not reasons


@pytest.mark.parametrize(
    ("told", "is_true"),
    [
        ("Her objection was withdrawn as she wished; nothing is open.", False),
        ("Objection withdrawn, erasure request opened.", False),
        ("The objection was not withdrawn: the tool failed. Open: withdraw it.", True),
        ("She wants her objection withdrawn; withdrawing failed. Open: carry it out.", True),
    ],
)
def test_a_summary_tells_no_deed_that_was_not_done_a4(told: str, is_true: bool) -> None:
    case = case_by_id("data-request.permanent_failure")
    story = Story(case)
    place = next(p for p in story.places if p.call.tool == OVER)
    reasons = _reasons(case, story, place, "summary", f"The caller wanted to withdraw it. {told}")
    assert ("transfer_to_human was told" in reasons) is not is_true


@pytest.mark.parametrize(
    ("details", "is_right"),
    [
        ("Correction of the first name: Josefine, not Josephine.", True),
        ("Correction of the first name to Josefine.", True),
        ("Correction of the first name: Josephine, not Josefine.", False),
    ],
)
def test_a_value_that_a_text_denies_is_not_held_a6(details: str, is_right: bool) -> None:
    case = case_by_id("data-request.straightforward.3")
    story = Story(case)
    place = next(p for p in story.places if p.call.tool == "mcp.privacy:open_request")
    reasons = _reasons(case, story, place, "details", details)
    assert ("privacy_requests.details does not hold" in reasons) is not is_right
