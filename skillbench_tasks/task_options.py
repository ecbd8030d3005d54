"""Options of a task: unknown ones are refused, and a fault is one line, not a traceback."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# Inspect prints only this exception as one line, and does not export it.
from inspect_ai._util.error import PrerequisiteError

from skillbench_tasks.errors import OptionError, SkillbenchError

__all__ = ["faults_as_one_line", "refuse_unknown_options", "require_positive"]

_GIVEN_BY_INSPECT = frozenset({"model"})


@contextmanager
def faults_as_one_line() -> Iterator[None]:
    """Turn a fault of ours into the exception that Inspect prints as one line."""
    try:
        yield
    except SkillbenchError as error:
        raise PrerequisiteError(str(error)) from error


def refuse_unknown_options(task: Callable[..., Any], unknown: Mapping[str, Any]) -> None:
    """Refuse options that a task does not have; Inspect alone would run without them.

    Args:
        task: The task, whose keyword-only parameters are its options.
        unknown: What was given beyond them.

    Raises:
        OptionError: There is one.
    """
    strange = sorted(set(unknown) - _GIVEN_BY_INSPECT)
    if strange:
        parameters = inspect.signature(task).parameters.values()
        known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
        raise OptionError(f"-T {strange[0]}", "no such option", f"use {', '.join(known)}")


def require_positive(option: str, value: object) -> None:
    """Refuse what is no whole number above 0.

    Raises:
        OptionError: It is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise OptionError(f"-T {option}", f"{value!r} is no whole number above 0", "give one")
