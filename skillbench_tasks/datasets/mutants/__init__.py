"""Mutants: gold conversations with one planted defect, to prove that grading catches it.

An operator makes mutants of one kind from a case's gold script, its world and the policy on the
skill's page. Nothing here knows how conversations are graded: what is wrong is wrong by the policy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from skillbench_tasks.datasets.mutants.claiming import (
    denied_facts,
    false_claims,
    forbidden_questions,
)
from skillbench_tasks.datasets.mutants.confirming import skipped_confirmations
from skillbench_tasks.datasets.mutants.consenting import lost_consents
from skillbench_tasks.datasets.mutants.disclosing import early_disclosures
from skillbench_tasks.datasets.mutants.dropping import dropped_calls
from skillbench_tasks.datasets.mutants.ending import wrong_endings
from skillbench_tasks.datasets.mutants.exceeding import duplicates, extra_writes
from skillbench_tasks.datasets.mutants.failing import ignored_failures
from skillbench_tasks.datasets.mutants.mistaking import wrong_arguments
from skillbench_tasks.datasets.mutants.mutant import (
    MUTANT_KINDS,
    Draft,
    Drafts,
    Mutant,
    MutantKind,
)
from skillbench_tasks.datasets.mutants.obeying import obeyed_injections
from skillbench_tasks.datasets.mutants.ordering import swapped_orders
from skillbench_tasks.datasets.mutants.story import Story, digest
from skillbench_tasks.datasets.mutants.writing import pasted_pages, spoiled_texts
from skillbench_tasks.models import Case

__all__ = ["MUTANT_KINDS", "Mutant", "MutantKind", "all_mutants_of", "mutants_of"]

_MOST: Final[dict[MutantKind, int]] = {
    "call_dropped": 2,
    "wrong_argument": 2,
    "order_swapped": 2,
    "early_disclosure": 2,
    "confirmation_skipped": 3,
    "extra_write": 2,
    "duplicate_after_lost_reply": 9,
    "wrong_ending": 2,
    "failure_ignored": 6,
    "injection_obeyed": 9,
    "consent_lost": 3,
    "forbidden_question": 2,
    "false_claim": 2,
    "fact_denied": 3,
    "text_spoiled": 5,
    "page_pasted": 3,
}
"""How many mutants of a kind one case gives."""

_OPERATORS: Final[dict[MutantKind, Callable[[Story], Drafts]]] = {
    "call_dropped": dropped_calls,
    "wrong_argument": wrong_arguments,
    "order_swapped": swapped_orders,
    "early_disclosure": early_disclosures,
    "confirmation_skipped": skipped_confirmations,
    "extra_write": extra_writes,
    "duplicate_after_lost_reply": duplicates,
    "wrong_ending": wrong_endings,
    "failure_ignored": ignored_failures,
    "injection_obeyed": obeyed_injections,
    "consent_lost": lost_consents,
    "forbidden_question": forbidden_questions,
    "false_claim": false_claims,
    "fact_denied": denied_facts,
    "text_spoiled": spoiled_texts,
    "page_pasted": pasted_pages,
}

_LAST: Final = frozenset(
    {"file_of_another", "file_of_another_opened", "other_factor", "factor_left_out"}
)
"""Operators that fit nearly every case: chosen where the rarer ones have been."""


def mutants_of(case: Case) -> Iterator[Mutant]:
    """Yield a case's mutants: a few of each kind, spread over the operators, always the same."""
    story = Story(case)
    for kind in MUTANT_KINDS:
        chosen = _spread(case, kind, _distinct(story, kind))
        yield from (_mutant(case, kind, draft) for draft in chosen)


def all_mutants_of(case: Case, kind: MutantKind) -> Iterator[Mutant]:
    """Yield every mutant of one kind that a case gives."""
    yield from (_mutant(case, kind, draft) for draft in _distinct(Story(case), kind))


def _distinct(story: Story, kind: MutantKind) -> list[Draft]:
    """The drafts of a kind, each script once, none equal to gold."""
    seen = {story.script.model_dump_json()}
    drafts: list[Draft] = []
    for draft in _OPERATORS[kind](story):
        text = draft.script.model_dump_json()
        if text not in seen:
            seen.add(text)
            drafts.append(draft)
    return drafts


def _spread(case: Case, kind: MutantKind, drafts: list[Draft]) -> list[Draft]:
    """Choose up to the limit of a kind, one operator after the other."""
    groups: dict[str, list[Draft]] = defaultdict(list)
    for draft in sorted(drafts, key=lambda d: digest(case.id, kind, d.operator, d.detail)):
        groups[draft.operator].append(draft)
    order = sorted(groups, key=lambda name: (name in _LAST, digest(case.id, kind, name)))
    rounds = max(map(len, groups.values()), default=0)
    dealt = (groups[o][i] for i in range(rounds) for o in order if i < len(groups[o]))
    return [draft for draft, _ in zip(dealt, range(_MOST[kind]), strict=False)]


def _mutant(case: Case, kind: MutantKind, draft: Draft) -> Mutant:
    return Mutant(
        kind=kind,
        case=case.id,
        operator=draft.operator,
        detail=draft.detail,
        script=draft.script,
    )
