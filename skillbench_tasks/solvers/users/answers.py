"""Answers to the open questions of one agent message."""

from __future__ import annotations

import re
from collections.abc import Iterable

from skillbench_tasks.models import Scenario
from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.answer import Answer
from skillbench_tasks.solvers.users.choices import listed_after, picked
from skillbench_tasks.solvers.users.decisions import Decisions
from skillbench_tasks.solvers.users.grouping import Group, without_unasked
from skillbench_tasks.solvers.users.literals import stated_types
from skillbench_tasks.solvers.users.memory import IDENTITY, REQUESTS, THINGS, Memory
from skillbench_tasks.solvers.users.narrowing import Narrowing
from skillbench_tasks.solvers.users.opening import own_words
from skillbench_tasks.solvers.users.phrasing import Voice, stopped
from skillbench_tasks.solvers.users.proposals import (
    IDENTIFIES,
    POINTS_OUT,
    STEP_REPORT,
    is_proposal,
    options_in,
)
from skillbench_tasks.solvers.users.sentences import plain
from skillbench_tasks.solvers.users.understanding import Move, Part, is_english
from skillbench_tasks.solvers.users.values import Match

__all__ = ["Answers"]

# Without a fact, a question for these is one for the request itself.
_REQUEST_SLOTS = frozenset({"issue_description", "request_type"})
# Slots whose mere mention in a yes/no question ("Have you received the item?") asks for no value.
_NAMES_OF_THINGS = frozenset(
    {"item", "charge_name", "plan_name", "offer_name", "invoice_month", "new_item", "gift_message"}
)
_ANSWERS_YES_NO = frozenset({"text", "choice"})
_POSSESSION = re.compile(
    r"\b(?:do you (?:happen to |\w+ )?(?:have|know|remember|recall)|have you got|got|is "
    r"there|are there|any|handy)\b"
)
_FAILING_THAT = re.compile(r"(?:if (?:not|you (?:don't|do not))|otherwise|failing that)\b")
_WHAT_IS_WRONG = frozenset({"issue_description", "refund_reason"})
_OPEN_LIMIT = 2


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
        answer = Answer()
        self._message = plain(text)
        asked = {part.move for part in parts}
        for part in parts:
            if _FAILING_THAT.match(part.sentence.text) and not (answer.missing or answer.doubtful):
                continue
            if answer.is_contradicted and part.move in (Move.CONFIRM, Move.CHECK):
                continue  # "Is that right, and shall I save it?" has had its no
            if self._declines(answer, part) or self._is_specified(part, parts):
                continue
            match part.move:
                case Move.ASK:
                    self._ask(answer, part)
                case Move.CHECK:
                    self._check(answer, part, previous, is_refusal)
                case Move.CHOICE:
                    self._choose(answer, part, text, previous, is_refusal)
                case Move.CONFIRM:
                    self._confirm(answer, part, previous, is_refusal)
                case Move.UNKNOWN:
                    self._ask_loosely(answer, part)
                case Move.INSTRUCTION if self._memory.has("step_result"):
                    self._tell(answer, "step_result")
                case Move.OPEN_CHANGE if self._ask_new(answer, part.groups):
                    pass
                case Move.OPEN | Move.OPEN_CHANGE if not asked & {Move.ASK, Move.CHOICE}:
                    is_change = part.move is Move.OPEN_CHANGE
                    guess = None
                    if p.WHICH_PART.match(part.sentence.text):
                        guess = self._narrowing.guess(
                            part.sentence.text, self._message, is_identity=False
                        )
                    if guess:
                        self._tell(answer, guess)
                        continue
                    self._open(answer, is_change=is_change, text=part.sentence.text)
                case _:
                    pass
        self._tell_all(answer, [] if answer.acts else answer.doubtful)
        for part in parts if not answer.acts else ():
            if part.move is Move.MISMATCH and not is_refusal:
                self._ask(answer, part)
        answer.text = self._worded(answer)
        return answer

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
            self._open(answer, is_change=False)
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
        if self._check_choice(answer, part, is_tag=False):
            return
        if p.OLD_ONE.search(text):
            new = [slot for slot, _ in answer.told if slot.startswith("new_")]
            self._tell_all(answer, [slot.removeprefix("new_") for slot in new])
            return
        slot = self._narrowing.guess(text, self._message) if is_english(self._message) else None
        if slot is not None:
            self._tell(answer, slot)

    def _ask(self, answer: Answer, part: Part) -> None:
        text = part.sentence.text
        is_open = p.OPEN.search(text)
        is_fragment = part.sentence.is_question and not (p.WH.search(text) or p.REQUEST.search(text))
        if is_fragment and self._check_choice(answer, part, is_tag=False):
            return
        if part.groups and (listed := listed_after(self._memory, part, self._message)):
            self._tell_all(answer, listed)
            return
        for group in part.groups:
            if pair := self._memory.pair(group):
                self._tell_all(answer, pair)
                continue
            slot = (
                self._best(group, part)
                or self._memory.resolve(group)
                or self._new_of_told(answer, group)
            )
            if slot == "date_range" and not self._memory.answers(slot):
                self._tell_all(answer, self._memory.span(slot))
                continue
            slot = self._narrowed(slot, group, part)
            if slot is None:
                if part.sentence.is_question and _WHAT_IS_WRONG >= {s for m in group for s in m.slots}:
                    self._open(answer, is_change=False)
                continue
            if p.BOTH_ENDS.search(part.sentence.text):
                self._tell_all(answer, self._memory.span(slot))
            if len(group) > 1 and slot in IDENTITY and not self._memory.has(slot):
                self._tell_all(answer, self._memory.lacked(group))
            # "What would you like …" names no slot that the user would say he lacks.
            if is_open and slot not in IDENTITY and not self._memory.answers(slot):
                self._open(answer, is_change=False)
            else:
                self._tell(answer, slot)

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
        if guess is not None and not (is_clear and self._memory.kind(guess) == "choice"):
            return guess
        return slot if is_meant and is_clear else None

    def _new_of_told(self, answer: Answer, group: Group) -> str | None:
        """Return what "the new one" means beside a slot that the same message asks for."""
        meant = {slot for mention in group for slot in mention.slots}
        asked = [*(slot for slot, _ in answer.told), *answer.missing]
        return next((new for slot in asked if (new := f"new_{slot}") in meant), None)

    def _tell(self, answer: Answer, slot: str) -> None:
        if any(slot == told for told, _ in answer.told) or slot in answer.missing:
            return
        if self._memory.has(slot):
            answer.told.append((slot, self._memory.give(slot)))
            answer.add(f"inform:{slot}")
        elif slot in _REQUEST_SLOTS and slot not in self._scenario.unknown:
            self._open(answer, is_change=False)
        else:
            answer.missing.append(slot)
            answer.add(f"unable:{slot}")

    def _tell_all(self, answer: Answer, slots: Iterable[str]) -> None:
        for slot in slots:
            self._tell(answer, slot)

    def _open(self, answer: Answer, *, is_change: bool, text: str = "") -> None:
        memory = self._memory
        fitting = [
            slot
            for slot in memory.goal_slots()
            if not is_change
            or slot.startswith("new_")
            or memory.kind(slot) in ("date", "choice", "time_window")
        ]
        fresh = [slot for slot in fitting if not memory.is_told(slot)][:_OPEN_LIMIT]
        self._tell_all(answer, fresh)
        if fresh:
            return
        guess = self._narrowing.guess(text, self._message, is_identity=False) if text else None
        if guess is not None:
            self._tell(answer, guess)
            return
        told = [slot for slot in fitting if is_change and memory.is_told(slot)]
        for slot in told[:_OPEN_LIMIT]:
            answer.told.append((slot, memory.words(slot)))
            answer.add(f"inform:{slot}")
        if not told and "inform:request" not in answer.acts:
            answer.lines.append(self._voice.line("restate", own_words(self._scenario)))
            answer.add("inform:request")

    def _ask_new(self, answer: Answer, groups: tuple[Group, ...]) -> bool:
        """Answer "what would you like to change it to?" for what "it" is; `False`: unclear."""
        names = [f"new_{slot}" for group in groups for m in group for slot in m.slots]
        names = [slot for slot in dict.fromkeys(names) if self._memory.has(slot)]
        self._tell_all(answer, names)
        return bool(names)

    def _choose(
        self, answer: Answer, part: Part, text: str, previous: str, is_refusal: bool
    ) -> None:
        if self._picks(answer, part, text):
            return
        if p.OPEN.search(part.sentence.text):
            self._open(answer, is_change=False)
        elif guess := self._narrowing.guess(part.sentence.text, self._message, is_identity=False):
            self._tell(answer, guess)
        elif not re.search(r"\b(?:which|what|how|where)\b", part.sentence.text):
            self._confirm(answer, part, previous, is_refusal)

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
        return bool(found or part.groups)

    def _confirm(self, answer: Answer, part: Part, previous: str, is_refusal: bool) -> None:
        if self._memory.has("step_result") and STEP_REPORT.search(part.context.lower()):
            self._tell(answer, "step_result")
        else:
            self._decisions.confirm(answer, part, previous, is_refusal=is_refusal)

    def _check(self, answer: Answer, part: Part, previous: str, is_refusal: bool) -> None:
        clause = part.sentence
        is_tag = bool(p.CONFIRM_TAG.search(clause.text))
        is_open = not is_tag and any(self._memory.is_open(group) for group in part.groups)
        decided = self._decisions.decided(clause.text)
        if is_tag or part.groups or POINTS_OUT.search(clause.text):
            decided = ""
        name = self._decisions.named(part, previous, wide=is_tag)
        if is_tag and not is_proposal(part.context.lower()):
            name = ""
        options = options_in(clause.text, self._memory.facts())
        if decided:
            self._decisions.decide(answer, decided)
        elif name and not is_open and (is_tag or self._decisions.is_pending(name, clause.text)):
            self._confirm(answer, part, previous, is_refusal)
        elif options:
            self._tell_all(answer, options)
        elif self._check_choice(answer, part, is_tag=is_tag):
            pass
        elif not self._check_values(answer, part, is_tag=is_tag):
            self._check_record(answer, part, previous, is_refusal, is_tag=is_tag)

    def _check_choice(self, answer: Answer, part: Part, *, is_tag: bool) -> bool:
        """Say whether the option or thing that a question names is meant; `False`: none is."""
        memory, text = self._memory, part.sentence.text
        if p.WH_QUESTION.match(text):
            return False
        if re.search(r"\bor\b", text):
            named_options = [s for s in memory.goal_slots() if memory.names_option(s, text)]
            self._tell_all(answer, named_options)
            return bool(named_options)
        named = {slot for group in part.groups for m in group for slot in m.slots}
        is_other = any(memory.has(slot) for slot in named)
        found: dict[Match, list[str]] = {}
        for slot in memory.goal_slots():
            is_thing = slot in THINGS or slot in REQUESTS
            if (is_thing and not is_tag and not IDENTIFIES.search(text)) or (
                is_other and slot not in named
            ):
                continue
            said = " ".join(part.context.lower().splitlines()[-2:]) if is_tag else text
            found.setdefault(memory.match(slot, said, part.context), []).append(slot)
        if wrong := found.get(Match.CONTRADICTS):
            self._decisions.correct(answer, wrong)
        elif right := found.get(Match.AGREES):
            self._decisions.agree(answer, *right)
        return bool(wrong or right)

    def _check_values(self, answer: Answer, part: Part, *, is_tag: bool) -> bool:
        """Say whether the values that a question states are right; `False`: it states none."""
        memory, text = self._memory, part.sentence.text
        types = stated_types(part.sentence.raw)
        said = part.context if is_tag and not types else part.sentence.raw
        is_change = is_proposal(said.lower())
        slots = [slot for group in part.groups if (slot := memory.resolve(group))]
        stated = [slot for slot in memory.facts() if memory.stated(slot, said)]
        wrong = self._decisions.wrong(said, stated) if is_change or not is_tag else []
        if slots and not (is_tag and wrong and is_change):
            for slot in slots:
                self._check_slot(answer, part, slot, said)
            if answer.doubtful and not answer.told:
                answer.doubtful += [s for group in part.groups for s in memory.lacked(group)]
            return True
        goals = [slot for slot in stated if slot not in IDENTITY]
        if wrong and not POINTS_OUT.search(text):
            self._decisions.correct(answer, wrong)
        elif goals and re.search(r"\bor\b", text):
            self._tell_all(answer, goals)
        elif stated:
            self._decisions.agree(answer, *stated)
        return bool(stated or (wrong and not POINTS_OUT.search(text)))

    def _check_record(
        self, answer: Answer, part: Part, previous: str, is_refusal: bool, *, is_tag: bool
    ) -> None:
        """Answer a yes/no question without a value: on a record, an action, or one slot."""
        text = part.sentence.text
        if POINTS_OUT.search(text):
            self._decisions.agree(answer, "")
        elif is_tag:
            self._confirm(answer, part, previous, is_refusal)
        elif not part.groups and (
            guess := self._narrowing.guess(
                text, part.sentence.raw, is_identity=False, is_sure=" or " not in text
            )
        ):
            self._tell(answer, guess)

    def _check_slot(self, answer: Answer, part: Part, slot: str, said: str) -> None:
        memory = self._memory
        if not memory.has(slot):
            others = [s for s in memory.facts() if memory.stated(s, said)]
            if others and not re.search(r"\bor\b", part.sentence.text):
                self._decisions.agree(answer, *others)
            elif others:
                self._tell_all(answer, others)
            elif memory.answers(slot) and _POSSESSION.search(part.sentence.text):
                self._tell(answer, slot)
            elif memory.answers(slot) or any(
                m.words > 1 for g in part.groups for m in g if slot in m.slots
            ):
                answer.doubtful.append(slot)
            return
        kind = memory.kind(slot)
        is_open = bool(re.search(r"\bor\b", part.sentence.text)) and slot not in IDENTITY
        if memory.stated(slot, said) and not is_open:
            self._decisions.agree(answer, slot)
        elif kind in stated_types(said) or (
            kind in ("digits", "number", "id") and stated_types(said) & {"digits", "id", "number"}
        ):
            self._decisions.correct(answer, [slot])
        elif (slot in _NAMES_OF_THINGS and memory.has_next(slot, part.context)) or (
            (kind in _ANSWERS_YES_NO and slot not in _NAMES_OF_THINGS)
            or _POSSESSION.search(part.sentence.text)
            or re.search(r"\b(?:confirm|verify)\b", part.sentence.text)
        ):
            self._tell(answer, slot)
