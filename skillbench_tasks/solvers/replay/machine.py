"""The rules of the closed loop, one output of the model at a time; pure.

A gold conversation falls into blocks: the user says something, then the assistant decides a number
of times. In each block:

1. Calls are compared with the gold call that is due, the first that is not settled. A match gets
   its result and settles it; texts that stand before it and were not said are passed over.
2. Any other call is rejected by an error. An output with a rejected call is a try at what is due:
   the next gold call or, behind the last, the text; each further rejected call of the due function
   is one more, so that nobody guesses by making many calls at once. After `retries` further tries
   it is given up, and the next decision is due.
3. A text without a call settles the next gold text (with those that follow it directly). Gold calls
   that are due before it are missed. If calls stand behind it in the block, the model goes on; else
   the gold user speaks.
4. A text beside calls settles a gold text that is due before a call, and is otherwise only said.
5. An output with neither text nor call misses the next gold text too.
"""

from __future__ import annotations

from collections import Counter
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
from skillbench_tasks.solvers.replay.matching import Matcher
from skillbench_tasks.tools.prediction import PredictedCall, Prediction
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = ["RETRIES", "CallAnswer", "Replay", "Reply"]

RETRIES: Final = 2
"""Tries that a rejected call leaves (source: protocol B)."""


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
        self._tries: Counter[int] = Counter()
        self.opening: Final = self._next_blocks()
        """What the user says first; nothing where the assistant begins."""

    @property
    def due(self) -> Due | None:
        """The decision that the gold conversation makes here; `None`: the replay is over."""
        return self._pending[0] if self._pending else None

    @property
    def tries(self) -> int:
        """How often what is due was tried before."""
        return self._tries[self._blamed().number] if self._pending else 0

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
            decisions=tuple(self._outcome(due) for due in self._decisions),
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
            self._settle(Outcome.MISSED)
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
        is_due = not self._pending[0].is_call and self._due_call() is not None
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
        due = self._due_call()
        step = due.step if due is not None else None
        assert step is None or isinstance(step, CalledTool)
        verdict = self._matcher.consider(call, step)
        event = ReplayedCall(
            tool=call.tool,
            arguments=call.arguments,
            decision=due.number if due is not None else None,
            **dict(verdict),
        )
        self.events.append(event)
        if verdict.status in (CallStatus.MATCHED, CallStatus.EQUIVALENT):
            while self._pending[0] is not due:
                self._settle(Outcome.PASSED_OVER)
            self._settle(self._reached())
            self._pass_made_calls()
        elif verdict.status is CallStatus.REJECTED and self._pending:
            number = self._blamed().number
            is_guess = step is not None and call.tool == step.tool
            before = guesses.get(number)
            guesses[number] = (before or 0) + is_guess
            self._tries[number] += before is None or (is_guess and before > 0)
            if is_guess:
                self._give_up()
        return CallAnswer(result=verdict.result, error=verdict.error)

    def _give_up(self) -> None:
        """Settle what is due as rejected where no try is left."""
        if self._pending and self._tries[self._blamed().number] > self._retries:
            while self._pending[0] is not self._blamed():
                self._settle(Outcome.PASSED_OVER)
            self._settle(Outcome.REJECTED)
            self._pass_made_calls()

    def _due_call(self) -> Due | None:
        return next((due for due in self._pending if due.is_call), None)

    def _blamed(self) -> Due:
        """Return the decision at which a rejected call is a try."""
        return self._due_call() or self._pending[0]

    def _pass_made_calls(self) -> None:
        """Settle gold calls that were made before they became due."""
        while self._pending:
            step = self._pending[0].step
            if not isinstance(step, CalledTool) or not self._matcher.is_done(step):
                return
            self._settle(self._reached())

    def _reached(self) -> Outcome:
        return Outcome.CORRECTED if self._tries[self._pending[0].number] else Outcome.DONE

    def _settle(self, outcome: Outcome) -> None:
        self._outcomes[self._pending.pop(0).number] = outcome

    def _outcome(self, due: Due) -> DecisionOutcome:
        return DecisionOutcome(
            number=due.number,
            action="tool" if due.is_call else "text",
            outcome=self._outcomes.get(due.number, Outcome.NOT_REACHED),
            rejections=self._tries[due.number],
        )
