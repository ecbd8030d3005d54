"""A user's own checkout of τ²-bench works as published; other domains are refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbench_tasks.datasets.adapters.tau2 import open_data
from skillbench_tasks.datasets.adapters.tau2.checkout import tools_in
from skillbench_tasks.errors import DataError
from tests.conftest import SHARED_DATA
from tests.tau2_mini import tools, write_mini

UPSTREAM = SHARED_DATA / "tau2" / "upstream"
PREPARED = SHARED_DATA / "tau2" / "retail"


def _source_of(folder: Path) -> Path:
    """Write a tools.py that defines the mini domain's tools as the source does."""
    listed = tools()
    lines = ["class Tools:"]
    for entry in listed["agent_tools"]:
        function = entry["function"]
        kind = "WRITE" if listed["mutating"][function["name"]] else "READ"
        names = function["parameters"].get("properties", {})
        given = "".join(
            f", {name}: {'list[str]' if schema.get('type') == 'array' else 'str'}"
            for name, schema in names.items()
        )
        lines += [
            f"    @is_tool(ToolType.{kind})",
            f"    def {function['name']}(self{given}) -> str:",
            f'        """{function["description"]}"""',
            "        raise RuntimeError('never run')",
        ]
    path = folder / "src" / "tau2" / "domains" / "retail" / "tools.py"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _checkout(folder: Path) -> Path:
    write_mini(folder / "data" / "tau2" / "domains" / "retail", tools=None, gold_replay=None)
    _source_of(folder)
    return folder


@pytest.mark.parametrize("place", ["", "data/tau2/domains", "data/tau2/domains/retail"])
def test_checkout_is_opened_from_its_root_or_its_domain_d2(tmp_path: Path, place: str) -> None:
    prepared = open_data(write_mini(tmp_path / "prepared"))
    source = open_data(_checkout(tmp_path / "clone") / place)
    assert [case.checks.target for case in source.cases()] == [
        case.checks.target for case in prepared.cases()
    ]
    assert source.notes == prepared.notes


def test_tools_of_a_source_are_read_and_never_run(tmp_path: Path) -> None:
    path = tmp_path / "tools.py"
    path.write_text(
        "raise SystemExit\n"
        "class T:\n"
        "    @is_tool(ToolType.WRITE)\n"
        "    def move(self, item: str, n: int, to: List[str], dry: bool = False) -> str:\n"
        '        """Move an item.\n        For good.\n\n        Args:\n            item: The item.\n        """\n'
        "    def _own(self): ...\n",
        encoding="utf-8",
    )
    assert tools_in(path) == {
        "agent_tools": [
            {
                "type": "function",
                "function": {
                    "name": "move",
                    "description": "Move an item.\n\nFor good.",
                    "parameters": {
                        "type": "object",
                        "properties": {
                            "item": {"description": "The item.", "type": "string"},
                            "n": {"description": "", "type": "integer"},
                            "to": {"description": "", "type": "array", "items": {"type": "string"}},
                            "dry": {"description": "", "type": "boolean"},
                        },
                        "required": ["item", "n", "to"],
                    },
                },
            }
        ],
        "mutating": {"move": True},
    }


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def f(:", "tools.py:1: "),
        (
            "class T:\n @is_tool(ToolType.READ)\n def f(self, x: Order): ...",
            "x: Order is a type that is not read",
        ),
    ],
)
def test_source_that_cannot_be_read_is_one_line(tmp_path: Path, body: str, said: str) -> None:
    path = tmp_path / "tools.py"
    path.write_text(body, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        tools_in(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("domain", ["airline", "telecom", "mock"])
def test_other_domain_is_refused_by_name_d3(tmp_path: Path, domain: str) -> None:
    folder = tmp_path / "data" / "tau2" / "domains" / domain
    folder.mkdir(parents=True)
    (folder / "db.json").write_text("{}")
    with pytest.raises(DataError) as caught:
        open_data(folder)
    expected = f"the domain {domain} is not played here: retail is the only one"
    assert expected in str(caught.value)


def test_folder_with_another_database_is_refused_by_name_d3(tmp_path: Path) -> None:
    folder = write_mini(tmp_path / "flights", db={"users": {}, "flights": {}})
    with pytest.raises(DataError, match="not the database of retail, the only domain"):
        open_data(folder)


@pytest.mark.shared_data
def test_published_checkout_gives_the_cases_of_the_prepared_folder_d2() -> None:
    published, prepared = open_data(UPSTREAM), open_data(PREPARED)
    assert len(published.cases()) == 114
    for theirs, ours in zip(published.cases(), prepared.cases(), strict=True):
        assert theirs.checks.target == ours.checks.target
        assert theirs.gold.turns == ours.gold.turns
    shown = [
        json.dumps(
            [(t.spec.name, t.spec.description, t.spec.access) for t in s.tools(s.cases()[0])]
        )
        for s in (published, prepared)
    ]
    assert shown[0] == shown[1]
