"""What the stub's models do: the agent by the gold script, the customer as the scripted user."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ContentReasoning, ContentText
from inspect_ai.tool import ToolCall, ToolInfo

from skillbench_tasks.datasets.loaders import load_personas
from skillbench_tasks.datasets.script import ScriptCall, gold_script
from skillbench_tasks.datasets.sources import Source
from skillbench_tasks.models import Case
from skillbench_tasks.solvers.users.role_play import MARKS
from skillbench_tasks.solvers.users.scripted import ScriptedUser
from tests.scripted_model import Play as ScriptedPlay
from tests.wire.neutral import Asked, Broken, Call, Failure, Message, Play, Reply

__all__ = [
    "AGENT_THOUGHT",
    "UNREADABLE",
    "USER_THOUGHT",
    "VERDICT",
    "agent_play",
    "customer_play",
    "in_process_play",
    "judge_play",
    "refused_once",
]

AGENT_THOUGHT: Final = "MOONWORT thought"
USER_THOUGHT: Final = "HAREBELL thought"

UNREADABLE: Final = "A fine conversation."
VERDICT: Final[Mapping[str, object]] = {
    "rationale": "The visit was moved once, after the identity was proven.",
    "task_completion": "success",
    "workflow_adherence": 5,
    "tool_use_correctness": 4,
    "guardrail_compliance": 5,
    "communication_quality": 5,
    "resolution_efficiency": 5,
    "hallucinated_action": False,
}


@dataclass(frozen=True)
class _Step:
    """A model call of the agent. `stumbles`: its calls come out malformed at first."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    stumbles: bool = False


def agent_play(case: Case, broken: Broken, unsaid: str = "") -> Play:
    """Return the agent that follows the case's gold script.

    It thinks before every reply, makes two calls in parallel where a turn first allows it, and
    writes broken arguments at the first write, which it then makes again.

    Args:
        case: The case.
        broken: What the broken call becomes: where it leaves a message, it is a step of its own.
        unsaid: A part of the gold words that the agent leaves out.
    """
    turns = _plan(case, leaves_message=broken != "nothing", unsaid=unsaid)

    def play(asked: Asked) -> Reply:
        step = turns[_turn(asked)][_step(asked)]
        thought = f"{AGENT_THOUGHT} {asked.replies_so_far}"
        breaks = step.stumbles and not asked.has_stumbled
        calls = tuple(replace(call, is_broken=breaks) for call in step.calls)
        return Reply(step.text, thought, calls)

    return play


def customer_play(case: Case, source: Source) -> Play:
    """Return the customer that answers as the scenario's scripted user does."""
    persona = load_personas()[case.scenario.persona]
    marks = {state: mark for mark, state in MARKS.items()}

    def play(asked: Asked) -> Reply:
        heard = [message.text for message in asked.messages if message.role == "user"][1:]
        user = ScriptedUser(case.scenario, persona, source.slots(case))
        said = user.opening()
        for text in heard:
            said = user.reply(text)
        mark = f"\n{marks[said.end]}" if said.end else ""
        return Reply(f"{said.text}{mark}", f"{USER_THOUGHT} {len(heard)}")

    return play


def judge_play(asked: Asked) -> Reply:
    """Give a verdict, once told that what came first is none: it broke off."""
    if asked.replies_so_far == 0:
        return Reply(UNREADABLE, is_cut=True)
    return Reply(json.dumps(VERDICT))


def refused_once(failure: Failure, play: Play) -> Play:
    """Return a play whose second request is refused, then goes on."""
    count = 0
    lock = threading.Lock()

    def refusing(asked: Asked) -> Reply | Failure:
        nonlocal count
        with lock:
            count += 1
            is_refused = count == 2
        return failure if is_refused else play(asked)

    return refusing


def in_process_play(case: Case, broken: Broken, unsaid: str = "") -> ScriptedPlay:
    """Return the same agent for the model provider of the tests, without a wire."""
    play = agent_play(case, broken, unsaid)

    def answer(messages: list[ChatMessage], tools: list[ToolInfo]) -> ChatMessageAssistant:
        known = tuple(Message(_ROLES[m.role], m.text) for m in messages)
        reply = play(Asked("", known, has_stumbled=broken == "nothing"))
        assert isinstance(reply, Reply)
        calls = [
            _inspect_call(call, f"call-{len(messages)}-{index}", broken)
            for index, call in enumerate(reply.calls)
        ]
        thought = ContentReasoning(reasoning=reply.reasoning)
        said = ContentText(text=reply.text)
        return ChatMessageAssistant(content=[thought, said], tool_calls=calls or None)

    return answer


_ROLES: Final[Mapping[str, Literal["system", "user", "agent", "tool"]]] = {
    "system": "system", "user": "user", "assistant": "agent", "tool": "tool"
}  # fmt: skip


def _inspect_call(call: Call, identity: str, broken: Broken) -> ToolCall:
    arguments = dict(call.arguments)
    if not call.is_broken:
        return ToolCall(id=identity, function=call.name, arguments=arguments)
    if broken == "partial":
        first = dict(list(arguments.items())[:1])
        return ToolCall(id=identity, function=call.name, arguments=first)
    error = "the arguments are no JSON"
    return ToolCall(id=identity, function=call.name, arguments={}, parse_error=error)


def _plan(case: Case, *, leaves_message: bool, unsaid: str) -> list[list[_Step]]:
    """Return the agent's steps, turn by turn."""
    turns: list[list[_Step]] = []
    may_pair = may_stumble = True
    for turn in gold_script(case).turns:
        if turn.role == "user":
            continue
        steps: list[_Step] = []
        for calls in _groups(turn.calls, in_pairs=may_pair):
            may_pair = may_pair and len(calls) == 1
            made = tuple(_call(call) for call in calls)
            writes = any(case.checks.toolkit.get(call.tool) == "write" for call in calls)
            stumbles = may_stumble and writes
            may_stumble = may_stumble and not writes
            if stumbles and leaves_message:
                steps += [_Step(calls=made, stumbles=True), _Step(calls=made)]
            else:
                steps.append(_Step(calls=made, stumbles=stumbles))
        said = turn.text.replace(unsaid, "") if unsaid else turn.text
        turns.append([*steps, _Step(said)])
    return turns


def _groups(calls: tuple[ScriptCall, ...], *, in_pairs: bool) -> list[tuple[ScriptCall, ...]]:
    """Return calls one by one, the last two of a turn together."""
    single = [(call,) for call in calls]
    if not in_pairs or len(calls) < 2:
        return list(single)
    return [*single[:-2], calls[-2:]]


def _call(call: ScriptCall) -> Call:
    server, _, tool = call.tool.removeprefix("mcp.").partition(":")
    return Call(f"{server}__{tool}", call.arguments)


def _turn(asked: Asked) -> int:
    return sum(message.role == "user" for message in asked.messages) - 1


def _step(asked: Asked) -> int:
    roles = [message.role for message in asked.messages]
    last = len(roles) - 1 - roles[::-1].index("user")
    return roles[last:].count("agent")
