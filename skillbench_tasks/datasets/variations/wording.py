"""The agent's messages in other words: the facts and nothing else, at length, another ending.

The words are data: `wordings.yaml` by act, with the facts of the gold message; `endings.yaml` by
case, for last messages that refuse, hand over or explain.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.edits import reworded
from skillbench_tasks.datasets.mutants.story import Story
from skillbench_tasks.datasets.surface import say_value
from skillbench_tasks.datasets.variations.variation import Draft, Drafts
from skillbench_tasks.files import read_yaml
from skillbench_tasks.models import Act

__all__ = ["endings_in_other_words", "terse", "verbose"]

_FACT: Final = re.compile(r"\{(\??)([a-z0-9_]+)\}")
_PART: Final = re.compile(r"\[([^\]]*)\]")
_FREE: Final = re.compile(r"\b(?:0|free) points")


_FOLDER: Final = Path(__file__).parent


@cache
def _wordings() -> dict[str, Any]:
    return dict(read_yaml(_FOLDER / "wordings.yaml"))


@cache
def _endings() -> dict[str, Any]:
    return dict(read_yaml(_FOLDER / "endings.yaml"))


def endings_in_other_words(story: Story) -> Drafts:
    """Yield runs with another right last message."""
    for number, text in enumerate(_endings().get(story.case.id, ()), start=1):
        yield Draft(f"ending {number}", reworded(story.script, story.last, text))


def terse(story: Story) -> Drafts:
    """Yield a run whose messages say the facts and nothing else."""
    yield from _worded(story, 0, "the facts alone")


def verbose(story: Story) -> Drafts:
    """Yield a run whose messages say the facts at length."""
    yield from _worded(story, 1, "the facts at length")


def _worded(story: Story, form: int, detail: str) -> Drafts:
    script = story.script
    for turn in story.agent_turns:
        texts = [_text(story, act, form) for act in story.turns[turn].acts]
        if texts and all(texts):
            script = reworded(script, turn, " ".join(text for text in texts if text))
    yield Draft(detail, script)


def _text(story: Story, act: Act, form: int) -> str | None:
    """An act in other words; nothing where the data hold none, or lack a fact."""
    forms = _wordings()["acts"].get(story.case.skill.name, {}).get(act.act)
    if forms is None or act.kind not in ("say", "confirm"):
        return None
    facts = {fact.name: said for fact in act.facts if (said := _said(fact.name, fact.value))}
    text = _PART.sub(lambda part: part[1] if _is_whole(part[1], facts) else "", forms[form])
    if not _is_whole(text, facts):
        return None
    text = _FACT.sub(lambda found: "" if found[1] else facts[found[2]], text)
    return _FREE.sub("nothing", text)


def _is_whole(text: str, facts: dict[str, str]) -> bool:
    return all(found[2] in facts for found in _FACT.finditer(text))


def _said(name: str, value: JsonValue) -> str:
    """A fact as people write it; nothing for a flag or an empty value."""
    if value is None or isinstance(value, bool) or value == []:
        return ""
    if isinstance(value, str) and value in _wordings()["phrases"]:
        return str(_wordings()["phrases"][value])
    if name in _wordings()["money"] and isinstance(value, int | float):
        return say_value(value, "money")
    kind = "phone" if name == "phone" else "id" if name in ("code", "model") else "text"
    return say_value(value, kind)
