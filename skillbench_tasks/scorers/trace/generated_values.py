"""Values that a run generates: ids of records that it makes, and the time.

Two runs that do the same may give one record different ids, where one of them makes more records
before it. Ids are normalised in three steps:

1. An id *paired* by two aligned calls is the same on both sides: where the results of both hold a
   generated id of one collection in the same place. Earlier calls pair first; an id has one
   partner.
2. Any other id of a record that the run made stands for the record's content
   (`skillbench_tasks.tools.compare.made_names`).
3. Any other id stays as it is written.

A text that holds an id (a message about a ticket) is normalised where the id stands in it. A text
that is the time of the world's clock, in whatever notation of ISO 8601, is the same as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from pydantic import JsonValue

from skillbench_tasks.models import Change, CollectionSpec
from skillbench_tasks.tools.compare import made_names

__all__ = ["GeneratedIds", "Names", "content_names", "paired_ids"]

_SHORTEST_TIME = len("2026-03-12T09:30")


class GeneratedIds:
    """Recognises generated ids by the declarations of the collections."""

    def __init__(self, specs: Mapping[str, CollectionSpec]) -> None:
        self._starts: dict[str, int] = {}
        for spec in specs.values():
            self._starts[spec.prefix] = min(spec.start, self._starts.get(spec.prefix, spec.start))
        prefixes = "|".join(map(re.escape, sorted(self._starts, key=len, reverse=True)))
        self._pattern = re.compile(
            rf"(?<![A-Za-z0-9])({prefixes or '(?!)'})-([0-9]{{1,18}})(?![0-9])"
        )

    def prefix_of(self, text: str) -> str | None:
        """Return the prefix of a text that is a generated id and nothing else."""
        found = self._pattern.fullmatch(text)
        return found[1] if found and self._is_generated(found) else None

    def replace(self, text: str, names: Mapping[str, str]) -> str:
        """Return a text with its generated ids replaced by their names; others stay."""
        return self._pattern.sub(
            lambda found: names.get(found[0], found[0]) if self._is_generated(found) else found[0],
            text,
        )

    def _is_generated(self, found: re.Match[str]) -> bool:
        return int(found[2]) >= self._starts[found[1]]


class Names:
    """What stands for the generated values of one run.

    Args:
        ids: Recognises generated ids.
        names: Generated id → name.
        now: The clock, ISO 8601; empty: times are compared as they are written.
    """

    def __init__(self, ids: GeneratedIds, names: Mapping[str, str], now: str = "") -> None:
        self._ids, self._names = ids, names
        self._now = _instant(now)

    def of(self, value: JsonValue) -> JsonValue:
        """Return a value with everything that was generated replaced by its name."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.of(part) for part in value]
        if isinstance(value, dict):
            return {self._ids.replace(key, self._names): self.of(v) for key, v in value.items()}
        return value

    def _text(self, text: str) -> str:
        if self._now is not None and _instant(text) == self._now:
            return "<now>"
        return self._ids.replace(text, self._names) if self._names else text


def content_names(
    changes: Iterable[Change], specs: Mapping[str, CollectionSpec]
) -> Mapping[str, str]:
    """Return the generated ids of the records that a run made → names after their content."""
    return made_names(tuple(changes), specs)


def paired_ids(
    results: Iterable[tuple[JsonValue, JsonValue]], ids: GeneratedIds
) -> Mapping[str, str]:
    """Return ids of the second run → the ids of the first that they stand for.

    Args:
        results: Results of aligned calls, of the first and of the second run, in order.
        ids: Recognises generated ids.
    """
    pairs: dict[str, str] = {}
    taken: set[str] = set()
    for first, second in results:
        for expected, actual in _corresponding(first, second):
            prefix = ids.prefix_of(expected)
            if prefix is None or prefix != ids.prefix_of(actual):
                continue
            if actual not in pairs and expected not in taken:
                pairs[actual] = expected
                taken.add(expected)
    return pairs


def _corresponding(first: JsonValue, second: JsonValue) -> Iterator[tuple[str, str]]:
    """Yield the texts that stand in the same place of two values."""
    if isinstance(first, str) and isinstance(second, str):
        yield first, second
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for one, other in zip(first, second, strict=True):
            yield from _corresponding(one, other)
    elif isinstance(first, dict) and isinstance(second, dict):
        for key in sorted(first.keys() & second.keys()):
            yield from _corresponding(first[key], second[key])


def _instant(text: str) -> datetime | None:
    """Return the date-time that a text is; the clock has no zone, and `Z` says as much."""
    if len(text) < _SHORTEST_TIME or not text[:4].isdigit():
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.utcoffset() else moment.replace(tzinfo=None)
