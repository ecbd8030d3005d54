"""R1: patterns of data and schemas are matched in linear time, or refused in one line."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.errors import DataError
from skillbench_tasks.patterns import PatternFault, linear_pattern
from skillbench_tasks.tools.arguments import ArgumentChecker
from tests.conftest import ROOT

OWN = ROOT / "tests" / "data" / "own_skills"


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("^(a+)+$", "a" * 60_000 + "!", False),
        ("(x+x+)+y", "x" * 60_000, False),
        ("(.*a){20}", "b" * 60_000, False),
        (r"^\u00e4\d{2}$", "ä12", True),
        (r"^ä+$", "ää", True),
        ("a", "b\ud800a", True),
    ],
)
def test_pattern_r1_is_matched_in_linear_time(source: str, text: str, found: bool) -> None:
    begun = time.process_time()
    assert linear_pattern(source).is_in(text) is found
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    "source", ["(?=a)b", r"(a)\1", "[", "a" * 3_000, "(\\pL{99}){99}", "\ud800"]
)
def test_pattern_r1_that_is_not_linear_is_refused(source: str) -> None:
    with pytest.raises(PatternFault) as caught:
        linear_pattern(source)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "is_refused"), [("^(a+)+$", False), ("(?<!x)a", True), ("(", True)]
)
def test_never_say_r1_is_linear_or_refused_by_name(
    tmp_path: Path, pattern: str, is_refused: bool
) -> None:
    skills = Path(shutil.copytree(OWN, tmp_path / "skills"))
    flow = skills / "parcel-desk" / "flow.yaml"
    text = flow.read_text()
    assert "rules:\n" in text
    flow.write_text(text.replace("rules:\n", f"rules:\n  never_say: ['{pattern}']\n"))
    if is_refused:
        with pytest.raises(DataError, match=r"flow\.yaml:\d+: rules\.never_say\.0") as caught:
            load_cases(skills)
        assert "\n" not in str(caught.value)
    else:
        load_cases(skills)


def test_arguments_r1_are_checked_in_linear_time() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}},
        "patternProperties": {"^(b+)+$": {}},
        "additionalProperties": False,
    }
    begun = time.process_time()
    problems = ArgumentChecker(schema).problems({"a": "a" * 50 + "!", "b" * 50 + "!": 1})
    assert len(problems) == 2
    assert time.process_time() - begun < 1
