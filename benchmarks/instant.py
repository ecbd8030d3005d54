"""An instant model that plays the gold conversation, and the bare loop to measure against."""

from __future__ import annotations

import json
from typing import Any

import anyio
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    execute_tools,
    get_model,
    modelapi,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolChoice, ToolDef, ToolInfo, ToolParams
from inspect_ai.util import JSONSchema, store

from skillbench_tasks.datasets.agent_prompt import agent_prompt
from skillbench_tasks.datasets.loaders import (
    case_by_id,
    company_of,
    load_cases,
    skill_tools,
    start_world,
)
from skillbench_tasks.models import Case, GoldTurn
from skillbench_tasks.solvers.baselines import CASE_KEY
from skillbench_tasks.tools.toolkit import result_text

__all__ = ["JUDGE_SECONDS", "bare_task"]

JUDGE_SECONDS = 0.2
"""Seconds that a slow judge takes."""

_VERDICT = json.dumps(
    {
        "rationale": "Lines 1 to 8 show the check, the consent and the call.",
        "task_completion": "success",
        "workflow_adherence": 5,
        "tool_use_correctness": 5,
        "guardrail_compliance": 5,
        "communication_quality": 4,
        "resolution_efficiency": 4,
        "hallucinated_action": False,
    }
)


class InstantModel(ModelAPI):
    """Answers at once with the next step of the sample's gold conversation."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the next gold call of the present turn, or its text; a judge's verdict."""
        if "judge" in self.model_name:
            if self.model_name.startswith("slow"):
                await anyio.sleep(JUDGE_SECONDS)
            return _output(ChatMessageAssistant(content=_VERDICT))
        if self.model_name == "decision":
            return _output(ChatMessageAssistant(content="One moment, please."))
        case = case_by_id(store().get(CASE_KEY)["case"])
        turns = _agent_turns(case)
        users = [index for index, message in enumerate(input) if message.role == "user"]
        turn = turns[min(len(users), len(turns)) - 1]
        done = sum(message.role == "tool" for message in input[users[-1] :])
        return _output(_next(turn, done, len(input)))

    def max_connections(self) -> int:
        """Return a bound that never waits."""
        return 1000

    def connection_key(self) -> str:
        """Return one key for all."""
        return "instant"


def _output(message: ChatMessageAssistant) -> ModelOutput:
    output = ModelOutput.from_message(message)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


@modelapi(name="instant")
def instant() -> type[ModelAPI]:
    """Register the provider as `instant/gold`."""
    return InstantModel


def _agent_turns(case: Case) -> list[GoldTurn]:
    return [turn for turn in case.gold.turns if turn.role == "agent"]


def _next(turn: GoldTurn, done: int, number: int) -> ChatMessageAssistant:
    if done >= len(turn.calls):
        return ChatMessageAssistant(content=turn.text)
    gold = turn.calls[done]
    function = gold.tool.removeprefix("mcp.").replace(":", "__")
    call = ToolCall(id=f"call-{number}", function=function, arguments=gold.arguments)
    return ChatMessageAssistant(content="", tool_calls=[call])


@solver
def bare_loop() -> Solver:
    """Make the same model and tool calls over constant tools: no world, no user, no record."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        case = case_by_id(str(state.sample_id))
        state.store.set(CASE_KEY, {"case": case.id, "source": None})
        tools = _constant_tools(case)
        prompt = agent_prompt(
            case, company_of(case.skill), start_world(case.skill, case.scenario).now
        )
        model = get_model()
        state.messages = [ChatMessageSystem(content=prompt)]
        for turn in case.gold.turns:
            if turn.role == "user":
                state.messages.append(ChatMessageUser(content=turn.text))
                continue
            while True:
                state.output = await model.generate(state.messages, tools=tools)
                state.messages.append(state.output.message)
                if not state.output.message.tool_calls:
                    break
                replies, _ = await execute_tools(state.messages, tools)
                state.messages.extend(replies)
        return state

    return solve


def bare_task() -> Task:
    """Return the bare loop over all cases that ship, without a scorer."""
    samples = [Sample(id=case.id, input=case.scenario.opening) for case in load_cases()]
    return Task(dataset=MemoryDataset(samples, name="bare"), solver=bare_loop(), name="bare")


def _constant_tools(case: Case) -> list[ToolDef]:
    results = {c.tool: result_text(c.result) for turn in case.gold.turns for c in turn.calls}
    return [
        _constant(tool.spec, results.get(tool.spec.full_name, "{}"))
        for tool in skill_tools(case.skill)
    ]


def _constant(spec: Any, result: str) -> ToolDef:
    async def execute(**kwargs: Any) -> str:
        return result

    properties = {
        name: JSONSchema.model_validate(schema)
        for name, schema in spec.input_schema["properties"].items()
    }
    parameters = ToolParams(properties=properties, required=spec.input_schema.get("required", []))
    return ToolDef(
        execute,
        name=spec.function_name,
        description=spec.description,
        parameters=parameters,
        parallel=False,
        max_output=0,
    )
