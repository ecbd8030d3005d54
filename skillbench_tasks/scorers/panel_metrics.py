"""Rows of the judge panel over all conversations: coverage, agreement, strictness.

Agreement is counted over single conversations, each epoch by itself: on means over epochs pass and
fail do not exist. A statistic that the votes do not define has no row; the row `… undefined` is
then 1, and n stands beside every figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from inspect_ai.scorer import Metric, SampleScore, Score, metric

from skillbench_tasks.scorers.agreement import (
    JudgePair,
    PanelAgreement,
    Statistic,
    Undefined,
    Vote,
    panel_agreement,
)

__all__ = ["PASS_PREFIX", "VALID", "agreement_rows", "coverage_rows", "judge_agreement", "votes_of"]

PASS_PREFIX: Final = "pass:"
"""What the keys of the judges' votes begin with."""

VALID: Final = "valid"
"""Row that is 0 when more verdicts are missing than the run allows; a tie is none of them."""

_PANEL: Final = "panel_pass"
_BOUND: Final = "max_unscored"


@metric(scores="unreduced")
def judge_agreement(panel: str = _PANEL) -> Metric:
    """Coverage and agreement of the judges over all conversations.

    Args:
        panel: Key of the panel's verdict in a score's value.
    """

    def rows(scores: list[SampleScore]) -> dict[str, float]:
        values = [s.score.value for s in scores if isinstance(s.score.value, dict)]
        bounds = [s.score.metadata[_BOUND] for s in scores if s.score.metadata]
        votes = votes_of(values)
        verdicts = [_vote(value.get(panel)) for value in values]
        missing = [_without_verdict(s.score) for s in scores if isinstance(s.score.value, dict)]
        coverage = coverage_rows(votes, verdicts, min(bounds, default=1.0), missing)
        return {**coverage, **dict(agreement_rows(panel_agreement(votes)))}

    return rows


def votes_of(values: Sequence[Mapping[str, object]]) -> dict[str, list[Vote]]:
    """Return each judge's votes, one for each conversation.

    Args:
        values: Values of the scores: `pass:<judge>` is 1, 0 or `NaN`.
    """
    names = sorted({key for value in values for key in value if key.startswith(PASS_PREFIX)})
    return {
        key.removeprefix(PASS_PREFIX): [_vote(value.get(key)) for value in values] for key in names
    }


def coverage_rows(
    votes: Mapping[str, Sequence[Vote]],
    panel: Sequence[Vote],
    unscored_max: float,
    missing: Sequence[Collection[str]] | None = None,
) -> dict[str, float]:
    """Return how many conversations were judged, and whether enough of them were.

    Where there was none, that is not known.

    Args:
        votes: Each judge's votes.
        panel: The panel's verdicts.
        unscored_max: Share of a judge's verdicts, or of the panel's, that may be missing.
        missing: For each conversation the judges of which there is no verdict; default: those
            without a vote. A tie that the rule leaves open misses a vote and no verdict.
    """
    planned = len(panel)
    unscored = {name: sum(vote is None for vote in given) for name, given in votes.items()}
    panel_unscored = sum(vote is None for vote in panel)
    if missing is None:
        missing = [[n for n, given in votes.items() if given[at] is None] for at in range(planned)]
    without_quorum = sum(2 * len(names) >= len(votes) for names in missing)
    worst = max([*Counter(n for names in missing for n in names).values(), without_quorum])
    return {
        "planned": float(planned),
        "panel scored": float(planned - panel_unscored),
        "panel unscored": float(panel_unscored),
        **{f"unscored: {name}": float(count) for name, count in unscored.items()},
        **({VALID: float(worst <= unscored_max * planned)} if planned else {}),
    }


def _without_verdict(score: Score) -> list[str]:
    answers = (score.metadata or {}).get("answers", {})
    return [
        judge
        for judge, given in answers.items()
        if all(answer["kind"] == "unscored" for answer in given)
    ]


def agreement_rows(found: PanelAgreement) -> Iterator[tuple[str, float]]:
    """Yield the panel's agreement as rows: over all pairs, over all judges, for each pair.

    Args:
        found: The statistics.
    """
    yield from _row("mean raw agreement", found.raw.value)
    yield from _row("mean kappa", found.kappa.value)
    yield "mean kappa n pairs", float(found.kappa.defined)
    yield "pairs", float(found.kappa.of)
    yield from _row("alpha", found.alpha.value)
    yield "alpha n", float(found.alpha.units)
    yield from _row("strictness spread points", found.strictness.spread)
    for judge in found.judges:
        yield from _row(f"prevalence: {judge.judge}", judge.pass_rate)
    for pair in found.pairs:
        yield from _pair_rows(pair)


def _pair_rows(pair: JudgePair) -> Iterator[tuple[str, float]]:
    name, found = f"{pair.first} | {pair.second}", pair.agreement
    yield f"n: {name}", float(found.n)
    for label, value in (
        ("raw agreement", found.raw),
        ("kappa", found.kappa),
        ("pabak", found.pabak),
        ("ac1", found.ac1),
        ("prevalence", found.prevalence),
    ):
        yield from _row(f"{label}: {name}", value)


def _row(name: str, value: Statistic) -> Iterator[tuple[str, float]]:
    if isinstance(value, Undefined):
        yield f"{name} undefined", 1.0
    else:
        yield name, value


def _vote(value: object) -> Vote:
    return None if not isinstance(value, int | float) or value != value else value >= 1
