"""Further variants that would tell survivors apart: `skillbench strength --propose`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from skillbench_tasks.datasets.sops.drafts import VariantDraft
from skillbench_tasks.datasets.sops.further import FurtherVariant, with_changes
from skillbench_tasks.datasets.sops.loading import drafts_of, families
from skillbench_tasks.datasets.sops.mutations import mutations_of
from skillbench_tasks.datasets.sops.proposals import Proposer
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed, run_on
from skillbench_tasks.datasets.sops.workspace import world_with
from skillbench_tasks.errors import DataError
from skillbench_tasks.models.plan_record import ReferenceRun
from skillbench_tasks.models.sop import Sop, Variant
from skillbench_tasks.reports.strength import is_told_apart, killer_of, named_equivalents
from skillbench_tasks.tools.workflow import Program

__all__ = ["VARIANTS_MAX", "proposal_lines", "proposed"]

VARIANTS_MAX: Final = 9
"""Variants that a SOP has at most."""

_PROPOSALS_MAX: Final = 5000
"""Proposals that are tried for a SOP."""


def proposed(sop: Sop) -> Iterator[tuple[FurtherVariant, tuple[str, ...]]]:
    """Yield further variants for a SOP, each with the ids of the survivors that it kills.

    The one that kills most comes first, of several the one that differs least; then the one that
    kills most of what is left, until nothing is left or there are enough variants.

    Args:
        sop: The SOP.
    """
    program, known = parsed(sop.program), named_equivalents()
    runs = _runs(sop)
    alive = [
        (one.id, parsed(one.program))
        for one in mutations_of(sop)
        if not one.equivalent and one.id not in known and killer_of(one, runs, program) is None
    ]
    drafts = _drafts(sop)
    found = list(_kills(sop, program, drafts, alive)) if alive else []
    left = {name for name, _ in alive}
    for _ in range(VARIANTS_MAX - len(sop.variants)):
        further, killed = max(found, key=lambda one: len(one[1] & left), default=(None, left))
        if further is None or not killed & left:
            return
        yield further, tuple(sorted(killed & left))
        left -= killed


def _runs(sop: Sop) -> tuple[ReferenceRun, ...]:
    """Return the reference's runs on the SOP's variants as they are given."""
    own = {variant.id for variant in sop.variants}
    return tuple(run for run in reference_case(sop).runs if run.variant.id in own)


def _drafts(sop: Sop) -> tuple[VariantDraft, ...]:
    (family,) = (one for one in families() if one.name == sop.family)
    return next(draft for sop_id, draft in drafts_of(family) if sop_id == sop.id).variants


def _kills(
    sop: Sop,
    program: Program,
    drafts: Sequence[VariantDraft],
    alive: Sequence[tuple[str, Program]],
) -> Iterator[tuple[FurtherVariant, frozenset[str]]]:
    """Yield the proposals that kill something, with what; one that kills all ends it."""
    executed = [run.executed for run in _runs(sop)[: len(drafts)]]
    made = Proposer(sop.program, drafts, executed).proposals()
    for further in islice(made, _PROPOSALS_MAX):
        run = _reference_run(sop, program, drafts, further)
        if run is None:
            continue
        killed = frozenset(name for name, one in alive if is_told_apart(one, run, program))
        if killed:
            yield further, killed
        if len(killed) == len(alive):
            return


def _reference_run(
    sop: Sop, program: Program, drafts: Sequence[VariantDraft], further: FurtherVariant
) -> ReferenceRun | None:
    """Return the reference's run on a further variant; none where it is no run of the SOP."""
    try:
        draft = with_changes(drafts, further)
        world_with(draft.records, sop.id)
    except DataError:
        return None
    name = f"{sop.id}#{len(sop.variants) + 1}"
    variant = Variant(
        id=name, inputs=dict(draft.inputs), records=dict(draft.records), faults=draft.faults
    )
    done = run_on(program, variant)
    struck = {call.tool for call in done.calls if call.error is not None}
    is_struck = {fault.tool for fault in variant.faults} == struck
    if done.status not in ("returned", "completed") or not is_struck:
        return None
    return ReferenceRun(variant=variant, executed=done)


def proposal_lines(sops: Iterable[Sop]) -> Iterator[str]:
    """Yield proposals as lines of JSON: SOP, further variant, what it kills.

    Args:
        sops: The SOPs.
    """
    for sop in sops:
        for further, killed in proposed(sop):
            told = {"sop": sop.id, **further.model_dump(exclude_defaults=True), "kills": killed}
            yield json.dumps(told, ensure_ascii=False)
