"""τ² retail data as cases: what a folder gives, how a broken one is told, how cases are graded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbench_tasks.datasets.adapters.tau2 import Tau2Source, open_data
from skillbench_tasks.errors import DataError
from skillbench_tasks.models import State
from skillbench_tasks.scorers.verified import verified_verdict
from tests.tau2_episodes import episode, oracle, verdicts
from tests.tau2_mini import CANARY, call, database, recording, task, tasks, tools, write_mini

CARD, GIFT = "credit_card_1", "gift_card_1"


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Tau2Source:
    """The invented folder, opened."""
    return open_data(write_mini(tmp_path_factory.mktemp("mini")))


def test_tasks_become_cases_with_what_is_known_of_them(mini: Tau2Source) -> None:
    by_id = {case.id.rpartition(".")[2]: case.checks for case in mini.cases()}
    exchange, modify = (
        f"mcp.retail:{name}"
        for name in ("exchange_delivered_order_items", "modify_pending_order_items")
    )
    assert by_id["0"].required_tools == (exchange,)
    assert [fact.value for fact in by_id["0"].must_say] == ["0.25"]
    assert by_id["1"].required_tools == (modify,)
    assert by_id["1"].target_known  # the refused exchange was made good on the same order
    assert not by_id["3"].target_known
    assert [n for n, checks in by_id.items() if checks.requires_nothing] == ["3", "4", "5"]
    assert {change.key for change in by_id["6"].target} == {"#W10004", "ada_mock_1"}
    assert {str(checks.kind) for checks in by_id.values()} == {"unclassified"}
    assert [note.partition(":")[0] for note in mini.notes] == ["task 1", "task 3"]


def test_user_is_told_the_instructions_and_the_scripted_one_gets_the_facts_in_them(
    tmp_path: Path,
) -> None:
    reason = (
        "You want to return your mugs. If the agent asks why, you are vague. "
        "You'd like the money on your card (do not reveal which). Order #W10002 came late for you."
    )
    entry = task("0", reason)
    told = entry["user_scenario"]["instructions"]
    told["known_info"] = "You are ada_mock_1 (ada@example.com), living in zip 10001."
    told["unknown_info"] = "You do not know order numbers."
    source = open_data(write_mini(tmp_path, tasks=[entry]))
    scenario = source.cases()[0].scenario
    assert scenario.facts == {
        "full_name": "Ada Mock",
        "customer_id": "ada_mock_1",
        "email": "ada@example.com",
        "postcode": "10001",
        "order_id": "#W10002",
    }
    assert scenario.requests == (
        "I want to return my mugs. I'd like the money on my card. Order #W10002 came late for me.",
    )
    for part in (reason, told["known_info"], told["unknown_info"], told["task_instructions"]):
        assert part in scenario.goal


def test_gzipped_files_read_as_plain_ones_do(tmp_path: Path, mini: Tau2Source) -> None:
    packed = open_data(write_mini(tmp_path, packed=True))
    assert packed.cases() == mini.cases()


def _without(file: Any, *place: Any) -> Any:
    at = file
    for part in place[:-1]:
        at = at[part]
    del at[place[-1]]
    return file


def _with(file: Any, value: Any, *place: Any) -> Any:
    at = file
    for part in place[:-1]:
        at = at[part]
    at[place[-1]] = value
    return file


def _two_of_one_id() -> list[dict[str, Any]]:
    return [task("0", "You want it."), task("0", "You want it.")]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        pytest.param({"db": None}, "db.json: the file is missing", id="no database"),
        pytest.param({"policy": None}, "policy.md: the file is missing", id="no policy"),
        pytest.param({"db": '{"users": {\n'}, "db.json:2: Expecting", id="bad JSON"),
        pytest.param({"gold_replay": '{"task_id": "0", "steps": []}\n{'}, "gold_replay.jsonl:2: ", id="bad line"),
        pytest.param({"db": _without(database(), "orders")}, "db.json: it is not the database of retail", id="no orders"),
        pytest.param(
            {"db": _without(database(), "orders", "#W10001", "items", 2, "price")},
            "db.json: orders.#W10001.items.2.price: Field required",
            id="no price",
        ),
        pytest.param(
            {"db": _with(database(), "5", "products", "1", "variants", "11", "price")},
            "db.json: products.1.variants.11.price: Input should be a valid number",
            id="price as text",
        ),
        pytest.param(
            {"db": _without(database(), "users", "ada_mock_1", "payment_methods", GIFT, "balance")},
            f"db.json: users.ada_mock_1.payment_methods.{GIFT}: a gift card needs",
            id="no balance",
        ),
        pytest.param(
            {"db": _with(database(), "bo", "orders", "#W10001", "user_id")},
            "db.json: orders.#W10001.user_id: no user bo",
            id="no such user",
        ),
        pytest.param(
            {"db": _with(database(), "#W1", "orders", "#W10001", "order_id")},
            "db.json: orders.#W10001: the record says it is #W1",
            id="two names of an order",
        ),
        pytest.param({"tasks": []}, "tasks.json: no list of tasks", id="no tasks"),
        pytest.param(
            {"tasks": [_without(task("0", "x"), "evaluation_criteria", "actions")]},
            "tasks.json: 0.evaluation_criteria.actions: Field required",
            id="no actions",
        ),
        pytest.param({"tasks": _two_of_one_id()}, "tasks.json: 1.id: 0 stands twice", id="id twice"),
        pytest.param(
            {"tasks": [_with(task("0", "x"), {"a": 1}, "initial_state")]},
            "tasks.json: 0.initial_state: ",
            id="another start",
        ),
        pytest.param(
            {"tasks": [task("0", "x", told=(" ",))]},
            "tasks.json: 0.evaluation_criteria.communicate_info.0: ",
            id="nothing to tell",
        ),
        pytest.param(
            {"tasks": [task("0", "x", call("fly"))]},
            "tasks.json: 0.evaluation_criteria.actions.0: fly fails (There is no tool",
            id="no such tool",
        ),
        pytest.param(
            {"tasks": [task("9", "x", call("get_order_details", order_id="#W1"))]},
            "tasks.json: 0.evaluation_criteria.actions.0: get_order_details fails (Order not found), and its recording",
            id="fails, recorded as good",
        ),
        pytest.param(
            {"tasks": [task("3", "x", call("get_order_details", order_id="#W10001"))]},
            "tasks.json: 0.evaluation_criteria.actions.0: get_order_details succeeds, and its recording",
            id="good, recorded as failing",
        ),
        pytest.param(
            {"tasks": tasks(), "gold_replay": recording([task("0", "x")])},
            "gold_replay.jsonl: steps: the recording of task 0 is not of its actions",
            id="another recording",
        ),
        pytest.param(
            {"gold_replay": recording(tasks()[1:])},
            "gold_replay.jsonl: task_id: no recording of task 0",
            id="recording too short",
        ),
        pytest.param({"tools": _without(tools(), "mutating", "think")}, "tools.json: mutating.think: ", id="no access"),
        pytest.param(
            {"tools": _with(tools(), "fly", "agent_tools", 3, "function", "name")},
            "tools.json: agent_tools.3.function.name: no behaviour is declared for fly",
            id="unknown tool",
        ),
        pytest.param(
            {"tools": _with(tools(), "thing", "agent_tools", 0, "function", "parameters", "type")},
            "tools.json: agent_tools.0.function.parameters: ",
            id="no schema",
        ),
        pytest.param({"tools": _with(tools(), [{}], "user_tools")}, "tools.json: user_tools: ", id="user tools"),
    ],
)  # fmt: skip
def test_broken_folder_is_one_line_with_file_and_field(
    tmp_path: Path, files: dict[str, Any], said: str
) -> None:
    folder = write_mini(tmp_path / "mini", **files)
    with pytest.raises(DataError) as caught:
        open_data(folder)
    assert str(caught.value).startswith(f"{tmp_path.name}/mini/{said}")
    assert "\n" not in str(caught.value)


def test_missing_folder_and_cut_archive_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        open_data(tmp_path / "none")
    folder = write_mini(tmp_path / "mini", packed=True)
    packed = folder / "db.json.gz"
    packed.write_bytes(packed.read_bytes()[:40])
    with pytest.raises(DataError, match=r"db\.json\.gz: cannot be read"):
        open_data(folder)


def test_unknown_case_is_told(mini: Tau2Source) -> None:
    with pytest.raises(DataError, match="no such case"):
        mini.case("tau2-retail.task.99")


def test_oracle_passes_what_can_be_passed_and_nothing_else_is_called_a_pass(
    mini: Tau2Source,
) -> None:
    found = {case.id[-1]: verdicts(case, oracle(mini, case)) for case in mini.cases()}
    assert {n: v["verified"] for n, v in found.items()} == {
        "0": True, "1": True, "2": True, "3": None, "4": None, "5": None, "6": True,
    }  # fmt: skip
    assert {n: v["final_state"] for n, v in found.items()} == {
        "0": True, "1": True, "2": True, "3": None, "4": None, "5": None, "6": True,
    }  # fmt: skip
    assert {n: v["outcome"] for n, v in found.items() if v["outcome"] is not None} == {
        "0": True,
        "2": True,
    }


CANCEL = ("mcp.retail:cancel_pending_order", {"order_id": "#W10004", "reason": "no longer needed"})
MUG = ("mcp.retail:return_delivered_order_items", {"order_id": "#W10002", "item_ids": ["11"], "payment_method_id": CARD})  # fmt: skip


@pytest.mark.parametrize(
    ("task_id", "actions", "text", "state", "verified"),
    [
        pytest.param("0", [], "The difference is $0.25.", False, False, id="said, not done"),
        pytest.param("2", [], f"It is {CANARY}.", True, True, id="told"),
        pytest.param("2", [], "It is done.", True, False, id="not told"),
        pytest.param("2", [CANCEL], f"It is {CANARY}.", False, False, id="told, and harm done"),
        pytest.param("4", [], "Bye.", None, None, id="nothing to do, nothing done"),
        pytest.param("4", [CANCEL], "Bye.", False, False, id="nothing to do, harm done"),
        pytest.param("3", [], "Bye.", None, None, id="no right end known"),
        pytest.param("3", [MUG], "Bye.", None, None, id="no right end known, something done"),
    ],
)
def test_verdict_of_what_an_agent_leaves_behind(
    mini: Tau2Source,
    task_id: str,
    actions: Any,
    text: str,
    state: bool | None,
    verified: bool | None,
) -> None:
    case = mini.case(f"tau2-retail.task.{task_id}")
    found = verdicts(case, episode(mini, case, actions, text))
    assert (found["final_state"], found["verified"]) == (state, verified)


def test_refused_write_is_not_made_good_by_one_to_another_order(tmp_path: Path) -> None:
    exchange = {"item_ids": ["11"], "new_item_ids": ["12"], "payment_method_id": CARD}
    refused = call("exchange_delivered_order_items", order_id="#W10001", **exchange)
    cancel = call("cancel_pending_order", **CANCEL[1])
    source = open_data(
        write_mini(tmp_path, tasks=[task("3", "x", refused, cancel, told=("6.50",))])
    )
    (case,) = source.cases()
    assert not case.checks.target_known
    assert case.checks.required_tools == ("mcp.retail:cancel_pending_order",)
    assert verdicts(case, oracle(source, case))["verified"] is None
    assert verdicts(case, episode(source, case, [CANCEL], "Bye."))["verified"] is False  # not told


def test_worlds_of_two_executions_are_apart(mini: Tau2Source) -> None:
    case = mini.cases()[0]
    one, other = mini.world(case), mini.world(case)
    one.remove("orders", "#W10001")
    assert other.get("orders", "#W10001") is not None
    assert mini.world(case).get("orders", "#W10001") is not None


@pytest.mark.parametrize("task_id", ["3", "4", "5"])
def test_case_with_nothing_to_check_says_so(mini: Tau2Source, task_id: str) -> None:
    case = mini.case(f"tau2-retail.task.{task_id}")
    left = episode(mini, case, end=State.GAVE_UP)
    verdict = verified_verdict(case.checks, left)
    assert verdict.passed is None
    assert verdicts(case, left)["outcome"] is None
    assert any("nothing to check" in reason for reason in verdict.reasons)
