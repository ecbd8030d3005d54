"""Confirmation: a consequential write needs a yes to a proposal that states what is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from pydantic import JsonValue

from skillbench_tasks.datasets.surface import expresses, values_in
from skillbench_tasks.datasets.wording.sentences import sentences
from skillbench_tasks.datasets.wording.word_forms import stem, stems_in, stems_of
from skillbench_tasks.models import Call, Checks, ConfirmRule, Effects, Episode, Line
from skillbench_tasks.scorers.conduct import was_put
from skillbench_tasks.scorers.records import names_of
from skillbench_tasks.scorers.text import is_affirmative, is_negative, is_withdrawn
from skillbench_tasks.tools.faults import holds

__all__ = ["unconfirmed_writes"]

Events: TypeAlias = Sequence[Line | Call]

_OFFER: Final = re.compile(
    r"\b(?:(?:shall|should|may|can|could) (?:i|we)|(?:want|like|for|have) (?:me|us) to|"
    r"(?:okay|ok|fine|all right|alright) (?:if|for) (?:i|we|me|us)(?: to)?) "
    r"(?:(?:just|now|then|also|please|gladly) )*(?P<verb>[a-z]+)",
    re.IGNORECASE,
)
_ANY_DEED: Final = stems_in(
    "go do proceed save submit put take make set arrange continue finalize finalise process start "
    "enter file complete carry"
)
"""Verbs of an offer that say nothing of what the deed is: "shall I go ahead?"."""

_AGREE: Final = re.compile(
    r"\b(?:ok|okay|right|correct|alright|good|fine|sure|works?|agreed?|yes|confirm|happy|want|like|"
    r"accept|approve|suits?|it|good to go)\b(?: (?:with|for|to|by) (?:you|that|this|it|me))*"
    r"(?: (?:then|now|instead))?\W*\?|\b(?:go(?:ing)? ahead|confirm|proceed|say (?:yes|the word)|"
    r"is (?:that|this|it) (?:right|ok|okay|correct|all right|alright|fine|how|what)|"
    r"do you agree|does that|how does that)\b|\b(?:shall|should|may) (?:i|we)\W*\?",
    re.IGNORECASE,
)
"""The words in which a message asks for a yes, whatever it is to."""


class _Stated(NamedTuple):
    """What has to be said of an argument: its value, or of an id what its record is called."""

    value: JsonValue
    names: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        return expresses(text, self.value, self.names)


class _Deed(NamedTuple):
    """A write as consent sees it: its words, all its values, and those that must be stated."""

    effects: Effects | None
    values: tuple[JsonValue, ...]
    stated: tuple[_Stated, ...]
    shared: bool


class _Done(NamedTuple):
    """A write that was carried out, and where."""

    place: int
    call: Call
    effects: Effects | None
    yes: int | None


def unconfirmed_writes(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield writes without a yes to a proposal of what is written.

    A yes counts when the turns that it answers propose this very write and state the values that
    its rule names. It holds until the user takes it back, other values are written, or the write
    has been carried out: a second time needs a second yes.
    """
    done: list[_Done] = []
    for index, event in enumerate(episode.events):
        rule = _rule_for(checks, event) if isinstance(event, Call) else None
        if rule is None or not isinstance(event, Call) or not was_put(event):
            continue
        effects = checks.effects.get(event.tool)
        deed = _deed(rule, effects, event, episode.events[:index])
        yes = _yes_to(episode.events[:index], deed, event, done)
        if yes is None:
            yield f"{event.tool} was called without a yes to its values"
        elif rule.alone and any(d.yes == yes for d in done):
            yield f"{event.tool} was called on a yes to another write as well"
        if event.error is None:
            done.append(_Done(index, event, effects, yes))


def _rule_for(checks: Checks, call: Call) -> ConfirmRule | None:
    rules = (r for r in checks.rules.confirm if r.tool == call.tool)
    return next((rule for rule in rules if holds(call.arguments, rule.where)), None)


def _deed(rule: ConfirmRule, effects: Effects | None, call: Call, before: Events) -> _Deed:
    results = [event.result for event in before if isinstance(event, Call)]
    stated = [_stated(name, call.arguments.get(name), results) for name in rule.states]
    said = [v for n, v in call.arguments.items() if not n.endswith(("_id", "_ids"))]
    said += names_of(results, call.arguments)
    return _Deed(
        effects,
        tuple(v for v in said if not isinstance(v, bool) and v not in (None, "", [])),
        tuple(one for one in stated if one.value is not None),
        rule.shared,
    )


def _stated(name: str, value: JsonValue, results: Sequence[JsonValue]) -> _Stated:
    names = names_of(results, {name: value}) if name.endswith("_id") else []
    return _Stated(value, tuple(dict.fromkeys(names)))


def _yes_to(events: Events, deed: _Deed, call: Call, done: Sequence[_Done]) -> int | None:
    """Return where the user agreed to a write; no yes before the same write counts again."""
    same = [d.place for d in done if (d.call.tool, d.call.arguments) == (call.tool, call.arguments)]
    for index in range(len(events) - 1, max(same, default=-1), -1):
        line = events[index]
        if not isinstance(line, Line) or line.role != "user":
            continue
        asked = _Asked(events[:index])
        if _takes_back(line, asked, deed):
            return None
        others = [d.effects for d in done if d.place > index and d.call.tool != call.tool]
        if is_affirmative(line.text, line.acts) and asked.proposes(deed, others):
            return index
    return None


def _takes_back(line: Line, asked: _Asked, deed: _Deed) -> bool:
    """Return whether a line takes a yes back: in so many words, or as a no to the proposal."""
    if any(act.startswith("change:") for act in line.acts):
        return True
    is_yes = is_affirmative(line.text, line.acts)
    if not is_yes and is_withdrawn(line.text):
        return True
    return is_negative(line.text, line.acts) and asked.is_about(deed)


class _Asked:
    """What a user's line answers: the agent's turns up to it, as far back as they belong to it."""

    def __init__(self, before: Events) -> None:
        lines = [event for event in before if isinstance(event, Line)]
        self._lines = lines[: self._asking(lines)]

    @staticmethod
    def _asking(lines: Sequence[Line]) -> int:
        """Return where the question ends that is answered: a "take your time" may follow it."""
        end = len(lines)
        while end > 1 and lines[end - 1].role == "agent" and "?" not in lines[end - 1].text:
            end -= 1
        answer = lines[end - 1] if end else None
        if answer is None or answer.role == "agent":
            return len(lines) if answer is None or end == len(lines) else end
        is_pause = not is_negative(answer.text, answer.acts) or not answer.acts
        is_open = is_pause and not is_affirmative(answer.text, answer.acts)
        asked = end > 1 and lines[end - 2].role == "agent" and "?" in lines[end - 2].text
        return end - 1 if is_open and asked and end < len(lines) else len(lines)

    def is_about(self, deed: _Deed) -> bool:
        """Return whether the last turn speaks of the deed or asks for a yes."""
        last = "\n".join(self._turn(len(self._lines))[0])
        return bool(last) and (_concerns(last, deed) or bool(_AGREE.search(last)))

    def proposes(self, deed: _Deed, others: Sequence[Effects | None]) -> bool:
        """Return whether the turns propose the deed and state its values.

        Without values to state, a yes on which other writes were made has to have named the deed.
        """
        if not self.is_about(deed):
            return False
        turns, earlier = self._chain(deed)
        text = "\n".join(turns)
        if not all(one.is_in(text) or _still_stands(one, text, earlier) for one in deed.stated):
            return False
        if deed.stated or deed.shared:
            return True
        return all(_names(text, deed, other) for other in others) and _concerns(text, deed)

    def _chain(self, deed: _Deed) -> tuple[list[str], str]:
        """Return the turns that belong to the question, and what was said before a change."""
        turns, start = self._turn(len(self._lines))
        is_first = True
        while start > 0:
            answer = self._lines[start - 1]
            if is_negative(answer.text, answer.acts):
                earlier = [x.text for x in self._lines[:start] if x.role == "agent"]
                return turns, "\n".join(earlier)
            is_yes = is_affirmative(answer.text, answer.acts)
            is_choice = any(one.is_in(answer.text) for one in deed.stated)
            if not is_yes and (is_choice or not (is_first or "?" in answer.text)):
                break
            more, start = self._turn(start - 1)
            turns, is_first = [*more, *turns], False
        return turns, ""

    def _turn(self, end: int) -> tuple[list[str], int]:
        """Return the agent's messages right before a place, and where they start."""
        start = end
        while start > 0 and self._lines[start - 1].role == "agent":
            start -= 1
        return [line.text for line in self._lines[start:end]], start


def _still_stands(one: _Stated, said: str, earlier: str) -> bool:
    """Return whether a value stated before a change was left alone by what was said since."""
    if not one.is_in(earlier):
        return False
    kinds = {mention.kind for mention in values_in(str(one.value))}
    return bool(kinds) and not any(mention.kind in kinds for mention in values_in(said))


def _concerns(text: str, deed: _Deed) -> bool:
    """Return whether a text speaks of the deed: in its words, by its values, or as an offer."""
    if any(expresses(text, value) for value in deed.values):
        return True
    if deed.effects is None:
        return True
    said = stems_in(text)
    if said & stems_of(deed.effects.nouns) and (
        said & stems_of(deed.effects.verbs) or _AGREE.search(text)
    ):
        return True
    return bool(_offered(text) & (_ANY_DEED | stems_of(deed.effects.verbs)))


def _names(text: str, deed: _Deed, other: Effects | None) -> bool:
    """Return whether a sentence names a deed in words that do not name another one."""
    if deed.effects is None or other is None:
        return False
    nouns = stems_of(deed.effects.nouns)
    verbs = stems_of(deed.effects.verbs) - stems_of(other.verbs) - nouns
    return any((said := stems_in(s)) & verbs and said & nouns for s in sentences(text))


def _offered(text: str) -> frozenset[str]:
    return frozenset(stem(match["verb"]) for match in _OFFER.finditer(text))
