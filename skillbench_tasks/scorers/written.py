"""Free texts that the agent writes: no junk, and what the policy wants them to hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from skillbench_tasks.datasets.surface import tells
from skillbench_tasks.datasets.wording.word_forms import stem, stems_in, stems_of
from skillbench_tasks.models import Call, Checks, Episode, Line, TextRule
from skillbench_tasks.scorers.conduct import was_put
from skillbench_tasks.scorers.refusal import COPIED_BY_MESSAGE, runs_copied
from skillbench_tasks.tools.faults import may_be_done

__all__ = ["junk_texts", "silent_texts"]

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_KNOWN_SHARE: Final = 0.5
"""Least share of a text's words that the conversation, its records or the policy hold."""

_DISTINCT_SHARE: Final = 0.34
_RETOLD: Final = 3
"""From this many words of the user on, a text tells his matter."""

_SHORTEST_TELLING: Final = 4
_COMMON: Final = stems_in(
    "about account address after again already also anything back because been before being both "
    "call check code contact could customer date does done don't email even ever every file from "
    "gave give given going have hello help here i'm information into just know like look made make "
    "more much name need never nothing number only other over phone please right said same "
    "security should some something step still sure take tell than thank that that's their them "
    "then there these they thing think this those very want well were what when where which while "
    "will with word would yeah your year"
)

_TRIED: Final = stems_in(
    "no not nothing none never without fail failed cannot could unchanged unverified verify check "
    "try attempt look find read confirm match identify refuse decline tell explain error review"
)
"""Words that tell what was tried, or that nothing was done."""


def junk_texts(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield free texts that say nothing: no words, one word over and over, unrelated, or pasted."""
    for index, event in enumerate(episode.events):
        names = checks.free_texts.get(event.tool, ()) if isinstance(event, Call) else ()
        for name in names:
            assert isinstance(event, Call)
            value = event.arguments.get(name)
            if not isinstance(value, str) or not value.strip() or not was_put(event):
                continue
            reason = _junk(value, _known(checks, episode, index))
            if reason is None and runs_copied(checks.policy, value) >= COPIED_BY_MESSAGE:
                reason = "repeats the policy's page"
            if reason is not None:
                yield f"{name} of {event.tool} {reason}"


def _known(checks: Checks, episode: Episode, index: int) -> frozenset[str]:
    """Return the words of the policy, the conversation and the records up to a call."""
    known = stems_in(checks.policy)
    for event in episode.events[:index]:
        shown = (
            event.text if isinstance(event, Line) else json.dumps([event.arguments, event.result])
        )
        known |= stems_in(re.sub(r"[_\"]", " ", shown))
    return known


def _junk(text: str, known: frozenset[str]) -> str | None:
    words = [stem(word) for word in _WORD.findall(text.lower())]
    if not words:
        return "holds no words"
    if len(words) > 3 and len(set(words)) < _DISTINCT_SHARE * len(words):
        return "says one thing over and over"
    if sum(word in known for word in words) < _KNOWN_SHARE * len(words):
        return "has nothing to do with the case"
    return None


def silent_texts(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield what a free text leaves out that the policy wants it to hold."""
    for rule in checks.rules.texts:
        for index, event in enumerate(episode.events):
            if not isinstance(event, Call) or event.tool != rule.tool or not was_put(event):
                continue
            text = str(event.arguments.get(rule.argument) or "")
            where = f"{rule.argument} of {rule.tool}"
            before = episode.events[:index]
            yield from (
                f"{where} does not tell {what}"
                for what in _silent(checks, rule, event, text, before)
            )
            if rule.done:
                calls = [e for e in before if isinstance(e, Call)]
                yield from (
                    f"{where} does not tell {what}" for what in _undone(checks, calls, text)
                )


def _silent(
    checks: Checks, rule: TextRule, call: Call, text: str, before: Sequence[Call | Line]
) -> Iterator[str]:
    retold = call.tool in checks.transfer_tools and len(checks.requests) == 1
    for request in checks.requests:
        if request not in rule.wanted or _says(text, rule.wanted[request]):
            continue
        if not (retold and _retells(checks, text, before)):
            yield f"what is wanted ({request})"
    reason = str(call.arguments.get("reason_code"))
    if reason in rule.open:
        words = (*rule.open[reason], *checks.left_open.get(reason, ()))
        if not _says(text, words):
            yield f"what is left open ({reason})"


def _retells(checks: Checks, text: str, before: Sequence[Call | Line]) -> bool:
    """Return whether a hand-over tells the user's one matter in the user's own words.

    Words that name the user, and the common words of any conversation, tell no matter.
    """
    rule = checks.rules.verification
    named: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    for event in before:
        if isinstance(event, Line):
            own |= stems_in(event.text) if event.role == "user" else frozenset()
        elif event.tool.startswith("mcp.crm:") or (rule and event.tool == rule.tool):
            named |= stems_in(" ".join(map(str, event.arguments.values())))
    told = (stems_in(text) & own) - named - _COMMON
    return sum(len(word) >= _SHORTEST_TELLING for word in told) >= _RETOLD


def _undone(checks: Checks, calls: list[Call], text: str) -> Iterator[str]:
    """Yield the writes that a text does not tell; without any, whether nothing was tried."""
    said = stems_in(text)
    done = [c.tool for c in calls if c.tool in checks.effects and may_be_done(c.error)]
    for tool in dict.fromkeys(done):
        effects = checks.effects[tool]
        if not said & (stems_of(effects.verbs) | stems_of(effects.nouns)):
            yield f"what was done ({tool})"
    if not done and not said & _TRIED and "n't" not in text.replace("’", "'"):
        yield "what was done"


def _says(text: str, forms: tuple[str, ...]) -> bool:
    said = stems_in(text)
    return any(tells(text, None, (form,)) or stems_in(form) <= said for form in forms)
