"""Runs near those of a SOP: one input, one record, or one field of a record is another.

`skillbench strength --propose` looks among them for further variants. Values are the workspace's
own, those of the SOP's other variants, or lie next to a literal of the workflow, so that a proposal
reads like the company's records; a person decides which of them ships.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from skillbench_tasks.datasets.sops.drafts import VariantDraft
from skillbench_tasks.datasets.sops.further import FurtherVariant
from skillbench_tasks.datasets.sops.ledger import nodes_of
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.json_text import strings_of
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Executed

__all__ = ["Proposer"]

_ID: Final = re.compile(r"([A-Z]{2,5}-)([0-9]+)")
_DATE: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(T.*)?")
_VALUES_MAX: Final = 7
"""Values that are tried in one place."""


class Proposer:
    """Makes proposals for one SOP.

    Args:
        program: The reference workflow.
        drafts: The family's variants.
        runs: What the reference does on each of them.
    """

    def __init__(
        self,
        program: Mapping[str, Any],
        drafts: Sequence[VariantDraft],
        runs: Sequence[Executed],
    ) -> None:
        self._program, self._drafts, self._runs = program, drafts, runs
        self._specs = base_world().specs
        self._literals = list(_literals(program))
        self._taken = set(strings_of([[dict(d.inputs), _plain(d)] for d in drafts]))
        self._taken |= {
            str(one[spec.key])
            for name, spec in self._specs.items()
            for one in base_world().records(name)
        }

    def proposals(self) -> Iterator[FurtherVariant]:
        """Yield the runs near each variant, those that differ least first."""
        for number, (draft, run) in enumerate(zip(self._drafts, self._runs, strict=True), start=1):
            yield from self._other_inputs(number, draft)
            yield from self._renamed(number, draft)
            yield from self._changed(number, draft, run)
            yield from self._added(number, draft, run)
            yield from self._merged(number)

    def _other_inputs(self, number: int, draft: VariantDraft) -> Iterator[FurtherVariant]:
        for name, value in draft.inputs.items():
            others = [one.inputs[name] for one in self._drafts if name in one.inputs]
            for other in self._near(value, others):
                yield FurtherVariant(like=number, inputs={name: other})

    def _renamed(self, number: int, draft: VariantDraft) -> Iterator[FurtherVariant]:
        """Yield the run of another record, person or time: a text is another throughout."""
        keys = [
            str(one[self._specs[name].key])
            for name, listed in draft.records.items()
            for one in listed
            if name in self._specs
        ]
        texts = [value for value in draft.inputs.values() if isinstance(value, str)]
        for text in dict.fromkeys([*keys, *texts]):
            for other in self._names_like(text):
                yield FurtherVariant(like=number, rename={text: other})

    def _names_like(self, text: str) -> Iterator[str]:
        if found := _ID.fullmatch(text):
            at = int(found[2])
            yield next(
                name
                for n in range(at + 1, at + 200)
                if (name := f"{found[1]}{n}") not in self._taken
            )
            others = (one for one in sorted(self._taken) if one.startswith(found[1]))
            yield from list(others)[:_VALUES_MAX]
        elif "@" in text:
            domain = text.rpartition("@")[2]
            kept = [one for one in _addresses() if one.endswith(domain) or domain[:7] != "example"]
            yield from [one for one in kept if one != text][:_VALUES_MAX]
        elif found := _DATE.fullmatch(text):
            yield from _days_near(text)

    def _changed(self, number: int, draft: VariantDraft, run: Executed) -> Iterator[FurtherVariant]:
        for name, record in self._records(draft, run):
            key = str(record[self._specs[name].key])
            for fields in self._other_fields(name, record):
                yield FurtherVariant(like=number, change={name: {key: fields}})

    def _added(self, number: int, draft: VariantDraft, run: Executed) -> Iterator[FurtherVariant]:
        for name, record in self._records(draft, run):
            key_field = self._specs[name].key
            key = str(record[key_field])
            if _ID.fullmatch(key) is None:
                continue
            new = next(self._names_like(key))
            for fields in ({}, *self._other_fields(name, record)):
                added = {"like": key, key_field: new, **fields}
                yield FurtherVariant(like=number, add={name: (added,)})

    def _merged(self, number: int) -> Iterator[FurtherVariant]:
        """Yield the run with the records of another variant beside its own."""
        own = self._drafts[number - 1].records
        for other in self._drafts:
            kept: dict[str, tuple[Record, ...]] = {}
            for name, listed in other.records.items():
                key = self._specs[name].key
                mine = {str(one[key]) for one in own.get(name, ())}
                more = tuple(one for one in listed if str(one[key]) not in mine)
                if more:
                    kept[name] = more
            if kept:
                yield FurtherVariant(like=number, add=kept)

    def _records(self, draft: VariantDraft, run: Executed) -> Iterator[tuple[str, Record]]:
        """Yield the variant's records, then those of the workspace that the run touched."""
        own = set()
        for name, listed in draft.records.items():
            for record in listed:
                own.add((name, record[self._specs[name].key]))
                yield name, record
        seen = set(strings_of([[dict(c.arguments), c.result] for c in run.calls]))
        for name, spec in self._specs.items():
            for record in base_world().records(name):
                if record[spec.key] in seen and (name, record[spec.key]) not in own:
                    yield name, record

    def _other_fields(self, name: str, record: Record) -> Iterator[Record]:
        key = self._specs[name].key
        for field, value in record.items():
            if field == key:
                continue
            pool = [one[field] for one in self._pool(name) if field in one]
            if isinstance(value, dict):
                for inner, part in value.items():
                    others = [p[inner] for p in pool if isinstance(p, dict) and inner in p]
                    for other in self._near(part, others):
                        yield {field: {**value, inner: other}}
                continue
            if isinstance(value, list) and value:
                yield {field: value[:-1]}
                yield {field: value[1:]}
                yield {field: value[::-1]}
            for other in self._near(value, pool):
                yield {field: other}

    def _pool(self, name: str) -> list[Record]:
        drafted = [one for draft in self._drafts for one in draft.records.get(name, ())]
        return [*drafted, *base_world().records(name)]

    def _near(self, value: Any, others: Sequence[Any]) -> list[Any]:
        """Return other values for a place, those near the present one and the literals first."""
        found: list[Any] = []
        if isinstance(value, bool):
            return [not value]
        if isinstance(value, int | float):
            numbers = [n for n in self._literals if isinstance(n, int | float)]
            found = [value + 1, value - 1, *numbers, *(n + d for n in numbers for d in (1, -1))]
            found = [n for n in found if n >= 0] or found
        elif isinstance(value, str) and _DATE.fullmatch(value):
            found = list(_days_near(value))
        elif isinstance(value, str):
            found = [one for one in self._literals if one in others]
        found += [one for one in others if isinstance(one, type(value)) or value is None]
        if None in others:
            found.append(None)
        unique = {json.dumps(one, sort_keys=True): one for one in found if one != value}
        most = _VALUES_MAX * (3 if isinstance(value, int | float) else 1)
        return list(unique.values())[:most]


def _plain(draft: VariantDraft) -> dict[str, Any]:
    return {name: [dict(one) for one in listed] for name, listed in draft.records.items()}


def _addresses() -> list[str]:
    found = {
        text
        for name in base_world().specs
        for record in base_world().records(name)
        for text in strings_of([dict(record)])
        if re.fullmatch(r"[a-z.]+@[a-z.-]+", text)
    }
    return sorted(found)


def _days_near(text: str) -> Iterator[str]:
    found = _DATE.fullmatch(text)
    assert found is not None
    try:
        day = date.fromisoformat(found[1])
    except ValueError:
        return
    for step in (1, -1, 7, -7, 30, -30):
        yield f"{(day + timedelta(days=step)).isoformat()}{found[2] or ''}"


def _literals(program: Mapping[str, Any]) -> Iterator[Any]:
    def scalars(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            for part in value.values():
                yield from scalars(part)
        elif isinstance(value, list):
            for part in value:
                yield from scalars(part)
        elif not isinstance(value, bool) and value is not None:
            yield value

    for node in nodes_of(program["steps"]):
        for part in ("arguments", "condition", "value", "items"):
            if part in node:
                yield from scalars(node[part])
