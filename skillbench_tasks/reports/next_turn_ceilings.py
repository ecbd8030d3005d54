"""What a perfect agent scores in protocol B that words every free text in its own way: ceilings.

Computed from the gold conversations and the declarations of their tools alone, without running
anything: `skillbench baselines --task next_turn` holds the measured run of the predictor `reworded`
against it. Free texts are those that an argument's schema declares (`x-free-text`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from skillbench_tasks.models import Model
from skillbench_tasks.models.conversation import CalledTool, Conversation
from skillbench_tasks.tools.call_forms import Leaves, leaves_of
from skillbench_tasks.tools.free_text import free_texts, reworded

__all__ = ["Ceilings", "ceilings"]


class Ceilings(Model):
    """Highest means that words of one's own leave, 0-1, with what they are over.

    `exact` and `argument_f1` are over `tool_decisions`; `completion` over `workflows` that need
    tools: those of which every call that is missed without is free of free texts. The rows
    `_any_wording` have the ceiling 1.
    """

    tool_decisions: int
    exact: float
    argument_f1: float
    workflows: int
    completed: int


def ceilings(turns: Iterable[Conversation], workflows: Iterable[Conversation]) -> Ceilings:
    """Return the ceilings.

    Args:
        turns: Conversations whose single decisions are predicted.
        workflows: Conversations that are carried through.
    """
    shares = [
        _share(one.calls(decision), _schemas(one))
        for one in turns
        for decision in one.decisions
        if one.calls(decision)
    ]
    need_tools = [
        one for one in workflows if any(isinstance(step, CalledTool) for step in one.steps)
    ]
    count = len(shares)
    return Ceilings(
        tool_decisions=count,
        exact=sum(share == 1 for share in shares) / count if count else 0.0,
        argument_f1=sum(shares) / count if count else 0.0,
        workflows=len(need_tools),
        completed=sum(not _needs_words(one) for one in need_tools),
    )


def _schemas(conversation: Conversation) -> Mapping[str, Mapping[str, Any]]:
    return {tool.name: tool.input_schema for tool in conversation.tools}


def _share(calls: Iterable[CalledTool], schemas: Mapping[str, Mapping[str, Any]]) -> float:
    """Return the argument F1 that is left of a decision: of a set, the mean over its calls."""
    parts = [_left(call, schemas[call.tool]) for call in calls]
    return sum(parts) / len(parts)


def _left(call: CalledTool, schema: Mapping[str, Any]) -> float:
    gold, other = _leaves(call.arguments, schema), _leaves(reworded(call.arguments, schema), schema)
    size = len(gold) + len(other)
    return 2 * len(gold & other) / size if size else 1.0


def _leaves(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Leaves:
    return leaves_of(arguments, schema)


def _needs_words(conversation: Conversation) -> bool:
    schemas = _schemas(conversation)
    return any(
        free_texts(step.arguments, schemas[step.tool])
        for step in conversation.steps
        if isinstance(step, CalledTool) and step.tool not in conversation.optional_tools
    )
