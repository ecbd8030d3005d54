"""Records as results of calls show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pydantic import JsonValue

__all__ = ["names_of", "records_of"]

_NAMES: Final = ("name", "title", "code", "description")
"""Fields in which a record says what it is called."""


def names_of(results: Iterable[JsonValue], arguments: Mapping[str, JsonValue]) -> list[str]:
    """Return what the records are called whose ids are arguments of a call.

    The customer's own file is none of them.

    Args:
        results: Results of the calls before it.
        arguments: Its arguments; those that end in `_id` are ids.
    """
    records = records_of(results, arguments)
    return [str(r[name]) for r in records for name in _NAMES if isinstance(r.get(name), str)]


def records_of(
    results: Iterable[JsonValue], arguments: Mapping[str, JsonValue]
) -> list[dict[str, JsonValue]]:
    """Return the records, as results show them, whose ids are arguments of a call.

    Args:
        results: Results of the calls before it.
        arguments: Its arguments; those that end in `_id` are ids.
    """
    ids = [v for n, v in arguments.items() if n.endswith("_id") and n != "customer_id"]
    return [record for result in results for record in _of(result, ids)] if ids else []


def _of(value: JsonValue, ids: Sequence[JsonValue]) -> Iterator[dict[str, JsonValue]]:
    if isinstance(value, list):
        for part in value:
            yield from _of(part, ids)
    elif isinstance(value, dict):
        own = [v for n, v in value.items() if n.endswith("_id")]
        if own and own[0] in ids:
            yield value
        yield from _of(list(value.values()), ids)
