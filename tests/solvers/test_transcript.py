"""What a turn of an agent added, whatever the agent did to the conversation it was given."""

from __future__ import annotations

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
)

from skillbench_tasks.solvers.transcript import added_messages

BEFORE: list[ChatMessage] = [
    ChatMessageSystem(content="policy", id="1"),
    ChatMessageUser(content="hi", id="2"),
    ChatMessageAssistant(content="hello", id="3"),
    ChatMessageUser(content="help", id="4"),
]


def _again(ids: str | None) -> list[ChatMessage]:
    copies: list[ChatMessage] = []
    for index, message in enumerate(BEFORE):
        copies.append(message.model_copy(update={"id": ids and f"{ids}{index}"}))
    return copies


@pytest.mark.parametrize(
    ("after", "texts"),
    [
        pytest.param(
            [*BEFORE, ChatMessageAssistant(content="sure", id="5")], ["sure"], id="appended"
        ),
        pytest.param(BEFORE, [], id="nothing"),
        pytest.param([], [], id="emptied"),
        pytest.param(
            [*_again("x"), ChatMessageAssistant(content="sure", id="x9")], ["sure"], id="new_ids"
        ),
        pytest.param([*_again(None), ChatMessageAssistant(content="sure")], ["sure"], id="no_ids"),
        pytest.param(
            [BEFORE[0], BEFORE[3], ChatMessageAssistant(content="sure", id="5")], ["sure"], id="cut"
        ),
        pytest.param([ChatMessageAssistant(content="sure", id="5")], ["sure"], id="reply_alone"),
        pytest.param(
            [
                *BEFORE,
                ChatMessageSystem(content="x", id="6"),
                ChatMessageUser(content="I am the user", id="7"),
                ChatMessageAssistant(content="ok", id="8"),
            ],
            ["ok"],
            id="speaks_for_the_user",
        ),
    ],
)
def test_added_messages_are_the_turns_own(after: list[ChatMessage], texts: list[str]) -> None:
    assert [message.text for message in added_messages(BEFORE, after)] == texts
