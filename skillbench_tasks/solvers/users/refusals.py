"""Whether a message turns the user down without saying so: by several weak signs at once."""

from __future__ import annotations

import re

__all__ = ["is_turned_down"]

_SIGNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:no|none|never|not|cannot|nobody)\b(?! (?:problem|worr|doubt|trouble))|n't\b",
        r"\b(?:teams?|branch(?:es)?|desk|department|app|page|link|site|website|store|carrier|"
        r"office|sales|hotline|my visits)\b",
        r"\b(?:only|once|already|limit|final|reserved|exceptions?|stands?|remains?|stays?|rules?|"
        r"policy|deadline|too late|off the table|excluded|so long|cut-?off|has to|have to|"
        r"needs to|decided|belongs?|up to|"
        r"requires?|qualif\w+|so it)\b",
        r"\byou (?:can|could|may|would|'d|will) (?:\w+ )?(?:buy|use|write|call|find|ask|turn|reach|"
        r"have to|need to)\b|\b(?:can|may) (?:write|call|turn|ask)\b",
        r"\b(?:sorry|afraid|unfortunately|regret\w*|disappoint\w*|apologi\w+|sadly|pity)\b",
    )
)
_GOES_ON = re.compile(
    r"\b(?:let me|let's|try|again|(?:one|a|this) (?:moment|minute|second)|checking|"
    r"look(?:ing)? into|"
    r"first|(?:before|until) (?:i|we|you)|next step|next,|i need|we need|i still|i'll|i will|"
    r"i'm going|i am going|"
    r"we'll|yet|found|back to you|reach(?:ed|ing) out|happy to|glad to|help you with that|"
    r"please (?:give|tell|send|confirm|provide|state|enter|have|wait|hold|reply|type))\b|"
    r"\bonce (?:i|you|we|that|it)\b"
)
_BREAKDOWN = re.compile(
    r"\b(?:respond\w*|answer(?:ing|ed)?|error|timed out|down|slow|match(?:es|ed)?|recorded)\b"
)
_NEEDED = 2
_WORDS = 10


def is_turned_down(text: str) -> bool:
    """Return whether a lower-case message without a question refuses what the user asked for."""
    if len(text.split()) < _WORDS or _GOES_ON.search(text) or _BREAKDOWN.search(text):
        return False
    return sum(bool(sign.search(text)) for sign in _SIGNS) >= _NEEDED
