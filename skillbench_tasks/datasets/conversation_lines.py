"""Files with one JSON object on each line: read once for faults, then line by line on demand.

What stays in memory is each line, compressed, and the few conversations that were asked for last.
So memory does not grow with the number of decisions, and a file that changes during a run does no
harm.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from skillbench_tasks.datasets.conversations import SKIP, ConversationSource
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import shown
from skillbench_tasks.models.conversation import Conversation

__all__ = ["FORMAT_PAGE", "Line", "LineConversations", "Reader", "json_value"]

FORMAT_PAGE: Final = "see docs/conversation-format.md"
"""The mend of faults that have none of their own."""

_TOLD: Final = 5
"""Broken lines that are told one by one."""

_KEPT: Final = 64
"""Conversations kept as they were read; samples of one conversation run close together."""

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Line:
    """A line of a file: where it stands, and the JSON object that it holds."""

    file: str
    number: int
    data: dict[str, Any]

    def fault(
        self, field: str | Sequence[object], problem: str, mend: str = FORMAT_PAGE
    ) -> DataError:
        """Return a fault of this line, to be raised.

        Args:
            field: Where in the line, dotted, or its parts.
            problem: What is wrong.
            mend: What to do about it.
        """
        dotted = field if isinstance(field, str) else ".".join(str(part) for part in field)
        return DataError(self.file, dotted, problem, mend, self.number)


Reader: TypeAlias = Callable[[Line], Conversation | None]
"""Makes the conversation of a line; none where the line holds no conversation that counts."""


class LineConversations(ConversationSource):
    """The conversations of a file.

    Args:
        path: The file; gzipped where its name ends in `.gz`.
        read: Makes the conversation of a line; asked twice for the same line, it gives the same.
        skip: Whether lines that are broken are left out, and told in `notes`.
        lines: Numbers and texts of the lines, where they are no file's; default: those of `path`.

    Raises:
        DataError: The file is broken, or none of its lines holds a conversation; or, unless they
            are left out, a line is broken or an id stands twice: the first is told, and how many.
    """

    def __init__(
        self,
        path: Path,
        read: Reader,
        *,
        skip: bool = False,
        lines: Iterable[tuple[int, bytes]] | None = None,
    ) -> None:
        self.name = path.name.removesuffix(".gz").removesuffix(".jsonl")
        self.left_out: list[int] = []
        """Numbers of the lines that hold no conversation that counts."""
        self._file = shown(path)
        self._read = read
        self._lines: dict[str, tuple[int, bytes]] = {}
        self._read_again = lru_cache(maxsize=_KEPT)(self._unpacked)
        self.faults: list[DataError] = []
        """What is wrong with the lines that are left out."""
        total = 0
        for number, raw in _raw_lines(path) if lines is None else lines:
            if not raw.strip():
                continue
            total += 1
            try:
                self._add(number, _decoded(raw, self._file, number))
            except DataError as fault:
                self.faults.append(fault)
        if self.faults and not (skip and self._lines):
            raise self._refused(total, can_skip=bool(self._lines))
        if self.faults:
            self.notes = (*self.notes, *_told(self.faults, total))
        if not self._lines:
            raise DataError(self._file, "", "no conversation in it", FORMAT_PAGE)

    def _refused(self, total: int, *, can_skip: bool) -> DataError:
        """Return the first fault of a line; of several, with their number and how to go on."""
        first = self.faults[0]
        if not can_skip or total == 1:
            return first
        of = f"lines at fault: {len(self.faults)} of {total}"
        mend = f"{first.mend} ({of}; {SKIP}: before the file's name leaves them out)"
        return DataError(first.file, first.field, first.problem, mend, first.line)

    def ids(self) -> tuple[str, ...]:
        """Return the ids in the file's order."""
        return tuple(self._lines)

    def conversation(self, conversation_id: str) -> Conversation:
        """Return one conversation, read anew if it was not asked for lately."""
        if conversation_id not in self._lines:
            raise DataError(self._file, "", f"no conversation {conversation_id!r}", "see its ids")
        return self._read_again(conversation_id)

    def _add(self, number: int, text: str) -> None:
        line = Line(self._file, number, _object(text, self._file, number))
        conversation = self._read(line)
        if conversation is None:
            self.left_out.append(number)
            return
        first = self._lines.get(conversation.id)
        if first is not None:
            problem = f"{conversation.id!r} stands on line {first[0]} too"
            raise line.fault("id", problem, "give every conversation an id of its own")
        self._lines[conversation.id] = (number, zlib.compress(text.encode(), 1))

    def _unpacked(self, conversation_id: str) -> Conversation:
        number, packed = self._lines[conversation_id]
        data = _object(zlib.decompress(packed).decode(), self._file, number)
        made = self._read(Line(self._file, number, data))
        assert made is not None  # it was read before
        return made


def _told(faults: Sequence[DataError], total: int) -> Iterator[str]:
    yield f"lines left out because they are broken: {len(faults)} of {total}"
    yield from (f"left out: {fault}" for fault in faults[:_TOLD])
    if len(faults) > _TOLD:
        yield f"left out: {len(faults) - _TOLD} more"


def json_value(text: str) -> Any:
    """Parse a JSON text strictly: no key twice, no NaN or infinity, no half of a surrogate pair.

    Raises:
        ValueError: It is no such text; the message says why, in a few words.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_distinct,
            parse_float=_finite,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg[0].lower()}{error.msg[1:]}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _ESCAPED_SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair in a text") from None
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise ValueError(f"the key {key!r} stands twice")
        made[key] = value
    return made


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise ValueError(f"{number} is too large a number")
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _object(text: str, file: str, number: int) -> dict[str, Any]:
    try:
        data = json_value(text)
    except ValueError as error:
        mend = "write one JSON object on each line"
        raise DataError(file, "", str(error), mend, number) from None
    if not isinstance(data, dict):
        problem = f"a {type(data).__name__}, not an object"
        raise DataError(file, "", problem, "write one JSON object on each line", number)
    return data


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers from 1."""
    file = shown(path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
            yield from enumerate(lines, 1)
    except FileNotFoundError:
        raise DataError(str(path), "", "no such file", "give a file of conversations") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(file, "", f"cannot be read: {reason}", "get the file anew") from error


def _decoded(raw: bytes, file: str, number: int) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise DataError(file, "", f"not UTF-8: {error.reason}", "save as UTF-8", number) from error
