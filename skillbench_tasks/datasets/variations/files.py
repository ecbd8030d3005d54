"""Right runs as data: JSON Lines that somebody else has written (`docs/proofs.md`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from skillbench_tasks.datasets.script import Script, ScriptTurn
from skillbench_tasks.datasets.variations.variation import Variation
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import read_text, shown
from skillbench_tasks.models import Model, State

__all__ = ["read_variations"]


class _Run(Model):
    """A line of the file."""

    case: str
    kind: str
    detail: str = ""
    end: State
    turns: tuple[ScriptTurn, ...]


def read_variations(path: Path) -> list[Variation]:
    """Read the runs of a file, or of every `*.jsonl` file in a folder, in the order of the names.

    Args:
        path: File or folder.

    Raises:
        DataError: A line is not a run; it names file and line.
    """
    files: Sequence[Path] = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise DataError(shown(path), "", "no *.jsonl file is in it", "name a file of runs")
    return [run for file in files for run in _runs(file)]


def _runs(path: Path) -> list[Variation]:
    found = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if line.strip():
            found.append(_variation(_line(path, number, line)))
    return found


def _line(path: Path, number: int, line: str) -> _Run:
    place = f"line {number}"
    try:
        run = _Run.model_validate(json.loads(line))
    except json.JSONDecodeError as error:
        raise DataError(shown(path), place, f"no JSON: {error.msg}", "one object a line") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, (place, *first["loc"])))
        raise DataError(shown(path), where, first["msg"], "see docs/proofs.md") from error
    roles = {turn.role for turn in run.turns}
    if not roles <= {"user", "agent"} or not run.turns:
        raise DataError(shown(path), place, "a turn is neither user's nor agent's", "name its role")
    return run


def _variation(run: _Run) -> Variation:
    acts = any(turn.acts for turn in run.turns)
    return Variation(
        kind=run.kind,
        case=run.case,
        detail=run.detail,
        script=Script(turns=run.turns, end=run.end),
        profile="offline" if acts else "published",
    )
