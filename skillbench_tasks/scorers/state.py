"""Final state: the world after the run against the world after the reference run."""

from __future__ import annotations

from typing import Final

from skillbench_tasks.datasets.surface import expresses, tells
from skillbench_tasks.models import Change, Checks, Episode, TextCheck, Verdict
from skillbench_tasks.tools.compare import diff

__all__ = ["final_state_verdict"]


_KINDS: Final = ("missing", "wrong", "unintended", "duplicate")
_PLAYED: Final = "nothing to check: a model answers every tool, and no state is kept"


def final_state_verdict(checks: Checks, episode: Episode) -> Verdict:
    """Return whether the run left the target world, no more and no less.

    Missing, wrong, unintended and duplicate effects are told apart. Extra reads change nothing.
    Where the scenario says which words a free text must hold, they are looked for without regard
    to case.

    A case that requires nothing at all can be failed, by an effect that nobody asked for, and not
    passed; where the target is not known, there is no verdict.
    """
    if checks.is_played:
        unknown = dict.fromkeys((*(f"no_{kind}" for kind in _KINDS), "texts"))
        return Verdict(scorer="final_state", passed=None, reasons=(_PLAYED,), parts=unknown)
    differences = diff(checks.target, episode.changes, checks.collections)
    kinds = {difference.kind for difference in differences}
    reasons = [f"{d.kind}: {d.collection} {d.key}: {d.detail}" for d in differences]
    silent = [reason for check in checks.text_checks for reason in _text_faults(check, episode)]
    parts: dict[str, bool | None] = {f"no_{kind}": kind not in kinds for kind in _KINDS}
    parts["texts"] = not silent if checks.text_checks else None
    reasons += silent
    passed: bool | None = not reasons
    if not checks.target_known:
        reasons.insert(0, "nothing to check: the reference run could not be carried out")
        passed = None
    elif passed and checks.requires_nothing:
        reasons.append("nothing to check: the case asks for no write, and none was made")
        passed = None
    return Verdict(scorer="final_state", passed=passed, reasons=tuple(reasons), parts=parts)


def _text_faults(check: TextCheck, episode: Episode) -> list[str]:
    texts = [
        _written(change, check.field)
        for change in episode.changes
        if change.collection == check.collection and check.key in (None, change.key)
    ]
    for text in texts:
        is_any = not check.any_of or any(_holds(text, word) for word in check.any_of)
        if is_any and all(_holds(text, word) for word in check.all_of):
            return []
    words = [*check.all_of, *([f"any of {'/'.join(check.any_of)}"] if check.any_of else [])]
    return [f"text: {check.collection}.{check.field} does not hold {', '.join(words)}"]


def _holds(text: str, word: str) -> bool:
    """Return whether a text holds a word or a part of one, other than to deny it."""
    return word.casefold() in text and (not expresses(text, word) or tells(text, word))


def _written(change: Change, field: str) -> str:
    value = (change.after or {}).get(field)
    return str(value if value is not None else "").casefold()
