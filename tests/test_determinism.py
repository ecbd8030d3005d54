"""Same inputs, same bytes: hash seeds, time zones, dates."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT

GRADE = """
import hashlib, json
from skillbench_tasks.datasets.loaders import load_cases
from skillbench_tasks.datasets.script import gold_script, perform
from skillbench_tasks.scorers.verified import DETERMINISTIC
lines = []
for case in load_cases():
    episode = perform(case, gold_script(case))
    lines.append(case.checks.model_dump_json() + case.gold.model_dump_json() + episode.model_dump_json())
    lines += [scorer(case.checks, episode).model_dump_json() for scorer in DETERMINISTIC.values()]
print(hashlib.sha256("\\n".join(lines).encode()).hexdigest())
"""

EVAL = """
import hashlib, json, sys, tempfile
from inspect_ai import eval as inspect_eval
from skillbench_tasks.zero_shot import zero_shot
lines = []
for agent in ("reference", "spam"):
    with tempfile.TemporaryDirectory() as folder:
        log = inspect_eval(zero_shot(agent=agent), model="none/none", log_dir=folder, display="none", max_samples=int(sys.argv[1]))[0]
        assert log.status == "success", log.error
        for s in sorted(log.samples, key=lambda s: s.id):
            scores = {n: [v.value, v.answer, v.explanation, v.metadata] for n, v in s.scores.items()}
            lines.append(json.dumps([s.id, s.store["skillbench:episode"], scores], sort_keys=True))
print(hashlib.sha256("\\n".join(lines).encode()).hexdigest())
"""


def _digest(
    code: str, *arguments: str, seed: str = "0", zone: str = "UTC", date: str | None = None
) -> str:
    command = [sys.executable, "-c", code, *arguments]
    if date is not None:
        command = ["faketime", date, *command]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip().splitlines()[-1]


def test_cases_gold_episodes_and_verdicts_are_the_same_under_other_seed_and_zone() -> None:
    digests = {_digest(GRADE), _digest(GRADE, seed="4711", zone="Pacific/Kiritimati")}
    assert len(digests) == 1
    assert len(digests.pop()) == len(hashlib.sha256().hexdigest())


@pytest.mark.slow
def test_runs_are_the_same_under_seeds_zones_and_concurrency() -> None:
    first = _digest(EVAL, "1", seed="1", zone="America/Los_Angeles")
    assert _digest(EVAL, "50", seed="2", zone="Asia/Kathmandu") == first


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
def test_runs_are_the_same_under_two_system_dates() -> None:
    assert _digest(GRADE, date="2019-02-28 23:59:00") == _digest(GRADE, date="2031-07-01 12:00:00")
