"""ROUGE-1: equal to `rouge-score` on English, sane in every script."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.scorers.text_overlap import rouge_1, tokens

PAIRS = 1000

Rouge = Callable[[str, str], tuple[float, float, float]]


@pytest.fixture(scope="module")
def google_rouge() -> Rouge:
    """`rouge-score` as a function of prediction and reference: precision, recall, F1."""
    from rouge_score.rouge_scorer import RougeScorer  # slow to import, and for tests alone

    scorer = RougeScorer(["rouge1"], use_stemmer=False)

    def score(prediction: str, reference: str) -> tuple[float, float, float]:
        found = scorer.score(reference, prediction)["rouge1"]
        return float(found.precision), float(found.recall), float(found.fmeasure)

    return score


def _ours(prediction: str, reference: str) -> tuple[float, float, float]:
    found = rouge_1(prediction, reference)
    return found.precision, found.recall, found.f1


def _is_english(text: str) -> bool:
    """Whether all letters, digits and marks are ASCII; signs may be any."""
    return all(ord(one) < 128 or unicodedata.category(one)[0] not in "LNM" for one in text)


def test_rouge_1_equals_rouge_score_on_1000_english_pairs(google_rouge: Rouge) -> None:
    texts = [turn.text for case in load_cases() for turn in case.gold.turns if turn.text]
    english = [text for text in texts if _is_english(text)]
    assert len(english) > 0.9 * len(texts)
    drawn = random.Random(4).choices(english, k=2 * PAIRS)
    pairs = list(zip(drawn[:PAIRS], drawn[PAIRS:], strict=True))
    assert len({_ours(*pair) for pair in pairs}) > PAIRS / 2
    assert [_ours(*pair) for pair in pairs] == [google_rouge(*pair) for pair in pairs]


def test_rouge_1_equals_rouge_score_on_odd_english(google_rouge: Rouge) -> None:
    texts = [
        "It's 12.50 USD, isn't it?",
        "its 12 50 usd isn t it",
        "A_b a-b a/b AB",
        "“Done” – it’s on 3/4… ✓ 👍 A",
        "the the the",
        "the",
        "x" * 500,
    ]
    for one in texts:
        for other in texts:
            assert _ours(one, other) == google_rouge(one, other)


@settings(max_examples=40)
@given(*[st.text(st.sampled_from("abAB01 '_-.\n“’—👍\u200b\u200d\u00ad%€")) for _ in range(2)])
def test_tokens_of_english_are_those_of_rouge_score(one: str, other: str) -> None:
    from rouge_score.tokenize import tokenize

    assert tokens(one) == tokenize(one, None)
    assert rouge_1(one, other).f1 == rouge_1(other, one).f1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("Crème brûlée", ["crème", "brûlée"], id="accents"),
        pytest.param("Cre\u0300me", ["crème"], id="accents_decomposed"),
        pytest.param("Straße ÄRGER", ["straße", "ärger"], id="german"),
        pytest.param("Заказ №5 готов", ["заказ", "5", "готов"], id="cyrillic"),
        pytest.param("الطلب جاهز، ١٢", ["الطلب", "جاهز", "١٢"], id="arabic"),
        pytest.param("می\u200cخواهم", ["میخواهم"], id="persian_joiner"),  # noqa: RUF001
        pytest.param("हिन्दी में", ["हिन्दी", "में"], id="hindi_marks"),
        pytest.param("订单A12好", ["订", "单", "a12", "好"], id="chinese_and_latin"),
        pytest.param("ご注文", ["ご", "注", "文"], id="japanese"),
        pytest.param("ที่นี่", ["ที่", "นี่"], id="thai_marks"),
        pytest.param("주문 완료", ["주문", "완료"], id="korean"),
        pytest.param("ㄱㄴ", ["ㄱㄴ"], id="korean_letters"),
        pytest.param("Done 👍🏽!", ["done"], id="emoji_beside_words"),
        pytest.param("\u0301a", ["a"], id="mark_alone"),
        pytest.param("?!", [], id="signs"),
    ],
)
def test_tokens_of_a_text_are_its_words_in_any_script(text: str, found: Sequence[str]) -> None:
    assert tokens(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("order ready", "late parcel", id="english"),
        pytest.param("заказ готов", "посылка опоздала", id="cyrillic"),
        pytest.param("الطلب جاهز", "الطرد متأخر", id="arabic"),
        pytest.param("订单好了", "包裹晚点", id="chinese"),
        pytest.param("ทดสอบ", "ไปมา", id="thai"),
        pytest.param("ऑर्डर तैयार", "पार्सल देर", id="hindi"),
        pytest.param("👍🎉", "📦", id="emoji"),
    ],
)
def test_rouge_1_in_any_script_is_1_of_the_same_and_0_of_nothing_shared(
    one: str, other: str
) -> None:
    assert _ours(one, one) == (1.0, 1.0, 1.0)
    assert _ours(one, other) == (0.0, 0.0, 0.0)
    assert rouge_1(one, other).reason == ""


@pytest.mark.parametrize(
    ("prediction", "reference", "precision", "recall", "f1"),
    [
        pytest.param("order ready", "order late", 1 / 2, 1 / 2, 1 / 2, id="one_of_two"),
        pytest.param("заказ готов", "заказ опоздал", 1 / 2, 1 / 2, 1 / 2, id="cyrillic"),
        pytest.param("طلب جاهز", "طلب متأخر", 1 / 2, 1 / 2, 1 / 2, id="arabic"),
        pytest.param("订单", "订货", 1 / 2, 1 / 2, 1 / 2, id="chinese"),
        pytest.param("a a b", "a c", 1 / 3, 1 / 2, 2 / 5, id="repeats_count"),
        pytest.param("the order is on its way", "order", 1 / 6, 1, 2 / 7, id="short_reference"),
        pytest.param("👍🎉", "👍📦", 1 / 2, 1 / 2, 1 / 2, id="emoji"),
        pytest.param("❤️", "❤", 1, 1, 1, id="emoji_with_a_selector"),
        pytest.param("👍", "Done 👍", 1, 1 / 2, 2 / 3, id="emoji_for_words"),
        pytest.param("Done 👍", "Done", 1, 1, 1, id="emoji_beside_words"),
    ],
)
def test_rouge_1_is_as_computed_by_hand(
    prediction: str, reference: str, precision: float, recall: float, f1: float
) -> None:
    assert _ours(prediction, reference) == pytest.approx((precision, recall, f1))
    assert _ours(reference, prediction) == pytest.approx((recall, precision, f1))


@pytest.mark.parametrize(
    ("prediction", "reference", "reason"),
    [
        pytest.param("", "Done.", "the prediction has no word", id="no_prediction"),
        pytest.param("Done.", " ", "the reference has no word", id="no_reference"),
        pytest.param("", "", "the prediction has no word", id="neither"),
        pytest.param("...", "Done.", "the prediction has no word", id="signs_alone"),
    ],
)
def test_rouge_1_of_an_empty_text_is_0_with_a_reason(
    prediction: str, reference: str, reason: str
) -> None:
    found = rouge_1(prediction, reference)
    assert (found.precision, found.recall, found.f1, found.reason) == (0.0, 0.0, 0.0, reason)


@settings(max_examples=60)
@given(st.text(max_size=30), st.text(max_size=30))
def test_rouge_1_of_any_texts_is_bounded_and_of_the_same_text_1(one: str, other: str) -> None:
    found = rouge_1(one, other)
    assert 0.0 <= found.f1 <= 1.0
    assert found.f1 == rouge_1(other, one).f1
    assert rouge_1(one, one).f1 == (1.0 if tokens(one, symbols=True) else 0.0)
    assert bool(found.reason) <= (found.f1 == 0.0)
