"""The closed loop around the replay: the model's own history, gold user turns (protocol B, iv)."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from skillbench_tasks.datasets.chat_format import reply_text
from skillbench_tasks.datasets.conversations import ConversationSource, open_conversations
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models.conversation import Conversation
from skillbench_tasks.models.replay_record import REPLAY_KEY, Match, ReplayedCall
from skillbench_tasks.solvers.messages import message_of, tool_reply
from skillbench_tasks.solvers.next_action import begin, go_on, offered_tools, prediction_of
from skillbench_tasks.solvers.predictors import MODEL, Situation, open_predictor
from skillbench_tasks.solvers.replay import Matcher, Replay, StrictMatcher, WorldMatcher
from skillbench_tasks.solvers.replay.machine import RETRIES
from skillbench_tasks.tools.toolbox import Toolbox

__all__ = ["replay_loop", "require_worlds"]


@solver
def replay_loop(
    source: str | None = None,
    match: str = Match.STRICT,
    retries: int = RETRIES,
    predictor: str = MODEL,
) -> Solver:
    """Let the model carry a gold conversation through on its own history.

    Args:
        source: Where the conversations come from, as for `open_conversations`.
        match: What a call must be: the gold call (`strict`), or `equivalent` to it on the world.
        retries: Tries after a rejected call.
        predictor: Who decides, as for `open_predictor`.
    """
    predict = open_predictor(predictor)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        found = open_conversations(source)
        conversation = found.conversation(state.metadata["conversation"])
        replay = Replay(conversation, _matcher(found, conversation, Match(match)), retries)
        tools = offered_tools(found, conversation.id)
        state.messages = [
            ChatMessageSystem(content=conversation.policy),
            *([ChatMessageUser(content=text) for text in replay.opening] or [begin()]),
        ]
        try:
            while (due := replay.due) is not None:
                state.output = await predict(
                    Situation(
                        source=found,
                        conversation=conversation,
                        number=due.number,
                        step=due.step,
                        attempt=replay.tries,
                        epoch=state.epoch,
                        messages=state.messages,
                        tools=tools,
                        beside=replay.beside,
                    )
                )
                _take(state, replay, conversation)
        finally:  # a limit breaks off here, and what was done is graded
            state.store.set(REPLAY_KEY, replay.record().model_dump(mode="json"))
        return state

    return solve


def _take(state: TaskState, replay: Replay, conversation: Conversation) -> None:
    prediction = prediction_of(state.output, conversation)
    begun = len(replay.events)
    reply = replay.take(prediction)
    said = message_of(state.output)
    state.messages.append(said)
    for call, answer in zip(said.tool_calls or [], reply.answers, strict=True):
        failed = answer.error is not None
        state.messages.append(tool_reply(call, reply_text(answer), failed=failed))
    state.messages += [ChatMessageUser(content=text) for text in reply.said]
    if reply.goes_on:
        state.messages.append(go_on())
    for event in replay.events[begun:]:
        if isinstance(event, ReplayedCall):
            told = event.model_dump(mode="json", include={"tool", "arguments", "reason"})
            transcript().info({event.status: told}, source=f"call {event.status}")


def _matcher(source: ConversationSource, conversation: Conversation, match: Match) -> Matcher:
    cases = source.case_source
    if match is Match.STRICT or cases is None or conversation.case is None:
        return StrictMatcher(conversation)
    case = cases.case(conversation.case)
    toolbox = Toolbox(cases.tools(case), cases.world(case), case.scenario.faults)
    return WorldMatcher(conversation, toolbox, case.skill.rules)


def require_worlds(source: ConversationSource, ids: Sequence[str], match: str) -> None:
    """Refuse `match=equivalent` where a conversation has no world to carry calls out on.

    Raises:
        OptionError: A conversation has none.
    """
    if match != Match.EQUIVALENT:
        return
    for one in ids:
        if source.case_source is None or source.conversation(one).case is None:
            problem = f"{one} has no world on which calls could be carried out"
            raise OptionError("-T match", problem, "give match=strict")
