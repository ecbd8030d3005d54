"""Answers to the open questions of one agent message."""

from __future__ import annotations

import re
from collections.abc import Iterable

from skillbench_tasks.models import Outcome, Scenario
from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.answer import Answer
from skillbench_tasks.solvers.users.consent import action_score, asked_action
from skillbench_tasks.solvers.users.grouping import Group
from skillbench_tasks.solvers.users.literals import stated_types
from skillbench_tasks.solvers.users.memory import IDENTITY, Memory
from skillbench_tasks.solvers.users.opening import own_words
from skillbench_tasks.solvers.users.phrasing import Voice
from skillbench_tasks.solvers.users.proposals import (
    NAMES_NOTHING,
    POINTS_OUT,
    STEP_REPORT,
    after_but,
    is_bare,
    is_proposal,
    options_in,
)
from skillbench_tasks.solvers.users.understanding import Move, Part

__all__ = ["Answers"]

# Without a fact, a question for these is one for the request itself.
_REQUEST_SLOTS = frozenset({"issue_description", "request_type"})
# Slots whose mere mention in a yes/no question ("Have you received the item?") asks for no value.
_NAMES_OF_THINGS = frozenset(
    {"item", "charge_name", "plan_name", "offer_name", "invoice_month", "new_item", "gift_message"}
)
_ANSWERS_YES_NO = frozenset({"text", "choice"})
_POSSESSION = re.compile(
    r"\b(?:do you (?:happen to )?(?:have|know|remember|recall)|have you got|got|is "
    r"there|are there|any|handy)\b"
)
_CORRECTED_TYPES = frozenset(
    {"date", "time_window", "phone", "email", "address", "postcode", "id", "money", "name"}
)
_OPEN_LIMIT = 2


class Answers:
    """Answers questions from a scenario's facts and decisions."""

    def __init__(self, scenario: Scenario, memory: Memory, voice: Voice) -> None:
        self._scenario = scenario
        self._memory = memory
        self._voice = voice
        self._mind = scenario.mind_change
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
        asked = {part.move for part in parts}
        for part in parts:
            match part.move:
                case Move.ASK:
                    self._ask(answer, part)
                case Move.CHECK:
                    self._check(answer, part, text, previous, is_refusal)
                case Move.CHOICE:
                    self._choose(answer, part, text, previous, is_refusal)
                case Move.CONFIRM:
                    self._confirm(answer, part, text, previous, is_refusal)
                case Move.UNKNOWN:
                    self._ask_loosely(answer, part)
                case Move.INSTRUCTION if self._memory.has("step_result"):
                    self._tell(answer, "step_result")
                case Move.OPEN_CHANGE if self._ask_new(answer, part.groups):
                    pass
                case Move.OPEN | Move.OPEN_CHANGE if not asked & {Move.ASK, Move.CHOICE}:
                    self._open(answer, is_change=part.move is Move.OPEN_CHANGE)
                case _:
                    pass
        self._tell_all(answer, [] if answer.acts else answer.doubtful)
        answer.text = self._worded(answer)
        return answer

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
        return " ".join(pieces)

    def _ask_loosely(self, answer: Answer, part: Part) -> None:
        """Answer a question whose words only resemble cues, where just one known slot fits."""
        slots = [s for group in part.groups for m in group for s in m.slots if self._memory.has(s)]
        if len(slots) == 1:
            self._tell(answer, slots[0])

    def _ask(self, answer: Answer, part: Part) -> None:
        is_open = p.OPEN.search(part.sentence.text)
        for group in part.groups:
            slot = self._memory.resolve(group) or self._new_of_told(answer, group)
            if slot is None:
                continue
            # "What would you like …" names no slot that the user would say he lacks.
            if is_open and slot not in IDENTITY and not self._memory.answers(slot):
                self._open(answer, is_change=False)
            else:
                self._tell(answer, slot)

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

    def _open(self, answer: Answer, *, is_change: bool) -> None:
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
        elif not re.search(r"\b(?:which|what|how|where)\b", part.sentence.text):
            self._confirm(answer, part, text, previous, is_refusal)

    def _picks(self, answer: Answer, part: Part, text: str) -> bool:
        """Pick what the facts want of the options offered; `False`: nothing to pick by."""
        memory = self._memory
        clause_types = stated_types(text)
        named = [
            slot for group in part.groups for m in group for slot in m.slots if memory.has(slot)
        ]
        of_type = [
            s for s in memory.goal_slots() if memory.kind(s) in ("choice", "date", "time_window")
        ]
        candidates = list(dict.fromkeys([*named, *of_type]))
        found = [slot for slot in candidates if memory.offered(slot, text)]
        if not found:
            found = [
                slot
                for slot in memory.goal_slots()
                if memory.kind(slot) == "text" and memory.offered(slot, part.sentence.raw)
            ]
        if not found:
            found = [s for s in candidates if s in named or memory.kind(s) in clause_types]
            found = [s for s in found if s not in IDENTITY]
            found += options_in(part.sentence.text, memory.facts())
        for slot in dict.fromkeys(found):
            if f"inform:{slot}" not in answer.acts:
                words = memory.words(slot) if memory.is_told(slot) else memory.give(slot)
                answer.told.append((slot, words))
                answer.add(f"inform:{slot}")
        if not found and part.groups:
            self._ask(answer, part)
        return bool(found or part.groups)

    def _check(
        self, answer: Answer, part: Part, text: str, previous: str, is_refusal: bool
    ) -> None:
        memory = self._memory
        clause = part.sentence
        is_tag = bool(p.CONFIRM_TAG.search(clause.text))
        types = stated_types(clause.raw)
        name = self._named(part, previous, wide=is_tag)
        if is_tag and not is_proposal(part.context.lower()):
            name = ""
        if name and (is_tag or self._is_pending(name)):
            self._confirm(answer, part, text, previous, is_refusal)
            return
        options = options_in(clause.text, memory.facts())
        if options:
            self._tell_all(answer, options)
            return
        said = part.context if is_tag and not types else clause.raw
        slots = [slot for group in part.groups if (slot := memory.resolve(group))]
        stated = [slot for slot in memory.facts() if memory.stated(slot, said)]
        if slots and not (is_tag and self._wrong(said, stated) and is_proposal(said.lower())):
            for slot in slots:
                self._check_slot(answer, part, slot, said)
            return
        wrong = self._wrong(said, stated) if is_proposal(said.lower()) or not is_tag else []
        if POINTS_OUT.search(clause.text):
            wrong = []
        goals = [slot for slot in stated if slot not in IDENTITY]
        if wrong:
            self._correct(answer, wrong)
        elif goals and re.search(r"\bor\b", clause.text):
            self._tell_all(answer, goals)
        elif stated:
            self._agree(answer, *stated)
        elif is_tag or POINTS_OUT.search(clause.text):
            self._confirm(answer, part, text, previous, is_refusal)

    def _check_slot(self, answer: Answer, part: Part, slot: str, said: str) -> None:
        memory = self._memory
        if not memory.has(slot):
            others = [s for s in memory.facts() if memory.stated(s, said)]
            if others and not re.search(r"\bor\b", part.sentence.text):
                self._agree(answer, *others)
            elif others:
                self._tell_all(answer, others)
            else:
                answer.doubtful.append(slot)
            return
        kind = memory.kind(slot)
        is_open = bool(re.search(r"\bor\b", part.sentence.text)) and slot not in IDENTITY
        if memory.stated(slot, said) and not is_open:
            self._agree(answer, slot)
        elif kind in stated_types(said) or (
            kind in ("digits", "number", "id") and stated_types(said) & {"digits", "id", "number"}
        ):
            self._correct(answer, [slot])
        elif (
            (kind in _ANSWERS_YES_NO and slot not in _NAMES_OF_THINGS)
            or _POSSESSION.search(part.sentence.text)
            or re.search(r"\b(?:confirm|verify)\b", part.sentence.text)
        ):
            self._tell(answer, slot)

    def _agree(self, answer: Answer, *slots: str) -> None:
        if not any(act.startswith("confirm:") for act in answer.acts):
            answer.lines.append(_stopped(self._voice.line("right")))
        answer.add(*(f"confirm:{slot}" for slot in slots))

    def _correct(self, answer: Answer, slots: list[str]) -> None:
        slots = [slot for slot in slots if f"correct:{slot}" not in answer.acts]
        if slots:
            answer.lines.append(_stopped(self._voice.line("wrong")))
        for slot in slots:
            words = (
                self._memory.words(slot) if self._memory.is_told(slot) else self._memory.give(slot)
            )
            answer.told.append((slot, words))
            answer.add(f"correct:{slot}")

    def _wrong(self, said: str, stated: list[str]) -> list[str]:
        """Return goal slots of which a text states another value of the same type."""
        types = stated_types(said) & _CORRECTED_TYPES
        right = {self._memory.kind(slot) for slot in stated}
        wanted = [
            slot
            for slot in self._memory.goal_slots()
            if slot.startswith("new_") or self._memory.kind(slot) == "time_window"
        ]
        wrong = [s for s in wanted if self._memory.kind(s) in types - right]
        kinds = [self._memory.kind(slot) for slot in wrong]
        return [slot for slot in wrong if kinds.count(self._memory.kind(slot)) == 1]

    def _named(self, part: Part, previous: str, *, wide: bool) -> str:
        names = set(self._scenario.answers)
        if self._mind is not None:
            names.add(self._mind.at)
        texts = [part.sentence.text]
        if wide:
            texts += [after_but(line) for line in reversed(part.context.lower().splitlines()[:-1])]
            texts.append(previous)
        name = asked_action(names, *texts)
        if POINTS_OUT.search(part.sentence.text):
            return ""
        if (
            not name
            and len(names) == 1
            and (NAMES_NOTHING.fullmatch(part.sentence.text) or self._states_new(part.context))
        ):
            (only,) = names
            return only if self._scenario.answers.get(only, True) else ""
        if not name and self._mind is not None and wide:
            is_stated = any(self._memory.stated(s, part.context) for s in self._mind.changes)
            return self._mind.at if is_stated else ""
        return name

    def _states_new(self, text: str) -> bool:
        wanted = [slot for slot in self._memory.goal_slots() if slot.startswith("new_")]
        return any(self._memory.stated(slot, text) for slot in wanted)

    def _is_pending(self, name: str) -> bool:
        is_refused = not self._scenario.answers.get(name, True)
        return is_refused or (self._mind is not None and self._mind.at == name)

    def _confirm(
        self, answer: Answer, part: Part, text: str, previous: str, is_refusal: bool
    ) -> None:
        clause = part.sentence
        if self._memory.has("step_result") and STEP_REPORT.search(part.context.lower()):
            self._tell(answer, "step_result")
            return
        name = ""
        subject = " ".join(part.context.lower().splitlines()[-2:])
        is_about_check = p.SUBJECT_VERIFICATION.search(
            subject if NAMES_NOTHING.fullmatch(clause.text) else clause.text
        )
        if not is_about_check:
            name = self._named(part, previous, wide=is_bare(clause.text))
        if self._mind is not None and name == self._mind.at:
            self._change_mind(answer)
            return
        if name and not self._scenario.answers.get(name, True):
            self._refuse(answer, name)
            return
        said = part.context if is_bare(clause.text) else clause.raw
        stated = [slot for slot in self._memory.facts() if self._memory.stated(slot, said)]
        points_out = POINTS_OUT.search(clause.text)
        wrong = self._wrong(said, stated) if is_proposal(said.lower()) else []
        if wrong and not points_out and not is_about_check:
            self._correct(answer, wrong)
            return
        if is_refusal and not self._accepts(name, clause.text, stated):
            self._refuse(answer, name)
            answer.is_declined = True
            return
        if f"confirm:{name}" not in answer.acts:
            answer.lines.append(_stopped(self._voice.line("yes")))
        answer.add(f"confirm:{name}")

    def _accepts(self, name: str, text: str, stated: list[str]) -> bool:
        """Whether the user takes an alternative to what was refused."""
        if name in self._scenario.answers:
            return self._scenario.answers[name]
        ends = {self._scenario.outcome, *self._scenario.also_accept}
        if Outcome.TRANSFERRED in ends and action_score("transfer", text) > 0:
            return True
        return any(slot not in IDENTITY and slot.startswith("new_") for slot in stated)

    def _refuse(self, answer: Answer, name: str) -> None:
        answer.lines.append(_stopped(self._voice.line("no")))
        answer.add(f"refuse:{name}")

    def _change_mind(self, answer: Answer) -> None:
        assert self._mind is not None
        answer.lines.append(_stopped(self._voice.line("change")))
        answer.add(f"refuse:{self._mind.at}")
        for slot, value in self._mind.changes.items():
            answer.told.append((slot, self._memory.change(slot, value)))
            answer.add(f"change:{slot}")
        self._mind = None


def _stopped(text: str) -> str:
    return text if text[-1] in ".!?" else f"{text}."
