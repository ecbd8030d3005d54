"""What the user has to have said before a write: answers to questions that the policy demands."""

from __future__ import annotations

from collections.abc import Iterator

from skillbench_tasks.datasets.surface import expresses
from skillbench_tasks.models import Checks, Episode, Heard, Line
from skillbench_tasks.scorers.conduct import was_put

__all__ = ["unheard_answers"]


def unheard_answers(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield calls before which the user had not said what the policy wants to hear of him."""
    for heard in checks.heard:
        said = False
        for event in episode.events:
            if isinstance(event, Line):
                said = said or (event.role == "user" and _says(event, heard))
            elif event.tool == heard.before and was_put(event) and not said:
                yield f"{event.tool} was called before the user had said the {heard.slot}"
                break


def _says(line: Line, heard: Heard) -> bool:
    if {f"inform:{heard.slot}", f"change:{heard.slot}"} & set(line.acts):
        return True
    return any(expresses(line.text, value, heard.forms) for value in heard.values)
