"""Cases as Inspect samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from inspect_ai.dataset import MemoryDataset, Sample

from skillbench_tasks.datasets.briefs import brief_of
from skillbench_tasks.datasets.sources import Source
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models import BRIEF_KEY, CHECKS_KEY, Case

__all__ = ["Filter", "case_dataset", "filter_values", "select_cases"]

Filter: TypeAlias = str | Sequence[str]
"""Values to keep."""


def case_dataset(cases: Sequence[Case], source: Source) -> MemoryDataset:
    """Return cases as a dataset.

    The input is the user's opening, the target the right outcome. Metadata hold the keys of the
    groups and, for scorers only, the checks and the judges' brief.

    Args:
        cases: The cases.
        source: Where they come from; its name is the dataset's name in the log.
    """
    return MemoryDataset([_sample(case, source) for case in cases], name=source.name)


def select_cases(
    cases: Iterable[Case],
    *,
    industry: Filter | None = None,
    category: Filter | None = None,
    kind: Filter | None = None,
    skill: Filter | None = None,
) -> list[Case]:
    """Return the cases that fit all filters.

    A filter is one value, several divided by commas, or a list (as Inspect reads commas in `-T`).

    Raises:
        OptionError: A filter names a value that no case has, or together they leave nothing.
    """
    wanted = {"industry": industry, "category": category, "kind": kind, "skill": skill}
    kept = list(cases)
    for key, value in wanted.items():
        if value is None:
            continue
        values = filter_values(value)
        known = {getattr(case.checks, key) for case in kept}
        strange = values - {str(one) for one in known}
        if strange:
            mend = f"use {', '.join(sorted(str(one) for one in known))}"
            raise OptionError(key, f"no case has {', '.join(sorted(strange))}", mend)
        kept = [case for case in kept if str(getattr(case.checks, key)) in values]
    return kept


def filter_values(value: Filter) -> set[str]:
    """Return the values of a filter: one, several divided by commas, or a list."""
    parts = value.split(",") if isinstance(value, str) else value
    return {str(part).strip() for part in parts}


def _sample(case: Case, source: Source) -> Sample:
    checks = case.checks
    metadata = {
        "skill": checks.skill,
        "industry": checks.industry,
        "category": checks.category,
        "kind": str(checks.kind),
        "title": case.scenario.title,
        # As text: Inspect copies a sample's metadata deeply for every row of every score. In a
        # mapping: so its summaries leave the text out without reading it.
        CHECKS_KEY: {"json": checks.model_dump_json(exclude_defaults=True)},
        BRIEF_KEY: {"json": brief_of(case, source).model_dump_json()},
    }
    return Sample(
        id=case.id,
        input=case.scenario.opening,
        target=str(checks.outcome),
        metadata=metadata,
    )
