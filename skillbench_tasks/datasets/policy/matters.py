"""What an entry of the map names: does it exist, and in which cases does it bite?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from skillbench_tasks.models import HOUSE_RULES, Case, PolicyEntry, Rules

__all__ = ["entry_matters", "rule_names"]


def entry_matters(
    entry: PolicyEntry, cases: Sequence[Case]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each thing that an entry names, with the ids of the cases in which it grades.

    No ids: nothing of that name is checked anywhere in the skill, so the entry leads nowhere.

    Args:
        entry: What policy.yaml says of one sentence.
        cases: The cases of the skill.
    """
    for field, is_checked in _CHECKED.items():
        for name in getattr(entry, field):
            ids = tuple(case.id for case in cases if is_checked(case, name))
            yield f"{field} {name}", ids


def _has_rule(case: Case, name: str) -> bool:
    if name in HOUSE_RULES:
        return name != "own_records" or case.checks.rules.own_records
    return name in set(rule_names(case.checks.rules))


def rule_names(rules: Rules) -> Iterator[str]:
    """Yield how policy.yaml names the rules that a skill (with a scenario) declares."""
    if rules.verification is not None:
        yield "verification"
    if rules.protected:
        yield "protected"
    yield from (f"after_verification.{_short(tool)}" for tool in rules.after_verification)
    yield from (f"confirm.{_short(rule.tool)}" for rule in rules.confirm)
    yield from (f"step_up.{_short(rule.tool)}" for rule in rules.step_up)
    yield from (f"order.{_short(rule.first)}.{_short(rule.then)}" for rule in rules.order)
    yield from (f"heard.{rule.slot}.{_short(rule.before)}" for rule in rules.heard)
    yield from (f"alone.{_short(rule.tool)}.{rule.argument}" for rule in rules.alone)
    yield from (f"never.{_short(rule.tool)}" for rule in rules.never)
    yield from (f"at_most.{_short(rule.tool)}" for rule in rules.at_most)
    yield from (f"never_ask.{name}" for name in rules.never_ask)
    yield from (f"unread.{name}" for name in rules.unread)
    if rules.most_asked is not None:
        yield "most_asked"
    if rules.refuses_unasked:
        yield "refuses_unasked"
    yield from (f"texts.{_short(rule.tool)}.{rule.argument}" for rule in rules.texts)
    yield from (f"places.{name}" for name in rules.places)
    yield from (f"never_say.{number}" for number, _ in enumerate(rules.never_say, 1))


def _short(tool: str) -> str:
    return tool.rpartition(":")[2]


def _requires(case: Case, tool: str) -> bool:
    return tool in case.checks.required_tools


def _tells(case: Case, name: str) -> bool:
    return any(fact.name == name for fact in case.checks.must_say)


def _changes(case: Case, name: str) -> bool:
    collection, _, field = name.partition(".")
    return any(
        change.collection == collection
        and (not field or (change.before or {}).get(field) != (change.after or {}).get(field))
        for change in case.checks.target
    )


def _holds_text(case: Case, name: str) -> bool:
    if any(f"{check.collection}.{check.field}" == name for check in case.checks.text_checks):
        return True
    called = {_short(call.tool) for turn in case.gold.turns for call in turn.calls}
    return any(
        f"{_short(rule.tool)}.{rule.argument}" == name and _short(rule.tool) in called
        for rule in case.checks.rules.texts
    )


def _ends(case: Case, name: str) -> bool:
    return name in (case.checks.outcome, *case.checks.also_accept)


_CHECKED: Final[dict[str, Callable[[Case, str], bool]]] = {
    "rule": _has_rule,
    "requires": _requires,
    "told": _tells,
    "state": _changes,
    "text": _holds_text,
    "end": _ends,
    "case": lambda case, name: case.id == name,
}
