"""A model provider for tests: a function of the conversation instead of a model. Stateless, no network."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

__all__ = ["PLAYS", "ScriptedModel", "called"]

Reply = str | ChatMessageAssistant | ModelOutput
Play = Callable[[list[ChatMessage], list[ToolInfo]], Reply | Awaitable[Reply]]

PLAYS: dict[str, Play] = {}
"""Model name → what it answers to a conversation; it may wait, or raise."""


def called(function: str, arguments: dict[str, Any], text: str = "") -> ChatMessageAssistant:
    """Return a message that calls one tool."""
    call = ToolCall(id=f"id-{function}", function=function, arguments=arguments)
    return ChatMessageAssistant(content=text, tool_calls=[call])


class ScriptedModel(ModelAPI):
    """Answers by the play whose name it carries."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer by the play."""
        said = PLAYS[self.model_name](input, tools)
        if isawaitable(said):
            said = await said
        output = _output(said)
        output.usage = output.usage or ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    def max_connections(self) -> int:
        """Return a bound that never waits."""
        return 100

    def connection_key(self) -> str:
        """Return one key for all."""
        return "scripted"


def _output(said: Reply) -> ModelOutput:
    if isinstance(said, ModelOutput):
        return said.model_copy(deep=True)
    message = said if isinstance(said, ChatMessageAssistant) else ChatMessageAssistant(content=said)
    return ModelOutput.from_message(message)


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    """Register the provider as `scripted/<play>`."""
    return ScriptedModel
