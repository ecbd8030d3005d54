"""The bootstrap of clustered means: no false certainty, the coverage it claims, the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

from skillbench_tasks.scorers.bootstrap import RESAMPLES, mean_interval, ratio_interval
from skillbench_tasks.scorers.statistic import Interval, Undefined


def _width(interval: Interval | Undefined) -> float:
    assert isinstance(interval, Interval), interval
    return interval.upper - interval.lower


def test_interval_of_two_clusters_is_their_range() -> None:
    """Half of the resamples hold one cluster alone, so both ends are in every tail."""
    interval = ratio_interval([0.0, 4.0], [4.0, 4.0])
    assert interval == Interval(lower=0.0, upper=1.0, method="cluster bootstrap")


def test_interval_of_many_values_is_the_normal_one() -> None:
    values = [float(i % 5 == 0) for i in range(2000)]
    interval = ratio_interval(values, [1.0] * 2000)
    assert isinstance(interval, Interval)
    half = 1.96 * (0.2 * 0.8 / 2000) ** 0.5
    assert (interval.lower, interval.upper) == pytest.approx((0.2 - half, 0.2 + half), abs=0.0015)


@pytest.mark.parametrize(
    ("parts", "wholes", "reason"),
    [
        pytest.param([], [], "fewer than two clusters", id="nothing"),
        pytest.param([3.0], [5.0], "fewer than two clusters", id="one-cluster"),
        pytest.param([3.0, 0.0], [5.0, 0.0], "fewer than two clusters", id="one-with-values"),
        pytest.param([0.0, 0.0, 0.0], [1.0, 2.0, 3.0], "no sampling variation", id="all-zero"),
        pytest.param([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], "no sampling variation", id="all-one"),
        pytest.param([0.1 + 0.2, 0.3], [1.0, 1.0], "no sampling variation", id="rounding"),
    ],
)
def test_interval_without_width_is_undefined(
    parts: list[float], wholes: list[float], reason: str
) -> None:
    found = ratio_interval(parts, wholes)
    assert isinstance(found, Undefined)
    assert found.reason == reason


@pytest.mark.parametrize("wholes", [[1.0], [1.0, -1.0]], ids=["lengths", "below-zero"])
def test_unfit_input_is_refused(wholes: list[float]) -> None:
    with pytest.raises(ValueError, match="as many"):
        ratio_interval([1.0, 1.0], wholes)


def test_decisions_that_agree_in_their_conversation_count_as_one() -> None:
    """20 conversations of 10 equal decisions: √10 wider than 200 decisions of their own."""
    values = {f"{c}#{d}": float(c % 2) for c in range(20) for d in range(10)}
    clustered = mean_interval(values, {one: one.split("#")[0] for one in values})
    plain = mean_interval(values, {one: one for one in values})
    assert _width(clustered) == pytest.approx(10**0.5 * _width(plain), rel=0.2)


def test_order_of_values_moves_no_byte() -> None:
    values = {f"{c}#{d}": (c * 7 + d * 3) % 10 / 10 for c in range(9) for d in range(c + 1)}
    clusters = {one: one.split("#")[0] for one in values}
    backwards = dict(reversed(values.items()))
    assert mean_interval(values, clusters) == mean_interval(backwards, clusters)


def test_blocks_of_resamples_are_all_drawn() -> None:
    """So many clusters that the draws come in several blocks, the last one smaller."""
    clusters = 3_000_000 // RESAMPLES
    interval = ratio_interval([i % 2 for i in range(clusters)], [1.0] * clusters)
    half = 1.96 * 0.5 / clusters**0.5
    assert _width(interval) == pytest.approx(2 * half, rel=0.08)


def test_interval_of_a_known_difference_covers_it_as_often_as_it_says() -> None:
    """Two simulated predictors, 84 conversations of 2 to 18 decisions, some harder than others.

    A passes a decision with its conversation's p, B with 0.7 p + 0.25; p is 0.5 on average and the
    same for all decisions of a conversation, so the true difference is 0.1.
    """
    rng = np.random.default_rng(20260301)
    clustered = plain = 0
    for _ in range(200):
        sizes = rng.integers(2, 19, size=84)
        easy = rng.beta(0.5, 0.5, size=84)
        both = [
            (rng.random(n) < 0.7 * p + 0.25).astype(float) - (rng.random(n) < p)
            for n, p in zip(sizes, easy, strict=True)
        ]
        apart = ratio_interval([float(one.sum()) for one in both], sizes.astype(float).tolist())
        clustered += _covers(apart, 0.1)
        mean, error = np.concatenate(both).mean(), np.concatenate(both).std() / sizes.sum() ** 0.5
        plain += abs(mean - 0.1) <= 1.96 * error
    print(f"coverage of 200: clustered {clustered / 2} %, of single decisions {plain / 2} %")
    assert 0.90 <= clustered / 200 <= 0.99
    assert plain < clustered


def _covers(interval: Interval | Undefined, value: float) -> bool:
    return isinstance(interval, Interval) and interval.lower <= value <= interval.upper
