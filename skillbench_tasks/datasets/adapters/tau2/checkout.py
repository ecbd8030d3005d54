"""A user's own checkout of τ²-bench: where its retail domain stands, and its tools by their source.

The source publishes data under `data/tau2/domains/<domain>` and defines tools as methods in
`src/tau2/domains/<domain>/tools.py`. The file is parsed and never run: decorator, signature and
docstring give what the source's own schema generator makes of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import docstring_parser

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import read_text, shown

__all__ = ["DOMAIN", "domain_folder", "source_of_tools", "tools_in"]

DOMAIN: Final = "retail"
"""The one domain that is played here."""

_DOMAINS: Final = Path("data", "tau2", "domains")
_TOOLS: Final = Path("src", "tau2", "domains", DOMAIN, "tools.py")
_DECORATOR: Final = "is_tool"
_WRITES: Final = "WRITE"
_TYPES: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}


def domain_folder(path: Path) -> Path:
    """Return the folder of the retail domain in what the user gave.

    Args:
        path: A checkout, its folder of domains, or a domain's folder.

    Raises:
        DataError: It is another domain's, which are not played here.
    """
    for place in (path / _DOMAINS / DOMAIN, path / DOMAIN):
        if place.is_dir():
            return place
    if path.parent.name == _DOMAINS.name and path.name != DOMAIN:
        problem = f"the domain {path.name} is not played here: {DOMAIN} is the only one"
        raise DataError(shown(path), "", problem, f"give the folder of {DOMAIN}, or the checkout")
    return path


def source_of_tools(folder: Path) -> Path | None:
    """Return the file in which a checkout defines the tools of its domain folder, if it is one."""
    for above in folder.parents:
        if (above / _TOOLS).is_file() and folder == above / _DOMAINS / DOMAIN:
            return above / _TOOLS
    return None


def tools_in(path: Path) -> dict[str, Any]:
    """Return the tools of a source file in the form of `tools.json`: definitions, and who writes.

    Args:
        path: The file `tools.py`.

    Raises:
        DataError: It is no Python, or a tool in it has a form that is not read.
    """
    try:
        tree = ast.parse(read_text(path))
    except SyntaxError as error:
        raise DataError(shown(path), "", error.msg, "get the file anew", error.lineno) from error
    functions, mutating = [], {}
    for method, kind in _tools(tree):
        functions.append({"type": "function", "function": _function(path, method)})
        mutating[method.name] = kind == _WRITES
    return {"agent_tools": functions, "mutating": mutating}


def _tools(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Yield the methods marked as tools, with the kind that the mark names."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            match mark:
                case ast.Call(func=ast.Name(id=name), args=[ast.Attribute(attr=kind), *_]):
                    if name == _DECORATOR:
                        yield node, kind


def _function(path: Path, method: ast.FunctionDef) -> dict[str, Any]:
    said = docstring_parser.parse(ast.get_docstring(method) or "")
    about = {one.arg_name: one.description or "" for one in said.params}
    arguments = method.args.args[1:]
    needed = len(arguments) - len(method.args.defaults)
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {
            one.arg: {"description": about.get(one.arg, ""), **_schema(path, one)}
            for one in arguments
        },
    }
    if needed:
        parameters["required"] = [one.arg for one in arguments[:needed]]
    parts = [part for part in (said.short_description, said.long_description) if part]
    return {"name": method.name, "description": "\n\n".join(parts), "parameters": parameters}


def _schema(path: Path, argument: ast.arg) -> dict[str, Any]:
    match argument.annotation:
        case ast.Name(id=name) if name in _TYPES:
            return {"type": _TYPES[name]}
        case ast.Subscript(value=ast.Name(id="List" | "list"), slice=ast.Name(id=name)) if (
            name in _TYPES
        ):
            return {"type": "array", "items": {"type": _TYPES[name]}}
    kind = ast.unparse(argument.annotation) if argument.annotation else "no type"
    problem = f"{argument.arg}: {kind} is a type that is not read"
    raise DataError(
        shown(path),
        argument.arg,
        problem,
        "give a checkout of the version named in docs/adapters.md",
        argument.lineno,
    )
