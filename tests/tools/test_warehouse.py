"""SQL of the warehouse: what it gives, what it writes, what it refuses."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillbench_tasks.datasets.sops.workspace import base_world
from skillbench_tasks.errors import ToolFailure
from skillbench_tasks.tools import connectors
from skillbench_tasks.tools.connectors.queries import QUERY_ARGUMENTS, equal_queries
from skillbench_tasks.tools.connectors.sql.compiling import Compiled
from skillbench_tasks.tools.connectors.sql.engine import run_select
from skillbench_tasks.tools.connectors.sql.faults import SqlFault
from skillbench_tasks.tools.toolbox import Toolbox

QUERY, STATEMENT = "mcp.warehouse:run_query", "mcp.warehouse:run_statement"


def _box() -> Toolbox:
    return Toolbox(list(connectors.tools().values()), base_world())


def _rows(sql: str, **parameters: Any) -> list[list[Any]]:
    result: Any = _box().call(QUERY, {"sql": sql, "parameters": parameters})
    assert result["row_count"] == len(result["rows"])
    return [list(row.values()) for row in result["rows"]]


def _failure(tool: str, sql: str, **parameters: Any) -> ToolFailure:
    box = _box()
    with pytest.raises(ToolFailure) as caught:
        box.call(tool, {"sql": sql, "parameters": parameters})
    assert not box.world.changes_since(box.start)
    return caught.value


# Expected rows are read off datasets/sops/workspace.json by hand; today is Monday, 2026-03-16.
READS: dict[str, tuple[str, list[list[Any]]]] = {
    "where": (
        "SELECT sku, on_hand FROM inventory WHERE on_hand <= reorder_point ORDER BY sku",
        [["SKU-B2", 9], ["SKU-C3", 15], ["SKU-D4", 3]],
    ),
    "boolean": (
        "SELECT sku, is_discontinued, on_hand < 10 AS low FROM inventory WHERE on_hand < 12",
        [["SKU-B2", False, True], ["SKU-D4", True, True]],
    ),
    "null": (
        "SELECT invoice_id FROM invoices WHERE paid_on IS NULL AND amount < 5000",
        [["INV-805"]],
    ),
    "unsorted_is_sorted_by_columns": (
        "SELECT DISTINCT region FROM orders",
        [["americas"], ["apac"], ["emea"]],
    ),
    "group": (
        "SELECT region, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY region ORDER BY total DESC",
        [["emea", 3, 5800.5], ["apac", 2, 5200], ["americas", 3, 2070]],
    ),
    "group_by_position_and_having": (
        "SELECT account_id, COUNT(*) AS n FROM orders GROUP BY 1 HAVING COUNT(*) > 1",
        [["ACC-401", 2], ["ACC-403", 2], ["ACC-406", 2]],
    ),
    "join_and_cte": (
        "WITH paid AS (SELECT account_id, SUM(amount) AS total FROM invoices WHERE status = 'paid' GROUP BY account_id) "
        "SELECT c.name, p.total FROM customers c JOIN paid p USING (account_id) ORDER BY c.name",
        [["Kestrel Freight", 4250], ["Northgate Foods", 7000]],
    ),
    "left_join": (
        "SELECT c.account_id FROM customers c LEFT JOIN orders o ON o.account_id = c.account_id WHERE o.order_id IS NULL",
        [["ACC-405"], ["ACC-407"]],
    ),
    "not_in_subquery": (
        "SELECT account_id FROM customers WHERE account_id NOT IN (SELECT account_id FROM invoices)",
        [["ACC-403"], ["ACC-405"], ["ACC-407"]],
    ),
    "exists": (
        "SELECT sku FROM inventory i WHERE NOT EXISTS (SELECT 1 FROM order_items x WHERE x.sku = i.sku)",
        [["SKU-E5"]],
    ),
    "window_and_qualify": (
        "SELECT account_id, order_id FROM orders QUALIFY ROW_NUMBER() OVER "
        "(PARTITION BY account_id ORDER BY amount DESC) = 1 ORDER BY account_id DESC LIMIT 2",
        [["ACC-406", "ORD-2005"], ["ACC-404", "ORD-2004"]],
    ),
    "running_sum": (
        "SELECT order_id, SUM(amount) OVER (ORDER BY ordered_on) AS run FROM orders ORDER BY 1 LIMIT 3",
        [["ORD-2001", 1800], ["ORD-2002", 4400.5], ["ORD-2003", 5350.5]],
    ),
    "union": (
        "SELECT account_id FROM refunds JOIN orders USING (order_id) UNION SELECT account_id FROM support_tickets "
        "WHERE priority = 'urgent' ORDER BY account_id",
        [["ACC-404"], ["ACC-406"]],
    ),
    "today_minus_days": (
        "SELECT order_id FROM orders WHERE ordered_on >= CURRENT_DATE - 8",
        [["ORD-2006"], ["ORD-2007"], ["ORD-2008"]],
    ),
    "dateadd": (
        "SELECT order_id FROM orders WHERE ordered_on >= DATEADD(day, -6, CURRENT_DATE)",
        [["ORD-2007"], ["ORD-2008"]],
    ),
    "datediff": (
        "SELECT invoice_id, DATEDIFF(day, due_on, CURRENT_DATE) AS late FROM invoices WHERE status = 'overdue' ORDER BY late DESC",
        [["INV-805", 33], ["INV-803", 15]],
    ),
    "hours_until_now": (
        "SELECT ticket_id FROM support_tickets WHERE first_reply_at IS NULL AND DATEDIFF(hour, opened_at, CURRENT_TIMESTAMP) > sla_hours",
        [["TIC-1"], ["TIC-2"]],
    ),
    "timestamp_with_a_date": (
        "SELECT ticket_id FROM support_tickets WHERE opened_at >= '2026-03-13' AND opened_at < '2026-03-15 18:05:00'",
        [["TIC-1"]],
    ),
    "date_trunc": (
        "SELECT DATE_TRUNC('week', ordered_on) AS week, COUNT(*) AS n FROM orders WHERE ordered_on >= '2026-03-02' GROUP BY 1 ORDER BY 1",
        [["2026-03-02", 5], ["2026-03-09", 2]],
    ),
    "date_parts_and_format": (
        "SELECT YEAR(CURRENT_DATE) AS y, EXTRACT(quarter FROM CURRENT_DATE) AS q, DAYOFWEEK(CURRENT_DATE) AS d, "
        "TO_CHAR(CURRENT_DATE, 'YYYY-MM') AS m, LAST_DAY('2026-02-10') AS l, CURRENT_TIMESTAMP AS t",
        [[2026, 1, 1, "2026-03", "2026-02-28", "2026-03-16T09:00:00"]],
    ),
    "interval_and_month_ends": (
        "SELECT CURRENT_DATE - INTERVAL '1 month' AS a, ADD_MONTHS('2026-01-31', 1) AS b, "
        "DATEDIFF(month, '2026-01-31', '2026-03-01') AS c, '2026-03-05'::date - '2026-02-26'::date AS d",
        [["2026-02-16", "2026-02-28", 2, 7]],
    ),
    "division_and_rounding": (
        "SELECT 1 / 3 AS a, 7 / 2 AS b, ROUND(2.675, 2) AS c, ROUND(2.5) AS d, MOD(7, 4) AS e, DIV0(1, 0) AS f, 0.1 + 0.2 AS g",
        [[0.333333, 3.5, 2.68, 3, 3, 0, 0.3]],
    ),
    "casts": (
        "SELECT 2.5::int AS a, '7'::number AS b, TRY_CAST('x' AS INT) AS c, 12.0::varchar AS d, TRUE::varchar AS e, 'yes'::boolean AS f",
        [[3, 7, None, "12", "true", True]],
    ),
    "texts": (
        "SELECT SPLIT_PART('a/b', '/', 2) AS a, LEFT('abc', 2) AS b, CONCAT('a', 'b') AS c, SUBSTR('hello', 2, 3) AS d, "
        "'it''s' AS e, COALESCE(NULL, 'x') AS f, STARTSWITH('abc', 'ab') AS g, UPPER('a') || 'b' AS h",
        [["b", "ab", "ab", "ell", "it's", "x", True, "Ab"]],
    ),
    "like_is_case_sensitive": (
        "SELECT (SELECT COUNT(*) FROM customers WHERE name LIKE '%foods') AS a, (SELECT COUNT(*) FROM customers WHERE name ILIKE '%foods') AS b",
        [[0, 1]],
    ),
    "conditional_aggregates": (
        "SELECT COUNT_IF(status = 'placed') AS a, SUM(IFF(region = 'emea', amount, 0)) AS b, COUNT(DISTINCT account_id) AS c FROM orders",
        [[2, 5800.5, 5]],
    ),
    "listagg": (
        "SELECT LISTAGG(sku, ', ') AS skus FROM inventory WHERE on_hand < 16",
        [["SKU-B2, SKU-C3, SKU-D4"]],
    ),
    "nulls_last_by_default": (
        "SELECT paid_on FROM invoices GROUP BY paid_on ORDER BY paid_on",
        [["2026-02-20"], ["2026-02-25"], [None]],
    ),
    "ties_are_settled_by_columns": (
        "SELECT unit_price, item_id FROM order_items ORDER BY unit_price LIMIT 9 OFFSET 3",
        [
            [300, "ITM-1"],
            [300, "ITM-2"],
            [350, "ITM-7"],
            [500.5, "ITM-3"],
            [508.25, "ITM-6"],
            [537.5, "ITM-9"],
        ],
    ),
    "names_ignore_case": (
        'SELECT SKU, "On_Hand" FROM INVENTORY ORDER BY on_hand LIMIT 1',
        [["SKU-D4", 3]],
    ),
    "bounded_recursion": (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
        [[1], [2], [3]],
    ),
    "comment_and_semicolon": ("SELECT 1 AS x -- one\n;", [[1]]),
}


@pytest.mark.parametrize("name", READS)
def test_query_gives_the_rows(name: str) -> None:
    sql, expected = READS[name]
    assert _rows(sql) == expected


def test_query_takes_parameters_by_name() -> None:
    sql = "SELECT order_id FROM orders WHERE account_id = :account AND ordered_on < :day AND amount > :least"
    assert _rows(sql, account="ACC-401", day="2026-03-08", least=100) == [["ORD-2001"]]
    assert _rows(sql, account="x' OR '1' = '1", day="2026-03-08", least=100) == []
    assert _failure(QUERY, sql, account="ACC-401").code == "invalid_sql"


def test_result_has_lower_case_names() -> None:
    result: Any = _box().call(QUERY, {"sql": "SELECT SKU, ON_HAND AS Stock FROM inventory LIMIT 1"})
    assert result["rows"] == [{"sku": "SKU-A1", "stock": 34}]


HOSTILE = {
    "drop": "DROP TABLE orders",
    "create": "CREATE TABLE x (a INT)",
    "create_as": "CREATE TABLE x AS SELECT 1 AS a",
    "alter": "ALTER TABLE orders ADD COLUMN x INT",
    "truncate": "TRUNCATE TABLE orders",
    "pragma": "PRAGMA table_info(orders)",
    "pragma_function": "SELECT name FROM pragma_table_info('orders')",
    "attach": "ATTACH DATABASE '/tmp/x.db' AS y",
    "detach": "DETACH DATABASE main",
    "copy": "COPY INTO orders FROM @stage",
    "stage": "SELECT * FROM @stage/file.csv",
    "use": "USE DATABASE x",
    "set": "SET x = 1",
    "grant": "GRANT SELECT ON orders TO ROLE public",
    "call": "CALL system$wait(10)",
    "begin": "BEGIN TRANSACTION",
    "vacuum": "VACUUM",
    "show": "SHOW TABLES",
    "describe": "DESCRIBE TABLE orders",
    "explain": "EXPLAIN SELECT 1 AS a",
    "two_statements": "SELECT 1 AS a; DROP TABLE orders",
    "hidden_second": "SELECT 1 AS a /* ; */ ; DELETE FROM orders",
    "schema_table": "SELECT name FROM sqlite_master",
    "temp_schema_table": "SELECT sql AS s FROM sqlite_temp_schema",
    "prefix": "SELECT order_id FROM main.orders",
    "load_extension": "SELECT load_extension('x') AS a",
    "readfile": "SELECT readfile('/etc/passwd') AS a",
    "writefile": "SELECT writefile('/tmp/x', 'y') AS a",
    "own_function": "SELECT sb_today() AS a",
    "random": "SELECT RANDOM() AS a",
    "randomblob": "SELECT randomblob(1000000000) AS a",
    "zeroblob": "SELECT zeroblob(1000000000) AS a",
    "printf": "SELECT printf('%1000000000d', 1) AS a",
    "session": "SELECT CURRENT_USER() AS a",
    "system_function": "SELECT SYSTEM$WAIT(10) AS a",
    "table_function": "SELECT * FROM TABLE(GENERATOR(ROWCOUNT => 1000000000))",
    "generate_series": "SELECT value FROM generate_series(1, 1000000000)",
    "rowid": "SELECT rowid FROM orders",
    "json_path": "SELECT order_id:a.b AS x FROM orders",
    "variable": "SELECT $1 AS a FROM orders",
    "into": "SELECT order_id INTO x FROM orders",
    "for_update": "SELECT order_id FROM orders FOR UPDATE",
    "time_travel": "SELECT order_id FROM orders AT (OFFSET => -60)",
    "sample": "SELECT order_id FROM orders SAMPLE (10)",
    "pivot": "SELECT * FROM orders PIVOT (SUM(amount) FOR region IN ('emea'))",
    "insert_by_query": "WITH x AS (INSERT INTO orders VALUES (1) RETURNING *) SELECT * FROM x",
    "endless_recursion": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) AS a FROM n",
    "growing_text": "WITH RECURSIVE n(i) AS (SELECT 'x' UNION ALL SELECT i || i FROM n) SELECT MAX(LENGTH(i)) AS a FROM n",
    "cross_join": "SELECT COUNT(*) AS n FROM " + ", ".join(f"usage_daily u{i}" for i in range(9)),
    "star_doubling": "WITH a AS (SELECT * FROM orders), b AS (SELECT * FROM a), c AS (SELECT * FROM b), "
    "d AS (SELECT * FROM c) SELECT * FROM d",
    "deep": "SELECT " + "(" * 200 + "1" + ")" * 200 + " AS a",
    "long": "SELECT 1 AS a" + " " * 10_000,
    "too_many_rows": "SELECT a.order_id AS x FROM orders a, orders b, orders c",
    "huge_replace": "SELECT LENGTH(REPLACE(REPLACE(REPLACE("
    + repr("a" * 900)
    + f", 'a', '{'b' * 90}'), 'b', '{'c' * 90}'), 'c', '{'d' * 90}')) AS n",
    "nul": "SELECT 1 AS a\x00; DROP TABLE orders",
}
REFUSED = {"invalid_sql", "not_found", "not_allowed", "limit_exceeded", "invalid_arguments"}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_statement_is_refused_by_both_tools_in_no_time(name: str) -> None:
    start = time.perf_counter()
    for tool in (QUERY, STATEMENT):
        failure = _failure(tool, HOSTILE[name])
        assert failure.code in REFUSED
        assert len(failure.message) < 400 or failure.code == "invalid_arguments"
    assert time.perf_counter() - start < 3


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM orders",
        "ATTACH ':memory:' AS x",
        "PRAGMA user_version = 1",
        "CREATE TABLE x (a)",
    ],
)
def test_engine_refuses_by_itself_what_is_not_reading(sql: str) -> None:
    smuggled = Compiled(sql, ("orders",), (), (), frozenset(), frozenset())
    with pytest.raises(SqlFault):
        run_select(smuggled, base_world(), {})


@pytest.mark.parametrize(
    ("sql", "code", "words"),
    [
        pytest.param(
            "SELECT order_idd FROM orders", "not_found", "orders has order_id", id="column"
        ),
        pytest.param("SELECT order_id FROM orderz", "not_found", "web_sessions", id="table"),
        pytest.param("SELECT order_id FROM orders WHERE", "invalid_sql", "line 1", id="end"),
        pytest.param("SELEC 1", "invalid_sql", "column 7", id="typo"),
        pytest.param("SELECT 'a AS x", "invalid_sql", "not closed", id="open_quote"),
        pytest.param("SELECT COUNT(*) FROM orders", "invalid_sql", "alias", id="no_alias"),
        pytest.param(
            "SELECT region, region FROM orders", "invalid_sql", "Two columns", id="two_of_a_name"
        ),
        pytest.param(
            "SELECT o.*, i.* FROM orders o JOIN invoices i USING (account_id)",
            "invalid_sql",
            "Two columns",
            id="star_two_of_a_name",
        ),
        pytest.param(
            "SELECT account_id FROM orders o, invoices i",
            "invalid_sql",
            "in invoices and orders",
            id="ambiguous",
        ),
        pytest.param(
            "SELECT region, amount, COUNT(*) AS n FROM orders GROUP BY region",
            "invalid_sql",
            "amount is neither grouped",
            id="loose_column",
        ),
        pytest.param(
            "SELECT amount / (amount - amount) AS x FROM orders",
            "runtime_error",
            "division by zero",
            id="division",
        ),
        pytest.param(
            "SELECT order_id FROM orders WHERE ordered_on > 'soon'",
            "runtime_error",
            "'soon' is no date",
            id="no_date",
        ),
        pytest.param("SELECT 'x'::int AS a", "runtime_error", "'x' is no number", id="cast"),
        pytest.param(
            "SELECT DATEADD(fortnight, 1, CURRENT_DATE) AS a", "not_allowed", "FORTNIGHT", id="unit"
        ),
        pytest.param(
            "SELECT MEDIAN(amount) AS a FROM orders", "not_allowed", "MEDIAN", id="function"
        ),
        pytest.param(
            "SELECT order_id FROM orders WHERE amount > ?",
            "invalid_sql",
            ":account_id",
            id="question_mark",
        ),
        pytest.param("", "invalid_arguments", "sql", id="empty"),
        pytest.param("-- nothing", "invalid_sql", "0 are given", id="comment_only"),
    ],
)
def test_failure_says_what_to_mend(sql: str, code: str, words: str) -> None:
    failure = _failure(QUERY, sql)
    assert failure.code == code
    assert words in failure.message


# name → statement, keys of the rows that change → some of their fields after (None: gone), rows
WRITES: dict[str, tuple[str, dict[str, dict[str, Any] | None], int]] = {
    "insert_values": (
        "INSERT INTO reorders (reorder_id, sku, quantity, status, created_on) VALUES "
        "('a', 'SKU-A1', 5, 'draft', CURRENT_DATE), ('b', 'SKU-B2', 2 * 3, 'draft', '2026-03-17')",
        {"a": {"quantity": 5, "created_on": "2026-03-16"}, "b": {"quantity": 6, "sku": "SKU-B2"}},
        2,
    ),
    "insert_select": (
        "INSERT INTO reorders SELECT sku || '/' || CURRENT_DATE, sku, reorder_quantity, 'draft', CURRENT_DATE "
        "FROM inventory WHERE on_hand <= reorder_point AND NOT is_discontinued",
        {"SKU-B2/2026-03-16": {"quantity": 25}, "SKU-C3/2026-03-16": {"quantity": 100}},
        2,
    ),
    "insert_subquery_and_nulls": (
        "INSERT INTO kpi_snapshots (snapshot_id, metric, period_start, value) VALUES "
        "('orders/2026-03-09', 'orders', '2026-03-09', (SELECT SUM(amount) FROM orders WHERE ordered_on >= '2026-03-09'))",
        {"orders/2026-03-09": {"value": 2870, "source": None}},
        1,
    ),
    "update": (
        "UPDATE inventory SET on_hand = on_hand + reorder_quantity, is_discontinued = FALSE WHERE sku = 'SKU-D4'",
        {"SKU-D4": {"on_hand": 43, "is_discontinued": False}},
        1,
    ),
    "update_from": (
        "UPDATE refunds r SET is_reconciled = TRUE, payment_id = 'PAY-1' FROM orders o WHERE o.order_id = r.order_id AND o.status = 'cancelled'",
        {"RFD-2": {"is_reconciled": True, "payment_id": "PAY-1"}},
        1,
    ),
    "update_key": (
        "UPDATE refunds SET refund_id = 'RFD-3' WHERE refund_id = 'RFD-2'",
        {"RFD-2": None, "RFD-3": {"amount": 400}},
        1,
    ),
    "update_to_the_same": ("UPDATE orders SET status = 'placed' WHERE status = 'placed'", {}, 2),
    "delete": ("DELETE FROM orders WHERE status = 'cancelled'", {"ORD-2004": None}, 1),
    "delete_using": (
        "DELETE FROM order_items USING orders WHERE orders.order_id = order_items.order_id AND orders.status = 'cancelled'",
        {"ITM-5": None},
        1,
    ),
    "merge": (
        "MERGE INTO inventory t USING (SELECT 'SKU-A1' AS sku, 7 AS n UNION ALL SELECT 'SKU-D4', 0 UNION ALL SELECT 'SKU-Z9', 1) s "
        "ON t.sku = s.sku WHEN MATCHED AND s.n = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET on_hand = s.n "
        "WHEN NOT MATCHED THEN INSERT (sku, product_name, site, on_hand, reorder_point, reorder_quantity, supplier_email, unit_cost, is_discontinued) "
        "VALUES (s.sku, 'New', 'Lisbon', s.n, 1, 2, 'x@example.net', 1.5, FALSE)",
        {
            "SKU-A1": {"on_hand": 7},
            "SKU-D4": None,
            "SKU-Z9": {"on_hand": 1, "is_discontinued": False},
        },
        3,
    ),
    "nothing": ("DELETE FROM orders WHERE FALSE", {}, 0),
}


@pytest.mark.parametrize("name", WRITES)
def test_statement_writes_the_rows(name: str) -> None:
    sql, expected, affected = WRITES[name]
    box = _box()
    result: Any = box.call(STATEMENT, {"sql": sql})
    assert result["rows_affected"] == affected
    changes = {change.key: change.after for change in box.world.changes_since(box.start)}
    assert changes.keys() == expected.keys()
    for key, fields in expected.items():
        after = changes[key]
        assert (after is None) is (fields is None)
        if after is not None and fields is not None:
            assert {name: after[name] for name in fields} == fields
            assert list(after) == list(next(iter(base_world().records(f"wh_{result['table']}"))))


@pytest.mark.parametrize(
    ("sql", "code", "words"),
    [
        pytest.param(
            "INSERT INTO orders (order_id) VALUES ('x')",
            "constraint_violation",
            "account_id is never NULL",
            id="required",
        ),
        pytest.param(
            "INSERT INTO refunds SELECT * FROM refunds",
            "constraint_violation",
            "RFD-1 already",
            id="key_twice",
        ),
        pytest.param(
            "UPDATE refunds SET refund_id = 'RFD-1'",
            "constraint_violation",
            "RFD-1 already",
            id="key_moved_onto_another",
        ),
        pytest.param(
            "UPDATE orders SET amount = 'much'",
            "constraint_violation",
            "orders.amount is a number",
            id="type",
        ),
        pytest.param(
            "UPDATE orders SET ordered_on = '2026-02-30'",
            "constraint_violation",
            "is no date",
            id="date",
        ),
        pytest.param(
            "UPDATE orders SET colour = 'red'", "not_found", "no column colour", id="column"
        ),
        pytest.param(
            "UPDATE orders SET amount = price", "not_found", "price", id="column_in_value"
        ),
        pytest.param(
            "UPDATE orders SET amount = 1, amount = 2", "invalid_sql", "twice", id="column_twice"
        ),
        pytest.param(
            "INSERT INTO refunds VALUES ('x', 'y')",
            "invalid_sql",
            "2 values for 6 columns",
            id="count",
        ),
        pytest.param("DELETE FROM nowhere", "not_found", "no table nowhere", id="table"),
        pytest.param(
            "MERGE INTO refunds t USING orders s ON TRUE WHEN MATCHED THEN UPDATE SET amount = s.amount",
            "invalid_sql",
            "More than one source row",
            id="ambiguous_merge",
        ),
        pytest.param(
            "DELETE FROM orders RETURNING order_id", "invalid_sql", "line 1", id="returning"
        ),
        pytest.param(
            "INSERT OVERWRITE INTO refunds SELECT * FROM refunds",
            "not_allowed",
            "OVERWRITE",
            id="overwrite",
        ),
        pytest.param(
            "UPDATE orders SET amount = 1 / 0", "runtime_error", "division by zero", id="division"
        ),
    ],
)
def test_statement_that_fails_writes_nothing(sql: str, code: str, words: str) -> None:
    failure = _failure(STATEMENT, sql)
    assert failure.code == code
    assert words in failure.message


def test_rows_come_as_before_when_records_were_taken_out_and_put_back() -> None:
    sql = "SELECT item_id, ROW_NUMBER() OVER (ORDER BY 1 = 1) AS n FROM order_items"
    shuffled = base_world().copy()
    for record in reversed(list(base_world().records("wh_order_items"))):
        shuffled.remove("wh_order_items", str(record["item_id"]))
        shuffled.put("wh_order_items", record)
    box = Toolbox(list(connectors.tools().values()), shuffled)
    assert box.call(QUERY, {"sql": sql}) == _box().call(QUERY, {"sql": sql})


def test_copies_do_not_see_each_others_rows() -> None:
    one, other = _box(), _box()
    one.call(STATEMENT, {"sql": "DELETE FROM orders"})
    count = {"sql": "SELECT COUNT(*) AS n FROM orders"}
    assert one.call(QUERY, count) == {"rows": [{"n": 0}], "row_count": 1}
    assert other.call(QUERY, count) == {"rows": [{"n": 8}], "row_count": 1}
    twin = one.copy()
    twin.call(STATEMENT, {"sql": "DELETE FROM inventory"})
    assert one.call("mcp.warehouse:describe_table", {"table": "inventory"})["row_count"] == 5  # type: ignore[index, call-overload]


EQUAL = {
    "spelling": (
        "SELECT sku FROM inventory WHERE on_hand<=reorder_point",
        "select i.SKU from inventory i where not i.on_hand > i.reorder_point order by 1",
        True,
    ),
    "other_rows": (
        "SELECT sku FROM inventory",
        "SELECT sku FROM inventory WHERE on_hand > 3",
        False,
    ),
    "other_name": ("SELECT sku FROM inventory", "SELECT sku AS id FROM inventory", False),
    "other_order": (
        "SELECT sku FROM inventory",
        "SELECT sku FROM inventory ORDER BY sku DESC",
        False,
    ),
    "one_fails": ("SELECT sku FROM inventory", "SELECT sku FROM inventry", False),
    "both_fail": ("SELECT a FROM inventory", "SELECT b FROM inventory", True),
    "both_fail_alike": ("SELECT a FROM inventory", "SELECT a FROM inventory", True),
}


@pytest.mark.parametrize("name", EQUAL)
def test_reads_are_equal_by_their_results(name: str) -> None:
    a, b, expected = EQUAL[name]
    assert equal_queries(QUERY, {"sql": a}, {"sql": b}, base_world()) is expected


def test_parameters_and_literals_are_equal() -> None:
    a: dict[str, Any] = {
        "sql": "SELECT name FROM customers WHERE account_id = :id",
        "parameters": {"id": "ACC-401"},
    }
    b = {"sql": "SELECT name FROM customers WHERE account_id = 'ACC-401'"}
    assert equal_queries(QUERY, a, b, base_world())
    assert not equal_queries(QUERY, {**a, "parameters": {"id": "ACC-402"}}, b, base_world())


def test_writes_are_equal_by_the_state_they_leave() -> None:
    start = base_world().copy()
    delete = {"sql": "DELETE FROM orders WHERE status = 'cancelled'"}
    same = {"sql": "DELETE FROM orders WHERE order_id IN ('ORD-2004', 'ORD-1')"}
    more = {"sql": "DELETE FROM orders WHERE order_id IN ('ORD-2004', 'ORD-2005')"}
    assert equal_queries(STATEMENT, delete, same, start)
    assert not equal_queries(STATEMENT, delete, more, start)
    assert not start.changes_since(base_world())


def test_query_arguments_are_arguments_of_their_tools() -> None:
    for tool, names in QUERY_ARGUMENTS.items():
        assert set(names) <= set(connectors.tools()[tool].spec.input_schema["properties"])


_TEXT = r"""SELECT FROM WHERE GROUP BY ORDER LIMIT UNION ALL WITH AS ( ) ( ) , . * = < > + - / || :: : ; ' " -- /* @ $ ?
orders inventory sku amount ordered_on o 1 0 'x' '2026-03-01' NULL TRUE CASE WHEN THEN END IN NOT EXISTS BETWEEN COUNT SUM
DATEADD day CURRENT_DATE OVER PARTITION INSERT INTO VALUES UPDATE SET DELETE MERGE USING ON MATCHED JOIN LEFT QUALIFY
INTERVAL CAST int :p DISTINCT PIVOT LATERAL TABLE"""
_WORDS = st.sampled_from(_TEXT.split())


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_WORDS, min_size=1, max_size=25), st.sampled_from([QUERY, STATEMENT]))
def test_whatever_is_written_fails_as_a_tool_fails(words: list[str], tool: str) -> None:
    first = "SELECT" if tool == QUERY else "UPDATE orders SET amount ="
    codes = REFUSED | {"", "runtime_error", "constraint_violation"}
    assert _code(tool, " ".join(words)) in codes
    assert _code(tool, f"{first} {' '.join(words)}") in codes


def _code(tool: str, sql: str) -> str:
    try:
        _box().call(tool, {"sql": sql, "parameters": {"p": 1}})
    except ToolFailure as failure:
        return failure.code
    return ""
