"""A user without a model: answers what is asked from the scenario's facts, and nothing else.

Each agent message is read clause by clause (`understanding`). Questions come first: while one is
open the conversation never ends, so a yes is never glued to a farewell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from skillbench_tasks.models import Persona, Scenario, SlotSpec, State
from skillbench_tasks.solvers.users import announcements as said
from skillbench_tasks.solvers.users.answers import Answers
from skillbench_tasks.solvers.users.consent import covers
from skillbench_tasks.solvers.users.cues import CueIndex
from skillbench_tasks.solvers.users.literals import stated_types
from skillbench_tasks.solvers.users.memory import Memory
from skillbench_tasks.solvers.users.narrowing import Narrowing
from skillbench_tasks.solvers.users.opening import own_words
from skillbench_tasks.solvers.users.phrasing import Voice
from skillbench_tasks.solvers.users.refusals import is_turned_down
from skillbench_tasks.solvers.users.sentences import is_readable
from skillbench_tasks.solvers.users.understanding import Move, Part, is_english, read

__all__ = ["ScriptedUser", "UserReply"]

_INFORMATION_WORDS = 7
_ALL_DONE = re.compile(
    r"\bboth (?:of )?(?:your |these |those |the |are |have )|\b(?:that|this) (?:is|was) (?:both|"
    r"all|everything)\b|"
    r"\beverything (?:you|is)\b|\b(?:and )?all (?:is )?done\b"
)
_ALSO = re.compile(r"\b(?:as well|too|both)\b")
_REPORT_WORDS = 5
_REPORT_TOTAL = 7
_CONCLUSION_WORDS = 15
_UNFINISHED = re.compile(
    r"\b(?:try(?:ing)? (?:that |it |this )?(?:again|once more)|error|let me|i'll|i will|i am going|"
    r"i'm going|next(?:,| i| we| step)|first|before (?:i|we)|let's|let us|thanks for confirming|"
    r"thank you for confirming|"
    r"an? (?:hiccup|hitch)|technical)\b"
)
_RETRY = re.compile(r"\?|\b(?:try|again|once more|perhaps|maybe|typo|check)\b")
_INTENT = re.compile(r"\b(?:one moment|moment while|let me|i'll|i will|next|now)\b")
_NOTED = re.compile(
    r"\b(?:noted|made a note|(?:added|put|taken|recorded) (?:that|this|the|a|your) note)\b"
)
_indexes: dict[int, tuple[Mapping[str, SlotSpec], CueIndex]] = {}
_QUESTIONS = frozenset(
    {
        Move.ASK,
        Move.CHECK,
        Move.CHOICE,
        Move.CONFIRM,
        Move.OPEN,
        Move.OPEN_CHANGE,
        Move.UNKNOWN,
        Move.INSTRUCTION,
    }
)


@dataclass(frozen=True)
class UserReply:
    """A message of the scripted user.

    Attributes:
        text: What the agent reads.
        acts: What the user did, e.g. `inform:postcode`, `confirm:reschedule_visit`, `wait`.
        end: How the conversation ends with this message, or `None`.
    """

    text: str
    acts: tuple[str, ...]
    end: State | None = None


@dataclass
class _Progress:
    """What the user believes has happened so far."""

    is_done: bool = False
    is_served: bool = False
    is_refused: bool = False
    is_agreed: bool = False  # he said yes to an action and has not heard that it is done
    reminded: bool = False
    acknowledged: int = 0
    reports: int = 0  # messages by which something was done
    covered: set[str] = field(default_factory=set)
    heard: list[str] = field(default_factory=list)


class ScriptedUser:
    """Plays a scenario's user, deterministically.

    Args:
        scenario: Who the user is, what he knows and wants.
        persona: How he talks and how much he stands.
        slots: What agents can ask for, by name.
    """

    def __init__(self, scenario: Scenario, persona: Persona, slots: Mapping[str, SlotSpec]) -> None:
        self._scenario = scenario
        self._index = _index_of(slots)
        self._voice = Voice(persona, scenario.id, slots)
        self._memory = Memory(scenario, slots)
        names = dict.fromkeys([*scenario.facts, *scenario.unknown])
        narrowing = Narrowing(self._memory, slots, names)
        self._answers = Answers(scenario, self._memory, self._voice, narrowing)
        self._patience = persona.patience
        self._progress = _Progress()
        self._last: UserReply | None = None

    def opening(self) -> UserReply:
        """Return the scenario's first message."""
        acts = tuple(f"inform:{slot}" for slot in self._scenario.tells)
        return UserReply(self._scenario.opening, acts)

    def reply(self, agent_text: str) -> UserReply:
        """Return the answer to an agent message; after the end the last reply repeats."""
        if self._last is not None and self._last.end is not None:
            return self._last
        self._last = self._answer(agent_text)
        return self._last

    def _answer(self, agent_text: str) -> UserReply:
        heard = " ".join(agent_text.lower().split())
        is_readable_text = is_readable(agent_text)
        is_repeated = heard in self._progress.heard
        previous = self._progress.heard[-1] if self._progress.heard else ""
        self._progress.heard.append(heard)
        if not is_readable_text or is_repeated:
            self._patience -= 1
            if self._patience <= 0:
                return self._end(State.GAVE_UP, "gave_up")
        if not is_readable_text:
            return self._ask_again()
        parts = read(agent_text, self._index)
        reply = self._to(parts, agent_text, previous)
        if is_repeated and reply.end is None:
            complaint = self._voice.line("complain")
            return UserReply(f"{complaint} {reply.text}", ("complain", *reply.acts))
        return reply

    def _to(self, parts: tuple[Part, ...], text: str, previous: str) -> UserReply:
        parts = self._without_weak_requests(parts)
        moves = {part.move for part in parts}
        self._note(parts, moves)
        if moves & _QUESTIONS or (Move.MISMATCH in moves and _RETRY.search(text.lower())):
            self._progress.acknowledged = 0
            is_refusal = Move.REFUSAL in moves and Move.DONE not in moves
            answer = self._answers.answer(parts, text, previous, is_refusal)
            self._progress.is_refused |= answer.is_declined
            self._progress.is_agreed = answer.agrees
            if answer.acts:
                return UserReply(answer.text, answer.acts)
            if is_refusal:
                self._progress.is_refused = True
                return UserReply(self._voice.line("no"), ("refuse:",))
            if moves & _QUESTIONS not in ({Move.INSTRUCTION}, set()):
                return self._ask_again()
        if Move.TRANSFER in moves:
            return self._end(State.TRANSFERRED, "transfer")
        if self._is_done(parts, moves):
            return self._to_done(moves)
        if Move.REFUSAL in moves or self._is_turned_down(parts, moves):
            return self._end(State.OUT_OF_SCOPE, "scope")
        if moves & {Move.CLOSING, Move.FAREWELL, Move.GREETING}:
            return self._to_closing(moves)
        if Move.HOLD in moves:
            return UserReply(self._voice.line("wait"), ("wait",))
        return self._to_statement(text)

    def _without_weak_requests(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """Drop what only looks like a request in a message that reports, refuses or hands over."""
        is_final = any(
            p.move in (Move.DONE, Move.REFUSAL, Move.TRANSFER)
            or said.CONCLUSION.search(p.sentence.text)
            for p in parts
        )
        texts = dict.fromkeys(part.sentence.text for part in parts)
        is_final |= is_turned_down(" ".join(texts))
        if not is_final or any(p.sentence.is_question for p in parts):
            return parts
        weak = (Move.UNKNOWN, Move.OPEN, Move.OPEN_CHANGE, Move.INSTRUCTION)
        return tuple(
            p
            for p in parts
            if p.move not in weak
            and (p.move is not Move.ASK or any(self._memory.resolves(g) for g in p.groups))
        )

    def _is_turned_down(self, parts: tuple[Part, ...], moves: set[Move]) -> bool:
        text = " ".join(part.sentence.text for part in parts)
        is_plain = moves <= {Move.STATEMENT, Move.FAREWELL}
        return is_plain and not said.CONCLUSION.search(text) and is_turned_down(text)

    def _is_done(self, parts: tuple[Part, ...], moves: set[Move]) -> bool:
        """Whether a message without a question reports that what the user wants is done."""
        texts = [part.sentence.text for part in parts]
        if Move.DONE in moves:
            is_ours = self._progress.is_agreed or any(said.DONE_BY_US.search(t) for t in texts)
            return (is_ours or Move.REFUSAL not in moves) and not self._goes_on(parts)
        if (
            moves & {Move.REFUSAL, Move.HOLD, Move.GREETING, Move.MISMATCH}
            or Move.STATEMENT not in moves
        ):
            return False
        text = " ".join(texts)
        is_report = len(text.split()) >= _REPORT_WORDS and not _UNFINISHED.search(text)
        return (
            is_report
            and is_english(text)
            and (
                self._progress.is_agreed
                or bool(said.CONCLUSION.search(text) and len(text.split()) >= _CONCLUSION_WORDS)
            )
        )

    def _note(self, parts: tuple[Part, ...], moves: set[Move]) -> None:
        progress = self._progress
        if Move.DONE in moves or progress.is_agreed:
            progress.reports += Move.DONE in moves or not moves & {*_QUESTIONS, Move.HOLD}
        if Move.DONE in moves:
            progress.is_done = progress.is_served = True
        if any(_ALL_DONE.search(part.sentence.text) for part in parts):
            progress.covered |= set(self._scenario.requests)
        statements = [part.sentence.text for part in parts if part.move is Move.STATEMENT]
        is_report = len(" ".join(statements).split()) >= _REPORT_TOTAL
        progress.is_served |= is_report and Move.CLOSING in moves
        for part in parts:
            if part.move is Move.DONE:
                text = part.sentence.text
                if _ALSO.search(text):
                    progress.covered |= set(self._scenario.requests)
                progress.covered |= {r for r in self._scenario.requests if covers(r, text)}
            is_long = len(part.sentence.text.split()) >= _INFORMATION_WORDS
            says_more = len(progress.heard) > 1 or stated_types(part.sentence.raw)
            if part.move is Move.STATEMENT and is_long and says_more:
                progress.is_served = True

    def _goes_on(self, parts: tuple[Part, ...]) -> bool:
        """Whether what was done is only a step: more is announced, or just a note was taken."""
        at = {move: i for i, part in enumerate(parts) for move in (part.move,)}
        if Move.HOLD in at and at[Move.HOLD] > at[Move.DONE]:
            return bool(_INTENT.search(parts[at[Move.HOLD]].sentence.text))
        done = [part.sentence.text for part in parts if part.move is Move.DONE]
        is_note = all(_NOTED.search(text) for text in done)
        is_last = bool({Move.CLOSING, Move.FAREWELL} & at.keys())
        return is_note and not is_last and not self._progress.covered

    def _to_done(self, moves: set[Move]) -> UserReply:
        if (reminder := self._reminder()) is not None:
            return reminder
        kind = "nothing" if Move.CLOSING in moves else "thanks"
        return self._end(State.RESOLVED, kind)

    def _reminder(self) -> UserReply | None:
        requests = self._scenario.requests
        requests = tuple(request for request in requests if self._is_wish(request))
        left = [request for request in requests if request not in self._progress.covered]
        is_all = self._progress.reports >= len(requests) or self._progress.reminded
        if len(requests) < 2 or not left or len(left) == len(requests) or is_all:
            return None
        self._progress.reminded, self._progress.is_agreed = True, False
        words = own_words(self._scenario, left[0])
        return UserReply(self._voice.line("remind", words), ("inform:request",))

    def _is_wish(self, request: str) -> bool:
        """Whether the user came with a request: he names it, or knows what it needs."""
        words = [self._scenario.opening.lower(), *self._memory.goal_slots()]
        return any(covers(request, text.replace("_", " ")) for text in words)

    def _to_closing(self, moves: set[Move]) -> UserReply:
        if self._progress.is_refused and Move.GREETING not in moves:
            return self._end(State.OUT_OF_SCOPE, "scope")
        if Move.GREETING not in moves and self._progress.is_served:
            if (reminder := self._reminder()) is not None:
                return reminder
            return self._end(State.RESOLVED, "nothing" if Move.CLOSING in moves else "thanks")
        text, acts = self._answers.restate()
        return UserReply(text, acts)

    def _to_statement(self, text: str) -> UserReply:
        if not is_english(text):
            return self._ask_again()
        progress = self._progress
        progress.acknowledged += 1
        if progress.is_refused:
            return self._end(State.OUT_OF_SCOPE, "scope")
        is_settled = progress.is_done and self._reminder_is_spent()
        if is_settled and progress.acknowledged > 1:
            return self._end(State.RESOLVED, "thanks")
        return UserReply(self._voice.line("okay"), ("acknowledge",))

    def _reminder_is_spent(self) -> bool:
        requests = self._scenario.requests
        return (
            len(requests) < 2
            or self._progress.reminded
            or (self._progress.covered >= set(requests))
        )

    def _ask_again(self) -> UserReply:
        return UserReply(self._voice.line("again"), ("ask_again",))

    def _end(self, state: State, kind: str) -> UserReply:
        act = "thank" if kind in ("thanks", "nothing", "transfer") else "acknowledge"
        acts = (f"end:{state.value}",) if kind == "gave_up" else (act, f"end:{state.value}")
        return UserReply(self._voice.line(kind), acts, state)


def _index_of(slots: Mapping[str, SlotSpec]) -> CueIndex:
    """Build the index once for each mapping: a suite has hundreds of users and one set of slots."""
    kept = _indexes.get(id(slots))
    if kept is None or kept[0] is not slots:
        kept = _indexes[id(slots)] = (slots, CueIndex(slots))
    return kept[1]
