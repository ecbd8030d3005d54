"""What founds a claim: what was done, shown and said up to a place of the episode."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import values_in
from skillbench_tasks.datasets.wording.sentences import sentences
from skillbench_tasks.datasets.wording.word_forms import stems_in, stems_of
from skillbench_tasks.models import Call, Checks, Effects, Line
from skillbench_tasks.scorers.records import names_of
from skillbench_tasks.tools.faults import may_be_done

__all__ = ["Deed", "Grounds"]


class Deed(NamedTuple):
    """A write that was carried out: its verbs, the words for what it was done to, its numbers.

    `is_wish` tells what users wish for from hand-overs and logs; `values` are its exact arguments.
    """

    verbs: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[float]
    is_wish: bool
    values: tuple[str, ...] = ()
    is_transfer: bool = False


class Grounds:
    """What has been done, shown and said up to a place of the episode."""

    def __init__(self, checks: Checks, events: Sequence[Line | Call]) -> None:
        self.deeds: list[Deed] = []
        self.is_proved = False  # an identity check has succeeded
        self.is_undeclared = False  # a write was carried out whose effect nobody has put in words
        self.records: list[frozenset[str]] = []
        self._results: list[JsonValue] = []
        self._seen: dict[str, set[float]] = {}
        self.amounts: set[float] = set()  # by how much a figure changed from one result to another
        self.numbers: set[float] = numbers_in(checks.policy)
        self.user: list[frozenset[str]] = []
        asked = {rule.tool for rule in checks.rules.confirm}
        wishes = asked or checks.effects.keys() - set(checks.transfer_tools)
        for event in events:
            if isinstance(event, Line):
                if event.role == "user":
                    self.user += [stems_in(s) for s in sentences(event.text)]
                continue
            failed = not may_be_done(event.error)
            self.is_proved |= _proves(checks, event)
            shown = _shown([{} if failed else event.arguments, event.result])
            shown += event.error.message if event.error else ""
            self.numbers |= numbers_in(shown)
            self.amounts |= _changes(event.result, self._seen)
            named = "" if failed else event.tool.replace("_", " ")
            self.records.append(stems_in(shown) | stems_in(named))
            self._results.append(event.result)
            effects = checks.effects.get(event.tool)
            if effects is None:
                is_write = checks.toolkit.get(event.tool) == "write"
                self.is_undeclared |= is_write and may_be_done(event.error)
            elif may_be_done(event.error):
                names = names_of(self._results, event.arguments)
                deed = _deed(effects, event, names, is_wish=event.tool in wishes)
                is_transfer = event.tool in checks.transfer_tools
                self.deeds.append(deed._replace(is_transfer=is_transfer))

    def knows(self, amounts: Iterable[float]) -> bool:
        """Return whether sums of money stand in a call or the policy, or are a change of one."""
        return (self.numbers | self.amounts).issuperset(amounts)


def _proves(checks: Checks, call: Call) -> bool:
    rule = checks.rules.verification
    result = call.result if isinstance(call.result, dict) else {}
    return rule is not None and call.tool == rule.tool and result.get(rule.field) is True


def _changes(value: JsonValue, seen: dict[str, set[float]]) -> set[float]:
    """Return by how much each figure differs from those seen under its name, and keep it."""
    found: set[float] = set()
    if isinstance(value, list):
        for part in value:
            found |= _changes(part, seen)
    elif isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, int | float) and not isinstance(part, bool):
                found |= {round(abs(part - one), 2) for one in seen.setdefault(name, set())}
                seen[name].add(float(part))
            else:
                found |= _changes(part, seen)
    return found


def _deed(effects: Effects, call: Call, names: Iterable[str], *, is_wish: bool) -> Deed:
    said = stems_in(" ".join([*_leaves(call.arguments), *_leaves(call.result), *names]))
    words = stems_of(effects.nouns) | said
    exact = tuple(v for v in _leaves(call.arguments) if any(map(str.isdecimal, v)))
    return Deed(stems_of(effects.verbs), words, _amounts(call), is_wish, exact)


def _amounts(call: Call) -> frozenset[float]:
    return frozenset(numbers_in(_shown([call.arguments, call.result])))


def _leaves(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value.replace("_", " ")
        case list():
            for part in value:
                yield from _leaves(part)
        case dict():
            for part in value.values():
                yield from _leaves(part)
        case _:
            return


def _shown(value: JsonValue) -> str:
    """Return a value as a text in which keys and codes are words."""
    return re.sub(r"[_\"{}\[\]:]", " ", json.dumps(value, ensure_ascii=False))


def numbers_in(text: str) -> set[float]:
    return {number for mention in values_in(text) for number in mention.numbers}
