"""Options of a task: unknown ones are refused, and a fault is one line, not a traceback."""

from __future__ import annotations

import inspect
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec
from urllib.parse import urlsplit

import click
from inspect_ai import Task

# Inspect prints only this exception as one line, and does not export it.
from inspect_ai._util.error import PrerequisiteError

# Nor does it export the way to put a wrapped task in the place of the task.
from inspect_ai._util.registry import registry_add
from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.util import registry_info

from skillbench_tasks.errors import OptionError, SkillbenchError
from skillbench_tasks.model_output import guarded
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = [
    "absolute_paths",
    "faults_as_one_line",
    "is_made_by_inspect",
    "refuse_misspelt_roles",
    "refuse_unknown_options",
    "require_choice",
    "require_count",
    "require_positive",
    "require_reachable",
    "require_share",
    "run_metadata",
]

_GIVEN_BY_INSPECT: Final = frozenset({"model"})
_THIS_MACHINE: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_CONNECT_SECONDS: Final = 5.0
_ROLES: Final = ("user", "judge", "mock")
_DECORATOR_OF_TASKS: Final = "inspect_ai._eval.registry"
"""Module that stands between a task and whoever builds it."""


_SKIP: Final = "skip:"
"""Stands before a file whose broken lines are left out."""

_P = ParamSpec("_P")
_PATH_OPTIONS: Final[Mapping[str, Callable[[str], tuple[str, str, str]]]] = {
    "agent": lambda value: _around("@", value),
    "dataset": lambda value: _around(":", value),
    "recording": lambda value: ("", value, ""),
    "rubric": lambda value: ("", value, ""),
    "skills": lambda value: ("", value, ""),
    "start": lambda value: ("", value, ""),
}
"""Options that hold a path, each as what stands before it, the path, and what stands behind it."""


def absolute_paths(task: Callable[_P, Task]) -> Callable[_P, Task]:
    """Make the paths among a task's arguments absolute before Inspect writes them into the log.

    Stands above `@task`. A run that was killed can then be resumed from any folder.
    """

    @wraps(task)
    def placed(*args: _P.args, **kwargs: _P.kwargs) -> Task:
        for name, value in kwargs.items():
            if name in _PATH_OPTIONS and isinstance(value, str):
                before, path, behind = _PATH_OPTIONS[name](value)
                if path:
                    kwargs[name] = f"{before}{Path(path).expanduser().resolve()}{behind}"
        return task(*args, **kwargs)

    registry_add(placed, registry_info(task))
    return placed


def _around(mark: str, value: str) -> tuple[str, str, str]:
    """Split `FILE.py@name` and `<format>:PATH`; a value without its mark holds no path."""
    if mark == ":" and value.startswith(_SKIP):
        before, path, behind = _around(mark, value.removeprefix(_SKIP))
        return f"{_SKIP}{before}", path, behind
    if mark not in value:
        # An agent may be a registered name; a dataset without a format is a file or a folder.
        return ("", value, "") if mark == ":" and Path(value).exists() else (value, "", "")
    if mark == "@":
        path, _, name = value.rpartition(mark)
        return "", path, f"{mark}{name}"
    form, _, path = value.partition(mark)
    return f"{form}{mark}", path, ""


@contextmanager
def faults_as_one_line() -> Iterator[None]:
    """Turn a fault of ours into the exception that Inspect prints as one line."""
    try:
        yield
    except SkillbenchError as error:
        raise PrerequisiteError(str(error)) from error


def run_metadata(notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return a log's metadata: versions, and what the user should know of his data, also printed.

    Args:
        notes: What was left out or read in another way than it stands, a line each.
    """
    for note in notes:
        click.echo(f"note: {note}", err=True)
    versions = {"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION}
    return {**versions, "notes": list(notes)} if notes else versions


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
    if is_made_by_inspect():
        refuse_misspelt_roles(model_roles())


def refuse_misspelt_roles(roles: Iterable[str]) -> None:
    """Refuse a model role whose name is nearly one of ours: it would be ignored without a word.

    Other names may be roles of a plugged-in agent.

    Raises:
        OptionError: There is one.
    """
    for role in roles:
        near = get_close_matches(role.lower(), _ROLES, n=1)
        if near and role not in _ROLES:
            problem, mend = "no such role", f"write {near[0]}"
            raise OptionError(f"--model-role {role}", problem, mend)


def require_choice(option: str, value: object, choices: Iterable[str]) -> None:
    """Refuse what is none of the choices.

    Raises:
        OptionError: It is not.
    """
    known = [str(one) for one in choices]
    if value not in known:
        raise OptionError(f"-T {option}", f"no such choice: {value!r}", f"use {', '.join(known)}")


def require_positive(option: str, value: object) -> None:
    """Refuse what is no whole number above 0.

    Raises:
        OptionError: It is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise OptionError(f"-T {option}", f"{value!r} is no whole number above 0", "give one")


def require_count(option: str, value: object) -> None:
    """Require a whole number of at least 0.

    Raises:
        OptionError: It is not one.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise OptionError(f"-T {option}", f"{value!r} is no count", "give 0 or more")


def require_share(option: str, value: object) -> None:
    """Refuse what is no number from 0 to 1.

    Raises:
        OptionError: It is not.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise OptionError(f"-T {option}", f"{value!r} is no number from 0 to 1", "give one")


def require_reachable(model: Model | None = None) -> None:
    """Refuse a model server on this machine that nobody has started; guard the model's answers.

    Inspect would try it again without end. Servers elsewhere may stand behind a proxy and are left
    to it.

    Args:
        model: The model; default: where Inspect makes a task the one under test and all in a
            role, elsewhere none.

    Raises:
        OptionError: Nothing listens at the model's base URL.
    """
    if model is None:
        for one in _models_of_run():
            require_reachable(one)
        return
    guarded(model)
    address = urlsplit(getattr(model.api, "base_url", None) or "")
    if address.hostname not in _THIS_MACHINE:
        return
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname, port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        problem = f"no server answers at {address.hostname}:{port} ({error.strerror or error})"
        raise OptionError(f"--model {model}", problem, "start it or mend its base URL") from error


def _models_of_run() -> list[Model]:
    if not is_made_by_inspect():
        return []  # whatever model is there may be one of an earlier run
    try:
        models = [get_model()]
    except ValueError:
        models = []
    for role in model_roles().values():
        models += role if isinstance(role, list) else [role]
    return models


def is_made_by_inspect() -> bool:
    """Return whether Inspect is making this task for a run: its models and roles are settled then.

    A task that is built in Python, ahead of `eval`, sees no models, or those of an earlier run.
    """
    frame = inspect.currentframe()
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if name.startswith("inspect_ai._eval.") and name != _DECORATOR_OF_TASKS:
            return True
        frame = frame.f_back
    return False
