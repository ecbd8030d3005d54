"""`-T mocks=llm_all`: a model answers every tool, sees the conversation, and is replayed (A12)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

import skillbench_tasks._registry  # noqa: F401  # the task by its name
from skillbench_tasks.datasets.played import played_cases
from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.models import EPISODE_KEY
from skillbench_tasks.zero_shot import zero_shot
from tests.mock import MOCK_SKILLS, mock_case
from tests.scripted_model import PLAYS

SEEN: list[str] = []


def _gold_backend(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
    """Answer every call as the reference run of the case has it."""
    SEEN.append(messages[1].text)
    found = re.search(r"<call>\n(.*)\n</call>", messages[1].text)
    assert found is not None
    asked = json.loads(found[1])
    for turn in mock_case("straightforward").gold.turns:
        for call in turn.calls:
            if call.tool == asked["tool"]:
                return json.dumps({"result": call.result})
    return json.dumps({"error": {"code": "not_found", "message": "none", "retryable": False}})


PLAYS["gold-backend"] = _gold_backend


def _run(tmp_path: Path, *, mock: str | None, **options: Any) -> EvalLog:
    task = zero_shot(
        skills=str(MOCK_SKILLS),
        kind="straightforward",
        agent="reference",
        mocks="llm_all",
        **options,
    )
    return inspect_eval(
        task,
        model="none/none",
        model_roles={"mock": mock} if mock else {},
        log_dir=str(tmp_path / "logs"),
        display="none",
    )[0]


def test_every_tool_is_played_and_state_is_unscored_by_name_a12(tmp_path: Path) -> None:
    SEEN.clear()
    log = _run(tmp_path, mock="scripted/gold-backend")
    assert log.samples is not None
    (sample,) = log.samples
    calls = [e for e in sample.store[EPISODE_KEY]["events"] if e["event"] == "call"]
    assert len(SEEN) == len(calls) > 3
    assert sample.store[EPISODE_KEY]["changes"] == []
    assert sample.scores is not None
    values = {name: score.value for name, score in sample.scores.items()}
    assert {n: values[n] for n in ("rules", "constraints", "outcome")} == dict.fromkeys(
        ("rules", "constraints", "outcome"), "C"
    )
    for name in ("final_state", "verified"):
        assert values[name] != values[name], name  # NaN: unscored
        assert "a model answers every tool" in (sample.scores[name].explanation or "")


def test_mock_sees_what_was_said_before_the_call_a12(tmp_path: Path) -> None:
    SEEN.clear()
    _run(tmp_path, mock="scripted/gold-backend")
    opening = mock_case("straightforward").scenario.opening
    first = re.search(r"<conversation>\n(.*?)\n</conversation>", SEEN[0], re.DOTALL)
    assert first is not None
    assert json.loads(first[1].splitlines()[0]) == {"customer": opening}
    assert json.loads(first[1].splitlines()[1]).keys() == {"agent"}
    assert SEEN[-1].count('{"customer": ') > SEEN[0].count('{"customer": ')


def test_played_run_is_replayed_without_the_model_a12(tmp_path: Path) -> None:
    place = str(tmp_path / "kept")
    first = _run(tmp_path, mock="scripted/gold-backend", recording=place)
    SEEN.clear()
    again = _run(tmp_path, mock=None, recording=place)
    assert SEEN == []
    assert first.samples is not None and again.samples is not None
    assert first.samples[0].store[EPISODE_KEY] == again.samples[0].store[EPISODE_KEY]


def test_fact_that_only_a_played_tool_brings_need_not_be_told_a12() -> None:
    source = open_source(None)
    cases = [c for c in source.cases() if c.skill.name == "data-request"]
    played = played_cases(cases, source)
    before = {(case.id, fact.name) for case in cases for fact in case.checks.must_say}
    after = {(case.id, fact.name) for case in played for fact in case.checks.must_say}
    assert after < before
    assert all(case.checks.is_played for case in played)
