"""Checks that what a skill names is there: tools, slots, facts, personas, a valid flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import JsonValue

from skillbench_tasks.datasets.forbidden_slots import load_forbidden_slots
from skillbench_tasks.datasets.own_tools import catalogue_of
from skillbench_tasks.datasets.skill_files import FLOW_FILE, SCENARIOS_FILE
from skillbench_tasks.errors import DataError
from skillbench_tasks.files import line_of, shown
from skillbench_tasks.models import Persona, Scenario, Skill, SlotSpec
from skillbench_tasks.patterns import PatternFault, linear_pattern
from skillbench_tasks.tools.workflow import ToolSignature, validate

__all__ = ["check_references"]


def check_references(
    skill: Skill, personas: Mapping[str, Persona], slots: Mapping[str, SlotSpec]
) -> None:
    """Check a skill's flow, rules and scenarios against catalogue, personas and slots.

    Raises:
        DataError: The first name that leads nowhere, or the first fault of the flow.
    """
    _check_flow(skill)
    _check_rules(skill)
    path = Path(skill.folder) / SCENARIOS_FILE
    for index, scenario in enumerate(skill.scenarios):
        for field, problem, mend in _scenario_faults(skill, scenario, personas, slots):
            line = line_of(path, ["scenarios", str(index), *field.split(".")])
            raise DataError(shown(path), f"{scenario.id}.{field}", problem, mend, line)


def _check_flow(skill: Skill) -> None:
    tools = catalogue_of(skill).tools
    signatures = {
        name: ToolSignature(tools[name].spec.input_schema, tools[name].spec.output_schema)
        for name in skill.toolkit
    }
    findings = validate(skill.program, signatures, dialogue=True)
    if findings:
        first = findings[0]
        problem = f"{first.code}: {first.message}"
        file = shown(Path(skill.folder) / FLOW_FILE)
        raise DataError(file, f"program.{first.path}", problem, "see docs/workflow-language.md")
    for name in sorted(_called(skill.program)):
        spec = tools[name].spec
        if not spec.is_declared and spec.example is None:
            problem = f"calls {name}, which has neither a behaviour nor an example"
            raise DataError(shown(Path(skill.folder) / FLOW_FILE), "program", problem, "add one")


def _called(part: JsonValue) -> set[str]:
    """Return the tools that a program calls."""
    if isinstance(part, list):
        return {name for one in part for name in _called(one)}
    if not isinstance(part, dict):
        return set()
    inner = {name for one in part.values() for name in _called(one)}
    return inner | {str(part["tool"])} if part.get("kind") == "call" else inner


def _check_rules(skill: Skill) -> None:
    rules, path = skill.rules, Path(skill.folder) / FLOW_FILE
    named = [
        *([("verification", rules.verification.tool)] if rules.verification else []),
        *(("after_verification", tool) for tool in rules.after_verification),
        *(("confirm", rule.tool) for rule in rules.confirm),
        *(("step_up", rule.tool) for rule in rules.step_up),
        *(("order", tool) for rule in rules.order for tool in (rule.first, rule.then)),
        *(("never", rule.tool) for rule in rules.never),
        *(("at_most", rule.tool) for rule in rules.at_most),
    ]
    for field, tool in named:
        if not any(fnmatchcase(offered, tool) for offered in skill.toolkit):
            problem = f"{tool} is not in the toolkit"
            line = line_of(path, ["rules", field])
            raise DataError(shown(path), f"rules.{field}", problem, "mend the name", line)
    for name in rules.never_ask:
        if name not in load_forbidden_slots():
            problem = f"no slot {name} in datasets/forbidden_slots.yaml"
            raise DataError(shown(path), "rules.never_ask", problem, "mend the name")
    for index, rule in enumerate(rules.never_say):
        try:
            linear_pattern(rule.says, ignores_case=True)
            linear_pattern(rule.unless, ignores_case=True)
        except PatternFault as fault:
            place = f"rules.never_say.{index}"
            mend = "write it in the syntax of RE2"
            line = line_of(path, place.split("."))
            raise DataError(shown(path), place, str(fault), mend, line) from fault
    for name in rules.protected:
        if name not in catalogue_of(skill).collections:
            raise DataError(shown(path), "rules.protected", f"no collection {name}", "mend it")


def _scenario_faults(
    skill: Skill, scenario: Scenario, personas: Mapping[str, Persona], slots: Mapping[str, SlotSpec]
) -> Iterator[tuple[str, str, str]]:
    if not scenario.id.startswith(f"{skill.name}.{scenario.kind}"):
        yield "id", "does not start with <skill>.<kind>", "rename it"
    if scenario.persona not in personas:
        yield "persona", f"no persona {scenario.persona}", "see datasets/personas.yaml"
    for index, fault in enumerate(scenario.faults):
        if fault.tool not in skill.toolkit:
            yield f"faults.{index}.tool", f"{fault.tool} is not in the toolkit", "mend the name"
    for index, rule in enumerate(scenario.never):
        if not any(fnmatchcase(offered, rule.tool) for offered in skill.toolkit):
            yield f"never.{index}.tool", f"{rule.tool} is not in the toolkit", "mend the name"
    for tool in scenario.optional_tools:
        if tool not in skill.toolkit:
            yield "optional_tools", f"{tool} is not in the toolkit", "mend the name"
    for index, check in enumerate(scenario.text_checks):
        if check.collection not in catalogue_of(skill).collections:
            field = f"text_checks.{index}.collection"
            yield field, f"no collection {check.collection}", "mend the name"
    yield from _slot_faults(scenario, slots)


def _slot_faults(
    scenario: Scenario, slots: Mapping[str, SlotSpec]
) -> Iterator[tuple[str, str, str]]:
    for slot in (*scenario.facts, *scenario.unknown):
        if slot not in slots:
            yield "facts", f"no slot {slot}", "add it to slots.yaml in the skill's folder"
    for slot in scenario.tells:
        if slot not in scenario.facts:
            yield "tells", f"{slot} is not among the facts", "add the fact"
    for slot in scenario.unknown:
        if slot in scenario.facts:
            yield "unknown", f"{slot} is among the facts", "keep one"
    for slot in scenario.says:
        if slot not in scenario.facts and not _is_changed(scenario, slot):
            yield "says", f"{slot} is not among the facts", "add the fact"


def _is_changed(scenario: Scenario, slot: str) -> bool:
    return scenario.mind_change is not None and slot in scenario.mind_change.changes
