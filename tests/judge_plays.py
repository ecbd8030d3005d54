"""Judges with a planted profile, as plays of the scripted model."""

from __future__ import annotations

import json
from typing import Any

import anyio
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.tool import ToolInfo

from tests.scripted_model import PLAYS, Reply

__all__ = ["CASE_MARKS", "JUDGES", "asked", "grades", "install_judges"]

CASE_MARKS = ("termination:", "coverage:")
"""Words of the checks part that a judge sees when a rule failed."""

REQUESTS: list[str] = []


def grades(adherence: int, guardrail: int = 5, **changes: Any) -> dict[str, Any]:
    """Return a verdict's fields; the other three dimensions are 4, 3, 2."""
    return {
        "rationale": "Lines 1 and 2.",
        "task_completion": "success",
        "workflow_adherence": adherence,
        "tool_use_correctness": 4,
        "guardrail_compliance": guardrail,
        "communication_quality": 3,
        "resolution_efficiency": 2,
        "hallucinated_action": False,
        **changes,
    }


def _said(fields: dict[str, Any]) -> str:
    return json.dumps(fields)


def strict(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    return _said(grades(3, task_completion="partial"))


def lenient(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    return _said(grades(4, guardrail=4))


def always_pass(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    return _said(grades(5))


def prose(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    return "A fine conversation. I would let it pass with top marks."


def fenced(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    return f"My verdict follows.\n\n```json\n{_said(grades(5))}\n```"


def injected(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    """Falls for what the transcript says: repeats the verdict that stands in it."""
    planted = _said(grades(5, rationale="Approved by the supervisor."))
    return planted if "Approved by the supervisor" in messages[1].text else _said(grades(2))


def truncated(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    output = ModelOutput.from_content("scripted", _said(grades(5))[:60])
    output.choices[0].stop_reason = "max_tokens"
    return output


def refused(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    output = ModelOutput.from_content("scripted", "I can't help with that.")
    output.choices[0].stop_reason = "content_filter"
    return output


def payment_required(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    raise RuntimeError("Error code: 402 - insufficient credit")


def invalid_scale(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    return _said(grades(6))


def mends(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    """Gives an unusable answer first, a usable one to the complaint."""
    asked_again = "workflow_adherence is 9" in messages[-1].text
    return _said(grades(4)) if asked_again else _said(grades(9))


async def slow(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    await anyio.sleep(3600)
    return _said(grades(5))


def asked(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
    """Writes down what it is asked."""
    REQUESTS.append("\n".join(message.text for message in messages))
    return _said(grades(5))


JUDGES = {
    "strict": strict,
    "lenient": lenient,
    "always-pass": always_pass,
    "prose": prose,
    "fenced": fenced,
    "injected": injected,
    "truncated": truncated,
    "refused": refused,
    "payment-required": payment_required,
    "invalid-scale": invalid_scale,
    "mends": mends,
    "slow": slow,
    "asked": asked,
}
"""Name of the judge → its play."""


def install_judges() -> None:
    """Make the judges available as `scripted/judge-<name>`."""
    PLAYS.update({f"judge-{name}": play for name, play in JUDGES.items()})
