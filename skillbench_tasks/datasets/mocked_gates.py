"""Nothing that only a mocked tool answers may decide a case: in a run a model answers otherwise.

The reference run goes by the tool's example. What it takes from there may be said and passed on,
but neither a fact that must be said nor a record of the target world may hold it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import shown
from skillbench_tasks.models import Checks, FieldKind, GoldCall, GoldConversation, Scenario
from skillbench_tasks.tools.toolbox import Tool
from skillbench_tasks.tools.workflow.schemas import check

__all__ = ["leaves", "only_mocked", "refuse_mocked_gates"]

_SHORTEST: Final = 3
"""Shorter values (a count, a country code) occur by chance."""


def refuse_mocked_gates(
    scenario: Scenario,
    gold: GoldConversation,
    checks: Checks,
    tools: Sequence[Tool],
    path: Path,
) -> None:
    """Refuse a case that only the example of a mocked tool could pass.

    Args:
        scenario: The scenario.
        gold: Its reference run.
        checks: Its checks.
        tools: The skill's toolkit.
        path: The scenario's file, for messages.

    Raises:
        DataError: A check holds a value that stands nowhere but in such an example, or an example
            does not fit its output schema.
    """
    specs = {tool.spec.full_name: tool.spec for tool in tools if not tool.spec.is_declared}
    if not specs:
        return
    calls = [call for turn in gold.turns for call in turn.calls]
    for call in calls:
        schema = specs[call.tool].output_schema if call.tool in specs else None
        problem = check(schema, call.result) if schema and call.error is None else None
        if problem is not None:
            where = f"the example of {call.tool}"
            raise DataError(shown(path), scenario.id, f"{where}: {problem}", "mend the example")
    mocked = only_mocked(scenario, calls, specs.keys())
    for place, value in _gates(checks):
        if any(_holds(value, one) for one in mocked):
            problem = f"{place} is checked, but only a mocked tool gives {_written(value)}"
            mend = "take it out of `must`, or declare the tool's behaviour"
            raise DataError(shown(path), scenario.id, problem, mend)


def only_mocked(scenario: Scenario, calls: Sequence[GoldCall], mocked: Collection[str]) -> set[str]:
    """Return the values that only the answers of mocked tools brought into a conversation.

    Args:
        scenario: Whose user knows some values himself.
        calls: The calls of the reference run.
        mocked: Full names of the tools that a model answers.
    """
    known = {text for value in scenario.facts.values() for text in leaves(value)}
    found: set[str] = set()
    for call in calls:
        known |= set(leaves(call.arguments)) - found
        answered = set(leaves(call.result))
        if call.tool in mocked:
            found |= answered - known
        else:
            known |= answered - found
    return found


def _gates(checks: Checks) -> Iterator[tuple[str, str]]:
    for fact in checks.must_say:
        yield from ((f"the fact {fact.name}", text) for text in leaves(fact.value))
    for change in checks.target:
        kinds = checks.collections[change.collection].fields
        before = set(leaves(change.before))
        for field, value in (change.after or {}).items():
            if kinds.get(field) in (FieldKind.TEXT, FieldKind.TIMESTAMP, FieldKind.IGNORED):
                continue
            place = f"{change.collection}.{change.key}.{field} of the target world"
            yield from ((place, text) for text in leaves(value) if text not in before)


def leaves(value: JsonValue) -> Iterator[str]:
    """Yield the values within a value, as they are written; yes and no are none."""
    if isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    elif not isinstance(value, bool | None):
        yield _written(value)


def _written(value: JsonValue) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _holds(text: str, mocked: str) -> bool:
    if len(mocked) < _SHORTEST:
        return False
    return re.search(rf"(?<!\w){re.escape(mocked)}(?!\w)", text) is not None
