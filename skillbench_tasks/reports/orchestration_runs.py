"""What each protocol of orchestration scored on each variant, read from one model's logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from inspect_ai.log import EvalLog, read_eval_log

from skillbench_tasks.errors import OptionError
from skillbench_tasks.models import Model
from skillbench_tasks.models.plan_record import Protocol
from skillbench_tasks.reports.log_files import log_files, read_log
from skillbench_tasks.scorers.orchestration_cost import Cost
from skillbench_tasks.scorers.orchestration_totals import Attempt, VariantKey

__all__ = ["ProtocolRuns", "read_runs"]

_SCORER = "orchestration"


class ProtocolRuns(Model):
    """A protocol's attempts by variant, one mapping for each round, and how often it was asked.

    `finals` are the scores of `final` in the last round; a variant that ran in several epochs
    counts with its means, as valid if any of its plans was. `planned` counts samples, `scored`
    those that have a score.
    """

    protocol: str
    model: str
    rounds: tuple[dict[VariantKey, Attempt], ...]
    finals: dict[VariantKey, float]
    held_out: frozenset[VariantKey]
    planned: int
    scored: int
    cost: Cost


def read_runs(place: Path) -> tuple[ProtocolRuns, ...]:
    """Return the runs of one model's logs, one for each protocol, in the protocols' order.

    Args:
        place: A log, or a folder of logs.

    Raises:
        OptionError: There are no such logs, or they are of several models or versions, or there
            are two of one protocol.
    """
    logs = list(_logs(place))
    if not logs:
        mend = "give logs of global_orchestration, step_by_step, local_construction or replan"
        raise OptionError("LOGS", f"no such logs in {place}", mend)
    for what, values in (
        ("models", {_tested(log) for log in logs}),
        ("versions", {str(sorted((log.eval.metadata or {}).items())) for log in logs}),
    ):
        if len(values) > 1:
            problem = f"logs of several {what}: {', '.join(sorted(values))}"
            raise OptionError("LOGS", problem, "give the logs of one")
    found: dict[str, ProtocolRuns] = {}
    for log in logs:
        runs = _runs(log)
        if runs.protocol in found:
            problem = f"two logs of the protocol {runs.protocol}"
            raise OptionError("LOGS", problem, "leave one of them out")
        found[runs.protocol] = runs
    return tuple(found[name] for name in Protocol if name in found)


def _logs(place: Path) -> Iterator[EvalLog]:
    for file in log_files(place, "LOGS"):
        if _is_orchestration(read_log(partial(read_eval_log, header_only=True), file)):
            yield read_log(read_eval_log, file)


def _is_orchestration(log: EvalLog) -> bool:
    scores = log.results.scores if log.results else []
    return any(score.name == _SCORER for score in scores)


def _tested(log: EvalLog) -> str:
    """Return who was tested: the model, and the planner or stepper in its place."""
    arguments = log.eval.task_args
    stand_in = arguments.get("planner", arguments.get("stepper", "model"))
    return log.eval.model if stand_in == "model" else f"{log.eval.model} ({stand_in})"


def _runs(log: EvalLog) -> ProtocolRuns:
    samples = [one for one in log.samples or [] if one.scores and _SCORER in one.scores]
    scored = [one.scores[_SCORER].metadata for one in samples if one.scores]
    told = [one for one in scored if one]
    rows = [row for one in told for row in one["variants"]]
    rounds = 1 + max((row["round"] for row in rows), default=0)
    last = [row for row in rows if row["round"] == rounds - 1]
    return ProtocolRuns(
        protocol=told[0]["protocol"] if told else Protocol.GLOBAL,
        model=_tested(log),
        rounds=tuple(_attempts([r for r in rows if r["round"] == n]) for n in range(rounds)),
        finals={key: fmean(r["values"]["final"] for r in of) for key, of in _by_key(last).items()},
        held_out=frozenset(_key(row) for row in last if not row["is_fed_back"]),
        planned=log.results.total_samples if log.results else 0,
        scored=len(told),
        cost=Cost.added(Cost.model_validate(one["cost"]) for one in told),
    )


def _attempts(rows: Sequence[Mapping[str, Any]]) -> dict[VariantKey, Attempt]:
    return {
        key: Attempt(
            score=fmean(row["values"]["orchestration"] for row in of),
            valid=any(row["error"] is None for row in of),
        )
        for key, of in _by_key(rows).items()
    }


def _by_key(rows: Sequence[Mapping[str, Any]]) -> dict[VariantKey, list[dict[str, Any]]]:
    found: dict[VariantKey, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(_key(row), []).append(dict(row))
    return found


def _key(row: Mapping[str, Any]) -> VariantKey:
    variant = str(row["variant"])
    return VariantKey(variant.partition("#")[0], variant)
