"""Base worlds: one file for each industry, checked for keys, duplicates and references."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import is_there, model_from, read_json, shown
from skillbench_tasks.models import CollectionSpec, Skill, WorldFile
from skillbench_tasks.tools.catalogue.own import Catalogue, shipped
from skillbench_tasks.tools.world import World

__all__ = ["OWN_WORLD", "base_world", "load_world", "world_file", "world_path"]

_FOLDER = Path(__file__).parent / "worlds"
OWN_WORLD: Final = "world.json"
_ID = re.compile(r"^[A-Z]{2,5}-[0-9]+$")


def world_path(skill: Skill) -> Path:
    """Return the file of a skill's base world.

    A `world.json` in the skill's folder or beside it holds for skills of one's own; else the
    industry's that ships.
    """
    folder = Path(skill.folder)
    for place in (folder, folder.parent):
        if is_there(place / OWN_WORLD):
            return place / OWN_WORLD
    shipped = _FOLDER / f"{skill.industry}.json"
    if not shipped.exists():
        problem = f"no {OWN_WORLD} in or beside it, and no world {skill.industry!r} ships"
        raise DataError(shown(folder), "", problem, f"add {OWN_WORLD}")
    return shipped


@cache
def world_file(path: Path) -> WorldFile:
    """Return a world's file, unchecked beyond its shape."""
    return model_from(WorldFile, read_json(path), path)


@cache
def base_world(path: Path, catalogue: Catalogue | None = None) -> World:
    """Return the base world of a file; callers work on copies.

    Args:
        path: The file.
        catalogue: Declares its collections; default: what ships.

    Raises:
        DataError: There is none, or its file is broken.
    """
    specs = (catalogue or shipped()).collections
    if path.parent == _FOLDER:  # what ships is checked by the tests
        return World.from_file(specs, world_file(path)).freeze()
    return _checked(world_file(path), specs, path).freeze()


def load_world(path: Path, specs: Mapping[str, CollectionSpec]) -> World:
    """Read a base world and check that keys are unique and references resolve.

    Args:
        path: The JSON file.
        specs: The declared collections.

    Raises:
        DataError: The first fault.
    """
    return _checked(model_from(WorldFile, read_json(path), path), specs, path)


def _checked(file: WorldFile, specs: Mapping[str, CollectionSpec], path: Path) -> World:
    for name, records in file.collections.items():
        if name not in specs:
            raise DataError(shown(path), name, "no such collection", "declare it or rename it")
        seen: set[str] = set()
        for index, record in enumerate(records):
            field = f"collections.{name}.{index}"
            key = record.get(specs[name].key)
            if not isinstance(key, str) or not key:
                problem = f"no {specs[name].key}"
                raise DataError(shown(path), field, problem, "give each record its key")
            if key in seen:
                raise DataError(shown(path), field, f"{key} stands twice", "rename one")
            seen.add(key)
    _check_references(file, specs, path)
    return World.from_file(specs, file)


def _check_references(file: WorldFile, specs: Mapping[str, CollectionSpec], path: Path) -> None:
    """Refuse an id in a field named like the key of a collection that leads nowhere."""
    keys: dict[str, set[str]] = {}
    for name, spec in specs.items():
        found = {str(record[spec.key]) for record in file.collections.get(name, [])}
        keys.setdefault(spec.key, set()).update(found)
    for name, records in file.collections.items():
        for index, record in enumerate(records):
            for field, value in record.items():
                wanted = keys.get(field)
                is_reference = isinstance(value, str) and _ID.match(value) is not None
                if wanted is not None and is_reference and value not in wanted:
                    place = f"collections.{name}.{index}.{field}"
                    raise DataError(shown(path), place, f"no record {value}", "mend the reference")
