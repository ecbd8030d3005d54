"""Longest common subsequences of two lists of names, and the pairs that one of them aligns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

__all__ = ["Pair", "aligned_pairs", "lcs_similarity"]

Pair: TypeAlias = tuple[int, int]
"""Positions in the first and in the second list."""


def lcs_similarity(first: Sequence[str], second: Sequence[str]) -> float:
    """Return 2 · LCS / (m + n), from 0 to 1; two empty lists are the same, 1."""
    both = len(first) + len(second)
    return 2 * len(aligned_pairs(first, second, lambda i, j: True)) / both if both else 1.0


def aligned_pairs(
    first: Sequence[str], second: Sequence[str], is_equal: Callable[[int, int], bool]
) -> list[Pair]:
    """Return the pairs of a longest common subsequence, in order.

    Of the longest ones it is one in which most pairs are equal: so whether all aligned pairs can be
    equal does not hang on which of the longest ones is found. Of several such it is the one that
    pairs the earliest positions: of the second list, then of the first.

    Args:
        first: Names.
        second: Names.
        is_equal: Whether what stands at two positions that bear the same name is equal beyond it.
    """
    stop = min(len(first), len(second))
    head = 0
    while head < stop and first[head] == second[head] and is_equal(head, head):
        head += 1
    tail = 0
    while tail < stop - head and first[-1 - tail] == second[-1 - tail]:
        if not is_equal(len(first) - 1 - tail, len(second) - 1 - tail):
            break
        tail += 1
    middle = _middle_pairs(
        first[head : len(first) - tail],
        second[head : len(second) - tail],
        lambda i, j: is_equal(head + i, head + j),
    )
    return [
        *((i, i) for i in range(head)),
        *((head + i, head + j) for i, j in middle),
        *((len(first) - k, len(second) - k) for k in range(tail, 0, -1)),
    ]


def _middle_pairs(
    first: Sequence[str], second: Sequence[str], is_equal: Callable[[int, int], bool]
) -> list[Pair]:
    """Return the pairs by dynamic programming: length decides, then the number of equal pairs."""
    per_pair = min(len(first), len(second)) + 1
    best = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]

    def gain(i: int, j: int) -> int:
        return per_pair + is_equal(i, j) if first[i] == second[j] else 0

    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            skipped = max(best[i + 1][j], best[i][j + 1])
            worth = gain(i, j)
            best[i][j] = max(skipped, worth + best[i + 1][j + 1]) if worth else skipped
    pairs = []
    i = j = 0
    while i < len(first) and j < len(second):
        worth = gain(i, j)
        if worth and best[i][j] == worth + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
