"""Operators `text_spoiled` and `page_pasted`: junk in free texts, the page as an answer."""

from __future__ import annotations

import re
from typing import Final

from skillbench_tasks.datasets.mutants.edits import (
    agent,
    cut,
    interjected,
    reworded,
    with_arguments,
)
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import Story
from skillbench_tasks.models import Outcome, State

__all__ = ["pasted_pages", "spoiled_texts"]

_JUNK: Final = {
    "letters": "xxxxxxxxxx",
    "keys": "qwe asd zxc rty fgh vbn",
    "one_word": "customer customer customer customer customer",
}


def spoiled_texts(story: Story) -> Drafts:
    """Yield mutants with junk in a free text, or with part of what it has to hold left out."""
    rules = {(rule.tool, rule.argument) for rule in story.case.checks.rules.texts}
    for place in story.places:
        for name in story.case.checks.free_texts.get(place.call.tool, ()):
            value = place.call.arguments.get(name)
            if not isinstance(value, str):
                continue
            where = f"turn {place.turn}: {name} of {place.call.tool}"
            spoiled = dict(_JUNK)
            if (place.call.tool, name) in rules:
                first, _, rest = value.partition(". ")
                spoiled |= {"wanted_left_out": rest, "only_wanted": f"{first}."} if rest else {}
            for operator, text in spoiled.items():
                script = with_arguments(story.script, place, {**place.call.arguments, name: text})
                yield Draft(operator, f"{where} is {text!r}", script)


def pasted_pages(story: Story) -> Drafts:
    """Yield mutants that paste the page, or name a second place where one is due."""
    page = story.case.skill.instructions
    capability = re.split(r"^# ", page, flags=re.MULTILINE)[1]
    end = story.script.end
    paste = f"That is not something I can do here.\n# {capability}"
    refusal = cut(story.script, 1, State.OUT_OF_SCOPE, agent(paste))
    yield Draft("refused_with_page", "turn 1: the page's Capability and no more", refusal)
    added = reworded(story.script, story.last, f"{story.turns[story.last].text}\n{page}")
    yield Draft("page_added", f"turn {story.last}: the whole page on top", added)
    if end is State.OUT_OF_SCOPE and Outcome.OUT_OF_SCOPE in story.right_ends:
        for place in story.case.checks.wrong_places:
            text = f"You could also turn to this place: {place.forms[0]}."
            said = interjected(story.turns[story.last].text, text)
            script = reworded(story.script, story.last, said)
            yield Draft("second_place", f"turn {story.last}: names {place.name} too", script)
