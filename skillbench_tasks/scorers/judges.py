"""Asking judges: one model, one conversation, one answer, and one more try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import anyio
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
    ResponseSchema,
    model_roles,
)
from inspect_ai.util import JSONSchema, LimitExceededError
from pydantic import JsonValue

from skillbench_tasks.models import JudgeVerdict, Unscored, UnscoredReason
from skillbench_tasks.scorers.judge_verdict import read_verdict, verdict_schema
from skillbench_tasks.structured_output import generate_structured
from skillbench_tasks.task_options import require_reachable

__all__ = ["JUDGE_ROLE", "Judge", "ask_all", "judges_of_run"]

JUDGE_ROLE: Final = "judge"
"""Model role of the judges: one model or a list."""

_SCHEMA: Final = ResponseSchema(
    name="verdict", json_schema=JSONSchema.model_validate(verdict_schema()), strict=True
)
_SHOWN_CHARACTERS: Final = 300

Answer = JudgeVerdict | Unscored
T = TypeVar("T")


class Judge:
    """A model that grades.

    Args:
        name: Its name in results.
        model: The model.
        timeout: Seconds after which a call is given up.
    """

    def __init__(self, name: str, model: Model, timeout: float) -> None:
        self.name, self._model, self._timeout = name, model, timeout

    @property
    def identity(self) -> dict[str, Any]:
        """Model and whatever of its configuration is not the provider's default."""
        config = self._model.config.model_dump(mode="json", exclude_none=True)
        return {"model": str(self._model), "config": config}

    async def answers(
        self, messages: Sequence[ChatMessage], samples: int, quoted: Collection[dict[str, Any]]
    ) -> list[Answer]:
        """Ask for the same conversation several times.

        The first answer is waited for, so that the provider's prompt cache serves the others.
        """
        first = await self._answer(messages, quoted)
        if samples == 1:
            return [first]
        rest = [partial(self._answer, messages, quoted) for _ in range(samples - 1)]
        return [first, *await _side_by_side(rest)]

    async def _answer(
        self, messages: Sequence[ChatMessage], quoted: Collection[Mapping[str, JsonValue]]
    ) -> Answer:
        output, answer = await self._ask(messages, quoted)
        if isinstance(answer, JudgeVerdict):
            return answer
        if output is None:
            return (await self._ask(messages, quoted))[1]
        complaint = ChatMessageUser(content=_complaint(answer))
        said = [output.message] if output.choices and output.message.text.strip() else []
        return (await self._ask([*messages, *said, complaint], quoted))[1]

    async def _ask(
        self,
        messages: Sequence[ChatMessage],
        quoted: Collection[Mapping[str, JsonValue]],
    ) -> tuple[ModelOutput | None, Answer]:
        try:
            require_reachable(self._model)
            with anyio.fail_after(self._timeout):
                output = await generate_structured(self._model, messages, _SCHEMA)
        except LimitExceededError:
            raise
        except TimeoutError:
            detail = f"no answer within {self._timeout:g} s"
            return None, Unscored(reason=UnscoredReason.TIMED_OUT, detail=detail)
        except Exception as error:  # noqa: BLE001  # whatever a provider raises is its failure
            return None, Unscored(reason=UnscoredReason.FAILED, detail=_one_line(error))
        return output, _read(output, quoted)


def judges_of_run(timeout: float) -> list[Judge]:
    """Return the judges in the role `judge`, by name; none where the role is not given.

    A model that stands in the panel twice is told apart by `#2`.
    """
    role = model_roles().get(JUDGE_ROLE, [])
    seen: Counter[str] = Counter()
    judges = []
    for model in role if isinstance(role, list) else [role]:
        name = str(model)
        seen[name] += 1
        shown = name if seen[name] == 1 else f"{name}#{seen[name]}"
        judges.append(Judge(shown, model, timeout))
    return sorted(judges, key=lambda judge: judge.name)


async def ask_all(
    judges: Sequence[Judge],
    rubric: str,
    case: str,
    samples: int,
    quoted: Collection[dict[str, Any]],
) -> dict[str, list[Answer]]:
    """Put one conversation before all judges at once.

    Args:
        judges: The panel.
        rubric: The instructions: the same for every case.
        case: The conversation with what belongs to it.
        samples: Answers of each judge.
        quoted: Verdict-shaped objects that the transcript holds.
    """
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=rubric),
        ChatMessageUser(content=case),
    ]
    asked = [partial(judge.answers, messages, samples, quoted) for judge in judges]
    answers = await _side_by_side(asked)
    return {judge.name: one for judge, one in zip(judges, answers, strict=True)}


async def _side_by_side(calls: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """Await calls at once and return their results in order.

    Inspect's `collect` would open a span for each, and a span compares the whole store.
    """
    results: dict[int, T] = {}

    async def run(place: int) -> None:
        results[place] = await calls[place]()

    try:
        async with anyio.create_task_group() as group:
            for place in range(len(calls)):
                group.start_soon(run, place)
    except BaseExceptionGroup as error:
        raise error.exceptions[0] from None  # a limit: all else is caught for each judge
    return [results[place] for place in range(len(calls))]


def _read(output: ModelOutput, quoted: Collection[Mapping[str, JsonValue]]) -> Answer:
    if output.error:
        return Unscored(reason=UnscoredReason.FAILED, detail=_shortened(output.error))
    match output.stop_reason:
        case "content_filter":
            detail = "the provider or the model refused"
            return Unscored(reason=UnscoredReason.REFUSED, detail=detail)
        case "max_tokens" | "model_length":
            detail = f"the answer was cut off ({output.stop_reason})"
            return Unscored(reason=UnscoredReason.TRUNCATED, detail=detail)
        case _:
            return read_verdict(output.completion, quoted)


def _complaint(answer: Unscored) -> str:
    return (
        f"Your answer cannot be used: {answer.detail}. Answer again with one JSON object that "
        "holds every field of the rubric, and nothing before or after it."
    )


def _one_line(error: BaseException) -> str:
    return _shortened(f"{type(error).__name__}: {error}")


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
