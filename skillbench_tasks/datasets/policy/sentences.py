"""The sentences of a skill's page, numbered: what an agent is told, one demand at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillbench_tasks.models import PolicySentence

__all__ = ["policy_sentences"]

_END: Final = re.compile(r"(?<=[.!?])[)\"'”]*\s+(?=[\"'“(`]*[A-Z0-9])")
_ABBREVIATED: Final = re.compile(r"\b(?:e\.g|i\.e|etc|cf|vs|no|Mr|Mrs|Ms|Dr|St|a\.m|p\.m)\.$")
_STEP_TITLE: Final = re.compile(r"^\*\*(?:\d+\.)?[^*]*[.?!]\*\*\s*")
"""A step's bold title ("**1. Find the file.**", "**Verify.**") is a heading, no sentence."""

_STEP_NUMBER: Final = re.compile(r"^\d+\.\s+")
_SECTION: Final = re.compile(r"\d+|[^\W\d_]")
_MARKS: Final = re.compile(r"\*\*|__")


@cache
def policy_sentences(page: str) -> tuple[PolicySentence, ...]:
    """Return the sentences of a page in order: of paragraphs, list items and table rows.

    A key is the section's number or first letter, the number in it, and four hexadecimal digits of
    the words' digest ("W.3-8e9a"), so that a changed sentence no longer fits an entry written for
    its old words.
    Headings and the head of a table are no sentences.

    Args:
        page: The body of SKILL.md (Markdown).
    """
    counts: Counter[str] = Counter()
    found = []
    for section, text in _units(page):
        found_name = _SECTION.search(section)
        name = found_name[0].upper() if found_name else "P"
        counts[name] += 1
        digest = sha256(" ".join(text.split()).encode()).hexdigest()[:4]
        found.append(
            PolicySentence(key=f"{name}.{counts[name]}-{digest}", section=section, text=text)
        )
    return tuple(found)


def _units(page: str) -> Iterator[tuple[str, str]]:
    section = ""
    is_heading = is_head = False
    row: list[str] | None = None
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        match token.type:
            case "heading_open" | "heading_close":
                is_heading = token.type == "heading_open"
            case "thead_open" | "thead_close":
                is_head = token.type == "thead_open"
            case "tr_open":
                row = []
            case "tr_close":
                if row and not is_head:
                    yield section, " | ".join(row)
                row = None
            case "inline" if is_heading:
                section = token.content
            case "inline" if row is not None:
                row.append(token.content)
            case "inline" | "fence" | "code_block" | "html_block":
                yield from ((section, text) for text in _split(_plain(token)))
            case _:
                pass


def _plain(token: Token) -> str:
    text = _MARKS.sub("", _STEP_TITLE.sub("", token.content))
    return " ".join(_STEP_NUMBER.sub("", text).split())


def _split(text: str) -> Iterator[str]:
    start = 0
    for gap in _END.finditer(text):
        if not _ABBREVIATED.search(text, start, gap.start()):
            yield text[start : gap.end()].strip()
            start = gap.end()
    if text[start:].strip():
        yield text[start:].strip()
