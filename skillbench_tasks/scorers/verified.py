"""Verified: all deterministic scorers at once, with user faults told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from skillbench_tasks.models import Checks, Episode, Verdict
from skillbench_tasks.scorers.constraints import constraints_verdict
from skillbench_tasks.scorers.outcome import outcome_verdict
from skillbench_tasks.scorers.rules import rules_verdict
from skillbench_tasks.scorers.state import final_state_verdict

__all__ = ["DETERMINISTIC", "user_fault_rate", "verified_verdict"]

DETERMINISTIC: Final[dict[str, Callable[[Checks, Episode], Verdict]]] = {
    "rules": rules_verdict,
    "final_state": final_state_verdict,
    "constraints": constraints_verdict,
    "outcome": outcome_verdict,
}
"""Name → scorer. Only `rules` holds protocol A's hard failures; the others are this suite's own."""


def verified_verdict(checks: Checks, episode: Episode) -> Verdict:
    """Return the conjunction of all deterministic scorers; its parts are theirs.

    A case that requires nothing is failed by a wrong state, and has no verdict else. Where no end
    state is known to be right, nothing passes.
    """
    verdicts = [scorer(checks, episode) for scorer in DETERMINISTIC.values()]
    reasons = [f"{v.scorer}: {reason}" for v in verdicts for reason in v.reasons]
    parts = {v.scorer: v.passed for v in verdicts}
    passed: bool | None = False not in parts.values()
    if checks.requires_nothing:
        passed = False if parts["final_state"] is False else None
    elif passed and parts["final_state"] is None:
        passed = None
    return Verdict(scorer="verified", passed=passed, reasons=tuple(reasons), parts=parts)


def user_fault_rate(episode: Episode) -> float:
    """Return the share of the user's messages that break the user's role, from 0 to 1."""
    lines = [line for line in episode.lines if line.role == "user"]
    return sum(bool(line.faults) for line in lines) / len(lines) if lines else 0.0
