"""The tool catalogue: servers, tools and collections, one YAML file for each server."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import line_of, model_from, read_yaml, shown
from skillbench_tasks.models import CollectionSpec, Server, ToolSpec
from skillbench_tasks.tools.catalogue.checks import behaviour_faults
from skillbench_tasks.tools.toolbox import Tool
from skillbench_tasks.tools.workflow.schemas import schema_problem

__all__ = ["collections", "load_collections", "load_server", "servers", "tools"]

_FOLDER = Path(__file__).parent
_COLLECTIONS = "collections.yaml"


@cache
def collections() -> dict[str, CollectionSpec]:
    """Return the declared collections by name."""
    return load_collections(_FOLDER / _COLLECTIONS)


@cache
def servers() -> dict[str, Server]:
    """Return the servers of the catalogue by name."""
    files = sorted(p for p in _FOLDER.glob("*.yaml") if p.name != _COLLECTIONS)
    return {server.server: server for server in (_server(file) for file in files)}


@cache
def tools() -> dict[str, Tool]:
    """Return every tool of the catalogue by full name, ready to run.

    What ships has been checked by the tests; files of one's own are checked by `load_server`.
    """
    found: dict[str, Tool] = {}
    for file in sorted(p for p in _FOLDER.glob("*.yaml") if p.name != _COLLECTIONS):
        for tool in load_server(file, collections(), check=False):
            found[tool.spec.full_name] = tool
    return found


def load_collections(path: Path) -> dict[str, CollectionSpec]:
    """Read a file of collection declarations.

    Raises:
        DataError: It does not fit the format.
    """
    declared = read_yaml(path)
    if not isinstance(declared, dict) or not isinstance(declared.get("collections"), dict):
        raise DataError(shown(path), "collections", "no collections", "declare some")
    return {
        name: model_from(CollectionSpec, spec, path, f"collections.{name}")
        for name, spec in declared["collections"].items()
    }


def load_server(path: Path, specs: dict[str, CollectionSpec], *, check: bool = True) -> list[Tool]:
    """Read one server's tools and check their schemas and behaviours.

    Args:
        path: The YAML file.
        specs: The collections that behaviours may use.
        check: Whether to check schemas and behaviours too.

    Raises:
        DataError: A tool does not fit the format, or stands twice.
    """
    server = _server(path)
    made: dict[str, Tool] = {}
    for index, entry in enumerate(server.tools):
        field = f"tools.{index}"
        data = {**entry, "server": server.server}
        spec = model_from(ToolSpec, data, path, field)
        if spec.name in made:
            raise DataError(shown(path), f"{field}.name", "the tool stands twice", "rename one")
        if check:
            _check_tool(spec, specs, path, field)
        made[spec.name] = Tool.of(spec)
    return list(made.values())


def _check_tool(spec: ToolSpec, specs: dict[str, CollectionSpec], path: Path, field: str) -> None:
    _check_schema(spec.input_schema, path, f"{field}.input_schema")
    schema = spec.input_schema
    if schema.get("type") != "object" or schema.get("additionalProperties") is not False:
        problem = "needs type: object and additionalProperties: false"
        raise _fault(path, f"{field}.input_schema", problem, "add them")
    if spec.output_schema is not None:
        _check_schema(spec.output_schema, path, f"{field}.output_schema")
    faults = behaviour_faults(spec, specs)
    if faults:
        problem = f"{spec.name}: {faults[0]}"
        raise _fault(path, field, problem, "see docs/tool-format.md")


def _server(path: Path) -> Server:
    return model_from(Server, read_yaml(path), path)


def _check_schema(schema: dict[str, Any], path: Path, field: str) -> None:
    problem = schema_problem(schema)
    if problem is not None:
        raise _fault(path, field, problem, "write a JSON Schema")


def _fault(path: Path, field: str, problem: str, mend: str) -> DataError:
    return DataError(shown(path), field, problem, mend, line_of(path, field.split(".")))
