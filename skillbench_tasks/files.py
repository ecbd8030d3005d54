"""Reading data files: every fault names the file, the line, the field and the mend."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from skillbench_tasks.errors import DataError

__all__ = ["LOG_NAME", "line_of", "model_from", "read_json", "read_text", "read_yaml", "shown"]

LOG_NAME: Final = re.compile(r".+\.eval|\d{4}-\d{2}-\d{2}T.+\.json")
"""Names of logs, as Inspect gives them; its folders hold other JSON files too."""

_ModelT = TypeVar("_ModelT", bound=BaseModel)
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """YAML with the scalars of JSON: no dates, no `yes`/`no`, no base-60 numbers."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Build a mapping and refuse a key that stands twice."""
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(made) != len(node.value):
            seen: set[Any] = set()
            for key, _value in node.value:
                if key.value in seen:
                    raise _DuplicateKey(str(key.value), key.start_mark.line + 1)
                seen.add(key.value)
        return made


class _DuplicateKey(Exception):
    """A key stands twice in a YAML mapping."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|false)$", "tf"),
    ("null", r"^(?:null|~|)$", "n~"),
    ("int", r"^-?(?:0|[1-9][0-9]*)$", "-0123456789"),
    ("float", r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", "-0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^$"), [""])


def shown(path: Path) -> str:
    """Return a file's name as messages show it: its last three parts."""
    return "/".join(path.parts[-3:])


def read_text(path: Path) -> str:
    """Read a UTF-8 file.

    Raises:
        DataError: It is missing or not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(shown(path), "", "the file is missing", "add it") from None
    except UnicodeDecodeError as error:
        raise DataError(shown(path), "", f"not UTF-8: {error.reason}", "save as UTF-8") from error


def read_yaml(path: Path) -> Any:
    """Read a YAML file; duplicate keys and syntax errors are refused with their line."""
    text = read_text(path)
    try:
        return yaml.load(text, Loader=_Loader)
    except _DuplicateKey as error:
        key, line = error.args
        raise DataError(shown(path), key, "the key stands twice", "keep one", line) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = mark.line + 1 if mark else None
        problem = getattr(error, "problem", None) or "not YAML"
        raise DataError(shown(path), "", str(problem), "mend the syntax", at) from error


def read_json(path: Path) -> Any:
    """Read a JSON file; syntax errors are refused with their line."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise DataError(shown(path), "", error.msg, "mend the syntax", error.lineno) from error


def model_from(model: type[_ModelT], data: Any, path: Path, field: str = "") -> _ModelT:
    """Load data into a model.

    Args:
        model: The model.
        data: What the file holds at `field`.
        path: The file, for messages.
        field: Where in the file the data stands, dotted.

    Raises:
        DataError: The first fault, with its line where the file is YAML.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = [*(field.split(".") if field else []), *(str(part) for part in first["loc"])]
        mend = "take it out" if first["type"] == "extra_forbidden" else "see docs/skill-format.md"
        line = line_of(path, place)
        raise DataError(shown(path), ".".join(place), first["msg"], mend, line) from error


def line_of(path: Path, place: Sequence[str]) -> int | None:
    """Return the line (from 1) of a dotted place in a YAML file, or of its nearest parent."""
    if path.suffix not in (".yaml", ".yml"):
        return None
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=_Loader)
    line: int | None = None
    key: Any
    for part in place:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if getattr(k, "value", None) == part]
        elif isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
            found = [(node.value[int(part)], node.value[int(part)])]
        else:
            found = []
        if not found:
            return line
        key, node = found[0]
        line = key.start_mark.line + 1
    return line
