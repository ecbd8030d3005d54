"""Global orchestration: one whole workflow from the specification, run on every variant."""

from __future__ import annotations

import json
from typing import Any, Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.errors import OptionError
from skillbench_tasks.model_output import ask
from skillbench_tasks.models.plan_record import (
    PLAN_KEY,
    OrchestrationRecord,
    PlanRound,
    PlanStart,
    Protocol,
)
from skillbench_tasks.models.sop import Sop, Variant
from skillbench_tasks.solvers.messages import message_of
from skillbench_tasks.solvers.planning.baselines import PLANNERS, baseline_plan
from skillbench_tasks.solvers.planning.plans import BROKEN_OFF, read_plan, run_plan
from skillbench_tasks.solvers.planning.prompts import plan_prompt, request_prompt
from skillbench_tasks.structured_output import generate_structured
from skillbench_tasks.task_options import require_reachable
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = [
    "MODEL",
    "ask_for_plan",
    "global_plan",
    "keep",
    "require_planner",
    "variants_of",
]

MODEL: Final = "model"
"""The planner that asks the model under test."""

_SCHEMA: Final = ResponseSchema(
    name="workflow",
    json_schema=JSONSchema.model_validate(
        {
            "type": "object",
            "properties": {
                "version": {"type": "integer", "enum": [1]},
                "inputs": {"type": "object"},
                "output": {"type": "object"},
                "steps": {"type": "array", "items": {"type": "object"}},
            },
            "required": ["version", "steps"],
        }
    ),
)
"""As much of a workflow's form as structured output can carry: nodes nest."""

_CLOSES_OBJECTS: Final = "anthropic/"
"""Inspect closes every object of a schema for this provider: no node could hold anything."""


@solver
def global_plan(planner: str = MODEL, structured: bool = False) -> Solver:
    """Ask for one workflow and execute it; no model is called while it runs.

    A sample of a single variant shows the model its inputs (input-conditioned).

    Args:
        planner: Who plans: `model`, or one of `PLANNERS`.
        structured: Whether the answer is asked for by structured output, where a provider can.
    """
    require_planner(planner)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sop, variants, shown = variants_of(state)
        state.messages = [
            ChatMessageSystem(content=plan_prompt(inputs_shown=shown is not None)),
            ChatMessageUser(content=request_prompt(sop, shown)),
        ]
        plan = BROKEN_OFF
        try:
            state.output = await ask_for_plan(state.messages, sop, planner, structured)
            state.messages.append(message_of(state.output))
            plan = read_plan(state.output, sop)
        finally:  # a limit breaks off here
            protocol = Protocol.GLOBAL if shown is None else Protocol.INPUT_CONDITIONED
            keep(state, sop, protocol, [run_plan(plan, variants)])
        return state

    return solve


def require_planner(planner: str) -> None:
    """Refuse a planner that is not known.

    Raises:
        OptionError: There is none with that name.
    """
    known = (MODEL, *PLANNERS)
    if planner not in known:
        mend = f"give one of {', '.join(known)}"
        raise OptionError("-T planner", f"{planner!r} is not known", mend)


def variants_of(state: TaskState) -> tuple[Sop, tuple[Variant, ...], Variant | None]:
    """Return a sample's SOP, the variants that are run, and the one whose inputs are shown."""
    sop = sop_by_id(state.metadata["sop"])
    wanted = state.metadata["variant"]
    if wanted is None:
        return sop, sop.variants, None
    variant = next(one for one in sop.variants if one.id == wanted)
    return sop, (variant,), variant


async def ask_for_plan(
    messages: list[ChatMessage], sop: Sop, planner: str, structured: bool
) -> ModelOutput:
    """Return the answer in which the plan stands.

    Args:
        messages: What the model reads.
        sop: The SOP, for planners without a model.
        planner: Who plans.
        structured: Whether to use structured output.
    """
    if planner != MODEL:
        text = json.dumps(baseline_plan(planner, sop), ensure_ascii=False, indent=1)
        return ModelOutput.from_message(ChatMessageAssistant(content=text, model="none"))
    model = get_model()
    require_reachable(model)
    if structured and not str(model).startswith(_CLOSES_OBJECTS):
        return await generate_structured(model, messages, _SCHEMA)
    return await ask(model, messages)


def keep(
    state: TaskState,
    sop: Sop,
    protocol: Protocol,
    rounds: list[PlanRound],
    start: PlanStart | None = None,
) -> None:
    """Put the record of a sample into its store.

    Args:
        state: The sample.
        sop: The SOP.
        protocol: How it was carried out.
        rounds: Plans with their executions.
        start: The log from which the first plan was taken.
    """
    record = OrchestrationRecord(
        sop=sop.id,
        protocol=protocol,
        rounds=tuple(rounds),
        start=start,
        versions={"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
    )
    stored: dict[str, Any] = record.model_dump(mode="json")
    state.store.set(PLAN_KEY, stored)
