"""A finished log of `global_orchestration`, from which a replan takes its first workflows.

So that revisions from all executions, from two, and from validation alone revise the *same*
workflows, as the source's do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ModelOutput

from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.errors import OptionError
from skillbench_tasks.files import LOG_NAME
from skillbench_tasks.models.plan_record import (
    PLAN_KEY,
    REFERENCE_KEY,
    OrchestrationRecord,
    PlanStart,
    Protocol,
)
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.solvers.planner import MODEL
from skillbench_tasks.solvers.planning.plans import Plan, plan_of
from skillbench_tasks.tools.prediction import read_prediction
from skillbench_tasks.versions import DATA_VERSION, TASK_VERSION

__all__ = ["StartLog", "read_start", "require_sops"]

_OPTION: Final = "-T start"
_TASK: Final = "global_orchestration"
_AGAIN: Final = "run global_orchestration again with this version"


@dataclass(frozen=True)
class StartLog:
    """First workflows by SOP, one for each epoch of the log."""

    log: str
    model: str
    samples: dict[str, tuple[EvalSample, ...]]

    def first(self, sop: Sop, epoch: int) -> tuple[Plan, ModelOutput, PlanStart]:
        """Return a SOP's workflow, the answer in which it stands, and where it is from.

        Args:
            sop: A SOP that the log holds.
            epoch: The epoch, from 1; beyond those of the log it goes round.

        Raises:
            OptionError: The workflow reads otherwise than when it was logged.
        """
        listed = self.samples[sop.id]
        sample = listed[(epoch - 1) % len(listed)]
        told = _record(sample).rounds[0]
        if told.plan is not None:
            plan = plan_of(told.plan, sop)
        else:
            said = read_prediction(sample.output.completion).text
            plan = Plan(None, problem=told.problem, answer=said)
        if plan.digest != told.digest and told.digest:
            problem = f"the workflow of {sop.id} reads otherwise than when it was logged"
            raise OptionError(_OPTION, problem, _AGAIN)
        start = PlanStart(log=self.log, model=self.model, epoch=sample.epoch, digest=plan.digest)
        return plan, sample.output, start


def read_start(place: str) -> StartLog:
    """Return the first workflows of a log.

    Args:
        place: The log, or a folder that holds exactly one of `global_orchestration`.

    Raises:
        OptionError: There is none, it is another task's, of other versions, or not finished.
    """
    file = _file(Path(place).expanduser())
    status = file.stat()
    return _read(str(file), status.st_mtime_ns, status.st_size)


def require_sops(start: StartLog, sops: Iterable[Sop]) -> None:
    """Refuse a log that does not hold the SOPs, or holds others under their names.

    Raises:
        OptionError: It is so.
    """
    known = {one.id for one in load_sops()}
    if strange := sorted(start.samples.keys() - known):
        problem = f"log of another set of SOPs: {strange[0]} is not known"
        raise OptionError(_OPTION, problem, _AGAIN)
    listed = list(sops)
    if missing := [one.id for one in listed if one.id not in start.samples]:
        problem = f"no finished workflow of {missing[0]} in the log"
        if len(missing) > 1:
            problem += f", nor of {len(missing) - 1} more"
        mend = "complete the log (`inspect eval-retry`), or name those it holds by -T sop="
        raise OptionError(_OPTION, problem, mend)
    for sop in listed:
        case = reference_case(sop).model_dump_json()
        for sample in start.samples[sop.id]:
            if sample.metadata.get(REFERENCE_KEY, {}).get("json") != case:
                problem = f"log of another set of SOPs: its {sop.id} is not the one that ships"
                raise OptionError(_OPTION, problem, _AGAIN)


def _file(place: Path) -> Path:
    if not place.exists():
        raise OptionError(_OPTION, f"no such file or folder: {place}", "give a finished log")
    if place.is_file():
        return place
    paths = sorted(one for one in place.iterdir() if LOG_NAME.fullmatch(one.name))
    found = [one for one in paths if not _misfit(_log(one, header_only=True))]
    if len(found) != 1:
        problem = f"{len(found)} logs of {_TASK} in {place}"
        raise OptionError(_OPTION, problem, "give the file of the one that is meant")
    return found[0]


@lru_cache(maxsize=4)
def _read(file: str, changed: int, size: int) -> StartLog:
    path = Path(file)
    header = _log(path, header_only=True)
    if misfit := _misfit(header):
        raise OptionError(_OPTION, misfit, f"give a log of {_TASK}")
    versions = header.eval.metadata or {}
    for name, ours in (("task", TASK_VERSION), ("data", DATA_VERSION)):
        if versions.get(name) != ours:
            problem = f"the log has version {versions.get(name)} of the {name}, this is {ours}"
            raise OptionError(_OPTION, problem, _AGAIN)
    if header.status != "success":
        problem = f"the log is not finished (status {header.status})"
        raise OptionError(_OPTION, problem, "complete it by `inspect eval-retry`")
    samples: dict[str, list[EvalSample]] = {}
    for sample in _finished(_log(path, header_only=False)):
        samples.setdefault(_record(sample).sop, []).append(sample)
    planner = header.eval.task_args.get("planner", MODEL)
    return StartLog(
        log=header.eval.eval_id,
        model=header.eval.model + ("" if planner == MODEL else f" ({planner})"),
        samples={sop: tuple(sorted(of, key=lambda one: one.epoch)) for sop, of in samples.items()},
    )


def _finished(log: EvalLog) -> Iterator[EvalSample]:
    """Yield samples with a workflow, without their events, which nobody needs any more."""
    for sample in log.samples or []:
        if sample.error is None and PLAN_KEY in sample.store:
            yield sample.model_copy(update={"events": [], "messages": []})


def _misfit(log: EvalLog) -> str:
    """Return why a log holds no first workflows; empty: it may."""
    name = log.eval.task.rpartition("/")[2]
    if name != _TASK:
        return f"a log of {name}"
    if log.eval.task_args.get("input_conditioned"):
        return f"a log of {Protocol.INPUT_CONDITIONED} workflows"
    return ""


def _log(path: Path, *, header_only: bool) -> EvalLog:
    try:
        return read_eval_log(str(path), header_only=header_only)
    except Exception as error:  # archives, texts, models: each breaks in ways of its own
        told = next(iter(str(error).splitlines()), "") or type(error).__name__
        problem = f"{path} is no Inspect log that can be read ({told})"
        raise OptionError(_OPTION, problem, "give a finished log") from error


def _record(sample: EvalSample) -> OrchestrationRecord:
    stored: Any = sample.store[PLAN_KEY]
    return OrchestrationRecord.model_validate(stored)
