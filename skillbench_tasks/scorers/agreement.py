"""Agreement between judges: pure functions of their votes.

Every figure has its n beside it, and is `Undefined` with a reason where the votes do not define it.
κ and α fall to 0 on verdicts that nearly all agree when one class is rare, so prevalence, agreement
for each class, PABAK and AC1 stand beside them.

Sources: Cohen 1960 (κ); Fleiss, Cohen & Everitt 1969 (its standard error); Cicchetti & Feinstein
1990 (agreement for each class); Byrt, Bishop & Carlin 1993 (PABAK); Gwet 2008 (AC1); Krippendorff
2011 (α); Wilson 1927 (interval of the raw agreement).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from skillbench_tasks.models.base import Model
from skillbench_tasks.scorers.krippendorff import (
    Alpha,
    Level,
    krippendorff_alpha,
    label_codes,
    require_equal_lengths,
)
from skillbench_tasks.scorers.statistic import (
    Interval,
    Mean,
    Reason,
    Statistic,
    Undefined,
    Z,
    mean_of,
    ratio,
    wilson_interval,
)
from skillbench_tasks.scorers.strictness import (
    RankingStability,
    Strictness,
    ranking_stability,
    strictness,
)

__all__ = [
    "Alpha",
    "Interval",
    "JudgePair",
    "JudgeVotes",
    "Level",
    "Mean",
    "PairAgreement",
    "PanelAgreement",
    "RankingStability",
    "Reason",
    "Statistic",
    "Strictness",
    "Undefined",
    "Vote",
    "cohen_kappa",
    "krippendorff_alpha",
    "pair_agreement",
    "panel_agreement",
    "ranking_stability",
    "strictness",
]

Vote: TypeAlias = bool | None
"""A judge's pass verdict on one unit; None is unscored, which is missing and no third class."""

_Codes: TypeAlias = NDArray[np.intp]


class PairAgreement(Model):
    """Agreement of two judges on pass or fail, over the units that both have scored.

    Args:
        planned: All units.
        n: Units that both have scored; everything below is over these.
        both_pass, both_fail: Units on which they agree.
        first_only, second_only: Units that only the first or only the second passes.
        raw: Share of units on which they agree.
        raw_interval: Its Wilson interval.
        positive, negative: Agreement on passes, on fails: twice the agreeing votes of the class
            over all of it.
        prevalence_first, prevalence_second: Share of passes of either judge.
        prevalence: Share of passes among the votes of both.
        kappa: Cohen's κ. Undefined where one class only was seen; 0 by definition where one judge
            gives one class only and the other both, whatever the raw agreement.
        kappa_interval: Its large-sample interval, within -1 to 1. Undefined where the standard
            error is 0 (perfect agreement, a judge who never varies): no width would look like
            certainty.
        pabak: Prevalence- and bias-adjusted κ, 2 · raw - 1.
        ac1: Gwet's AC1; like PABAK it is defined, and 1, where one class only was seen.
    """

    planned: int
    n: int
    both_pass: int
    both_fail: int
    first_only: int
    second_only: int
    raw: Statistic
    raw_interval: Interval | Undefined
    positive: Statistic
    negative: Statistic
    prevalence_first: Statistic
    prevalence_second: Statistic
    prevalence: Statistic
    kappa: Statistic
    kappa_interval: Interval | Undefined
    pabak: Statistic
    ac1: Statistic


class JudgePair(Model):
    """Two judges, in the order of their names, and their agreement."""

    first: str
    second: str
    agreement: PairAgreement


class JudgeVotes(Model):
    """What one judge has voted: the pass rate is over the units it has scored."""

    judge: str
    scored: int
    unscored: int
    passes: int
    pass_rate: Statistic


class PanelAgreement(Model):
    """Agreement of all judges; the same under every order of judges and of units.

    Args:
        planned: All units.
        judges: Each judge's votes, sorted by name.
        pairs: Each pair of judges, sorted.
        raw: Mean raw agreement over the pairs with common verdicts.
        kappa: Mean κ over the pairs that define it.
        alpha: Krippendorff's nominal α over all judges.
        strictness: Who passes most and least, and how far apart.
    """

    planned: int
    judges: tuple[JudgeVotes, ...]
    pairs: tuple[JudgePair, ...]
    raw: Mean
    kappa: Mean
    alpha: Alpha
    strictness: Strictness


def pair_agreement(first: Sequence[Vote], second: Sequence[Vote]) -> PairAgreement:
    """Return the agreement of two judges.

    Args:
        first: One judge's vote on each unit.
        second: The other's, on the same units in the same order.

    Raises:
        ValueError: The lengths differ, or a vote is none (a mean over epochs, NaN from a log).
    """
    require_equal_lengths([first, second])
    return _pair(_vote_codes(first), _vote_codes(second))


def panel_agreement(votes: Mapping[str, Sequence[Vote]]) -> PanelAgreement:
    """Return the agreement of a panel.

    Args:
        votes: Judge → its vote on each unit; all judges on the same units in the same order.

    Raises:
        ValueError: The lengths differ, or a vote is none (a mean over epochs, NaN from a log).
    """
    names = sorted(votes)
    planned = require_equal_lengths([votes[name] for name in names])
    codes = {name: _vote_codes(votes[name]) for name in names}
    judges = tuple(_judge_votes(name, codes[name]) for name in names)
    pairs = tuple(
        JudgePair(first=one, second=other, agreement=_pair(codes[one], codes[other]))
        for one, other in combinations(names, 2)
    )
    return PanelAgreement(
        planned=planned,
        judges=judges,
        pairs=pairs,
        raw=mean_of((p.agreement.raw for p in pairs), when_empty="fewer than two judges"),
        kappa=mean_of((p.agreement.kappa for p in pairs), when_empty="fewer than two judges"),
        alpha=krippendorff_alpha([votes[name] for name in names]),
        strictness=strictness({judge.judge: judge.pass_rate for judge in judges}),
    )


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> Statistic:
    """Return Cohen's κ of two judges over any nominal labels.

    Args:
        first: One judge's label of each unit; None, or NaN as stored logs write it, is a missing
            one.
        second: The other's, of the same units in the same order.

    Raises:
        ValueError: The lengths differ.
    """
    require_equal_lengths([first, second])
    codes, labels = label_codes([first, second])
    return _kappa(_table(codes[0], codes[1], len(labels)))


def _vote_codes(votes: Sequence[Vote]) -> _Codes:
    """1 for a pass, 0 for a fail, -1 for unscored."""
    for vote in votes:
        if vote is not None and not isinstance(vote, bool | np.bool_):
            raise ValueError(f"a vote is True, False or None (unscored), not {vote!r}")
    return np.array([-1 if vote is None else int(vote) for vote in votes], dtype=np.intp)


def _judge_votes(name: str, codes: _Codes) -> JudgeVotes:
    passes, scored = int((codes == 1).sum()), int((codes >= 0).sum())
    return JudgeVotes(
        judge=name,
        scored=scored,
        unscored=codes.size - scored,
        passes=passes,
        pass_rate=ratio(passes, scored, "no scored votes"),
    )


def _table(first: _Codes, second: _Codes, labels: int) -> _Codes:
    """Count the units for each label of the first (rows) and the second; -1 is no label."""
    both = (first >= 0) & (second >= 0)
    cells = np.bincount(labels * first[both] + second[both], minlength=labels**2)
    return cells.reshape(labels, labels)


def _kappa(table: _Codes) -> Statistic:
    """Cohen's κ from a table of counts."""
    first, second = np.nonzero(table)
    if not first.size:
        return Undefined(reason="no common verdicts")
    if len({*first.tolist(), *second.tolist()}) == 1:
        return Undefined(reason="one class only")
    from sklearn.metrics import cohen_kappa_score  # slow to import, and not every run has judges

    # A cell with its count as weight is the same as its units, and there are far fewer cells.
    return float(cohen_kappa_score(first, second, sample_weight=table[first, second]))


def _pair(first: _Codes, second: _Codes) -> PairAgreement:
    table = _table(first, second, 2)
    (both_fail, second_only), (first_only, both_pass) = table.tolist()
    agreed, apart = both_pass + both_fail, first_only + second_only
    n = agreed + apart
    kappa, kappa_interval = _kappa_with_interval(table)
    return PairAgreement(
        planned=first.size,
        n=n,
        both_pass=both_pass,
        both_fail=both_fail,
        first_only=first_only,
        second_only=second_only,
        raw=ratio(agreed, n, "no common verdicts"),
        raw_interval=wilson_interval(agreed, n),
        positive=_class_agreement(both_pass, apart, n, "no pass verdicts"),
        negative=_class_agreement(both_fail, apart, n, "no fail verdicts"),
        prevalence_first=ratio(both_pass + first_only, n, "no common verdicts"),
        prevalence_second=ratio(both_pass + second_only, n, "no common verdicts"),
        prevalence=ratio(2 * both_pass + apart, 2 * n, "no common verdicts"),
        kappa=kappa,
        kappa_interval=kappa_interval,
        pabak=ratio(2 * agreed - n, n, "no common verdicts"),
        ac1=_ac1(agreed, n, passes=2 * both_pass + apart),
    )


def _class_agreement(both: int, apart: int, n: int, when_unseen: Reason) -> Statistic:
    return ratio(2 * both, 2 * both + apart, when_unseen if n else "no common verdicts")


def _ac1(agreed: int, n: int, passes: int) -> Statistic:
    """Gwet's AC1 for two classes: chance agreement 2π(1 - π) is at most ½, never 1."""
    if not n:
        return Undefined(reason="no common verdicts")
    prevalence = Fraction(passes, 2 * n)
    chance = 2 * prevalence * (1 - prevalence)
    return float((Fraction(agreed, n) - chance) / (1 - chance))


def _kappa_with_interval(table: _Codes) -> tuple[Statistic, Interval | Undefined]:
    kappa = _kappa(table)
    if isinstance(kappa, Undefined):
        return kappa, kappa
    variance = _kappa_variance(table.tolist())
    if not variance:
        return kappa, Undefined(reason="no sampling variation")
    half = Z * math.sqrt(variance)
    lower, upper = max(-1.0, kappa - half), min(1.0, kappa + half)
    return kappa, Interval(lower=lower, upper=upper, method="asymptotic")


def _kappa_variance(table: Sequence[Sequence[int]]) -> Fraction:
    """Large-sample variance of κ (Fleiss, Cohen & Everitt 1969); exact, to tell 0 from nearly 0."""
    n = sum(map(sum, table))
    shares = [[Fraction(count, n) for count in row] for row in table]
    rows = [sum(row) for row in shares]
    columns = [sum(column) for column in zip(*shares, strict=True)]
    chance, same, mixed, agreed = Fraction(0), Fraction(0), Fraction(0), Fraction(0)
    for i, row in enumerate(shares):
        agreed += row[i]
        chance += rows[i] * columns[i]
        mixed += sum(share * (columns[i] + rows[j]) ** 2 for j, share in enumerate(row) if i != j)
    excess = (1 - agreed) / (1 - chance)  # 1 - κ
    for i, row in enumerate(shares):
        same += row[i] * (1 - (rows[i] + columns[i]) * excess) ** 2
    centre = 1 - excess - chance * excess
    return (same + excess**2 * mixed - centre**2) / (n * (1 - chance) ** 2)
