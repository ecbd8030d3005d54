"""R4: whatever is wrong with a file of a skill is said in one line that names the file."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbench_tasks.datasets.loaders import load_cases, load_skills
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import read_front_matter, read_yaml
from skillbench_tasks.reports.checking import check_skills
from tests.conftest import ROOT

OWN = ROOT / "tests" / "data" / "own_skills"
FILES = (
    "parcel-desk/SKILL.md",
    "parcel-desk/flow.yaml",
    "parcel-desk/scenarios.yaml",
    "parcel-desk/gold.json",
    "parcel-desk/slots.yaml",
    "tools/collections.yaml",
    "tools/transit.yaml",
    "world.json",
)
SECONDS_MAX = 5.0


def _bomb() -> str:
    lines = ['a0: &a0 ["x", "x"]']
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    return "\n".join(lines)


def _written(data: bytes | str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    return damage


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").write_text("")


def _as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _linked_to_itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _cut(path: Path) -> None:
    text = path.read_bytes()
    path.write_bytes(text[: len(text) // 2] + b"\n\t}{[")


def _front(inner: str) -> str:
    return f"---\n{inner}\n---\nText.\n"


DAMAGES: dict[str, Callable[[Path], None]] = {
    "binary": _written(bytes(range(256)) * 20),
    "nul": _written("a: b\0c"),
    "utf_16": _written("a: 1".encode("utf-16")),
    "latin_1": _written("a: é".encode("latin-1")),
    "empty": _written(""),
    "blank": _written("\n \n"),
    "null": _written("null"),
    "number": _written("7"),
    "text": _written('"text"'),
    "list": _written("[1, 2]"),
    "list_of_lists": _written("[[], {}]"),
    "deep": _written("[" * 50_000),
    "deep_closed": _written("[" * 3_000 + "]" * 3_000),
    "deep_braces": _written('{"a":' * 30_000),
    "deep_lines": _written("\n".join(" " * n + "a:" for n in range(700))),
    "deep_dashes": _written("- " * 3_000 + "1"),
    "bomb": _written(_bomb()),
    "bomb_front": _written(_front(_bomb())),
    "endless_alias": _written("a: &a [*a]"),
    "endless_front": _written(_front("a: &a [*a]")),
    "twice": _written('{"a": 1, "a": 2}'),
    "twice_front": _written(_front("name: a\nname: b")),
    "no_yaml": _written("a: [1\nb: }"),
    "no_yaml_front": _written(_front("a: [1\nb: }")),
    "tag": _written("a: !!python/object/apply:os.getcwd []"),
    "tag_front": _written(_front("a: !!python/object/apply:os.getcwd []")),
    "key_is_list": _written("? [a, b]\n: 1"),
    "integer": _written('{"a": ' + "9" * 5_001 + "}"),
    "documents": _written("a: 1\n---\nb: 2\n---\nc: 3"),
    "folder": _as_folder,
    "pipe": _as_pipe,
    "itself": _linked_to_itself,
    "cut": _cut,
}


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OWN, tmp_path / "skills"))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("file", FILES)
def test_damaged_file_r4_is_one_line(skills: Path, file: str, damage: str) -> None:
    if (file, damage) == ("parcel-desk/SKILL.md", "cut"):
        pytest.skip("half of a Markdown text is a Markdown text")
    DAMAGES[damage](skills / file)
    begun = time.process_time()
    with pytest.raises(DataError) as caught:
        load_cases(skills)
    assert time.process_time() - begun < SECONDS_MAX
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700
    assert Path(file).name.split(".")[0] in str(caught.value)
    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize(
    "change", [lambda t: b"\xef\xbb\xbf" + t, lambda t: t.replace(b"\n", b"\r\n")]
)
@pytest.mark.parametrize("file", FILES)
def test_mark_and_line_ends_of_other_systems_r4_are_read(
    skills: Path, file: str, change: Callable[[bytes], bytes]
) -> None:
    before = [case.gold for case in load_cases(skills)]
    path = skills / file
    path.write_bytes(change(path.read_bytes()))
    other = Path(shutil.copytree(skills, skills.parent / "again"))
    assert [case.gold for case in load_cases(other)] == before


def test_links_r4_add_no_skill(skills: Path) -> None:
    count = len(load_skills(skills))
    (skills / "again").symlink_to(skills / "parcel-desk", target_is_directory=True)
    assert len(load_skills(skills)) == count
    (skills / "parcel-desk" / "up").symlink_to("..", target_is_directory=True)
    with pytest.raises(DataError, match="leads to a folder above"):
        load_skills(skills)


def test_linked_folder_of_skills_is_read(skills: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "linked").symlink_to(skills, target_is_directory=True)
    assert [skill.name for skill in load_skills(tmp_path / "elsewhere")] == ["parcel-desk"]


def test_same_name_twice_r4_is_refused_by_check(skills: Path) -> None:
    shutil.copytree(skills / "parcel-desk", skills / "more" / "parcel-desk")
    with pytest.raises(DataError, match="has the same name"):
        check_skills(skills)


FRONT_MATTERS = {
    "folded": ("---\nname: a\ndescription: >\n  one\n  --- two\n  ---\n---\nBody\n", "one --- two ---\n", "Body"),
    "blank_behind": ("--- \nname: a\ndescription: b\n---  \nBody\n", "b", "Body"),
    "rule_in_body": ("---\ndescription: b\n---\nOne\n\n---\n\nTwo\n", "b", "One\n\n---\n\nTwo"),
    "blank_at_end": ("---\ndescription: b\n---\nBody\n--- ", "b", "Body\n---"),
    "dashes_in_value": ("---\ndescription: b---c\n---\nBody", "b---c", "Body"),
    "line_before": ("\n---\ndescription: b\n---\n", "b", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", FRONT_MATTERS)
def test_front_matter_r4_is_read_right(name: str, tmp_path: Path) -> None:
    text, description, body = FRONT_MATTERS[name]
    path = tmp_path / "SKILL.md"
    path.write_text(text)
    found = read_front_matter(path)
    assert found is not None
    assert (found[0]["description"], found[1]) == (description, body)


def test_yaml_fault_r4_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "flow.yaml"
    path.write_text("a: 1\nb: [1\nc: 2\n")
    with pytest.raises(DataError, match=r"flow\.yaml:3: ") as caught:
        read_yaml(path)
    assert "\n" not in str(caught.value)


def test_anchors_of_ordinary_size_r4_are_read(tmp_path: Path) -> None:
    path = tmp_path / "flow.yaml"
    path.write_text("a: &a {b: 1}\nc: [*a, *a]\n")
    assert read_yaml(path) == {"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}]}
