"""What a message asks, and whether an answer is a yes or a no."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from skillbench_tasks.datasets.wording.sentences import plain_words, sentences

__all__ = [
    "answer_faults",
    "asks_to_confirm",
    "bare_words",
    "count_asked",
    "cue_spans",
    "has_cue",
    "requests_in",
]

_REQUEST = re.compile(
    r"\bplease\b|\b(?:can|could|may|might|would|will) (?:you|i|we)\b|\b(?:i|we)(?:'ll| will|'d)?"
    r"(?: just| also| still| first| only)* (?:need|require|like|ask)\b"
    r"|\b(?:tell|give|send|show) me\b|\blet me (?:know|have)\b"
    r"|\b(?:share|provide|type|enter|spell|read)\b"
    r"|^\W*(?:and )?(?:what|which|who|when|where|how)\b"
    r"|\b(?:what|which|who)(?:'s| is)\b|\bconfirm\b|\bneed\b|\bjust the\b",
    re.I,
)
_CONFIRM = re.compile(
    r"\b(?:please )?(?:confirm|say yes|reply yes|let me know|tell me|say the word)\b|\bif .*\bok",
    re.I,
)


def requests_in(text: str) -> list[str]:
    """Return the sentences that ask or request something."""
    return [s for s in sentences(text) if s.endswith("?") or _REQUEST.search(s)]


def asks_to_confirm(text: str) -> bool:
    """Return whether a message has a question or the words for a confirmation."""
    return any(s.endswith("?") or _CONFIRM.search(s) for s in sentences(text))


_LIGHT = re.compile(r"\b(?:an?|the|your|my|our|this|that|these|those|please|exact)\b", re.I)


@lru_cache(maxsize=8192)
def _cue_pattern(cue: str) -> re.Pattern[str]:
    words = re.findall(r"[\w']+", _LIGHT.sub(" ", plain_words(cue)))
    return re.compile(r"[\W_]+".join(re.escape(w) + r"(?:'?e?s)?" for w in words) or r"(?!)")


def has_cue(text: str, cue: str) -> bool:
    """Return whether a cue stands in a text; articles and plurals do not count."""
    return any(True for _ in cue_spans(bare_words(text), cue))


@lru_cache(maxsize=1024)
def bare_words(text: str) -> str:
    """Return the plain words of a text without articles, between two blanks."""
    return f" {_LIGHT.sub(' ', plain_words(text))} "


def cue_spans(bare: str, cue: str) -> Iterator[tuple[int, int]]:
    """Yield where a cue stands in a text of bare words; articles and plurals do not count."""
    for m in _cue_pattern(cue).finditer(bare, 1, len(bare) - 1):
        if not bare[m.start() - 1].isalnum() and not bare[m.end()].isalnum():
            yield m.start(), m.end()


_ITEM = re.compile(r"\s*(?:,|\band\b|&|\bas well as\b|\bplus\b)\s*(?:and\s+|also\s+)?", re.I)
_YOUR_LIST = re.compile(
    r"\b(?:give|tell|send|share|provide|have|get|need|what(?:'s| is| are)|confirm|with)\b"
    r"(?: me| us)?(?: with)? ((?:the|your)\b[^?.!:;(]*)",
    re.I,
)


_NO_ITEM = re.compile(
    r"\b(?:please|we|we'?ll|i|i'?ll|so|just|thanks?|then|let'?s|to be|is|are)\b", re.I
)


def count_asked(text: str) -> int:
    """Return how many things a text asks: questions, or items of "give me your a, b and c"."""
    said = sentences(text)
    n_questions = sum(s.endswith("?") for s in said)
    longest = 0
    for sentence in said:
        is_request = sentence.endswith("?") or _REQUEST.search(sentence)
        for match in _YOUR_LIST.finditer(sentence) if is_request else ():
            items = [i for i in _ITEM.split(match[1]) if i.strip() and not _NO_ITEM.search(i)]
            is_list = len(items) > 1 and all(len(item.split()) <= 6 for item in items)
            if is_list and not re.search(r"\d", match[1]):
                longest = max(longest, len(items))
    return max(n_questions, longest)


_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|yea|ya|aye|sure|ok|okay|please do|go ahead|go for it|do it|do that"
    r"|correct|right|confirm(?:ed)?|perfect|great|good|fine|lovely|wonderful|excellent|works"
    r"|absolutely|definitely|of course|certainly|agreed|agree|by all means|please|proceed|exactly"
    r"|suits me|that'?s it|all good|let'?s|brilliant|alright|submit it|send it|book it|cancel it)\b"
)
_NO = re.compile(
    r"\b(?:no|nope|nah|not|don'?t|do not|never ?mind|rather not|won'?t|wouldn'?t|stop|hold off|wait"
    r"|leave (?:it|that|things)|forget (?:it|that)|cancel that|changed my mind|decline|pass|skip"
    r"|keep (?:it|things|the|my)|can'?t)\b"
)
_CHANGE = re.compile(
    r"\b(?:actually|instead|change|changed|rather|wait|hmm|hang on|hold on|second thoughts?|make it"
    r"|make that|could (?:we|you)|can (?:we|you)|prefer|switch|sorry|better)\b"
)
_STARTS_WITH_NO = re.compile(r"\W*(?:no|nope|nah)\b(?! (?:problem|worries|objection|question))")


def answer_faults(text: str, is_yes: bool, has_changes: bool) -> Iterator[str]:
    """Yield what is missing from an answer to a request for confirmation."""
    said = text.lower().replace("’", "'")
    if has_changes:
        if not _CHANGE.search(said) and not _NO.search(said):
            yield "a change of mind is not heard"
    elif is_yes and (_STARTS_WITH_NO.match(said) or not _YES.search(said)):
        yield "a yes is not heard"
    elif not is_yes and not _NO.search(said):
        yield "a no is not heard"
