"""The files of a STAR folder beside the dialogues: APIs, flowcharts, ready answers.

Keys that nothing here needs are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from skillbench_tasks.errors import DataError
from skillbench_tasks.files import first_fault, read_json, shown

__all__ = [
    "Api",
    "Flow",
    "Foreign",
    "Slot",
    "dialogues_in",
    "published_lines",
    "read_apis",
    "read_flow",
]

_T = TypeVar("_T")
_FILES = ("single_task.jsonl", "multi_task.jsonl")


class Foreign(BaseModel):
    """A foreign record: types are taken at their word, further keys are left alone."""

    model_config = ConfigDict(frozen=True, strict=True)


class Slot(Foreign):
    """A field by which an API is asked, or that it answers with."""

    Name: str
    Type: Literal[
        "Boolean", "Categorical", "CategoricalMultiple", "Integer", "LongString", "RequestType",
        "ShortString",
    ]  # fmt: skip
    ReadableName: str
    Categories: list[str] = []
    Min: int | None = None
    Max: int | None = None


class _Output(Foreign):
    ReadableName: str


class Api(Foreign):
    """An API: what it is asked and what it answers."""

    input: list[Slot]
    output: list[_Output]
    required: list[str]


class Flow(Foreign):
    """A flowchart: node → what stands in it, node → the node that follows."""

    replies: dict[str, str]
    graph: dict[str, str]
    responses: dict[str, str]
    """Nodes that are messages of the wizard, in the words that he was given."""


def read_apis(folder: Path) -> Mapping[str, Api]:
    """Return the APIs by name.

    Raises:
        DataError: There is none, or one is broken.
    """
    places = (folder / "apis", folder / "apis" / "apis")
    files = sorted(path for place in places for path in place.glob("*.json"))
    if not files:
        raise DataError(str(folder), "apis", "no API in it", "give a clone of STAR")
    return {path.stem: _model(Api, read_json(path), path) for path in files}


def dialogues_in(folder: Path) -> Path:
    """Return where a folder holds its dialogues: the folder of a clone, else a file of lines.

    Raises:
        DataError: It holds none.
    """
    places = [folder / "dialogues", *(folder / f"{n}{e}" for n in _FILES for e in ("", ".gz"))]
    for place in places:
        if place.exists():
            return place
    problem = f"no dialogues/ and no {_FILES[0]} in it"
    raise DataError(str(folder), "", problem, "give a clone of STAR")


def published_lines(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the dialogues of a clone with the numbers by which their files are named."""
    files = [path for path in folder.glob("*.json") if path.stem.isdecimal()]
    for path in sorted(files, key=lambda path: int(path.stem)):
        yield int(path.stem), path.read_bytes()


def read_flow(folder: Path, task: str) -> Flow | None:
    """Return the flowchart of a task, with the wizard's ready answers; none if it is not there.

    Raises:
        DataError: A file is broken, or one of the two is missing.
    """
    path = folder / "flowcharts" / f"{task}.flow.json"
    answers = folder / "flowcharts" / f"{task}.responses.json"
    if (folder / "tasks" / task).is_dir():
        path = folder / "tasks" / task / f"{task}.json"
        answers = folder / "tasks" / task / "responses.json"
    if not path.exists() and not answers.exists():
        return None
    data = read_json(path)
    responses = _model(dict[str, str], read_json(answers), answers)
    chart: dict[str, Any] = data if isinstance(data, dict) else {}
    return _model(Flow, {**chart, "responses": responses}, path)


def _model(model: type[_T], data: object, path: Path) -> _T:
    try:
        return TypeAdapter(model).validate_python(data)
    except ValidationError as error:
        place, problem = first_fault(error, data)
        raise DataError(shown(path), ".".join(place), problem, "get the file anew") from error
