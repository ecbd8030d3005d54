"""From an answer to a plan, and from a plan to its executions; a plan is never run as code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from inspect_ai.model import ModelOutput
from pydantic import JsonValue

from skillbench_tasks.datasets.sops.running import run_on, signatures
from skillbench_tasks.json_text import find_json_objects
from skillbench_tasks.models.plan_record import PlanRound, VariantRun
from skillbench_tasks.models.sop import Executed, Sop, Variant
from skillbench_tasks.structured_output import shortened
from skillbench_tasks.tools.error_class import ErrorClass, findings_problem, problem_text
from skillbench_tasks.tools.prediction import without_thought
from skillbench_tasks.tools.workflow import Finding, parse_program, validate
from skillbench_tasks.tools.workflow.bounds import MAX_PROGRAM_TEXT
from skillbench_tasks.tools.workflow.language import Program

__all__ = ["BROKEN_OFF", "Plan", "answer_problem", "plan_of", "read_plan", "run_plan"]

_CUT_OFF = frozenset({"max_tokens", "model_length"})


@dataclass(frozen=True)
class Plan:
    """A plan as it was read: a program that may run, or why there is none.

    Args:
        data: The JSON object; none where there is none.
        program: The checked program.
        problem: Why there is no program, beginning with the class of the error.
        findings: What the validator found.
        answer: What the model had said where no JSON object could be read from it.
    """

    data: JsonValue
    program: Program | None = None
    problem: str = ""
    findings: tuple[Finding, ...] = ()
    answer: str = ""

    @property
    def text(self) -> str:
        """The plan as its model is shown it again: as JSON, else what it had said."""
        if self.data is not None:
            return json.dumps(self.data, ensure_ascii=False)
        return self.answer.encode("utf-8", "replace").decode("utf-8")

    @property
    def digest(self) -> str:
        """What tells plans apart: equal where a model would be shown the same workflow."""
        shown = self.text if self.data is None else json.dumps(self.data, sort_keys=True)
        return hashlib.sha256(
            f"{self.problem}\n{shown}".encode(errors="backslashreplace")
        ).hexdigest()[:16]


BROKEN_OFF: Final = Plan(
    None, problem=problem_text(ErrorClass.MODEL, "a limit broke the sample off before a plan")
)
"""The plan of a sample that a limit ended too soon."""


def read_plan(output: ModelOutput, sop: Sop) -> Plan:
    """Read a model's answer.

    The last JSON object with `steps` counts, else the last one; reasoning is cut off first. The
    classes of problems are those of `skillbench_tasks.tools.error_class`.

    Args:
        output: The answer.
        sop: The SOP, whose inputs a plan may declare.
    """
    if problem := answer_problem(output):
        return Plan(None, problem=problem)
    text = without_thought(output.completion)
    is_cut_off = output.stop_reason in _CUT_OFF
    if len(text) > MAX_PROGRAM_TEXT and not is_cut_off:
        detail = f"the answer has {len(text)} characters; {MAX_PROGRAM_TEXT} at most are read"
        return Plan(None, problem=problem_text(ErrorClass.PARSE_SHAPE, detail))
    found = [] if len(text) > MAX_PROGRAM_TEXT else list(find_json_objects(text))
    whole = [one for one in found if "steps" in one]
    if whole:
        return plan_of(whole[-1], sop)
    if not found or is_cut_off or _is_broken(text, found):
        return Plan(None, problem=_missing(text, is_cut_off), answer=text)
    return plan_of(found[-1], sop)


def answer_problem(output: ModelOutput) -> str:
    """Return why a model gave no answer, with the class of the error; empty: it gave one.

    Args:
        output: The answer.
    """
    if output.error or not output.choices:
        return problem_text(ErrorClass.MODEL, shortened(output.error or "no answer"))
    if output.stop_reason == "content_filter":
        return problem_text(ErrorClass.MODEL, "the model or its provider refused")
    if output.stop_reason == "model_length" and output.usage is None:
        return problem_text(ErrorClass.MODEL, "the context is too long for the model")
    return ""


def _is_broken(text: str, found: list[dict[str, JsonValue]]) -> bool:
    """Return whether a workflow was meant that cannot be read: what was read are parts of it."""
    return '"steps"' in text and not any('"steps"' in json.dumps(one) for one in found)


def _missing(text: str, is_cut_off: bool) -> str:
    detail = "the answer holds no workflow" if text else "the answer is empty"
    if is_cut_off:
        detail = "the answer was cut off before the workflow ended"
    elif "{" in text:
        detail = f"the answer holds no JSON object that can be read: {_flaw(text)}"
    return problem_text(ErrorClass.RESPONSE_PARSING, detail)


def _flaw(text: str) -> str:
    """Return what is wrong with the first JSON object of a text; lines count from its brace."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, value in pairs:
            if name in made:
                raise ValueError(f"the key {json.dumps(name)[:100]} stands twice in one object")
            made[name] = value
        return made

    decoder = json.JSONDecoder(strict=False, object_pairs_hook=unique)
    try:
        decoder.raw_decode(text[text.find("{") :])
    except json.JSONDecodeError as error:
        return f"{error.msg} in line {error.lineno}, column {error.colno}"
    except ValueError as error:
        is_ours = str(error).startswith("the key ")
        return shortened(str(error)) if is_ours else "it holds a number that is too long"
    except RecursionError:
        pass
    return "it is nested too deep, or holds a number or a text that JSON does not have"


def plan_of(data: JsonValue, sop: Sop) -> Plan:
    """Return a plan made of a JSON value, checked in all three layers.

    Args:
        data: The value.
        sop: The SOP, whose inputs a plan may declare.
    """
    findings = validate(data, signatures(), dialogue=False)
    program = None if findings else parse_program(data)
    if isinstance(program, Program):
        findings = list(_input_findings(program, sop))
    if findings:
        return Plan(data, problem=findings_problem(findings), findings=tuple(findings))
    assert isinstance(program, Program)
    return Plan(data, program)


def _input_findings(program: Program, sop: Sop) -> Iterator[Finding]:
    """Yield inputs that no run is given; one with a default of its own is harmless."""
    for name, schema in program.inputs.items():
        if name not in sop.inputs and not (isinstance(schema, dict) and "default" in schema):
            allowed = ", ".join(sop.inputs) or "none"
            message = f"the procedure has no such input; there are: {allowed}"
            yield Finding(
                layer="references",
                path=f"inputs.{name}",
                code="unknown_input",
                message=message,
            )


def run_plan(plan: Plan, variants: Iterable[Variant], fed_back: Iterable[str] = ()) -> PlanRound:
    """Execute a plan on variants, each in its own world; without a program nothing is executed.

    Args:
        plan: The plan.
        variants: The variants.
        fed_back: Ids of those whose executions the model is shown.
    """
    shown = set(fed_back)
    return PlanRound(
        plan=plan.data,
        problem=plan.problem,
        digest=plan.digest,
        runs=tuple(
            VariantRun(variant=one.id, executed=_run(plan, one), is_fed_back=one.id in shown)
            for one in variants
        ),
    )


def _run(plan: Plan, variant: Variant) -> Executed:
    if plan.program is None:
        return Executed(status="nothing", problem=plan.problem)
    return run_on(plan.program, variant)
