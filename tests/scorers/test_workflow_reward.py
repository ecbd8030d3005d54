"""The reward of sampled workflows, graded by hand."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbench_tasks.errors import DataError
from skillbench_tasks.scorers.workflow_reward import REWARD_WEIGHTS, workflow_reward
from tests.tiny_sops import CUSTOMER, OPEN, POST, TOOLS, call

CARDS = json.dumps(
    [{"name": tool.spec.full_name, "input_schema": tool.spec.input_schema} for tool in TOOLS]
)

# Tools CUSTOMER OPEN POST POST; kinds call if call call call return.
CANONICAL: dict[str, Any] = {
    "version": 1,
    "inputs": {"customer_id": {"type": "string"}},
    "steps": [
        call(CUSTOMER, "customer", customer_id="${inputs.customer_id}"),
        {
            "kind": "if",
            "condition": {"==": [{"var": "customer.state"}, "good"]},
            "then": [call(OPEN, title="Welcome", customer_id="${inputs.customer_id}")],
            "else": [call(POST, channel="#risk", text="Look at ${inputs.customer_id}.")],
        },
        call(POST, channel="#desk", text="Done."),
        {"kind": "return", "value": {"limit": 12}},
    ],
}


def _reward(completion: Any, canonical: Any = CANONICAL) -> float:
    (reward,) = workflow_reward([completion], canonical=[canonical], tool_cards=[CARDS])
    return reward


def _edited(edit: Callable[[dict[str, Any]], object]) -> str:
    plan = copy.deepcopy(CANONICAL)
    edit(plan)
    return json.dumps(plan)


def _steps(*steps: dict[str, Any]) -> str:
    return json.dumps(CANONICAL | {"steps": list(steps)})


_BAD_ARGUMENT = call(POST, channel="#desk", text=7)
_ELSE = CANONICAL["steps"][1]["else"][0]
_FIRST = CANONICAL["steps"][0]
_LAST = CANONICAL["steps"][3]

# m = 4 canonical calls, 6 canonical nodes.
HAND_TABLE: list[tuple[str, str, float]] = [
    ("empty answer", "", 0),
    ("prose", "I would first look the customer up.", 0),
    ("broken off", json.dumps(CANONICAL)[:-5], 0),
    ("no workflow", '{"plan": ["look up", "post"]}', 0),
    ("unknown kind", _steps({"kind": "loop"}), 0),
    ("canonical", json.dumps(CANONICAL), 1),
    # valid; tools 2·0/4, arguments 0, kinds 2·0/6
    ("empty plan", _steps(), 0.15),
    # valid; tools 2·1/5, arguments 1/4, kinds 2·1/7
    ("first tool only", _steps(_FIRST), 0.15 + 0.25 * 2 / 5 + 0.35 / 4 + 0.15 * 2 / 7),
    # valid; tools 1, arguments 3/4, kinds 1
    (
        "one argument wrong",
        _edited(lambda p: p["steps"][2]["arguments"].update(text="Finished.")),
        0.15 + 0.25 + 0.35 * 3 / 4 + 0.15,
    ),
    # a text that is a number is refused: as above without validity
    (
        "one argument of a wrong type",
        _edited(lambda p: p["steps"].__setitem__(2, _BAD_ARGUMENT)),
        0.25 + 0.35 * 3 / 4 + 0.15,
    ),
    # a name that nothing binds: tools 1, arguments 1, kinds 1, neither valid nor exact
    (
        "unbound name",
        _edited(lambda p: p["steps"][1].update(condition={"var": "nobody"})),
        0.25 + 0.35 + 0.15,
    ),
    # all but the return's value: valid; tools 1, arguments 1, kinds 1
    (
        "another value",
        _edited(lambda p: p["steps"][3].update(value=None)),
        0.15 + 0.25 + 0.35 + 0.15,
    ),
    # without the branch: tools CUSTOMER POST 2·2/6, arguments 2/4, kinds call call return 2·3/9
    (
        "no branch",
        _steps(_FIRST, CANONICAL["steps"][2], _LAST),
        0.15 + 0.25 * 4 / 6 + 0.35 * 2 / 4 + 0.15 * 6 / 9,
    ),
    # the branch flattened, else first: CUSTOMER POST OPEN POST: LCS 3 of 4 and 4; the arguments of
    # CUSTOMER, OPEN (or POST) and POST; kinds call call call call return: LCS 5 of 6 and 5
    (
        "flattened, swapped",
        _steps(
            _FIRST,
            _ELSE,
            CANONICAL["steps"][1]["then"][0],
            CANONICAL["steps"][2],
            _LAST,
        ),
        0.15 + 0.25 * 6 / 8 + 0.35 * 3 / 4 + 0.15 * 10 / 11,
    ),
    # an unknown tool in place of OPEN: 2·3/8, 3/4, kinds 1; not valid
    (
        "unknown tool",
        _edited(lambda p: p["steps"][1]["then"][0].update(tool="mcp.tracker:close_ticket")),
        0.25 * 6 / 8 + 0.35 * 3 / 4 + 0.15,
    ),
    # a workflow talks to nobody: kinds 2·6/13; not valid
    (
        "dialogue",
        _edited(lambda p: p["steps"].insert(3, {"kind": "say", "act": "bye"})),
        0.25 + 0.35 + 0.15 * 12 / 13,
    ),
    # one POST more, at the end: tools 2·4/9, arguments 4/4, kinds 2·6/13; behind a return: refused
    (
        "unreachable call",
        _edited(lambda p: p["steps"].append(_ELSE)),
        0.25 * 8 / 9 + 0.35 + 0.15 * 12 / 13,
    ),
]


@pytest.mark.parametrize(
    ("text", "expected"), [row[1:] for row in HAND_TABLE], ids=[row[0] for row in HAND_TABLE]
)
def test_reward_graded_by_hand(text: str, expected: float) -> None:
    assert _reward(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "completion",
    [
        pytest.param(
            f"Here it is:\n```json\n{json.dumps(CANONICAL, indent=2)}\n```\nDone.", id="fence"
        ),
        pytest.param('{"first": "draft"}\n' + json.dumps(CANONICAL), id="the last object counts"),
        pytest.param([{"role": "assistant", "content": json.dumps(CANONICAL)}], id="messages"),
        pytest.param(
            [
                {"role": "assistant", "content": "Let me see."},
                {"role": "assistant", "content": [{"type": "text", "text": json.dumps(CANONICAL)}]},
            ],
            id="last message, in parts",
        ),
        pytest.param(json.dumps(dict(reversed(CANONICAL.items()))), id="key order"),
        pytest.param(json.dumps(CANONICAL).replace("12", "12.0"), id="integral number"),
        pytest.param(_edited(lambda p: p["steps"][0].update(note="first")), id="note"),
        pytest.param(
            _edited(lambda p: p["steps"][3].update(note="x", value={"limit": 12})),
            id="note at the end",
        ),
    ],
)
def test_canonical_workflow_gets_one_however_it_is_written(completion: Any) -> None:
    assert _reward(completion) == 1.0


@pytest.mark.parametrize(
    "completion",
    [
        pytest.param([], id="no message"),
        pytest.param([{"role": "assistant", "content": None}], id="no content"),
        pytest.param([{"role": "assistant", "content": [{"type": "image"}]}], id="no text"),
        pytest.param("{" * 10_000, id="braces"),
        pytest.param('{"version": 1, "steps": ' + "[" * 90 + "]" * 90 + "}", id="deep"),
    ],
)
def test_answer_without_a_workflow_gets_nothing(completion: Any) -> None:
    assert _reward(completion) == 0.0


def test_canonical_workflow_without_calls_wants_none() -> None:
    bare = {"version": 1, "steps": [{"kind": "return"}]}
    with_call = {"version": 1, "steps": [call(CUSTOMER, customer_id="CUS-1"), {"kind": "return"}]}
    assert _reward(json.dumps(bare), bare) == 1.0
    assert _reward('{"version": 1, "steps": []}', bare) == pytest.approx(0.15 + 0.25 + 0.35)
    assert _reward(json.dumps(with_call), bare) == pytest.approx(0.15 + 0.15 * 2 / 3)


def test_canonical_workflow_whose_tools_are_not_shown_is_not_valid() -> None:
    completion = json.dumps(CANONICAL)
    assert workflow_reward([completion], canonical=[CANONICAL], tool_cards=["[]"]) == [
        pytest.approx(0.85)
    ]


def test_reward_without_cards_goes_by_the_tools_of_the_sops() -> None:
    plan: dict[str, Any] = {
        "version": 1,
        "steps": [call("mcp.automation:make_reference", kind="x", subject="y")],
    }
    (right,) = workflow_reward([json.dumps(plan)], canonical=[plan])
    assert right == 1.0
    (unknown,) = workflow_reward([json.dumps(CANONICAL)], canonical=[CANONICAL])
    assert unknown == pytest.approx(0.85)


def test_trainer_hands_over_columns_and_more_by_name() -> None:
    # What the trainer adds to the columns, by name, differs between its versions.
    rewards = workflow_reward(
        prompts=["p", "p"],
        completions=[json.dumps(CANONICAL), ""],
        completion_ids=[[1], [2]],
        canonical=[CANONICAL, json.dumps(CANONICAL)],
        tool_cards=[CARDS, json.loads(CARDS)],
        trainer_state=object(),
    )
    assert rewards == [1.0, 0.0]
    assert all(type(reward) is float for reward in rewards)
    parameters = inspect.signature(workflow_reward).parameters
    assert list(parameters) == ["completions", "canonical", "tool_cards", "kwargs"]
    assert workflow_reward.__name__ == "workflow_reward"  # the trainer logs it by name


@pytest.mark.parametrize(
    ("canonical", "cards"),
    [
        pytest.param("no json", CARDS, id="canonical is no JSON"),
        pytest.param('{"version": 2}', CARDS, id="canonical does not parse"),
        pytest.param(CANONICAL, '[{"name": "mcp.a:b"}]', id="card without a schema"),
        pytest.param(CANONICAL, "no json", id="cards are no JSON"),
    ],
)
def test_broken_column_is_a_fault_of_ours(canonical: Any, cards: str) -> None:
    with pytest.raises(DataError):
        workflow_reward(["{}"], canonical=[canonical], tool_cards=[cards])


def test_columns_of_other_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        workflow_reward(["{}", "{}"], canonical=[CANONICAL], tool_cards=[CARDS, CARDS])


def test_weights_are_the_published_ones() -> None:
    assert list(REWARD_WEIGHTS.values()) == [0.15, 0.25, 0.35, 0.15, 0.10]
    assert sum(REWARD_WEIGHTS.values()) == pytest.approx(1)


_NODE = st.sampled_from(
    [
        *CANONICAL["steps"],
        _ELSE,
        _BAD_ARGUMENT,
        {"kind": "call", "tool": "mcp.a:b"},
        {"kind": "x"},
        7,
    ]
)


@given(st.lists(_NODE, max_size=8))
@settings(max_examples=60)
def test_reward_is_from_zero_to_one_and_one_for_the_canonical_only(steps: list[Any]) -> None:
    reward = _reward(json.dumps(CANONICAL | {"steps": steps}))
    assert 0 <= reward <= 1
    assert (reward == 1) is (steps == CANONICAL["steps"])
