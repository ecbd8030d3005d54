"""What a sample holds for its scorers: metadata with checks and brief, a store with the episode."""

from __future__ import annotations

from typing import Any, Final

from inspect_ai.event import ErrorEvent
from inspect_ai.log import transcript
from inspect_ai.solver import TaskState
from inspect_ai.util import store_from_events
from pydantic import ValidationError

from skillbench_tasks.errors import EpisodeError
from skillbench_tasks.models import BRIEF_KEY, CHECKS_KEY, EPISODE_KEY, Brief, Checks, Episode

__all__ = ["has_conversation", "has_erred", "read_brief", "read_case", "stored_value"]

_READ: Final[dict[str, tuple[Any, Checks, Episode]]] = {}
_READ_MAX: Final = 256


def has_conversation(state: TaskState) -> bool:
    """Return whether there is anything to grade: not where a sample erred before it began.

    Such samples stand in a log that is graded again, and are no reason to leave the others.
    """
    return not has_erred() or stored_value(state, EPISODE_KEY) is not None


def has_erred() -> bool:
    """Return whether an error broke off the sample that is graded."""
    return any(isinstance(event, ErrorEvent) for event in transcript().events)


def read_case(state: TaskState) -> tuple[Checks, Episode]:
    """Return the case's checks and the episode; the scorers of one sample share one reading.

    Raises:
        EpisodeError: The log holds no episode or no checks.
    """
    sample = str(state.sample_id)
    stored = state.store.get(EPISODE_KEY)
    known = _READ.get(state.uuid)
    if known is not None and known[0] is stored:
        return known[1], known[2]
    data = stored_value(state, EPISODE_KEY)
    if data is None:
        raise EpisodeError(sample, "the log holds no episode; run the task's own solver")
    if CHECKS_KEY not in state.metadata:
        raise EpisodeError(sample, "the sample's metadata holds no checks; use our dataset")
    checks = Checks.model_validate_json(state.metadata[CHECKS_KEY]["json"])
    episode = Episode.model_validate(data)
    if len(_READ) >= _READ_MAX:
        _READ.clear()
    _READ[state.uuid] = (stored, checks, episode)
    return checks, episode


def read_brief(state: TaskState) -> Brief:
    """Return what judges are told of the case.

    Raises:
        EpisodeError: The log holds no brief, or one of another version.
    """
    if BRIEF_KEY not in state.metadata:
        problem = "the sample's metadata holds no brief; run it again with this version"
        raise EpisodeError(str(state.sample_id), problem)
    try:
        return Brief.model_validate_json(state.metadata[BRIEF_KEY]["json"])
    except ValidationError as error:
        problem = "the brief is of another version; judge with that one, or run it again with this"
        raise EpisodeError(str(state.sample_id), problem) from error


def stored_value(state: TaskState, key: str) -> Any:
    """Return what a sample's store holds under a key, else `None`."""
    stored = state.store.get(key)
    if stored is None:  # Inspect recovers a sample of a killed run with its events, but no store
        return store_from_events(list(transcript().events)).get(key)
    return stored
