"""Mentions of a clause put together: which are alternatives, which are asked for at all."""

from __future__ import annotations

import re

from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.cues import Mention

__all__ = [
    "ADDRESS_PIECES",
    "Group",
    "grouped",
    "is_fragment",
    "specified",
    "without_aside",
    "without_options",
    "without_pieces",
    "without_unasked",
]

Group = tuple[Mention, ...]
"""Mentions of which one is enough ("phone or email"); mostly a single one."""


_WH_ASKED = re.compile(r"\b(?:what|which|how)\b")
ADDRESS_PIECES = re.compile(r"\b(?:street|house number|city|town|state|apartment|unit)\b")
_SEPARATOR = re.compile(r",|\band\b|\bor\b|&|/|\+|;|\bplus\b|\bas well as\b|\balong with\b")


# "I can't look anything up without your name" asks for the name.
_UNLESS_GIVEN = re.compile(
    r"(\b(?:can't|cannot|can not|couldn't|unable to|not able to|no way)\b[^.?!]*)\bwithout\b(?= "
    r"(?:your|the)\b)"
)
# An email that was sent is no email address.
_A_LETTER = re.compile(
    r"\b(?:an?|older|old|confirmation|by|via|per|read|receive|in the|in an|our|sent by|order) "
    r"(?:\w+ )?emails?\b(?! (?:address|do|you|is)\b)"
)

# The person, not the name: "I need to verify the account holder".
_A_PERSON = re.compile(
    r"\b(?:verify|reach|protect|contact|tell|ask|(?:speak|talk|speaking|talking|chat) (?:to|with)) "
    r"(?:you are |that you are |you're )?the (?:account )?(?:holder|owner|customer|member)\b"
    r"(?!'s| name)|\bthe (?:account )?(?:holder|owner|member)'s\b(?! (?:\w+ )?name)"
)
_REASON = re.compile(r",? (?:since|because|given that|seeing that|now that) (?!when\b)[^?]*$")

_WH = re.compile(r"(?:which|what|when|where|how|who)\b")

_FILLERS = re.compile(
    r"\b(?:and|or|your|the|a|an|my|please|thanks|thank you|ok|okay|also|next|now|"
    r"first|then|great|perfect|oh|wait|ah|"
    r"on|for|of|to|verify|number|account|file|as well|just|hi|hello|number|with|plus|as|it|appears|"
    r"e g|if any|order|full|current|exact|you|would|like|me|us)\b|[^a-z]+"
)


def without_unasked(text: str) -> str:
    """Blank out what is named but not asked for: "if you don't have it", "thanks for your …"."""
    text = _UNLESS_GIVEN.sub(r"\1needing", text)
    for pattern in (_A_LETTER, _A_PERSON):
        text = pattern.sub(lambda m: " " * len(m[0]), text)
    if reason := _REASON.search(text):
        text = text[: reason.start()] if reason.start() else text
    return p.NOT_ASKED.sub(lambda m: " " * len(m[0]), text)


def without_aside(text: str) -> str:
    """Blank out words in brackets."""
    return re.sub(r"\([^)]*\)", lambda m: " " * len(m[0]), text)


def grouped(found: list[Mention], text: str) -> tuple[Group, ...]:
    """Return the mentions of a text as alternatives, without those that only explain another."""
    groups: list[Group] = []
    previous: Mention | None = None
    for mention in found:
        between = text[previous.end : mention.start] if previous else ""
        is_question = previous and _WH.match(text, previous.start)
        if is_question and groups and not re.search(r"[a-z,]", between):
            groups[-1] = (*groups[-1], mention)
            previous = mention
            continue
        if previous and not between.strip() and _WH.match(text, mention.start):
            continue  # "the ZIP code where you live"
        is_apart = not re.search(r"[a-z]", between) or bool(_SEPARATOR.search(between))
        if previous and not is_apart:
            previous = Mention(previous.slots, previous.start, mention.end)
            continue
        if previous and p.ALTERNATIVES.search(between) and not re.search(r"\band\b", between):
            groups = _joined(groups, mention, text, found)
        else:
            groups.append((mention,))
        previous = mention
    return tuple(groups)


def _joined(groups: list[Group], mention: Mention, text: str, found: list[Mention]) -> list[Group]:
    """Add an alternative to the last group, and to those that only commas part from it."""
    joined: Group = (mention,)
    right = mention
    while groups:
        left = groups[-1]
        between = text[left[-1].end : right.start]
        if re.search(r"\band\b|\bplus\b", between):
            break
        joined = (*left, *joined)
        right = left[0]
        groups = groups[:-1]
    return [*groups, joined]


def is_fragment(text: str, groups: tuple[Group, ...], is_question: bool) -> bool:
    """Whether a clause is little more than the names of slots: "Name and postcode please"."""
    if not groups:
        return False
    rest = text
    for group in groups:
        for mention in group:
            rest = rest[: mention.start] + " " * (mention.end - mention.start) + rest[mention.end :]
    words = _FILLERS.sub(" ", rest).split()
    return len(words) <= (2 if is_question else 0)


def specified(found: list[Mention], aside: tuple[Mention, ...]) -> list[Mention]:
    """Return mentions with those that words in brackets specify: "which card (last four)"."""
    said = {slot for mention in aside for slot in mention.slots}
    return [
        Mention(kept, m.start, m.end, m.words)
        if len(m.slots) > 1 and (kept := tuple(slot for slot in m.slots if slot in said))
        else m
        for m in found
    ]


def without_options(found: list[Mention], text: str) -> list[Mention]:
    """Drop what only lists answers: "Which channels should I stop: email, phone or post?"."""
    colon = text.find(":")
    is_list = re.search(r"\bor\b", text[colon:]) or text.count(",", max(colon, 0)) > 1
    if colon < 0 or not is_list or not _WH_ASKED.search(text[:colon]):
        return found
    if not text.endswith("?"):
        return [m for m in found if m.start < colon] or found
    before = [m for m in found if m.start < colon]
    return before if before or re.search(r"\bof (?:these|those|them)\b", text[:colon]) else found


def without_pieces(found: list[Mention], text: str, before: list[str]) -> list[Mention]:
    """Drop a ZIP code that is only named as a piece of the address asked for."""
    including = re.search(r"\binclud(?:e|es|ing)\b|\bwith (?:the |its )?(?:street|city|zip)", text)
    here = [slot for m in found for slot in m.slots]
    addresses = {"address", "new_address"}
    pieces = set(ADDRESS_PIECES.findall(text))
    if len(pieces) > 1 and "postcode" in here:
        named = [m for m in found if addresses & {*m.slots}]
        others = [m for m in found if m.slots != ("postcode",) and m not in named]
        zips = [
            Mention(("new_address", "address"), m.start, m.end)
            for m in found
            if m.slots == ("postcode",)
        ]
        return sorted([*others, *(named[:1] or zips)], key=lambda m: m.start)
    if not including or not addresses & {*before, *here}:
        return found
    return [m for m in found if m.slots != ("postcode",) or m.start < including.start()]
