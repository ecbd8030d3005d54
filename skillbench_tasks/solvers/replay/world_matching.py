"""Matching on the world: a call that does what the gold call does stands for it and is carried out.

Our step beyond the published protocol. Calls of the reference and their equivalents
(`skillbench_tasks.tools.equivalence`) change the world of the replay. Any other call that reads is
tried on a copy: it costs nothing, and a gold call that becomes due later counts as made when it was
among those reads and nothing has changed since. A read that the skill's rules do not allow yet
(before identity is proven, or before another tool) is rejected; what was answered before, to
whichever call, is what they go by. A write that the gold conversation makes later in the same turn
stands for that one where the two orders end alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.models import CallError
from skillbench_tasks.models.conversation import CalledTool, Conversation
from skillbench_tasks.models.replay_record import CallStatus, Match
from skillbench_tasks.models.skill import Rules
from skillbench_tasks.solvers.replay.matching import Open, Verdict, checkers_of, obstacle
from skillbench_tasks.tools.call_forms import CallForms
from skillbench_tasks.tools.equivalence import commutes, equivalent
from skillbench_tasks.tools.faults import holds
from skillbench_tasks.tools.prediction import PredictedCall
from skillbench_tasks.tools.toolbox import Toolbox

__all__ = ["EXTRA_READS", "WorldMatcher"]

EXTRA_READS: Final = 10
"""Extra reads that are carried out between two gold calls."""


class WorldMatcher:
    """Takes the gold call or an equivalent, and answers what the world answers.

    Args:
        conversation: The gold conversation.
        toolbox: Tools, world and faults at its start; the matcher owns it.
        rules: The rules of the skill.
    """

    match: Final = Match.EQUIVALENT

    def __init__(self, conversation: Conversation, toolbox: Toolbox, rules: Rules) -> None:
        self._forms = CallForms.of(conversation.tools)
        self._checkers = checkers_of(conversation)
        self._toolbox, self._rules = toolbox, rules
        self._names = {tool.spec.function_name: name for name, tool in toolbox.tools.items()}
        self._early: list[PredictedCall] = []
        self._answered: list[tuple[str, JsonValue]] = []
        self._reads = 0

    def consider(self, call: PredictedCall, open_calls: Sequence[Open]) -> Verdict:
        """Return what becomes of a call, and carry it out where it is taken."""
        steps = {at: one.step for at, one in enumerate(open_calls) if one.is_next}
        for at, step in steps.items():
            if self._forms.same(call, step):
                return self._carried_out(call, CallStatus.MATCHED, at)
        refusal = obstacle(call, self._checkers)
        if refusal is not None:
            return Verdict.rejected(refusal.message, refusal)
        why = "no call is due"
        for at, step in steps.items():
            found = equivalent(step, call, self._toolbox)
            if found.equivalent:
                return self._carried_out(call, CallStatus.EQUIVALENT, at)
            why = f"it does not do what {step.tool} does: {found.reason}"
        at_later = self._in_other_order(call, open_calls)
        if at_later is not None:
            return self._carried_out(call, CallStatus.EQUIVALENT, at_later)
        return self._tried(call, why)

    def _in_other_order(self, call: PredictedCall, open_calls: Sequence[Open]) -> int | None:
        """Return the later gold write that a call stands for where the order means nothing.

        It does where the calls between, made behind it, end in the same world with the same
        results, and the skill's rules allow the call now.
        """
        name = self._names[call.tool]
        if self._toolbox.tools[name].spec.access != "write" or self._too_early(name, call):
            return None
        for at, one in enumerate(open_calls):
            if not one.is_next and self._forms.same(call, one.step):
                before = [other.step for other in open_calls[:at]]
                return at if commutes(before, one.step, self._toolbox) else None
        return None

    def is_done(self, due: CalledTool) -> bool:
        """Return whether a gold call was made before it became due, and nothing changed since."""
        return any(self._forms.same(call, due) for call in self._early)

    def _carried_out(self, call: PredictedCall, status: CallStatus, settles: int) -> Verdict:
        self._reads = 0
        before = self._toolbox.world.copy()
        result, error = self._answer(self._toolbox, call)
        if self._toolbox.world.changes_since(before):
            self._early.clear()
        return Verdict(status=status, result=result, error=error, settles=settles)

    def _tried(self, call: PredictedCall, why: str) -> Verdict:
        """Answer a read that the reference does not make; nothing of it lasts."""
        name = self._names[call.tool]
        spec = self._toolbox.tools[name].spec
        if spec.access != "read" or not spec.is_declared:
            return Verdict.rejected(why)
        if (early := self._too_early(name, call)) is not None:
            return Verdict.rejected(early)
        if self._reads >= EXTRA_READS:
            return Verdict.rejected(f"{EXTRA_READS} extra reads were made")
        result, error = self._answer(self._toolbox.copy(), call)
        if error is not None:
            return Verdict.rejected(f"{why}; it reads, and fails", error)
        self._reads += 1
        self._early.append(call)
        return Verdict(status=CallStatus.EXTRA_READ, result=result, reason=why)

    def _too_early(self, name: str, call: PredictedCall) -> str | None:
        """Return which rule of the skill forbids a read at this point."""
        rule = self._rules.verification
        if rule and name in self._rules.after_verification and not self._is_verified(rule.field):
            return f"{name} comes after the identity check"
        done = {tool for tool, _result in self._answered}
        for order in self._rules.order:
            is_meant = order.then == name and holds(call.arguments or {}, order.where)
            if is_meant and order.first not in done:
                return f"{name} comes after {order.first}"
        return None

    def _is_verified(self, field: str) -> bool:
        rule = self._rules.verification
        return any(
            rule is not None
            and tool == rule.tool
            and isinstance(result, dict)
            and result.get(field) is True
            for tool, result in self._answered
        )

    def _answer(self, toolbox: Toolbox, call: PredictedCall) -> tuple[JsonValue, CallError | None]:
        name = self._names[call.tool]
        done = toolbox.attempt(name, call.arguments or {})
        if done.error is None:
            self._answered.append((name, done.result))
        return done.result, done.error
