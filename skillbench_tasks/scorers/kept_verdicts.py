"""Verdicts outlive a run that is killed: Inspect's cache keeps them for its retry.

A sample that was under way when a run died is run again whole. Its judges are asked again only for
what they had not answered, if the conversation is the same. Nothing is kept beyond a run and its
retries: another run, or `inspect score`, asks anew, so that judges can be compared with themselves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from anyio import to_thread
from inspect_ai.log import read_eval_log
from inspect_ai.log._samples import sample_active
from inspect_ai.model import CachePolicy

__all__ = ["kept_policy"]

_EXPIRY: Final = "1W"
_KNOWN_RUNS: Final = 64


async def kept_policy(judge: str) -> CachePolicy | None:
    """Return how a judge's answers about the sample that is being scored are kept.

    Inspect's key holds model, settings and messages, and by these the rubric. Added are the task,
    which a retry keeps, the sample, its epoch, and the judge, of whom two may be the same model.

    Args:
        judge: The judge's name.

    Returns:
        The policy; `None` outside of a run.
    """
    active = sample_active()
    if active is None or not active.log_location:
        return None
    task = await to_thread.run_sync(_task_id, active.log_location)
    if task is None:
        return None
    scopes = {
        "task": task,
        "sample": str(active.sample.id),
        "epoch": str(active.epoch),
        "judge": judge,
    }
    return CachePolicy(expiry=_EXPIRY, scopes=scopes)


@lru_cache(maxsize=_KNOWN_RUNS)
def _task_id(location: str) -> str | None:
    try:
        return read_eval_log(location, header_only=True).eval.task_id
    except Exception:  # noqa: BLE001  # a log that cannot be read yet: its verdicts are not kept
        return None
