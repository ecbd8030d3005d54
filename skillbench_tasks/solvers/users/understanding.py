"""What an agent's message does and asks, read without a model and without the scenario's facts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from skillbench_tasks.solvers.users import announcements as said
from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.cues import CueIndex, Mention
from skillbench_tasks.solvers.users.grouping import (
    Group,
    grouped,
    is_fragment,
    without_aside,
    without_unasked,
)
from skillbench_tasks.solvers.users.literals import stated_types, times_stated
from skillbench_tasks.solvers.users.sentences import Sentence, sentences

__all__ = ["Move", "Part", "is_english", "read"]


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
    r"|\b(?:any|one|either) of (?:these|those)\b|\bpreference\?"
)
_THINGS = frozenset({"item", "new_item", "charge_name", "offer_name", "plan_name", "order_id"})
_NAMING_WORDS = 10
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|did|does|can|could|would|am|i|see|got|found|thanks|thank|"
    r"verified|confirmed|matches|needs?)\b"
)
_CONTACT_SLOTS = frozenset({"phone", "email", "address", "full_name", "name"})
_ONE_OF = re.compile(r"\b(?:one of|either|any of|at least one|any one)\b")
_LIST_INTRO = re.compile(
    r"\b(?:following|below|these|details|information|few things|things|need|questions)\b"
)
_STRONG = re.compile(r"\b(?:could|can|would|will) you\b|\bplease\b|\bwhat\b|\bwhich\b|\bmay i\b")


def read(text: str, index: CueIndex) -> tuple[Part, ...]:
    """Return what each clause of an agent's message does, in order."""
    return _Reader(sentences(text), index).parts()


class _Reader:
    def __init__(self, clauses: tuple[Sentence, ...], index: CueIndex) -> None:
        self._clauses = clauses
        self._index = index
        self._parts: list[Part] = []
        self._listing: Sentence | None = None  # the line that introduces the list that we are in
        self._is_short = len(clauses) <= 2

    def parts(self) -> tuple[Part, ...]:
        for i, clause in enumerate(self._clauses):
            if self._listing and not clause.is_bullet and not self._continues(clause):
                self._listing = None
            if self._listing:
                self._list_line(i, clause)
                continue
            self._clause(i, clause)
            if self._introduces(i, clause):
                self._listing = clause
        if all(part.move in (Move.STATEMENT, Move.FAREWELL) for part in self._parts):
            self._plain_requests()
        return tuple(self._without_empty_confirmation())

    def _plain_requests(self) -> None:
        """Take a message that only names slots as a question: "Please quote your order number"."""
        for i, clause in enumerate(self._clauses):
            text = without_unasked(clause.text)
            is_short = len(text.split()) <= _NAMING_WORDS and not _VERB.search(text)
            groups = self._groups(text) if is_short or "please" in text else ()
            new = {slot for group in groups for m in group for slot in m.slots}
            if "new_address" in new:  # "with apartment and ZIP" is a part of it
                groups = tuple(group for group in groups if group[0].slots != ("postcode",))
            if groups:
                self._add(i, Move.ASK, groups)

    def _add(self, i: int, move: Move, groups: tuple[Group, ...] = ()) -> None:
        context = "\n".join(clause.raw for clause in self._clauses[: i + 1])
        self._parts.append(Part(move, self._clauses[i], groups, context))

    def _continues(self, clause: Sentence) -> bool:
        """Whether a line without a bullet goes on with a list: "Full name:"."""
        header = self._listing
        return (
            header is not None
            and header.is_header
            and len(clause.text.split()) <= 4
            and not (clause.is_question)
        )

    def _introduces(self, i: int, clause: Sentence) -> bool:
        has_next = i + 1 < len(self._clauses)
        is_before_list = has_next and (self._clauses[i + 1].is_bullet and not clause.is_bullet)
        asks = p.REQUEST.search(clause.text) or p.CONFIRM.search(clause.text)
        asks = asks or p.CONFIRM_BARE.search(clause.text)
        return bool(has_next and asks and (clause.is_header or is_before_list)) and bool(
            clause.is_header or _LIST_INTRO.search(clause.text)
        )

    def _list_line(self, i: int, clause: Sentence) -> None:
        label, _, value = clause.text.partition(":")
        if (
            stated_types(clause.raw) - {"number"}
            and not clause.is_question
            and "e.g" not in clause.text
        ):
            return
        if re.search(r"\w", value) and not re.search(r"\b(?:your|which|what|the|if|e\.g)\b", value):
            return
        text = label if self._index.find(label) else clause.text
        groups = self._groups(without_aside(text))
        if groups and self._listing and _ONE_OF.search(self._listing.text):
            last = self._parts[-1] if self._parts else None
            if last and last.move is Move.ASK and last.sentence.is_bullet:
                merged = (*last.groups[0], *(m for group in groups for m in group))
                self._parts[-1] = Part(Move.ASK, clause, (merged,), last.context)
                return
        if groups:
            self._add(i, Move.ASK, groups)
        elif clause.is_question:
            self._clause(i, clause)

    def _without_empty_confirmation(self) -> list[Part]:
        """Drop "please confirm the following:" where the list asks for what it does not state."""
        asks_list = any(part.move is Move.ASK and part.sentence.is_bullet for part in self._parts)
        if not asks_list:
            return self._parts
        return [
            part
            for part in self._parts
            if not (
                part.move in (Move.CONFIRM, Move.UNKNOWN, Move.OPEN) and part.sentence.is_header
            )
        ]

    def _clause(self, i: int, clause: Sentence) -> None:
        found = len(self._parts)
        self._announcements(i, clause)
        is_settled = any(
            part.move in (Move.CLOSING, Move.GREETING, Move.TRANSFER)
            for part in self._parts[found:]
        )
        if not is_settled:
            self._question(i, clause)
        if len(self._parts) == found:
            self._add(i, Move.FAREWELL if said.FAREWELL.search(clause.text) else Move.STATEMENT)

    def _announcements(self, i: int, clause: Sentence) -> None:
        text = clause.text
        if said.GREETING.search(text):
            self._add(i, Move.GREETING)
            return
        if said.SMALL_TALK.search(text):
            self._add(i, Move.STATEMENT)
            return
        done = said.DONE.search(text)
        if (
            done
            and not said.NOT_DONE.search(text[: done.end()])
            and not _is_asked(clause, done.end())
        ):
            self._add(i, Move.DONE)
        if said.CLOSING.search(text):
            self._add(i, Move.CLOSING)
            return
        is_offer = said.TRANSFER_LATER.search(text) or clause.is_question
        if said.TRANSFER.search(text) and not is_offer:
            self._add(i, Move.TRANSFER)
            return
        refusal = said.REFUSAL.search(text)
        if refusal and not said.NOT_REFUSED.search(text) and not _is_asked(clause, refusal.end()):
            self._add(i, Move.REFUSAL)
        if said.HOLD.search(text) and not clause.is_question and not done:
            self._add(i, Move.HOLD)

    def _question(self, i: int, clause: Sentence) -> None:
        text = without_unasked(clause.text)
        request = p.REQUEST.search(text)
        groups = self._groups(text)
        is_bare = is_fragment(text, groups, clause.is_question) and (
            self._is_short or clause.is_question or clause.is_bullet
        )
        move = self._question_move(clause, text, request, groups)
        if move is None and groups and (request or clause.is_question or is_bare):
            move = Move.ASK
        if move is None and request and p.ANAPHORA.search(text):
            groups = self._antecedents(i)
            move = Move.ASK if groups else None
        if move in (Move.OPEN_CHANGE, Move.CHOICE):
            groups = groups or self._antecedents(i, whole=True)
        if move is Move.CHECK and not groups and p.CONFIRM_TAG.search(text):
            groups = self._antecedents(i, stating=True)
        if move is None:
            move = self._open_move(clause, text, request)
        loose = self._index.find_loose(text) if move in (Move.UNKNOWN, Move.CHECK) else ()
        if loose and not groups:
            groups = (tuple(Mention((slot,), 0, 0) for slot in loose),)
        named = {slot for group in groups for m in group for slot in m.slots}
        is_step = move is Move.ASK and named == {"already_restarted"} and not p.YES_NO.search(text)
        if (move in (None, Move.UNKNOWN) or is_step) and p.INSTRUCTION.search(text):
            move = Move.INSTRUCTION
        if move is not None and (move is not Move.UNKNOWN or not self._is_hold(i)):
            self._add(i, move, groups)

    def _question_move(
        self, clause: Sentence, text: str, request: re.Match[str] | None, groups: tuple[Group, ...]
    ) -> Move | None:
        """Tell confirmations, checks and choices from plain questions."""
        types = stated_types(clause.raw)
        asks_slot = bool(request and groups and not types)
        confirm = p.CONFIRM.search(text)
        if confirm and _WH_BEFORE.search(text[: confirm.start()]):
            confirm = None
        is_yes_no = bool(p.YES_NO.search(text)) and not (request and _WH_BEFORE.search(text))
        named = {slot.removeprefix("new_") for g in groups for m in g for slot in m.slots}
        if p.OPEN_WHICH.search(text) and clause.is_question and named <= _CONTACT_SLOTS:
            return Move.OPEN_CHANGE
        if self._is_choice(clause, text, confirm is not None or clause.is_question):
            return Move.CHOICE
        if p.CONFIRM_TAG.search(text) and (clause.is_question or confirm):
            return Move.CHECK
        if confirm:
            return (
                Move.CHOICE if re.search(r"\bor\b", text) and clause.is_question else Move.CONFIRM
            )
        if p.OPEN_CHANGE.search(text) and not groups:
            return Move.OPEN_CHANGE
        if types - {"number", "time_window"} and groups and "confirm" in text and not is_yes_no:
            return Move.CHECK
        if is_yes_no and (clause.is_question or _AUXILIARY.match(text)) and (groups or types):
            return Move.CHECK
        if p.CONFIRM_BARE.search(text) and not groups and not asks_slot and request:
            return Move.CONFIRM
        return None

    def _is_choice(self, clause: Sentence, text: str, is_asked: bool) -> bool:
        if not p.CHOICE.search(text):
            return False
        options = max(times_stated(clause.raw, "date"), times_stated(clause.raw, "time_window"))
        if options >= 2 and is_asked and re.search(r"\bor\b|\bwhich\b|\beither\b", text):
            return True
        if is_asked and _PREFERENCE.search(text) and re.search(r"\bor\b", text):
            return True
        is_selection = re.search(r"\b(?:which|choose|pick|select|either|prefer|preference)\b", text)
        has_list = any(c.is_bullet for c in self._clauses)
        return bool(
            is_selection
            and (clause.is_question or p.REQUEST.search(text))
            and (has_list or _WHICH_ONE.search(text))
        )

    def _open_move(self, clause: Sentence, text: str, request: re.Match[str] | None) -> Move | None:
        is_asked = clause.is_question or bool(request)
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

    def _is_hold(self, i: int) -> bool:
        last = self._parts[-1] if self._parts else None
        return last is not None and last.sentence is self._clauses[i] and last.move is Move.HOLD

    def _groups(self, text: str) -> tuple[Group, ...]:
        """Return what a clause names, as alternatives and without what only explains the rest."""
        request = p.REQUEST.search(text)
        found = list(self._index.find(without_aside(text)))
        start = request.start() if request else 0
        after = [m for m in found if m.end > start]
        found = after or found
        whether = re.search(r"\b(?:whether|if)\b", text)
        if whether:
            found = [m for m in found if m.start < whether.start() or not {*m.slots} <= _THINGS]
        purpose = p.PURPOSE.search(text, request.end() if request else 0)
        if purpose:
            before = [m for m in found if m.start < purpose.start()]
            found = before if p.HARD_PURPOSE.match(purpose[0]) else before or found
        return grouped(found, text)

    def _antecedents(
        self, i: int, *, stating: bool = False, whole: bool = False
    ) -> tuple[Group, ...]:
        """Return what the nearest clause before names.

        Args:
            i: The clause that points back.
            stating: Only a clause that states a value counts.
            whole: What the agent says that he has or sees counts too.
        """
        for clause in reversed(self._clauses[:i]):
            if stating and not stated_types(clause.raw):
                continue
            text = clause.text if whole or stating else without_unasked(clause.text)
            groups = grouped(list(self._index.find(text)), text)
            if groups:
                return groups
        return ()


def _is_asked(clause: Sentence, end: int) -> bool:
    """Whether words up to `end` belong to a question rather than stand before one."""
    return clause.is_question and not re.search(r",|\bbut\b|\band\b| - ", clause.text[end:])


_COMMON = re.compile(
    r"\b(?:the|a|an|i|you|your|is|are|to|for|we|have|it|and|that|this|thanks|thank|"
    r"okay|ok|sure|please|of|in|on|"
    r"with|all|got|great|perfect|understood|welcome|noted|yes|no|done|hello|hi|sorry|"
    r"my|will|can)\b",
    re.I,
)


def is_english(text: str) -> bool:
    """Return whether a message without a question reads like words said to a customer."""
    words = re.findall(r"[^\W\d_]+", text)
    return bool(words) and len(_COMMON.findall(text)) * 8 >= len(words)
