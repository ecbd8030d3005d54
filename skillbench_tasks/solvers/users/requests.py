"""Whether words that look like a request ask this user for something."""

from __future__ import annotations

import re

from skillbench_tasks.solvers.users import patterns as p
from skillbench_tasks.solvers.users.sentences import Sentence

__all__ = ["request_in"]

_RELATIVE = re.compile(
    r"(?:which|whose|who) (?:(?:is|are|was|were|should|would|could|can|has|have|had|do|does|did|"
    r"will|may|might)(?:n't)?|you|i|we|they|it|the)\b|what an? |how \w+[,.!]"
)
_WH = re.compile(r"\b(?:what|which|when|where|why|how|whose|whom?)\b")
_INVERTED = re.compile(
    r"(?:what|when|where|why|how(?: \w+)?|whom?|which \w+(?: \w+)?)'?s? "
    r"(?:is|are|was|were|do|does|did|would|should|shall|can|could|have|has|will|am|may)\b"
)
_SECOND_VERB = re.compile(r"\b(?:is|are|was|were|comes?|stays?|will|can|has|have)\b")
_SHORT_HEAD = 5
_TO_OTHERS = re.compile(
    r"(?:give|send|tell|show|pass|offer|write|pick|choose|select|try|start|read)$"
)
_TO_ME = re.compile(
    r" ?(?:it |them |that |those |both )?(?:to |with )?(?:me|us|your|which|what|one|from|between|"
    r"either|by)\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:through|at|on|via|in|using|use|to|with) (?:our|the|any|one of|your)\b[^.?!]*"
    r"\b(?:page|form|branch(?:es)?|desk|website|site|app|team|hotline)\b"
    r"|\w\.example\b|\bwww\.|\bcontact us\b|\b(?:turn|reach out|write|go) to the\b"
    r"|\bask (?:him|her|them|your|the)\b|\bwhere to (?:go|turn)\b"
)
_UNTOLD = re.compile(r"(?:\b(?:not|cannot|never)\b|n't\b)(?: \w+){0,4} $")
_FOR_ME = re.compile(r"\b(?:me|i|i'll|i'd|us|we)\b")


def request_in(clause: Sentence, text: str, *, goes_on: bool = False) -> re.Match[str] | None:
    """Return the words of a clause that ask for something, without those of plain statements.

    "What is weak is the signal." states, "pick a day on the visits page" sends elsewhere, "which
    should not happen" goes on with what was said.

    Args:
        clause: The clause.
        text: Its words without what is named but not asked for.
        goes_on: It goes on with a request in the same sentence.
    """
    found = p.REQUEST.search(text)
    while (
        found is not None
        and not (clause.is_question or goes_on)
        and _is_statement(clause, text, found)
    ):
        found = p.REQUEST.search(text, found.end())
    return found


def _is_statement(clause: Sentence, text: str, found: re.Match[str]) -> bool:
    wh = _WH.search(found[0])
    if wh and found[0].endswith(wh[0]):
        start = found.start() + wh.start()
        is_exclaimed = clause.ending == "!" and text.startswith(("how ", "what a"))
        if _UNTOLD.search(text[:start]) or (is_exclaimed and " you " not in text):
            return True
        return _is_relative(clause, text[found.start() + wh.start() :])
    if _TO_OTHERS.search(found[0]) and "you" not in found[0].split():
        is_polite = re.search(r"please|kindly", found[0])
        if not is_polite and not _TO_ME.match(text, found.end()):
            return True
    return bool(_ELSEWHERE.search(text)) and not _FOR_ME.search(text)


def _is_relative(clause: Sentence, rest: str) -> bool:
    """Whether words from "what", "which" … on only state something: it ends with a full stop."""
    is_inner = clause.raw[:1].islower() and len(rest) == len(clause.text) and clause.ending == "."
    if _RELATIVE.match(rest) or is_inner:
        return True
    if clause.ending not in (".", "!", ";"):
        return False
    head = re.split(r"[:(,;]", rest)[0]
    if len(head.split()) <= _SHORT_HEAD and not _SECOND_VERB.search(head):
        return False
    inverted = _INVERTED.match(rest)
    return inverted is None or bool(_SECOND_VERB.search(head, inverted.end()))
