"""The query language of the sales server."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbench_tasks.datasets.sops.workspace import base_world, world_with
from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.models import Record
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.connectors.queries import equal_queries
from skillbench_tasks.tools.toolbox import Toolbox
from skillbench_tasks.tools.world import World

TOOL = "mcp.sales:query"


def _lead(number: int, **fields: Any) -> Record:
    whole: Record = {
        "lead_id": f"LEA-{number}",
        "name": "Ann O'Neil",
        "company": "C",
        "email": "a@example.net",
        "source": "web",
        "score": 0,
        "region": "emea",
        "status": "new",
        "owner_email": None,
        "duplicate_of": None,
        "converted_account_id": None,
        "created_at": "2026-03-16T08:00:00",
    }
    return {**whole, **fields}


def _ask(query: str, world: World | None = None) -> Any:
    box = Toolbox(list(connectors.tools().values()), world or base_world())
    return box.call(TOOL, {"query": query})


def _ids(query: str, world: World | None = None) -> list[str]:
    found = [str(next(iter(record.values()))) for record in _ask(query, world)["records"]]
    return [one.partition("-")[2] for one in found]


def _failure(query: str) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        _ask(query)
    return caught.value


# Expected ids are read off datasets/sops/workspace.json by hand; today is 2026-03-16.
OPPORTUNITIES: dict[str, tuple[str, str]] = {
    "all_by_id": ("", "461 462 463 464 465"),
    "equal": ("WHERE stage = 'proposal'", "463 465"),
    "text_ignores_case": ("where STAGE = 'Proposal'", "463 465"),
    "unequal": ("WHERE stage != 'proposal'", "461 462 464"),
    "unequal_other_sign": ("WHERE stage <> 'proposal'", "461 462 464"),
    "unequal_takes_null": ("WHERE next_step != 'Wait for budget'", "461 462 463 464"),
    "number": ("WHERE amount >= 22000 AND amount < 126000.0", "462 465"),
    "number_is_not_text": ("WHERE amount > 9000", "461 462 464 465"),
    "date": ("WHERE close_on <= 2026-03-27", "463 464 465"),
    "today": ("WHERE close_on < TODAY", "464 465"),
    "next_days": ("WHERE close_on = NEXT_N_DAYS:30", "461 463"),
    "last_days": ("WHERE close_on = LAST_N_DAYS:10", "465"),
    "before_last_days": ("WHERE close_on < LAST_N_DAYS:10", "464"),
    "datetime_by_day": ("WHERE created_at >= 2026-01-20 AND created_at < 2026-02-23", "462 465"),
    "datetime": ("WHERE created_at > 2026-01-20T08:59:59Z", "462 463 465"),
    "in": ("WHERE stage IN ('discovery', 'negotiation')", "461 462"),
    "not_in": ("WHERE kind NOT IN ('renewal')", "463 464 465"),
    "null": ("WHERE next_step = NULL", "462 464"),
    "not_null": ("WHERE next_step != null", "461 463 465"),
    "like": ("WHERE name LIKE '%RENEWAL 202_'", "461 462"),
    "like_whole": ("WHERE name LIKE 'veldt'", ""),
    "not_like": ("WHERE NOT name LIKE '%e%'", ""),
    "not_like_null": ("WHERE next_step NOT LIKE '%budget%'", "461 462 463 464"),
    "and_binds_more": (
        "WHERE stage = 'proposal' OR kind = 'renewal' AND amount > 50000",
        "461 463 465",
    ),
    "parentheses": ("WHERE (stage = 'proposal' OR kind = 'renewal') AND amount > 50000", "461"),
    "not": ("WHERE NOT (stage = 'proposal' OR kind = 'renewal')", "464"),
    "parent": ("WHERE account.region = 'emea'", "461 465"),
    "parent_boolean_of_text": (
        "WHERE account.health != 'green' AND account.segment = 'enterprise'",
        "461",
    ),
    "order": ("ORDER BY amount DESC", "461 462 465 464 463"),
    "order_nulls_first": ("ORDER BY next_step", "462 464 463 461 465"),
    "order_desc_nulls_last": ("ORDER BY next_step DESC", "465 461 463 462 464"),
    "order_desc_nulls_first": ("ORDER BY next_step DESC NULLS FIRST", "462 464 465 461 463"),
    "order_by_parent_then_amount": (
        "ORDER BY account.region ASC, amount DESC",
        "462 463 464 461 465",
    ),
    "limit_and_offset": ("ORDER BY amount DESC LIMIT 2 OFFSET 1", "462 465"),
}


@pytest.mark.parametrize("name", OPPORTUNITIES)
def test_query_finds(name: str) -> None:
    rest, expected = OPPORTUNITIES[name]
    assert _ids(f"SELECT opportunity_id FROM opportunity {rest}") == expected.split()


def test_result_has_the_fields_asked_for_with_parents_nested() -> None:
    query = "select NAME, Account.Name, account.annual_value, amount from Opportunity where opportunity_id = 'OPP-463'"
    account = {"name": "Saltmarsh Media", "annual_value": 0}
    record = {"name": "Saltmarsh starter", "amount": 9000, "account": account}
    assert _ask(query) == {"records": [record], "count": 1}


def test_parent_that_is_not_there_gives_nulls() -> None:
    lead = _lead(1)
    task: Record = {**next(iter(base_world().records("sales_tasks"))), "task_id": "TSK-1"}
    world = world_with({"sales_leads": [lead], "sales_tasks": [{**task, "account_id": None}]}, "t")
    found = _ask("SELECT subject, account.name FROM task WHERE task_id = 'TSK-1'", world)
    assert found["records"][0]["account"] == {"name": None}


def test_count_gives_the_number_alone() -> None:
    assert _ask("SELECT COUNT() FROM contact WHERE is_primary = true") == {
        "records": [],
        "count": 5,
    }


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        pytest.param(r"name = 'Ann O\'Neil'", "1 2 3 4", id="quote"),
        pytest.param(r"company = '50% off'", "2", id="percent_is_plain"),
        pytest.param(r"company = '50\% off'", "2", id="escaped_percent_is_plain"),
        pytest.param(r"company LIKE '50\% %'", "2", id="escaped_percent_in_like"),
        pytest.param(r"company LIKE '50%off'", "2 3", id="percent_in_like"),
        pytest.param(r"company LIKE 'a\\b'", "4", id="backslash"),
        pytest.param("company LIKE '5_% off'", "2 3", id="underscore"),
        pytest.param("company LIKE '%off%off%'", "", id="runs_do_not_overlap"),
        pytest.param("company LIKE '%%'", "1 2 3 4", id="anything"),
        pytest.param("score = -1.5", "3", id="negative"),
        pytest.param("created_at = YESTERDAY", "4", id="yesterday"),
        pytest.param("created_at = TODAY", "1 2 3", id="today"),
        pytest.param("duplicate_of != NULL", "2", id="reference"),
        pytest.param("owner_email = 'LUCIA.brandt@example.com'", "2", id="mail_ignores_case"),
    ],
)
def test_values_are_read_as_written(condition: str, expected: str) -> None:
    leads = [
        _lead(1),
        _lead(2, company="50% off", owner_email="lucia.brandt@example.com", duplicate_of="LEA-1"),
        _lead(3, company="50 pieces off", score=-1.5),
        _lead(4, company=r"a\b", created_at="2026-03-15T23:59:59"),
    ]
    world = world_with({"sales_leads": leads}, "t")
    query = rf"SELECT lead_id FROM lead WHERE ({condition}) AND email = 'a@example.net'"
    assert _ids(query, world) == expected.split()


@pytest.mark.parametrize(
    ("query", "code", "words"),
    [
        pytest.param(
            "SELECT nam FROM lead",
            "not_found",
            "At character 8: lead has no field nam; did you mean name",
            id="field",
        ),
        pytest.param(
            "SELECT name FROM leads",
            "not_found",
            "At character 18: there is no object leads; there are account",
            id="object",
        ),
        pytest.param(
            "SELECT owner.name FROM lead",
            "not_found",
            "no parent owner; its parents: none",
            id="parent",
        ),
        pytest.param(
            "SELECT account.nam FROM task",
            "not_found",
            "account has no field nam",
            id="field_of_parent",
        ),
        pytest.param(
            "SELECT account.owner.name FROM task",
            "invalid_query",
            "direct parents",
            id="two_levels",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE naem = 'x'",
            "not_found",
            "At character 29",
            id="field_in_where",
        ),
        pytest.param(
            "SELECT name FROM lead ORDER BY naem",
            "not_found",
            "At character 32",
            id="field_in_order",
        ),
        pytest.param(
            "SELECT FROM lead",
            "invalid_query",
            "At character 8: expected the name of a field",
            id="no_fields",
        ),
        pytest.param("SELECT name", "invalid_query", "expected FROM, found the end", id="end"),
        pytest.param("SELECT name FROM lead WHERE", "invalid_query", "the end", id="end_of_where"),
        pytest.param(
            "SELECT name FROM lead WHERE name",
            "invalid_query",
            "expected an operator",
            id="no_operator",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE name = x", "invalid_query", "single quotes", id="bare_word"
        ),
        pytest.param(
            'SELECT name FROM lead WHERE name = "x"',
            "invalid_query",
            "At character 36: text stands in single quotes",
            id="double_quotes",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE name = 'x",
            "invalid_query",
            "At character 36: the quote",
            id="open_quote",
        ),
        pytest.param(
            r"SELECT name FROM lead WHERE name = 'a\q'",
            "invalid_query",
            "unknown escape",
            id="escape",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE score = '5'",
            "invalid_query",
            "score is a number",
            id="number_in_quotes",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE name = 5",
            "invalid_query",
            "name is text",
            id="text_without_quotes",
        ),
        pytest.param(
            "SELECT name FROM account WHERE renewal_on < '2026-03-01'",
            "invalid_query",
            "without quotes",
            id="date_in_quotes",
        ),
        pytest.param(
            "SELECT name FROM account WHERE renewal_on < 2026-02-30",
            "invalid_query",
            "is no date",
            id="no_date",
        ),
        pytest.param(
            "SELECT name FROM account WHERE renewal_on < 2026-02-03T10:00:00",
            "invalid_query",
            "is a date",
            id="datetime_for_date",
        ),
        pytest.param(
            "SELECT name FROM account WHERE created_at < 2026-02-03T10:00:00+02:00",
            "invalid_query",
            "is no date",
            id="zone",
        ),
        pytest.param(
            "SELECT name FROM account WHERE health = 'purple'",
            "invalid_query",
            "one of green, yellow, red",
            id="choice",
        ),
        pytest.param(
            "SELECT name FROM contact WHERE is_primary > false",
            "invalid_query",
            "= and != only",
            id="boolean_order",
        ),
        pytest.param(
            "SELECT name FROM contact WHERE is_primary = 1",
            "invalid_query",
            "a boolean",
            id="boolean_number",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE score < NULL",
            "invalid_query",
            "= and != only",
            id="null_order",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE score LIKE '5%'",
            "invalid_query",
            "LIKE needs a text field",
            id="like_number",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE name LIKE 5",
            "invalid_query",
            "pattern in single quotes",
            id="like_without_quotes",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE name IN ()", "invalid_query", "a value", id="empty_list"
        ),
        pytest.param(
            "SELECT name FROM lead WHERE (name = 'x'",
            "invalid_query",
            "expected ), found the end",
            id="open_parenthesis",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE name = 'x' name",
            "invalid_query",
            "expected the end of the query",
            id="rest",
        ),
        pytest.param(
            "SELECT name FROM lead GROUP BY name", "invalid_query", "found GROUP", id="group"
        ),
        pytest.param(
            "SELECT SUM(score) FROM lead", "invalid_query", "expected FROM, found (", id="aggregate"
        ),
        pytest.param("SELECT * FROM lead", "invalid_query", "unexpected character '*'", id="star"),
        pytest.param(
            "SELECT name FROM lead LIMIT many", "invalid_query", "a whole number", id="limit"
        ),
        pytest.param(
            "SELECT name FROM lead LIMIT -1", "invalid_query", "a whole number", id="negative_limit"
        ),
        pytest.param(
            "SELECT name FROM lead; DELETE",
            "invalid_query",
            "unexpected character ';'",
            id="two_queries",
        ),
        pytest.param(
            "UPDATE lead SET name = 'x'",
            "invalid_query",
            "At character 1: expected SELECT",
            id="update",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE created_at = LAST_N_DAYS",
            "invalid_query",
            "expected :",
            id="days",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE created_at = LAST_N_DAYS:99999",
            "invalid_query",
            "10000",
            id="too_many_days",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE " + "(" * 50 + "name = 'x'" + ")" * 50,
            "limit_exceeded",
            "nested deeper than 32",
            id="nesting",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE " + "NOT " * 50 + "name = 'x'",
            "limit_exceeded",
            "nested",
            id="not_nesting",
        ),
        pytest.param("   ", "invalid_query", "expected SELECT, found the end", id="blank"),
    ],
)
def test_failure_names_place_and_mend(query: str, code: str, words: str) -> None:
    failure = _failure(query)
    assert failure.code == code
    assert words in failure.message
    assert failure.message.endswith(".")


def test_more_records_than_may_be_returned_is_a_failure() -> None:
    world = world_with({"sales_leads": [_lead(10_000 + n) for n in range(500)]}, "t")
    box = Toolbox(list(connectors.tools().values()), world)
    with pytest.raises(ToolFailure, match="503 records fit") as caught:
        box.call(TOOL, {"query": "SELECT name FROM lead"})
    assert not caught.value.retryable
    assert len(_ask("SELECT name FROM lead LIMIT 500", world)["records"]) == 500
    assert _ask("SELECT COUNT() FROM lead", world)["count"] == 503


def test_pattern_with_many_wildcards_stays_fast() -> None:
    world = world_with({"sales_leads": [_lead(1, company="a" * 3000)]}, "t")
    start = time.perf_counter()
    assert _ids(f"SELECT lead_id FROM lead WHERE company LIKE '{'%a' * 900}b'", world) == []
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        pytest.param(
            "SELECT name FROM lead WHERE score > 50",
            "select name from LEAD where NOT score <= 50 order by lead_id",
            True,
            id="spelling",
        ),
        pytest.param(
            "SELECT name FROM lead WHERE score > 50",
            "SELECT name FROM lead WHERE score > 70",
            False,
            id="other_records",
        ),
        pytest.param(
            "SELECT name FROM lead", "SELECT name, score FROM lead", False, id="other_fields"
        ),
        pytest.param("SELECT name FROM lead", "SELECT name FROM leed", False, id="one_fails"),
    ],
)
def test_queries_are_equal_by_their_results(a: str, b: str, expected: bool) -> None:
    assert equal_queries(TOOL, {"query": a}, {"query": b}, base_world()) is expected


_TEXT = r"""SELECT FROM WHERE AND OR NOT IN LIKE NULL ORDER BY LIMIT OFFSET NULLS FIRST ASC COUNT ( ) , . : = != < >= ' ''
\ " 'x%' 5 -1 1e9 2026-03-01 2026-03-01T10:00:00 TODAY LAST_N_DAYS:3 true lead opportunity account name score amount ² é"""
_WORDS = st.sampled_from(_TEXT.split())


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.lists(_WORDS, max_size=20).map(" ".join), st.text(max_size=40)))
def test_whatever_is_asked_fails_as_a_tool_fails(text: str) -> None:
    codes = {"", "invalid_query", "not_found", "limit_exceeded", "invalid_arguments"}
    assert _code(text) in codes
    assert _code(f"SELECT name FROM opportunity WHERE {text}") in codes


def _code(query: str) -> str:
    try:
        _ask(query)
    except ToolFailure as failure:
        return failure.code
    return ""
