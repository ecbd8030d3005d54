"""Options of a task: unknown ones are refused, and a fault is one line, not a traceback."""

from __future__ import annotations

import inspect
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

# Inspect prints only this exception as one line, and does not export it.
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import Model, get_model

from skillbench_tasks.errors import OptionError, SkillbenchError

__all__ = [
    "faults_as_one_line",
    "refuse_unknown_options",
    "require_positive",
    "require_reachable",
]

_GIVEN_BY_INSPECT: Final = frozenset({"model"})
_THIS_MACHINE: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_CONNECT_SECONDS: Final = 5.0


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


def require_reachable(model: Model | None = None) -> None:
    """Refuse a model server on this machine that nobody has started.

    Inspect would try it again without end. Servers elsewhere may stand behind a proxy and are left
    to it.

    Args:
        model: The model; default: the one under test, where one is chosen yet.

    Raises:
        OptionError: Nothing listens at the model's base URL.
    """
    try:
        model = model or get_model()
    except ValueError:
        return  # no model is chosen yet: the task is built in Python, ahead of `eval`
    address = urlsplit(getattr(model.api, "base_url", None) or "")
    if address.hostname not in _THIS_MACHINE:
        return
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname, port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        problem = f"no server answers at {address.hostname}:{port} ({error.strerror or error})"
        raise OptionError(f"--model {model}", problem, "start it or mend its base URL") from error
