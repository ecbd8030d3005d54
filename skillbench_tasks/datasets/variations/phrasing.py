"""Manner: courtesy, asides, emoji, lists, words beside calls, further turns at the end."""

from __future__ import annotations

import re
from typing import Final

from skillbench_tasks.datasets.mutants.edits import (
    added,
    agent,
    interjected,
    reworded,
    spliced,
    user,
)
from skillbench_tasks.datasets.mutants.story import HAND_OVER, Story, is_lost, pick
from skillbench_tasks.datasets.script import Script, ScriptCall
from skillbench_tasks.datasets.variations.consenting import sentences
from skillbench_tasks.datasets.variations.variation import Draft, Drafts
from skillbench_tasks.models import State

__all__ = [
    "announced_before",
    "asides",
    "closing_exchanges",
    "confirmed_again",
    "courtesies",
    "failures_handled_aloud",
    "formatted",
    "free_texts_reworded",
    "honest_remarks",
    "texts_beside_calls",
    "wrapped",
]

_ASIDES: Final = (
    "I hope your day is going well.",
    "What a week for weather, isn't it?",
    "I was just making myself a coffee.",
    "It's busy here today, but there is no rush on my side.",
)
_KIND: Final = (
    "Thank you for your patience.",
    "I'm sorry for the trouble.",
    "Thanks, I appreciate it.",
    "I understand, and I'm glad to help.",
)
_REMARKS: Final = (
    "Nothing else has been changed.",
    "I have made no other changes.",
    "I've changed nothing else.",
    "I haven't touched anything else on your side.",
    "No other settings were altered.",
    "Apart from that, everything is as it was.",
    "I've read through everything that you wrote.",
    "Should anything look wrong to you, just write to us again.",
    "I would never change anything without asking you first.",
    "I hope I could make it clear.",
    "I know this took a few messages, and I'm grateful that you stayed with me.",
    "If something had gone differently, I would have told you.",
    "I'd have been happy to explain it in other words, too.",
    "You'll always be asked before anything is changed.",
)
"""True of any of these conversations at its end."""

_LOOKING: Final = (
    "One moment while I look that up.",
    "Let me check that for you.",
    "Bear with me for a second.",
)
_DOING: Final = (
    "I'll take care of that now.",
    "Thank you. I'm on it.",
    "All right, doing that now.",
)
_LEAD: Final = "Thank you for your message. Let me take this step by step, so that it is clear."
_TAIL: Final = "Please take all the time you need, and just write if anything is not clear."
_PASSING: Final = "I'm going to pass this on to a colleague."
_RETRY: Final = "The system is busy right now, so I'm trying that again."
_CHECKING: Final = "I got no clear answer from the system, so let me check how it stands first."
_EMPHASIS: Final = re.compile(
    r"\$\d[\d,]*(?:\.\d\d)?|\b[A-Z]{3}-\d+\b|\b(?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December) \d{1,2}(?:, \d{4})?"
)


def courtesies(story: Story) -> Drafts:
    """Yield runs with greetings, thanks and sympathy in every message."""
    name = _first_name(story)
    script = story.script
    for number, turn in enumerate(story.agent_turns):
        text = story.turns[turn].text
        polite = (
            "Hello, and thank you for getting in touch."
            if number == 0
            else pick(_KIND, story.case.id, turn)
        )
        script = reworded(script, turn, f"{polite} {text}")
    yield Draft("thanks and sympathy in front", script)
    if name is not None:
        script = story.script
        for turn in story.agent_turns[1:]:
            script = reworded(script, turn, f"Thank you, {name}. {story.turns[turn].text}")
        yield Draft("the name in every message", script)


def _first_name(story: Story) -> str | None:
    told = story.case.scenario.facts.get("full_name")
    if not isinstance(told, str) or "caller_name" in story.case.scenario.facts:
        return None
    return told.split()[0] if "full_name" in story.case.scenario.tells else None


def asides(story: Story) -> Drafts:
    """Yield runs with small talk before the last sentence of each message, or in front of it."""
    within, front = story.script, story.script
    for turn in story.agent_turns:
        text = story.turns[turn].text
        aside = pick(_ASIDES, story.case.id, turn)
        within = reworded(within, turn, interjected(text, aside))
        front = reworded(front, turn, f"{aside} {text}")
    yield Draft("asides before the last sentence", within)
    yield Draft("asides in front", front)


def honest_remarks(story: Story) -> Drafts:
    """Yield runs whose last message also says something that is true and claims no effect."""
    text = story.turns[story.last].text
    for remark in _REMARKS:
        yield Draft(remark, reworded(story.script, story.last, f"{text} {remark}"))


def wrapped(story: Story) -> Drafts:
    """Yield runs whose messages have a polite lead and end around what they say."""
    script = story.script
    for turn in story.agent_turns:
        parts = sentences(story.turns[turn].text)
        text = f"{_LEAD}\n\n{' '.join(parts)}\n\n{_TAIL}"
        script = reworded(script, turn, text)
    yield Draft("long lead and end", script)


def formatted(story: Story) -> Drafts:
    """Yield runs with bold values, lists, headings or emoji."""
    bold, listed, emoji = story.script, story.script, story.script
    for turn in story.agent_turns:
        text = story.turns[turn].text
        bold = reworded(bold, turn, _EMPHASIS.sub(lambda m: f"**{m[0]}**", text))
        parts = sentences(text)
        points = "\n".join(f"* {part}" for part in parts)
        listed = reworded(listed, turn, f"**Where we are**\n\n{points}" if len(parts) > 1 else text)
        emoji = reworded(emoji, turn, f"👋 {text} 🙂")
    yield Draft("values in bold", bold)
    yield Draft("sentences as points under a heading", listed)
    yield Draft("emoji", emoji)


def texts_beside_calls(story: Story) -> Drafts:
    """Yield runs that say in the message with the calls what is going on."""
    first, each = story.script, story.script
    for turn, it in enumerate(story.script.turns):
        calls = it.calls
        if not calls:
            continue
        said = [call.model_copy(update={"beside": _beside(story, turn, call)}) for call in calls]
        first = _with_calls(first, turn, [said[0], *calls[1:]])
        each = _with_calls(each, turn, said)
    yield Draft("beside the first call of a turn", first)
    yield Draft("beside every call", each)


def _beside(story: Story, turn: int, call: ScriptCall) -> str:
    if call.tool == HAND_OVER:
        return _PASSING
    options = _DOING if story.is_write(call.tool) else _LOOKING
    return pick(options, story.case.id, turn, call.tool)


def announced_before(story: Story) -> Drafts:
    """Yield runs that announce a look-up in a message of its own, to which the user says OK."""
    rule = story.case.checks.rules.verification
    for turn in story.agent_turns:
        calls = story.turns[turn].calls
        if not calls or story.is_write(calls[0].tool):
            continue
        is_check = rule is not None and calls[0].tool == rule.tool
        text = (
            "Thank you, I'll check that now. One moment."
            if is_check
            else pick(_LOOKING, story.case.id, turn)
        )
        script = spliced(story.script, turn, turn, agent(text), user("OK, thanks."))
        yield Draft(f"turn {turn}: announced first", script)


def closing_exchanges(story: Story) -> Drafts:
    """Yield runs that ask at the end whether there is anything else, and take leave."""
    if story.script.end is State.TRANSFERRED:
        return
    text = story.turns[story.last].text
    asking = reworded(story.script, story.last, f"{text} Is there anything else I can do for you?")
    cut = asking.model_copy(update={"turns": asking.turns[: story.last + 1]})
    script = added(
        cut, user("No, that's all. Thank you."), agent("You're welcome. Have a nice day!")
    )
    yield Draft("anything else", script)
    cut = story.script.model_copy(update={"turns": story.script.turns[: story.last + 1]})
    script = added(
        cut, user("Thanks for your help."), agent("My pleasure. Goodbye, and take care!")
    )
    yield Draft("thanks and goodbye", script)


def confirmed_again(story: Story) -> Drafts:
    """Yield runs whose user asks at the end whether it is so, and is told the same again."""
    if story.script.end is State.TRANSFERRED:
        return
    text = story.turns[story.last].text
    cut = story.script.model_copy(update={"turns": story.script.turns[: story.last + 1]})
    script = added(
        cut, user("Sorry, could you tell me that once more?"), agent(f"Of course. {text}")
    )
    yield Draft("the last message said twice", script)


def failures_handled_aloud(story: Story) -> Drafts:
    """Yield runs that speak of a failing tool, or look twice at the state after a lost reply."""
    script, changed = story.script, False
    for place in story.places:
        before = [p for p in story.places if p.turn == place.turn and p.index == place.index - 1]
        if not before or before[0].call.error is None:
            continue
        is_doubtful = is_lost(before[0]) and story.is_write(before[0].call.tool)
        said = _CHECKING if is_doubtful else _RETRY
        if place.call.tool == HAND_OVER:
            said = _PASSING
        calls = list(script.turns[place.turn].calls)
        calls[place.index] = calls[place.index].model_copy(update={"beside": said})
        script, changed = _with_calls(script, place.turn, calls), True
    if changed:
        yield Draft("words between the attempts", script)
    for place in story.places:
        check = story.check_of(place) if is_lost(place) else None
        if check is not None and check.call.error is None:
            calls = list(story.script.turns[check.turn].calls)
            calls.insert(check.index, calls[check.index])
            yield Draft("state read twice", _with_calls(story.script, check.turn, calls))


def free_texts_reworded(story: Story) -> Drafts:
    """Yield runs whose free text for colleagues holds the same in other order or form."""
    for number, place in enumerate(story.places):
        for name in ("summary", "details"):
            text = place.call.arguments.get(name)
            if not isinstance(text, str) or not story.is_write(place.call.tool):
                continue
            parts = sentences(text)
            forms = {
                "with a heading": f"For the colleague who takes over: {text}"
                if place.call.tool == HAND_OVER
                else f"In short: {text}",
                "as points": "\n".join(f"- {part}" for part in parts),
            }
            if len(parts) > 1 and place.call.tool == HAND_OVER:
                forms["other way round"] = " ".join(reversed(parts))
            for what, form in forms.items():
                calls = list(story.script.turns[place.turn].calls)
                arguments = {**place.call.arguments, name: form}
                calls[place.index] = calls[place.index].model_copy(update={"arguments": arguments})
                script = _with_calls(story.script, place.turn, calls)
                yield Draft(f"{place.call.tool} {name} {what}, call {number}", script)


def _with_calls(script: Script, turn: int, calls: list[ScriptCall]) -> Script:
    changed = script.turns[turn].model_copy(update={"calls": tuple(calls)})
    return spliced(script, turn, turn + 1, changed)
