"""Founded claims: an effect that the agent claims needs a call that has this effect."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import expresses, values_in
from skillbench_tasks.datasets.wording.claim_reader import claim_likelihood
from skillbench_tasks.datasets.wording.effects import (
    Claim,
    effects_in,
    telling_words,
    tells_of_looking,
)
from skillbench_tasks.datasets.wording.sentences import sentences
from skillbench_tasks.datasets.wording.word_forms import stem, stems_in, stems_of
from skillbench_tasks.models import Call, Checks, Effects, Episode, Line
from skillbench_tasks.scorers.records import names_of
from skillbench_tasks.tools.faults import may_be_done

__all__ = ["unfounded_claims"]

_ANY_DEED: Final = stems_in(
    "do sort complete set process finish handle submit go take arrange place enter save update put "
    "make change apply settle fix"
)
"""Verbs of a claim that any deed founds."""


_POSSIBLE: Final = 0.3
"""Likelihood from which on a claim that grammar reads counts.

A passive without a day or a doer always does: it is a report as often, and then records found it.
"""

_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATED: Final = re.compile(
    r"\b(?:yesterday|last (?:week|month|year|night|time)|ago|earlier|(?:19|20)\d\d|"
    rf"{_MONTH} \d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|on the \d{{1,2}}(?:st|nd|rd|th)|"
    rf"(?:from|in|since) {_MONTH}(?!\w)|\d{{1,2}}/\d{{1,2}}|on (?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)day|still being|by (?:the|our|your) (?!(?:team|desk|office|end|way)\b)\w+)",
    re.IGNORECASE,
)

_SURE: Final = 0.65
"""Likelihood from which on a sentence counts in which grammar reads no claim."""

_TYPED: Final = {"ive": "I've", "weve": "we've", "im": "I'm", "thats": "that's", "ur": "your"}
_TYPED_WORD: Final = re.compile(rf"\b(?:{'|'.join(_TYPED)})\b", re.IGNORECASE)
_TAG: Final = re.compile(r",\s*(?=(?:is there )?(?:anything|something) (?:else|more)\b[^.?!]*\?)")
"""Where a question begins that only closes a message: "Cancelled your visit, anything else?"."""

_QUOTED: Final = re.compile(r"[\"“][^\"“”\n]{2,300}[\"”]")
"""What is read out, and not said by the agent himself."""

_AHEAD: Final = re.compile(
    r"\b(?:will|shall|going to|gonna)\b|'ll\b|(?:\b(?:i|we) (?:am|are)|'m|'re) \w+ing\b"
    r"|^(?:[\w']+\W+){0,3}\w{2,}ing\b(?=.*\bnow\b)",
    re.IGNORECASE,
)
"""What lies ahead or is under way: "doing that now" beside the call that does it."""

_PERFECT: Final = re.compile(r"\b(?:has|have|been|was|were|now|did|just)\b|'ve\b", re.IGNORECASE)
_BY_DESK: Final = re.compile(r"\b(?:I|we)(?:'ve| have)?\b", re.IGNORECASE)
_REPORTED_WORDS: Final = 2
_REPORTED_SHARE: Final = 0.75
"""A report says no more than records, user or page did: this share of its telling words."""


_SENT: Final = re.compile(r"\b(?:on (?:its|the|their) way|in the (?:mail|post)|en route)\b")
_SENDING: Final = stems_in("send ship order mail post dispatch pay refund issue deliver")
"""Verbs of the deeds that set something on its way."""

_COURTESY: Final = stems_in(
    "right alright okay ok sure great perfect good fine thanks thank welcome sorry glad happy yes "
    "wonderful moment hello hi course certainly absolutely"
)


_ALL_SET: Final = re.compile(
    r"^(?:(?:you|we)(?: are|'re)|that(?: is|'s)) (?:now |then )?(?:all set|set)$"
)
"""After an identity check it says that the check is done."""

_LET_US: Final = re.compile(
    r"^\W*(?:(?:so|now|okay|ok|then|right|great),? )*(?:let's|let us)\b", re.I
)


class _Deed(NamedTuple):
    """A write that was carried out: its verbs, the words for what it was done to, its numbers.

    `is_wish` tells what users wish for from hand-overs and logs; `values` are its exact arguments.
    """

    verbs: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[float]
    is_wish: bool
    values: tuple[str, ...] = ()
    is_transfer: bool = False


class _Grounds:
    """What has been done, shown and said up to a place of the episode."""

    def __init__(self, checks: Checks, events: Sequence[Line | Call]) -> None:
        self.deeds: list[_Deed] = []
        self.is_proved = False  # an identity check has succeeded
        self.is_undeclared = False  # a write was carried out whose effect nobody has put in words
        self.records: list[frozenset[str]] = []
        self._results: list[JsonValue] = []
        self._seen: dict[str, set[float]] = {}
        self.amounts: set[float] = set()  # by how much a figure changed from one result to another
        self.numbers: set[float] = _numbers(checks.policy)
        self.user: list[frozenset[str]] = []
        asked = {rule.tool for rule in checks.rules.confirm}
        wishes = asked or checks.effects.keys() - set(checks.transfer_tools)
        for event in events:
            if isinstance(event, Line):
                if event.role == "user":
                    self.user += [stems_in(s) for s in sentences(event.text)]
                continue
            failed = not may_be_done(event.error)
            self.is_proved |= _proves(checks, event)
            shown = _shown([{} if failed else event.arguments, event.result])
            shown += event.error.message if event.error else ""
            self.numbers |= _numbers(shown)
            self.amounts |= _changes(event.result, self._seen)
            named = "" if failed else event.tool.replace("_", " ")
            self.records.append(stems_in(shown) | stems_in(named))
            self._results.append(event.result)
            effects = checks.effects.get(event.tool)
            if effects is None:
                is_write = checks.toolkit.get(event.tool) == "write"
                self.is_undeclared |= is_write and may_be_done(event.error)
            elif may_be_done(event.error):
                names = names_of(self._results, event.arguments)
                deed = _deed(effects, event, names, is_wish=event.tool in wishes)
                is_transfer = event.tool in checks.transfer_tools
                self.deeds.append(deed._replace(is_transfer=is_transfer))

    def knows(self, amounts: Iterable[float]) -> bool:
        """Return whether sums of money stand in a call or the policy, or are a change of one."""
        return (self.numbers | self.amounts).issuperset(amounts)


def _proves(checks: Checks, call: Call) -> bool:
    rule = checks.rules.verification
    result = call.result if isinstance(call.result, dict) else {}
    return rule is not None and call.tool == rule.tool and result.get(rule.field) is True


def _changes(value: JsonValue, seen: dict[str, set[float]]) -> set[float]:
    """Return by how much each figure differs from those seen under its name, and keep it."""
    found: set[float] = set()
    if isinstance(value, list):
        for part in value:
            found |= _changes(part, seen)
    elif isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, int | float) and not isinstance(part, bool):
                found |= {round(abs(part - one), 2) for one in seen.setdefault(name, set())}
                seen[name].add(float(part))
            else:
                found |= _changes(part, seen)
    return found


def _deed(effects: Effects, call: Call, names: Iterable[str], *, is_wish: bool) -> _Deed:
    said = stems_in(" ".join([*_leaves(call.arguments), *_leaves(call.result), *names]))
    words = stems_of(effects.nouns) | said
    exact = tuple(v for v in _leaves(call.arguments) if any(map(str.isdecimal, v)))
    return _Deed(stems_of(effects.verbs), words, _amounts(call), is_wish, exact)


def _amounts(call: Call) -> frozenset[float]:
    return frozenset(_numbers(_shown([call.arguments, call.result])))


def _leaves(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value.replace("_", " ")
        case list():
            for part in value:
                yield from _leaves(part)
        case dict():
            for part in value.values():
                yield from _leaves(part)
        case _:
            return


def _shown(value: JsonValue) -> str:
    """Return a value as a text in which keys and codes are words."""
    return re.sub(r"[_\"{}\[\]:]", " ", json.dumps(value, ensure_ascii=False))


def _numbers(text: str) -> set[float]:
    return {number for mention in values_in(text) for number in mention.numbers}


def unfounded_claims(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield claimed effects that nothing founds.

    A deed is founded by a call of a write before it whose words are those of the claim, a promise
    by such a call at any time; a passive or a state also by what records or the user told, and by
    the policy. What only the learned reader takes for a claim has to be about such a deed, or about
    what was reported. A sum of money has to stand in a call or in the policy.
    """
    whole = _Grounds(checks, episode.events)
    policy = [stems_in(sentence) for sentence in sentences(checks.policy)]
    for index, event in enumerate(episode.events):
        if isinstance(event, Call):
            yield from _untrue_texts(checks, event, episode.events[:index])
            continue
        if event.role != "agent":
            continue
        claims, read = _claims(event.text)
        before = _Grounds(checks, episode.events[:index]) if claims or read else whole
        for claim in claims:
            grounds = whole if claim.kind == "promise" else before
            if not _is_founded(claim, grounds, policy, checks):
                yield f"agent claims {claim.words!r}, and no call had done it"
        for sentence in read:
            grounds = whole if _AHEAD.search(sentence) else before
            if not _is_borne_out(sentence, grounds, policy, checks):
                yield f"agent claims {sentence!r}, and no call had done it"


def _untrue_texts(checks: Checks, call: Call, before: Sequence[Line | Call]) -> Iterator[str]:
    """Yield deeds of the toolkit that a free text of a call tells, and that were not done.

    A text for colleagues reports without an "I"; what records show may be reported too.
    """
    texts = [call.arguments.get(name) for name in checks.free_texts.get(call.tool, ())]
    told = [c for text in texts if isinstance(text, str) for s in sentences(text) for c in _done(s)]
    told = [claim for claim in told if _is_deed_of_toolkit(claim, checks)]
    grounds = _Grounds(checks, before) if told else None
    for claim in told:
        assert grounds is not None
        verbs = _named_verbs(claim, checks)
        if not any(_has_done(deed, claim) for deed in grounds.deeds) and not any(
            _tells(words, verbs, claim) for words in grounds.records
        ):
            yield f"{call.tool} was told {claim.words!r}, and no call had done it"


def _done(sentence: str) -> list[Claim]:
    return [one for one in effects_in(sentence) if one.kind not in ("promise", "present")]


def _is_deed_of_toolkit(claim: Claim, checks: Checks) -> bool:
    return any(
        claim.verb in stems_of(effects.verbs)
        for tool, effects in checks.effects.items()
        if tool not in checks.transfer_tools
    )


def _claims(text: str) -> tuple[list[Claim], list[str]]:
    """Return the claims that grammar reads in a message, and the sentences that only sound so.

    What lies ahead, in a message that ends in a question, is a proposal.
    """
    is_proposal = text.rstrip().endswith("?")
    claims: list[Claim] = []
    sounding = []
    plain = _QUOTED.sub('""', text.replace("’", "'").replace("*", ""))
    plain = _TAG.sub(". ", _TYPED_WORD.sub(lambda word: _TYPED[word[0].lower()], plain))
    for sentence in sentences(plain):
        likelihood = claim_likelihood(sentence)
        parsed = [
            claim
            for claim in effects_in(sentence)
            if not (is_proposal and _is_offered(claim, likelihood))
            and (
                likelihood >= _POSSIBLE or (claim.kind == "passive" and not _DATED.search(sentence))
            )
        ]
        claims += parsed
        if any(not claim.is_either for claim in parsed) or tells_of_looking(sentence):
            continue
        if _LET_US.search(sentence):
            continue
        if likelihood >= _SURE and not (is_proposal and _may_be_proposed(sentence)):
            sounding.append(sentence)
    return claims, sounding


def _is_offered(claim: Claim, likelihood: float) -> bool:
    """Return whether a claim before a question can be what is asked: "That fee is yours. OK?"."""
    return claim.kind == "promise" or (claim.kind == "state" and likelihood < _SURE)


def _may_be_proposed(sentence: str) -> bool:
    """Return whether a sentence before a question can be what is asked: "New total: $9. OK?"."""
    return bool(_AHEAD.search(sentence)) or not _PERFECT.search(sentence)


def _is_borne_out(
    sentence: str, grounds: _Grounds, policy: Sequence[frozenset[str]], checks: Checks
) -> bool:
    """Return whether a sentence that sounds like a claim is about what was done, or reported."""
    amounts = {n for m in values_in(sentence) if m.kind == "money" for n in m.numbers[:1]}
    if grounds.is_undeclared:
        return True
    if not grounds.knows(amounts):
        return False
    words = telling_words(sentence) - _ANY_DEED - _COURTESY
    if not words and _AHEAD.search(sentence):
        return True
    if any(not words or words & (deed.verbs | deed.words) for deed in grounds.deeds):
        return True
    if any(expresses(sentence, value) for deed in grounds.deeds for value in deed.values):
        return True
    if _BY_DESK.search(sentence) or len(words) < _REPORTED_WORDS:
        return False
    told = [*grounds.records, *grounds.user, *policy]
    return any(len(words & one) >= _REPORTED_SHARE * len(words) for one in told)


def _is_founded(
    claim: Claim, grounds: _Grounds, policy: Sequence[frozenset[str]], checks: Checks
) -> bool:
    if not grounds.is_undeclared and not grounds.knows(claim.amounts):
        return False
    if claim.is_either and claim.kind != "passive" and not _is_deed_here(claim, checks):
        return True
    deeds = grounds.deeds
    if _SENT.search(claim.words) and _is_sent_here(claim, checks):
        deeds = [deed for deed in deeds if not deed.is_transfer and deed.verbs & _SENDING]
    if grounds.is_undeclared or any(_has_done(deed, claim) for deed in deeds):
        return True
    if grounds.is_proved and _ALL_SET.search(claim.words):
        return True
    told: list[frozenset[str]] = []
    exact = {mention.kind for mention in values_in(claim.words)}
    is_under_way = " being " in claim.words and " still being " not in claim.words
    if claim.kind in ("passive", "present", "state") or "date" in exact:  # "ordered on 8/19"
        told += [] if is_under_way else [*grounds.records, *grounds.user]
    is_report = claim.kind == "passive" and not claim.things and " been " not in claim.words
    if claim.kind in ("present", "promise") or is_report or "id" in exact:
        told += policy
    verbs = _named_verbs(claim, checks)
    return bool(verbs) and any(_tells(words, verbs, claim) for words in told)


def _named_verbs(claim: Claim, checks: Checks) -> frozenset[str]:
    """Return the verb with the names that tools of the toolkit have for the same deed."""
    if not claim.verb:
        return frozenset()
    names = {
        stem(tool.partition(":")[2].partition("_")[0])
        for tool, effects in checks.effects.items()
        if claim.verb in stems_of(effects.verbs)
    }
    return frozenset({claim.verb, *names})


def _is_deed_here(claim: Claim, checks: Checks) -> bool:
    """Return whether a verb of two senses tells of what a tool of the toolkit does."""
    return any(
        claim.verb in stems_of(effects.verbs) and claim.things & stems_of(effects.nouns)
        for effects in checks.effects.values()
    )


def _is_sent_here(claim: Claim, checks: Checks) -> bool:
    """Return whether a tool of the toolkit sends what is said to be on its way."""
    return any(
        stems_of(effects.verbs) & _SENDING and stems_of(effects.nouns) & claim.things
        for tool, effects in checks.effects.items()
        if tool not in checks.transfer_tools
    )


def _has_done(deed: _Deed, claim: Claim) -> bool:
    is_thing = bool(claim.things & deed.words)
    is_any = not claim.verb or claim.kind == "state" or claim.verb in _ANY_DEED
    if not (claim.verb in deed.verbs or (is_any and (deed.is_wish or is_thing))):
        return False
    is_amount = bool(claim.amounts) and deed.numbers.issuperset(claim.amounts)
    return is_amount or is_thing or not claim.things


def _tells(words: frozenset[str], verbs: frozenset[str], claim: Claim) -> bool:
    """Return whether what was shown, said or written speaks of the verb and of the thing."""
    things = claim.things | claim.more
    return bool(verbs & words) and (not things or bool(things & words))
