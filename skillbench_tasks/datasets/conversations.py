"""Where recorded conversations come from: what ships, skills of one's own, a file, foreign data.

A source names its conversations and gives each by id. It holds no history twice: the history of a
decision is a place in its conversation, which all its decisions share.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Final

from skillbench_tasks.datasets.agent_prompt import agent_prompt
from skillbench_tasks.datasets.skill_files import GOLD_FILE
from skillbench_tasks.datasets.sources import ADAPTERS, Source, open_source
from skillbench_tasks.errors import DataError, OptionError
from skillbench_tasks.files import shown
from skillbench_tasks.models import Case, GoldTurn, ToolSpec
from skillbench_tasks.models.conversation import (
    CalledTool,
    Conversation,
    ConversationTool,
    Said,
    Step,
)

__all__ = [
    "FORMATS",
    "SKIP",
    "CaseConversations",
    "ConversationSource",
    "conversation_of",
    "conversation_place",
    "open_conversations",
]

FORMATS: Final = {
    "openai": "skillbench_tasks.datasets.adapters.openai_chat",
    "star": "skillbench_tasks.datasets.adapters.star",
}
"""Formats of foreign data: name → module with `open_data(path, *, skip) -> ConversationSource`."""

SKIP: Final = "skip"
"""`skip:PLACE` leaves broken lines of a file out and tells them; `PLACE` alone refuses the file."""

_FOREIGN: Final = " or ".join(f"{name}:PATH" for name in FORMATS)
_OWN_FORMAT: Final = "skillbench_tasks.datasets.conversation_files"


class ConversationSource(ABC):
    """Recorded conversations by id, in a fixed order."""

    name: str
    notes: tuple[str, ...] = ()
    """What of the data was left out or read in a way that the user should know, one line each."""

    @abstractmethod
    def ids(self) -> tuple[str, ...]:
        """Return the ids of all conversations, in order; there is at least one."""

    @abstractmethod
    def conversation(self, conversation_id: str) -> Conversation:
        """Return one conversation.

        Raises:
            DataError: There is none with that id.
        """

    def conversations(self) -> Iterator[Conversation]:
        """Yield all conversations in order; none is kept for that."""
        for conversation_id in self.ids():
            yield self.conversation(conversation_id)

    @property
    def case_source(self) -> Source | None:
        """Return where the worlds of conversations with a `case` are started, if anywhere."""
        return None


class CaseConversations(ConversationSource):
    """The gold conversations of cases.

    Args:
        place: Where the cases come from, as for `open_source`; default: what ships.
    """

    def __init__(self, place: str | None = None) -> None:
        self._source = open_source(place)
        self.name = self._source.name

    @property
    def case_source(self) -> Source:
        """Return the source of the cases."""
        return self._source

    def ids(self) -> tuple[str, ...]:
        """Return the ids, which are those of the cases."""
        return tuple(self._by_id)

    def conversation(self, conversation_id: str) -> Conversation:
        """Return the gold conversation of one case."""
        if conversation_id not in self._by_id:
            raise DataError(self.name, conversation_id, "no such case", "see `skillbench list`")
        return self._by_id[conversation_id]

    @cached_property
    def _by_id(self) -> Mapping[str, Conversation]:
        """Make all conversations; those of one skill share policy and tools."""
        tools: dict[str, Mapping[str, ConversationTool]] = {}
        made = {}
        for case in self._source.cases():
            if case.skill.name not in tools:
                specs = [tool.spec for tool in self._source.tools(case)]
                tools[case.skill.name] = {spec.full_name: _offered(spec) for spec in specs}
            now = self._source.world(case).now
            policy = sys.intern(agent_prompt(case, self._source.company(case), now))
            made[case.id] = conversation_of(case, policy, tools[case.skill.name])
        return made


def conversation_of(case: Case, policy: str, tools: Mapping[str, ConversationTool]) -> Conversation:
    """Return the gold conversation of a case; in an agent turn calls come before the message.

    Args:
        case: The case.
        policy: What the agent is told: the system prompt of the zero-shot task, to the byte.
        tools: The toolkit by full name, `mcp.<server>:<tool>`.

    Raises:
        DataError: Its words have not been written.
    """
    scenario = case.scenario
    return Conversation(
        id=case.id,
        workflow=case.skill.name,
        kind=str(scenario.kind),
        user=f"{case.skill.industry}/{scenario.customer or case.id}",
        policy=policy,
        tools=tuple(tools.values()),
        steps=tuple(step for turn in case.gold.turns for step in _steps(case, turn, tools)),
        case=case.id,
        optional_tools=tuple(
            tool.name for name, tool in tools.items() if name not in case.checks.required_tools
        ),
    )


def _offered(spec: ToolSpec) -> ConversationTool:
    return ConversationTool(
        name=spec.function_name,
        description=spec.description,
        access=spec.access,
        input_schema=spec.input_schema,
    )


def _steps(case: Case, turn: GoldTurn, tools: Mapping[str, ConversationTool]) -> Iterator[Step]:
    for call in turn.calls:
        name, error = tools[call.tool].name, call.error
        yield CalledTool(tool=name, arguments=call.arguments, result=call.result, error=error)
    if not turn.text.strip():
        file = shown(Path(case.skill.folder) / GOLD_FILE)
        mend = f"run `skillbench skeleton {case.skill.name}` and write them"
        raise DataError(file, case.id, "the conversation has no words", mend)
    yield Said(role="user" if turn.role == "user" else "assistant", text=turn.text)


@cache
def open_conversations(place: str | None = None) -> ConversationSource:
    """Return the source of conversations at a place.

    Args:
        place: A file in our own format (`docs/conversation-format.md`), a folder of skills, or
            `<format>:PATH` for foreign data; `skip:` before a file leaves its broken lines out.
            Default: what ships.

    Raises:
        DataError: What is there is missing or broken.
    """
    if place is None:
        return CaseConversations()
    skip = place.startswith(f"{SKIP}:")
    place = place.removeprefix(f"{SKIP}:")
    form, colon, path = place.partition(":")
    if form in FORMATS and colon:
        return _open(FORMATS[form], Path(path), skip=skip)
    if Path(place).is_dir():
        return CaseConversations(place)
    return _open(_OWN_FORMAT, Path(place), skip=skip)


def _open(module: str, path: Path, *, skip: bool) -> ConversationSource:
    made: ConversationSource = import_module(module).open_data(path, skip=skip)
    return made


def conversation_place(dataset: object) -> str | None:
    """Return the place that the option `-T dataset` names, with an absolute path.

    Raises:
        OptionError: It is no path and no `<format>:PATH`.
    """
    if dataset is None:
        return None
    mend = f"give a file of conversations, a folder of skills, {_FOREIGN}"
    # `-T` reads its values as YAML: `star:` without a path arrives as a mapping.
    skip = f"{SKIP}:" if str(dataset).startswith(f"{SKIP}:") else ""
    form, colon, path = str(dataset).removeprefix(skip).partition(":")
    if not isinstance(dataset, str) or not dataset or (form in FORMATS and not path):
        raise OptionError("-T dataset", f"{dataset!r} names no format and path", mend)
    if form in ADAPTERS and colon:
        raise OptionError("-T dataset", f"{form} data hold no conversations", mend)
    if form in FORMATS:
        return f"{skip}{form}:{Path(path).expanduser().resolve()}"
    return f"{skip}{Path(dataset.removeprefix(skip)).expanduser().resolve()}"
