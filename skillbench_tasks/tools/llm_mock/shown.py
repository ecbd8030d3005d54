"""Records that an agent has been shown: a later answer must not contradict them.

A record is an object in a result that has an id: a field `id`, `…_id`, or the key of a collection.
Where it has several, its own is the one named like the list or field in which it stands, or the
only one beside `customer_id`, or the first that no two records of the list share; else all
together are its id. The same id in two answers means the same record where the tool is the same,
or the server is and half of the fields of the smaller one are in both. Elsewhere (an order in one
system, its parcel in another) fields with names that say little, such as `status`, may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.models import Record, ToolSpec
from skillbench_tasks.tools.workflow.values import equal_values
from skillbench_tasks.tools.world import World

__all__ = ["Contradiction", "ShownRecords", "repaired"]

# fmt: off
_VAGUE: Final = frozenset({
    "id", "status", "state", "type", "kind", "name", "title", "description", "note", "notes",
    "message", "summary", "reason", "code", "date", "time", "window", "amount", "total", "price",
    "balance", "quantity", "count", "value", "number", "currency", "result", "created_at",
    "updated_at", "created_on", "updated_on", "items", "events", "details", "active",
})
# fmt: on
"""Fields that mean another thing in another system."""

_SUBJECT: Final = "customer_id"
_AND: Final = "\n"

Path: TypeAlias = tuple[str | int, ...]
Id: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Contradiction:
    """A field that differs from what was shown.

    `is_certain`: the record was shown otherwise and nothing has touched it since. Without it, a
    call has set the field, and the answer shows what stood there before: odd, though it may be
    right.
    """

    path: Path
    id: Id
    field: str
    before: JsonValue
    now: JsonValue
    source: str
    is_certain: bool = True

    def __str__(self) -> str:
        record = f"{self.id[0]} {self.id[1].replace(_AND, ' and ')}"
        if self.is_certain:
            shown = f"{self.field} of {record} was {self.before!r} in {self.source}"
            return f"{shown} and is {self.now!r} here, though no call in between has changed it"
        return (
            f"{self.source} set {self.field} of {record} to {self.before!r}; here it is as before"
        )


@dataclass(frozen=True)
class _Found:
    """A record in a result, and where it stands."""

    id: Id
    path: Path
    record: Record

    @property
    def place(self) -> tuple[str, ...]:
        return tuple(step for step in self.path if isinstance(step, str))


@dataclass
class _Shown:
    """What one place of one tool's answers has shown of a record."""

    tool: ToolSpec
    place: tuple[str, ...]
    fields: Record = field(default_factory=dict)


@dataclass(frozen=True)
class _Set:
    """A field that a call has set and whose new value no answer has shown yet."""

    tool: str
    old: JsonValue
    new: JsonValue


class ShownRecords:
    """What an execution's answers have shown so far.

    Args:
        world: The execution's world: its records are taken as shown.
    """

    def __init__(self, world: World) -> None:
        self._keys = frozenset(spec.key for spec in world.specs.values())
        self._shown: dict[Id, list[_Shown]] = {}
        self._set: dict[Id, dict[str, _Set]] = {}
        self._touched: set[str] = set()

    def show(self, tool: ToolSpec, result: JsonValue) -> None:
        """Remember the records of an answer."""
        for found in self._records(tool, result):
            known = self._shown.setdefault(found.id, [])
            same = [s for s in known if _is_place(s, tool, found)]
            shown = same[0] if same else _Shown(tool, found.place)
            shown.fields = {**shown.fields, **found.record}
            if not same:
                known.append(shown)
            for name in found.record:
                self._set.get(found.id, {}).pop(name, None)

    def touch(
        self, tool: ToolSpec, arguments: Mapping[str, JsonValue], result: JsonValue, *, mocked: bool
    ) -> None:
        """Forget the records that a successful write names; what it answers is shown afterwards.

        Args:
            tool: The tool that writes.
            arguments: Its arguments.
            result: Its result.
            mocked: Whether a model answered: then the world does not hold the change.
        """
        named = {*_leaves(dict(arguments)), *_leaves(result)}
        self._touched |= named if mocked else set()
        for one in [one for one in self._shown if not named.isdisjoint(one[1].split(_AND))]:
            for shown in self._shown.pop(one):
                for name, new in arguments.items():
                    old = shown.fields.get(name, new)
                    if not equal_values(old, new):
                        self._set.setdefault(one, {})[name] = _Set(tool.full_name, old, new)

    def contradictions(
        self, tool: ToolSpec, result: JsonValue, world: World
    ) -> list[Contradiction]:
        """Return what in a read's result contradicts what was shown, the earliest first shown.

        Args:
            tool: The tool that reads.
            result: Its result.
            world: The world as it is now.
        """
        found: dict[Path, Contradiction] = {}
        for one in self._records(tool, result):
            for clash in (*self._against_shown(tool, one), *self._against_world(one, world)):
                found.setdefault(clash.path, clash)
            for clash in self._against_set(one):
                found.setdefault(clash.path, clash)
        return list(found.values())

    def _against_shown(self, tool: ToolSpec, found: _Found) -> Iterator[Contradiction]:
        for shown in self._shown.get(found.id, ()):
            exact = _is_place(shown, tool, found) or (
                shown.tool.server == tool.server and _alike(shown.fields, found.record)
            )
            source = f"an answer of {shown.tool.full_name}"
            yield from _clashes(found, shown.fields, source, exact)

    def _against_world(self, found: _Found, world: World) -> Iterator[Contradiction]:
        if found.id[1] in self._touched:
            return
        for name, spec in world.specs.items():
            record = world.get(name, found.id[1]) if spec.key == found.id[0] else None
            if record is not None:
                yield from _clashes(found, record, f"the records ({name})", False)

    def _against_set(self, found: _Found) -> Iterator[Contradiction]:
        for name, change in self._set.get(found.id, {}).items():
            if name in found.record and equal_values(found.record[name], change.old):
                now = found.record[name]
                where = (*found.path, name)
                yield Contradiction(where, found.id, name, change.new, now, change.tool, False)

    def _records(self, tool: ToolSpec, result: JsonValue) -> Iterator[_Found]:
        lists: dict[tuple[Path, str], list[tuple[Path, Record]]] = {}
        for path, record, parent in _objects(result, (), tool.name):
            is_listed = bool(path) and isinstance(path[-1], int)
            lists.setdefault((path[:-1] if is_listed else path, parent), []).append((path, record))
        for (place, parent), records in lists.items():
            ids = [self._ids(record) for _, record in records]
            for (path, record), own in zip(records, ids, strict=True):
                names = _own(own, parent, ids)
                if names:
                    yield _Found(_id(tool, place, names, own), path, record)

    def _ids(self, record: Record) -> dict[str, str]:
        return {
            name: str(value)
            for name, value in record.items()
            if isinstance(value, str | int) and not isinstance(value, bool) and self._is_id(name)
        }

    def _is_id(self, name: str) -> bool:
        return name == "id" or name.endswith("_id") or name in self._keys


def _own(ids: Mapping[str, str], parent: str, siblings: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the field that identifies a record, or all its ids."""
    named = [n for n in ids if n != "id" and n.removesuffix("_id") in _singulars(parent)]
    own = [name for name in ids if name != _SUBJECT]
    telling = [n for n in own if [other.get(n) for other in siblings].count(ids[n]) == 1]
    for found in (list(ids), named, own):
        if len(found) == 1:
            return found
    return telling[:1] or sorted(ids)


def _id(tool: ToolSpec, place: Path, names: Sequence[str], ids: Mapping[str, str]) -> Id:
    if len(names) == 1 and names[0] != "id":
        return names[0], ids[names[0]]
    steps = ".".join(step for step in place if isinstance(step, str))
    name = f"{tool.full_name} {steps} {' '.join(names)}"  # an id among those of one place
    return " ".join(name.split()), _AND.join(ids[name] for name in names)


def repaired(result: JsonValue, contradictions: Iterable[Contradiction]) -> JsonValue:
    """Return a result in which the values shown earlier stand."""
    for clash in contradictions:
        result = _with(result, clash.path, clash.before)
    return result


def _with(value: JsonValue, path: Path, new: JsonValue) -> JsonValue:
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(value, dict) and isinstance(step, str):
        return {**value, step: _with(value[step], rest, new)}
    assert isinstance(value, list)
    return [_with(part, rest, new) if i == step else part for i, part in enumerate(value)]


def _clashes(found: _Found, fields: Record, source: str, exact: bool) -> Iterator[Contradiction]:
    for name, value in found.record.items():
        if name in fields and (exact or name not in _VAGUE):
            for path, before, now in _differences(fields[name], value, (name,)):
                shown = ".".join(str(step) for step in path)
                where = (*found.path, *path)
                yield Contradiction(where, found.id, shown, before, now, source)


def _differences(
    before: JsonValue, now: JsonValue, path: Path
) -> Iterator[tuple[Path, JsonValue, JsonValue]]:
    """Yield what differs; a list of objects may show a part, so it is no value of its own."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name, value in now.items():
            if name in before:
                yield from _differences(before[name], value, (*path, name))
    elif not (_holds_objects(before) or _holds_objects(now)) and not equal_values(before, now):
        yield path, before, now


def _holds_objects(value: JsonValue) -> bool:
    return isinstance(value, list) and any(isinstance(part, dict | list) for part in value)


def _is_place(shown: _Shown, tool: ToolSpec, found: _Found) -> bool:
    return shown.tool.full_name == tool.full_name and shown.place == found.place


def _alike(one: Record, other: Record) -> bool:
    a, b = ({n for n in r if not (n == "id" or n.endswith("_id"))} for r in (one, other))
    shared = len(a & b)
    return shared > 0 and 2 * shared >= min(len(a), len(b))


def _objects(value: JsonValue, path: Path, parent: str) -> Iterator[tuple[Path, Record, str]]:
    if isinstance(value, dict):
        yield path, value, parent
        for name, part in value.items():
            yield from _objects(part, (*path, name), name)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _objects(part, (*path, index), parent)


def _singulars(name: str) -> set[str]:
    """Return what one of the things may be called that a field or tool is named after."""
    last = name.split("_", 1)[-1] if name.split("_", 1)[0] in _VERBS else name
    return {last, last.removesuffix("s"), last.removesuffix("es"), last.removesuffix("ies") + "y"}


_VERBS: Final = frozenset({"get", "list", "find", "search", "read", "check", "show", "fetch"})


def _leaves(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)
