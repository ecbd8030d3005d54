"""Models of what is graded: cases, episodes, verdicts."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field, JsonValue

from skillbench_tasks.models.base import Model
from skillbench_tasks.models.gold import (
    CallError,
    Change,
    Fact,
    GoldConversation,
    MustSay,
    ToldFirst,
)
from skillbench_tasks.models.skill import (
    ForbiddenSlot,
    Outcome,
    Rules,
    Scenario,
    ScenarioKind,
    Skill,
    TextCheck,
)
from skillbench_tasks.models.world import CollectionSpec, Effects

__all__ = [
    "CHECKS_KEY",
    "EPISODE_KEY",
    "Call",
    "Case",
    "Checks",
    "Episode",
    "Heard",
    "Line",
    "State",
    "Termination",
    "UserFault",
    "Verdict",
]


EPISODE_KEY: Final = "skillbench:episode"
"""Where a sample's store holds the episode."""

CHECKS_KEY: Final = "checks"
"""Where a sample's metadata hold the checks: JSON text under `json`."""


class Heard(Model):
    """What this user has to have said before a call: a slot, and the values that say it."""

    slot: str
    before: str
    values: tuple[JsonValue, ...]
    forms: tuple[str, ...] = ()


class Checks(Model):
    """All that grading needs of a case; stored with the sample: a log re-grades on its own.

    `effects` holds the words of each write's effect, `policy` the body of the skill's page,
    `never_ask` what it forbids to ask for,
    `asked_words` how what its flow asks for is called, `most_asked` how much of it a message asks,
    `unasked` which of it none does,
    `heard` what the user has to have said before a call, `told_first` what is told first,
    `now` the world's clock,
    `wrong_places` where a refusal does not send this user,
    `free_texts` the arguments of each write that are free text.
    `taken_over` holds words that tell of a hand-over, `left_open` words for what is left open by
    the transfer's reason, `codes` the tools' codes that no customer hears, `factor_words` how each
    detail of the identity check is called.
    `target_known` is false where the reference run could not be carried out: then no end state is
    known to be right, and none to be wrong. `is_played`: a model answers every tool, so that no
    state is kept at all.
    """

    scenario: str
    skill: str
    industry: str
    category: str
    kind: ScenarioKind
    subject: str | None
    toolkit: dict[str, Literal["read", "write"]] = Field(min_length=1)
    transfer_tools: tuple[str, ...] = ()
    required_tools: tuple[str, ...]
    succeeding_tools: tuple[str, ...] = ()
    before_transfer: dict[str, int] = Field(default_factory=dict)
    outcome: Outcome
    also_accept: tuple[Outcome, ...] = ()
    target: tuple[Change, ...]
    target_known: bool = True
    is_played: bool = False
    collections: dict[str, CollectionSpec]
    effects: dict[str, Effects] = Field(default_factory=dict)
    policy: str = ""
    never_ask: tuple[ForbiddenSlot, ...] = ()
    asked_words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    most_asked: int | None = None
    unasked: tuple[str, ...] = ()
    heard: tuple[Heard, ...] = ()
    told_first: tuple[ToldFirst, ...] = ()
    now: str = ""
    wrong_places: tuple[Fact, ...] = ()
    requests: tuple[str, ...] = ()
    free_texts: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    taken_over: tuple[str, ...] = ()
    left_open: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    codes: tuple[str, ...] = ()
    factor_words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    rules: Rules
    protected: tuple[Fact, ...] = ()
    must_say: tuple[MustSay, ...] = ()
    text_checks: tuple[TextCheck, ...] = ()
    data_version: str

    @property
    def requires_nothing(self) -> bool:
        """Whether nothing is to be called, written or told: such a case cannot be passed.

        No case of a skill is like that (loading refuses it); tasks of foreign data may be.
        """
        return not (self.required_tools or self.target or self.must_say or self.text_checks)


class Case(Model):
    """A scenario made ready: skill, scenario, gold conversation and checks."""

    skill: Skill
    scenario: Scenario
    gold: GoldConversation
    checks: Checks

    @property
    def id(self) -> str:
        """The scenario's id, unique in the suite."""
        return self.scenario.id


class UserFault(StrEnum):
    """Ways in which a simulated user breaks its role."""

    INVENTED_FACT = "invented_fact"
    ROLE_INVERTED = "role_inverted"
    EMPTY = "empty"
    REPEATED = "repeated"
    LEAKED_REASONING = "leaked_reasoning"
    ENDED_WITH_CONFIRMATION = "ended_with_confirmation"


class Line(Model):
    """A message that the other side sees. `acts` is what a scripted user knows it did."""

    event: Literal["line"] = "line"
    role: Literal["user", "agent"]
    turn: int
    text: str
    acts: tuple[str, ...] = ()
    faults: tuple[UserFault, ...] = ()


class Call(Model):
    """A tool call as it ran.

    `offered` is false for a tool outside the toolkit; `error` is what the agent saw.
    """

    event: Literal["call"] = "call"
    turn: int
    tool: str
    arguments: dict[str, JsonValue]
    offered: bool = True
    result: JsonValue = None
    error: CallError | None = None


class State(StrEnum):
    """How a conversation ended. The first three are termination states of protocol A."""

    RESOLVED = "resolved"
    TRANSFERRED = "transferred"
    OUT_OF_SCOPE = "out_of_scope"
    GAVE_UP = "gave_up"
    TURN_BUDGET = "turn_budget"
    LIMIT = "limit"
    UNFINISHED = "unfinished"


class Termination(Model):
    """The end of a conversation and who caused it."""

    state: State
    by: Literal["user", "agent", "budget", "limit", "harness"]
    detail: str = ""


class Episode(Model):
    """What a run left behind: everything that scorers see, in the order in which it happened."""

    case: str
    profile: Literal["published", "offline"]
    user: str
    events: tuple[Annotated[Line | Call, Field(discriminator="event")], ...]
    termination: Termination
    changes: tuple[Change, ...]
    versions: dict[str, str] = Field(default_factory=dict)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls in order."""
        return tuple(e for e in self.events if isinstance(e, Call))

    @property
    def lines(self) -> tuple[Line, ...]:
        """The messages of both sides in order."""
        return tuple(e for e in self.events if isinstance(e, Line))


class Verdict(Model):
    """A scorer's answer. `passed` is `None` where nothing applies; `parts` are named sub-checks."""

    scorer: str
    passed: bool | None
    reasons: tuple[str, ...] = ()
    parts: dict[str, bool | None] = Field(default_factory=dict)
