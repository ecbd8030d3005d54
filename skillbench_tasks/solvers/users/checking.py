"""Answers to yes/no questions: on a value, an option, a record or an action."""

from __future__ import annotations

import re

from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.answer import Answer
from skillbench_tasks.solvers.users.cues import SPEAKERS
from skillbench_tasks.solvers.users.decisions import Decisions
from skillbench_tasks.solvers.users.literals import stated_types
from skillbench_tasks.solvers.users.memory import IDENTITY, REQUESTS, THINGS, Memory
from skillbench_tasks.solvers.users.narrowing import Narrowing
from skillbench_tasks.solvers.users.proposals import (
    IDENTIFIES,
    POINTS_OUT,
    STEP_REPORT,
    is_proposal,
    options_in,
)
from skillbench_tasks.solvers.users.telling import Telling
from skillbench_tasks.solvers.users.understanding import Part
from skillbench_tasks.solvers.users.values import Match

__all__ = ["Checks"]

# Slots whose mere mention in a yes/no question ("Have you received the item?") asks for no value.
_NAMES_OF_THINGS = frozenset(
    {"item", "charge_name", "plan_name", "offer_name", "invoice_month", "new_item", "gift_message"}
)
_ANSWERS_YES_NO = frozenset({"text", "choice"})
_POSSESSION = re.compile(
    r"\b(?:do you (?:happen to |\w+ )?(?:have|know|remember|recall)|have you got|got|is "
    r"there|are there|any|handy|have you an?|in mind)\b"
)


class Checks:
    """Compares what an agent states with the facts, and says yes or no."""

    def __init__(
        self, memory: Memory, decisions: Decisions, telling: Telling, narrowing: Narrowing
    ) -> None:
        self._memory = memory
        self._decisions = decisions
        self._telling = telling
        self._narrowing = narrowing

    def check(self, answer: Answer, part: Part, previous: str, is_refusal: bool) -> None:
        """Answer a yes/no question.

        Args:
            answer: The answer under way.
            part: The question.
            previous: The agent's message before, lower case.
            is_refusal: The message says that something cannot be done.
        """
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
            self.confirm(answer, part, previous, is_refusal)
        elif options:
            self._telling.tell_all(answer, options)
        elif self.choice(answer, part, is_tag=is_tag):
            pass
        elif not self.values(answer, part, is_tag=is_tag):
            self._check_record(answer, part, previous, is_refusal, is_tag=is_tag)

    def choice(self, answer: Answer, part: Part, *, is_tag: bool) -> bool:
        """Say whether the option or thing that a question names is meant; `False`: none is."""
        memory, text = self._memory, part.sentence.text
        if p.WH_QUESTION.match(text):
            return False
        if re.search(r"\bor\b", text):
            named_options = [s for s in memory.goal_slots() if memory.names_option(s, text)]
            self._telling.tell_all(answer, named_options)
            return bool(named_options)
        named = {slot for group in part.groups for m in group for slot in m.slots}
        is_told = is_tag and not stated_types(part.sentence.raw)
        is_other = not is_told and any(memory.has(slot) for slot in named)
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
        return bool(wrong or right) or (not is_other and not is_tag and self._amount(answer, part))

    def _amount(self, answer: Answer, part: Part) -> bool:
        """Say whether a sum or a date in a question is the fact, where there is just one."""
        memory, raw = self._memory, part.sentence.raw
        types = stated_types(raw) & {"money", "date"}
        sums = [slot for slot in memory.goal_slots() if memory.kind(slot) in types]
        stems = [word[:6] for slot in sums for word in slot.split("_")]
        is_named = "money" in types or any(stem in part.sentence.text for stem in stems[:1])
        if len(sums) != 1 or not is_named:
            return False
        if memory.stated(sums[0], raw):
            self._decisions.agree(answer, *sums)
        else:
            self._decisions.correct(answer, sums)
        return True

    def values(self, answer: Answer, part: Part, *, is_tag: bool) -> bool:
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
            if not answer.told and len(slots) == 1 and len(part.groups[0]) > 1:
                lacked = memory.lacked(part.groups[0])
                answer.doubtful += lacked
                self._telling.tell_all(answer, lacked if answer.missing else [])
            return True
        goals = [slot for slot in stated if slot not in IDENTITY]
        if wrong and not POINTS_OUT.search(text):
            self._decisions.correct(answer, wrong)
        elif goals and re.search(r"\bor\b", text):
            self._telling.tell_all(answer, goals)
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
            self.confirm(answer, part, previous, is_refusal)
        elif not part.groups and (
            guess := self._narrowing.guess(
                text, part.sentence.raw, is_identity=False, is_sure=" or " not in text
            )
        ):
            self._telling.tell(answer, guess)

    def _check_slot(self, answer: Answer, part: Part, slot: str, said: str) -> None:
        memory = self._memory
        if not memory.has(slot):
            others = [s for s in memory.facts() if memory.stated(s, said)]
            if others and not re.search(r"\bor\b", part.sentence.text):
                self._decisions.agree(answer, *others)
            elif others:
                self._telling.tell_all(answer, others)
            elif memory.answers(slot) and _POSSESSION.search(part.sentence.text):
                self._telling.tell(answer, slot)
            elif memory.answers(slot) or any(
                m.words > 1 for g in part.groups for m in g if slot in m.slots
            ):
                answer.doubtful.append(slot)
            return
        is_speaker = any({*SPEAKERS} & {*m.slots} for group in part.groups for m in group)
        if slot == "full_name" and is_speaker and memory.has("relationship"):
            self._telling.tell(answer, "relationship")  # he is not the one he speaks for
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
            self._telling.tell(answer, slot)

    def confirm(self, answer: Answer, part: Part, previous: str, is_refusal: bool) -> None:
        """Answer a request for a yes, or for the result of a step."""
        if self._memory.has("step_result") and STEP_REPORT.search(part.context.lower()):
            self._telling.tell(answer, "step_result")
        else:
            self._decisions.confirm(answer, part, previous, is_refusal=is_refusal)
