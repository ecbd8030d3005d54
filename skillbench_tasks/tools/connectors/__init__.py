"""The connector catalogue: the 64 tools of standard operating procedures over 14 servers.

One YAML file for each server, in the format of the support catalogue (`docs/tool-format.md`), with
collections of its own. Its servers are named apart from the support catalogue's, so that a model
never sees two tools of one name. Handlers are registered when this package is imported.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from skillbench_tasks.files import model_from, read_yaml
from skillbench_tasks.models import CollectionSpec, Server
from skillbench_tasks.tools.catalogue import load_collections, load_server
from skillbench_tasks.tools.connectors.handlers import register
from skillbench_tasks.tools.toolbox import Tool

__all__ = ["RUNTIME_SERVERS", "collections", "server_files", "servers", "tools"]

RUNTIME_SERVERS: Final = frozenset({"automation"})
"""Servers of the platform itself; they do not count as application families."""

_FOLDER = Path(__file__).parent
_COLLECTIONS = "collections.yaml"

register()


@cache
def collections() -> dict[str, CollectionSpec]:
    """Return the declared collections by name."""
    return load_collections(_FOLDER / _COLLECTIONS)


def server_files() -> list[Path]:
    """Return the files of the servers, in the order of their names."""
    return sorted(path for path in _FOLDER.glob("*.yaml") if path.name != _COLLECTIONS)


@cache
def servers() -> dict[str, Server]:
    """Return the servers by name."""
    read = (model_from(Server, read_yaml(path), path) for path in server_files())
    return {server.server: server for server in read}


@cache
def tools() -> dict[str, Tool]:
    """Return all tools by full name, ready to run; the tests have checked them."""
    found: dict[str, Tool] = {}
    for path in server_files():
        for tool in load_server(path, collections(), check=False):
            found[tool.spec.full_name] = tool
    return found
