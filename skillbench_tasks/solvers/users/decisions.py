"""A user's yes and no: to actions, to values that an agent states, and a change of mind."""

from __future__ import annotations

import re

from skillbench_tasks.models import Scenario
from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.answer import Answer
from skillbench_tasks.solvers.users.consent import action_score, asked_action
from skillbench_tasks.solvers.users.literals import stated_types
from skillbench_tasks.solvers.users.memory import IDENTITY, THINGS, Memory
from skillbench_tasks.solvers.users.phrasing import Voice, stopped
from skillbench_tasks.solvers.users.proposals import (
    NAMES_NOTHING,
    POINTS_OUT,
    after_but,
    is_bare,
    is_proposal,
)
from skillbench_tasks.solvers.users.understanding import Move, Part
from skillbench_tasks.solvers.users.values import Match

__all__ = ["Decisions"]

_CORRECTED_TYPES = frozenset(
    {"date", "time_window", "phone", "email", "address", "postcode", "id", "money", "name"}
)


_HANDOVER = re.compile(
    r"\b(?:transfer\w*|colleagues?|specialists?|escalat\w*|supervisor|team|operations)\b|"
    r"\b(?:hand|pass|connect|forward) (?:you|this|it|that)\b"
)
_SET_TO = re.compile(r"\bto \d{1,3}(?= |\?|$)(?! ?(?:am|pm|to|-))")
_OFFERED = re.compile(
    r"\b(?:(?:i|we) (?:can|could|might)|would you (?:like|want|prefer)|do you want|"
    r"is there (?:another|a different)|how about)\b.*\binstead\b"
)
# Which record is meant, not what is wished: other records may be named beside it.
_KINDS_OF_RECORD = frozenset({"card_kind", "card_reason", "device_kind", "service_line"})


class Decisions:
    """Says yes or no as a scenario wants it."""

    def __init__(self, scenario: Scenario, memory: Memory, voice: Voice) -> None:
        self._scenario = scenario
        self._memory = memory
        self._voice = voice
        self._mind = scenario.mind_change

    def confirm(self, answer: Answer, part: Part, previous: str, *, is_refusal: bool) -> None:
        """Answer a request for a yes.

        Args:
            answer: The answer under way.
            part: The request.
            previous: The agent's message before, lower case.
            is_refusal: The message says that something cannot be done.
        """
        clause = part.sentence
        name = ""
        subject = " ".join(part.context.lower().splitlines()[-2:])
        is_about_check = p.SUBJECT_VERIFICATION.search(
            subject if NAMES_NOTHING.fullmatch(clause.text) else clause.text
        )
        if not is_about_check:
            name = self.named(part, previous, wide=is_bare(clause.text))
        if self._mind is not None and name == self._mind.at:
            self._change_mind(answer)
            return
        if name and not self._scenario.answers.get(name, True):
            self._refuse(answer, name)
            answer.is_declined = True
            return
        said = part.context if is_bare(clause.text) else clause.raw
        stated = [slot for slot in self._memory.facts() if self._memory.stated(slot, said)]
        points_out = POINTS_OUT.search(clause.text)
        is_handover = bool(_HANDOVER.search(clause.text))
        wrong = [] if is_handover or not is_proposal(said.lower()) else self.wrong(said, stated)
        wrong += [] if is_handover or wrong else self._other_options(part)
        if wrong and not points_out and not is_about_check:
            self.correct(answer, wrong)
            return
        if is_refusal and not self._accepts(name, clause.text, stated):
            self._refuse(answer, name)
            answer.is_declined = True
            return
        answer.agrees |= not (points_out or is_about_check)
        if f"confirm:{name}" not in answer.acts:
            answer.lines.append(stopped(self._voice.line("right" if points_out else "yes")))
        answer.add(f"confirm:{name}")

    def decide(self, answer: Answer, name: str) -> None:
        """Say yes or no to a decision of the scenario."""
        if not self._scenario.answers[name]:
            self._refuse(answer, name)
            answer.is_declined = True
            return
        answer.agrees = True
        answer.lines.append(stopped(self._voice.line("yes")))
        answer.add(f"confirm:{name}")

    def decided(self, text: str) -> str:
        """Return the decision of the scenario that a yes/no question is about, or ""."""
        return asked_action(self._scenario.answers, text)

    def declined(self, text: str) -> str:
        """Return the decision that a text names in all of its words and the user is against."""
        if re.search(r"\bor\b", text):
            return ""
        no = [name for name, is_yes in self._scenario.answers.items() if not is_yes]
        needed = 0.5 if _OFFERED.search(text) else 1.0
        return next((name for name in no if action_score(name, text) >= needed), "")

    def agree(self, answer: Answer, *slots: str) -> None:
        """Say that values are right."""
        if not any(act.startswith("confirm:") for act in answer.acts):
            answer.lines.append(stopped(self._voice.line("right")))
        answer.add(*(f"confirm:{slot}" for slot in slots))

    def correct(self, answer: Answer, slots: list[str]) -> None:
        """Say that values are wrong, and what they are."""
        slots = [slot for slot in slots if f"correct:{slot}" not in answer.acts]
        if slots:
            answer.lines.append(stopped(self._voice.line("wrong")))
        for slot in slots:
            words = (
                self._memory.words(slot) if self._memory.is_told(slot) else self._memory.give(slot)
            )
            answer.told.append((slot, words))
            answer.add(f"correct:{slot}")

    def wrong(self, said: str, stated: list[str]) -> list[str]:
        """Return goal slots of which a text states another value of the same type."""
        types = stated_types(said) & _CORRECTED_TYPES
        right = {self._memory.kind(slot) for slot in stated}
        wanted = [
            slot
            for slot in self._memory.goal_slots()
            if slot.startswith(("new_", "first_")) or self._memory.kind(slot) == "time_window"
        ]
        wrong = [s for s in wanted if self._memory.kind(s) in types - right]
        kinds = [self._memory.kind(slot) for slot in wrong]
        return [slot for slot in wrong if kinds.count(self._memory.kind(slot)) == 1]

    def _other_options(self, part: Part) -> list[str]:
        """Return the choices of which a request for a yes, with what leads to it, names another."""
        memory, whole = self._memory, part.context.lower()
        said = " ".join(whole.splitlines()[-2:])
        goals = [slot for slot in memory.goal_slots() if slot not in _KINDS_OF_RECORD]
        things = [slot for slot in goals if slot in THINGS]
        if any(memory.match(slot, whole) is Match.AGREES for slot in things):
            goals = [slot for slot in goals if slot not in things]
        wrong = [slot for slot in goals if memory.match(slot, said) is Match.CONTRADICTS]
        is_set = "new_quantity" in goals and _SET_TO.search(part.sentence.text)
        if is_set and not memory.stated("new_quantity", whole):
            wrong.append("new_quantity")
        return wrong

    def named(self, part: Part, previous: str, *, wide: bool) -> str:
        """Return which action a request for a yes means, or ""; `wide`: by what was said before."""
        names = set(self._scenario.answers)
        if self._mind is not None:
            names.add(self._mind.at)
        texts = [part.sentence.text]
        if wide or (part.move is Move.CONFIRM and p.ANAPHORA.search(part.sentence.text)):
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
        if not name and self._mind is not None and (wide or part.move is Move.CONFIRM):
            is_stated = any(self._memory.stated(s, part.context) for s in self._mind.changes)
            return self._mind.at if is_stated else ""
        return name

    def is_pending(self, name: str, text: str) -> bool:
        """Return whether the user has something else than a yes to say to a named action."""
        is_refused = not self._scenario.answers.get(name, True)
        is_mind = self._mind is not None and self._mind.at == name
        return is_refused or (is_mind and action_score(name, text) >= 1.0)

    def _states_new(self, text: str) -> bool:
        wanted = [slot for slot in self._memory.goal_slots() if slot.startswith("new_")]
        return any(self._memory.stated(slot, text) for slot in wanted)

    def _accepts(self, name: str, text: str, stated: list[str]) -> bool:
        """Whether the user takes an alternative to what was refused."""
        if name in self._scenario.answers:
            return self._scenario.answers[name]
        if action_score("transfer", text) > 0:
            return True
        is_new = any(slot not in IDENTITY and slot.startswith("new_") for slot in stated)
        goals = self._memory.goal_slots()
        return is_new or any(s not in THINGS and self._memory.stated(s, text) for s in goals)

    def _refuse(self, answer: Answer, name: str) -> None:
        answer.lines.append(stopped(self._voice.line("no")))
        answer.add(f"refuse:{name}")

    def _change_mind(self, answer: Answer) -> None:
        assert self._mind is not None
        answer.lines.append(stopped(self._voice.line("change")))
        answer.add(f"refuse:{self._mind.at}")
        for slot, value in self._mind.changes.items():
            answer.told.append((slot, self._memory.change(slot, value)))
            answer.add(f"change:{slot}")
        self._mind = None
