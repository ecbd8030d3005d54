"""JSON objects found in free text: all of them, none that is broken, in linear time."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbench_tasks.json_text import DEPTH_MAX, find_json_objects

VERDICT = '{"verdict": "pass"}'
PASS = {"verdict": "pass"}


def _nested(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("The verdict is pass.", [], id="prose"),
        pytest.param("[1, 2]", [], id="array alone"),
        pytest.param(VERDICT, [PASS], id="bare"),
        pytest.param(f"```json\n{VERDICT}\n```", [PASS], id="fenced"),
        pytest.param(f"Sure! Here it is:\n```\n{VERDICT}```\nBye {{", [PASS], id="preamble"),
        pytest.param(f"{VERDICT}{{}} {VERDICT}", [PASS, {}, PASS], id="side by side"),
        pytest.param(f"[{VERDICT}, {VERDICT}]", [PASS, PASS], id="in an array"),
        pytest.param(f"The set {{1, 2}} and {{x}} give {VERDICT}", [PASS], id="braces in prose"),
        pytest.param(f'I use {{"a" as key. {VERDICT}', [PASS], id="brace and quote in prose"),
        pytest.param('{"a": "} \\" {"}', [{"a": '} " {'}], id="braces and quotes in a string"),
        pytest.param('{"a": {"b": [{"c": 1}]}}', [{"a": {"b": [{"c": 1}]}}], id="nested"),
        pytest.param('{"a": "x\ny\t"}', [{"a": "x\ny\t"}], id="line break in a string"),
        pytest.param('{"a": "\\u00e9\\ud83d\\ude00"}', [{"a": "é😀"}], id="escapes"),
        pytest.param('{"a": [], "b": {}, "c": ""}', [{"a": [], "b": {}, "c": ""}], id="empty"),
        pytest.param('{"a": -1.5e3, "b": 0}', [{"a": -1500.0, "b": 0}], id="numbers"),
        pytest.param('{"a": true, "b": null}', [{"a": True, "b": None}], id="words"),
        pytest.param('{"a": NaN} {"b": 1}', [{"b": 1}], id="NaN"),
        pytest.param('{"a": [-Infinity]} {"a": Infinity}', [], id="infinities"),
        pytest.param('{"a": 1e999}', [], id="number beyond a float"),
        pytest.param(f'{{"a": {"9" * 5000}}} {VERDICT}', [PASS], id="number without end"),
        pytest.param('{"a": 1, "a": 1}', [], id="key twice"),
        pytest.param('{"a": {"b": 1}, "c": {"b": 1, "b": 2}}', [], id="key twice, deep"),
        pytest.param('{"a": {"verdict": "pass"}, "a": 1}', [], id="inside a refused one"),
        pytest.param('{"a": "\\ud800"} {"\\udc00": 1}', [], id="half of a pair"),
        pytest.param('{"a": "\\q"}', [], id="unknown escape"),
        pytest.param('{"a": 01} {"a": 1.} {"a": +1} {"a": .5}', [], id="no JSON numbers"),
        pytest.param("{'a': 1} {a: 1} {\"a\": True}", [], id="no JSON"),
        pytest.param('{"a": 1,} {,} {"a"} {"a":} {"a" 1} {"a": 1 "b": 2}', [], id="marks"),
        pytest.param('{"a": [1,]} {"a": [1 2]} {"a": [,]} {"a": [1}]', [], id="marks in arrays"),
        pytest.param('{"a": {"verdict": "pass"}', [], id="truncated"),
        pytest.param('{"verdict": "pass", "reason": "it sa', [], id="truncated in a string"),
        pytest.param('{"r": "said {"verdict": "pass"}", "verdict": "fail"}', [], id="unescaped"),
        pytest.param(f"{{oops: 1}} Again: {VERDICT}", [PASS], id="after a broken one"),
        pytest.param(_nested(DEPTH_MAX + 1) + VERDICT, [PASS], id="too deep"),
    ],
)
def test_find_json_objects_in_a_text_yields_the_whole_ones(
    text: str, expected: list[dict[str, Any]]
) -> None:
    assert list(find_json_objects(text)) == expected


def test_find_json_objects_at_the_allowed_depth_yields_it() -> None:
    (found,) = find_json_objects(_nested(DEPTH_MAX))
    assert found == json.loads(_nested(DEPTH_MAX))


def test_find_json_objects_keeps_types() -> None:
    (found,) = find_json_objects('{"a": 1, "b": 1.0, "c": true}')
    assert [type(value) for value in found.values()] == [int, float, bool]


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"))
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(st.text(st.characters(codec="utf-8")), _VALUES, max_size=4)
_PROSE = st.text(st.characters(exclude_characters="{", codec="utf-8"))
_JSON_LIKE = st.lists(
    st.sampled_from(
        [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            '"',
            "\\",
            '"a"',
            "1",
            "-",
            ".",
            "e",
            "NaN",
            "true",
            " ",
            "\n",
        ]
    )
).map("".join)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(_PROSE, _OBJECTS)),
    _PROSE,
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_find_json_objects_between_prose_finds_each(
    parts: list[tuple[str, dict[str, Any]]], end: str, indent: int | None, ascii_only: bool
) -> None:
    written = [f"{p}{json.dumps(o, indent=indent, ensure_ascii=ascii_only)}" for p, o in parts]
    found = list(find_json_objects("".join(written) + end))
    assert found == [entry for _, entry in parts]


@given(_JSON_LIKE | st.text(st.characters()))
def test_find_json_objects_in_anything_yields_what_the_standard_library_reads(text: str) -> None:
    decoder = json.JSONDecoder(strict=False)
    at = 0
    for found in find_json_objects(text):
        while True:  # the next brace from which the standard library reads the same
            at = text.index("{", at)
            try:
                value, end = decoder.raw_decode(text, at)
            except json.JSONDecodeError:
                at += 1
                continue
            if value == found:
                at = end
                break
            at += 1


@settings(max_examples=60)
@given(_OBJECTS, st.data())
def test_find_json_objects_with_one_character_changed_is_as_strict_as_the_standard(
    entry: dict[str, Any], data: st.DataObject
) -> None:
    text = json.dumps(entry, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text) - 1))
    text = text[:at] + data.draw(st.sampled_from(["", *'{}[]",:\\1-.eN '])) + text[at + 1 :]

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    def finite(written: str) -> float:
        if not math.isfinite(float(written)):
            raise ValueError(written)
        return float(written)

    try:
        lenient = json.loads(text, strict=False)
    except json.JSONDecodeError:
        lenient = None
    if not isinstance(lenient, dict):
        list(find_json_objects(text))
        return
    try:
        expected = [
            json.loads(
                text,
                strict=False,
                object_pairs_hook=once,
                parse_float=finite,
                parse_constant=finite,
            )
        ]
    except ValueError:
        expected = []
    assert list(find_json_objects(text)) == expected


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        '{"',
        '{"a":',
        '{"a":[',
        '{"a\\',
        '{"a":1}',
        '{"a":1,',
        "{ ",
        '{"":"{",',
        '{":":',
        "{1",
        "\\{",
    ],
)
def test_find_json_objects_in_a_hostile_text_of_many_characters_ends(unit: str) -> None:
    text = unit * (200_000 // len(unit))  # steps by the square of it would take an hour
    assert sum(1 for _ in find_json_objects(text)) <= len(text)
