"""Recordings: what models answered in tools' stead, kept so that a re-run replays it.

Beside Inspect's own cache, which does not suffice: it is a store of pickles for each machine,
keyed by the model and its configuration, by epoch, and with an expiry. It needs the model even for
a hit, cannot say that something is missing, and cannot be handed on with a log. It saves the cost
of running again with the same model (`--model-role "mock={model: …, cache: true}"`), and may be
used with a recording or without one; we never turn it on.

A recording is a file of JSON lines, one for each answer. Its key stands for everything that the
answer depends on but the model: case, versions, prompt, tool, arguments, all calls and answers so
far. The first answer written under a key holds for everybody who reads the file, other processes
and epochs too. Lines are only ever appended, each with one write under a lock on the file; a last
line that a crash cut off is left out, and taken out by the next writer.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from os import fstat
from pathlib import Path
from typing import BinaryIO, Final

import anyio
from pydantic import ValidationError

from skillbench_tasks.errors import DataError, OptionError
from skillbench_tasks.files import shown
from skillbench_tasks.models import MockRow

__all__ = ["Recording", "open_recording", "recording_file"]

_SUFFIX: Final = ".jsonl"
_logger = logging.getLogger(__name__)


class Recording:
    """A file of recorded answers.

    Args:
        path: The file; it need not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._rows: dict[str, MockRow] = {}
        self._read = 0
        self._lines = 0
        self._inode: int | None = None
        self._torn = b""
        self._is_unended = False
        self._busy: dict[str, tuple[anyio.Lock, int]] = {}

    @asynccontextmanager
    async def alone_with(self, key: str) -> AsyncIterator[None]:
        """Let one execution of this process at a time look for a key and answer it."""
        lock, waiting = self._busy.get(key) or (anyio.Lock(), 0)
        self._busy[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._busy.pop(key)
            if waiting > 1:
                self._busy[key] = (lock, waiting - 1)

    def find(self, key: str) -> MockRow | None:
        """Return what is recorded under a key, by whichever process.

        Raises:
            DataError: A line that is not the last is broken.
        """
        if not self._is_same_file():
            self._forget()
        if key not in self._rows and self.path.exists():
            with self.path.open("rb") as file:
                self._catch_up(file)
        return self._rows.get(key)

    def add(self, row: MockRow) -> MockRow:
        """Record an answer and return what stands under its key: it, or an earlier one.

        Raises:
            OptionError: The file cannot be written.
            DataError: A line that is not the last is broken.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b", buffering=0) as file, _locked(file):
                self._catch_up(file)
                if row.entry.key not in self._rows:
                    if self._torn:
                        file.truncate(self._read)
                    start = b"\n" if self._is_unended else b""
                    file.write(start + row.model_dump_json().encode() + b"\n")
                    self._rows[row.entry.key] = row
                    self._catch_up(file)
        except OSError as error:
            problem = f"{shown(self.path)} cannot be written ({error.strerror})"
            raise OptionError("-T recording", problem, "name another file") from error
        return self._rows[row.entry.key]

    def _catch_up(self, file: BinaryIO) -> None:
        """Read the lines that are new."""
        if not self._is_same_file():
            self._forget()
        self._inode = fstat(file.fileno()).st_ino
        file.seek(self._read)
        *lines, rest = file.read().split(b"\n")
        for line in lines:
            self._lines += 1
            self._keep(line, self._lines)
            self._read += len(line) + 1
        self._read_last(rest)

    def _is_same_file(self) -> bool:
        """Return whether the file still begins with what was read; it may be taken away."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return self._read == 0
        return found.st_size >= self._read and self._inode in (None, found.st_ino)

    def _forget(self) -> None:
        self._rows.clear()
        self._read = self._lines = 0
        self._inode = None

    def _keep(self, line: bytes, number: int) -> None:
        row = _row(line, self.path, number)
        self._rows.setdefault(row.entry.key, row)

    def _read_last(self, rest: bytes) -> None:
        """Read a last line that does not end: it is whole, or a crash has cut it off."""
        torn, self._torn, self._is_unended = self._torn, b"", False
        try:
            if rest:
                self._keep(rest, self._lines + 1)
                self._is_unended = True
        except DataError:
            self._torn = rest
            if rest != torn:
                place = f"{shown(self.path)}:{self._lines + 1}"
                _logger.warning("%s: the last line is cut off and is left out", place)


def recording_file(place: Path, case: str) -> Path:
    """Return the file that records a case.

    Args:
        place: A file `*.jsonl` for all cases, or a folder with one file for each.
        case: The case's id.
    """
    if place.suffix == _SUFFIX and not place.is_dir():
        return place
    return place / (re.sub(r"[^A-Za-z0-9._-]", "_", case) + _SUFFIX)


@cache
def open_recording(path: Path) -> Recording:
    """Return the recording of a file: one object for all executions of this process."""
    return Recording(path)


def _row(line: bytes, path: Path, number: int) -> MockRow:
    try:
        return MockRow.model_validate(json.loads(line))
    except (ValueError, ValidationError) as error:
        problem = str(error).splitlines()[0]
        raise DataError(shown(path), "", problem, "take the line out", number) from error


@contextmanager
def _locked(file: BinaryIO) -> Iterator[None]:
    """Keep other processes from writing; where files have no such locks, appends alone hold."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
