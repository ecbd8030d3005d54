"""SOPs, or single variants, as Inspect samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample

from skillbench_tasks.datasets.samples import Filter, filter_values
from skillbench_tasks.datasets.sops.loading import families, load_sops
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.errors import OptionError
from skillbench_tasks.models.plan_record import REFERENCE_KEY
from skillbench_tasks.models.sop import Sop, Variant

__all__ = ["select_sops", "sop_dataset", "variant_dataset"]

_SHOWN_CHARACTERS = 300


def select_sops(family: Filter | None = None, sop: Filter | None = None) -> tuple[Sop, ...]:
    """Return the SOPs that ship, or some of them.

    Args:
        family: Keep these families (comma-separated or a list).
        sop: Keep these ids.

    Raises:
        OptionError: A name is not known.
    """
    kept = load_sops()
    for option, wanted, known in (
        ("family", family, [one.name for one in families()]),
        ("sop", sop, [one.id for one in kept]),
    ):
        names = filter_values(wanted) if wanted is not None else set()
        unknown = sorted(names - set(known))
        if unknown:
            problem = f"no such {option}: {unknown[0]!r}"
            raise OptionError(f"-T {option}", problem, "see `skillbench sops`")
        if names:
            kept = tuple(
                one for one in kept if (one.family if option == "family" else one.id) in names
            )
    if not kept:
        raise OptionError("-T sop", "nothing is left by the filters", "widen them")
    return kept


def sop_dataset(sops: Iterable[Sop]) -> MemoryDataset:
    """Return one sample for each SOP; it is run on all of its variants."""
    return MemoryDataset([_sample(one, None) for one in sops], name="sops")


def variant_dataset(sops: Sequence[Sop]) -> MemoryDataset:
    """Return one sample for each variant."""
    samples = [_sample(one, variant) for one in sops for variant in one.variants]
    return MemoryDataset(samples, name="sop-variants")


def _shown(text: str) -> str:
    """Return the beginning of a text; the solvers put the whole request in its place."""
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return f"{text[:_SHOWN_CHARACTERS].rpartition(' ')[0]} …"


def _sample(sop: Sop, variant: Variant | None) -> Sample:
    case = reference_case(sop, variant)
    metadata: dict[str, Any] = {
        "sop": sop.id,
        "family": sop.family,
        "variant": variant.id if variant is not None else None,
        REFERENCE_KEY: {"json": case.model_dump_json()},
    }
    return Sample(
        id=variant.id if variant is not None else sop.id,
        input=_shown(f"{sop.title}. {sop.description}"),
        target=f"{len(case.runs)} variants, {sum(len(r.executed.calls) for r in case.runs)} calls",
        metadata=metadata,
    )
