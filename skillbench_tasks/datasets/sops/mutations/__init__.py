"""Single mutations of reference workflows: each changes one thing in one place.

A mutation is a workflow that a careless reader of the specification could have written. Whether a
SOP's variants tell it from the reference is measured in `reports/strength.py`.
"""

from skillbench_tasks.datasets.sops.mutations.kinds import MUTATION_KINDS, Mutation, MutationKind
from skillbench_tasks.datasets.sops.mutations.making import mutations_of

__all__ = ["MUTATION_KINDS", "Mutation", "MutationKind", "mutations_of"]
