"""What a mutant is: a gold conversation with one defect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, get_args

from skillbench_tasks.datasets.script import Script
from skillbench_tasks.models import Model

__all__ = ["MUTANT_KINDS", "Draft", "Drafts", "Mutant", "MutantKind"]

MutantKind = Literal[
    "call_dropped",
    "wrong_argument",
    "order_swapped",
    "early_disclosure",
    "confirmation_skipped",
    "extra_write",
    "duplicate_after_lost_reply",
    "wrong_ending",
    "failure_ignored",
    "injection_obeyed",
    "consent_lost",
    "forbidden_question",
    "false_claim",
    "fact_denied",
    "text_spoiled",
    "page_pasted",
]

MUTANT_KINDS: Final[tuple[MutantKind, ...]] = get_args(MutantKind)
"""The kinds of defects, in the order in which mutants come."""


class Mutant(Model):
    """A script that differs from a case's gold script by a single defect.

    `operator` names the way in which the defect was planted, `detail` says what was changed where.
    """

    kind: MutantKind
    case: str
    operator: str
    detail: str
    script: Script


class Draft(NamedTuple):
    """A mutant that does not know its kind and case yet."""

    operator: str
    detail: str
    script: Script


Drafts = Iterator[Draft]
