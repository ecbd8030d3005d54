"""Asking judges: one model, one conversation, one answer, and one more try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Any, Final, Generic, TypeVar

import anyio
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    model_roles,
)
from inspect_ai.scorer import Scorer
from inspect_ai.util import LimitExceededError

from skillbench_tasks.models import Unscored, UnscoredReason
from skillbench_tasks.scorers.kept_verdicts import kept_policy
from skillbench_tasks.scorers.verdict_key import KEY_FIELD, key_line, verdict_key
from skillbench_tasks.structured_output import generate_structured, shortened
from skillbench_tasks.task_options import is_made_by_inspect, require_reachable

__all__ = [
    "JUDGE_ROLE",
    "AnswerForm",
    "Judge",
    "Question",
    "ask_all",
    "judges_of_run",
    "where_judged",
]

JUDGE_ROLE: Final = "judge"
"""Model role of the judges: one model or a list."""

_SHARE_OF_TIME_LEFT: Final = 0.75
"""How much of the time that a limit leaves one call may take: so a second one, and what is graded
after the judges, have theirs."""

T = TypeVar("T")
V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)


@dataclass(frozen=True)
class AnswerForm(Generic[V_co]):
    """What an answer looks like, and how it is read.

    Args:
        schema: For servers that take one.
        read: From a text and the key of its verdict to what it says, or to the reason why that
            cannot be had.
    """

    schema: ResponseSchema
    read: Callable[[str, str], V_co | Unscored]


@dataclass(frozen=True)
class Question(Generic[V_co]):
    """What judges are asked about one case.

    Args:
        rubric: The instructions, with what is the same for every case of a skill.
        case: The case with what belongs to it.
        form: What an answer looks like.
    """

    rubric: str
    case: str
    form: AnswerForm[V_co]

    @cached_property
    def key(self) -> str:
        """What marks a verdict as the judge's own."""
        return verdict_key(self.rubric, self.case)

    def messages(self) -> list[ChatMessage]:
        """Return what a judge reads."""
        return [
            ChatMessageSystem(content=self.rubric),
            ChatMessageUser(content=f"{self.case}\n{key_line(self.key)}"),
        ]

    def read(self, text: str) -> V_co | Unscored:
        """Return what an answer says."""
        return self.form.read(text, self.key)

    def complaint(self, answer: Unscored) -> str:
        """Return what is said to an answer that cannot be used."""
        return (
            f"Your answer cannot be used: {answer.detail}. Answer again with one JSON object that "
            f'holds every field of the rubric and "{KEY_FIELD}": "{self.key}", and nothing before '
            "or after it."
        )


class Judge:
    """A model that grades.

    Args:
        name: Its name in results.
        model: The model.
        timeout: Seconds after which a call is given up.
        temperature: Of a model whose own settings name none; default: the provider's.
    """

    def __init__(
        self, name: str, model: Model, timeout: float, temperature: float | None = None
    ) -> None:
        self.name, self._model, self._timeout = name, model, timeout
        is_set = model.config.temperature is not None
        self._config = GenerateConfig(temperature=None if is_set else temperature)

    @property
    def identity(self) -> dict[str, Any]:
        """Model and whatever of its configuration is not the provider's default."""
        config = self._model.config.merge(self._config)
        return {
            "model": str(self._model),
            "config": config.model_dump(mode="json", exclude_none=True),
        }

    async def answers(self, question: Question[V], samples: int) -> list[V | Unscored]:
        """Ask the same several times.

        The first answer is waited for, so that the provider's prompt cache serves the others.
        """
        first = await self._answer(question, 0)
        if samples == 1:
            return [first]
        rest = [partial(self._answer, question, number) for number in range(1, samples)]
        return [first, *await _side_by_side(rest)]

    async def _answer(self, question: Question[V], number: int) -> V | Unscored:
        messages = question.messages()
        output, answer = await self._ask(messages, question, f"{number}.1")
        if not isinstance(answer, Unscored):
            return answer
        if output is not None:
            complaint = ChatMessageUser(content=question.complaint(answer))
            messages = [*messages, *_said(output), complaint]
        _output, again = await self._ask(messages, question, f"{number}.2")
        return again

    async def _ask(
        self, messages: Sequence[ChatMessage], question: Question[V], scope: str
    ) -> tuple[ModelOutput | None, V | Unscored]:
        seconds = self._patience()
        try:
            require_reachable(self._model)
            kept = await kept_policy(self.name)
            with anyio.fail_after(seconds):
                output = await generate_structured(
                    self._model, messages, question.form.schema, scope, self._config, kept
                )
        except LimitExceededError:
            raise
        except TimeoutError:
            detail = f"no answer within {seconds:.3g} s"
            return None, Unscored(reason=UnscoredReason.TIMED_OUT, detail=detail)
        except Exception as error:  # noqa: BLE001  # whatever a provider raises is its failure
            return None, Unscored(reason=UnscoredReason.FAILED, detail=_one_line(error))
        return output, _read(output, question)

    def _patience(self) -> float:
        """Return how long a call may take, in seconds.

        Inspect gives scorers half of `--time-limit` and, past it, throws the sample's grades away.
        """
        left = anyio.current_effective_deadline() - anyio.current_time()
        return min(self._timeout, _SHARE_OF_TIME_LEFT * left)


def judges_of_run(timeout: float, temperature: float | None = None) -> list[Judge]:
    """Return the judges in the role `judge`, by name; none where the role is not given.

    A model that stands in the panel twice is told apart by `#2`, whatever the order in the role.

    Args:
        timeout: Seconds after which a call is given up.
        temperature: Of those whose role names none; default: the provider's.
    """
    role = model_roles().get(JUDGE_ROLE, [])
    seen: Counter[str] = Counter()
    judges = []
    for model in sorted(role if isinstance(role, list) else [role], key=_settings):
        name = str(model)
        seen[name] += 1
        shown = name if seen[name] == 1 else f"{name}#{seen[name]}"
        judges.append(Judge(shown, model, timeout, temperature))
    return sorted(judges, key=lambda judge: judge.name)


def where_judged(panel: Scorer) -> list[Scorer]:
    """Return a panel as a task's scorer, or nothing where the run surely has no judge.

    A task that is built in Python does not know its roles yet: it gets the panel, which then scores
    nothing if there is no judge, and whose rows are taken out of the log.
    """
    if JUDGE_ROLE in model_roles():
        return [panel]
    if is_made_by_inspect():
        return []
    import_module("skillbench_tasks.scorers.idle_panels")
    return [panel]


def _settings(model: Model) -> str:
    return model.config.model_dump_json(exclude_none=True)


async def ask_all(
    judges: Sequence[Judge], question: Question[V], samples: int
) -> dict[str, list[V | Unscored]]:
    """Put one case before all judges at once.

    Args:
        judges: The panel.
        question: What they are asked.
        samples: Answers of each judge.
    """
    asked = [partial(judge.answers, question, samples) for judge in judges]
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


def _read(output: ModelOutput, question: Question[V]) -> V | Unscored:
    if output.error:
        return Unscored(reason=UnscoredReason.FAILED, detail=shortened(output.error))
    if not output.choices:
        return question.read("")
    match output.stop_reason:
        case "content_filter":
            detail = "the provider or the model refused"
            return Unscored(reason=UnscoredReason.REFUSED, detail=detail)
        case "max_tokens" | "model_length":
            detail = f"the answer was cut off ({output.stop_reason})"
            return Unscored(reason=UnscoredReason.TRUNCATED, detail=detail)
        case _:
            return question.read(output.completion)


def _said(output: ModelOutput) -> list[ChatMessage]:
    """Return an answer's text alone: a call of a tool would want its result."""
    text = output.completion.strip() if output.choices else ""
    return [ChatMessageAssistant(content=text)] if text else []


def _one_line(error: BaseException) -> str:
    return shortened(f"{type(error).__name__}: {error}")
