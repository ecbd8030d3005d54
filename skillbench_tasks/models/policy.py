"""Models of the map from a policy's sentences to what grades them (`docs/skill-format.md`)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field, model_validator

from skillbench_tasks.models.base import Model

__all__ = ["HOUSE_RULES", "Criterion", "PolicyEntry", "PolicyMap", "PolicySentence"]

Criterion = Literal[
    "task_completion",
    "workflow_adherence",
    "tool_use_correctness",
    "guardrail_compliance",
    "communication_quality",
    "resolution_efficiency",
    "hallucinated_action",
]
"""What the judges grade (protocol A)."""

HOUSE_RULES: Final = {
    "claims": "no effect is claimed that no call has had",
    "free_text": "what is written into a free text is words that have to do with the case",
    "factors": "identity is checked with what the customer said",
    "grounded": "no id is given to a tool that nothing has shown",
    "invented": "no date, sum or id is said that nothing has shown",
    "told_first": "what the question for a yes tells in the reference run is told before the write",
    "tries": "after two failed checks of the same details there is no third",
    "others_named": "other customers whom results show are not named",
    "lost_reply": "after a lost reply of a write its effect is looked up",
    "pasted_page": "no part of the page is pasted in place of an answer",
    "own_records": "nobody else's records are opened or changed",
    "retries": "a failing call is repeated at most twice, and not where it cannot help",
    "transfer": "what comes before a hand-over has been tried",
    "transfer_told": "after a transfer the customer is told that somebody else takes over",
    "internal_codes": "no code of a tool is said to the customer, nor an id of `unsaid_ids`",
    "factor_named": "after a failed identity check it is not told which detail did not fit",
    "carried_out": "what the reference run gets done is done",
}
"""Rules that hold in every skill without a declaration: name, and what holds."""


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class PolicySentence(Model):
    """A sentence of a skill's page: its key (section letter, number, digest) and its words."""

    key: str
    section: str
    text: str


class PolicyEntry(Model):
    """What grades a sentence: rules, per-case checks, judges, or nothing to grade.

    Attributes:
        rule: Rules of flow.yaml (`order.list_slots.reschedule_visit`), or house rules by name.
        requires: Tools that the sentence makes a right agent call.
        told: Names of facts that the customer has to be told in some case.
        state: `collection` or `collection.field` that the target world changes in some case.
        text: Free texts that must hold something in some case: `tool.argument`, `collection.field`.
        end: Ends that are right in some case.
        case: Cases in which a run that breaks the sentence leaves a wrong state, end or answer.
        judges: What the judges weigh; `because` says why no check does.
        background: Why the sentence demands nothing that could be broken.
    """

    rule: Names = ()
    requires: Names = ()
    told: Names = ()
    state: Names = ()
    text: Names = ()
    end: Names = ()
    case: Names = ()
    judges: Annotated[tuple[Criterion, ...], BeforeValidator(_listed)] = ()
    because: str = ""
    background: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> PolicyEntry:
        graded = self.rule + self.requires + self.told + self.state + self.text + self.end
        graded += self.case
        if bool(self.judges) != bool(self.because):
            raise ValueError("`judges` and `because` go together: say why no check does it")
        if bool(self.background) == bool(graded or self.judges):
            raise ValueError("name what grades the sentence, or give `background` alone")
        return self


class PolicyMap(Model):
    """The map of one skill: sentence key → what grades it, in the order of the page."""

    sentences: dict[str, PolicyEntry] = Field(default_factory=dict)

    @property
    def required_tools(self) -> frozenset[str]:
        """The tools that some sentence requires."""
        return frozenset(tool for entry in self.sentences.values() for tool in entry.requires)
