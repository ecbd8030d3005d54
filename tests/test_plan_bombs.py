"""R1, R2: no answer, however made, costs more than a second to read, check and run."""

from __future__ import annotations

import time
from collections import Counter
from functools import cache

import pytest
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, StopReason

from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.models.sop import Sop
from skillbench_tasks.solvers.planning.plans import Plan, read_plan, run_plan
from tests.plan_bombs import FIXED, random_bomb

SECONDS_MAX = 3.0  # a second, on a machine that is busy with other tests
"""CPU seconds for reading, checking and running an answer on all variants of a procedure."""

SHARDS, BOMBS_PER_SHARD = 10, 1_050


@cache
def _sop() -> Sop:
    """The procedure with the most variants; what is loaded late is loaded now."""
    sop = max(load_sops(), key=lambda one: len(one.variants))
    for name in ("calls", "large_default_small"):
        _outcome(sop, FIXED[name][0])
    return sop


def _class_of(plan: Plan, status: str) -> str:
    if plan.program is not None:
        return {"returned": "executed", "completed": "executed"}.get(status, status)
    if plan.findings:
        return "validation"
    return "cut off" if "cut off" in plan.problem else "parse"


def _outcome(sop: Sop, text: str, stop: StopReason = "stop") -> tuple[frozenset[str], float]:
    """Return the classes of an answer on its variants, and the CPU seconds that it took."""
    message = ChatMessageAssistant(content=text, model="none")
    choice = ChatCompletionChoice(message=message, stop_reason=stop)
    output = ModelOutput(model="none", choices=[choice])
    begun = time.process_time()
    plan = read_plan(output, sop)
    runs = run_plan(plan, sop.variants).runs
    seconds = time.process_time() - begun
    return frozenset(_class_of(plan, run.executed.status) for run in runs), seconds


@pytest.mark.parametrize("name", FIXED)
def test_bomb_r1_r2_ends_in_a_second_and_in_its_class(name: str) -> None:
    text, expected = FIXED[name]
    stop: StopReason = "max_tokens" if expected == "cut off" else "stop"
    found, seconds = _outcome(_sop(), text, stop)
    assert found == {expected}
    assert seconds < SECONDS_MAX


def _random(shard: int, count: int) -> Counter[str]:
    classes, slowest = Counter[str](), (0.0, -1)
    for seed in range(shard * count, (shard + 1) * count):
        found, seconds = _outcome(_sop(), random_bomb(seed))
        classes.update(found)
        slowest = max(slowest, (seconds, seed))
    print(dict(classes), f"slowest {slowest[0]:.2f} s: seed {slowest[1]}")
    assert slowest[0] < SECONDS_MAX, slowest
    return classes


def test_random_bombs_end_in_a_second() -> None:
    assert len(_random(0, 60)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(1, SHARDS + 1))
def test_ten_thousand_random_bombs_end_in_a_second(shard: int) -> None:
    classes = _random(shard, BOMBS_PER_SHARD)
    known = {"parse", "validation", "executed", "exhausted", "invalid", "failed"}
    assert set(classes) <= known
    assert min(classes[one] for one in known - {"failed"}) > 10
