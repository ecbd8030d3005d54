"""Next-action examples for supervised fine-tuning: chat-format JSON Lines.

Each decision is one example: policy, tools and the gold history before it, and as the last message
the assistant's action: its text, or one tool call. The bytes depend on the data alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from skillbench_tasks.datasets.chat_format import chat_messages, chat_tools
from skillbench_tasks.datasets.splits import Split, split_conversations
from skillbench_tasks.models.conversation import Conversation

__all__ = ["sft_examples", "sft_lines", "write_sft"]


def sft_examples(conversation: Conversation) -> Iterator[dict[str, Any]]:
    """Yield the examples of a conversation as objects with `messages` and `tools`."""
    tools = chat_tools(conversation.tools)
    for decision in conversation.decisions:
        steps = conversation.steps[: decision.step + decision.size]
        messages = chat_messages(conversation.policy, steps)
        if answers := len(conversation.calls(decision)):
            del messages[-answers:]  # what answers the calls that are to be learned
        yield {"messages": messages, "tools": tools}


def sft_lines(conversations: Iterable[Conversation]) -> Iterator[str]:
    """Yield the examples of conversations as lines, without line breaks, in order."""
    for conversation in conversations:
        for example in sft_examples(conversation):
            yield json.dumps(example, ensure_ascii=False)


def write_sft(split: Split, out: IO[bytes]) -> int:
    """Write the examples of a split, and return how many there are.

    Args:
        split: Which of the shipped conversations.
        out: Takes UTF-8 lines.
    """
    count = 0
    for line in sft_lines(split_conversations(split)):
        out.write(f"{line}\n".encode())
        count += 1
    return count
