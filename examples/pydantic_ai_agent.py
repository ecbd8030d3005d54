r"""An agent of the framework Pydantic AI, in the agent slot.

The framework runs its own loop and keeps its own memory; Inspect's `agent_bridge` sends the
requests of its OpenAI client for the model `inspect` to the model under test, whoever provides it.
Every call of a tool runs through the sample's own tools, so that the episode has it.

Run it (the framework is no dependency of skillbench; 2.68 fits beside its pins):

    .venv/bin/pip install "pydantic-ai-slim[openai]>=2.68"
    inspect eval skillbench_tasks/zero_shot --model anthropic/claude-opus-5 \
        -T agent=examples/pydantic_ai_agent.py@pydantic_ai_agent
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Any, Final

import pydantic_ai
from inspect_ai.agent import Agent, AgentState, agent, agent_bridge
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, execute_tools
from inspect_ai.tool import ToolCall, ToolDef
from openai import AsyncOpenAI
from pydantic_ai.exceptions import UnexpectedModelBehavior, UsageLimitExceeded
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

__all__ = ["pydantic_ai_agent"]

MAX_STEPS: Final = 12
"""Requests in one turn; a turn that uses them up ends without a message."""


@agent
def pydantic_ai_agent() -> Agent:
    """Put an agent of Pydantic AI in the slot; the slot makes a new one for each conversation."""
    memory: list[ModelMessage] = []

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one customer-facing turn."""
        policy, said = state.messages[0].text, state.messages[-1].text
        desk = pydantic_ai.Agent(
            _model(),
            instructions=policy,
            tools=[_framework_tool(tool) for tool in tools],
            retries=MAX_STEPS,
        )
        bounds = UsageLimits(request_limit=MAX_STEPS)
        with pydantic_ai.capture_run_messages() as messages:
            async with agent_bridge(state) as bridge:
                # The model's fault, not the run's: the turn counts as it stands.
                with suppress(UsageLimitExceeded, UnexpectedModelBehavior):
                    await desk.run(said, message_history=list(memory), usage_limits=bounds)
        memory[:] = messages
        return bridge.state

    return execute


@cache
def _model() -> OpenAIChatModel:
    """Return the framework's model; the bridge takes its requests, so no key is ever sent."""
    client = AsyncOpenAI(api_key="not-used", base_url="http://127.0.0.1:9")
    return OpenAIChatModel("inspect", provider=OpenAIProvider(openai_client=client))


def _framework_tool(tool: ToolDef) -> pydantic_ai.Tool[object]:
    """Return one of the sample's tools as the framework wants it."""
    numbers = count(1)

    async def run(**arguments: Any) -> str:
        # Inspect runs the call: checked, logged, bounded as a call of any agent.
        call = ToolCall(id=f"{tool.name}-{next(numbers)}", function=tool.name, arguments=arguments)
        request = ChatMessageAssistant(content="", tool_calls=[call])
        replies, _output = await execute_tools([request], [tool])
        (reply,) = (message for message in replies if isinstance(message, ChatMessageTool))
        return reply.error.message if reply.error else reply.text

    return pydantic_ai.Tool.from_schema(
        run,
        name=tool.name,
        description=tool.description,
        json_schema=tool.parameters.model_dump(exclude_none=True),
        sequential=True,
    )
