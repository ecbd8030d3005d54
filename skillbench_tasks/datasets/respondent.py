"""The user of a scenario as the reference flow meets him: answers from the scenario's facts."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from skillbench_tasks.models import Scenario

__all__ = ["ScenarioRespondent"]


class ScenarioRespondent:
    """Answers the asks of a flow (protocol: `docs/workflow-language.md` §7).

    A fact that is a list holds successive answers: the opening or the first ask gives the first,
    each time it is asked for again the next; the last one repeats.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._facts: dict[str, list[JsonValue]] = {
            slot: value if isinstance(value, list) else [value]
            for slot, value in scenario.facts.items()
        }
        self._given: dict[str, int] = {}
        self._mind_changed = False
        for slot in scenario.tells:
            self._give(slot)

    def told(self, slot: str) -> bool:
        """Return whether the user has told the slot."""
        return slot in self._given

    def told_value(self, slot: str) -> JsonValue:
        """Return the value told last."""
        values = self._facts[slot]
        return values[min(self._given[slot], len(values) - 1)]

    def answer(
        self, slots: Sequence[str], confirm: str | None, again: bool
    ) -> dict[str, JsonValue]:
        """Answer an ask: values of slots (`None`: cannot say), or a decision."""
        if confirm is not None:
            return self._decide(confirm)
        return {slot: self._give(slot) for slot in slots}

    def _give(self, slot: str) -> JsonValue:
        if slot not in self._facts:
            return None
        self._given[slot] = self._given.get(slot, -1) + 1
        return self.told_value(slot)

    def _decide(self, confirm: str) -> dict[str, JsonValue]:
        change = self._scenario.mind_change
        if change and change.at == confirm and not self._mind_changed:
            self._mind_changed = True
            for slot, value in change.changes.items():
                self._facts[slot], self._given[slot] = [value], 0
            return {"confirmed": False, "changes": dict(change.changes)}
        return {"confirmed": self._scenario.answers.get(confirm, True), "changes": {}}
