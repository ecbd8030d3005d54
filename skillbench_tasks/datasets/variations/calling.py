"""Calls in other ways: other order, further reads, a refused one put right, other notations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.datasets.mutants.edits import call_of, inserted, moved, with_arguments
from skillbench_tasks.datasets.mutants.story import Place, Story
from skillbench_tasks.datasets.script import Script, ScriptCall, perform
from skillbench_tasks.datasets.variations.variation import Draft, Drafts
from skillbench_tasks.models import Call

__all__ = [
    "arguments_in_other_notation",
    "calls_in_other_order",
    "defaults_written_out",
    "extra_reads",
    "refused_calls_corrected",
]

_LOOKS: Final = ("get_", "list_", "find_", "check_")
"""How the names of tools begin that only look something up."""

_FREE_WRITES: Final = frozenset(
    {
        ("mcp.calendar:reschedule_visit", "mcp.calendar:add_access_notes"),
        ("mcp.calendar:confirm_visit", "mcp.calendar:add_access_notes"),
    }
)
"""Writes under one yes of which the page does not say which comes first."""

_PRESCRIBED: Final = frozenset(
    {
        ("mcp.orders:find_orders", "mcp.orders:get_order"),  # only a number that is in the list
        ("mcp.loyalty:list_redemptions", "mcp.loyalty:check_offer"),  # "first"
        ("mcp.loyalty:get_points", "mcp.loyalty:check_offer"),
        ("mcp.loyalty:get_points", "mcp.loyalty:get_preferences"),
        ("mcp.calendar:get_visit", "mcp.calendar:list_slots"),  # "before you go on"
        ("mcp.crm:get_customer", "mcp.calendar:list_visits"),  # whether the caller is authorized
    }
)
"""Reads that the pages put in this order, beyond the `order` rules."""

_NOT_WITHOUT_CAUSE: Final = frozenset({"mcp.privacy:list_holds"})
"""Reads that a page forbids where they are not needed."""

_US_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


def calls_in_other_order(story: Story) -> Drafts:
    """Yield runs in which two neighbouring calls of a turn, free of each other, change places."""
    for first, then in _neighbours(story):
        if _are_free(story, first, then):
            script = moved(story.script, then, first.turn, first.index)
            yield Draft(f"{then.call.tool} before {first.call.tool}", script)


def _neighbours(story: Story) -> Iterator[tuple[Place, Place]]:
    for first, then in zip(story.places, story.places[1:], strict=False):
        if first.turn == then.turn and first.call.error is None and then.call.error is None:
            yield first, then


def _are_free(story: Story, first: Place, then: Place) -> bool:
    """Whether no rule orders two calls and the second one needs nothing of the first."""
    pair = (first.call.tool, then.call.tool)
    if pair in _FREE_WRITES:
        return True
    if not all(tool.rpartition(":")[2].startswith(_LOOKS) for tool in pair):
        return False
    if pair in _PRESCRIBED or first.call.tool == "mcp.crm:find_customer":
        return False
    if any((rule.first, rule.then) == pair for rule in story.case.checks.rules.order):
        return False
    known = {story.subject, *_ids_before(story, first)}
    return all(value in known or not _is_id(value) for value in then.call.arguments.values())


def _ids_before(story: Story, place: Place) -> set[str]:
    text = story.script.turns[0].text
    for turn in story.turns[: place.turn]:
        text += turn.text
    for other in story.places:
        if (other.turn, other.index) < (place.turn, place.index):
            text += str(other.call.result)
    return set(re.findall(r"[A-Z]{3}-[A-Z0-9]+", text))


def _is_id(value: JsonValue) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Z]{3}-[A-Z0-9]+", value) is not None


def extra_reads(story: Story) -> Drafts:
    """Yield runs that look once more at what was seen, or at more of the customer's own file."""
    check = story.verified
    if check is None or not story.writes:
        return
    struck = {fault.tool for fault in story.case.scenario.faults}
    reads = [
        place
        for place in story.places
        if (place.turn, place.index) > (check.turn, check.index)
        and place.call.error is None
        and place.call.tool.rpartition(":")[2].startswith(_LOOKS)
        and place.call.tool not in struck
    ]
    write = story.writes[0]
    for read in reads:
        if (read.turn, read.index) < (write.turn, write.index):
            script = inserted(story.script, write.turn, write.index, call_of(read))
            yield Draft(f"{read.call.tool} once more before {write.call.tool}", script)
    for tool in sorted(_own_reads(story) - struck - {place.call.tool for place in reads}):
        call = ScriptCall(tool=tool, arguments={"customer_id": story.subject})
        end = len(story.turns[check.turn].calls)
        if not any(story.is_write(p.call.tool) for p in story.places if p.turn == check.turn):
            yield Draft(f"{tool} besides", inserted(story.script, check.turn, end, call))


def _own_reads(story: Story) -> set[str]:
    return {
        name
        for name, spec in story.tools.items()
        if spec.access == "read"
        and spec.input_schema.get("required") == ["customer_id"]
        and name in story.case.checks.rules.after_verification
        and name not in _NOT_WITHOUT_CAUSE
        and not name.startswith("mcp.network:")
    }


def refused_calls_corrected(story: Story) -> Drafts:
    """Yield runs in which a call is refused for its form, or finds nothing, and is put right."""
    struck = {fault.tool for fault in story.case.scenario.faults}
    for place in story.places:
        if place.call.tool in struck or place.call.error is not None:
            continue
        for what, arguments in _misshapen(story, place):
            wrong = ScriptCall(tool=place.call.tool, arguments=arguments)
            script = inserted(story.script, place.turn, place.index, wrong)
            code = _errors(story, script).get((place.call.tool, str(arguments)))
            if code == "invalid_arguments" or (code == "not_found" and what == "mistyped id"):
                yield Draft(f"{place.call.tool}: {what}, then right", script)


def _misshapen(story: Story, place: Place) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    given = place.call.arguments
    for name, value in given.items():
        if isinstance(value, str) and (found := _US_DATE.fullmatch(value)):
            yield "date of another form", {**given, name: f"{found[2]}/{found[3]}/{found[1]}"}
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield "number as text", {**given, name: f"{value} "}
        elif _is_id(value) and isinstance(value, str):
            yield "id without its letters", {**given, name: value[4:]}
            if not story.is_write(place.call.tool) and name != "customer_id":
                yield "mistyped id", {**given, name: value + "7"}
    required = story.tools[place.call.tool].input_schema.get("required") or []
    for name in required[-1:]:
        yield f"{name} left out", {k: v for k, v in given.items() if k != name}


def _errors(story: Story, script: Script) -> dict[tuple[str, str], str]:
    calls = perform(story.case, script).calls
    return {(c.tool, str(c.arguments)): c.error.code for c in calls if c.error is not None}


def defaults_written_out(story: Story) -> Drafts:
    """Yield runs that write defaults out, and `null` for what is optional and not wanted."""
    with_defaults, with_nulls = story.script, story.script
    for place in story.places:
        schema: dict[str, Any] = dict(story.tools[place.call.tool].input_schema)
        absent = {
            name: declared
            for name, declared in schema.get("properties", {}).items()
            if name not in place.call.arguments
        }
        defaults = {name: d["default"] for name, d in absent.items() if "default" in d}
        nulls = {name: None for name, d in absent.items() if "default" not in d}
        with_defaults = with_arguments(with_defaults, place, {**place.call.arguments, **defaults})
        with_nulls = with_arguments(with_nulls, place, {**place.call.arguments, **nulls})
    yield Draft("defaults written out", with_defaults)
    yield Draft("null for what is left out", with_nulls)


def arguments_in_other_notation(story: Story) -> Drafts:
    """Yield runs with an argument written otherwise, where the tool answers the same."""
    for place in story.places:
        for name, value in place.call.arguments.items():
            for form in _forms(name, value):
                arguments = {**place.call.arguments, name: form}
                script = with_arguments(story.script, place, arguments)
                if _answers_alike(story, place, script):
                    yield Draft(f"{place.call.tool}: {name} as {form!r}", script)


def _forms(name: str, value: JsonValue) -> Iterator[JsonValue]:
    match value:
        case bool():
            return
        case int():
            yield float(value)
        case float() if value.is_integer():
            yield int(value)
        case str() if name == "phone" and (m := re.fullmatch(r"\+1(\d{3})(\d{3})(\d{4})", value)):
            yield f"{m[1]}-{m[2]}-{m[3]}"
            yield f"({m[1]}) {m[2]}-{m[3]}"
            yield f"{m[1]}{m[2]}{m[3]}"
        case str() if name in ("email", "code"):
            yield value.upper()
            yield value.lower()
        case str() if name in ("full_name", "security_word"):
            yield value.lower()
            yield value.upper()
        case list() if len(value) > 1:
            yield list(reversed(value))
        case _:
            return


def _answers_alike(story: Story, place: Place, script: Script) -> bool:
    if script == story.script:
        return False
    gold = perform(story.case, story.script)
    other = perform(story.case, script)
    return gold.changes == other.changes and _answers(gold.calls) == _answers(other.calls)


def _answers(calls: tuple[Call, ...]) -> list[tuple[JsonValue, object]]:
    return [(call.result, call.error) for call in calls]
