"""Further variants: a run of a family's with other inputs or records, so that a mistake shows.

A family's variants cover what its workflow can do. Those in `further_variants.json` tell the
workflow from its single mutations (`skillbench strength`): each is like an earlier variant of the
same SOP, with the least that has to differ for some mutation to go wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from skillbench_tasks.datasets.sops.drafts import VariantDraft
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import read_json
from skillbench_tasks.models import Record
from skillbench_tasks.models.base import Model

__all__ = ["FurtherVariant", "further_variants", "with_changes"]

_FILE: Final = Path(__file__).parent / "further_variants.json"

_LIKE: Final = "like"


class FurtherVariant(Model):
    """What differs from an earlier variant; a run stays possible, and its words stay true.

    Args:
        like: Number of the variant, from 1.
        rename: Text → text that takes its place in inputs and records, as whole values.
        inputs: Inputs with other values.
        change: Collection → key → fields with other values, of the variant or of the workspace.
        add: Collection → records beside those; `like` names one whose other fields they share.
        drop: Collection → keys of the variant's records that are not there.
    """

    like: int = Field(ge=1)
    rename: dict[str, str] = Field(default_factory=dict)
    inputs: dict[str, JsonValue] = Field(default_factory=dict)
    change: dict[str, dict[str, Record]] = Field(default_factory=dict)
    add: dict[str, tuple[Record, ...]] = Field(default_factory=dict)
    drop: dict[str, tuple[str, ...]] = Field(default_factory=dict)


@cache
def _file() -> Mapping[str, tuple[FurtherVariant, ...]]:
    try:
        return TypeAdapter(dict[str, tuple[FurtherVariant, ...]]).validate_python(read_json(_FILE))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise DataError(_FILE.name, field, first["msg"], "see docs/orchestration.md") from error


def further_variants(sop_id: str, drafts: Sequence[VariantDraft]) -> tuple[VariantDraft, ...]:
    """Return the further variants of a SOP, each made of one of its family's.

    Args:
        sop_id: The SOP.
        drafts: The family's variants.

    Raises:
        DataError: One names a variant or a record that is not there.
    """
    return tuple(
        with_changes(drafts, one, f"{sop_id}.{number}")
        for number, one in enumerate(_file().get(sop_id, ()))
    )


def with_changes(
    drafts: Sequence[VariantDraft], further: FurtherVariant, place: str = "a variant"
) -> VariantDraft:
    """Return one of a SOP's variants with what a further variant changes in it.

    Args:
        drafts: The family's variants.
        further: The changes.
        place: What they belong to, for messages.

    Raises:
        DataError: They name a variant or a record that is not there.
    """
    if further.like > len(drafts):
        raise DataError(place, "like", f"there is no variant {further.like}", "name one")
    draft = drafts[further.like - 1]
    inputs = {**_renamed(dict(draft.inputs), further.rename), **further.inputs}
    records: dict[str, list[Record]] = {
        name: [_renamed(one, further.rename) for one in listed]
        for name, listed in draft.records.items()
    }
    for name, keys in further.drop.items():
        records[name] = [one for one in records.get(name, []) if _key(name, one) not in keys]
    for name, changes in further.change.items():
        for key, fields in changes.items():
            found = {**_record(records, name, key, place), **fields}
            _put(records.setdefault(name, []), name, found)
    for name, added in further.add.items():
        records.setdefault(name, []).extend(_added(records, name, added, place))
    kept = {name: tuple(listed) for name, listed in records.items() if listed}
    return VariantDraft(inputs, kept, draft.faults)


def _key(collection: str, record: Record) -> str:
    return str(record[base_world().specs[collection].key])


def _put(listed: list[Record], collection: str, record: Record) -> None:
    """Put a record in the place of the one with its key; behind all where there is none."""
    for index, one in enumerate(listed):
        if _key(collection, one) == _key(collection, record):
            listed[index] = record
            return
    listed.append(record)


def _record(
    records: Mapping[str, Iterable[Record]], collection: str, key: str, place: str
) -> Record:
    if collection in base_world().specs:
        own = (one for one in records.get(collection, ()) if _key(collection, one) == key)
        found = next(own, None) or base_world().get(collection, key)
        if found is not None:
            return found
    raise DataError(place, f"{collection}.{key}", "no such record", "name one of the run's")


def _added(
    records: Mapping[str, Iterable[Record]], collection: str, added: Iterable[Record], place: str
) -> list[Record]:
    made = []
    for one in added:
        fields = dict(one)
        model = fields.pop(_LIKE, None)
        base = {} if model is None else _record(records, collection, str(model), place)
        made.append({**base, **fields})
    return made


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if not names:
        return value
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {key: _renamed(part, names) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(part, names) for part in value]
    return value
