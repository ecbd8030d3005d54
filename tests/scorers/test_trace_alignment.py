"""Which calls are aligned, where the candidate makes more calls than the reference (row C1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from skillbench_tasks.datasets.sops.loading import sop_by_id
from skillbench_tasks.models.sop import ExecutedCall
from skillbench_tasks.scorers.sequence_alignment import aligned_pairs
from tests.orchestration_replays import graded, references, stepped

QUERY = "mcp.warehouse:run_query"
MISTYPED = "SELECT COUNT(*) AS missing FROM custmers"


def _variant_score(sop_id: str, number: int, calls: Sequence[ExecutedCall]) -> Any:
    sop = sop_by_id(sop_id)
    runs = [run.executed for run in references(sop)]
    runs[number] = stepped(sop.variants[number], calls, runs[number].value)
    return graded(sop, runs)[number]


def _reference(sop_id: str, number: int) -> list[ExecutedCall]:
    return list(references(sop_by_id(sop_id))[number].executed.calls)


def _query(like: ExecutedCall, **changed: Any) -> ExecutedCall:
    return like.model_copy(update={"arguments": {**like.arguments, **changed}})


@pytest.mark.parametrize("sop_id", ["data-quality-check.2", "sla-breach-watch.2"])
@pytest.mark.parametrize("place", ["before", "after", "twice"])
@pytest.mark.parametrize("wrong", [MISTYPED, "SELECT COUNT(*) AS n FROM customers"])
def test_mistyped_query_beside_the_right_one_leaves_arguments_right_c1(
    sop_id: str, place: str, wrong: str
) -> None:
    right, *rest = _reference(sop_id, 1)
    assert right.tool == QUERY
    extra = _query(right, sql=wrong)
    queries = {"before": [extra, right], "after": [right, extra], "twice": [extra, right, extra]}
    score = _variant_score(sop_id, 1, [*queries[place], *rest])
    assert score.trace.arguments, score.trace.reasons
    assert not score.trace.selection


def test_right_query_in_other_words_is_aligned_before_a_wrong_one_c1() -> None:
    right, *rest = _reference("data-quality-check.2", 1)
    other = _query(right, sql=right.arguments["sql"] + " AND 1 = 1")  # type: ignore[operator]
    score = _variant_score("data-quality-check.2", 1, [_query(right, sql=MISTYPED), other, *rest])
    assert score.trace.arguments, score.trace.reasons


def test_only_wrong_queries_leave_arguments_wrong_c1() -> None:
    right, *rest = _reference("data-quality-check.2", 1)
    wrong = _query(right, sql="SELECT 1 AS missing FROM customers")
    score = _variant_score("data-quality-check.2", 1, [wrong, _query(right, sql=MISTYPED), *rest])
    assert not score.trace.arguments


# Names of tools with a value behind them; the pairs that are aligned.
TABLE = [
    pytest.param("a1", "a0 a1", [(0, 1)], id="extra_before"),
    pytest.param("a1", "a1 a0", [(0, 0)], id="extra_after"),
    pytest.param("a1", "a1 a1", [(0, 0)], id="two_right_ones_the_first"),
    pytest.param("a1", "a0 a2", [(0, 0)], id="two_wrong_ones_the_first"),
    pytest.param("a1 a2", "a1 a0 a2", [(0, 0), (1, 2)], id="extra_between"),
    pytest.param("a1 a2", "a0 a1 a2", [(0, 1), (1, 2)], id="repeated_extra_before"),
    pytest.param("a1 b1 a2", "a2 b1 a2", [(0, 0), (1, 1), (2, 2)], id="length_goes_first"),
    pytest.param("a1 b1", "b1 a1", [(1, 0)], id="swapped_the_earliest_of_the_run"),
    pytest.param("a1 b1", "b0 a1", [(0, 1)], id="swapped_the_equal_one"),
    pytest.param("a1 b1", "b1 a0", [(1, 0)], id="swapped_the_other_equal_one"),
    pytest.param("a1 a2 a3", "a3", [(2, 0)], id="two_missing"),
    pytest.param("a1 b1 c1", "a0 b1 a1 b0 b1 c1", [(0, 2), (1, 4), (2, 5)], id="tried_twice"),
]


@pytest.mark.parametrize(("first", "second", "pairs"), TABLE)
def test_longest_alignment_with_most_equal_pairs_is_chosen_c1(
    first: str, second: str, pairs: list[tuple[int, int]]
) -> None:
    one, two = first.split(), second.split()
    found = aligned_pairs(
        [part[0] for part in one], [part[0] for part in two], lambda i, j: one[i] == two[j]
    )
    assert found == pairs
