"""Agreement between judges: hand-computed tables, published examples, a slow second implementation, properties."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.scorer import krippendorff_alpha as inspect_alpha
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

import skillbench_tasks.scorers
from skillbench_tasks.scorers.agreement import (
    Interval,
    Level,
    PairAgreement,
    PanelAgreement,
    Reason,
    Statistic,
    Undefined,
    Vote,
    cohen_kappa,
    krippendorff_alpha,
    pair_agreement,
    panel_agreement,
    ranking_stability,
    strictness,
)
from skillbench_tasks.scorers.statistic import Z

# scikit-learn and NumPy warn of degenerate input: none of it may reach them.
pytestmark = pytest.mark.filterwarnings(
    "error",
    # What other tests left to the garbage collector is no warning of a statistic.
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)

P, F, U = True, False, None
NO_PASS, NO_FAIL, NONE = "no pass verdicts", "no fail verdicts", "no common verdicts"
ONE = "one class only"
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")

Expected = str | int
"""A reason, or a number as a fraction in text."""


def _is(value: Statistic, expected: Expected) -> bool:
    try:
        number = float(Fraction(expected))
    except ValueError:
        return value == Undefined.model_validate({"reason": expected})
    return not isinstance(value, Undefined) and math.isclose(value, number, abs_tol=1e-12)


def _defined(value: Statistic) -> float:
    assert not isinstance(value, Undefined)
    return value


def _votes(pp: int, pf: int, fp: int, ff: int) -> tuple[list[Vote], list[Vote]]:
    pairs = [(P, P)] * pp + [(P, F)] * pf + [(F, P)] * fp + [(F, F)] * ff
    return [a for a, _ in pairs], [b for _, b in pairs]


# Both pass, first only, second only, both fail → raw, positive, negative, κ, PABAK, AC1.
# fmt: off
TABLES: dict[str, tuple[tuple[int, int, int, int], tuple[Expected, ...]]] = {
    "textbook, κ 0.4":            ((20, 5, 10, 15), ("7/10", "8/11", "2/3", "2/5", "2/5", "41/101")),
    "same raw, κ 0.13":           ((45, 15, 25, 15), ("3/5", "9/13", "3/7", "3/23", "1/5", "29/109")),
    "same raw, κ 0.26":           ((25, 35, 5, 35), ("3/5", "5/9", "7/11", "7/27", "1/5", "21/101")),
    "Gwet's paradox":             ((118, 5, 2, 0), ("118/125", "236/243", 0, "-4/171", "111/125", "27799/29549")),
    "24 agree, 1 not, passes":    ((24, 1, 0, 0), ("24/25", "48/49", 0, 0, "23/25", "1151/1201")),
    "24 agree, 1 not, fails":     ((0, 0, 1, 24), ("24/25", 0, "48/49", 0, "23/25", "1151/1201")),
    "24 agree, 1 of them a fail": ((23, 1, 0, 1), ("24/25", "46/47", "2/3", "46/71", "23/25", "1059/1109")),
    "passes only":                ((5, 0, 0, 0), (1, 1, NO_FAIL, ONE, 1, 1)),
    "fails only":                 ((0, 0, 0, 4), (1, NO_PASS, 1, ONE, 1, 1)),
    "one unit, one class":        ((1, 0, 0, 0), (1, 1, NO_FAIL, ONE, 1, 1)),
    "one unit, apart":            ((0, 1, 0, 0), (0, 0, 0, 0, -1, -1)),
    "perfect, both classes":      ((3, 0, 0, 2), (1, 1, 1, 1, 1, 1)),
    "opposite":                   ((0, 2, 2, 0), (0, 0, 0, -1, -1, -1)),
    "opposite and constant":      ((0, 3, 0, 0), (0, 0, 0, 0, -1, -1)),
    "one judge constant":         ((3, 1, 0, 0), ("3/4", "6/7", 0, 0, "1/2", "17/25")),
    "independent":                ((1, 1, 1, 1), ("1/2", "1/2", "1/2", 0, 0, 0)),
    "three units":                ((1, 1, 0, 1), ("2/3", "2/3", "2/3", "2/5", "1/3", "1/3")),
    "below chance":               ((80, 10, 10, 0), ("4/5", "8/9", 0, "-1/9", "3/5", "31/41")),
    "nothing in common":          ((0, 0, 0, 0), (NONE, NONE, NONE, NONE, NONE, NONE)),
}
# fmt: on


@pytest.mark.parametrize(("table", "expected"), TABLES.values(), ids=TABLES.keys())
def test_pair_agreement_equals_the_hand_computation(
    table: tuple[int, int, int, int], expected: tuple[Expected, ...]
) -> None:
    pair = pair_agreement(*_votes(*table))
    found = (pair.raw, pair.positive, pair.negative, pair.kappa, pair.pabak, pair.ac1)
    assert [_is(*row) for row in zip(found, expected, strict=True)] == [True] * 6, found
    assert (pair.both_pass, pair.first_only, pair.second_only, pair.both_fail) == table
    assert (pair.n, pair.planned) == (sum(table), sum(table))


def test_17_prevalence_stands_beside_a_low_kappa() -> None:
    pair = pair_agreement(*_votes(24, 1, 0, 0))
    assert (pair.prevalence_first, pair.prevalence_second, pair.prevalence) == (1, 0.96, 0.98)


def test_17_one_dissent_in_25_gives_alpha_0_beside_high_agreement() -> None:
    first, second = _votes(24, 1, 0, 0)
    panel = panel_agreement({"a": first, "b": second})
    assert (panel.alpha.value, panel.alpha.units, panel.raw.value) == (0.0, 25, 0.96)
    # A third of the resamples miss the one dissent and define no α.
    assert panel.alpha.interval == Undefined(reason="one class only in resamples")


def test_14_votes_pass_unscored_fail_in_all_orders_give_the_same() -> None:
    for order in permutations([P, U, F]):
        panel = panel_agreement({name: [vote] for name, vote in zip("abc", order, strict=True)})
        assert sorted(pair.agreement.n for pair in panel.pairs) == [0, 0, 1]
        assert (panel.raw.value, panel.raw.defined, panel.raw.of) == (0.0, 1, 3)
        assert (panel.kappa.value, panel.kappa.defined, panel.kappa.of) == (0.0, 1, 3)
        # Two labels, both apart: observed and expected disagreement are the same.
        assert (panel.alpha.value, panel.alpha.units, panel.alpha.labels) == (0.0, 1, 2)
        (lenient,), (strict,) = panel.strictness.most_lenient, panel.strictness.strictest
        assert (order["abc".index(lenient)], order["abc".index(strict)]) == (P, F)
        assert panel.strictness.spread == 100.0


def test_14_panel_is_the_same_under_every_order_of_judges() -> None:
    votes: dict[str, list[Vote]] = {"b": [P, F, U, F], "c": [P, P, P, F], "a": [F, F, P, U]}
    found = {
        panel_agreement(dict(order)).model_dump_json() for order in permutations(votes.items())
    }
    assert len(found) == 1


def test_16_panel_shows_n_beside_every_figure() -> None:
    panel = panel_agreement({"a": [P, F, U, U], "b": [P, U, F, U], "c": [U, U, U, U]})
    assert [(j.judge, j.scored, j.unscored, j.passes) for j in panel.judges] == [
        ("a", 2, 2, 1),
        ("b", 2, 2, 1),
        ("c", 0, 4, 0),
    ]
    assert [judge.pass_rate for judge in panel.judges] == [
        0.5,
        0.5,
        Undefined(reason="no scored votes"),
    ]
    assert [(p.first, p.second, p.agreement.n, p.agreement.planned) for p in panel.pairs] == [
        ("a", "b", 1, 4),
        ("a", "c", 0, 4),
        ("b", "c", 0, 4),
    ]
    assert (panel.raw.value, panel.raw.defined, panel.raw.of) == (1.0, 1, 3)
    assert (panel.kappa.value, panel.kappa.defined) == (
        Undefined(reason="undefined for every pair"),
        0,
    )
    assert (panel.alpha.value, panel.alpha.units, panel.alpha.planned) == (
        Undefined(reason="one class only"),
        1,
        4,
    )
    assert (panel.strictness.most_lenient, panel.strictness.judges) == (("a", "b"), 2)


def test_panel_of_three_equals_the_hand_computation() -> None:
    panel = panel_agreement({"c": [P, P, F, F], "a": [P, P, P, P], "b": [P, P, P, F]})
    # Raw 3/4, 2/4, 3/4; κ 0 for the pairs with the constant judge, (3/4 - 1/2) / (1/2) for the third.
    assert [pair.agreement.raw for pair in panel.pairs] == [0.75, 0.5, 0.75]
    assert [pair.agreement.kappa for pair in panel.pairs] == [0.0, 0.0, 0.5]
    assert _is(panel.raw.value, "2/3") and _is(panel.kappa.value, "1/6")
    # Units 3 and 4 have 4 of 6 ordered pairs apart, over 2: D_o = 4/12; D_e = 2·9·3 / (12·11).
    assert _is(panel.alpha.value, "5/27")
    assert (panel.strictness.most_lenient, panel.strictness.strictest) == (("a",), ("c",))
    assert panel.strictness.spread == 50.0


@pytest.mark.parametrize(
    ("judges", "planned", "alpha"),
    [
        pytest.param({}, 0, "fewer than two judges", id="no judge"),
        pytest.param({"a": [P, F]}, 2, "fewer than two judges", id="one judge"),
        pytest.param({"a": [], "b": []}, 0, "no common verdicts", id="no unit"),
        pytest.param({"a": [U], "b": [U]}, 1, "no common verdicts", id="nothing scored"),
        pytest.param({"a": [P, U], "b": [U, P]}, 2, "no common verdicts", id="nothing in common"),
        pytest.param({"a": [P, P], "b": [P, P]}, 2, "one class only", id="one class"),
    ],
)
def test_panel_without_agreement_says_why(
    judges: dict[str, list[Vote]], planned: int, alpha: Reason
) -> None:
    panel = panel_agreement(judges)
    assert (panel.planned, panel.alpha.value) == (planned, Undefined(reason=alpha))
    assert isinstance(panel.kappa.value, Undefined)
    assert panel.alpha.interval == panel.alpha.value


def test_results_survive_json() -> None:
    panel = panel_agreement({"a": [P, P, F], "b": [P, U, P], "c": [P, P, P]})
    assert PanelAgreement.model_validate_json(panel.model_dump_json()) == panel
    assert "NaN" not in panel.model_dump_json()
    json.loads(panel.model_dump_json(), parse_constant=pytest.fail)


@pytest.mark.parametrize("vote", [1.0, 0.5, float("nan"), 1, "pass"], ids=repr)
def test_vote_that_is_no_verdict_is_refused(vote: Hashable) -> None:
    votes: list[Vote] = [P, vote]  # type: ignore[list-item]
    with pytest.raises(ValueError, match="a vote is True, False or None"):
        pair_agreement(votes, [P, P])
    with pytest.raises(ValueError, match="a vote is True, False or None"):
        panel_agreement({"a": votes, "b": [P, P]})


def test_rows_of_different_lengths_are_refused() -> None:
    calls: list[Callable[[], object]] = [
        lambda: pair_agreement([P], [P, F]),
        lambda: panel_agreement({"a": [P], "b": [P, F]}),
        lambda: cohen_kappa(["x"], []),
        lambda: krippendorff_alpha([[1, 2], [1]]),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="different lengths"):
            call()


# --- intervals ---


@pytest.mark.parametrize(("agreed", "n"), [(24, 25), (0, 7), (7, 7), (1, 1), (500, 1000)])
def test_raw_interval_is_the_wilson_interval(agreed: int, n: int) -> None:
    interval = pair_agreement(*_votes(agreed, n - agreed, 0, 0)).raw_interval
    assert isinstance(interval, Interval)
    expected = binomtest(agreed, n).proportion_ci(0.95, "wilson")
    assert (interval.lower, interval.upper) == pytest.approx((expected.low, expected.high))


def test_raw_interval_of_perfect_agreement_is_not_certainty() -> None:
    interval = pair_agreement(*_votes(3, 0, 0, 1)).raw_interval
    assert isinstance(interval, Interval)
    assert interval.lower == pytest.approx(4 / (4 + Z**2))
    assert interval.upper == 1.0


def test_kappa_interval_with_even_margins_equals_the_hand_computation() -> None:
    pair = pair_agreement(*_votes(20, 5, 5, 20))
    assert isinstance(pair.kappa_interval, Interval)
    half = 1.959963984540054 * math.sqrt(4 * 0.8 * 0.2 / 50)  # κ is 2 · raw - 1 here
    found = (pair.kappa_interval.lower, pair.kappa_interval.upper)
    assert found == pytest.approx((0.6 - half, 0.6 + half))


@pytest.mark.parametrize("table", [(20, 5, 10, 15), (118, 5, 2, 0), (23, 1, 0, 1), (9, 3, 1, 40)])
def test_kappa_interval_equals_the_delta_method(table: tuple[int, int, int, int]) -> None:
    def kappa(shares: list[float]) -> float:
        pp, pf, fp, ff = shares
        total = sum(shares)
        chance = ((pp + pf) * (pp + fp) + (ff + pf) * (ff + fp)) / total**2
        return ((pp + ff) / total - chance) / (1 - chance)

    n, step = sum(table), 1e-6
    shares = [count / n for count in table]
    slopes = []
    for cell in range(4):
        up, down = shares.copy(), shares.copy()
        up[cell], down[cell] = up[cell] + step, down[cell] - step
        slopes.append((kappa(up) - kappa(down)) / (2 * step))
    mean = sum(s * p for s, p in zip(slopes, shares, strict=True))
    variance = sum(p * (s - mean) ** 2 for s, p in zip(slopes, shares, strict=True)) / n
    interval = pair_agreement(*_votes(*table)).kappa_interval
    assert isinstance(interval, Interval)
    half = 1.959963984540054 * math.sqrt(variance)
    assert interval.lower == pytest.approx(max(-1, kappa(shares) - half), rel=1e-5)
    assert interval.upper == pytest.approx(min(1, kappa(shares) + half), rel=1e-5)


@pytest.mark.parametrize("table", [(3, 0, 0, 2), (3, 1, 0, 0), (0, 2, 2, 0), (0, 3, 0, 0)])
def test_kappa_interval_without_standard_error_is_undefined(
    table: tuple[int, int, int, int],
) -> None:
    pair = pair_agreement(*_votes(*table))
    assert pair.kappa_interval == Undefined(reason="no sampling variation")


def test_alpha_interval_is_near_that_of_kappa_and_repeats() -> None:
    first, second = _votes(200, 50, 50, 200)
    alpha = krippendorff_alpha([first, second])
    interval = alpha.interval
    assert isinstance(interval, Interval)
    half = 1.959963984540054 * math.sqrt(4 * 0.8 * 0.2 / 500)
    assert (interval.lower, interval.upper) == pytest.approx((0.6 - half, 0.6 + half), abs=0.008)
    assert krippendorff_alpha([second[::-1], first[::-1]]) == alpha


def test_alpha_interval_of_perfect_agreement_is_undefined() -> None:
    alpha = krippendorff_alpha([[1, 2, 3] * 9, [1, 2, 3] * 9])
    assert (alpha.value, alpha.interval) == (1.0, Undefined(reason="no sampling variation"))


# --- Cohen's κ over any labels ---


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param("abcb", "abcb", 1, id="same"),
        pytest.param("nnnupp", "nnunpp", "5/11", id="three labels"),
        pytest.param(["a", None, "b"], ["a", "b", None], ONE, id="missing is no label"),
        pytest.param(["a", float("nan"), "b"], ["a", "b", "b"], 1, id="NaN is no label"),
        pytest.param([None, "a"], ["a", None], NONE, id="nothing in common"),
        pytest.param([1, 1.0], [1.0, 1], ONE, id="1 is 1.0"),
        pytest.param([True, 1], [1, True], -1, id="1 is not True"),
        pytest.param([("x", 1), "y"], [("x", 1), "y"], 1, id="any hashable"),
    ],
)
def test_cohen_kappa_equals_the_hand_computation(
    first: Sequence[Hashable], second: Sequence[Hashable], expected: Expected
) -> None:
    assert _is(cohen_kappa(first, second), expected)


LABELS = st.sampled_from(["a", "b", "c", None])


@given(st.lists(st.tuples(LABELS, LABELS), max_size=30))
def test_cohen_kappa_equals_scikit_learn_and_the_definition(
    units: list[tuple[str | None, str | None]],
) -> None:
    kappa = cohen_kappa([a for a, _ in units], [b for _, b in units])
    scored = [(a, b) for a, b in units if a is not None and b is not None]
    if len({label for unit in scored for label in unit}) < 2:
        assert kappa == Undefined(reason="one class only" if scored else "no common verdicts")
        return
    assert _defined(kappa) == pytest.approx(
        cohen_kappa_score(*zip(*scored, strict=True)), abs=1e-12
    )
    firsts, seconds = Counter(a for a, _ in scored), Counter(b for _, b in scored)
    chance = sum(Fraction(firsts[x] * seconds[x], len(scored) ** 2) for x in "abc")
    observed = Fraction(sum(a == b for a, b in scored), len(scored))
    assert _is(kappa, str((observed - chance) / (1 - chance)))


# --- Krippendorff's α ---


def _slow_alpha(rows: Sequence[Sequence[int | None]], level: Level) -> Fraction | Reason:
    """α by its definition: a table of coincidences, exact fractions, loops."""
    table: dict[tuple[int, int], Fraction] = {}
    for unit in zip(*rows, strict=True):
        values = [value for value in unit if value is not None]
        for c, k in permutations(values, 2):
            table[c, k] = table.get((c, k), Fraction(0)) + Fraction(1, len(values) - 1)
    labels = sorted({label for pair in table for label in pair})
    if len(labels) < 2:
        return "one class only" if labels else "no common verdicts"
    totals = {c: sum((table.get((c, k), Fraction(0)) for k in labels), Fraction(0)) for c in labels}

    def distance(c: int, k: int) -> Fraction:
        if level == "nominal":
            return Fraction(c != k)
        if level == "interval":
            return Fraction((c - k) ** 2)
        between = [totals[g] for g in labels if min(c, k) <= g <= max(c, k)]
        return (sum(between) - (totals[c] + totals[k]) / 2) ** 2

    observed = sum((share * distance(c, k) for (c, k), share in table.items()), Fraction(0))
    expected = sum(totals[c] * totals[k] * distance(c, k) for c in labels for k in labels)
    return 1 - (sum(totals.values()) - 1) * observed / expected


def _row(text: str) -> list[int | None]:
    return [None if mark == "." else int(mark) for mark in text]


TWO_JUDGES = [_row("112243335441"), _row("212223335444")]
THREE_JUDGES = [_row(".....34121133.3"), _row("1.213343......."), _row("..21344.21133.4")]
FOUR_JUDGES = [
    _row("123321412..."),
    _row("1233224125.3"),
    _row(".3332342251."),
    _row("12332441251."),
]


@pytest.mark.parametrize(
    ("rows", "level", "expected"),
    [
        pytest.param([_row("0100000010"), _row("1110010000")], "nominal", 0.095, id="binary"),
        pytest.param(TWO_JUDGES, "nominal", 0.692, id="five labels"),
        pytest.param(THREE_JUDGES, "nominal", 0.691, id="three judges, nominal"),
        pytest.param(THREE_JUDGES, "interval", 0.811, id="three judges, interval"),
        pytest.param(FOUR_JUDGES, "nominal", 0.743, id="four judges, nominal"),
        pytest.param(FOUR_JUDGES, "ordinal", 0.815, id="four judges, ordinal"),
        pytest.param(FOUR_JUDGES, "interval", 0.849, id="four judges, interval"),
    ],
)
def test_alpha_equals_the_published_example(
    rows: list[list[int | None]], level: Level, expected: float
) -> None:
    assert _defined(krippendorff_alpha(rows, level).value) == pytest.approx(expected, abs=5e-4)


RATINGS = st.one_of(st.none(), st.integers(1, 5))


def _matrices(judges: int) -> st.SearchStrategy[list[list[int | None]]]:
    return st.integers(0, 8).flatmap(
        lambda units: st.lists(
            st.lists(RATINGS, min_size=units, max_size=units), min_size=judges, max_size=judges
        )
    )


@pytest.mark.parametrize("level", LEVELS)
@given(rows=st.integers(2, 4).flatmap(_matrices))
def test_alpha_equals_the_slow_definition(level: Level, rows: list[list[int | None]]) -> None:
    value = krippendorff_alpha(rows, level).value
    assert _is(value, str(_slow_alpha(rows, level)))
    assert isinstance(value, Undefined) or value <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_equals_the_metric_of_inspect_where_it_is_defined(level: Level) -> None:
    scores = [
        SampleScore(score=Score(value=[value for value in unit if value is not None]))
        for unit in zip(*FOUR_JUDGES, strict=True)
    ]
    value = _defined(krippendorff_alpha(FOUR_JUDGES, level).value)
    assert value == pytest.approx(inspect_alpha(level)(scores))  # type: ignore[arg-type]


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_two_classes_is_the_same_at_every_level(level: Level) -> None:
    rows: list[list[int | None]] = [
        [0, 1, 1, 0, 1, None],
        [0, 1, 0, 0, 1, 1],
        [1, 1, None, 0, 1, 0],
    ]
    assert _is(krippendorff_alpha(rows, level).value, str(_slow_alpha(rows, "nominal")))


def test_alpha_orders_numbers_by_value_and_not_as_text() -> None:
    rows = [[2, 10, 9, 2], [9, 10, 9, 2]]  # as text, 10 comes before 2
    assert _is(krippendorff_alpha(rows, "ordinal").value, str(_slow_alpha(rows, "ordinal")))


def test_alpha_of_fractions_far_from_0_keeps_its_digits() -> None:
    near = [[0.1, 0.2, 0.7, 0.4], [0.1, 0.3, 0.7, 0.6]]
    far = [[1e9 + value for value in row] for row in near]
    values = [_defined(krippendorff_alpha(rows, "interval").value) for rows in (near, far)]
    assert values[0] == pytest.approx(values[1], abs=1e-5)
    same = krippendorff_alpha([[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]], "interval")
    assert same.value == Undefined(reason="one class only")


@pytest.mark.parametrize("label", ["good", math.inf, (1,)], ids=repr)
@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_alpha_of_ordered_levels_refuses_what_is_no_number(label: Hashable, level: Level) -> None:
    with pytest.raises(ValueError, match="is no finite number"):
        krippendorff_alpha([[1, label], [1, 2]], level)
    assert krippendorff_alpha([[1, label], [1, 2]], "nominal").units == 2


# --- properties ---

VOTES = st.sampled_from([P, F, U])
PAIRS = st.lists(st.tuples(VOTES, VOTES), max_size=25)
PANELS = st.lists(st.tuples(VOTES, VOTES, VOTES, VOTES), max_size=12)


def _pair(units: Sequence[tuple[Vote, Vote]]) -> PairAgreement:
    return pair_agreement([a for a, _ in units], [b for _, b in units])


def _panel(units: Sequence[Sequence[Vote]], names: str = "abcd") -> PanelAgreement:
    return panel_agreement({name: [u[i] for u in units] for i, name in enumerate(names)})


@given(PAIRS)
def test_pair_agreement_is_symmetric(units: list[tuple[Vote, Vote]]) -> None:
    pair, swapped = _pair(units), _pair([(b, a) for a, b in units])
    assert swapped == pair.model_copy(
        update={
            "first_only": pair.second_only,
            "second_only": pair.first_only,
            "prevalence_first": pair.prevalence_second,
            "prevalence_second": pair.prevalence_first,
        }
    )


@given(PAIRS)
def test_pair_agreement_with_the_classes_exchanged_exchanges_their_agreement(
    units: list[tuple[Vote, Vote]],
) -> None:
    other: dict[Vote, Vote] = {P: F, F: P, U: U}
    pair, exchanged = _pair(units), _pair([(other[a], other[b]) for a, b in units])
    for name in ("raw", "raw_interval", "kappa", "pabak", "ac1"):
        assert getattr(exchanged, name) == getattr(pair, name)
    if pair.both_pass + pair.first_only + pair.second_only:
        assert exchanged.negative == pair.positive


@given(PAIRS)
def test_pair_agreement_keeps_its_bounds(units: list[tuple[Vote, Vote]]) -> None:
    pair = _pair(units)
    for name, low in [("raw", 0), ("positive", 0), ("negative", 0), ("prevalence", 0)] + [
        (name, -1) for name in ("kappa", "pabak", "ac1")
    ]:
        value = getattr(pair, name)
        assert isinstance(value, Undefined) or low <= value <= 1
    for value, interval in ((pair.raw, pair.raw_interval), (pair.kappa, pair.kappa_interval)):
        if isinstance(interval, Interval):
            assert interval.lower <= _defined(value) <= interval.upper


@given(PANELS, st.randoms(use_true_random=False))
def test_panel_is_the_same_under_every_order_of_units(
    units: list[tuple[Vote, ...]], source: random.Random
) -> None:
    shuffled = source.sample(units, len(units))
    assert _panel(shuffled) == _panel(units)


@given(PANELS, st.permutations("abcd"))
def test_panel_with_other_names_has_the_same_figures(
    units: list[tuple[Vote, ...]], names: list[str]
) -> None:
    panel, renamed = _panel(units), _panel(units, "".join(names))
    assert (renamed.raw, renamed.kappa, renamed.alpha) == (panel.raw, panel.kappa, panel.alpha)
    assert renamed.strictness.spread == panel.strictness.spread


@given(PANELS, st.integers(1, 3))
def test_missing_votes_change_nothing_but_the_plan(
    units: list[tuple[Vote, ...]], count: int
) -> None:
    panel, padded = _panel(units), _panel([*units, *[(U, U, U, U)] * count])
    assert padded.planned == panel.planned + count
    assert (padded.raw, padded.kappa) == (panel.raw, panel.kappa)
    assert padded.strictness == panel.strictness
    assert padded.alpha == panel.alpha.model_copy(update={"planned": padded.planned})
    for judge, before in zip(padded.judges, panel.judges, strict=True):
        assert judge == before.model_copy(update={"unscored": before.unscored + count})
    for pair, old in zip(padded.pairs, panel.pairs, strict=True):
        assert pair.agreement == old.agreement.model_copy(update={"planned": padded.planned})


@given(PAIRS, st.lists(VOTES, max_size=5))
def test_vote_without_its_other_changes_no_pair(
    units: list[tuple[Vote, Vote]], alone: list[Vote]
) -> None:
    pair, padded = _pair(units), _pair([*units, *[(vote, U) for vote in alone]])
    assert padded == pair.model_copy(update={"planned": len(units) + len(alone)})


@given(PANELS)
def test_panel_of_two_judges_has_the_figures_of_their_pair(units: list[tuple[Vote, ...]]) -> None:
    panel, pair = _panel(units, "ab"), _pair([(u[0], u[1]) for u in units])
    assert panel.pairs[0].agreement == pair
    assert pair.n == panel.alpha.units
    if pair.n:
        assert panel.raw.value == pair.raw


# --- strictness and the ranking of models ---


def test_strictness_names_all_who_tie() -> None:
    found = strictness(
        {"c": 0.25, "a": 0.75, "d": 0.25, "b": 0.5, "e": Undefined(reason="no scored votes")}
    )
    assert (found.most_lenient, found.strictest) == (("a",), ("c", "d"))
    assert (found.spread, found.judges) == (50.0, 4)


@pytest.mark.parametrize("rate", [-0.1, 58.6, float("nan")])
def test_pass_rate_that_is_no_share_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="pass rate of a is"):
        strictness({"a": rate})
    with pytest.raises(ValueError, match="pass rate of a is"):
        ranking_stability({"m": {"a": rate}})


RATES = {
    "m3": {"b": 0.6, "a": 0.5, "c": 0.3},
    "m1": {"a": 0.9, "b": 0.8, "c": 0.1},
    "m4": {"a": 0.3, "b": 0.2, "c": 0.4},
    "m2": {"a": 0.7, "b": 0.6, "c": 0.2},
}


def test_ranking_stability_equals_the_hand_computation() -> None:
    found = ranking_stability(RATES)
    # a and b: 5 pairs of models in the same order, one tied by b alone; c turns the order of a round.
    tie = 5 / math.sqrt(6 * 5)
    assert [(pair.first, pair.second, pair.models) for pair in found.pairs] == [
        ("a", "b", 4),
        ("a", "c", 4),
        ("b", "c", 4),
    ]
    assert [_defined(pair.tau) for pair in found.pairs] == pytest.approx([tie, -1, -tie])
    assert (found.tau.defined, found.tau.of) == (3, 3)
    assert _is(found.tau.value, "-1/3")
    extremes = [(judge.judge, judge.most_lenient, judge.strictest) for judge in found.judges]
    assert extremes == [("a", 2, 0), ("b", 1, 1), ("c", 1, 3)]
    assert (found.compared, [row.model for row in found.models]) == (4, ["m1", "m2", "m3", "m4"])
    assert found.models[0].strictness.spread == pytest.approx(80)


def test_ranking_stability_is_the_same_under_every_order() -> None:
    for models in permutations(RATES):
        turned = {model: dict(reversed(RATES[model].items())) for model in models}
        assert ranking_stability(turned) == ranking_stability(RATES)


@pytest.mark.parametrize(
    ("rates", "reason", "models", "compared"),
    [
        pytest.param({"m": {"a": 0.5, "b": 0.4}}, "fewer than two models", 1, 1, id="one model"),
        pytest.param(
            {"m": {"a": 0.5, "b": 0.4}, "n": {"a": 0.5, "b": 0.9}}, "one judge ties all models", 2, 2, id="all tied"
        ),
        pytest.param(
            {"m": {"a": 0.5}, "n": {"b": 0.9}}, "fewer than two models", 0, 0, id="no common model"
        ),
        pytest.param(
            {"m": {"a": 0.5, "b": Undefined(reason="no scored votes")}, "n": {"a": 0.1, "b": 0.2}},
            "fewer than two models", 1, 1, id="undefined rate",
        ),
    ],
)  # fmt: skip
def test_ranking_without_order_says_why(
    rates: dict[str, dict[str, Statistic]], reason: Reason, models: int, compared: int
) -> None:
    found = ranking_stability(rates)
    (pair,) = found.pairs
    assert (pair.tau, pair.models) == (Undefined(reason=reason), models)
    assert found.tau.value == Undefined(reason="undefined for every pair")
    assert found.compared == compared


def test_ranking_of_one_judge_or_none_is_undefined() -> None:
    for rates in ({}, {"m": {"a": 0.5}}):
        assert ranking_stability(rates).tau.value == Undefined(reason="fewer than two judges")


def test_undefined_says_so_in_text() -> None:
    assert str(Undefined(reason="one class only")) == "undefined (one class only)"


@pytest.mark.parametrize("name", ["agreement", "krippendorff", "statistic", "strictness"])
def test_agreement_knows_nothing_of_inspect(name: str) -> None:
    folder = Path(skillbench_tasks.scorers.__path__[0])
    assert "inspect_ai" not in (folder / f"{name}.py").read_text("utf-8")
