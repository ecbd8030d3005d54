"""Outcome: how the conversation ended, and whether the user heard what he had to."""

from __future__ import annotations

from skillbench_tasks.datasets.surface import tells
from skillbench_tasks.models import Checks, Episode, MustSay, Outcome, Verdict
from skillbench_tasks.tools.faults import may_be_done

__all__ = ["outcome_verdict"]


def outcome_verdict(checks: Checks, episode: Episode) -> Verdict:
    """Return whether the end is the right one, with its positive signal.

    The end counts only with its facts: the amount, date or id of what was done, or the reason of a
    refusal. A case without such facts rests on its state and its required tools; where every end is
    right besides, there is nothing to pass.
    """
    end = episode.termination
    ends = {str(right) for right in (checks.outcome, *checks.also_accept)}
    right = str(end.state) in ends
    reasons = [] if right else [f"end: {end.state} by {end.by}, not {checks.outcome}"]
    unsaid = [fact for fact in checks.must_say if not _is_said(fact, episode)]
    reasons += [f"told: {fact.name} ({fact.value}) was never said" for fact in unsaid]
    parts = {"end": right, "told": not unsaid if checks.must_say else None}
    passed: bool | None = not reasons
    if not checks.must_say and ends == {str(end) for end in Outcome}:
        reasons.append("nothing to check: every end is right, and no fact has to be told")
        passed = None
    return Verdict(scorer="outcome", passed=passed, reasons=tuple(reasons), parts=parts)


def _is_said(fact: MustSay, episode: Episode) -> bool:
    """Return whether the agent tells the fact, and not to deny it, after the call that did it."""
    is_time = not fact.after
    spoken: list[str] = []
    for event in episode.events:
        if event.event == "call":
            is_time = is_time or (event.tool in fact.after and may_be_done(event.error))
        elif event.role == "agent" and is_time:
            spoken.append(event.text)
    return tells("\n".join(spoken), fact.value, fact.forms, is_effect=bool(fact.after))
