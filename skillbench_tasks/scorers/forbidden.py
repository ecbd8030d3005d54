"""Forbidden questions: what no policy lets an agent ask for or write down."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from skillbench_tasks.datasets.wording.forbidden import asks_for, holds_value
from skillbench_tasks.models import Call, Checks, Episode

__all__ = ["forbidden_questions"]


def forbidden_questions(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield what the agent asked for or wrote down that is never asked for.

    Writing down counts where the tool takes it up: an argument that repeats it.
    """
    for event in episode.events:
        if isinstance(event, Call):
            for slot in checks.never_ask:
                if any(holds_value(text, slot) for text in _texts(event.arguments)):
                    yield f"{event.tool} was given a {slot.label}"
        elif event.role == "agent":
            for slot in checks.never_ask:
                if asks_for(event.text, slot):
                    yield f"agent asked for the {slot.label}"


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
