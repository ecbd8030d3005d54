"""Where cases come from: what ships, a folder of one's own, or foreign data by an adapter.

A source names its cases and says how the execution of one starts: tools, world, slots, company.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final

from skillbench_tasks.datasets.loaders import (
    case_by_id,
    company_of,
    load_cases,
    load_slots,
    skill_tools,
    start_world,
)
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models import Case, SlotSpec
from skillbench_tasks.tools.toolbox import Tool
from skillbench_tasks.tools.world import World

__all__ = ["ADAPTERS", "Source", "open_source", "source_place"]

ADAPTERS: Final = {"tau2": "skillbench_tasks.datasets.adapters.tau2"}
"""Formats of foreign data: name → module with a function `open_data(path) -> Source`."""


class Source(ABC):
    """Cases, and what the execution of each starts from."""

    name: str
    notes: tuple[str, ...] = ()
    """What of the data the user should know, one line each."""

    @abstractmethod
    def cases(self) -> Sequence[Case]:
        """Return all cases, in a fixed order."""

    @abstractmethod
    def case(self, case_id: str) -> Case:
        """Return one case.

        Raises:
            DataError: There is none with that id.
        """

    @abstractmethod
    def tools(self, case: Case) -> list[Tool]:
        """Return the toolkit of a case."""

    @abstractmethod
    def world(self, case: Case) -> World:
        """Return the world in which a case starts."""

    @abstractmethod
    def slots(self, case: Case) -> Mapping[str, SlotSpec]:
        """Return what an agent can ask the user of a case for."""

    @abstractmethod
    def company(self, case: Case) -> str:
        """Return the name of the company in whose world a case plays."""


class SkillFolders(Source):
    """Skills in our own format.

    Args:
        folder: Where they are; default: those that ship.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self.name = "skills" if folder is None else folder.name

    def cases(self) -> Sequence[Case]:
        """Return all cases."""
        return load_cases(self._folder)

    def case(self, case_id: str) -> Case:
        """Return one case."""
        return case_by_id(case_id, self._folder)

    def tools(self, case: Case) -> list[Tool]:
        """Return the toolkit of the case's skill."""
        return skill_tools(case.skill)

    def world(self, case: Case) -> World:
        """Return the industry's base world with the scenario's patch."""
        return start_world(case.skill, case.scenario)

    def slots(self, case: Case) -> Mapping[str, SlotSpec]:
        """Return the slots that ship with those of the skill."""
        return load_slots(case.skill.folder)

    def company(self, case: Case) -> str:
        """Return the company of the base world."""
        return company_of(case.skill)


@cache
def open_source(place: str | None = None) -> Source:
    """Return the source of cases at a place.

    Args:
        place: A folder of skills, or `<format>:PATH` for foreign data; default: what ships.

    Raises:
        DataError: What is there is broken.
    """
    if place is None:
        return SkillFolders()
    form, colon, path = place.partition(":")
    if form in ADAPTERS and colon:
        made: Source = import_module(ADAPTERS[form]).open_data(Path(path))
        return made
    return SkillFolders(Path(place))


def source_place(skills: str | None, dataset: object) -> str | None:
    """Return the one place that two options of a task name, with an absolute path.

    Args:
        skills: A folder of skills.
        dataset: `<format>:PATH`; anything else is refused.

    Raises:
        OptionError: Both are given, or the dataset names no format.
    """
    if skills is not None and dataset is not None:
        raise OptionError("-T dataset", "given together with -T skills", "give one of them")
    if dataset is None:
        return str(Path(skills).resolve()) if skills else None
    # `-T` reads its values as YAML: `tau2:` without a path arrives as a mapping.
    form, colon, path = str(dataset).partition(":")
    if not isinstance(dataset, str) or form not in ADAPTERS or not colon or not path:
        mend = f"give {' or '.join(f'{name}:PATH' for name in sorted(ADAPTERS))}"
        raise OptionError("-T dataset", f"{dataset!r} names no known format and path", mend)
    return f"{form}:{Path(path).resolve()}"
