"""Founded claims: an effect that the agent claims needs a call that has this effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

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
from skillbench_tasks.models import Call, Checks, Episode, Line
from skillbench_tasks.scorers.grounds import Deed, Grounds

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
_LEAD: Final = re.compile(
    r"^\W*(?:I|we)(?:'m| am| are|'re)?\b[^.;]{0,24}?\b(?:tell|say|inform|see|afraid|sorry|note|"
    r"mention)\b[^.;]{0,24}?\bthat\s+",
    re.IGNORECASE,
)
"""What only leads to a report: "I must tell you, however, that …"."""

_REPORTED_WORDS: Final = 2
_REPORTED_SHARE: Final = 0.75
"""A report says no more than records, user or page did: this share of its telling words."""


_SENT: Final = re.compile(r"\b(?:on (?:its|the|their) way|in the (?:mail|post)|en route)\b")
_SENDING: Final = stems_in("send ship order mail post dispatch pay refund issue deliver")
"""Verbs of the deeds that set something on its way."""

_HEARING: Final = stems_in("receive get have hear")
_NEWS: Final = stems_in("call text message reminder notice notification sms")

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


def unfounded_claims(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield claimed effects that nothing founds.

    A deed is founded by a call of a write before it whose words are those of the claim, a promise
    by such a call at any time; a passive or a state also by what records or the user told, and by
    the policy. What only the learned reader takes for a claim has to be about such a deed, or about
    what was reported. A sum of money has to stand in a call or in the policy.
    """
    whole = Grounds(checks, episode.events)
    policy = [stems_in(sentence) for sentence in sentences(checks.policy)]
    for index, event in enumerate(episode.events):
        if isinstance(event, Call):
            yield from _untrue_texts(checks, event, episode.events[:index])
            continue
        if event.role != "agent":
            continue
        claims, read = _claims(event.text)
        before = Grounds(checks, episode.events[:index]) if claims or read else whole
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
    grounds = Grounds(checks, before) if told else None
    for claim in told:
        assert grounds is not None
        verb = frozenset({claim.verb})
        if not any(_has_done(deed, claim) for deed in grounds.deeds) and not any(
            _tells(words, verb, claim) for words in grounds.records
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
    for whole in sentences(plain):
        sentence = _LEAD.sub("", whole)
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
    sentence: str, grounds: Grounds, policy: Sequence[frozenset[str]], checks: Checks
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
    claim: Claim, grounds: Grounds, policy: Sequence[frozenset[str]], checks: Checks
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
    if claim.kind == "promise" and claim.verb in _HEARING and claim.things & _NEWS:
        return any(claim.things & words for words in policy)  # "you'll get a call" as the page says
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


def _has_done(deed: Deed, claim: Claim) -> bool:
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
