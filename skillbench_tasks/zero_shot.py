"""Protocol A: zero-shot skill execution (`spec/skill-execution.md`).

Source: *skill execution* protocol: a model works inside one selected skill and finishes a stateful
    request of a simulated user over several turns.

What is measured: whether all deterministic checks hold at the end (`verified`), and each of them
alone.

Procedure:
1. The agent gets the skill's page, the toolkit and the user's opening. It sees nothing else.
2. Each turn it may call tools on its sample's own world; then its message goes to the user, who
   answers.
3. The conversation ends as resolved, transferred, out of scope, given up, or when the turn budget
   is used up.
4. The episode is graded: three rules (hard failures), final state, constraints, outcome.

Deviations: without a model in the role `user` a scripted user plays (profile `offline`, never
    pooled with `published`).
"""

from __future__ import annotations

from typing import Any, Final

from inspect_ai import Epochs, Task, task

from skillbench_tasks.datasets.samples import Filter, case_dataset, select_cases
from skillbench_tasks.datasets.sources import open_source, source_place
from skillbench_tasks.scorers.shells import (
    constraints,
    final_state,
    outcome,
    rules,
    user_faults,
    verified,
)
from skillbench_tasks.solvers.agents import DEFAULT_AGENT, AgentSlot
from skillbench_tasks.solvers.dialogue import dialogue
from skillbench_tasks.task_options import (
    faults_as_one_line,
    refuse_unknown_options,
    require_positive,
    require_reachable,
)
from skillbench_tasks.versions import DATA_VERSION, GRADER_VERSION, TASK_VERSION

__all__ = ["TURN_BUDGET", "zero_shot"]

TURN_BUDGET: Final = 20
"""Agent turns after which a conversation ends unfinished."""


@task
def zero_shot(
    *,
    agent: str = DEFAULT_AGENT,
    turns: int = TURN_BUDGET,
    skills: str | None = None,
    dataset: str | None = None,
    industry: Filter | None = None,
    category: Filter | None = None,
    kind: Filter | None = None,
    skill: Filter | None = None,
    **unknown: Any,
) -> Task:
    """Run the agent ↔ user loop on every scenario and verify what it left behind.

    Args:
        agent: Registered name of the agent under test.
        turns: Turn budget.
        skills: Folder of skills; default: those that ship.
        dataset: Foreign data in their stead, as `<format>:PATH` (`tau2:PATH`).
        industry: Keep these industries (comma-separated), as the next three filters.
        category: Keep these categories.
        kind: Keep these scenario kinds.
        skill: Keep these skills.
        **unknown: Anything else is refused.
    """
    with faults_as_one_line():
        refuse_unknown_options(zero_shot, unknown)
        AgentSlot(agent)
        require_positive("turns", turns)
        require_reachable()
        place = source_place(skills, dataset)
        source = open_source(place)
        cases = select_cases(
            source.cases(), industry=industry, category=category, kind=kind, skill=skill
        )
    return Task(
        dataset=case_dataset(cases, source.name),
        solver=dialogue(agent=agent, turns=turns, source=place),
        scorer=[verified(), rules(), final_state(), constraints(), outcome(), user_faults()],
        epochs=Epochs(1, "mean"),
        version=int(TASK_VERSION),
        metadata={"task": TASK_VERSION, "data": DATA_VERSION, "grader": GRADER_VERSION},
    )
