"""Values that an agent's sentence states, by the slot type that they could be of."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["name_after", "stated_types", "times_stated"]

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PATTERNS: dict[str, re.Pattern[str]] = {
    "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "date": re.compile(
        rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?\b"
        rf"|\b(?:{_WEEKDAY},? )?{_MONTH}\.? "
        rf"\d{{1,2}}(?:st|nd|rd|th)?\b"
        rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|\b{_WEEKDAY}\b|\b\d{{1,2}}(?:st|"
        rf"nd|rd|th)\b"
        r"|\btomorrow\b",
        re.I,
    ),
    "time_window": re.compile(
        r"\b\d{1,2}(?::\d\d)?\s*(?:am|pm|a\.m\.|p\.m\.)?\s*(?:-|to|and|"
        r"until|till)\s*\d{1,2}(?::\d\d)?\s*(?:am|pm|a\.m\.|p\.m\.)?(?!\w|[-/]\d)"
        r"|\b\d{1,2}(?::\d\d)?\s*(?:am|pm|a\.m\.|p\.m\.)|\b\d{1,2}:\d\d\b|\b(?:in the "
        r")?(?:morning|afternoon|evening)\b|\bnoon\b",
        re.I,
    ),
    "money": re.compile(
        r"[$£€]\s?\d[\d,]*(?:\.\d\d)?|\b\d+(?:\.\d\d)? (?:dollars|pounds|euros)\b", re.I
    ),
    "id": re.compile(
        r"\b(?=[A-Z0-9-]*\d)[A-Z][A-Z0-9]*-?[A-Z0-9-]*\d[A-Z0-9-]*\b|\b\d{6,}\b|#\s?\d{3,}"
    ),
    "postcode": re.compile(
        r"(?<![\d-])\d{5}(?:-\d{4})?(?![\d-])|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b", re.I
    ),
    "digits": re.compile(r"(?<![\w$£€.,:/-])\d{3,}(?![\w%:/-])"),
    "number": re.compile(r"(?<![\w$£€.,:/-])\d{1,4}(?![\w%:/-])"),
    "address": re.compile(
        r"\b\d{1,5}[A-Za-z]? (?:\w+\.? ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln|"
        r"drive|dr|court|ct|way|place|pl"
        r"|boulevard|blvd|terrace|close|square|parkway|circle|row|crescent)\b",
        re.I,
    ),
}  # fmt: skip
_PHONE = re.compile(r"(?<![\w-])\+?\(?\d[\d\s().-]{6,16}\d(?![\w-])")
_NAME = re.compile(
    r"(?:speaking with|speaking to|talking to|talking with|chatting with|[Ii]s this|"
    r"name (?:is|as|spell(?:ed|t))|name:|you are|you're|under"
    r"|name (?:on \w+ \w+ )?(?:is|as)|[Aa]m I (?:speaking|talking) (?:with|to))"
    r" (?:Mr\.? |Ms\.? |Mrs\.? )?([A-Z][\w'-]+(?: [A-Z][\w'.-]+){0,3})"
)


@lru_cache(maxsize=1024)
def stated_types(raw: str) -> frozenset[str]:
    """Return the slot types of which a sentence states some value."""
    found = {kind for kind, pattern in _PATTERNS.items() if pattern.search(raw)}
    for match in _PHONE.finditer(raw):
        digits = sum(c.isdigit() for c in match[0])
        if 7 <= digits <= 13 and not _PATTERNS["date"].fullmatch(match[0].strip()):
            found.add("phone")
    if name_after(raw):
        found.add("name")
    return frozenset(found)


def name_after(raw: str) -> str | None:
    """Return the person's name that a sentence states ("Am I speaking with Dana Whitlock?")."""
    match = _NAME.search(raw)
    return match[1] if match else None


@lru_cache(maxsize=1024)
def times_stated(raw: str, kind: str) -> int:
    """Return how many values of a type a sentence states."""
    return sum(1 for _ in _PATTERNS[kind].finditer(raw))
