"""The three deterministic checks of protocol A (`spec/skill-execution.md`).

1. coverage: every tool that the scenario requires was really invoked;
2. toolkit: no call of a tool outside the toolkit that the agent did not recover from;
3. termination: the conversation reached a termination state.

Failing any of them is a hard failure.
"""

from __future__ import annotations

from typing import Final

from skillbench_tasks.models import Checks, Episode, State, Verdict
from skillbench_tasks.scorers.conduct import was_put

__all__ = ["HARD_FAILURES", "rules_verdict"]

HARD_FAILURES: Final = ("coverage", "toolkit", "termination")
"""Names of the checks, in the order of the protocol."""

_REACHED: Final = frozenset({State.RESOLVED, State.TRANSFERRED, State.OUT_OF_SCOPE})


def rules_verdict(checks: Checks, episode: Episode) -> Verdict:
    """Return the verdict of the three checks.

    A required tool counts as invoked when a call of it ran, with or without success: a call whose
    arguments were refused did not run. A case that requires no tool has no coverage (`None`) and
    rests on the others.
    """
    reasons: list[str] = []
    invoked = {c.tool for c in episode.calls if was_put(c)}
    missing = [tool for tool in checks.required_tools if tool not in invoked]
    reasons += [f"coverage: {tool} was not invoked" for tool in missing]
    stray = _unrecovered(checks, episode)
    if stray:
        reasons.append(f"toolkit: {stray} is not offered, and nothing came after it")
    reached = episode.termination.state in _REACHED
    if not reached:
        end = episode.termination
        reasons.append(f"termination: ended as {end.state} by {end.by}, no termination state")
    parts = {
        "coverage": not missing if checks.required_tools else None,
        "toolkit": stray is None,
        "termination": reached,
    }
    return Verdict(scorer="rules", passed=not reasons, reasons=tuple(reasons), parts=parts)


def _unrecovered(checks: Checks, episode: Episode) -> str | None:
    """Return the last tool outside the toolkit from which the agent did not recover, or `None`.

    It recovers by a later successful call of an offered tool, or when all that the scenario
    requires had been invoked before and it went on to a message.
    """
    stray: str | None = None
    invoked: set[str] = set()
    for event in episode.events:
        if event.event == "call":
            if not event.offered:
                stray = event.tool
            elif event.error is None:
                stray = None
            if event.offered:
                invoked.add(event.tool)
        elif event.role == "agent" and set(checks.required_tools) <= invoked:
            stray = None
    return stray
