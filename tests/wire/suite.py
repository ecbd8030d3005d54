"""A whole scenario in every wire format: the stub is agent, customer and judge in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import GenerateConfig

from skillbench_tasks.datasets.sources import open_source
from skillbench_tasks.models import EPISODE_KEY, Call, Case, Episode, Line
from skillbench_tasks.zero_shot import zero_shot
from tests.scripted_model import PLAYS
from tests.wire.marked import KIND, UNSAID, marked_skills
from tests.wire.neutral import Broken
from tests.wire.plays import (
    agent_play,
    customer_play,
    in_process_play,
    judge_play,
    refused_once,
)
from tests.wire.server import WIRES, Seen, StubServer

__all__ = ["Played", "episode_of", "events_of", "play_suite", "run_together", "sample_of"]

BROKEN: tuple[Broken, ...] = ("unreadable", "partial", "nothing")


@dataclass(frozen=True)
class Played:
    """What the runs left: a log for each wire, one in process for each fate of a broken call."""

    case: Case
    stub: StubServer
    logs: Mapping[str, EvalLog]

    def log(self, name: str) -> EvalLog:
        """Return the log of a wire, or of a fate of a broken call in process."""
        return self.logs[name]

    def seen(self, wire: str, role: str) -> list[Seen]:
        """Return the requests to the model of a role that were answered."""
        return [one for one in self.stub.seen(WIRES[wire].bare(role)) if one.status == 200]


def play_suite(stub: StubServer, folder: Path) -> Played:
    """Play the marked scenario in all wire formats side by side, and in process."""
    skills = str(marked_skills(folder))
    source = open_source(skills)
    (case,) = source.cases()
    tasks: dict[str, Task] = {}
    for name, wire in WIRES.items():
        play = agent_play(case, wire.on_broken, UNSAID)
        stub.plays[wire.bare("agent")] = refused_once("rate_limit", play)
        stub.plays[wire.bare("user")] = customer_play(case, source)
        stub.plays[wire.bare("judge")] = judge_play
        roles = {role: wire.name(role) for role in ("user", "judge")}
        tasks[name] = _task(skills, wire.name("agent"), roles)
    for broken in BROKEN:
        PLAYS[f"wire_{broken}"] = in_process_play(case, broken, UNSAID)
        tasks[broken] = _task(skills, f"scripted/wire_{broken}", {})
    return Played(case, stub, run_together(tasks, folder / "logs"))


def run_together(tasks: Mapping[str, Task], folder: Path, **options: Any) -> dict[str, EvalLog]:
    """Run tasks side by side: the waits of one are filled by the others."""
    options = {"max_retries": 3, **options}
    logs = inspect_eval(
        list(tasks.values()),
        max_tasks=len(tasks),
        log_dir=str(folder),
        log_level="error",
        display="plain",  # the default draws nested tables of all rows, a second for each task
        log_realtime=False,
        **options,
    )
    return dict(zip(tasks, logs, strict=True))


def sample_of(log: EvalLog) -> EvalSample:
    """Return the one sample of a log."""
    assert log.samples is not None
    (sample,) = log.samples
    return sample


def episode_of(log: EvalLog) -> Episode:
    """Return the one episode of a log."""
    return Episode.model_validate(sample_of(log).store[EPISODE_KEY])


def events_of(episode: Episode) -> list[object]:
    """Return what happened, without what a scripted user knows of itself and wordings of errors."""
    return [
        (event.role, event.turn, event.text) if isinstance(event, Line) else _shown(event)
        for event in episode.events
    ]


def _shown(call: Call) -> object:
    code = call.error.code if call.error else None
    return (call.turn, call.tool, dict(call.arguments), call.offered, call.result, code)


def _task(skills: str, model: str, roles: Mapping[str, str]) -> Task:
    return task_with(
        zero_shot(skills=skills, kind=KIND),
        model=model,
        model_roles=dict(roles),
        config=GenerateConfig(reasoning_effort="low"),
    )
