"""Who answers for tools without a declared behaviour: nobody, or a model in the role `mock`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from inspect_ai.model import Model, model_roles

from skillbench_tasks.datasets.played import played_cases
from skillbench_tasks.datasets.sources import Source
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models import Case
from skillbench_tasks.task_options import is_made_by_inspect, require_choice, require_reachable
from skillbench_tasks.tools.llm_mock import LlmMock, Situation, open_recording, recording_file
from skillbench_tasks.tools.toolbox import Tool

__all__ = ["MOCK_ROLE", "Mocks", "cases_in_play", "mock_of", "require_mocks", "tools_in_play"]

MOCK_ROLE: Final = "mock"
"""Model role of the model that answers in tools' stead."""

_MEND: Final = f"give --model-role {MOCK_ROLE}=MODEL"


class Mocks(StrEnum):
    """What a model answers: nothing, the tools without a declared behaviour, or every tool."""

    DECLARED = "declared"
    LLM = "llm"
    LLM_ALL = "llm_all"


def require_mocks(mocks: str, recording: str | None, source: Source, cases: Iterable[Case]) -> None:
    """Refuse options by which some tool of a case would have nobody to answer for it.

    Args:
        mocks: Who answers for tools without a declared behaviour.
        recording: A file `*.jsonl` or a folder, to keep answers in and find them again.
        source: Where the cases come from.
        cases: Those that run.

    Raises:
        OptionError: There is such a tool, or the options do not go together.
    """
    require_choice("mocks", mocks, Mocks)
    if recording is not None and mocks == Mocks.DECLARED:
        raise OptionError("-T recording", "nothing is mocked", "give -T mocks=llm, or leave it out")
    for case in cases:
        undeclared = _undeclared(source, case, mocks)
        if undeclared and mocks == Mocks.DECLARED:
            raise _nobody(undeclared[0], case)
        if undeclared and is_made_by_inspect():
            _require_answers(case, _model(), recording)


def cases_in_play(
    mocks: str, recording: str | None, source: Source, cases: Sequence[Case]
) -> list[Case]:
    """Return the cases with the checks that hold for the tools in play.

    Args:
        mocks: What a model answers.
        recording: As for `require_mocks`.
        source: Where the cases come from.
        cases: Those that run.

    Raises:
        OptionError: As `require_mocks` does.
    """
    require_mocks(mocks, recording, source, cases)
    played = played_cases(cases, source) if mocks == Mocks.LLM_ALL else list(cases)
    return [_unshown(case) if _undeclared(source, case, mocks) else case for case in played]


def _unshown(case: Case) -> Case:
    """Return a case in which a model shows values, which are not checked for their source."""
    return case.model_copy(update={"checks": case.checks.model_copy(update={"now": ""})})


def mock_of(source: Source, case: Case, mocks: str, recording: str | None) -> LlmMock | None:
    """Return what answers in one execution of a case; `None` where all its tools are declared.

    Raises:
        OptionError: Nobody answers for one of them.
    """
    require_mocks(mocks, recording, source, [])
    undeclared = _undeclared(source, case, mocks)
    if not undeclared:
        return None
    if mocks == Mocks.DECLARED:
        raise _nobody(undeclared[0], case)
    model = _model()
    _require_answers(case, model, recording)
    situation = Situation.of(case.scenario, source.company(case))
    kept = open_recording(_file(recording, case)) if recording is not None else None
    return LlmMock(situation, model, kept)


def tools_in_play(source: Source, case: Case, mocks: str) -> Sequence[Tool]:
    """Return a case's tools as one execution offers them.

    Where a model answers every tool, none keeps its declared behaviour: the same definitions, and
    nothing that changes the world.
    """
    tools = source.tools(case)
    if mocks != Mocks.LLM_ALL:
        return tools
    played = {"behaviour": None, "returns": None}
    return [Tool(tool.spec.model_copy(update=played), tool.checker) for tool in tools]


def _undeclared(source: Source, case: Case, mocks: str) -> list[str]:
    tools = tools_in_play(source, case, mocks)
    return [tool.spec.full_name for tool in tools if not tool.spec.is_declared]


def _model() -> Model | None:
    role = model_roles().get(MOCK_ROLE)
    if isinstance(role, list):
        if len(role) > 1:
            raise OptionError(f"--model-role {MOCK_ROLE}", "names more than one model", "name one")
        role = role[0]
    if role is not None:
        require_reachable(role)
    return role


def _file(recording: str, case: Case) -> Path:
    return recording_file(Path(recording).resolve(), case.id)


def _nobody(tool: str, case: Case) -> OptionError:
    problem = f"{tool} of the skill {case.skill.name} has no declared behaviour"
    mend = f"give -T mocks=llm --model-role {MOCK_ROLE}=MODEL, or declare one"
    return OptionError("-T mocks", problem, mend)


def _require_answers(case: Case, model: Model | None, recording: str | None) -> None:
    if model is not None:
        return
    if recording is None:
        raise OptionError("-T mocks", f"no model has the role {MOCK_ROLE}", _MEND)
    if not _file(recording, case).exists():
        problem = f"no model has the role {MOCK_ROLE}, and nothing is recorded of {case.id}"
        raise OptionError("-T recording", problem, f"{_MEND}, or name another recording")
