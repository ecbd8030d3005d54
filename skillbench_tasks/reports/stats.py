"""Counts of what the suite holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from skillbench_tasks.datasets.wording import opening_overlaps, repeated_sentences
from skillbench_tasks.models import Case
from skillbench_tasks.tools import catalogue
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = ["suite_stats"]


def suite_stats(cases: Sequence[Case]) -> dict[str, Any]:
    """Return counts as a JSON-ready object.

    Text decisions are agent messages, tool decisions are agent calls of the gold conversations.
    """
    tools = [tool.spec for tool in catalogue.tools().values()]
    turns = [turn for case in cases for turn in case.gold.turns]
    agent_turns = [turn for turn in turns if turn.role == "agent"]
    return {
        "versions": {"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
        "tools": {
            "servers": len({tool.server for tool in tools}),
            "total": len(tools),
            "read": sum(tool.access == "read" for tool in tools),
            "write": sum(tool.access == "write" for tool in tools),
            "collections": len(catalogue.collections()),
        },
        "skills": len({case.skill.name for case in cases}),
        "scenarios": len(cases),
        "by_industry": _count(case.skill.industry for case in cases),
        "by_category": _count(case.skill.category for case in cases),
        "by_kind": _count(str(case.scenario.kind) for case in cases),
        "by_outcome": _count(str(case.scenario.outcome) for case in cases),
        "by_persona": _count(case.scenario.persona for case in cases),
        "gold": {
            "conversations": len(cases),
            "turns": len(turns),
            "text_decisions": len(agent_turns),
            "tool_decisions": sum(len(turn.calls) for turn in agent_turns),
            "failed_calls": sum(c.error is not None for turn in agent_turns for c in turn.calls),
            "without_tools": sum(not any(t.calls for t in c.gold.turns) for c in cases),
        },
        "wording": _wording(cases),
    }


def _wording(cases: Sequence[Case]) -> dict[str, Any]:
    openings = {case.id: case.scenario.opening for case in cases}
    overlaps = opening_overlaps(openings, bound=0.0)
    spoken = {c.id: [t.text for t in c.gold.turns if t.role == "agent"] for c in cases}
    repeated = repeated_sentences(spoken, share=0.0)
    words = list(chain.from_iterable(t.text.split() for c in cases for t in c.gold.turns))
    return {
        "words": len(words),
        "highest_opening_jaccard": max((round(o[2], 3) for o in overlaps), default=0.0),
        "most_repeated_sentence": max((n for _, n in repeated), default=1),
    }


def _count(values: Any) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
