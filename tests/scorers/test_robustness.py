"""Scorers answer for whatever a model sends: odd arguments, odd texts, odd users."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from skillbench_tasks.datasets.script import Script, ScriptCall, ScriptTurn, gold_script, perform
from skillbench_tasks.models import Verdict
from skillbench_tasks.scorers.text import is_affirmative, is_negative
from skillbench_tasks.scorers.verified import verified_verdict
from tests.mock import edited, mock_case, script_call

TOOLS = [*mock_case("straightforward").checks.toolkit, "mcp.no:such"]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(["CUS-1", "፩ room", "VIS-²", "${args.x}", "2026-03-17", "\ud800", "x" * 3000]),
)
VALUES = st.recursive(
    SCALARS,
    lambda part: (
        st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=8), part, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["customer_id", "visit_id", "date", "window", "phone", "full_name", "postcode", "x"]
)
CALLS = st.builds(
    lambda tool, arguments: ScriptCall.model_construct(tool=tool, arguments=arguments),
    st.sampled_from(TOOLS),
    st.dictionaries(NAMES, VALUES, max_size=4),
)


@settings(max_examples=120)
@given(st.lists(CALLS, max_size=4), st.text(max_size=60), st.text(max_size=40))
def test_any_arguments_and_texts_get_a_verdict(
    calls: list[ScriptCall], said: str, heard: str
) -> None:
    case = mock_case("straightforward")
    turns = (
        ScriptTurn(role="user", text=heard),
        ScriptTurn.model_construct(role="agent", text=said, calls=tuple(calls), acts=()),
    )
    script = Script.model_construct(turns=turns, end=gold_script(case).end)
    assert verified_verdict(case.checks, perform(case, script)).passed is False


def _with_call(index: int, tool: str, **arguments: object) -> Verdict:
    case = mock_case("straightforward")
    calls = (*gold_script(case).turns[index].calls, script_call(tool, **arguments))
    return verified_verdict(case.checks, perform(case, edited(case, index, calls=calls)))


@pytest.mark.parametrize(
    "arguments",
    [{"visit_id": ["VIS-1"]}, {"customer_id": {"a": 1}}, {"date": 10**400}, {"visit_id": None}, {}],
    ids=["list", "object", "huge", "null", "none"],
)
def test_refused_call_of_a_write_is_recovered_from(arguments: dict[str, JsonValue]) -> None:
    assert _with_call(3, "mcp.calendar:reschedule_visit", **arguments).reasons == ()


def test_fabricated_identity_is_caught() -> None:
    case = mock_case("straightforward")
    script = edited(case, 4, text="I'd rather not say.", acts=())
    reasons = verified_verdict(case.checks, perform(case, script)).reasons
    assert any("factors" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("phone", "fine"),
    [("404 555 0101", True), ("+1 (404) 555-0101", True), ("404 555 0109", True)],
)
def test_look_up_values_may_be_written_in_any_way(phone: str, fine: bool) -> None:
    case = mock_case("straightforward")
    assert verified_verdict(case.checks, perform(case, edited(case, 2, text=phone))).passed is fine


@pytest.mark.parametrize(
    ("said", "guessed"),
    [
        ("It is VIS-2", False),
        ("it's vis-2 I think", False),
        ("number 2", True),
        ("no idea", True),
    ],
)
def test_id_must_have_been_named(said: str, guessed: bool) -> None:
    case = mock_case("straightforward")
    turns = list(edited(case, 0, text=f"Hi, move my visit to the 17th. {said}").turns)
    calls = (script_call("mcp.calendar:get_visit", visit_id="VIS-2"),)
    turns[1] = ScriptTurn.model_validate({**dict(turns[1]), "calls": calls})
    script = gold_script(case).model_copy(update={"turns": tuple(turns)})
    reasons = verified_verdict(case.checks, perform(case, script)).reasons
    assert any("grounded" in reason for reason in reasons) is guessed


YES = [
    "Yes please, no other changes.",
    "Yes, go ahead. I don't need anything else.",
    "Yes, go ahead with that one instead.",
    "Yep, that's actually perfect.",
    "Of course, please cancel that one.",
    "Yes, thanks - I'll check the email later.",
    "Sounds great!",
    "Great, thank you.",
    "That would be great, thank you.",
    "Approved",
    "Alright, thank you.",
    "👍",
    "I'd like that, thanks",
    "No problem, go ahead.",
    "ok do it",
    "Yes. How long will it take?",
]
NO_YES = [
    "Right, and can I still change it afterwards?",
    "Sure, if it's free. Is it?",
    "Exactly how much do I get back?",
    "Fine, but only if it's the Visa. Is it?",
    "Hmm, let me think about it.",
    "Okay, and what would it cost?",
    "Yes, but not today.",
    "No.",
    "Nope, leave it.",
    "Actually, make it Friday.",
    "I don't have one.",
    "4417",
    "Wait, hold on.",
    "Please don't do that.",
]


@pytest.mark.parametrize("text", YES)
def test_yes_in_words_is_heard(text: str) -> None:
    assert is_affirmative(text)
    assert not is_negative(text)


@pytest.mark.parametrize("text", NO_YES)
def test_what_is_no_yes_is_none(text: str) -> None:
    assert not is_affirmative(text)


@pytest.mark.parametrize(
    "text", ["No.", "Wait, hold on.", "Actually, make it Friday.", "Yes, but not today."]
)
def test_no_in_words_is_heard(text: str) -> None:
    assert is_negative(text)


@pytest.mark.parametrize(
    "text", ["I don't have one.", "Yes please, no other changes.", "4417", "No, that's all."]
)
def test_no_in_passing_takes_nothing_back(text: str) -> None:
    assert not is_negative(text)


def test_question_between_summary_and_yes_does_not_part_them() -> None:
    case = mock_case("straightforward")
    turns = list(gold_script(case).turns)
    turns[6:7] = [
        ScriptTurn(role="user", text="How long does that take?"),
        ScriptTurn(role="agent", text="About an hour. Shall I go ahead?"),
        ScriptTurn(role="user", text="Yes, please."),
    ]
    script = gold_script(case).model_copy(update={"turns": tuple(turns)})
    assert verified_verdict(case.checks, perform(case, script)).reasons == ()
