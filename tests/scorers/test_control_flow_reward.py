"""Control flow weighs in `control_flow_reward` (row C8); the published reward stays as it is."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from skillbench_tasks.datasets.sops.loading import families, load_sops, sop_by_id, spare_drafts
from skillbench_tasks.datasets.sops.references import unlabelled
from skillbench_tasks.scorers.workflow_reward import control_flow_reward, workflow_reward
from tests.plan_mutants import blocks_of, nodes_of

BOUND = 0.8
"""A workflow whose control flow differs earns this at most."""


def _negated(node: Any) -> None:
    node["condition"] = {"!": [node["condition"]]}


def _swapped(node: Any) -> None:
    node["then"], node["else"] = node.get("else", []), node["then"]


def _without_catch(node: Any) -> None:
    node["catch"] = []


def _emptied(node: Any) -> None:
    node["do"] = []


def _always(node: Any) -> None:
    node["condition"] = True


def _without_else(node: Any) -> None:
    node["else"] = []


def _other_items(node: Any) -> None:
    node["items"] = []


EDITS: list[tuple[str, str, Callable[[Any], None]]] = [
    ("condition_negated", "if", _negated),
    ("condition_constant", "if", _always),
    ("branches_swapped", "if", _swapped),
    ("else_dropped", "if", _without_else),
    ("loop_emptied", "for_each", _emptied),
    ("loop_over_nothing", "for_each", _other_items),
    ("catch_dropped", "try", _without_catch),
    ("guarded_emptied", "try", _emptied),
]


def _edited(plan: Any, kind: str, edit: Callable[[Any], None]) -> Iterator[Any]:
    """Yield the plan with each node of a kind edited in turn; edits without effect are left out."""
    for index in range(len(nodes_of(plan, kind))):
        changed = copy.deepcopy(plan)
        edit(nodes_of(changed, kind)[index])
        if json.dumps(changed) != json.dumps(_with_else(plan)) and changed != plan:
            yield changed


def _with_else(plan: Any) -> Any:
    whole = copy.deepcopy(plan)
    for node in nodes_of(whole, "if"):
        node.setdefault("else", [])
    return whole


def _flattened(plan: Any) -> Any:
    """Return the plan with all of its nodes at the top level, without control flow."""
    flat = [n for block in blocks_of(plan["steps"]) for n in block]
    bare = [n for n in flat if n["kind"] not in ("if", "for_each", "try")]
    return {**plan, "steps": bare}


def _unwrapped(plan: Any, index: int) -> Any:
    """Return the plan with one control node replaced by its first block."""
    changed = copy.deepcopy(plan)
    node = nodes_of(changed, "if", "for_each", "try")[index]
    for block in blocks_of(changed["steps"]):
        for place, one in enumerate(block):
            if one is node:
                block[place : place + 1] = node.get("then", node.get("do"))
                return changed
    raise AssertionError(index)


def _rewards(plan: Any, made: list[Any]) -> list[float]:
    return control_flow_reward([json.dumps(one) for one in made], [plan] * len(made))


def _check(plan: Any) -> None:
    assert _rewards(plan, [plan]) == [1.0]
    made = [changed for _, kind, edit in EDITS for changed in _edited(_with_else(plan), kind, edit)]
    openers = len(nodes_of(plan, "if", "for_each", "try"))
    made += [_unwrapped(plan, index) for index in range(openers)]
    made += [_flattened(plan)] if openers else []
    if made:
        rewards = _rewards(plan, made)
        assert all(0 <= one <= BOUND for one in rewards), max(rewards)


def test_control_flow_edits_of_some_references_earn_at_most_the_bound_c8() -> None:
    for sop in load_sops()[::12]:
        _check(unlabelled(sop.program))


@pytest.mark.slow
def test_control_flow_edits_of_every_reference_earn_at_most_the_bound_c8() -> None:
    for sop in load_sops():
        _check(unlabelled(sop.program))


@pytest.mark.slow
def test_control_flow_edits_of_every_training_pair_earn_at_most_the_bound_c8() -> None:
    for family in families():
        for _, draft in spare_drafts(family):
            _check(unlabelled(draft.program))


SOP = "overdue-invoice-chase.2"


def _text(edit: Callable[[Any], object]) -> str:
    plan: Any = unlabelled(sop_by_id(SOP).program)
    plan = json.loads(json.dumps(plan))
    edit(plan)
    return json.dumps(plan)


def test_argument_in_a_loop_costs_what_the_published_reward_takes_c8() -> None:
    def edit(plan: Any) -> None:
        nodes_of(plan, "call")[-1]["arguments"]["note"] = "Another note."

    canonical = sop_by_id(SOP).program
    published = workflow_reward([_text(edit)], [json.dumps(canonical)])
    assert control_flow_reward([_text(edit)], [json.dumps(canonical)]) == published
    assert published[0] < 1


def test_answers_that_do_not_parse_earn_nothing_c8() -> None:
    canonical = json.dumps(sop_by_id(SOP).program)
    answers = ["", "prose", canonical[:-5], '{"version": 1, "steps": [{"kind": "loop"}]}']
    assert control_flow_reward(answers, [canonical] * 4) == [0.0] * 4


def test_control_flow_reward_refuses_columns_of_other_length() -> None:
    with pytest.raises(ValueError, match="zip"):
        control_flow_reward(["{}"], [])
