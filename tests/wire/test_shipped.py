"""Scenarios that ship, each of another kind, played over the wires."""

from __future__ import annotations

import pytest
from inspect_ai import Task, task_with

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.models import Case
from skillbench_tasks.zero_shot import zero_shot
from tests.scripted_model import PLAYS
from tests.wire.neutral import Broken
from tests.wire.plays import agent_play, customer_play, in_process_play
from tests.wire.server import WIRES, StubServer
from tests.wire.suite import episode_of, events_of, run_together, sample_of

pytestmark = pytest.mark.slow


def _cases() -> list[Case]:
    """Return a shipped case of every kind, each time of another skill."""
    kinds = sorted({case.scenario.kind for case in load_cases()})
    of_kind = [[case for case in load_cases() if case.scenario.kind is kind] for kind in kinds]
    return [found[number % len(found)] for number, found in enumerate(of_kind)]


def _task(case: Case, model: str, user: str | None = None) -> Task:
    task = zero_shot(skill=case.skill.name)
    dataset = task.dataset.filter(lambda sample: sample.id == case.id)
    roles = {"user": user} if user else {}
    return task_with(task, dataset=dataset, model=model, model_roles=roles)


def test_shipped_scenario_of_every_kind_on_a_wire_is_the_same_as_in_process(
    stub: StubServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = open_source()
    tasks: dict[str, Task] = {}
    for number, case in enumerate(_cases()):
        name, wire = list(WIRES.items())[number % len(WIRES)]
        broken: Broken = wire.on_broken
        stub.plays[wire.bare(f"ships-{number}")] = agent_play(case, broken)
        stub.plays[wire.bare(f"asks-{number}")] = customer_play(case, source)
        PLAYS[f"ships_{number}"] = in_process_play(case, broken)
        roles = wire.name(f"asks-{number}")
        tasks[f"{number} {name}"] = _task(case, wire.name(f"ships-{number}"), roles)
        tasks[f"{number} in process"] = _task(case, f"scripted/ships_{number}")
    logs = run_together(tasks, tmp_path_factory.mktemp("shipped"))
    for number in range(len(tasks) // 2):
        wire_log, log = list(logs.values())[2 * number : 2 * number + 2]
        assert (wire_log.status, log.status) == ("success", "success")
        scores = sample_of(wire_log).scores
        assert scores is not None and scores["verified"].value == "C", sample_of(wire_log).id
        assert events_of(episode_of(wire_log)) == events_of(episode_of(log))
