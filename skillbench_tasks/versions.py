"""Versions that go into every log. Raise one when a score could move."""

from __future__ import annotations

from typing import Final

__all__ = ["DATA_VERSION", "GRADER_VERSION", "MOCK_VERSION", "TASK_VERSION"]

TASK_VERSION: Final = "3"
"""Version of the tasks: loop, prompts, defaults."""

DATA_VERSION: Final = "2"
"""Version of what ships as data: tools, worlds, skills, scenarios, gold conversations."""

GRADER_VERSION: Final = "2"
"""Version of the deterministic scorers and the comparison of worlds."""

MOCK_VERSION: Final = "2"
"""Version of the prompt by which a model answers in a tool's stead; recordings hold for one."""
