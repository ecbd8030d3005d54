"""Adding up model calls: by role and model, by agent turn, over a run. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from skillbench_tasks.models import ModelCall, Payer, RoleSpend

__all__ = [
    "JUDGE_MARK",
    "add_up",
    "per_sample",
    "percentile",
    "run_totals",
    "sample_values",
    "turn_seconds",
]

JUDGE_MARK: Final = ":"
"""Stands between a quantity and the judge whose it is: `judge_tokens:<model>`."""

_CLASSES: Final = ("input", "output", "cache_read", "cache_write", "reasoning")
_MEANS: Final = ("tokens", "calls", "seconds", "cost")
"""Quantities that are also given for each sample."""


def add_up(calls: Iterable[ModelCall]) -> tuple[RoleSpend, ...]:
    """Return the spend of each role and model, in a fixed order.

    An answer from Inspect's cache counts as a cached call and costs nothing; an attempt without an
    answer counts as a retry.
    """
    rows: dict[tuple[Payer, str], RoleSpend] = {}
    for call in calls:
        key = (call.payer, call.model)
        rows[key] = _with_call(rows.get(key, RoleSpend(payer=call.payer, model=call.model)), call)
    order = list(Payer)
    return tuple(rows[key] for key in sorted(rows, key=lambda k: (order.index(k[0]), k[1])))


def turn_seconds(calls: Iterable[ModelCall]) -> tuple[float, ...]:
    """Return for each agent turn with a model call the seconds of its calls, one after another.

    This is how long the user waits for the agent's model. Cached answers say nothing of it, so a
    turn that holds one is left out.
    """
    turns: dict[int, float] = {}
    cached: set[int] = set()
    for call in calls:
        if call.payer is not Payer.AGENT or call.turn is None:
            continue
        turns[call.turn] = turns.get(call.turn, 0.0) + call.seconds
        if call.cached:
            cached.add(call.turn)
    return tuple(seconds for turn, seconds in turns.items() if turn not in cached)


def sample_values(rows: Sequence[RoleSpend], judges: Iterable[str]) -> dict[str, float]:
    """Return a sample's spend under flat keys: the same keys for every sample of a run.

    Args:
        rows: Spend by role and model.
        judges: Models of the panel; each gets keys of its own, `judge_tokens:<model>`.
    """
    values: dict[str, float] = {}
    for payer in Payer:
        own = [row for row in rows if row.payer is payer]
        values.update(_quantities(payer, own))
    for judge in sorted(set(judges)):
        own = [row for row in rows if row.payer is Payer.JUDGE and row.model == judge]
        values.update(_quantities(Payer.JUDGE, own, f"{JUDGE_MARK}{judge}"))
    return values


def run_totals(rows: Sequence[RoleSpend]) -> dict[str, float]:
    """Return what each role, and each judge, cost in all.

    Roles that called no model are left out, and token classes, retries and cached calls of 0.

    Args:
        rows: Spend by role and model, of all runs of all samples.
    """
    totals: dict[str, float] = {}
    for payer in Payer:
        own = [row for row in rows if row.payer is payer]
        if own:
            totals.update(_all_quantities(payer, own))
    for judge in sorted({row.model for row in rows if row.payer is Payer.JUDGE}):
        own = [row for row in rows if row.payer is Payer.JUDGE and row.model == judge]
        totals.update(_all_quantities(Payer.JUDGE, own, f"{JUDGE_MARK}{judge}"))
    return totals


def per_sample(totals: Mapping[str, float], samples: int) -> dict[str, float]:
    """Return totals divided by the count of samples, as `<role>_<quantity>_per_sample`."""
    if not samples:
        return {}
    return {
        key.replace(quantity, f"{quantity}_per_sample", 1): value / samples
        for key, value in totals.items()
        for quantity in [key.partition(JUDGE_MARK)[0].partition("_")[2]]
        if quantity in _MEANS
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies, between neighbours in proportion.

    Args:
        values: The values, in any order.
        share: From 0 to 1.

    Returns:
        The value; `NaN` where there are none.
    """
    if not values:
        return math.nan
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def _with_call(row: RoleSpend, call: ModelCall) -> RoleSpend:
    if call.cached:
        return row.model_copy(update={"cached_calls": row.cached_calls + 1})
    changes: Mapping[str, object] = {
        "calls": row.calls + (not call.failed),
        "retries": row.retries + (1 if call.failed else call.retries),
        "seconds": row.seconds + call.seconds,
        "tokens": row.tokens + call.tokens,
        "cost": row.cost if call.failed and call.cost is None else _sum(row.cost, call.cost),
    }
    return row.model_copy(update=changes)


def _sum(cost: float | None, more: float | None) -> float | None:
    return None if cost is None or more is None else cost + more


def _quantities(payer: Payer, rows: Sequence[RoleSpend], judge: str = "") -> dict[str, float]:
    return {
        f"{payer}_tokens{judge}": float(sum(row.tokens.total for row in rows)),
        f"{payer}_calls{judge}": float(sum(row.calls for row in rows)),
        f"{payer}_seconds{judge}": sum((row.seconds for row in rows), 0.0),
    }


def _all_quantities(payer: Payer, rows: Sequence[RoleSpend], judge: str = "") -> dict[str, float]:
    quantities = _quantities(payer, rows, judge)
    more = {
        **{f"{name}_tokens": sum(getattr(r.tokens, name) for r in rows) for name in _CLASSES},
        "retries": sum(row.retries for row in rows),
        "cached_calls": sum(row.cached_calls for row in rows),
    }
    quantities.update({f"{payer}_{n}{judge}": float(count) for n, count in more.items() if count})
    costs = [row.cost for row in rows if row.calls]
    known = [cost for cost in costs if cost is not None]
    if known:
        # A sum over the known prices alone would say that the rest is free.
        quantities[f"{payer}_cost{judge}"] = sum(known) if len(known) == len(costs) else math.nan
    return quantities
