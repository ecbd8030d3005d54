"""Effects that a message claims or promises, read by grammar over an open class of verbs.

A claim is a perfect or past of the desk's ("I've closed your account"), a passive ("a check was
sent"), a state that results ("the fees are gone"), a promise ("we'll pay you"), or a participle
without a subject ("Cancelled."). Verbs of looking, thinking, talking and waiting claim nothing, and
neither do questions, denials, and what lies under a condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from skillbench_tasks.datasets.surface import values_in
from skillbench_tasks.datasets.wording.clauses import (
    CONDITION,
    DENIED,
    REASONS,
    clauses,
    is_conditional,
    without_gifts,
)
from skillbench_tasks.datasets.wording.sentences import sentences
from skillbench_tasks.datasets.wording.word_forms import is_participle, is_past, stem

__all__ = ["Claim", "effects_in", "telling_words", "tells_of_looking"]

Kind = Literal["own", "passive", "present", "state", "promise", "bare"]


class Claim(NamedTuple):
    """A claimed effect.

    Attributes:
        words: The clause.
        kind: By its grammar: the desk's own deed, a passive (in the present: a rule or a state), a
            state, a promise, no subject.
        verb: Stem of the verb; "" where only a state is named.
        is_either: Whether the verb may tell of no deed too ("opened your file").
        things: Stems of the words for what it was done to.
        more: Stems of the words that follow, of a promise or where it is done to "you".
        amounts: Sums of money named.
    """

    words: str
    kind: Kind
    verb: str
    is_either: bool
    things: frozenset[str]
    more: frozenset[str]
    amounts: tuple[float, ...]


class _Form(NamedTuple):
    """A form of a claim: the words up to its verb, and what the verb has to be.

    `gap` is how many words may stand between the two ("I've had *your deposit* paid out").
    """

    kind: Kind
    lead: re.Pattern[str]
    verb: Literal["participle", "past", "base", "ing", "state"]
    object_after: bool
    gap: int = 0


_ADVERBS: Final = (
    "just now already also both all successfully officially fully completely meanwhile immediately "
    "finally happily gladly additionally actually even then personally too recently permanently "
    "duly since today right hereby quietly quickly promptly further again separately certainly "
    "furthermore directly instantly automatically safely therefore still individually soon shortly"
)
_ADVERB: Final = (
    rf"(?:(?:{'|'.join(_ADVERBS.split())}|(?:gone|went|go) ahead and|gone and|of course|in fact|"
    r"as well|at last|at once)\W+)*"
)
_DESK: Final = (
    r"(?:i|we|our (?:team|office|desk|bank|people|side|warehouse)|the (?:team|desk)|"
    r"(?:my|our) (?:colleagues?|manager|supervisor|billing team))"
)
_STATE: Final = re.compile(
    r"(?:gone|done(?! by)|dead|off(?! to)|on (?:its|the|their|his|her) way|"
    r"in the (?:mail|post)|live|inactive|out the door|complete|sorted|settled|fixed|cleared|"
    r"history|in place|under ?way|back (?:on|in)|up and running|taken care of|all set|set|"
    r"good to go|set up|wiped|en route|on order|over and done|"
    r"no longer (?:active|valid|open|on|there|due|owed)|waiting for you|coming your way|"
    r"yours|void|coming to you|finished|closed|put right|"
    r"(?:on|in) your (?:account|card|bill|inbox|bank)|went (?:out|through|back)|"
    r"squared away)\b"
)
_FORMS: Final = (
    _Form(
        "state",
        re.compile(rf"(?:\b(?:is|are)|(?<=\w)'s|(?<=\w)'re|(?<=\w)'m) {_ADVERB}"),
        "state",
        False,
    ),
    _Form("own", re.compile(rf"\b{_DESK}(?:'ve|'s| have| has) {_ADVERB}"), "participle", True),
    _Form("own", re.compile(rf"\b{_DESK} {_ADVERB}"), "past", True),
    _Form("own", re.compile(rf"\b{_DESK}\b.* and {_ADVERB}"), "past", True),
    _Form(
        "own",
        re.compile(rf"\b{_DESK}(?:'ve| have)? {_ADVERB}(?:had|got|gotten) "),
        "participle",
        False,
        gap=5,
    ),
    _Form("bare", re.compile(r"\bconsider "), "participle", False, gap=4),
    _Form(
        "promise",
        re.compile(
            rf"\b{_DESK}(?:'ll| will| shall|(?:'m|'re| am| are| is) going to|(?:'m|'re| am| are) "
            rf"gonna) {_ADVERB}"
        ),
        "base",
        True,
    ),
    _Form("promise", re.compile(rf"\b{_DESK}(?:'m|'re|'s| am| are| is) {_ADVERB}"), "ing", True),
    _Form(
        "promise",
        re.compile(rf"\byou(?:'ll| will|(?:'re| are) going to) {_ADVERB}(?=(?:get|receive)\b)"),
        "base",
        True,
    ),
    _Form(
        "promise",
        re.compile(rf"(?:'ll|\bwill|\b(?:is|are) going to) {_ADVERB}be {_ADVERB}"),
        "participle",
        False,
    ),
    _Form(
        "passive",
        re.compile(
            rf"(?:(?:\b(?:has|have)|(?<=\w)'s|(?<=\w)'ve) {_ADVERB}been|\b(?:was|were|got|gets)|"
            rf"(?:\b(?:is|are)|(?<=\w)'s|(?<=\w)'re) {_ADVERB}being) {_ADVERB}"
        ),
        "participle",
        False,
    ),
    _Form(
        "present",
        re.compile(rf"(?:\b(?:is|are)|(?<=\w)'s|(?<=\w)'re) {_ADVERB}"),
        "participle",
        False,
    ),
    _Form(
        "bare",
        re.compile(r"^(?:(?:and|all|so|now|already|also|successfully|both|there|ok|okay)\W+)*"),
        "participle",
        False,
    ),
    _Form(
        "bare",
        re.compile(
            r"^(?!(?:i|we|you|he|she|let|that|there)\b)(?:(?!(?:is|are|was|were|has|have|get|be)\b)"
            r"[\w$.-]+ ){1,4}?"
            r"(?=\w+(?: (?:back|off|out|in full|too|now|already|as well|today|for you))*\W*$)"
        ),
        "participle",
        False,
    ),
    _Form(
        "state",
        re.compile(
            r"\bthere(?:'s|\s+(?:is|are)) (?:[\w$.-]+ ){1,5}?(?=waiting|coming|on (?:its|the) w)"
        ),
        "state",
        False,
    ),
    _Form(
        "state",
        re.compile(r"(?:\b(?:is|are)|'s|'re) (?:now|already) (?=(?:on|in) your )"),
        "state",
        False,
    ),
    _Form(
        "bare",
        re.compile(r"^(?:[\w$.-]+ ){1,4}?(?=(?:on (?:its|their) way|in the (?:mail|post))\W*$)"),
        "state",
        False,
    ),
    _Form("state", re.compile(r"(?=\bwent (?:out|through|back)\b)"), "state", False),
)
_WORD: Final = re.compile(r"[a-z]+(?:-[a-z]+)?")
_OWN: Final = re.compile(rf"\b{_DESK}(?:'ve|'s| have| has) {_ADVERB}(?P<verb>[a-z]+)")
_DOING: Final = re.compile(
    rf"\b(?:i|we)(?:(?:'m|'re| am| are) {_ADVERB}(?P<verb>(?!going to)[a-z]+ing)"
    rf"|(?:'ll| will| shall|(?:'m|'re| am| are) going to) {_ADVERB}(?P<ahead>[a-z]+))\b"
)

_PREPOSITION: Final = re.compile(
    r"\b(?:to|for|from|on|in|at|by|with|as|so|until|into|onto|over|because|since|and|that|within|"
    r"per|before|after|under|without|through|today|now|too|already|right|here|at)\b"
)
_LIGHT: Final = frozenset(
    re.findall(
        r"\w+",
        """
    a an the your yours ours mine my our his
    her their its this that these those it them they he she you i we us me
    one ones both all any some each every everything anything something nothing thing things part
    rest whole same other another more of also just now already too well second third first two
    three four five new old full extra entire further own up down out off back away way today
    tomorrow please as not only there here which what who what so and or then change changes request
    requests update updates step steps work matter everyone somebody done still additional previous
    wish wishes item items point points details once twice detail issue problem consider got had
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december year month week weeks day days
    for to on in at by with is are was were has have been will be as from how everybody dear late
    """,
    )
)
_DETERMINER: Final = re.compile(r"(?:all|both|your|the|every|everything)\b")
_LOOKS: Final = re.compile(
    r"^\W*(?:(?:an?|the|your|good|close|quick|another|one) )*"
    r"(?:look|note|moment|glance|word|time|chance|try|minute|peek|second)\b"
)


_NEWS: Final = frozenset({"answer", "repli", "respons", "news"})
"""What a user gets without anything being done."""

_TAKEN: Final = frozenset({"taken", "done"})


@cache
def _classes() -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of verbs that are no deeds, and of those that are in one sense."""
    either = _verbs()["either"]
    return frozenset().union(*_verbs().values()) - either, either


@cache
def _verbs() -> dict[str, frozenset[str]]:
    path = Path(__file__).parent / "no_effect_verbs.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    parts = [line.partition(":") for line in lines if not line.startswith("#")]
    return {name: frozenset(map(stem, verbs.split())) for name, _, verbs in parts}


@lru_cache(maxsize=8192)
def effects_in(text: str) -> tuple[Claim, ...]:
    """Return the effects that a message of the agent claims, in order, one for a clause.

    A promise in a message that ends in a question is a proposal, and claims nothing.
    """
    plain = without_gifts(text.replace("’", "'").replace("*", ""))
    is_proposal = plain.rstrip().endswith("?")
    found: list[Claim] = []
    for sentence in sentences(plain):
        said = sentence.lower().strip()
        if said.endswith("?") or is_conditional(said):
            continue
        for number, (opener, clause) in enumerate(clauses(said)):
            claim = _claim(clause.strip(" .!\"'"), is_first=number == 0)
            if claim is None or (is_proposal and claim.kind == "promise"):
                continue
            if opener not in REASONS or claim.kind == "own":
                found.append(claim)
    return tuple(found)


def tells_of_looking(sentence: str) -> bool:
    """Return whether all that the desk tells of itself is looking ("I've looked that up").

    What it is doing may also be thinking, talking, waiting or trying ("I'm trying again").
    """
    said = sentence.lower()
    done = {stem(match["verb"]) for match in _OWN.finditer(said)}
    doing = {stem(match["verb"] or match["ahead"]) for match in _DOING.finditer(said)}
    idle = frozenset().union(*_verbs().values())
    return bool(done | doing) and done <= _verbs()["perception"] and doing <= idle


def telling_words(sentence: str) -> frozenset[str]:
    """Return the stems of the words that tell what a sentence is about."""
    return _things(sentence.lower())


def _claim(clause: str, *, is_first: bool) -> Claim | None:
    """Return the first claim of a clause; one without a subject opens its sentence."""
    if not clause or DENIED.search(clause):
        return None
    for form in _FORMS:
        if form.kind == "bare" and not is_first and not _DETERMINER.match(clause):
            continue
        for lead in form.lead.finditer(clause):
            for start in _starts(form, clause, lead.end()):
                made = _read(form, clause, lead, start)
                if made is not None:
                    return made
    return None


def _starts(form: _Form, clause: str, end: int) -> Iterator[int]:
    """Yield where the verb of a form may stand."""
    yield end
    for word in list(re.finditer(r"[\w$'.,-]+ ", clause[end:]))[: form.gap]:
        yield end + word.end()


def _read(form: _Form, clause: str, lead: re.Match[str], start: int) -> Claim | None:
    """Return what a form claims at a place of a clause, if its verb is one and tells of a deed."""
    none, either = _classes()
    word = (_STATE if form.verb == "state" else _WORD).match(clause, start)
    if word is None or CONDITION.search(clause[: lead.start()]):
        return None
    verb, after = word[0], clause[word.end() :]
    base = "" if " " in verb else stem(verb)
    is_gift = form.verb == "base" and verb in ("get", "receive")
    if form.kind == "bare" and verb == base and not verb.endswith("ed"):
        return None  # "put the modem in the open" is advice
    if form.kind == "bare" and re.search(r"\b(?:is|are|was|were|will|can)\b", clause[word.end() :]):
        return None  # "booked visits are moved there"
    if form.kind == "promise" and base == "take" and after.startswith(" care"):
        return None  # announces the call that follows
    is_told = is_gift or (form.kind == "bare" and verb == "done")
    if not _fits(form, verb) or (form.verb != "state" and base in none and not is_told):
        return None
    before = (
        clause[lead.start() : start]
        if form.kind in ("bare", "own") or not clause[: lead.start()]
        else clause[: lead.start()]
    )
    is_look = base in ("take", "have", "give") and bool(_LOOKS.search(after))
    if is_look or (form.kind == "present" and not _is_definite(before, lead[0])):
        return None
    things = _things(
        _PREPOSITION.split(after.strip(), maxsplit=1)[0] if form.object_after else before
    )
    if (is_gift and (not things or things & _NEWS)) or (form.kind == "present" and verb in _TAKEN):
        return None
    is_loose = form.kind == "promise" or (not things and "you" in before.split())
    more = _things(after) if is_loose else frozenset()
    amounts = tuple(n for m in values_in(clause) if m.kind == "money" for n in m.numbers[:1])
    is_idle = form.verb == "state" and before.strip() in ("we", "i")  # "we're good to go"
    if is_idle or (re.match(r"(?:on|in) your", verb) and not amounts):
        return None
    return Claim(clause, form.kind, base, base in either, things, more, amounts)


def _fits(form: _Form, verb: str) -> bool:
    match form.verb:
        case "participle":
            return is_participle(verb)
        case "past":
            return is_past(verb)
        case "ing":
            return verb.endswith("ing") and len(verb) > 5
        case _:
            return True


def _is_definite(subject: str, lead: str) -> bool:
    """Return whether a present passive tells of this case ("is now blocked"), not of a rule."""
    if re.search(r"\b(?:now|already|officially|successfully)\b", lead):
        return True
    return bool(re.search(r"\b(?:your|it|that|this|everything|both)\b", subject))


def _things(words: str) -> frozenset[str]:
    found = (word for word in _WORD.findall(words) if word not in _LIGHT and len(word) > 2)
    return frozenset(stem(word) for word in found if not word.endswith("ly"))
