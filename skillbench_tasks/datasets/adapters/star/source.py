"""STAR dialogues as conversations."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, JsonValue, ValidationError

from skillbench_tasks.datasets.adapters.star.clone import is_published, record_of
from skillbench_tasks.datasets.adapters.star.policy import policy_page
from skillbench_tasks.datasets.adapters.star.queries import Constraint, arguments_of, tool_entry
from skillbench_tasks.datasets.adapters.star.reading import (
    Foreign,
    dialogues_in,
    published_lines,
    read_apis,
    read_flow,
)
from skillbench_tasks.datasets.conversation_lines import Line, LineConversations
from skillbench_tasks.datasets.conversation_tools import tools_from
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import first_fault
from skillbench_tasks.models.conversation import (
    CalledTool,
    Conversation,
    ConversationTool,
    Said,
    Step,
)

__all__ = ["StarDialogues"]

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
    intent: str | None
    tasks: tuple[str, ...] = Field(default=(), strict=False)
    happy_path: bool
    user_instructions: str
    agent_instructions: str
    turns: list[Annotated[_Said | _Query | _Answer | _Event, Field(discriminator="role")]]


class StarDialogues(LineConversations):
    """The dialogues of one folder; one that is odd is left out, and told in `notes`.

    Args:
        folder: A clone of the source (`dialogues/`, `apis/`, `tasks/`), or a folder that holds
            `single_task.jsonl` or `multi_task.jsonl` (plain or gzipped), `apis/` and `flowcharts/`.

    Raises:
        DataError: Something in the folder is missing or broken.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise DataError(str(folder), "", "no such folder", "give the folder of STAR data")
        self._apis = read_apis(folder)
        self._flow = cache(lambda task: read_flow(folder, task))
        place = dialogues_in(folder)
        files = published_lines(place) if place.is_dir() else None
        super().__init__(place, self._conversation, skip=True, lines=files)
        self.name = "star"
        if self.left_out:
            told = f"dialogues without a turn or not completed, left out: {len(self.left_out)}"
            self.notes = (told, *self.notes)

    def _conversation(self, line: Line) -> Conversation | None:
        dialogue = _dialogue(line)
        if dialogue is None or not dialogue.turns:
            return None
        tasks = dialogue.tasks or ([dialogue.intent] if dialogue.intent else [])
        if not tasks:
            raise line.fault("tasks", "the dialogue names no task", _MEND)
        policy = policy_page([(t, self._flow(t)) for t in tasks], dialogue.agent_instructions)
        made = Conversation(
            id=dialogue.id,
            workflow=dialogue.intent or "+".join(sorted(set(tasks))),
            kind="happy_path" if dialogue.happy_path else "unhappy_path",
            user=_user(dialogue),
            policy=sys.intern(policy),
            tools=self._tools(line, dialogue, tasks),
            steps=self._steps(line, dialogue),
        )
        if not made.decisions:
            raise line.fault("turns", "no turn is the agent's", _MEND)
        return made

    def _tools(
        self, line: Line, dialogue: _Dialogue, tasks: Sequence[str]
    ) -> tuple[ConversationTool, ...]:
        """Return the APIs of the tasks' domains, which their names begin with.

        Raises:
            DataError: The wizard called one that is not among them: no model could.
        """
        domains = {task.partition("_")[0] for task in tasks}
        names = [name for name in self._apis if name.partition("_")[0] in domains]
        for index, turn in enumerate(dialogue.turns):
            if isinstance(turn, _Query) and turn.name not in names:
                problem = f"{turn.name} is called, and is no API of the dialogue's tasks"
                raise line.fault(f"turns.{index}.name", problem, _MEND)
        return tools_from([tool_entry(name, self._apis[name]) for name in names], line, "tasks")

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
        try:
            arguments = arguments_of(query.arguments, self._apis[query.name])
        except KeyError as error:
            problem = f"the API has no slot {error.args[0]}"
            raise line.fault(f"{place}.arguments", problem, _MEND) from None
        return CalledTool(tool=query.name, arguments=arguments, result=_result(answer))


def _dialogue(line: Line) -> _Dialogue | None:
    """Return the dialogue of a line, in the published form or ours; none if it was broken off."""
    data: dict[str, Any] | None = line.data
    if is_published(line.data):
        try:
            data = record_of(line.data)
        except (KeyError, TypeError, IndexError) as error:
            raise line.fault("", f"not as published: {error}", _MEND) from None
    if data is None:
        return None
    try:
        return _Dialogue.model_validate(data)
    except ValidationError as error:
        raise line.fault(*first_fault(error, data), _MEND) from None


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
    return f"{dialogue.intent or 'multi'}/{hashlib.sha256(card.strip().encode()).hexdigest()[:12]}"
