"""What a model reads under each protocol of orchestration; what all SOPs share comes first."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from skillbench_tasks.datasets.sops.specification import (
    blank_workflow,
    language_page,
    specification,
    tool_cards,
)
from skillbench_tasks.datasets.sops.workspace import company
from skillbench_tasks.files import read_text
from skillbench_tasks.models.sop import Sop, Variant

__all__ = [
    "edit_prompt",
    "plan_prompt",
    "program_schema",
    "replan_prompt",
    "request_prompt",
    "run_prompt",
    "step_prompt",
]

_PAGES = Path(__file__).parent.parent / "prompts"

_MANY_RUNS = "many times, on inputs and data that you do not see"
_ONE_RUN = "once, on the inputs that you are given and on data that you do not see"


@cache
def program_schema() -> str:
    """Return the JSON Schema of a workflow, in one line."""
    text = (
        files("skillbench_tasks.tools.workflow").joinpath("program.schema.json").read_text("utf-8")
    )
    return json.dumps(json.loads(text))


@cache
def plan_prompt(inputs_shown: bool = False) -> str:
    """Return the instructions for writing a whole workflow; the same for all SOPs.

    Args:
        inputs_shown: Whether the workflow is for one run, whose inputs are shown.
    """
    return _page("plan").format(
        company=company(),
        runs=_ONE_RUN if inputs_shown else _MANY_RUNS,
        language=language_page(),
        schema=program_schema(),
        tools=tool_cards(),
    )


@cache
def edit_prompt() -> str:
    """Return the instructions for building a workflow node by node; the same for all SOPs."""
    return _page("edit").format(
        company=company(), language=language_page(), schema=program_schema(), tools=tool_cards()
    )


@cache
def step_prompt() -> str:
    """Return the instructions for carrying a SOP out call by call; the same for all SOPs."""
    return _page("step").format(company=company(), tools=tool_cards())


def request_prompt(sop: Sop, variant: Variant | None = None) -> str:
    """Return what a model is told that writes a workflow: the SOP, and where the workflow starts.

    Args:
        sop: The SOP.
        variant: The run whose inputs are shown; none: no inputs are.
    """
    told = specification(sop) if variant is None else run_prompt(sop, variant)
    start = _json(blank_workflow(sop))
    return f"{told}\n\n## The workflow before its first node\n\n{start}"


def run_prompt(sop: Sop, variant: Variant) -> str:
    """Return what a model is told of one run of a SOP.

    Args:
        sop: The SOP.
        variant: The run whose inputs are shown.
    """
    return f"{specification(sop)}\n\n## The inputs of this run\n\n{_json(variant.inputs)}"


def replan_prompt(sop: Sop, workflow: str, what: str, feedback: str) -> str:
    """Return the request for a revised workflow: specification, workflow, what came of it.

    Args:
        sop: The SOP.
        workflow: The workflow as it stands, or the answer that held none.
        what: What was done with it.
        feedback: What came of it, one JSON object in each line.
    """
    asked = _page("replan").format(workflow=workflow, what=what, feedback=feedback)
    return f"{specification(sop)}\n\n{asked}"


@cache
def _page(name: str) -> str:
    return read_text(_PAGES / f"{name}.md").strip()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
