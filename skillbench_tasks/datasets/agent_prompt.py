"""The system prompt of an agent: what it knows before the customer speaks."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from skillbench_tasks.files import read_text
from skillbench_tasks.models import Case

__all__ = ["agent_prompt"]

_TEMPLATE = Path(__file__).parent / "agent_prompt.md"


def agent_prompt(case: Case, company: str, now: str) -> str:
    """Return the system prompt of the agent: house rules, the skill's page, today's date.

    Args:
        case: The case; nothing of it but its skill's page is shown.
        company: Name of the company that the agent works for.
        now: The world's clock, ISO date-time.
    """
    return _template().format(
        company=company,
        now=now,
        name=case.skill.name,
        description=case.skill.description,
        instructions=case.skill.instructions,
    )


@cache
def _template() -> str:
    return read_text(_TEMPLATE)
