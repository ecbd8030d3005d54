"""Runs that are killed and resumed: same ids, scores and totals as an unbroken run; nothing runs twice.

Real processes under SIGKILL, talking to a counting stub in this one. Known faults, row 19.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from inspect_ai import Task, eval_retry, score, task
from inspect_ai import eval as inspect_eval
from inspect_ai._util.registry import registry_params
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.util import registry_create, store_from_events

from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.models import EPISODE_KEY
from skillbench_tasks.models.prediction_record import PREDICTION_KEY
from skillbench_tasks.models.replay_record import REPLAY_KEY
from skillbench_tasks.scorers.shells import final_state, verified
from skillbench_tasks.task_options import absolute_paths
from skillbench_tasks.zero_shot import zero_shot
from tests.counting_stub import AGENT, JUDGES, USER, CountingStub, running_stub
from tests.judge_plays import grades
from tests.mock import MOCK_SKILLS

INSPECT = str(Path(sys.executable).with_name("inspect"))
PLACE = MOCK_SKILLS.parent
"""The folder in which runs begin: `-T skills=skills` is relative to it."""


@dataclass
class Bench:
    """A stub, and runs against it.

    Args:
        stub: The models.
        environment: That of started processes.
        folder: Where logs go.
    """

    stub: CountingStub
    environment: Mapping[str, str]
    folder: Path

    def inspect(self, *arguments: str, cwd: Path = PLACE, kill_at: int | None = None) -> int:
        """Run `inspect`, killed with SIGKILL at the stub's call of a number; return the exit code.

        The call at which it dies is counted from the command's start.
        """
        start = len(self.stub.calls)
        process: list[subprocess.Popen[bytes]] = []

        def count(calls: int) -> None:
            if kill_at is not None and calls - start >= kill_at and process:
                with suppress(ProcessLookupError):
                    os.killpg(process[0].pid, signal.SIGKILL)

        self.stub.on_call = count
        command = [INSPECT, *arguments, "--display", "none"]
        made = subprocess.Popen(
            command, cwd=cwd, env=dict(self.environment), start_new_session=True
        )
        process.append(made)
        try:
            return made.wait(timeout=300)
        finally:
            self.stub.on_call = lambda calls: None
            made.kill()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The mock skill's six scenarios at a stub."""
    folder = tmp_path_factory.mktemp("resume")
    stub = CountingStub(load_cases(MOCK_SKILLS))
    stub.verdict = lambda text: json.dumps(grades(1 + crc32(text.encode()) % 5))
    with running_stub(stub) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("COUNTED_BASE_URL", url)
        patch.setenv("COUNTED_API_KEY", "no-key-at-all")
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))  # where Inspect keeps running samples
        yield Bench(stub, dict(os.environ), folder)


@dataclass(frozen=True)
class Essence:
    """All of a finished log that an interruption must not change: everything but clocks and ids."""

    samples: Mapping[tuple[str, int], str]
    totals: Mapping[str, str]
    usage: Mapping[str, Any]


def _essence(log: EvalLog, kept: str = EPISODE_KEY) -> Essence:
    assert log.status == "success", log.error
    assert log.results is not None and log.samples is not None
    keys = [(str(sample.id), sample.epoch) for sample in log.samples]
    assert len(set(keys)) == len(keys), "a sample stands in the log twice"
    samples = {}
    for key, sample in zip(keys, log.samples, strict=True):
        scores = {
            name: [score.value, score.answer, score.explanation, score.metadata]
            for name, score in (sample.scores or {}).items()
        }
        # Inspect recovers what was not in the log yet with its events, but no store.
        store = sample.store or dict(store_from_events(sample.events).items())
        episode = store[kept]
        samples[key] = json.dumps(_timeless([episode, scores]), sort_keys=True)
    totals = {
        f"{score.name} {name} {score.reducer}": repr(metric.value)
        for score in log.results.scores
        if score.scored_samples
        for name, metric in score.metrics.items()
        if "seconds" not in name
    }
    totals["planned, completed"] = repr((log.results.total_samples, log.results.completed_samples))
    usage = {name: one.model_dump() for name, one in log.stats.model_usage.items()}
    return Essence(samples, totals, usage)


def _timeless(data: Any) -> Any:
    """Return data without seconds: they are the only thing that differs between two runs."""
    if isinstance(data, dict):
        kept = {key: value for key, value in data.items() if "seconds" not in key}
        if {"by_model", "agent_turn_seconds"} <= data.keys():
            kept["turns"] = len(data["agent_turn_seconds"])
        return {key: _timeless(value) for key, value in kept.items()}
    if isinstance(data, list):
        return [_timeless(value) for value in data]
    if isinstance(data, str):
        return data if " s" not in data or " calls, " not in data else "spend"
    return data


def _logs(folder: Path) -> list[EvalLog]:
    infos = list_eval_logs(str(folder), descending=False)
    return [read_eval_log(info, resolve_attachments="full") for info in infos]


def _finished(log: EvalLog) -> set[tuple[str, int]]:
    return {(str(s.id), s.epoch) for s in log.samples or [] if s.scores and s.error is None}


@pytest.mark.slow
def test_killed_run_resumes_from_another_folder_to_the_same_log(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = inspect_eval(
        zero_shot(skills=str(MOCK_SKILLS)),
        model=AGENT,
        log_dir=str(tmp_path / "whole"),
        display="none",
    )[0]
    calls = bench.stub.by_case()
    bench.stub.calls.clear()
    code = bench.inspect(
        "eval", "skillbench_tasks/zero_shot", "-T", "skills=skills", "--model", AGENT,
        "--max-samples", "2", "--log-buffer", "1", "--log-dir", str(tmp_path / "killed"),
        kill_at=2 * calls.total() // 3,
    )  # fmt: skip
    assert code == -signal.SIGKILL
    (killed,) = _logs(tmp_path / "killed")
    finished = _finished(killed)
    assert killed.status == "started" and 0 < len(finished) < len(whole.samples or [])
    before = bench.stub.by_case()

    monkeypatch.chdir(tmp_path)
    again = eval_retry(killed, log_dir=str(tmp_path / "again"), display="none")[0]
    assert _essence(again) == _essence(whole)
    made = bench.stub.by_case() - before
    assert not {case for _model, case in made} & {case for case, _epoch in finished}
    rest = {case: count for case, count in calls.items() if (case[1], 1) not in finished}
    assert made == Counter(rest)


# Verdicts that are kept cost nothing the second time: to compare all that was spent, none are.
JUDGE_ROLE = f"judge=[{', '.join(f'{{model: {name}, cache: false}}' for name in JUDGES)}]"
ROLES = ["--model-role", f"user={USER}", "--model-role", JUDGE_ROLE]
_RUNS: dict[str, tuple[Essence, Counter[tuple[str, str]]]] = {}


def _command(verb: str, logs: Path, config: str) -> list[str]:
    options = ROLES if config == "roles" else ["-T", "agent=own_agent.py@echo_desk"]
    return [
        verb, "skillbench_tasks/zero_shot", "-T", "skills=skills", "--model", AGENT,
        "--epochs", "3", "--max-samples", "3", "--log-dir", str(logs), *options,
    ]  # fmt: skip


def _place(bench: Bench) -> Path:
    """A folder with skills and an agent of one's own."""
    place = bench.folder / "place"
    if not place.exists():
        place.mkdir()
        (place / "skills").symlink_to(MOCK_SKILLS)
        (place / "own_agent.py").write_text(OWN_AGENT, encoding="utf-8")
    return place


OWN_AGENT = """
from inspect_ai.agent import AgentState, agent
from skillbench_tasks.solvers.agents import desk_agent

@agent
def echo_desk():
    inner = desk_agent()
    async def execute(state: AgentState, tools) -> AgentState:
        return await inner(state, tools=tools)
    return execute
"""


def _unbroken(bench: Bench, config: str) -> tuple[Essence, Counter[tuple[str, str]]]:
    if config not in _RUNS:
        bench.stub.calls.clear()
        logs = bench.folder / f"unbroken-{config}"
        assert bench.inspect(*_command("eval", logs, config), cwd=_place(bench)) == 0
        (log,) = _logs(logs)
        _RUNS[config] = _essence(log), bench.stub.by_case()
    return _RUNS[config]


@pytest.mark.slow
@pytest.mark.parametrize("config", ["roles", "own agent"])
@pytest.mark.parametrize("kills", [(1 / 3,), (2 / 3,), (1 / 3, 1 / 3)], ids=["1/3", "2/3", "twice"])
@pytest.mark.parametrize("way", ["eval-retry", "eval-set"])
def test_killed_run_equals_the_unbroken_one(
    bench: Bench, tmp_path: Path, way: str, kills: tuple[float, ...], config: str
) -> None:
    whole, calls = _unbroken(bench, config)
    bench.stub.calls.clear()
    start = _command("eval-set" if way == "eval-set" else "eval", tmp_path / "logs", config)
    command, cwd = start, _place(bench)
    for share in kills:
        kill_at = int(share * calls.total())
        assert bench.inspect(*command, cwd=cwd, kill_at=kill_at) == -signal.SIGKILL
        if way == "eval-retry":
            last = max(_logs(tmp_path / "logs"), key=lambda log: log.eval.created)
            command = ["eval-retry", last.location, "--log-dir", str(tmp_path / "logs")]
            cwd = tmp_path
    assert bench.inspect(*command, cwd=cwd) == 0
    done = [log for log in _logs(tmp_path / "logs") if log.status == "success"]
    assert [_essence(log) for log in done] == [whole]
    # What ran again are samples that were under way: at most three at each kill.
    longest = max(_by_sample(calls).values()) // 3
    assert 0 <= bench.stub.by_case().total() - calls.total() <= len(kills) * 3 * longest


def _labels(text: str) -> str:
    passes = crc32(text.encode()) % 2
    label, category = ("pass", "none") if passes else ("fail", "other")
    return json.dumps({"rationale": text, "label": label, "failure_category": category})


@pytest.mark.slow
@pytest.mark.parametrize("way", ["eval-retry", "eval-set"])
@pytest.mark.parametrize(
    ("name", "kept"), [("gold_history", PREDICTION_KEY), ("closed_loop", REPLAY_KEY)]
)
def test_killed_run_of_the_next_turn_tasks_equals_the_unbroken_one(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kept: str, way: str
) -> None:
    monkeypatch.setattr(bench.stub, "verdict", _labels)

    def command(verb: str, logs: str) -> list[str]:
        return [
            verb, f"skillbench_tasks/{name}", "-T", "dataset=skills", "--model", AGENT,
            "--model-role", JUDGE_ROLE, "--epochs", "2", "--max-samples", "3",
            "--log-buffer", "1", "--log-dir", str(tmp_path / logs),
        ]  # fmt: skip

    place = _place(bench)
    bench.stub.calls.clear()
    assert bench.inspect(*command("eval", "whole"), cwd=place) == 0
    calls = len(bench.stub.calls)
    (whole,) = _logs(tmp_path / "whole")
    start, cwd = command("eval-set" if way == "eval-set" else "eval", "broken"), place
    for _ in range(2):
        assert bench.inspect(*start, cwd=cwd, kill_at=calls // 3) == -signal.SIGKILL
        if way == "eval-retry":
            last = max(_logs(tmp_path / "broken"), key=lambda log: log.eval.created)
            start = ["eval-retry", last.location, "--log-dir", str(tmp_path / "broken")]
            cwd = tmp_path
    assert bench.inspect(*start, cwd=cwd) == 0
    done = [log for log in _logs(tmp_path / "broken") if log.status == "success"]
    assert [_essence(log, kept) for log in done] == [_essence(whole, kept)]


@pytest.mark.slow
@pytest.mark.parametrize("cache", ["", ", cache: false"], ids=["kept", "opted out"])
def test_j4_verdicts_given_before_a_kill_are_not_bought_again(
    bench: Bench, tmp_path: Path, cache: str
) -> None:
    bench.stub.calls.clear()
    command = [
        "eval", "skillbench_tasks/zero_shot", "-T", "skills=skills", "-T", "agent=reference",
        "-T", "kind=straightforward", "-T", "judge_samples=5", "--model", "none/none",
        "--model-role", f"judge={{model: {JUDGES[0]}, max_connections: 1{cache}}}",
        "--log-dir", str(tmp_path),
    ]  # fmt: skip
    assert bench.inspect(*command, kill_at=4) == -signal.SIGKILL  # three of five were given
    (killed,) = _logs(tmp_path)
    before = len(bench.stub.calls)
    assert bench.inspect("eval-retry", killed.location, "--log-dir", str(tmp_path)) == 0
    bought = len(bench.stub.calls) - before
    assert bought == (5 if cache else 2)
    (done,) = (log for log in _logs(tmp_path) if log.status == "success")
    assert done.samples is not None and done.samples[0].scores is not None
    metadata = done.samples[0].scores["judge_panel"].metadata or {}
    assert [len(given) for given in metadata["answers"].values()] == [5]


def _by_sample(calls: Counter[tuple[str, str]]) -> Counter[str]:
    by_sample: Counter[str] = Counter()
    for (_model, case), count in calls.items():
        by_sample[case] += count
    return by_sample


@pytest.mark.parametrize(
    ("option", "given", "kept"),
    [
        ("skills", "skills", "{}/skills"),
        ("rubric", "sub/../rubric.md", "{}/rubric.md"),
        ("dataset", "tau2:data/retail", "tau2:{}/data/retail"),
        ("agent", "own.py@mine", "{}/own.py@mine"),
        ("agent", "pkg/name", "pkg/name"),
        ("skills", None, None),
        ("kind", "out_of_scope", "out_of_scope"),
    ],
)
def test_path_among_the_arguments_is_kept_absolute(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    given: str | None,
    kept: str | None,
) -> None:
    @absolute_paths
    @task(name="task_with_a_path")
    def with_path(**options: Any) -> Task:
        return Task(metadata=options)

    monkeypatch.chdir(tmp_path)
    expected = kept and kept.format(tmp_path.resolve())
    made = [
        with_path(**{option: given}),
        registry_create("task", "task_with_a_path", **{option: given}),
    ]
    for one in made:
        assert one.metadata == {option: expected}
        assert registry_params(one) == {option: expected}


def test_sample_that_came_back_without_its_store_grades_from_its_events(tmp_path: Path) -> None:
    task_made = zero_shot(skills=str(MOCK_SKILLS), agent="reference", kind="lost_reply")
    log = inspect_eval(task_made, model="none/none", log_dir=str(tmp_path), display="none")[0]
    assert log.samples is not None and EPISODE_KEY in log.samples[0].store
    log.samples[0].store = {}
    again = score(log, [verified(), final_state()], action="overwrite", display="none")
    assert again.samples is not None and again.samples[0].scores is not None
    assert {name: one.value for name, one in again.samples[0].scores.items()} == {
        "verified": "C",
        "final_state": "C",
    }
