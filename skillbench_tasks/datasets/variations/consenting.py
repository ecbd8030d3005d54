"""Consent in other ways: in two steps, read back again, as a list, with a yes in other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from skillbench_tasks.datasets.mutants.edits import agent, reworded, spliced, user
from skillbench_tasks.datasets.mutants.story import Story, pick
from skillbench_tasks.datasets.script import Script
from skillbench_tasks.datasets.variations.variation import Draft, Drafts

__all__ = [
    "consents_after_a_pause",
    "consents_in_two_steps",
    "read_back_in_lists",
    "read_back_twice",
    "sentences",
    "writes_announced",
    "yeses_in_other_words",
]

_SECOND: Final = (
    "Great, shall I go ahead?",
    "Thank you. Shall I do that now?",
    "Perfect. May I put it through, then?",
    "Good. Just so I have your final word: shall I proceed?",
)
_SECOND_YES: Final = ("Yes, please.", "Yes, go ahead.", "Yes, please do.", "Yes, do it.")
_PAUSES: Final = (
    ("One second, there's somebody at the door.", "I'm back. Yes, go ahead."),
    ("Hang on, let me find my glasses.", "Okay, I've read it. Yes, please do that."),
    ("Give me a moment to write that down.", "Done. Yes, that's right, go ahead."),
)
_THANKS: Final = (
    "Thank you. I'll do that for you now, one moment please.",
    "Great, I'm going to take care of it right away.",
    "All right, then I'll put it through. Just a moment.",
)
_AGAIN: Final = (
    "Sorry, I was distracted. Could you repeat that?",
    "Hold on, could you say that once more?",
    "Sorry, what was that again?",
)
_YES: Final = (
    "Yes please.",
    "Go ahead.",
    "Correct, go ahead.",
    "That's right, yes.",
    "Sure, do it.",
    "Yes, that's fine.",
    "Yep, sounds good.",
    "OK, please do that.",
)


class Consent(NamedTuple):
    """Where the agent asks for a yes, gets it, and acts on it."""

    asking: int
    acting: int


def consents(story: Story) -> Iterator[Consent]:
    """Yield where a write follows a yes directly."""
    for asking, turn in enumerate(story.turns[:-2]):
        answer = story.turns[asking + 1].user
        acting = story.turns[asking + 2]
        if turn.role != "agent" or not any(act.kind == "confirm" for act in turn.acts):
            continue
        if answer is None or answer.confirmed is not True:
            continue
        if any(story.is_write(call.tool) for call in acting.calls):
            yield Consent(asking, asking + 2)


def consents_in_two_steps(story: Story) -> Drafts:
    """Yield runs that ask once more, briefly, after the yes to the values."""
    for one in consents(story):
        asked = agent(pick(_SECOND, story.case.id, one.asking))
        said = user(pick(_SECOND_YES, story.case.id, one.asking), "confirm:")
        script = spliced(story.script, one.acting, one.acting, asked, said)
        yield Draft(f"turn {one.acting}: asked once more after the yes", script)


def consents_after_a_pause(story: Story) -> Drafts:
    """Yield runs whose user does something else first, and then says yes."""
    for one in consents(story):
        wait, yes = pick(_PAUSES, story.case.id, one.asking)
        paused = user(wait)
        patient = agent("Of course, take your time. Just tell me when I may go ahead.")
        answer = story.script.turns[one.asking + 1]
        if answer.acts != ("confirm:",):
            continue
        said = user(yes, "confirm:")
        script = spliced(story.script, one.asking + 1, one.acting, paused, patient, said)
        yield Draft(f"turn {one.asking}: a pause before the yes", script)


def writes_announced(story: Story) -> Drafts:
    """Yield runs that thank for the yes in a message of its own before they act on it."""
    for one in consents(story):
        thanks = agent(pick(_THANKS, story.case.id, one.acting))
        script = spliced(story.script, one.acting, one.acting, thanks, user("Okay, thank you."))
        yield Draft(f"turn {one.acting}: announced after the yes", script)


def read_back_twice(story: Story) -> Drafts:
    """Yield runs in which the user has the values said again before the yes."""
    for one in consents(story):
        text = story.turns[one.asking].text
        please = user(pick(_AGAIN, story.case.id, one.asking))
        again = agent(f"Of course, here it is once more. {text}")
        script = spliced(story.script, one.asking + 1, one.asking + 1, please, again)
        yield Draft(f"turn {one.asking}: the values are said twice", script)


def read_back_in_lists(story: Story) -> Drafts:
    """Yield runs whose message that asks for a yes is a list."""
    for one in consents(story):
        parts = sentences(story.turns[one.asking].text)
        if len(parts) < 2 or not parts[-1].endswith("?"):
            continue
        head = "Let me go through it point by point:"
        points = "\n".join(f"- {part}" for part in parts[:-1])
        text = f"{head}\n{points}\n\n{parts[-1]}"
        yield Draft(f"turn {one.asking}: as a list", reworded(story.script, one.asking, text))


def yeses_in_other_words(story: Story) -> Drafts:
    """Yield runs with another common yes, heard as a scripted user's and as a model's."""
    script = story.script
    changed = False
    for one in consents(story):
        if script.turns[one.asking + 1].acts == ("confirm:",):
            yes = pick(_YES, story.case.id, one.asking)
            script, changed = reworded(script, one.asking + 1, yes), True
    if changed:
        yield Draft("every yes in other words", script)
        yield Draft(
            "every yes in other words, user played by a model", _unlabelled(script), "published"
        )
    yield Draft("user played by a model", _unlabelled(story.script), "published")


def _unlabelled(script: Script) -> Script:
    turns = tuple(turn.model_copy(update={"acts": ()}) for turn in script.turns)
    return script.model_copy(update={"turns": turns})


def sentences(text: str) -> list[str]:
    """Return the sentences of a message."""
    return [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z\"$])", text) if part]
