"""One model call for each decision of a gold conversation (protocol B, i–iii)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ModelOutput,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo

from skillbench_tasks.datasets.chat_format import reply_text
from skillbench_tasks.datasets.conversations import ConversationSource, open_conversations
from skillbench_tasks.datasets.replay_state import state_before
from skillbench_tasks.models.conversation import CalledTool, Conversation, Decision, Said
from skillbench_tasks.models.prediction_record import GO_ON, PREDICTION_KEY, PredictionRecord
from skillbench_tasks.solvers.messages import tool_reply
from skillbench_tasks.solvers.predictors import MODEL, Situation, open_predictor
from skillbench_tasks.tools.equivalence import Equivalence, equivalent
from skillbench_tasks.tools.prediction import Prediction, read_prediction
from skillbench_tasks.tools.toolkit import tool_info
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = [
    "begin",
    "go_on",
    "gold_messages",
    "next_action",
    "offered_tools",
    "prediction_of",
]

_KEPT_CONVERSATIONS: Final = 64


@solver
def next_action(source: str | None = None, predictor: str = MODEL) -> Solver:
    """Ask the model for its next action after a gold history; nothing is carried out.

    Args:
        source: Where the conversations come from, as for `open_conversations`.
        predictor: Who decides, as for `open_predictor`.
    """
    predict = open_predictor(predictor)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        found = open_conversations(source)
        conversation = found.conversation(state.metadata["conversation"])
        decision = conversation.decisions[state.metadata["number"]]
        history = list(gold_messages(found, conversation.id)[: _count(conversation, decision.step)])
        if history[-1].role == "assistant":
            history.append(go_on())
        tools = offered_tools(found, conversation.id)
        step = conversation.steps[decision.step]
        output = await predict(
            Situation(
                source=found,
                conversation=conversation,
                number=decision.number,
                step=step,
                attempt=0,
                epoch=state.epoch,
                messages=history,
                tools=tools,
                beside=conversation.calls(decision)[1:],
            )
        )
        state.messages = [*history, output.message] if output.choices else history
        state.output = output
        prediction = prediction_of(output, conversation)
        effect = _effect(found, conversation, decision, prediction)
        record = PredictionRecord(
            prediction=prediction.model_dump(mode="json"),
            history=len(history),
            equivalent=effect.equivalent if effect else None,
            equivalent_reason=effect.reason if effect else "",
            versions={"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
        )
        state.store.set(PREDICTION_KEY, record.model_dump(mode="json"))
        return state

    return solve


@lru_cache(maxsize=_KEPT_CONVERSATIONS)
def gold_messages(source: ConversationSource, conversation_id: str) -> tuple[ChatMessage, ...]:
    """Return a whole gold conversation as messages, the policy first.

    The decisions of a conversation share them: a history is a beginning of this.
    """
    conversation = source.conversation(conversation_id)
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=conversation.policy, id=f"{conversation.id}:policy")
    ]
    if _assistant_begins(conversation):
        messages.append(begin())
    for index, step in enumerate(conversation.steps):
        made = _messages(step, f"{conversation.id}:{index}", f"call_{index}")
        if isinstance(step, CalledTool) and step.with_previous:
            _call_beside(messages, made.pop(0))
        messages += made
    return tuple(messages)


@lru_cache(maxsize=_KEPT_CONVERSATIONS)
def offered_tools(source: ConversationSource, conversation_id: str) -> tuple[ToolInfo, ...]:
    """Return the tools of a conversation as a model is offered them."""
    return tuple(
        tool_info(tool.name, tool.description, tool.input_schema)
        for tool in source.conversation(conversation_id).tools
    )


def _call_beside(messages: list[ChatMessage], asked: ChatMessage) -> None:
    """Add a call to the message before that calls, of which it is a part."""
    place = max(at for at, one in enumerate(messages) if isinstance(one, ChatMessageAssistant))
    first = messages[place]
    assert isinstance(first, ChatMessageAssistant)
    assert isinstance(asked, ChatMessageAssistant)
    calls = [*(first.tool_calls or []), *(asked.tool_calls or [])]
    messages[place] = first.model_copy(update={"tool_calls": calls})


def _messages(step: Said | CalledTool, identity: str, call_id: str) -> list[ChatMessage]:
    """Return a step as messages.

    Args:
        step: The step.
        identity: Id of the message in the log; providers do not get it.
        call_id: Id of the call. Providers do get it, and the model reads it: so it tells nothing of
            the case, and is short and plain enough for all of them.
    """
    if isinstance(step, Said):
        if step.role == "user":
            return [ChatMessageUser(content=step.text, id=identity)]
        return [ChatMessageAssistant(content=step.text, id=identity)]
    call = ToolCall(id=call_id, function=step.tool, arguments=step.arguments)
    reply = tool_reply(call, reply_text(step), failed=step.error is not None)
    reply.id = f"{identity}:reply"
    return [ChatMessageAssistant(content="", tool_calls=[call], id=identity), reply]


def _count(conversation: Conversation, step: int) -> int:
    """Return how many messages stand before a step: an answer for each call, one for the rest."""
    first = 1 + _assistant_begins(conversation)
    return first + sum(
        2 - one.with_previous if isinstance(one, CalledTool) else 1
        for one in conversation.steps[:step]
    )


def _assistant_begins(conversation: Conversation) -> bool:
    first = conversation.steps[0]
    return isinstance(first, CalledTool) or first.role != "user"


def begin() -> ChatMessageUser:
    """Return what stands before an assistant that speaks first.

    Servers and chat templates want a user's message at the head. The gold user says nothing here.
    """
    text = "(The conversation begins. You speak first.)"
    return ChatMessageUser(content=text, metadata={GO_ON: True})


def go_on() -> ChatMessageUser:
    """Return what stands behind an assistant's text when the assistant is asked again.

    Servers take a conversation that ends with the assistant for an answer to be continued, or
    refuse it. The gold user says nothing here.
    """
    text = "(The customer is waiting for you to go on.)"
    return ChatMessageUser(content=text, metadata={GO_ON: True})


def prediction_of(output: ModelOutput, conversation: Conversation) -> Prediction:
    """Return a model's output as it is read; an answer that is the provider's alone is nothing.

    Args:
        output: The output.
        conversation: What offers the tools.
    """
    if not output.choices or (output.stop_reason == "model_length" and output.usage is None):
        return read_prediction("")  # the text is the provider's, not the model's
    message = output.message
    parts = message.content if isinstance(message.content, list) else []
    return read_prediction(
        message.text,
        message.tool_calls or [],
        tools=[tool.name for tool in conversation.tools],
        reasoned=any(isinstance(part, ContentReasoning) for part in parts),
    )


def _effect(
    source: ConversationSource,
    conversation: Conversation,
    decision: Decision,
    prediction: Prediction,
) -> Equivalence | None:
    """Try the predicted call beside the reference call, where their world can be started."""
    reference, cases = conversation.steps[decision.step], source.case_source
    if not isinstance(reference, CalledTool) or conversation.case is None or cases is None:
        return None
    if decision.size > 1:
        return None  # what a set does hangs on the order in which its calls are carried out
    if prediction.call is None:
        return Equivalence(equivalent=False, reason="there is no call")
    state = state_before(conversation.case, decision.number, cases)
    return equivalent(reference, prediction.call, state)
