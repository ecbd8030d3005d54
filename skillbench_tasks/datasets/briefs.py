"""What judges are told of each case, taken from the case's source."""

from __future__ import annotations

from skillbench_tasks.datasets.agent_prompt import agent_prompt
from skillbench_tasks.datasets.sources import Source
from skillbench_tasks.models import Brief, BriefTool, Case

__all__ = ["brief_of"]


def brief_of(case: Case, source: Source) -> Brief:
    """Return a case's brief: the agent's prompt and tools, request and criteria; nothing gold.

    Args:
        case: The case.
        source: Where it comes from.
    """
    specs = [tool.spec for tool in source.tools(case)]
    return Brief(
        prompt=agent_prompt(case, source.company(case), source.world(case).now),
        tools=tuple(
            BriefTool(
                name=spec.full_name,
                description=spec.description,
                access=spec.access,
                input_schema=spec.input_schema,
            )
            for spec in specs
        ),
        goal=case.scenario.goal,
        success_criteria=case.scenario.success_criteria,
    )
