"""STAR dialogues as conversations."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue, ValidationError

from skillbench_tasks.datasets.adapters.star.policy import policy_page
from skillbench_tasks.datasets.adapters.star.queries import Constraint, arguments_of, tool_entry
from skillbench_tasks.datasets.adapters.star.reading import Foreign, read_apis, read_flow
from skillbench_tasks.datasets.conversation_lines import Line, LineConversations
from skillbench_tasks.datasets.conversation_tools import tools_from
from skillbench_tasks.errors import DataError
from skillbench_tasks.models.conversation import (
    CalledTool,
    Conversation,
    ConversationTool,
    Said,
    Step,
)

__all__ = ["StarDialogues"]

DIALOGUES: Final = "single_task.jsonl"

_LIVE_INSTRUCTIONS: Final = "MTurk System bot"
"""Stands on the card of a user who was told what to do bit by bit: the card names no user."""

_MEND: Final = "get the file anew"


class _Said(Foreign):
    role: Literal["user", "agent"]
    text: str


class _Query(Foreign):
    role: Literal["tool_call"]
    call_id: str
    name: str
    arguments: dict[str, Constraint | list[Constraint]]


class _Answer(Foreign):
    role: Literal["tool_result"]
    call_id: str
    result: dict[str, JsonValue] | None
    total_items: int


class _Event(Foreign):
    role: Literal["event"]


class _Dialogue(Foreign):
    id: str
    intent: str
    happy_path: bool
    user_instructions: str
    agent_instructions: str
    turns: list[Annotated[_Said | _Query | _Answer | _Event, Field(discriminator="role")]]


class StarDialogues(LineConversations):
    """The dialogues of one folder.

    Args:
        folder: Holds `single_task.jsonl` (plain or gzipped), `apis/` and `flowcharts/`.

    Raises:
        DataError: Something in the folder is missing or broken.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise DataError(str(folder), "", "no such folder", "give the folder of STAR data")
        self._apis = read_apis(folder)
        self._flow = cache(lambda task: read_flow(folder, task))
        plain, packed = folder / DIALOGUES, folder / f"{DIALOGUES}.gz"
        super().__init__(plain if plain.exists() else packed, self._conversation)
        self.name = "star"
        if self.left_out:
            self.notes = (f"dialogues without a turn, left out: {len(self.left_out)}",)

    def _conversation(self, line: Line) -> Conversation | None:
        dialogue = _dialogue(line)
        if not dialogue.turns:
            return None
        task = dialogue.intent
        policy = policy_page(task, self._flow(task), dialogue.agent_instructions)
        made = Conversation(
            id=dialogue.id,
            workflow=task,
            kind="happy_path" if dialogue.happy_path else "unhappy_path",
            user=_user(dialogue),
            policy=sys.intern(policy),
            tools=self._tools(line, task),
            steps=self._steps(line, dialogue),
        )
        if not made.decisions:
            raise line.fault("turns", "no turn is the agent's", _MEND)
        return made

    def _tools(self, line: Line, task: str) -> tuple[ConversationTool, ...]:
        """Return the APIs of the task's domain, which its name begins with."""
        domain = task.partition("_")[0]
        names = [name for name in self._apis if name.partition("_")[0] == domain]
        return tools_from([tool_entry(name, self._apis[name]) for name in names], line, "intent")

    def _steps(self, line: Line, dialogue: _Dialogue) -> tuple[Step, ...]:
        answers = {turn.call_id: turn for turn in dialogue.turns if isinstance(turn, _Answer)}
        steps: list[Step] = []
        for index, turn in enumerate(dialogue.turns):
            if isinstance(turn, _Said) and turn.text.strip():
                role: Literal["user", "assistant"] = "user" if turn.role == "user" else "assistant"
                steps.append(Said(role=role, text=turn.text))
            elif isinstance(turn, _Query):
                if turn.call_id not in answers:
                    raise line.fault(f"turns.{index}.call_id", "the query has no result", _MEND)
                steps.append(self._call(line, turn, answers[turn.call_id], f"turns.{index}"))
        return tuple(steps)

    def _call(self, line: Line, query: _Query, answer: _Answer, place: str) -> CalledTool:
        api = self._apis.get(query.name)
        if api is None:
            problem = f"no apis/{query.name}.json"
            raise line.fault(f"{place}.name", problem, "get the folder anew")
        try:
            arguments = arguments_of(query.arguments, api)
        except KeyError as error:
            problem = f"the API has no slot {error.args[0]}"
            raise line.fault(f"{place}.arguments", problem, _MEND) from None
        return CalledTool(tool=query.name, arguments=arguments, result=_result(answer))


def _dialogue(line: Line) -> _Dialogue:
    try:
        return _Dialogue.model_validate(line.data)
    except ValidationError as error:
        first = error.errors()[0]
        raise line.fault(first["loc"], first["msg"], _MEND) from None


def _result(answer: _Answer) -> JsonValue:
    """Return what the wizard saw: the answer, or the first of the items found and their number."""
    if answer.total_items < 0:
        return answer.result
    return {"total_items": answer.total_items, "item": answer.result}


def _user(dialogue: _Dialogue) -> str:
    """Return who the user is: all who were given the same card are one."""
    card = dialogue.user_instructions
    if _LIVE_INSTRUCTIONS in card:
        return dialogue.id
    return f"{dialogue.intent}/{hashlib.sha256(card.strip().encode()).hexdigest()[:12]}"
