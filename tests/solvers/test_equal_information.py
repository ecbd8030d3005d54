"""What each protocol's model is shown: the same specification and the same tools (row C6)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog

from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.datasets.sops.specification import blank_workflow, specification
from skillbench_tasks.global_orchestration import global_orchestration
from skillbench_tasks.local_construction import local_construction
from skillbench_tasks.replan import replan
from skillbench_tasks.solvers.planning.prompts import program_schema
from skillbench_tasks.step_by_step import step_by_step
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.normal_forms import without_notations
from tests.orchestration_plays import answer, play, run

SOPS = ("overdue-invoice-chase.2", "status-page-update.1", "data-quality-check.2")
PLANNING = ("global", "conditioned", "local", "replan")


def _tasks(sop: str) -> dict[str, Task]:
    return {
        "global": global_orchestration(sop=sop),
        "conditioned": global_orchestration(sop=sop, input_conditioned=True),
        "local": local_construction(sop=sop),
        "replan": replan(sop=sop, rounds=1),
        "step": step_by_step(sop=sop),
    }


def _first_input(log: EvalLog) -> tuple[str, str, ModelEvent]:
    """Return the system's and the user's text of the first call of the model."""
    assert log.samples
    event = next(e for e in log.samples[0].events if isinstance(e, ModelEvent))
    texts = {message.role: message.text for message in log.samples[0].messages[:2]}
    return texts["system"], texts["user"], event


def _cards(text: str) -> dict[str, Any]:
    lines = [json.loads(line) for line in text.splitlines() if line.startswith('{"tool"')]
    return {card["tool"]: card for card in lines}


@pytest.mark.parametrize("name", SOPS)
def test_every_protocol_shows_specification_and_tools_alike_c6(name: str, tmp_path: Path) -> None:
    sop, specs = sop_by_id(name), {n: t.spec for n, t in connectors.tools().items()}
    for protocol, task in _tasks(name).items():
        log = run(
            task,
            play("none", {label: [answer("No.")] * 4 for label in "abcd"}),
            tmp_path / protocol,
            limit=1,
        )
        system, user, event = _first_input(log)
        assert user.startswith(specification(sop)), protocol
        for part in (sop.description, json.dumps(sop.inputs), *(r.id for r in sop.resources)):
            assert part in user, protocol
        for template in sop.templates:
            assert json.dumps(template.text, ensure_ascii=False) in user
        cards = _cards(system)
        assert cards.keys() == specs.keys(), protocol
        for tool, card in cards.items():
            shown = without_notations(specs[tool].input_schema)
            assert card["input_schema"] == shown, (protocol, tool)
            assert card.get("output_schema") == specs[tool].output_schema, (protocol, tool)
        if protocol in PLANNING:
            assert program_schema() in system, protocol
            assert user.endswith(json.dumps(blank_workflow(sop), ensure_ascii=False)), protocol
        else:
            assert len(event.tools) == len(specs) + 1
