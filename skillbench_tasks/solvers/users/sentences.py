"""Agent messages cut into plain sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Sentence", "is_readable", "plain", "sentences", "tokens"]

_QUOTES = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": " - ",
        "\u2026": ". ",
        "\u00a0": " ",
        "\u2011": "-",
    }
)
_BULLET = re.compile(r"^\s*(?:[-*•·▪◦–]|\(?\d{1,2}[.)]|\(?[a-hA-H]\)|[a-hA-H]\.)\s+")
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|$)", re.S | re.I)
_PICTURE = re.compile(r"(?<=\w)\s*[\u2600-\u27bf\U0001f300-\U0001faff]+\ufe0f?\s+(?=[A-Z])")
_TAG = re.compile(r"</?[a-z][^<>]*>", re.I)
_MARKS = re.compile(r"\*\*|__|`+|^\s*[#>]+\s+|(?<!\w)[*_]+|[*_]+(?!\w)")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|a\.m|p\.m|etc|mr|mrs|ms|dr|st|vs|approx|d\.o\.b)\.$", re.I
)
_NO_DOT = re.compile(r"\b(no|nr|num|acct)\.\s*(?=[?#\d]|\w+[,?])", re.I)
# "your ZIP code and - because money is involved - your security word"
_ASIDE = re.compile(r" - (?:because|since|as|for|to|just|given|if)\b[^-.?!:]* - ")
_BREAK = re.compile(r"(?<=[.?!;])[\"')\]]*\s+|(?<=[?!])(?=[A-Za-z])")
# A further question within a sentence: ", and could you …", "… can you please tell me".
_CLAUSE = re.compile(
    r"(?:,|;| -)?(?<!\bif) (?:and|but|so|then)(?: also| then| first| now)? (?=(?:could|can|may|"
    r"please|shall|should|would you|"
    r"is (?:there|that|this)|do you|(?:(?:on|at|from|by|under|in|to|for) )?(?:what|which)|when|"
    r"where|how|if so|if not|"
    r"(?:i|we)(?: (?:just |still |also )?need|'ll (?:just |still |also )?need))\b)"
    r"|[,;] (?=(?:if so|if not|(?:on|at|from|by|under) (?:what|which)|could|can|may|please(?= \w)|"
    r"shall|should|what|which|would you|is "
    r"that|is this|is there|does that|do you|i will need|i'll need|i need)\b)"
    r"| - (?=[a-z]+ )| (?=(?:could|can|would) you (?:please )?(?:provide|share|tell|"
    r"give|confirm|send|verify)\b)",
    re.I,
)
_SECOND_QUESTION = re.compile(
    r", and (?=(?:are|is|was|were|did|does|has|have you|will|am i)\b)", re.I
)
_ASKING = re.compile(
    r"(?:(?:under|on|at|from|by|in|to|for) (?=what|which|whom))?(?:and |so |also,? |then |now,? |"
    r"[A-Z]\w+, )?(?:what|which|where|when|who|how|is|are|do|"
    r"does|did|could|can|"
    r"may|would|will|shall|should|have|has)\b",
    re.I,
)
_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_SPELLINGS = (
    (re.compile(r"\b(what (?:would|do|should) you (?:like|want)) (?:me|us) to\b"), r"\1 to"),
    (
        re.compile(
            r"\b(number|reference|date) of (?:the|your|an?|another|that|"
            r"this)(?:,? (?:more )?\w+)?? (ticket|order|account|invoice|bill|case|"
            r"photo|visit|appointment)\b"
        ),
        r"\2 \1",
    ),
    (re.compile(r"\bfinal (two|three|four|2|3|4)\b"), r"last \1"),
    (re.compile(r"\be-mails?\b"), "email"),
    (re.compile(r"\bwi-fi\b"), "wifi"),
    (re.compile(r"\bd\.o\.b\b\.?"), "dob"),
    (re.compile(r"\b(it|that|this|everything)'s been\b"), r"\1 has been"),
    (re.compile(r"(?<=[a-z])'re\b"), " are"),
    (re.compile(r"(?<=[a-z])'ve\b"), " have"),
    (
        re.compile(r"\b(what|who|when|where|that|it|here|there|how|everything)'?s\b(?<!its)"),
        r"\1 is",
    ),
    (re.compile(r"\bu\b"), "you"),
    (re.compile(r"\bur\b"), "your"),
    (re.compile(r"\b(?:pls|plz|plse)\b"), "please"),
    (re.compile(r"\b(?:acct|acc|a/c)\b"), "account"),
    (re.compile(r"\b(?:num|nr)\b"), "number"),
    (re.compile(r"#"), " number "),
    (re.compile(r"(?<=\w)\s+n\s+(?=[a-z])"), " and "),
)


@dataclass(frozen=True)
class Sentence:
    """One sentence or list line of an agent's message.

    Attributes:
        raw: The words as written, without markup.
        text: Lower case, contractions and spellings unified.
        is_bullet: It is a line of a list.
        is_header: It ends with a colon.
        ending: The mark at the end of the whole sentence, of which this may be a clause.
    """

    raw: str
    text: str
    is_bullet: bool
    is_header: bool
    ending: str = ""

    @property
    def is_question(self) -> bool:
        """Whether it ends with a question mark."""
        return self.raw.rstrip("\"')] ").endswith("?")


def is_readable(text: str) -> bool:
    """Return whether a message holds words meant for a person: neither empty nor JSON nor noise."""
    bare = _THINKING.sub("", text).strip()
    if not bare or not re.search(r"[a-zA-Z]{2}", bare):
        return False
    unfenced = re.sub(r"^```\w*|```$", "", bare).strip()
    if unfenced[0] in "{[" and unfenced[-1] in "}]" and (":" in unfenced or '"' in unfenced):
        return _is_prose_in_brackets(unfenced)
    return not re.match(r"^\s*(?:\{\s*\"|<tool_call>|\[\s*\{)", unfenced)


def _is_prose_in_brackets(text: str) -> bool:
    try:
        json.loads(text)
    except RecursionError:
        return False
    except ValueError:
        return text[0] == "[" and '"' not in text
    return False


_HOURS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
_HOUR = rf"(?:{'|'.join(_HOURS)}|noon|midday)"
_HOURS_SAID = re.compile(rf"\b({_HOUR}|\d\d?)( ?(?:-|to|till|until|and) )({_HOUR}|\d\d?)\b", re.I)


def _in_figures(match: re.Match[str]) -> str:
    figures = (
        str(_HOURS.index(word) + 1) if word in _HOURS else "12" if not word.isdigit() else word
        for word in (match[1].lower(), match[3].lower())
    )
    return match[2].join(figures)


def plain(text: str) -> str:
    """Return a message without tags, links and typographic signs, windows of hours in figures."""
    text = _HOURS_SAID.sub(_in_figures, text)
    text = _PICTURE.sub(". ", text)
    text = _TAG.sub(" ", _THINKING.sub(" ", text)).translate(_QUOTES)
    return _LINK.sub(r"\1", text)


def _unified(raw: str) -> str:
    text = raw.lower()
    for pattern, replacement in _SPELLINGS:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


@lru_cache(maxsize=256)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Cut a message into sentences and list lines."""
    found: list[Sentence] = []
    for line in plain(text).splitlines():
        is_bullet = bool(_BULLET.match(line))
        body = _MARKS.sub("", _BULLET.sub("", line)).strip()
        body = _ASIDE.sub(" ", _NO_DOT.sub(r"\1 ", body))
        for piece, ending in _pieces(body):
            if re.search(r"\w", piece) or "?" in piece:
                header = piece.rstrip().endswith(":")
                found.append(Sentence(piece, _unified(piece), is_bullet, header, ending))
    return tuple(found)


def _pieces(body: str) -> list[tuple[str, str]]:
    pieces: list[str] = []
    for piece in _BREAK.split(body):
        if pieces and _ABBREVIATION.search(pieces[-1]):
            pieces[-1] += f" {piece}"
        elif piece.strip():
            pieces.append(piece.strip())
    return [clause for piece in pieces for clause in _clauses(piece)]


def _clauses(piece: str) -> Iterator[tuple[str, str]]:
    """Yield the clauses of a sentence with its mark; of a question each that is one keeps it."""
    found = [clause for clause in _CLAUSE.split(piece) if clause.strip()]
    ending = piece.rstrip("\"')] ")[-1:]
    if ending == "?":
        found = [c for clause in found for c in _SECOND_QUESTION.split(clause)]
    for clause in found:
        is_asking = (
            ending == "?" and clause is not found[-1] and _ASKING.match(clause.rpartition(": ")[2])
        )
        yield (f"{clause}?" if is_asking else clause), ending


def tokens(text: str) -> list[re.Match[str]]:
    """Return the words of a unified text with their places."""
    return list(_TOKEN.finditer(text))
