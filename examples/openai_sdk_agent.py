r"""A customer-service agent on the plain OpenAI SDK, in the agent slot.

`ServiceAgent` is the third party: it calls chat completions with tools in a loop of its own and
knows nothing of Inspect. `openai_sdk_agent` puts it in the slot: inside Inspect's `agent_bridge`
the SDK's requests for the model `inspect` go to the model under test, whoever provides it, and
every call of a tool runs through the sample's own tools, so that the episode has it.

Run it (nothing more to install):

    inspect eval skillbench_tasks/zero_shot --model openai/gpt-5.4 \
        -T agent=examples/openai_sdk_agent.py@openai_sdk_agent
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from inspect_ai.agent import Agent, AgentState, agent, agent_bridge
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    execute_tools,
    messages_to_openai,
)
from inspect_ai.tool import ToolCall, ToolDef
from openai import AsyncOpenAI
from openai.types.chat import (
    ChatCompletionAssistantMessageParam,
    ChatCompletionFunctionToolParam,
    ChatCompletionMessage,
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionMessageParam,
)

__all__ = ["ServiceAgent", "ServiceTool", "openai_sdk_agent"]

MAX_STEPS: Final = 12
"""Requests in one turn; the last one has to be answered in words."""


# The third party.


@dataclass(frozen=True)
class ServiceTool:
    """A tool as the third party wants it.

    Args:
        schema: What the model is told.
        run: Takes the call's id and arguments, gives the text that the model reads.
    """

    schema: ChatCompletionFunctionToolParam
    run: Callable[[str, dict[str, Any]], Awaitable[str]]


class ServiceAgent:
    """Answers one message of a customer, with as many calls of tools as it takes.

    Args:
        client: Where the model is.
        model: Its name.
        tools: What it may call.
    """

    def __init__(self, client: AsyncOpenAI, model: str, tools: Sequence[ServiceTool]) -> None:
        self._client, self._model = client, model
        self._tools = {tool.schema["function"]["name"]: tool for tool in tools}

    async def reply(self, conversation: Sequence[ChatCompletionMessageParam]) -> str:
        """Return what the customer reads next.

        Args:
            conversation: Everything so far; the customer's message is the last.
        """
        messages = list(conversation)
        for step in range(1, MAX_STEPS + 1):
            completion = await self._client.chat.completions.create(
                model=self._model,
                messages=messages,
                tools=[tool.schema for tool in self._tools.values()],
                tool_choice="none" if step == MAX_STEPS else "auto",
            )
            said = completion.choices[0].message
            calls = [c for c in said.tool_calls or [] if c.type == "function"]
            if not calls:
                return said.content or ""
            messages.append(_with_calls(said, calls))
            for call in calls:  # one after the other: a later one may rest on an earlier one
                text = await self._call(call)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
        return ""

    async def _call(self, call: ChatCompletionMessageFunctionToolCall) -> str:
        tool = self._tools.get(call.function.name)
        if tool is None:
            return f"There is no tool {call.function.name}."
        try:
            arguments = json.loads(call.function.arguments or "{}")
        except ValueError as error:
            return f"The arguments are no JSON: {error}"
        if not isinstance(arguments, dict):
            return "The arguments are no JSON object."
        return await tool.run(call.id, arguments)


def _with_calls(
    said: ChatCompletionMessage, calls: Sequence[ChatCompletionMessageFunctionToolCall]
) -> ChatCompletionAssistantMessageParam:
    return {
        "role": "assistant",
        "content": said.content,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in calls
        ],
    }


# The slot.


@agent
def openai_sdk_agent() -> Agent:
    """Put `ServiceAgent` in the slot."""

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one customer-facing turn."""
        conversation = await messages_to_openai(state.messages)
        service = ServiceAgent(_client(), "inspect", [_service_tool(tool) for tool in tools])
        # The bridge writes what passes over it into the state: the turn is kept even when a limit
        # cuts it short.
        async with agent_bridge(state) as bridge:
            await service.reply(conversation)
        return bridge.state

    return execute


@cache
def _client() -> AsyncOpenAI:
    """Return the SDK's client; the bridge takes its requests, so no key is ever sent."""
    return AsyncOpenAI(api_key="not-used", base_url="http://127.0.0.1:9")


def _service_tool(tool: ToolDef) -> ServiceTool:
    """Return one of the sample's tools as the third party wants it."""

    async def run(call_id: str, arguments: dict[str, Any]) -> str:
        # Inspect runs the call: checked, logged, bounded as a call of any agent.
        call = ToolCall(id=call_id, function=tool.name, arguments=arguments)
        request = ChatMessageAssistant(content="", tool_calls=[call])
        replies, _output = await execute_tools([request], [tool])
        (reply,) = (message for message in replies if isinstance(message, ChatMessageTool))
        return reply.error.message if reply.error else reply.text

    schema: ChatCompletionFunctionToolParam = {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters.model_dump(exclude_none=True),
        },
    }
    return ServiceTool(schema, run)
