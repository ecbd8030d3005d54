"""Comparison of worlds: what is equal, and how a difference is named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbench_tasks.models import Change, CollectionSpec, FieldKind, Record
from skillbench_tasks.tools.compare import diff, equal

SPECS = {
    "orders": CollectionSpec(
        key="order_id",
        prefix="ORD",
        fields={
            "tags": FieldKind.SET,
            "note": FieldKind.TEXT,
            "at": FieldKind.TIMESTAMP,
            "trace": FieldKind.IGNORED,
            "log.text": FieldKind.TEXT,
        },
    ),
    "refunds": CollectionSpec(key="refund_id", prefix="RFD"),
    "mails": CollectionSpec(key="mail_id", prefix="MSG"),
}
BASE: Record = {"order_id": "ORD-1", "amount": 25, "note": "old", "tags": ["a"], "lines": [1, 2]}


def _update(**fields: object) -> Change:
    after = {**BASE, **fields}
    return Change.model_validate(
        {"collection": "orders", "key": "ORD-1", "before": BASE, "after": after}
    )


def _made(collection: str, number: int, **fields: object) -> Change:
    key = f"{SPECS[collection].prefix}-{number}"
    record = {SPECS[collection].key: key, **fields}
    return Change.model_validate(
        {"collection": collection, "key": key, "before": None, "after": record}
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param({"amount": 30}, {"amount": 30.0}, True, id="int_float"),
        pytest.param({"amount": 1}, {"amount": True}, False, id="true_is_not_one"),
        pytest.param({"amount": 0}, {"amount": False}, False, id="false_is_not_zero"),
        pytest.param({"amount": 30}, {"amount": 30.01}, False, id="cents"),
        pytest.param({"amount": 30}, {"amount": "30"}, False, id="text_is_no_number"),
        pytest.param({"x": None, "amount": 3}, {"amount": 3}, True, id="null_is_absent"),
        pytest.param({"x": "", "amount": 3}, {"amount": 3}, False, id="blank_is_not_absent"),
        pytest.param({"tags": ["b", "a"]}, {"tags": ["a", "b", "a"]}, True, id="set_order"),
        pytest.param({"tags": ["b"]}, {"tags": ["a", "b"]}, False, id="set_content"),
        pytest.param({"tags": [1, 2.0]}, {"tags": [2, 1.0]}, True, id="set_numbers"),
        pytest.param({"lines": [2, 1]}, {"lines": [1, 2, 3]}, False, id="list_content"),
        pytest.param({"lines": [3, 1]}, {"lines": [1, 3]}, False, id="list_order"),
        pytest.param({"note": "call back"}, {"note": "please ring"}, True, id="free_text"),
        pytest.param({"note": "call back"}, {"note": "  "}, False, id="text_missing"),
        pytest.param({"note": "new", "amount": 3}, {"amount": 3}, False, id="text_unchanged"),
        pytest.param({"at": "2026-01-01T00:00:00"}, {"at": "2026-02-02T10:00:00"}, True, id="time"),
        pytest.param({"at": "2026-01-01", "amount": 3}, {"amount": 3}, False, id="no_time"),
        pytest.param({"trace": 1, "amount": 3}, {"trace": 2, "amount": 3}, True, id="ignored"),
        pytest.param({"d": {"a": 1, "b": 2}}, {"d": {"b": 2.0, "a": 1}}, True, id="key_order"),
        pytest.param(
            {"log": [{"text": "x", "n": 1}]}, {"log": [{"text": "y", "n": 1}]}, True, id="nested"
        ),
        pytest.param(
            {"log": [{"text": "x", "n": 1}]}, {"log": [{"text": "x", "n": 2}]}, False, id="nested_n"
        ),
    ],
)
def test_equal_of_two_updates_is_as_declared(
    one: dict[str, object], other: dict[str, object], same: bool
) -> None:
    assert equal([_update(**one)], [_update(**other)], SPECS) is same
    assert equal([_update(**other)], [_update(**one)], SPECS) is same


def test_made_records_in_other_order_are_equal() -> None:
    want = [_made("refunds", 90001, amount=5), _made("refunds", 90002, amount=7)]
    got = [_made("refunds", 90001, amount=7), _made("refunds", 90002, amount=5)]
    assert diff(want, got, SPECS) == ()


def test_made_ids_are_followed_through_references() -> None:
    want = [_made("refunds", 90001, amount=5), _made("mails", 90001, about="see RFD-90001")]
    got = [
        _made("refunds", 90001, amount=7),
        _made("refunds", 90002, amount=5),
        _made("mails", 90001, about="see RFD-90002"),
    ]
    assert [(d.kind, d.key) for d in diff(want, got, SPECS)] == [("unintended", "RFD-90001")]


def test_reference_to_the_wrong_made_record_is_a_difference() -> None:
    refunds = [_made("refunds", 90001, amount=5), _made("refunds", 90002, amount=7)]
    want = [*refunds, _made("mails", 90001, about="RFD-90001")]
    got = [*refunds, _made("mails", 90001, about="RFD-90002")]
    assert [d.kind for d in diff(want, got, SPECS)] == ["wrong"]


@pytest.mark.parametrize(
    ("want", "got", "kinds"),
    [
        pytest.param([_update(amount=3)], [], ["missing"], id="missing_update"),
        pytest.param([], [_update(amount=3)], ["unintended"], id="unintended_update"),
        pytest.param([_update(amount=3)], [_update(amount=4)], ["wrong"], id="wrong_update"),
        pytest.param([_made("refunds", 90001, a=1)], [], ["missing"], id="missing_record"),
        pytest.param([], [_made("refunds", 90001, a=1)], ["unintended"], id="extra_record"),
        pytest.param(
            [_made("refunds", 90001, a=1)],
            [_made("refunds", 90001, a=1), _made("refunds", 90002, a=1)],
            ["duplicate"],
            id="duplicate",
        ),
        pytest.param(
            [_made("refunds", 90001, a=1)], [_made("refunds", 90001, a=2)], ["wrong"], id="wrong"
        ),
    ],
)
def test_difference_has_its_kind(want: list[Change], got: list[Change], kinds: list[str]) -> None:
    assert [d.kind for d in diff(want, got, SPECS)] == kinds


_RECORDS = st.lists(
    st.builds(
        lambda amount, tags, note: _update(amount=amount, tags=tags, note=note),
        st.sampled_from([1, 1.0, True, 2]),
        st.lists(st.sampled_from(["a", "b"]), max_size=3),
        st.sampled_from(["old", "new", ""]),
    ),
    max_size=1,
)


@given(_RECORDS, _RECORDS)
def test_equal_is_symmetric_and_reflexive(one: list[Change], other: list[Change]) -> None:
    assert equal(one, one, SPECS)
    assert equal(one, other, SPECS) == equal(other, one, SPECS)
