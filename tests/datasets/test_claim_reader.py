"""The learned reader of claims: what it reads, and that its weights are those of its corpus."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest

from skillbench_tasks.datasets.wording.claim_features import buckets_of
from skillbench_tasks.datasets.wording.claim_reader import WEIGHTS, claim_likelihood
from skillbench_tasks.datasets.wording.claim_training import read_corpus, train

HALF = 0.5


@pytest.mark.parametrize(
    "sentence",
    [
        "I've taken the late fee off your bill.",
        "Your card is blocked now, and a new one is on its way.",
        "ive canceled it for u",
        "That's you booked in for Friday.",
        "Consider the fee gone.",
    ],
)
def test_claims_are_likely_a4(sentence: str) -> None:
    assert claim_likelihood(sentence) > HALF


@pytest.mark.parametrize(
    "sentence",
    [
        "Shall I take the late fee off?",
        "Once you confirm, I'll block the card.",
        "Nothing has been changed on your account.",
        "Your order was delivered on May 4.",
        "Refunds go back the way they were paid.",
        "Could you tell me your ZIP code?",
    ],
)
def test_what_claims_nothing_is_unlikely_a4(sentence: str) -> None:
    assert claim_likelihood(sentence) < HALF


def test_corpus_has_each_sentence_once_and_both_labels() -> None:
    rows = read_corpus()
    assert len({said.lower() for said, _ in rows}) == len(rows) > 7_500
    assert 0.3 < sum(label for _, label in rows) / len(rows) < 0.5


@pytest.mark.slow
def test_stored_weights_are_those_of_the_corpus() -> None:
    weights, bias = train(read_corpus())
    with np.load(WEIGHTS) as stored:
        assert np.allclose(stored["weights"].astype(float), weights, atol=0.05, rtol=0.05)
        assert abs(float(stored["bias"]) - bias) < HALF


@pytest.mark.slow
def test_a_fifth_left_out_is_read_as_well() -> None:
    rows = read_corpus()
    kept = [row for row in rows if crc32(row[0].encode()) % 5]
    weights, bias = train(kept)
    likely = {True: [0, 0], False: [0, 0]}
    for said, label in rows:
        if crc32(said.encode()) % 5 == 0:
            total = bias + sum(weights[b] * v for b, v in buckets_of(said).items())
            likely[label][0] += total > 0
            likely[label][1] += 1
    assert likely[True][0] / likely[True][1] > 0.7
    assert likely[False][0] / likely[False][1] < 0.1
