"""From single verdicts to a judge's vote, from votes to the panel's verdict: pure counting.

Tie rule: a pass needs more than half of the votes that were given; what else happens at a tie is
declared (`TieRule`). Quorum: more than half of the panel must have a vote, else the panel is
unscored. Neither looks at the order of judges or samples.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from statistics import fmean
from typing import Final

from skillbench_tasks.models import DIMENSIONS, JudgeVerdict, Unscored
from skillbench_tasks.scorers.judge_verdict import overall_pass

__all__ = [
    "PANEL_PASS",
    "JudgeVote",
    "TieRule",
    "majority",
    "panel_pass",
    "panel_values",
    "vote_value",
]

PANEL_PASS: Final = "panel_pass"
"""Key of the panel's verdict in a score's value."""

Answer = JudgeVerdict | Unscored
_MISSING: Final = float("nan")


class TieRule(StrEnum):
    """What a panel or a judge's samples say when as many votes are for a pass as against it."""

    FAIL = "fail"
    PASS = "pass"
    UNSCORED = "unscored"


def majority(votes: Collection[bool], tie: TieRule) -> bool | None:
    """Return what more than half of the votes say; `None` where there is no vote.

    Args:
        votes: The votes that were given.
        tie: What holds when they are even.
    """
    if not votes:
        return None
    balance = 2 * sum(votes) - len(votes)
    if balance:
        return balance > 0
    return {TieRule.FAIL: False, TieRule.PASS: True, TieRule.UNSCORED: None}[tie]


class JudgeVote:
    """One judge's answers about one conversation, counted.

    Args:
        answers: One for each sample of the judge.
        hard_failures: Which of the three rules failed.
        tie: The tie rule.
    """

    def __init__(
        self, answers: Sequence[Answer], hard_failures: Collection[str], tie: TieRule
    ) -> None:
        self.answers = tuple(answers)
        self.verdicts = tuple(one for one in answers if isinstance(one, JudgeVerdict))
        self.unscored = tuple(one for one in answers if isinstance(one, Unscored))
        self.passes = tuple(overall_pass(one, hard_failures) for one in self.verdicts)
        self.passed = majority(self.passes, tie)

    def mean(self, field: str) -> float:
        """Return the mean of a field over the judge's verdicts, `NaN` where there is none."""
        return _mean([float(getattr(one, field)) for one in self.verdicts])


def panel_pass(votes: Collection[bool | None], tie: TieRule = TieRule.FAIL) -> bool | None:
    """Return the panel's verdict, `None` where too few judges voted.

    Args:
        votes: One for each judge; `None` is a judge without a vote.
        tie: The tie rule.
    """
    given = [vote for vote in votes if vote is not None]
    return majority(given, tie) if 2 * len(given) > len(votes) else None


def panel_values(votes: Mapping[str, JudgeVote], tie: TieRule = TieRule.FAIL) -> dict[str, float]:
    """Return every row of a panel for one conversation; each key is always there.

    `panel_pass`; each dimension over judges (mean of the judges' means); for each judge
    `pass:<judge>`, each `<dimension>:<judge>` and `hallucinated_action:<judge>`. Missing is `NaN`.

    Args:
        votes: The judges' votes by name.
        tie: The tie rule.
    """
    fields = (*DIMENSIONS, "hallucinated_action")
    names = sorted(votes)
    values = {PANEL_PASS: vote_value(panel_pass([vote.passed for vote in votes.values()], tie))}
    for field in fields:
        means = [votes[name].mean(field) for name in names]
        values[field] = _mean([value for value in means if value == value])
    for name in names:
        values[f"pass:{name}"] = vote_value(votes[name].passed)
    for field in fields:
        values |= {f"{field}:{name}": votes[name].mean(field) for name in names}
    return values


def vote_value(vote: bool | None) -> float:
    """Return a vote as results hold it: 1, 0, or `NaN` where there is none."""
    return _MISSING if vote is None else float(vote)


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else _MISSING
