"""The state before each decision of a gold conversation: its calls are carried out again.

One pass gives all states of a conversation: a toolbox copy shares with its original every record
that neither of them writes.
"""

from __future__ import annotations

from functools import lru_cache

from skillbench_tasks.datasets.sources import Source
from skillbench_tasks.errors import DataError, ToolFailure
from skillbench_tasks.models import Case, GoldCall
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.workflow.values import equal_values

__all__ = ["state_before", "states_before"]


def states_before(case: Case, source: Source) -> tuple[Toolbox, ...]:
    """Return the toolbox before each decision of a case's gold conversation.

    Decisions are counted as in `Conversation.decisions`: the calls of an agent turn, then its text
    where it has one. A toolbox has the world, the ledger and the faults still to come of its
    moment; who calls its tools calls those of a copy.

    Args:
        case: The case.
        source: Where it comes from.

    Raises:
        DataError: A call does not answer as the gold conversation says.
    """
    toolbox = Toolbox(source.tools(case), source.world(case), case.scenario.faults)
    states: list[Toolbox] = []
    for turn in case.gold.turns:
        for call in turn.calls:
            states.append(toolbox.copy())
            _carry_out(case, call, toolbox)
        if turn.role == "agent" and turn.text:
            states.append(toolbox.copy())
    return tuple(states)


def state_before(case_id: str, number: int, source: Source) -> Toolbox:
    """Return the toolbox before one decision; the conversations asked for last are kept.

    Args:
        case_id: The case.
        number: The decision, counted from 0.
        source: Where the case comes from.

    Raises:
        DataError: There is no such case or decision, or the conversation replays otherwise.
    """
    states = _kept(case_id, source)
    if not 0 <= number < len(states):
        raise DataError(case_id, f"decision {number}", "no such decision", f"it has {len(states)}")
    return states[number]


@lru_cache(maxsize=64)
def _kept(case_id: str, source: Source) -> tuple[Toolbox, ...]:
    return states_before(source.case(case_id), source)


def _carry_out(case: Case, call: GoldCall, toolbox: Toolbox) -> None:
    try:
        result = toolbox.call(call.tool, call.arguments)
        is_same = call.error is None and equal_values(result, call.result)
    except ToolFailure as failure:
        is_same = call.error is not None and failure.code == call.error.code
    if not is_same:
        problem = f"the gold call of {call.tool} is answered otherwise when it is replayed"
        raise DataError(case.id, "gold", problem, "load the case and its source anew")
