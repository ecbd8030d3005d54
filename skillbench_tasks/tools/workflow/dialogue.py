"""The dialogue nodes, compiled to steps of a run.

Source: docs/workflow-language.md, section 7.
"""

from __future__ import annotations

from pydantic import JsonValue

from skillbench_tasks.errors import WorkflowError
from skillbench_tasks.tools.workflow.execution import (
    Ended,
    Respondent,
    Run,
    Status,
    Step,
    compile_object,
)
from skillbench_tasks.tools.workflow.language import (
    AskNode,
    DeclineNode,
    HandOverNode,
    SayNode,
)
from skillbench_tasks.tools.workflow.values import copy_value

__all__ = ["compile_ask", "compile_ending", "compile_say"]


def compile_say(node: SayNode, path: str) -> Step:
    """Compile a `say` node."""
    facts = compile_object(node.facts)

    def step(run: Run) -> None:
        run.trace.append(
            {
                "event": "say",
                "path": path,
                "act": node.act,
                "facts": facts(run),
                "claims": list(node.claims),
                "must": list(node.must),
            }
        )

    return step


def compile_ending(node: HandOverNode | DeclineNode, path: str) -> Step:
    """Compile a `hand_over` or `decline` node."""
    facts = compile_object(node.facts)
    status: Status = "handed_over" if isinstance(node, HandOverNode) else "declined"

    def step(run: Run) -> None:
        run.trace.append(
            {
                "event": node.kind,
                "path": path,
                "reason": node.reason,
                "facts": facts(run),
                "must": list(node.must),
            }
        )
        raise Ended(status)

    return step


def compile_ask(node: AskNode, path: str) -> Step:
    """Compile an `ask` node."""
    facts = compile_object(node.facts)

    def step(run: Run) -> None:
        told = facts(run)
        if run.respondent is None:
            raise WorkflowError("a program with dialogue nodes needs a respondent")
        if node.confirm is not None:
            asked: list[str] = []
            answer = _confirmation(node, run.respondent, node.confirm)
            bound = answer
        else:
            asked = [s for s in node.slots if node.again or not run.respondent.told(s)]
            answer = _answer(node, run.respondent, asked)
            bound = {
                slot: answer[slot] if slot in answer else _told_value(run.respondent, slot)
                for slot in node.slots
            }
        if asked or node.confirm is not None:
            run.trace.append(
                {
                    "event": "ask",
                    "path": path,
                    "slots": list[JsonValue](asked),
                    "confirm": node.confirm,
                    "facts": told,
                    "answer": answer,
                }
            )
        else:
            run.trace.append({"event": "known", "path": path, "slots": list(node.slots)})
        if node.id is not None:
            run.bind(node.id, bound)

    return step


def _told_value(respondent: Respondent, slot: str) -> JsonValue:
    return copy_value(respondent.told_value(slot))


def _answer(node: AskNode, respondent: Respondent, asked: list[str]) -> dict[str, JsonValue]:
    if not asked:
        return {}
    given = respondent.answer(list(asked), None, node.again)
    return {slot: copy_value(given.get(slot)) for slot in asked}


def _confirmation(node: AskNode, respondent: Respondent, confirm: str) -> dict[str, JsonValue]:
    given = respondent.answer([], confirm, node.again)
    confirmed, changes = given.get("confirmed"), given.get("changes", {})
    if not isinstance(confirmed, bool) or not isinstance(changes, dict):
        raise WorkflowError(f"the respondent gave no answer to `confirm: {confirm}`")
    return {"confirmed": confirmed, "changes": copy_value(changes)}
