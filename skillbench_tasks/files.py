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

__all__ = [
    "LOG_NAME",
    "first_fault",
    "is_there",
    "line_of",
    "model_from",
    "parse_yaml",
    "read_front_matter",
    "read_json",
    "read_text",
    "read_yaml",
    "shown",
]

_BYTES_MAX: Final = 50_000_000
_NODES_MAX: Final = 500_000
"""Values of a YAML file, aliases written out."""

_LEVELS_MAX: Final = 200
_BRACKETS_MAX: Final = 400
_BRACKET: Final = re.compile(r"[\[\]{}]")
_FENCE: Final = "---"

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


def is_there(path: Path) -> bool:
    """Tell whether something stands at a path, though it be a link that leads nowhere."""
    return path.is_symlink() or path.exists()


def read_text(path: Path) -> str:
    """Read a UTF-8 file; line ends of any system are line feeds.

    Raises:
        DataError: It is missing, no regular file, unreadable, too large or not UTF-8.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise DataError(shown(path), "", "not a file", "put a file there")
        if path.stat().st_size > _BYTES_MAX:
            problem = f"more than {_BYTES_MAX // 1_000_000} MB"
            raise DataError(shown(path), "", problem, "split it or shorten it")
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(shown(path), "", "the file is missing", "add it") from None
    except UnicodeDecodeError as error:
        raise DataError(shown(path), "", f"not UTF-8: {error.reason}", "save as UTF-8") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(shown(path), "", f"cannot be read: {reason}", "mend the file") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataError(shown(path), "", "holds a NUL character", "save it as plain text", line)
    return text


def read_front_matter(path: Path) -> tuple[Any, str] | None:
    """Read a Markdown file that begins with YAML between two lines of three dashes.

    Dashes in a line that holds anything else, or is indented, are text like any other.

    Returns:
        What the YAML says, and the text behind it; None where there is no front matter.

    Raises:
        DataError: The file cannot be read, or the YAML is broken.
    """
    lines = read_text(path).splitlines()
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    fences = [n for n, line in enumerate(lines) if line.rstrip() == _FENCE][:2]
    if len(fences) < 2 or fences[0] != first:
        return None
    begin, end = fences
    yaml_text = "".join(f"{line}\n" for line in lines[begin + 1 : end])
    head = parse_yaml(yaml_text, path, "front matter", begin + 2)
    return head, "\n".join(lines[end + 1 :]).strip()


def read_yaml(path: Path) -> Any:
    """Read a YAML file; see `parse_yaml`."""
    return parse_yaml(read_text(path), path)


def parse_yaml(text: str, path: Path, field: str = "", first_line: int = 1) -> Any:
    """Parse YAML; duplicate keys, endless aliases and syntax errors are refused with their line.

    Args:
        text: The YAML.
        path: The file in which it stands, for messages.
        field: Where in the file it stands.
        first_line: The line of the file on which it begins.

    Raises:
        DataError: It is no YAML of the kinds that data files have.
    """
    place = shown(path)
    _refuse_nesting(text, place, field)
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            _refuse_expansion(node)
            return None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except _DuplicateKey as error:
        key, line = error.args
        at = line + first_line - 1
        raise DataError(place, key, "the key stands twice", "keep one", at) from None
    except _TooLarge as error:
        raise DataError(place, field, str(error), "write it out, in fewer parts") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = mark.line + first_line if mark else None
        problem = " ".join(str(getattr(error, "problem", None) or "not YAML").split())
        problem = f"no YAML: {problem[:200]}"
        raise DataError(place, field, problem, "mend the syntax", at) from error
    except RecursionError:
        raise DataError(place, field, "nested too deep", "make it flatter") from None
    except (ValueError, TypeError) as error:  # no such date, a key that is a list
        problem = " ".join(str(error).split())[:200]
        raise DataError(place, field, problem, "mend the value") from error


def _refuse_nesting(text: str, place: str, field: str) -> None:
    """Refuse brackets nested so deep that a parser's own stack would end; a cheap look before."""
    depth = 0
    for found in _BRACKET.finditer(text):
        depth = max(0, depth + (1 if found[0] in "[{" else -1))
        if depth > _BRACKETS_MAX:
            raise DataError(place, field, "nested too deep", "make it flatter")


def _refuse_expansion(root: Any) -> None:
    """Refuse aliases that stand for too much, or for themselves."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()
    pending: list[tuple[Any, int, bool]] = [(root, 1, False)]
    while pending:
        node, level, is_done = pending.pop()
        inner = _inner_nodes(node)
        if is_done:
            open_nodes.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(one)] for one in inner)
            if sizes[id(node)] > _NODES_MAX:
                raise _TooLarge(f"more than {_NODES_MAX} values, aliases written out")
        elif id(node) in open_nodes:
            raise _TooLarge("an alias stands in what it stands for")
        elif id(node) not in sizes:
            if level > _LEVELS_MAX:
                raise _TooLarge(f"nested deeper than {_LEVELS_MAX} levels")
            open_nodes.add(id(node))
            pending.append((node, level, True))
            pending += [(one, level + 1, False) for one in inner]


def _inner_nodes(node: Any) -> list[Any]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


class _TooLarge(Exception):
    """A YAML text that stands for more than a data file holds."""


def read_json(path: Path) -> Any:
    """Read a JSON file; syntax errors, and keys that stand twice, are refused."""
    text = read_text(path)
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        raise DataError(shown(path), "", error.msg, "mend the syntax", error.lineno) from error
    except _DuplicateKey as error:
        raise DataError(shown(path), error.args[0], "the key stands twice", "keep one") from None
    except RecursionError:
        raise DataError(shown(path), "", "nested too deep", "make it flatter") from None
    except ValueError as error:  # an integer of thousands of digits
        raise DataError(shown(path), "", "a number is too long", "shorten it") from error


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKey(key, 0)
            seen.add(key)
    return made


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
        inner, problem = first_fault(error, data)
        place = [*(field.split(".") if field else []), *inner]
        is_extra = error.errors()[0]["type"] == "extra_forbidden"
        mend = "take it out" if is_extra else "see docs/skill-format.md"
        line = line_of(path, place)
        raise DataError(shown(path), ".".join(place), problem, mend, line) from error


def first_fault(error: ValidationError, data: Any) -> tuple[list[str], str]:
    """Return where in some data a model's first fault stands, and what is wrong.

    Pydantic's places also name members of unions and validators; only what stands in the data is
    kept, and the field that is missing from them.

    Args:
        error: What validation raised.
        data: What was validated.
    """
    first = error.errors()[0]
    place: list[str] = []
    at = data
    for part in first["loc"]:
        is_there = isinstance(at, dict) and part in at
        is_there = is_there or (isinstance(at, list | tuple) and isinstance(part, int))
        if is_there:
            at = at[part]
        elif first["type"] != "missing" or part != first["loc"][-1]:
            continue
        place.append(str(part))
    return place, re.sub(r"^(?:Value error|Assertion failed), ", "", first["msg"])


def line_of(path: Path, place: Sequence[str]) -> int | None:
    """Return the line (from 1) of a dotted place in a YAML file, or of its nearest parent."""
    if path.suffix not in (".yaml", ".yml"):
        return None
    node = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=_Loader)
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
