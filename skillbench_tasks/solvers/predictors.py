"""Who makes the decisions: the model under test, or a predictor whose score is known beforehand.

| name | what it does |
| --- | --- |
| `model` | the model of the run (`--model`) |
| `reference` | what the gold conversation does |
| `silent` | nothing |
| `echo` | says what the user said last |
| `repeat_last_call` | the last call once more; nothing where there is none |
| `most_frequent_call` | always the call that the training conversations make most often |
| `perturbed:RATE` | the reference, wrong at a share of the decisions, and again at each retry |
| `perturbed:RATE:independent` | the same, with a chance of its own at each retry |
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput, get_model
from inspect_ai.tool import ToolCall, ToolInfo
from pydantic import JsonValue

from skillbench_tasks.datasets.conversations import ConversationSource
from skillbench_tasks.datasets.splits import Split, load_splits
from skillbench_tasks.errors import OptionError
from skillbench_tasks.model_output import ask
from skillbench_tasks.models.conversation import CalledTool, Conversation, Said
from skillbench_tasks.models.prediction_record import GO_ON
from skillbench_tasks.task_options import require_reachable
from skillbench_tasks.tools.free_text import reworded

__all__ = [
    "BASELINES",
    "MODEL",
    "REWORDED",
    "Predictor",
    "Situation",
    "most_frequent_call",
    "open_predictor",
]

MODEL: Final = "model"
BASELINES: Final = ("silent", "echo", "repeat_last_call", "most_frequent_call")
"""Predictors that carry out nothing."""

REWORDED: Final = "reworded"
"""The reference in other words: what a perfect agent scores whose free texts are its own."""

_PERTURBED: Final = "perturbed"
_INDEPENDENT: Final = "independent"


@dataclass(frozen=True)
class Situation:
    """Where a decision is made.

    Args:
        source: Where the conversation comes from.
        conversation: The gold conversation.
        number: The decision that it makes here.
        step: What it does; predictors that stand for a model do not look at it.
        attempt: How often this decision was tried before.
        epoch: Which run of the sample this is, from 1.
        messages: What the model has before it.
        tools: What it is offered.
        beside: The further calls of a decision set, those that are still due.
    """

    source: ConversationSource
    conversation: Conversation
    number: int
    step: Said | CalledTool
    attempt: int
    epoch: int
    messages: Sequence[ChatMessage]
    tools: Sequence[ToolInfo]
    beside: Sequence[CalledTool] = ()


Predictor = Callable[[Situation], Awaitable[ModelOutput]]


def open_predictor(name: str) -> Predictor:
    """Return a predictor by name.

    Raises:
        OptionError: There is none with that name.
    """
    if name == MODEL:
        return _ask_model
    answer = _BY_NAME.get(name) or _perturbed(name)

    async def predict(situation: Situation) -> ModelOutput:
        return ModelOutput.from_message(answer(situation))

    return predict


async def _ask_model(situation: Situation) -> ModelOutput:
    model = get_model()
    require_reachable(model)
    return await ask(model, situation.messages, tools=list(situation.tools))


def most_frequent_call(source: ConversationSource) -> CalledTool | None:
    """Return the call that is made most often, function and arguments; the first among equals.

    Args:
        source: The conversations: of those that are split, the training ones; else all.
    """
    return _most_frequent(source)


@lru_cache(maxsize=8)
def _most_frequent(source: ConversationSource) -> CalledTool | None:
    train = set(load_splits().ids(Split.TRAIN))
    ids = [one for one in source.ids() if one in train] or source.ids()
    counts: Counter[str] = Counter()
    first: dict[str, CalledTool] = {}
    for step in (step for one in ids for step in source.conversation(one).steps):
        if isinstance(step, CalledTool):
            form = json.dumps([step.tool, step.arguments], sort_keys=True)
            counts[form] += 1
            first.setdefault(form, step)
    return first[counts.most_common(1)[0][0]] if counts else None


def _reference(situation: Situation) -> ChatMessageAssistant:
    if isinstance(situation.step, CalledTool):
        return _calling(situation, situation.step, *situation.beside)
    return _saying(situation.step.text)


def _reworded(situation: Situation) -> ChatMessageAssistant:
    """Return the reference with every free text of its arguments in other words."""
    if not isinstance(situation.step, CalledTool):
        return _reference(situation)
    schemas = {tool.name: tool.input_schema for tool in situation.conversation.tools}
    calls = [
        call.model_copy(update={"arguments": reworded(call.arguments, schemas[call.tool])})
        for call in (situation.step, *situation.beside)
    ]
    return _calling(situation, *calls)


def _silent(situation: Situation) -> ChatMessageAssistant:
    return _saying("")


def _echo(situation: Situation) -> ChatMessageAssistant:
    said = (
        message.text
        for message in reversed(situation.messages)
        if message.role == "user" and not (message.metadata or {}).get(GO_ON)
    )
    return _saying(next(said, ""))


def _repeat(situation: Situation) -> ChatMessageAssistant:
    for message in reversed(situation.messages):
        if isinstance(message, ChatMessageAssistant) and message.tool_calls:
            last = message.tool_calls[-1]
            step = CalledTool(tool=last.function, arguments=last.arguments)
            return _calling(situation, step)
    return _saying("")


def _most_often(situation: Situation) -> ChatMessageAssistant:
    found = most_frequent_call(situation.source)
    return _calling(situation, found) if found is not None else _saying("")


def _perturbed(name: str) -> Callable[[Situation], ChatMessageAssistant]:
    """Return the reference with errors of known rate.

    A wrong text is another text; a wrong call is the right function with one made-up argument. The
    same decision of the same epoch always goes the same way.
    """
    form, _, rest = name.partition(":")
    share, _, kind = rest.partition(":")
    try:
        rate = float(share)
    except ValueError:
        rate = -1.0
    if form != _PERTURBED or not 0 <= rate <= 1 or kind not in ("", _INDEPENDENT):
        known = ", ".join(
            (MODEL, *_BY_NAME, f"{_PERTURBED}:RATE", f"{_PERTURBED}:RATE:{_INDEPENDENT}")
        )
        raise OptionError("-T predictor", f"{name!r} is not known", f"give one of {known}")

    def answer(situation: Situation) -> ChatMessageAssistant:
        attempt = situation.attempt if kind else 0
        draw = (situation.conversation.id, situation.number, situation.epoch, attempt)
        if _uniform(draw) >= rate:
            return _reference(situation)
        if isinstance(situation.step, Said):
            return _saying("Zzz.")
        made_up: dict[str, JsonValue] = {"made_up_argument": situation.attempt}
        return _calling(situation, CalledTool(tool=situation.step.tool, arguments=made_up))

    return answer


def _uniform(draw: tuple[str | int, ...]) -> float:
    """Return a number from 0 to 1 that hangs on the draw alone."""
    digest = hashlib.sha256(repr(draw).encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


_BY_NAME: Final[dict[str, Callable[[Situation], ChatMessageAssistant]]] = {
    "reference": _reference,
    REWORDED: _reworded,
    "silent": _silent,
    "echo": _echo,
    "repeat_last_call": _repeat,
    "most_frequent_call": _most_often,
}


def _saying(text: str) -> ChatMessageAssistant:
    return ChatMessageAssistant(content=text, model="none")


def _calling(situation: Situation, *steps: CalledTool) -> ChatMessageAssistant:
    first = sum(message.role == "tool" for message in situation.messages) + 1
    calls = [
        ToolCall(id=f"call-{number}", function=step.tool, arguments=step.arguments)
        for number, step in enumerate(steps, start=first)
    ]
    return ChatMessageAssistant(content="", tool_calls=calls, model="none")
