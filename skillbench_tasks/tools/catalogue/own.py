"""Tools of one's own beside those that ship: servers and collections from folders of YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import JsonValue, ValidationError

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import is_there, line_of, shown
from skillbench_tasks.models import CollectionSpec, ToolSpec
from skillbench_tasks.tools import catalogue
from skillbench_tasks.tools.shown_schema import shown_schema
from skillbench_tasks.tools.toolbox import Tool

__all__ = ["Catalogue", "shipped", "with_own"]

_COLLECTIONS: Final = "collections.yaml"
_NAME_LENGTH: Final = 64
"""Longest name of a function that providers take."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The tools that a skill may name and the collections that they work on."""

    collections: Mapping[str, CollectionSpec]
    tools: Mapping[str, Tool]


@cache
def shipped() -> Catalogue:
    """Return what ships, without anything of one's own."""
    return Catalogue(catalogue.collections(), catalogue.tools())


@cache
def with_own(folders: tuple[Path, ...]) -> Catalogue:
    """Return what ships with the servers and collections of folders added.

    Args:
        folders: Each holds `<server>.yaml` files and, where needed, a `collections.yaml`.

    Raises:
        DataError: A file is broken, or a name is taken already.
    """
    if not folders:
        return shipped()
    collections = dict(shipped().collections)
    for folder in folders:
        _add_collections(folder / _COLLECTIONS, collections)
    tools = dict(shipped().tools)
    servers = dict.fromkeys(catalogue.servers(), "ships")
    for folder in folders:
        for path in _server_files(folder):
            _add_server(path, collections, tools, servers)
    return Catalogue(collections, tools)


def _server_files(folder: Path) -> list[Path]:
    for path in sorted(folder.glob("*.yml")):
        raise DataError(shown(path), "", "is not read", f"name it {path.stem}.yaml")
    return sorted(path for path in folder.glob("*.yaml") if path.name != _COLLECTIONS)


def _add_collections(path: Path, known: dict[str, CollectionSpec]) -> None:
    if not is_there(path):
        return
    for name, spec in catalogue.load_collections(path).items():
        if name in known:
            problem = "there is such a collection already"
            raise _fault(path, f"collections.{name}", problem, "rename it")
        known[name] = spec


def _add_server(
    path: Path,
    collections: dict[str, CollectionSpec],
    tools: dict[str, Tool],
    servers: dict[str, str],
) -> None:
    made = catalogue.load_server(path, collections)
    name = made[0].spec.server
    if name != path.stem:
        raise _fault(path, "server", f"is {name}, the file {path.name}", "make them equal")
    if name in servers:
        problem = f"there is a server {name} already: it {servers[name]}"
        raise _fault(path, "server", problem, "rename server and file")
    servers[name] = f"stands in {shown(path)}"
    for index, tool in enumerate(made):
        _check_for_models(tool.spec, path, f"tools.{index}")
        tools[tool.spec.full_name] = tool


def _check_for_models(spec: ToolSpec, path: Path, field: str) -> None:
    """Refuse what could not be offered to a model."""
    from inspect_ai.tool import ToolParams  # heavy: reading data does without it

    if len(spec.function_name) > _NAME_LENGTH:
        problem = f"{spec.function_name} is longer than {_NAME_LENGTH} characters"
        raise _fault(path, f"{field}.name", problem, "shorten it")
    for place in ("input_schema", "output_schema"):
        if _refers(getattr(spec, place)):
            raise _fault(path, f"{field}.{place}", "holds a $ref", "write out what it refers to")
    try:
        ToolParams.model_validate(shown_schema(spec.input_schema))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        problem = f"no schema for a model: {where}: {first['msg']}"
        raise _fault(path, f"{field}.input_schema", problem, "write it more simply") from error


def _refers(schema: dict[str, Any] | JsonValue) -> bool:
    if isinstance(schema, dict):
        return "$ref" in schema or any(_refers(part) for part in schema.values())
    return isinstance(schema, list) and any(_refers(part) for part in schema)


def _fault(path: Path, field: str, problem: str, mend: str) -> DataError:
    return DataError(shown(path), field, problem, mend, line_of(path, field.split(".")))
