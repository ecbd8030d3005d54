"""Telling what an agent asks for: the value, that the user lacks it, or his request."""

from __future__ import annotations

from collections.abc import Iterable

from skillbench_tasks.models import Scenario
from skillbench_tasks.solvers.users.answer import Answer
from skillbench_tasks.solvers.users.memory import Memory
from skillbench_tasks.solvers.users.narrowing import Narrowing
from skillbench_tasks.solvers.users.opening import own_words
from skillbench_tasks.solvers.users.phrasing import Voice

__all__ = ["OPEN_LIMIT", "Telling"]

# Without a fact, a question for these is one for the request itself.
_REQUEST_SLOTS = frozenset({"issue_description", "request_type"})
OPEN_LIMIT = 2
"""How many things the user tells at once where he is just asked what he wants."""


class Telling:
    """Puts what the user tells into an answer, each once."""

    def __init__(
        self, scenario: Scenario, memory: Memory, voice: Voice, narrowing: Narrowing
    ) -> None:
        self._scenario = scenario
        self._memory = memory
        self._voice = voice
        self._narrowing = narrowing

    def tell(self, answer: Answer, slot: str) -> None:
        """Tell a slot, or that the user does not have it."""
        if any(slot == told for told, _ in answer.told) or slot in answer.missing:
            return
        if self._memory.has(slot):
            answer.told.append((slot, self._memory.give(slot)))
            answer.add(f"inform:{slot}")
        elif slot in _REQUEST_SLOTS and slot not in self._scenario.unknown:
            self.open(answer, is_change=False)
        else:
            answer.missing.append(slot)
            answer.add(f"unable:{slot}")

    def tell_all(self, answer: Answer, slots: Iterable[str]) -> None:
        """Tell several slots."""
        for slot in slots:
            self.tell(answer, slot)

    def open(
        self, answer: Answer, *, is_change: bool, text: str = "", limit: int = OPEN_LIMIT
    ) -> None:
        """Tell what the user wants, or in the words of his opening where he has told it.

        Args:
            answer: The answer under way.
            is_change: The agent asks to what something shall be changed.
            text: The agent's question.
            limit: How many slots the user tells at the most.
        """
        memory = self._memory
        fitting = [
            slot
            for slot in memory.goal_slots()
            if not is_change
            or slot.startswith("new_")
            or memory.kind(slot) in ("date", "choice", "time_window")
        ]
        fresh = [slot for slot in fitting if not memory.is_told(slot)][:limit]
        self.tell_all(answer, fresh)
        if fresh:
            return
        guess = self._narrowing.guess(text, answer.message, is_identity=False) if text else None
        if guess is not None:
            self.tell(answer, guess)
            return
        told = [slot for slot in fitting if is_change and memory.is_told(slot)]
        for slot in told[:OPEN_LIMIT]:
            answer.told.append((slot, memory.words(slot)))
            answer.add(f"inform:{slot}")
        if not told and "inform:request" not in answer.acts:
            answer.lines.append(self._voice.line("restate", own_words(self._scenario)))
            answer.add("inform:request")
