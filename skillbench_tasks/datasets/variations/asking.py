"""Questions in other ways: one at a time, in other order, in other words, answered in parts."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.edits import agent, reworded, spliced, user
from skillbench_tasks.datasets.mutants.story import Story, pick
from skillbench_tasks.datasets.script import ScriptTurn
from skillbench_tasks.datasets.surface import say_value
from skillbench_tasks.datasets.variations.variation import Draft, Drafts

__all__ = [
    "answered_in_parts",
    "asked_in_other_order",
    "asked_in_other_words",
    "one_question_at_a_time",
]

_ASKED: Final = {
    "full_name": "your full name",
    "phone": "the phone number we have on file",
    "postcode": "your ZIP code",
    "security_word": "your security word",
    "date_of_birth": "your date of birth",
    "email": "the email address on your account",
    "new_date": "the day that you would like",
    "time_window": "the time window that you prefer",
    "order_id": "the order number",
    "account_number": "your account number",
}
"""How an agent names what it asks the account holder for."""

_TYPES: Final = {"phone": "phone", "order_id": "id", "account_number": "id"}

_IN_ONE_MESSAGE: Final = "bill-question"
"""A skill whose page wants name and number, ZIP code and word, in one message."""

_COULD: Final = (
    "Could you give me {what}, please?",
    "May I have {what}?",
    "Would you tell me {what}?",
    "Please tell me {what}.",
)
_UNABLE: Final = "Sorry, I don't have that."
_OTHER_WORDS: Final = (
    "To go on I need {what}, please.",
    "Thanks. What I need next: {what}.",
    "Sure, I can help with that. Could you please provide {what}?",
    "{What}, please?",
)


def one_question_at_a_time(story: Story) -> Drafts:
    """Yield runs that ask for two things one after the other."""
    if story.case.skill.name == _IN_ONE_MESSAGE:
        return
    for turn in _plain_asks(story, 2):
        first, second = story.turns[turn].acts[0].slots
        lead = _lead(story, turn)
        script = spliced(
            story.script,
            turn,
            turn + 2,
            story.script.turns[turn].model_copy(update={"text": lead + _question(story, first)}),
            _answer(story, turn + 1, first),
            agent("All right. " + _question(story, second)),
            _answer(story, turn + 1, second),
        )
        yield Draft(f"turn {turn}: {first}, then {second}", script)


def asked_in_other_order(story: Story) -> Drafts:
    """Yield runs that ask for the same two things the other way round."""
    for turn in _plain_asks(story, 2):
        first, second = story.turns[turn].acts[0].slots
        what = f"{_ASKED[second]} and {_ASKED[first]}"
        text = _lead(story, turn) + pick(_COULD, story.case.id, turn).format(what=what)
        yield Draft(f"turn {turn}: {second} before {first}", reworded(story.script, turn, text))


def asked_in_other_words(story: Story) -> Drafts:
    """Yield runs in which every plain question is worded otherwise."""
    for form in _OTHER_WORDS:
        script = story.script
        for turn in [*_plain_asks(story, 1), *_plain_asks(story, 2)]:
            what = " and ".join(_ASKED[slot] for slot in story.turns[turn].acts[0].slots)
            asked = form.format(what=what, What=what[0].upper() + what[1:])
            script = reworded(script, turn, _lead(story, turn) + asked)
        yield Draft(f"questions as {form!r}", script)


def answered_in_parts(story: Story) -> Drafts:
    """Yield runs whose user gives one of two things and is asked for the other one."""
    for turn in _plain_asks(story, 2):
        first, second = story.turns[turn].acts[0].slots
        asked = agent("All right. I also need " + _ASKED[second] + ", please.")
        script = spliced(
            story.script,
            turn + 1,
            turn + 2,
            _answer(story, turn + 1, first),
            asked,
            _answer(story, turn + 1, second),
        )
        yield Draft(f"turn {turn + 1}: {second} only when asked again", script)


def _plain_asks(story: Story, count: int) -> list[int]:
    """Turns that only ask the account holder for so many things, and are answered with them."""
    if "caller_name" in story.case.scenario.facts:
        return []
    return [turn for turn in story.agent_turns if _is_plain(story, turn, count)]


def _is_plain(story: Story, turn: int, count: int) -> bool:
    acts = story.turns[turn].acts
    if [act.kind for act in acts] != ["ask"] or acts[0].facts or turn + 1 >= len(story.turns):
        return False
    answer = story.turns[turn + 1].user
    slots = acts[0].slots
    if answer is None or len(slots) != count or not set(slots) <= _ASKED.keys():
        return False
    given = {*answer.tells, *answer.unable}
    return given == set(slots) and not answer.changes and answer.confirmed is None


def _lead(story: Story, turn: int) -> str:
    """What has to be said before the question: that a check has failed, or that none was found."""
    calls = story.turns[turn].calls
    rule = story.case.checks.rules.verification
    if rule is None or not calls:
        return ""
    last = calls[-1]
    if last.tool == rule.tool and isinstance(last.result, dict) and not last.result.get(rule.field):
        return "I'm sorry, the details don't match, so let's try once more. "
    if _found_nothing(last.result):
        return "I'm sorry, I couldn't find exactly one file with that. "
    return ""


def _found_nothing(result: JsonValue) -> bool:
    found = result.get("customers") if isinstance(result, dict) else None
    return isinstance(found, list) and len(found) != 1


def _question(story: Story, slot: str) -> str:
    return pick(_COULD, story.case.id, slot).format(what=_ASKED[slot])


def _answer(story: Story, turn: int, slot: str) -> ScriptTurn:
    given = story.turns[turn].user
    assert given is not None
    if slot in given.unable:
        return user(_UNABLE, f"unable:{slot}")
    said = say_value(given.tells[slot], _TYPES.get(slot, "text"))
    return user(f"It's {said}.", f"inform:{slot}")
