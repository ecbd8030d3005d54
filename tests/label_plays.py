"""Judges that label, with a planted profile, as plays of the scripted model."""

from __future__ import annotations

import json
from typing import Any

from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.tool import ToolInfo

from tests.scripted_model import PLAYS, Reply

__all__ = ["LABELLERS", "SEEN", "install_labellers", "labelled"]

SEEN: list[list[str]] = []
"""What the judge `asked` was asked, message by message."""


def labelled(label: str, category: str = "none", **changes: Any) -> str:
    """Return a verdict."""
    fields = {"rationale": "Line 1.", "label": label, "failure_category": category, **changes}
    return json.dumps(fields)


def _refused(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    output = ModelOutput.from_content("scripted", "I can't help with that.")
    output.choices[0].stop_reason = "content_filter"
    return output


def _truncated(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    output = ModelOutput.from_content("scripted", labelled("pass")[:30])
    output.choices[0].stop_reason = "max_tokens"
    return output


def _mends(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    """Contradicts itself first, and not when it is told so."""
    return labelled("pass", "none" if "contradict" in messages[-1].text else "other")


def _asked(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    SEEN.append([message.text for message in messages])
    return labelled("pass")


LABELLERS = {
    "lenient": lambda messages, tools: labelled("pass"),
    "strict": lambda messages, tools: labelled("fail", "other"),
    "prose": lambda messages, tools: "A fine action. I would let it pass.",
    "off-the-set": lambda messages, tools: labelled("fail", "rudeness"),
    "refused": _refused,
    "truncated": _truncated,
    "mends": _mends,
    "asked": _asked,
}
"""Name of the judge → its play."""


def install_labellers() -> None:
    """Make the judges available as `scripted/label-<name>`."""
    PLAYS.update({f"label-{name}": play for name, play in LABELLERS.items()})
