"""The mock skill with marks in everything that an agent must not see, and one long record."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

from skillbench_tasks.datasets.loaders import cases_of, load_skills
from tests.mock import MOCK_SKILLS

__all__ = ["GOLD_MARK", "KIND", "NOTE_END", "UNSAID", "marked_skills"]

KIND: Final = "straightforward"
GOLD_MARK: Final = "quillwort"
"""Stands in the scenario's title, criteria and checklist."""

UNSAID: Final = " Bladderwort."
"""Stands in the gold conversation's last message; the stub's agent leaves it out."""

NOTE_END: Final = "the end of a long note: sundew"
"""The last words of the visit's note, which the last tool call of the gold run returns."""

_NOTE: Final = "The technician brings a ladder. " * 600


def marked_skills(folder: Path) -> Path:
    """Write the marked skill into a folder, with the scenario of one kind only."""
    root = folder / "skills"
    shutil.copytree(MOCK_SKILLS, root)
    skill = root / "visit-desk"
    _edit(root / "world.json", '"VIS-1", ', f'"VIS-1", "note": "{_NOTE}{NOTE_END}", ')
    scenarios = skill / "scenarios.yaml"
    first, second = (scenarios.read_text("utf-8").split("  - id: ", 2))[:2]
    text = f"{first}  - id: {second}"
    for old in ("title: Move", "success_criteria: [The", "checklist: [verify"):
        assert old in text
        text = text.replace(old, f"{old} {GOLD_MARK}")
    scenarios.write_text(text, "utf-8")
    _mark_words(skill / "gold.json", root)
    return root


def _mark_words(file: Path, root: Path) -> None:
    authored = json.loads(file.read_text("utf-8"))
    (skill,) = load_skills(root)
    (case,) = cases_of(skill, words=False)
    words = authored[case.id]
    words["skeleton"] = case.gold.skeleton
    words["turns"][-1] += UNSAID
    file.write_text(json.dumps({case.id: words}), "utf-8")


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")
