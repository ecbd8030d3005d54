"""One side of a comparison, read from logs: which they are, and what their samples scored.

Only heads and summaries of samples are read: these hold whole score values and short metadata.
Logs of one side fall into blocks: one for each task and setting whose figures may stand together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Final

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from skillbench_tasks.errors import DataError, OptionError
from skillbench_tasks.models.base import Model
from skillbench_tasks.reports.comparison import MEASUREMENTS
from skillbench_tasks.reports.comparison_samples import BlockSamples, block_samples
from skillbench_tasks.reports.comparison_settings import (
    Setting,
    sampling_of,
    setting_of,
    task_of,
    tested_of,
    versions_of,
)
from skillbench_tasks.reports.log_files import log_files, read_log

__all__ = ["LogBlock", "LogFile", "LogSide", "read_side"]

_TASKS: Final = frozenset(measurement.task for measurement in MEASUREMENTS)


class LogFile(Model):
    """A log that is used.

    Args:
        file: Its path, as the user named it or the folder.
        task: Its task.
        status: How its run ended; `success` if well.
        error: First line of what ended it, or empty.
        planned: Samples that the run asks for.
        attempted: Samples that the log holds.
        epochs: How often each sample is run.
    """

    file: str
    task: str
    status: str
    error: str
    planned: int
    attempted: int
    epochs: int


@dataclass(frozen=True)
class LogBlock:
    """The logs of one side with the same task and setting.

    Args:
        task: The task.
        setting: The options that make its figures what they are.
        versions: `task` and `data`.
        sampling: How the model was sampled; options that were left alone are absent.
        samples: What the samples are and have scored.
    """

    task: str
    setting: Setting
    versions: Mapping[str, str]
    sampling: Mapping[str, str]
    samples: BlockSamples


@dataclass(frozen=True)
class LogSide:
    """All logs of one side.

    Args:
        name: `A` or `B`.
        model: The model under test, with its agent where that is not the task's own.
        files: The logs that are used, in alphabetical order.
        blocks: Task and setting → block.
        notes: What the reader of the figures must know, one line each.
    """

    name: str
    model: str
    files: tuple[LogFile, ...]
    blocks: Mapping[tuple[str, Setting], LogBlock]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Log:
    file: str
    head: EvalLog
    runs: Sequence[EvalSampleSummary]


def read_side(name: str, place: Path) -> LogSide:
    """Read one side.

    Args:
        name: `A` or `B`.
        place: A log, or a folder that is searched with all below it.

    Raises:
        OptionError: There is nothing there, or no log of these tasks.
        DataError: A log cannot be read, or two of them do not go together.
    """
    heads = _heads(name, place)
    logs, notes = _without_earlier_tries(name, heads)
    _require_one("model", ((file, head.eval.model) for file, head in logs))
    tested = _require_one_tested(logs)
    read = [_Log(file, head, read_log(read_eval_log_sample_summaries, file)) for file, head in logs]
    files = tuple(_file(log) for log in read)
    model = ", ".join([logs[0][1].eval.model, *(f"{k} {v}" for k, v in tested.items() if v)])
    blocks = _blocks(read)
    ends = (_ended(name, file) for file in files if file.status != "success")
    invalid = (_invalid(name, log) for log in read if log.head.invalidated)
    return LogSide(name, model, files, blocks, (*notes, *ends, *invalid))


def _heads(name: str, place: Path) -> list[tuple[str, EvalLog]]:
    """Return the heads of the logs of our tasks, sorted by file."""
    option = f"LOGS_{name}"
    read_head = partial(read_eval_log, header_only=True)
    found = [(file, read_log(read_head, file)) for file in log_files(place, option)]
    kept = [(file, head) for file, head in found if task_of(head) in _TASKS]
    if not kept:
        others = sorted({head.eval.task for _, head in found})
        problem = f"{place} has no log of {', '.join(sorted(_TASKS))}"
        problem += f" (only of {', '.join(others)})" if others else ""
        raise OptionError(option, problem, "run one of these tasks, or name its log folder")
    return kept


def _without_earlier_tries(
    name: str, heads: Sequence[tuple[str, EvalLog]]
) -> tuple[list[tuple[str, EvalLog]], list[str]]:
    """Keep the newest try of each run; `inspect eval-retry` takes over what earlier ones did.

    Raises:
        DataError: Two logs are the same try, as where `inspect score` wrote a second file.
    """
    newest: dict[str, tuple[str, EvalLog]] = {}
    notes = []
    for file, head in sorted(heads, key=lambda one: (one[1].eval.created, one[0])):
        before = newest.get(head.eval.task_id)
        if before and before[1].eval.created == head.eval.created:
            problem = f"the same run as {before[0]}, perhaps scored again"
            raise DataError(file, "", problem, "keep one of the two")
        if before:
            notes.append(f"{name}: {before[0]} is an earlier try of {file} and left out")
        newest[head.eval.task_id] = file, head
    return sorted(newest.values(), key=lambda one: one[0]), sorted(notes)


def _require_one(what: str, found: Iterable[tuple[str, str]]) -> str:
    """Return the one value that all files share, or an empty text without files."""
    listed = list(found)
    for (first, one), (second, other) in pairwise(listed):
        if one != other:
            problem = f"{what} {one or 'default'} here, {other or 'default'} in {second}"
            raise DataError(first, "", problem, "give the logs of one")
    return listed[0][1] if listed else ""


def _require_one_tested(logs: Sequence[tuple[str, EvalLog]]) -> dict[str, str]:
    """Return the one agent and the one predictor of the logs whose tasks have one."""
    return {
        what: _require_one(
            what, ((f, tested_of(h).get(what, "")) for f, h in logs if what in h.eval.task_args)
        )
        for what in ("agent", "predictor")
    }


def _blocks(logs: Sequence[_Log]) -> dict[tuple[str, Setting], LogBlock]:
    grouped: dict[tuple[str, Setting], list[_Log]] = {}
    for log in logs:
        grouped.setdefault((task_of(log.head), setting_of(log.head)), []).append(log)
    return {key: _block(*key, grouped[key]) for key in sorted(grouped)}


def _block(task: str, setting: Setting, logs: Sequence[_Log]) -> LogBlock:
    """Put logs together whose samples are different ones, as parts of one run have."""
    for first, second in combinations(logs, 2):
        shared = sorted(_planned(first) & _planned(second))
        if shared:
            problem = f"asks the same samples as {second.file} ({shared[0]}, {len(shared)} in all)"
            raise DataError(first.file, task, problem, "give one of the two")
        for what, read in (("versions", versions_of), ("sampling options", sampling_of)):
            if read(first.head) != read(second.head):
                problem = f"other {what} than {second.file}"
                raise DataError(first.file, task, problem, "compare them one by one")
    head = logs[0].head
    planned = frozenset().union(*(_planned(log) for log in logs))
    parts = [(log.file, log.head, log.runs) for log in logs]
    return LogBlock(
        task, setting, versions_of(head), sampling_of(head), block_samples(task, planned, parts)
    )


def _planned(log: _Log) -> frozenset[str]:
    asked = log.head.eval.dataset.sample_ids or []
    return frozenset(str(one) for one in (*asked, *(run.id for run in log.runs)))


def _file(log: _Log) -> LogFile:
    error = log.head.error.message if log.head.error else ""
    return LogFile(
        file=log.file,
        task=task_of(log.head),
        status=log.head.status,
        error=next(iter(error.splitlines()), ""),
        planned=len(_planned(log)),
        attempted=len({run.id for run in log.runs}),
        epochs=log.head.eval.config.epochs or 1,
    )


def _ended(name: str, file: LogFile) -> str:
    why = f" ({file.error})" if file.error else ""
    used = f"{file.attempted} of {file.planned} samples are there and used"
    return f"{name}: {file.file} ended as {file.status}{why}; {used}"


def _invalid(name: str, log: _Log) -> str:
    return f"{name}: {log.file} has samples that were marked invalid; they are used"
