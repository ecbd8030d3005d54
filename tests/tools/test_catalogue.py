"""The catalogue that ships, and the loader's answers to broken files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from skillbench_tasks.errors import DataError
from skillbench_tasks.tools import catalogue
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.toolkit import tool_defs
from skillbench_tasks.tools.world import World

TOOL = """
server: till
title: Till
description: A till.
tools:
  - name: open
    title: Open
    description: Opens.
    access: write
    input_schema: {type: object, properties: {ticket_id: {type: string}}, required: [ticket_id], additionalProperties: false}
    behaviour:
      - {op: update, collection: tickets, key: "${args.ticket_id}", set: {status: open}, as: ticket}
    returns: "${ticket}"
"""


def test_catalogue_has_the_promised_size() -> None:
    tools = catalogue.tools()
    assert len(tools) >= 45
    assert len({tool.spec.server for tool in tools.values()}) >= 8


def test_every_server_that_ships_passes_the_checks() -> None:
    folder = Path(catalogue.__file__).parent
    files = [p for p in sorted(folder.glob("*.yaml")) if p.name != "collections.yaml"]
    loaded = [t for file in files for t in catalogue.load_server(file, catalogue.collections())]
    assert {tool.spec.full_name for tool in loaded} == set(catalogue.tools())


@pytest.mark.parametrize("name", sorted(catalogue.tools()))
def test_tool_is_mcp_shaped_and_documented(name: str) -> None:
    spec = catalogue.tools()[name].spec
    assert re.fullmatch(r"mcp\.[a-z0-9_]+:[a-z0-9_]+", name)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", spec.function_name)
    assert spec.description.count(".") >= 2
    Draft202012Validator.check_schema(spec.input_schema)
    assert spec.input_schema["additionalProperties"] is False
    assert all(p.get("description") for p in spec.input_schema["properties"].values())


def test_tool_defs_carry_names_and_schemas_of_the_catalogue() -> None:
    tools = list(catalogue.tools().values())
    world = World(catalogue.collections(), {}, "2026-01-01T08:00:00")
    defs = tool_defs(Toolbox(tools, world))
    assert [d.name for d in defs] == [tool.spec.function_name for tool in tools]
    for made, tool in zip(defs, tools, strict=True):
        assert made.parameters.required == tool.spec.input_schema.get("required", [])
        assert list(made.parameters.properties) == list(tool.spec.input_schema["properties"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(
            "collection: tickets", "collection: teckits", "no collection", id="collection"
        ),
        pytest.param("op: update", "op: upsert", "unknown op", id="op"),
        pytest.param("args.ticket_id", "args.ticket", "no argument ticket", id="argument"),
        pytest.param('returns: "${ticket}"', 'returns: "${tick}"', "not bound", id="name"),
        pytest.param("access: write", "access: read", "access is read", id="access"),
        pytest.param("type: string", "type: strng", "input_schema", id="schema"),
        pytest.param(", additionalProperties: false", "", "additionalProperties", id="open_schema"),
        pytest.param("title: Open", "title: Open\n    titel: x", "titel", id="unknown_key"),
        pytest.param("server: till", "server: Till", "server", id="server_name"),
        pytest.param("set: {status: open}", "sett: {status: open}", "needs set", id="missing_key"),
    ],
)
def test_broken_server_file_is_one_line_with_file_and_mend(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in TOOL
    path = tmp_path / "till.yaml"
    path.write_text(TOOL.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        catalogue.load_server(path, catalogue.collections())
    assert "till.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_write_declares_the_words_of_its_effect_a4() -> None:
    writes = [tool.spec for tool in catalogue.tools().values()]
    assert not [s.full_name for s in writes if s.access == "write" and s.effects is None]
