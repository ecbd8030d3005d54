"""Pages on the SOPs: what there is, the strata, the coverage reached, and what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import prod

from skillbench_tasks.datasets.sops.checks import sop_faults
from skillbench_tasks.datasets.sops.coverage import obligations_of
from skillbench_tasks.datasets.sops.loading import assembled, drafts_of, families, load_sops
from skillbench_tasks.datasets.sops.running import parsed
from skillbench_tasks.datasets.sops.specification import specification
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.workflow_strata import Strata, strata

__all__ = ["all_faults", "coverage_page", "sop_page", "sop_table", "strata_page"]


def sop_table() -> str:
    """Return all SOPs with their size and strata."""
    rows = []
    for sop in load_sops():
        found = strata(parsed(sop.program), sop.variants[0])
        faulted = sum(bool(variant.faults) for variant in sop.variants)
        rows.append(
            (
                sop.id,
                sop.title,
                found.size,
                found.families,
                found.composition,
                found.depth,
                str(len(sop.variants)),
                str(faulted),
            )
        )
    header = ("sop", "title", "calls", "apps", "composition", "depth", "variants", "with fault")
    return text_table(header, rows)


def strata_page() -> str:
    """Return how many SOPs and variants stand in each stratum, and how far families could grow."""
    sops: Counter[tuple[str, str]] = Counter()
    variants: Counter[tuple[str, str]] = Counter()
    for sop in load_sops():
        program = parsed(sop.program)
        per_variant = [strata(program, one) for one in sop.variants]
        for key in set().union(*(set(_cells(one)) for one in per_variant)):
            sops[key] += 1
        variants.update(cell for one in per_variant for cell in _cells(one))
    rows = [(*key, str(sops[key]), str(variants[key])) for key in sorted(variants)]
    table = text_table(("stratum", "value", "sops", "variants"), rows)
    count = sum(len(sop.variants) for sop in load_sops())
    possible = sum(prod(len(v) for v in family.axes.values()) for family in families())
    head = f"{len(families())} families, {len(load_sops())} SOPs, {count} variants"
    return f"{head}; the axes of the families give {possible} SOPs\n\n{table}"


def _cells(found: Strata) -> Iterator[tuple[str, str]]:
    for name, value in found.model_dump().items():
        yield name, str(value)


def coverage_page() -> str:
    """Return which coverage obligations the variants reach, in all and what is missing."""
    reached: Counter[str] = Counter()
    planned: Counter[str] = Counter()
    missing = []
    for sop in load_sops():
        met = {one for variant in sop.variants for one in variant.covers}
        for one in obligations_of(sop.program):
            kind = one.rpartition(" ")[2]
            planned[kind] += 1
            reached[kind] += one in met
            if one not in met:
                missing.append(f"{sop.id}: {one}")
    rows = [(kind, f"{reached[kind]}/{planned[kind]}") for kind in planned]
    return "\n".join([text_table(("outcome", "reached"), rows), "", *missing])


def sop_page(sop: Sop) -> str:
    """Return one SOP as a model reads it, with its variants' inputs and coverage behind it."""
    lines = [
        f"- {variant.id}: {variant.inputs}; {', '.join(variant.covers) or 'nothing to cover'}"
        for variant in sop.variants
    ]
    return "\n".join([specification(sop), "", "(Not shown to models.) Variants:", *lines])


def all_faults(names: Iterable[str] = ()) -> tuple[int, list[str]]:
    """Check SOPs: words against the ledger, leaks, reference runs, coverage.

    Args:
        names: Families; default: all.

    Returns:
        How many were checked, and what is wrong.
    """
    wanted, faults, count = set(names), [], 0
    for family in families():
        if wanted and family.name not in wanted:
            continue
        for sop_id, draft in drafts_of(family):
            faults += sop_faults(assembled(sop_id, family.name, draft), draft)
            count += 1
    return count, faults
