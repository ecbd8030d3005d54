"""The real τ² retail data, where it is at hand: recorded calls, recorded worlds, all tasks."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbench_tasks.datasets.adapters.tau2 import Tau2Source, open_data
from skillbench_tasks.models import EPISODE_KEY, Episode, State
from skillbench_tasks.tools.workflow.values import equal_values
from skillbench_tasks.tools.world import World
from tests.conftest import SHARED_DATA
from tests.tau2_episodes import IDLE, episode, oracle, run, values, verdicts

REAL = SHARED_DATA / "tau2" / "retail"


@pytest.fixture(scope="module")
def real() -> Tau2Source:
    """The real folder, opened; a test that uses it is marked shared_data."""
    return open_data(REAL)


def _recorded() -> dict[str, dict[str, Any]]:
    lines = gzip.decompress((REAL / "gold_replay.jsonl.gz").read_bytes()).splitlines()
    return {entry["task_id"]: entry for entry in map(json.loads, lines)}


def _is_same(call: Any, step: Mapping[str, Any], result: Any = None) -> bool:
    if step["error"]:
        return call.error is not None and step["result"] == f"Error: {call.error.message}"
    ours = call.result if result is None else result
    recorded = step["result"] if isinstance(ours, str) else json.loads(step["result"])
    return call.error is None and equal_values(ours, recorded)


def _with_recorded_fault(order: Any, arguments: Mapping[str, Any]) -> Any:
    """Give all changed pieces the price and options of the last one listed, as is recorded."""
    last = next(i for i in order["items"] if i["item_id"] == arguments["new_item_ids"][-1])
    same = {"price": last["price"], "options": last["options"]}
    items = [
        {**i, **(same if i["item_id"] in arguments["new_item_ids"] else {})} for i in order["items"]
    ]
    return {**order, "items": items}


@pytest.mark.shared_data
def test_recorded_calls_give_the_recorded_result_but_for_one_fault_of_the_recorded_tool(
    real: Tau2Source,
) -> None:
    recorded, different, total = _recorded(), [], 0
    for case in real.cases():
        steps = recorded[case.id.rpartition(".")[2]]["steps"]
        calls = case.gold.turns[1].calls
        total += len(calls)
        for made, step in zip(calls, steps, strict=True):
            if not _is_same(made, step):
                arguments = made.arguments
                assert _is_same(made, step, _with_recorded_fault(made.result, arguments))
                listed: Any = arguments["item_ids"]
                different.append((case.id.rpartition(".")[2], step["name"], len(listed)))
    modify = "modify_pending_order_items"
    assert different == [
        ("20", modify, 4), ("21", modify, 2), ("36", modify, 3), ("37", modify, 3), ("100", modify, 2),
    ]  # fmt: skip
    assert total == 550
    assert (total - len(different)) / total >= 0.99


@pytest.mark.shared_data
def test_worlds_after_the_actions_have_the_recorded_digest(real: Tau2Source) -> None:
    recorded = _recorded()
    world = real.world(real.cases()[0])
    start = {c: _keyed(world, c) for c in ("products", "users", "orders")}
    for case in real.cases():
        entry = recorded[case.id.rpartition(".")[2]]
        end = {name: dict(records) for name, records in start.items()}
        for change in case.gold.changes:
            end[change.collection][change.key] = change.after
        for made in case.gold.turns[1].calls:
            if made.tool.endswith(":modify_pending_order_items") and made.error is None:
                key = str(made.arguments["order_id"])
                end["orders"][key] = _with_recorded_fault(end["orders"][key], made.arguments)
        assert _digest(end) == entry["db_hash_after"], case.id
    assert _digest(start) == recorded["0"]["db_hash_before"]


def _keyed(world: World, collection: str) -> dict[str, Any]:
    key = world.specs[collection].key
    return {str(record[key]): record for record in world.records(collection)}


_WRITTEN: dict[int, tuple[Any, str]] = {}


def _written(record: Any) -> str:
    known = _WRITTEN.get(id(record))
    if known is None:
        known = _WRITTEN[id(record)] = (record, json.dumps(record, sort_keys=True))
    return known[1]


def _digest(data: Mapping[str, Mapping[str, Any]]) -> str:
    """The digest of the whole as one JSON text with sorted keys, written record by record."""
    parts = []
    for name in sorted(data):
        rows = [f"{json.dumps(key)}: {_written(data[name][key])}" for key in sorted(data[name])]
        parts.append(f"{json.dumps(name)}: {{{', '.join(rows)}}}")
    return hashlib.sha256(f"{{{', '.join(parts)}}}".encode()).hexdigest()


NOTHING_TO_CHECK = ["10", "12", "25", "50", "57", "65", "105"]


@pytest.mark.shared_data
def test_oracle_passes_every_task_that_has_something_to_check(real: Tau2Source) -> None:
    found = {
        case.id.rpartition(".")[2]: verdicts(case, oracle(real, case)) for case in real.cases()
    }
    assert len(found) == 114
    for scorer in ("final_state", "verified"):
        assert [n for n, v in found.items() if v[scorer] is None] == NOTHING_TO_CHECK
    assert not [(n, v) for n, v in found.items() if False in v.values()]
    assert sum(v["outcome"] is True for v in found.values()) == 36


@pytest.mark.shared_data
def test_agent_that_does_nothing_passes_no_state_that_needs_a_write(real: Tau2Source) -> None:
    passed = [
        case.id.rpartition(".")[2]
        for case in real.cases()
        if verdicts(case, episode(real, case))["final_state"]
    ]
    assert passed == ["24", "62", "67", "68"]
    assert not [n for n in passed if real.case(f"tau2-retail.task.{n}").checks.target]


@pytest.mark.shared_data
def test_real_tools_are_sixteen_and_the_failing_actions_are_noted(real: Tau2Source) -> None:
    assert len(real.tools(real.cases()[0])) == 16
    assert len(real.notes) == 18
    writes = [note for note in real.notes if " the write " in note]
    assert [note.partition(":")[0] for note in writes] == ["task 64", "task 105"]
    assert writes[1].endswith("no end state is known")


@pytest.mark.shared_data
@pytest.mark.parametrize("case_id", ["0", "24", "35", "59", "80"])
def test_scripted_user_of_a_real_task_knows_who_he_is_and_what_he_wants(
    real: Tau2Source, case_id: str
) -> None:
    scenario = real.case(f"tau2-retail.task.{case_id}").scenario
    assert {"full_name", "email", "postcode"} & scenario.facts.keys()
    (request,) = scenario.requests
    assert "agent" not in request
    assert " you " not in request.lower()


@pytest.mark.shared_data
@pytest.mark.slow
@pytest.mark.parametrize("agent", ["reference", *IDLE])
def test_real_tasks_run_to_an_end(tmp_path: Path, agent: str) -> None:
    log = run(REAL, tmp_path, agent=agent)
    found = values(log, "verified")
    assert [n for n, value in found.items() if value is None] == NOTHING_TO_CHECK
    assert set(found.values()) - {None} == ({"C"} if agent == "reference" else {"I"})
    ends = {
        Episode.model_validate(s.store[EPISODE_KEY]).termination.state for s in log.samples or []
    }
    assert not ends & {State.TURN_BUDGET, State.LIMIT, State.UNFINISHED}
