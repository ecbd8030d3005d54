"""The rules of the closed loop, one output of the model at a time; pure.

A gold conversation falls into blocks: the user says something, then the assistant decides a number
of times. In each block:

1. Calls are compared with the gold calls that may be made now: the first that is not settled, those
   of its decision set, and what follows where all before it is optional. A match gets its result
   and settles it; texts that stand before it and were not said are passed over, optional calls left
   out. Neither is an error.
2. Any other call is rejected by an error. An output with a rejected call is a try at what is due:
   the next gold call of that function or, failing that, the next that is not optional or, behind
   the last, the text; each further rejected call of the due function is one more, so that nobody
   guesses by making many calls at once. After `retries` further tries it is given up, and the next
   decision is due.
3. A text without a call settles the next gold text (with those that follow it directly). Gold calls
   that are due before it are missed, or left out where they are optional. If calls stand behind it
   in the block, the model goes on; else the gold user speaks.
4. A text beside calls settles a gold text that is due before a call, and is otherwise only said.
5. An output with neither text nor call misses the next gold text too.

The calls of a decision set are settled one by one, in any order; the decision fails where one does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.models import CallError, Model
from skillbench_tasks.models.conversation import CalledTool, Conversation
from skillbench_tasks.models.replay_record import (
    CallStatus,
    DecisionOutcome,
    Outcome,
    ReplayedCall,
    ReplayedText,
    ReplayEvent,
    ReplayRecord,
)
from skillbench_tasks.solvers.replay.blocks import Due, blocks_of
from skillbench_tasks.solvers.replay.matching import Matcher, Open
from skillbench_tasks.tools.prediction import PredictedCall, Prediction
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = ["RETRIES", "CallAnswer", "Replay", "Reply"]

RETRIES: Final = 2
"""Tries that a rejected call leaves (source: protocol B)."""

_WORST_FIRST: Final = (
    Outcome.REJECTED,
    Outcome.MISSED,
    Outcome.NOT_REACHED,
    Outcome.CORRECTED,
    Outcome.DONE,
    Outcome.PASSED_OVER,
    Outcome.LEFT_OUT,
)
_STANDING: Final = (Outcome.REJECTED, Outcome.MISSED, Outcome.NOT_REACHED)


class CallAnswer(Model):
    """What a call is answered: a result, or an error."""

    result: JsonValue = None
    error: CallError | None = None


class Reply(Model):
    """What comes back: one answer for each call, then what the user says.

    `goes_on` tells that the assistant is asked again after a text without the user speaking.
    """

    answers: tuple[CallAnswer, ...] = ()
    said: tuple[str, ...] = ()
    goes_on: bool = False


class Replay:
    """One closed-loop replay.

    Args:
        conversation: The gold conversation.
        matcher: How calls are matched; it belongs to this replay.
        retries: Tries after a rejected one.
    """

    def __init__(
        self, conversation: Conversation, matcher: Matcher, retries: int = RETRIES
    ) -> None:
        self._matcher, self._retries = matcher, retries
        self._blocks = list(blocks_of(conversation))
        self._decisions = [due for block in self._blocks for due in block.decisions]
        self._pending: list[Due] = []
        self.events: Final[list[ReplayEvent]] = []
        """What has happened, in order."""
        self._outcomes: dict[int, Outcome] = {}
        self._other_wording: set[int] = set()
        self._tries: Counter[int] = Counter()
        self.opening: Final = self._next_blocks()
        """What the user says first; nothing where the assistant begins."""

    @property
    def due(self) -> Due | None:
        """The decision that the gold conversation makes here; `None`: the replay is over."""
        return self._pending[0] if self._pending else None

    @property
    def beside(self) -> tuple[CalledTool, ...]:
        """The further calls of the decision set that is due."""
        return tuple(
            one.call
            for one in self._pending[1:]
            if one.number == self._pending[0].number and one.is_call
        )

    @property
    def tries(self) -> int:
        """How often what is due was tried before."""
        target = next((due for due in self._pending if due.is_call), self.due)
        return self._tries[target.place] if target is not None else 0

    def take(self, prediction: Prediction) -> Reply:
        """Take the model's next output and return what comes back.

        Args:
            prediction: The output as it is read.
        """
        goes_on = False
        answers: tuple[CallAnswer, ...] = ()
        if prediction.calls:
            self._say_beside(prediction.text)
            answers = self._call_all(prediction.calls)
        else:
            self._end_turn(prediction.text)
            goes_on = bool(self._pending)
        said = () if self._pending else self._next_blocks()
        return Reply(answers=answers, said=said, goes_on=goes_on)

    def record(self) -> ReplayRecord:
        """Return what has happened so far."""
        return ReplayRecord(
            match=self._matcher.match,
            retries=self._retries,
            events=tuple(self.events),
            decisions=tuple(
                self._outcome(tuple(parts))
                for _, parts in groupby(self._decisions, key=lambda due: due.number)
            ),
            versions={"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
        )

    def _next_blocks(self) -> tuple[str, ...]:
        """Return what the user says next: of several blocks where all calls of one were made."""
        said: list[str] = []
        while self._blocks and not self._pending:
            block = self._blocks.pop(0)
            self._pending = list(block.decisions)
            self.events.extend(ReplayedText(role="user", text=text) for text in block.said)
            said += block.said
            self._pass_made_calls()
        return tuple(said)

    def _end_turn(self, text: str) -> None:
        """Take an output without a call: it stands for the next text, or for none."""
        self._pass_made_calls()
        while self._pending and self._pending[0].is_call:
            is_optional = self._pending[0].is_optional
            self._settle(Outcome.LEFT_OUT if is_optional else Outcome.MISSED)
            self._pass_made_calls()
        decision = self._pending[0].number if self._pending else None
        if text:
            self.events.append(ReplayedText(role="assistant", text=text, decision=decision))
        while self._pending and not self._pending[0].is_call:
            self._settle(self._reached() if text else Outcome.MISSED)
        self._pass_made_calls()

    def _say_beside(self, text: str) -> None:
        """Take the text of an output that also calls: it may stand for a text before a call."""
        if not text:
            return
        is_due = not self._pending[0].is_call and any(due.is_call for due in self._pending)
        decision = self._pending[0].number if is_due else None
        self.events.append(ReplayedText(role="assistant", text=text, decision=decision))
        while is_due and not self._pending[0].is_call:
            self._settle(self._reached())

    def _call_all(self, calls: tuple[PredictedCall, ...]) -> tuple[CallAnswer, ...]:
        """Take the calls of an output."""
        guesses: dict[int, int] = {}
        answers = [self._call(call, guesses) for call in calls]
        self._give_up()
        return tuple(answers)

    def _call(self, call: PredictedCall, guesses: dict[int, int]) -> CallAnswer:
        """Take a call.

        Args:
            call: The call.
            guesses: Decisions at which a call of this output was rejected, and how many of these
                were of the function that was due.
        """
        dues = [due for due in self._pending if due.is_call]
        verdict = self._matcher.consider(call, _open(dues))
        blamed = self._blamed(call.tool) if self._pending else None
        settled = dues[verdict.settles] if verdict.settles is not None else None
        at = settled or (dues[0] if dues else None)
        if verdict.status is CallStatus.REJECTED and blamed is not None and blamed.is_call:
            at = blamed
        event = ReplayedCall(
            tool=call.tool,
            arguments=call.arguments,
            decision=at.number if at is not None else None,
            other_wording=verdict.other_wording is not None,
            status=verdict.status,
            reason=verdict.reason,
            result=verdict.result,
            error=verdict.error,
        )
        self.events.append(event)
        if verdict.other_wording is not None:
            self._other_wording.add(dues[verdict.other_wording].place)
        if settled is not None:
            is_next = _open(dues)[dues.index(settled)].is_next
            self._settle_at(settled, self._reached(settled), passes_over=is_next)
            self._pass_made_calls()
        elif verdict.status is CallStatus.REJECTED and blamed is not None:
            self._count_try(blamed, guesses, is_guess=blamed.is_call and _is_of(blamed, call))
        return CallAnswer(result=verdict.result, error=verdict.error)

    def _count_try(self, blamed: Due, guesses: dict[int, int], *, is_guess: bool) -> None:
        before = guesses.get(blamed.place)
        guesses[blamed.place] = (before or 0) + is_guess
        self._tries[blamed.place] += before is None or (is_guess and before > 0)
        if is_guess:
            self._give_up()

    def _give_up(self) -> None:
        """Settle what is due as rejected where no try is left."""
        for due in list(self._pending):
            if due in self._pending and self._tries[due.place] > self._retries:
                outcome = Outcome.LEFT_OUT if due.is_optional else Outcome.REJECTED
                self._settle_at(due, outcome, passes_over=True)
                self._pass_made_calls()

    def _blamed(self, tool: str) -> Due:
        """Return the decision at which a rejected call of a function is a try."""
        dues = [due for due in self._pending if due.is_call]
        due_now = [due for due, one in zip(dues, _open(dues), strict=True) if one.is_next]
        for due in due_now:
            if due.call.tool == tool:
                return due
        required = (due for due in self._pending if not due.is_optional)
        return next((due for due in due_now if not due.is_optional), None) or next(
            required, self._pending[0]
        )

    def _pass_made_calls(self) -> None:
        """Settle gold calls that were made before they became due."""
        while self._pending and self._pending[0].is_call:
            leading = list(takewhile(lambda due: due.is_call, self._pending))
            made = (
                due
                for due, one in zip(leading, _open(leading), strict=True)
                if one.is_next and self._matcher.is_done(due.call)
            )
            if (found := next(made, None)) is None:
                return
            self._settle_at(found, self._reached(found), passes_over=False)

    def _reached(self, due: Due | None = None) -> Outcome:
        place = (due or self._pending[0]).place
        return Outcome.CORRECTED if self._tries[place] else Outcome.DONE

    def _settle(self, outcome: Outcome) -> None:
        self._outcomes[self._pending.pop(0).place] = outcome

    def _settle_at(self, due: Due, outcome: Outcome, *, passes_over: bool) -> None:
        """Settle one that is pending, and with it texts and optional calls that stand before it."""
        for earlier in self._pending[: self._pending.index(due)] if passes_over else ():
            if not earlier.is_call:
                self._outcomes[earlier.place] = Outcome.PASSED_OVER
                self._pending.remove(earlier)
            elif earlier.is_optional and earlier.number != due.number:
                self._outcomes[earlier.place] = Outcome.LEFT_OUT
                self._pending.remove(earlier)
        self._pending.remove(due)
        self._outcomes[due.place] = outcome

    def _outcome(self, parts: tuple[Due, ...]) -> DecisionOutcome:
        """Return how a decision went: of a set, as the worst of its calls."""
        found = {one.place: self._outcomes.get(one.place, Outcome.NOT_REACHED) for one in parts}
        standing = [place for place, outcome in found.items() if outcome in _STANDING]
        return DecisionOutcome(
            number=parts[0].number,
            action="tool" if parts[0].is_call else "text",
            outcome=min(found.values(), key=_WORST_FIRST.index),
            rejections=sum(self._tries[one.place] for one in parts),
            calls=sum(one.is_call for one in parts),
            other_wording=bool(standing) and set(standing) <= self._other_wording,
            optional=all(one.is_optional for one in parts),
        )


def _open(dues: Sequence[Due]) -> list[Open]:
    """Return calls to come as a matcher sees them: what may be made now, and what may not yet."""
    required = next((due for due in dues if not due.is_optional), None)
    last = dues.index(required) if required is not None else len(dues)
    return [
        Open(
            step=due.call,
            is_next=at <= last or (required is not None and due.number == required.number),
        )
        for at, due in enumerate(dues)
    ]


def _is_of(due: Due, call: PredictedCall) -> bool:
    return due.call.tool == call.tool
