"""Whether a call stands for the gold call that is due, and what it is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from pydantic import JsonValue

from skillbench_tasks.models import CallError, Model
from skillbench_tasks.models.conversation import CalledTool, Conversation
from skillbench_tasks.models.replay_record import CallStatus, Match
from skillbench_tasks.tools.arguments import ArgumentChecker
from skillbench_tasks.tools.call_forms import CallForms
from skillbench_tasks.tools.prediction import PredictedCall

__all__ = ["Matcher", "Open", "StrictMatcher", "Verdict", "obstacle"]

_NOT_ACCEPTED: Final = CallError(
    code="not_accepted",
    message="This call is not accepted at this point. Nothing was done. Check the function and its "
    "arguments against the policy and the conversation.",
    retryable=False,
)
"""What a model is told of a call that does not match: nothing of what would."""


class Open(Model):
    """A gold call that is still to come in this block.

    `is_next`: it may be made now; else calls that stand before it have to be made first.
    """

    step: CalledTool
    is_next: bool


class Verdict(Model):
    """What becomes of a call: its status, what the model is answered, and the reason for us.

    `settles` is the gold call that it stands for, `other_wording` the one that it would be but for
    the words of free texts: places among those that were open.
    """

    status: CallStatus
    result: JsonValue = None
    error: CallError | None = None
    reason: str = ""
    settles: int | None = None
    other_wording: int | None = None

    @classmethod
    def rejected(cls, reason: str, error: CallError = _NOT_ACCEPTED) -> Verdict:
        """Return a rejection; the model is told `error`, not the reason."""
        return cls(status=CallStatus.REJECTED, error=error, reason=reason)


class Matcher(Protocol):
    """How calls are matched with those of a gold conversation."""

    @property
    def match(self) -> Match:
        """What a call must be."""

    def consider(self, call: PredictedCall, open_calls: Sequence[Open]) -> Verdict:
        """Return what becomes of a call.

        Args:
            call: The call.
            open_calls: The gold calls to come before the user speaks; none where a text is due.
        """

    def is_done(self, due: CalledTool) -> bool:
        """Return whether a gold call that becomes due was made before, among the extra reads."""


class StrictMatcher:
    """Takes the gold call alone, in normal form, and answers what is recorded.

    Args:
        conversation: The gold conversation.
    """

    match: Final = Match.STRICT

    def __init__(self, conversation: Conversation) -> None:
        self._forms = CallForms.of(conversation.tools)
        self._any_wording = self._forms.with_any_wording()
        self._checkers = checkers_of(conversation)

    def consider(self, call: PredictedCall, open_calls: Sequence[Open]) -> Verdict:
        """Return what becomes of a call."""
        steps = {at: one.step for at, one in enumerate(open_calls) if one.is_next}
        for at, step in steps.items():
            if self._forms.same(call, step):
                return Verdict(
                    status=CallStatus.MATCHED, result=step.result, error=step.error, settles=at
                )
        refusal = obstacle(call, self._checkers)
        if refusal is not None:
            return Verdict.rejected(refusal.message, refusal)
        if not steps:
            return Verdict.rejected("no call is due")
        if call.tool not in {step.tool for step in steps.values()}:
            named = " or ".join(dict.fromkeys(step.tool for step in steps.values()))
            return Verdict.rejected(f"{named} is due")
        like = (at for at, step in steps.items() if self._any_wording.same(call, step))
        if (wording := next(like, None)) is None:
            return Verdict.rejected("the arguments differ")
        found = Verdict.rejected("the arguments differ in the words of free texts")
        return found.model_copy(update={"other_wording": wording})

    def is_done(self, due: CalledTool) -> bool:
        """Return `False`: there are no extra reads."""
        return False


def checkers_of(conversation: Conversation) -> Mapping[str, ArgumentChecker]:
    """Return the checkers of arguments of a conversation's tools, by function name."""
    return {tool.name: ArgumentChecker(tool.input_schema) for tool in conversation.tools}


def obstacle(call: PredictedCall, checkers: Mapping[str, ArgumentChecker]) -> CallError | None:
    """Return why a call cannot be carried out whatever is due, as a tool would say it."""
    if call.tool not in checkers:
        message = f"There is no tool {call.tool}."
        return CallError(code="unknown_tool", message=message, retryable=False)
    if call.arguments is None:
        return call.refusal
    checker = checkers[call.tool]
    problems = checker.problems(checker.normalise(call.arguments))
    if problems:
        message = "; ".join(problems)
        return CallError(code="invalid_arguments", message=message, retryable=False)
    return None
