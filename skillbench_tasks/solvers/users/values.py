"""Whether a text names the value of a choice or of a thing, or another one of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache

__all__ = ["Match", "has_option", "option_match", "options_said", "request_match", "thing_match"]


class Match(Enum):
    """How a text stands to a value."""

    AGREES = "agrees"
    CONTRADICTS = "contradicts"
    UNCLEAR = "unclear"


_SAME = {
    "mail": "post", "mailed": "post", "paper": "post", "letter": "post", "posted": "post",
    "postal": "post", "sms": "text", "electronic": "online", "electronically": "online",
    "digital": "online", "digitally": "online", "call": "phone", "telephone": "phone",
    "wireless": "wifi", "wired": "cable", "ethernet": "cable", "brought": "technician",
    "theft": "stolen", "expired": "expiring", "expire": "expiring", "broken": "damaged",
}  # fmt: skip
_NO_OPTION = frozenset(
    re.findall(
        r"[a-z]+",
        """a an the by in on or to with just card cards is it was been of your our at opt opted
        turn turned in out secure store credit method original payment which what how would you
        like prefer receive brought used have has new over using connection copy access data""",
    )
)
_ON = re.compile(r"\b(?:on|opt(?:ed|ing)? (?:you )?in|enabl\w+|subscrib\w+|sign\w* (?:you )?up)\b")
_OFF = re.compile(
    r"\b(?:off|opt(?:ed|ing)? (?:you )?out|disabl\w+|unsubscrib\w+|stop\w*|no more)\b"
)
_SWITCH = re.compile(r"\b(?:switch|turn|opt|enabl|disabl|subscrib|unsubscrib|stop|sign)\w*")
_MESSAGES = re.compile(
    r"\b(?:offers?|messages?|news\w*|promo\w*|marketing|contact\w*|notif\w*|hear from|"
    r"prefer\w*|opt|subscri\w*|unsubscri\w*)\b"
)
_NEGATED = re.compile(r"\b(?:no|not|isn't|wasn't|never|without|rather than|instead of)\b")
_CONTRASTS: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "king queen twin full single double",
        "small medium large xl",
        "white black red blue green grey gray oat ink charcoal ivory sand speckled navy beige "
        "brown yellow pink cream natural terracotta sage rust",
        "linen cotton wool silk merino percale flannel",
        "table desk floor reading pendant wall bedside",
        "fern rose oak leaf",
        "hardcover paperback",
    )
)


@lru_cache(maxsize=512)
def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[a-z]+", text.lower().replace("e-mail", "email").replace("_", " "))
    bare = {w[:-1] if len(w) > 4 and w.endswith("s") and not w.endswith("ss") else w for w in found}
    return frozenset(_SAME.get(word, word) for word in bare)


@lru_cache(maxsize=512)
def _options(cues: tuple[str, ...]) -> frozenset[str]:
    """Return the words of a choice's options, taken from cues like "debit or credit"."""
    found = {word for cue in cues if " or " in cue for word in _words(cue)}
    return frozenset(found - _NO_OPTION) | (
        frozenset({"credit"}) if any("debit or" in cue for cue in cues) else frozenset()
    )


def option_match(name: str, value: str, cues: Iterable[str], text: str) -> Match:
    """Return how a text stands to the value of a choice slot.

    Args:
        name: The slot.
        value: Its value.
        cues: The slot's cues, of which some list options.
        text: The text, lower case.
    """
    if name == "preference_setting":
        return _setting_match(value, text)
    is_about = _MESSAGES.search(text) or _SWITCH.search(text)
    if name == "preference_channel" and not is_about:
        return Match.UNCLEAR
    text = re.sub(r"\b(?:confirmation|an) (?:email|text)\b(?! or)", " ", text)
    if name == "swap_delivery":
        text = re.sub(r"\b(?:mail|mailed|post|posted|ship|shipped|courier)\b", "parcel", text)
    text = re.sub(r"\b(?:instead of|rather than) \w+", " ", text)
    text = re.sub(r"\bno (?:doubt|problem|worries|mistake)\w*", " ", text)
    wanted = _words(re.sub(r"\bno \w+", " ", value.lower())) - {"and", "a", "the", "new"}
    options = _options(tuple(cues)) | (wanted - _NO_OPTION)
    named = _words(text) & options
    wanted &= options
    if not named or (_NEGATED.search(text) and not named & wanted):
        return Match.UNCLEAR
    if named == wanted or (named & wanted and not re.search(r"\bor\b", text) and named <= wanted):
        is_whole = named == wanted or name != "preference_channel"
        return Match.AGREES if is_whole else Match.CONTRADICTS
    return Match.UNCLEAR if named & wanted else Match.CONTRADICTS


def options_said(cues: Iterable[str], text: str) -> frozenset[str]:
    """Return the options of a choice slot that a text names."""
    return _words(text) & _options(tuple(cues))


def has_option(name: str, value: str, cues: Iterable[str], text: str) -> bool:
    """Return whether a text names any option of a choice slot."""
    if name in ("preference_setting", "preference_channel") and not (
        _SWITCH.search(text) or _MESSAGES.search(text)
    ):
        return False
    options = _options(tuple(cues)) | (_words(value) - _NO_OPTION)
    return bool(_words(text) & options)


def _setting_match(value: str, text: str) -> Match:
    on, off = bool(_ON.search(text)), bool(_OFF.search(text))
    if on and off and not re.search(r"\bor\b", text):
        on = False  # "on" is a common word beside "off"
    if on == off or not _SWITCH.search(text) or _NEGATED.search(text):
        return Match.UNCLEAR
    return Match.AGREES if value.lower() == ("on" if on else "off") else Match.CONTRADICTS


_REQUESTS = {
    "access": re.compile(r"\b(?:copy|access|see what)\b"),
    "correction": re.compile(r"\b(?:correct|correction|fix|misspel\w+)\b"),
    "erasure": re.compile(r"\b(?:eras\w+|delet\w+|gone)\b"),
    "objection": re.compile(r"\bobject\w*\b"),
    "portability": re.compile(r"\b(?:portab\w+|machine-readable)\b"),
}


def request_match(value: str, text: str) -> Match:
    """Return how a text stands to the kind of a request about data; other kinds stay unclear."""
    named = {kind for kind, pattern in _REQUESTS.items() if pattern.search(text)}
    return Match.AGREES if named == {value} else Match.UNCLEAR


def thing_match(value: str, text: str, before: str = "") -> Match:
    """Return whether a text names a thing ("the queen cover" is not "Duvet cover, king").

    Args:
        value: The thing.
        text: The text, lower case.
        before: What was said before, which names what "the sage one" is.
    """
    head, *_ = value.lower().split(",")
    noun = re.findall(r"[a-z]+", head)[-1:]
    words = set(re.findall(r"[a-z]+", text))
    plain = {word.removesuffix("s") for word in words}
    if "one" in words:
        plain |= {word.removesuffix("s") for word in re.findall(r"[a-z]+", before.lower())}
    if not noun or noun[0].removesuffix("s") not in plain:
        return Match.UNCLEAR
    own = set(re.findall(r"[a-z]+", value.lower()))
    for kind in _CONTRASTS:
        if kind & own and (other := kind & words) and not other & own:
            return Match.CONTRADICTS
    return Match.AGREES
