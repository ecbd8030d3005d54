"""No answer and no plan, however odd, breaks reading, checking, running or scoring."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from skillbench_tasks.datasets.sops.ledger import nodes_of
from skillbench_tasks.datasets.sops.loading import load_sops
from skillbench_tasks.datasets.sops.references import reference_case, unlabelled
from skillbench_tasks.datasets.sops.running import parsed, run_on, start_world
from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.models.plan_record import ReferenceRun
from skillbench_tasks.models.sop import Executed, Sop
from skillbench_tasks.scorers.orchestration import grade_run
from skillbench_tasks.solvers.planning.editor import Editor
from skillbench_tasks.solvers.planning.plans import Plan, plan_of, read_plan, run_plan
from skillbench_tasks.solvers.stepper import Episode
from skillbench_tasks.tools.error_class import ErrorClass
from skillbench_tasks.tools.prediction import PredictedCall
from skillbench_tasks.tools.workflow import Limits
from skillbench_tasks.tools.world import World
from tests.plan_fuzz import Generator

SHARDS = 10
QUICK, PLANS_PER_SHARD = 150, 2_100
SECONDS_MAX = 20.0
"""CPU seconds that reading, checking, running and scoring of one plan may take."""

RUN_TIME = re.compile(
    r"does not resolve$|expected an? |division by zero|remainder by zero|too large$|not finite"
    r"|of more than \d+ (?:parts|characters)|nested deeper|out of range|no such (?:key|date)"
    r"|cannot (?:order|get)|has no (?:length|text)|takes 0 to 6 digits|the output does not fit"
    r"|integer is too long"
)
"""Reasons for which a plan that was found valid may end as `invalid`: data, never scope."""

_FORBIDDEN = ("open", "socket.", "subprocess.", "os.", "shutil.", "ftplib.", "http.", "urllib.")
_HARMLESS = ("os.putenv", "os.unsetenv")
_guard = {"on": False}
_met: list[str] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not _guard["on"]:
        return
    is_file = event == "sqlite3.connect" and arguments[0] != ":memory:"
    if is_file or (event.startswith(_FORBIDDEN) and event not in _HARMLESS):
        _met.append(f"{event} {arguments!r:.200}")


@contextmanager
def _no_files_no_network() -> Iterator[None]:
    """Note each attempt to open a file or a connection, or to start a process."""
    if "hook" not in _guard:
        sys.addaudithook(_watch)
        _guard["hook"] = True
    _met.clear()
    _guard["on"] = True
    try:
        yield
    finally:
        _guard["on"] = False
    assert not _met


def test_guard_notes_files_and_connections() -> None:
    for attempt in (lambda: Path(__file__).read_bytes(), socket.socket):
        with pytest.raises(AssertionError), _no_files_no_network():
            attempt()


def _fingerprint(world: World) -> str:
    held = {name: list(world.records(name)) for name in world.specs}
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def _check_score(sop: Sop, reference: ReferenceRun, executed: Executed) -> None:
    score = grade_run(reference, executed, parsed(sop.program))
    selection, order, execution, _, _ = score.trace.bits
    assert all(0 <= value <= 1 for value in score.values().values())
    assert selection or not order
    assert order or not execution
    assert (score.error is not None) == (executed.status == "nothing")
    if score.error is not None:
        assert set(score.values().values()) == {0.0}
        assert score.error is not ErrorClass.EVALUATION, executed.problem
    else:
        assert score.has_output or score.terminal_output


def _check_run(plan: Plan, executed: Executed) -> None:
    if plan.program is None:
        assert executed.status == "nothing"
        assert plan.problem.partition(":")[0] in set(ErrorClass)
        return
    assert executed.status in ("returned", "completed", "failed", "invalid", "exhausted")
    assert "is not visible" not in executed.problem
    assert "is bound already" not in executed.problem
    if executed.status == "invalid":
        assert RUN_TIME.search(executed.problem), executed.problem
    started = sum(e["event"] in ("iteration", "set", "branch") for e in executed.control)
    assert started + len(executed.calls) <= Limits().nodes


def _plan(generator: Generator, sop: Sop, reference: Any) -> Plan:
    """Return a plan that was read from an answer, or made of JSON."""
    match generator.rng.randrange(10):
        case 0:
            return plan_of(generator.value(), sop)
        case 1:
            return plan_of(generator.program(), sop)
        case 2 | 3:
            return read_plan(generator.answer(generator.tweaked(reference)), sop)
        case 4 | 5:
            return plan_of(generator.changed(reference), sop)
        case _:
            return plan_of(generator.tweaked(reference), sop)


def _fuzz(seed: int, count: int) -> tuple[Counter[str], float]:
    """Return how runs ended, and the CPU seconds of the slowest plan."""
    sops = load_sops()
    plans: list[Any] = [unlabelled(sop.program) for sop in sops]
    generator, ended, slowest = Generator(seed, plans), Counter[str](), 0.0
    for _ in range(count):
        at = generator.rng.randrange(len(sops))
        reference = generator.rng.choice(reference_case(sops[at]).runs)
        start = time.process_time()
        plan = _plan(generator, sops[at], plans[at])
        (run,) = run_plan(plan, [reference.variant]).runs
        _check_run(plan, run.executed)
        _check_score(sops[at], reference, run.executed)
        slowest = max(slowest, time.process_time() - start)
        ended[run.executed.status] += 1
    return ended, slowest


@cache
def _warm_up() -> None:
    """Load and import now what is loaded and imported late."""
    for sop in load_sops():
        if any(
            str(n.get("tool")).startswith("mcp.warehouse:") for n in nodes_of(sop.program["steps"])
        ):
            run_on(parsed(sop.program), sop.variants[0])
    _fuzz(-1, 5)
    _editor_and_steps(-1, 1)


def _guarded_fuzz(seed: int, count: int) -> Counter[str]:
    sop = load_sops()[-1]
    _warm_up()
    worlds = (base_world(), start_world(sop.variants[0]))
    before = [_fingerprint(world) for world in worlds]
    with _no_files_no_network():
        ended, slowest = _fuzz(seed, count)
    assert slowest < SECONDS_MAX
    assert [_fingerprint(world) for world in worlds] == before
    assert _fingerprint(start_world(sop.variants[0])) == before[1]
    again = run_on(parsed(sop.program), sop.variants[0])
    assert again == reference_case(sop).runs[0].executed
    print(seed, dict(ended), f"slowest plan {slowest:.2f} s")
    return ended


def test_orchestration_of_odd_plans_ends_in_order() -> None:
    ended = _guarded_fuzz(0, QUICK)
    assert ended["nothing"] > QUICK / 10
    assert sum(ended.values()) - ended["nothing"] > QUICK / 10


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(1, SHARDS + 1))
def test_orchestration_of_many_odd_plans_ends_in_order(shard: int) -> None:
    ended = _guarded_fuzz(shard, PLANS_PER_SHARD)
    assert min(ended[one] for one in ("nothing", "returned", "failed", "invalid")) > 10


def _editor_and_steps(seed: int, count: int) -> None:
    sops = load_sops()
    plans: list[Any] = [unlabelled(sop.program) for sop in sops]
    generator = Generator(f"local {seed}", plans)
    rng = generator.rng
    for _ in range(count):
        sop = rng.choice(sops)
        editor, episode = Editor(sop), Episode(sop.variants[0])
        for node in generator.changed(rng.choice(plans)).get("steps") or []:
            block = rng.choice(("steps", "steps[0].then", "steps[0].do", generator.value(3)))
            editor.add(block, node if rng.random() < 0.8 else generator.value())
            called = node.get("tool") if isinstance(node, dict) else None
            given = node.get("arguments") if isinstance(node, dict) else None
            name = str(called).removeprefix("mcp.").replace(":", "__")
            arguments = given if isinstance(given, dict) else None
            episode.call(PredictedCall(tool=name, arguments=arguments, problem="no JSON"))
        assert not plan_of(editor.draft, sop).findings
        _check_score(sop, reference_case(sop).runs[0], episode.executed())


def test_editor_and_episode_on_odd_nodes_and_calls_answer() -> None:
    _warm_up()
    with _no_files_no_network():
        _editor_and_steps(0, 20)


@pytest.mark.slow
def test_editor_and_episode_on_many_odd_nodes_and_calls_answer() -> None:
    _warm_up()
    with _no_files_no_network():
        _editor_and_steps(1, 2_000)


def _loops(depth: int, body: list[Any]) -> list[Any]:
    for level in range(depth):
        items = list(range(10))
        body = [{"kind": "for_each", "items": items, "as": f"x{level}", "do": body}]
    return body


def _assign(value: Any) -> Any:
    return {"kind": "set", "name": "v", "value": value}


BOMBS: dict[str, tuple[list[Any], str]] = {
    "loops": (_loops(6, [_assign(1)]), "exhausted"),
    "text": ([_assign("x"), *_loops(3, [_assign("${v}${v}${v}${v}")])], "invalid"),
    "list": ([_assign([1]), *_loops(3, [_assign({"$": {"merge": [{"var": "v"}] * 4}})])], "invalid"),
    "nesting": ([_assign([]), *_loops(3, [_assign(["${v}", "${v}"])])], "invalid"),
    "number": ([_assign(2), *_loops(6, [_assign({"$": {"*": [{"var": "v"}] * 9}})])], "invalid"),
    "rules": (
        [
            _assign({"$": {"map": [list(range(99)), {"map": [list(range(99)), {"map": [
                list(range(99)), {"+": [{"var": "item"}, 1]}]}]}]}})
        ],
        "exhausted",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
def test_plan_that_would_use_up_everything_is_stopped(bomb: str) -> None:
    sop = load_sops()[0]
    steps, status = BOMBS[bomb]
    plan = plan_of({"version": 1, "steps": steps}, sop)
    assert not plan.findings
    start = time.process_time()
    (run,) = run_plan(plan, sop.variants[:1]).runs
    assert run.executed.status == status
    assert time.process_time() - start < SECONDS_MAX / 4
    _check_run(plan, run.executed)
