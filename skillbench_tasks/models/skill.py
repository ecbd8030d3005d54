"""Models of skills and scenarios (`docs/skill-format.md`)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from skillbench_tasks.models.base import Model
from skillbench_tasks.models.policy import PolicyMap
from skillbench_tasks.models.world import Fault, Patch

__all__ = [
    "AtMostRule",
    "ConfirmRule",
    "ForbiddenSlot",
    "HouseTexts",
    "Injection",
    "MindChange",
    "NeverRule",
    "NeverSay",
    "OrderRule",
    "Outcome",
    "Persona",
    "Rules",
    "Scenario",
    "ScenarioKind",
    "Skill",
    "SlotSpec",
    "StepUpRule",
    "TextCheck",
    "TextRule",
    "VerificationRule",
]


class Outcome(StrEnum):
    """Right ends of a conversation (protocol A)."""

    RESOLVED = "resolved"
    TRANSFERRED = "transferred"
    OUT_OF_SCOPE = "out_of_scope"


class ScenarioKind(StrEnum):
    """What a scenario puts under pressure; `unclassified` where foreign data do not say."""

    STRAIGHTFORWARD = "straightforward"
    VAGUE_USER = "vague_user"
    FRUSTRATED_USER = "frustrated_user"
    IDENTITY_FAILS = "identity_fails"
    AGAINST_POLICY = "against_policy"
    OUT_OF_SCOPE = "out_of_scope"
    TRANSIENT_FAILURE = "transient_failure"
    PERMANENT_FAILURE = "permanent_failure"
    MIND_CHANGE = "mind_change"
    TWO_REQUESTS = "two_requests"
    SOCIAL_ENGINEERING = "social_engineering"
    PROMPT_INJECTION = "prompt_injection"
    LOST_REPLY = "lost_reply"
    UNCLASSIFIED = "unclassified"


class VerificationRule(Model):
    """A call that proves the user's identity: it succeeds and its result has `field` true.

    `factors` is the least number of arguments besides `customer_id` and `full_name`. After `tries`
    checks of the same details that failed there is no further one. `needs` are arguments that the
    check has to hold.
    """

    tool: str
    field: str
    factors: int = Field(default=0, ge=0)
    tries: int = Field(default=2, ge=1)
    needs: tuple[str, ...] = ()


class ConfirmRule(Model):
    """A write that needs a yes to a message which states its arguments `states`.

    Without `states` it needs a yes of its own, unless it is `shared`: then a yes to another write
    of the same conversation may stand for both. With `alone` the yes stands for no other write at
    all, though one message states the values of both. It is for calls whose arguments hold `where`.
    """

    tool: str
    where: dict[str, JsonValue] = Field(default_factory=dict)
    states: tuple[str, ...] = ()
    shared: bool = False
    alone: bool = False


class HeardRule(Model):
    """What the user has to have said before a call of a tool, where the flow asks him for it."""

    slot: str
    before: str


class AloneRule(Model):
    """An argument that a tool is called with alone, where it is given at all."""

    tool: str
    argument: str


class OrderRule(Model):
    """A successful call of `first` comes before any call of `then` whose arguments hold `where`.

    Only calls of `first` count whose arguments hold `first_where`; those that were `renewed` after
    the user's last change of mind; those whose arguments `same` are the fields of that name in the
    record that `then` is about.
    """

    first: str
    then: str
    renewed: bool = False
    same: tuple[str, ...] = ()
    first_where: dict[str, JsonValue] = Field(default_factory=dict)
    where: dict[str, JsonValue] = Field(default_factory=dict)


class StepUpRule(Model):
    """Before a call of `tool`, an identity check that succeeded has held the argument `factor`."""

    tool: str
    factor: str


class NeverRule(Model):
    """No call of `tool` whose arguments hold `where`; `*` in the name stands for any part of it."""

    tool: str
    where: dict[str, JsonValue] = Field(default_factory=dict)


class AtMostRule(Model):
    """At most `n` successful calls of `tool` (whose arguments hold `where`)."""

    tool: str
    n: int = Field(ge=0)
    where: dict[str, JsonValue] = Field(default_factory=dict)


class TextRule(Model):
    """What a free text that the agent writes as an argument has to hold.

    Attributes:
        tool: The write.
        argument: Its free-text argument.
        wanted: Request of the scenario → words any of which tell that it is wanted.
        done: Whether it tells what was done: each write that took effect in a word of its effect;
            where there was none, what was tried, or that nothing was.
        open: Value of the argument `reason_code` → words any of which tell what is left open,
            beside those of the house (`datasets/house_texts.yaml`).
    """

    tool: str
    argument: str
    wanted: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    done: bool = False
    open: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class NeverSay(Model):
    """A sentence that no agent says: it matches `says`, and not `unless`.

    Both are patterns in RE2's syntax, upper and lower case alike. Without `unless`, `says` is
    matched against the whole message.
    """

    says: str
    unless: str = ""


def _pattern_alone(value: object) -> object:
    return {"says": value} if isinstance(value, str) else value


class HouseTexts(Model):
    """Words that are heard alike in every skill (`datasets/house_texts.yaml`).

    `taken_over` are words any of which tell that somebody else takes over, `open` the words that
    tell what is left open, by the transfer's reason.
    """

    taken_over: Annotated[
        tuple[str, ...], BeforeValidator(lambda v: tuple(v.split()) if isinstance(v, str) else v)
    ]
    open: dict[str, tuple[str, ...]]


NEVER_ASKED: Final = ("ssn", "card_number", "cvv", "pin", "password", "maiden_name")
"""The house default of what is never asked for (`datasets/forbidden_slots.yaml`)."""


class Rules(Model):
    """Ordering and prohibition constraints of a skill, checked on every episode.

    `places` are where the policy sends what is not done here: name → the forms that name it.
    `unsaid_ids` are the prefixes of ids that no customer hears ("CUS"), `unread` the fields of
    records that are not read out. `most_asked` is how many
    things a message asks for at most; with `refuses_unasked` a wish is refused without asking for
    anything, where the reference run asks for nothing.
    """

    verification: VerificationRule | None = None
    protected: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    after_verification: tuple[str, ...] = ()
    own_records: bool = True
    confirm: tuple[ConfirmRule, ...] = ()
    step_up: tuple[StepUpRule, ...] = ()
    order: tuple[OrderRule, ...] = ()
    heard: tuple[HeardRule, ...] = ()
    alone: tuple[AloneRule, ...] = ()
    never: tuple[NeverRule, ...] = ()
    at_most: tuple[AtMostRule, ...] = ()
    never_say: tuple[Annotated[NeverSay, BeforeValidator(_pattern_alone)], ...] = ()
    unsaid_ids: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    max_retries: int = Field(default=2, ge=0)
    never_ask: tuple[str, ...] = NEVER_ASKED
    most_asked: int | None = Field(default=None, ge=1)
    refuses_unasked: bool = False
    texts: tuple[TextRule, ...] = ()
    places: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class Persona(Model):
    """How a user talks: traits, style, motivation, example utterances."""

    name: str
    traits: tuple[str, ...] = Field(min_length=1)
    style: str
    motivation: str
    examples: tuple[str, ...] = Field(min_length=1)
    patience: int = Field(default=3, ge=1)


class SlotSpec(Model):
    """Something that an agent can ask a user for: label, value type, cues of a question."""

    label: str
    type: Literal[
        "name", "text", "id", "digits", "phone", "email", "date", "time_window", "money", "number",
        "postcode", "choice", "address",
    ]  # fmt: skip
    cues: tuple[str, ...] = Field(min_length=1)
    say: str = "{value}"


class ForbiddenSlot(Model):
    """Something that an agent neither asks for nor writes down.

    `cues` are words by which it is asked for, `unless` words beside them with which they mean
    something harmless, `shape` a pattern of its value where that is known.
    """

    label: str
    cues: tuple[str, ...] = Field(min_length=1)
    unless: tuple[str, ...] = ()
    shape: str = ""


class MindChange(Model):
    """At the first request to confirm `at` the user changes slots instead of saying yes."""

    at: str
    changes: dict[str, JsonValue] = Field(min_length=1)


class TextCheck(Model):
    """Words that a free-text field which the agent wrote must hold: every one, and one of some."""

    collection: str
    field: str
    key: str | None = None
    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _asks_something(self) -> TextCheck:
        if not self.all_of and not self.any_of:
            raise ValueError("give `all_of` or `any_of`")
        return self


class Injection(Model):
    """Planted words that try to steer the agent, and where they stand."""

    text: str
    where: Literal["opening", "reply", "record"]


class Scenario(Model):
    """One user with one goal in one state of the world (see `docs/skill-format.md`)."""

    id: str = Field(pattern=r"^[a-z0-9-]+\.[a-z_]+(\.[0-9]+)?$")
    kind: ScenarioKind
    title: str
    customer: str | None
    persona: str
    goal: str
    requests: tuple[str, ...] = Field(min_length=1)
    opening: str = Field(min_length=1)
    tells: tuple[str, ...] = ()
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    says: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    answers: dict[str, bool] = Field(default_factory=dict)
    mind_change: MindChange | None = None
    patch: tuple[Patch, ...] = ()
    faults: tuple[Fault, ...] = ()
    outcome: Outcome
    also_accept: tuple[Outcome, ...] = ()
    success_criteria: tuple[str, ...] = Field(min_length=2)
    checklist: tuple[str, ...] = Field(min_length=2)
    text_checks: tuple[TextCheck, ...] = ()
    expected_errors: tuple[str, ...] = ()
    never: tuple[NeverRule, ...] = ()
    optional_tools: tuple[str, ...] = ()
    factors: int | None = Field(default=None, ge=0)
    needs: tuple[str, ...] = ()
    injection: Injection | None = None
    max_turns: int = Field(default=20, ge=1)


class Skill(Model):
    """A bounded workflow with a policy and a toolkit; `instructions` is the body of SKILL.md.

    `policy` maps each sentence of it to what grades it; a skill in the making has none yet.
    """

    name: str = Field(pattern=r"^[a-z0-9-]{1,64}$")
    description: str = Field(min_length=1, max_length=1024)
    industry: str
    category: str
    version: str
    toolkit: tuple[str, ...] = Field(min_length=1)
    instructions: str
    program: dict[str, JsonValue]
    rules: Rules
    policy: PolicyMap | None = None
    scenarios: tuple[Scenario, ...] = Field(min_length=1)
    folder: str = ""
