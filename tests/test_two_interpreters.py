"""The executor against a second interpreter that was written from the language reference alone."""

from __future__ import annotations

import random
from typing import Any

import pytest

from skillbench_tasks.datasets.gold import PatientBackend
from skillbench_tasks.datasets.loaders import load_skills, skill_tools, start_world
from skillbench_tasks.datasets.respondent import ScenarioRespondent
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.workflow import (
    Limits,
    Program,
    ToolSignature,
    parse_program,
    run_workflow,
    validate,
)
from tests.second_interpreter.generator import (
    NOW,
    ScriptedRespondent,
    fake_tools,
    generate_limits,
    generate_program,
    scripted_backend,
)
from tests.second_interpreter.interpreter import interpret

SIGNATURES = {name: ToolSignature(*schemas) for name, schemas in fake_tools().items()}
SHARDS = 20
PROGRAMS_PER_SHARD = 250
QUICK_SHARDS = 4
"""Shards that run by default; the others are `slow`."""


def _normal(value: Any) -> Any:
    """Return a value in which numbers that the language calls equal are the same object type."""
    if isinstance(value, dict):
        free = "message" if value.get("event") == "invalid" else None
        return {key: _normal(part) for key, part in value.items() if key != free}
    if isinstance(value, list | tuple):
        return [_normal(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plain(value: Any) -> str:
    """Return a value or trace for comparison; the wording of `invalid` is free."""
    return repr(_normal(value))


def _both(seed: int) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    rng = random.Random(seed)
    program, inputs = generate_program(rng)
    limits = generate_limits(rng)
    findings = validate(program, SIGNATURES, dialogue=True)
    assert findings == [], f"seed {seed}: {findings[0]}"
    parsed = parse_program(program)
    assert isinstance(parsed, Program)
    first = run_workflow(
        parsed,
        inputs,
        now=NOW,
        backend=scripted_backend(seed),
        respondent=ScriptedRespondent(seed),
        limits=Limits(
            nodes=limits["max_nodes"],
            operators=limits["max_operators"],
            work=limits["max_work"],
        ),
    )
    second = interpret(
        program, inputs, NOW, scripted_backend(seed), ScriptedRespondent(seed), **limits
    )
    return (
        (first.status, _plain(first.value), _plain(first.trace)),
        (second.status, _plain(second.value), _plain(second.trace)),
    )


@pytest.mark.parametrize(
    "shard",
    [
        pytest.param(shard, marks=[pytest.mark.slow] if shard >= QUICK_SHARDS else [])
        for shard in range(SHARDS)
    ],
)
def test_interpreters_on_generated_programs_agree(shard: int) -> None:
    for seed in range(shard * PROGRAMS_PER_SHARD, (shard + 1) * PROGRAMS_PER_SHARD):
        first, second = _both(seed)
        assert first == second, f"seed {seed}"


@pytest.mark.parametrize("skill", [skill.name for skill in load_skills()])
def test_interpreters_on_every_flow_of_a_skill_agree(skill: str) -> None:
    (found,) = load_skills(only=skill)
    program = parse_program(found.program)
    assert isinstance(program, Program)
    for scenario in found.scenarios:
        inputs: dict[str, Any] = {"requests": list(scenario.requests)}
        traces = []
        for run in ("executor", "second"):
            world = start_world(found, scenario)
            backend = PatientBackend(Toolbox(skill_tools(found), world, scenario.faults))
            user = ScenarioRespondent(scenario)
            result: Any = (
                run_workflow(program, inputs, now=world.now, backend=backend, respondent=user)
                if run == "executor"
                else interpret(found.program, inputs, world.now, backend, user)
            )
            traces.append((result.status, _plain(result.value), _plain(result.trace)))
        assert traces[0] == traces[1], scenario.id
