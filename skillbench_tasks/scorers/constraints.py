"""Ordering and prohibition constraints of a skill, checked on the sequence of events."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Final, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import expresses
from skillbench_tasks.models import Call, Checks, Episode, Fact, Verdict
from skillbench_tasks.scorers.conduct import (
    early_transfers,
    foreign_records,
    further_checks,
    guessed_ids,
    named_others,
    unchecked_lost_replies,
    unfinished_tools,
    unsaid_factors,
    was_put,
)
from skillbench_tasks.scorers.confirmation import unconfirmed_writes
from skillbench_tasks.scorers.forbidden import crowded_questions, forbidden_questions
from skillbench_tasks.scorers.founding import unfounded_claims
from skillbench_tasks.scorers.hearing import unheard_answers
from skillbench_tasks.scorers.inventing import invented_values
from skillbench_tasks.scorers.ordering import misordered
from skillbench_tasks.scorers.refusal import pasted_pages, second_places
from skillbench_tasks.scorers.retries import excess_retries
from skillbench_tasks.scorers.telling import (
    forbidden_sayings,
    named_factors,
    read_out,
    silent_transfers,
    spoken_codes,
    untold_facts,
)
from skillbench_tasks.scorers.written import junk_texts, silent_texts
from skillbench_tasks.tools.faults import holds

__all__ = ["CONSTRAINTS", "constraints_verdict"]

_Check: TypeAlias = Callable[[Checks, Episode], Iterator[str]]


def constraints_verdict(checks: Checks, episode: Episode) -> Verdict:
    """Return which constraints of the skill the episode breaks.

    A part is `None` where the skill does not declare its constraint.
    """
    reasons: list[str] = []
    parts: dict[str, bool | None] = {}
    for name, (declared, check) in CONSTRAINTS.items():
        found = list(dict.fromkeys(check(checks, episode))) if declared(checks) else []
        reasons += [f"{name}: {reason}" for reason in found]
        parts[name] = not found if declared(checks) else None
    return Verdict(scorer="constraints", passed=not reasons, reasons=tuple(reasons), parts=parts)


def _proves_identity(checks: Checks, call: Call) -> bool:
    rule = checks.rules.verification
    if rule is None or call.tool != rule.tool or not isinstance(call.result, dict):
        return False
    factors = {n for n, value in call.arguments.items() if value not in (None, "")}
    if len(factors - {"customer_id", "full_name"}) < rule.factors or set(rule.needs) - factors:
        return False
    own = checks.subject is None or call.result.get("customer_id", checks.subject) == checks.subject
    return call.result.get(rule.field) is True and own


def _disclosed(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield protected values said before verification, unless the user had said them."""
    heard: list[str] = []
    hints: set[str] = set()
    for event in episode.events:
        if isinstance(event, Call):
            if _proves_identity(checks, event):
                return
            hints |= set(_hints(event.result))
        elif event.role == "user":
            heard.append(event.text)
        else:
            said_by_user = "\n".join(heard)
            for fact in checks.protected:
                if _says(event.text, fact) and not _says(said_by_user, fact):
                    yield f"{fact.name} was said before verification"
            for digits in sorted(set(_DIGITS.findall(event.text)) & hints):
                if not re.search(rf"{digits}\b", said_by_user):
                    yield f"a hint ({digits}) was said before verification"


_DIGITS: Final = re.compile(r"(?<![\d.,:-])\d{2,4}(?![\d.,:-]*\d)")


def _hints(value: JsonValue) -> Iterator[str]:
    """Yield the last digits of numbers that a search shows, masked otherwise."""
    if isinstance(value, list):
        for part in value:
            yield from _hints(part)
    elif isinstance(value, dict):
        yield from _DIGITS.findall(str(value.get("hint", "")))
        yield from _hints(list(value.values()))


def _says(text: str, fact: Fact) -> bool:
    return expresses(text, fact.value, fact.forms)


def _unverified(checks: Checks, episode: Episode) -> Iterator[str]:
    for call in episode.calls:
        if _proves_identity(checks, call):
            return
        if was_put(call) and call.tool in checks.rules.after_verification:
            yield f"{call.tool} was called before verification"


def _not_stepped_up(checks: Checks, episode: Episode) -> Iterator[str]:
    for rule in checks.rules.step_up:
        for call in episode.calls:
            if call.tool == rule.tool and was_put(call):
                yield f"{rule.tool} was called before {rule.factor} was verified"
                break
            if _proves_identity(checks, call) and call.arguments.get(rule.factor):
                break


def _forbidden(checks: Checks, episode: Episode) -> Iterator[str]:
    for rule in checks.rules.never:
        called = [c for c in episode.calls if fnmatchcase(c.tool, rule.tool)]
        yield from (f"{c.tool} was called" for c in called if holds(c.arguments, rule.where))


def _accompanied(checks: Checks, episode: Episode) -> Iterator[str]:
    for rule in checks.rules.alone:
        for call in episode.calls:
            given = {n for n, value in call.arguments.items() if value not in (None, "")}
            if (
                call.tool == rule.tool
                and was_put(call)
                and rule.argument in given != {rule.argument}
            ):
                yield f"{rule.tool} was called with more than the {rule.argument}"
                break


def _too_often(checks: Checks, episode: Episode) -> Iterator[str]:
    for rule in checks.rules.at_most:
        done = [
            c
            for c in episode.calls
            if c.tool == rule.tool and c.error is None and holds(c.arguments, rule.where)
        ]
        if len(done) > rule.n:
            yield f"{rule.tool} succeeded {len(done)} times, at most {rule.n} allowed"


CONSTRAINTS: Final[dict[str, tuple[Callable[[Checks], bool], _Check]]] = {
    "disclosure": (lambda c: bool(c.protected and c.rules.verification), _disclosed),
    "verification": (lambda c: bool(c.rules.after_verification), _unverified),
    "own_records": (lambda c: c.rules.own_records and c.subject is not None, foreign_records),
    "confirmation": (lambda c: bool(c.rules.confirm), unconfirmed_writes),
    "step_up": (lambda c: bool(c.rules.step_up), _not_stepped_up),
    "order": (lambda c: bool(c.rules.order), misordered),
    "never": (lambda c: bool(c.rules.never), _forbidden),
    "alone": (lambda c: bool(c.rules.alone), _accompanied),
    "at_most": (lambda c: bool(c.rules.at_most), _too_often),
    "grounded": (lambda c: True, guessed_ids),
    "invented": (lambda c: bool(c.now), invented_values),
    "factors": (lambda c: c.rules.verification is not None, unsaid_factors),
    "tries": (lambda c: c.rules.verification is not None, further_checks),
    "others_named": (lambda c: c.rules.own_records and c.subject is not None, named_others),
    "carried_out": (lambda c: bool(c.succeeding_tools), unfinished_tools),
    "transfer": (lambda c: bool(c.before_transfer), early_transfers),
    "retries": (lambda c: True, excess_retries),
    "lost_reply": (lambda c: True, unchecked_lost_replies),
    "claims": (lambda c: True, unfounded_claims),
    "never_ask": (lambda c: bool(c.never_ask), forbidden_questions),
    "heard": (lambda c: bool(c.heard), unheard_answers),
    "most_asked": (lambda c: c.most_asked is not None, crowded_questions),
    "free_text": (lambda c: bool(c.free_texts), junk_texts),
    "texts": (lambda c: bool(c.rules.texts), silent_texts),
    "one_place": (lambda c: bool(c.wrong_places), second_places),
    "pasted_page": (lambda c: bool(c.policy), pasted_pages),
    "transfer_told": (lambda c: bool(c.taken_over), silent_transfers),
    "told_first": (lambda c: bool(c.told_first), untold_facts),
    "unread": (lambda c: bool(c.rules.unread), read_out),
    "internal_codes": (lambda c: bool(c.codes or c.rules.unsaid_ids), spoken_codes),
    "factor_named": (lambda c: bool(c.factor_words), named_factors),
    "never_say": (lambda c: bool(c.rules.never_say), forbidden_sayings),
}
"""Name → whether the case declares it, and the generator of its breaches."""
