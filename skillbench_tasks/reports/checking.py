"""The suite's own check: files load, words fit their skeletons, the gold passes every scorer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skillbench_tasks.datasets.loaders import cases_of, load_skills, load_slots
from skillbench_tasks.datasets.script import gold_script, perform
from skillbench_tasks.datasets.wording import (
    opening_overlaps,
    repeated_sentences,
    wording_faults,
)
from skillbench_tasks.errors import DataError
from skillbench_tasks.models import Case
from skillbench_tasks.reports.policy import policy_faults
from skillbench_tasks.scorers.verified import verified_verdict

__all__ = ["check_cases", "check_skills", "corpus_faults"]


def check_skills(folder: Path | None = None, only: str | None = None) -> tuple[int, list[str]]:
    """Check all skills below a folder.

    Args:
        folder: Where they are; default: those that ship.
        only: Name of one skill.

    Returns:
        The number of cases that loaded, and one line for each fault. A broken skill does not hide
        the others.
    """
    faults: list[str] = []
    cases: list[Case] = []
    for skill in load_skills(folder, only):
        try:
            found = cases_of(skill)
        except DataError as error:
            faults.append(str(error))
            continue
        cases += found
        faults += policy_faults(skill, found)
    return len(cases), [*faults, *check_cases(cases), *corpus_faults(cases)]


def check_cases(cases: Sequence[Case]) -> list[str]:
    """Return the faults of each case's words and of its gold run under the scorers."""
    faults: list[str] = []
    for case in cases:
        if not all(turn.text for turn in case.gold.turns):
            faults.append(f"{case.id}: gold.json: not written yet")
            continue
        slots = load_slots(case.skill.folder)
        policy = f"{case.skill.description}\n{case.skill.instructions}"
        found = wording_faults(case.gold, case.scenario, slots, policy)
        faults += [f"{case.id}: {fault}" for fault in found]
        verdict = verified_verdict(case.checks, perform(case, gold_script(case)))
        faults += [f"{case.id}: gold fails: {reason}" for reason in verdict.reasons]
    return faults


def corpus_faults(cases: Sequence[Case]) -> list[str]:
    """Return openings that are too alike and agent sentences in too many conversations."""
    openings = {case.id: case.scenario.opening for case in cases}
    faults = [
        f"openings of {a} and {b} are alike (Jaccard {overlap:.2f})"
        for a, b, overlap in opening_overlaps(openings)
    ]
    spoken = {
        case.id: [turn.text for turn in case.gold.turns if turn.role == "agent"] for case in cases
    }
    faults += [f"{n} conversations share: {s}" for s, n in repeated_sentences(spoken)]
    return faults
