"""Protocol A: zero-shot skill execution (`spec/skill-execution.md`).

Source: *skill execution* protocol: a model works inside one selected skill and finishes a stateful
    request of a simulated user over several turns.

What is measured: whether all deterministic checks hold at the end (`verified`), and each alone.

Procedure:
1. The agent gets the skill's page, the toolkit and the user's opening. It sees nothing else.
2. Each turn it may call tools on its sample's own world; then its message goes to the user, who
   answers.
3. The conversation ends as resolved, transferred, out of scope, given up, or by the turn budget.
4. The episode is graded: three rules (hard failures), final state, constraints, outcome.
5. Each model in the role `judge` grades the transcript; code computes its pass and the panel's.
6. What each role spent is written beside the grades.

Deviations: without a model in the role `user` a scripted user plays (profile `offline`, never
    pooled with `published`); without one in the role `judge` only the deterministic scorers grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from inspect_ai import Epochs, Task, task
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from skillbench_tasks.datasets.samples import Filter, case_dataset, select_cases
from skillbench_tasks.datasets.sources import open_source, source_place
from skillbench_tasks.models import Case
from skillbench_tasks.scorers.judge_panel import panel_of_run
from skillbench_tasks.scorers.shells import deterministic_scorers
from skillbench_tasks.scorers.spending import spend
from skillbench_tasks.solvers.agents import DEFAULT_AGENT
from skillbench_tasks.solvers.dialogue import dialogue
from skillbench_tasks.solvers.mocking import Mocks, cases_in_play
from skillbench_tasks.task_options import (
    absolute_paths,
    faults_as_one_line,
    refuse_unknown_options,
    require_reachable,
    run_metadata,
)
from skillbench_tasks.tools.transport import Transport
from skillbench_tasks.versions import TASK_VERSION

__all__ = ["TURN_BUDGET", "zero_shot"]

TURN_BUDGET: Final = 20  # agent turns after which a conversation ends unfinished


@absolute_paths
@task
def zero_shot(
    *,
    agent: str = DEFAULT_AGENT,
    turns: int = TURN_BUDGET,
    transport: str = Transport.IN_PROCESS,
    mocks: str = Mocks.DECLARED,
    recording: str | None = None,
    skills: str | None = None,
    dataset: str | None = None,
    industry: Filter | None = None,
    category: Filter | None = None,
    kind: Filter | None = None,
    skill: Filter | None = None,
    judge_samples: int = 1,
    judge_tie: str = "fail",
    rubric: str | None = None,
    **unknown: Any,
) -> Task:
    """Run the agent ↔ user loop on every scenario and verify what it left behind.

    Args:
        agent: Registered name of the agent under test.
        turns: Turn budget.
        transport: How calls reach the tools: `in_process`, or `mcp`, through a real MCP server.
        mocks: Who answers for undeclared tools: nobody (`declared`), a model (`llm`, `llm_all`).
        recording: File or folder in which the mock's answers are kept, and found again.
        skills: Folder of skills; default: those that ship.
        dataset: Foreign data in their stead, as `<format>:PATH` (`tau2:PATH`).
        industry: Keep these industries (comma-separated), as the next three filters.
        category: Keep these categories.
        kind: Keep these scenario kinds.
        skill: Keep these skills.
        judge_samples: Answers asked of each judge; the majority is its vote.
        judge_tie: What an even vote says: `fail`, `pass` or `unscored`.
        rubric: A rubric file of one's own; default: the protocol's.
        **unknown: Anything else is refused.
    """
    with faults_as_one_line():
        refuse_unknown_options(zero_shot, unknown)
        place = source_place(skills, dataset)
        cases = select_cases(
            open_source(place).cases(), industry=industry, category=category, kind=kind, skill=skill
        )
        cases = cases_in_play(mocks, recording, open_source(place), cases)
        solver = dialogue(agent, turns, place, transport, mocks, recording)
        return _task(cases, place, solver, panel_of_run(judge_samples, judge_tie, rubric))


def _task(cases: Sequence[Case], place: str | None, solver: Solver, panel: list[Scorer]) -> Task:
    require_reachable()
    return Task(
        dataset=case_dataset(cases, open_source(place)),
        solver=solver,
        scorer=[*deterministic_scorers(), *panel, spend()],
        epochs=Epochs(1, "mean"),
        version=int(TASK_VERSION),
        metadata=run_metadata(open_source(place).notes),
    )
