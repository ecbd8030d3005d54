"""What an agent's message does and asks, read without a model and without the scenario's facts."""

from __future__ import annotations

import re

from skillbench_tasks.solvers.users import announcements as said
from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.cues import CueIndex
from skillbench_tasks.solvers.users.grouping import (
    ADDRESS_PIECES,
    Group,
    grouped,
    is_fragment,
    specified,
    without_aside,
    without_options,
    without_pieces,
    without_unasked,
)
from skillbench_tasks.solvers.users.literals import stated_types
from skillbench_tasks.solvers.users.memory import IDENTITY
from skillbench_tasks.solvers.users.moves import Move, Part, open_move, question_move
from skillbench_tasks.solvers.users.requests import request_in
from skillbench_tasks.solvers.users.sentences import Sentence, sentences

__all__ = ["Move", "Part", "is_english", "read"]


_THINGS = frozenset({"item", "new_item", "charge_name", "offer_name", "plan_name", "order_id"})
_NAMING_WORDS = 10
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|did|does|can|could|would|am|i|they|they'll|you'll|"
    r"we'll|see|got|found|thanks|"
    r"thank|"
    r"verified|confirmed|matches|needs?)\b"
)
_ONE_OF = re.compile(r"\b(?:one of|either|any of|at least one|any one)\b")
_LIST_INTRO = re.compile(
    r"\b(?:following|below|these|details|information|few things|things|need|questions)\b"
)
_ASKING_WORD = re.compile(r"\b(?:do|prefer|would|which|what|is|are|when|how|have|can|could)\b")
# A statement that lacks something asks for it: "All that is missing is your order number."
_NEED = re.compile(
    r"\b(?:missing|lacking|(?:all|only thing|what) (?:that )?(?:is|i|we) (?:left|need|miss)\w*|"
    r"left is|"
    r"as soon as|once (?:i|you|we)|until (?:i|you|we)|(?:would|will) (?:help|be (?:great|good|"
    r"useful|"
    r"helpful|nice))|helps? (?:me|us|to)|grateful|appreciate|glad|if (?:you|i|we) (?:could|can|"
    r"had|have|"
    r"might|may|would)|(?:don't|do not) have (?:your|the) [\w ]+ yet|waiting for|depends on|"
    r"go by|works? with|needed|required|still open)\b"
)
_PIECES_OF = frozenset({"address", "new_address", "postcode"})
_IN_BRACKETS = re.compile(r"\(([^)]*)\)")
_THEN = re.compile(r",? (?:and |so )?(?:then|so) (?=i\b|i'|we\b|it\b|you\b)")
_BEFORE_ELSE = re.compile(r"\bbefore\b.*\belse\b")
_ITS_WORDS = 5
_ITS = re.compile(
    r"\b(?:its|their|the) (number|reference|date|code|name|amount)\b(?! (?:of|on|for|that is) \w)"
)
# "The ZIP code isn't what we have": with a question beside it, it asks for the ZIP code again.
_MISMATCH = re.compile(
    r"\b(?:doesn't|does not|didn't|did not|don't|do not) (?:match|agree|fit|correspond)\b|"
    r"\b(?:isn't|is not|wasn't|aren't) (?:(?:quite |exactly )?what (?:we|i) have|the (?:\w+ ){1,2}"
    r"(?:on|in|we|for)|in (?:the|our|your) |on (?:the|this|your) |the same|right|correct)|"
    r"\bdiffers? from\b"
)
_WH_LINE = re.compile(r"(?:what|which|when|where|why|how|whom?)\b")
_VOCATIVE = re.compile(r"(?:mr|mrs|ms|dr|miss|dear)\.? [\w' -]+\?$")
_OFFERS = re.compile(r"\b(?:choose|pick|select|options?|which|prefer)\b")
_PIECES = re.compile(r"(?:please )?(?:also )?(?:include|note|make sure|mind)\b")


def read(text: str, index: CueIndex) -> tuple[Part, ...]:
    """Return what each clause of an agent's message does, in order."""
    return _Reader(sentences(text), index).parts()


class _Reader:
    def __init__(self, clauses: tuple[Sentence, ...], index: CueIndex) -> None:
        self._clauses = clauses
        self._index = index
        self._parts: list[Part] = []
        self._listing: Sentence | None = None  # the line that introduces the list that we are in
        self._echoes: list[int] = []  # parts that ask for what an earlier clause names
        self._is_short = len(clauses) <= 2

    def parts(self) -> tuple[Part, ...]:
        for i, clause in enumerate(self._clauses):
            if self._listing and not clause.is_bullet and not self._continues(clause):
                self._listing = None
            if self._listing:
                if not _OFFERS.search(self._listing.text):
                    self._list_line(i, clause)
                continue
            self._clause(i, clause)
            if self._introduces(i, clause):
                self._listing = clause
        if all(part.move in (Move.STATEMENT, Move.FAREWELL) for part in self._parts):
            self._plain_requests()
        self._drop_echoes()
        return tuple(self._without_empty_confirmation())

    def _drop_echoes(self) -> None:
        """Take out "I need that" where the message asks for something by its name."""
        asked = (Move.ASK, Move.CHECK)
        named = [
            i
            for i, part in enumerate(self._parts)
            if part.move in asked and part.groups and i not in self._echoes
        ]
        if named:
            kept = [part for i, part in enumerate(self._parts) if i not in self._echoes]
            self._parts = kept

    def _plain_requests(self) -> None:
        """Take a message that only names slots as a question: "Please quote your order number"."""
        for i, clause in enumerate(self._clauses):
            text = without_unasked(clause.text)
            is_short = len(text.split()) <= _NAMING_WORDS and not _VERB.search(text)
            is_needed = is_short or "please" in text or bool(_NEED.search(text))
            head = _THEN.split(text)[0]
            if not is_needed and head != text and is_fragment(head, self._groups(head), False):
                text, is_needed = head, True
            groups = self._groups(text) if is_needed else ()
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
        if self._lists_pieces():
            groups = tuple(g for g in groups if not {s for m in g for s in m.slots} <= _PIECES_OF)
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
        elif _WH_LINE.match(text):
            self._add(i, Move.UNKNOWN)

    def _lists_pieces(self) -> bool:
        """Whether the list that we are in tells the pieces of an address asked for above it."""
        assert self._listing is not None
        named = {slot for g in self._groups(self._listing.text) for m in g for slot in m.slots}
        lines = " ".join(c.text for c in self._clauses if c.is_bullet)
        return bool(named & _PIECES_OF) and bool(ADDRESS_PIECES.search(lines))

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
            or _VOCATIVE.match(clause.text)
            for part in self._parts[found:]
        )
        if not is_settled:
            self._question(i, clause)
        if len(self._parts) == found and _MISMATCH.search(clause.text):
            self._add(i, Move.MISMATCH, grouped(list(self._index.find(clause.text)), clause.text))
        if len(self._parts) == found:
            self._add(i, Move.FAREWELL if said.FAREWELL.search(clause.text) else Move.STATEMENT)

    def _announcements(self, i: int, clause: Sentence) -> None:
        text = clause.text
        if _VOCATIVE.match(text):
            self._add(i, Move.STATEMENT)
            return
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
        if said.CLOSING.search(text) and not _BEFORE_ELSE.search(text):
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
        request = request_in(clause, text, goes_on=self._goes_on(i))
        groups = self._groups(text)
        if request or len(text.split()) <= _ITS_WORDS:
            groups = self._of_what_was_said(i, text, groups)
        is_bare = is_fragment(text, groups, clause.is_question) and (
            self._is_short or clause.is_question or clause.is_bullet
        )
        if self._lists_options(i, request, text, groups):
            return
        has_list = any(c.is_bullet for c in self._clauses)
        move = question_move(clause, text, request, groups, has_list=has_list)
        if move is None and groups and (request or clause.is_question or is_bare):
            move = Move.ASK
        if move is None and request and p.ANAPHORA.search(text):
            groups = self._antecedents(i)
            move = Move.ASK if groups else None
            self._echoes.append(len(self._parts))
        if move in (Move.OPEN_CHANGE, Move.CHOICE):
            groups = groups or self._antecedents(i, whole=True)
        if move is Move.CHECK and not groups and p.CONFIRM_TAG.search(text):
            groups = self._antecedents(i, stating=True)
        if move is None:
            move = open_move(clause, text, request)
        named = {slot for group in groups for m in group for slot in m.slots}
        is_step = move is Move.ASK and named == {"already_restarted"} and not p.YES_NO.search(text)
        if (move in (None, Move.UNKNOWN) or is_step) and p.INSTRUCTION.search(text):
            move = Move.INSTRUCTION
        is_aside = self._is_hold(i) or (_PIECES.match(text) and self._follows_ask(i))
        if move is not None and (move is not Move.UNKNOWN or not is_aside):
            self._add(i, move, groups)

    def _lists_options(
        self, i: int, request: re.Match[str] | None, text: str, groups: tuple[Group, ...]
    ) -> bool:
        """Whether a clause only lists answers to the question before: "Phone, text or post?"."""
        last = self._parts[-1] if self._parts else None
        is_bare = is_fragment(text, groups, is_question=True) and not _ASKING_WORD.search(text)
        if request or not is_bare or not last or last.sentence is not self._clauses[i - 1]:
            return False
        asked = {slot for group in last.groups for m in group for slot in m.slots}
        is_list = re.search(r",|\bor\b|\.\.\.", self._clauses[i].text)
        is_asked = last.move is Move.ASK and last.sentence.is_question
        return bool(is_list and is_asked and asked and not asked & IDENTITY)

    def _follows_ask(self, i: int) -> bool:
        last = self._parts[-1] if self._parts else None
        return bool(last and last.move is Move.ASK and last.sentence is self._clauses[i - 1])

    def _goes_on(self, i: int) -> bool:
        """Whether a clause goes on with a request of the sentence that it stands in."""
        last = self._parts[-1] if self._parts else None
        if last is None or i == 0 or last.sentence is not self._clauses[i - 1]:
            return False
        return last.move is Move.ASK and last.sentence.raw.rstrip()[-1:] not in (".", "?", "!", ":")

    def _is_hold(self, i: int) -> bool:
        last = self._parts[-1] if self._parts else None
        return last is not None and last.sentence is self._clauses[i] and last.move is Move.HOLD

    def _groups(self, text: str) -> tuple[Group, ...]:
        """Return what a clause names, as alternatives and without what only explains the rest."""
        request = p.REQUEST.search(text)
        found = list(self._index.find(without_aside(text)))
        if "(" in text:
            found = specified(found, self._index.find(" ".join(_IN_BRACKETS.findall(text))))
        purpose = p.PURPOSE.search(text, request.end() if request else 0)
        if purpose:
            before = [m for m in found if m.start < purpose.start()]
            found = before if p.HARD_PURPOSE.match(purpose[0]) else before or found
        start = request.start() if request else 0
        found = [m for m in found if m.end > start] or found
        whether = re.search(r"\b(?:whether|if)\b", text)
        if whether:
            found = [m for m in found if m.start < whether.start() or not {*m.slots} <= _THINGS]
        found = without_options(found, text)
        last = self._parts[-1:] if request else []
        told = [slot for part in last for g in part.groups for m in g for slot in m.slots]
        found = without_pieces(found, text, told)
        return grouped(found, text)

    def _of_what_was_said(self, i: int, text: str, groups: tuple[Group, ...]) -> tuple[Group, ...]:
        """Return what is named, with what "its number" means beside the clauses before."""
        found = _ITS.search(text)
        if found is None:
            return groups
        for clause in reversed(self._clauses[max(0, i - 2) : i]):
            for word in re.findall(
                r"\b(?!(?:which|what|your|this|that|with|have)\b)[a-z]{4,}", clause.text
            ):
                named = self._index.find(f"{word} {found[1]}")
                if len(named) == 1 and named[0].words > 1:
                    apart = [g for g in groups if not found.start() <= g[0].start <= found.end()]
                    return (*apart, (named[0],))
        return groups

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
            found = list(self._index.find(text))
            if found and re.search(r"\bboth\b|\ball (?:two|three)\b", self._clauses[i].text):
                return tuple((mention,) for mention in found)
            if found:
                return grouped(found, text)
        return ()


def _is_asked(clause: Sentence, end: int) -> bool:
    """Whether words up to `end` belong to a question rather than stand before one."""
    return clause.is_question and not re.search(r",|\bbut\b|\band\b| - ", clause.text[end:])


_COMMON = re.compile(
    r"\b(?:the|a|an|i|you|your|is|are|to|for|we|have|it|and|that|this|thanks|thank|"
    r"okay|ok|sure|please|of|in|on|"
    r"with|all|got|great|perfect|understood|welcome|noted|yes|no|done|hello|hi|sorry|"
    r"my|will|can|how|what|which|when|where|should|would|could|be|or|do|does|me|us|need)\b",
    re.I,
)


def is_english(text: str) -> bool:
    """Return whether a message without a question reads like words said to a customer."""
    words = re.findall(r"[^\W\d_]+", text)
    return bool(words) and len(_COMMON.findall(text)) * 7 >= len(words)
