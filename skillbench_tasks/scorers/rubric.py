"""The judges' rubric: a file with a name, a version and the instructions."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import model_from, read_front_matter, shown
from skillbench_tasks.models.base import Model

__all__ = [
    "DEFAULT_RUBRIC",
    "NEXT_TURN_RUBRIC",
    "WHOLE_REPLAY_RUBRIC",
    "Rubric",
    "load_rubric",
]

_RUBRICS: Final = Path(__file__).parent / "rubrics"

DEFAULT_RUBRIC: Final = _RUBRICS / "skill_execution.md"
"""Protocol A's rubric in our words (`spec/skill-execution.md`)."""

NEXT_TURN_RUBRIC: Final = _RUBRICS / "next_turn.md"
"""Protocol B's rubric of one next action in our words (`spec/next-turn.md`, ii)."""

WHOLE_REPLAY_RUBRIC: Final = _RUBRICS / "whole_replay.md"
"""Protocol B's rubric of a whole replay in our words (`spec/next-turn.md`, v)."""


class Rubric(Model):
    """What judges are told to look at. Its fields and scales are the protocol's and do not vary."""

    name: str
    version: str
    text: str

    @property
    def label(self) -> str:
        """Name and version, as results carry them."""
        return f"{self.name}-{self.version}"

    @property
    def digest(self) -> str:
        """First 12 hex digits of the SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def load_rubric(path: Path | None = None) -> Rubric:
    """Read a rubric.

    Args:
        path: A Markdown file whose front matter gives `name` and `version`; default: protocol
            A's.

    Raises:
        DataError: The file is missing, has no front matter or no text.
    """
    path = path or DEFAULT_RUBRIC
    if path.is_dir():
        raise DataError(shown(path), "", "it is a folder", "name the rubric's file")
    mend = "begin it with lines ---, name: …, version: …, --- and write the instructions below"
    found = read_front_matter(path)
    if found is None or not found[1]:
        raise DataError(shown(path), "", "no front matter or no text", mend)
    head, text = found
    if not isinstance(head, dict):
        raise DataError(shown(path), "", "front matter is no mapping", mend)
    for key in ("name", "version"):
        if key in head and not _is_label(head[key]):
            mend = f'write {key}: "…", in quotation marks'
            raise DataError(shown(path), key, f"{head[key]!r} is no text of one line", mend)
    return model_from(Rubric, {**head, "text": text}, path, "")


def _is_label(value: object) -> bool:
    """Whether a value can stand in the name of a row."""
    return isinstance(value, str) and bool(value.strip()) and len(value.splitlines()) == 1
