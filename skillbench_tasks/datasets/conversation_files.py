"""Our own format of recorded conversations: JSON Lines, one `Conversation` on each line.

`docs/conversation-format.md` has the fields and the JSON Schema.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from skillbench_tasks.datasets.conversation_lines import Line, LineConversations
from skillbench_tasks.datasets.conversation_tools import explained, tools_from
from skillbench_tasks.models.conversation import CalledTool, Conversation

__all__ = [
    "conversation_line",
    "conversation_schema",
    "open_data",
    "read_conversation",
    "write_conversations",
]


def open_data(path: Path, *, skip: bool = False) -> LineConversations:
    """Open a file in our own format.

    Args:
        path: The file; gzipped where its name ends in `.gz`.
        skip: Whether broken lines are left out, and told in the source's `notes`.

    Raises:
        DataError: The file is missing, or a line of it is broken.
    """
    return LineConversations(path, read_conversation, skip=skip)


def read_conversation(line: Line) -> Conversation:
    """Return the conversation of a line.

    Raises:
        DataError: A field is missing, unknown or of the wrong kind; a call is of a tool that is not
            offered, or has a result and an error; a message is blank; nothing is the assistant's.
    """
    data = {**line.data}
    if "tools" in data:
        data["tools"] = tools_from(data["tools"], line)
    try:
        made = Conversation.model_validate(data)
    except ValidationError as error:
        place, problem, mend = explained(error)
        raise line.fault(place, problem, mend) from None
    _check(made, line)
    return made.model_copy(update={"policy": sys.intern(made.policy)})


def write_conversations(path: Path, conversations: Iterable[Conversation]) -> int:
    """Write conversations in our own format, in their order, and return how many."""
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for conversation in conversations:
            file.write(conversation_line(conversation) + "\n")
            count += 1
    return count


def conversation_line(conversation: Conversation) -> str:
    """Return a conversation as a line: fields in their order, those without a value left out."""
    data = conversation.model_dump(mode="json")
    for step in data["steps"]:
        for name in ("result", "error"):
            if step.get(name, ...) is None:
                del step[name]
        if step["weight"] == 1:
            del step["weight"]
        if not step.get("with_previous", True):
            del step["with_previous"]
    for tool in data["tools"]:
        if tool["access"] is None:
            del tool["access"]
    for name in ("case", "optional_tools"):
        if not data[name]:
            del data[name]
    return json.dumps(data, ensure_ascii=False)


def conversation_schema() -> dict[str, Any]:
    """Return the JSON Schema of a line."""
    return Conversation.model_json_schema()


def _check(conversation: Conversation, line: Line) -> None:
    offered = {tool.name for tool in conversation.tools}
    for name in conversation.optional_tools:
        if name not in offered:
            mend = "add it to tools, or mend the name"
            raise line.fault("optional_tools", f"{name!r} is not among the tools", mend)
    for index, step in enumerate(conversation.steps):
        place = f"steps.{index}"
        if not isinstance(step, CalledTool):
            if not step.text.strip():
                raise line.fault(f"{place}.text", "the message is blank", "take the step out")
        elif step.tool not in offered:
            mend = "add it to tools, or mend the name"
            raise line.fault(f"{place}.tool", f"{step.tool!r} is not among the tools", mend)
        elif step.error is not None and step.result is not None:
            raise line.fault(place, "a result and an error", "keep one of them")
        elif step.with_previous and not (
            index and isinstance(conversation.steps[index - 1], CalledTool)
        ):
            raise line.fault(f"{place}.with_previous", "no call stands before it", "take it out")
    if not conversation.decisions:
        mend = "a conversation needs a message or a call of the assistant"
        raise line.fault("steps", "no step is the assistant's", mend)
