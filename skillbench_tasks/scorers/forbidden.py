"""Forbidden questions: what no policy lets an agent ask for or write down."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from skillbench_tasks.datasets.wording.asking import things_asked
from skillbench_tasks.datasets.wording.forbidden import asks_for, holds_value
from skillbench_tasks.models import Call, Checks, Episode

__all__ = ["crowded_questions", "forbidden_questions"]


def crowded_questions(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield messages that ask for more things than a message may, or for what is left unasked."""
    most = checks.most_asked if checks.most_asked is not None else len(checks.asked_words)
    for line in episode.lines:
        asked = things_asked(line.text, checks.asked_words) if line.role == "agent" else []
        if len(asked) > most:
            yield f"turn {line.turn} asks for {len(asked)} things, at most {most} allowed"
        for name in checks.unasked:
            if any(name in thing for thing in asked):
                yield f"turn {line.turn} asks for the {name}, and nobody is to be verified"


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
