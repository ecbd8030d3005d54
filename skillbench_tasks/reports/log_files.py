"""Logs on disk: which there are, and reading one with a single line about what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from skillbench_tasks.errors import DataError, OptionError
from skillbench_tasks.files import LOG_NAME

__all__ = ["log_files", "read_log"]

T = TypeVar("T")


def log_files(place: Path, option: str) -> list[str]:
    """Return the paths of logs, sorted and as the user would name them.

    Args:
        place: A log, or a folder that is searched with all its folders.
        option: What the user calls it.

    Raises:
        OptionError: There is no such file or folder.
    """
    if not place.exists():
        raise OptionError(option, f"no such file or folder: {place}", "give logs of a run")
    paths = [place] if place.is_file() else place.rglob("*")
    return sorted(str(one) for one in paths if one == place or LOG_NAME.fullmatch(one.name))


def read_log(reader: Callable[[str], T], file: str) -> T:
    """Read a log, or a part of it.

    Args:
        reader: One of Inspect's readers.
        file: The log.

    Raises:
        DataError: It cannot be read.
    """
    try:
        return reader(file)
    except Exception as error:  # archives, texts, models: each breaks in ways of its own
        told = next(iter(str(error).splitlines()), "") or type(error).__name__
        problem = f"no Inspect log that can be read ({told})"
        raise DataError(file, "", problem, "run the task again, or take the file away") from error
