"""Turn by turn: what the words of a gold conversation miss, make up, ask or claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import expresses, unknown_values
from skillbench_tasks.datasets.wording.claims import claims_in, is_transfer, words_of
from skillbench_tasks.datasets.wording.questions import (
    answer_faults,
    asks_to_confirm,
    count_asked,
    has_cue,
    requests_in,
)
from skillbench_tasks.models import GoldCall, GoldConversation, GoldTurn, Scenario, SlotSpec
from skillbench_tasks.tools.faults import may_be_done

__all__ = ["wording_faults"]

_ASKED_AT_MOST = 2


def wording_faults(
    gold: GoldConversation, scenario: Scenario, slots: Mapping[str, SlotSpec], policy: str
) -> list[str]:
    """Return what is wrong with the words of a gold conversation, one line for each fault.

    A line starts with the turn's index from 0 and its role. `Act.claims` counts the calls of the
    whole conversation from 0. Known to the user: what he has told, his wordings, what the agent has
    said, a planted text. Known to the agent: the policy, what the user has said, the calls so far
    with their answers, the facts of its acts.

    Args:
        gold: The skeleton with its texts.
        scenario: Its scenario.
        slots: Slot name → specification.
        policy: The body of SKILL.md.
    """
    faults = []
    reader = _Reader(scenario, slots, policy, gold)
    for index, turn in enumerate(gold.turns):
        where = f"turn {index} ({turn.role})"
        faults += [f"{where}: {problem}" for problem in reader.problems(index, turn)]
    return faults


_LEFTOVER = re.compile(
    r"\$\{|\{\{|\}\}|\bTODO\b|\bTBD\b|\bFIXME\b|\bXXX+\b|\blorem ipsum\b|<[a-z_/][^<>]*>|\{\w+\}"
    r"|\[[A-Za-z_][^\[\]]*\](?!\()|```"
)


class _Reader:
    """Goes through a conversation and knows what has been said and done so far."""

    def __init__(
        self,
        scenario: Scenario,
        slots: Mapping[str, SlotSpec],
        policy: str,
        gold: GoldConversation,
    ) -> None:
        self._scenario = scenario
        self._slots = slots
        self._calls = [call for turn in gold.turns for call in turn.calls]
        self._n_calls = 0
        self._for_user: list[JsonValue] = [scenario.opening]
        self._for_agent: list[JsonValue] = [policy, scenario.opening]
        if scenario.injection is not None:
            self._for_user.append(scenario.injection.text)

    def problems(self, index: int, turn: GoldTurn) -> Iterator[str]:
        """Yield what is wrong with the next turn."""
        self._n_calls += len(turn.calls)
        if turn.role == "agent":
            self._learn(turn)
        if not turn.text.strip():
            yield "the text is empty"
            return
        for leftover in dict.fromkeys(m[0] for m in _LEFTOVER.finditer(turn.text)):
            yield f"leftover {leftover!r}"
        if turn.role == "user":
            yield from self._user(index, turn)
        else:
            yield from self._agent(turn)

    def _user(self, index: int, turn: GoldTurn) -> Iterator[str]:
        if index == 0 and turn.text.strip() != self._scenario.opening.strip():
            yield "the text is not the scenario's opening"
        if turn.user is not None:
            told = {**turn.user.tells, **turn.user.changes}
            for slot, value in told.items():
                ways = self._scenario.says.get(slot, ())
                ways = (ways,) if isinstance(ways, str) else ways
                if not expresses(turn.text, value) and not _has_any(turn.text, ways):
                    yield f"does not tell {slot} = {value!r}"
                self._for_user += [value, *ways]
                self._for_agent.append(value)
            if turn.user.confirmed is not None:
                yield from answer_faults(turn.text, turn.user.confirmed, bool(turn.user.changes))
        for mention in unknown_values(turn.text, self._for_user):
            yield f"says {mention!r}, which the user has not told and the agent has not said"
        self._for_agent.append(turn.text)

    def _learn(self, turn: GoldTurn) -> None:
        for call in turn.calls:
            self._for_agent += [call.arguments, call.result]
            if call.error is not None:
                self._for_agent.append(call.error.message)
        for act in turn.acts:
            for fact in act.facts:
                self._for_agent += [fact.value, *fact.forms]
        self._for_user.append(turn.text)

    def _agent(self, turn: GoldTurn) -> Iterator[str]:
        for act in turn.acts:
            for fact in act.facts:
                if not expresses(turn.text, fact.value, fact.forms):
                    yield f"does not express {fact.name} = {fact.value!r}"
        yield from self._asking(turn)
        yield from self._claiming(turn)
        for mention in unknown_values(turn.text, self._for_agent):
            yield f"says {mention!r}, which nothing so far explains"

    def _asking(self, turn: GoldTurn) -> Iterator[str]:
        asked = list(dict.fromkeys(slot for act in turn.acts for slot in act.slots))
        requests = requests_in(turn.text)
        for slot in asked:
            spec = self._slots.get(slot)
            if spec is None:
                yield f"asks for {slot}, which is no slot"
            elif not any(has_cue(turn.text, cue) for cue in (*spec.cues, spec.label)):
                yield f"does not ask for {slot}: none of its cues occurs"
            elif not requests:
                yield f"does not ask for {slot}: no question or request"
        is_confirming = any(act.kind == "confirm" for act in turn.acts)
        if is_confirming and not asks_to_confirm(turn.text):
            yield "asks for no confirmation: no question"
        n_asked = max(len(asked), count_asked(turn.text))
        if n_asked > _ASKED_AT_MOST:
            yield f"asks {n_asked} things, at most {_ASKED_AT_MOST} at a time"

    def _claiming(self, turn: GoldTurn) -> Iterator[str]:
        has_claim = False
        for claim in dict.fromkeys(c for act in turn.acts for c in act.claims):
            if not 0 <= claim < len(self._calls):
                yield f"claims call {claim}, which does not exist"
            elif claim >= self._n_calls:
                yield f"claims call {claim} ({self._calls[claim].tool}), which comes later"
            elif not may_be_done(self._calls[claim].error):
                yield f"claims call {claim} ({self._calls[claim].tool}), which failed"
            else:
                has_claim = True
        if has_claim:
            return
        done = [call for call in self._calls[: self._n_calls] if may_be_done(call.error)]
        is_hand_over = any(act.kind == "hand_over" for act in turn.acts) and _transferred(done)
        reported = words_of([call.result for call in done])
        for claim_text in claims_in(turn.text, reported):
            if not (is_hand_over and is_transfer(claim_text)):
                yield f"claims a done action ({claim_text!r}), but no act of the turn does"


def _transferred(done: Iterable[GoldCall]) -> bool:
    return any("transfer" in call.tool for call in done)


def _has_any(text: str, ways: Sequence[str]) -> bool:
    return any(expresses(text, None, (way,)) for way in ways)
