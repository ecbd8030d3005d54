"""Refusals: they name the one place that is due, and no answer is the policy's page itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from skillbench_tasks.datasets.surface import expresses, tells
from skillbench_tasks.models import Checks, Episode

__all__ = ["pasted_pages", "runs_copied", "second_places"]

WORDS_OF_A_COPY: Final = 8
"""Length of a run of words that stands in page and message alike."""

COPIED_BY_MESSAGE: Final = 16
COPIED_BY_CONVERSATION: Final = 24
"""From this many different runs on it is the page.

The gold conversations of the suite reach 8 runs in a message and 8 in a conversation: a rule told
in the page's own words, such as ways of delivery with their prices.
"""


def second_places(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield places named beside the one that is due, unless the user had named them."""
    heard = ""
    for line in episode.lines:
        if line.role == "user":
            heard += f"{line.text}\n"
            continue
        for place in checks.wrong_places:
            names = tells(line.text, None, place.forms)
            if names and not expresses(heard, None, place.forms):
                yield f"{place.name} was named, and another place is due"


def pasted_pages(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield messages and conversations of the agent that repeat the policy's page."""
    page = _runs(checks.policy)
    whole: set[tuple[str, ...]] = set()
    for line in episode.lines:
        if line.role == "agent":
            if (heading := _copied_heading(checks.policy, line.text)) is not None:
                yield f"turn {line.turn} repeats the heading {heading!r} of the policy's page"
            copied = _runs(line.text) & page
            whole |= copied
            if len(copied) >= COPIED_BY_MESSAGE:
                yield f"turn {line.turn} repeats {len(copied)} runs of words of the policy's page"
    if len(whole) >= COPIED_BY_CONVERSATION:
        yield f"the agent repeats {len(whole)} runs of words of the policy's page"


def _copied_heading(page: str, text: str) -> str | None:
    """Return a heading of the page that is a line of a text."""
    headings = set(re.findall(r"^#{1,6} .*\S", page, re.MULTILINE))
    return next((line for line in map(str.strip, text.splitlines()) if line in headings), None)


def runs_copied(page: str, text: str) -> int:
    """Return how many different runs of words of a text stand in a page."""
    return len(_runs(page) & _runs(text))


@lru_cache(maxsize=1024)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9']+", text.lower())
    return frozenset(
        tuple(words[i : i + WORDS_OF_A_COPY]) for i in range(len(words) - WORDS_OF_A_COPY + 1)
    )
