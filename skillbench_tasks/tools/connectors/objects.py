"""The data dictionary of the sales server: its objects, their fields and parents.

Source: `schemas/sales.yaml`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue

from skillbench_tasks.files import model_from, read_yaml
from skillbench_tasks.models import Model

__all__ = ["FieldSpec", "ObjectSpec", "object_of_id", "objects"]

_FILE = Path(__file__).parent / "schemas" / "sales.yaml"


class FieldSpec(Model):
    """A field of an object.

    `required` says that no record is made without it; `fixed`, that only the system sets it.
    """

    type: Literal[
        "text", "number", "date", "datetime", "boolean", "choice", "employee", "reference"
    ]
    values: tuple[str, ...] = ()
    to: str | None = None
    default: JsonValue = None
    required: bool = False
    fixed: bool = False


class ObjectSpec(Model):
    """An object: the collection that holds its records, and its fields; the first is the key."""

    collection: str
    fields: dict[str, FieldSpec]

    @property
    def key(self) -> str:
        """Name of the key field."""
        return next(iter(self.fields))

    @property
    def parents(self) -> dict[str, str]:
        """Name of each parent object → the field that refers to it."""
        named = {name.removesuffix("_id"): name for name, f in self.fields.items() if f.to}
        return {parent: name for parent, name in named.items() if self.fields[name].to == parent}


class _File(Model):
    objects: dict[str, ObjectSpec] = Field(min_length=1)


@cache
def objects() -> dict[str, ObjectSpec]:
    """Return the objects by name."""
    return model_from(_File, read_yaml(_FILE), _FILE).objects


_OBJECT_OF_PREFIX = {
    "ACC": "account",
    "CON": "contact",
    "LEA": "lead",
    "OPP": "opportunity",
    "TSK": "task",
}


def object_of_id(record_id: str) -> str:
    """Return the object that a record's id belongs to; the id has a known prefix."""
    return _OBJECT_OF_PREFIX[record_id.partition("-")[0]]
