"""`-T mocks=llm` end to end: options, roles, faults, replays, isolation."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

import skillbench_tasks._registry  # noqa: F401  # the task by its name
from skillbench_tasks.models import EPISODE_KEY, MOCK_KEY
from skillbench_tasks.versions import MOCK_VERSION
from skillbench_tasks.zero_shot import zero_shot
from tests.mock import MOCK_SKILLS, OWN_SKILLS
from tests.scripted_model import PLAYS

SCORERS = ("verified", "rules", "final_state", "constraints", "outcome")


def _backend(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
    """Answer by the case alone, so that what crosses from one execution to another shows."""
    found = re.search(r"<call>\n(.*)\n</call>", messages[1].text)
    assert found is not None
    call = json.loads(found[1])
    arguments = call["arguments"]
    own = re.findall(r"PAR-[0-9]+", messages[1].text)
    if set(own) - {arguments["parcel_id"]}:
        return "another execution shows here"
    if call["tool"] == "mcp.transit:redirect":
        return json.dumps({"result": {**arguments, "state": "redirected"}})
    parcel = {**arguments, "depot_id": "DEP-2", "state": "waiting", "due_on": "2026-03-15"}
    return f"```json\n{json.dumps({'result': parcel})}\n```"


def _prose(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
    return "The parcel is at the depot."


PLAYS.update({"backend": _backend, "prose-backend": _prose})


def _run(tmp_path: Path, *, mock: str | None = "scripted/backend", skills: Path = OWN_SKILLS, epochs: int = 1, max_samples: int = 10, fail_on_error: bool = True, agent: str = "reference", **options: Any) -> EvalLog:  # fmt: skip
    task = zero_shot(skills=str(skills), mocks="llm", agent=agent, **options)
    roles: dict[str, Any] = {} if mock is None else {"mock": mock}
    return inspect_eval(
        task,
        model="none/none",
        model_roles=roles,
        log_dir=str(tmp_path / "logs"),
        display="none",
        epochs=Epochs(epochs, "mean"),
        max_samples=max_samples,
        fail_on_error=fail_on_error,
    )[0]


def _samples(log: EvalLog) -> list[EvalSample]:
    assert log.status == "success", log.error
    return sorted(log.samples or [], key=lambda sample: (str(sample.id), sample.epoch))


def _bytes(log: EvalLog) -> str:
    """Return all that a run left behind, but how answers came about."""
    return json.dumps(
        [
            (
                sample.id,
                sample.epoch,
                sample.store[EPISODE_KEY],
                [(e["tool"], e["arguments"], e["answer"]) for e in sample.store[MOCK_KEY]],
                [(m.role, m.text) for m in sample.messages],
            )
            for sample in _samples(log)
        ]
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[EvalLog, Path]:
    """A run with its recording, one file for each case."""
    place = tmp_path_factory.mktemp("mock") / "recorded"
    return _run(place.parent, recording=str(place)), place


def test_reference_passes_whatever_the_mock_answers(recorded: tuple[EvalLog, Path]) -> None:
    for sample in _samples(recorded[0]):
        assert sample.scores is not None
        values = {n: s.value for n, s in sample.scores.items() if n in SCORERS}
        assert values == dict.fromkeys(SCORERS, "C")
        assert sample.store[EPISODE_KEY]["versions"]["mock"] == MOCK_VERSION
        assert sample.store[MOCK_KEY][0]["answer"]["result"]["due_on"] == "2026-03-15"
        assert "2026-03-15" in "".join(m.text for m in sample.messages if m.role == "tool")


def test_tokens_of_the_mock_stand_under_its_role(recorded: tuple[EvalLog, Path]) -> None:
    log = recorded[0]
    calls = [e for sample in _samples(log) for e in sample.store[MOCK_KEY]]
    asked = [entry for entry in calls if entry["source"] == "model"]
    assert len(asked) == 4
    assert len(calls) == 5  # the lost reply is asked for again, and stays
    assert {role: usage.total_tokens for role, usage in log.stats.role_usage.items()} == {"mock": 8}


def test_mock_without_a_usable_answer_is_an_error_of_the_sample_not_a_score(tmp_path: Path) -> None:
    log = _run(tmp_path, mock="scripted/prose-backend", fail_on_error=False)
    for sample in _samples(log):
        assert sample.error is not None
        assert (
            f"case {sample.id}: no answer in the stead of mcp.transit:get_transit"
            in sample.error.message
        )
        assert not sample.scores


HIDING = '''
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageAssistant


@agent
def hiding() -> Agent:
    async def execute(state: AgentState, tools: list) -> AgentState:
        """Call a tool and hide what comes of it, as an agent's own code may."""
        try:
            await tools[0].tool(parcel_id="PAR-7")
        except Exception:
            pass
        state.messages.append(ChatMessageAssistant(content="All is well."))
        return state

    return execute
'''


def test_fault_that_an_agent_hides_still_ends_the_sample(tmp_path: Path) -> None:
    (tmp_path / "hiding_agent.py").write_text(HIDING, "utf-8")
    agent = f"{tmp_path / 'hiding_agent.py'}@hiding"
    log = _run(tmp_path, mock="scripted/prose-backend", agent=agent, fail_on_error=False)
    for sample in _samples(log):
        assert sample.error is not None
        assert "no answer in the stead of" in sample.error.message
        assert not sample.scores


def test_recorded_run_replays_to_the_same_bytes_without_the_model(
    tmp_path: Path, recorded: tuple[EvalLog, Path]
) -> None:
    first, place = recorded
    names = [f"parcel-desk.{kind}.jsonl" for kind in ("lost_reply", "straightforward")]
    assert sorted(path.name for path in place.iterdir()) == names
    again = _run(tmp_path, recording=str(place), mock=None)
    assert _bytes(again) == _bytes(first)
    assert again.stats.role_usage == {}
    sources = {e["source"] for sample in _samples(again) for e in sample.store[MOCK_KEY]}
    assert sources == {"recording", "repeated"}


def _one_file(recorded: tuple[EvalLog, Path], path: Path) -> list[bytes]:
    """Write the recording as one file and return its lines."""
    path.write_bytes(b"".join(one.read_bytes() for one in sorted(recorded[1].iterdir())))
    return path.read_bytes().splitlines(keepends=True)


def test_recorded_run_goes_on_where_a_crash_ended_it(
    tmp_path: Path, recorded: tuple[EvalLog, Path]
) -> None:
    place = tmp_path / "mock.jsonl"
    lines = _one_file(recorded, place)
    place.write_bytes(b"".join(lines[:2]) + lines[2][:30])
    again = _run(tmp_path, recording=str(place))
    assert _bytes(again) == _bytes(recorded[0])
    assert sorted(place.read_bytes().splitlines(keepends=True)) == sorted(lines)


def test_call_that_was_not_recorded_is_an_error_that_names_it(
    tmp_path: Path, recorded: tuple[EvalLog, Path]
) -> None:
    place = tmp_path / "mock.jsonl"
    place.write_bytes(_one_file(recorded, place)[0])
    log = _run(tmp_path, recording=str(place), mock=None, fail_on_error=False)
    messages = [sample.error.message for sample in _samples(log) if sample.error]
    assert len(messages) == 2
    assert all("mock.jsonl does not hold this call" in message for message in messages)


def test_twenty_executions_at_once_are_kept_apart(
    tmp_path: Path, recorded: tuple[EvalLog, Path]
) -> None:
    log = _run(tmp_path, epochs=10, max_samples=20, recording=str(tmp_path / "all.jsonl"))
    samples = _samples(log)
    assert len(samples) == 20
    alone = {sample.id: sample for sample in _samples(recorded[0])}
    for sample in samples:
        assert sample.store[EPISODE_KEY] == alone[sample.id].store[EPISODE_KEY]
        assert [m.text for m in sample.messages] == [m.text for m in alone[sample.id].messages]
    assert len((tmp_path / "all.jsonl").read_bytes().splitlines()) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({}, "-T mocks: mcp.transit:get_transit of the skill parcel-desk has no declared behaviour; give -T mocks=llm --model-role mock=MODEL, or declare one", id="declared"),
        pytest.param({"mocks": "llms"}, "-T mocks: no such choice: 'llms'; use declared, llm", id="unknown"),
        pytest.param({"recording": "x.jsonl"}, "-T recording: nothing is mocked; give -T mocks=llm, or leave it out", id="recording alone"),
        pytest.param({"mocks": "llm"}, "-T mocks: no model has the role mock; give --model-role mock=MODEL", id="no role"),
        pytest.param({"mocks": "llm", "recording": "absent.jsonl"}, "-T recording: no model has the role mock, and nothing is recorded of parcel-desk.straightforward; give --model-role mock=MODEL, or name another recording", id="nothing recorded"),
        pytest.param({"mocks": "llm", "roles": ["scripted/backend", "scripted/prose-backend"]}, "--model-role mock: names more than one model; name one", id="two models"),
    ],
)  # fmt: skip
def test_option_by_which_nobody_answers_is_refused_when_the_task_loads(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    roles = {"mock": options.pop("roles")} if "roles" in options else {}
    with pytest.raises(PrerequisiteError, match=re.escape(message)) as caught:
        inspect_eval(
            "skillbench_tasks/zero_shot",
            task_args={"skills": str(OWN_SKILLS), "agent": "reference", **options},
            model="none/none",
            model_roles=roles,
            log_dir=str(tmp_path),
            display="none",
        )
    assert "\n" not in str(caught.value.message)
    assert not list(tmp_path.iterdir())


def test_role_that_is_missing_ahead_of_the_run_is_an_error_of_the_sample(tmp_path: Path) -> None:
    log = _run(tmp_path, mock=None)
    assert log.status == "error"
    assert log.error is not None
    assert "-T mocks: no model has the role mock" in log.error.message


def test_mocks_need_no_role_where_every_tool_is_declared(tmp_path: Path) -> None:
    log = _run(tmp_path, mock=None, skills=MOCK_SKILLS, skill="visit-desk")
    for sample in _samples(log):
        assert MOCK_KEY not in sample.store
        assert "mock" not in sample.store[EPISODE_KEY]["versions"]


def test_skill_without_the_undeclared_tools_runs_declared(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OWN_SKILLS, tmp_path / "skills"))
    path = folder / "tools" / "transit.yaml"
    text = re.sub(
        r"    example: (.*)", r"    behaviour: []\n    returns: \1", path.read_text("utf-8")
    )
    text = text.replace(
        "  - name: redirect", "    behaviour: []\n    returns: {}\n  - name: redirect"
    ).replace("access: write", "access: read")
    path.write_text(text, "utf-8")
    task = zero_shot(skills=str(folder), agent="reference")
    log = inspect_eval(task, model="none/none", log_dir=str(tmp_path / "logs"), display="none")[0]
    for sample in _samples(log):
        assert sample.scores is not None
        assert sample.scores["verified"].value == "C"
