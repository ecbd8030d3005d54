"""Reading of model outputs: text, calls, and everything that is neither plainly."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.tool import ToolCall

from skillbench_tasks.json_text import DEPTH_MAX
from skillbench_tasks.tools.prediction import Flag, read_prediction

TOOLS = ("crm__find_customer", "search")
FIND = ToolCall(id="1", function="crm__find_customer", arguments={"phone": "555"})
BROKEN = ToolCall(id="2", function="search", arguments={}, parse_error="no JSON")


@pytest.mark.parametrize(
    ("text", "calls", "action", "said", "flags"),
    [
        pytest.param(" Hello. ", [], "text", "Hello.", [], id="text"),
        pytest.param("", [FIND], "call", "", [], id="one_call"),
        pytest.param("", [FIND, BROKEN], "call", "", ["several_calls", "malformed_arguments"], id="two"),
        pytest.param("Wait.", [FIND], "call", "Wait.", ["text_beside_call"], id="text_and_call"),
        pytest.param("", [BROKEN], "call", "", ["malformed_arguments"], id="malformed"),
        pytest.param("", [], "nothing", "", ["empty"], id="empty"),
        pytest.param(" \n", [], "nothing", "", ["empty"], id="blank"),
        pytest.param("<think>Hm.</think>", [], "nothing", "", ["reasoning_only"], id="thought"),
        pytest.param("<think>Hm", [], "nothing", "", ["reasoning_only"], id="thought_without_end"),
        pytest.param("<think>a</think>\nHi", [], "text", "Hi", [], id="thought_then_text"),
        pytest.param("so</think>Hi", [], "text", "Hi", [], id="thought_without_begin"),
        pytest.param("<THINKING>x</thinking>Hi", [], "text", "Hi", [], id="thought_in_capitals"),
        pytest.param("<think>Hm</think>", [FIND], "call", "", [], id="thought_and_call"),
    ],
)  # fmt: skip
def test_output_is_read_as_documented(
    text: str, calls: Sequence[ToolCall], action: str, said: str, flags: Sequence[str]
) -> None:
    prediction = read_prediction(text, calls, tools=TOOLS)
    assert (prediction.action, prediction.text) == (action, said)
    assert list(prediction.flags) == [Flag(flag) for flag in flags]


def test_reasoning_beside_an_empty_text_is_reasoning_only() -> None:
    assert read_prediction("", reasoned=True).flags == (Flag.REASONING_ONLY,)
    assert read_prediction("Hi", reasoned=True).flags == ()


def test_first_of_several_calls_is_the_one_that_counts() -> None:
    prediction = read_prediction("", [FIND, BROKEN])
    assert prediction.call is not None
    assert (prediction.call.tool, prediction.call.arguments) == (FIND.function, {"phone": "555"})
    assert len(prediction.calls) == 2
    assert read_prediction("Hi").call is None


CALL = '{"name": "crm__find_customer", "arguments": {"phone": "555"}}'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CALL, id="json"),
        pytest.param(f"I look it up:\n```json\n{CALL}\n```", id="fenced_json"),
        pytest.param(f"[{CALL}]", id="json_list"),
        pytest.param(f'{{"tool_calls": [{{"function": {CALL}}}]}}', id="json_inside"),
        pytest.param('{"tool": "other", "args": "{}"}', id="tool_that_is_not_offered"),
        pytest.param('{"action": "search", "action_input": "x"}', id="action"),
        pytest.param('{"name": "search"}', id="name_alone"),
        pytest.param('{"search": {"text": "x"}}', id="name_as_key"),
        pytest.param(f"<tool_call>{CALL}</tool_call>", id="tag"),
        pytest.param("<tool_call>\nfind", id="tag_with_anything"),
        pytest.param("<function=search>{}</function>", id="function_tag"),
        pytest.param('<invoke name="search">', id="invoke_tag"),
        pytest.param("[TOOL_CALLS] [...]", id="bracket_mark"),
        pytest.param('crm__find_customer(phone="555")', id="python"),
        pytest.param("`search('x')`", id="python_positional"),
        pytest.param("functions.search({})", id="python_object"),
        pytest.param("search()", id="python_without_arguments"),
    ],
)
def test_call_written_as_text_is_a_text_with_a_flag(text: str) -> None:
    prediction = read_prediction(text, tools=TOOLS)
    assert (prediction.action, prediction.calls) == ("text", ())
    assert prediction.flags == (Flag.CALL_AS_TEXT,)
    assert read_prediction(text, [FIND], tools=TOOLS).flags == (Flag.TEXT_BESIDE_CALL,)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("I can search (by name) for you.", id="word_and_bracket"),
        pytest.param("Use search(s) or research(x=1).", id="part_of_a_word"),
        pytest.param('Your data: {"name": "Ann", "city": "Troy"}', id="data"),
        pytest.param('{"phone": "555"}', id="arguments_alone"),
        pytest.param("I call crm__find_customer now.", id="name_in_a_sentence"),
        pytest.param("a < b, {x}, [1]", id="signs"),
    ],
)
def test_text_that_is_no_call_has_no_flag(text: str) -> None:
    assert read_prediction(text, tools=TOOLS).flags == ()


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        pytest.param({}, {}, id="none"),
        pytest.param({"on": date(2026, 3, 1)}, {"on": "2026-03-01"}, id="date"),
        pytest.param({1: "a"}, {"1": "a"}, id="number_as_key"),
        pytest.param({"a": None}, {"a": None}, id="null"),
        pytest.param(None, None, id="null_alone"),
        pytest.param([], None, id="list"),
        pytest.param("A1", None, id="text"),
        pytest.param({(1, 2): 3}, None, id="key_that_is_none"),
        pytest.param({"n": 10**5000}, None, id="number_too_long"),
    ],
)
def test_arguments_are_read_as_json_or_not_at_all(arguments: object, read: object) -> None:
    call = ToolCall(id="1", function="search", arguments={})
    call.arguments = arguments  # type: ignore[assignment]
    prediction = read_prediction("", [call])
    assert prediction.call is not None
    assert prediction.call.arguments == read
    assert (Flag.MALFORMED_ARGUMENTS in prediction.flags) is (read is None)
    assert bool(prediction.call.problem) is (read is None)


@pytest.mark.parametrize(("levels", "flags"), [(50, []), (DEPTH_MAX + 1, ["malformed_arguments"]), (9999, ["malformed_arguments"])])  # fmt: skip
def test_arguments_nested_too_deep_are_malformed(levels: int, flags: list[str]) -> None:
    nested: object = 1
    for _ in range(levels):
        nested = [nested]
    call = ToolCall(id="1", function="search", arguments={})
    call.arguments = {"x": nested}
    assert list(read_prediction("", [call]).flags) == flags


@settings(max_examples=50)
@given(
    st.text(st.sampled_from("<>/think_cal{}[]\"':=(), \n\ud800é"), max_size=60)
    | st.builds("".join, st.lists(st.sampled_from(["<think>", "</think>", CALL, "{", "search("]))),
    st.booleans(),
)
def test_any_output_is_read(text: str, has_call: bool) -> None:
    prediction = read_prediction(text, [FIND] if has_call else [], tools=TOOLS)
    assert prediction.action == ("call" if has_call else "text" if prediction.text else "nothing")
    assert (Flag.CALL_AS_TEXT in prediction.flags) <= (prediction.action == "text")
    assert bool(set(prediction.flags) & {Flag.EMPTY, Flag.REASONING_ONLY}) is (
        prediction.action == "nothing"
    )


@pytest.mark.parametrize(
    "part", ["<think>", "</think>", "search(a", '{"a":', "search( ", "<tool_cal"]
)
def test_long_output_is_read_in_linear_time(part: str) -> None:
    start = time.process_time()
    read_prediction(part * 20_000, tools=TOOLS)
    assert time.process_time() - start < 2
