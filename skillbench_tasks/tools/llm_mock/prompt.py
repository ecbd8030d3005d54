"""What a model is told that answers in a tool's stead: nothing that is gold, all data as JSON.

The first message is the same for all calls of an execution, so that a provider's prompt cache
serves them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.models import MockAnswer, Record, Scenario, ToolSpec
from skillbench_tasks.tools import catalogue
from skillbench_tasks.tools.faults import LOST_REPLY
from skillbench_tasks.tools.toolbox import LedgerEntry, Toolbox
from skillbench_tasks.tools.world import World

__all__ = ["RECORDS_CHARACTERS_MAX", "Situation", "call_prompt", "history_of", "situation_prompt"]

RECORDS_CHARACTERS_MAX: Final = 16_000
"""Bound of the records in a prompt; what goes beyond is left out, and the prompt says so."""

_SUBJECT: Final = "customer_id"


@dataclass(frozen=True)
class Situation:
    """What a backend may know of a scenario: no goal, no criteria, no outcome, no reference run."""

    case: str
    company: str
    title: str
    customer: str | None
    facts: Mapping[str, JsonValue]

    @classmethod
    def of(cls, scenario: Scenario, company: str) -> Situation:
        """Take from a scenario what a backend may know."""
        facts = dict(scenario.facts)
        return cls(scenario.id, company, scenario.title, scenario.customer, facts)


def situation_prompt(situation: Situation, start: World) -> str:
    """Return the first message: how to answer, the situation, the records at the start."""
    return _template("mock.md").format(
        now=start.now,
        company=_json(situation.company),
        title=_json(situation.title),
        facts=_json(dict(situation.facts)),
        records=_bounded(_relevant(start, situation.customer)),
    )


def call_prompt(
    tool: ToolSpec,
    arguments: Mapping[str, JsonValue],
    toolbox: Toolbox,
    history: Sequence[JsonValue],
    said: Sequence[JsonValue] = (),
) -> str:
    """Return the second message: the tool, what has happened so far, the call.

    Args:
        tool: The tool.
        arguments: Its arguments in normal form.
        toolbox: The execution's toolbox.
        history: The calls so far, as `history_of` gives them.
        said: The conversation so far, `{"customer": text}` or `{"agent": text}` each.
    """
    changes: list[JsonValue] = [
        change.model_dump(mode="json") for change in toolbox.world.changes_since(toolbox.start)
    ]
    defined: dict[str, JsonValue] = {
        "name": tool.full_name,
        "description": tool.description,
        "access": tool.access,
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
    }
    return _template("mock_call.md").format(
        tool=_json(defined),
        changes=_bounded(changes),
        named=_bounded(_named(toolbox.world, arguments)),
        history="\n".join(_json(entry) for entry in history) or "none",
        said=_bounded(said),
        call=_json({"tool": tool.full_name, "arguments": dict(arguments)}),
    )


def history_of(ledger: Sequence[LedgerEntry], answers: Mapping[int, MockAnswer]) -> list[JsonValue]:
    """Return the calls so far with what they were answered.

    Args:
        ledger: The calls.
        answers: Place in the ledger → what the mock answered there.
    """
    return [_told(entry, answers.get(index)) for index, entry in enumerate(ledger)]


def _told(entry: LedgerEntry, answer: MockAnswer | None) -> JsonValue:
    told: dict[str, JsonValue] = {"tool": entry.tool, "arguments": dict(entry.arguments)}
    if entry.error is None:
        return {**told, "result": entry.result}
    if entry.error.code in LOST_REPLY:
        done = {"result": answer.result} if answer is not None and answer.error is None else {}
        return {**told, **done, "note": "carried out; the reply was lost on its way to the agent"}
    return {**told, "error": entry.error.model_dump(mode="json")}


def _relevant(world: World, customer: str | None) -> Iterator[JsonValue]:
    """Yield the customer's records, then all of one's own collections but other customers'."""
    own = [name for name in world.specs if name not in catalogue.collections()]
    for name in world.specs:
        yield from (
            _shown(name, record) for record in world.records(name) if _is_of(record, customer)
        )
    for name in own:
        for record in world.records(name):
            if _SUBJECT not in record:
                yield _shown(name, record)


def _is_of(record: Record, customer: str | None) -> bool:
    return customer is not None and record.get(_SUBJECT) == customer


def _named(world: World, arguments: Mapping[str, JsonValue]) -> Iterator[JsonValue]:
    """Yield the records whose key stands in the arguments, as they are now."""
    keys = dict.fromkeys(_texts(dict(arguments)))
    for name in world.specs:
        for key in keys:
            record = world.get(name, key)
            if record is not None:
                yield _shown(name, record)


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str):
        yield value


def _shown(collection: str, record: Record) -> JsonValue:
    return {"collection": collection, "record": record}


def _bounded(records: Iterator[JsonValue] | Sequence[JsonValue]) -> str:
    lines: list[str] = []
    left, omitted = RECORDS_CHARACTERS_MAX, 0
    for record in records:
        line = _json(record)
        left -= len(line)
        if left < 0:
            omitted += 1
        else:
            lines.append(line)
    if omitted:
        lines.append(f"(and {omitted} more)")
    return "\n".join(lines) or "none"


def _json(value: JsonValue) -> str:
    """Return JSON in which no tag can stand, so that data never end the block that holds them."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


@cache
def _template(name: str) -> str:
    return files("skillbench_tasks.tools.prompts").joinpath(name).read_text("utf-8")
