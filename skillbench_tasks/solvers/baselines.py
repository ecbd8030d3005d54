"""Agents without a model: the reference, and six that must score nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, assert_never

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageAssistant, ModelOutput, execute_tools
from inspect_ai.tool import ToolCall, ToolDef
from inspect_ai.util import store

from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.models import Case
from skillbench_tasks.tools.toolkit import function_name

__all__ = [
    "BASELINES",
    "always_transfer",
    "claim_done",
    "paste_policy",
    "pasted_answers",
    "reference",
    "refuse",
    "silent",
    "spam",
]

BASELINES: Final = ("silent", "refuse", "always_transfer", "claim_done", "spam", "paste_policy")
"""Agents that must not pass."""

_HANDS_OVER: Final = re.compile(r"transfer|escalat|hand_?over")
"""Names of tools that `always_transfer` takes for a way out: it knows no more than a model does."""

CASE_KEY: Final = "skillbench:case"
"""Where the sample's store says which case runs, and from which folder it comes."""


@agent
def reference() -> Agent:
    """The oracle: the calls and the authored words of the case's gold conversation."""

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take the gold conversation's next agent turn."""
        agent_turns = [turn for turn in _case().gold.turns if turn.role == "agent"]
        number = sum(message.role == "user" for message in state.messages) - 1
        if number >= len(agent_turns):
            return _say(state, "Is there anything else I can do for you?")
        for call in agent_turns[number].calls:
            await _call(state, tools, call.tool, call.arguments)
        return _say(state, agent_turns[number].text)

    return execute


@agent
def silent() -> Agent:
    """Says nothing and does nothing."""

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one turn."""
        return _say(state, "")

    return execute


@agent
def refuse() -> Agent:
    """Declines whatever it is asked."""

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one turn."""
        return _say(state, "I'm sorry, but I'm not able to help with that here.")

    return execute


@agent
def always_transfer() -> Agent:
    """Hands every conversation to a person at once."""

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one turn."""
        for tool in tools:
            if _HANDS_OVER.search(tool.name) and "list_" not in tool.name:
                await _call(state, tools, tool.name, _smallest(tool))
        return _say(state, "I'm transferring you to a colleague who can help you with this.")

    return execute


@agent
def claim_done() -> Agent:
    """Claims success without a call."""

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one turn."""
        return _say(state, "All done! I've taken care of everything you asked for.")

    return execute


@agent
def spam() -> Agent:
    """Calls every tool with made-up arguments and claims everything at once."""

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one turn."""
        for tool in tools:
            await _call(state, tools, tool.name, _smallest(tool))
        text = (
            "I've verified you, checked everything, processed your request, transferred it to a "
            "colleague, and it is also outside our policy. Please confirm. All done!"
        )
        return _say(state, text)

    return execute


PasteForm = Literal["capability", "page", "sections", "transfer_words", "lines"]
"""What is pasted: Capability, the page, a section or line a turn, the page with a promise."""

_DECLINED: Final = "That is not something I can do here."


@agent
def paste_policy(form: PasteForm = "capability") -> Agent:
    """Answers with its own instructions, and calls nothing.

    Args:
        form: What of them it pastes.
    """

    async def execute(state: AgentState, tools: Sequence[ToolDef]) -> AgentState:
        """Take one turn."""
        answers = pasted_answers(_case().skill.instructions, form)
        number = sum(message.role == "user" for message in state.messages) - 1
        return _say(state, answers[number % len(answers)])

    return execute


def pasted_answers(page: str, form: PasteForm) -> list[str]:
    """Return what an agent answers, turn by turn, that pastes a policy's page."""
    sections = [part.strip() for part in re.split(r"^(?=# )", page, flags=re.MULTILINE) if part]
    lines = [line.strip() for line in sections[0].splitlines()[1:] if line.strip(" |-")]
    match form:
        case "capability":
            return [f"{_DECLINED}\n{sections[0]}"]
        case "page":
            return [page]
        case "transfer_words":
            return [f"{page}\nI'm transferring you to a colleague who can help you with this."]
        case "sections":
            return [f"{_DECLINED}\n{section}" for section in sections]
        case "lines":
            return [f"{_DECLINED} {line}" for line in lines]
        case _:
            assert_never(form)


def _case() -> Case:
    place: dict[str, str | None] = store().get(CASE_KEY)
    return open_source(place["source"]).case(str(place["case"]))


def _say(state: AgentState, text: str) -> AgentState:
    message = ChatMessageAssistant(content=text, model="none")
    state.messages.append(message)
    state.output = ModelOutput.from_message(message)
    return state


async def _call(
    state: AgentState, tools: Sequence[ToolDef], tool: str, arguments: Mapping[str, Any]
) -> None:
    function = function_name(tool)
    identity = f"call-{sum(message.role == 'tool' for message in state.messages) + 1}"
    call = ToolCall(id=identity, function=function, arguments=dict(arguments))
    message = ChatMessageAssistant(content="", tool_calls=[call], model="none")
    state.messages.append(message)
    replies, _output = await execute_tools(state.messages, tools)
    state.messages.extend(replies)


def _smallest(tool: ToolDef) -> dict[str, Any]:
    """Return arguments that fit the tool's schema as far as the schema says."""
    properties = tool.parameters.properties
    return {name: _sample(properties[name]) for name in tool.parameters.required}


def _sample(schema: Any) -> Any:
    if schema.enum:
        return schema.enum[0]
    if schema.examples:
        return schema.examples[0]
    kind = schema.type[0] if isinstance(schema.type, list) else schema.type
    if kind == "object":
        return {n: _sample((schema.properties or {})[n]) for n in schema.required or []}
    samples: dict[str | None, Any] = {
        "integer": 1,
        "number": 1,
        "boolean": True,
        "array": [],
    }
    return samples.get(kind, "customer request")
