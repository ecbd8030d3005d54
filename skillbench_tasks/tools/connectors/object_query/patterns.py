"""LIKE patterns, matched without backtracking: the work is bounded by text times pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from skillbench_tasks.tools.connectors.object_query.tokens import PLAIN_WILDCARDS

__all__ = ["like_matcher"]

_ANY: Final = ""
"""Stands for `_` in a run of characters."""


def like_matcher(pattern: str) -> Callable[[str], bool]:
    """Return a test of whole texts, ignoring case: `%` is any run, `_` any character.

    Args:
        pattern: The pattern as a string token holds it: escaped wildcards are markers.
    """
    plain = {marker: wildcard for wildcard, marker in PLAIN_WILDCARDS.items()}
    runs: list[list[str]] = [[]]
    for character in pattern:
        if character == "%":
            runs.append([])
        else:
            runs[-1].append(_ANY if character == "_" else plain.get(character, character).lower())
    return lambda text: _matches(text.lower(), runs)


def _matches(text: str, runs: list[list[str]]) -> bool:
    first, last = runs[0], runs[-1]
    if len(runs) == 1:
        return len(text) == len(first) and _stands(text, first, 0)
    end = len(text) - len(last)
    if not _stands(text, first, 0) or end < len(first) or not _stands(text, last, end):
        return False
    at = len(first)
    for run in runs[1:-1]:
        while at + len(run) <= end and not _stands(text, run, at):
            at += 1
        if at + len(run) > end:
            return False
        at += len(run)
    return True


def _stands(text: str, run: list[str], at: int) -> bool:
    if at < 0 or at + len(run) > len(text):
        return False
    return all(wanted in (_ANY, text[at + index]) for index, wanted in enumerate(run))
