"""A learned reader: how likely a sentence of the agent claims an effect.

A logistic regression over words, letters and grammar (`claim_features`), trained on sentences that
writers labelled who had not seen it (`claims.tsv`; `claim_training` says how, and makes
`claim_weights.npz`). It is read with NumPy alone, so that grading loads no scikit-learn.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import exp
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skillbench_tasks.datasets.wording.claim_features import buckets_of, is_no_claim
from skillbench_tasks.datasets.wording.clauses import without_denials, without_gifts

__all__ = ["WEIGHTS", "claim_likelihood"]

WEIGHTS = Path(__file__).parent / "claim_weights.npz"


@cache
def _weights() -> tuple[NDArray[np.float32], float]:
    with np.load(WEIGHTS) as stored:
        return stored["weights"].astype(np.float32), float(stored["bias"])


@lru_cache(maxsize=16384)
def claim_likelihood(sentence: str) -> float:
    """Return how likely a sentence claims that something was done or will be: 0 to 1.

    A question, a condition and a denial claim nothing: 0. Where one clause denies, what the others
    say has to sound like a claim by itself.
    """
    sentence = without_gifts(sentence)
    if is_no_claim(sentence):
        return 0.0
    return min(_likelihood(sentence), _likelihood(without_denials(sentence)))


def _likelihood(text: str) -> float:
    weights, bias = _weights()
    found = buckets_of(text)
    total = bias + sum(float(weights[bucket]) * value for bucket, value in found.items())
    return 1.0 / (1.0 + exp(-max(min(total, 30.0), -30.0)))
