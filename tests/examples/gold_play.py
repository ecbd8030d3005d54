"""A model that plays the gold conversation of whatever case it is put into."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count

from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.tool import ToolCall, ToolInfo

from skillbench_tasks.datasets.script import gold_script
from skillbench_tasks.models import Case
from tests.scripted_model import PLAYS, Reply

__all__ = ["gold_play", "install_gold"]

GoldPlay = Callable[[list[ChatMessage], list[ToolInfo]], Reply]


def install_gold(name: str, cases: Iterable[Case], calls_at_once: bool = False) -> str:
    """Make the gold available as a model and return the model's name."""
    PLAYS[name] = gold_play(cases, calls_at_once)
    return f"scripted/{name}"


def gold_play(cases: Iterable[Case], calls_at_once: bool = False) -> GoldPlay:
    """Return a play of the gold conversations; a function of the messages alone.

    Args:
        cases: Known by their opening, the conversation's first message of a user.
        calls_at_once: Put all calls of a turn into one message.
    """
    scripts = {case.scenario.opening: gold_script(case) for case in cases}

    def play(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
        heard = [index for index, message in enumerate(messages) if message.role == "user"]
        script = scripts[messages[heard[0]].text]
        own = [turn for turn in script.turns if turn.role == "agent"]
        if len(heard) > len(own):
            return "Is there anything else?"
        turn = own[len(heard) - 1]
        made = sum(message.role == "tool" for message in messages[heard[-1] :])
        rest = turn.calls[made:] if calls_at_once else turn.calls[made : made + 1]
        if not rest:
            return turn.text
        number = count(made)
        calls = [
            ToolCall(
                id=f"call-{len(heard)}-{next(number)}",
                function=call.tool.removeprefix("mcp.").replace(":", "__"),
                arguments=dict(call.arguments),
            )
            for call in rest
        ]
        return ChatMessageAssistant(content="", tool_calls=calls)

    return play
