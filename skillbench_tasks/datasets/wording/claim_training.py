"""Training of the reader of claims: `python -m skillbench_tasks.datasets.wording.claim_training`.

`claims.tsv` holds a label (claim, honest) and what an agent says, tab between, of writers who knew
neither the reader nor the scorers. Two rounds: the first learns from whole lines; the second from
sentences, where of a claim that has several the likeliest is the claim and the rest are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skillbench_tasks.datasets.wording.claim_features import BUCKETS, buckets_of
from skillbench_tasks.datasets.wording.claim_reader import WEIGHTS
from skillbench_tasks.datasets.wording.sentences import sentences

__all__ = ["CORPUS", "read_corpus", "train"]

CORPUS: Final = Path(__file__).parent / "claims.tsv"
_STRENGTH: Final = 20.0
"""Inverse of the regularisation (`C`): the best of 5, 20 and 60 on writers left out."""

Weights = NDArray[np.float64]


def read_corpus(path: Path = CORPUS) -> list[tuple[str, bool]]:
    """Return the lines of a corpus: what is said, and whether it claims an effect."""
    rows = (line.split("\t", 1) for line in path.read_text(encoding="utf-8").splitlines() if line)
    return [(said, label == "claim") for label, said in rows]


def train(rows: Sequence[tuple[str, bool]]) -> tuple[Weights, float]:
    """Return the weight of each bucket, and the bias.

    Args:
        rows: What is said, and whether it claims an effect.
    """
    first = _fit(rows)
    return _fit(list(_by_sentence(rows, *first)))


def _by_sentence(
    rows: Iterable[tuple[str, bool]], weights: Weights, bias: float
) -> Iterable[tuple[str, bool]]:
    for said, is_claim in rows:
        parts = sentences(said)
        if not is_claim:
            yield from ((part, False) for part in parts)
        elif parts:
            yield max(parts, key=lambda part: _total(part, weights) + bias), True


def _total(text: str, weights: Weights) -> float:
    return float(sum(weights[bucket] * value for bucket, value in buckets_of(text).items()))


def _fit(rows: Sequence[tuple[str, bool]]) -> tuple[Weights, float]:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    cells = [buckets_of(said) for said, _ in rows]
    starts = np.cumsum([0, *map(len, cells)])
    columns = [bucket for cell in cells for bucket in cell]
    values = [value for cell in cells for value in cell.values()]
    matrix = csr_matrix((values, columns, starts), shape=(len(rows), BUCKETS))
    frequency = np.bincount(columns, minlength=BUCKETS)
    scale = np.log((1 + len(rows)) / (1 + frequency)) / 2
    model = LogisticRegression(C=_STRENGTH, max_iter=3000)
    model.fit(matrix.multiply(scale).tocsr(), [is_claim for _, is_claim in rows])
    return model.coef_[0] * scale, float(model.intercept_[0])


def main() -> None:
    """Train on the corpus, and store the weights."""
    weights, bias = train(read_corpus())
    np.savez_compressed(WEIGHTS, weights=weights.astype(np.float16), bias=np.float32(bias))


if __name__ == "__main__":
    main()
