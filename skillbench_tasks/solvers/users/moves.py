"""What a clause of an agent's message does, and which kind of question it puts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.grouping import Group
from skillbench_tasks.solvers.users.literals import stated_types, times_stated
from skillbench_tasks.solvers.users.narrowing import wanted_kind
from skillbench_tasks.solvers.users.sentences import Sentence

__all__ = ["Move", "Part", "open_move", "question_move"]


class Move(StrEnum):
    """What a clause of an agent's message does."""

    ASK = "ask"
    CHECK = "check"
    CHOICE = "choice"
    CONFIRM = "confirm"
    OPEN = "open"
    OPEN_CHANGE = "open_change"
    UNKNOWN = "unknown"
    GREETING = "greeting"
    CLOSING = "closing"
    FAREWELL = "farewell"
    DONE = "done"
    TRANSFER = "transfer"
    REFUSAL = "refusal"
    HOLD = "hold"
    INSTRUCTION = "instruction"
    MISMATCH = "mismatch"
    STATEMENT = "statement"


@dataclass(frozen=True)
class Part:
    """One clause and what it does.

    Attributes:
        move: What it does.
        sentence: The clause.
        groups: The slots that it names.
        context: The clauses of the message up to and including this one, as written.
    """

    move: Move
    sentence: Sentence
    groups: tuple[Group, ...] = ()
    context: str = ""


_WH_BEFORE = re.compile(r"\b(?:what|which|when|where|how|who)\b[^,;?!]{0,40}$")
_AUXILIARY = re.compile(r"(?:is|are|do|does|did|have you|has|was|were|will) ")
_PREFERENCE = re.compile(r"\b(?:would|do) you (?:like|prefer|want|rather)\b|\bprefer\b")
_WHICH_ONE = re.compile(
    r"\bwhich (?:one|option|of (?:these|those|the)|would|do you|works|suits|is best|slot)\b"
    r"|\b(?:any|one|either) of (?:these|those)\b|\bpreference\?|\bany (?:favou?rite|preference)|"
    r"\byour (?:pick|choice|call)\b"
)
_CONTACT_SLOTS = frozenset({"phone", "email", "address", "full_name", "name"})
_STRONG = re.compile(
    r"\b(?:could|can|would|will) you\b|\bplease\b|\b(?:what|which|where|when|how|whom?)\b|\bmay i\b"
)
# "Can she join us?" is about somebody else, and wants no yes to an action.
_OF_OTHERS = re.compile(
    r"(?:[^,]*, )?(?:is|can|could|would|will|does|might) (?:he|she|they|m(?:r|s|rs)\.? [\w'-]+|"
    r"(?:your|the) "
    r"(?:father|mother|dad|mom|mum|wife|husband|partner|spouse|son|daughter|brother|sister|"
    r"grand\w+|boss|friend|aunt|uncle|(?:account )?(?:holder|owner)|member))\b"
)
_EITHER = re.compile(r"(?<!\byes )\bor\b(?! (?:shall|should|may|can) (?:i|we)\b)")
_ANOTHER = re.compile(r"\bis there (?:\w+ )?(?:another|other|different|a|any) \w+")
_PLAIN_KINDS = frozenset({"number", "money", "date", "time_window"})
_ONE_OFFERED = re.compile(
    r"\b(?:is|are|would|do|does) (?:any )?(?:one |either |any )of (?:these|those|them|the)\b"
)


def question_move(
    clause: Sentence,
    text: str,
    request: re.Match[str] | None,
    groups: tuple[Group, ...],
    *,
    has_list: bool,
) -> Move | None:
    """Tell confirmations, checks and choices from plain questions, for which it is `None`.

    Args:
        clause: The clause.
        text: Its words without what is named but not asked for.
        request: The words in it that ask for something.
        groups: The slots that it names.
        has_list: The message has a list, from which the clause may offer a choice.
    """
    types = stated_types(clause.raw)
    confirm = _confirmation(clause, text, asks_slot=bool(request and groups and not types))
    if clause.is_question and _OF_OTHERS.match(text):
        return Move.ASK if groups else Move.CHECK
    named = {slot.removeprefix("new_") for g in groups for m in g for slot in m.slots}
    if _ANOTHER.search(text) and named & {"date", "time_window"} and not types:
        return Move.ASK
    if clause.is_question and _ONE_OFFERED.search(text):
        return Move.CHOICE
    if clause.is_question and p.OPEN_WHICH.search(text) and named <= _CONTACT_SLOTS:
        return Move.OPEN_CHANGE
    if _is_choice(
        clause, text, is_asked=confirm is not None or clause.is_question, has_list=has_list
    ):
        return Move.CHOICE
    if p.CONFIRM_TAG.search(text) and (clause.is_question or confirm):
        return Move.CHECK
    if confirm:
        is_either = _EITHER.search(text) and clause.is_question
        return Move.CHOICE if is_either else Move.CONFIRM
    return _check_move(clause, text, request, groups)


def _confirmation(clause: Sentence, text: str, *, asks_slot: bool) -> re.Match[str] | None:
    """Return the words of a clause that ask for a yes."""
    confirm = p.CONFIRM.search(text)
    is_stated = not clause.is_question and clause.ending in (".", "!")
    if confirm and is_stated and confirm.start() and _AUXILIARY.match(f"{confirm[0]} "):
        return None  # "You are all good."
    if confirm and _WH_BEFORE.search(text[: confirm.start()]):
        return None
    is_led_in = text.startswith("if ") and clause.raw[-1:] not in (".", "!", "?", ":")
    if confirm and (is_led_in or (asks_slot and confirm[0].startswith("if "))):
        return None  # "If that is all right, please give me your …"
    return confirm


def _check_move(
    clause: Sentence, text: str, request: re.Match[str] | None, groups: tuple[Group, ...]
) -> Move | None:
    types = stated_types(clause.raw)
    is_yes_no = bool(p.YES_NO.search(text)) and not (request and _WH_BEFORE.search(text))
    if p.OPEN_CHANGE.search(text) and not groups:
        return Move.OPEN_CHANGE
    if types - {"number", "time_window"} and groups and "confirm" in text and not is_yes_no:
        return Move.CHECK
    if is_yes_no and (clause.is_question or _AUXILIARY.match(text)) and (groups or types):
        return Move.CHECK
    if p.CONFIRM_BARE.search(text) and not groups and request:
        return Move.CONFIRM
    return None


def _is_choice(clause: Sentence, text: str, *, is_asked: bool, has_list: bool) -> bool:
    if not p.CHOICE.search(text):
        return False
    options = max(times_stated(clause.raw, "date"), times_stated(clause.raw, "time_window"))
    if options >= 2 and is_asked and re.search(r"\bor\b|\bwhich\b|\beither\b", text):
        return True
    if is_asked and _PREFERENCE.search(text) and re.search(r"\bor\b", text):
        return True
    is_selection = re.search(
        r"\b(?:which|choose|pick|select|either|prefer|preference|favou?rite)\b", text
    )
    return bool(
        is_selection
        and (clause.is_question or p.REQUEST.search(text))
        and (has_list or _WHICH_ONE.search(text))
    )


def open_move(clause: Sentence, text: str, request: re.Match[str] | None) -> Move | None:
    """Tell what a clause that names no slot asks for; `None`: nothing."""
    is_asked = clause.is_question or bool(request)
    if clause.is_question and wanted_kind(text) in _PLAIN_KINDS:
        return Move.UNKNOWN
    if is_asked and p.OPEN_CHANGE.search(text):
        return Move.OPEN_CHANGE
    if is_asked and p.OPEN.search(text):
        return Move.OPEN
    offer = p.OFFER.search(text)
    if offer and _WH_BEFORE.search(text[: offer.start()]):
        return Move.OPEN
    if offer and is_asked:
        return Move.CHOICE if re.search(r"\bor\b", text) else Move.CONFIRM
    if clause.is_question and p.YES_NO.search(text):
        return Move.CHECK
    if clause.is_question or (request and _STRONG.search(request[0])):
        return Move.UNKNOWN
    return None
