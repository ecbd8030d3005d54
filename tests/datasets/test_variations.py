"""Variations: right runs, made the same way each time, that differ from gold and end as it does."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.script import Script, gold_script, perform
from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.datasets.sops.references import unlabelled
from skillbench_tasks.datasets.variations import (
    Variation,
    VariationKind,
    all_variations_of,
    variations_of,
)
from skillbench_tasks.datasets.variations.files import read_variations
from skillbench_tasks.datasets.variations.plans import PLAN_KINDS, PlanKind, rewritten
from skillbench_tasks.errors import DataError
from skillbench_tasks.models import Case
from tests.mock import MOCK_SKILLS, mock_case

MOVE = "mcp.calendar:reschedule_visit"


def made(kind: VariationKind, scenario: str = "straightforward") -> list[Variation]:
    return list(all_variations_of(mock_case(scenario), kind))


def tools(script: Script) -> list[str]:
    return [call.tool for turn in script.turns for call in turn.calls]


@pytest.fixture(scope="module")
def mock_variations() -> list[tuple[Case, list[Variation]]]:
    return [(case, list(variations_of(case))) for case in load_cases(MOCK_SKILLS)]


def test_variations_come_out_the_same_every_time(
    mock_variations: list[tuple[Case, list[Variation]]],
) -> None:
    case, found = mock_variations[0]
    assert list(variations_of(case)) == found


def test_no_variation_is_gold_and_none_comes_twice_in_its_kind(
    mock_variations: list[tuple[Case, list[Variation]]],
) -> None:
    for case, found in mock_variations:
        gold = ("", "offline", gold_script(case).model_dump_json())
        keys = Counter((v.kind, v.profile, v.script.model_dump_json()) for v in found)
        assert max(keys.values()) == 1
        assert gold[1:] not in {key[1:] for key in keys}


def test_every_variation_leaves_the_world_as_gold_does(
    mock_variations: list[tuple[Case, list[Variation]]],
) -> None:
    for case, found in mock_variations:
        gold = perform(case, gold_script(case)).changes
        for variation in found:
            if variation.kind != "free_text_reworded":
                assert perform(case, variation.script).changes == gold, variation


def test_consent_in_two_steps_asks_after_the_yes_and_before_the_write() -> None:
    [one] = made("consent_in_two_steps")
    at = next(i for i, t in enumerate(one.script.turns) if any(c.tool == MOVE for c in t.calls))
    asked, yes = one.script.turns[at - 2 : at]
    assert asked.text.endswith("?")
    assert not asked.calls
    assert yes.acts == ("confirm:",)
    assert one.script.turns[at - 3].acts == ("confirm:",)


def test_a_refused_call_is_followed_by_the_right_one() -> None:
    case = mock_case("straightforward")
    for one in made("refused_call_corrected"):
        calls = perform(case, one.script).calls
        [refused] = [i for i, call in enumerate(calls) if call.error is not None]
        assert calls[refused].error is not None
        assert calls[refused + 1].tool == calls[refused].tool
        assert calls[refused + 1].error is None


def test_words_beside_a_call_come_before_it() -> None:
    case = mock_case("straightforward")
    one = next(v for v in made("text_beside_calls") if "every" in v.detail)
    events = perform(case, one.script).events
    for index, event in enumerate(events):
        if event.event == "call":
            before = events[index - 1]
            assert before.event == "line"
            assert before.role == "agent"


@pytest.mark.parametrize("kind", PLAN_KINDS)
def test_every_rewriting_changes_some_workflow(kind: PlanKind) -> None:
    ids = ("access-provisioning.1", "refund-reconciliation.2", "status-page-update.1",
           "weekly-revenue-report.2", "employee-offboarding.1")  # fmt: skip
    sops = [sop_by_id(one) for one in ids]
    changed = [
        sop for sop in sops
        if (new := rewritten(sop, kind)) is not None
        and json.dumps(new) != json.dumps(unlabelled(sop.program))
    ]  # fmt: skip
    assert changed


def write(folder: Path, *lines: object) -> Path:
    file = folder / "runs.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return file


def test_runs_are_read_from_a_file_and_heard_as_a_models_without_acts(tmp_path: Path) -> None:
    gold = gold_script(mock_case("straightforward"))
    turns = [{"role": t.role, "text": t.text} for t in gold.turns]
    turns[-1]["calls"] = [{"tool": MOVE, "arguments": {}}]  # type: ignore[assignment]
    line = {"case": "c", "kind": "my_kind", "end": "resolved", "turns": turns}
    [one] = read_variations(write(tmp_path, line))
    assert (one.kind, one.profile) == ("my_kind", "published")
    assert tools(one.script) == [MOVE]
    acted = {**line, "turns": [t.model_dump(mode="json") for t in gold.turns]}
    assert read_variations(write(tmp_path, acted))[0].profile == "offline"


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ({"case": "c", "kind": "k", "end": "resolved"}, "line 2.turns"),
        ({"case": "c", "kind": "k", "end": "won", "turns": []}, "line 2.end"),
        (
            {"case": "c", "kind": "k", "end": "resolved", "turns": [{"role": "x", "text": "a"}]},
            "line 2",
        ),
    ],
)
def test_a_bad_line_is_refused_by_its_number(
    tmp_path: Path, line: dict[str, object], place: str
) -> None:
    good = {"case": "c", "kind": "k", "end": "resolved", "turns": [{"role": "agent", "text": "a"}]}
    with pytest.raises(DataError) as caught:
        read_variations(write(tmp_path, good, line))
    assert caught.value.field == place
