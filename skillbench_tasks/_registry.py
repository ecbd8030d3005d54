"""The Inspect entry point: importing it registers every task, solver, scorer, agent and metric."""

from __future__ import annotations

from skillbench_tasks.closed_loop import closed_loop
from skillbench_tasks.global_orchestration import global_orchestration
from skillbench_tasks.gold_history import gold_history
from skillbench_tasks.local_construction import local_construction
from skillbench_tasks.replan import replan
from skillbench_tasks.scorers.group_metrics import failure_categories, group_means
from skillbench_tasks.scorers.holistic_judge import holistic_judge
from skillbench_tasks.scorers.judge_panel import judge_panel
from skillbench_tasks.scorers.orchestration import orchestration, orchestration_rows
from skillbench_tasks.scorers.panel_metrics import judge_agreement
from skillbench_tasks.scorers.replayed_texts import judged_texts, replayed_texts
from skillbench_tasks.scorers.shells import (
    constraints,
    final_state,
    mean_without_user_faults,
    outcome,
    rules,
    scored,
    stderr_by,
    unscored,
    user_faults,
    verified,
)
from skillbench_tasks.scorers.spending import role_means, role_totals, spend, turn_latency
from skillbench_tasks.scorers.turn_judge import turn_judge
from skillbench_tasks.scorers.turns import rouge_1, strict_tool
from skillbench_tasks.scorers.workflow import error_propagation, workflow
from skillbench_tasks.solvers.agents import desk_agent
from skillbench_tasks.solvers.baselines import (
    always_transfer,
    claim_done,
    paste_policy,
    reference,
    refuse,
    silent,
    spam,
)
from skillbench_tasks.solvers.dialogue import dialogue
from skillbench_tasks.solvers.local_editor import local_editor
from skillbench_tasks.solvers.next_action import next_action
from skillbench_tasks.solvers.planner import global_plan
from skillbench_tasks.solvers.replanner import replan_rounds
from skillbench_tasks.solvers.replaying import replay_loop
from skillbench_tasks.solvers.stepper import step_by_step_loop
from skillbench_tasks.step_by_step import step_by_step
from skillbench_tasks.zero_shot import zero_shot

__all__ = [
    "always_transfer",
    "claim_done",
    "closed_loop",
    "constraints",
    "desk_agent",
    "dialogue",
    "error_propagation",
    "failure_categories",
    "final_state",
    "global_orchestration",
    "global_plan",
    "gold_history",
    "group_means",
    "holistic_judge",
    "judge_agreement",
    "judge_panel",
    "judged_texts",
    "local_construction",
    "local_editor",
    "mean_without_user_faults",
    "next_action",
    "orchestration",
    "orchestration_rows",
    "outcome",
    "paste_policy",
    "reference",
    "refuse",
    "replan",
    "replan_rounds",
    "replay_loop",
    "replayed_texts",
    "role_means",
    "role_totals",
    "rouge_1",
    "rules",
    "scored",
    "silent",
    "spam",
    "spend",
    "stderr_by",
    "step_by_step",
    "step_by_step_loop",
    "strict_tool",
    "turn_judge",
    "turn_latency",
    "unscored",
    "user_faults",
    "verified",
    "workflow",
    "zero_shot",
]
