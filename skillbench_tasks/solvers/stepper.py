"""Step-by-step: one tool call at a time, its result, and so on until the model finishes."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo
from pydantic import JsonValue

from skillbench_tasks.datasets.chat_format import reply_text
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import toolbox_of
from skillbench_tasks.errors import OptionError
from skillbench_tasks.model_output import ask
from skillbench_tasks.models import CallError
from skillbench_tasks.models.plan_record import PlanRound, Protocol, VariantRun
from skillbench_tasks.models.sop import Executed, ExecutedCall, Sop, Variant
from skillbench_tasks.solvers.messages import message_of, tool_reply
from skillbench_tasks.solvers.planner import MODEL, keep, variants_of
from skillbench_tasks.solvers.planning.plans import answer_problem
from skillbench_tasks.solvers.planning.prompts import run_prompt, step_prompt
from skillbench_tasks.task_options import require_reachable
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.prediction import PredictedCall, read_prediction
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.toolkit import full_name, function_name, tool_info
from skillbench_tasks.tools.workflow.schemas import check

__all__ = ["FINISH", "STEPPERS", "Episode", "require_stepper", "step_by_step_loop"]

FINISH: Final = "finish"
"""The tool that ends a run with its output."""

STEPPERS: Final = (MODEL, "reference", "stop_at_once")
"""Who takes the steps."""

_IDLE_MAX: Final = 2
"""Answers without a call in a row after which a run counts as stopped."""

_ONE_CALL: Final = CallError(
    code="one_call_at_a_time",
    message="Only the first call of a message is carried out. Nothing was done.",
    retryable=True,
)
_GO_ON: Final = "Call a tool, or call `finish` when everything is done."


class Episode:
    """One run, call by call: the world it works on and what it did.

    Args:
        variant: The run.
        schema: JSON Schema of the output, where one is prescribed.
    """

    def __init__(self, variant: Variant, schema: dict[str, Any] | None = None) -> None:
        self._schema: Final = schema
        self._toolbox: Final[Toolbox] = toolbox_of(variant)
        self._calls: Final[list[ExecutedCall]] = []
        self.output: JsonValue = None
        self.is_finished = False

    def call(self, call: PredictedCall) -> ExecutedCall:
        """Carry out a call; one that cannot be read fails like any other.

        Args:
            call: The call, by function name.
        """
        tool = full_name(call.tool)
        if call.arguments is None:
            done = ExecutedCall(tool=tool, arguments={}, error=call.refusal)
        else:
            done = ExecutedCall(**dict(self._toolbox.attempt(tool, call.arguments)))
        self._calls.append(done)
        return done

    def finish(self, call: PredictedCall) -> ExecutedCall:
        """End the run with its output, or refuse one that does not fit, as any tool would.

        Args:
            call: The call of `finish`.
        """
        error, output = call.refusal, (call.arguments or {}).get("output")
        misfit = check(self._schema, output) if self._schema is not None and not error else None
        if misfit is not None:
            message = f"output: {misfit}"
            error = CallError(code="invalid_arguments", message=message, retryable=False)
        if error is not None:
            return ExecutedCall(tool=FINISH, arguments={}, error=error)
        self.output, self.is_finished = output, True
        return ExecutedCall(tool=FINISH, arguments={}, result="finished")

    def executed(self, problem: str = "") -> Executed:
        """Return what the run left behind so far.

        Args:
            problem: Why the model gave no answer at last; where it had called nothing until then,
                there is nothing to score.
        """
        if problem and not self._calls and not self.is_finished:
            return Executed(status="nothing", problem=problem)
        return Executed(
            status="returned" if self.is_finished else "stopped",
            value=self.output,
            calls=tuple(self._calls),
            changes=self._toolbox.world.changes_since(self._toolbox.start),
            problem="" if self.is_finished else "the run was broken off",
        )


@solver
def step_by_step_loop(steps: int = 50, stepper: str = MODEL) -> Solver:
    """Let the model carry a SOP out on one variant, one call at a time.

    Args:
        steps: Answers of the model at most.
        stepper: Who takes the steps: `model`, `reference`, or `stop_at_once`.
    """
    require_stepper(stepper)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sop, _, variant = variants_of(state)
        assert variant is not None
        episode, asked = Episode(variant, sop.output), 0
        state.messages = [
            ChatMessageSystem(content=step_prompt()),
            ChatMessageUser(content=run_prompt(sop, variant)),
        ]
        tools, script = _tools(sop), _script(sop, variant, stepper)
        model = get_model() if stepper == MODEL else None
        problem = ""
        try:
            idle = 0
            most = steps if model is not None else min(steps, len(script))
            while asked < most and idle < _IDLE_MAX and not episode.is_finished:
                state.output = await _answer(model, state.messages, tools, script, asked)
                asked += 1
                problem = answer_problem(state.output)
                is_idle = _take(state, episode)
                idle = idle + 1 if is_idle else 0
        finally:  # a limit breaks off here, and what was done is graded
            run = VariantRun(variant=variant.id, executed=episode.executed(problem))
            rounds = [PlanRound(problem=_lost(run), runs=(run,))]
            keep(state, sop, Protocol.STEP, rounds)
        return state

    return solve


def _lost(run: VariantRun) -> str:
    return run.executed.problem if run.executed.status == "nothing" else ""


def require_stepper(stepper: str) -> None:
    """Refuse a stepper that is not known.

    Raises:
        OptionError: There is none with that name.
    """
    if stepper not in STEPPERS:
        mend = f"give one of {', '.join(STEPPERS)}"
        raise OptionError("-T stepper", f"{stepper!r} is not known", mend)


async def _answer(
    model: Model | None,
    messages: list[ChatMessage],
    tools: list[ToolInfo],
    script: list[ToolCall],
    number: int,
) -> ModelOutput:
    if model is None:
        message = ChatMessageAssistant(content="", tool_calls=[script[number]], model="none")
        return ModelOutput.from_message(message)
    require_reachable(model)
    return await ask(model, messages, tools=tools)


def _take(state: TaskState, episode: Episode) -> bool:
    """Take an answer of the model and say what comes back; return whether it held no call."""
    said = message_of(state.output)
    state.messages.append(said)
    calls = read_prediction(said.text, said.tool_calls or []).calls
    for number, (made, call) in enumerate(zip(said.tool_calls or [], calls, strict=True)):
        state.messages.append(_reply(made, call, episode, is_first=number == 0))
    if not calls:
        state.messages.append(ChatMessageUser(content=_GO_ON))
    return not calls


def _reply(
    made: ToolCall, call: PredictedCall, episode: Episode, *, is_first: bool
) -> ChatMessageTool:
    if not is_first:
        done = ExecutedCall(tool=call.tool, arguments={}, error=_ONE_CALL)
    elif call.tool == FINISH:
        done = episode.finish(call)
    else:
        done = episode.call(call)
    return tool_reply(made, reply_text(done), failed=done.error is not None)


def _tools(sop: Sop) -> list[ToolInfo]:
    """Return the 64 tools and `finish`, whose parameter is the SOP's output."""
    output = sop.output or {"description": "Leave it out: none is prescribed."}
    parameters = {
        "type": "object",
        "properties": {"output": output},
        "required": ["output"] if sop.output is not None else [],
        "additionalProperties": False,
    }
    description = "End the run with the output that the procedure prescribes."
    return [*_catalogue(), tool_info(FINISH, description, parameters)]


@cache
def _catalogue() -> tuple[ToolInfo, ...]:
    return tuple(
        tool_info(tool.spec.function_name, tool.spec.description, tool.spec.input_schema)
        for _, tool in sorted(connectors.tools().items())
    )


def _script(sop: Sop, variant: Variant, stepper: str) -> list[ToolCall]:
    """Return the calls of the reference, `finish` last; of other steppers none."""
    if stepper != "reference":
        return []
    run = reference_case(sop, variant).runs[0].executed
    calls, output = run.calls, run.value
    names = [function_name(call.tool) for call in calls]
    made = [
        ToolCall(
            id=f"call-{number}", function=name, arguments=json.loads(json.dumps(call.arguments))
        )
        for number, (name, call) in enumerate(zip(names, calls, strict=True), start=1)
    ]
    return [*made, ToolCall(id="call-finish", function=FINISH, arguments={"output": output})]
