"""What a variation is: another run that is right, made of a gold conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, get_args

from skillbench_tasks.datasets.script import Script
from skillbench_tasks.models import Model

__all__ = ["VARIATION_KINDS", "Draft", "Drafts", "Profile", "Variation", "VariationKind"]

VariationKind = Literal[
    "consent_in_two_steps",
    "consent_after_a_pause",
    "write_announced",
    "read_back_twice",
    "read_back_in_list",
    "yes_worded_otherwise",
    "one_question_at_a_time",
    "asked_in_other_order",
    "asked_in_other_words",
    "answered_in_parts",
    "order_of_calls",
    "extra_reads",
    "refused_call_corrected",
    "defaults_written_out",
    "arguments_in_other_notation",
    "texts_in_other_notation",
    "terse",
    "verbose",
    "ending_in_other_words",
    "long_lead_and_end",
    "courtesy",
    "asides",
    "honest_remarks",
    "text_beside_calls",
    "announced_before",
    "closing_exchange",
    "done_confirmed_again",
    "formatting",
    "free_text_reworded",
    "failure_handled_aloud",
]

VARIATION_KINDS: Final[tuple[VariationKind, ...]] = get_args(VariationKind)
"""The kinds of variations, in the order in which variations come."""

Profile = Literal["offline", "published"]


class Variation(Model):
    """A script that a careful expert calls right under the policy, as the gold script is.

    `kind` is free where runs come from a file. `profile` says whose words the user's are: under
    `published` they are a model's, and nobody knows what they do but from reading them.
    """

    kind: str
    case: str
    detail: str = ""
    script: Script
    profile: Profile = "offline"


class Draft(NamedTuple):
    """A variation that does not know its kind and case yet."""

    detail: str
    script: Script
    profile: Profile = "offline"


Drafts = Iterator[Draft]
