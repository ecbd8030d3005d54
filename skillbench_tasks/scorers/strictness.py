"""How strict judges are, and whether the ranking of models survives another judge.

Source: the judge analysis of `skill-execution`: who passes most and least, for how many models, how
far apart, and how stable the order of the models is over judges (Kendall's τ-b, 1945).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from skillbench_tasks.models.base import Model
from skillbench_tasks.scorers.statistic import Mean, Statistic, Undefined, mean_of

__all__ = [
    "JudgeExtremes",
    "ModelStrictness",
    "RankingPair",
    "RankingStability",
    "Strictness",
    "ranking_stability",
    "strictness",
]


class Strictness(Model):
    """How far the judges' pass rates lie apart.

    Args:
        spread: Highest minus lowest pass rate, in percentage points.
        most_lenient: The judges with the highest pass rate, sorted; several where they tie, and the
            same as the strictest where all do.
        strictest: The judges with the lowest, sorted.
        judges: How many judges have a pass rate.
    """

    spread: Statistic
    most_lenient: tuple[str, ...]
    strictest: tuple[str, ...]
    judges: int


class ModelStrictness(Model):
    """The judges' strictness on one model."""

    model: str
    strictness: Strictness


class RankingPair(Model):
    """Kendall's τ-b between the rankings of two judges, over the models that both have rated."""

    first: str
    second: str
    models: int
    tau: Statistic


class JudgeExtremes(Model):
    """For how many models a judge is at an end; a tie counts for each judge in it."""

    judge: str
    most_lenient: int
    strictest: int


class RankingStability(Model):
    """Whether judges put the models in the same order.

    Args:
        pairs: Each pair of judges, sorted.
        tau: Mean τ-b over the pairs that define it.
        judges: Each judge's count of models at an end, sorted by name.
        models: The strictness on each model, sorted by name.
        compared: Models with at least two judges: of so many are the counts of `judges`.
    """

    pairs: tuple[RankingPair, ...]
    tau: Mean
    judges: tuple[JudgeExtremes, ...]
    models: tuple[ModelStrictness, ...]
    compared: int


def strictness(pass_rates: Mapping[str, Statistic]) -> Strictness:
    """Return who passes most and least.

    Args:
        pass_rates: Judge → share of passes, 0 to 1. Judges without one are left out.

    Raises:
        ValueError: A pass rate lies outside 0 to 1 (NaN does).
    """
    rates = _defined(pass_rates)
    if len(rates) < 2:
        few = Undefined(reason="fewer than two judges")
        return Strictness(spread=few, most_lenient=(), strictest=(), judges=len(rates))
    highest, lowest = max(rates.values()), min(rates.values())
    return Strictness(
        spread=100 * (highest - lowest),
        most_lenient=tuple(sorted(name for name, rate in rates.items() if rate == highest)),
        strictest=tuple(sorted(name for name, rate in rates.items() if rate == lowest)),
        judges=len(rates),
    )


def ranking_stability(pass_rates: Mapping[str, Mapping[str, Statistic]]) -> RankingStability:
    """Return how far the ranking of models depends on the judge.

    Args:
        pass_rates: Model → judge → share of passes, 0 to 1. A judge may be absent or undefined for
            a model; a pair of judges is then compared on the models that both have rated.

    Raises:
        ValueError: A pass rate lies outside 0 to 1 (NaN does).
    """
    rates = {model: _defined(pass_rates[model]) for model in sorted(pass_rates)}
    judges = sorted({judge for row in pass_rates.values() for judge in row})
    pairs = tuple(_ranking_pair(rates, *pair) for pair in combinations(judges, 2))
    models = tuple(ModelStrictness(model=m, strictness=strictness(row)) for m, row in rates.items())
    return RankingStability(
        pairs=pairs,
        tau=mean_of((pair.tau for pair in pairs), when_empty="fewer than two judges"),
        judges=tuple(
            JudgeExtremes(
                judge=judge,
                most_lenient=sum(judge in model.strictness.most_lenient for model in models),
                strictest=sum(judge in model.strictness.strictest for model in models),
            )
            for judge in judges
        ),
        models=models,
        compared=sum(model.strictness.judges >= 2 for model in models),
    )


def _defined(pass_rates: Mapping[str, Statistic]) -> dict[str, float]:
    rates = {n: rate for n, rate in pass_rates.items() if not isinstance(rate, Undefined)}
    for name, rate in rates.items():
        if not 0 <= rate <= 1:
            raise ValueError(f"pass rate of {name} is {rate}; it is a share, 0 to 1")
    return rates


def _ranking_pair(rates: Mapping[str, Mapping[str, float]], one: str, other: str) -> RankingPair:
    common = [(row[one], row[other]) for row in rates.values() if one in row and other in row]
    return RankingPair(first=one, second=other, models=len(common), tau=_tau_b(common))


def _tau_b(points: list[tuple[float, float]]) -> Statistic:
    """τ-b of two rankings of the same models, one point for each."""
    if len(points) < 2:
        return Undefined(reason="fewer than two models")
    firsts, seconds = zip(*points, strict=True)
    if len(set(firsts)) == 1 or len(set(seconds)) == 1:
        return Undefined(reason="one judge ties all models")
    from scipy.stats import kendalltau  # slow to import, and not every run ranks models

    return float(kendalltau(firsts, seconds).statistic)
