"""Makes the fixed splits of the shipped conversations anew.

- Evaluation holds out two whole skills, reported apart as `unseen_skill`, and of every scenario
  kind two conversations of the other six skills.
- Conversations of one user, or of users of one name, are never parted.
- Among conversations that fit equally, evaluation takes the one after which fewest of its agent
  texts share an 8-gram with what is left for training.
- Validation is one conversation of each seen skill, each of another kind; the rest is for training.

So evaluation has about as many decisions as the published held-out split (542), and intervals about
as wide; about as many conversations of unseen skills as of seen ones; and validation about the
published share of what is left (10 %). That evaluation is a larger share than the published one (84
of 1 027 conversations) is the price of a small set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from skillbench_tasks.datasets.loaders import case_by_id
from skillbench_tasks.datasets.ngrams import Ngram, agent_texts, word_ngrams
from skillbench_tasks.datasets.splits import Splits
from skillbench_tasks.models.conversation import Conversation

__all__ = ["OVERLAP_BOUND", "PER_KIND", "UNSEEN_SKILLS", "build_splits", "people_of"]

UNSEEN_SKILLS: Final = ("contact-details", "refund-request")
"""Skills whose conversations are all held out: of two industries, each with seen skills too."""

PER_KIND: Final = 2
"""Conversations of seen skills that evaluation holds of each scenario kind, at least."""

PER_SKILL: Final = 5
"""Conversations of one seen skill that evaluation takes at most, where there is a choice."""

OVERLAP_BOUND: Final = 0.10
"""Largest share of evaluation texts that share an 8-gram with training or validation."""

_Wording: TypeAlias = Mapping[str, list[frozenset[Ngram]]]
"""Id of a conversation → the n-grams of each of its agent texts."""


def build_splits(conversations: Iterable[Conversation]) -> Splits:
    """Make the splits.

    Args:
        conversations: All that ship; their order means nothing.
    """
    known = sorted(conversations, key=lambda one: one.id)
    together = _together(known)
    unseen = [one for one in known if one.workflow in UNSEEN_SKILLS]
    evaluation = {member for one in unseen for member in together[one.id]}
    free = [one for one in known if together[one.id] == {one.id}]
    _fill(evaluation, free, known)
    validation = set(_validation([one for one in free if one.id not in evaluation]))
    return Splits(
        unseen_skills=UNSEEN_SKILLS,
        evaluation=tuple(sorted(evaluation)),
        validation=tuple(sorted(validation)),
        train=tuple(one.id for one in known if one.id not in evaluation | validation),
    )


def people_of(conversation: Conversation) -> frozenset[str]:
    """Return who speaks as the user of a shipped conversation: the customer, and the names given.

    Customers of two companies may share a name.
    """
    assert conversation.case is not None
    names = case_by_id(conversation.case).scenario.facts.get("full_name")
    given = names if isinstance(names, list) else [names]
    return frozenset({conversation.user, *(str(name) for name in given if name)})


def _together(conversations: Iterable[Conversation]) -> dict[str, set[str]]:
    """Return with each conversation those that share a person with it, directly or by others."""
    groups: list[tuple[set[str], set[str]]] = []
    for one in conversations:
        ids, people = {one.id}, set(people_of(one))
        apart = []
        for group in groups:
            if people & group[1]:
                ids |= group[0]
                people |= group[1]
            else:
                apart.append(group)
        groups = [*apart, (ids, people)]
    return {member: ids for ids, _people in groups for member in ids}


def _fill(evaluation: set[str], free: list[Conversation], known: list[Conversation]) -> None:
    """Add conversations of seen skills until evaluation has enough of every kind."""
    wording = {one.id: [word_ngrams(t) for t in agent_texts([one]).values()] for one in known}
    held = [one for one in known if one.id in evaluation and one.workflow not in UNSEEN_SKILLS]
    kinds = Counter(one.kind for one in held)
    skills = Counter(one.workflow for one in held)
    for wanted in range(1, PER_KIND + 1):
        for kind in sorted({one.kind for one in known}):
            if kinds[kind] >= wanted:
                continue
            chosen = min(
                (one for one in free if one.kind == kind and one.id not in evaluation),
                key=lambda one: (
                    skills[one.workflow] >= PER_SKILL,
                    _overlaps(wording, evaluation | {one.id}),
                    skills[one.workflow],
                    one.id,
                ),
            )
            evaluation.add(chosen.id)
            kinds[kind] += 1
            skills[chosen.workflow] += 1


def _overlaps(wording: _Wording, evaluation: set[str]) -> int:
    """Return how many texts of evaluation share an n-gram with the other conversations."""
    others: set[Ngram] = set()
    for name, texts in wording.items():
        if name not in evaluation:
            others.update(*texts)
    return sum(not ngrams.isdisjoint(others) for name in evaluation for ngrams in wording[name])


def _validation(left: list[Conversation]) -> Iterator[str]:
    """Yield one conversation of each skill, of the kind that most are left of."""
    common = Counter(one.kind for one in left)
    taken: set[str] = set()
    for skill in sorted({one.workflow for one in left}):
        of_skill = [one for one in left if one.workflow == skill and one.kind not in taken]
        chosen = min(of_skill, key=lambda one: (-common[one.kind], one.kind, one.id))
        taken.add(chosen.kind)
        yield chosen.id
