"""What the protocols of orchestration leave in a log: plans, executions, and the reference."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from pydantic import JsonValue

from skillbench_tasks.models.base import Model
from skillbench_tasks.models.sop import Executed, Variant

__all__ = [
    "PLAN_KEY",
    "REFERENCE_KEY",
    "START_KEY",
    "OrchestrationRecord",
    "Origin",
    "PlanRound",
    "PlanStart",
    "Protocol",
    "ReferenceCase",
    "ReferenceRun",
    "VariantRun",
]

PLAN_KEY: Final = "skillbench:orchestration"
"""Where a sample's store holds the record."""

REFERENCE_KEY: Final = "reference"
"""Where a sample's metadata hold the reference, as JSON text."""

START_KEY: Final = "start"
"""Where a sample's metadata say from which log its first workflow was taken."""


class Protocol(StrEnum):
    """How a SOP is carried out."""

    GLOBAL = "global"
    INPUT_CONDITIONED = "input_conditioned"
    LOCAL = "local"
    REPLAN = "replan"
    STEP = "step"


class VariantRun(Model):
    """One execution of a variant; under `replan`, whether the model was shown it."""

    variant: str
    executed: Executed
    is_fed_back: bool = False


class Origin(StrEnum):
    """How a round came by its plan.

    `written`: by the answer of this round. `from_log`: taken from a finished log, no model asked.
    `unchanged`: the model kept the plan before it, by declaration or by writing it again.
    `no_revision`: its answer held no workflow, so the plan before it stands. `not_asked`: the round
    did not take place, and the plan before it stands.
    """

    WRITTEN = "written"
    FROM_LOG = "from_log"
    UNCHANGED = "unchanged"
    NO_REVISION = "no_revision"
    NOT_ASKED = "not_asked"


class PlanRound(Model):
    """A plan and its executions; step-by-step has one round with one execution, and no plan.

    `problem` says why there is no valid plan (empty: there is one, or none was needed). `digest`
    tells plans apart: two of the same digest show a model the same workflow. `is_closed` is false
    for a local draft that was run without having been finished.
    """

    plan: JsonValue = None
    problem: str = ""
    digest: str = ""
    origin: Origin = Origin.WRITTEN
    runs: tuple[VariantRun, ...]
    is_closed: bool = True


class PlanStart(Model):
    """The log from which a first workflow was taken, and the workflow's digest."""

    log: str
    model: str
    epoch: int
    digest: str


class OrchestrationRecord(Model):
    """What a sample left behind; rounds in order, the last one counts."""

    sop: str
    protocol: Protocol
    rounds: tuple[PlanRound, ...]
    start: PlanStart | None = None
    versions: dict[str, str]


class ReferenceRun(Model):
    """A variant with what the reference workflow does on it."""

    variant: Variant
    executed: Executed


class ReferenceCase(Model):
    """All that a run is graded by; a model is never shown it."""

    sop: str
    program: dict[str, Any]
    runs: tuple[ReferenceRun, ...]
