"""The workflow language: JSON programs over tools.

Nothing in a program is evaluated as code, and every run ends. The language is defined in
docs/workflow-language.md.
"""

from __future__ import annotations

from skillbench_tasks.tools.workflow.bounds import (
    Budget,
    BudgetExhausted,
    EvaluationError,
    Limits,
)
from skillbench_tasks.tools.workflow.execution import Backend, Event, Execution, Respondent, Status
from skillbench_tasks.tools.workflow.executor import run_workflow
from skillbench_tasks.tools.workflow.expressions import compile_expression, evaluate_expression
from skillbench_tasks.tools.workflow.language import Finding, Program
from skillbench_tasks.tools.workflow.parser import parse_program
from skillbench_tasks.tools.workflow.rules import Compiled, compile_rule, evaluate_rule
from skillbench_tasks.tools.workflow.signatures import ToolSignature
from skillbench_tasks.tools.workflow.validator import validate
from skillbench_tasks.tools.workflow.values import copy_value, equal_values, text_of

__all__ = [
    "Backend",
    "Budget",
    "BudgetExhausted",
    "Compiled",
    "EvaluationError",
    "Event",
    "Execution",
    "Finding",
    "Limits",
    "Program",
    "Respondent",
    "Status",
    "ToolSignature",
    "compile_expression",
    "compile_rule",
    "copy_value",
    "equal_values",
    "evaluate_expression",
    "evaluate_rule",
    "parse_program",
    "run_workflow",
    "text_of",
    "validate",
]
