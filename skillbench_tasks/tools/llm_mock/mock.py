"""A model in the stead of tools that have no declared behaviour.

Each answer comes, in this order, from the same read before (nothing written since), from the
recording, or from the model. What the model says is held against the tool's output schema and
against what was shown before, and asked for once more where it does not fit. Then a misfit is a
fault of the harness (`MockError`); a contradiction is put right by code, and noted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
)
from pydantic import JsonValue

from skillbench_tasks.errors import DataError, MockError, ToolFailure
from skillbench_tasks.files import shown
from skillbench_tasks.models import MockAnswer, MockEntry, MockRow, ToolSpec
from skillbench_tasks.structured_output import generate_structured, shortened
from skillbench_tasks.tools.faults import LOST_REPLY
from skillbench_tasks.tools.llm_mock.answers import misfit, read_answer, response_schema
from skillbench_tasks.tools.llm_mock.prompt import (
    Situation,
    call_prompt,
    history_of,
    situation_prompt,
)
from skillbench_tasks.tools.llm_mock.recording import Recording
from skillbench_tasks.tools.llm_mock.shown import Contradiction, ShownRecords, repaired
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.versions import DATA_VERSION, MOCK_VERSION

__all__ = ["LlmMock"]

_ATTEMPTS: Final = 2


class LlmMock:
    """Answers the calls of one execution.

    Args:
        situation: What a backend may know of the scenario.
        model: The model; without one, all is replayed.
        recording: Where answers are kept and found again.
    """

    def __init__(
        self, situation: Situation, model: Model | None, recording: Recording | None = None
    ) -> None:
        self._situation, self._model, self._recording = situation, model, recording
        self._said: Callable[[], list[JsonValue]] = list
        self._answers: dict[int, MockAnswer] = {}
        self._repeatable: dict[str, MockAnswer] = {}
        self._seen = 0
        self._shown: ShownRecords | None = None
        self.entries: Final[list[MockEntry]] = []
        """Every answer given, in order."""

    def listen(self, said: Callable[[], list[JsonValue]]) -> None:
        """Let answers depend on the conversation: what customer and agent have said so far."""
        self._said = said

    async def answer(
        self, tool: ToolSpec, arguments: Mapping[str, JsonValue], toolbox: Toolbox
    ) -> JsonValue:
        """Return the result of a call.

        Raises:
            ToolFailure: The answer is an error.
            MockError: There is no usable answer.
            DataError: The recording is broken.
        """
        shown_records = self._caught_up(toolbox)
        call = _canonical({"tool": tool.full_name, "arguments": dict(arguments)})
        repeated = self._repeatable.get(call)
        if repeated is not None:
            entry = MockEntry(
                tool=tool.full_name, arguments=dict(arguments), answer=repeated, source="repeated"
            )
        else:
            entry = await self._found(tool, arguments, toolbox, shown_records)
        self._remember(entry, tool, call, len(toolbox.ledger), shown_records)
        error = entry.answer.error
        if error is not None:
            raise ToolFailure(error.code, error.message, error.retryable, tool.full_name)
        return entry.answer.result

    def _remember(
        self, entry: MockEntry, tool: ToolSpec, call: str, place: int, shown_records: ShownRecords
    ) -> None:
        answer = entry.answer
        self.entries.append(entry)
        self._answers[place] = answer
        if answer.error is None:
            if tool.access == "write":
                self._repeatable.clear()
                shown_records.touch(tool, entry.arguments, answer.result, mocked=True)
            shown_records.show(tool, answer.result)
        if tool.access == "read" and not (answer.error and answer.error.retryable):
            self._repeatable[call] = answer

    def _caught_up(self, toolbox: Toolbox) -> ShownRecords:
        """Take in what declared tools have answered since the last call."""
        if self._shown is None:
            self._shown = ShownRecords(toolbox.start)
        for index, entry in enumerate(toolbox.ledger[self._seen :], self._seen):
            known = toolbox.tools.get(entry.tool)
            if known is None or index in self._answers:
                continue
            happened = entry.error is None or entry.error.code in LOST_REPLY
            if known.spec.access == "write" and happened:
                self._repeatable.clear()
                self._shown.touch(known.spec, entry.arguments, entry.result, mocked=False)
            self._shown.show(known.spec, entry.result)
        self._seen = len(toolbox.ledger)
        return self._shown

    async def _found(
        self,
        tool: ToolSpec,
        arguments: Mapping[str, JsonValue],
        toolbox: Toolbox,
        shown_records: ShownRecords,
    ) -> MockEntry:
        """Return the recorded answer, or the model's."""
        history = history_of(toolbox.ledger, self._answers)
        said = self._said()
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=situation_prompt(self._situation, toolbox.start)),
            ChatMessageUser(content=call_prompt(tool, arguments, toolbox, history, said)),
        ]
        key = self._key(messages, tool, arguments, [*history, *said])
        if self._recording is None:
            return await self._asked(messages, key, tool, arguments, toolbox, shown_records)
        async with self._recording.alone_with(key):
            row = self._recording.find(key)
            if row is not None:
                return self._replayed(row, tool)
            entry = await self._asked(messages, key, tool, arguments, toolbox, shown_records)
            row = self._recording.add(
                MockRow(
                    case=self._situation.case,
                    data=DATA_VERSION,
                    prompt=MOCK_VERSION,
                    entry=entry,
                )
            )
            return entry if row.entry is entry else self._replayed(row, tool)

    def _replayed(self, row: MockRow, tool: ToolSpec) -> MockEntry:
        problem = misfit(row.entry.answer, tool)
        if problem is not None:
            assert self._recording is not None
            file = shown(self._recording.path)
            raise DataError(
                file, row.entry.key, f"{tool.full_name}: {problem}", "take the line out"
            )
        return row.entry.model_copy(update={"source": "recording"})

    def _key(
        self,
        messages: Sequence[ChatMessage],
        tool: ToolSpec,
        arguments: Mapping[str, JsonValue],
        history: Sequence[JsonValue],
    ) -> str:
        """Return a digest of all that an answer depends on but the model."""
        parts: list[JsonValue] = [
            self._situation.case,
            DATA_VERSION,
            MOCK_VERSION,
            messages[0].text,
            tool.model_dump(mode="json"),
            dict(arguments),
            list(history),
        ]
        return hashlib.sha256(_canonical(parts).encode()).hexdigest()[:32]

    async def _asked(
        self,
        messages: Sequence[ChatMessage],
        key: str,
        tool: ToolSpec,
        arguments: Mapping[str, JsonValue],
        toolbox: Toolbox,
        shown_records: ShownRecords,
    ) -> MockEntry:
        """Ask the model, once more where its answer does not fit."""
        model = self._model_for(tool, arguments)
        asked = list(messages)
        complaints: list[str] = []
        for attempt in range(_ATTEMPTS):
            try:
                output = await generate_structured(model, asked, response_schema(tool))
            except OSError as error:  # a time-out too: Inspect would hand it to the agent
                problem = str(error) or type(error).__name__
                raise MockError(self._situation.case, tool.full_name, problem) from error
            answer = read_answer(output, tool)
            clashes: list[Contradiction] = []
            if isinstance(answer, MockAnswer) and answer.error is None and tool.access == "read":
                clashes = shown_records.contradictions(tool, answer.result, toolbox.world)
            if isinstance(answer, MockAnswer) and (not clashes or attempt == _ATTEMPTS - 1):
                entry = MockEntry(
                    tool=tool.full_name,
                    arguments=dict(arguments),
                    answer=answer,
                    source="model",
                    model=str(model),
                    key=key,
                    complaints=tuple(complaints),
                )
                return self._settled(entry, clashes, tool)
            complaint = answer if isinstance(answer, str) else "; ".join(map(str, clashes))
            complaints.append(complaint)
            said = [output.message] if output.choices and output.message.text.strip() else []
            asked += [*said, ChatMessageUser(content=_objection(complaint))]
        raise MockError(
            self._situation.case, tool.full_name, shortened("; then: ".join(complaints))
        )

    def _model_for(self, tool: ToolSpec, arguments: Mapping[str, JsonValue]) -> Model:
        if self._model is not None:
            return self._model
        call = shortened(json.dumps(dict(arguments), ensure_ascii=False))
        place = shown(self._recording.path) if self._recording else "no recording"
        problem = f"{place} does not hold this call with what came before it: {call}; "
        mend = "give --model-role mock=MODEL, or record anew"
        raise MockError(self._situation.case, tool.full_name, problem + mend)

    def _settled(
        self, entry: MockEntry, clashes: Sequence[Contradiction], tool: ToolSpec
    ) -> MockEntry:
        """Put right what contradicts what was shown; the earlier value stands."""
        certain = [clash for clash in clashes if clash.is_certain]
        doubtful = [clash for clash in clashes if not clash.is_certain]
        answer = MockAnswer(result=repaired(entry.answer.result, certain))
        problem = misfit(answer, tool) if certain else None
        if problem is not None:
            reason = shortened(f"{'; '.join(map(str, certain))}; put right, {problem}")
            raise MockError(self._situation.case, tool.full_name, reason)
        update = {
            "answer": answer if certain else entry.answer,
            "repairs": tuple(map(str, certain)),
            "notes": tuple(map(str, doubtful)),
        }
        return entry.model_copy(update=update)


def _objection(complaint: str) -> str:
    return (
        f"This answer cannot be used: {complaint}. Answer the call again with one JSON object "
        "that holds `result` or `error`, and nothing before or after it."
    )


def _canonical(value: JsonValue) -> str:
    """Return JSON that is the same for equal values: no order of keys, no 1.0 beside 1."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False)


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
