"""Variations: other runs of a case that are right under its policy, to prove that they pass.

The mirror of `skillbench_tasks.datasets.mutants`. An operator makes variations of one kind from a
case's gold script, its world and the policy on the skill's page. Nothing here knows how runs are
graded: what is right is right by the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from skillbench_tasks.datasets.mutants.story import Story, digest
from skillbench_tasks.datasets.variations.asking import (
    answered_in_parts,
    asked_in_other_order,
    asked_in_other_words,
    one_question_at_a_time,
)
from skillbench_tasks.datasets.variations.calling import (
    arguments_in_other_notation,
    calls_in_other_order,
    defaults_written_out,
    extra_reads,
    refused_calls_corrected,
)
from skillbench_tasks.datasets.variations.consenting import (
    consents_after_a_pause,
    consents_in_two_steps,
    read_back_in_lists,
    read_back_twice,
    writes_announced,
    yeses_in_other_words,
)
from skillbench_tasks.datasets.variations.notating import texts_in_other_notation
from skillbench_tasks.datasets.variations.phrasing import (
    announced_before,
    asides,
    closing_exchanges,
    confirmed_again,
    courtesies,
    failures_handled_aloud,
    formatted,
    free_texts_reworded,
    honest_remarks,
    texts_beside_calls,
    wrapped,
)
from skillbench_tasks.datasets.variations.variation import (
    VARIATION_KINDS,
    Draft,
    Drafts,
    Variation,
    VariationKind,
)
from skillbench_tasks.datasets.variations.wording import endings_in_other_words, terse, verbose
from skillbench_tasks.models import Case

__all__ = [
    "REPLAYED_KINDS",
    "VARIATION_KINDS",
    "Variation",
    "VariationKind",
    "all_variations_of",
    "variations_of",
]

REPLAYED_KINDS: Final[frozenset[VariationKind]] = frozenset(
    {
        "order_of_calls",
        "extra_reads",
        "refused_call_corrected",
        "defaults_written_out",
        "arguments_in_other_notation",
        "text_beside_calls",
        "free_text_reworded",
        "failure_handled_aloud",
        "terse",
    }
)
"""Kinds that leave the user's turns as they are and mean something to a closed loop."""

_OPERATORS: Final[dict[VariationKind, Callable[[Story], Drafts]]] = {
    "consent_in_two_steps": consents_in_two_steps,
    "consent_after_a_pause": consents_after_a_pause,
    "write_announced": writes_announced,
    "read_back_twice": read_back_twice,
    "read_back_in_list": read_back_in_lists,
    "yes_worded_otherwise": yeses_in_other_words,
    "one_question_at_a_time": one_question_at_a_time,
    "asked_in_other_order": asked_in_other_order,
    "asked_in_other_words": asked_in_other_words,
    "answered_in_parts": answered_in_parts,
    "order_of_calls": calls_in_other_order,
    "extra_reads": extra_reads,
    "refused_call_corrected": refused_calls_corrected,
    "defaults_written_out": defaults_written_out,
    "arguments_in_other_notation": arguments_in_other_notation,
    "texts_in_other_notation": texts_in_other_notation,
    "terse": terse,
    "verbose": verbose,
    "ending_in_other_words": endings_in_other_words,
    "long_lead_and_end": wrapped,
    "courtesy": courtesies,
    "asides": asides,
    "honest_remarks": honest_remarks,
    "text_beside_calls": texts_beside_calls,
    "announced_before": announced_before,
    "closing_exchange": closing_exchanges,
    "done_confirmed_again": confirmed_again,
    "formatting": formatted,
    "free_text_reworded": free_texts_reworded,
    "failure_handled_aloud": failures_handled_aloud,
}

_MOST: Final = 2
"""How many variations of a kind one case gives."""

_MORE: Final[dict[VariationKind, int]] = {
    "texts_in_other_notation": 4,
    "formatting": 3,
    "honest_remarks": 3,
    "ending_in_other_words": 3,
}
"""Where a case gives more."""


def variations_of(case: Case, kind: VariationKind | None = None) -> Iterator[Variation]:
    """Yield a case's variations: a few of each kind, always the same.

    Args:
        case: The case.
        kind: The only kind wanted.
    """
    for one in VARIATION_KINDS if kind is None else (kind,):
        found = list(all_variations_of(case, one))
        found.sort(key=lambda v: digest(case.id, one, v.detail))
        yield from found[: _MORE.get(one, _MOST)]


def all_variations_of(case: Case, kind: VariationKind) -> Iterator[Variation]:
    """Yield every variation of one kind that a case gives, each once, none equal to gold."""
    story = Story(case)
    seen = {("offline", story.script.model_dump_json())}
    for draft in _OPERATORS[kind](story):
        key = (draft.profile, draft.script.model_dump_json())
        if key not in seen:
            seen.add(key)
            yield _variation(case, kind, draft)


def _variation(case: Case, kind: VariationKind, draft: Draft) -> Variation:
    return Variation(
        kind=kind,
        case=case.id,
        detail=draft.detail,
        script=draft.script,
        profile=draft.profile,
    )
