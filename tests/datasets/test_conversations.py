"""Recorded conversations of cases, and where conversations come from."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool

from skillbench_tasks.datasets.chat_format import reply_text
from skillbench_tasks.datasets.conversations import (
    CaseConversations,
    ConversationSource,
    conversation_place,
    open_conversations,
)
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.errors import DataError, OptionError
from skillbench_tasks.models.conversation import CalledTool
from skillbench_tasks.zero_shot import zero_shot
from tests.mock import MOCK_SKILLS


@pytest.fixture(scope="module")
def shipped() -> ConversationSource:
    """The conversations that ship."""
    return open_conversations()


@pytest.fixture(scope="module")
def reference_run(tmp_path_factory: pytest.TempPathFactory) -> list[EvalSample]:
    """The zero-shot task on the mock skill with the reference agent."""
    task = zero_shot(skills=str(MOCK_SKILLS), agent="reference")
    folder = str(tmp_path_factory.mktemp("logs"))
    log = inspect_eval(task, model="none/none", log_dir=folder, display="none")[0]
    assert log.status == "success", log.error
    return log.samples or []


def _happened(sample: EvalSample) -> list[tuple[str, ...]]:
    """What the agent was told, and what it did: texts, and calls with their answers."""
    system, *messages = sample.messages
    answers = {
        message.tool_call_id: message.error.message if message.error else message.text
        for message in messages
        if isinstance(message, ChatMessageTool)
    }
    rows: list[tuple[str, ...]] = [("policy", system.text)]
    for message in messages:
        if isinstance(message, ChatMessageAssistant) and message.tool_calls:
            (call,) = message.tool_calls
            arguments = json.dumps(call.arguments, sort_keys=True)
            rows.append((call.function, arguments, answers[call.id]))
        elif isinstance(message, ChatMessageAssistant):
            rows.append((message.role, message.text))
    return rows


def test_conversation_is_what_the_reference_agent_saw_and_did(
    reference_run: list[EvalSample],
) -> None:
    source = open_conversations(str(MOCK_SKILLS))
    assert sorted(source.ids()) == sorted(str(sample.id) for sample in reference_run)
    for sample in reference_run:
        conversation = source.conversation(str(sample.id))
        rows: list[tuple[str, ...]] = [("policy", conversation.policy)]
        for step in conversation.steps:
            if isinstance(step, CalledTool):
                arguments = json.dumps(step.arguments, sort_keys=True)
                rows.append((step.tool, arguments, reply_text(step)))
            elif step.role == "assistant":
                rows.append((step.role, step.text))
        assert rows == _happened(sample)


def test_every_shipped_case_is_a_conversation_with_all_its_decisions(
    shipped: ConversationSource,
) -> None:
    cases = load_cases()
    assert shipped.ids() == tuple(case.id for case in cases)
    for case in cases:
        conversation = shipped.conversation(case.id)
        turns = [turn for turn in case.gold.turns if turn.role == "agent"]
        expected = [name for turn in turns for name in [*("call" for _ in turn.calls), turn.text]]
        steps = [conversation.steps[decision.step] for decision in conversation.decisions]
        made = ["call" if isinstance(step, CalledTool) else step.text for step in steps]
        assert made == expected
        assert (conversation.workflow, conversation.kind, conversation.case) == (
            case.skill.name,
            str(case.scenario.kind),
            case.id,
        )
        assert {tool.access for tool in conversation.tools} <= {"read", "write"}


def test_conversations_share_policy_tools_and_history(shipped: ConversationSource) -> None:
    by_skill = defaultdict(list)
    for conversation in shipped.conversations():
        by_skill[conversation.workflow].append(conversation)
    for conversations in by_skill.values():
        assert len({id(one.policy) for one in conversations}) == 1
        assert len({id(tool) for one in conversations for tool in one.tools}) == len(
            conversations[0].tools
        )
    again = next(shipped.conversations())
    assert shipped.conversation(again.id) is again
    assert open_conversations() is shipped


def test_user_is_the_customer(shipped: ConversationSource) -> None:
    by_customer = defaultdict(set)
    for case in load_cases():
        customer = (case.skill.industry, case.scenario.customer)
        by_customer[customer].add(shipped.conversation(case.id).user)
    users = list(by_customer.values())
    assert all(len(names) == 1 for names in users)
    assert len(set.union(*users)) == len(users)


def test_world_of_a_conversation_can_be_started(shipped: ConversationSource) -> None:
    source = shipped.case_source
    assert source is not None
    case = source.case(str(next(shipped.conversations()).case))
    assert source.world(case).now


def test_case_without_words_is_named_with_its_mend(tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    shutil.copytree(MOCK_SKILLS, folder)
    (folder / "visit-desk" / "gold.json").unlink()
    with pytest.raises(DataError, match=r"visit-desk/gold\.json: visit-desk\..* has no words; run"):
        CaseConversations(str(folder)).ids()


def test_unknown_conversation_is_told(shipped: ConversationSource) -> None:
    with pytest.raises(DataError, match="nosuch: no such case"):
        shipped.conversation("nosuch")


@pytest.mark.parametrize(
    ("given", "place"),
    [
        pytest.param(None, None, id="what ships"),
        pytest.param("a/b.jsonl", "{cwd}/a/b.jsonl", id="file"),
        pytest.param("star:data", "star:{cwd}/data", id="foreign folder"),
        pytest.param("openai:chat.jsonl", "openai:{cwd}/chat.jsonl", id="foreign file"),
        pytest.param("skip:openai:c.jsonl", "skip:openai:{cwd}/c.jsonl", id="without broken lines"),
        pytest.param("skip:c.jsonl", "skip:{cwd}/c.jsonl", id="own file without broken lines"),
        pytest.param("/a:b.jsonl", "/a:b.jsonl", id="colon in a path"),
    ],
)
def test_place_has_an_absolute_path(given: str | None, place: str | None) -> None:
    cwd = str(Path.cwd())
    assert conversation_place(given) == (place.format(cwd=cwd) if place else None)


@pytest.mark.parametrize("given", ["star:", "star", "tau2:data", "", {"star": None}, 3], ids=str)
def test_place_without_a_path_is_refused(given: object) -> None:
    with pytest.raises(OptionError, match=r"-T dataset: .* give a file of conversations, .*star:"):
        conversation_place(given)


@pytest.mark.parametrize("place", ["nosuch.jsonl", "openai:nosuch.jsonl", "star:nosuch"])
def test_missing_place_is_one_line(place: str) -> None:
    with pytest.raises(DataError, match=r"^nosuch(\.jsonl)?: no such (file|folder); give "):
        open_conversations(place)
