"""The eval set over models and judges: its tables, and that nothing runs twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolInfo

from examples.models_by_judges import main as main_here
from examples.models_by_judges import ranking_tables
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.scorers.statistic import Statistic, Undefined
from tests.conftest import ROOT
from tests.counting_stub import CountingStub, running_stub
from tests.examples.gold_play import gold_play
from tests.judge_plays import grades
from tests.mock import MOCK_SKILLS, mock_case
from tests.scripted_model import PLAYS, Reply

TWO_KINDS = ["--kind", "straightforward,out_of_scope"]
GOOD_CALLS = 9
"""Model calls of the gold conversation `straightforward`: four messages, five tools."""

TALKS = ["--kind", "straightforward,lost_reply"]

# A service of its own: Inspect keeps a model of a name for good, with the address it had first.
SERVICE = "openai-api/killed"
MODELS = (f"{SERVICE}/agent", f"{SERVICE}/agent-b")
JUDGES = (f"{SERVICE}/judge-a", f"{SERVICE}/judge-b")


def main(arguments: Sequence[str]) -> int:
    """Run the example; Inspect's eval sets leave their models in the context that they run in."""
    return copy_context().run(main_here, arguments)


def _arguments(log_dir: Path, models: tuple[str, ...], judges: tuple[str, ...]) -> list[str]:
    named = [("--model", model) for model in models] + [("--judge", judge) for judge in judges]
    return [
        *("--log-dir", str(log_dir), "--skills", str(MOCK_SKILLS), "--display", "none"),
        *("--retries", "1", "--retry-wait", "0"),
        *(word for pair in named for word in pair),
    ]


def _logs(folder: Path) -> list[EvalLog]:
    return [read_eval_log(info) for info in list_eval_logs(str(folder))]


def _table(printed: str, head: str) -> dict[str, list[str]]:
    """The rows of the last table whose first column has a head: first cell → the others."""
    lines = printed[printed.rindex(f"\n{head}") :].strip().split("\n\n")[0].split("\n")[2:]
    cells = [[cell for cell in line.split("  ") if cell] for line in lines]
    return {row[0]: [cell.strip() for cell in row[1:]] for row in cells}


class Counted:
    """Models and judges that are counted; `broken` is a model's name and the case it breaks in."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.broken: tuple[str, str] | None = None
        self._install("good", gold_play(load_cases(MOCK_SKILLS)))
        self._install("poor", lambda messages, tools: "I can't do that.")
        self._install("mild", lambda messages, tools: json.dumps(grades(4)))
        self._install("harsh", lambda messages, tools: json.dumps(grades(1)))

    def _install(
        self, name: str, play: Callable[[list[ChatMessage], list[ToolInfo]], Reply]
    ) -> None:
        def counting(messages: list[ChatMessage], tools: list[ToolInfo]) -> Reply:
            if self.broken is not None and name == self.broken[0]:
                assert messages[1].text != mock_case(self.broken[1]).scenario.opening, "power cut"
            self.calls[name] += 1
            return play(messages, tools)

        PLAYS[name] = counting

    def made(self) -> Counter[str]:
        """What was called since the last time this was asked."""
        made = self.calls.copy()
        self.calls.clear()
        return made


@pytest.mark.slow
def test_set_started_again_runs_only_what_is_missing_and_prints_every_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counted = Counted()
    counted.broken = ("good", "out_of_scope")
    models, judges = ("scripted/good", "scripted/poor"), ("scripted/mild", "scripted/harsh")
    arguments = [*_arguments(tmp_path, models, judges), *TWO_KINDS, "--max-samples", "1"]
    assert main(arguments) == 1
    made = counted.made()
    assert (made["good"], made["mild"], made["harsh"]) == (GOOD_CALLS, 3, 3)

    counted.broken = None
    capsys.readouterr()
    assert main(arguments) == 0
    assert counted.made() == Counter(good=1, mild=1, harsh=1)
    printed = capsys.readouterr().out
    for model in models:
        assert f"{model} (success)" in printed
    assert printed.count("verified in group") == 2
    assert _table(printed, "passes of") == {
        "scripted/good": ["0.0 %", "100.0 %", "100.0"],
        "scripted/poor": ["0.0 %", "50.0 %", "50.0"],  # to decline what is out of scope is right
    }
    assert _table(printed, "judge  ")["scripted/harsh@2"] == ["0/2", "2/2"]
    assert main(arguments) == 0
    assert not counted.made()


def test_set_whose_judge_gives_no_verdict_says_so_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    PLAYS["poor"] = lambda messages, tools: "I can't do that."
    PLAYS["mute"] = lambda messages, tools: "No comment."
    arguments = _arguments(tmp_path, ("scripted/poor",), ("scripted/mute",))
    assert main([*arguments, "--kind", "out_of_scope"]) == 1
    printed = capsys.readouterr().out
    assert "scripted/poor: judge verdicts are missing" in printed
    assert _table(printed, "passes of")["scripted/poor"][0] == "unscored"


def test_set_stopped_before_its_first_log_fails_d4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Inspect answers an interrupt with success and no log."""
    monkeypatch.setattr("examples.models_by_judges.eval_set", lambda *_, **__: (True, []))
    assert main_here(_arguments(tmp_path, ("none/none",), ("none/none",))) == 1
    assert "no log was written" in capsys.readouterr().out


def test_ranking_tables_equal_the_count_by_hand() -> None:
    unscored = Undefined(reason="no scored votes")
    rates: dict[str, dict[str, Statistic]] = {
        "x": {"a": 0.6, "b": 0.5, "c": 0.1},
        "y": {"a": 0.4, "b": 0.2, "c": 0.3},
        "z": {"a": 0.2, "b": 0.3, "c": unscored},
    }
    printed = "".join(f"\n{table}\n" for table in ranking_tables(rates))
    models, judges, pairs = (_table(printed, head) for head in ("passes", "judge", "ranking"))
    assert models["x"] == ["60.0 %", "50.0 %", "10.0 %", "50.0"]
    assert models["z"] == ["20.0 %", "30.0 %", "unscored", "10.0"]
    assert judges == {"a": ["2/3", "1/3"], "b": ["1/3", "1/3"], "c": ["0/3", "1/3"]}
    # a: x > y > z, b: x > z > y: two pairs of models alike, one not.
    assert pairs["a | b"] == ["0.333", "3"]
    assert pairs["a | c"] == pairs["b | c"] == ["-1.000", "2"]
    assert pairs["mean over pairs"] == ["-0.556", "3/3 pairs"]


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingStub]:
    """Two models and two judges on loopback."""
    made = CountingStub(load_cases(MOCK_SKILLS))
    made.verdict = lambda text: json.dumps(grades(4))
    with running_stub(made) as url:
        monkeypatch.setenv("KILLED_BASE_URL", url)
        monkeypatch.setenv("KILLED_API_KEY", "no-key-at-all")
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        yield made


def _killed_at(stub: CountingStub, calls: int, arguments: list[str]) -> None:
    """Start the example in a process of its own, and kill it at a call."""
    process: list[subprocess.Popen[bytes]] = []

    def count(made: int) -> None:
        if made >= calls and process:
            os.killpg(process[0].pid, signal.SIGKILL)

    stub.on_call = count
    command = [sys.executable, str(ROOT / "examples" / "models_by_judges.py"), *arguments]
    process.append(subprocess.Popen(command, env=dict(os.environ), start_new_session=True))
    assert process[0].wait(timeout=300) == -signal.SIGKILL
    stub.on_call = lambda made: None


@pytest.mark.slow
def test_set_killed_and_started_again_runs_only_what_is_missing(
    stub: CountingStub, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    arguments = [*_arguments(folder, MODELS, JUDGES), *TALKS, "--max-samples", "1"]
    _killed_at(stub, 30, arguments)
    before = stub.by_case()
    finished = {
        (log.eval.model, str(sample.id))
        for log in _logs(folder)
        for sample in log.samples or []
        if sample.scores
    }
    assert 0 < len(finished) < 4

    assert main(arguments) == 0
    logs = {log.eval.model: log for log in _logs(folder) if log.status == "success"}
    assert set(logs) == set(MODELS)
    cases = {mock_case(kind).id for kind in TALKS[1].split(",")}
    for log in logs.values():
        assert sorted(str(sample.id) for sample in log.samples or []) == sorted(cases)
    made = stub.by_case() - before
    agents = {(f"{SERVICE}/{model}", case) for model, case in made if "agent" in model}
    assert agents == {(model, case) for model in MODELS for case in cases} - finished
    for judge in JUDGES:
        graded = sum(n for (model, _case), n in made.items() if judge.endswith(f"/{model}"))
        assert graded == 4 - len(finished)
