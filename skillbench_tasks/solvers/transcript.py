"""The record of a running conversation, from which the episode is made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolCall
from pydantic import JsonValue

from skillbench_tasks.models import Call, CallError, Episode, Line, Termination, UserFault
from skillbench_tasks.tools.toolbox import LedgerEntry, Toolbox
from skillbench_tasks.tools.toolkit import full_name

__all__ = ["Transcript", "added_messages"]


def added_messages(
    before: Sequence[ChatMessage], after: Sequence[ChatMessage]
) -> list[ChatMessage]:
    """Return the agent's and the tools' messages that a turn added.

    Messages are known by id. An agent that hands back rebuilt messages (new ids or none) is taken
    at its last turn: what stands behind the last user message.

    Args:
        before: The conversation that the agent got.
        after: The conversation that it gave back.
    """
    known = {message.id for message in before if message.id}
    if any(message.id in known for message in after):
        new = [message for message in after if message.id not in known]
    else:
        users = [index for index, message in enumerate(after) if message.role == "user"]
        new = list(after[users[-1] + 1 :] if users else after)
    return [message for message in new if message.role in ("assistant", "tool")]


def _was_answered(reply: ChatMessageTool | None) -> bool:
    """Return whether a call got a reply; that a limit kept it from running is none."""
    return reply is not None and (reply.error is None or reply.error.type != "limit")


class Transcript:
    """Lines and calls of both sides, in order.

    Calls are read from the toolbox's ledger, which holds what was really carried out; calls that
    never reached it (unknown tool, unreadable arguments) are read from the messages.

    Args:
        toolbox: The sample's toolbox.
    """

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._seen = 0
        self.events: list[Line | Call] = []
        self.turn = 0

    def user(self, text: str, acts: Sequence[str] = (), faults: Sequence[UserFault] = ()) -> None:
        """Write down what the user said."""
        line = Line(role="user", turn=self.turn, text=text, acts=tuple(acts), faults=tuple(faults))
        self.events.append(line)

    def agent(self, messages: Iterable[ChatMessage], *, finished: bool = True) -> str:
        """Write down an agent's turn and return the text that the user reads.

        Args:
            messages: The messages that the turn added.
            finished: False for a turn that a limit cut short: it need not have come to a text, and
                its last calls may not have run.
        """
        messages = list(messages)
        ledger = list(self._toolbox.ledger[self._seen :])
        self._seen = len(self._toolbox.ledger)
        replies = {m.tool_call_id: m for m in messages if isinstance(m, ChatMessageTool)}
        texts: list[str] = []
        start = len(self.events)
        for message in messages:
            if not isinstance(message, ChatMessageAssistant):
                continue
            if message.text.strip():
                texts.append(message.text.strip())
                self._line(texts[-1])
            for call in message.tool_calls or []:
                if (ran := self._carried_out(call, ledger)) is not None:
                    self.events.append(self._from_ledger(ran))
                elif _was_answered(reply := replies.get(call.id)) or (finished and reply is None):
                    self.events.append(self._refused(call, reply))
        if not texts and finished:
            self._line("")
        self._insert_unreported(ledger, start if finished else len(self.events))
        return "\n\n".join(texts)

    def _insert_unreported(self, ledger: Sequence[LedgerEntry], start: int) -> None:
        """Write down calls that the messages do not show: they came before the turn's last text.

        In a turn without one they come last.
        """
        lines = [i for i in range(start, len(self.events)) if self.events[i].event == "line"]
        last = lines[-1] if lines else len(self.events)
        self.events[last:last] = [self._from_ledger(entry) for entry in ledger]

    def episode(
        self, *, case: str, profile: Any, user: str, end: Termination, versions: dict[str, str]
    ) -> Episode:
        """Return the episode as it stands."""
        rest = self._toolbox.ledger[self._seen :]
        return Episode(
            case=case,
            profile=profile,
            user=user,
            events=(*self.events, *(self._from_ledger(entry) for entry in rest)),
            termination=end,
            changes=self._toolbox.world.changes_since(self._toolbox.start),
            versions=versions,
        )

    def _line(self, text: str) -> None:
        self.events.append(Line(role="agent", turn=self.turn, text=text))

    def _carried_out(self, call: ToolCall, ledger: list[LedgerEntry]) -> LedgerEntry | None:
        """Take a call's entry out of the ledger, if it is there."""
        tool = full_name(call.function)
        for index, entry in enumerate(ledger):
            if entry.tool == tool and entry.arguments == call.arguments and not call.parse_error:
                return ledger.pop(index)
        return None

    def _refused(self, call: ToolCall, reply: ChatMessageTool | None) -> Call:
        """Return a call that never reached the toolbox."""
        tool = full_name(call.function)
        offered = tool in self._toolbox.tools
        code = "invalid_arguments" if offered else "unknown_tool"
        arguments: dict[str, JsonValue] = json.loads(json.dumps(call.arguments, default=str))
        error = CallError(code=code, message=_told(reply), retryable=False)
        return Call(turn=self.turn, tool=tool, arguments=arguments, offered=offered, error=error)

    def _from_ledger(self, entry: LedgerEntry) -> Call:
        return Call(
            turn=self.turn,
            tool=entry.tool,
            arguments=entry.arguments,
            result=entry.result,
            error=entry.error,
        )


def _told(reply: ChatMessageTool | None) -> str:
    """Return what the agent read about a refused call; behind a bridge it is text alone."""
    if reply is not None and reply.error is not None:
        return reply.error.message
    return (reply.text if reply is not None else "") or "no reply"
