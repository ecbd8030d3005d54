"""What a mutation of a workflow is, and the kinds there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, get_args

__all__ = ["MUTATION_KINDS", "Edit", "Edits", "Mutation", "MutationKind"]

MutationKind = Literal[
    "argument_deleted",
    "call_deleted",
    "condition_negated",
    "branches_swapped",
    "else_deleted",
    "operand_dropped",
    "comparison_shifted",
    "loop_emptied",
    "loop_first_only",
    "catch_dropped",
    "constant_for_reference",
    "sibling_field",
]

MUTATION_KINDS: Final[tuple[MutationKind, ...]] = get_args(MutationKind)
"""The kinds, in the order in which mutations come."""


class Edit(NamedTuple):
    """A change of one place of a program: what stands there becomes something else.

    Args:
        kind: Its kind.
        place: Label of the node and the part of it, as `found.arguments.limit`.
        detail: What was done there.
        path: Keys from the program down to what is replaced.
        value: What stands there afterwards; a tuple of nodes takes the place of one node.
        equivalent: Why no run can differ, where that follows from declarations; else empty.
    """

    kind: MutationKind
    place: str
    detail: str
    path: tuple[str | int, ...]
    value: Any
    equivalent: str = ""


Edits = Iterator[Edit]


class Mutation(NamedTuple):
    """A workflow that differs from a reference in one place.

    Args:
        kind: Its kind.
        id: `<sop> <kind> <place>: <detail>`, unique.
        program: The workflow.
        equivalent: Why no run can differ, where that follows from declarations; else empty.
    """

    kind: MutationKind
    id: str
    program: dict[str, Any]
    equivalent: str = ""
