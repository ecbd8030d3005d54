"""Local construction: a workflow is built node by node in an append-only editor, then run."""

from __future__ import annotations

import json
from typing import Any, Final

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

from skillbench_tasks.datasets.sops.ledger import BLOCKS
from skillbench_tasks.model_output import ask
from skillbench_tasks.models.plan_record import Protocol
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.solvers.messages import message_of, tool_reply
from skillbench_tasks.solvers.planner import (
    MODEL,
    keep,
    require_planner,
    variants_of,
)
from skillbench_tasks.solvers.planning.baselines import baseline_plan
from skillbench_tasks.solvers.planning.editor import Editor
from skillbench_tasks.solvers.planning.plans import Plan, answer_problem, plan_of, run_plan
from skillbench_tasks.solvers.planning.prompts import edit_prompt, request_prompt
from skillbench_tasks.task_options import require_reachable
from skillbench_tasks.tools.prediction import PredictedCall, read_prediction

__all__ = ["local_editor"]

_ADD: Final = ToolInfo(
    name="add_node",
    description="Append one node to a block of the draft. It is refused with the reason, or stands "
    "for good; the draft is shown.",
    parameters=ToolParams(
        properties={
            "block": JSONSchema(
                type="string", description="Where: `steps`, or a block such as `steps[2].then`."
            ),
            "node": JSONSchema(
                type="object", description="The node; blocks of its own are left out or empty."
            ),
        },
        required=["block", "node"],
    ),
)
_FINISH: Final = ToolInfo(
    name="finish", description="The workflow is complete.", parameters=ToolParams()
)
_IDLE_MAX: Final = 2
_GO_ON: Final = "Add a node, or call `finish` when the workflow is complete."


@solver
def local_editor(steps: int = 80, planner: str = MODEL) -> Solver:
    """Let the model build a workflow in the editor; it sees no inputs and no results.

    Args:
        steps: Answers of the model at most; a draft that is not closed by then is run as it stands.
        planner: Who plans: `model`, or one of `PLANNERS`, whose nodes are added in order.
    """
    require_planner(planner)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        sop, variants, _ = variants_of(state)
        editor, asked, idle, is_closed, problem = Editor(sop), 0, 0, False, ""
        state.messages = [
            ChatMessageSystem(content=edit_prompt()),
            ChatMessageUser(content=request_prompt(sop)),
        ]
        script = [] if planner == MODEL else _script(sop, planner)
        try:
            while asked < steps and idle < _IDLE_MAX and not is_closed:
                state.output = await _answer(state, script, asked)
                asked += 1
                problem = answer_problem(state.output)
                calls, is_closed = _take(state, editor)
                idle = 0 if calls else idle + 1
        finally:  # a limit breaks off here
            is_begun = is_closed or bool(editor.draft["steps"])
            plan = plan_of(editor.draft, sop) if is_begun else _not_begun(editor, problem)
            done = run_plan(plan, variants).model_copy(update={"is_closed": is_closed})
            keep(state, sop, Protocol.LOCAL, [done])
        return state

    return solve


def _not_begun(editor: Editor, problem: str) -> Plan:
    nothing = "planning: no node was added, and the editor was not closed with `finish`"
    return Plan(editor.draft, problem=problem or nothing)


async def _answer(state: TaskState, script: list[ToolCall], number: int) -> ModelOutput:
    if script:
        message = ChatMessageAssistant(content="", tool_calls=[script[number]], model="none")
        return ModelOutput.from_message(message)
    model = get_model()
    require_reachable(model)
    return await ask(model, state.messages, tools=[_ADD, _FINISH])


def _take(state: TaskState, editor: Editor) -> tuple[int, bool]:
    """Take an answer; return how many calls it held, and whether it closed the editor."""
    said = message_of(state.output)
    state.messages.append(said)
    calls = read_prediction(said.text, said.tool_calls or []).calls
    is_closed = False
    for made, call in zip(said.tool_calls or [], calls, strict=True):
        is_closed = is_closed or call.tool == _FINISH.name
        state.messages.append(_reply(made, call, editor, is_closed=is_closed))
    if not calls:
        state.messages.append(ChatMessageUser(content=_GO_ON))
    return len(calls), is_closed


def _reply(
    made: ToolCall, call: PredictedCall, editor: Editor, *, is_closed: bool
) -> ChatMessageTool:
    told: dict[str, Any]
    if is_closed:
        told = {"finished": True} if call.tool == _FINISH.name else {"refused": ["it is finished"]}
    elif call.tool != _ADD.name:
        told = {"refused": [f"there is no tool {call.tool}; use add_node or finish"]}
    elif call.arguments is None:
        told = {"refused": [f"the arguments cannot be read: {call.problem}"]}
    else:
        proposal = editor.add(call.arguments.get("block"), call.arguments.get("node"))
        told = {"refused": list(proposal.problems)}
        if not proposal.problems:
            told = {"added": proposal.place, "draft": editor.draft["steps"]}
    text = json.dumps(told, ensure_ascii=False)
    return tool_reply(made, text, failed="refused" in told)


def _script(sop: Sop, planner: str) -> list[ToolCall]:
    """Return the calls that build the plan of a planner without a model."""
    made: list[ToolCall] = []

    def add(block: list[Any], place: str) -> None:
        for index, node in enumerate(block):
            bare = {name: value for name, value in node.items() if name not in BLOCKS}
            arguments = {"block": place, "node": bare}
            made.append(ToolCall(id=f"add-{len(made)}", function=_ADD.name, arguments=arguments))
            for name in BLOCKS:
                add(node.get(name, []), f"{place}[{index}].{name}")

    add(baseline_plan(planner, sop)["steps"], "steps")
    return [*made, ToolCall(id="finish", function=_FINISH.name, arguments={})]
