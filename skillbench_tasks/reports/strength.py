"""Strength of the variants: which single mutations of the references they tell apart.

Every mutation of every reference is executed on the variants of its SOP and graded like a model's
plan. It is *killed* when a variant's score falls below 1 in any component. What survives is
*equivalent* where no run could differ, by a declaration or by name with a reason
(`datasets/sops/equivalents.json`); everything else says that the variants are too weak.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import skillbench_tasks.datasets.sops as sops_package
from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.datasets.sops.mutations import (
    MUTATION_KINDS,
    Mutation,
    MutationKind,
    mutations_of,
)
from skillbench_tasks.datasets.sops.references import reference_case
from skillbench_tasks.datasets.sops.running import parsed, run_on
from skillbench_tasks.files import read_json
from skillbench_tasks.models import Model
from skillbench_tasks.models.plan_record import ReferenceRun
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.reports.text_table import text_table
from skillbench_tasks.scorers.orchestration import grade_run
from skillbench_tasks.tools.workflow import Program

__all__ = [
    "KILLED_SHARE_MIN",
    "Strength",
    "Survivor",
    "is_told_apart",
    "killer_of",
    "named_equivalents",
    "strength",
    "strength_page",
]

KILLED_SHARE_MIN: Final = 0.99
"""Least share of the mutations that are not equivalent that must be killed."""

_EQUIVALENTS: Final = Path(sops_package.__file__).parent / "equivalents.json"


class Survivor(Model):
    """A mutation that every variant lets pass; `reason` says why none could, where none could."""

    kind: MutationKind
    id: str
    reason: str = ""


class Strength(Model):
    """How many mutations there are of each kind, and which of them survive."""

    mutations: dict[MutationKind, int]
    survivors: tuple[Survivor, ...]
    obsolete: tuple[str, ...] = ()
    """Named equivalents that are killed, or that are no mutations at all."""

    def counts(self, kind: MutationKind | None = None) -> tuple[int, int, int, int]:
        """Return mutations, killed, equivalent, surviving.

        Args:
            kind: Of which kind; default: all.
        """
        alive = [one for one in self.survivors if kind is None or one.kind == kind]
        made = sum(self.mutations.values()) if kind is None else self.mutations[kind]
        equivalent = sum(bool(one.reason) for one in alive)
        return made, made - len(alive), equivalent, len(alive) - equivalent

    @property
    def killed_share(self) -> float:
        """Share of the mutations that are not equivalent that are killed, from 0 to 1."""
        made, killed, equivalent, _ = self.counts()
        return killed / (made - equivalent) if made > equivalent else 1.0

    @property
    def holds(self) -> bool:
        """Whether enough are killed, and the named equivalents are what they are said to be."""
        return self.killed_share >= KILLED_SHARE_MIN and not self.obsolete


@cache
def named_equivalents() -> Mapping[str, str]:
    """Return the mutations that are equivalent by name, with the reasons."""
    return {
        name: group["reason"]
        for group in read_json(_EQUIVALENTS)["groups"]
        for name in group["mutations"]
    }


def strength(sops: Iterable[Sop] | None = None, sample: int | None = None) -> Strength:
    """Execute and grade the mutations of references on the variants.

    Args:
        sops: The SOPs; default: all that ship.
        sample: Only so many of each SOP's, drawn by the SOP's id; default: all.
    """
    known = named_equivalents()
    counts: Counter[MutationKind] = Counter()
    survivors: list[Survivor] = []
    chosen = load_sops() if sops is None else tuple(sops)
    for sop in chosen:
        mutations = _drawn(sop, mutations_of(sop), sample)
        counts.update(one.kind for one in mutations)
        runs, program = reference_case(sop).runs, parsed(sop.program)
        survivors += (
            Survivor(kind=one.kind, id=one.id, reason=one.equivalent or known.get(one.id, ""))
            for one in mutations
            if killer_of(one, runs, program) is None
        )
    alive, own = {one.id for one in survivors}, {sop.id for sop in chosen}
    due = {name for name in known if name.partition(" ")[0] in own and sample is None}
    return Strength(
        mutations={kind: counts[kind] for kind in MUTATION_KINDS},
        survivors=tuple(survivors),
        obsolete=tuple(sorted(due - alive)),
    )


def _drawn(sop: Sop, mutations: Sequence[Mutation], sample: int | None) -> Sequence[Mutation]:
    if sample is None or sample >= len(mutations):
        return mutations
    return random.Random(sop.id).sample(mutations, sample)


def killer_of(
    mutation: Mutation, runs: Sequence[ReferenceRun], program: Program
) -> ReferenceRun | None:
    """Return the first run of the reference that tells a mutation apart; none: it survives.

    Args:
        mutation: The mutation.
        runs: The variants with the reference's runs.
        program: The reference.
    """
    mutated = parsed(mutation.program)
    return next((run for run in runs if is_told_apart(mutated, run, program)), None)


def is_told_apart(mutated: Program, run: ReferenceRun, program: Program) -> bool:
    """Return whether a variant's score falls below 1 when a mutation is executed on it.

    Args:
        mutated: The mutation.
        run: The variant with the reference's run.
        program: The reference.
    """
    done, wanted = run_on(mutated, run.variant), run.executed
    own = [(call.tool, call.arguments) for call in done.calls]
    same_calls = own == [(call.tool, call.arguments) for call in wanted.calls]
    if same_calls and (done.status, done.value) == (wanted.status, wanted.value):
        return False
    score = grade_run(run, done, program)
    return min(score.values().values()) < 1 or bool(score.first_fault)


def strength_page(found: Strength) -> str:
    """Return the table by kind, with the survivors and the obsolete names below it."""
    rows = [(kind.replace("_", " "), *map(str, found.counts(kind))) for kind in MUTATION_KINDS]
    rows.append(("all", *map(str, found.counts())))
    head = f"{100 * found.killed_share:.2f} % of what is not equivalent is killed"
    table = text_table(("mutation", "made", "killed", "equivalent", "surviving"), rows)
    lines = [f"SURVIVES {one.id}" for one in found.survivors if not one.reason]
    lines += [f"NO EQUIVALENT {name}" for name in found.obsolete]
    return "\n".join([head, "", table, *lines])
