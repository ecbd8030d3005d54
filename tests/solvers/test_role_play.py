"""The model user: what is read from its messages, and the faults that are told apart."""

from __future__ import annotations

import pytest

from skillbench_tasks.datasets.loaders import load_personas, load_slots
from skillbench_tasks.models import State, UserFault
from skillbench_tasks.solvers.users.model_user import user_prompt
from skillbench_tasks.solvers.users.role_play import read_message, role_faults
from tests.mock import mock_case

ASK, TELL = "Shall I go ahead?", "Your visit is moved."
READ = [
    pytest.param("Thanks! ###RESOLVED###", TELL, "Thanks!", State.RESOLVED, (), id="end"),
    pytest.param("###GAVE_UP###", ASK, "", State.GAVE_UP, (), id="mark_alone"),
    pytest.param(
        "Yes, go ahead. ###RESOLVED###",
        ASK,
        "Yes, go ahead.",
        None,
        (UserFault.ENDED_WITH_CONFIRMATION,),
        id="confirms_and_ends",
    ),
    pytest.param(
        "No, thanks, that's all. ###RESOLVED###",
        "Anything else?",
        "No, thanks, that's all.",
        State.RESOLVED,
        (),
        id="farewell_to_a_question",
    ),
    pytest.param(
        "<think>I should end ###RESOLVED###</think>My ZIP is 30030.",
        ASK,
        "My ZIP is 30030.",
        None,
        (UserFault.LEAKED_REASONING,),
        id="mark_in_thinking",
    ),
    pytest.param(
        "<think>never closed ###RESOLVED###",
        ASK,
        "",
        None,
        (UserFault.LEAKED_REASONING, UserFault.EMPTY),
        id="open_thinking",
    ),
    pytest.param("", ASK, "", None, (UserFault.EMPTY,), id="empty"),
    pytest.param("User: my ZIP is 30030", ASK, "my ZIP is 30030", None, (), id="speaker"),
    pytest.param("ok ### out of scope ###", TELL, "ok", State.OUT_OF_SCOPE, (), id="loose_mark"),
]


@pytest.mark.parametrize(("raw", "agent", "text", "end", "faults"), READ)
def test_message_is_read(
    raw: str, agent: str, text: str, end: State | None, faults: tuple[UserFault, ...]
) -> None:
    assert read_message(raw, agent) == (text, end, faults)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("As the agent, I will look that up for you.", UserFault.ROLE_INVERTED),
        ("Agent: How can I help you today?", UserFault.ROLE_INVERTED),
        ("Is there anything else I can help you with?", UserFault.ROLE_INVERTED),
        ("Hi again", UserFault.REPEATED),
        ("My order is ORD-99172.", UserFault.INVENTED_FACT),
        ("My phone is 404 555 0999.", UserFault.INVENTED_FACT),
        ("The ZIP is 30030, as I said.", None),
        ("I moved in last week and it has been slow.", None),
    ],
)
def test_role_fault_is_told(text: str, fault: UserFault | None) -> None:
    faults = role_faults(text, ["Hi again"], ["30030", "+14045550101"])
    assert faults == (() if fault is None else (fault,))


def test_user_prompt_holds_facts_and_no_tool_or_gold() -> None:
    case = mock_case("mind_change")
    prompt = user_prompt(
        case.scenario, load_personas()[case.scenario.persona], dict(load_slots()), "Mock"
    )
    for part in ("Ada Pence", "30032", "2026-03-19", "###RESOLVED###", "reschedule visit"):
        assert part in prompt
    assert "mcp." not in prompt
    assert "VIS-2" not in prompt


def test_user_prompt_shows_successive_answers() -> None:
    case = mock_case("identity_fails")
    prompt = user_prompt(
        case.scenario, load_personas()[case.scenario.persona], dict(load_slots()), "Mock"
    )
    assert "30031; asked again, you say: 30033" in prompt
