"""A model that answers in the stead of tools without a declared behaviour."""

from __future__ import annotations

from skillbench_tasks.tools.llm_mock.mock import LlmMock
from skillbench_tasks.tools.llm_mock.prompt import Situation
from skillbench_tasks.tools.llm_mock.recording import Recording, open_recording, recording_file

__all__ = ["LlmMock", "Recording", "Situation", "open_recording", "recording_file"]
