"""What each protocol of orchestration scored on each variant, read from one model's logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import fsum
from pathlib import Path
from statistics import fmean
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models import Model
from skillbench_tasks.models.plan_record import Origin, Protocol
from skillbench_tasks.reports.log_files import log_files, read_log
from skillbench_tasks.scorers.orchestration_cost import Cost
from skillbench_tasks.scorers.orchestration_totals import Attempt, Totals, VariantKey
from skillbench_tasks.tools.error_class import ErrorClass

__all__ = ["Planned", "ProtocolRuns", "read_runs"]

_SCORER = "orchestration"
_ADDED = "without_refused"
"""A key that the scores of earlier versions do not have."""
_OURS = "skillbench_tasks.errors."
_PROVIDERS = f"{_OURS}ProviderError"


class Planned(Model):
    """How many samples and variants there should be, and what became of them.

    `lost` are variants whose sample an error left without a score; those that are neither scored
    nor lost did not run.
    """

    samples: int
    scored_samples: int
    variants: int
    scored_variants: int
    lost: int

    @property
    def not_run(self) -> int:
        """Variants of samples that are not in the log."""
        return self.variants - self.scored_variants - self.lost


class ProtocolRuns(Model):
    """A protocol's attempts by variant and epoch, one mapping for each round, and what it cost.

    `totals` are of the last round, over scored variants; `published` counts lost ones too, as 0.
    `first_plans` tells the workflows of round 0 apart, by SOP and epoch; `starts` are the logs they
    were taken from, with their models. `origins` counts by round how workflows came about.
    """

    label: str
    protocol: Protocol
    log: str
    model: str
    rounds: tuple[dict[VariantKey, Attempt], ...]
    floor: dict[VariantKey, float]
    strata: dict[VariantKey, dict[str, str]]
    lost: frozenset[VariantKey]
    held_out: frozenset[VariantKey]
    planned: Planned
    totals: Totals
    published: Totals
    floors: Totals
    floors_of_valid: Totals
    refused_calls: int
    without_refused: float
    first_plans: dict[tuple[str, int], str]
    starts: dict[str, str]
    origins: tuple[dict[Origin, int], ...]
    cost: Cost

    def scores(self) -> dict[VariantKey, float]:
        """Return the scores of the last round; those of several epochs are one, their mean."""
        found: dict[VariantKey, list[float]] = {}
        for key, one in self.rounds[-1].items():
            found.setdefault(key._replace(epoch=1), []).append(one.score)
        return {key: fmean(of) for key, of in found.items()}

    def scores_with_lost(self) -> dict[VariantKey, float]:
        """Return `scores` as published: a variant that was lost in all epochs is 0."""
        return {**dict.fromkeys((key._replace(epoch=1) for key in self.lost), 0.0), **self.scores()}


def read_runs(place: Path) -> tuple[ProtocolRuns, ...]:
    """Return the runs of one model's logs, in the protocols' order.

    There is one for each protocol, and of `replan` one for each kind of feedback.

    Args:
        place: A log, or a folder of logs.

    Raises:
        OptionError: There are no such logs, or they are of several models or versions, or there
            are two of one kind.
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
        if runs.label in found:
            problem = f"two logs of {runs.label}"
            raise OptionError("LOGS", problem, "leave one of them out")
        found[runs.label] = runs
    order = list(Protocol)
    return tuple(sorted(found.values(), key=lambda one: (order.index(one.protocol), one.label)))


def _logs(place: Path) -> Iterator[EvalLog]:
    for file in log_files(place, "LOGS"):
        if _is_orchestration(read_log(partial(read_eval_log, header_only=True), file)):
            yield read_log(read_eval_log, file)


def _is_orchestration(log: EvalLog) -> bool:
    scores = log.results.scores if log.results else []
    names = {one.name for one in scores} | {one.name for one in log.eval.scorers or []}
    return any(name.rpartition("/")[2] == _SCORER for name in names)


def _tested(log: EvalLog) -> str:
    """Return who was tested: the model, and the planner or stepper in its place."""
    arguments = log.eval.task_args
    stand_in = arguments.get("planner", arguments.get("stepper", "model"))
    return log.eval.model if stand_in == "model" else f"{log.eval.model} ({stand_in})"


def _label(log: EvalLog, protocol: Protocol) -> str:
    if protocol is not Protocol.REPLAN:
        return str(protocol)
    feedback, seed = log.eval.task_args.get("feedback", "all"), log.eval.task_args.get("seed", 0)
    return f"replan {feedback}" + (f", seed {seed}" if feedback == "two" and seed else "")


def _runs(log: EvalLog) -> ProtocolRuns:
    scored = [one for one in log.samples or [] if _told(one)]
    told = [_told(one) for one in scored]
    if any(_ADDED not in one for one in told):
        mend = f"grade it again: inspect score {log.location} --scorer skillbench_tasks/{_SCORER}"
        raise OptionError("LOGS", f"{log.location} was graded by an earlier version", mend)
    rows = [(_key(row, one.epoch), row) for one in scored for row in _told(one)["variants"]]
    rounds = 1 + max((row["round"] for _, row in rows), default=0)
    last = [(key, row) for key, row in rows if row["round"] == rounds - 1]
    lost = {key: _class(one) for one in log.samples or [] for key in _lost(one)}
    totals = Totals.added(Totals.model_validate(one["totals"][-1]) for one in told)
    protocol = Protocol(told[0]["protocol"]) if told else _protocol(log)
    return ProtocolRuns(
        label=_label(log, protocol),
        protocol=protocol,
        log=log.eval.eval_id,
        model=_tested(log),
        rounds=tuple(_attempts(r for r in rows if r[1]["round"] == n) for n in range(rounds)),
        floor={key._replace(epoch=1): row["floor"] for key, row in last},
        strata={
            key._replace(epoch=1): {name: str(value) for name, value in row["strata"].items()}
            for key, row in last
        },
        lost=frozenset(lost),
        held_out=frozenset(key for key, row in last if not row["is_fed_back"]),
        planned=_planned(log, len(scored), len(last), len(lost)),
        totals=totals,
        published=Totals.added([totals, _of_lost(list(lost.values()))]),
        floors=Totals.added(Totals.model_validate(one["floor"]) for one in told),
        floors_of_valid=Totals.added(Totals.model_validate(one["floor_of_valid"]) for one in told),
        refused_calls=sum(one["refused_calls"] for one in told),
        without_refused=fsum(one["without_refused"] for one in told),
        first_plans={
            (key.sop, one.epoch): _told(one)["first_plan"]
            for one in scored
            for key in _variants(one)
        },
        starts={one["start"]["log"]: one["start"]["model"] for one in told if one["start"]},
        origins=tuple(_counted(one["origins"][n] for one in told) for n in range(rounds)),
        cost=Cost.added(Cost.model_validate(one["cost"]) for one in told),
    )


def _told(sample: EvalSample) -> dict[str, Any]:
    """Return the metadata of a sample's score; nothing where it has none."""
    score = (sample.scores or {}).get(_SCORER)
    return (score.metadata if score is not None else None) or {}


def _protocol(log: EvalLog) -> Protocol:
    """Return the protocol of a log in which nothing was scored."""
    name = log.eval.task.rpartition("/")[2]
    named = {"step_by_step": Protocol.STEP, "local_construction": Protocol.LOCAL}
    if log.eval.task_args.get("input_conditioned"):
        return Protocol.INPUT_CONDITIONED
    return Protocol.REPLAN if name == "replan" else named.get(name, Protocol.GLOBAL)


def _variants(sample: EvalSample) -> Iterator[VariantKey]:
    """Yield the variants of a sample."""
    yield from _of_id(str(sample.id), sample.epoch)


def _of_id(sample: str, epoch: int) -> Iterator[VariantKey]:
    """Yield the variants of a sample, whose id is a variant's or a SOP's."""
    sop = sample.partition("#")[0]
    known = next((one for one in load_sops() if one.id == sop), None)
    for variant in known.variants if known is not None else ():
        if sample in (sop, variant.id):
            yield VariantKey(sop, variant.id, epoch)


def _lost(sample: EvalSample) -> Iterator[VariantKey]:
    if sample.error is not None and not _told(sample):
        yield from _variants(sample)


def _class(sample: EvalSample) -> ErrorClass:
    """Return whose error left a sample without a score: ours, or that of what it runs on."""
    raised = sample.error.traceback.strip().rpartition("\n")[2] if sample.error else ""
    is_ours = raised.startswith(_OURS) and not raised.startswith(_PROVIDERS)
    return ErrorClass.EVALUATION if is_ours else ErrorClass.INFRASTRUCTURE


def _of_lost(classes: Sequence[ErrorClass]) -> Totals:
    return Totals(
        variants=len(classes),
        errors={kind: classes.count(kind) for kind in ErrorClass if kind in classes},
    )


def _planned(log: EvalLog, samples: int, variants: int, lost: int) -> Planned:
    ids = log.eval.dataset.sample_ids or sorted({str(one.id) for one in log.samples or []})
    epochs = range(1, (log.eval.config.epochs or 1) + 1)
    return Planned(
        samples=len(ids) * len(epochs),
        scored_samples=samples,
        variants=sum(1 for one in ids for epoch in epochs for _ in _of_id(str(one), epoch)),
        scored_variants=variants,
        lost=lost,
    )


def _counted(origins: Iterable[str]) -> dict[Origin, int]:
    listed = list(origins)
    return {kind: listed.count(kind) for kind in Origin if kind in listed}


def _attempts(
    rows: Iterable[tuple[VariantKey, Mapping[str, Any]]],
) -> dict[VariantKey, Attempt]:
    return {
        key: Attempt(
            score=row["values"]["orchestration"],
            error=None if row["error"] is None else ErrorClass(row["error"]),
        )
        for key, row in rows
    }


def _key(row: Mapping[str, Any], epoch: int) -> VariantKey:
    variant = str(row["variant"])
    return VariantKey(variant.partition("#")[0], variant, epoch)
