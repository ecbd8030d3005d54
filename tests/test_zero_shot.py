"""The zero-shot task end to end, on the mock skill, without a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs, score
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.tool import ToolInfo

import skillbench_tasks._registry as registry
from skillbench_tasks.models import EPISODE_KEY, Episode, State
from skillbench_tasks.solvers.baselines import BASELINES, paste_policy
from skillbench_tasks.zero_shot import zero_shot
from tests.mock import MOCK_SKILLS
from tests.scripted_model import PLAYS, called

SCORERS = ("verified", "rules", "final_state", "constraints", "outcome", "user_faults")


def _run(
    tmp_path: Path, *, model: str = "none/none", roles: dict[str, str] | None = None, **options: Any
) -> EvalLog:
    eval_options = {
        k: options.pop(k) for k in ("epochs", "max_samples", "message_limit") if k in options
    }
    task = zero_shot(skills=str(MOCK_SKILLS), **options)
    log = inspect_eval(
        task,
        model=model,
        model_roles=dict(roles or {}),
        log_dir=str(tmp_path),
        display="none",
        **eval_options,
    )[0]
    assert log.status == "success", log.error
    return log


def _samples(log: EvalLog) -> dict[str, EvalSample]:
    return {str(sample.id): sample for sample in log.samples or []}


def _value(sample: EvalSample, scorer: str) -> Any:
    assert sample.scores is not None
    return sample.scores[scorer].value


def _episode(sample: EvalSample) -> Episode:
    return Episode.model_validate(sample.store[EPISODE_KEY])


def _means(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {
        s.name: float(s.metrics["mean"].value)
        for s in log.results.scores
        if s.scored_samples and "mean" in s.metrics
    }


def _bytes(log: EvalLog) -> bytes:
    kept = [
        (
            str(s.id),
            s.epoch,
            s.store[EPISODE_KEY],
            {n: v.model_dump(exclude={"history"}) for n, v in (s.scores or {}).items()},
        )
        for s in sorted(log.samples or [], key=lambda s: (str(s.id), s.epoch))
    ]
    return json.dumps(kept, sort_keys=True, default=str).encode()


def test_reference_passes_every_scorer(tmp_path: Path) -> None:
    means = _means(_run(tmp_path, agent="reference"))
    assert means == {**dict.fromkeys(SCORERS, 1.0), "user_faults": 0.0}


@pytest.mark.parametrize("agent", BASELINES)
def test_baseline_is_never_verified(tmp_path: Path, agent: str) -> None:
    assert _means(_run(tmp_path, agent=agent))["verified"] == 0.0


def test_paste_policy_pastes_the_page(tmp_path: Path) -> None:
    log = _run(tmp_path, agent=paste_policy.__name__, turns=3, kind="straightforward")
    lines = _episode(_samples(log)["visit-desk.straightforward"]).lines
    said = [line.text for line in lines if line.role == "agent"]
    assert said and all("# Capability" in text for text in said)


def test_registered_names_carry_the_prefix() -> None:
    from inspect_ai.util import registry_info

    expected = {"zero_shot", "dialogue", "reference", "verified", "desk_agent", "user_faults"}
    names = {name: registry_info(getattr(registry, name)).name for name in expected}
    assert names == {name: f"skillbench_tasks/{name}" for name in expected}


def test_log_names_versions_profile_and_groups(tmp_path: Path) -> None:
    log = _run(tmp_path, agent="reference")
    assert set(log.eval.metadata or {}) >= {"task", "data", "grader"}
    assert {_episode(s).profile for s in log.samples or []} == {"offline"}
    assert log.results is not None
    verified = log.results.scores[0].metrics
    assert {"scored", "stderr", "industry=mock", "kind=lost_reply"} <= set(verified)


def test_epochs_and_pass_k_reduce_over_runs_of_a_case(tmp_path: Path) -> None:
    log = _run(tmp_path, agent="reference", epochs=Epochs(3, ["mean", "pass_k_2"]))
    assert log.results is not None
    rows = {(s.name, s.reducer): s.metrics for s in log.results.scores}
    means = {key: rows[key]["mean"].value for key in rows if key[0] == "verified"}
    assert means["verified", "mean"] == means["verified", "pass_k_2"] == 1.0


@pytest.mark.parametrize("agent", ["reference", "spam"])
def test_scores_are_the_same_at_any_concurrency(tmp_path: Path, agent: str) -> None:
    one = _run(tmp_path / "one", agent=agent, max_samples=1)
    many = _run(tmp_path / "many", agent=agent, max_samples=50)
    assert _bytes(one) == _bytes(many)


@pytest.mark.parametrize("agent", ["reference", "always_transfer"])
def test_finished_log_grades_again_to_the_same_scores(tmp_path: Path, agent: str) -> None:
    log = _run(tmp_path, agent=agent)
    scorers = [getattr(registry, name)() for name in SCORERS]
    again = score(log, scorers, action="overwrite", display="none")
    assert _means(again) == _means(log)
    for name, sample in _samples(log).items():
        other = _samples(again)[name]
        assert [_value(other, s) for s in SCORERS] == [_value(sample, s) for s in SCORERS]


def test_turn_budget_ends_a_talk_that_goes_nowhere(tmp_path: Path) -> None:
    PLAYS["wait"] = lambda messages, tools: (
        f"Let me see, step {len(messages)}. Which colour is your router?"
    )
    log = _run(tmp_path, model="scripted/wait", turns=2, kind="straightforward")
    episode = _episode(_samples(log)["visit-desk.straightforward"])
    assert (episode.termination.state, episode.termination.by) == (State.TURN_BUDGET, "budget")


def test_message_limit_keeps_the_transcript_and_grades_it(tmp_path: Path) -> None:
    PLAYS["ask"] = lambda messages, tools: "What is your phone number?"
    log = _run(tmp_path, model="scripted/ask", message_limit=6, kind="straightforward")
    sample = _samples(log)["visit-desk.straightforward"]
    episode = _episode(sample)
    assert (episode.termination.state, episode.termination.by) == (State.LIMIT, "limit")
    assert len(episode.lines) >= 3
    assert _value(sample, "verified") == "I"


def _malformed(messages: list[ChatMessage], tools: list[ToolInfo]) -> ChatMessageAssistant | str:
    if messages[-1].role == "user":
        broken = called("crm__find_customer", {})
        assert broken.tool_calls
        broken.tool_calls[0].parse_error = 'no JSON: {"id": "A1"'
        return broken
    return "What is your phone number?"


def _unknown_tool(messages: list[ChatMessage], tools: list[ToolInfo]) -> ChatMessageAssistant | str:
    if messages[-1].role == "user":
        return called("crm__delete_everything", {})
    return "What is your phone number?"


@pytest.mark.parametrize(
    ("play", "code", "offered"),
    [
        pytest.param(_malformed, "invalid_arguments", True, id="malformed_arguments"),
        pytest.param(_unknown_tool, "unknown_tool", False, id="unknown_tool"),
    ],
)
def test_bad_tool_call_is_an_error_to_the_model_and_the_sample_goes_on(
    tmp_path: Path, play: Any, code: str, offered: bool
) -> None:
    PLAYS["bad"] = play
    log = _run(tmp_path, model="scripted/bad", turns=2, kind="straightforward")
    call = _episode(_samples(log)["visit-desk.straightforward"]).calls[0]
    assert call.error is not None
    assert (call.error.code, call.offered) == (code, offered)


def test_two_parallel_calls_of_which_one_fails_are_both_answered(tmp_path: Path) -> None:
    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> ChatMessageAssistant | str:
        if messages[-1].role != "user":
            return "One moment. What is your phone number?"
        first = called("crm__find_customer", {"phone": "+14045550101"})
        second = called("calendar__get_visit", {"visit_id": "VIS-99"})
        assert first.tool_calls and second.tool_calls
        return ChatMessageAssistant(content="", tool_calls=[*first.tool_calls, *second.tool_calls])

    PLAYS["parallel"] = play
    log = _run(tmp_path, model="scripted/parallel", turns=1, kind="straightforward")
    calls = _episode(_samples(log)["visit-desk.straightforward"]).calls
    assert [c.error.code if c.error else None for c in calls] == [None, "not_found"]


@pytest.mark.parametrize("reply", ["", "   "], ids=["empty", "blank"])
def test_empty_model_reply_is_a_turn_and_the_user_asks_again(tmp_path: Path, reply: str) -> None:
    PLAYS["empty"] = lambda messages, tools: reply
    log = _run(tmp_path, model="scripted/empty", turns=3, kind="straightforward")
    episode = _episode(_samples(log)["visit-desk.straightforward"])
    assert next(line.text for line in episode.lines if line.role == "agent") == ""
    assert len([line for line in episode.lines if line.role == "user"]) >= 2


def test_agent_sees_nothing_gold(tmp_path: Path) -> None:
    seen: list[str] = []

    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
        seen.extend(m.text for m in messages)
        seen.extend(t.model_dump_json() for t in tools)
        return "All done!"

    PLAYS["spy"] = play
    log = _run(tmp_path, model="scripted/spy", turns=2)
    text = "\n".join(seen)
    for sample in log.samples or []:
        checks = json.loads(sample.metadata["checks"]["json"])
        assert checks["scenario"] not in text
        assert "must_say" not in text and "reschedule_count" not in text
    assert "Shall I move your visit there?" not in text  # a gold sentence


def test_model_in_the_user_role_makes_the_profile_published(tmp_path: Path) -> None:
    def user(messages: list[ChatMessage], tools: list[ToolInfo]) -> str:
        assert tools == []
        assert "Hi, I need my technician visit moved" in messages[2].text
        return "Never mind then. ###GAVE_UP###" if len(messages) > 5 else "What do you mean?"

    PLAYS["user"] = user
    PLAYS["agent"] = lambda messages, tools: "I see."
    log = _run(
        tmp_path, model="scripted/agent", roles={"user": "scripted/user"}, kind="straightforward"
    )
    episode = _episode(_samples(log)["visit-desk.straightforward"])
    assert (episode.profile, episode.termination.state) == ("published", State.GAVE_UP)
    assert episode.user == "scripted/user"


def test_yes_glued_to_an_end_mark_leaves_the_agent_its_turn(tmp_path: Path) -> None:
    PLAYS["user"] = lambda messages, tools: "Yes, please go ahead. ###RESOLVED###"
    PLAYS["agent"] = lambda messages, tools: f"Shall I move it? ({len(messages)})"
    log = _run(
        tmp_path,
        model="scripted/agent",
        roles={"user": "scripted/user"},
        turns=3,
        kind="straightforward",
    )
    sample = _samples(log)["visit-desk.straightforward"]
    episode = _episode(sample)
    assert episode.termination.state is State.TURN_BUDGET
    assert "Yes, please go ahead." in [line.text for line in episode.lines]
    assert _value(sample, "user_faults") > 0


def test_inspect_react_agent_takes_the_agent_slot(tmp_path: Path) -> None:
    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> ChatMessageAssistant | str:
        if messages[-1].role == "user" and "0101" in messages[-1].text:
            return called("crm__find_customer", {"phone": "+14045550101"})
        return "What is your phone number?"

    PLAYS["react"] = play
    log = _run(tmp_path, model="scripted/react", agent="react", turns=2, kind="straightforward")
    calls = _episode(_samples(log)["visit-desk.straightforward"]).calls
    assert [(c.tool, c.error) for c in calls] == [("mcp.crm:find_customer", None)]


@pytest.mark.slow
def test_parallel_samples_never_see_each_others_world(tmp_path: Path) -> None:
    log = _run(tmp_path, agent="reference", epochs=Epochs(20, "mean"), max_samples=50)
    episodes = [_episode(s) for s in log.samples or [] if s.id == "visit-desk.straightforward"]
    assert len(episodes) == 20
    assert len({e.model_dump_json() for e in episodes}) == 1
    moved = [c for e in episodes for c in e.calls if "reschedule" in c.tool]
    assert all(isinstance(c.result, dict) and c.result["reschedule_count"] == 1 for c in moved)


@pytest.mark.parametrize(
    "kind",
    ["lost_reply,mind_change", ["lost_reply", "mind_change"], "lost_reply, mind_change"],
    ids=["commas", "list", "blank"],
)
def test_filter_takes_several_values(kind: Any) -> None:
    dataset = zero_shot(skills=str(MOCK_SKILLS), kind=kind).dataset
    assert {sample.id for sample in dataset} == {"visit-desk.lost_reply", "visit-desk.mind_change"}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"agent": "nosuch"}, "no agent 'nosuch'"),
        ({"turns": 0}, "no whole number above 0"),
        ({"kind": "strange"}, "no case has strange"),
        ({"agnt": "x"}, "-T agnt: no such option; use agent, turns"),
    ],
    ids=["agent", "turns", "filter", "unknown"],
)
def test_wrong_option_is_one_line(option: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message) as caught:
        zero_shot(**{"skills": str(MOCK_SKILLS), **option})
    assert type(caught.value).__name__ == "PrerequisiteError"


def test_public_name_is_the_task_also_after_its_file_is_imported() -> None:
    import skillbench_tasks
    import skillbench_tasks.zero_shot

    assert skillbench_tasks.zero_shot is zero_shot
    assert {"zero_shot", "load_cases", "load_skills"} <= set(skillbench_tasks.__all__)


def test_agent_from_a_file_takes_the_slot(tmp_path: Path) -> None:
    file = tmp_path / "own_agent_file.py"
    file.write_text(
        "from inspect_ai.agent import AgentState, agent\n"
        "from inspect_ai.model import ChatMessageAssistant\n"
        "@agent\n"
        "def polite_nothing():\n"
        "    async def execute(state: AgentState, tools) -> AgentState:\n"
        "        state.messages.append(ChatMessageAssistant(content='Thank you for waiting.'))\n"
        "        return state\n"
        "    return execute\n",
        encoding="utf-8",
    )
    log = _run(tmp_path, agent=f"{file}@polite_nothing", turns=1, kind="straightforward")
    episode = _episode(_samples(log)["visit-desk.straightforward"])
    assert [x.text for x in episode.lines if x.role == "agent"] == ["Thank you for waiting."]


def test_agent_file_that_is_missing_is_one_line() -> None:
    with pytest.raises(Exception, match=r"no Python file \S+nosuch\.py"):
        zero_shot(skills=str(MOCK_SKILLS), agent="nosuch.py@x")


def test_error_of_the_mean_over_one_skill_is_no_certainty(tmp_path: Path) -> None:
    PLAYS["half"] = lambda messages, tools: "Goodbye."
    log = _run(tmp_path, model="scripted/half", turns=2)
    assert log.results is not None
    rows = {s.name: s.metrics for s in log.results.scores}
    mean = rows["constraints"]["mean"].value
    values = [float(_value(s, "constraints") == "C") for s in log.samples or []]
    spread = sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values)
    assert rows["constraints"]["stderr"].value == pytest.approx(spread**0.5)


@pytest.mark.parametrize("half_by", ["agent", "user"])
def test_half_a_character_in_a_message_ends_no_run(tmp_path: Path, half_by: str) -> None:
    PLAYS["half-agent"] = lambda messages, tools: "Hello \ud83d" if half_by == "agent" else "Hello."
    PLAYS["half-user"] = lambda messages, tools: "Well \ude00" if half_by == "user" else "Well."
    log = _run(
        tmp_path,
        model="scripted/half-agent",
        roles={"user": "scripted/half-user"},
        turns=3,
        kind="straightforward",
    )
    texts = [line.text for line in _episode(log.samples[0]).lines] if log.samples else []
    assert any("\ufffd" in text for text in texts)
