"""The SOPs that ship, put together from their families."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from skillbench_tasks.datasets.sops.coverage import reached
from skillbench_tasks.datasets.sops.description import description_of
from skillbench_tasks.datasets.sops.drafts import Draft, Family, VariantDraft
from skillbench_tasks.datasets.sops.further import further_variants
from skillbench_tasks.datasets.sops.running import parsed, placed_on, run_on
from skillbench_tasks.errors import DataError
from skillbench_tasks.models.sop import Sop, Variant

__all__ = ["assembled", "drafts_of", "families", "load_sops", "sop_by_id", "spare_drafts"]

SPARE_FROM: Final = 1001
"""First number of the SOPs that do not ship."""

_FOLDER = Path(__file__).parent / "families"


@cache
def families() -> tuple[Family, ...]:
    """Return the families, by name."""
    modules = sorted(found.name for found in iter_modules([str(_FOLDER)]))
    package = f"{__package__}.families"
    found = [import_module(f"{package}.{module}").FAMILY for module in modules]
    return tuple(sorted(found, key=lambda family: family.name))


def drafts_of(family: Family) -> Iterator[tuple[str, Draft]]:
    """Yield id and draft of each SOP of a family that ships."""
    for number, choice in enumerate(family.picks, start=1):
        yield f"{family.name}.{number}", family.build(choice)


def spare_drafts(family: Family) -> Iterator[tuple[str, Draft]]:
    """Yield id and draft of each choice of a family that does not ship; ids begin at 1001.

    Args:
        family: The family.
    """
    picked = [dict(choice) for choice in family.picks]
    names = list(family.axes)
    choices = (dict(zip(names, values, strict=True)) for values in product(*family.axes.values()))
    spare = (choice for choice in choices if choice not in picked)
    for number, choice in enumerate(spare, start=SPARE_FROM):
        yield f"{family.name}.{number}", family.build(choice)


@cache
def load_sops() -> tuple[Sop, ...]:
    """Return all SOPs that ship, in the order of their ids."""
    return tuple(
        assembled(sop_id, family.name, draft)
        for family in families()
        for sop_id, draft in drafts_of(family)
    )


def sop_by_id(sop_id: str) -> Sop:
    """Return one SOP.

    Raises:
        DataError: There is none with that id.
    """
    for sop in load_sops():
        if sop.id == sop_id:
            return sop
    raise DataError("sops", sop_id, "no such SOP", "see `skillbench sops`")


def assembled(sop_id: str, family: str, draft: Draft) -> Sop:
    """Return a SOP made of its draft; what each variant covers is computed by running it.

    Args:
        sop_id: Its id.
        family: Its family.
        draft: The draft.

    Raises:
        DataError: The workflow has faults of form.
    """
    program = dict(draft.program)
    runnable = parsed(program)
    drafts = (*draft.variants, *further_variants(sop_id, draft.variants))
    variants = [
        placed_on(runnable, _variant(f"{sop_id}#{number}", one))
        for number, one in enumerate(drafts, start=1)
    ]
    return Sop(
        id=sop_id,
        family=family,
        title=draft.title,
        program=program,
        description=description_of(sop_id, draft),
        inputs=program["inputs"],
        output=program.get("output"),
        context=draft.context,
        resources=draft.resources,
        templates=draft.templates,
        variants=tuple(
            one.model_copy(update={"covers": reached(program, run_on(runnable, one))})
            for one in variants
        ),
    )


def _variant(variant_id: str, draft: VariantDraft) -> Variant:
    return Variant(
        id=variant_id,
        inputs=dict(draft.inputs),
        records=dict(draft.records),
        faults=draft.faults,
    )
