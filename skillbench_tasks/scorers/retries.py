"""Retries: a tool that fails is tried again a bounded number of times, where that can help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skillbench_tasks.models import Call, Checks, Episode
from skillbench_tasks.tools.faults import INFRASTRUCTURE

__all__ = ["excess_retries"]


def excess_retries(checks: Checks, episode: Episode) -> Iterator[str]:
    """Yield tools that were called on although their service kept failing.

    Counted are failures of the service (not refusals of what was asked) in a row, whatever the
    arguments: the policy bounds the tool's retries, and a changed note does not make a new call. A
    failure that says it cannot be retried is not repeated with the same arguments.
    """
    failures: Counter[str] = Counter()
    final: list[Call] = []
    for call in episode.calls:
        if failures[call.tool] > checks.rules.max_retries:
            yield f"{call.tool} was retried more than {checks.rules.max_retries} times"
        if any(call.tool == c.tool and call.arguments == c.arguments for c in final):
            yield f"{call.tool} was repeated after an error that cannot be retried"
        if call.error is None:
            failures[call.tool] = 0
        elif call.error.code in INFRASTRUCTURE:
            failures[call.tool] += 1
            if not call.error.retryable:
                final.append(call)
