"""Models of SOPs: a reference workflow, its specification and its runtime variants."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, JsonValue

from skillbench_tasks.models.base import Model, Record
from skillbench_tasks.models.gold import CallError, Change
from skillbench_tasks.models.world import Fault

__all__ = [
    "Executed",
    "ExecutedCall",
    "PlacedFault",
    "Resource",
    "Sop",
    "Template",
    "Variant",
]


class Resource(Model):
    """Something in the workspace that a SOP works with, as its specification names it."""

    name: str
    kind: str
    id: str
    detail: str = ""


class Template(Model):
    """A text to be sent word for word; `{placeholder}` stands for what the description says."""

    name: str
    text: str


class PlacedFault(Fault):
    """A fault that strikes one call of an execution, under every protocol.

    `where` is kept only where it singles out one call of the reference run. It then strikes the
    first call that it matches; or, where none has matched by then, the first call from the
    `ordinal`-th of its tool on (counted from 1; none: no call) that is none of the reference's
    other calls, by `others`. Without `where` it strikes the `ordinal`-th call of its tool. Calls
    that a schema refuses are not counted.
    """

    ordinal: int | None = Field(ge=1)
    others: tuple[dict[str, JsonValue], ...] = ()


class Variant(Model):
    """One run of a SOP: public inputs, hidden state beside the base workspace, faults.

    `covers` names the obligations that it meets (`branch steps[2] then`, `loop steps[3] many`,
    `fault steps[4]` …); it is computed, never typed in.
    """

    id: str
    inputs: dict[str, JsonValue]
    records: dict[str, tuple[Record, ...]] = Field(default_factory=dict)
    faults: tuple[PlacedFault | Fault, ...] = ()
    covers: tuple[str, ...] = ()


class Sop(Model):
    """A standard operating procedure; `program` is never shown to a model."""

    id: str = Field(pattern=r"^[a-z0-9-]+\.[0-9]+$")
    family: str
    title: str
    program: dict[str, Any]
    description: str
    inputs: dict[str, Any]
    output: dict[str, Any] | None = None
    context: tuple[str, ...] = ()
    resources: tuple[Resource, ...] = ()
    templates: tuple[Template, ...] = ()
    variants: tuple[Variant, ...] = Field(min_length=1)


class ExecutedCall(Model):
    """A tool call that was carried out; `path` is its place in the workflow, where there is one."""

    tool: str
    arguments: dict[str, JsonValue]
    result: JsonValue = None
    error: CallError | None = None
    path: str | None = None


class Executed(Model):
    """What one execution of a variant left behind, under whatever protocol.

    `control` holds the workflow's events other than calls, each with the number of calls before it
    as `after_calls` (empty under step-by-step). `value` is the terminal output. `status` is a
    status of the workflow language, or `stopped` (a limit broke off a step-by-step episode), or
    `nothing` (there was nothing to execute: `problem` says why).
    """

    status: Literal["returned", "completed", "failed", "invalid", "exhausted", "stopped", "nothing"]
    value: JsonValue = None
    calls: tuple[ExecutedCall, ...] = ()
    control: tuple[dict[str, JsonValue], ...] = ()
    changes: tuple[Change, ...] = ()
    problem: str = ""
