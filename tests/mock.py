"""The tiny mock skill: six scenarios over a world of two customers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.script import Script, ScriptCall, ScriptTurn, gold_script
from skillbench_tasks.models import Case

__all__ = ["MOCK_SKILLS", "OWN_SKILLS", "edited", "mock_case", "script_call"]

MOCK_SKILLS = Path(__file__).parent / "data" / "skills"

OWN_SKILLS = Path(__file__).parent / "data" / "own_skills"
"""A skill with tools of its own, three of them without a behaviour."""


@cache
def mock_case(kind: str) -> Case:
    """Return the mock scenario of a kind."""
    return next(case for case in load_cases(MOCK_SKILLS) if case.scenario.kind == kind)


def script_call(tool: str, **arguments: object) -> ScriptCall:
    """Return a call for a script."""
    return ScriptCall.model_validate({"tool": tool, "arguments": arguments})


def edited(case: Case, index: int, **changes: object) -> Script:
    """Return the gold script of a case with one turn changed."""
    script = gold_script(case)
    turns = list(script.turns)
    turns[index] = ScriptTurn.model_validate({**dict(turns[index]), **changes})
    return script.model_copy(update={"turns": tuple(turns)})
