"""A2: a refusal names the one place that is due, in the agent's own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import pytest

from skillbench_tasks.datasets.loaders import case_by_id, load_cases
from skillbench_tasks.datasets.mutants.edits import interjected, reworded
from skillbench_tasks.datasets.script import Script, ScriptTurn, gold_script, perform
from skillbench_tasks.models import Case, State
from skillbench_tasks.scorers.refusal import COPIED_BY_MESSAGE, runs_copied
from skillbench_tasks.scorers.verified import verified_verdict
from skillbench_tasks.solvers.baselines import PasteForm, pasted_answers

ENDS = (State.OUT_OF_SCOPE, State.RESOLVED, State.TRANSFERRED)


@pytest.mark.parametrize("form", get_args(PasteForm))
def test_pasted_page_is_never_verified_a2(form: PasteForm) -> None:
    _paste(form, load_cases()[::9])


@pytest.mark.slow
@pytest.mark.parametrize("form", get_args(PasteForm))
def test_pasted_page_is_verified_in_no_case_at_all_a2(form: PasteForm) -> None:
    _paste(form, load_cases())


def _paste(form: PasteForm, cases: Sequence[Case]) -> None:
    for case in cases:
        answers = pasted_answers(case.skill.instructions, form)
        turns = [ScriptTurn(role="user", text=case.scenario.opening)]
        for answer in answers[:8]:
            turns += [ScriptTurn(role="agent", text=answer), ScriptTurn(role="user", text="I see.")]
        for end in ENDS:
            episode = perform(case, Script(turns=tuple(turns), end=end))
            assert not verified_verdict(case.checks, episode).passed, (case.id, end)


def test_gold_words_are_its_own_a2() -> None:
    most = max(
        runs_copied(case.skill.instructions, turn.text)
        for case in load_cases()
        for turn in case.gold.turns
        if turn.role == "agent"
    )
    assert most <= COPIED_BY_MESSAGE / 2


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("Or ask technical support.", True),
        ("The billing team can help you as well.", True),
        ("That's the visits page, not the billing team.", False),
        ("Have a good day.", False),
    ],
)
def test_refusal_names_no_second_place_a2(text: str, fails: bool) -> None:
    case = case_by_id("technician-visit.out_of_scope")
    script = gold_script(case)
    last = len(script.turns) - 1
    said = reworded(script, last, interjected(script.turns[last].text, text))
    reasons = verified_verdict(case.checks, perform(case, said)).reasons
    assert any("one_place" in reason for reason in reasons) is fails


def test_place_that_the_user_named_may_be_named_too_a2() -> None:
    case = case_by_id("technician-visit.out_of_scope")
    script = reworded(gold_script(case), 0, "Should I ask technical support to cancel my visit?")
    text = interjected(script.turns[-1].text, "Technical support is not the one for it.")
    episode = perform(case, reworded(script, len(script.turns) - 1, text))
    assert not any("one_place" in r for r in verified_verdict(case.checks, episode).reasons)
