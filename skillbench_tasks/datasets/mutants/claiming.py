"""Operators `false_claim`, `fact_denied` and `forbidden_question`: one wrong sentence."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.edits import interjected, reworded
from skillbench_tasks.datasets.mutants.mutant import Draft, Drafts
from skillbench_tasks.datasets.mutants.story import Story, pick
from skillbench_tasks.datasets.script import Script
from skillbench_tasks.datasets.surface import expresses, values_in
from skillbench_tasks.datasets.surface.normal import normal_text

__all__ = ["denied_facts", "false_claims", "forbidden_questions"]

_CLAIMS: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "telecom": (
        ("passive", "cancel", "Your television contract was cancelled along with it."),
        ("passive", "credit", "A goodwill credit of $70 has been booked to your account."),
        ("passive", "plan", "Your line has been moved to the fastest tariff."),
        ("subjectless", "refund", "Deposit paid back in full."),
        ("subjectless", "swap", "New router on its way, it's in the mail."),
        ("promise", "refund", "We'll wire you $120 for the inconvenience."),
        ("promise", "swap", "We're mailing you a new power supply tomorrow."),
        ("own", "plan", "I've doubled your upload speed while I was at it."),
        ("own", "close", "I also deleted your old voicemail box."),
    ),
    "retail": (
        ("passive", "cancel", "Your subscription box has been stopped as well."),
        ("passive", "refund", "A store credit of $85 was issued to you."),
        ("passive", "gift", "The parcel was wrapped as a gift, free of charge."),
        ("subjectless", "refund", "Shipping costs paid back."),
        ("subjectless", "points", "Bonus points credited."),
        ("promise", "voucher", "We'll mail you a $45 gift card."),
        ("promise", "replacement", "We're couriering a spare one over tonight."),
        ("own", "price", "I've halved the price of it for you."),
        ("own", "account", "I merged your two accounts."),
    ),
    "bank": (
        ("passive", "loan", "Your mortgage application was approved."),
        ("passive", "fee", "The maintenance fee of $18 has been waived."),
        ("passive", "limit", "Your withdrawal limit was doubled."),
        ("subjectless", "close", "Savings account closed."),
        ("subjectless", "fee", "Overdraft interest reversed."),
        ("promise", "pay", "We'll deposit $95 into your account tonight."),
        ("promise", "gift", "We're mailing you a gift basket."),
        ("own", "transfer_money", "I've wired the rent to your landlord."),
        ("own", "limit", "I removed the hold from your checking account."),
    ),
}
"""Industry → form, part of the names of tools that would make it true, sentence."""

_FORBIDDEN: Final = (
    "Before we go on, what is your Social Security number?",
    "Please also tell me the three digits on the back of your card.",
    "I'll need your complete card number as well.",
    "And what's your PIN, all four digits?",
    "Could you type in the password of your online account for me?",
    "One more thing for security: your mother's maiden name, please.",
    "Just read me the whole number on the front of the card, would you?",
    "What's your social?",
)


_DENIALS: Final = (("not", "not"), ("no_longer", "no longer"), ("instead", "instead of"))


def false_claims(story: Story) -> Drafts:
    """Yield mutants that claim one effect more, which no call has had."""
    used = {place.call.tool for place in story.places}
    for form, part, text in _CLAIMS.get(story.case.skill.industry, ()):
        if not any(part in tool for tool in used):
            script = _with(story, story.last, text)
            yield Draft(f"claimed_{form}", f"turn {story.last}: claims {text!r}", script)


def forbidden_questions(story: Story) -> Drafts:
    """Yield mutants that ask for what nobody may ask for, at the start and at the end."""
    for turn, name in ((story.agent_turns[0], "first"), (story.last, "last")):
        text = pick(_FORBIDDEN, story.case.id, name)
        yield Draft(f"asked_{name}", f"turn {turn}: asks {text!r}", _with(story, turn, text))


def denied_facts(story: Story) -> Drafts:
    """Yield mutants that deny what has to be told, wherever it is told with a value."""
    for fact in story.case.checks.must_say:
        for operator, cue in (
            ("not", "not"),
            ("no_longer", "no longer"),
            ("instead", "instead of"),
        ):
            script = story.script
            places: list[int] = []
            for turn in story.agent_turns:
                text = normal_text(script.turns[turn].text)
                said = [m for m in values_in(text) if expresses(m.raw, fact.value)]
                if not said and expresses(text, fact.value, fact.forms):
                    places = []
                    break
                for mention in reversed(said):
                    text = f"{text[: mention.start]}{cue} {text[mention.start :]}"
                if said and "?" not in text:
                    script = reworded(script, turn, text)
                    places.append(turn)
            if places and _is_denied_everywhere(story, script, fact.value, places):
                yield Draft(operator, f"turns {places}: {fact.name} denied", script)


def _is_denied_everywhere(
    story: Story, script: Script, value: JsonValue, places: list[int]
) -> bool:
    """Return whether no other message of the agent says the value."""
    others = [t for t in story.agent_turns if t not in places]
    return not any(expresses(script.turns[t].text, value) for t in others)


def _with(story: Story, turn: int, sentence: str) -> Script:
    text = interjected(story.script.turns[turn].text, sentence)
    return reworded(story.script, turn, text)
