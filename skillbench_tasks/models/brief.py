"""What a judge is told of a case, beside the transcript and the hard failures."""

from __future__ import annotations

from typing import Any, Final, Literal

from skillbench_tasks.models.base import Model

__all__ = ["BRIEF_KEY", "Brief", "BriefTool"]

BRIEF_KEY: Final = "brief"
"""Where a sample's metadata hold the brief: JSON text under `json`."""


class BriefTool(Model):
    """A tool as the agent saw it."""

    name: str
    description: str
    access: Literal["read", "write"]
    input_schema: dict[str, Any]


class Brief(Model):
    """A case as judges know it; stored with the sample, so that a log is judged again on its own.

    It holds nothing of the gold conversation (nor the checklist, which tells its steps), of the
    target world or of our own scorers. `prompt` is the agent's whole system prompt.
    """

    prompt: str
    tools: tuple[BriefTool, ...]
    goal: str
    success_criteria: tuple[str, ...]
