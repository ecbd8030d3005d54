"""What a model is told of its plan's executions: never the reference, its runs, or a score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from skillbench_tasks.models.plan_record import PlanRound
from skillbench_tasks.models.sop import Executed, Variant
from skillbench_tasks.solvers.planning.plans import Plan

__all__ = ["Feedback", "execution_lines", "finding_lines", "shown_variants"]


class Feedback(StrEnum):
    """What is fed back."""

    ALL = "all"
    TWO = "two"
    VALIDATION = "validation"


def shown_variants(
    variants: Sequence[Variant], feedback: Feedback, seed: int
) -> tuple[Variant, ...]:
    """Return the variants whose executions are fed back; which two hangs on the seed alone.

    Args:
        variants: All variants of a SOP.
        feedback: What is fed back.
        seed: The split.
    """
    if feedback is Feedback.VALIDATION:
        return ()
    if feedback is Feedback.ALL:
        return tuple(variants)
    drawn = sorted(variants, key=lambda one: hashlib.sha256(f"{seed} {one.id}".encode()).digest())
    chosen = {one.id for one in drawn[:2]}
    return tuple(one for one in variants if one.id in chosen)


def finding_lines(plan: Plan) -> Iterator[str]:
    """Yield why a plan was not run: the validator's findings, or what was wrong with the answer."""
    if not plan.findings:
        yield _json({"problem": plan.problem.partition(": ")[2]})
    for one in plan.findings:
        yield _json({"path": one.path, "problem": one.message})


def execution_lines(done: PlanRound, variants: Sequence[Variant]) -> Iterator[str]:
    """Yield what the executions of a plan did, in the order in which it happened, line by line.

    Args:
        done: The executions.
        variants: Those that are shown.
    """
    inputs = {one.id: one.inputs for one in variants}
    for number, run in enumerate((one for one in done.runs if one.is_fed_back), start=1):
        yield _json({"run": number, "inputs": inputs[run.variant]})
        yield from (_json(event) for event in _events(run.executed))


def _events(executed: Executed) -> Iterator[dict[str, Any]]:
    """Yield calls with their outcome and decisions, in order, and the end."""
    decisions = list(executed.control)
    for number, call in enumerate(executed.calls):
        while decisions and decisions[0]["after_calls"] == number:
            yield from _decision(decisions.pop(0))
        shown = {"call": call.tool, "at": call.path, "arguments": call.arguments}
        if call.error is not None:
            yield {**shown, "error": call.error.model_dump(mode="json")}
        else:
            yield {**shown, "result": call.result}
    for event in decisions:
        yield from _decision(event)
    end: dict[str, Any] = {"end": executed.status, "returned": executed.value}
    yield {**end, "problem": executed.problem} if executed.problem else end


def _decision(event: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    match event["event"]:
        case "branch":
            yield {"branch": event["path"], "taken": event["taken"]}
        case "loop":
            yield {"loop": event["path"], "count": event["count"]}
        case "caught":
            yield {"caught": event["path"], "error": event["error"]}
        case _:
            pass


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
