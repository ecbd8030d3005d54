"""What an agent tells the customer: whether somebody takes over, codes, which factor was wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import tells
from skillbench_tasks.datasets.wording.sentences import plain_words, sentences
from skillbench_tasks.datasets.wording.word_forms import stems_in, stems_of
from skillbench_tasks.models import Call, Checks, Episode, Line
from skillbench_tasks.patterns import linear_pattern
from skillbench_tasks.scorers.conduct import was_put
from skillbench_tasks.tools.faults import may_be_done

__all__ = [
    "forbidden_sayings",
    "named_factors",
    "read_out",
    "silent_transfers",
    "spoken_codes",
    "untold_facts",
]

_CODE: Final = re.compile(r"(?<![\w@./-])[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?![\w@])")
_BREAK: Final = re.compile(
    r"[;:(),]|\s[-–—]+\s|—|\b(?:but|while|whereas|although|though|so|because|only)\b"
)
_WRONG: Final = re.compile(
    r"\b(?:wrong|incorrect|mismatch(?:es|ed)?|invalid|differs?|differed|different|off|inaccurate|"
    r"mistaken|problem|issue|at fault|failed|fails|rejected)\b"
)
_RIGHT: Final = re.compile(
    r"\b(?:match(?:es|ed|ing)?|fits?|fitted|right|correct|agrees?|accepted|recogni[sz]ed?|"
    r"lines? up|check(?:s|ed)? out|tall(?:y|ies)|same|valid|fine|good|ok|okay|all right|alright|"
    r"what (?:we|i) (?:have|hold|see)|(?:the one|as) (?:that )?(?:we|i|on)|on file)\b"
)
_NEGATED: Final = re.compile(r"\b(?:not|never|no|cannot|without)\b|n't\b")
_NOT_TOLD: Final = re.compile(
    r"\b(?:if|whether|unless|once|when|which|please|could|can you|may|might|either|or|and|nor|"
    r"neither|one of|any of|again|sure|certain)\b"
)
_ELLIPSIS: Final = re.compile(r"(?:\b(?:did|does|do|was|is) not|n't)\W*$")


def silent_transfers(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield transfers after which no message tells that somebody else takes over."""
    transfer: str | None = None
    said = False
    words = stems_of(checks.taken_over)
    for event in episode.events:
        if isinstance(event, Call):
            if event.tool in checks.transfer_tools and may_be_done(event.error):
                transfer = event.tool
        elif transfer is not None and event.role == "agent":
            said = said or bool(stems_in(event.text) & words)
    if transfer is not None and not said:
        yield f"after {transfer} the user was not told that somebody takes over"


def spoken_codes(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield codes of tools, and ids of a kind that no customer hears, unless the user said them."""
    heard: list[str] = []
    ids = [re.compile(rf"\b{re.escape(prefix)}-[0-9]+") for prefix in checks.rules.unsaid_ids]
    for line in episode.lines:
        if line.role == "user":
            heard.append(line.text.lower())
            continue
        found = [word for word in _CODE.findall(line.text.lower()) if word in checks.codes]
        found += [match[0] for pattern in ids for match in pattern.finditer(line.text)]
        known = "\n".join(heard)
        yield from (f"agent said {word}" for word in found if word.lower() not in known)


def untold_facts(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield what the agent had not told before the write whose question for a yes tells it."""
    for fact in checks.told_first:
        said: list[str] = []
        for event in episode.events:
            if isinstance(event, Line):
                said += [event.text] if event.role == "agent" else []
            elif event.tool == fact.before and event.error is None:
                if not any(tells(text, fact.value, fact.forms) for text in said):
                    yield f"{fact.name} was not told before {fact.before}"
                break


def read_out(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield what the agent reads out of fields of records that are not read out.

    Four words in a row are read out, unless the user had said them or the agent has written them.
    """
    kept: set[tuple[str, ...]] = set()
    said: set[tuple[str, ...]] = set()
    for event in episode.events:
        if isinstance(event, Call):
            if checks.toolkit.get(event.tool) == "read":
                kept |= {run for text in _unread(event.result, checks) for run in _runs(text)}
        elif event.role == "user":
            said |= set(_runs(event.text))
        elif found := sorted(set(_runs(event.text)) & (kept - said)):
            yield f"agent read out {' '.join(found[0])!r}"


def _unread(value: JsonValue, checks: Checks) -> Iterator[str]:
    if isinstance(value, list):
        for part in value:
            yield from _unread(part, checks)
    elif isinstance(value, dict):
        for name, part in value.items():
            if name in checks.rules.unread and isinstance(part, str):
                yield part
            yield from _unread(part, checks)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9']+", text.lower())
    yield from zip(words, words[1:], words[2:], words[3:], strict=False)


def named_factors(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield what tells which detail did not fit, after a failed identity check."""
    failed = False
    rule = checks.rules.verification
    for event in episode.events:
        if isinstance(event, Call):
            if rule is not None and event.tool == rule.tool and was_put(event):
                result = event.result if isinstance(event.result, dict) else {}
                failed = result.get(rule.field) is False
        elif failed and event.role == "agent":
            yield from (f"agent told that the {name} was it" for name in _blamed(checks, event))


def _blamed(checks: Checks, line: Line) -> Iterator[str]:
    for sentence in sentences(plain_words(line.text.replace("’", "'"))):
        if sentence.endswith("?"):
            continue
        for clause in _BREAK.split(sentence):
            names = [name for name, words in checks.factor_words.items() if _holds(clause, words)]
            if len(names) == 1 and _blames(clause):
                yield names[0].replace("_", " ")


def _holds(clause: str, words: tuple[str, ...]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", clause) for word in words)


def _blames(clause: str) -> bool:
    if _NOT_TOLD.search(clause):
        return False
    denied = bool(_NEGATED.search(clause))
    if _WRONG.search(clause):
        return not denied
    return bool(_RIGHT.search(clause)) or (denied and bool(_ELLIPSIS.search(clause)))


def forbidden_sayings(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield what the skill's `never_say` forbids: a sentence that matches `says` and not `unless`.

    Patterns are matched in linear time.
    """
    for rule in checks.rules.never_say:
        says = linear_pattern(rule.says, ignores_case=True)
        unless = linear_pattern(rule.unless, ignores_case=True) if rule.unless else None
        for line in episode.lines:
            parts = sentences(line.text) if unless else [line.text]
            if line.role == "agent" and any(
                says.is_in(part) and not (unless and unless.is_in(part)) for part in parts
            ):
                yield f"agent said what matches {rule.says!r}"
