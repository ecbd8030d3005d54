"""The world: named collections of records, a frozen clock, deterministic ids.

A world is built from a base world and a scenario's patch, copied for each execution (copy on
write: a copy costs one small dict) and compared by the changes that a run left
(`skillbench_tasks.tools.compare`). Records are never changed in place: a write stores a new
object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from skillbench_tasks.models import Change, CollectionSpec, Patch, Record, WorldFile
from skillbench_tasks.tools.workflow.values import equal_values

__all__ = ["World"]


class World:
    """Collections of records under a frozen clock.

    Args:
        specs: Declaration of every collection that may be used.
        collections: Collection name → key → record.
        now: The clock, ISO 8601 date-time without zone.
    """

    def __init__(
        self,
        specs: Mapping[str, CollectionSpec],
        collections: Mapping[str, Mapping[str, Record]],
        now: str,
    ) -> None:
        self.specs: Final = specs
        self.now: Final = now
        self._collections: dict[str, dict[str, Record]] = {
            name: dict(collections.get(name, {})) for name in specs
        }
        self._owned: set[str] = set(specs)
        self._next: dict[str, int] = {}
        self._ids_made = 0
        self._indexes: dict[tuple[int, str], dict[str, list[Record]]] = {}
        self._frozen: dict[int, dict[str, Record]] = {}

    @classmethod
    def from_file(cls, specs: Mapping[str, CollectionSpec], file: WorldFile) -> World:
        """Build a world from a base-world file; the caller has checked its references."""
        keyed = {
            name: {str(record[specs[name].key]): record for record in records}
            for name, records in file.collections.items()
        }
        return cls(specs, keyed, file.now)

    def copy(self) -> World:
        """Return an isolated copy; records are shared until one of the two writes."""
        twin = World.__new__(World)
        twin.specs, twin.now = self.specs, self.now  # type: ignore[misc]
        twin._collections = dict(self._collections)
        twin._owned = set()
        twin._next, twin._ids_made = dict(self._next), self._ids_made
        twin._indexes, twin._frozen = self._indexes, self._frozen
        self._owned = set()
        return twin

    def freeze(self) -> World:
        """Promise that this world's present collections live on, so that look-ups may index them.

        Copies share the indexes of the collections that they have not written.
        """
        self._owned = set()
        self._frozen.update({id(records): records for records in self._collections.values()})
        return self

    def get(self, collection: str, key: str) -> Record | None:
        """Return the record, or `None`."""
        return self._collections[collection].get(key)

    def records(self, collection: str) -> Iterable[Record]:
        """Return the records of a collection in the order of their making."""
        return self._collections[collection].values()

    def candidates(self, collection: str, field: str, value: str) -> Iterable[Record]:
        """Return records among which are all whose field is the text `value`, in their order."""
        records = self._collections[collection]
        if id(records) not in self._frozen:
            return records.values()
        place = (id(records), field)
        index = self._indexes.get(place)
        if index is None:
            index = self._indexes[place] = {}
            for record in records.values():
                held = record.get(field)
                if isinstance(held, str):
                    index.setdefault(held, []).append(record)
        return index.get(value, ())

    def put(self, collection: str, record: Record) -> None:
        """Store a record under its key, in place of an earlier one."""
        key = str(record[self.specs[collection].key])
        self._writable(collection)[key] = record

    def remove(self, collection: str, key: str) -> None:
        """Take a record out; the key must be there."""
        del self._writable(collection)[key]

    def next_id(self, collection: str) -> str:
        """Return the next unused generated id of a collection, such as `TCK-90001`."""
        spec = self.specs[collection]
        number = self._next.get(collection, spec.start + self._ids_made)
        while f"{spec.prefix}-{number}" in self._collections[collection]:
            number += 1
        self._next[collection] = number + 1
        return f"{spec.prefix}-{number}"

    def begin_ids_after(self, made: int) -> None:
        """Go on as if so many ids of each collection had been made before, and none since.

        Args:
            made: How many.
        """
        self._next, self._ids_made = {}, made

    def apply(self, patch: Patch) -> None:
        """Apply one change of a scenario.

        Raises:
            KeyError: The record to change or to delete is not there, or the one to create is.
        """
        collection = patch.update or patch.create or patch.delete
        if collection is None or collection not in self.specs:
            raise KeyError(f"no collection {collection!r}")
        if patch.create:
            self._create_by_patch(collection, patch)
        elif patch.key is None or patch.key not in self._collections[collection]:
            raise KeyError(f"no record {patch.key!r} in {collection}")
        elif patch.update:
            self.put(collection, {**self._collections[collection][patch.key], **patch.set})
        else:
            self.remove(collection, patch.key)

    def _create_by_patch(self, collection: str, patch: Patch) -> None:
        key = str(patch.record.get(self.specs[collection].key, ""))
        if not key:
            raise KeyError(f"the new record in {collection} has no {self.specs[collection].key}")
        if key in self._collections[collection]:
            raise KeyError(f"record {key!r} in {collection} exists already")
        self.put(collection, patch.record)

    def changes_since(self, start: World) -> tuple[Change, ...]:
        """Return the records that differ from `start`, by collection and key.

        A record that was written but holds equal values is no change.
        """
        found: list[Change] = []
        for name in sorted(self._collections):
            here, there = self._collections[name], start._collections[name]
            if here is there:
                continue
            for key in sorted(here.keys() | there.keys()):
                before, after = there.get(key), here.get(key)
                if before is not after and not equal_values(before, after):
                    found.append(Change(collection=name, key=key, before=before, after=after))
        return tuple(found)

    def _writable(self, collection: str) -> dict[str, Record]:
        if collection not in self._owned:
            self._collections[collection] = dict(self._collections[collection])
            self._owned.add(collection)
        return self._collections[collection]
