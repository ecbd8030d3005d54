"""Answers to the open questions of one agent message."""

from __future__ import annotations

import re
from dataclasses import replace

from skillbench_tasks.models import Scenario
from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.answer import Answer
from skillbench_tasks.solvers.users.checking import Checks
from skillbench_tasks.solvers.users.choices import listed_after, picked
from skillbench_tasks.solvers.users.decisions import Decisions
from skillbench_tasks.solvers.users.grouping import Group, without_unasked
from skillbench_tasks.solvers.users.literals import stated_types, times_stated
from skillbench_tasks.solvers.users.memory import IDENTITY, Memory
from skillbench_tasks.solvers.users.narrowing import Narrowing
from skillbench_tasks.solvers.users.opening import own_words
from skillbench_tasks.solvers.users.phrasing import Voice, stopped
from skillbench_tasks.solvers.users.proposals import is_bare
from skillbench_tasks.solvers.users.sentences import plain
from skillbench_tasks.solvers.users.telling import Telling
from skillbench_tasks.solvers.users.understanding import Move, Part, is_english

__all__ = ["Answers"]

_FAILING_THAT = re.compile(r"(?:if (?:not|you (?:don't|do not))|otherwise|failing that)\b")
_WHAT_IS_WRONG = frozenset({"issue_description", "refund_reason"})


class Answers:
    """Answers questions from a scenario's facts and decisions."""

    def __init__(
        self, scenario: Scenario, memory: Memory, voice: Voice, narrowing: Narrowing
    ) -> None:
        self._scenario = scenario
        self._memory = memory
        self._voice = voice
        self._decisions = Decisions(scenario, memory, voice)
        self._narrowing = narrowing
        self._telling = Telling(scenario, memory, voice, narrowing)
        self._checks = Checks(memory, self._decisions, self._telling, narrowing)
        self._message = ""
        self._restated = 0

    def answer(self, parts: tuple[Part, ...], text: str, previous: str, is_refusal: bool) -> Answer:
        """Answer every question of a message; no acts where none was understood.

        Args:
            parts: The message's clauses.
            text: The message.
            previous: The agent's message before, lower case.
            is_refusal: The message says that something cannot be done.
        """
        self._message = plain(text)
        answer = Answer(message=self._message)
        for part in parts:
            if self._is_moot(answer, part, parts) or self._declines(answer, part):
                continue
            match part.move:
                case Move.CHECK:
                    self._checks.check(answer, part, previous, is_refusal)
                case Move.CHOICE:
                    self._choose(answer, part, text, previous, is_refusal)
                case Move.CONFIRM if (offer := _offer_before(part)) and self._picks(
                    answer, offer, text
                ):
                    pass
                case Move.CONFIRM:
                    self._checks.confirm(answer, part, previous, is_refusal)
                case _:
                    self._ask_for(answer, part, {other.move for other in parts})
        self._telling.tell_all(answer, [] if answer.acts else answer.doubtful)
        for part in parts if not answer.acts else ():
            if part.move is Move.MISMATCH and not is_refusal:
                self._ask(answer, part)
        answer.text = self._worded(answer)
        return answer

    def _ask_for(self, answer: Answer, part: Part, asked: set[Move]) -> None:
        """Answer a question that wants more than a yes or a no."""
        match part.move:
            case Move.ASK:
                self._ask(answer, part)
            case Move.UNKNOWN:
                self._ask_loosely(answer, part)
            case Move.INSTRUCTION if self._memory.has("step_result"):
                self._telling.tell(answer, "step_result")
            case Move.OPEN_CHANGE if self._ask_new(answer, part.groups):
                pass
            case Move.OPEN | Move.OPEN_CHANGE if not asked & {Move.ASK, Move.CHOICE}:
                self._ask_openly(answer, part)
            case _:
                pass

    def _ask_openly(self, answer: Answer, part: Part) -> None:
        text = part.sentence.text
        guess = None
        if p.WHICH_PART.match(text):
            guess = self._narrowing.guess(text, self._message, is_identity=False)
        if guess:
            self._telling.tell(answer, guess)
        else:
            is_change = part.move is Move.OPEN_CHANGE
            self._telling.open(answer, is_change=is_change, text=text)

    def _is_moot(self, answer: Answer, part: Part, parts: tuple[Part, ...]) -> bool:
        """Whether a question needs no answer, for what the message says beside it."""
        if _FAILING_THAT.match(part.sentence.text) and not (answer.missing or answer.doubtful):
            return True
        # "Is that right, and shall I save it?" has had its no.
        is_answered = answer.is_contradicted and part.move in (Move.CONFIRM, Move.CHECK)
        return is_answered or self._is_specified(part, parts) or _is_narrowed(part, parts)

    def _declines(self, answer: Answer, part: Part) -> bool:
        """Say no where a yes/no question is about what the scenario's user does not want."""
        text = part.sentence.text
        if part.move is Move.CONFIRM or not part.sentence.is_question or p.WH_QUESTION.match(text):
            return False
        name = self._decisions.declined(text)
        if name:
            self._decisions.decide(answer, name)
        return bool(name)

    def _is_specified(self, part: Part, parts: tuple[Part, ...]) -> bool:
        """Whether the same sentence goes on to say what is asked: "Which one - the last digits"."""
        if not p.WHICH_ONE.match(part.sentence.text) or part.sentence.raw[-1:] in ".?!:":
            return False
        rest = parts[parts.index(part) + 1 :]
        return any(other.move is Move.ASK and other.groups for other in rest)

    def restate(self) -> tuple[str, tuple[str, ...]]:
        """Return the request in the user's own words; asked again, with what he has not told."""
        self._restated += 1
        answer = Answer()
        if self._restated > 1:
            self._telling.open(answer, is_change=False)
            return self._worded(answer), answer.acts
        return self._voice.line("restate", own_words(self._scenario)), ("inform:request",)

    def _worded(self, answer: Answer) -> str:
        pieces = list(answer.lines)
        if answer.told:
            pieces.append(self._voice.tell(answer.told, is_first=not pieces))
        if answer.missing:
            pieces.append(self._voice.unable(answer.missing, is_alone=not pieces))
        return " ".join([*(stopped(piece) for piece in pieces[:-1]), *pieces[-1:]])

    def _ask_loosely(self, answer: Answer, part: Part) -> None:
        """Answer a question without a cue, where just one slot of the scenario fits."""
        text = without_unasked(part.sentence.text)
        name = "" if p.WH_QUESTION.match(text) else self._decisions.decided(text)
        if name:
            self._decisions.decide(answer, name)
            return
        if self._checks.choice(answer, part, is_tag=False):
            return
        new = [s for s in self._memory.goal_slots() if s.startswith("new_")]
        stated = [s for s in new if self._memory.stated(s, part.sentence.raw)]
        if stated and not p.WH.search(text):
            self._decisions.agree(answer, *stated)
            return
        if p.OLD_ONE.search(text):
            new = [slot for slot, _ in answer.told if slot.startswith("new_")]
            self._telling.tell_all(answer, [slot.removeprefix("new_") for slot in new])
            return
        slot = self._narrowing.guess(text, self._message) if is_english(self._message) else None
        if slot is not None:
            self._telling.tell(answer, slot)

    def _ask(self, answer: Answer, part: Part) -> None:
        text = part.sentence.text
        is_open = p.OPEN.search(text)
        is_fragment = part.sentence.is_question and not (
            p.WH.search(text) or p.REQUEST.search(text)
        )
        if is_fragment and self._checks.choice(answer, part, is_tag=False):
            return
        kinds = {self._memory.kind(slot) for g in part.groups if (slot := self._memory.resolve(g))}
        if is_fragment and kinds & stated_types(part.sentence.raw):
            self._checks.values(answer, part, is_tag=False)  # "The new date would be the 26th?"
            return
        if part.groups and (listed := listed_after(self._memory, part, self._message)):
            self._telling.tell_all(answer, listed)
            return
        for group in part.groups:
            if pair := self._memory.pair(group):
                self._telling.tell_all(answer, pair)
                continue
            slot = (
                self._best(group, part)
                or self._memory.resolve(group)
                or self._new_of_told(answer, group)
            )
            if slot == "date_range" and not self._memory.answers(slot):
                self._telling.tell_all(answer, self._memory.span(slot))
                continue
            slot = self._narrowed(slot, group, part)
            if slot is None:
                if (
                    part.sentence.is_question
                    and {s for m in group for s in m.slots} <= _WHAT_IS_WRONG
                ):
                    self._telling.open(answer, is_change=False, limit=1)
                continue
            if p.BOTH_ENDS.search(part.sentence.text):
                self._telling.tell_all(answer, self._memory.span(slot))
            if len(group) > 1 and slot in IDENTITY and not self._memory.has(slot):
                self._telling.tell_all(answer, self._memory.lacked(group))
            # "What would you like …" names no slot that the user would say he lacks.
            if is_open and slot not in IDENTITY and not self._memory.answers(slot):
                self._telling.open(answer, is_change=False)
            else:
                self._telling.tell(answer, slot)

    def _best(self, group: Group, part: Part) -> str | None:
        """Return which of several untold slots of one cue its clause speaks for."""
        fresh = [s for m in group for s in m.slots if self._memory.has(s)]
        fresh = [s for s in dict.fromkeys(fresh) if not self._memory.is_told(s)]
        if len(group) != 1 or len(fresh) < 2 or group[0].slots[0] == "current_date":
            return None
        return self._narrowing.among(fresh, part.sentence.text, self._message)

    def _narrowed(self, slot: str | None, group: Group, part: Part) -> str | None:
        """Return a slot that the scenario has for one that it lacks; `None`: nothing fits."""
        if slot is not None and (self._memory.answers(slot) or slot in IDENTITY):
            return slot
        clause = part.sentence
        is_meant = clause.is_question or p.PLAIN_REQUEST.search(clause.text)
        if not is_meant and not clause.is_bullet:
            return None
        guess = self._narrowing.guess(clause.text, self._message, is_identity=False)
        # One word, or one that could mean much, is too little to say that he lacks it.
        is_clear = any(len(m.slots) == 1 and m.words > 1 for m in group)
        if guess is not None and not (is_clear and self._is_other(guess, slot)):
            return guess
        return slot if is_meant and is_clear else None

    def _is_other(self, guess: str, slot: str | None) -> bool:
        """Whether a guess is a choice, while the slot that a question names is none."""
        kind = self._memory.kind
        return kind(guess) == "choice" and (slot is None or kind(slot) != "choice")

    def _new_of_told(self, answer: Answer, group: Group) -> str | None:
        """Return what "the new one" means beside a slot that the same message asks for."""
        meant = {slot for mention in group for slot in mention.slots}
        asked = [*(slot for slot, _ in answer.told), *answer.missing]
        return next((new for slot in asked if (new := f"new_{slot}") in meant), None)

    def _ask_new(self, answer: Answer, groups: tuple[Group, ...]) -> bool:
        """Answer "what would you like to change it to?" for what "it" is; `False`: unclear."""
        names = [f"new_{slot}" for group in groups for m in group for slot in m.slots]
        names = [slot for slot in dict.fromkeys(names) if self._memory.has(slot)]
        self._telling.tell_all(answer, names)
        return bool(names)

    def _choose(
        self, answer: Answer, part: Part, text: str, previous: str, is_refusal: bool
    ) -> None:
        if self._picks(answer, part, text):
            return
        if p.OPEN.search(part.sentence.text):
            self._telling.open(answer, is_change=False)
        elif guess := self._narrowing.guess(part.sentence.text, self._message, is_identity=False):
            self._telling.tell(answer, guess)
        elif not re.search(r"\b(?:which|what|how|where)\b", part.sentence.text):
            self._checks.confirm(answer, part, previous, is_refusal)

    def _picks(self, answer: Answer, part: Part, text: str) -> bool:
        """Pick what the facts want of the options offered; `False`: nothing to pick by."""
        memory = self._memory
        found = picked(memory, part, text)
        for slot in found:
            if f"inform:{slot}" not in answer.acts:
                words = memory.words(slot) if memory.is_told(slot) else memory.give(slot)
                answer.told.append((slot, words))
                answer.add(f"inform:{slot}")
        if not found and part.groups:
            self._ask(answer, part)
        elif p.WH.search(part.sentence.text) and re.search(r"\band\b", part.sentence.text):
            sure = [g[0].slots[0] for g in part.groups if len(g) == 1 and len(g[0].slots) == 1]
            open_ones = [s for s in sure if memory.has(s) and not memory.is_told(s)]
            self._telling.tell_all(answer, open_ones)  # "on which day, and morning or afternoon?"
        return bool(found or part.groups)


def _is_narrowed(part: Part, parts: tuple[Part, ...]) -> bool:
    """Whether a later clause says what is asked: "Which card is it? I need the last digits."."""
    if part.move is not Move.ASK or len(part.groups) != 1 or len(part.groups[0]) != 1:
        return False
    slots = part.groups[0][0].slots
    later = parts[parts.index(part) + 1 :]
    said = {m.slots for o in later if o.move is Move.ASK for g in o.groups for m in g}
    return len(slots) > 1 and any((slot,) in said for slot in slots)


def _offer_before(part: Part) -> Part | None:
    """Return a short request for a yes with the values between which the clause before chooses."""
    before = part.context.splitlines()[-2:-1]
    if not before or not is_bare(part.sentence.text) or stated_types(part.sentence.raw):
        return None
    is_either = re.search(r"\bor\b", before[0])
    if not is_either or all(times_stated(before[0], k) < 2 for k in ("date", "time_window")):
        return None
    return replace(part, sentence=replace(part.sentence, raw=before[0]))
