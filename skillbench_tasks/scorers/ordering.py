"""Order: what a call needs before it, how often it has to be done anew, and for which record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from skillbench_tasks.models import Call, Checks, Episode, OrderRule
from skillbench_tasks.scorers.conduct import was_put
from skillbench_tasks.scorers.records import records_of
from skillbench_tasks.tools.faults import holds

__all__ = ["misordered"]


def misordered(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield calls before which another one had not succeeded as a rule of order wants it."""
    for rule in checks.rules.order:
        yield from _misordered(rule, episode)


def _misordered(rule: OrderRule, episode: Episode) -> Iterator[str]:
    firsts: list[Call] = []
    results: list[JsonValue] = []
    for event in episode.events:
        if not isinstance(event, Call):
            changed = event.role == "user" and any(a.startswith("change:") for a in event.acts)
            firsts = [] if rule.renewed and changed else firsts
            continue
        if event.tool == rule.first and event.error is None:
            firsts += [event] if holds(event.arguments, rule.first_where) else []
        is_then = event.tool == rule.then and was_put(event) and holds(event.arguments, rule.where)
        if is_then and not any(_is_for(rule, first, event, results) for first in firsts):
            yield f"{rule.then} was called before a successful {rule.first}"
            return
        results.append(event.result)


def _is_for(rule: OrderRule, first: Call, then: Call, results: Sequence[JsonValue]) -> bool:
    """Return whether a call was about the record that a later one changes."""
    known = records_of(results, then.arguments)
    return not known or all(
        first.arguments.get(name) in {str(record[name]) for record in known if name in record}
        for name in rule.same
    )
