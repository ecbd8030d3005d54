"""Models of what a model answered in a tool's stead."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import JsonValue

from skillbench_tasks.models.base import Model
from skillbench_tasks.models.gold import CallError

__all__ = ["MOCK_KEY", "MockAnswer", "MockEntry", "MockRow"]

MOCK_KEY: Final = "skillbench:mock"
"""Where a sample's store holds the answers that a model gave in tools' stead."""


class MockAnswer(Model):
    """A result, or an error."""

    result: JsonValue = None
    error: CallError | None = None


class MockEntry(Model):
    """One answer and how it came about.

    `complaints` are what was wrong with the model's first attempt; `repairs` what code put right;
    `notes` what looks wrong and was let pass.
    """

    tool: str
    arguments: dict[str, JsonValue]
    answer: MockAnswer
    source: Literal["model", "recording", "repeated"]
    model: str = ""
    key: str = ""
    complaints: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class MockRow(Model):
    """A line of a recording; the entry's `key` stands for all that the answer depends on."""

    case: str
    data: str
    prompt: str
    entry: MockEntry
